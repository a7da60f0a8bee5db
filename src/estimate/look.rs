//! What the dispatcher makes of a call in an attempt: the look at the ledger, the conflict, the run and what it leaves.

use super::attempt::{Call, Emission, Live, Walk, Walked};
use super::risk::{Answer, Fate};
use super::state::{End, Mass, Memory, Row, add};
use crate::dispatch::rule::{OnFailed, OnInFlight, OnUnavailable, OnUnknown, Remember};
use crate::turn::{Class, DispatchAt, Handling};

impl Walk<'_> {
    fn class(&self, call: Call) -> Class {
        self.attempt.scenario.tools[call.tool].class
    }

    fn remember(&self, call: Call) -> Remember {
        self.attempt.policy.rules.dispatcher.rule(self.class(call)).remember
    }

    /// Before the look: whether there is a ledger, and whether it still has its row.
    pub(super) fn look(
        &mut self,
        mut live: Live,
        mut p: f64,
        call: Call,
        emission: Emission,
        to: &mut Mass<Live>,
    ) -> Walked<()> {
        if self.remember(call) == Remember::Never {
            return self.run(&live, p, call, emission, false, to);
        }
        let unavailable = self.attempt.policy.unavailable;
        if unavailable > 0.0 {
            match self.attempt.policy.rules.on_unavailable {
                OnUnavailable::Fail => self.refuse(&live, p * unavailable)?,
                OnUnavailable::Run => self.run(&live, p * unavailable, call, emission, false, to)?,
            }
            p *= 1.0 - unavailable;
        }
        let Emission::Keyed(place) = emission else { return self.run(&live, p, call, emission, true, to) };
        let loss = self.attempt.policy.ledger_loss;
        if self.attempt.replay.is_some() && loss > 0.0 {
            let mut lost = live.clone();
            lost.intents[call.number].keys[place].row = Row::Absent;
            self.run(&lost, p * loss, call, emission, true, to)?;
            p *= 1.0 - loss;
        }
        let memory = live.intents[call.number].keys[place];
        if memory.row != Row::Absent && self.attempt.fraction.is_some() && self.is_open() {
            return Err("a stored result shortens the attempt under `fraction`".to_owned());
        }
        match memory.row {
            Row::Absent => self.run(&live, p, call, emission, true, to)?,
            Row::Completed => add(to, live, p),
            Row::Failed if self.attempt.policy.rules.on_failed == OnFailed::Reclaim => {
                self.run(&live, p, call, emission, true, to)?;
            }
            Row::Failed => {
                live.erred |= self.attempt.watches_errors && self.class(call).is_write();
                add(to, live, p);
            }
            Row::InFlight | Row::Expired => self.conflict(live, p, call, place, memory, to)?,
        }
        Ok(())
    }

    /// A row in flight whose claimant is dead.
    fn conflict(
        &mut self,
        mut live: Live,
        p: f64,
        call: Call,
        place: usize,
        memory: Memory,
        to: &mut Mass<Live>,
    ) -> Walked<()> {
        let rules = &self.attempt.policy.rules;
        match rules.on_in_flight {
            OnInFlight::Fail => self.refuse(&live, p)?,
            OnInFlight::Wait => {
                let wait = self.attempt.risks.wait(rules.wait_timeout);
                // An unnoticed cut lets the wait go on to its end, where the dispatcher fails the attempt.
                let noticed = if self.attempt.risks.silent { 0.0 } else { wait.cut };
                self.end_one(&live, p * wait.crashed, End::Crashed);
                self.end_one(&live, p * noticed, End::Cut);
                self.refuse(&live, p * (wait.spared + wait.cut - noticed))?;
            }
            OnInFlight::Takeover(_) | OnInFlight::Reconcile(_) if memory.row == Row::InFlight => {
                return Err("whether a lease has run out at the replay's look".to_owned());
            }
            OnInFlight::Reconcile(_) if memory.effected => {
                live.intents[call.number].keys[place].row = Row::Completed;
                add(to, live, p);
            }
            OnInFlight::Takeover(_) | OnInFlight::Reconcile(_) => {
                self.run(&live, p, call, Emission::Keyed(place), true, to)?;
            }
        }
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.attempt.scenario.stream.dispatch == DispatchAt::Completion
    }

    fn refuse(&mut self, live: &Live, p: f64) -> Walked<()> {
        if p == 0.0 {
            return Ok(());
        }
        if self.attempt.scenario.stream.handler == Handling::Concurrent {
            return Err("refusals under a concurrent handler".to_owned());
        }
        if self.attempt.fraction.is_some() && self.is_open() {
            return Err("a refusal shortens the attempt under `fraction`".to_owned());
        }
        self.end_one(live, p, End::Refused);
        Ok(())
    }

    /// Runs the tool, with or without the ledger.
    fn run(
        &mut self,
        live: &Live,
        p: f64,
        call: Call,
        emission: Emission,
        ledger: bool,
        to: &mut Mass<Live>,
    ) -> Walked<()> {
        let remember = if ledger { self.remember(call) } else { Remember::Never };
        let run = Run { call, emission, remember, live };
        let risks = self.attempt.risks;
        for fate in &risks.runs[call.tool] {
            let (answered, effect) = self.settle(&run, fate);
            if fate.cut > 0.0 {
                self.cut(&Mass::from([(answered.clone(), p)]), fate.cut);
            }
            add(to, answered, p * fate.answered);
            for after in [false, true] {
                let (dropped, crashed) = (fate.dropped[usize::from(after)], fate.crashed[usize::from(after)]);
                if dropped + crashed > 0.0 {
                    let left = self.left(&run, after && effect);
                    self.end_one(&left, p * dropped, End::Cut);
                    self.end_one(&left, p * crashed, End::Crashed);
                }
            }
        }
        Ok(())
    }

    /// The history after a run came to its answer, and whether the run had an effect.
    fn settle(&self, run: &Run<'_>, fate: &Fate) -> (Live, bool) {
        let guarded = self.guarded(run.call);
        let known = guarded && run.memory().is_some_and(|memory| memory.effected);
        // A keyed downstream answers a key it knows with the first result: no effect, and no refusal.
        let (effects, answer) = match (known, fate.answer) {
            (true, Answer::Error) => (0, Answer::Success),
            (true, answer) => (0, answer),
            (false, answer) => (if guarded { fate.effects.min(1) } else { fate.effects }, answer),
        };
        let mut live = self.with_effects(run, effects);
        live.erred |= self.attempt.watches_errors && answer != Answer::Success && self.class(run.call).is_write();
        let failed_unknown = self.attempt.policy.rules.on_unknown == OnUnknown::Failed;
        let row = match (run.remember, answer) {
            (Remember::Never, _) => None,
            (_, Answer::Success) => Some(Row::Completed),
            (Remember::After, _) => None,
            (Remember::Before, Answer::Error) => Some(Row::Failed),
            (Remember::Before, Answer::Unknown) => Some(if failed_unknown { Row::Failed } else { Row::InFlight }),
        };
        if let (Emission::Keyed(place), Some(row)) = (run.emission, row) {
            live.intents[run.call.number].keys[place].row = row;
        }
        (live, effects > 0)
    }

    /// The history after a run was dropped: its claim stays.
    fn left(&self, run: &Run<'_>, effect: bool) -> Live {
        let mut live = self.with_effects(run, u16::from(effect));
        if let (Emission::Keyed(place), Remember::Before) = (run.emission, run.remember) {
            live.intents[run.call.number].keys[place].row = Row::InFlight;
        }
        live
    }

    fn with_effects(&self, run: &Run<'_>, effects: u16) -> Live {
        let mut live = run.live.clone();
        if effects > 0 && self.class(run.call).is_write() {
            let intent = &mut live.intents[run.call.number];
            intent.effects = intent.effects.saturating_add(effects);
            if let Emission::Keyed(place) = run.emission {
                intent.keys[place].effected |= self.guarded(run.call) || self.reconciles();
            }
        }
        live
    }

    /// Whether the tool's downstream is given a key and honours it.
    fn guarded(&self, call: Call) -> bool {
        self.class(call) == Class::KeyedWrite && self.attempt.policy.rules.dispatcher.rule(Class::KeyedWrite).forward
    }

    fn reconciles(&self) -> bool {
        matches!(self.attempt.policy.rules.on_in_flight, OnInFlight::Reconcile(_))
    }
}

/// A run under way.
struct Run<'a> {
    call: Call,
    emission: Emission,
    remember: Remember,
    live: &'a Live,
}

impl Run<'_> {
    fn memory(&self) -> Option<Memory> {
        match self.emission {
            Emission::Keyed(place) => Some(self.live.intents[self.call.number].keys[place]),
            _ => None,
        }
    }
}
