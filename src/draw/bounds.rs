//! Bounds on some words of an attempt. A turn whose words all lie within well chosen bounds suffers nothing, so two
//! questions are asked of bounds: do these words lie within, and, where turns that do are passed over, which words
//! does a turn have that does not?
//!
//! The words are independent and uniform, so the second has an exact answer. Go through the sides in order. The first
//! word that lies outside is the i-th with probability (1 − p₁)…(1 − pᵢ₋₁)·pᵢ, where pᵢ is the share of words outside
//! the i-th side. Given that, the words before it are uniform within their bounds, the i-th is uniform outside, and
//! all others are as free as ever.

use super::{Site, Word};

/// Bounds on the high half of one word, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Which word: its site,
    pub site: Site,
    /// and its row; the first request.
    pub row: u32,
    /// The least high half within.
    pub least: u32,
    /// The greatest high half within.
    pub most: u32,
}

const HALVES: u64 = 1 << 32;

impl Side {
    /// High halves within.
    const fn size(self) -> u64 {
        self.most as u64 - self.least as u64 + 1
    }

    /// The share of words within: exact.
    #[must_use]
    pub fn within(self) -> f64 {
        self.size() as f64 / HALVES as f64
    }

    /// The share of words outside: exact.
    #[must_use]
    pub fn outside(self) -> f64 {
        (HALVES - self.size()) as f64 / HALVES as f64
    }

    /// Whether a word with this high half lies within.
    #[must_use]
    #[inline]
    pub const fn holds(self, high: u32) -> bool {
        self.least <= high && high <= self.most
    }

    /// Whether this is a bound on the word at `site` of `row`.
    #[inline]
    fn is_of(self, site: Site, row: u32) -> bool {
        self.site == site && self.row == row
    }

    /// Spreads the words evenly over those within. Rises with the word.
    #[must_use]
    pub fn word_within(self, word: Word) -> Word {
        Word((u64::from(self.least) << 32) + spread(word, self.size()))
    }

    /// Spreads the words evenly over those outside, of which there are some. Rises with the word.
    #[must_use]
    pub fn word_outside(self, word: Word) -> Word {
        let place = spread(word, HALVES - self.size());
        let below = u64::from(self.least) << 32;
        // Past the bounds the place is at most 2^32 − size − 1 high halves: their size more still fits.
        Word(if place < below { place } else { place + (self.size() << 32) })
    }
}

/// The word as a place in `halves` · 2^32 places.
fn spread(word: Word, halves: u64) -> u64 {
    ((u128::from(word.0) * u128::from(halves)) >> 32) as u64
}

/// Bounds on some words of an attempt, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    /// A word that is known to lie within its bounds, which is not counted among the sides.
    pub given: Option<Side>,
    /// At most one for each word.
    pub sides: Vec<Side>,
}

impl Bounds {
    /// P(some word lies outside its bounds).
    #[must_use]
    pub fn outside(&self) -> f64 {
        -libm::expm1(self.sides.iter().map(|side| libm::log1p(-side.outside())).sum())
    }

    /// P(the i-th word is the first that lies outside), side by side; they add up to [`Bounds::outside`].
    pub fn first_outside(&self) -> impl Iterator<Item = f64> + '_ {
        self.sides.iter().scan(1.0, |within, side| {
            let first = *within * side.outside();
            *within *= side.within();
            Some(first)
        })
    }
}

/// What is known of the words of a turn's first attempt before any is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Known<'b> {
    /// Nothing: they are free.
    #[default]
    Nothing,
    /// Which word is the first outside its bounds, by its place among the sides (none where there are no sides).
    Leaves(&'b Bounds, usize),
    /// Each bounded word is the greatest within its bounds.
    Greatest(&'b Bounds),
}

impl Known<'_> {
    /// What a free word at `site` of `row` becomes.
    #[inline]
    pub(super) fn word(self, site: Site, row: u32, free: Word) -> Word {
        match self {
            Known::Nothing => free,
            Known::Leaves(bounds, side) => bounds.leave(side, site, row, free),
            Known::Greatest(bounds) => bounds.greatest(site, row).unwrap_or(free),
        }
    }
}

impl Bounds {
    fn leave(&self, first_outside: usize, site: Site, row: u32, free: Word) -> Word {
        if let Some(given) = self.given.filter(|given| given.is_of(site, row)) {
            return given.word_within(free);
        }
        match self.sides.iter().position(|side| side.is_of(site, row)) {
            Some(i) if i < first_outside => self.sides[i].word_within(free),
            Some(i) if i == first_outside => self.sides[i].word_outside(free),
            _ => free,
        }
    }

    fn greatest(&self, site: Site, row: u32) -> Option<Word> {
        let side = self.given.iter().chain(&self.sides).find(|side| side.is_of(site, row))?;
        Some(Word(u64::from(side.most) << 32 | u64::from(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side(least: u32, most: u32) -> Side {
        Side { site: Site::Cut, row: 0, least, most }
    }

    #[test]
    fn the_least_and_the_greatest_word_are_spread_to_the_ends() {
        let middle = side(5, 9);
        let ends = |of: fn(Side, Word) -> Word| [of(middle, Word(0)).0, of(middle, Word(u64::MAX)).0];
        assert_eq!(ends(Side::word_within), [5 << 32, (10 << 32) - 1]);
        assert_eq!(ends(Side::word_outside), [0, u64::MAX]);
        assert_eq!(side(5, u32::MAX).word_outside(Word(u64::MAX)).0, (5 << 32) - 1);
        assert_eq!(side(0, 9).word_outside(Word(0)).0, 10 << 32);
    }

    proptest! {
        #[test]
        fn spread_words_lie_where_they_should_and_keep_their_order(
            ends in (any::<u32>(), any::<u32>()),
            words in (any::<u64>(), any::<u64>()),
        ) {
            let side = side(ends.0.min(ends.1), ends.0.max(ends.1));
            let (low, high) = (Word(words.0.min(words.1)), Word(words.0.max(words.1)));
            prop_assert!(side.holds((side.word_within(low).0 >> 32) as u32));
            prop_assert!(side.word_within(low) <= side.word_within(high));
            if side.outside() > 0.0 {
                prop_assert!(!side.holds((side.word_outside(low).0 >> 32) as u32));
                prop_assert!(side.word_outside(low) <= side.word_outside(high));
            }
        }

        #[test]
        fn one_word_is_the_first_outside_or_none_is(ends in prop::collection::vec((any::<u32>(), any::<u32>()), 0..9)) {
            let sides = ends.iter().map(|(a, b)| side(*a.min(b), *a.max(b))).collect();
            let bounds = Bounds { given: None, sides };
            let sum: f64 = bounds.first_outside().sum();
            prop_assert!((sum - bounds.outside()).abs() < 1e-14, "{sum} and {}", bounds.outside());
        }
    }
}
