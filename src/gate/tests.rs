//! Gates on runs that never were.

use super::{Baseline, CheckReport, Comparison, FALSE_ALARM, Judged, Spread, Verdict, Watch, judge, table};
use crate::audit::Tally;
use crate::estimate::estimate;
use crate::report::{Asked, Report, json};
use crate::scenario::{EMBEDDED, Input, Scenario, load};
use crate::sim::Outcome;

fn payments(gates: &[(&str, &str, &str)]) -> Scenario {
    let (_, text) = EMBEDDED.iter().find(|(name, _)| *name == "payments").expect("built in");
    let mut text = text.split("[[gate]]").next().expect("a part before the gates").to_owned();
    for (policy, metric, condition) in gates {
        text += &format!("\n[[gate]]\npolicy = \"{policy}\"\nmetric = \"{metric}\"\n{condition}\n");
    }
    load(&Input { origin: "payments.toml".to_owned(), text, ..Input::default() }).expect("valid").scenario
}

/// What the gates come to where each policy of the watch had these tallies.
fn judged(scenario: &Scenario, tally: impl Fn(&str) -> Tally) -> Vec<Judged> {
    let watch = Watch::new(scenario);
    let policies = watch.scenario.policies.iter().map(|policy| tally(&policy.name)).collect();
    let asked = Asked { seed: 1, turns: scenario.run.turns, set: &[] };
    let outcome = Outcome { policies, stopped: false, sampling: Default::default(), checkpoints: Vec::new() };
    judge("payments.toml", scenario, &watch, asked, &estimate(scenario), &outcome).0.gates
}

fn turns(turns: u64, duplicate_turns: u64) -> Tally {
    let mut tally = Tally::new(1);
    (tally.turns, tally.duplicate_turns, tally.duplicates) = (turns, duplicate_turns, duplicate_turns);
    (tally.extra_runs, tally.causes[0]) = (duplicate_turns, duplicate_turns);
    tally.tools[0].duplicates = duplicate_turns;
    if duplicate_turns > 0 {
        tally.patterns.insert([1].into(), duplicate_turns);
    }
    tally
}

#[test]
fn a_gate_without_data_is_not_measured() {
    let scenario = payments(&[("naive", "rate.per_turn", "max = 1"), ("ledger", "volume.cost.p95", "max = 1e9")]);
    for gate in judged(&scenario, |_| turns(0, 0)) {
        assert_eq!((gate.verdict, gate.value), (Verdict::NotMeasured, None), "{gate:?}");
        assert_eq!(gate.reason.as_deref(), Some("the report has no such figure"));
    }
}

#[test]
fn a_zero_is_bounded_by_the_months_that_the_policy_without_the_guard_would_have() {
    let metrics = ["volume.duplicate_turns", "volume.duplicates", "volume.at_least_one", "volume.cost.mean"];
    let gates: Vec<_> = metrics.iter().map(|metric| ("ledger", *metric, "max = 0")).collect();
    let met = Tally { conflicts: 40, ..turns(10_000, 0) };
    let judged = judged(&payments(&gates), |name| if name == "naive" { turns(10_000, 40) } else { met.clone() });
    let upper = 1.0 - libm::pow(0.05, 1.0 / 10_000.0);
    let high = |place: usize| judged[place].bounds.expect("an interval").high;
    assert!((high(0) / (3000.0 * upper) - 1.0).abs() < 1e-9 && high(1) == high(0), "{judged:#?}");
    assert!((high(2) - (1.0 - libm::pow(1.0 - upper, 3000.0))).abs() < 0.01, "{judged:#?}");
    assert!(high(3) > 100.0 * high(0), "a duplicate costs 180 and more: {judged:#?}");
    assert!(judged.iter().all(|gate| gate.verdict == Verdict::Undecided && gate.value == Some(0.0)));
}

#[test]
fn the_worst_verdict_is_that_of_the_check() {
    for pair in Verdict::ALL.windows(2) {
        assert!(pair[0] < pair[1], "{pair:?}");
    }
    assert_eq!(Verdict::ALL.last(), Some(&Verdict::Failed));
    assert_eq!(CheckReport::new(vec![]).verdict, Verdict::NotMeasured, "nothing is no pass");
}

#[test]
fn a_limit_that_is_met_exactly_is_kept() {
    let only_naive = |name: &str| turns(10_000, if name == "naive" { 40 } else { 0 });
    let gates = [
        ("naive", "duplicates", "max = 40"),
        ("naive", "duplicates", "min = 40"),
        ("naive", "duplicates", "equals = 40"),
    ];
    assert!(judged(&payments(&gates), only_naive).iter().all(|gate| gate.verdict == Verdict::Passed));
    let off = [
        ("naive", "duplicates", "max = 39"),
        ("naive", "duplicates", "min = 41"),
        ("naive", "duplicates", "equals = 41"),
    ];
    let judged = judged(&payments(&off), only_naive);
    assert!(judged.iter().all(|gate| gate.verdict == Verdict::Failed));
    let sentence = table::sentence(&judged[0]);
    assert!(sentence.starts_with("naive: duplicates 40, at most 39: caused by "), "{sentence}");
}

fn report(seed: u64, turns: u64, duplicate_turns: u64) -> Report {
    let scenario = payments(&[]);
    let policies = vec![self::turns(turns, duplicate_turns), self::turns(turns, 0)];
    let outcome = Outcome { policies, stopped: false, sampling: Default::default(), checkpoints: Vec::new() };
    Report::new(&scenario, Asked { seed, turns, set: &[] }, &estimate(&scenario), &outcome)
}

fn compared(before: &Report, now: &Report, spread: &Spread) -> Comparison {
    Baseline::read(&json::render(before), "payments").expect("a report").compare("b.json", now, spread)
}

#[test]
fn a_count_of_turns_moves_when_chance_would_move_it_that_far_in_one_run_of_a_thousand() {
    let spread = Spread::new(true);
    let before = report(1, 100_000, 400);
    for (duplicate_turns, turns, moves) in [
        (440, 100_000, false),
        (480, 100_000, false),
        (520, 100_000, true),
        (280, 100_000, true),
        (220, 50_000, false),
        (290, 50_000, true),
    ] {
        let found = compared(&before, &report(2, turns, duplicate_turns), &spread);
        assert_eq!(!found.moved.is_empty(), moves, "{duplicate_turns} in {turns}: {found:#?}");
        assert!(found.moved.iter().all(|m| m.metric == "duplicate_turns" && m.policy == "naive"), "{found:#?}");
        assert_eq!((found.compared, found.false_alarm), (6, FALSE_ALARM), "three counts of turns of two policies");
    }
}

#[test]
fn the_same_run_must_count_the_same() {
    let found = compared(&report(1, 100_000, 400), &report(1, 100_000, 401), &Spread::new(true));
    assert!(found.same_run && found.false_alarm == 0.0);
    let names: Vec<&str> = found.moved.iter().map(|m| m.metric.as_str()).collect();
    assert_eq!(names, ["causes.no_memory", "duplicate_turns", "duplicates", "tools.0.duplicates"], "{found:#?}");
    assert_eq!(compared(&report(1, 100_000, 400), &report(1, 100_000, 400), &Spread::new(true)).moved, []);
}

#[test]
fn counts_that_come_in_clusters_are_compared_by_how_they_vary_from_block_to_block() {
    let (before, now) = (report(1, 100_000, 400), report(2, 110_000, 640));
    let even = spread(&[40; 16]);
    let moved = |spread: &Spread| {
        let moved = compared(&before, &now, spread).moved;
        moved.iter().any(|m| m.metric == "duplicates")
    };
    assert!(moved(&even), "single events: 400 and 640 are far apart");
    let clustered: Vec<u64> = (0..16).map(|block| if block % 8 == 0 { 320 } else { 0 }).collect();
    assert!(!moved(&spread(&clustered)), "two clusters against three are nothing");
    assert_eq!(compared(&before, &now, &spread(&[40; 3])).compared, 6, "three blocks do not tell");
    assert!(compared(&before, &now, &even).compared > 30);
}

/// The spread of a run whose blocks of 1,000 turns had so many duplicates.
fn spread(blocks: &[u64]) -> Spread {
    let mut spread = Spread::new(true);
    let mut tallies = [Tally::new(1), Tally::new(1)];
    for duplicates in blocks {
        tallies.iter_mut().for_each(|tally| tally.turns += 1_000);
        tallies[0].duplicates += duplicates;
        spread.block(&tallies);
    }
    spread
}

#[test]
fn what_is_no_baseline_is_refused_with_the_reason() {
    let other = Baseline::read(&json::render(&report(1, 1_000, 4)), "invoices").expect_err("another scenario's");
    assert!(other.contains("a report on `payments`, and the scenario is `invoices`"), "{other}");
    let mut partial = report(1, 1_000, 4);
    partial.partial = true;
    assert!(Baseline::read(&json::render(&partial), "payments").expect_err("partial").contains("interrupted"));
    for text in ["", "{}", "[1]", "{\"schema\": 1}"] {
        assert!(Baseline::read(text, "payments").expect_err("no report").contains("no report"), "{text}");
    }
}
