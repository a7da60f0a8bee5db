//! The files of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// One file: its path from the project's root, with `/`, and its text.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether the whole file is test code: an integration test, or a module that stands apart under `cfg(test)`.
    pub(crate) fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// One file that must be there.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Whether there is such a file or folder.
pub(crate) fn exists(path: &str) -> bool {
    root().join(path.trim_start_matches('/')).exists()
}

/// Every Rust file under these folders.
pub(crate) fn rust(folders: &[&str]) -> Vec<File> {
    all(folders).into_iter().filter(|file| file.path.ends_with(".rs")).collect()
}

/// Every UTF-8 file under these folders and files, in the order of their paths; what is not there is skipped.
pub(crate) fn all(folders: &[&str]) -> Vec<File> {
    let mut files = Vec::new();
    for folder in folders {
        collect(&root().join(folder), &mut files);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(path: &Path, files: &mut Vec<File>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a readable folder") {
            collect(&entry.expect("a readable entry").path(), files);
        }
    } else if let Ok(text) = fs::read_to_string(path) {
        let path = path.strip_prefix(root()).expect("under the root");
        let path = path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        files.push(File { path, text });
    }
}
