//! One request of a tool run: what it draws. A run is a chain of them where the tool's own client retries.

use crate::dispatch::machine::Outcome;
use crate::draw::{Draws, Site};
use crate::scenario::Tool;
use crate::time::Span;

/// A request as its draws have it, before the downstream has a say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// What its own draw says.
    pub outcome: Outcome,
    /// Whether its response is heard: not lost, and in time.
    pub heard: bool,
    /// Until the response is heard or the request given up.
    pub lasts: Span,
    /// Until the instant of its effect.
    pub effect: Span,
}

impl Sent {
    /// Request `number` (from 0) of the run of call `row`, which takes `latency`.
    pub(super) fn draw(tool: &Tool, latency: Span, draws: &Draws<'_>, row: u32, number: u32) -> Sent {
        let outcome = outcome(tool, draws, row, number);
        let effect = Span::from_nanos((latency.as_nanos() as f64 * tool.effect_at + 0.5) as u64);
        let answered = outcome != Outcome::Unknown;
        let (heard, lasts) = match tool.client {
            None => (true, latency), // an unknown is noticed after the latency
            Some(client) if answered && latency <= client.timeout => (true, latency),
            Some(client) => (false, client.timeout),
        };
        Sent { outcome, heard, lasts, effect }
    }
}

/// Whether the tool's client sends another request after number `number` was not heard.
pub(super) fn another(tool: &Tool, number: u32) -> bool {
    tool.client.is_some_and(|client| number < client.retries)
}

/// What the draw of request `number` says will become of it.
pub(super) fn outcome(tool: &Tool, draws: &Draws<'_>, row: u32, number: u32) -> Outcome {
    if tool.error_rate + tool.unknown_rate == 0.0 {
        return Outcome::Success;
    }
    match draws.at(Site::Outcome, row as usize, number) {
        word if word.happens(tool.error_rate) => Outcome::Error,
        word if word.happens(tool.error_rate + tool.unknown_rate) => Outcome::Unknown,
        _ => Outcome::Success,
    }
}
