//! The estimates: formulas over the scenario, never a look at the simulation.
//!
//! Attempts of a turn that never overlap are independent given what the turn has done so far, and under a constant
//! hazard so are the stretches of one attempt. So a turn is a finite Markov chain, whose transition probabilities are
//! products of Laplace transforms of the durations; [`estimate`] follows it to the end and reads off how many effects
//! each intent has. Where a dispatcher's guarantee makes duplicates impossible, the figure is zero by argument.
//! `docs/estimates.md` has the derivations.

mod attempt;
mod chain;
mod formula;
mod guarantee;
mod headline;
mod look;
mod reach;
mod risk;
mod state;
mod support;
pub mod volume;

use crate::scenario::Scenario;
use chain::{Chain, RiskTable};
use headline::FirstAttempt;
use reach::Reach;
use state::{Mass, add};

/// The figures of one scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// P(the first attempt of a turn is cut and the handler notices), over the mix of shapes; idle time-outs
    /// included, crashes and incidents left out.
    pub failure_rate: f64,
    /// P(in flight or returned | cut) of first attempts; 0 where nothing is cut.
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
    /// Probability of each pattern of duplicates (how many of each tool in one turn), ascending; the probabilities
    /// sum to `duplicate_turn_probability`. Empty where there are no duplicates.
    pub patterns: Vec<(Box<[u32]>, f64)>,
    /// The derivation in one line, for the report.
    pub formula: String,
}

/// The estimates of `scenario`.
#[must_use]
pub fn estimate(scenario: &Scenario) -> Estimate {
    let first = FirstAttempt::of(scenario);
    let risks = RiskTable::new(scenario);
    let exact = |policy| exact(Reach { scenario, policy }, &first, &risks);
    Estimate {
        failure_rate: first.cut,
        window_fraction: if first.cut > 0.0 { first.window / first.cut } else { 0.0 },
        headline_rate: first.window,
        headline_leaves_out: headline::leaves_out(scenario),
        policies: scenario.policies.iter().map(exact).collect(),
    }
}

/// The figure of one policy: the average over the shapes, each zero by argument or followed through the chain.
fn exact(reach: Reach<'_>, first: &FirstAttempt, risks: &RiskTable) -> Result<Exact, String> {
    let scenario: &Scenario = reach.scenario;
    let mut patterns = Mass::new();
    let mut reasons = Vec::new();
    let mut histories = 0;
    for (shape, share) in scenario.shapes.iter().zip(scenario.shape_shares()) {
        if let Some(reason) = guarantee::reason(reach, shape) {
            reasons.push(reason);
            continue;
        }
        if let Some(feature) = support::obstacle(reach, shape) {
            return Err(feature.to_owned());
        }
        let (ended, followed) = Chain::run(reach, shape, risks)?;
        histories += followed;
        for (intents, probability) in ended {
            let mut pattern = vec![0u32; scenario.tools.len()];
            for (tool, intent) in shape.calls().zip(&intents) {
                pattern[tool] += u32::from(intent.effects.saturating_sub(1));
            }
            if pattern.iter().any(|duplicates| *duplicates > 0) {
                add(&mut patterns, pattern.into_boxed_slice(), share * probability);
            }
        }
    }
    // Rounding may carry the sum of a certainty over 1.
    let total: f64 = patterns.values().sum();
    if total > 1.0 {
        patterns.values_mut().for_each(|probability| *probability /= total);
    }
    // Folded from 0, because the sum of no floats is −0.
    let sum = |terms: &mut dyn Iterator<Item = f64>| terms.fold(0.0, |sum, term| sum + term);
    let by_tool = |tool: usize| sum(&mut patterns.iter().map(|(pattern, p)| f64::from(pattern[tool]) * p));
    let duplicates_by_tool: Vec<f64> = (0..scenario.tools.len()).map(by_tool).collect();
    Ok(Exact {
        duplicates_per_turn: sum(&mut duplicates_by_tool.iter().copied()),
        duplicate_turn_probability: sum(&mut patterns.values().copied()).min(1.0),
        duplicates_by_tool,
        patterns: patterns.into_iter().collect(),
        formula: formula::line(reach, first, &reasons, histories),
    })
}
