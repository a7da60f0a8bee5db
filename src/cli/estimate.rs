//! `doublefire estimate`: the formulas alone.

use super::exit::{Exit, Failure};
use super::input::{self, Sets};
use super::terminal;
use crate::estimate::estimate;
use crate::report::{EstimateReport, json, table};
use clap::{Args, ValueEnum};

/// Estimate a scenario by formulas alone, at once
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire estimate payments.toml
  doublefire estimate payments                      the built-in scenario
  doublefire estimate payments.toml --set volume.turns_per_month=90000 --format json")]
pub(super) struct Estimate {
    /// A scenario file, - for standard input, or the name of a built-in scenario
    scenario: String,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON object: a report's scenario and estimate
    Json,
}

impl Estimate {
    /// # Errors
    /// A scenario that is missing or wrong.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let scenario = input::scenario(&self.scenario, &self.sets)?;
        let report = EstimateReport::new(&scenario, &self.sets.set, &estimate(&scenario));
        terminal::result(&match self.format {
            Format::Table => table::render_estimate(&report),
            Format::Json => json::render(&report),
        })?;
        Ok(Exit::Fine)
    }
}
