//! `doublefire compare`: dispatchers, keys and scenarios side by side.

use crate::{TURNS, doublefire, doublefire_in, folder_with_scenarios, stdout_of};
use assert_cmd::Command;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/compare.schema.json");

/// Every turn is cut once after its payment was dispatched, and sent again once: each figure is the number of turns.
const EVERY_TURN: &str = r#"
schema = 1
name = "every-turn"
failure = { fraction = { rate = 1, window_fraction = 1 }, replay_rates = [0] }
stream = { prelude = "1s", gap = "1s" }
population = { conversations = 4, turns = 1 }
[volume]
turns_per_month = 100
[[tool]]
name = "pay"
class = "unkeyed_write"
arguments = "1s"
latency = "1s"
[[shape]]
calls = ["pay"]
[[route]]
name = "retry"
kind = "auto_retry"
[[policy]]
name = "ours"
dispatcher = "ledger"
on_in_flight = "takeover"
lease = "7s"
[run]
turns = 100
"#;

fn compare(scenario: &str, arguments: &[&str]) -> Command {
    let mut command = doublefire();
    command.args(["compare", "-"]).args(arguments).write_stdin(scenario);
    command
}

fn json(scenario: &str, arguments: &[&str]) -> Value {
    let text = stdout_of(compare(scenario, arguments).args(["--format", "json"]));
    serde_json::from_str(&text).expect("nothing but JSON on standard output")
}

/// One figure of every row by the row's name, in order.
fn column(comparison: &Value, path: &str) -> Vec<(String, u64)> {
    let rows = comparison["rows"].as_array().expect("rows").iter();
    let name = |row: &Value| row["counted"]["name"].as_str().expect("a name").to_owned();
    rows.map(|row| (name(row), row.pointer(path).and_then(Value::as_u64).expect("a count"))).collect()
}

fn assert_column(comparison: &Value, path: &str, expected: &[(&str, u64)]) {
    let column = column(comparison, path);
    let column: Vec<(&str, u64)> = column.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(column, expected, "{path}");
}

#[test]
fn the_six_dispatchers_meet_the_same_hundred_cuts() {
    let comparison = json(EVERY_TURN, &[]);
    let doubled = [
        ("naive", 100),
        ("record_after", 0),
        ("ledger", 0),
        ("header", 100),
        ("ledger_and_header", 0),
        ("registry", 0),
    ];
    assert_column(&comparison, "/counted/duplicates", &doubled);
    assert_column(&comparison, "/extra_runs", &doubled);
    assert!(column(&comparison, "/counted/cuts").iter().all(|(_, cuts)| *cuts == 100), "the same world for all");
}

#[test]
fn a_key_that_sees_what_every_attempt_makes_anew_recognises_nothing() {
    let comparison = json(EVERY_TURN, &["--keys"]);
    let keys = Value::Array(
        comparison["rows"].as_array().expect("rows").iter().filter(|row| row["group"] == "keys").cloned().collect(),
    );
    let expected = [
        ("full key", 0),
        ("without conversation", 0),
        ("without position", 0),
        ("without tool", 0),
        ("without ordinal", 0),
        ("without arguments", 0),
        ("without canonical", 100),
        ("with call_id", 100),
        ("call_number for ordinal", 0),
    ];
    assert_column(&serde_json::json!({ "rows": keys }), "/counted/duplicates", &expected);
}

#[test]
fn without_the_conversation_one_user_is_answered_with_anothers_payment() {
    // Cells of four conversations with one turn each and one value: three of four get the first one's result.
    let same = EVERY_TURN.replace("latency = \"1s\"", "latency = \"1s\"\ndistinct_arguments = 1");
    let comparison = json(&same, &["--keys"]);
    for path in ["/counted/swallowed", "/counted/crossed"] {
        let seen: Vec<_> = column(&comparison, path).into_iter().filter(|(_, n)| *n > 0).collect();
        assert_eq!(seen, [("without conversation".to_owned(), 75)], "{path}");
    }
}

#[test]
fn the_answer_is_the_cheapest_without_a_duplicate_and_carries_its_bound() {
    let text = stdout_of(&mut compare(EVERY_TURN, &[]));
    let answer = text.rsplit("\n\n").next().expect("a last paragraph").replace('\n', " ");
    // 1 − 0.05^(1/100) = 0.02951, rounded up to 0.030; three of them a month of a hundred turns.
    assert_eq!(
        answer.trim_end(),
        "Build record_after: the cheapest with no duplicate and no swallowed call in 100 turns; each is below 0.030 a \
         turn, 3.0 a month at 95 %. It holds only while no process dies in a call and no two attempts overlap; ledger \
         claims first and had none either."
    );
    assert_eq!(json(EVERY_TURN, &[])["answers"][0]["policy"], "record_after");
    let rows = text.lines().filter(|line| line.starts_with("  ") && line.contains("below 0.030"));
    assert_eq!(rows.count(), 4, "each zero shows its bound: {text}");
}

#[test]
fn a_run_in_which_nothing_happened_decides_nothing() {
    let calm = json(EVERY_TURN, &["--set", "failure.fraction.rate=0"]);
    assert_eq!(calm["answers"][0]["finding"], "untested");
    assert!(calm["answers"][0]["policy"].is_null());
    let text = calm["answers"][0]["text"].as_str().expect("words");
    assert!(text.starts_with("This decides nothing: none had a duplicate in 100 turns (below 0.030 a turn"), "{text}");
}

#[test]
fn where_none_is_clean_the_nearest_is_named_with_its_causes() {
    let reworded = json(EVERY_TURN, &["--set", "model.re_emits.reworded=1"]);
    assert_eq!(reworded["answers"][0]["finding"], "none");
    let text = reworded["answers"][0]["text"].as_str().expect("words");
    assert!(text.contains("naive comes nearest: 100 duplicates"), "all double alike, so the cheapest: {text}");
}

#[test]
fn the_options_are_those_of_the_first_policy_with_a_ledger_and_are_told() {
    let options = &json(EVERY_TURN, &[])["options"];
    assert_eq!(options["from"], "ours");
    assert_eq!(options["on_in_flight"], "takeover");
    assert_eq!(options["lease_ns"], 7_000_000_000_u64);
    let text = stdout_of(&mut compare(EVERY_TURN, &[]));
    assert!(text.contains("ledgers as the policy ours: on_in_flight takeover, lease 7.00 s"), "{text}");
    let naive = EVERY_TURN.replace("\"ledger\"\non_in_flight = \"takeover\"\nlease = \"7s\"", "\"naive\"");
    assert!(json(&naive, &[])["options"].get("from").is_none(), "without a ledger in the file the defaults");
}

#[test]
fn a_tool_that_cannot_be_asked_is_not_asked_by_any_dispatcher() {
    let keyed = EVERY_TURN
        .replace(
            "dispatcher = \"ledger\"\non_in_flight = \"takeover\"",
            "dispatcher = \"registry\"\non_in_flight = \"reconcile\"",
        )
        .replace("unkeyed_write", "keyed_write");
    let options = &json(&keyed, &[])["options"];
    assert_eq!(options["waiting_instead"], serde_json::json!(["ledger", "ledger_and_header"]));
}

#[test]
fn scenarios_stand_side_by_side_with_what_differs_in_their_files() {
    let folder = folder_with_scenarios();
    let changed = std::fs::read_to_string(folder.path().join("payments.toml")).expect("written");
    let changed = changed.replace("mean = \"820ms\"", "mean = \"5s\"").replace("\"ledger\"", "\"ours\"");
    let compare = |format: &str| {
        let mut command = doublefire_in(folder.path());
        command.args(["compare", "payments", "-", "--turns", TURNS, "--format", format]).write_stdin(changed.as_str());
        stdout_of(&mut command)
    };
    let comparison: Value = serde_json::from_str(&compare("json")).expect("JSON");
    assert_eq!(comparison["scenarios"][0]["label"], "payments");
    assert_eq!(comparison["scenarios"][1]["label"], "-", "two of one name go by what the command line calls them");
    let names: Vec<String> = column(&comparison, "/counted/turns").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["naive", "naive", "ledger", "ours"]);
    let latency = "tool.send_payment.latency.lognormal.mean";
    let values = serde_json::json!({"payments": "820ms", "-": "5s"});
    let differences = comparison["differences"].as_array().expect("differences");
    assert!(differences.iter().any(|one| one["path"] == latency && one["values"] == values), "{differences:#?}");
    let paths = differences.iter().filter_map(|one| one["path"].as_str());
    assert!(paths.into_iter().all(|path| path == latency || path.starts_with("policy.")), "{differences:#?}");
    assert!(compare("table").contains("  tool.send_payment.latency.lognormal.mean: 820ms → 5s\n"));
}

#[test]
fn every_comparison_is_as_the_published_schema_says_and_has_no_null() {
    assert_eq!(
        stdout_of(doublefire().args(["schema", "--compare"])),
        SCHEMA,
        "`doublefire schema --compare` prints it"
    );
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a JSON Schema");
    let folder = folder_with_scenarios();
    for arguments in [&["payments", "--keys"][..], &["payments", "payments-by-fraction"]] {
        let mut command = doublefire_in(folder.path());
        let text = stdout_of(command.arg("compare").args(arguments).args(["--turns", TURNS, "--format", "json"]));
        assert!(!text.contains("null"), "{arguments:?}");
        let comparison = serde_json::from_str(&text).expect("nothing but JSON");
        let errors: Vec<String> = validator.iter_errors(&comparison).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:#?}");
    }
    assert!(!validator.is_valid(&serde_json::json!({"schema": 1})), "the schema asks for something");
}

#[test]
fn tables_fit_a_hundred_columns_and_bytes_do_not_depend_on_threads() {
    let table = |threads: &str| {
        stdout_of(doublefire().args(["compare", "payments", "--keys", "--turns", TURNS, "--threads", threads]))
    };
    let one = table("1");
    assert_eq!(one, table("3"));
    assert!(one.lines().all(|line| line.chars().count() <= 100), "{one}");
}

#[test]
fn csv_has_a_line_a_row_with_the_figures_of_json() {
    let text = stdout_of(compare(EVERY_TURN, &["--keys", "--format", "csv"]).args(["--seed", "4"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 6 + 9);
    assert!(lines[0].starts_with("scenario,group,dispatcher,key,extra_runs,name,turns,"), "{}", lines[0]);
    assert!(lines[1].starts_with("every-turn,dispatchers,naive,,100,naive,100,"), "{}", lines[1]);
    assert!(lines[2].contains(",conversation position tool ordinal arguments canonical,0,record_after,100,"));
}

#[test]
fn what_cannot_be_compared_ends_with_the_right_code() {
    let folder = folder_with_scenarios();
    for (code, arguments) in [
        (2, &["compare"][..]),
        (2, &["compare", "payments", "payments-by-fraction", "--keys"]),
        (2, &["compare", "-", "-"]),
        (2, &["compare", "payments", "--set", "failure.hazard.rat=1%"]),
        (4, &["compare", "payments", "nowhere.toml"]),
    ] {
        let output = doublefire_in(folder.path()).args(arguments).assert().code(code).get_output().clone();
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}
