//! Undisturbed turns passed over. Where turns are independent and alike, every turn has the same probability `p` of
//! words outside its screen's bounds. The number of turns before the next such turn is then geometric, and which of its
//! words is the first outside has a distribution of its own (`draw::bounds`): both are drawn, and the turn is played with
//! what is thereby known of its words. Nothing is approximated; `docs/performance.md` has the derivation.
//!
//! To have few candidates to whom nothing happens after all, a shape's box is cut into slices along its most exposed
//! duration, each with its own bound on the cut: a mixture of boxes, of which every turn has one.

use super::cell::Given;
use super::screen::{Plan, Screen};
use super::shortcut::Shortcut;
use crate::draw::bounds::{Bounds, Known, Side};
use crate::draw::{Draws, Site, Word};
use crate::stats::binomial_quantile;
use std::ops::Range;

/// One box of the mixture.
struct Slice {
    shape: usize,
    /// The share of all turns that belong to it.
    share: f64,
    bounds: Bounds,
    /// Whether all its turns are candidates.
    all: bool,
}

/// One way to be a candidate.
struct Way {
    /// P(this way or an earlier one | candidate).
    up_to: f64,
    slice: usize,
    side: usize,
}

/// Draws the candidates of a run.
pub(super) struct Skip {
    slices: Vec<Slice>,
    ways: Vec<Way>,
    /// P(candidate).
    pub candidate: f64,
    /// −ln(1 − P(candidate)).
    rate: f64,
    /// P(shape, no candidate), by shape.
    calm: Vec<f64>,
}

/// A turn to which something may happen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'s> {
    pub turn: u64,
    pub given: Given<'s>,
}

/// The tail in which all turns of a slice are candidates: 2^−12, of the longest durations.
const TAIL: u32 = 12;
/// Slices in every halving of the tail.
const SLICES_PER_HALVING: u32 = 2;

impl Skip {
    pub(super) fn new(shortcut: &Shortcut<'_>, screens: &[Option<Screen>], shares: &[f64]) -> Self {
        let mut slices = Vec::new();
        for (shape, (screen, share)) in screens.iter().zip(shares).enumerate() {
            slice(shortcut, shape, screen.as_ref(), *share, &mut slices);
        }
        let total = slices.iter().map(Slice::candidate).sum::<f64>().min(1.0);
        let mut calm = vec![0.0; shares.len()];
        for slice in &slices {
            calm[slice.shape] += slice.share - slice.candidate();
        }
        Skip { ways: ways(&slices, total), slices, candidate: total, rate: -libm::log1p(-total), calm }
    }

    /// Calls `found` with each candidate among these turns, in order; returns how many there were.
    pub(super) fn candidates<'s>(&'s self, seed: u64, turns: Range<u64>, mut found: impl FnMut(Candidate<'s>)) -> u64 {
        let draws = Draws::new(seed, turns.start, 0);
        let mut next = turns.start;
        for row in 0.. {
            let [.., jump, choice] = draws.block_of(Site::Jump, row);
            // P(E/rate ≥ n) = (1 − p)^n for E exponential: its whole part is geometric.
            let skipped = jump.exponential() / self.rate;
            if skipped >= (turns.end - next) as f64 {
                return row as u64;
            }
            next += skipped as u64;
            found(Candidate { turn: next, given: self.choose(choice) });
            next += 1;
        }
        unreachable!("the rows outnumber the turns")
    }

    fn choose(&self, word: Word) -> Given<'_> {
        let place = word.lower();
        let way = self.ways.partition_point(|way| way.up_to < place).min(self.ways.len() - 1);
        let Way { slice, side, .. } = self.ways[way];
        let slice = &self.slices[slice];
        Given { shape: slice.shape, known: Known::Leaves(&slice.bounds, side) }
    }

    /// The shapes of `turns` turns that are no candidates: multinomial, by one binomial after the other.
    pub(super) fn shapes(&self, seed: u64, first: u64, mut turns: u64, counts: &mut [u64]) {
        let draws = Draws::new(seed, first, 0);
        let mut left: f64 = self.calm.iter().sum();
        for (shape, share) in self.calm.iter().enumerate() {
            let last = shape + 1 == self.calm.len();
            let probability = if left > 0.0 { (share / left).min(1.0) } else { 0.0 };
            let count = match last {
                true => turns,
                false => binomial_quantile(turns, probability, draws.word_of(Site::Shape, shape + 1).lower()),
            };
            counts[shape] += count;
            turns -= count;
            left -= share;
        }
    }
}

impl Slice {
    /// P(a turn belongs to the slice and is a candidate).
    fn candidate(&self) -> f64 {
        if self.all { self.share } else { self.share * self.bounds.outside() }
    }
}

/// Cuts the box of a shape into slices.
fn slice(shortcut: &Shortcut<'_>, shape: usize, screen: Option<&Screen>, share: f64, slices: &mut Vec<Slice>) {
    let plan = screen.and_then(|_| Plan::new(shortcut, shape));
    let (Some(screen), Some(plan)) = (screen, plan) else {
        slices.push(Slice { shape, share, bounds: Bounds::default(), all: true });
        return;
    };
    let Some((site, row)) = plan.longest() else {
        slices.push(Slice { shape, share, bounds: screen.bounds.clone(), all: false });
        return;
    };
    let mut least = 0;
    for i in 1..=TAIL * SLICES_PER_HALVING {
        let tail = libm::exp2(32.0 - f64::from(i) / f64::from(SLICES_PER_HALVING));
        let given = Side { site, row, least, most: u32::MAX - tail as u32 };
        slices.push(one_slice(&plan, shape, share, given));
        least = given.most + 1;
    }
    slices.push(one_slice(&plan, shape, share, Side { site, row, least, most: u32::MAX }));
}

fn one_slice(plan: &Plan<'_>, shape: usize, share: f64, given: Side) -> Slice {
    let share = share * given.within();
    match plan.bounds(TAIL, Some(given)) {
        Some(bounds) => Slice { shape, share, bounds, all: false },
        None => Slice { shape, share, bounds: Bounds { given: Some(given), sides: Vec::new() }, all: true },
    }
}

fn ways(slices: &[Slice], total: f64) -> Vec<Way> {
    let mut up_to = 0.0;
    let mut ways = Vec::new();
    for (slice, of) in slices.iter().enumerate() {
        let mut add = |side, probability: f64| {
            up_to += of.share * probability / total;
            if probability > 0.0 {
                ways.push(Way { up_to, slice, side });
            }
        };
        if of.all {
            add(0, 1.0);
        } else {
            of.bounds.first_outside().enumerate().for_each(|(side, probability)| add(side, probability));
        }
    }
    ways
}
