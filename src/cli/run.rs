//! `doublefire run`: simulate and report.

use super::exit::{Exit, Failure};
use super::input::{self, DEFAULT, Sets};
use super::precision;
use super::sampling::Sampled;
use super::simulate::{Amount, interrupted};
use super::terminal;
use crate::audit::Tally;
use crate::estimate::estimate;
use crate::page;
use crate::report::{Asked, Report, csv, folder, json, table};
use crate::scenario::Scenario;
use crate::sim::Outcome;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where a run that looks for a precision ends in any case: a rate of one in ten million is known to ± 20 % by then.
const MAX_TURNS: u64 = 1_000_000_000;

/// Simulate a scenario, every policy over the same draws, beside what the formulas say
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire run                                    the payments scenario that comes with doublefire
  doublefire run payments.toml --turns 10000000     more turns, narrower intervals
  doublefire run payments.toml --precision 2%       as many as naive's rate needs to be known to ± 2 %
  doublefire run payments.toml --turns 10000000 --sampling auto
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
    sampled: Sampled,
    /// Run until the rate of the first naive policy (else of the first with a duplicate) is known to ± P of itself
    #[arg(long, value_name = "P", value_parser = share, conflicts_with = "turns")]
    precision: Option<f64>,
    /// Turns after which to stop in any case
    #[arg(long, value_name = "N", requires = "precision", default_value_t = MAX_TURNS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 53))]
    max_turns: u64,
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
        let outcome = self.outcome(&mut scenario)?;
        let stopped = interrupted(&scenario, &outcome, "and the result, marked partial, is of these");
        if outcome.turns() == 0 {
            return Err(interrupted(&scenario, &outcome, "nothing was written"));
        }
        let asked = Asked { turns: outcome.turns(), ..self.sets.asked(&scenario) };
        let mut report = Report::new(&scenario, asked, &estimate(&scenario), &outcome);
        report.precision = self.precision.map(|asked| precision::reached(asked, self.max_turns, &scenario, &report));
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
        match &report.precision {
            _ if report.partial => Err(stopped),
            Some(precision) if !precision.is_met() => Ok(Exit::Undecided),
            _ => Ok(Exit::Fine),
        }
    }

    /// As many turns as were asked for, or as the precision needs.
    fn outcome(&self, scenario: &mut Scenario) -> Result<Outcome, Failure> {
        let sampling = self.sampled.choose(scenario)?;
        Ok(match self.precision {
            None => self.amount.simulate_until(scenario, sampling, &|_| false),
            Some(asked) => {
                scenario.run.turns = self.max_turns;
                let naive = precision::naive(scenario);
                let enough = |tallies: &[Tally]| precision::is_enough(asked, naive, tallies);
                self.amount.simulate_until(scenario, sampling, &enough)
            }
        })
    }
}

/// A share in per cent (`2%`) or as a number (`0.02`), above 0 and below 1.
fn share(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let share = match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text),
    };
    share.filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| "a share such as 2% or 0.02 is needed".to_owned())
}
