//! One cell under one policy: a ledger, the conversations that share it, and the event loop.

use super::arena::{Arena, Id};
use super::attempt::{Attempt, Fate, Replay};
use super::dispatching::Call;
use super::memo::Memo;
use super::nominal::Nominal;
use super::notes::Notes;
use super::population::{Conversation, Turn};
use super::queue::{Event, Queue};
use super::tool::Downstream;
use super::world::World;
use crate::audit::history::{History, IntentId, Order};
use crate::audit::{Tally, judge};
use crate::dispatch::symbol::{Symbol, Value};
use crate::draw::bounds::Known;
use crate::ledger::memory::Memory;
use crate::scenario::Policy;
use crate::time::Instant;
use std::cell::RefCell;
use std::rc::Rc;

/// What is known of a turn that was chosen because it might not be undisturbed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'s> {
    pub shape: usize,
    /// Of the words of its first attempt.
    pub known: Known<'s>,
}

/// Which turns a cell holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent<'s> {
    /// The arrival of its first turn.
    pub first: u64,
    /// Its turns; fewer than conversations × turns in the last cell of a run.
    pub arrivals: u64,
    pub conversations: u32,
    /// Known of its only turn.
    pub given: Option<Given<'s>>,
}

impl<'s> Extent<'s> {
    /// One turn by itself.
    pub(super) const fn turn(arrival: u64, given: Option<Given<'s>>) -> Self {
        Extent { first: arrival, arrivals: 1, conversations: 1, given }
    }

    pub(super) const fn is_one_turn(&self) -> bool {
        self.arrivals == 1
    }
}

/// Everything that happens in a cell. Reused for one cell after the other, so that the steady state allocates nothing.
pub(super) struct Cell<'s> {
    pub world: &'s World<'s>,
    pub policy: &'s Policy,
    /// Which of the scenario's routes the policy removes.
    pub removed: Vec<bool>,
    pub extent: Extent<'s>,
    /// When the cell begins on the run's calendar, in nanoseconds; its own clock starts at zero there.
    pub origin: u128,
    pub now: Instant,
    /// Counts events.
    pub happened: Order,
    pub queue: Queue,
    pub conversations: Vec<Conversation>,
    /// By their place in the history.
    pub turns: Vec<Turn>,
    /// Replays issued, by turn and route.
    pub issued: Vec<u32>,
    /// The values of genuine calls, by intent.
    pub values: Vec<Value>,
    pub attempts: Arena<Attempt>,
    pub replays: Arena<Replay>,
    pub calls: Arena<Call>,
    /// Dispatches that wait for a row, in the order in which they began to.
    pub waiting: Vec<Id<Call>>,
    pub rows: Memory<Symbol, Value, IntentId>,
    pub downstream: Vec<Downstream>,
    pub history: History,
    pub nominal: Nominal,
    /// What the turn that is played by itself has drawn, under this policy or another.
    pub memo: Rc<RefCell<Memo>>,
    /// Room for the judge.
    pattern: Vec<u32>,
    pub tally: Tally,
    /// Who writes down what happens to a turn, where someone asked.
    pub notes: Option<Notes>,
}

impl<'s> Cell<'s> {
    pub(super) fn new(world: &'s World<'s>, policy: &'s Policy) -> Self {
        Cell::sharing(world, policy, Rc::default())
    }

    /// A cell that draws nothing anew that another cell has drawn for the same turn.
    pub(super) fn sharing(world: &'s World<'s>, policy: &'s Policy, memo: Rc<RefCell<Memo>>) -> Self {
        let scenario = world.scenario;
        Cell {
            world,
            policy,
            removed: (0..scenario.routes.len()).map(|route| policy.without_routes.contains(&route)).collect(),
            extent: Extent { first: 0, arrivals: 0, conversations: 0, given: None },
            origin: 0,
            now: Instant::ZERO,
            happened: Order::default(),
            queue: Queue::default(),
            conversations: Vec::new(),
            turns: Vec::new(),
            issued: Vec::new(),
            values: Vec::new(),
            attempts: Arena::new(),
            replays: Arena::new(),
            calls: Arena::new(),
            waiting: Vec::new(),
            rows: Memory::new(policy.row_retention),
            downstream: scenario.tools.iter().map(|_| Downstream::default()).collect(),
            history: History::default(),
            nominal: Nominal::default(),
            memo,
            pattern: Vec::new(),
            tally: Tally::new(scenario.tools.len()),
            notes: None,
        }
    }

    /// Plays the turns of `extent` to the last event, whose time it returns, and adds what happened to the tally.
    pub(super) fn play(&mut self, extent: Extent<'s>) -> Instant {
        self.begin(extent);
        let mut last = Instant::ZERO;
        while let Some((at, event)) = self.queue.pop() {
            if self.happens(at, event) {
                last = at;
            }
        }
        self.finish(last);
        last
    }

    /// Judges what happened up to the last event.
    pub(super) fn finish(&mut self, last: Instant) {
        self.tally.stuck += self.rows.in_flight(last);
        let rules = &self.policy.rules;
        judge(&self.history, rules, &self.world.classes, &mut self.pattern, &mut self.tally);
    }

    /// Forgets the last cell and schedules the first turns of this one.
    pub(super) fn begin(&mut self, extent: Extent<'s>) {
        self.extent = extent;
        if extent.is_one_turn() {
            self.memo.borrow_mut().turn(extent.first);
        }
        self.origin = self.world.arrival_nanos(extent.first);
        self.now = Instant::ZERO;
        self.turns.clear();
        self.issued.clear();
        self.values.clear();
        self.attempts.clear();
        self.replays.clear();
        self.calls.clear();
        self.waiting.clear();
        self.rows.clear();
        self.downstream.iter_mut().for_each(Downstream::clear);
        self.history.clear();
        self.conversations.clear();
        self.conversations.resize(extent.conversations as usize, Conversation::default());
        for conversation in 0..extent.conversations {
            self.schedule_turn(conversation);
        }
    }

    /// Lets an event happen; says whether it was still due.
    pub(super) fn happens(&mut self, at: Instant, event: Event) -> bool {
        self.now = at;
        self.happened.0 += 1;
        match event {
            Event::Turn { conversation } => self.begin_turn(conversation),
            Event::Replay(replay) => self.on_replay(replay),
            Event::PhaseOver(attempt, epoch) => {
                let due = self.attempts[attempt].fate != Fate::Ended && self.attempts[attempt].epoch == epoch;
                if due {
                    self.on_phase_over(attempt);
                }
                return due;
            }
            Event::Cut(attempt, epoch) => return self.on_cut(attempt, epoch),
            // Longer than the time-out is a cut: what else ends the dispatch at this instant comes first.
            Event::Idle(attempt, epoch) => self.queue.schedule(at, Event::Cut(attempt, epoch)),
            Event::Place(attempt) => return self.strike(attempt),
            Event::Crash(attempt) => return self.on_crash(attempt),
            Event::Slow(attempt, route) => return self.on_slow(attempt, route),
            Event::Commit(attempt) => return self.on_commit(attempt),
            Event::Wake(call, wait) => return self.on_wake(call, wait),
            Event::Effect(call, request) => return self.on_effect(call, request),
            Event::Response(call, request) => return self.on_response(call, request),
            Event::GiveUp(call, request) => return self.on_give_up(call, request),
        }
        true
    }
}
