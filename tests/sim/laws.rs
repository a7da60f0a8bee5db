//! Laws that hold in every scenario, over scenarios at random.

use super::generate::{Parts, Scope, parts};
use super::support::{run_with, scenario};
use doublefire::audit::Tally;
use doublefire::scenario::Scenario;
use doublefire::sim;
use doublefire::turn::Cause;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

const TURNS: u64 = 60;

/// What must add up in the counts of any policy.
fn assert_conserved(scenario: &Scenario, tally: &Tally, turns: u64) {
    let retries = scenario.tools.iter().filter_map(|tool| tool.client).map(|client| u64::from(client.retries)).max();
    let calls_of_a_turn = scenario.shapes.iter().map(|shape| shape.calls().count()).max().unwrap_or(0) as u64;
    let by_tool = |figure: fn(&doublefire::audit::ToolTally) -> u64| tally.tools.iter().map(figure).sum::<u64>();
    let by_pattern: u64 = tally.patterns.iter().map(|(p, n)| n * p.iter().map(|d| u64::from(*d)).sum::<u64>()).sum();
    assert_eq!(tally.turns, turns, "every turn is committed or failed");
    assert_eq!(tally.attempts, tally.commits + tally.cuts + tally.crashes + tally.refused);
    assert_eq!(tally.died.iter().sum::<u64>(), tally.cuts + tally.crashes);
    assert_eq!(tally.causes.iter().sum::<u64>(), tally.duplicates, "every duplicate has one cause");
    assert_eq!(by_tool(|t| t.effects), tally.effects);
    assert_eq!(by_tool(|t| t.duplicates), tally.duplicates);
    assert_eq!(by_tool(|t| t.calls), tally.calls);
    assert_eq!(by_pattern, tally.duplicates);
    assert_eq!(tally.patterns.values().sum::<u64>(), tally.duplicate_turns);
    assert!(tally.commits >= turns - tally.failed_turns);
    assert!(tally.silent_cuts <= tally.commits && tally.orphaned <= tally.effects);
    assert!(tally.effects <= tally.calls * (1 + retries.unwrap_or(0)), "no effect without a dispatched call");
    assert!(tally.effects - tally.duplicates <= turns * calls_of_a_turn, "an intent has one first effect");
    assert!(tally.conflicts <= tally.calls && tally.claims <= tally.calls && tally.waits <= tally.conflicts);
    assert!(tally.crossed <= tally.swallowed && tally.stuck <= tally.claims);
    assert!(tally.abandoned_calls <= tally.attempts);
    assert!(tally.attempts <= turns * u64::from(scenario.run.max_attempts));
}

/// How often the dangers were met over all scenarios of a test: a law about nothing proves nothing.
#[derive(Default)]
struct Met([AtomicU64; 5]);

impl Met {
    fn note(&self, which: usize, n: u64) {
        self.0[which].fetch_add(n, Ordering::Relaxed);
    }

    fn times(&self, which: usize) -> u64 {
        self.0[which].load(Ordering::Relaxed)
    }
}

fn check(scope: Scope, cases: u32, law: impl Fn(&Parts)) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let result = runner.run(&parts(scope), |parts| {
        law(&parts);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn counts_add_up_whatever_happens_and_by_the_short_way_and_the_long() {
    let met = Met::default();
    check(Scope::All, 1_500, |parts| {
        let scenario = scenario(&parts.text(), &[]);
        let short = run_with(sim::run, &scenario, TURNS, 1, 1);
        let long = run_with(sim::run_event_by_event, &scenario, TURNS, 1, 1);
        assert_eq!(short, long);
        for tally in &short {
            assert_conserved(&scenario, tally, TURNS);
            met.note(0, tally.duplicates);
            met.note(1, tally.swallowed);
            met.note(2, tally.stuck);
            met.note(3, tally.waits);
        }
    });
    assert!((0..4).all(|which| met.times(which) > 1_000), "the dangers were met");
}

#[test]
fn every_cause_is_met() {
    let causes: Vec<AtomicU64> = Cause::ALL.iter().map(|_| AtomicU64::new(0)).collect();
    check(Scope::All, 1_000, |parts| {
        for tally in run_with(sim::run, &scenario(&parts.text(), &[]), TURNS, 2, 1) {
            for (n, sum) in tally.causes.iter().zip(&causes) {
                sum.fetch_add(*n, Ordering::Relaxed);
            }
        }
    });
    for (cause, times) in Cause::ALL.iter().zip(&causes) {
        assert!(times.load(Ordering::Relaxed) > 20, "{cause} is never met");
    }
}

#[test]
fn under_the_guarantee_no_ledger_lets_a_duplicate_through_while_naive_does() {
    let met = Met::default();
    check(Scope::Guaranteed, 1_500, |parts| {
        let scenario = scenario(&parts.text(), &[]);
        for (policy, tally) in scenario.policies.iter().zip(run_with(sim::run, &scenario, TURNS, 3, 1)) {
            match policy.name.as_str() {
                "naive" => met.note(0, tally.duplicates),
                "record_after" => met.note(1, tally.duplicates),
                "forgetful" => {
                    assert_eq!(tally.tools[2].duplicates, 0, "the keyed tool");
                    met.note(3, tally.tools[1].duplicates);
                    met.note(4, tally.tools[2].effects);
                }
                // A key alone does nothing for a tool that ignores it.
                "header" => assert_eq!(tally.causes[Cause::NotCovered.index()], tally.duplicates),
                // The ledger alone cannot see requests below it; the keyed tool's own client may retry.
                "ledger" if scenario.tools.iter().any(|tool| tool.client.is_some()) => {}
                _ => {
                    assert_eq!(tally.duplicates, 0, "{}", policy.name);
                    met.note(2, tally.conflicts);
                }
            }
        }
    });
    assert!((0..5).all(|which| met.times(which) > 1_000), "naive, record_after and a ledger that forgets do duplicate");
}

#[test]
fn where_nothing_can_fail_nothing_happens() {
    check(Scope::All, 300, |parts| {
        let calm = Parts {
            failure: "[failure]\nhazard = { rate = 0 }\n".to_owned(),
            tools: parts
                .tools
                .lines()
                .filter(|line| !line.contains("_rate") && !line.contains("client_"))
                .map(|line| format!("{line}\n"))
                .collect(),
            routes: String::new(),
            ..parts.clone()
        };
        let scenario = scenario(&calm.text(), &[]);
        for (policy, tally) in scenario.policies.iter().zip(run_with(sim::run, &scenario, TURNS, 4, 1)) {
            assert_eq!(tally.duplicates, 0, "{}", policy.name);
            assert_eq!((tally.cuts, tally.crashes, tally.capped_turns), (0, 0, 0));
            // Only a key or a ledger that fails by itself can fail a turn now.
            if policy.unavailable == 0.0 && policy.name != "ledger" && policy.name != "ledger_and_header" {
                assert_eq!(
                    (tally.attempts, tally.commits, tally.failed_turns, tally.orphaned),
                    (TURNS, TURNS, 0, 0),
                    "{}",
                    policy.name
                );
            }
        }
    });
}
