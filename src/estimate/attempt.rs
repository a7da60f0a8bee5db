//! One attempt of a turn, walked stretch by stretch: every history the turn may have had so far moves through the
//! phases of MODEL's timeline with its probability, and leaves where a cut, a crash or a refusal ends the attempt.

use super::risk::{Answer, Fate, Risks, Stretch};
use super::state::{End, Ended, Intents, Mass, Memory, Row, add, scaled};
use crate::dispatch::rule::{Component, OnFailed, OnInFlight, OnUnavailable, OnUnknown, Remember};
use crate::scenario::{Policy, Scenario, Shape};
use crate::turn::{Class, DispatchAt, Handling};

/// The attempt to walk.
pub(super) struct Attempt<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) policy: &'a Policy,
    pub(super) shape: &'a Shape,
    pub(super) risks: &'a Risks,
    /// What issued it, for replays.
    pub(super) replay: Option<Replay>,
    /// Whether somebody asks if a write was answered with an error.
    pub(super) watches_errors: bool,
    /// P(cut) and P(cut after the first dispatch | cut), where cuts are given so rather than by a hazard.
    pub(super) fraction: Option<(f64, f64)>,
}

/// How a replay presents itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replay {
    /// The route that issued it.
    pub(super) route: usize,
    /// Where its keys are remembered: the original position, the one after the turn was appended, or a new one.
    pub(super) place: Option<usize>,
}

/// What the model made of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emission {
    Dropped,
    /// Under a key that other attempts may have used, remembered at this place.
    Keyed(usize),
    /// Under a key that nobody else has.
    Fresh,
}

/// A call of the shape.
#[derive(Debug, Clone, Copy)]
struct Call {
    number: usize,
    tool: usize,
}

/// A history that is under way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Live {
    intents: Intents,
    erred: bool,
}

type Walked<T> = Result<T, String>;

impl Attempt<'_> {
    /// The ends of the attempt that starts with `intents` at step `first`, or what prevents a derivation.
    pub(super) fn walk(&self, intents: Intents, first: usize) -> Walked<Mass<Ended>> {
        let mut walk = Walk { attempt: self, ended: Mass::new(), early: Mass::new(), step: first };
        let mut live = Mass::from([(Live { intents, erred: false }, 1.0)]);
        let mut number: usize = self.shape.steps[..first].iter().map(Vec::len).sum();
        for step in &self.shape.steps[first..] {
            let calls: Vec<Call> =
                step.iter().enumerate().map(|(place, &tool)| Call { number: number + place, tool }).collect();
            live = match (self.fraction, self.scenario.stream.dispatch) {
                (Some((rate, window)), DispatchAt::Completion) => walk.placed(live, &calls, rate, window)?,
                (Some((rate, _)), DispatchAt::MessageStop) => {
                    walk.cut(&scaled(&live, rate));
                    walk.dispatch_all(scaled(&live, 1.0 - rate), &calls)?
                }
                (None, DispatchAt::Completion) => walk.open(live, &calls)?,
                (None, DispatchAt::MessageStop) => walk.closed(live, &calls)?,
            };
            number += calls.len();
            walk.step += 1;
        }
        walk.commit(live);
        Ok(walk.ended)
    }

    /// What a call of `tool` may be emitted as, with probabilities.
    fn emissions(&self, tool: usize) -> [(Emission, f64); 3] {
        let Some(replay) = self.replay else {
            return [(Emission::Keyed(0), 1.0), (Emission::Fresh, 0.0), (Emission::Dropped, 0.0)];
        };
        let key = self.policy.rules.key;
        let re_emits = self.scenario.re_emits(replay.route, tool);
        // The text matters where it is hashed as it stands.
        let text_kept = if key.has(Component::Canonical) { 1.0 } else { 1.0 - self.scenario.reserialised };
        let (known, place) = match replay.place {
            Some(place) if !key.has(Component::CallId) => (re_emits.same * text_kept, place),
            _ => (0.0, 0),
        };
        let fresh = (1.0 - re_emits.dropped - known).max(0.0);
        [(Emission::Keyed(place), known), (Emission::Fresh, fresh), (Emission::Dropped, re_emits.dropped)]
    }
}

/// An attempt under way.
struct Walk<'a> {
    attempt: &'a Attempt<'a>,
    ended: Mass<Ended>,
    /// Histories whose stream ended silently: all that is left of them is the commit.
    early: Mass<Live>,
    step: usize,
}

impl Walk<'_> {
    /// A step whose calls are dispatched while its stream is open.
    fn open(&mut self, live: Mass<Live>, calls: &[Call]) -> Walked<Mass<Live>> {
        let risks = self.attempt.risks;
        let mut live = self.pass(live, risks.prelude);
        for &call in calls {
            let mut next = Mass::new();
            for (emission, probability) in self.attempt.emissions(call.tool) {
                let mut emitted = scaled(&live, probability);
                if emission != Emission::Dropped {
                    emitted = self.pass(emitted, risks.arguments[call.tool]);
                    emitted = self.dispatch(emitted, call, emission)?;
                }
                emitted.into_iter().for_each(|(live, probability)| add(&mut next, live, probability));
            }
            live = next;
        }
        Ok(self.pass(live, risks.gap))
    }

    /// A step whose calls are dispatched when its stream has ended. Nothing has been dispatched while it is open, so
    /// the histories share its risks, and what was emitted is drawn afterwards, given that the stream came so far.
    fn closed(&mut self, live: Mass<Live>, calls: &[Call]) -> Walked<Mass<Live>> {
        let risks = self.attempt.risks;
        let mut live = self.pass(live, risks.prelude);
        for (place, call) in calls.iter().enumerate() {
            let emitted = 1.0 - self.dropped(call.tool);
            let arguments = risks.arguments[call.tool];
            self.end(&scaled(&live, emitted * arguments.crashed), End::Crashed);
            self.cut_closed(scaled(&live, emitted * arguments.cut), &calls[..place])?;
            live = scaled(&live, self.dropped(call.tool) + emitted * arguments.spared);
        }
        self.end(&scaled(&live, risks.gap.crashed), End::Crashed);
        self.cut_closed(scaled(&live, risks.gap.cut), calls)?;
        self.dispatch_all(scaled(&live, risks.gap.spared), calls)
    }

    /// A cut of a stream whose complete calls have not been dispatched: they are when no one noticed.
    fn cut_closed(&mut self, live: Mass<Live>, complete: &[Call]) -> Walked<()> {
        let live = if self.attempt.risks.silent { self.dispatch_all(live, complete)? } else { live };
        self.cut(&live);
        Ok(())
    }

    /// Dispatches what was emitted of `calls`, one after the other, given that their arguments arrived.
    fn dispatch_all(&mut self, mut live: Mass<Live>, calls: &[Call]) -> Walked<Mass<Live>> {
        for &call in calls {
            let arrived = self.attempt.risks.arguments[call.tool].spared;
            let total = self.dropped(call.tool) + (1.0 - self.dropped(call.tool)) * arrived;
            let mut next = Mass::new();
            for (emission, probability) in self.attempt.emissions(call.tool) {
                let stayed = if emission == Emission::Dropped { probability } else { probability * arrived };
                let mut emitted = scaled(&live, if stayed > 0.0 { stayed / total } else { 0.0 });
                if emission != Emission::Dropped {
                    emitted = self.dispatch(emitted, call, emission)?;
                }
                emitted.into_iter().for_each(|(live, probability)| add(&mut next, live, probability));
            }
            live = next;
        }
        Ok(live)
    }

    /// The only step with a call of a shape with exactly one, where the cut's place is drawn: before the dispatch, or
    /// after it, where the run is under way or done.
    fn placed(&mut self, live: Mass<Live>, calls: &[Call], rate: f64, window: f64) -> Walked<Mass<Live>> {
        let &[call] = calls else { return Ok(live) };
        let (before, after) = (rate * (1.0 - window), rate * window);
        self.cut(&scaled(&live, before));
        let mut answered = Mass::new();
        for (emission, probability) in self.attempt.emissions(call.tool) {
            let emitted = scaled(&live, probability * (1.0 - before));
            let dispatched = self.dispatch(emitted, call, emission)?;
            dispatched.into_iter().for_each(|(live, probability)| add(&mut answered, live, probability));
        }
        self.cut(&scaled(&answered, after / (1.0 - before)));
        Ok(scaled(&answered, (1.0 - rate) / (1.0 - before)))
    }

    /// P(the model drops a call of this tool).
    fn dropped(&self, tool: usize) -> f64 {
        self.attempt.emissions(tool)[2].1
    }

    /// Moves on through `stretch`.
    fn pass(&mut self, live: Mass<Live>, stretch: Stretch) -> Mass<Live> {
        self.cut(&scaled(&live, stretch.cut));
        self.end(&scaled(&live, stretch.crashed), End::Crashed);
        scaled(&live, stretch.spared)
    }

    /// The stream of `live` dies here, noticed or not.
    fn cut(&mut self, live: &Mass<Live>) {
        if self.attempt.risks.silent {
            live.iter().for_each(|(live, probability)| add(&mut self.early, live.clone(), *probability));
        } else {
            self.end(live, End::Cut);
        }
    }

    fn end(&mut self, live: &Mass<Live>, end: End) {
        for (live, probability) in live {
            let ended = Ended { end, finished: self.step, intents: live.intents.clone() };
            add(&mut self.ended, ended, *probability);
        }
    }

    /// Everything that came so far commits, unless it crashes in the attempt.
    fn commit(&mut self, mut live: Mass<Live>) {
        std::mem::take(&mut self.early).into_iter().for_each(|(early, probability)| add(&mut live, early, probability));
        let live = self.pass(live, self.attempt.risks.commit);
        for (live, probability) in live {
            let end = End::Committed { erred: live.erred };
            add(&mut self.ended, Ended { end, finished: self.step, intents: live.intents }, probability);
        }
    }

    /// Hands `call` to the dispatcher; what is answered comes back.
    fn dispatch(&mut self, live: Mass<Live>, call: Call, emission: Emission) -> Walked<Mass<Live>> {
        let mut answered = Mass::new();
        for (live, probability) in live {
            self.look(live, probability, call, emission, &mut answered)?;
        }
        Ok(answered)
    }
}

/// The dispatcher, as far as the ledger goes.
impl Walk<'_> {
    fn class(&self, call: Call) -> Class {
        self.attempt.scenario.tools[call.tool].class
    }

    fn remember(&self, call: Call) -> Remember {
        self.attempt.policy.rules.dispatcher.rule(self.class(call)).remember
    }

    /// Before the look: whether there is a ledger, and whether it still has its row.
    fn look(&mut self, mut live: Live, mut p: f64, call: Call, emission: Emission, to: &mut Mass<Live>) -> Walked<()> {
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
                let live = Mass::from([(live, p)]);
                self.end(&scaled(&live, wait.crashed), End::Crashed);
                self.end(&scaled(&live, noticed), End::Cut);
                for (live, p) in scaled(&live, wait.spared + wait.cut - noticed) {
                    self.refuse(&live, p)?;
                }
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
        if self.attempt.scenario.stream.handler == Handling::Concurrent {
            return Err("refusals under a concurrent handler".to_owned());
        }
        if self.attempt.fraction.is_some() && self.is_open() {
            return Err("a refusal shortens the attempt under `fraction`".to_owned());
        }
        self.end(&Mass::from([(live.clone(), p)]), End::Refused);
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
                self.cut(&Mass::from([(answered.clone(), p * fate.cut)]));
            }
            add(to, answered, p * fate.answered);
            for after in [false, true] {
                let (dropped, crashed) = (fate.dropped[usize::from(after)], fate.crashed[usize::from(after)]);
                if dropped + crashed > 0.0 {
                    let left = self.left(&run, after && effect);
                    self.end(&Mass::from([(left.clone(), p * dropped)]), End::Cut);
                    self.end(&Mass::from([(left, p * crashed)]), End::Crashed);
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
