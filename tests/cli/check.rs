//! `check`: what passes, what fails, what is not measured, and who is told.

use crate::{doublefire_in, stdout_of};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const SCHEMA: &str = include_str!("../../docs/check.schema.json");

/// Cuts, crashes and repeats on purpose, all far more frequent than in any deployment.
const SCENARIO: &str = r#"
schema = 1
name = "rough"

[volume]
turns_per_month = 1000

[stream]
prelude = "4s"
gap = "1s"

[failure]
hazard = { rate = "20%" }
crashes_per_hour = 60

[[tool]]
name = "send_payment"
class = "unkeyed_write"
arguments = "300ms"
latency = { lognormal = { mean = "2s", sigma = 0.6 } }

[[shape]]
calls = ["send_payment"]

[[route]]
name = "sdk retry"
kind = "auto_retry"

[[route]]
name = "queue"
kind = "job_queue"

[population]
conversations = 50
repeat = 0.1

[[policy]]
name = "naive"
dispatcher = "naive"

[[policy]]
name = "ledger"
dispatcher = "ledger"
on_in_flight = "fail"

[run]
turns = 8000
"#;

/// A folder with `rough.toml`: the scenario, with changes, and gates on `POLICY METRIC CONDITION` each.
fn folder(changes: &[(&str, &str)], gates: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = SCENARIO.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    for gate in gates {
        let mut words = gate.splitn(3, ' ');
        let mut next = || words.next().expect("a policy, a metric, conditions");
        let (policy, metric, condition) = (next(), next(), next().replace(", ", "\n"));
        text += &format!("\n[[gate]]\npolicy = \"{policy}\"\nmetric = \"{metric}\"\n{condition}\n");
    }
    fs::write(folder.path().join("rough.toml"), text).expect("written");
    folder
}

/// Exit code, standard output and standard error of a check in `folder`.
fn checked(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = doublefire_in(folder);
    for variable in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(variable);
    }
    let output = command.args(["check", "rough.toml"]).args(arguments).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("it ends by itself"), text(output.stdout), text(output.stderr))
}

/// The line of the last gate in a file.
fn last_gate(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    1 + lines.iter().rposition(|line| *line == "[[gate]]").expect("a gate")
}

/// The verdict on each gate, and the exit code.
fn verdicts(folder: &TempDir) -> (i32, Vec<String>) {
    let (code, out, err) = checked(folder.path(), &["--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    let gates = report.pointer("/scenarios/0/gates").and_then(Value::as_array).expect("gates");
    (code, gates.iter().map(|gate| gate["verdict"].as_str().expect("a word").to_owned()).collect())
}

#[test]
fn a_ledger_that_holds_passes_every_gate_and_shows_the_danger() {
    let gates = ["ledger duplicates max = 0", "naive duplicates min = 100", "ledger volume.duplicates max = 1"];
    let folder = folder(&[], &gates);
    let (code, out, err) = checked(folder.path(), &[]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(out.matches("\n  passed").count(), 3, "{out}");
    assert!(out.contains("ledger: duplicates 0, at most 0 [duplicates under naive, same draws: "), "{out}");
    assert!(out.ends_with("\n3 gates: 3 passed\n"), "{out}");
}

#[test]
fn a_key_without_one_of_its_components_is_caught_and_named() {
    let key = |key: &str| format!("dispatcher = \"ledger\"\nkey = [{key}]");
    for (without, metric, named) in [
        (r#""conversation", "position", "tool", "ordinal", "arguments""#, "duplicates", "caused by key_differs "),
        (r#""conversation", "tool", "ordinal", "arguments", "canonical""#, "swallowed", "which has no position"),
        (r#""conversation", "position", "tool", "ordinal""#, "swallowed", "which has no arguments, no canonical"),
    ] {
        let folder = folder(
            &[("dispatcher = \"ledger\"", &key(without)), ("repeat = 0.1", "repeat = 0.1\npositions = \"committed\"")],
            &[&format!("ledger {metric} max = 0")],
        );
        let (code, out, _) = checked(folder.path(), &[]);
        assert_eq!(code, 1, "{without}: {out}");
        assert!(out.contains("failed") && out.contains(&format!("ledger: {metric} ")) && out.contains(named), "{out}");
    }
}

#[test]
fn a_claim_after_the_effect_is_caught_and_named() {
    let after = "dispatcher = \"record_after\"";
    let folder = folder(&[("dispatcher = \"ledger\"\non_in_flight = \"fail\"", after)], &["ledger duplicates max = 0"]);
    let (code, out, _) = checked(folder.path(), &[]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("ledger: duplicates ") && out.contains("caused by recorded_too_late "), "{out}");
}

#[test]
fn a_gate_on_a_scenario_without_failures_is_not_measured() {
    let calm = [("rate = \"20%\"", "rate = 0"), ("crashes_per_hour = 60", "crashes_per_hour = 0")];
    let gates = ["ledger duplicates max = 0", "ledger rate.per_turn max = 0.5", "ledger failed_turns max = 9"];
    let folder = folder(&calm, &gates);
    let (code, out, _) = checked(folder.path(), &[]);
    assert_eq!(code, 3, "{out}");
    assert_eq!(out.matches("what it guards against never came up").count(), 3, "{out}");
    assert!(out.contains("duplicates under naive, same draws: 0"), "{out}");
    assert!(out.ends_with("3 gates: 3 not measured\n"), "{out}");
}

#[test]
fn naive_is_run_for_the_danger_where_the_file_has_none() {
    let policy = "[[policy]]\nname = \"naive\"\ndispatcher = \"naive\"\n";
    let folder = folder(&[(policy, "")], &["ledger duplicates max = 0"]);
    let (code, out, _) = checked(folder.path(), &[]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("duplicates under naive, same draws: "), "{out}");
    let json = checked(folder.path(), &["--format", "json"]).1;
    assert_eq!(json.matches("\"policy\": ").count(), 1, "it is run and not reported: {json}");
}

#[test]
fn a_removed_route_is_a_guard_and_its_danger_is_the_route() {
    let without = "dispatcher = \"naive\"\nwithout_routes = [\"sdk retry\", \"queue\"]";
    let folder = folder(&[("dispatcher = \"naive\"", without)], &["naive duplicates max = 0"]);
    assert_eq!(verdicts(&folder), (0, vec!["passed".to_owned()]));
}

#[test]
fn what_two_keys_could_have_shared_is_the_danger_of_a_swallowed_call() {
    let reached = folder(&[], &["ledger swallowed max = 0"]);
    let (code, out, _) = checked(reached.path(), &[]);
    assert!(out.contains("calls swallowed under ledger without "), "{out}");
    assert_eq!(code, 1, "a repeat after a failed turn is swallowed by the full key as well: {out}");
    let apart = folder(&[("repeat = 0.1", "repeat = 0"), ("rate = \"20%\"", "rate = 0")], &["ledger crossed max = 0"]);
    let (code, out, _) = checked(apart.path(), &[]);
    assert_eq!(code, 3, "every call's arguments are its own, so no key can meet another conversation's: {out}");
}

#[test]
fn a_row_left_in_flight_is_the_danger_of_a_stuck_one() {
    let takeover = [("on_in_flight = \"fail\"", "on_in_flight = \"takeover\"\nlease = \"1s\"\nrenew = true")];
    let (code, out, _) = checked(folder(&takeover, &["ledger stuck max = 0"]).path(), &[]);
    assert!(out.contains("rows in flight at the end under a ledger that only waits, same draws: "), "{code} {out}");
    let calm = [("crashes_per_hour = 60", "crashes_per_hour = 0")];
    assert_eq!(verdicts(&folder(&calm, &["ledger stuck max = 0"])), (3, vec!["not_measured".to_owned()]));
}

#[test]
fn an_interval_that_straddles_the_limit_is_undecided_and_the_estimate_can_be_judged_instead() {
    let seen = stdout_of(doublefire_in(folder(&[], &[]).path()).args(["run", "rough.toml", "--format", "json"]));
    let report: Value = serde_json::from_str(&seen).expect("JSON");
    let rate = report.pointer("/policies/0/rate/per_turn").and_then(Value::as_f64).expect("naive's rate");
    let [above, below] = [rate * 1.001, rate * 0.999];
    let gates = [
        format!("naive rate.per_turn max = {above}"),
        format!("naive rate.per_turn max = {above}, judge = \"estimate\""),
        format!("naive rate.per_turn max = {below}, judge = \"estimate\""),
        format!("naive rate.per_turn max = {}", rate * 1.5),
        format!("naive rate.per_turn max = {}", rate / 1.5),
        format!("naive rate.per_turn min = {below}"),
        format!("naive rate.per_turn min = {}", rate / 1.5),
        "naive volume.at_least_one min = 0.99".to_owned(),
        format!("naive duplicate_turns max = {}, judge = \"interval\"", (rate * 8000.0).round()),
    ];
    let expected = ["undecided", "passed", "failed", "passed", "failed", "undecided", "passed", "passed", "undecided"];
    let gates: Vec<&str> = gates.iter().map(String::as_str).collect();
    assert_eq!(verdicts(&folder(&[], &gates)), (1, expected.map(str::to_owned).to_vec()));
    assert_eq!(verdicts(&folder(&[], &gates[..1])).0, 3);
}

#[test]
fn agreement_is_judged_in_standard_errors_and_refused_where_there_is_no_exact_figure() {
    let exact = [
        ("crashes_per_hour = 60", ""),
        ("repeat = 0.1", ""),
        ("[[route]]\nname = \"queue\"\nkind = \"job_queue\"", ""),
    ];
    let agrees = "agrees_with = \"exact\"";
    let gates = [
        format!("naive duplicates {agrees}"),
        format!("naive duplicate_turns {agrees}"),
        format!("naive volume.at_least_one {agrees}"),
        format!("naive duplicates {agrees}, sigmas = 0.0001"),
        "naive agreement.z max = 4".to_owned(),
    ];
    let gates: Vec<&str> = gates.iter().map(String::as_str).collect();
    let expected = ["passed", "passed", "passed", "failed", "passed"].map(str::to_owned);
    assert_eq!(verdicts(&folder(&exact, &gates)), (1, expected.to_vec()));
    let few = folder(&[&exact[..], &[("turns = 8000", "turns = 50")]].concat(), &gates[1..2]);
    assert_eq!(verdicts(&few), (3, vec!["undecided".to_owned()]));
    let slow = [("kind = \"job_queue\"", "kind = \"load_balancer\"\nafter = \"3s\"")];
    let refused = folder(&slow, &["ledger duplicates max = 0", &format!("naive duplicates {agrees}")]);
    let (code, out, err) = checked(refused.path(), &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    let lines = fs::read_to_string(refused.path().join("rough.toml")).expect("there");
    let line = last_gate(&lines);
    for part in ["error[gate.1.agrees_with]: `naive` has no exact figure: ", &format!("--> rough.toml:{line}")] {
        assert!(err.contains(part), "{part}: {err}");
    }
}

#[test]
fn a_failed_gate_outweighs_one_that_was_not_measured() {
    let calm = ("crashes_per_hour = 60", "crashes_per_hour = 0");
    let gates = ["ledger stuck max = 0", "naive duplicates max = 0", "ledger duplicates max = 0"];
    let expected = ["not_measured", "failed", "passed"].map(str::to_owned);
    assert_eq!(verdicts(&folder(&[calm], &gates)), (1, expected.to_vec()));
    assert_eq!(verdicts(&folder(&[calm], &[gates[2], gates[0]])).0, 3);
}

#[test]
fn a_file_without_gates_is_an_error_and_no_pass() {
    let (code, out, err) = checked(folder(&[], &[]).path(), &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("rough.toml has no [[gate]]"), "{err}");
}

#[test]
fn several_scenarios_are_checked_one_after_the_other_with_the_same_flags() {
    let folder = folder(&[], &["ledger duplicates max = 0"]);
    fs::copy(folder.path().join("rough.toml"), folder.path().join("other.toml")).expect("copied");
    let (code, out, _) = checked(folder.path(), &["other.toml", "--turns", "4000", "--seed", "3", "--threads", "2"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("rough.toml, 4,000 turns, seed 3") && out.contains("other.toml, 4,000 turns, seed 3"),
        "{out}"
    );
    let (code, _, err) = checked(folder.path(), &["-", "-"]);
    assert!(code == 2 && err.contains("- stands there twice"), "{err}");
}

#[test]
fn the_published_schema_is_the_programs_and_what_is_printed_keeps_to_it() {
    let folder =
        folder(&[], &["ledger duplicates max = 0", "naive rate.per_turn max = 0.5", "ledger stuck equals = 3"]);
    let schema = stdout_of(doublefire_in(folder.path()).args(["schema", "--check"]));
    assert_eq!(schema, SCHEMA, "`doublefire schema --check > docs/check.schema.json` brings it up to date");
    let validator = jsonschema::validator_for(&serde_json::from_str(SCHEMA).expect("JSON")).expect("a JSON Schema");
    let (_, out, _) = checked(folder.path(), &["--format", "json"]);
    let report: Value = serde_json::from_str(&out).expect("nothing but JSON");
    let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(out, checked(folder.path(), &["--format", "json", "--threads", "3"]).1, "the same bytes");
}

#[test]
fn junit_is_well_formed_and_counts_what_did_not_pass() {
    let policy = "name = \"led<g>&\\\"er\"\ndispatcher = \"ledger\"";
    let name = "led<g>&\\\"er";
    let gates = [format!("{name} duplicates max = 0"), format!("{name} failed_turns max = 0")];
    let folder = folder(&[("name = \"ledger\"\ndispatcher = \"ledger\"", policy)], &[&gates[0], &gates[1]]);
    let (code, ..) = checked(folder.path(), &["--junit", "gates.xml"]);
    assert_eq!(code, 1);
    let xml = fs::read_to_string(folder.path().join("gates.xml")).expect("written");
    let mut reader = quick_xml::Reader::from_str(&xml);
    let (mut cases, mut failures) = (Vec::new(), 0);
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(tag) if tag.name().as_ref() == "testcase" => {
                let name = tag.try_get_attribute("name").expect("readable").expect("a name");
                cases.push(name.value.into_owned());
            }
            quick_xml::events::Event::Empty(tag) if tag.name().as_ref() == "failure" => failures += 1,
            _ => {}
        }
    }
    assert_eq!((cases.len(), failures), (2, 1), "{xml}");
    assert!(xml.contains("tests=\"2\" failures=\"1\""), "{xml}");
    assert!(xml.contains("led&lt;g&gt;&amp;&quot;er"), "{xml}");
}

#[test]
fn on_github_each_gate_that_does_not_pass_is_annotated_and_all_are_summed_up() {
    let gates = ["ledger duplicates max = 0", "naive duplicates max = 0"];
    let folder = folder(&[], &gates);
    fs::write(folder.path().join("summary.md"), "before\n").expect("written");
    let mut command = doublefire_in(folder.path());
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
    let output = command.args(["check", "rough.toml", "--format", "json"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    serde_json::from_slice::<Value>(&output.stdout).expect("standard output is the result's");
    let told = String::from_utf8(output.stderr).expect("text");
    let text = fs::read_to_string(folder.path().join("rough.toml")).expect("there");
    let line = last_gate(&text);
    let expected = format!("::error file=rough.toml,line={line},title=rough gate failed::naive: duplicates ");
    assert!(told.starts_with(&expected) && told.lines().count() == 1, "{told}");
    let summary = fs::read_to_string(folder.path().join("summary.md")).expect("there");
    assert!(summary.starts_with("before\n### doublefire check\n\n2 gates: 1 passed, 1 failed\n"), "{summary}");
    assert_eq!(summary.matches("\n| rough | ").count(), 2, "{summary}");
    let (_, _, quiet) = checked(folder.path(), &[]);
    assert_eq!(quiet, "", "elsewhere nobody is told");
}

#[test]
fn a_baseline_says_what_moved_and_update_takes_it_for_granted() {
    let folder = folder(&[], &[]);
    let with = |more: &[&str]| checked(folder.path(), &[&["--baseline", "base.json"], more].concat());
    let (code, _, err) = with(&[]);
    assert_eq!(code, 4, "{err}");
    assert!(err.contains("base.json: no baseline yet: --update makes one"), "{err}");
    let (code, out, _) = with(&["--update"]);
    assert_eq!(code, 0, "{out}");
    let first = fs::read_to_string(folder.path().join("base.json")).expect("written");
    let run = ["run", "rough.toml", "--format", "json"];
    assert_eq!(first, stdout_of(doublefire_in(folder.path()).args(run)), "a baseline is a summary.json");
    let (code, out, _) = with(&[]);
    assert!(code == 0 && out.contains("are the same, as those of the same run must be"), "{out}");
    let (code, out, _) = with(&["--seed", "2"]);
    assert!(code == 0 && out.contains("moved by more than chance moves them"), "{out}");
    let slower = ["--set", "tool.send_payment.latency.lognormal.mean=6s"];
    let (code, out, _) = with(&slower);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("  failed        baseline base.json: naive: duplicate_turns moved from "), "{out}");
    assert!(out.ends_with("0 gates: nothing asserted; 1 baseline: 1 moved\n"), "{out}");
    assert_eq!(fs::read_to_string(folder.path().join("base.json")).expect("there"), first, "only --update writes");
    let (code, out, _) = with(&[&slower[..], &["--update", "--junit", "j.xml"]].concat());
    assert!(code == 0 && out.contains("baseline base.json (updated): "), "{out}");
    assert!(fs::read_to_string(folder.path().join("j.xml")).expect("there").contains("<testcase name=\"baseline\""));
    assert_eq!(with(&slower).0, 0, "it is the baseline now");
}

#[test]
fn a_folder_holds_the_baselines_of_several_scenarios_as_output_writes_them() {
    let folder = folder(&[], &["ledger duplicates max = 0"]);
    let other = fs::read_to_string(folder.path().join("rough.toml")).expect("there").replace("\"rough\"", "\"other\"");
    fs::write(folder.path().join("other.toml"), other).expect("written");
    for name in ["rough.toml", "other.toml"] {
        doublefire_in(folder.path()).args(["run", name, "--output", "base"]).assert().code(0);
    }
    let (code, out, _) = checked(folder.path(), &["other.toml", "--baseline", "base"]);
    assert!(code == 0 && out.ends_with("2 gates: 2 passed; 2 baselines: 0 moved\n"), "{out}");
    let (code, _, err) = checked(folder.path(), &["other.toml", "--baseline", "base/rough/summary.json"]);
    assert!(code == 2 && err.contains("the baselines of several scenarios need a folder"), "{err}");
    let (code, _, err) = checked(folder.path(), &["--baseline", "base/other/summary.json"]);
    assert!(code == 4 && err.contains("a report on `other`, and the scenario is `rough`"), "{err}");
    let (code, _, err) = checked(folder.path(), &["--baseline", "rough.toml"]);
    assert!(code == 4 && err.contains("rough.toml: this is no report"), "{err}");
    assert_eq!(checked(folder.path(), &["--update"]).0, 2, "--update needs --baseline");
}

#[test]
fn a_policy_that_never_met_the_danger_passes_nothing_though_others_met_it() {
    let folder = folder(&[], &["ledger duplicates max = 0"]);
    let dead = &["--set", "policy.ledger.unavailable=1"];
    let (code, out, _) = checked(folder.path(), dead);
    assert_eq!(code, 3, "{out}");
    assert!(out.contains("  not measured  ledger: ") && out.contains("no replay reached a dispatched call"), "{out}");
}

#[test]
fn no_output_takes_the_place_of_an_input_or_of_what_is_no_file() {
    let folder = folder(&[], &["ledger duplicates max = 0"]);
    let (code, _, err) = checked(folder.path(), &["--junit", "rough.toml"]);
    assert!(code == 2 && err.contains("rough.toml is the scenario rough.toml: it would be lost"), "{err}");
    fs::write(folder.path().join("target.xml"), "old").expect("written");
    std::os::unix::fs::symlink("target.xml", folder.path().join("link.xml")).expect("made");
    checked(folder.path(), &["--junit", "link.xml"]);
    assert!(folder.path().join("link.xml").is_symlink());
    assert!(fs::read_to_string(folder.path().join("target.xml")).expect("there").starts_with("<?xml"));
}

#[test]
fn a_baseline_that_no_run_writes_is_refused_and_the_same_run_counts_the_same_to_the_last_count() {
    let folder = folder(&[], &[]);
    checked(folder.path(), &["--baseline", "base.json", "--update"]);
    let path = folder.path().join("base.json");
    let base: Value = serde_json::from_str(&fs::read_to_string(&path).expect("there")).expect("JSON");
    let with = |field: &str, count: u64| {
        let mut changed = base.clone();
        changed["policies"][0][field] = count.into();
        fs::write(&path, changed.to_string()).expect("written");
        checked(folder.path(), &["--baseline", "base.json"])
    };
    for (field, count) in [("duplicate_turns", u64::MAX), ("duplicates", 1 << 62)] {
        let (code, _, err) = with(field, count);
        assert!(code == 4 && err.contains("no run counts this"), "{code} {err}");
    }
    let commits = base["policies"][0]["commits"].as_u64().expect("a count");
    let (code, out, _) = with("commits", commits + 1);
    assert!(code == 1 && out.contains("commits"), "{code} {out}");
    let mut other = base.clone();
    other["sampling"] = "disturbed".into();
    fs::write(&path, other.to_string()).expect("written");
    let (_, out, _) = checked(folder.path(), &["--baseline", "base.json"]);
    assert!(!out.contains("as those of the same run must be"), "{out}");
}
