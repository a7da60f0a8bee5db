//! Reports made from counts by hand: what the renderers show of them, and what they refuse.

use super::*;
use crate::audit::{Tally, ToolTally};
use crate::dispatch::rule::{Dispatcher, Rules};
use crate::dist::Distribution;
use crate::estimate::{Estimate, Exact};
use crate::scenario::{
    Cuts, Failure, Fraction, Incidents, Policy, Population, ReEmits, Run, Scenario, Shape, Stream, Tool, Volume,
};
use crate::sim::Outcome;
use crate::time::Span;
use crate::turn::{Cause, Class, Died, DispatchAt, DownstreamMismatch, Handling, OnCut, Positions};

const TURNS: u64 = 2_000_000;

fn policy(name: &str, dispatcher: Dispatcher) -> Policy {
    Policy {
        name: name.to_owned(),
        rules: Rules::new(dispatcher),
        ledger_loss: 0.0,
        row_retention: None,
        unavailable: 0.0,
        without_routes: vec![],
    }
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        class: Class::UnkeyedWrite,
        arguments: Distribution::constant(0.3),
        latency: Distribution::constant(0.82),
        effect_at: 0.5,
        error_rate: 0.0,
        unknown_rate: 0.0,
        client: None,
        retention: None,
        on_mismatch: DownstreamMismatch::Replay,
        status_query: false,
        re_emits: None,
        distinct_arguments: None,
        cost: Some(Distribution::constant(180.0)),
    }
}

fn scenario() -> Scenario {
    let constant = Distribution::constant;
    Scenario {
        name: "payments".to_owned(),
        title: "Payments by chat".to_owned(),
        sha256: "00".repeat(32),
        files: vec![],
        values: vec![("stream.gap".to_owned(), "240ms".to_owned())],
        volume: Some(Volume { turns_per_month: 3000.0, currency: "USD".to_owned() }),
        stream: Stream {
            prelude: constant(8.28),
            gap: constant(0.24),
            commit: constant(0.0),
            handler: Handling::Blocking,
            dispatch: DispatchAt::Completion,
            on_cut: OnCut::Finish,
        },
        failure: Failure {
            cuts: Cuts::Fraction(Fraction { rate: vec![0.006], window_fraction: 0.11 }),
            silent: 0.0,
            idle_timeout: None,
            crashes_per_hour: 0.0,
            attempt_limit: None,
            incidents: None,
        },
        tools: vec![tool("send_payment")],
        shapes: vec![Shape { weight: 1.0, steps: vec![vec![0]], same_arguments: false }],
        routes: vec![],
        re_emits: ReEmits::SAME,
        reserialised: 1.0,
        population: Population { conversations: 1000, turns: 4, repeat: 0.0, positions: Positions::Committed },
        policies: vec![policy("naive", Dispatcher::Naive), policy("ledger", Dispatcher::LedgerAndHeader)],
        run: Run { turns: TURNS, seed: 1, max_attempts: 8 },
        gates: vec![],
    }
}

fn naive() -> Tally {
    let mut tally = Tally::new(1);
    tally.turns = TURNS;
    tally.attempts = 2_011_934;
    tally.commits = 1_999_927;
    tally.cuts = 12_007;
    tally.died[Died::BeforeCall.index()] = 10_311;
    tally.died[Died::Arguments.index()] = 384;
    tally.died[Died::InFlight.index()] = 1_018;
    tally.died[Died::Returned.index()] = 294;
    tally.effects = 2_001_239;
    tally.duplicates = 1_305;
    tally.duplicate_turns = 1_305;
    tally.failed_turns = 73;
    tally.calls = 2_001_239;
    tally.abandoned_calls = 384;
    tally.causes[Cause::NoMemory.index()] = 1_305;
    tally.tools[0] = ToolTally { calls: 2_001_239, effects: 2_001_239, duplicates: 1_305 };
    tally.patterns.insert([1].into(), 1_305);
    tally
}

fn with_ledger() -> Tally {
    let mut tally = naive();
    tally.duplicates = 0;
    tally.duplicate_turns = 0;
    tally.effects = 1_999_934;
    tally.claims = 1_999_934;
    tally.conflicts = 1_305;
    tally.waits = 12;
    tally.waited_ns = 1_400_000_000;
    tally.causes = Default::default();
    tally.tools[0] = ToolTally { calls: 2_001_239, effects: 1_999_934, duplicates: 0 };
    tally.patterns.clear();
    tally
}

fn estimate() -> Estimate {
    let exact = Exact {
        duplicates_per_turn: 6.56e-4,
        duplicate_turn_probability: 6.56e-4,
        duplicates_by_tool: vec![6.56e-4],
        patterns: vec![([1].into(), 6.56e-4)],
        formula: "p·qw·(qw + qs)".to_owned(),
    };
    Estimate {
        failure_rate: 0.006,
        window_fraction: 0.11,
        headline_rate: 6.6e-4,
        headline_leaves_out: vec![],
        policies: vec![Ok(exact), Err("its dispatcher remembers".to_owned())],
    }
}

fn asked() -> Asked<'static> {
    Asked { seed: 1, turns: TURNS, set: &[] }
}

fn report_of(policies: Vec<Tally>) -> Report {
    Report::new(
        &scenario(),
        asked(),
        &estimate(),
        &Outcome { policies, stopped: false, sampling: Default::default(), checkpoints: Vec::new() },
    )
}

fn report() -> Report {
    report_of(vec![naive(), with_ledger()])
}

/// What is left where no terminal shows colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// A scenario and report with everything that can be there at once: two tools, three policies, no volume.
fn crowded() -> Report {
    let mut scenario = scenario();
    scenario.volume = None;
    scenario.tools.push(tool("void_payment_and_tell_the_customer"));
    let names = ["naive", "record-after", "ledger", "ledger-and-header", "take-over after 8 s", "call-id"];
    scenario.policies = names.iter().map(|name| policy(name, Dispatcher::Ledger)).collect();
    let mut tally = naive();
    tally.crashes = 1_000;
    tally.died[Died::Stopped.index()] = 1_000;
    tally.silent_cuts = 7;
    tally.refused = 8;
    tally.capped_turns = 9;
    tally.swallowed = 11;
    tally.crossed = 2;
    tally.unserved = 13;
    tally.orphaned = 14;
    tally.stuck = 15;
    tally.claims = 16;
    tally.duplicates = 1_400;
    tally.causes[Cause::NoMemory.index()] = 0;
    tally.causes[Cause::Takeover.index()] = 1_395;
    tally.causes[Cause::RowLost.index()] = 5;
    tally.tools.push(ToolTally { calls: 5, effects: 4, duplicates: 3 });
    let mut estimate = estimate();
    estimate.headline_leaves_out = vec!["crashes".to_owned(), "silent ends".to_owned()];
    let exact = estimate.policies[0].clone();
    let none = || Err("its dispatcher remembers".to_owned());
    estimate.policies = vec![exact.clone(), none(), none(), Err("ledger_loss".to_owned()), none(), exact];
    let mut last = tally.clone();
    last.duplicate_turns = 1_600;
    let policies = vec![tally.clone(), tally.clone(), with_ledger(), tally.clone(), tally, last];
    let set = ["route.sdk retry.max=2".to_owned()];
    Report::new(
        &scenario,
        Asked { seed: 7, turns: TURNS, set: &set },
        &estimate,
        &Outcome { policies, stopped: false, sampling: Default::default(), checkpoints: Vec::new() },
    )
}

#[test]
fn two_policies_stand_side_by_side() {
    insta::assert_snapshot!(plain(&table::render(&report())));
}

#[test]
fn many_policies_go_on_below_instead_of_running_off_the_screen() {
    let text = plain(&table::render(&crowded()));
    assert!(text.lines().all(|line| line.chars().count() <= table::WIDTH), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_formulas_alone_have_a_table_of_their_own() {
    let text = table::render_estimate(&EstimateReport::new(&scenario(), &[], &estimate()));
    insta::assert_snapshot!(plain(&text));
}

#[test]
fn the_json_report_is_the_contract() {
    insta::assert_snapshot!(json::render(&report()));
}

#[test]
fn the_csv_tables_are_the_same_figures() {
    insta::assert_snapshot!("policies_csv", csv::policies(&report()));
    insta::assert_snapshot!("tools_csv", csv::tools(&report()));
}

#[test]
fn a_report_survives_its_own_json() {
    for report in [report(), crowded()] {
        let read: Report = serde_json::from_str(&json::render(&report)).expect("its own format");
        assert_eq!(read, report);
    }
}

#[test]
fn what_does_not_apply_is_absent_and_not_zero() {
    let whole: serde_json::Value = serde_json::from_str(&json::render(&report())).expect("JSON");
    assert!(whole.pointer("/policies/0/agreement/z").is_some());
    assert!(whole.pointer("/policies/1/agreement").is_none(), "no exact figure, no agreement");
    assert!(whole.pointer("/policies/0/volume/cost/p50").is_some(), "the tool has a cost");
    assert!(whole.pointer("/scenario/files").is_none());
    let crowded: serde_json::Value = serde_json::from_str(&json::render(&crowded())).expect("JSON");
    assert!(crowded.pointer("/policies/0/volume").is_none(), "no volume in the scenario");
    assert!(crowded.pointer("/estimate/headline_per_month").is_none());
}

#[test]
fn long_reasons_go_on_in_the_next_line() {
    let text = table::wrapped("  ", &"word ".repeat(40));
    assert_eq!(text.lines().count(), 3);
    assert!(text.lines().all(|line| line.starts_with("  word") && line.len() <= table::WIDTH));
    assert_eq!(text.split_whitespace().count(), 40, "no word is lost");
    assert_eq!(table::wrapped("  ", ""), "");
}

#[test]
fn a_zero_is_never_shown_without_its_bound() {
    let text = plain(&table::render(&report()));
    for bound in ["0 (below 1.5e-6 at 95 %)", "0 (below 0.0045 at 95 %)", "0 (below 0.45 % at 95 %)"] {
        assert!(text.contains(bound), "{bound} is not in\n{text}");
    }
    let mut twice = naive();
    twice.duplicates += 1;
    twice.tools[0].duplicates += 1;
    let text = plain(&table::render(&report_of(vec![twice, with_ledger()])));
    let month = text.split("A month of").nth(1).expect("a month").split("Where streams").next().expect("before");
    let bounded = month.lines().filter(|line| line.ends_with("0 (turns: below 0.0045)")).count();
    assert_eq!(bounded, 5, "duplicates, mean cost and three quantiles: {month}");
    assert!(!month.lines().any(|line| line.ends_with(" 0")), "{month}");
}

#[test]
fn z_is_the_distance_in_binomial_standard_errors() {
    let agreement = report().policies[0].agreement.expect("naive has an exact figure");
    // (1305 − 1312) / √(2e6 · 6.56e-4 · (1 − 6.56e-4))
    assert!((agreement.z - -0.193_318_6).abs() < 1e-6, "{}", agreement.z);
    assert_eq!(agreement.verdict, Verdict::Agrees);
    let mut far = naive();
    far.duplicate_turns = 1_312 + 155;
    let agreement = report_of(vec![far, with_ledger()]).policies[0].agreement.expect("naive has an exact figure");
    assert!(agreement.z > 4.0 && agreement.verdict == Verdict::Differs, "{agreement:?}");
}

#[test]
fn few_turns_are_judged_by_the_exact_tail_and_not_by_z() {
    // Of 4,000 turns 2.62 are expected. 11 or more have probability 9.4e-5 in spite of z = 5.2, 12 or more 2.0e-5.
    for (seen, verdict) in [(3, Verdict::CouldNotTell), (11, Verdict::CouldNotTell), (12, Verdict::Differs)] {
        let mut few = naive();
        (few.turns, few.duplicate_turns) = (4_000, seen);
        let agreement = report_of(vec![few, with_ledger()]).policies[0].agreement.expect("naive has an exact figure");
        assert_eq!(agreement.verdict, verdict, "{seen} seen, z = {}", agreement.z);
    }
}

#[test]
fn incidents_leave_out_what_needs_independent_turns() {
    let mut scenario = scenario();
    let duration = Span::from_nanos(600_000_000_000);
    scenario.failure.incidents = Some(Incidents { per_month: 2.0, duration, factor: 10.0 });
    let outcome = Outcome {
        policies: vec![naive(), with_ledger()],
        stopped: false,
        sampling: Default::default(),
        checkpoints: Vec::new(),
    };
    let report = Report::new(&scenario, asked(), &estimate(), &outcome);
    let whole: serde_json::Value = serde_json::from_str(&json::render(&report)).expect("JSON");
    assert_eq!(whole["caveats"], serde_json::json!(["dependent_turns", "rate_given", "estimate_leaves_out"]));
    for absent in ["at_least_one", "bounds/at_least_one_upper", "cost/p50", "cost/p95", "cost/p99"] {
        for month in ["/policies/0/volume", "/policies/1/volume", "/estimate/exact/naive/volume"] {
            assert_eq!(whole.pointer(&format!("{month}/{absent}")), None, "{month}/{absent}");
        }
    }
    assert!(whole.pointer("/policies/0/volume/cost/mean").is_some(), "means hold");
    let text = plain(&table::render(&report));
    assert!(text.contains("chance of at least one        not projected"), "{text}");
    assert!(text.contains("\nnot projected: incidents make the turns of a month depend on each other."), "{text}");
}

#[test]
fn a_month_is_projected_from_what_was_seen() {
    let month = report().policies[0].volume.clone().expect("the scenario has a volume");
    assert!((month.duplicates - 3000.0 * 1305.0 / 2e6).abs() < 1e-12);
    // 1 − (1 − 6.525e-4)^3000
    let at_least_one = month.at_least_one.expect("turns are independent");
    assert!((at_least_one - 0.858_879_2).abs() < 1e-6, "{at_least_one}");
}

#[test]
#[should_panic(expected = "policy naive of scenario payments had 1305 duplicate turns in 2000000 turns with seed 1")]
fn a_duplicate_that_the_formula_rules_out_is_an_error_of_the_program() {
    let mut estimate = estimate();
    let exact = estimate.policies[0].as_mut().expect("naive has an exact figure");
    exact.duplicate_turn_probability = 0.0;
    let outcome = Outcome {
        policies: vec![naive(), with_ledger()],
        stopped: false,
        sampling: Default::default(),
        checkpoints: Vec::new(),
    };
    _ = Report::new(&scenario(), asked(), &estimate, &outcome);
}

#[test]
fn nothing_seen_where_nothing_can_be_is_full_agreement() {
    let mut estimate = estimate();
    estimate.policies[1] = Ok(Exact {
        duplicates_per_turn: 0.0,
        duplicate_turn_probability: 0.0,
        duplicates_by_tool: vec![0.0],
        patterns: vec![],
        formula: "0".to_owned(),
    });
    let outcome = Outcome {
        policies: vec![naive(), with_ledger()],
        stopped: false,
        sampling: Default::default(),
        checkpoints: Vec::new(),
    };
    let report = Report::new(&scenario(), asked(), &estimate, &outcome);
    assert_eq!(report.policies[1].agreement, Some(Agreement { z: 0.0, verdict: Verdict::Agrees }));
    assert!(plain(&table::render(&report)).contains("agrees  none seen, none expected"));
}

#[test]
fn a_report_without_a_single_turn_has_no_rates() {
    let report = report_of(vec![Tally::new(1), Tally::new(1)]);
    assert_eq!(report.policies[0].rate, None);
    assert_eq!(report.policies[0].agreement, None);
    assert_eq!(report.policies[0].volume, None);
    assert!(plain(&table::render(&report)).contains("rate a turn"));
}

fn known() -> Vec<String> {
    ["plots/a.svg", "plots/b.svg", "summary.json"].map(str::to_owned).to_vec()
}

fn file(name: &str, text: &str) -> folder::File {
    (name.to_owned(), text.as_bytes().to_vec())
}

#[test]
fn a_folder_holds_its_files_and_nothing_half_done_or_left_over() {
    let output = tempfile::tempdir().expect("a temporary folder");
    let folder = folder::path(output.path(), "payments");
    folder::check(&folder, &known()).expect("an absent folder is free");
    let names = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).expect("made");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let first = [file("plots/a.svg", "a"), file("plots/b.svg", "b"), file("summary.json", "1")];
    folder::write(&folder, &first, &known()).expect("written");
    assert_eq!(names(&folder), ["plots", "summary.json"]);
    assert_eq!(names(&folder.join("plots")), ["a.svg", "b.svg"]);
    folder::check(&folder, &known()).expect("an earlier report may be replaced");
    folder::write(&folder, &[file("plots/b.svg", "c"), file("summary.json", "2")], &known()).expect("written");
    assert_eq!(names(&folder.join("plots")), ["b.svg"], "what this report does not have goes");
    assert_eq!(std::fs::read_to_string(folder.join("summary.json")).expect("there"), "2");
}

#[test]
fn a_folder_that_holds_anything_else_is_refused_by_name() {
    let output = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(output.path().join("thesis.tex"), "years of work").expect("written");
    let refusal = folder::check(output.path(), &known()).expect_err("not ours");
    assert!(refusal.to_string().contains("holds thesis.tex"), "{refusal}");
    let hidden = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(hidden.path().join("summary.json")).expect("made");
    assert!(folder::check(hidden.path(), &known()).is_err(), "a folder called summary.json is not a report's");
    let deeper = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(deeper.path().join("plots")).expect("made");
    folder::check(deeper.path(), &known()).expect("an empty folder of plots is a report's");
    std::fs::write(deeper.path().join("plots/mine.svg"), "").expect("written");
    let refusal = folder::check(deeper.path(), &known()).expect_err("not ours");
    assert!(refusal.to_string().contains("holds plots/mine.svg"), "{refusal}");
}

#[test]
fn what_a_killed_run_left_behind_does_not_block_the_next() {
    let output = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(output.path().join(".doublefire-x1.tmp"), "{").expect("written");
    folder::check(output.path(), &known()).expect("left-overs are ours");
}

#[test]
fn a_new_file_is_never_put_over_another() {
    let output = tempfile::tempdir().expect("a temporary folder");
    let path = output.path().join("a.toml");
    folder::create(&path, "first").expect("there is none yet");
    assert!(folder::create(&path, "second").is_err());
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "first");
    assert_eq!(std::fs::read_dir(output.path()).expect("there").count(), 1, "nothing is left of the second");
}

#[cfg(unix)]
#[test]
fn report_files_have_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let output = tempfile::tempdir().expect("a temporary folder");
    folder::write(output.path(), &[file("summary.json", "1")], &known()).expect("written");
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let plain = output.path().join("plain");
    std::fs::write(&plain, "").expect("written");
    assert_eq!(mode(&output.path().join("summary.json")), mode(&plain));
}
