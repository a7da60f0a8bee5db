//! `doublefire audit-tools`: which tools can fire twice, by which route, and what each needs.

use super::exit::{Exit, Failure};
use super::input::{self, Sets};
use super::sampling::Sampled;
use super::simulate::Amount;
use super::terminal;
use crate::report::json;
use crate::report::tool_audit::{ToolAudit, csv, one_route_at_a_time, table};
use clap::{Args, ValueEnum};

/// Audit the tools of a scenario: which can fire twice, by which route, how often, and what each needs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire audit-tools payments.toml
  doublefire audit-tools payments.toml --set tool.send_payment.class=keyed_write
  doublefire audit-tools payments.toml --format csv > tools.csv")]
pub(super) struct AuditTools {
    /// A scenario file, - for standard input, or the name of a built-in scenario
    scenario: String,
    #[command(flatten)]
    amount: Amount,
    #[command(flatten)]
    sampled: Sampled,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A section a tool for people
    Table,
    /// One JSON object (docs/audit-tools.schema.json)
    Json,
    /// One line a tool and route, and a tool and policy
    Csv,
}

impl AuditTools {
    /// # Errors
    /// A scenario that is missing or wrong, an interruption.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let mut scenario = input::scenario(&self.scenario, &self.sets)?;
        self.amount.apply(&mut scenario);
        let outcome = self.amount.simulate(&one_route_at_a_time(&scenario), self.sampled)?;
        let audit = ToolAudit::new(&scenario, self.sets.asked(&scenario), &outcome);
        terminal::result(&match self.format {
            Format::Table => table::render(&audit),
            Format::Json => json::render(&audit),
            Format::Csv => csv::render(&audit),
        })?;
        Ok(Exit::Fine)
    }
}
