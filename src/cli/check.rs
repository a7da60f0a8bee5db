//! `doublefire check`: the gates of scenarios, for CI.

use super::exit::{Exit, Failure};
use super::github;
use super::input::{self, Sets};
use super::sampling::Sampled;
use super::simulate::{Amount, interrupted};
use super::terminal;
use crate::estimate::{Estimate, estimate};
use crate::gate::{
    Baseline, CheckReport, Comparison, ScenarioCheck, Spread, Verdict, Watch, judge, junit, refusals, table,
};
use crate::report::{Report, folder, json};
use crate::scenario::Scenario;
use clap::{Args, ValueEnum};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Judge the [[gate]]s of scenarios: for CI
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire check payments.toml
  doublefire check payments retry-removed
  doublefire check payments.toml --junit gates.xml --format json > gates.json
  doublefire check payments.toml --baseline payments.json --update

A gate that is not measured (no figure, or what it guards against never came up) fails like any other. On GitHub
Actions every gate that does not pass is annotated at its line, and the table is added to the job's summary.")]
pub(super) struct Check {
    /// Scenario files, - for standard input, or names of built-in scenarios
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<String>,
    #[command(flatten)]
    amount: Amount,
    #[command(flatten)]
    sampled: Sampled,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also write the gates as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also compare with an earlier report: a summary.json, or a folder with <scenario>/summary.json
    #[arg(long, value_name = "PATH")]
    baseline: Option<PathBuf>,
    /// Write the new report to the baseline, and take what moved for granted
    #[arg(long, requires = "baseline")]
    update: bool,
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
    /// How messages name its file.
    file: String,
    scenario: Scenario,
    estimate: Estimate,
    watch: Watch,
    /// Where its baseline is, and what stands there.
    baseline: Option<(PathBuf, Option<Baseline>)>,
}

impl Check {
    /// # Errors
    /// A scenario that is missing, wrong or without gates, a gate that cannot be measured, a file that cannot be
    /// written, an interruption.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        input::at_most_one_from_standard_input(&self.scenarios)?;
        input::is_none_of(&self.scenarios, self.junit.as_deref())?;
        let checked = self.read()?;
        let checks = checked.iter().map(|checked| self.check(checked)).collect::<Result<Vec<_>, _>>()?;
        let (checks, reports): (Vec<_>, Vec<_>) = checks.into_iter().unzip();
        let report = CheckReport::new(checks);
        // The verdict comes first: a file that cannot be written must not hide it.
        terminal::result(&match self.format {
            Format::Table => table::render(&report),
            Format::Json => json::render(&report),
        })?;
        if let Some(path) = &self.junit {
            folder::replace(path, &junit::render(&report)).map_err(Failure::environment)?;
        }
        github::tell(&report)?;
        // All are run before any baseline is written, so that who interrupts finds every one as it was.
        for (checked, report) in checked.iter().zip(&reports) {
            if let Some((path, _)) = checked.baseline.as_ref().filter(|_| self.update) {
                update(path, report)?;
            }
        }
        Ok(exit(report.verdict))
    }

    /// All are read, and what cannot be measured refused, before any is run.
    fn read(&self) -> Result<Vec<Checked>, Failure> {
        let mut all = Vec::new();
        let mut refused = Vec::new();
        for called in &self.scenarios {
            let mut scenario = input::scenario(called, &self.sets)?;
            self.amount.apply(&mut scenario);
            if scenario.gates.is_empty() && self.baseline.is_none() {
                return Err(Failure::usage(format_args!(
                    "{called} has no [[gate]]: there is nothing to check, and that is no pass"
                )));
            }
            let estimate = estimate(&scenario);
            refused.extend(refusals(&scenario, &estimate));
            let file = scenario.gates.first().map_or(called, |gate| &gate.origin).clone();
            if self.baseline.is_some() && all.iter().any(|other: &Checked| other.scenario.name == scenario.name) {
                let name = &scenario.name;
                return Err(Failure::usage(format_args!("two scenarios are called {name}: they have one baseline")));
            }
            let baseline = self.baseline.as_ref().map(|path| self.baseline(path, &scenario.name)).transpose()?;
            all.push(Checked { file, watch: Watch::new(&scenario), scenario, estimate, baseline });
        }
        match refused.is_empty() {
            true => Ok(all),
            false => Err(Failure { exit: Exit::Usage, message: refused.join("\n\n") }),
        }
    }

    /// The baseline of a scenario under `path`, if there is one.
    fn baseline(&self, path: &Path, name: &str) -> Result<(PathBuf, Option<Baseline>), Failure> {
        let one_file = path.is_file() || (!path.is_dir() && path.extension().is_some_and(|end| end == "json"));
        if one_file && self.scenarios.len() > 1 {
            let path = path.display();
            return Err(Failure::usage(format_args!(
                "{path} is one file: the baselines of several scenarios need a folder"
            )));
        }
        let path = if one_file { path.to_owned() } else { path.join(name).join("summary.json") };
        let baseline = match std::fs::read_to_string(&path) {
            Ok(text) => Baseline::read(&text, name).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound && self.update => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Err("no baseline yet: --update makes one".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let baseline = baseline.map_err(|why| Failure::environment(format_args!("{}: {why}", path.display())))?;
        Ok((path, baseline))
    }

    fn check(&self, checked: &Checked) -> Result<(ScenarioCheck, Report), Failure> {
        let Checked { file, scenario, estimate, watch, baseline } = checked;
        let spread = Mutex::new(Spread::new(scenario.failure.incidents.is_none()));
        let outcome = self.amount.simulate_until(&watch.scenario, self.sampled.choose(&watch.scenario)?, &|tallies| {
            spread.lock().unwrap_or_else(PoisonError::into_inner).block(tallies);
            false
        });
        if outcome.stopped {
            return Err(interrupted(scenario, &outcome, "nothing was judged or written"));
        }
        let (mut check, report) = judge(file, scenario, watch, self.sets.asked(scenario), estimate, &outcome);
        if let Some((path, before)) = baseline {
            let name = path.display().to_string();
            let spread = spread.into_inner().unwrap_or_else(PoisonError::into_inner);
            let compared = before.as_ref().map(|before| before.compare(&name, &report, &spread));
            let compared = compared.unwrap_or_else(|| Comparison::first(name));
            check.baseline = Some(Comparison { updated: self.update, ..compared });
        }
        Ok((check, report))
    }
}

/// Makes `report` the baseline.
fn update(path: &Path, report: &Report) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::environment(format_args!("{}: {error}", folder.display())))?;
    folder::replace(path, &json::render(report)).map_err(Failure::environment)
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Passed => Exit::Fine,
        Verdict::Undecided | Verdict::NotMeasured => Exit::Undecided,
        Verdict::Failed => Exit::GateFailed,
    }
}
