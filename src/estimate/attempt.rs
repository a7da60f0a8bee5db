//! One attempt of a turn, walked stretch by stretch: every history the turn may have had so far moves through the
//! phases of MODEL's timeline with its probability, and leaves where a cut, a crash or a refusal ends the attempt.

use super::risk::{Risks, Stretch};
use super::state::{End, Ended, Intents, Mass, add, add_all, scaled};
use crate::dispatch::rule::Component;
use crate::scenario::{Policy, Scenario, Shape};
use crate::turn::DispatchAt;

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
pub(super) enum Emission {
    Dropped,
    /// Under a key that other attempts may have used, remembered at this place.
    Keyed(usize),
    /// Under a key that nobody else has.
    Fresh,
}

/// A call of the shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) number: usize,
    pub(super) tool: usize,
}

/// A history that is under way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Live {
    pub(super) intents: Intents,
    pub(super) erred: bool,
}

pub(super) type Walked<T> = Result<T, String>;

impl Attempt<'_> {
    /// The ends of the attempts that start with these histories at step `first`, or what prevents a derivation. Every
    /// look of a history at the dispatcher costs one of `looks`.
    pub(super) fn walk(&self, start: &Mass<Intents>, first: usize, looks: &mut u32) -> Walked<Mass<Ended>> {
        let mut walk = Walk { attempt: self, ended: Mass::new(), early: Mass::new(), step: first, looks };
        let start = start.iter().map(|(intents, p)| (Live { intents: intents.clone(), erred: false }, *p));
        let mut live: Mass<Live> = start.collect();
        let mut number: usize = self.shape.steps[..first].iter().map(Vec::len).sum();
        for step in &self.shape.steps[first..] {
            let calls: Vec<Call> =
                step.iter().enumerate().map(|(place, &tool)| Call { number: number + place, tool }).collect();
            live = match (self.fraction, self.scenario.stream.dispatch) {
                (Some((rate, window)), DispatchAt::Completion) => walk.placed(live, &calls, rate, window)?,
                (Some((rate, _)), DispatchAt::MessageStop) => {
                    walk.cut(&live, rate);
                    walk.dispatch_all(scaled(live, 1.0 - rate), &calls)?
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
pub(super) struct Walk<'a> {
    pub(super) attempt: &'a Attempt<'a>,
    ended: Mass<Ended>,
    /// Histories whose stream ended silently: all that is left of them is the commit.
    early: Mass<Live>,
    step: usize,
    looks: &'a mut u32,
}

impl Walk<'_> {
    /// A step whose calls are dispatched while its stream is open.
    fn open(&mut self, live: Mass<Live>, calls: &[Call]) -> Walked<Mass<Live>> {
        let risks = self.attempt.risks;
        let mut live = self.pass(live, risks.prelude);
        for &call in calls {
            let mut next = Mass::new();
            for (emission, probability) in self.attempt.emissions(call.tool) {
                if emission == Emission::Dropped {
                    add_all(&mut next, &live, probability);
                } else if probability > 0.0 {
                    let emitted = self.pass(scaled(live.clone(), probability), risks.arguments[call.tool]);
                    self.dispatch(emitted, call, emission, &mut next)?;
                }
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
            self.end(&live, emitted * arguments.crashed, End::Crashed);
            self.cut_closed(&live, emitted * arguments.cut, &calls[..place])?;
            live = scaled(live, self.dropped(call.tool) + emitted * arguments.spared);
        }
        self.end(&live, risks.gap.crashed, End::Crashed);
        self.cut_closed(&live, risks.gap.cut, calls)?;
        self.dispatch_all(scaled(live, risks.gap.spared), calls)
    }

    /// A cut of a stream whose complete calls have not been dispatched: they are when no one noticed.
    fn cut_closed(&mut self, live: &Mass<Live>, factor: f64, complete: &[Call]) -> Walked<()> {
        if self.attempt.risks.silent {
            let answered = self.dispatch_all(scaled(live.clone(), factor), complete)?;
            self.cut(&answered, 1.0);
        } else {
            self.cut(live, factor);
        }
        Ok(())
    }

    /// Dispatches what was emitted of `calls`, one after the other, given that their arguments arrived.
    fn dispatch_all(&mut self, mut live: Mass<Live>, calls: &[Call]) -> Walked<Mass<Live>> {
        for &call in calls {
            let arrived = self.attempt.risks.arguments[call.tool].spared;
            let total = self.dropped(call.tool) + (1.0 - self.dropped(call.tool)) * arrived;
            let mut next = Mass::new();
            for (emission, probability) in self.attempt.emissions(call.tool) {
                if emission == Emission::Dropped {
                    add_all(&mut next, &live, probability / total);
                } else if probability * arrived > 0.0 {
                    let emitted = scaled(live.clone(), probability * arrived / total);
                    self.dispatch(emitted, call, emission, &mut next)?;
                }
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
        self.cut(&live, before);
        let mut answered = Mass::new();
        for (emission, probability) in self.attempt.emissions(call.tool) {
            let emitted = scaled(live.clone(), probability * (1.0 - before));
            self.dispatch(emitted, call, emission, &mut answered)?;
        }
        self.cut(&answered, after / (1.0 - before));
        Ok(scaled(answered, (1.0 - rate) / (1.0 - before)))
    }

    /// P(the model drops a call of this tool).
    fn dropped(&self, tool: usize) -> f64 {
        self.attempt.emissions(tool)[2].1
    }

    /// Moves on through `stretch`.
    fn pass(&mut self, live: Mass<Live>, stretch: Stretch) -> Mass<Live> {
        self.cut(&live, stretch.cut);
        self.end(&live, stretch.crashed, End::Crashed);
        scaled(live, stretch.spared)
    }

    /// The stream of `live` dies here with probability `factor`, noticed or not.
    pub(super) fn cut(&mut self, live: &Mass<Live>, factor: f64) {
        if self.attempt.risks.silent {
            add_all(&mut self.early, live, factor);
        } else {
            self.end(live, factor, End::Cut);
        }
    }

    /// The attempt ends here with probability `factor`.
    pub(super) fn end(&mut self, live: &Mass<Live>, factor: f64, end: End) {
        for (live, probability) in live {
            self.end_one(live, probability * factor, end);
        }
    }

    pub(super) fn end_one(&mut self, live: &Live, probability: f64, end: End) {
        if probability > 0.0 {
            let ended = Ended { end, finished: self.step, intents: live.intents.clone() };
            add(&mut self.ended, ended, probability);
        }
    }

    /// Everything that came so far commits, unless it crashes in the attempt.
    fn commit(&mut self, mut live: Mass<Live>) {
        add_all(&mut live, &std::mem::take(&mut self.early), 1.0);
        let live = self.pass(live, self.attempt.risks.commit);
        for (live, probability) in live {
            let end = End::Committed { erred: live.erred };
            add(&mut self.ended, Ended { end, finished: self.step, intents: live.intents }, probability);
        }
    }

    /// Hands `call` to the dispatcher; what is answered goes to `answered`.
    fn dispatch(&mut self, live: Mass<Live>, call: Call, emission: Emission, answered: &mut Mass<Live>) -> Walked<()> {
        for (live, probability) in live {
            // Beyond some fifty calls a history costs as their square: its copy, and its place among the others.
            let calls = self.attempt.shape.calls().count() as u32;
            let cost = 1 + calls.saturating_mul(calls) / 2_500;
            *self.looks = self.looks.checked_sub(cost).ok_or("more histories of a turn than are followed")?;
            self.look(live, probability, call, emission, answered)?;
        }
        Ok(())
    }
}
