//! Standard output, standard error, pipes and colours.

use crate::{TURNS, doublefire, stdout_of};
use assert_cmd::cargo::cargo_bin;
use std::process::{Command, Stdio};

const ESCAPE: char = '\u{1b}';

#[test]
fn a_reader_that_is_gone_is_no_error_and_nothing_is_said() {
    for arguments in
        [&["run", "--turns", TURNS][..], &["schema"], &["scenarios"], &["estimate", "payments"], &["--help"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = Command::new(cargo_bin("doublefire")).args(arguments).stdout(writer).stderr(Stdio::piped()).spawn();
        let output = child.expect("it starts").wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn a_pipe_gets_neither_colours_nor_progress() {
    for arguments in [&["run", "--turns", TURNS][..], &["estimate", "payments"], &["--help"]] {
        let output = doublefire().args(arguments).assert().code(0).get_output().clone();
        assert!(!String::from_utf8_lossy(&output.stdout).contains(ESCAPE), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn colours_can_be_forced_and_no_color_has_the_last_word() {
    let table = || {
        let mut command = doublefire();
        command.args(["run", "--turns", TURNS]).env("CLICOLOR_FORCE", "1");
        command
    };
    let coloured = stdout_of(&mut table());
    assert!(coloured.contains(ESCAPE));
    let plain = stdout_of(table().env("NO_COLOR", "1"));
    assert!(!plain.contains(ESCAPE));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain, "colours carry no information alone");
}

#[test]
fn errors_are_coloured_by_the_same_rule() {
    let message = |variable: &str| {
        let mut command = doublefire();
        command.args(["validate", "-"]).env(variable, "1").write_stdin("name = 7");
        String::from_utf8(command.assert().code(2).get_output().stderr.clone()).expect("text")
    };
    assert!(message("CLICOLOR_FORCE").contains(ESCAPE));
    assert!(!message("NO_COLOR").contains(ESCAPE));
}

#[test]
fn json_and_csv_are_never_coloured() {
    for format in ["json", "csv"] {
        let mut command = doublefire();
        command.args(["run", "--turns", TURNS, "--format", format]).env("CLICOLOR_FORCE", "1");
        assert!(!stdout_of(&mut command).contains(ESCAPE), "{format}");
    }
}

#[test]
fn a_table_fits_a_hundred_columns() {
    let table = stdout_of(doublefire().args(["run", "--turns", TURNS]));
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

/// `script` gives a command a terminal for its standard error while its standard output goes to a file.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_sees_progress_and_the_result_stays_clean() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let command = format!("{} run --turns 200000 > result.txt", cargo_bin("doublefire").display());
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder.path()).env("TERM", "xterm").env_remove("NO_COLOR");
    let Ok(output) = script.stdin(Stdio::null()).output() else {
        eprintln!("skipped: no `script` to make a terminal with");
        return;
    };
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(seen.contains("of 200,000 turns"), "the bar says how far it is: {seen:?}");
    let result = std::fs::read_to_string(folder.path().join("result.txt")).expect("written");
    assert!(result.starts_with("Payments by chat\n") && !result.contains(ESCAPE), "{result}");
}
