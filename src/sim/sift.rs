//! Every turn looked at: those that something may happen to are told from the rest by their words' high halves, many
//! turns at a time.

use super::screen::{Look, Screen, Slot};
use crate::draw::high_halves;
use std::ops::Range;

/// Turns looked at side by side.
const LANES: usize = 32;

/// Finds the turns to which something may happen.
pub(super) struct Sieve<'s> {
    seed: u64,
    screen: &'s Screen,
    /// Words of the turns that are looked at, by slot.
    words: Vec<[[u32; LANES]; 4]>,
}

impl<'s> Sieve<'s> {
    pub(super) fn new(seed: u64, screen: &'s Screen) -> Self {
        Sieve { seed, screen, words: vec![[[0; LANES]; 4]; screen.slots.len()] }
    }

    /// Looks at consecutive turns; calls `found` with those that are not calm.
    pub(super) fn range(&mut self, turns: Range<u64>, found: &mut dyn FnMut(u64, Look)) {
        let whole = turns.start + (turns.end - turns.start) / LANES as u64 * LANES as u64;
        let chunks = (turns.start..whole).step_by(LANES);
        self.with_wide_registers(chunks.map(|first| (consecutive(first), LANES)), found);
        let rest = (turns.end - whole) as usize;
        self.with_wide_registers([(consecutive(whole), rest)].into_iter(), found);
    }

    /// Looks at the turns of a list.
    pub(super) fn list(&mut self, turns: &[u64], found: &mut dyn FnMut(u64, Look)) {
        let lanes = |some: &[u64]| (std::array::from_fn(|lane| some[lane.min(some.len() - 1)]), some.len());
        self.with_wide_registers(turns.chunks(LANES).map(lanes), found);
    }

    /// Goes through chunks of turns, of which so many lanes are in use, with the widest registers that the processor
    /// has: the same integers with any.
    fn with_wide_registers(
        &mut self,
        chunks: impl Iterator<Item = ([u64; LANES], usize)>,
        found: &mut dyn FnMut(u64, Look),
    ) {
        pulp::Arch::new().dispatch(Pass { sieve: self, chunks, found });
    }

    #[inline(always)]
    fn look(&mut self, turns: &[u64; LANES], used: usize, found: &mut dyn FnMut(u64, Look)) {
        let mut outside = [0; LANES];
        for (slot, words) in self.screen.slots.iter().zip(&mut self.words) {
            high_halves(self.seed, turns, 1, slot.block, slot.row, words);
            mark(slot, words, &mut outside);
        }
        if outside.iter().fold(0, |any, lane| any | lane) == 0 {
            return;
        }
        for lane in (0..used).filter(|lane| outside[*lane] != 0) {
            let look = self.screen.look(|(slot, word)| self.words[slot][word][lane]);
            if look != Look::Calm {
                found(turns[lane], look);
            }
        }
    }
}

fn consecutive(first: u64) -> [u64; LANES] {
    std::array::from_fn(|lane| first + lane as u64)
}

/// A pass of a sieve over chunks of turns, for code that is compiled for several kinds of processor.
struct Pass<'a, 's, C> {
    sieve: &'a mut Sieve<'s>,
    chunks: C,
    found: &'a mut dyn FnMut(u64, Look),
}

impl<C: Iterator<Item = ([u64; LANES], usize)>> pulp::WithSimd for Pass<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for (turns, used) in self.chunks {
            self.sieve.look(&turns, used, self.found);
        }
    }
}

/// Marks the lanes with a word outside its bounds.
#[inline(always)]
fn mark(slot: &Slot, words: &[[u32; LANES]; 4], outside: &mut [u32; LANES]) {
    let Slot { least, width, .. } = slot;
    for lane in 0..LANES {
        let beyond = |word: usize| u32::from(words[word][lane].wrapping_sub(least[word]) > width[word]);
        outside[lane] |= beyond(0) | beyond(1) | beyond(2) | beyond(3);
    }
}
