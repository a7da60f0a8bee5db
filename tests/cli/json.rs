//! `--format json`: pure, as its schema says, and the same bytes every time.

use crate::{TURNS, doublefire_in, folder_with_scenarios, stdout_of};
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/report.schema.json");

fn report(arguments: &[&str]) -> String {
    let folder = folder_with_scenarios();
    let common = ["--turns", TURNS, "--format", "json"];
    stdout_of(doublefire_in(folder.path()).arg("run").args(arguments).args(common))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("nothing but JSON on standard output")
}

#[test]
fn the_published_schema_is_the_programs() {
    let folder = folder_with_scenarios();
    let schema = stdout_of(doublefire_in(folder.path()).args(["schema", "--report"]));
    assert_eq!(schema, SCHEMA, "`doublefire schema --report > docs/report.schema.json` brings it up to date");
}

#[test]
fn every_report_is_as_the_schema_says() {
    let validator = jsonschema::validator_for(&parsed(SCHEMA)).expect("a JSON Schema");
    for arguments in [&["payments"][..], &["payments-by-fraction.toml"], &["payments.toml", "--set", "run.seed=9"]] {
        let report = parsed(&report(arguments));
        let errors: Vec<String> =
            validator.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:#?}");
    }
    assert!(!validator.is_valid(&serde_json::json!({"schema": 1})), "the schema asks for something");
}

#[test]
fn no_field_is_null() {
    fn nulls(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(items) => items.iter().any(nulls),
            Value::Object(members) => members.values().any(nulls),
            _ => false,
        }
    }
    assert!(!nulls(&parsed(&report(&["payments"]))));
}

#[test]
fn the_fields_of_the_contract_are_there() {
    let report = parsed(&report(&["payments"]));
    for path in [
        "/schema",
        "/scenario/name",
        "/scenario/sha256",
        "/seed",
        "/turns",
        "/sampling",
        "/estimate/failure_rate",
        "/estimate/window_fraction",
        "/estimate/headline_rate",
        "/estimate/exact",
        "/estimate/exact_missing",
        "/policies/0/name",
        "/policies/0/died/before_call",
        "/policies/0/waited_ns",
        "/policies/0/causes",
        "/policies/0/tools/0/duplicates",
    ] {
        assert!(report.pointer(path).is_some(), "{path}");
    }
    assert_eq!(report["sampling"], "every");
    assert_eq!(report["policies"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_is_counted_adds_up() {
    for policy in parsed(&report(&["payments"]))["policies"].as_array().expect("policies") {
        let count = |path: &str| policy.pointer(path).and_then(Value::as_u64).expect("a count");
        let sum = |path: &str| {
            let counts = policy.pointer(path).and_then(Value::as_object).expect("counts by name");
            counts.values().filter_map(Value::as_u64).sum::<u64>()
        };
        assert_eq!(count("/attempts"), count("/commits") + count("/cuts") + count("/crashes") + count("/refused"));
        assert_eq!(sum("/died"), count("/cuts") + count("/crashes"));
        assert_eq!(sum("/causes"), count("/duplicates"));
    }
}

#[test]
fn two_processes_with_different_threads_print_the_same_bytes() {
    let one = report(&["payments", "--threads", "1"]);
    assert_eq!(one, report(&["payments", "--threads", "1"]));
    assert_eq!(one, report(&["payments", "--threads", "2"]));
    assert_eq!(one, report(&["payments", "--threads", "7"]));
}

/// Draws, counts, intervals, formulas and costs, to the last digit. It may change only where one of these is meant to.
#[test]
fn one_whole_report_is_pinned() {
    insta::assert_snapshot!(report(&["payments", "--seed", "11"]));
}

#[test]
fn flags_win_over_the_file_and_overrides_are_told() {
    let report = parsed(&report(&["payments.toml", "--seed", "5", "--set", "run.turns=9", "--set", "title=\"X\""]));
    assert_eq!(report["seed"], 5);
    assert_eq!(report["turns"].to_string(), TURNS);
    assert_eq!(report["scenario"]["title"], "X");
    assert_eq!(report["scenario"]["set"], serde_json::json!(["run.turns=9", "title=\"X\""]));
}

#[test]
fn standard_input_is_a_scenario_like_any_file() {
    let folder = folder_with_scenarios();
    let text = std::fs::read_to_string(folder.path().join("payments.toml")).expect("written");
    for command in [&["run", "-", "--turns", TURNS, "--format", "json"][..], &["estimate", "-", "--format", "json"]] {
        let mut by_name = command.to_vec();
        by_name[1] = "payments.toml";
        let named = stdout_of(doublefire_in(folder.path()).args(by_name));
        assert_eq!(stdout_of(doublefire_in(folder.path()).args(command).write_stdin(text.as_str())), named);
    }
    assert!(stdout_of(doublefire_in(folder.path()).args(["validate", "-"]).write_stdin(text)).starts_with("ok\n"));
}

#[test]
fn an_estimate_is_the_estimate_of_the_report() {
    let folder = folder_with_scenarios();
    let estimate = parsed(&stdout_of(doublefire_in(folder.path()).args(["estimate", "payments", "--format", "json"])));
    let report = parsed(&report(&["payments"]));
    assert_eq!(estimate["estimate"], report["estimate"]);
    assert_eq!(estimate["scenario"], report["scenario"]);
}
