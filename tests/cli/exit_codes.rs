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

/// Starts a command that runs for ever, and interrupts it after 300 ms: its output, once it has ended.
#[cfg(unix)]
fn interrupted(folder: &std::path::Path, arguments: &[&str], signal: &str) -> Output {
    use std::process::{Command, Stdio};
    let child = Command::new(assert_cmd::cargo::cargo_bin("doublefire"))
        .args(arguments)
        .args(["--turns", "1000000000000"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    child.wait_with_output().expect("it ends")
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_ends_with_130_and_reports_the_whole_cells_that_it_has_as_partial() {
    for signal in ["-INT", "-TERM"] {
        let folder = folder_with_scenarios();
        let arguments = ["run", "payments", "--format", "json", "--output", "out"];
        let output = interrupted(folder.path(), &arguments, signal);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{signal}: {told}");
        assert!(told.contains("of 1,000,000,000,000 turns were run"), "{told}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one whole report");
        assert_eq!(report["partial"], true);
        let turns = report["turns"].as_u64().expect("a count");
        assert!(turns > 0 && turns.is_multiple_of(4000), "whole cells: {turns}");
        assert!(report["policies"].as_array().expect("policies").iter().all(|policy| policy["turns"] == turns));
        let written = std::fs::read(folder.path().join("out/payments/summary.json")).expect("written");
        assert_eq!(written, output.stdout, "the files say the same");
        let again = ["run", "payments", "--format", "json", "--turns", &turns.to_string()];
        let again = doublefire_in(folder.path()).args(again).assert().code(0).get_output().stdout.clone();
        let mut again: serde_json::Value = serde_json::from_slice(&again).expect("JSON");
        again["partial"] = true.into();
        assert_eq!(report["policies"], again["policies"], "as if so many had been asked for");
    }
}

#[cfg(unix)]
#[test]
fn a_table_says_that_it_is_partial_and_other_commands_say_nothing_at_all() {
    let folder = folder_with_scenarios();
    let table = interrupted(folder.path(), &["run", "payments"], "-INT");
    assert_eq!(table.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&table.stdout).contains("\npartial: the run was interrupted"));
    for arguments in [&["check", "payments", "--junit", "j.xml"][..], &["compare", "payments"]] {
        let output = interrupted(folder.path(), arguments, "-INT");
        assert_eq!(output.status.code(), Some(130), "{arguments:?}");
        assert!(output.stdout.is_empty() && !folder.path().join("j.xml").exists(), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted: "), "{arguments:?}");
    }
}

#[test]
fn a_run_goes_on_until_its_rate_is_as_precise_as_was_asked_for() {
    let run = |arguments: &[&str], code: i32| {
        let command = [&["run", "route-auto-retry", "--format", "json"], arguments].concat();
        let stdout = doublefire().args(command).assert().code(code).get_output().stdout.clone();
        serde_json::from_slice::<serde_json::Value>(&stdout).expect("JSON")
    };
    let report = run(&["--precision", "4%"], 0);
    let rate = &report["policies"][0]["rate"];
    let [low, high, point] = ["low", "high", "per_turn"].map(|end| rate[end].as_f64().expect("a rate"));
    assert!((high - low) / 2.0 / point <= 0.04, "{rate}");
    assert_eq!(report["precision"]["policy"], "naive");
    assert_eq!(report["precision"]["reached"].as_f64().expect("it is told"), 0.5 * (high - low) / point);
    let turns = report["turns"].as_u64().expect("a count");
    assert!(turns.is_multiple_of(4000) && turns > 40_000, "{turns}");
    assert_eq!(report, run(&["--precision", "0.04", "--threads", "3"], 0), "on any number of threads");
    let fixed = run(&["--turns", &turns.to_string()], 0);
    assert_eq!(report["policies"], fixed["policies"], "as if so many had been asked for");
    let early = run(&["--precision", "1%", "--max-turns", "10000"], 3);
    assert_eq!(early["turns"], 10_000);
    assert!(early["precision"]["reached"].as_f64().expect("it is told") > 0.01);
    let none = run(&["--precision", "1%", "--max-turns", "10000", "--set", "failure.hazard.rate=0"], 3);
    assert_eq!(none["precision"]["reached"], serde_json::Value::Null, "absent: there is no rate");
    let table = doublefire().args(["run", "route-auto-retry", "--precision", "10%"]).assert().code(0);
    let table = String::from_utf8_lossy(&table.get_output().stdout).into_owned();
    assert!(table.contains("\nnaive's rate is known to ± 8.9"), "{table}");
}

#[test]
fn a_precision_that_cannot_be_asked_for_is_a_wrong_command_line() {
    for arguments in [
        &["run", "--precision", "2%", "--turns", "9"][..],
        &["run", "--precision", "0"],
        &["run", "--precision", "100%"],
        &["run", "--precision", "-1%"],
        &["run", "--precision", "much"],
        &["run", "--max-turns", "9"],
        &["run", "--precision", "2%", "--max-turns", "0"],
    ] {
        assert_ne!(ends(2, arguments), "", "{arguments:?}");
    }
}
