//! What the attempts of one turn have drawn. Policies see the same world, so what the turn drew under one of them need
//! not be drawn again under the next: the quantiles are most of what a disturbed turn costs.

use crate::draw::{Site, Word};
use crate::time::Span;

/// The draws of one turn so far, by attempt.
#[derive(Debug, Default)]
pub(super) struct Memo {
    turn: Option<u64>,
    /// By attempt number, from 1. Kept from turn to turn for their memory.
    attempts: Vec<Draft>,
}

/// The draws of one attempt so far.
#[derive(Debug, Default)]
struct Draft {
    start: Option<Start>,
    spans: Vec<((Site, u32, u32), Span)>,
}

/// What every attempt asks for when it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// The first block of its draws.
    pub first_block: [Word; 4],
    /// The exponential stretch to the cut; 0 where cuts are given by fraction.
    pub to_cut: f64,
}

impl Memo {
    /// Forgets every turn but this one.
    pub(super) fn turn(&mut self, turn: u64) {
        if self.turn.replace(turn) != Some(turn) {
            for draft in &mut self.attempts {
                draft.start = None;
                draft.spans.clear();
            }
        }
    }

    fn draft(&mut self, number: u32) -> &mut Draft {
        let index = number as usize - 1;
        if self.attempts.len() <= index {
            self.attempts.resize_with(index + 1, Draft::default);
        }
        &mut self.attempts[index]
    }

    /// What attempt `number` draws when it starts.
    pub(super) fn start(&mut self, number: u32, draw: impl FnOnce() -> Start) -> Start {
        *self.draft(number).start.get_or_insert_with(draw)
    }

    /// The span at an address of attempt `number`.
    pub(super) fn span(&mut self, number: u32, address: (Site, u32, u32), draw: impl FnOnce() -> Span) -> Span {
        let spans = &mut self.draft(number).spans;
        match spans.iter().find(|(known, _)| *known == address) {
            Some((_, span)) => *span,
            None => {
                let span = draw();
                spans.push((address, span));
                span
            }
        }
    }
}
