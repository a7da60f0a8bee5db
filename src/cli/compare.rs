//! `doublefire compare`: dispatchers, keys or scenarios side by side.

use super::exit::{Exit, Failure};
use super::input::{self, Sets};
use super::sampling::Sampled;
use super::simulate::Amount;
use super::terminal;
use crate::report::compare::{Compared, Comparison, Run, csv, table, variants};
use crate::report::json;
use clap::{Args, ValueEnum};

/// Compare the six dispatchers over one scenario, or several scenarios policy by policy: which should we build?
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire compare payments.toml                           the six dispatchers over the same draws
  doublefire compare payments.toml --keys                    and keys with a component taken away
  doublefire compare payments.toml payments-by-fraction      two scenarios, and what differs in them
  doublefire compare payments.toml --format csv > dispatchers.csv")]
pub(super) struct Compare {
    /// Scenario files, - for standard input, or names of built-in scenarios
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<String>,
    /// Also compare keys: the full one, each component taken away, call_id and call_number added
    #[arg(long)]
    keys: bool,
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
    /// A matrix for people
    Table,
    /// One JSON object (docs/compare.schema.json)
    Json,
    /// One line a dispatcher, key or policy
    Csv,
}

impl Compare {
    /// # Errors
    /// A scenario that is missing or wrong, an interruption.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let comparison = match self.scenarios.as_slice() {
            [one] => self.dispatchers(one)?,
            _ if self.keys => return Err(Failure::usage("--keys compares keys over one scenario, not over several")),
            several => self.side_by_side(several)?,
        };
        terminal::result(&match self.format {
            Format::Table => table::render(&comparison),
            Format::Json => json::render(&comparison),
            Format::Csv => csv::render(&comparison),
        })?;
        Ok(Exit::Fine)
    }

    fn dispatchers(&self, called: &str) -> Result<Comparison, Failure> {
        let mut scenario = input::scenario(called, &self.sets)?;
        self.amount.apply(&mut scenario);
        let variants = variants(&scenario, self.keys);
        let outcome = self.amount.simulate(&variants.scenario, self.sampled)?;
        let run = Run { called, scenario: &variants.scenario, outcome: &outcome, asked: self.sets.asked(&scenario) };
        Ok(Comparison::new(Compared::Policies(run, &variants.groups, variants.options)))
    }

    fn side_by_side(&self, names: &[String]) -> Result<Comparison, Failure> {
        input::at_most_one_from_standard_input(names)?;
        // All are read before any is run: what is wrong is said at once.
        let mut files = Vec::new();
        for called in names {
            let (mut scenario, values) = input::scenario_and_values(called, &self.sets)?;
            self.amount.apply(&mut scenario);
            files.push((called.as_str(), scenario, values));
        }
        let outcomes = files.iter().map(|(_, scenario, _)| self.amount.simulate(scenario, self.sampled));
        let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
        let runs = files.iter().zip(&outcomes).map(|((called, scenario, values), outcome)| {
            (Run { called, scenario, outcome, asked: self.sets.asked(scenario) }, values.clone())
        });
        Ok(Comparison::new(Compared::Scenarios(runs.collect())))
    }
}
