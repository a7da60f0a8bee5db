//! One turn, event by event: what happened to it in the run, with the draws behind it, and what of it was counted.

use super::arena::Id;
use super::cell::{Cell, Extent};
use super::counted::count;
use super::dispatching::Call;
use super::drawn::{Drawn, drawn};
use super::lane::Lane;
use super::notes::{Note, Notes, Of, What};
use super::population::{DISTINCT, REWORDED};
use super::world::World;
use crate::audit::history::{IntentId, RunId};
use crate::audit::{Tally, cause_of, judge_alone};
use crate::dispatch::machine::RowState;
use crate::dispatch::rule::Remember;
use crate::dispatch::symbol::Symbol;
use crate::scenario::Scenario;
use crate::time::Instant;
use crate::turn::Cause;
use std::collections::{BTreeMap, BTreeSet};

/// One turn under one policy.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The turn's number in the run, from 0 in order of arrival: the address of its draws.
    pub turn: u64,
    /// The policy, an index into the scenario's.
    pub policy: usize,
    /// The conversation within the turn's cell, and how many turns came before it there.
    pub conversation: (u32, u64),
    /// Its shape, an index into the scenario's.
    pub shape: usize,
    /// What happened, in order: to the turn, and to calls of other turns that share a key with it. Nothing where the
    /// turn would arrive beyond the end of time.
    pub events: Vec<Happened>,
    /// The calls that events speak of.
    pub calls: Vec<Traced>,
    /// Whose a result may be, by intent: turn and call.
    pub meant: BTreeMap<IntentId, (u64, u32)>,
    /// When the turn arrived, on the cell's clock.
    pub arrived: Instant,
    /// What the run counts of the turn.
    pub tally: Tally,
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Happened {
    /// Nanoseconds since the turn arrived; before that for other turns' calls.
    pub at_ns: i64,
    /// The turn it happened to.
    pub turn: u64,
    /// The attempt's number, from 1; 0 where it happened to the turn as a whole.
    pub attempt: u32,
    /// The call, an index into [`Trace::calls`].
    pub call: Option<usize>,
    /// What.
    pub what: What,
    /// For an effect of a write that is not the first of what was meant: why it got through.
    pub duplicate: Option<Cause>,
    /// The draws behind it.
    pub draws: Vec<Drawn>,
}

/// A call that events speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traced {
    /// Its turn.
    pub turn: u64,
    /// The attempt that has it.
    pub attempt: u32,
    /// Its number among the shape's calls, from 0.
    pub row: u32,
    /// Its step, from 0.
    pub step: u32,
    /// Its tool, an index into the scenario's.
    pub tool: usize,
    /// What a key can see of it.
    pub symbol: Symbol,
    /// The same as words.
    pub arguments: Arguments,
    /// Whether the policy uses a key for it.
    pub keyed: bool,
}

/// Argument values, told apart as the model tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Values that no other turn's call has: those meant for this turn's call (its number from 0).
    Own {
        /// The turn.
        turn: u64,
        /// The call.
        row: u32,
    },
    /// One of the values that a tool's calls choose from.
    Chosen {
        /// The tool, an index into the scenario's.
        tool: usize,
        /// Which of its values.
        number: u64,
    },
    /// What a replay came up with.
    Reworded {
        /// The turn.
        turn: u64,
        /// The attempt that worded it.
        attempt: u32,
        /// The call.
        row: u32,
    },
}

/// Plays the turn as the run of `turns` turns with this seed plays it.
///
/// # Panics
/// If the run has no such turn or the scenario no such policy.
#[must_use]
pub fn explain(scenario: &Scenario, seed: u64, turns: u64, turn: u64, policy: usize) -> Trace {
    assert!(turn < turns, "turn {turn} of a run of {turns}");
    let world = World::new(scenario, seed, turns);
    let lane = Lane::new(scenario, &scenario.policies[policy]);
    let mut cell = Cell::new(&world, lane.policy);
    let extent = extent_around(&world, turn);
    cell.notes = Some(Notes { arrival: turn, ..Notes::default() });
    let mut last = cell.play(extent);
    if lane.alone() && !cell.turns.iter().any(|begun| begun.arrival == turn) {
        // Its cell reaches beyond the end of time. The run plays such a turn alone.
        last = cell.play(Extent::turn(turn, None));
    }
    if !lane.alone() {
        // Once more, with the calls of other turns that meet this turn's in ledger or downstream.
        let mut keys: Vec<Symbol> = of_turn(&cell, turn).filter_map(|id| key_in_use(&cell, id)).collect();
        keys.sort_unstable();
        keys.dedup();
        cell.notes = Some(Notes { arrival: turn, keys, ..Notes::default() });
        last = cell.play(extent);
    }
    let notes = cell.notes.take().map_or(Vec::new(), |notes| notes.notes);
    let (calls, indices, meant, effective) = Default::default();
    Builder { cell: &mut cell, turn, calls, indices, meant, effective }.trace(policy, &notes, last)
}

/// Nanoseconds from one instant to another, which may be the earlier.
#[must_use]
pub fn since(at: Instant, from: Instant) -> i64 {
    at.as_nanos().wrapping_sub(from.as_nanos()) as i64
}

/// The cell that holds an arrival.
pub(super) fn extent_around(world: &World<'_>, arrival: u64) -> Extent<'static> {
    let size = world.cell_size();
    let first = arrival / size * size;
    let conversations = world.scenario.population.conversations;
    Extent { first, arrivals: size.min(world.turns - first), conversations, given: None }
}

/// The calls of a turn's attempts.
fn of_turn<'c>(cell: &'c Cell<'_>, arrival: u64) -> impl Iterator<Item = Id<Call>> + 'c {
    let all = (0..cell.calls.next()).map(Id::new);
    all.filter(move |id| cell.turns[cell.attempts[cell.calls[*id].attempt].turn as usize].arrival == arrival)
}

/// The key of a dispatched call, where ledger or downstream ever see it.
fn key_in_use(cell: &Cell<'_>, id: Id<Call>) -> Option<Symbol> {
    let call = &cell.calls[id];
    let rule = cell.policy.rules.dispatcher.rule(cell.world.classes[call.planned.tool as usize]);
    let used = rule.remember != Remember::Never || rule.forward;
    call.dispatched.as_ref().filter(|_| used).map(|dispatched| dispatched.key)
}

struct Builder<'c, 's> {
    cell: &'c mut Cell<'s>,
    turn: u64,
    calls: Vec<Traced>,
    indices: BTreeMap<u32, usize>,
    meant: BTreeMap<IntentId, (u64, u32)>,
    /// Runs that have had an effect.
    effective: BTreeSet<RunId>,
}

impl Builder<'_, '_> {
    fn trace(mut self, policy: usize, notes: &[Note], last: Instant) -> Trace {
        let extent = self.cell.extent;
        let place = self.turn - extent.first;
        let arrived = Instant::ZERO + self.cell.world.spacing.saturating_mul(place);
        let events: Vec<Happened> = notes.iter().map(|note| self.happened(note, arrived)).collect();
        let at = self.cell.turns.iter().position(|turn| turn.arrival == self.turn);
        let own: Vec<&Happened> = events.iter().filter(|event| event.turn == self.turn).collect();
        let (rules, classes) = (&self.cell.policy.rules, &self.cell.world.classes);
        let nothing = Tally::new(classes.len());
        let mut tally = at.map_or(nothing, |at| judge_alone(&self.cell.history, at, rules, classes));
        count(&own, &self.calls, &mut tally);
        tally.stuck = self.stuck(last);
        let conversations = u64::from(extent.conversations);
        Trace {
            turn: self.turn,
            policy,
            conversation: ((place % conversations) as u32, place / conversations),
            shape: at.map_or(self.cell.world.shape_of(self.turn), |at| self.cell.turns[at].shape),
            events,
            calls: self.calls,
            meant: self.meant,
            arrived,
            tally,
        }
    }

    fn happened(&mut self, note: &Note, arrived: Instant) -> Happened {
        let (turn, attempt, call) = match note.of {
            Of::Turn(turn) => (turn, 0, None),
            Of::Attempt(id) => (self.cell.attempts[id].turn, self.cell.attempts[id].number, None),
            Of::Call(id) => {
                let attempt = &self.cell.attempts[self.cell.calls[id].attempt];
                (attempt.turn, attempt.number, Some(id))
            }
        };
        if let What::Remembers { result_of, .. }
        | What::Responds { result_of, .. }
        | What::Answers { result_of: Some(result_of), .. } = note.what
        {
            self.mean(result_of);
        }
        Happened {
            at_ns: since(note.at, arrived),
            turn: self.cell.turns[turn as usize].arrival,
            attempt,
            call: call.map(|id| self.call(id)),
            what: note.what,
            duplicate: call.and_then(|id| self.duplicate(id, note.what)),
            draws: drawn(self.cell, note),
        }
    }

    fn mean(&mut self, intent: IntentId) {
        let turn = self.cell.history.intents[intent.0 as usize].turn as usize;
        let row = intent.0 - self.cell.history.turns[turn].first_intent.0;
        self.meant.insert(intent, (self.cell.turns[turn].arrival, row));
    }

    /// The place of a call among those traced.
    fn call(&mut self, id: Id<Call>) -> usize {
        if let Some(known) = self.indices.get(&id.index()) {
            return *known;
        }
        let call = &self.cell.calls[id];
        let attempt = &self.cell.attempts[call.attempt];
        self.calls.push(Traced {
            turn: self.cell.turns[attempt.turn as usize].arrival,
            attempt: attempt.number,
            row: call.planned.row,
            step: call.planned.step,
            tool: call.planned.tool as usize,
            symbol: call.symbol,
            arguments: self.arguments(&call.symbol),
            keyed: key_in_use(self.cell, id).is_some(),
        });
        self.indices.insert(id.index(), self.calls.len() - 1);
        self.calls.len() - 1
    }

    fn arguments(&self, symbol: &Symbol) -> Arguments {
        let (high, low) = ((symbol.value.number >> 32) as u32, symbol.value.number as u32);
        match symbol.value.source {
            DISTINCT => Arguments::Own { turn: self.cell.turns[high as usize].arrival, row: low },
            REWORDED => {
                let attempt = &self.cell.attempts[Id::new(high)];
                let turn = self.cell.turns[attempt.turn as usize].arrival;
                Arguments::Reworded { turn, attempt: attempt.number, row: low - 1 }
            }
            tool => Arguments::Chosen { tool: tool as usize, number: symbol.value.number },
        }
    }

    /// Why this effect of a write is a duplicate, if it is one: as the judge has it, by the order of runs and then of
    /// requests, which need not be the order of time.
    fn duplicate(&mut self, id: Id<Call>, what: What) -> Option<Cause> {
        let What::Effect { .. } = what else { return None };
        let run = self.cell.calls[id].dispatched.as_ref()?.run.as_ref()?.id;
        let (rules, classes) = (&self.cell.policy.rules, &self.cell.world.classes);
        if self.effective.insert(run) {
            cause_of(&self.cell.history, run, rules, classes)
        } else {
            Some(Cause::BelowTheLedger)
        }
    }

    /// Rows of the turn's own claims that are in flight after the last event.
    fn stuck(&mut self, last: Instant) -> u64 {
        stuck_calls(self.cell, last).into_iter().filter(|arrival| *arrival == self.turn).count() as u64
    }
}

/// The turns of calls whose claim is in flight after the last event of the cell, one entry a row.
pub(super) fn stuck_calls(cell: &mut Cell<'_>, last: Instant) -> Vec<u64> {
    let mut stuck = Vec::new();
    for id in (0..cell.calls.next()).map(Id::new) {
        let call = &cell.calls[id];
        let Some(dispatched) = &call.dispatched else { continue };
        let Some(claim) = dispatched.machine.claim() else { continue };
        let row = cell.rows.find(&dispatched.key, call.symbol.value, last);
        if row.is_some_and(|row| row.claim == claim && row.state == RowState::InFlight) {
            stuck.push(cell.turns[cell.attempts[call.attempt].turn as usize].arrival);
        }
    }
    stuck
}
