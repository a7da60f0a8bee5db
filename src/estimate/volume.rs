//! What a rate of duplicates means for a month's traffic: how many, whether any, and what they cost.

use crate::dist::Distribution;
use crate::scenario::{Scenario, Tool};
use crate::stats::compound::CompoundPoisson;
use crate::stats::severity::{Amount, Severity};

/// The figures of one month, from rates per turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// Turns a month.
    pub turns: f64,
    /// Duplicates a month, on average.
    pub duplicates: f64,
    /// P(the month has a duplicate), turns being independent: no figure of a scenario with incidents.
    pub at_least_one: f64,
    /// What the duplicates cost; None where no tool has a cost.
    pub cost: Option<Cost>,
}

/// What a month's duplicates cost, in the scenario's currency; quantiles are those of independent turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Infinite where a cost has no mean.
    pub mean: f64,
    /// Median; None where quantiles cannot be had, see [`monthly`].
    pub p50: Option<f64>,
    /// Exceeded in one month of twenty.
    pub p95: Option<f64>,
    /// Exceeded in one month of a hundred.
    pub p99: Option<f64>,
}

impl Amount for Distribution {
    fn survival(&self, x: f64) -> f64 {
        Distribution::survival(self, x)
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        Distribution::laplace_deficit(self, s)
    }

    fn as_constant(&self) -> Option<f64> {
        Distribution::as_constant(self)
    }
}

/// The month of a policy with these rates; None for a scenario without a volume.
///
/// `duplicates_by_tool` are duplicates a turn, in scenario order, `duplicate_turn_probability` is P(a turn has a
/// duplicate), and `patterns` say how many duplicates of each tool (scenario order) a turn has with which
/// probability, turns without a duplicate left out.
///
/// With V turns a month and d = `duplicate_turn_probability`, the number of duplicate turns is Poisson with mean V·d.
/// Each brings a pattern with probability proportional to the given one, and each duplicate costs an independent draw
/// of its tool's cost. The mean cost is V·Σ rate·E\[cost\] over the tools, from the rates. Quantiles are None where
/// there are duplicates but no patterns, and where [`CompoundPoisson::quantile`] has none.
///
/// # Panics
/// If a rate or probability is negative or NaN, or a pattern does not count every tool.
#[must_use]
pub fn monthly(
    scenario: &Scenario,
    duplicates_by_tool: &[f64],
    duplicate_turn_probability: f64,
    patterns: &[(Box<[u32]>, f64)],
) -> Option<Volume> {
    let turns = scenario.volume.as_ref()?.turns_per_month;
    assert!(duplicate_turn_probability >= 0.0, "a probability of {duplicate_turn_probability}");
    let priced = priced(scenario);
    let cost = (!priced.is_empty()).then(|| {
        let mean_of = |(rate, tool): (&f64, &Tool)| match &tool.cost {
            Some(cost) if *rate > 0.0 => turns * rate * cost.mean(),
            _ => 0.0,
        };
        let mean = duplicates_by_tool.iter().zip(&scenario.tools).map(mean_of).sum();
        let [p50, p95, p99] = match sum_of_costs(&priced, turns * duplicate_turn_probability, patterns) {
            Some(sum) => [0.5, 0.95, 0.99].map(|p| sum.quantile(p)),
            None => [None; 3],
        };
        Cost { mean, p50, p95, p99 }
    });
    Some(Volume {
        turns,
        duplicates: turns * duplicates_by_tool.iter().sum::<f64>(),
        at_least_one: -libm::expm1(turns * libm::log1p(-duplicate_turn_probability.min(1.0))),
        cost,
    })
}

/// The quantiles of a month's cost at these probabilities, as in [`monthly`]; None where the scenario has no volume, no
/// tool has a cost, or there are duplicates but no patterns.
#[must_use]
pub fn cost_quantiles(
    scenario: &Scenario,
    duplicate_turn_probability: f64,
    patterns: &[(Box<[u32]>, f64)],
    probabilities: &[f64],
) -> Option<Vec<Option<f64>>> {
    let turns = scenario.volume.as_ref()?.turns_per_month;
    let priced = priced(scenario);
    let sum = sum_of_costs(&priced, turns * duplicate_turn_probability, patterns).filter(|_| !priced.is_empty())?;
    Some(sum.quantiles(probabilities))
}

/// The tools that have a cost, by their place in the scenario.
fn priced(scenario: &Scenario) -> Vec<(usize, &Distribution)> {
    scenario.tools.iter().enumerate().filter_map(|(tool, t)| Some((tool, t.cost.as_ref()?))).collect()
}

/// The month's cost, for this mean number of duplicate turns; None where their patterns are not known.
fn sum_of_costs<'a>(
    priced: &[(usize, &'a Distribution)],
    duplicate_turns: f64,
    patterns: &[(Box<[u32]>, f64)],
) -> Option<CompoundPoisson<&'a Distribution>> {
    if duplicate_turns == 0.0 {
        return Some(CompoundPoisson::zero());
    }
    if patterns.iter().all(|(_, probability)| *probability == 0.0) {
        return None;
    }
    let amounts = priced.iter().map(|(_, cost)| *cost).collect();
    let priced_counts = |counts: &[u32]| priced.iter().map(|(tool, _)| counts[*tool]).collect();
    let patterns = patterns.iter().map(|(counts, probability)| (priced_counts(counts), *probability));
    Some(CompoundPoisson::new(duplicate_turns, Severity::mixture(amounts, patterns)))
}
