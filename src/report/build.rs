//! From scenario, formulas and simulation to the report's data.

use super::data::{
    Agreement, Assumption, Cost, DiedCounts, EstimateFigures, EstimateReport, ExactFigure, FileId, Month, MonthBounds,
    PolicyReport, Rate, Report, SCHEMA, ScenarioId, ToolReport, Verdict,
};
use super::series::Series;
use super::{caveats, command};
use crate::audit::Tally;
use crate::estimate::volume::monthly;
use crate::estimate::{Estimate, Exact};
use crate::scenario::Scenario;
use crate::sim::Outcome;
use crate::stats::{binomial_tail, clopper_pearson, clopper_pearson_upper, z_score};
use crate::turn::{Cause, Died};
use std::collections::BTreeMap;

/// Of every interval and bound in a report.
pub const CONFIDENCE: f64 = 0.95;

/// Simulation and exact figure differ where chance brings so much distance about less often than this: the two tails
/// of a normal distribution beyond four standard errors.
const DIFFERS_BELOW: f64 = 6e-5;

/// The least variance n·d·(1 − d) of a count of duplicate turns at which nothing unusual is a finding.
const TELLING_VARIANCE: f64 = 9.0;

/// What a run was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Seed of all draws.
    pub seed: u64,
    /// Turns.
    pub turns: u64,
    /// Keys overridden on the command line, as PATH=VALUE.
    pub set: &'a [String],
}

impl EstimateReport {
    /// The report of the formulas alone.
    #[must_use]
    pub fn new(scenario: &Scenario, set: &[String], estimate: &Estimate) -> Self {
        EstimateReport {
            schema: SCHEMA,
            scenario: ScenarioId::new(scenario, set),
            estimate: EstimateFigures::new(scenario, estimate),
        }
    }
}

impl Report {
    /// The report of one run.
    ///
    /// # Panics
    /// Where simulation and scenario do not belong together, and where a policy had duplicates that its exact figure
    /// rules out: that is an error of this program.
    #[must_use]
    pub fn new(scenario: &Scenario, asked: Asked<'_>, estimate: &Estimate, outcome: &Outcome) -> Self {
        assert_eq!(scenario.policies.len(), outcome.policies.len(), "a tally for each policy");
        assert_eq!(scenario.policies.len(), estimate.policies.len(), "an estimate for each policy");
        let policies: Vec<PolicyReport> = (scenario.policies.iter().zip(&outcome.policies).zip(&estimate.policies))
            .map(|((policy, tally), exact)| {
                let exact = exact.as_ref().ok();
                if let Some(exact) = exact {
                    let probability = exact.duplicate_turn_probability;
                    assert!(
                        (probability > 0.0 || tally.duplicate_turns == 0)
                            && (probability < 1.0 || tally.duplicate_turns == tally.turns),
                        "policy {} of scenario {} had {} duplicate turns in {} turns with seed {}, where the exact \
                         figure allows none but {probability} of them",
                        policy.name,
                        scenario.name,
                        tally.duplicate_turns,
                        tally.turns,
                        asked.seed,
                    );
                }
                PolicyReport::new(scenario, &policy.name, tally, exact)
            })
            .collect();
        Report {
            schema: SCHEMA,
            scenario: ScenarioId::new(scenario, asked.set),
            seed: asked.seed,
            turns: asked.turns,
            partial: outcome.stopped,
            precision: None,
            sampling: outcome.sampling,
            estimate: EstimateFigures::new(scenario, estimate),
            caveats: caveats::of(scenario, estimate, &policies),
            policies,
            series: Series::new(scenario, estimate, outcome, independent(scenario)),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command::of(scenario, asked, outcome.sampling),
            assumptions: assumptions(scenario),
        }
    }
}

fn assumptions(scenario: &Scenario) -> Vec<Assumption> {
    let assumption = |(path, value): &(String, String)| Assumption { path: path.clone(), value: value.clone() };
    scenario.values.iter().map(assumption).collect()
}

impl ScenarioId {
    pub(super) fn new(scenario: &Scenario, set: &[String]) -> Self {
        ScenarioId {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            sha256: scenario.sha256.clone(),
            set: set.to_vec(),
            files: (scenario.files.iter())
                .map(|file| FileId { path: file.path.clone(), sha256: file.sha256.clone() })
                .collect(),
        }
    }
}

impl EstimateFigures {
    fn new(scenario: &Scenario, estimate: &Estimate) -> Self {
        let mut exact = BTreeMap::new();
        let mut exact_missing = BTreeMap::new();
        for (policy, figure) in scenario.policies.iter().zip(&estimate.policies) {
            match figure {
                Ok(figure) => _ = exact.insert(policy.name.clone(), ExactFigure::new(scenario, figure)),
                Err(feature) => _ = exact_missing.insert(policy.name.clone(), feature.clone()),
            }
        }
        EstimateFigures {
            failure_rate: estimate.failure_rate,
            window_fraction: estimate.window_fraction,
            headline_rate: estimate.headline_rate,
            headline_per_month: (scenario.volume.as_ref()).map(|v| v.turns_per_month * estimate.headline_rate),
            headline_leaves_out: estimate.headline_leaves_out.clone(),
            exact,
            exact_missing,
        }
    }
}

impl ExactFigure {
    fn new(scenario: &Scenario, exact: &Exact) -> Self {
        ExactFigure {
            duplicates_per_turn: exact.duplicates_per_turn,
            duplicate_turn_probability: exact.duplicate_turn_probability,
            formula: exact.formula.clone(),
            volume: Month::new(scenario, &Rates::exact(exact), None),
        }
    }
}

impl PolicyReport {
    pub(super) fn new(scenario: &Scenario, name: &str, tally: &Tally, exact: Option<&Exact>) -> Self {
        let rate = (tally.turns > 0).then(|| Rate::of(tally.duplicate_turns, tally.turns));
        let tools = scenario.tools.iter().zip(&tally.tools).map(|(tool, counts)| ToolReport {
            name: tool.name.clone(),
            calls: counts.calls,
            effects: counts.effects,
            duplicates: counts.duplicates,
        });
        let causes = Cause::ALL.iter().map(|cause| (*cause, tally.causes[cause.index()])).filter(|(_, n)| *n > 0);
        PolicyReport {
            name: name.to_owned(),
            turns: tally.turns,
            attempts: tally.attempts,
            commits: tally.commits,
            cuts: tally.cuts,
            silent_cuts: tally.silent_cuts,
            crashes: tally.crashes,
            died: DiedCounts {
                before_call: tally.died[Died::BeforeCall.index()],
                arguments: tally.died[Died::Arguments.index()],
                in_flight: tally.died[Died::InFlight.index()],
                returned: tally.died[Died::Returned.index()],
                stopped: tally.died[Died::Stopped.index()],
            },
            effects: tally.effects,
            duplicates: tally.duplicates,
            duplicate_turns: tally.duplicate_turns,
            failed_turns: tally.failed_turns,
            swallowed: tally.swallowed,
            crossed: tally.crossed,
            unserved: tally.unserved,
            orphaned: tally.orphaned,
            stuck: tally.stuck,
            calls: tally.calls,
            abandoned_calls: tally.abandoned_calls,
            refused: tally.refused,
            claims: tally.claims,
            conflicts: tally.conflicts,
            waits: tally.waits,
            waited_ns: tally.waited_ns,
            capped_turns: tally.capped_turns,
            causes: causes.collect(),
            volume: rate.as_ref().and_then(|rate| Month::new(scenario, &Rates::seen(tally), Some(rate))),
            agreement: exact.filter(|_| tally.turns > 0).map(|exact| Agreement::of(tally, exact)),
            rate,
            tools: tools.collect(),
        }
    }
}

impl Rate {
    /// The rate of `seen` turns of `turns`, at least one of them.
    #[must_use]
    pub fn of(seen: u64, turns: u64) -> Self {
        let (low, high) = clopper_pearson(seen, turns, CONFIDENCE);
        Rate {
            per_turn: seen as f64 / turns as f64,
            low,
            high,
            upper: clopper_pearson_upper(seen, turns, CONFIDENCE),
            confidence: CONFIDENCE,
        }
    }
}

impl Rate {
    /// Half the width of the two-sided interval, as a part of the rate; none where the rate is zero.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        (self.per_turn > 0.0).then(|| 0.5 * (self.high - self.low) / self.per_turn)
    }
}

impl Agreement {
    /// Where the probability is 0 or 1 chance has no say: the report is refused if anything else was seen.
    fn of(tally: &Tally, exact: &Exact) -> Self {
        let (seen, turns, d) = (tally.duplicate_turns, tally.turns, exact.duplicate_turn_probability);
        let Some(z) = z_score(seen, turns, d) else { return Agreement { z: 0.0, verdict: Verdict::Agrees } };
        let verdict = match turns as f64 * d * (1.0 - d) {
            _ if binomial_tail(seen, turns, d) < DIFFERS_BELOW => Verdict::Differs,
            variance if variance < TELLING_VARIANCE => Verdict::CouldNotTell,
            _ => Verdict::Agrees,
        };
        Agreement { z: finite(z), verdict }
    }
}

/// Duplicates of one turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rates {
    /// P(it has one).
    pub(super) duplicate_turns: f64,
    /// Expected, by tool in scenario order.
    pub(super) by_tool: Vec<f64>,
    /// How many of each tool come together, with which probability.
    pub(super) patterns: Vec<(Box<[u32]>, f64)>,
}

impl Rates {
    /// By the formulas.
    pub(super) fn exact(exact: &Exact) -> Self {
        Rates {
            duplicate_turns: exact.duplicate_turn_probability,
            by_tool: exact.duplicates_by_tool.clone(),
            patterns: exact.patterns.clone(),
        }
    }

    /// As simulated. A month is projected from what was seen, so that its figures carry what the formulas leave out;
    /// the exact figure's own month stands beside it.
    pub(super) fn seen(tally: &Tally) -> Self {
        let share = |count: u64| count as f64 / tally.turns as f64;
        Rates {
            duplicate_turns: share(tally.duplicate_turns),
            by_tool: tally.tools.iter().map(|tool| share(tool.duplicates)).collect(),
            patterns: tally.patterns.iter().map(|(pattern, turns)| (pattern.clone(), share(*turns))).collect(),
        }
    }
}

impl Rates {
    fn scaled_to(mut self, duplicate_turns: f64) -> Self {
        let scale = duplicate_turns / self.duplicate_turns;
        self.duplicate_turns = duplicate_turns;
        self.by_tool.iter_mut().for_each(|rate| *rate *= scale);
        self.patterns.iter_mut().for_each(|(_, rate)| *rate *= scale);
        self
    }
}

/// Whether the turns of a month are independent of each other: incidents fail neighbours together.
pub(super) fn independent(scenario: &Scenario) -> bool {
    scenario.failure.incidents.is_none()
}

/// A figure that JSON can hold.
fn finite(figure: f64) -> f64 {
    assert!(figure.is_finite(), "a figure of {figure}: an error of this program");
    figure
}

impl Month {
    /// The month in which a turn has a duplicate with probability `rate` and such turns are like those of `tally`,
    /// which has some. None where the scenario has no volume.
    #[must_use]
    pub fn at(scenario: &Scenario, tally: &Tally, rate: f64) -> Option<Self> {
        Month::new(scenario, &Rates::seen(tally).scaled_to(rate), None)
    }

    /// None where the scenario has no volume.
    fn new(scenario: &Scenario, rates: &Rates, seen: Option<&Rate>) -> Option<Self> {
        let currency = &scenario.volume.as_ref()?.currency;
        let month = monthly(scenario, &rates.by_tool, rates.duplicate_turns, &rates.patterns)?;
        let independent = independent(scenario);
        let projected = |figure: f64| independent.then(|| finite(figure));
        let at_least_one = |probability: f64| projected(-libm::expm1(month.turns * libm::log1p(-probability)));
        Some(Month {
            turns: month.turns,
            duplicates: finite(month.duplicates),
            duplicate_turns: finite(month.turns * rates.duplicate_turns),
            at_least_one: projected(month.at_least_one),
            bounds: seen.map(|rate| MonthBounds {
                duplicate_turns_low: finite(month.turns * rate.low),
                duplicate_turns_high: finite(month.turns * rate.high),
                duplicate_turns_upper: finite(month.turns * rate.upper),
                at_least_one_upper: at_least_one(rate.upper),
            }),
            cost: month.cost.map(|cost| Cost {
                currency: currency.clone(),
                mean: Some(cost.mean).filter(|mean| mean.is_finite()),
                p50: cost.p50.and_then(projected),
                p95: cost.p95.and_then(projected),
                p99: cost.p99.and_then(projected),
            }),
        })
    }
}
