//! The binary as its users meet it: exit codes, streams, files, documentation.

mod audit_tools;
mod check;
mod compare;
mod docs;
mod exit_codes;
mod explain;
mod files;
mod golden;
mod json;
mod key;
#[cfg(unix)]
mod killed;
mod sample;
mod shells;
mod streams;

use assert_cmd::Command;
use std::path::Path;
use tempfile::TempDir;

/// Few turns: these tests are about what surrounds a run.
const TURNS: &str = "8000";

/// The binary, in an environment that says nothing about colours.
fn doublefire() -> Command {
    let mut command = Command::cargo_bin("doublefire").expect("the binary is built for its tests");
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// The binary run in `folder`.
fn doublefire_in(folder: &Path) -> Command {
    let mut command = doublefire();
    command.current_dir(folder);
    command
}

/// A folder with the built-in scenarios as files.
fn folder_with_scenarios() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    doublefire_in(folder.path()).args(["scenarios", "--write", "."]).assert().code(0);
    folder
}

/// Standard output of a command that went well.
fn stdout_of(command: &mut Command) -> String {
    let output = command.assert().code(0).get_output().stdout.clone();
    String::from_utf8(output).expect("output is text")
}

/// The names in a folder, sorted.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
