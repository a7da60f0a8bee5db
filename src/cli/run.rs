//! `doublefire run`: simulate and report.

use super::exit::{Exit, Failure};
use super::input::{self, DEFAULT, Sets};
use super::simulate::Amount;
use super::terminal;
use crate::estimate::estimate;
use crate::page;
use crate::report::{Asked, Report, csv, folder, json, table};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Simulate a scenario, every policy over the same draws, beside what the formulas say
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire run                                    the payments scenario that comes with doublefire
  doublefire run payments.toml --turns 10000000     more turns, narrower intervals
  doublefire run payments.toml --set tool.send_payment.latency.lognormal.mean=2s
  doublefire run payments.toml --format json | jq '.policies[].rate'
  doublefire run payments.toml --output output      also writes output/payments/
  cat payments.toml | doublefire run -")]
pub(super) struct Run {
    /// A scenario file, - for standard input, or the name of a built-in scenario
    #[arg(default_value = DEFAULT)]
    scenario: String,
    #[command(flatten)]
    amount: Amount,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also write DIR/<scenario>/ with the report: page, Markdown, plots, tables and data
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write to the folder even if it holds other files
    #[arg(long, requires = "output")]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Table,
    /// One JSON object (docs/report.schema.json)
    Json,
    /// One line a policy
    Csv,
}

impl Run {
    /// # Errors
    /// A scenario that is missing or wrong, a folder that cannot be used, an interruption.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let mut scenario = input::scenario(&self.scenario, &self.sets)?;
        self.amount.apply(&mut scenario);
        let folder = self.output.as_ref().map(|output| folder::path(output, &scenario.name));
        if let Some(folder) = folder.as_ref().filter(|_| !self.force) {
            folder::check(folder, &page::names()).map_err(Failure::environment)?;
        }
        let outcome = self.amount.simulate(&scenario)?;
        let asked = Asked { seed: scenario.run.seed, turns: scenario.run.turns, set: &self.sets.set };
        let report = Report::new(&scenario, asked, &estimate(&scenario), &outcome);
        if let Some(folder) = folder {
            let files = page::files(&report);
            folder::write(&folder, &files, &page::names()).map_err(Failure::environment)?;
            let plots = files.iter().filter(|(name, _)| name.starts_with("plots/")).count();
            let names: Vec<&str> =
                files.iter().map(|file| file.0.as_str()).filter(|name| !name.contains('/')).collect();
            terminal::note(&format!("wrote {} and {plots} plots to {}", names.join(", "), folder.display()));
        }
        terminal::result(&match self.format {
            Format::Table => table::render(&report),
            Format::Json => json::render(&report),
            Format::Csv => csv::policies(&report),
        })?;
        Ok(Exit::Fine)
    }
}
