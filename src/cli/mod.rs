//! The command line: one file a command. Results go to standard output, everything else to standard error, and the
//! exit code says how it went ([`Exit`]).

mod audit_tools;
mod check;
mod compare;
mod completions;
mod estimate;
mod exit;
mod explain;
mod github;
mod input;
mod key;
mod man;
mod precision;
mod progress;
mod run;
mod sampling;
mod scenarios;
mod schema;
mod simulate;
mod terminal;
mod validate;

pub use exit::Exit;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulate how tool calls of LLM agents fire twice when a stream breaks and is retried, and what prevents it
#[derive(Debug, Parser)]
#[command(name = "doublefire", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = Exit::table())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Check(check::Check),
    Compare(compare::Compare),
    AuditTools(audit_tools::AuditTools),
    Explain(explain::Explain),
    Estimate(estimate::Estimate),
    Validate(validate::Validate),
    Schema(schema::Schema),
    Key(key::Key),
    Scenarios(scenarios::Scenarios),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the command of this process's command line.
#[must_use]
pub fn main() -> ExitCode {
    name_the_command_in_panics();
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Run(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::AuditTools(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Estimate(command) => command.run(),
        Command::Validate(command) => command.run(),
        Command::Schema(command) => command.run(),
        Command::Key(command) => command.run(),
        Command::Scenarios(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            terminal::note(&failure.message);
            failure.exit.into()
        }
    }
}

/// A panic is a bug, and a bug report needs the command that shows it.
fn name_the_command_in_panics() {
    let standard = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        standard(panic);
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        terminal::note(&format!(
            "This is a bug in doublefire {}. The command that shows it:\n  {}",
            env!("CARGO_PKG_VERSION"),
            command_line(arguments),
        ));
    }));
}

/// A command line that a shell takes apart again as it was.
fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    let quoted = arguments.map(|argument| match !argument.is_empty() && argument.chars().all(plain) {
        true => argument,
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_command_line_is_quoted_where_a_shell_would_take_it_apart() {
        let arguments = ["doublefire", "run", "a b.toml", "--set", "x=it's", ""].map(str::to_owned);
        assert_eq!(command_line(arguments.into_iter()), r"doublefire run 'a b.toml' --set 'x=it'\''s' ''");
    }
}
