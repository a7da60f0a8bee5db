//! One attempt of a turn: its streams, phase by phase, from the request to the commit.

use super::arena::Id;
use super::cell::Cell;
use super::dispatching::Call;
use super::memo::Start;
use super::notes::{Of, What};
use super::queue::Event;
use crate::dist::Distribution;
use crate::draw::bounds::Known;
use crate::draw::{Draws, Site, Word};
use crate::scenario::Cuts;
use crate::time::{Instant, Span};
use crate::turn::{Died, DispatchAt, Handling, When};
use std::ops::Range;

/// A replay that was issued.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replay {
    pub turn: u32,
    /// Its attempt's number, given when it is issued.
    pub number: u32,
    /// The route, an index into the scenario's.
    pub route: usize,
    /// The attempt at which the route's condition occurred.
    pub follows: Id<Attempt>,
}

/// What an attempt is doing. The first four have an open stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Text streams, or nothing yet.
    Prelude,
    /// A call block streams.
    Arguments,
    /// A blocking handler waits for the dispatcher.
    Tool,
    /// From the last block to `message_stop`.
    Gap,
    /// After `message_stop`, with calls to be answered.
    Answers,
    /// After the last step.
    Committing,
}

impl Phase {
    pub(super) const fn is_open(self) -> bool {
        matches!(self, Phase::Prelude | Phase::Arguments | Phase::Tool | Phase::Gap)
    }
}

/// What has become of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing yet.
    Running,
    /// Its stream is cut; the blocking handler will notice when the dispatcher returns.
    Struck(Died),
    /// Its stream ended early and nobody noticed.
    Silent,
    /// It is over.
    Ended,
}

#[derive(Debug)]
pub(super) struct Attempt {
    pub turn: u32,
    pub number: u32,
    /// The first block of its draws; [`Cell::draws`] gives them all.
    first: [Word; 4],
    /// Its calls, those of kept steps included: places in the cell's calls.
    pub calls: Range<u32>,
    /// The next of them to stream.
    pub next_call: u32,
    /// The next of them to dispatch (after `message_stop`).
    next_dispatch: u32,
    /// Steps finished by now, kept ones included; the one being sent is the next.
    pub finished: u32,
    pub phase: Phase,
    /// Counts phases, so that events of earlier ones are known.
    pub epoch: u32,
    pub phase_began: Instant,
    /// When it started.
    pub began: Instant,
    /// Cuts per second of open stream, incidents included, before the phase's multiplier; 0 without hazard.
    pub hazard: f64,
    /// What is left of the exponential stretch to the cut.
    budget: f64,
    pub fate: Fate,
    pub dispatched: u32,
    pub in_flight: u32,
    /// Whether some write was answered with an error or unknown.
    pub write_failed: bool,
}

impl<'s> Cell<'s> {
    /// The draws of an attempt.
    pub(super) fn draws(&self, id: Id<Attempt>) -> Draws<'s> {
        let attempt = &self.attempts[id];
        self.draws_of(attempt.turn, attempt.number).with_first_block(attempt.first)
    }

    /// The draws of attempt `number` of a turn: its first may be known not to be undisturbed.
    fn draws_of(&self, turn: u32, number: u32) -> Draws<'s> {
        let known = self.extent.given.filter(|_| number == 1).map_or(Known::Nothing, |given| given.known);
        Draws::new(self.world.seed, self.turns[turn as usize].arrival, number).knowing(known)
    }
}

impl Cell<'_> {
    /// A span that an attempt draws at an address: site, row and request.
    pub(super) fn span(&self, id: Id<Attempt>, address: (Site, u32, u32), law: &Distribution) -> Span {
        let (site, row, request) = address;
        let draw = || law.span_at(|| self.draws(id).at(site, row as usize, request));
        if law.as_constant().is_some() || !self.extent.is_one_turn() {
            return draw();
        }
        self.memo.borrow_mut().span(self.attempts[id].number, address, draw)
    }

    /// What an attempt draws when it starts.
    fn start(&self, turn: u32, number: u32) -> Start {
        let draw = || {
            let draws = self.draws_of(turn, number);
            let first_block = draws.first_block();
            let cut = || draws.with_first_block(first_block).word(Site::Cut).exponential();
            let by_hazard = matches!(self.world.scenario.failure.cuts, Cuts::Hazard(_));
            Start { first_block, to_cut: if by_hazard { cut() } else { 0.0 } }
        };
        if self.extent.is_one_turn() { self.memo.borrow_mut().start(number, draw) } else { draw() }
    }

    /// The turn's first attempt, or a replay of it, starts.
    pub(super) fn start_attempt(&mut self, turn: u32, number: u32, replay: Option<&Replay>) {
        let id = Id::new(self.attempts.next());
        let start = self.start(turn, number);
        let draws = self.draws_of(turn, number).with_first_block(start.first_block);
        let position = self.position(turn, replay);
        let first = self.calls.next();
        let kept = self.plan_calls(id, turn, position, &draws, replay);
        let end = self.calls.next();
        let fresh = (first..end).find(|c| self.calls[Id::new(*c)].planned.step >= kept).unwrap_or(end);
        let factor = self.world.factor(self.origin, self.now);
        let rate = self.world.cut_rate(number) * factor;
        let hazard = matches!(self.world.scenario.failure.cuts, Cuts::Hazard(_));
        self.attempts.push(Attempt {
            turn,
            number,
            first: start.first_block,
            calls: first..end,
            next_call: fresh,
            next_dispatch: fresh,
            finished: kept,
            phase: Phase::Prelude,
            epoch: 0,
            phase_began: self.now,
            began: self.now,
            hazard: if hazard { rate } else { 0.0 },
            budget: start.to_cut,
            fate: Fate::Running,
            dispatched: 0,
            in_flight: 0,
            write_failed: false,
        });
        let replays = replay.map(|replay| (replay.route as u32, self.attempts[replay.follows].number));
        self.tally.attempts += 1;
        self.turns[turn as usize].active += 1;
        self.note(Of::Attempt(id), What::AttemptBegins { replays, position, kept });
        // Scheduled before anything the attempt does, so that they come first at one instant.
        self.schedule_fates(id, if hazard { 0.0 } else { rate.min(1.0) });
        self.next_step(id);
    }

    /// Schedules what is known of the attempt's fate when it starts: its crash, its limit, when it is slow, and its
    /// cut where cuts are given by fraction.
    fn schedule_fates(&mut self, id: Id<Attempt>, cut_probability: f64) {
        let failure = &self.world.scenario.failure;
        let draws = self.draws(id);
        if failure.crashes_per_hour > 0.0 {
            let seconds = draws.word(Site::Crash).exponential() / self.world.crash_rate();
            self.queue.schedule(self.now + Span::from_seconds_f64(seconds), Event::Crash(id));
        }
        if let Some(limit) = failure.attempt_limit {
            self.queue.schedule(self.now + limit, Event::Crash(id));
        }
        for (i, route) in self.world.scenario.routes.iter().enumerate() {
            if let (When::Slow, Some(after)) = (route.when, route.after) {
                self.queue.schedule(self.now + after, Event::Slow(id, i as u32));
            }
        }
        if let Cuts::Fraction(fraction) = &failure.cuts
            && draws.happens(Site::Cut, 0, cut_probability)
        {
            let attempt = &self.attempts[id];
            let steps = attempt.finished..self.world.shapes[self.turns[attempt.turn as usize].shape].steps;
            let calls = (attempt.next_call..attempt.calls.end).map(|c| self.calls[Id::new(c)].planned);
            self.nominal.plan(self.world, &draws, calls, steps);
            let in_window = draws.happens(Site::Window, 0, fraction.window_fraction);
            if let Some(place) = self.nominal.place(in_window, draws.word(Site::Place).lower()) {
                self.queue.schedule(self.now + place, Event::Place(id));
            }
        }
    }

    /// Sends the next step, or commits after the last.
    fn next_step(&mut self, id: Id<Attempt>) {
        let attempt = &self.attempts[id];
        let step = attempt.finished;
        if attempt.fate == Fate::Silent || step == self.world.shapes[self.turns[attempt.turn as usize].shape].steps {
            let commit = self.span(id, (Site::Commit, 0, 0), &self.world.scenario.stream.commit);
            self.enter(id, Phase::Committing);
            self.queue.schedule(self.now + commit, Event::Commit(id));
        } else {
            let prelude = self.span(id, (Site::Prelude, step, 0), &self.world.scenario.stream.prelude);
            self.enter_for(id, Phase::Prelude, prelude);
        }
    }

    /// Enters a phase of known length; schedules its end or the cut before it.
    fn enter_for(&mut self, id: Id<Attempt>, phase: Phase, length: Span) {
        self.enter(id, phase);
        let epoch = self.attempts[id].epoch;
        match self.time_to_cut(id).filter(|cut| *cut < length) {
            Some(cut) => self.queue.schedule(self.now + cut, Event::Cut(id, epoch)),
            None => self.queue.schedule(self.now + length, Event::PhaseOver(id, epoch)),
        }
    }

    /// Leaves the current phase, paying the hazard of its time, and enters another.
    fn enter(&mut self, id: Id<Attempt>, phase: Phase) {
        let hazard = self.hazard(id);
        let attempt = &mut self.attempts[id];
        attempt.budget -= hazard * self.now.since(attempt.phase_began).as_seconds_f64();
        attempt.phase = phase;
        attempt.phase_began = self.now;
        attempt.epoch += 1;
        let step = attempt.finished;
        self.note(Of::Attempt(id), What::Enters { phase, step });
    }

    /// Cuts per second in the attempt's phase.
    fn hazard(&self, id: Id<Attempt>) -> f64 {
        let attempt = &self.attempts[id];
        let Cuts::Hazard(hazard) = &self.world.scenario.failure.cuts else { return 0.0 };
        attempt.hazard
            * match attempt.phase {
                Phase::Prelude => hazard.phases.prelude,
                Phase::Arguments => hazard.phases.arguments,
                Phase::Tool => hazard.phases.tool,
                Phase::Gap => hazard.phases.gap,
                Phase::Answers | Phase::Committing => 0.0,
            }
    }

    /// When the hazard would strike if the phase went on; never again after it has struck.
    fn time_to_cut(&self, id: Id<Attempt>) -> Option<Span> {
        let hazard = self.hazard(id);
        let attempt = &self.attempts[id];
        (hazard > 0.0 && attempt.fate == Fate::Running)
            .then(|| Span::from_seconds_f64((attempt.budget / hazard).max(0.0)))
    }

    /// The phase has run its time.
    pub(super) fn on_phase_over(&mut self, id: Id<Attempt>) {
        match self.attempts[id].phase {
            Phase::Prelude => self.next_block(id),
            Phase::Arguments => self.on_completion_event(id),
            Phase::Gap => self.on_message_stop(id),
            phase => unreachable!("{phase:?} has no end of its own"),
        }
    }

    /// The next call block of the step streams, or the gap after the last.
    fn next_block(&mut self, id: Id<Attempt>) {
        let attempt = &self.attempts[id];
        let step = attempt.finished;
        let stream = &self.world.scenario.stream;
        let call = (attempt.next_call < attempt.calls.end).then(|| self.calls[Id::new(attempt.next_call)].planned);
        if let Some(call) = call.filter(|call| call.step == step) {
            let arguments = &self.world.scenario.tools[call.tool as usize].arguments;
            let arguments = self.span(id, (Site::Arguments, call.row, 0), arguments);
            self.note(Of::Call(Id::new(attempt.next_call)), What::BlockOpens);
            self.enter_for(id, Phase::Arguments, arguments);
        } else {
            let gap = self.span(id, (Site::Gap, step, 0), &stream.gap);
            self.enter_for(id, Phase::Gap, gap);
        }
    }

    /// The arguments of a call are whole.
    fn on_completion_event(&mut self, id: Id<Attempt>) {
        let stream = &self.world.scenario.stream;
        let call: Id<Call> = Id::new(self.attempts[id].next_call);
        self.attempts[id].next_call += 1;
        self.note(Of::Call(call), What::Complete);
        match (stream.dispatch, stream.handler) {
            (DispatchAt::MessageStop, _) => self.next_block(id),
            (DispatchAt::Completion, Handling::Concurrent) => {
                self.dispatch(call);
                if self.attempts[id].fate != Fate::Ended {
                    self.next_block(id);
                }
            }
            (DispatchAt::Completion, Handling::Blocking) => {
                self.enter(id, Phase::Tool);
                self.dispatch(call);
                self.watch_the_wait(id);
            }
        }
    }

    /// Schedules what can end the open stream of a handler that waits for the dispatcher.
    fn watch_the_wait(&mut self, id: Id<Attempt>) {
        let attempt = &self.attempts[id];
        let epoch = attempt.epoch;
        if attempt.fate != Fate::Running || attempt.phase != Phase::Tool {
            return; // answered at once
        }
        if let Some(idle) = self.world.scenario.failure.idle_timeout {
            self.queue.schedule(self.now + idle, Event::Idle(id, epoch));
        }
        if let Some(cut) = self.time_to_cut(id) {
            self.queue.schedule(self.now + cut, Event::Cut(id, epoch));
        }
    }

    /// The message has arrived, or seems to have: what is whole and not dispatched yet is dispatched now.
    pub(super) fn on_message_stop(&mut self, id: Id<Attempt>) {
        self.enter(id, Phase::Answers);
        let together = self.world.scenario.stream.handler == Handling::Concurrent;
        // A blocking handler dispatches one call; the answer brings the next.
        if self.has_undispatched(id) {
            self.dispatch_next(id);
        }
        while together && self.has_undispatched(id) {
            self.dispatch_next(id);
        }
        self.end_step_if_answered(id);
    }

    /// Whether calls still wait for their dispatch after `message_stop`.
    fn has_undispatched(&self, id: Id<Attempt>) -> bool {
        let attempt = &self.attempts[id];
        let at_stop = self.world.scenario.stream.dispatch == DispatchAt::MessageStop;
        at_stop && attempt.fate != Fate::Ended && attempt.next_dispatch < attempt.next_call
    }

    fn dispatch_next(&mut self, id: Id<Attempt>) {
        let attempt = &mut self.attempts[id];
        let call = Id::new(attempt.next_dispatch);
        attempt.next_dispatch += 1;
        self.dispatch(call);
    }

    fn end_step_if_answered(&mut self, id: Id<Attempt>) {
        if self.has_undispatched(id) {
            return;
        }
        let attempt = &mut self.attempts[id];
        if attempt.fate != Fate::Ended && attempt.phase == Phase::Answers && attempt.in_flight == 0 {
            attempt.finished += u32::from(attempt.fate != Fate::Silent);
            self.next_step(id);
        }
    }

    /// The dispatcher has answered a call of an attempt that still runs.
    pub(super) fn on_answer(&mut self, id: Id<Attempt>) {
        let attempt = &self.attempts[id];
        match self.world.scenario.stream.handler {
            Handling::Blocking if attempt.phase == Phase::Tool && attempt.fate == Fate::Silent => {
                self.on_message_stop(id);
            }
            Handling::Blocking if attempt.phase == Phase::Tool => self.next_block(id),
            Handling::Blocking if self.has_undispatched(id) => self.dispatch_next(id),
            _ => self.end_step_if_answered(id),
        }
    }
}
