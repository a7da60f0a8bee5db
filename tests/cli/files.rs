//! What commands write, and what they leave alone.

use crate::{TURNS, doublefire_in, folder_with_scenarios, names_in, stdout_of};
use std::fs;

/// What a report's folder holds.
const REPORT: [&str; 6] = ["plots", "policies.csv", "report.html", "report.md", "summary.json", "tools.csv"];

#[test]
fn output_writes_the_files_beside_the_printed_result() {
    let folder = folder_with_scenarios();
    let arguments = ["run", "payments.toml", "--turns", TURNS, "--format", "json", "--output", "out"];
    let assert = doublefire_in(folder.path()).args(arguments).assert().code(0);
    let output = assert.get_output();
    let report = folder.path().join("out/payments");
    assert_eq!(names_in(&report), REPORT);
    assert_eq!(names_in(&report.join("plots")).len(), 14, "seven plots, each as SVG and as PNG");
    assert_eq!(fs::read(report.join("summary.json")).expect("written"), output.stdout);
    assert!(String::from_utf8_lossy(&output.stderr).contains("wrote"), "where it went is said");
    let mut csv = doublefire_in(folder.path());
    let printed = stdout_of(csv.args(["run", "payments.toml", "--turns", TURNS, "--format", "csv"]));
    assert_eq!(fs::read_to_string(report.join("policies.csv")).expect("written"), printed);
}

#[test]
fn an_earlier_report_is_replaced_without_force() {
    let folder = folder_with_scenarios();
    for seed in ["1", "2"] {
        let arguments = ["run", "payments.toml", "--turns", TURNS, "--seed", seed, "--output", "out"];
        doublefire_in(folder.path()).args(arguments).assert().code(0);
    }
    let summary = fs::read_to_string(folder.path().join("out/payments/summary.json")).expect("written");
    assert!(summary.contains("\"seed\": 2"));
}

#[test]
fn a_folder_that_holds_anything_else_is_refused_untouched_unless_forced() {
    let folder = folder_with_scenarios();
    let report = folder.path().join("out/payments");
    fs::create_dir_all(&report).expect("made");
    fs::write(report.join("notes.txt"), "mine").expect("written");
    let arguments = ["run", "payments.toml", "--turns", TURNS, "--output", "out"];
    let refused = doublefire_in(folder.path()).args(arguments).assert().code(4);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("notes.txt") && message.contains("--force"), "{message}");
    assert_eq!(names_in(&report), ["notes.txt"]);
    doublefire_in(folder.path()).args(arguments).arg("--force").assert().code(0);
    let mut both = vec!["notes.txt"];
    both.extend(REPORT);
    both.sort_unstable();
    assert_eq!(names_in(&report), both);
    assert_eq!(fs::read_to_string(report.join("notes.txt")).expect("there"), "mine");
}

#[test]
fn an_output_that_is_a_file_ends_with_4() {
    let folder = folder_with_scenarios();
    let arguments = ["run", "payments.toml", "--turns", TURNS, "--output", "payments.toml"];
    doublefire_in(folder.path()).args(arguments).assert().code(4);
}

#[test]
fn built_in_scenarios_are_copied_out_and_never_over_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    doublefire_in(folder.path()).args(["scenarios", "--write", "new/scenarios"]).assert().code(0);
    let written = folder.path().join("new/scenarios");
    let names = names_in(&written);
    assert!(names.contains(&"payments.toml".to_owned()) && names.contains(&"payments-by-fraction.toml".to_owned()));
    let listed = stdout_of(doublefire_in(folder.path()).arg("scenarios"));
    let listed = listed.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
    let listed: Vec<String> = listed.map(|line| format!("{}.toml", line.split(' ').next().unwrap_or(""))).collect();
    assert!(names.iter().all(|name| listed.contains(name)), "what is listed is what is written");
    assert_eq!(listed.len(), names.len());

    for name in names.iter().filter(|name| **name != names[1]) {
        fs::remove_file(written.join(name)).expect("removed");
    }
    fs::write(written.join(&names[1]), "mine").expect("written");
    let refused = doublefire_in(folder.path()).args(["scenarios", "--write", "new/scenarios"]).assert().code(4);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains(&names[1]));
    assert_eq!(fs::read_to_string(written.join(&names[1])).expect("there"), "mine");
    assert_eq!(names_in(&written), [names[1].clone()], "refused as a whole");
}

#[test]
fn a_copied_scenario_is_the_built_in_one() {
    let folder = folder_with_scenarios();
    let run = |scenario: &str| {
        stdout_of(doublefire_in(folder.path()).args(["run", scenario, "--turns", TURNS, "--format", "json"]))
    };
    assert_eq!(run("payments"), run("payments.toml"), "hash included");
}
