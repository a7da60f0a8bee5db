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
    /// Request `number` (from 0) of the run of call `row`.
    pub(super) fn draw(tool: &Tool, draws: &Draws<'_>, row: u32, number: u32) -> Sent {
        let row = row as usize;
        let latency = tool.latency.span_at(|| draws.at(Site::Latency, row, number));
        let outcome = if tool.error_rate + tool.unknown_rate > 0.0 {
            let word = draws.at(Site::Outcome, row, number);
            match word {
                _ if word.happens(tool.error_rate) => Outcome::Error,
                _ if word.happens(tool.error_rate + tool.unknown_rate) => Outcome::Unknown,
                _ => Outcome::Success,
            }
        } else {
            Outcome::Success
        };
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
