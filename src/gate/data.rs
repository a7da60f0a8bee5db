//! What `check` found, as data: `check --format json` prints it, every other renderer draws from it.

use super::baseline::Comparison;
use crate::report::{SCHEMA, ScenarioId, whole_where_it_is};
use crate::scenario::gate::Judge;
use crate::turn::vocabulary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

vocabulary! {
    /// What became of a gate. In the order of what weighs more: the worst decides how `check` ends.
    Verdict {
        /// It holds, and what it guards against came up.
        Passed = "passed",
        /// The interval straddles the limit: more turns would tell.
        Undecided = "undecided",
        /// There is no figure, or what it guards against never came up.
        NotMeasured = "not_measured",
        /// It does not hold.
        Failed = "failed",
    }
}

impl Verdict {
    /// The word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::NotMeasured => "not measured",
            other => other.name(),
        }
    }
}

/// The gates of one or several scenarios.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// Version of this format.
    pub schema: u32,
    /// The worst of all.
    pub verdict: Verdict,
    /// In the order of the command line.
    pub scenarios: Vec<ScenarioCheck>,
}

/// The gates of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioCheck {
    /// How messages name the file.
    pub file: String,
    /// What was run.
    pub scenario: ScenarioId,
    /// Seed of all draws.
    pub seed: u64,
    /// Turns of each policy.
    pub turns: u64,
    /// In file order.
    pub gates: Vec<Judged>,
    /// Against an earlier report; absent where none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Comparison")]
    pub baseline: Option<Comparison>,
}

/// One gate and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// The line of its `[[gate]]` in the file, from 1.
    pub line: usize,
    /// The policy's name.
    pub policy: String,
    /// The figure's path in the policy's report.
    pub metric: String,
    /// What must hold.
    pub limit: Limit,
    /// Of what it must hold.
    pub judge: Judge,
    /// What became of it.
    pub verdict: Verdict,
    /// The figure; absent where the report has none.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "whole_if_any")]
    #[schemars(with = "f64")]
    pub value: Option<f64>,
    /// The bounds that were judged; absent where the figure itself was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Range")]
    pub bounds: Option<Range>,
    /// Why it is not passed; absent where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// What shows that the figure could have been another, or that nothing does; absent where the figure guards
    /// against nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub evidence: Option<String>,
}

/// Ends of a range, each at the report's confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Range {
    /// The lower end of the two-sided interval.
    pub low: f64,
    /// The one-sided upper bound.
    pub high: f64,
}

/// What must hold of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// It is not more.
    Max(#[serde(serialize_with = "whole_where_it_is")] f64),
    /// It is not less.
    Min(#[serde(serialize_with = "whole_where_it_is")] f64),
    /// It is exactly this.
    Equals(#[serde(serialize_with = "whole_where_it_is")] f64),
    /// It is this exact figure, within so many standard errors.
    Exact {
        /// What the formulas say.
        value: f64,
        /// How far the figure may be from it.
        sigmas: f64,
    },
}

fn whole_if_any<S: serde::Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => whole_where_it_is(value, serializer),
        None => serializer.serialize_none(),
    }
}

impl CheckReport {
    /// The report over scenarios that were checked.
    #[must_use]
    pub fn new(scenarios: Vec<ScenarioCheck>) -> Self {
        let gates = scenarios.iter().flat_map(|scenario| &scenario.gates).map(|gate| gate.verdict);
        let baselines = scenarios.iter().filter_map(|scenario| scenario.baseline.as_ref()).map(Comparison::verdict);
        let verdict = gates.chain(baselines).max().unwrap_or(Verdict::NotMeasured);
        CheckReport { schema: SCHEMA, verdict, scenarios }
    }

    /// How many gates ended so.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.scenarios.iter().flat_map(|scenario| &scenario.gates).filter(|gate| gate.verdict == verdict).count()
    }
}

/// The JSON Schema of [`CheckReport`], as `docs/check.schema.json` holds it.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(CheckReport)
}
