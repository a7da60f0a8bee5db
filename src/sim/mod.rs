//! The simulation: events in virtual time.
//!
//! - `population`: who asks for what; `attempt`: one attempt's streams, phase by phase; `dispatching` and `tool`: the
//!   driver of the dispatcher and the world behind it; `ending`: cuts, crashes, commits and the replays they set off;
//!   `cell`: the event loop over all of these.
//! - `lane`: how each policy is run; `shortcut`: turns that nothing can disturb, told from their draws without an event;
//!   `screen`: most of them told from a few integers; `sift`: every turn screened; `skip`: only the others drawn.
//! - `company`: turns that are the same under several policies, played once; `block`: the turns of a block, one way or
//!   the other; this file: blocks over threads, tallies merged in order.

mod arena;
mod attempt;
mod block;
mod calendar;
mod cell;
mod company;
mod counted;
mod dispatching;
mod drawn;
mod ending;
pub mod explain;
pub mod find;
mod lane;
mod memo;
mod nominal;
mod notes;
mod population;
mod queue;
mod request;
mod screen;
mod shortcut;
mod sift;
mod skip;
#[cfg(test)]
mod timelines;
mod tool;
mod world;

pub use attempt::Phase;
pub use drawn::Drawn;
pub use lane::Meeting;
pub use notes::{NoReplay, What};

use crate::audit::Tally;
use crate::scenario::{Policy, Scenario};
use crate::turn::vocabulary;
use block::{Run, Worker};
use lane::Lane;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::atomic::{AtomicBool, Ordering};
use world::World;

/// Blocks handed out at once: enough for any number of threads, few enough that their tallies stay small. The first
/// time fewer and then twice as many each time, for what is played beyond the end of a run is lost.
const WAVES: (u64, u64) = (8, 256);
/// Checkpoints in a tenfold of turns, at most.
pub const CHECKPOINTS_PER_DECADE: u32 = 20;
/// 10^(1/20), rounded up.
const CHECKPOINT_RATIO: f64 = 1.1221;

vocabulary! {
    /// Which turns a run simulates.
    Sampling {
        /// Every one of them.
        Every = "every",
        /// Those to which something may happen, and how many lie between them: the same distribution from other draws.
        Disturbed = "disturbed",
    }
}

impl Default for Sampling {
    /// Turn n is then the same turn in any run with the seed.
    fn default() -> Self {
        Sampling::Every
    }
}

/// How to run, apart from what.
pub struct Options<'a> {
    /// Turns to run (the scenario's `run.turns` unless overridden).
    pub turns: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// Which turns are drawn.
    pub sampling: Sampling,
    /// Worker threads; all cores where absent. Never changes a result.
    pub threads: Option<usize>,
    /// Called now and then, from any thread, with the number of turns finished since the last call.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Asked after every block, in the order of the turns, with the tallies so far: whether the run may end there.
    /// The same blocks for any number of threads, so the run ends at the same turn.
    pub enough: &'a (dyn Fn(&[Tally]) -> bool + Sync),
    /// Set from outside to stop between blocks of cells.
    pub stop: &'a AtomicBool,
}

impl Default for Options<'_> {
    /// No turns yet, seed 0, every turn on all cores, to the last one.
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let sampling = Sampling::Every;
        Options { turns: 0, seed: 0, sampling, threads: None, progress: &|_| {}, enough: &|_| false, stop: &NEVER }
    }
}

/// What a run counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// One tally a policy, in scenario order.
    pub policies: Vec<Tally>,
    /// Whether it was stopped from outside before its last turn; the tallies then hold the whole cells that were
    /// finished.
    pub stopped: bool,
    /// Which turns were drawn.
    pub sampling: Sampling,
    /// How the duplicate turns added up: some [`CHECKPOINTS_PER_DECADE`] in every tenfold of turns, and the end.
    pub checkpoints: Vec<Checkpoint>,
}

/// The duplicate turns after so many turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Turns resolved by then.
    pub turns: u64,
    /// Those of them with a duplicate, by policy, in scenario order.
    pub duplicate_turns: Vec<u64>,
}

impl Outcome {
    fn new(lanes: usize, tools: usize, sampling: Sampling) -> Self {
        Outcome { policies: vec![Tally::new(tools); lanes], stopped: false, sampling, checkpoints: Vec::new() }
    }

    /// Adds what a block counted.
    fn add(&mut self, tallies: &[Tally]) {
        self.policies.iter_mut().zip(tallies).for_each(|(sum, tally)| *sum += tally);
        let last = self.checkpoints.last().map_or(0, |checkpoint| checkpoint.turns);
        if self.turns() as f64 >= last as f64 * CHECKPOINT_RATIO {
            self.check_in();
        }
    }

    /// Turns that were run, of each policy.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.policies.first().map_or(0, |tally| tally.turns)
    }

    fn check_in(&mut self) {
        let duplicate_turns = self.policies.iter().map(|tally| tally.duplicate_turns).collect();
        self.checkpoints.push(Checkpoint { turns: self.turns(), duplicate_turns });
    }

    /// The end is a checkpoint too.
    fn ended(mut self, stopped: bool) -> Self {
        if self.checkpoints.last().is_none_or(|checkpoint| checkpoint.turns < self.turns()) {
            self.check_in();
        }
        Outcome { stopped, ..self }
    }
}

/// Runs `scenario`: every policy over the same draws.
///
/// # Panics
/// If only disturbed turns are to be drawn and [`meeting`] says that this cannot be.
#[must_use]
pub fn run(scenario: &Scenario, options: &Options<'_>) -> Outcome {
    simulate(scenario, options, |policy| Lane::new(scenario, policy))
}

/// As [`run`], with every turn played event by event in its cell: what the shortcuts of [`run`] are held against.
#[must_use]
pub fn run_event_by_event(scenario: &Scenario, options: &Options<'_>) -> Outcome {
    simulate(scenario, &Options { sampling: Sampling::Every, ..*options }, Lane::whole_cells)
}

/// The tallies of one cell of a run, one a policy: the independent pieces from whose spread a standard error follows.
#[must_use]
pub fn cell(scenario: &Scenario, seed: u64, turns: u64, index: u64) -> Vec<Tally> {
    let world = World::new(scenario, seed, turns);
    let lanes: Vec<Lane<'_>> = scenario.policies.iter().map(Lane::whole_cells).collect();
    let run = Run::new(&world, &lanes, Sampling::Every);
    run.cells(&mut Worker::new(&run), index..index + 1)
}

/// Why only drawing disturbed turns cannot be, and the policy for which it cannot; none where it can.
#[must_use]
pub fn meeting(scenario: &Scenario) -> Option<(&Policy, Meeting)> {
    scenario.policies.iter().find_map(|policy| Some((policy, lane::meeting(scenario, policy)?)))
}

/// The cheaper sampling of the two, by the share of turns to which something may happen: drawing such a turn by itself
/// costs some twelve times what screening a turn does.
#[must_use]
pub fn cheaper(scenario: &Scenario) -> (Sampling, Option<f64>) {
    if meeting(scenario).is_some() {
        return (Sampling::Every, None);
    }
    let world = World::new(scenario, 0, 1);
    let lanes: Vec<Lane<'_>> = scenario.policies.iter().map(|policy| Lane::new(scenario, policy)).collect();
    let share = Run::new(&world, &lanes, Sampling::Disturbed).candidates();
    (if share * CANDIDATE_COST < 1.0 { Sampling::Disturbed } else { Sampling::Every }, Some(share))
}

/// The cost of a candidate drawn by itself, in screened turns.
const CANDIDATE_COST: f64 = 12.0;

fn simulate<'s>(scenario: &'s Scenario, options: &Options<'_>, lane: impl Fn(&'s Policy) -> Lane<'s>) -> Outcome {
    let world = World::new(scenario, options.seed, options.turns);
    let lanes: Vec<Lane<'_>> = scenario.policies.iter().map(lane).collect();
    let run = Run::new(&world, &lanes, options.sampling);
    match rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build() {
        Ok(pool) => pool.install(|| blocks(&run, options)),
        // No threads to be had: the threads at hand give the same bytes.
        Err(_) => blocks(&run, options),
    }
}

fn blocks<'s>(run: &'s Run<'s>, options: &Options<'_>) -> Outcome {
    let size = run.world.cell_size();
    let cells = run.world.turns.div_ceil(size);
    let per_block = run.block_turns().div_ceil(size);
    let blocks = cells.div_ceil(per_block);
    let mut outcome = Outcome::new(run.lanes.len(), run.world.classes.len(), options.sampling);
    let (mut next, mut wave) = (0, WAVES.0);
    while next < blocks {
        let block = |worker: &mut Worker<'s>, block: u64| {
            if options.stop.load(Ordering::Relaxed) {
                return None;
            }
            let range = block * per_block..((block + 1) * per_block).min(cells);
            let turns = (range.end * size).min(run.world.turns) - range.start * size;
            let tallies = run.cells(worker, range);
            (options.progress)(turns);
            Some(tallies)
        };
        let last = (next + wave).min(blocks);
        let tallies: Vec<_> = (next..last).into_par_iter().map_init(|| Worker::new(run), block).collect();
        (next, wave) = (last, (2 * wave).min(WAVES.1));
        for tallies in tallies {
            let Some(tallies) = tallies else { return outcome.ended(true) };
            outcome.add(&tallies);
            if (options.enough)(&outcome.policies) {
                return outcome.ended(false);
            }
        }
    }
    outcome.ended(false)
}
