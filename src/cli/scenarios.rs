//! `doublefire scenarios`: those that come with the binary.

use super::exit::{Exit, Failure};
use super::terminal;
use crate::scenario::EMBEDDED;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// List the built-in scenarios, or copy them out
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire scenarios
  doublefire scenarios --write my-scenarios")]
pub(super) struct Scenarios {
    /// Write them to this folder, one file each; never over an existing file
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

impl Scenarios {
    /// # Errors
    /// A folder that cannot be written, or that holds one of the files already.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        match &self.write {
            None => terminal::result(&list())?,
            Some(folder) => write(folder)?,
        }
        Ok(Exit::Fine)
    }
}

fn list() -> String {
    let width = EMBEDDED.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = EMBEDDED.iter().map(|(name, text)| format!("{name:<width$}  {}\n", question(text)));
    lines.collect()
}

/// The question that a scenario answers: the comment it opens with, up to its first full stop or question mark at
/// the end of a word.
fn question(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    let words = lines.filter(|line| !line.starts_with(":schema")).flat_map(str::split_whitespace);
    let mut question = Vec::new();
    for word in words {
        question.push(word);
        if word.ends_with(['?', '.']) {
            break;
        }
    }
    question.join(" ")
}

fn write(folder: &Path) -> Result<(), Failure> {
    let fail = |path: &Path, error: std::io::Error| Failure::environment(format_args!("{}: {error}", path.display()));
    let files: Vec<(PathBuf, &str)> =
        EMBEDDED.iter().map(|(name, text)| (folder.join(format!("{name}.toml")), *text)).collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Failure::environment(format_args!("{} exists and is not overwritten", path.display())));
    }
    fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
    for (path, text) in files {
        fs::write(&path, text).map_err(|error| fail(&path, error))?;
        terminal::note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_listed_by_the_question_it_opens_with() {
        let text = "#:schema x.json\n# How often, at 0.6 % of\n#  streams cut? And more.\nschema = 1\n# later";
        assert_eq!(question(text), "How often, at 0.6 % of streams cut?");
        assert_eq!(question("schema = 1"), "");
    }
}
