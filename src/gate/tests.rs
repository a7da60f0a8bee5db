//! Gates on runs that never were.

use super::{CheckReport, Judged, Verdict, Watch, judge, table};
use crate::audit::Tally;
use crate::estimate::estimate;
use crate::report::Asked;
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
    let outcome = Outcome { policies, stopped: false, checkpoints: Vec::new() };
    judge(scenario, &watch, asked, &estimate(scenario), &outcome).0.gates
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
    let judged = judged(&payments(&gates), |name| if name == "naive" { turns(10_000, 40) } else { turns(10_000, 0) });
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
