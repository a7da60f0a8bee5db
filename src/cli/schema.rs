//! `doublefire schema`: JSON Schemas of what goes in and what comes out.

use super::exit::{Exit, Failure};
use super::terminal;
use crate::gate;
use crate::report::{self, json};
use crate::scenario;
use clap::Args;

/// Print the JSON Schema of scenario files
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire schema > scenario.schema.json          with `#:schema ./scenario.schema.json` as a scenario's
                                                    first line, editors complete and check it
  doublefire schema --report > report.schema.json   the schema of `run --format json`
  doublefire schema --compare                       that of `compare --format json`
  doublefire schema --audit-tools                   that of `audit-tools --format json`
  doublefire schema --check                         that of `check --format json`
  doublefire schema --explain                       that of `explain --format json`")]
pub(super) struct Schema {
    /// Print the schema of the report instead
    #[arg(long)]
    report: bool,
    /// Print the schema of comparisons instead
    #[arg(long, conflicts_with = "report")]
    compare: bool,
    /// Print the schema of tool audits instead
    #[arg(long, conflicts_with_all = ["report", "compare"])]
    audit_tools: bool,
    /// Print the schema of checks instead
    #[arg(long, conflicts_with_all = ["report", "compare", "audit_tools"])]
    check: bool,
    /// Print the schema of explained turns instead
    #[arg(long, conflicts_with_all = ["report", "compare", "audit_tools", "check"])]
    explain: bool,
}

impl Schema {
    /// # Errors
    /// Only where standard output takes no more.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        terminal::result(&match self {
            Schema { report: true, .. } => json::render(&report::schema()),
            Schema { compare: true, .. } => json::render(&report::compare::schema()),
            Schema { audit_tools: true, .. } => json::render(&report::tool_audit::schema()),
            Schema { check: true, .. } => json::render(&gate::schema()),
            Schema { explain: true, .. } => json::render(&report::explain::schema()),
            _ => json::render(&scenario::schema()),
        })?;
        Ok(Exit::Fine)
    }
}
