//! The timeline of an attempt to which nothing happens: every call runs its tool and is answered. Cuts by fraction
//! are placed on it, and a turn whose timeline no fault can touch need not be played event by event.

use super::request::{Sent, another};
use super::world::{Planned, World};
use crate::dispatch::machine::Outcome;
use crate::draw::{Draws, Site};
use crate::time::Span;
use crate::turn::{DispatchAt, Handling};
use std::ops::Range;

/// Spans are counted from the start of the attempt.
#[derive(Debug, Default)]
pub(super) struct Nominal {
    /// Open stream time by phase: prelude, arguments, tool, gap.
    pub exposure: [Span; 4],
    /// When streams are open, step by step.
    pub open: Vec<(Span, Span)>,
    /// When the first call is dispatched.
    pub first_dispatch: Option<Span>,
    /// The longest tool run.
    pub longest_run: Span,
    /// Whether every run ends in success at its first request.
    pub smooth: bool,
    /// When the last step ends.
    pub end: Span,
}

impl Nominal {
    /// Works out the timeline of an attempt with these draws that sends `steps` and in them `calls` (ascending).
    pub(super) fn plan(
        &mut self,
        world: &World<'_>,
        draws: &Draws<'_>,
        calls: impl Iterator<Item = Planned>,
        steps: Range<u32>,
    ) {
        self.open.clear();
        (self.exposure, self.first_dispatch, self.longest_run) = ([Span::ZERO; 4], None, Span::ZERO);
        (self.smooth, self.end) = (true, Span::ZERO);
        let stream = &world.scenario.stream;
        let mut calls = calls.peekable();
        for step in steps {
            let start = self.end;
            let prelude = stream.prelude.span_at(|| draws.word_of(Site::Prelude, step as usize));
            let gap = stream.gap.span_at(|| draws.word_of(Site::Gap, step as usize));
            let mut now = start + prelude; // of the stream
            let mut answered = start; // the last answer of the step
            let mut after_stop = None; // how long the calls run that wait for message_stop
            while let Some(call) = calls.next_if(|call| call.step == step) {
                let tool = &world.scenario.tools[call.tool as usize];
                let arguments = tool.arguments.span_at(|| draws.word_of(Site::Arguments, call.row as usize));
                let run = self.run(world, draws, call);
                self.exposure[1] += arguments;
                now += arguments;
                match (stream.dispatch, stream.handler) {
                    (DispatchAt::MessageStop, Handling::Blocking) => *after_stop.get_or_insert(Span::ZERO) += run,
                    (DispatchAt::MessageStop, Handling::Concurrent) => after_stop = after_stop.max(Some(run)),
                    (DispatchAt::Completion, handling) => {
                        self.first_dispatch.get_or_insert(now);
                        answered = answered.max(now + run);
                        if handling == Handling::Blocking {
                            now += run;
                            self.exposure[2] += run;
                        }
                    }
                }
            }
            now += gap;
            self.exposure[0] += prelude;
            self.exposure[3] += gap;
            self.open.push((start, now));
            if after_stop.is_some() {
                self.first_dispatch.get_or_insert(now);
            }
            self.end = answered.max(now + after_stop.unwrap_or_default());
        }
    }

    /// How long the tool runs for this call, retries below the ledger included.
    fn run(&mut self, world: &World<'_>, draws: &Draws<'_>, call: Planned) -> Span {
        let tool = &world.scenario.tools[call.tool as usize];
        let mut length = Span::ZERO;
        for number in 0.. {
            let latency = tool.latency.span_at(|| draws.at(Site::Latency, call.row as usize, number));
            let sent = Sent::draw(tool, latency, draws, call.row, number);
            self.smooth &= number == 0 && sent.outcome == Outcome::Success && sent.heard;
            length += sent.lasts;
            if sent.heard || !another(tool, number) {
                break;
            }
        }
        self.longest_run = self.longest_run.max(length);
        length
    }

    /// Where a cut by fraction strikes: at `place` of the open time after the first dispatch where `window` says so
    /// and there is any, at `place` of the open time before it else. An attempt without calls has no such halves, and
    /// where no stream is open after the first dispatch, the place is anywhere.
    pub(super) fn place(&self, in_window: bool, place: f64) -> Option<Span> {
        let from = self.first_dispatch;
        let after = |(start, end): (Span, Span)| from.map_or((start, start), |from| (start.max(from), end.max(from)));
        let before = |(start, end): (Span, Span)| from.map_or((start, end), |from| (start.min(from), end.min(from)));
        let length = |half: &dyn Fn((Span, Span)) -> (Span, Span)| -> Span {
            self.open.iter().map(|open| half(*open)).map(|(start, end)| end - start).sum()
        };
        let half: &dyn Fn((Span, Span)) -> (Span, Span) = match () {
            () if from.is_none() || length(&after) == Span::ZERO => &|open| open,
            () if in_window => &after,
            () => &before,
        };
        let mut left = Span::from_seconds_f64(length(half).as_seconds_f64() * place);
        for open in &self.open {
            let (start, end) = half(*open);
            if left < end - start {
                return Some(start + left);
            }
            left = left - (end - start);
        }
        self.open.last().map(|open| half(*open).1)
    }
}
