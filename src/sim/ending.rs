//! How attempts end: cuts, crashes, refusals and commits, where the stream died, and which routes that sets off.

use super::arena::Id;
use super::attempt::{Attempt, Fate, Phase, Replay};
use super::cell::Cell;
use super::notes::{NoReplay, Of, What};
use super::queue::Event;
use crate::draw::Site;
use crate::turn::{Died, OnCut, When};

impl Cell<'_> {
    /// A cut strikes in phase `epoch` of the attempt.
    pub(super) fn on_cut(&mut self, id: Id<Attempt>, epoch: u32) -> bool {
        let due = self.attempts[id].epoch == epoch;
        due && self.strike(id)
    }

    /// A cut strikes, if a stream is open and nothing has struck it before.
    pub(super) fn strike(&mut self, id: Id<Attempt>) -> bool {
        let attempt = &self.attempts[id];
        if attempt.fate != Fate::Running || !attempt.phase.is_open() {
            return false;
        }
        if self.draws(id).happens(Site::Silent, 0, self.world.scenario.failure.silent) {
            self.note(Of::Attempt(id), What::EndsSilently);
            self.end_silently(id);
            return true;
        }
        let idle = self.world.scenario.failure.idle_timeout == Some(self.now.since(attempt.phase_began));
        let (phase, idle) = (attempt.phase, idle && attempt.phase == Phase::Tool);
        let died = self.place_of_death(id);
        self.note(Of::Attempt(id), What::Cut { phase, idle });
        // A blocking handler notices nothing before the dispatcher returns.
        if self.attempts[id].phase == Phase::Tool && self.world.scenario.stream.on_cut == OnCut::Finish {
            self.attempts[id].fate = Fate::Struck(died);
        } else {
            self.notice_cut(id, died);
        }
        true
    }

    /// The stream ends early as if `message_stop` had come.
    pub(super) fn end_silently(&mut self, id: Id<Attempt>) {
        self.abandon_streaming_call(id);
        self.attempts[id].fate = Fate::Silent;
        if self.attempts[id].phase != Phase::Tool {
            self.on_message_stop(id);
        }
    }

    /// The handler notices the cut: the attempt is over.
    pub(super) fn notice_cut(&mut self, id: Id<Attempt>, died: Died) {
        self.tally.cuts += 1;
        self.tally.died[died.index()] += 1;
        self.note(Of::Attempt(id), What::CutNoticed(died));
        self.end(id, self.world.scenario.stream.on_cut == OnCut::Cancel);
        self.set_off(When::StreamError, id);
        self.settle(id);
    }

    /// The process dies, whatever it was at.
    pub(super) fn on_crash(&mut self, id: Id<Attempt>) -> bool {
        let due = self.attempts[id].fate != Fate::Ended;
        if due {
            self.tally.crashes += 1;
            let died = self.place_of_death(id);
            self.tally.died[died.index()] += 1;
            self.note(Of::Attempt(id), What::Crashes(died));
            self.end(id, true);
            self.set_off(When::Crash, id);
            self.settle(id);
        }
        due
    }

    /// The dispatcher fails the attempt, which no cut has struck.
    pub(super) fn refuse(&mut self, id: Id<Attempt>) {
        self.tally.refused += 1;
        self.note(Of::Attempt(id), What::Refused);
        self.end(id, self.world.scenario.stream.on_cut == OnCut::Cancel);
        self.set_off(When::Refused, id);
        self.settle(id);
    }

    /// The turn is appended, if no attempt of it was before.
    pub(super) fn on_commit(&mut self, id: Id<Attempt>) -> bool {
        let attempt = &self.attempts[id];
        if attempt.fate == Fate::Ended {
            return false;
        }
        let (silent, write_failed) = (attempt.fate == Fate::Silent, attempt.write_failed);
        let turn = attempt.turn as usize;
        self.tally.commits += 1;
        self.tally.silent_cuts += u64::from(silent);
        self.note(Of::Attempt(id), What::Commits { silent });
        self.end(id, false);
        if !std::mem::replace(&mut self.history.turns[turn].committed, true) {
            self.conversations[self.history.turns[turn].conversation as usize].committed += 1;
        }
        self.set_off(When::Committed, id);
        if write_failed {
            self.set_off(When::ToolError, id);
        }
        self.settle(id);
        true
    }

    /// An attempt is still active at the age at which this route calls it slow.
    pub(super) fn on_slow(&mut self, id: Id<Attempt>, route: u32) -> bool {
        let due = self.attempts[id].fate != Fate::Ended;
        if due {
            self.note(Of::Attempt(id), What::IsSlow { route });
            self.draw_route(route as usize, id);
        }
        due
    }

    /// The first class that applies, over the whole attempt.
    fn place_of_death(&self, id: Id<Attempt>) -> Died {
        let attempt = &self.attempts[id];
        match attempt.phase {
            Phase::Committing => Died::Stopped,
            _ if attempt.in_flight > 0 => Died::InFlight,
            _ if attempt.dispatched > 0 => Died::Returned,
            Phase::Arguments => Died::Arguments,
            _ => Died::BeforeCall,
        }
    }

    /// The attempt is over; what it has running is dropped, or goes on detached.
    fn end(&mut self, id: Id<Attempt>, drop_running: bool) {
        self.abandon_streaming_call(id);
        let attempt = &mut self.attempts[id];
        attempt.fate = Fate::Ended;
        let (calls, turn) = (attempt.calls.clone(), attempt.turn as usize);
        self.turns[turn].active -= 1;
        if drop_running {
            for call in calls {
                self.drop_dispatch(Id::new(call));
            }
        }
    }

    fn abandon_streaming_call(&mut self, id: Id<Attempt>) {
        let attempt = &self.attempts[id];
        let streaming = attempt.phase == Phase::Arguments && attempt.fate != Fate::Silent;
        self.tally.abandoned_calls += u64::from(streaming);
        if streaming {
            self.note(Of::Attempt(id), What::Abandons);
        }
    }

    /// A condition occurs at an attempt: every route that waits for it draws for itself.
    fn set_off(&mut self, when: When, at: Id<Attempt>) {
        for route in 0..self.world.scenario.routes.len() {
            if self.world.scenario.routes[route].when == when {
                self.draw_route(route, at);
            }
        }
    }

    fn draw_route(&mut self, route: usize, at: Id<Attempt>) {
        let law = &self.world.scenario.routes[route];
        let attempt = &self.attempts[at];
        let (draws, turn) = (self.draws(at), attempt.turn as usize);
        let issued = &mut self.issued[turn * self.world.scenario.routes.len() + route];
        let because = if self.removed[route] {
            Some(NoReplay::Removed)
        } else if *issued >= law.max {
            Some(NoReplay::Max)
        } else {
            let drawn = draws.happens(Site::RouteTaken, route, law.probability);
            (!drawn).then_some(NoReplay::NotDrawn)
        };
        if let Some(because) = because {
            return self.note(Of::Attempt(at), What::NoReplay { route: route as u32, because });
        }
        if self.turns[turn].issued >= self.world.scenario.run.max_attempts {
            self.turns[turn].capped = true;
            return self.note(Of::Attempt(at), What::NoReplay { route: route as u32, because: NoReplay::Capped });
        }
        *issued += 1;
        self.turns[turn].issued += 1;
        self.turns[turn].pending += 1;
        let delay = self.span(at, (Site::RouteDelay, route as u32, 0), &law.delay);
        let number = self.turns[turn].issued;
        let replay = self.replays.push(Replay { turn: turn as u32, number, route, follows: at });
        self.note(Of::Attempt(at), What::Replay { route: route as u32, number, delay });
        self.queue.schedule(self.now + delay, Event::Replay(replay));
    }

    pub(super) fn on_replay(&mut self, id: Id<Replay>) {
        let replay = self.replays[id];
        self.turns[replay.turn as usize].pending -= 1;
        self.start_attempt(replay.turn, replay.number, Some(&replay));
    }

    /// After the end of an attempt: the user sees the turn fail, or it is resolved and the conversation goes on.
    fn settle(&mut self, last: Id<Attempt>) {
        let turn = self.attempts[last].turn as usize;
        let at_rest = |cell: &Self| cell.turns[turn].active == 0 && cell.turns[turn].pending == 0;
        if at_rest(self) && !self.history.turns[turn].committed {
            self.set_off(When::FailedTurn, last);
        }
        if at_rest(self) {
            let (committed, capped) = (self.history.turns[turn].committed, self.turns[turn].capped);
            self.tally.capped_turns += u64::from(capped);
            self.note(Of::Turn(turn as u32), What::Resolved { committed, capped });
            self.schedule_turn(self.history.turns[turn].conversation);
        }
    }
}
