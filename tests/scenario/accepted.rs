//! Files that are accepted, and what is read from them.

use doublefire::scenario::{EMBEDDED, Input, Loaded, load};
use std::path::{Path, PathBuf};

/// Loads a text, which must be sound.
fn loaded(origin: &str, text: &str, directory: Option<PathBuf>) -> Loaded {
    let input = Input { origin: origin.to_owned(), directory, text: text.to_owned(), sets: Vec::new() };
    load(&input).unwrap_or_else(|found| panic!("{found}"))
}

#[test]
fn the_cases_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("the cases").map(|entry| entry.expect("an entry").path()).collect();
    names.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    assert_eq!(names.len(), 26);
    for path in names {
        let text = std::fs::read_to_string(&path).expect("a case");
        let scenario = loaded(&path.display().to_string(), &text, None).scenario;
        assert_eq!(Some(scenario.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
    }
}

#[test]
fn the_embedded_scenarios_load_without_a_warning() {
    for (name, text) in EMBEDDED {
        let loaded = loaded(name, text, None);
        assert_eq!(loaded.scenario.name, *name);
        assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    }
}
