//! `doublefire man`: manual pages, drawn from the same definitions as `--help`.

use super::Cli;
use super::exit::{Exit, Failure};
use super::terminal;
use crate::report::folder;
use clap::{Args, Command, CommandFactory};
use std::path::{Path, PathBuf};

/// Print the manual page, or write those of all commands to a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire man > doublefire.1
  doublefire man --output man1                      doublefire.1, doublefire-run.1 and the others; then
                                                    `man man1/doublefire-run.1`")]
pub(super) struct Man {
    /// Write one page a command to DIR
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    /// # Errors
    /// A folder that cannot be written to.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let mut root = Cli::command().disable_help_subcommand(true);
        root.build();
        let Some(folder) = &self.output else {
            terminal::result(&page(&root))?;
            return Ok(Exit::Fine);
        };
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::environment(format_args!("{}: {error}", folder.display())))?;
        write(folder, "doublefire.1", &root)?;
        for command in root.get_subcommands() {
            write(folder, &format!("doublefire-{}.1", command.get_name()), command)?;
        }
        Ok(Exit::Fine)
    }
}

fn write(folder: &Path, name: &str, command: &Command) -> Result<(), Failure> {
    folder::replace(&folder.join(name), &page(command)).map_err(Failure::environment)?;
    terminal::note(&format!("wrote {}", folder.join(name).display()));
    Ok(())
}

/// A page in roff.
fn page(command: &Command) -> String {
    let mut text = Vec::new();
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let page = clap_mangen::Man::new(command.clone()).title(name);
    page.render(&mut text).expect("memory takes everything");
    String::from_utf8_lossy(&text).into_owned()
}
