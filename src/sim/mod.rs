//! The simulation: events in virtual time.
//!
//! INTERFACE STUB, to be replaced by the real module; signatures are what others build on.

use crate::audit::Tally;
use crate::scenario::Scenario;
use std::sync::atomic::AtomicBool;

/// How to run, apart from what.
pub struct Options<'a> {
    /// Turns to run (the scenario's `run.turns` unless overridden).
    pub turns: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// Worker threads; all cores where absent. Never changes a result.
    pub threads: Option<usize>,
    /// Called now and then, from any thread, with the number of turns finished since the last call.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Set from outside to stop between blocks of cells.
    pub stop: &'a AtomicBool,
}

/// What a run counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// One tally a policy, in scenario order.
    pub policies: Vec<Tally>,
    /// Whether it was stopped before its last turn; the tallies then hold the whole cells that were finished.
    pub stopped: bool,
}

/// Runs `scenario`: every policy over the same draws.
#[must_use]
pub fn run(scenario: &Scenario, _options: &Options<'_>) -> Outcome {
    let policies = scenario.policies.iter().map(|_| Tally::new(scenario.tools.len())).collect();
    Outcome { policies, stopped: false }
}
