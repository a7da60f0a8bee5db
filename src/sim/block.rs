//! The turns of one block under every policy.

use super::Sampling;
use super::cell::{Cell, Extent, Given};
use super::company::{Company, Role, roles};
use super::lane::{Lane, Way};
use super::nominal::Nominal;
use super::screen::{Look, Screen};
use super::shortcut::Shortcut;
use super::sift::Sieve;
use super::skip::Skip;
use super::world::World;
use crate::audit::Tally;
use crate::draw::Draws;
use std::ops::Range;
use std::rc::Rc;

/// Turns of a block at the least: enough that merging its tallies costs nothing beside playing them.
pub(super) const SIFTED: u64 = 4096;
/// The same where undisturbed turns are passed over.
const SKIPPED: u64 = 1 << 16;

/// A run made ready.
pub(super) struct Run<'s> {
    pub world: &'s World<'s>,
    pub lanes: &'s [Lane<'s>],
    shortcut: Shortcut<'s>,
    /// By shape; none where nothing but the whole draws can tell an undisturbed turn.
    screens: Vec<Option<Screen>>,
    /// By lane.
    roles: Vec<Role>,
    skip: Option<Skip>,
}

/// What a thread needs to play one block after the other.
pub(super) struct Worker<'s> {
    cells: Vec<Cell<'s>>,
    nominal: Nominal,
    sieves: Vec<Option<Sieve<'s>>>,
    /// Turns of the block, by shape, where there are several shapes.
    shapes: Vec<Vec<u64>>,
    /// Undisturbed turns of the block, by shape.
    calm: Vec<u64>,
    company: Company,
}

impl<'s> Worker<'s> {
    pub(super) fn new(run: &'s Run<'s>) -> Self {
        let shapes = run.world.shapes.len();
        let memo = Rc::default();
        Worker {
            cells: run.lanes.iter().map(|lane| Cell::sharing(run.world, lane.policy, Rc::clone(&memo))).collect(),
            nominal: Nominal::default(),
            sieves: run.screens.iter().map(|screen| Some(Sieve::new(run.world.seed, screen.as_ref()?))).collect(),
            shapes: vec![Vec::new(); shapes],
            calm: vec![0; shapes],
            company: Company::new(run.lanes.len(), run.world.classes.len()),
        }
    }
}

impl<'s> Run<'s> {
    /// # Panics
    /// If only disturbed turns are to be drawn and some policy forbids that.
    pub(super) fn new(world: &'s World<'s>, lanes: &'s [Lane<'s>], sampling: Sampling) -> Self {
        let shortcut = Shortcut::new(world);
        let wanted = lanes.iter().any(Lane::passes_over_calm);
        let screen = |shape| if wanted { Screen::new(&shortcut, shape) } else { None };
        let screens: Vec<Option<Screen>> = (0..world.shapes.len()).map(screen).collect();
        let skip = (sampling == Sampling::Disturbed).then(|| {
            assert!(
                lanes.iter().all(Lane::passes_over_calm),
                "undisturbed turns cannot be passed over under every policy"
            );
            Skip::new(&shortcut, &screens, &world.scenario.shape_shares())
        });
        let roles = roles(world.scenario, lanes);
        Run { world, lanes, shortcut, screens, roles, skip }
    }

    /// Turns of a block at the least.
    pub(super) const fn block_turns(&self) -> u64 {
        if self.skip.is_some() { SKIPPED } else { SIFTED }
    }

    /// P(something may happen to a turn), where undisturbed turns are passed over.
    pub(super) fn candidates(&self) -> f64 {
        self.skip.as_ref().map_or(1.0, |skip| skip.candidate)
    }
}

impl Run<'_> {
    /// Plays a range of cells under every policy.
    pub(super) fn cells<'s>(&'s self, worker: &mut Worker<'s>, cells: Range<u64>) -> Vec<Tally> {
        let size = self.world.cell_size();
        let turns = cells.start * size..(cells.end * size).min(self.world.turns);
        self.play_disturbed(worker, turns.clone());
        for (lane, cell) in self.lanes.iter().zip(&mut worker.cells) {
            match &lane.way {
                Way::Cells => cells.clone().for_each(|index| self.whole_cell(cell, index * size)),
                Way::Turns => {
                    for turn in turns.clone() {
                        cell.play(Extent::turn(turn, None));
                    }
                }
                Way::Disturbed(calm) => {
                    for (tally, turns) in calm.iter().zip(&worker.calm) {
                        cell.tally.add_times(tally, *turns);
                    }
                }
            }
        }
        worker.company.count(&self.roles, &self.world.classes, &mut worker.cells);
        let empty = || Tally::new(self.world.classes.len());
        worker.cells.iter_mut().map(|cell| std::mem::replace(&mut cell.tally, empty())).collect()
    }

    fn whole_cell<'s>(&self, cell: &mut Cell<'s>, first: u64) {
        let conversations = self.world.scenario.population.conversations;
        let arrivals = self.world.cell_size().min(self.world.turns - first);
        cell.play(Extent { first, arrivals, conversations, given: None });
    }

    /// Plays the turns to which something may happen where the others are not played, and counts these.
    fn play_disturbed<'s>(&'s self, worker: &mut Worker<'s>, turns: Range<u64>) {
        worker.calm.fill(0);
        match &self.skip {
            Some(skip) => self.skip(skip, worker, turns),
            None if self.lanes.iter().any(Lane::passes_over_calm) => self.sift(worker, turns),
            None => {}
        }
    }

    /// Draws the turns to which something may happen.
    fn skip<'s>(&self, skip: &'s Skip, worker: &mut Worker<'s>, turns: Range<u64>) {
        let (seed, length) = (self.world.seed, turns.end - turns.start);
        let first = turns.start;
        let candidates = skip.candidates(seed, turns, |candidate| {
            let Given { shape, known } = candidate.given;
            let draws = Draws::new(seed, candidate.turn, 1).knowing(known);
            let draws = draws.with_first_block(draws.first_block());
            let look = self.screens[shape].as_ref().map_or(Look::Perhaps, |screen| screen.look_at(&draws));
            if self.is_played(look, shape, &draws, &mut worker.nominal) {
                self.play(&mut worker.cells, &mut worker.company, Extent::turn(candidate.turn, Some(candidate.given)));
            } else {
                worker.calm[shape] += 1;
            }
        });
        skip.shapes(seed, first, length - candidates, &mut worker.calm);
    }

    /// Looks at every turn.
    fn sift(&self, worker: &mut Worker<'_>, turns: Range<u64>) {
        let several = worker.shapes.len() > 1;
        if several {
            worker.shapes.iter_mut().for_each(Vec::clear);
            turns.clone().for_each(|turn| worker.shapes[self.world.shape_of(turn)].push(turn));
        }
        for shape in 0..worker.shapes.len() {
            let mut played = 0;
            let list = several.then(|| std::mem::take(&mut worker.shapes[shape]));
            let Worker { cells, sieves, nominal, company, .. } = worker;
            let mut found = |turn, look| {
                if self.is_played(look, shape, &Draws::new(self.world.seed, turn, 1), nominal) {
                    self.play(cells, company, Extent::turn(turn, None));
                    played += 1;
                }
            };
            match (&mut sieves[shape], &list) {
                (Some(sieve), Some(list)) => sieve.list(list, &mut found),
                (Some(sieve), None) => sieve.range(turns.clone(), &mut found),
                (None, Some(list)) => list.iter().for_each(|turn| found(*turn, Look::Perhaps)),
                (None, None) => turns.clone().for_each(|turn| found(turn, Look::Perhaps)),
            }
            let looked_at = list.as_ref().map_or(turns.end - turns.start, |list| list.len() as u64);
            worker.calm[shape] += looked_at - played;
            worker.shapes[shape] = list.unwrap_or_default();
        }
    }

    /// Plays a turn under every policy under which undisturbed turns are not played.
    fn play<'s>(&self, cells: &mut [Cell<'s>], company: &mut Company, extent: Extent<'s>) {
        for (i, cell) in cells.iter_mut().enumerate().filter(|(i, _)| self.lanes[*i].passes_over_calm()) {
            company.play(i, self.roles[i], cell, extent);
        }
    }

    /// Whether a turn is to be played, by a look at it: in doubt its whole draws tell.
    #[inline(never)]
    fn is_played(&self, look: Look, shape: usize, draws: &Draws<'_>, nominal: &mut Nominal) -> bool {
        match look {
            Look::Calm => false,
            Look::Cut => true,
            Look::Perhaps => !self.shortcut.undisturbed(shape, draws, nominal),
        }
    }
}
