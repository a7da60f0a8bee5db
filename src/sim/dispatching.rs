//! The driver of the dispatcher in virtual time: it does what the machine asks for, against the cell's ledger, and
//! hands back what happened.

use super::arena::Id;
use super::attempt::{Attempt, Fate};
use super::cell::Cell;
use super::notes::{Of, What};
use super::queue::Event;
use super::world::Planned;
use crate::audit::history::{IntentId, Order, Passage, RunId};
use crate::dispatch::machine::{self, Action, Answer, Dispatch, Outcome, Record, RowState, Sight};
use crate::dispatch::symbol::Symbol;
use crate::draw::Site;
use crate::time::Instant;

/// One call of an attempt: emitted by it, or kept from the attempt that it follows.
#[derive(Debug)]
pub(super) struct Call {
    pub planned: Planned,
    pub attempt: Id<Attempt>,
    pub intent: IntentId,
    pub symbol: Symbol,
    /// Absent before its dispatch.
    pub dispatched: Option<Dispatched>,
}

/// A dispatched call on its way to its answer and, where its requests outlive it, beyond.
#[derive(Debug)]
pub(super) struct Dispatched {
    pub machine: Dispatch,
    /// The symbol as the policy's key sees it.
    pub key: Symbol,
    at: Order,
    /// Whether it has asked the ledger yet.
    asked: bool,
    /// Whether it ever found a row.
    conflicted: bool,
    passage: Passage,
    /// Since when it waits, and which of its waits this is.
    waiting: Option<Instant>,
    pub wait: u32,
    pub run: Option<Running>,
    /// Whether it is over: answered, or dropped where it stood.
    pub over: bool,
}

/// The tool run of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Running {
    pub id: RunId,
    pub forward: bool,
    /// The last request sent.
    pub request: u32,
    /// What that request's response says.
    pub outcome: Outcome,
    /// Whose result the response carries: another intent's where the downstream remembered the key.
    pub result_of: IntentId,
    /// Whether the run has ended for its caller.
    pub ended: bool,
    /// Whether it was stopped before that: nothing of it happens any more.
    pub stopped: bool,
}

impl Cell<'_> {
    /// Hands a complete call to the dispatcher.
    pub(super) fn dispatch(&mut self, id: Id<Call>) {
        let call = &mut self.calls[id];
        let class = self.world.classes[call.planned.tool as usize];
        call.dispatched = Some(Dispatched {
            machine: Dispatch::new(&self.policy.rules, class, self.now),
            key: call.symbol.seen_by(self.policy.rules.key),
            at: self.happened,
            asked: false,
            conflicted: false,
            passage: Passage::NoRow,
            waiting: None,
            wait: 0,
            run: None,
            over: false,
        });
        let attempt = &mut self.attempts[call.attempt];
        attempt.dispatched += 1;
        attempt.in_flight += 1;
        self.tally.calls += 1;
        self.tally.tools[call.planned.tool as usize].calls += 1;
        self.note(Of::Call(id), What::Dispatched);
        self.drive(id);
    }

    /// The life of a dispatched call. Panics where there is none: an event for a call that was never dispatched.
    pub(super) fn dispatched(&mut self, id: Id<Call>) -> &mut Dispatched {
        self.calls[id].dispatched.as_mut().expect("only dispatched calls have events")
    }

    /// Something happened to a dispatched call: tells its machine, and does what that asks for.
    pub(super) fn tell(&mut self, id: Id<Call>, event: machine::Event) {
        let now = self.now;
        self.dispatched(id).machine.handle(event, now);
        self.drive(id);
    }

    /// Does what the machine asks for until that takes time or is an answer.
    fn drive(&mut self, id: Id<Call>) {
        loop {
            let action = self.dispatched(id).machine.action();
            let event = match action {
                Action::WaitUntil(until) => return self.wait(id, until),
                Action::Run { forward } => return self.start_run(id, forward),
                Action::Answer(answer) => return self.answer(id, answer),
                // Neither ledger nor query takes time: a wait goes on through them.
                Action::Find | Action::Claim | Action::TakeOver(_) => self.ask(id, action),
                Action::Query(_) => self.query(id),
                Action::Settle(claim) => self.settle_row(id, claim),
                Action::Record { write, .. } => self.record(id, write),
            };
            self.note(Of::Call(id), What::Ledger { action, event });
            let now = self.now;
            self.dispatched(id).machine.handle(event, now);
        }
    }

    /// Asks the ledger for the row, or to claim it.
    fn ask(&mut self, id: Id<Call>, action: Action) -> machine::Event {
        if !std::mem::replace(&mut self.dispatched(id).asked, true) && self.first_look_fails(id) {
            return machine::Event::Unavailable;
        }
        let (key, body, now) = (self.dispatched(id).key, self.calls[id].symbol.value, self.now);
        let (passage, seen) = match action {
            Action::TakeOver(claim) => {
                let failed = self.rows.find(&key, body, now).is_some_and(|row| row.state == RowState::Failed);
                let passage = if failed { Passage::Reclaim } else { Passage::Takeover };
                (passage, self.rows.take_over(&key, claim, body, now))
            }
            Action::Claim => (Passage::NoRow, self.rows.claim(&key, body, now).map_err(Some)),
            _ => (Passage::NoRow, Err(self.rows.find(&key, body, now))),
        };
        match seen {
            Ok(claim) => {
                self.tally.claims += 1;
                self.dispatched(id).passage = passage;
                machine::Event::Claimed(claim)
            }
            Err(None) => machine::Event::Absent,
            Err(Some(row)) => self.found(id, row),
        }
    }

    fn found(&mut self, id: Id<Call>, row: Sight) -> machine::Event {
        if !std::mem::replace(&mut self.dispatched(id).conflicted, true) {
            self.tally.conflicts += 1;
        }
        machine::Event::Found(row)
    }

    /// What befalls a call before its first look: the ledger cannot be reached, or (a replay's) its row is lost.
    fn first_look_fails(&mut self, id: Id<Call>) -> bool {
        let call = &self.calls[id];
        let (draws, row) = (self.draws(call.attempt), call.planned.row as usize);
        if draws.happens(Site::Unavailable, row, self.policy.unavailable) {
            self.dispatched(id).passage = Passage::WithoutLedger;
            return true;
        }
        if self.attempts[call.attempt].number > 1 && draws.happens(Site::LedgerLoss, row, self.policy.ledger_loss) {
            let key = self.dispatched(id).key;
            if self.rows.lose(&key) {
                self.note(Of::Call(id), What::RowLost);
                self.wake_waiters(&key);
            }
        }
        false
    }

    fn query(&mut self, id: Id<Call>) -> machine::Event {
        let tool = self.calls[id].planned.tool as usize;
        let key = self.dispatched(id).key;
        machine::Event::Queried { effect: self.downstream[tool].effect_of(&key).is_some() }
    }

    fn settle_row(&mut self, id: Id<Call>, claim: machine::ClaimId) -> machine::Event {
        let tool = self.calls[id].planned.tool as usize;
        let (key, now) = (self.dispatched(id).key, self.now);
        if let Some(owner) = self.downstream[tool].effect_of(&key) {
            if !self.rows.complete(&key, claim, owner, now) {
                self.note(Of::Call(id), What::NotItsRow);
            }
            self.wake_waiters(&key);
        }
        machine::Event::Recorded
    }

    fn record(&mut self, id: Id<Call>, write: Record) -> machine::Event {
        let (body, now) = (self.calls[id].symbol.value, self.now);
        let dispatched = self.dispatched(id);
        let key = dispatched.key;
        let run = dispatched.run.expect("only a run is recorded");
        let written = match write {
            Record::Complete(claim) => self.rows.complete(&key, claim, run.result_of, now),
            Record::Fail(claim) => self.rows.fail(&key, claim, now),
            Record::Insert => self.rows.insert(&key, body, run.result_of, now),
        };
        if !written {
            self.note(Of::Call(id), What::NotItsRow);
        }
        self.history.runs[run.id.0 as usize].recorded = Some(self.happened);
        self.wake_waiters(&key);
        machine::Event::Recorded
    }

    fn start_run(&mut self, id: Id<Call>, forward: bool) {
        self.stop_waiting(id);
        let (intent, symbol) = (self.calls[id].intent, self.calls[id].symbol);
        let (at, passage) = (self.dispatched(id).at, self.dispatched(id).passage);
        let run = self.history.begin_run(intent, symbol, at, passage);
        self.dispatched(id).run = Some(Running {
            id: run,
            forward,
            request: 0,
            outcome: Outcome::Unknown,
            result_of: intent,
            ended: false,
            stopped: false,
        });
        self.note(Of::Call(id), What::Runs { forward });
        self.send(id, 0);
    }

    /// Waits for the row to change or to go, at most until `until`.
    fn wait(&mut self, id: Id<Call>, until: Instant) {
        let now = self.now;
        let dispatched = self.dispatched(id);
        dispatched.wait += 1;
        let (key, wait) = (dispatched.key, dispatched.wait);
        if dispatched.waiting.is_none() {
            dispatched.waiting = Some(now);
            self.tally.waits += 1;
            self.waiting.push(id);
        }
        let until = self.rows.expires_at(&key).map_or(until, |gone| gone.min(until));
        self.note(Of::Call(id), What::Waits { until });
        self.queue.schedule(until, Event::Wake(id, wait));
    }

    fn stop_waiting(&mut self, id: Id<Call>) {
        if let Some(since) = self.dispatched(id).waiting.take() {
            self.tally.waited_ns += u128::from(self.now.since(since).as_nanos());
            self.waiting.retain(|waiting| *waiting != id);
        }
    }

    /// The row of `key` changed: those who wait for it look again, in the order in which they began to wait.
    pub(super) fn wake_waiters(&mut self, key: &Symbol) {
        for i in 0..self.waiting.len() {
            let id = self.waiting[i];
            let dispatched = self.dispatched(id);
            if dispatched.key == *key {
                let wait = dispatched.wait;
                self.queue.schedule(self.now, Event::Wake(id, wait));
            }
        }
    }

    /// A waiting call looks again.
    pub(super) fn on_wake(&mut self, id: Id<Call>, wait: u32) -> bool {
        let dispatched = self.dispatched(id);
        let due = !dispatched.over && dispatched.waiting.is_some() && dispatched.wait == wait;
        if due {
            self.note(Of::Call(id), What::Wakes);
            self.tell(id, machine::Event::Woke);
        }
        due
    }

    /// The dispatcher's answer reaches the handler, or nobody where the attempt is over.
    fn answer(&mut self, id: Id<Call>, answer: Answer) {
        self.stop_waiting(id);
        self.dispatched(id).over = true;
        self.release(id);
        let (intent, key) = (self.calls[id].intent, self.dispatched(id).key);
        let result_of = match answer {
            Answer::Ran(Outcome::Success) => self.dispatched(id).run.map(|run| run.result_of),
            Answer::Stored => self.rows.result(&key),
            _ => None,
        };
        let attempt_id = self.calls[id].attempt;
        let writes = self.world.classes[self.calls[id].planned.tool as usize].is_write();
        let attempt = &mut self.attempts[attempt_id];
        let fate = attempt.fate;
        self.note(Of::Call(id), What::Answers { answer, result_of, heard: fate != Fate::Ended });
        let attempt = &mut self.attempts[attempt_id];
        if fate == Fate::Ended {
            return; // a detached dispatch: nobody hears it
        }
        attempt.in_flight -= 1;
        attempt.write_failed |=
            writes && matches!(answer, Answer::Ran(Outcome::Error | Outcome::Unknown) | Answer::StoredError);
        if let Some(owner) = result_of {
            self.history.serve(intent, owner);
        }
        match (fate, answer) {
            (Fate::Struck(died), _) => self.notice_cut(attempt_id, died),
            (_, Answer::Refused(_)) => self.refuse(attempt_id),
            _ => self.on_answer(attempt_id),
        }
    }

    /// A running dispatch is dropped where it stands: its process died, or was told to stop.
    pub(super) fn drop_dispatch(&mut self, id: Id<Call>) {
        let Some(dispatched) = &mut self.calls[id].dispatched else { return };
        if dispatched.over {
            return;
        }
        dispatched.over = true;
        if let Some(run) = &mut dispatched.run {
            run.stopped = !run.ended;
        }
        self.note(Of::Call(id), What::Dropped);
        self.stop_waiting(id);
        self.release(id);
    }

    /// The claimant of a row that is still in flight runs no more.
    fn release(&mut self, id: Id<Call>) {
        let now = self.now;
        let dispatched = self.dispatched(id);
        let key = dispatched.key;
        if let Some(claim) = dispatched.machine.claim()
            && self.rows.stop(&key, claim, now)
        {
            self.wake_waiters(&key);
        }
    }
}
