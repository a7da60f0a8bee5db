//! Who asks for what: conversations and their turns, the argument values of genuine calls, what a replay emits again,
//! and the position that an attempt presents.

use super::arena::Id;
use super::attempt::{Attempt, Replay};
use super::cell::Cell;
use super::dispatching::Call;
use super::notes::{Of, What};
use super::queue::Event;
use super::world::Planned;
use crate::audit::history::IntentId;
use crate::dispatch::symbol::{Symbol, Value};
use crate::draw::{Draws, Site};
use crate::time::Instant;
use crate::turn::{Positions, ReplayPosition, Resumes};

/// The source of values that no other call has.
pub(super) const DISTINCT: u32 = u32::MAX;
/// The source of values that a replay came up with.
pub(super) const REWORDED: u32 = u32::MAX - 1;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Conversation {
    /// Turns committed.
    pub committed: u32,
    /// User messages issued.
    messages: u32,
    /// Turns begun.
    begun: u32,
    /// The last turn begun.
    last: Option<u32>,
}

/// A turn in the making; what is known of its end stands in the history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Its number in the run: the address of its draws.
    pub arrival: u64,
    pub shape: usize,
    /// The position that its original attempt presents.
    position: u32,
    /// Attempts issued, running and pending.
    pub issued: u32,
    pub active: u32,
    pub pending: u32,
    /// Whether a replay was drawn and not issued.
    pub capped: bool,
}

impl Cell<'_> {
    /// The next turn of the conversation is due when it arrives, or now if that is past.
    pub(super) fn schedule_turn(&mut self, conversation: u32) {
        let begun = u64::from(self.conversations[conversation as usize].begun);
        let place = begun * u64::from(self.extent.conversations) + u64::from(conversation);
        if place < self.extent.arrivals {
            let at = Instant::ZERO + self.world.spacing.saturating_mul(place);
            self.queue.schedule(at.max(self.now), Event::Turn { conversation });
        }
    }

    pub(super) fn begin_turn(&mut self, conversation: u32) {
        let state = &mut self.conversations[conversation as usize];
        let place = u64::from(state.begun) * u64::from(self.extent.conversations) + u64::from(conversation);
        state.begun += 1;
        let arrival = self.extent.first + place;
        let repeated = state.last.filter(|_| {
            let repeat = self.world.scenario.population.repeat;
            self.world.draws(arrival, 0).happens(Site::Repeat, 0, repeat)
        });
        let shape = match (repeated, self.extent.given) {
            (Some(last), _) => self.turns[last as usize].shape,
            (None, Some(given)) => given.shape,
            (None, None) => self.world.shape_of(arrival),
        };
        let tools = self.world.shapes[shape].calls.iter().map(|call| call.tool as usize);
        let turn = self.history.begin_turn(conversation, tools);
        let position = self.take_position(conversation);
        self.conversations[conversation as usize].last = Some(turn);
        self.turns.push(Turn { arrival, shape, position, issued: 1, active: 0, pending: 0, capped: false });
        self.issued.resize(self.turns.len() * self.world.scenario.routes.len(), 0);
        self.note(Of::Turn(turn), What::TurnBegins { repeats: repeated.is_some() });
        self.mean_values(turn, shape, arrival, repeated);
        self.start_attempt(turn, 1, None);
    }

    /// The argument values of the turn's genuine calls.
    fn mean_values(&mut self, turn: u32, shape: usize, arrival: u64, repeated: Option<u32>) {
        let shape = &self.world.shapes[shape];
        if let Some(last) = repeated {
            let first = self.history.turns[last as usize].first_intent.0 as usize;
            self.values.extend_from_within(first..first + shape.calls.len());
            return;
        }
        for call in &shape.calls {
            let from = if shape.same_arguments { &shape.calls[0] } else { call };
            let value = match self.world.scenario.tools[from.tool as usize].distinct_arguments {
                None => Value { source: DISTINCT, number: u64::from(turn) << 32 | u64::from(from.row) },
                Some(pool) => {
                    let word = self.world.draws(arrival, 0).word_of(Site::Values, from.row as usize);
                    Value { source: from.tool, number: word.below(pool) }
                }
            };
            self.values.push(value);
        }
    }

    /// The position that the conversation has now; a user message takes it.
    fn take_position(&mut self, conversation: u32) -> u32 {
        let state = &mut self.conversations[conversation as usize];
        match self.world.scenario.population.positions {
            Positions::Committed => state.committed,
            Positions::Messages => {
                state.messages += 1;
                state.messages - 1
            }
        }
    }

    /// The position that an attempt presents.
    pub(super) fn position(&mut self, turn: u32, replay: Option<&Replay>) -> u32 {
        match replay.map(|replay| self.world.scenario.routes[replay.route].position) {
            None | Some(ReplayPosition::Pinned) => self.turns[turn as usize].position,
            Some(ReplayPosition::Conversation) => self.take_position(self.history.turns[turn as usize].conversation),
        }
    }

    /// Lists the calls of an attempt: those of the steps that it keeps, as they were emitted there, then what it emits
    /// itself. Returns the number of steps kept.
    pub(super) fn plan_calls(
        &mut self,
        attempt: Id<Attempt>,
        turn: u32,
        position: u32,
        draws: &Draws<'_>,
        replay: Option<&Replay>,
    ) -> u32 {
        let first = self.calls.next();
        let conversation = self.history.turns[turn as usize].conversation;
        let kept = replay.map_or(0, |replay| self.keep_steps(attempt, replay));
        let shape = &self.world.shapes[self.turns[turn as usize].shape];
        for call in shape.calls.iter().filter(|call| call.step >= kept) {
            let intent = IntentId(self.history.turns[turn as usize].first_intent.0 + call.row);
            let serial = u64::from(attempt.index()) << 32 | u64::from(call.row + 1);
            let said = match replay {
                None => Some((self.values[intent.0 as usize], 0)),
                Some(replay) => self.say_again(*call, intent, draws, replay.route, serial),
            };
            if let Some((value, text)) = said {
                let symbol = Symbol {
                    conversation,
                    position,
                    tool: call.tool,
                    value,
                    text,
                    call_id: serial,
                    ..self.numbered(first, call.tool, value)
                };
                self.calls.push(Call { planned: *call, attempt, intent, symbol, dispatched: None });
            }
        }
        kept
    }

    /// Copies the calls of the steps that the followed attempt has finished by now.
    fn keep_steps(&mut self, attempt: Id<Attempt>, replay: &Replay) -> u32 {
        if self.world.scenario.routes[replay.route].resumes == Resumes::Turn {
            return 0;
        }
        let followed = &self.attempts[replay.follows];
        let (kept, calls) = (followed.finished, followed.calls.clone());
        for call in calls {
            let Call { planned, intent, symbol, .. } = self.calls[Id::new(call)];
            if planned.step < kept {
                self.calls.push(Call { planned, attempt, intent, symbol, dispatched: None });
            }
        }
        kept
    }

    /// What a replay makes of a call of the original turn: its values and text (0: the text that equal values share),
    /// or nothing.
    fn say_again(
        &self,
        call: Planned,
        intent: IntentId,
        draws: &Draws<'_>,
        route: usize,
        serial: u64,
    ) -> Option<(Value, u64)> {
        let scenario = self.world.scenario;
        let law = scenario.re_emits(route, call.tool as usize);
        let row = call.row as usize;
        if draws.happens(Site::ReEmit, row, law.dropped) {
            return None;
        }
        let value = if draws.happens(Site::ReEmit, row, law.dropped + law.reworded) {
            Value { source: REWORDED, number: serial }
        } else {
            self.values[intent.0 as usize]
        };
        let respelt = draws.happens(Site::Reserialise, row, scenario.reserialised);
        Some((value, if respelt { serial } else { 0 }))
    }

    /// The ordinal and call number of the call that follows those from `first` on.
    fn numbered(&self, first: u32, tool: u32, value: Value) -> Symbol {
        let earlier = (first..self.calls.next()).map(|c| &self.calls[Id::new(c)].symbol);
        let call_number = earlier.len() as u32;
        let ordinal = earlier.filter(|symbol| symbol.tool == tool && symbol.value == value).count() as u32;
        Symbol { ordinal, call_number, ..Symbol::default() }
    }
}
