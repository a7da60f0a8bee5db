//! Undisturbed turns passed over: the same distribution as every turn drawn, from other draws.

use super::support::{counts, run_with, scenario};
use doublefire::audit::Tally;
use doublefire::estimate::estimate;
use doublefire::scenario::{EMBEDDED, Scenario};
use doublefire::sim::{self, Meeting, Options, Sampling};
use doublefire::stats::binomial_tail;
use std::collections::BTreeMap;

const CASES: [&str; 5] = [
    include_str!("../cases/multi-call.toml"),
    include_str!("../cases/steps.toml"),
    include_str!("../cases/concurrent.toml"),
    include_str!("../cases/overlap.toml"),
    include_str!("../cases/crash-queue.toml"),
];

fn all() -> Vec<Scenario> {
    let texts = EMBEDDED.iter().map(|(_, text)| *text).chain(CASES);
    texts.map(|text| scenario(text, &[])).collect()
}

fn disturbed(scenario: &Scenario, turns: u64, seed: u64, threads: usize) -> Vec<Tally> {
    let engine = |scenario: &Scenario, options: &Options<'_>| {
        sim::run(scenario, &Options { sampling: Sampling::Disturbed, ..*options })
    };
    run_with(engine, scenario, turns, seed, threads)
}

/// Sums and sums of squares of every count over some runs.
#[derive(Default)]
struct Moments(BTreeMap<String, (f64, f64)>);

impl Moments {
    fn add(&mut self, tally: &Tally, tools: &[&str]) {
        for (name, count) in counts(tally, tools) {
            let (sum, squares) = self.0.entry(name).or_default();
            (*sum, *squares) = (*sum + count as f64, *squares + (count as f64).powi(2));
        }
    }
}

/// Welch's statistic of two samples of this size; none where neither varies.
fn distance(a: (f64, f64), b: (f64, f64), size: f64) -> Option<f64> {
    let variance = |(sum, squares): (f64, f64)| ((squares - sum * sum / size) / (size - 1.0)).max(0.0);
    let error = ((variance(a) + variance(b)) / size).sqrt();
    (error > 1e-9).then(|| (a.0 - b.0) / size / error)
}

#[test]
fn every_count_has_the_same_mean_over_the_scenario_library() {
    const SEEDS: u64 = 10;
    let (mut compared, mut alike) = (0, 0);
    for scenario in all().iter().filter(|scenario| sim::meeting(scenario).is_none()) {
        let tools: Vec<&str> = scenario.tools.iter().map(|tool| tool.name.as_str()).collect();
        let mut moments: Vec<[Moments; 2]> = scenario.policies.iter().map(|_| Default::default()).collect();
        for seed in 0..SEEDS {
            let both = [run_with(sim::run, scenario, 4_000, seed, 2), disturbed(scenario, 4_000, 1000 + seed, 2)];
            for (way, tallies) in both.iter().enumerate() {
                moments.iter_mut().zip(tallies).for_each(|(moments, tally)| moments[way].add(tally, &tools));
            }
        }
        for (policy, [every, disturbed]) in scenario.policies.iter().zip(&moments) {
            for (name, a) in &every.0 {
                let b = disturbed.0[name];
                // Student's t at 9 to 18 degrees of freedom: beyond 12 in one comparison of a million or fewer; some four
                // thousand are made, always the same.
                match distance(*a, b, SEEDS as f64) {
                    Some(t) => {
                        assert!(t.abs() < 12.0, "{} {} {name}: {a:?} and {b:?}, t = {t}", scenario.name, policy.name)
                    }
                    None => assert_eq!(a.0, b.0, "{} {} {name}", scenario.name, policy.name),
                }
                compared += 1;
            }
        }
        alike += 1;
    }
    assert!(alike >= 25 && compared > 3000, "{compared} comparisons in {alike} scenarios");
}

#[test]
fn fifty_million_payment_turns_agree_with_the_exact_figure() {
    let payments = scenario(EMBEDDED.iter().find(|(name, _)| *name == "payments").expect("embedded").1, &[]);
    let tallies = disturbed(&payments, 50_000_000, 1, 2);
    let exact = estimate(&payments);
    for (exact, tally) in exact.policies.iter().zip(&tallies) {
        assert_eq!(tally.turns, 50_000_000);
        let d = exact.as_ref().expect("an exact figure").duplicate_turn_probability;
        // False alarm: one seed in 16,000.
        assert!(binomial_tail(tally.duplicate_turns, tally.turns, d) > 6e-5, "{} of {d:e}", tally.duplicate_turns);
    }
    // One retry, for certain: the replays are the first attempts that were cut.
    let replays = tallies[0].attempts - tallies[0].turns;
    assert!(binomial_tail(replays, tallies[0].turns, exact.failure_rate) > 6e-5, "{replays} first attempts were cut");
    assert!(tallies[0].duplicate_turns > 30_000 && tallies[1].duplicates == 0);
    assert_eq!(tallies[0].duplicates, tallies[1].conflicts, "the ledger met what naive did twice");
}

#[test]
fn disturbed_turns_are_the_same_on_any_number_of_threads() {
    for scenario in all().iter().filter(|scenario| sim::meeting(scenario).is_none()).take(4) {
        let one = disturbed(scenario, 2_200_000, 3, 1);
        assert_eq!(one[0].turns, 2_200_000);
        for threads in [2, 7] {
            assert_eq!(one, disturbed(scenario, 2_200_000, 3, threads), "{}", scenario.name);
        }
    }
}

#[test]
fn what_forbids_it_is_named() {
    let named = |name: &str| scenario(EMBEDDED.iter().find(|(known, _)| *known == name).expect("embedded").1, &[]);
    let meeting = |name| sim::meeting(&named(name)).map(|(_, meeting)| meeting);
    assert_eq!(meeting("payments"), None);
    assert_eq!(meeting("swallowed-repeat"), Some(Meeting::Repeats));
    assert_eq!(meeting("key-without-arguments"), Some(Meeting::KeyWithoutArguments));
    assert_eq!(meeting("residue-retention"), Some(Meeting::Retention));
    for name in ["swallowed-repeat", "key-without-arguments"] {
        assert_eq!(sim::cheaper(&named(name)), (Sampling::Every, None));
    }
}

#[test]
fn the_cheaper_sampling_goes_by_how_rare_disturbed_turns_are() {
    let payments = EMBEDDED.iter().find(|(name, _)| *name == "payments").expect("embedded").1;
    let at = |rate: &str| sim::cheaper(&scenario(payments, &[&format!("failure.hazard.rate={rate}")]));
    let (sampling, share) = at("0.6%");
    let share = share.expect("turns are alike");
    // A candidate has a cut in reach; few of them are out of its reach after all.
    assert!(sampling == Sampling::Disturbed && (0.006..0.012).contains(&share), "{share}");
    assert_eq!(at("50%").0, Sampling::Every);
}
