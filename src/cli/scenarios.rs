//! `doublefire scenarios`: those that come with the binary.

use super::exit::{Exit, Failure};
use super::terminal;
use crate::report::folder::create;
use crate::report::table::wrapped;
use crate::scenario::{EMBEDDED, Input, load};
use anstyle::Style;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

const BOLD: Style = Style::new().bold();

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

/// Name and title of each, and below it the question that it answers.
fn list() -> String {
    let blocks = EMBEDDED.iter().map(|(name, text)| {
        let input = Input { origin: (*name).to_owned(), text: (*text).to_owned(), ..Input::default() };
        let title = load(&input).map_or(String::new(), |loaded| loaded.scenario.title);
        format!("{BOLD}{name}{BOLD:#}  {title}\n{}", wrapped("  ", &question(text)))
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// The question in the comment that a scenario opens with: its first sentence with a question mark.
fn question(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    let mut sentence: Vec<&str> = Vec::new();
    for word in lines.flat_map(str::split_whitespace) {
        sentence.push(word);
        if word.ends_with('?') {
            return sentence.join(" ");
        } else if word.ends_with('.') {
            sentence.clear();
        }
    }
    String::new()
}

fn write(folder: &Path) -> Result<(), Failure> {
    let files: Vec<(PathBuf, &str)> =
        EMBEDDED.iter().map(|(name, text)| (folder.join(format!("{name}.toml")), *text)).collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Failure::environment(format_args!("{} exists and is not overwritten", path.display())));
    }
    fs::create_dir_all(folder).map_err(|error| Failure::environment(format_args!("{}: {error}", folder.display())))?;
    for (path, text) in files {
        create(&path, text).map_err(Failure::environment)?;
        terminal::note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_listed_by_the_question_it_opens_with() {
        let text = "#:schema ./x.json\n# Streams break.  How often, at 0.6 % of\n#  streams cut? And more?\nschema = 1";
        assert_eq!(question(text), "How often, at 0.6 % of streams cut?");
        assert_eq!(question("schema = 1\n# Why?"), "", "only the opening comment counts");
    }

    #[test]
    fn every_built_in_scenario_loads_and_opens_with_a_question() {
        for (name, text) in EMBEDDED {
            let input = Input { origin: (*name).to_owned(), text: (*text).to_owned(), ..Input::default() };
            let loaded = load(&input).expect("it is valid");
            assert_eq!(loaded.scenario.name, *name, "the file is named for its scenario");
            assert!(loaded.warnings.is_empty(), "{name} has warnings");
            assert!(question(text).len() > 20, "{name} opens with a question");
        }
    }
}
