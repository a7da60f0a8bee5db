//! The registry question, tool by tool: can it fire twice, by which route, how often, what does its class need, and
//! do the scenario's policies provide it? One data struct ([`ToolAudit`]) and one renderer a file.

mod build;
pub mod csv;
mod needs;
pub mod table;

pub use build::one_route_at_a_time;

use super::data::{Rate, ScenarioId};
use crate::dispatch::rule::Dispatcher;
use crate::turn::{Class, When};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `audit-tools --format json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAudit {
    /// Version of this format.
    pub schema: u32,
    /// What was run.
    pub scenario: ScenarioId,
    /// Seed of all draws.
    pub seed: u64,
    /// Turns, the same for every figure.
    pub turns: u64,
    /// In scenario order.
    pub tools: Vec<AuditedTool>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditedTool {
    /// The tool's name.
    pub name: String,
    /// As declared in the file.
    pub class: Class,
    /// Calls dispatched where nothing guards them.
    pub calls: u64,
    /// Where nothing guards it and every route is there.
    pub unguarded: Exposure,
    /// Where nothing guards it, by each route with all others taken away; absent where there is no route.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteExposure>,
    /// Without any route, by the repeats of its own client; absent where that never repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Exposure")]
    pub own_client: Option<Exposure>,
    /// The apparatus that its class needs.
    pub needs: String,
    /// What stays open even with that; absent where nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// Under each policy of the file but naive ones.
    pub policies: Vec<PolicyExposure>,
}

/// How often a tool fires twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exposure {
    /// Effects of an intent after its first.
    pub duplicates: u64,
    /// Turns with a duplicate of this tool.
    pub duplicate_turns: u64,
    /// Their share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// Such turns in a month, at the ends of the interval too; absent without a volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MonthExposure")]
    pub month: Option<MonthExposure>,
}

/// Turns of a month with a duplicate of the tool: [`Rate`] times the volume.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonthExposure {
    /// As seen.
    pub duplicate_turns: f64,
    /// At the lower end of the interval.
    pub low: f64,
    /// At the upper end of the interval.
    pub high: f64,
    /// At the one-sided upper bound.
    pub upper: f64,
}

/// What one route alone does to a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteExposure {
    /// The route's name.
    pub route: String,
    /// Its condition.
    pub when: When,
    /// What comes of it.
    pub exposure: Exposure,
}

/// What is left under one policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyExposure {
    /// The policy's name.
    pub policy: String,
    /// Its dispatcher.
    pub dispatcher: Dispatcher,
    /// Whether it has the apparatus that the tool's class needs.
    pub provides: bool,
    /// What is left.
    pub exposure: Exposure,
}

/// The JSON Schema of [`ToolAudit`], as `docs/audit-tools.schema.json` holds it.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(ToolAudit)
}
