//! The first turn of a run to which something happened.

use super::arena::Id;
use super::block::SIFTED;
use super::cell::{Cell, Extent};
use super::explain::{extent_around, stuck_calls};
use super::lane::Lane;
use super::nominal::Nominal;
use super::shortcut::Shortcut;
use super::world::World;
use crate::audit::{Tally, judge_alone};
use crate::scenario::Scenario;
use crate::time::Instant;
use crate::turn::vocabulary;
use std::sync::atomic::{AtomicBool, Ordering};

vocabulary! {
    /// What can be looked for.
    Sought {
        /// Something was done twice.
        Duplicate = "duplicate",
        /// A call of a committed turn was answered with another call's result and never made.
        Swallowed = "swallowed",
        /// A row stayed in flight for ever.
        Stuck = "stuck",
        /// A call waited for a row.
        Waited = "waited",
    }
}

/// Where to look.
pub struct Among<'a> {
    /// The turns of the run.
    pub turns: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// Called now and then with the number of turns searched since the last call.
    pub progress: &'a dyn Fn(u64),
    /// Set from outside to stop.
    pub stop: &'a AtomicBool,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// This is the first such turn.
    Found(u64),
    /// No turn of the run is one.
    None,
    /// It was stopped from outside.
    Stopped,
}

/// Looks through turns, in order of arrival, for the first one under the policy (an index) to which the run counts what
/// is sought.
///
/// # Panics
/// If the scenario has no such policy.
#[must_use]
pub fn find(scenario: &Scenario, among: &Among<'_>, policy: usize, sought: Sought) -> Search {
    let world = World::new(scenario, among.seed, among.turns);
    let lane = Lane::new(scenario, &scenario.policies[policy]);
    let step = if lane.alone() { SIFTED } else { world.cell_size() * SIFTED.div_ceil(world.cell_size()) };
    let mut finder = Finder {
        shortcut: Shortcut::new(&world),
        cell: Cell::new(&world, lane.policy),
        nominal: Nominal::default(),
        world: &world,
        lane: &lane,
        sought,
    };
    for first in (0..world.turns).step_by(step as usize) {
        if among.stop.load(Ordering::Relaxed) {
            return Search::Stopped;
        }
        let end = world.turns.min(first + step);
        if let Some(turn) = finder.first_among(first, end) {
            return Search::Found(turn);
        }
        (among.progress)(end - first);
    }
    Search::None
}

struct Finder<'s> {
    world: &'s World<'s>,
    lane: &'s Lane<'s>,
    shortcut: Shortcut<'s>,
    cell: Cell<'s>,
    nominal: Nominal,
    sought: Sought,
}

impl Finder<'_> {
    fn first_among(&mut self, first: u64, end: u64) -> Option<u64> {
        if self.lane.alone() {
            return (first..end).find(|turn| self.single(*turn));
        }
        let size = self.world.cell_size();
        (first..end).step_by(size as usize).find_map(|first| self.in_cell(extent_around(self.world, first)))
    }

    /// Whether a turn that meets no other is one. An undisturbed one is not: none of it is ever counted of such a turn.
    fn single(&mut self, turn: u64) -> bool {
        let (shape, draws) = (self.world.shape_of(turn), self.world.draws(turn, 1));
        if self.lane.passes_over_calm() && self.shortcut.undisturbed(shape, &draws, &mut self.nominal) {
            return false;
        }
        self.in_cell(Extent::turn(turn, None)).is_some()
    }

    /// The first such turn of a cell.
    fn in_cell(&mut self, extent: Extent<'static>) -> Option<u64> {
        self.cell.tally = Tally::new(self.world.classes.len());
        let last = self.cell.play(extent);
        let tally = &self.cell.tally;
        let any = match self.sought {
            Sought::Duplicate => tally.duplicates,
            Sought::Swallowed => tally.swallowed,
            Sought::Stuck => tally.stuck,
            Sought::Waited => tally.waits,
        };
        (any > 0).then(|| self.first_in_cell(last)).flatten()
    }

    fn first_in_cell(&mut self, last: Instant) -> Option<u64> {
        let arrival = |cell: &Cell<'_>, turn: usize| cell.turns[turn].arrival;
        let judged = |count: fn(&Tally) -> u64| {
            let (rules, classes) = (&self.cell.policy.rules, &self.world.classes);
            let counts = |turn: &usize| count(&judge_alone(&self.cell.history, *turn, rules, classes)) > 0;
            (0..self.cell.turns.len()).filter(counts).map(|turn| arrival(&self.cell, turn)).min()
        };
        match self.sought {
            Sought::Duplicate => judged(|tally| tally.duplicates),
            Sought::Swallowed => judged(|tally| tally.swallowed),
            Sought::Stuck => stuck_calls(&mut self.cell, last).into_iter().min(),
            Sought::Waited => {
                let calls = (0..self.cell.calls.next()).map(|id| &self.cell.calls[Id::new(id)]);
                let waited = calls.filter(|call| call.dispatched.as_ref().is_some_and(|call| call.wait > 0));
                waited.map(|call| arrival(&self.cell, self.cell.attempts[call.attempt].turn as usize)).min()
            }
        }
    }
}
