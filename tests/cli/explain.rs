//! `doublefire explain`: one turn of a run.

use crate::{doublefire, doublefire_in, folder_with_scenarios, stdout_of};
use doublefire::scenario::EMBEDDED;
use roxmltree::Document;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/explain.schema.json");

fn explain(arguments: &[&str]) -> String {
    stdout_of(doublefire().arg("explain").args(arguments))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("nothing but JSON on standard output")
}

fn golden(name: &str, text: &str) {
    let path = format!("{}/tests/cli/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("the golden file can be written");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("the golden file is there"), text, "{name}");
}

#[test]
fn a_duplicate_and_the_same_turn_under_the_ledger_are_pinned() {
    let naive = explain(&["payments", "--find", "duplicate"]);
    golden("explain-naive.txt", &naive);
    let turn = naive.split("--turn ").nth(1).and_then(|rest| rest.split(' ').next()).expect("the command to go on");
    golden("explain-ledger.txt", &explain(&["payments", "--turn", turn, "--policy", "ledger"]));
    golden("../../../docs/duplicate.svg", &explain(&["payments", "--turn", turn, "--format", "svg"]));
}

#[test]
fn the_published_schema_is_the_programs() {
    let schema = stdout_of(doublefire().args(["schema", "--explain"]));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explain.schema.json"), &schema).expect("written");
        return;
    }
    assert_eq!(schema, SCHEMA, "`doublefire schema --explain > docs/explain.schema.json` brings it up to date");
}

#[test]
fn every_explanation_is_as_the_schema_says() {
    let validator = jsonschema::validator_for(&parsed(SCHEMA)).expect("a JSON Schema");
    for (name, _) in EMBEDDED {
        for turn in ["0", "7", "199"] {
            let explanation = parsed(&explain(&[name, "--turns", "200", "--turn", turn, "--format", "json"]));
            let errors: Vec<String> = validator.iter_errors(&explanation).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{name} {turn}: {errors:#?}");
        }
    }
    assert!(!validator.is_valid(&serde_json::json!({"schema": 1})), "the schema asks for something");
}

#[test]
fn each_kind_is_found_where_it_happens_and_is_told() {
    for (scenario, what, count) in [
        ("payments", "duplicate", "duplicates"),
        ("key-without-conversation", "swallowed", "swallowed"),
        ("lease-equals-timeout", "stuck", "stuck"),
        ("residue-takeover", "waited", "waits"),
    ] {
        let explanation = parsed(&explain(&[scenario, "--find", what, "--format", "json"]));
        assert!(explanation["counts"][count].as_u64() > Some(0), "{scenario} {what}");
        assert_eq!(explanation["found"], what);
    }
}

#[test]
fn a_duplicate_is_marked_in_every_format() {
    let text = explain(&["payments", "--find", "duplicate"]);
    let marked: Vec<&str> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert_eq!(marked.len(), 1, "{text}");
    assert!(marked[0].contains("happens again: a duplicate, no memory"), "{}", marked[0]);
    let svg = explain(&["payments", "--find", "duplicate", "--format", "svg"]);
    assert!(svg.contains("class=\"f f-duplicate\""), "a mark of its own in the picture");
    let json = parsed(&explain(&["payments", "--find", "duplicate", "--format", "json"]));
    let events = json["events"].as_array().expect("events");
    let marked: Vec<&Value> = events.iter().filter(|event| event["mark"] == "duplicate").collect();
    assert_eq!(marked.len(), 1);
    assert_eq!(marked[0]["cause"], "no_memory");
}

#[test]
fn a_turn_that_nothing_happened_to_is_told_in_a_sentence() {
    let text = explain(&["payments", "--turn", "0"]);
    assert!(text.contains("Nothing happened to this turn: one attempt, its call was made once, committed after "));
}

#[test]
fn a_search_without_a_find_says_how_far_it_looked() {
    let output = doublefire().args(["explain", "payments", "--find", "stuck", "--turns", "30000"]).assert().code(3);
    assert!(output.get_output().stdout.is_empty());
    let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert_eq!(said, "no turn found (stuck): searched 30,000 turns with seed 1 under naive, ledger\n");
}

#[test]
fn what_is_wrong_on_the_command_line_is_said_with_what_is_right() {
    for (arguments, said) in [
        (&["--turn", "8000", "--turns", "8000"][..], "the run has 8,000 turns, 0 to 7,999"),
        (&["--turn", "1", "--policy", "leger"], "it has `naive`, `ledger`. Did you mean `ledger`?"),
        (&["--turn", "1", "--find", "stuck"], "cannot be used with"),
        (&[], "required"),
        (&["--find", "duplicates"], "duplicate"),
        (&["--turn", "-1"], "-1"),
    ] {
        let output = doublefire().args(["explain", "payments"]).args(arguments).assert().code(2).get_output().clone();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
}

#[test]
fn the_picture_is_written_whole_and_is_what_is_printed() {
    let folder = folder_with_scenarios();
    let arguments = ["explain", "payments.toml", "--turn", "5", "--svg", "turn.svg", "--format", "svg"];
    let printed = stdout_of(doublefire_in(folder.path()).args(arguments));
    let written = std::fs::read_to_string(folder.path().join("turn.svg")).expect("written");
    assert_eq!(printed, written);
    let failed =
        doublefire_in(folder.path()).args(["explain", "payments", "--turn", "5", "--svg", "no/x.svg"]).assert();
    let failed = failed.code(4).get_output().clone();
    assert!(failed.stdout.is_empty(), "nothing is printed where the file could not be written");
}

/// Names that mean something to XML, to a terminal, or to nobody.
const HOSTILE: &str = r##"
schema = 1
name = "hostile"
title = "<script>alert(1)</script> & \"quotes\" \u0007\u001b[31m ]]>"
failure = { fraction = { rate = 1, window_fraction = 1 }, replay_rates = [0] }
stream = { prelude = "1s", gap = "1s", handler = "concurrent" }
[[tool]]
name = "a_tool_whose_name_is_as_long_as_the_format_allows_it_to_be_0123456789_0123456789_0123456789_012345"
class = "unkeyed_write"
arguments = "1s"
latency = "1s"
[[tool]]
name = "<pay amount=\"1\"/> & 支払いを送る支払いを送る支払いを送る支払いを送る"
class = "keyed_write"
arguments = "1s"
latency = "3s"
[[shape]]
calls = [
  "<pay amount=\"1\"/> & 支払いを送る支払いを送る支払いを送る支払いを送る",
  "a_tool_whose_name_is_as_long_as_the_format_allows_it_to_be_0123456789_0123456789_0123456789_012345",
]
[[route]]
name = "<retry> & 'again'"
kind = "auto_retry"
[[policy]]
name = "<ours> & theirs"
dispatcher = "ledger_and_header"
[[policy]]
name = "naive"
dispatcher = "naive"
"##;

#[test]
fn a_picture_of_hostile_names_is_well_formed_and_says_them() {
    for policy in ["<ours> & theirs", "naive"] {
        let mut command = doublefire();
        command.args(["explain", "-", "--turn", "0", "--turns", "9", "--policy", policy, "--format", "svg"]);
        let svg = stdout_of(command.write_stdin(HOSTILE));
        let document = Document::parse(&svg).expect("well-formed XML");
        let said: String = document.descendants().filter_map(|node| node.text()).collect();
        assert!(said.contains("<script>alert(1)</script> & \"quotes\""), "{said}");
        assert!(said.contains("<pay amount=\"1\"/> & 支"));
        assert!(!svg.contains("<script"), "names are text, not markup");
    }
}

#[test]
fn no_words_of_the_picture_run_off_its_edges_or_into_each_other() {
    let mut command = doublefire();
    command.args(["explain", "-", "--turn", "0", "--turns", "9", "--format", "svg"]);
    for svg in [
        stdout_of(command.write_stdin(HOSTILE)),
        explain(&["all-faults-unkeyed", "--find", "waited", "--format", "svg"]),
    ] {
        let document = Document::parse(&svg).expect("well-formed XML");
        let number = |node: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
            node.attribute(name).and_then(|text| text.parse().ok()).expect("a number")
        };
        let mut boxes: Vec<(f64, f64, f64, String)> = Vec::new();
        for node in document.descendants().filter(|node| node.has_tag_name("text")) {
            let text = node.text().unwrap_or_default();
            let small = node.attribute("class").unwrap_or_default().split(' ').any(|class| class == "s");
            let letter = |c: char| if c >= '\u{1100}' { 1.0 } else { 0.52 };
            let width = text.chars().map(letter).sum::<f64>() * if small { 11.0 } else { 13.0 };
            let x = number(&node, "x");
            let left = match node.attribute("text-anchor") {
                Some("end") => x - width,
                Some("middle") => x - width / 2.0,
                _ => x,
            };
            assert!(left >= 0.0 && left + width <= 1180.0, "off the edge: {text}");
            boxes.push((left, left + width, number(&node, "y"), text.to_owned()));
        }
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[i + 1..] {
                let apart = a.1 <= b.0 || b.1 <= a.0 || (a.2 - b.2).abs() >= 10.0;
                assert!(apart, "{a:?} and {b:?} overlap");
            }
        }
        assert!(boxes.len() > 20);
    }
}

#[test]
fn a_text_keeps_to_a_hundred_columns() {
    let mut command = doublefire();
    let hostile = stdout_of(command.args(["explain", "-", "--turn", "0", "--turns", "9"]).write_stdin(HOSTILE));
    for text in [hostile, explain(&["all-faults-unkeyed", "--find", "waited"])] {
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
