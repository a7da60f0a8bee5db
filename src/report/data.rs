//! The report as data: what `run --format json` prints, `summary.json` holds and every other renderer draws from.
//!
//! The names of fields are a contract (`docs/report.schema.json`). A field that does not apply is absent, not zero.

use super::series::Series;
use crate::sim::Sampling;
use crate::turn::{Cause, vocabulary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// The version of the report's format.
pub const SCHEMA: u32 = 1;

/// Everything one run found out about one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// What was run.
    pub scenario: ScenarioId,
    /// Seed of all draws.
    pub seed: u64,
    /// Turns that each policy ran.
    pub turns: u64,
    /// Whether the run was interrupted before its last turn; absent where it was not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    /// How precise a rate was asked for, and how precise it is; absent where the number of turns was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Precision")]
    pub precision: Option<Precision>,
    /// Which turns were simulated.
    pub sampling: Sampling,
    /// The figures of the formulas, which know nothing of the simulation.
    pub estimate: EstimateFigures,
    /// What limits the figures of this report; absent where nothing does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
    /// What the simulation counted, one entry a policy in scenario order.
    pub policies: Vec<PolicyReport>,
    /// What the plots draw beyond the figures above.
    pub series: Series,
    /// The version of doublefire that ran.
    pub version: String,
    /// The command that gives this report again.
    pub command: String,
    /// Every value of the scenario file that this was computed from, edits applied, in the order of the file.
    pub assumptions: Vec<Assumption>,
}

/// One value of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assumption {
    /// Its key, in the grammar of `--set`.
    pub path: String,
    /// The value.
    pub value: String,
}

/// How precisely a run was to find out a rate, and how precisely it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Precision {
    /// Half the width of the rate's interval over the rate itself, at most.
    pub asked: f64,
    /// The policy whose rate it is: the first naive one, else the first with a duplicate; absent where none had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub policy: Option<String>,
    /// What it came to; absent where no duplicate was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub reached: Option<f64>,
    /// Turns after which the run was to end whatever it had reached.
    pub max_turns: u64,
}

impl Precision {
    /// Whether what was asked for was reached.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.reached.is_some_and(|reached| reached <= self.asked)
    }
}

/// What `estimate --format json` prints: a report's first half, without a simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateReport {
    /// Version of this format.
    pub schema: u32,
    /// What was estimated.
    pub scenario: ScenarioId,
    /// The figures of the formulas.
    pub estimate: EstimateFigures,
}

vocabulary! {
    /// What limits a report's figures.
    Caveat {
        /// Incidents make the turns of a month depend on each other. Rates and means hold. The intervals and bounds of
        /// a rate take turns as independent and may be too narrow, and what needs independent turns is not projected:
        /// the chance of at least one duplicate in a month, and the quantiles of its cost.
        DependentTurns = "dependent_turns",
        /// Cuts come by given rates (`failure.fraction`) and not by a hazard: a slower tool or a longer stream is cut
        /// no more often than a short one.
        RateGiven = "rate_given",
        /// The headline or the exact figures leave out a feature of the scenario.
        EstimateLeavesOut = "estimate_leaves_out",
        /// Simulation and exact figure of a policy differ by more than chance brings about: one of them is wrong.
        FiguresDiffer = "figures_differ",
        /// The interval of the highest rate is wider than a tenth of it on either side.
        FewEvents = "few_events",
        /// A policy has no duplicates, and no run met what would cause one: its zero says nothing about it.
        DangerNotReached = "danger_not_reached",
    }
}

/// Which scenario it was, to the byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioId {
    /// Names the output folder.
    pub name: String,
    /// For people.
    pub title: String,
    /// SHA-256 of the file's bytes, lowercase hex.
    pub sha256: String,
    /// Keys overridden on the command line, as PATH=VALUE in the order given; absent where none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// Data files that the scenario draws from; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileId>,
}

/// One data file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileId {
    /// As the scenario names it.
    pub path: String,
    /// SHA-256 of its bytes, lowercase hex.
    pub sha256: String,
}

/// What the formulas say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateFigures {
    /// P(a first attempt is cut).
    pub failure_rate: f64,
    /// P(the cut strikes after the first dispatch, given a cut).
    pub window_fraction: f64,
    /// failure_rate × window_fraction: the arithmetic people do by hand, duplicates a turn.
    pub headline_rate: f64,
    /// Headline duplicates a month; absent without a volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub headline_per_month: Option<f64>,
    /// What the headline leaves out in this scenario; absent where nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headline_leaves_out: Vec<String>,
    /// The exact figure of each policy that has one, by the policy's name.
    pub exact: BTreeMap<String, ExactFigure>,
    /// For each other policy, the feature that prevents it.
    pub exact_missing: BTreeMap<String, String>,
}

/// An exact figure for one policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactFigure {
    /// E[duplicates of a turn].
    pub duplicates_per_turn: f64,
    /// P(a turn has a duplicate).
    pub duplicate_turn_probability: f64,
    /// The derivation in one line.
    pub formula: String,
    /// A month by this figure; absent without a volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Month")]
    pub volume: Option<Month>,
}

/// What the simulation counted for one policy. Counts are exact integers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyReport {
    /// The policy's name.
    pub name: String,
    /// Turns resolved.
    pub turns: u64,
    /// Attempts issued: commits + cuts + crashes + refused.
    pub attempts: u64,
    /// Attempts that committed, silent ends among them.
    pub commits: u64,
    /// Attempts that ended by a noticed cut.
    pub cuts: u64,
    /// Committed attempts whose stream had ended early unnoticed.
    pub silent_cuts: u64,
    /// Attempts whose process died.
    pub crashes: u64,
    /// Where cuts and crashes struck; sums to cuts + crashes.
    pub died: DiedCounts,
    /// Effects of writes.
    pub effects: u64,
    /// Effects of an intent after its first.
    pub duplicates: u64,
    /// Turns with a duplicate.
    pub duplicate_turns: u64,
    /// Turns that never committed.
    pub failed_turns: u64,
    /// Write intents of committed turns without an effect of their own, answered with another intent's result.
    pub swallowed: u64,
    /// Those among them answered with another conversation's result.
    pub crossed: u64,
    /// Write intents of committed turns without an effect and without a foreign result.
    pub unserved: u64,
    /// Effects whose turn ended failed.
    pub orphaned: u64,
    /// Ledger rows in flight at the end.
    pub stuck: u64,
    /// Calls dispatched.
    pub calls: u64,
    /// Call blocks that were streaming when their attempt ended.
    pub abandoned_calls: u64,
    /// Attempts that the dispatcher failed.
    pub refused: u64,
    /// Ledger rows written before a run.
    pub claims: u64,
    /// Calls that found a row.
    pub conflicts: u64,
    /// Calls that waited for a row.
    pub waits: u64,
    /// Time they waited in all, in nanoseconds.
    pub waited_ns: u128,
    /// Turns with a replay drawn and not issued for the limit of attempts.
    pub capped_turns: u64,
    /// Duplicates by cause, those seen; sums to duplicates.
    #[schemars(extend("propertyNames" = {"enum": names_of_causes()}))]
    pub causes: BTreeMap<Cause, u64>,
    /// Share of turns with a duplicate, with its intervals; absent where no turn was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// Against the exact figure; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Agreement")]
    pub agreement: Option<Agreement>,
    /// A month as simulated; absent without a volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Month")]
    pub volume: Option<Month>,
    /// By tool, in scenario order.
    pub tools: Vec<ToolReport>,
}

/// Where cuts and crashes struck: the first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiedCounts {
    /// Nothing dispatched, no call block streaming.
    pub before_call: u64,
    /// A call block was streaming its arguments, nothing was dispatched.
    pub arguments: u64,
    /// Some dispatch had not returned.
    pub in_flight: u64,
    /// At least one call was dispatched and all of them had returned.
    pub returned: u64,
    /// After the last message_stop, nothing in flight, not committed; crashes only.
    pub stopped: u64,
}

/// The share of turns with a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// duplicate_turns / turns.
    pub per_turn: f64,
    /// Lower end of the two-sided Clopper–Pearson interval.
    pub low: f64,
    /// Upper end of the two-sided Clopper–Pearson interval.
    pub high: f64,
    /// One-sided upper Clopper–Pearson bound: what is quoted where zero was seen.
    pub upper: f64,
    /// Of the interval and of the bound.
    pub confidence: f64,
}

/// How far the simulation is from the exact figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// (duplicate_turns − n·d) / √(n·d·(1 − d)) with the exact probability d over n turns; 0 where d is 0 or 1.
    pub z: f64,
    /// In a word.
    pub verdict: Verdict,
}

vocabulary! {
    /// What the distance from the exact figure comes to, by the exact binomial distribution of the count.
    Verdict {
        /// No further apart than chance brings about: 0.006 % of runs at most are told that they differ when they do
        /// not, as rare as four standard errors of a normal distribution. Where d is 0 or 1 chance has no say: none
        /// (or all) seen, as the exact figure has it.
        Agrees = "agrees",
        /// Further apart than that.
        Differs = "differs",
        /// Not further apart, but n·d·(1 − d) is below 9: too few turns for agreement to mean much.
        CouldNotTell = "could_not_tell",
    }
}

/// Figures of one month of traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Month {
    /// Turns in the month.
    #[serde(serialize_with = "whole_where_it_is")]
    pub turns: f64,
    /// Expected duplicates.
    pub duplicates: f64,
    /// Expected turns with a duplicate.
    pub duplicate_turns: f64,
    /// P(at least one duplicate); absent where turns are not independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub at_least_one: Option<f64>,
    /// What the simulation's uncertainty comes to in a month; absent for exact figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MonthBounds")]
    pub bounds: Option<MonthBounds>,
    /// What the duplicates cost; absent where no tool has a cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Cost")]
    pub cost: Option<Cost>,
}

/// The bounds of [`Rate`] over a month, at the same confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonthBounds {
    /// Expected turns with a duplicate at the lower end of the interval.
    pub duplicate_turns_low: f64,
    /// Expected turns with a duplicate at the upper end of the interval.
    pub duplicate_turns_high: f64,
    /// Expected turns with a duplicate at the one-sided upper bound.
    pub duplicate_turns_upper: f64,
    /// P(at least one duplicate) at the one-sided upper bound; absent where turns are not independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub at_least_one_upper: Option<f64>,
}

/// What the duplicates of a month cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// The currency, as the scenario names it.
    pub currency: String,
    /// Expected; absent where a tool's cost has no finite mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub mean: Option<f64>,
    /// Median month; this and the next absent where they cannot be computed, and where turns
    /// are not independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub p50: Option<f64>,
    /// Exceeded in one month of twenty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub p95: Option<f64>,
    /// Exceeded in one month of a hundred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub p99: Option<f64>,
}

/// The counts of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolReport {
    /// The tool's name.
    pub name: String,
    /// Calls dispatched.
    pub calls: u64,
    /// Effects.
    pub effects: u64,
    /// Effects of an intent after its first.
    pub duplicates: u64,
}

impl PolicyReport {
    /// Attempts after a turn's first.
    #[must_use]
    pub fn replays(&self) -> u64 {
        self.attempts.saturating_sub(self.turns)
    }
}

impl DiedCounts {
    /// Cuts and crashes after the first dispatch: the window.
    #[must_use]
    pub fn in_window(&self) -> u64 {
        self.in_flight + self.returned
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.before_call + self.arguments + self.in_window() + self.stopped
    }
}

/// Turns a month are mostly a whole number and then read better as one: 3000, not 3000.0.
pub(crate) fn whole_where_it_is<S: Serializer>(turns: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if turns.fract() == 0.0 && (0.0..EXACT).contains(turns) {
        serializer.serialize_u64(*turns as u64)
    } else {
        serializer.serialize_f64(*turns)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn names_of_causes() -> Vec<&'static str> {
    Cause::ALL.iter().map(|cause| cause.name()).collect()
}

/// The JSON Schema of [`Report`], as `docs/report.schema.json` holds it.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Report)
}
