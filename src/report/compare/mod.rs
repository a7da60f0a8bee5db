//! Dispatchers, keys or whole scenarios side by side: one data struct ([`Comparison`]) and one renderer a file.

mod answer;
mod build;
pub mod csv;
pub mod table;
mod variants;

pub use build::{Compared, Run};
pub use variants::{Variants, variants};

use super::data::{PolicyReport, ScenarioId};
use crate::dispatch::rule::{Component, Dispatcher, OnFailed, OnMismatch, OnUnavailable, OnUnknown};
use crate::turn::vocabulary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `compare --format json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Version of this format.
    pub schema: u32,
    /// What was run, in the order of the command line.
    pub scenarios: Vec<ScenarioRun>,
    /// The options of the ledger that all dispatchers were given; absent where scenarios are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LedgerOptions")]
    pub options: Option<LedgerOptions>,
    /// Keys of the files that differ; absent where one scenario is compared, or nothing differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// One entry a dispatcher, key or policy.
    pub rows: Vec<Row>,
    /// Which to build, for each scenario.
    pub answers: Vec<Answer>,
}

/// One scenario and how it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRun {
    /// Names it below: its name, or what the command line calls it where two share a name.
    pub label: String,
    /// To the byte.
    pub scenario: ScenarioId,
    /// Seed of all draws.
    pub seed: u64,
    /// Turns each of its rows ran.
    pub turns: u64,
}

/// The options of a ledger, as in `[[policy]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerOptions {
    /// The policy of the scenario that they are from; absent where they are the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub from: Option<String>,
    /// `wait`, `fail`, `takeover` or `reconcile`.
    pub on_in_flight: String,
    /// In nanoseconds; absent where nothing is taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub lease_ns: Option<u64>,
    /// Whether the lease counts from the end of the claimant; absent where nothing is taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub renew: Option<bool>,
    /// In nanoseconds.
    pub wait_timeout_ns: u64,
    /// On a failed row.
    pub on_failed: OnFailed,
    /// On an unknown result.
    pub on_unknown: OnUnknown,
    /// On a row with other argument values.
    pub on_mismatch: OnMismatch,
    /// On a ledger that cannot be reached.
    pub on_unavailable: OnUnavailable,
    /// Probability, for each call of a replay, that its row is gone.
    pub ledger_loss: f64,
    /// The age at which a row is gone, in nanoseconds; absent where rows are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub row_retention_ns: Option<u64>,
    /// Probability, for each dispatch, that the ledger cannot be reached.
    pub unavailable: f64,
    /// Dispatchers that wait although these options reconcile: they claim rows of a tool that cannot be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_instead: Vec<Dispatcher>,
}

/// A key of scenario files that has not the same value in all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// In the grammar of `--set`.
    pub path: String,
    /// By the scenario's label; absent where the file has no such key.
    pub values: BTreeMap<String, String>,
}

vocabulary! {
    /// What the rows of a comparison have in common.
    Group {
        /// The six dispatchers, each with the full key.
        Dispatchers = "dispatchers",
        /// One dispatcher with different keys.
        Keys = "keys",
        /// The policies of a file.
        Policies = "policies",
    }
}

/// What one dispatcher, key or policy comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The label of its scenario.
    pub scenario: String,
    /// What it is compared with.
    pub group: Group,
    /// Its dispatcher.
    pub dispatcher: Dispatcher,
    /// The components of its key; absent where it uses none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<Component>,
    /// Tool runs of a call after its first, of reads too.
    pub extra_runs: u64,
    /// What was counted, as in a report.
    pub counted: PolicyReport,
}

vocabulary! {
    /// What a comparison says about one scenario.
    Finding {
        /// One of the rows had neither a duplicate nor a swallowed call, while another had duplicates.
        Found = "found",
        /// Every row had duplicates or swallowed calls.
        None = "none",
        /// No row had a duplicate: nothing was put to the test.
        Untested = "untested",
    }
}

/// Which of the rows to build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The label of the scenario.
    pub scenario: String,
    /// In a word.
    pub finding: Finding,
    /// The cheapest row without a duplicate and without a swallowed call; else the one that comes nearest; absent
    /// where nothing was put to the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub policy: Option<String>,
    /// In words.
    pub text: String,
}

/// The JSON Schema of [`Comparison`], as `docs/compare.schema.json` holds it.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Comparison)
}
