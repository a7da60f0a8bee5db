//! Where scenarios come from: a file, standard input, or the binary itself.

use super::exit::{Exit, Failure};
use super::terminal;
use crate::report::Asked;
use crate::scenario::{EMBEDDED, Input, Scenario, leaves, load};
use clap::Args;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The scenario that is run where none is named.
pub(super) const DEFAULT: &str = "payments";

/// The largest scenario read, in bytes: some hundred times the largest sensible one.
const SIZE_MAX: u64 = 4 << 20;

/// Overrides of a scenario's keys.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Sets {
    /// Override a key of the scenario by its path, arrays by name; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(super) set: Vec<String>,
}

impl Sets {
    /// What is asked for of a scenario as it stands.
    pub(super) fn asked(&self, scenario: &Scenario) -> Asked<'_> {
        Asked { seed: scenario.run.seed, turns: scenario.run.turns, set: &self.set }
    }
}

/// Loads the scenario that the command line calls `name`; warnings go to standard error.
///
/// # Errors
/// A file that cannot be read is the environment's fault, one that cannot be run the scenario's.
pub(super) fn scenario(name: &str, sets: &Sets) -> Result<Scenario, Failure> {
    checked(&open(name, sets)?)
}

/// As [`scenario`], with every key of the file that holds a value, by its path.
///
/// # Errors
/// The same.
pub(super) fn scenario_and_values(name: &str, sets: &Sets) -> Result<(Scenario, Vec<(String, String)>), Failure> {
    let input = open(name, sets)?;
    Ok((checked(&input)?, leaves(&input)))
}

/// Refuses scenarios among which standard input stands twice: it holds one.
///
/// # Errors
/// The command line is wrong.
pub(super) fn at_most_one_from_standard_input(names: &[String]) -> Result<(), Failure> {
    if names.iter().filter(|name| *name == "-").count() > 1 {
        return Err(Failure::usage("standard input holds one scenario: - stands there twice"));
    }
    Ok(())
}

fn checked(input: &Input) -> Result<Scenario, Failure> {
    match load(input) {
        Ok(loaded) => {
            if !loaded.warnings.is_empty() {
                terminal::note(loaded.warnings.render(terminal::colours()).trim_end());
            }
            Ok(loaded.scenario)
        }
        Err(found) => {
            Err(Failure { exit: Exit::Usage, message: found.render(terminal::colours()).trim_end().to_owned() })
        }
    }
}

fn open(name: &str, sets: &Sets) -> Result<Input, Failure> {
    let input = |origin: &str, directory: Option<PathBuf>, text: String| Input {
        origin: origin.to_owned(),
        directory,
        text,
        sets: sets.set.clone(),
    };
    if name == "-" {
        let text = read(&mut io::stdin().lock(), "standard input")?;
        return Ok(input("<stdin>", Some(PathBuf::from(".")), text));
    }
    match File::open(name) {
        Ok(mut file) => Ok(input(name, Path::new(name).parent().map(Path::to_owned), read(&mut file, name)?)),
        Err(error) => match built_in(name) {
            Some(text) => Ok(input(&format!("{name}.toml (built in)"), None, text.to_owned())),
            None => Err(Failure::environment(format_args!("{name}: {error}"))),
        },
    }
}

/// Refuses a file to be written that is one of the scenarios.
///
/// # Errors
/// A wrong command line.
pub(super) fn is_none_of(scenarios: &[String], output: Option<&Path>) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    let same =
        |name: &&String| matches!((Path::new(name).canonicalize(), output.canonicalize()), (Ok(a), Ok(b)) if a == b);
    match scenarios.iter().find(same) {
        Some(name) => {
            Err(Failure::usage(format_args!("{} is the scenario {name}: it would be lost", output.display())))
        }
        None => Ok(()),
    }
}

/// The text of the built-in scenario of this name.
fn built_in(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Everything `from` holds, as text.
///
/// # Errors
/// What cannot be read is the environment's fault; what is too long or no text is not a scenario.
fn read(from: &mut dyn Read, name: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(SIZE_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::environment(format_args!("{name}: {error}")))?;
    if bytes.len() as u64 > SIZE_MAX {
        return Err(Failure::usage(format_args!("{name} is longer than {SIZE_MAX} bytes: no scenario is")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format_args!("{name} is no UTF-8 text: byte {at} does not belong there"))
    })
}
