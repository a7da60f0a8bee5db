//! `doublefire completions`: what a shell needs to complete a command line.

use super::Cli;
use super::exit::{Exit, Failure};
use super::terminal;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire completions bash > doublefire.bash     then `source doublefire.bash`, in ~/.bashrc
  doublefire completions zsh > _doublefire          in a folder of $fpath
  doublefire completions fish > doublefire.fish     in ~/.config/fish/completions")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// # Errors
    /// Only where standard output takes no more.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "doublefire", &mut script);
        terminal::result(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Fine)
    }
}
