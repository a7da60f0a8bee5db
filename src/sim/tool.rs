//! Tool runs and what the world makes of them: requests, effects, and the memory of a downstream that takes keys.

use super::arena::Id;
use super::cell::Cell;
use super::dispatching::{Call, Running};
use super::notes::{Of, What};
use super::queue::Event;
use super::request::{Sent, another, outcome};
use crate::audit::history::IntentId;
use crate::dispatch::machine::{self, Outcome};
use crate::dispatch::symbol::{Symbol, Value};
use crate::draw::Site;
use crate::time::{Instant, Span};
use crate::turn::{Class, DownstreamMismatch};
use rustc_hash::FxHashMap;

/// The first effect under a key, as a keyed downstream remembers it.
#[derive(Debug, Clone, Copy)]
struct Remembered {
    first_effect: Instant,
    body: Value,
    result_of: IntentId,
}

/// What one tool's downstream remembers.
#[derive(Debug, Default)]
pub(super) struct Downstream {
    /// By forwarded key, within its retention.
    keys: FxHashMap<Symbol, Remembered>,
    /// By the key of every request that had an effect, for ever: what a status query is answered from.
    effects: FxHashMap<Symbol, IntentId>,
}

impl Downstream {
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.effects.clear();
    }

    /// Whose run first had an effect under this key.
    pub(super) fn effect_of(&self, key: &Symbol) -> Option<IntentId> {
        self.effects.get(key).copied()
    }

    fn known(&self, key: &Symbol, retention: Option<Span>, now: Instant) -> Option<Remembered> {
        let known = self.keys.get(key).copied()?;
        retention.is_none_or(|r| now < known.first_effect + r).then_some(known)
    }
}

impl Cell<'_> {
    /// The tool's client sends request `number` of a run.
    pub(super) fn send(&mut self, id: Id<Call>, number: u32) {
        let call = &self.calls[id];
        let tool = &self.world.scenario.tools[call.planned.tool as usize];
        let latency = self.span(call.attempt, (Site::Latency, call.planned.row, number), &tool.latency);
        let sent = Sent::draw(tool, latency, &self.draws(call.attempt), call.planned.row, number);
        let run = self.running(id);
        run.request = number;
        run.outcome = sent.outcome;
        let forward = run.forward;
        // A keyed downstream may answer a request that it would have refused with the result it remembers.
        let decides = sent.outcome != Outcome::Error || (forward && tool.class == Class::KeyedWrite);
        if tool.class.is_write() && decides {
            self.queue.schedule(self.now + sent.effect, Event::Effect(id, number));
        }
        self.note(Of::Call(id), What::Sends { request: number, forward });
        let end = if sent.heard { Event::Response(id, number) } else { Event::GiveUp(id, number) };
        self.queue.schedule(self.now + sent.lasts, end);
    }

    fn running(&mut self, id: Id<Call>) -> &mut Running {
        self.dispatched(id).run.as_mut().expect("only runs have requests")
    }

    /// A request reaches the instant of its effect. Whether its run goes on or not: only a run that was stopped in
    /// its course has none.
    pub(super) fn on_effect(&mut self, id: Id<Call>, number: u32) -> bool {
        let run = *self.running(id);
        if run.stopped {
            return false;
        }
        let (call, key) = (&self.calls[id], self.calls[id].dispatched.as_ref().map_or(Symbol::default(), |d| d.key));
        let (tool_id, body, intent) = (call.planned.tool as usize, call.symbol.value, call.intent);
        let tool = &self.world.scenario.tools[tool_id];
        let refused = {
            let draws = self.draws(call.attempt);
            outcome(tool, &draws, call.planned.row, number) == Outcome::Error
        };
        let keyed = run.forward && tool.class == Class::KeyedWrite;
        let known = keyed.then(|| self.downstream[tool_id].known(&key, tool.retention, self.now)).flatten();
        match known {
            Some(known) if known.body != body && tool.on_mismatch == DownstreamMismatch::Reject => {
                self.note(Of::Call(id), What::Rejects { request: number });
                self.respond(id, number, Outcome::Error, intent);
            }
            Some(known) => {
                self.note(Of::Call(id), What::Remembers { request: number, result_of: known.result_of });
                self.respond(id, number, Outcome::Success, known.result_of);
            }
            None if refused => {}
            None => {
                if keyed {
                    let remembered = Remembered { first_effect: self.now, body, result_of: intent };
                    self.downstream[tool_id].keys.insert(key, remembered);
                }
                if tool.status_query {
                    self.downstream[tool_id].effects.entry(key).or_insert(intent);
                }
                self.history.runs[run.id.0 as usize].effects += 1;
                self.note(Of::Call(id), What::Effect { request: number });
            }
        }
        true
    }

    /// What the downstream will answer to a request, if that is still the one listened to and its response is not
    /// lost on the way.
    fn respond(&mut self, id: Id<Call>, number: u32, outcome: Outcome, result_of: IntentId) {
        let run = self.running(id);
        if run.request == number && !run.ended && run.outcome != Outcome::Unknown {
            run.outcome = outcome;
            run.result_of = result_of;
        }
    }

    /// The response to a request is heard: the run ends with it.
    pub(super) fn on_response(&mut self, id: Id<Call>, number: u32) -> bool {
        let run = self.running(id);
        let due = !run.ended && !run.stopped && run.request == number;
        if due {
            run.ended = true;
            let (outcome, result_of) = (run.outcome, run.result_of);
            self.note(Of::Call(id), What::Responds { request: number, outcome, result_of });
            self.tell(id, machine::Event::Ran(outcome));
        }
        due
    }

    /// No response in time: the client sends again, or the run ends unknown.
    pub(super) fn on_give_up(&mut self, id: Id<Call>, number: u32) -> bool {
        let tool = &self.world.scenario.tools[self.calls[id].planned.tool as usize];
        let run = self.running(id);
        let due = !run.ended && !run.stopped && run.request == number;
        let again = another(tool, number);
        if due {
            run.ended = !again;
            self.note(Of::Call(id), What::GivesUp { request: number, again });
            if again {
                self.send(id, number + 1);
            } else {
                self.tell(id, machine::Event::Ran(Outcome::Unknown));
            }
        }
        due
    }
}
