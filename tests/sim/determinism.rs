//! The same world for everyone: any number of threads, any company of policies, the short way and the long way.

use super::support::{run_with, scenario};
use doublefire::sim::{run, run_event_by_event};

const CASES: [&str; 12] = [
    include_str!("../cases/payments-hazard.toml"),
    include_str!("../cases/payments-fraction.toml"),
    include_str!("../cases/multi-call.toml"),
    include_str!("../cases/steps.toml"),
    include_str!("../cases/message-stop.toml"),
    include_str!("../cases/concurrent.toml"),
    include_str!("../cases/overlap.toml"),
    include_str!("../cases/unavailable.toml"),
    include_str!("../cases/client-retries.toml"),
    include_str!("../cases/attempt-limit.toml"),
    include_str!("../cases/key-collisions.toml"),
    include_str!("../cases/not-covered.toml"),
];

#[test]
fn every_count_is_the_same_on_1_2_and_7_threads() {
    for case in CASES {
        let scenario = scenario(case, &[]);
        let one = run_with(run, &scenario, 9_950, 3, 1);
        for threads in [2, 7] {
            assert_eq!(one, run_with(run, &scenario, 9_950, 3, threads), "{}", scenario.name);
        }
    }
}

#[test]
fn the_shortcut_counts_what_the_event_loop_counts() {
    for case in CASES {
        let scenario = scenario(case, &[]);
        let short = run_with(run, &scenario, 20_050, 5, 2);
        let long = run_with(run_event_by_event, &scenario, 20_050, 5, 2);
        for ((policy, short), long) in scenario.policies.iter().zip(&short).zip(&long) {
            assert_eq!(short, long, "{} {}", scenario.name, policy.name);
        }
        assert_eq!(short[0].turns, 20_050);
    }
}

#[test]
fn a_policy_counts_the_same_in_any_company() {
    for case in CASES {
        let all = scenario(case, &[]);
        let together = run_with(run, &all, 5_000, 7, 2);
        for (i, policy) in all.policies.iter().enumerate() {
            let mut alone = all.clone();
            alone.policies = vec![policy.clone()];
            assert_eq!(run_with(run, &alone, 5_000, 7, 2)[0], together[i], "{} {}", all.name, policy.name);
        }
    }
}

#[test]
fn another_seed_is_another_world() {
    let scenario = scenario(CASES[0], &[]);
    assert_ne!(run_with(run, &scenario, 5_000, 1, 2), run_with(run, &scenario, 5_000, 2, 2));
}

#[test]
fn a_stopped_run_says_so_and_holds_whole_blocks() {
    use doublefire::sim::Options;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    let scenario = scenario(CASES[0], &[]);
    let (stop, finished) = (AtomicBool::new(false), AtomicU64::new(0));
    let progress = |turns| {
        finished.fetch_add(turns, Ordering::Relaxed);
        stop.store(true, Ordering::Relaxed);
    };
    let options =
        Options { turns: 1_000_000, seed: 1, threads: Some(1), progress: &progress, stop: &stop, ..Options::default() };
    let outcome = run(&scenario, &options);
    assert!(outcome.stopped);
    assert_eq!(outcome.policies[0].turns, finished.load(Ordering::Relaxed));
    assert!(outcome.policies[0].turns < 1_000_000);
}

#[test]
fn a_run_that_is_long_enough_ends_at_the_same_turn_on_any_number_of_threads() {
    use doublefire::sim::Options;
    let scenario = scenario(CASES[0], &[]);
    let outcome = |threads| {
        let enough = |tallies: &[doublefire::audit::Tally]| tallies[0].duplicate_turns >= 100;
        let options =
            Options { turns: 10_000_000, seed: 1, threads: Some(threads), enough: &enough, ..Options::default() };
        run(&scenario, &options)
    };
    let one = outcome(1);
    assert_eq!(one, outcome(3));
    assert!(!one.stopped && one.policies[0].turns < 10_000_000);
    let turns: Vec<u64> = one.checkpoints.iter().map(|checkpoint| checkpoint.turns).collect();
    assert!(turns.is_sorted_by(|a, b| a < b), "{turns:?}");
    let last = one.checkpoints.last().expect("the end is a checkpoint");
    assert_eq!(last.turns, one.policies[0].turns);
    assert_eq!(last.duplicate_turns, one.policies.iter().map(|tally| tally.duplicate_turns).collect::<Vec<_>>());
}
