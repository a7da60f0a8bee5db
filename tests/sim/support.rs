//! Loading and running scenarios; every count of a tally by its name in reports.

use doublefire::audit::Tally;
use doublefire::scenario::{Input, Scenario, load};
use doublefire::sim::{Options, Outcome};
use doublefire::turn::{Cause, Died};
use std::collections::BTreeMap;

pub(crate) fn scenario(text: &str, sets: &[&str]) -> Scenario {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let input = Input { origin: "test".to_owned(), directory: None, text: text.to_owned(), sets };
    match load(&input) {
        Ok(loaded) => loaded.scenario,
        Err(errors) => panic!("{}", errors.render(false)),
    }
}

pub(crate) type Engine = fn(&Scenario, &Options<'_>) -> Outcome;

pub(crate) fn run_with(engine: Engine, scenario: &Scenario, turns: u64, seed: u64, threads: usize) -> Vec<Tally> {
    let options = Options { turns, seed, threads: Some(threads), ..Options::default() };
    let outcome = engine(scenario, &options);
    assert!(!outcome.stopped);
    outcome.policies
}

pub(crate) fn run(scenario: &Scenario, turns: u64, seed: u64) -> Vec<Tally> {
    run_with(doublefire::sim::run, scenario, turns, seed, 2)
}

/// Every count by the name that reports give it, flattened.
pub(crate) fn counts(tally: &Tally, tools: &[&str]) -> BTreeMap<String, u128> {
    let plain = [
        ("turns", tally.turns),
        ("attempts", tally.attempts),
        ("commits", tally.commits),
        ("cuts", tally.cuts),
        ("silent_cuts", tally.silent_cuts),
        ("crashes", tally.crashes),
        ("refused", tally.refused),
        ("effects", tally.effects),
        ("duplicates", tally.duplicates),
        ("duplicate_turns", tally.duplicate_turns),
        ("failed_turns", tally.failed_turns),
        ("capped_turns", tally.capped_turns),
        ("swallowed", tally.swallowed),
        ("crossed", tally.crossed),
        ("unserved", tally.unserved),
        ("orphaned", tally.orphaned),
        ("stuck", tally.stuck),
        ("abandoned_calls", tally.abandoned_calls),
        ("calls", tally.calls),
        ("claims", tally.claims),
        ("conflicts", tally.conflicts),
        ("waits", tally.waits),
    ];
    let mut counts: BTreeMap<String, u128> = plain.map(|(name, n)| (name.to_owned(), u128::from(n))).into();
    counts.insert("waited_ns".to_owned(), tally.waited_ns);
    counts.extend(Died::ALL.iter().map(|d| (format!("died.{d}"), u128::from(tally.died[d.index()]))));
    counts.extend(Cause::ALL.iter().map(|c| (format!("causes.{c}"), u128::from(tally.causes[c.index()]))));
    for (name, tool) in tools.iter().zip(&tally.tools) {
        let figures = [("calls", tool.calls), ("effects", tool.effects), ("duplicates", tool.duplicates)];
        counts.extend(figures.map(|(figure, n)| (format!("tools.{name}.{figure}"), u128::from(n))));
    }
    counts
}
