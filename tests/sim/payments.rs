//! The main job: the payments deployment, naive and ledger side by side, against the estimate.

use super::support::{run, run_with, scenario};
use doublefire::estimate::estimate;
use doublefire::scenario::{EMBEDDED, Scenario};
use doublefire::sim;
use doublefire::stats::{clopper_pearson_upper, z_score};
use doublefire::turn::Cause;

fn embedded(name: &str, sets: &[&str]) -> Scenario {
    let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name).expect("the scenario is built in");
    scenario(text, sets)
}

#[test]
fn ten_million_payment_turns_agree_with_the_exact_figure_and_the_ledger_lets_none_through() {
    let payments = embedded("payments", &[]);
    let turns = 10_000_000;
    let [naive, ledger] = <[_; 2]>::try_from(run(&payments, turns, payments.run.seed)).expect("two policies");
    let figures = estimate(&payments);
    let exact = figures.policies[0].as_ref().expect("naive has an exact figure");

    // One in about 1,500, just under the headline, and the window takes 11 % of the cuts.
    assert!((figures.headline_rate - 6.6e-4).abs() < 1e-7, "{}", figures.headline_rate);
    assert!((figures.window_fraction - 0.11).abs() < 5e-5, "{}", figures.window_fraction);
    let rate = exact.duplicate_turn_probability;
    assert!(rate < figures.headline_rate && rate > 0.98 * figures.headline_rate, "{rate}");

    // False alarm 6e-5, once: the seed is fixed.
    let z = z_score(naive.duplicate_turns, turns, rate).expect("the rate is neither 0 nor 1");
    assert!(z.abs() < 4.0, "z = {z}");
    let cuts = z_score(naive.cuts, turns, 0.006 * 1.006).expect("a rate");
    assert!(cuts.abs() < 5.0, "about 0.6 % of attempts are cut, z = {cuts}");

    // Zero, and not for want of danger: the ledger met as many cuts and answered what naive paid twice.
    assert_eq!((ledger.duplicates, ledger.swallowed, ledger.stuck), (0, 0, 0));
    assert!(clopper_pearson_upper(0, turns, 0.95) < 3.1e-7);
    assert_eq!(ledger.conflicts, naive.duplicates);
    assert_eq!(naive.causes[Cause::NoMemory.index()], naive.duplicates);
    assert!(naive.duplicates > 6_000);
    // Attempt 1 is the same under both, so they differ in the cuts of replays only: a stored result shortens those.
    assert_eq!(ledger.attempts, naive.attempts);
    let fewer = naive.cuts - ledger.cuts;
    assert!(fewer < naive.duplicates / 50, "{fewer} cuts fewer");
}

#[test]
fn the_same_payments_by_fraction_give_the_headline_and_the_replays_share_of_it() {
    let payments = embedded("payments-by-fraction", &[]);
    let turns = 4_000_000;
    let tallies = run(&payments, turns, payments.run.seed);
    let exact = estimate(&payments).policies[0].clone().expect("naive has an exact figure");
    // Headline × p × (qw + qs): the replay reaches its dispatch with probability 1 − 0.006 · 0.89.
    let closed = 0.006 * 0.11 * (1.0 - 0.006 * 0.89);
    assert!((exact.duplicate_turn_probability - closed).abs() < 1e-15);
    // False alarm 6e-5, once.
    let z = z_score(tallies[0].duplicate_turns, turns, closed).expect("a rate");
    assert!(z.abs() < 4.0, "z = {z}");
    assert_eq!(tallies[1].duplicates, 0);
}

#[test]
fn the_long_way_round_counts_the_same_payments() {
    let payments = embedded("payments", &[]);
    let short = run_with(sim::run, &payments, 300_000, 9, 2);
    assert_eq!(short, run_with(sim::run_event_by_event, &payments, 300_000, 9, 2));
    assert!(short[0].duplicates > 100);
}
