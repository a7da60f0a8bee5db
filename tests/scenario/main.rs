//! Scenario files: what is accepted, what is refused, and in which words.

mod accepted;
mod broken;
mod docs;
mod format;
mod hostile;
mod set;

use std::path::{Path, PathBuf};

/// A folder of this package.
fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The scenario files of a folder with their texts, in the order of their names.
fn scenarios(path: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder(path)).expect("the folder is part of the package");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of it").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a file of it");
    paths.into_iter().map(|path| (path.clone(), text(&path))).collect()
}

/// The name of a file without folder and extension.
fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).expect("names in this package are plain")
}
