//! How commands end.

use crate::{TURNS, doublefire, doublefire_in, folder_with_scenarios};
use std::process::Output;

/// Runs in a folder with scenarios and checks the code; standard error comes back.
fn ends(code: i32, arguments: &[&str]) -> String {
    let folder = folder_with_scenarios();
    let output: Output = doublefire_in(folder.path()).args(arguments).assert().code(code).get_output().clone();
    if code != 0 {
        assert!(output.stdout.is_empty(), "a command that fails prints no result: {arguments:?}");
    }
    String::from_utf8(output.stderr).expect("messages are text")
}

#[test]
fn what_goes_well_ends_with_0_and_says_nothing_on_standard_error() {
    for arguments in [
        &["run", "--turns", TURNS][..],
        &["run", "payments-by-fraction.toml", "--turns", TURNS, "--seed", "3", "--threads", "2"],
        &["estimate", "payments.toml"],
        &["estimate", "payments", "--format", "json"],
        &["validate", "payments.toml"],
        &["schema"],
        &["schema", "--report"],
        &["scenarios"],
        &["--help"],
        &["--version"],
    ] {
        assert_eq!(ends(0, arguments), "", "{arguments:?}");
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    for arguments in [
        &[][..],
        &["simulate"],
        &["run", "--turns", "0"],
        &["run", "--turns", "many"],
        &["run", "--threads", "0"],
        &["run", "--format", "xml"],
        &["run", "--force"],
        &["estimate"],
        &["validate"],
        &["key", "--conversation", "c"],
    ] {
        assert_ne!(ends(2, arguments), "", "{arguments:?}");
    }
}

#[test]
fn a_wrong_scenario_ends_with_2_whatever_was_to_be_done_with_it() {
    for command in ["run", "estimate", "validate"] {
        let output = doublefire().args([command, "-"]).write_stdin("name = 7").assert().code(2).get_output().clone();
        assert!(output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains("error"), "{command}");
    }
}

#[test]
fn a_file_that_is_no_text_is_a_wrong_scenario() {
    let output = doublefire().args(["validate", "-"]).write_stdin(&b"schema = \xff"[..]).assert().code(2);
    let message = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(message.contains("byte 9"), "{message}");
}

#[test]
fn a_missing_file_ends_with_4_and_is_named() {
    for command in ["run", "estimate", "validate"] {
        let message = ends(4, &[command, "nowhere.toml"]);
        assert!(message.contains("nowhere.toml"), "{command}: {message}");
    }
    assert!(ends(4, &["run", "."]).contains("."), "a folder is no scenario");
}

#[test]
fn an_override_of_a_key_that_is_not_there_ends_with_2_and_is_named() {
    for command in ["run", "estimate", "validate"] {
        let message = ends(2, &[command, "payments.toml", "--set", "failure.hazard.rat=1%"]);
        assert!(message.contains("rat"), "{command}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_ends_with_4() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("doublefire"))
        .arg("schema")
        .stdout(full)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_ends_with_130_says_how_far_it_came_and_writes_nothing() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    for signal in ["-INT", "-TERM"] {
        let folder = folder_with_scenarios();
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("doublefire"))
            .args(["run", "payments", "--turns", "1000000000000", "--output", "out"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        std::thread::sleep(std::time::Duration::from_millis(300));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
        assert!(sent.success());
        let status = child.wait().expect("it ends");
        let mut text = [String::new(), String::new()];
        child.stdout.take().expect("piped").read_to_string(&mut text[0]).expect("text");
        child.stderr.take().expect("piped").read_to_string(&mut text[1]).expect("text");
        assert_eq!(status.code(), Some(130), "{signal}: {}", text[1]);
        assert_eq!(text[0], "", "no half a result");
        assert!(text[1].contains("of 1,000,000,000,000 turns were run"), "{}", text[1]);
        assert!(!folder.path().join("out").exists(), "no half a file");
    }
}
