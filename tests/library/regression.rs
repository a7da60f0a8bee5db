//! The library's regression test: every fault at once, a million turns, not one duplicate under the guarantee. The
//! variable [`TURNS`] asks for another number: where changes are merged it is ten million.

use crate::{loaded, run};
use doublefire::audit::Tally;
use doublefire::scenario::EMBEDDED;
use doublefire::stats::clopper_pearson_upper;

const TURNS: &str = "DOUBLEFIRE_REGRESSION_TURNS";

/// The number of turns that was asked for.
fn turns() -> u64 {
    match std::env::var(TURNS) {
        Ok(turns) => turns.parse().unwrap_or_else(|error| panic!("{TURNS}={turns}: {error}")),
        Err(_) => 1_000_000,
    }
}

/// One policy of a scenario alone: turns are drawn alike, whatever else runs beside it.
fn alone(name: &str, policy: &str, turns: u64) -> Tally {
    let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name).expect("embedded");
    let mut scenario = loaded(name, text, &[]);
    scenario.policies.retain(|known| known.name == policy);
    run(&scenario, turns).pop().expect("the policy is in the file")
}

/// That the guarded policy has no duplicate, and naive, over the first tenth of the same turns, more than one a turn.
fn holds(name: &str, guarded: &str) {
    let turns = turns();
    let naive = alone(name, "naive", turns / 10);
    assert!(naive.duplicates > naive.turns, "{} duplicates in {} turns", naive.duplicates, naive.turns);
    let tally = alone(name, guarded, turns);
    assert_eq!(tally.turns, turns);
    assert_eq!((tally.duplicates, tally.duplicate_turns), (0, 0));
    // Three in the number of turns, as the rule has it.
    assert!(clopper_pearson_upper(0, turns, 0.95) < 3.0 / turns as f64);
    assert!(tally.conflicts > turns, "and each turn tried more than once: {}", tally.conflicts);
}

#[test]
fn a_provider_that_keeps_its_keys_lets_no_fault_through() {
    holds("all-faults-keyed", "both");
}

#[test]
fn a_ledger_that_keeps_its_rows_lets_no_fault_through() {
    holds("all-faults-unkeyed", "ledger");
}
