//! From text to scenario: the one fallible step.

use super::data::{DataFiles, hex_sha256};
use super::diagnostic::{Diagnostics, Place};
use super::format::{self, limits};
use super::read::Reader;
use super::{Scenario, build, leaves, set, tree};
use std::path::PathBuf;

/// A scenario file as it was found.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// How messages name it: its path, `<stdin>`, or the name of a built-in scenario.
    pub origin: String,
    /// The folder in which its data files are looked for; a scenario without one can name none.
    pub directory: Option<PathBuf>,
    /// The text of the file.
    pub text: String,
    /// Edits of it, PATH=VALUE each, in order.
    pub sets: Vec<String>,
}

/// A scenario that can be run.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// What is worth a second look; no errors.
    pub warnings: Diagnostics,
}

/// Reads a scenario.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text, warnings among it. Where the file is no TOML, the
/// errors of its syntax alone.
pub fn load(input: &Input) -> Result<Loaded, Diagnostics> {
    let mut found = Diagnostics::default();
    let loaded = read(input, &mut found);
    found.sort();
    match loaded {
        Some(scenario) if !found.has_errors() => Ok(Loaded { scenario, warnings: found }),
        _ => Err(found),
    }
}

fn read(input: &Input, found: &mut Diagnostics) -> Option<Scenario> {
    let Input { origin, directory, text, sets } = input;
    let source = found.add_source(origin, text);
    if text.len() > limits::FILE_BYTES {
        let message = format!("a scenario file has at most {} MiB", limits::FILE_BYTES >> 20);
        found.error("", Place { source, start: 0, end: 0 }, message);
        return None;
    }
    let mut root = tree::parse(text, source, found)?;
    for set in sets {
        set::apply(&mut root, set, found);
    }
    let mut files = DataFiles::new(directory.clone());
    let record = Reader::new(found, &mut files).table(&format::SCENARIO, &root, "")?;
    let scenario = build::scenario(&record, found)?;
    Some(Scenario {
        sha256: hex_sha256(text.as_bytes()),
        files: files.into_files(),
        values: leaves::of(&root),
        ..scenario
    })
}
