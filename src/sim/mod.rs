//! The simulation: events in virtual time.
//!
//! - `population`: who asks for what; `attempt`: one attempt's streams, phase by phase; `dispatching` and `tool`: the
//!   driver of the dispatcher and the world behind it; `ending`: cuts, crashes, commits and the replays they set off;
//!   `cell`: the event loop over all of these.
//! - `shortcut`: turns that nothing can disturb, told from their draws without an event.
//! - this file: cells in blocks, blocks over threads, tallies merged in order.

mod arena;
mod attempt;
mod calendar;
mod cell;
mod counted;
mod dispatching;
mod drawn;
mod ending;
pub mod explain;
pub mod find;
mod nominal;
mod notes;
mod population;
mod queue;
mod request;
mod shortcut;
#[cfg(test)]
mod timelines;
mod tool;
mod world;

pub use attempt::Phase;
pub use drawn::Drawn;
pub use notes::{NoReplay, What};

use crate::audit::Tally;
use crate::scenario::Scenario;
use cell::{Cell, Extent};
use nominal::Nominal;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use shortcut::{Lane, Shortcut};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use world::World;

/// Turns of a block at the least: enough that merging its tallies costs nothing beside playing them.
const BLOCK: u64 = 4096;
/// Blocks handed out at once: enough for any number of threads, few enough that their tallies stay small. The first
/// time fewer and then twice as many each time, for what is played beyond the end of a run is lost.
const WAVES: (u64, u64) = (8, 256);
/// Checkpoints in a tenfold of turns, at most.
pub const CHECKPOINTS_PER_DECADE: u32 = 20;
/// 10^(1/20), rounded up.
const CHECKPOINT_RATIO: f64 = 1.1221;

/// How to run, apart from what.
pub struct Options<'a> {
    /// Turns to run (the scenario's `run.turns` unless overridden).
    pub turns: u64,
    /// The seed of all draws.
    pub seed: u64,
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

/// What a run counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// One tally a policy, in scenario order.
    pub policies: Vec<Tally>,
    /// Whether it was stopped from outside before its last turn; the tallies then hold the whole cells that were
    /// finished.
    pub stopped: bool,
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
    fn new(lanes: usize, tools: usize) -> Self {
        Outcome { policies: vec![Tally::new(tools); lanes], stopped: false, checkpoints: Vec::new() }
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
#[must_use]
pub fn run(scenario: &Scenario, options: &Options<'_>) -> Outcome {
    let world = World::new(scenario, options.seed, options.turns);
    let lanes: Vec<Lane<'_>> = scenario.policies.iter().map(|policy| Lane::new(scenario, policy)).collect();
    Run { world: &world, lanes: &lanes, shortcut: Shortcut::new(&world) }.all(options)
}

/// As [`run`], with every turn played event by event in its cell: what the shortcuts of [`run`] are held against.
#[must_use]
pub fn run_event_by_event(scenario: &Scenario, options: &Options<'_>) -> Outcome {
    let world = World::new(scenario, options.seed, options.turns);
    let lanes: Vec<Lane<'_>> = scenario.policies.iter().map(Lane::whole_cells).collect();
    Run { world: &world, lanes: &lanes, shortcut: Shortcut::new(&world) }.all(options)
}

/// The tallies of one cell of a run, one a policy: the independent pieces from whose spread a standard error follows.
#[must_use]
pub fn cell(scenario: &Scenario, seed: u64, turns: u64, index: u64) -> Vec<Tally> {
    let world = World::new(scenario, seed, turns);
    let lanes: Vec<Lane<'_>> = scenario.policies.iter().map(Lane::whole_cells).collect();
    let run = Run { world: &world, lanes: &lanes, shortcut: Shortcut::new(&world) };
    run.cells(&mut Worker::new(&run), index..index + 1)
}

struct Run<'s> {
    world: &'s World<'s>,
    lanes: &'s [Lane<'s>],
    shortcut: Shortcut<'s>,
}

/// What a thread needs to play one block after the other.
struct Worker<'s> {
    cells: Vec<Cell<'s>>,
    nominal: Nominal,
    /// Undisturbed turns of the block, by shape.
    calm: Vec<u64>,
}

impl<'s> Worker<'s> {
    fn new(run: &Run<'s>) -> Self {
        Worker {
            cells: run.lanes.iter().map(|lane| Cell::new(run.world, lane.policy)).collect(),
            nominal: Nominal::default(),
            calm: vec![0; run.world.shapes.len()],
        }
    }
}

impl Run<'_> {
    fn all(&self, options: &Options<'_>) -> Outcome {
        let threads = options.threads.unwrap_or(0);
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(|| self.blocks(options)),
            // No threads to be had: the threads at hand give the same bytes.
            Err(_) => self.blocks(options),
        }
    }

    fn blocks(&self, options: &Options<'_>) -> Outcome {
        let size = self.world.cell_size();
        let cells = self.world.turns.div_ceil(size);
        let per_block = BLOCK.div_ceil(size);
        let blocks = cells.div_ceil(per_block);
        let mut outcome = Outcome::new(self.lanes.len(), self.world.classes.len());
        let (mut next, mut wave) = (0, WAVES.0);
        while next < blocks {
            let block = |worker: &mut Worker<'_>, block: u64| {
                if options.stop.load(Ordering::Relaxed) {
                    return None;
                }
                let range = block * per_block..((block + 1) * per_block).min(cells);
                let turns = (range.end * size).min(self.world.turns) - range.start * size;
                let tallies = self.cells(worker, range);
                (options.progress)(turns);
                Some(tallies)
            };
            let last = (next + wave).min(blocks);
            let tallies: Vec<_> = (next..last).into_par_iter().map_init(|| Worker::new(self), block).collect();
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

    /// Plays a range of cells under every policy.
    fn cells(&self, worker: &mut Worker<'_>, cells: Range<u64>) -> Vec<Tally> {
        let size = self.world.cell_size();
        let turns = cells.start * size..(cells.end * size).min(self.world.turns);
        self.single_turns(worker, turns);
        for (lane, cell) in self.lanes.iter().zip(&mut worker.cells) {
            for first in cells.clone().map(|index| index * size).filter(|_| !lane.isolated) {
                let conversations = self.world.scenario.population.conversations;
                let arrivals = size.min(self.world.turns - first);
                cell.play(Extent { first, arrivals, conversations });
            }
        }
        let empty = || Tally::new(self.world.classes.len());
        worker.cells.iter_mut().map(|cell| std::mem::replace(&mut cell.tally, empty())).collect()
    }

    /// Plays turns one by one under the policies whose turns cannot meet.
    fn single_turns(&self, worker: &mut Worker<'_>, turns: Range<u64>) {
        if !self.lanes.iter().any(|lane| lane.isolated) {
            return;
        }
        worker.calm.fill(0);
        for turn in turns {
            let calm = self.shortcut.undisturbed(turn, &mut worker.nominal);
            if let Some(shape) = calm {
                worker.calm[shape] += 1;
            }
            for (lane, cell) in self.lanes.iter().zip(&mut worker.cells).filter(|(lane, _)| lane.isolated) {
                if calm.is_none_or(|shape| lane.calm_turn[shape].is_none()) {
                    cell.play(Extent { first: turn, arrivals: 1, conversations: 1 });
                }
            }
        }
        for (lane, cell) in self.lanes.iter().zip(&mut worker.cells).filter(|(lane, _)| lane.isolated) {
            for (tally, turns) in lane.calm_turn.iter().zip(&worker.calm) {
                if let Some(tally) = tally {
                    cell.tally.add_times(tally, *turns);
                }
            }
        }
    }
}
