//! What the plots draw beyond the report's figures: where the window of a turn is, how the rates settled, and the
//! shape of a month.

mod anatomy;
mod month;

use super::build::Rates;
use super::data::Rate;
use crate::estimate::Estimate;
use crate::scenario::Scenario;
use crate::sim::Outcome;
use crate::turn::{Class, DispatchAt, Handling, vocabulary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Points of a policy's convergence at most, the last apart.
const CHECKPOINTS: usize = 24;

/// The points behind the plots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Where the time of a turn goes, on average.
    pub anatomy: Anatomy,
    /// How the rate of each policy settled, in scenario order; absent where no turn was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub convergence: Vec<Convergence>,
    /// The shape of a month by policy, in scenario order; absent without a volume and where turns are not independent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub months: Vec<MonthShape>,
}

/// Mean lengths of the phases of a turn. Absent where a mean is infinite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Its mean, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub mean_ns: Option<u64>,
}

/// Where the time of a turn goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Anatomy {
    /// What the handler does while a tool runs.
    pub handler: Handling,
    /// When calls are dispatched.
    pub dispatch: DispatchAt,
    /// Request sent to the start of the first call block.
    pub prelude: Phase,
    /// Last content block stop to message_stop.
    pub gap: Phase,
    /// The tools that turns call, in scenario order.
    pub tools: Vec<ToolAnatomy>,
}

/// One tool in its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAnatomy {
    /// The tool's name.
    pub name: String,
    /// What it does in the world.
    pub class: Class,
    /// Calls of it in an undisturbed turn, on average.
    pub calls_per_turn: f64,
    /// How long its arguments stream.
    pub arguments: Phase,
    /// How long it runs, retries by its own client included.
    pub run: Phase,
    /// Its part of the window: each second of open stream after the first dispatch, weighted by the hazard's multiplier
    /// of its phase, belongs to the call dispatched last. Absent where no stream is open then, or a mean is infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub exposure_share: Option<f64>,
    /// The density of one request's latency at points equally far apart on a logarithmic axis; absent where the
    /// latency is a constant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency: Vec<DensityPoint>,
}

/// One point of a density of a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DensityPoint {
    /// The time, in nanoseconds.
    pub at_ns: u64,
    /// The density there, a second.
    pub per_second: f64,
}

/// How the rate of one policy settled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Convergence {
    /// The policy's name.
    pub policy: String,
    /// From few turns to all of them.
    pub points: Vec<ConvergencePoint>,
}

/// The rate after so many turns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConvergencePoint {
    /// Turns resolved by then.
    pub turns: u64,
    /// Those with a duplicate.
    pub duplicate_turns: u64,
    /// Lower end of the interval of their share.
    pub low: f64,
    /// Upper end of the interval; where no duplicate was seen the one-sided bound.
    pub high: f64,
}

vocabulary! {
    /// Whose rates a month was computed from.
    By {
        /// The exact figure's.
        Exact = "exact",
        /// The simulation's, where there is no exact figure.
        Simulated = "simulated",
    }
}

/// The shape of one policy's month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonthShape {
    /// The policy's name.
    pub policy: String,
    /// Whose rates these are.
    pub by: By,
    /// P(so many duplicates in a month), at either end those left out that are a thousand times less likely than the likeliest; absent where the mean is over
    /// 100,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<CountBin>,
    /// P(the month costs more), falling; absent where no tool has a cost or there are no duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceedance: Vec<Exceedance>,
}

/// A range of counts and its probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountBin {
    /// The least count.
    pub from: u64,
    /// The greatest count.
    pub to: u64,
    /// P(from ≤ count ≤ to).
    pub probability: f64,
}

/// One point of a loss exceedance curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exceedance {
    /// A month's cost, in the scenario's currency.
    pub amount: f64,
    /// P(a month costs more).
    pub probability: f64,
}

impl Series {
    pub(super) fn new(scenario: &Scenario, estimate: &Estimate, outcome: &Outcome, independent: bool) -> Self {
        let months = scenario.policies.iter().zip(&outcome.policies).zip(&estimate.policies);
        let months = months.filter(|((_, tally), _)| independent && tally.turns > 0);
        // Policies of the same fate have the same month, and its quantiles take their time.
        let mut known: Vec<(Rates, MonthShape)> = Vec::new();
        let months = months.filter_map(|((policy, tally), exact)| {
            let (by, rates) = match exact {
                Ok(exact) => (By::Exact, Rates::exact(exact)),
                Err(_) => (By::Simulated, Rates::seen(tally)),
            };
            let named = |shape: &MonthShape| MonthShape { policy: policy.name.clone(), by, ..shape.clone() };
            if let Some((_, shape)) = known.iter().find(|(same, _)| *same == rates) {
                return Some(named(shape));
            }
            let shape = month::shape(scenario, &policy.name, by, &rates)?;
            known.push((rates, shape.clone()));
            Some(shape)
        });
        Series { anatomy: anatomy::of(scenario), convergence: convergence(scenario, outcome), months: months.collect() }
    }
}

/// The checkpoints of the run thinned to [`CHECKPOINTS`] a policy, evenly over the logarithm of the turns.
fn convergence(scenario: &Scenario, outcome: &Outcome) -> Vec<Convergence> {
    let all = &outcome.checkpoints;
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Vec::new() };
    let log = |turns: u64| libm::log(turns.max(1) as f64);
    let step = (log(last.turns) - log(first.turns)) / CHECKPOINTS as f64;
    let mut kept: Vec<usize> = Vec::new();
    for (index, checkpoint) in all.iter().enumerate() {
        let far = |k: &usize| log(checkpoint.turns) >= log(all[*k].turns) + step;
        match kept.last() {
            None => kept.push(index),
            Some(last) if far(last) => kept.push(index),
            // The end is always there, in place of a point just before it.
            Some(_) if index + 1 == all.len() => {
                if kept.len() > 1 {
                    kept.pop();
                }
                kept.push(index);
            }
            Some(_) => {}
        }
    }
    let points = |policy: usize| {
        let at = |&index: &usize| {
            let (turns, seen) = (all[index].turns, all[index].duplicate_turns[policy]);
            let rate = Rate::of(seen, turns);
            let high = if seen == 0 { rate.upper } else { rate.high };
            ConvergencePoint { turns, duplicate_turns: seen, low: rate.low, high }
        };
        kept.iter().map(at).collect()
    };
    let policies = scenario.policies.iter().enumerate();
    policies.map(|(index, policy)| Convergence { policy: policy.name.clone(), points: points(index) }).collect()
}
