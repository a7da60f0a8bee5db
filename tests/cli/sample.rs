//! `output/`: the report of the payments scenario as the README's command writes it, kept with the project. It changes
//! only with the model, the draws or the pages; `UPDATE_GOLDEN=1` writes it anew.

use crate::{doublefire_in, names_in};
use std::fs;
use std::path::Path;

/// Every file under `folder`, with `/`.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for name in names_in(folder) {
        match folder.join(&name) {
            inside if inside.is_dir() => {
                files.extend(names_in(&inside).into_iter().map(|file| format!("{name}/{file}")));
            }
            _ => files.push(name),
        }
    }
    files
}

#[test]
fn the_sample_is_what_the_readme_s_command_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("the page is there");
    assert!(readme.contains("cargo run --release -- run --output output "), "the command below is the README's");
    let folder = tempfile::tempdir().expect("a temporary folder");
    doublefire_in(folder.path()).args(["run", "--output", "output"]).assert().code(0);
    let (sample, fresh) = (root.join("output/payments"), folder.path().join("output/payments"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        doublefire_in(root).args(["run", "--output", "output"]).assert().code(0);
    }
    assert_eq!(files(&sample), files(&fresh));
    for name in files(&fresh) {
        let read = |folder: &Path| fs::read(folder.join(&name)).expect("a file");
        // The pixels of curves are rounded as the processor has it.
        if name.ends_with(".png") && !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            continue;
        }
        assert!(read(&sample) == read(&fresh), "output/payments/{name} is out of date: UPDATE_GOLDEN=1 writes it anew");
        assert!(read(&fresh).len() < 150_000, "{name} has {} bytes", read(&fresh).len());
    }
}
