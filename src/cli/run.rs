//! `doublefire run`: simulate and report.

use super::exit::{Exit, Failure};
use super::input::{self, DEFAULT, Sets};
use super::progress::Progress;
use super::terminal;
use crate::estimate::estimate;
use crate::report::{Asked, Report, csv, folder, json, table};
use crate::scenario::Scenario;
use crate::sim::{self, Options};
use clap::{Args, ValueEnum};
use indicatif::HumanCount;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    /// Turns to run, in place of the file's run.turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    turns: Option<u64>,
    /// Seed of all draws, in place of the file's run.seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Worker threads; never changes a result [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also write DIR/<scenario>/ with summary.json, policies.csv and tools.csv
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
        scenario.run.turns = self.turns.unwrap_or(scenario.run.turns);
        scenario.run.seed = self.seed.unwrap_or(scenario.run.seed);
        let folder = self.output.as_ref().map(|output| folder::path(output, &scenario.name));
        if let Some(folder) = folder.as_ref().filter(|_| !self.force) {
            folder::check(folder).map_err(Failure::environment)?;
        }
        let report = self.simulate(&scenario)?;
        if let Some(folder) = folder {
            folder::write(&folder, &report).map_err(Failure::environment)?;
            terminal::note(&format!("wrote {} to {}", folder::FILES.join(", "), folder.display()));
        }
        terminal::result(&match self.format {
            Format::Table => table::render(&report),
            Format::Json => json::render(&report),
            Format::Csv => csv::policies(&report),
        })?;
        Ok(Exit::Fine)
    }

    fn simulate(&self, scenario: &Scenario) -> Result<Report, Failure> {
        let (turns, seed) = (scenario.run.turns, scenario.run.seed);
        let stop = stop_on_signal();
        let finished = AtomicU64::new(0);
        let bar = Progress::new(turns);
        let progress = |more: u64| {
            finished.fetch_add(more, Ordering::Relaxed);
            bar.advance(more);
        };
        let threads = self.threads.map(NonZeroUsize::get);
        let outcome = sim::run(scenario, &Options { turns, seed, threads, progress: &progress, stop: &stop });
        bar.clear();
        if outcome.stopped {
            let (finished, turns) = (HumanCount(finished.load(Ordering::Relaxed)), HumanCount(turns));
            let message = format!("interrupted: {finished} of {turns} turns were run, nothing was written");
            return Err(Failure { exit: Exit::Interrupted, message });
        }
        let asked = Asked { seed, turns, set: &self.sets.set };
        Ok(Report::new(scenario, asked, &estimate(scenario), &outcome))
    }
}

/// A flag that the first signal to stop sets. The second ends the process at once; files stay whole all the same, for
/// they appear by being renamed.
fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Where no handler can be set a signal ends the process, which loses no more than the run.
    _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code().into());
        }
    });
    stop
}
