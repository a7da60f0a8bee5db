//! `doublefire check`: the gates of scenarios, for CI.

use super::exit::{Exit, Failure};
use super::github;
use super::input::{self, Sets};
use super::simulate::Amount;
use super::terminal;
use crate::estimate::{Estimate, estimate};
use crate::gate::{CheckReport, ScenarioCheck, Verdict, Watch, judge, junit, refusals, table};
use crate::report::{Asked, folder, json};
use crate::scenario::Scenario;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Judge the [[gate]]s of scenarios: for CI
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire check payments.toml
  doublefire check payments retry-removed
  doublefire check payments.toml --junit gates.xml --format json > gates.json

A gate that is not measured (no figure, or what it guards against never came up) fails like any other. On GitHub
Actions every gate that does not pass is annotated at its line, and the table is added to the job's summary.")]
pub(super) struct Check {
    /// Scenario files, - for standard input, or names of built-in scenarios
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<String>,
    #[command(flatten)]
    amount: Amount,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also write the gates as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line a gate for people
    Table,
    /// One JSON object (docs/check.schema.json)
    Json,
}

/// A scenario that can be checked.
struct Checked {
    scenario: Scenario,
    estimate: Estimate,
    watch: Watch,
}

impl Check {
    /// # Errors
    /// A scenario that is missing, wrong or without gates, a gate that cannot be measured, a file that cannot be
    /// written, an interruption.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        input::at_most_one_from_standard_input(&self.scenarios)?;
        let checked = self.read()?;
        let checks = checked.iter().map(|checked| self.check(checked)).collect::<Result<Vec<_>, _>>()?;
        let report = CheckReport::new(checks);
        if let Some(path) = &self.junit {
            folder::replace(path, &junit::render(&report)).map_err(Failure::environment)?;
        }
        github::tell(&report)?;
        terminal::result(&match self.format {
            Format::Table => table::render(&report),
            Format::Json => json::render(&report),
        })?;
        Ok(exit(report.verdict))
    }

    /// All are read, and what cannot be measured refused, before any is run.
    fn read(&self) -> Result<Vec<Checked>, Failure> {
        let mut all = Vec::new();
        let mut refused = Vec::new();
        for called in &self.scenarios {
            let mut scenario = input::scenario(called, &self.sets)?;
            self.amount.apply(&mut scenario);
            if scenario.gates.is_empty() {
                return Err(Failure::usage(format_args!(
                    "{called} has no [[gate]]: there is nothing to check, and that is no pass"
                )));
            }
            let estimate = estimate(&scenario);
            refused.extend(refusals(&scenario, &estimate));
            all.push(Checked { watch: Watch::new(&scenario), scenario, estimate });
        }
        match refused.is_empty() {
            true => Ok(all),
            false => Err(Failure { exit: Exit::Usage, message: refused.join("\n\n") }),
        }
    }

    fn check(&self, checked: &Checked) -> Result<ScenarioCheck, Failure> {
        let Checked { scenario, estimate, watch } = checked;
        let outcome = self.amount.simulate(&watch.scenario)?;
        let asked = Asked { seed: scenario.run.seed, turns: scenario.run.turns, set: &self.sets.set };
        Ok(judge(scenario, watch, asked, estimate, &outcome).0)
    }
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Passed => Exit::Fine,
        Verdict::Undecided | Verdict::NotMeasured => Exit::Undecided,
        Verdict::Failed => Exit::GateFailed,
    }
}
