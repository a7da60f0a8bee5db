//! The estimates: formulas over the scenario, never a look at the simulation.
//!
//! INTERFACE STUB, to be replaced by the real module; signatures are what others build on.

use crate::scenario::Scenario;

/// The figures of one scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// P(a first attempt is cut), by attempt weights of the shapes.
    pub failure_rate: f64,
    /// P(in flight or returned | cut).
    pub window_fraction: f64,
    /// failure_rate × window_fraction: the arithmetic people do by hand, duplicates a turn.
    pub headline_rate: f64,
    /// What the headline leaves out in this scenario, in words; empty where nothing.
    pub headline_leaves_out: Vec<String>,
    /// For each policy of the scenario, in order: the exact figure, or the feature that prevents it.
    pub policies: Vec<Result<Exact, String>>,
}

/// An exact figure for one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// E[duplicates of a turn].
    pub duplicates_per_turn: f64,
    /// P(a turn has a duplicate).
    pub duplicate_turn_probability: f64,
    /// E[duplicates of a turn] by tool, in scenario order.
    pub duplicates_by_tool: Vec<f64>,
    /// Probability of each pattern of duplicates (how many of each tool in one turn), where it is derived too; the
    /// probabilities sum to `duplicate_turn_probability`. Empty where only the means are known.
    pub patterns: Vec<(Box<[u32]>, f64)>,
    /// The derivation in one line, for the report.
    pub formula: String,
}

/// The estimates of `scenario`.
#[must_use]
pub fn estimate(scenario: &Scenario) -> Estimate {
    let policies = scenario.policies.iter().map(|_| Err("stub".to_owned())).collect();
    Estimate { failure_rate: 0.0, window_fraction: 0.0, headline_rate: 0.0, headline_leaves_out: vec![], policies }
}
