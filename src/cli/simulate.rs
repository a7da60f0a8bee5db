//! Running a scenario for a command: how much of it, with a bar on a terminal, until someone interrupts.

use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::sampling::Sampled;
use crate::audit::Tally;
use crate::scenario::Scenario;
use crate::sim::{self, Options, Outcome, Sampling};
use clap::Args;
use indicatif::HumanCount;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// How much of a scenario is run.
#[derive(Debug, Clone, Args)]
pub(super) struct Amount {
    /// Turns to run, in place of the file's run.turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    turns: Option<u64>,
    /// Seed of all draws, in place of the file's run.seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Worker threads, 1 to 256; never changes a result [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

impl Amount {
    /// Puts what the command line says in place of what the file says.
    pub(super) fn apply(&self, scenario: &mut Scenario) {
        scenario.run.turns = self.turns.unwrap_or(scenario.run.turns);
        scenario.run.seed = self.seed.unwrap_or(scenario.run.seed);
    }

    /// As it stands on the command line, but for what changes no result.
    pub(super) fn flags(&self) -> String {
        let flag = |name: &str, n: Option<u64>| n.map_or(String::new(), |n| format!(" --{name} {n}"));
        flag("turns", self.turns) + &flag("seed", self.seed)
    }

    /// Runs a scenario as it stands.
    ///
    /// # Errors
    /// An interruption, a sampling that the scenario forbids.
    pub(super) fn simulate(&self, scenario: &Scenario, sampled: Sampled) -> Result<Outcome, Failure> {
        let outcome = self.simulate_until(scenario, sampled.choose(scenario)?, &|_| false);
        match outcome.stopped {
            true => Err(interrupted(scenario, &outcome, "nothing was written")),
            false => Ok(outcome),
        }
    }

    /// Runs a scenario until `enough` says so of the tallies so far, or someone interrupts; `scenario.run.turns` at
    /// most.
    pub(super) fn simulate_until(
        &self,
        scenario: &Scenario,
        sampling: Sampling,
        enough: &(dyn Fn(&[Tally]) -> bool + Sync),
    ) -> Outcome {
        let (turns, seed) = (scenario.run.turns, scenario.run.seed);
        let bar = Progress::new(turns);
        let progress = |more: u64| bar.advance(more);
        let threads = self.threads.map(usize::from);
        let options = Options { turns, seed, sampling, threads, progress: &progress, enough, stop: &STOP };
        let outcome = sim::run(scenario, &options);
        bar.clear();
        outcome
    }
}

/// Says how far a run came that someone stopped, and what became of it.
pub(super) fn interrupted(scenario: &Scenario, outcome: &Outcome, fate: &str) -> Failure {
    let (finished, turns) = (HumanCount(outcome.turns()), HumanCount(scenario.run.turns));
    let message = format!("interrupted: {finished} of {turns} turns were run, {fate}");
    Failure { exit: Exit::Interrupted, message }
}

/// A flag that the first signal to stop sets. The second ends the process at once; files stay whole all the same, for
/// they appear by being renamed.
pub(super) static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Where no handler can be set a signal ends the process, which loses no more than the run.
    _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted.code().into());
        }
    });
    stop
});
