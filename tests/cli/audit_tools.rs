//! `doublefire audit-tools`: which tools can fire twice, by which route, and what each needs.

use crate::{TURNS, doublefire, doublefire_in, folder_with_scenarios, stdout_of};
use assert_cmd::Command;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/audit-tools.schema.json");

/// Every turn calls a read, a write that takes keys and one that ignores them, is cut after all three were
/// dispatched, and is sent again by either of two routes, the one at once and the other when the turn has failed.
const THREE_TOOLS: &str = r#"
schema = 1
name = "three-tools"
failure = { fraction = { rate = 1, window_fraction = 1 }, replay_rates = [0] }
stream = { prelude = "1s", gap = "1h" }
[volume]
turns_per_month = 50
[[tool]]
name = "look"
class = "read"
arguments = "1ms"
latency = "1ms"
[[tool]]
name = "pay"
class = "keyed_write"
arguments = "1ms"
latency = "1ms"
retention = "24h"
[[tool]]
name = "mail"
class = "unkeyed_write"
arguments = "1ms"
latency = "1ms"
[[shape]]
calls = ["look", "pay", "mail"]
[[route]]
name = "retry"
kind = "auto_retry"
[[route]]
name = "resend"
kind = "user_resend"
delay = "10m"
[[route]]
name = "queue"
kind = "job_queue"
[[policy]]
name = "naive"
dispatcher = "naive"
[[policy]]
name = "keys"
dispatcher = "header"
[[policy]]
name = "both"
dispatcher = "registry"
[run]
turns = 100
"#;

fn audit(scenario: &str, arguments: &[&str]) -> Command {
    let mut command = doublefire();
    command.args(["audit-tools", "-"]).args(arguments).write_stdin(scenario);
    command
}

fn json(scenario: &str, arguments: &[&str]) -> Value {
    let text = stdout_of(audit(scenario, arguments).args(["--format", "json"]));
    serde_json::from_str(&text).expect("nothing but JSON on standard output")
}

/// Duplicate turns of a list of exposures by name.
fn hits(list: &Value, name: &str) -> Vec<(String, u64)> {
    let each = list.as_array().expect("a list").iter();
    let hit = |one: &Value| one["exposure"]["duplicate_turns"].as_u64().expect("a count");
    each.map(|one| (one[name].as_str().expect("a name").to_owned(), hit(one))).collect()
}

fn named(hits: &[(&str, u64)]) -> Vec<(String, u64)> {
    hits.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
}

#[test]
fn each_route_alone_says_what_it_does_to_each_tool() {
    let audit = json(THREE_TOOLS, &[]);
    let tool = |place: usize| &audit["tools"][place];
    // Either route sends each turn again; nothing crashes, so the queue never does.
    let routes = hits(&tool(2)["routes"], "route");
    assert_eq!(routes, named(&[("retry", 100), ("resend", 100), ("queue", 0)]));
    assert_eq!(hits(&tool(1)["routes"], "route"), routes);
    assert_eq!(tool(2)["unguarded"]["duplicates"], 100);
    assert_eq!(hits(&tool(0)["routes"], "route"), named(&[("retry", 0), ("resend", 0), ("queue", 0)]));
}

#[test]
fn each_policy_is_judged_by_what_the_class_needs() {
    let audit = json(THREE_TOOLS, &[]);
    let provides = |place: usize| {
        let policies = audit["tools"][place]["policies"].as_array().expect("policies").iter();
        policies.map(|one| one["provides"].as_bool().expect("a flag")).collect::<Vec<_>>()
    };
    assert_eq!([provides(0), provides(1), provides(2)], [[true, true], [true, true], [false, true]]);
    assert_eq!(hits(&audit["tools"][1]["policies"], "policy"), named(&[("keys", 0), ("both", 0)]));
    assert_eq!(hits(&audit["tools"][2]["policies"], "policy"), named(&[("keys", 100), ("both", 0)]));
}

#[test]
fn without_a_route_only_the_tools_own_client_is_left() {
    let client = "retention = \"24h\"\nclient_timeout = \"1us\"\nclient_retries = 2\nunknown_rate = 1";
    let scenario = THREE_TOOLS.replace("retention = \"24h\"", client);
    let audit = json(&scenario, &[]);
    assert_eq!(audit["tools"][1]["own_client"]["duplicates"], 200, "two repeats of each of 100 calls");
    assert!(audit["tools"][2].get("own_client").is_none(), "the other has no such client");
}

#[test]
fn the_table_says_what_is_needed_who_provides_it_and_what_stays_open() {
    let text = stdout_of(&mut audit(THREE_TOOLS, &[]));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "look (read): nothing: it changes nothing",
        "longer than the slowest replay takes, resend; provided by keys, both",
        "open: its downstream forgets a key after 24 h",
        "mail (unkeyed_write): a ledger row claimed before each run: it ignores keys; provided by both, not by keys",
        "a human settles it, for the tool cannot be asked",
        // 1 − 0.05^(1/100) = 0.02951; half as many turns a month.
        "left by both 0 0 below 0.030 0 below 1.5",
    ] {
        assert!(flat.contains(line), "{line}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn every_audit_is_as_the_published_schema_says_and_has_no_null() {
    let printed = stdout_of(doublefire().args(["schema", "--audit-tools"]));
    assert_eq!(printed, SCHEMA, "`doublefire schema --audit-tools` prints it");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a JSON Schema");
    let folder = folder_with_scenarios();
    for threads in ["1", "2"] {
        let mut command = doublefire_in(folder.path());
        command.args(["audit-tools", "payments", "--turns", TURNS, "--format", "json", "--threads", threads]);
        let text = stdout_of(&mut command);
        assert!(!text.contains("null"));
        let errors: Vec<String> = validator
            .iter_errors(&serde_json::from_str(&text).expect("nothing but JSON"))
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    assert!(!validator.is_valid(&serde_json::json!({"schema": 1})), "the schema asks for something");
}

#[test]
fn csv_has_a_line_a_tool_and_way() {
    let text = stdout_of(audit(THREE_TOOLS, &["--format", "csv"]).args(["--seed", "3"]));
    let lines: Vec<&str> = text.lines().collect();
    // Unguarded, three routes and two policies for each of three tools.
    assert_eq!(lines.len(), 1 + 3 * 6);
    assert!(lines.iter().any(|line| line.starts_with("mail,unkeyed_write,policy,keys,false,100,100,1,")), "{text}");
}

#[test]
fn what_cannot_be_audited_ends_with_the_right_code() {
    let folder = folder_with_scenarios();
    for (code, arguments) in [
        (2, &["audit-tools"][..]),
        (2, &["audit-tools", "payments", "--set", "failure.hazard.rat=1%"]),
        (4, &["audit-tools", "nowhere.toml"]),
    ] {
        let output = doublefire_in(folder.path()).args(arguments).assert().code(code).get_output().clone();
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    doublefire().args(["audit-tools", "-"]).write_stdin("name = 7").assert().code(2);
}
