//! Random draws by address. Every draw of the simulation is a pure function of (seed, turn, attempt, site): there
//! is no state to advance, so policies see the same world, a policy that is added or changed moves nobody else's
//! draws, and any turn can be replayed by its number alone.
//!
//! A site is a [`Site`] in a row: the row is the step, call or route that the draw belongs to. Four sites form one
//! Threefry block; a 64-bit word takes its high half from one block and its low half from a twin, so that code
//! that needs only the high half can do with one.

pub mod bounds;
pub mod threefry;

use bounds::Known;
use std::convert::Infallible;

/// One draw: 64 uniform random bits, read as a place in the open unit interval.
///
/// A word near either end keeps its full precision when read from that end, so that samplers can reach tails of
/// 5·10⁻²⁰ on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub u64);

impl Word {
    const SCALE: f64 = 1.0 / 18_446_744_073_709_551_616.0; // 2^-64

    /// The place measured from 0, in (0, 1).
    #[must_use]
    #[inline]
    pub fn lower(self) -> f64 {
        ((self.0 as f64 + 0.5) * Self::SCALE).min(1.0 - f64::EPSILON / 2.0)
    }

    /// The place measured from 1, in (0, 1): the complement of [`Word::lower`].
    #[must_use]
    #[inline]
    pub fn upper(self) -> f64 {
        Word(!self.0).lower()
    }

    /// Whether an event of this probability happens: exactly never at 0, exactly always at 1.
    #[must_use]
    #[inline]
    pub fn happens(self, probability: f64) -> bool {
        probability >= 1.0 || self.lower() < probability
    }

    /// An exponential of mean 1, increasing in the word.
    #[must_use]
    #[inline]
    pub fn exponential(self) -> f64 {
        if self.0 >> 63 == 0 { -libm::log1p(-self.lower()) } else { -libm::log(self.upper()) }
    }

    /// A whole number below `bound`, uniform to within `bound`·2⁻⁶⁴.
    #[must_use]
    #[inline]
    pub fn below(self, bound: u64) -> u64 {
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

/// What a draw decides. Four neighbours share a block; the first block holds what nearly every turn asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Site {
    /// Exponential stream time to the cut (hazard), or whether there is one (fraction). Row 0.
    Cut = 0,
    /// Prelude of step `row`.
    Prelude,
    /// Gap of step `row`.
    Gap,
    /// Latency of call `row`.
    Latency,
    /// Streaming time of the arguments of call `row`.
    Arguments,
    /// Success, error or unknown of call `row`.
    Outcome,
    /// Active time to the crash. Row 0.
    Crash,
    /// End of the last step to the turn being appended. Row 0.
    Commit,
    /// Whether the cut finds the window (fraction). Row 0.
    Window,
    /// Where in that stretch it strikes (fraction). Row 0.
    Place,
    /// Whether the cut is a silent end. Row 0.
    Silent,
    /// Whether the ledger cannot be reached for call `row`.
    Unavailable,
    /// Same, reworded or dropped, for call `row`.
    ReEmit,
    /// Whether the text of call `row` is one that no other call has.
    Reserialise,
    /// Whether the row of call `row` is lost before the look.
    LedgerLoss,
    /// Whether route `row` issues a replay.
    RouteTaken,
    /// The delay of that replay.
    RouteDelay,
    /// Turn: its shape. Row 0.
    Shape,
    /// Turn: whether it repeats the previous one. Row 0.
    Repeat,
    /// Turn: the values of genuine call `row` within its pool.
    Values,
    /// Calendar: gap before incident `row`.
    IncidentGap,
    /// Calendar: length of incident `row`.
    IncidentLength,
    /// Skip-ahead: undisturbed turns before candidate `row` of a block. Drawn at the block's first turn.
    Jump,
    /// Skip-ahead: why that is a candidate.
    Choice,
}

/// Words of one turn's attempt. Attempt 0 stands for the turn itself (shape, values), attempts count from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draws<'b> {
    seed: u64,
    turn: u64,
    attempt: u32,
    known: Known<'b>,
    /// The first block of row 0, where it was drawn beforehand.
    first: Option<[Word; 4]>,
}

/// Separates this program's streams from any other use of the same seed.
const DOMAIN: [u32; 2] = [0x646f_7562, 0x6c65_6669]; // "doub" "lefi"
/// The turn number under which the run's calendar is drawn.
const CALENDAR: u64 = u64::MAX;
/// Blocks of sites in a row.
const BLOCKS: u32 = 8;

impl<'b> Draws<'b> {
    /// The draws of attempt `attempt` of turn `turn` (its arrival number, which is cell · turns per cell + place in
    /// the cell) in the run with this seed.
    #[must_use]
    pub const fn new(seed: u64, turn: u64, attempt: u32) -> Self {
        Draws { seed, turn, attempt, known: Known::Nothing, first: None }
    }

    /// The draws of the run's calendar, shared by all cells and policies.
    #[must_use]
    pub const fn calendar(seed: u64) -> Self {
        Draws::new(seed, CALENDAR, 0)
    }

    /// The draws of another attempt of the same turn, of which nothing is known.
    #[must_use]
    pub const fn attempt(self, attempt: u32) -> Self {
        Draws::new(self.seed, self.turn, attempt)
    }

    /// The same draws given what is known of them.
    #[must_use]
    pub const fn knowing(self, known: Known<'b>) -> Self {
        Draws { known, first: None, ..self }
    }

    /// The four words of the first block, which nearly every attempt asks for more than once.
    #[must_use]
    #[inline]
    pub fn first_block(&self) -> [Word; 4] {
        let free = self.block(0, 0, 0);
        match self.known {
            Known::Nothing => free,
            known => std::array::from_fn(|i| known.word(FIRST_BLOCK[i], 0, free[i])),
        }
    }

    /// The same draws with what [`Draws::first_block`] gave at hand.
    #[must_use]
    #[inline]
    pub const fn with_first_block(self, first: [Word; 4]) -> Self {
        Draws { first: Some(first), ..self }
    }

    /// Whether an event of this probability happens at `site` of `row`. What is certain either way asks for no word.
    #[must_use]
    #[inline]
    pub fn happens(&self, site: Site, row: usize, probability: f64) -> bool {
        probability > 0.0 && (probability >= 1.0 || self.word_of(site, row).happens(probability))
    }

    /// The word at `site` of row 0.
    #[must_use]
    #[inline]
    pub fn word(&self, site: Site) -> Word {
        self.at(site, 0, 0)
    }

    /// The word at `site` of `row` (a step, call or route number).
    #[must_use]
    #[inline]
    pub fn word_of(&self, site: Site, row: usize) -> Word {
        self.at(site, row, 0)
    }

    /// The word at `site` of call `row` for its `request`-th request (0 is the first).
    #[must_use]
    #[inline]
    pub fn at(&self, site: Site, row: usize, request: u32) -> Word {
        if let Some(first) = self.first.filter(|_| (site as u32) < 4 && row == 0 && request == 0) {
            return first[site as usize];
        }
        let free = self.block(site as u32 / 4, row as u32, request)[site as usize % 4];
        if request == 0 { self.known.word(site, row as u32, free) } else { free }
    }

    /// The four words of the block of `row` that holds `site`, whatever is known of them.
    #[must_use]
    #[inline]
    pub fn block_of(&self, site: Site, row: u32) -> [Word; 4] {
        self.block(place(site).0, row, 0)
    }

    /// The four words of block `block` in a row, whatever is known.
    #[inline]
    fn block(&self, block: u32, row: u32, request: u32) -> [Word; 4] {
        debug_assert!(block < BLOCKS && self.attempt < 1 << 16 && request < 1 << 15);
        let [turn, turn_high] = [self.turn as u32, (self.turn >> 32) as u32];
        let counter = |half: u32| [turn, turn_high, self.attempt | request << 16 | half << 31, row * BLOCKS + block];
        let (high, low) = (threefry::block(key(self.seed), counter(0)), threefry::block(key(self.seed), counter(1)));
        std::array::from_fn(|i| Word(u64::from(high[i]) << 32 | u64::from(low[i])))
    }

    /// A stream of words for code that wants a generator (bootstraps, month sampling): consecutive words of `site`.
    #[must_use]
    pub const fn stream(self, site: Site) -> Stream<'b> {
        Stream { draws: self, site, row: 0 }
    }
}

/// The sites of the first block.
const FIRST_BLOCK: [Site; 4] = [Site::Cut, Site::Prelude, Site::Gap, Site::Latency];

/// The generator's key for a seed.
const fn key(seed: u64) -> [u32; 4] {
    [seed as u32, (seed >> 32) as u32, DOMAIN[0], DOMAIN[1]]
}

/// Where a site's word stands: its block among those of a row, and its place in the block.
#[must_use]
pub const fn place(site: Site) -> (u32, usize) {
    (site as u32 / 4, site as usize % 4)
}

/// The high halves of the four words of block `block` of `row` for an attempt of many turns: `words[word][lane]`. They
/// cost half as much as the whole words, and less again in code that is compiled for wide vector registers.
#[inline(always)]
pub fn high_halves<const LANES: usize>(
    seed: u64,
    turns: &[u64; LANES],
    attempt: u32,
    block: u32,
    row: u32,
    words: &mut [[u32; LANES]; 4],
) {
    let (key, [first, second, third, fourth]) = (key(seed), words);
    for lane in 0..LANES {
        let turn = turns[lane];
        let counter = [turn as u32, (turn >> 32) as u32, attempt, row * BLOCKS + block];
        [first[lane], second[lane], third[lane], fourth[lane]] = threefry::block(key, counter);
    }
}

/// The words of one site, row after row, as a generator of the `rand` traits.
#[derive(Debug, Clone)]
pub struct Stream<'b> {
    draws: Draws<'b>,
    site: Site,
    row: u32,
}

impl rand::TryRng for Stream<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| (word >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let word = self.draws.word_of(self.site, self.row as usize);
        self.row = self.row.wrapping_add(1);
        Ok(word.0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn draws_at_known_addresses_are_pinned() {
        let draws = Draws::new(1, 0, 1);
        let words = [draws.word(Site::Cut), draws.word_of(Site::Latency, 2), draws.at(Site::Outcome, 1, 3)];
        assert_eq!(words.map(|w| w.0), GOLDEN);
    }
    const GOLDEN: [u64; 3] = [744_698_903_880_641_606, 17_437_206_198_831_256_064, 4_605_754_147_820_973_073];

    #[test]
    fn high_halves_are_those_of_the_words() {
        let turns = [0, 1, 7, u64::from(u32::MAX), u64::from(u32::MAX) + 1, 1 << 60];
        for site in [Site::Prelude, Site::Crash, Site::Unavailable, Site::Choice] {
            let (block, word) = place(site);
            let mut words = [[0; 6]; 4];
            high_halves(9, &turns, 3, block, 5, &mut words);
            let expected = turns.map(|turn| (Draws::new(9, turn, 3).word_of(site, 5).0 >> 32) as u32);
            assert_eq!(words[word], expected, "{site:?}");
        }
    }

    #[test]
    fn what_is_known_of_a_word_moves_it_and_no_other() {
        use bounds::{Bounds, Side};
        let cut = Side { site: Site::Cut, row: 0, least: 1 << 30, most: u32::MAX };
        let crash = Side { site: Site::Crash, row: 0, least: 1 << 31, most: u32::MAX };
        let bounds = Bounds { given: None, sides: vec![cut, crash] };
        let free = Draws::new(1, 0, 1);
        for (first, moved) in [(0, vec![Site::Cut]), (1, vec![Site::Cut, Site::Crash])] {
            let draws = free.knowing(Known::Leaves(&bounds, first));
            let near = draws.with_first_block(draws.first_block());
            for site in [Site::Cut, Site::Prelude, Site::Gap, Site::Latency, Site::Crash, Site::Commit] {
                assert_eq!(draws.word(site), near.word(site));
                assert_eq!(draws.word(site) != free.word(site), moved.contains(&site), "{site:?}");
            }
            assert_eq!(cut.holds((draws.word(Site::Cut).0 >> 32) as u32), first == 1);
        }
    }

    #[test]
    fn a_word_is_read_without_loss_from_both_ends() {
        assert_eq!(Word(0).lower(), 0.5 * Word::SCALE);
        assert_eq!(Word(u64::MAX).upper(), 0.5 * Word::SCALE);
        assert!(Word(u64::MAX).lower() < 1.0);
        assert!(Word(0).exponential() > 0.0 && Word(u64::MAX).exponential() > 44.0);
    }

    #[test]
    fn probabilities_zero_and_one_are_certain() {
        for word in [0, 1, u64::MAX / 2, u64::MAX] {
            assert!(!Word(word).happens(0.0));
            assert!(Word(word).happens(1.0));
        }
    }

    #[test]
    fn no_two_addresses_share_a_word() {
        let mut seen = std::collections::BTreeSet::new();
        for turn in 0..4 {
            for attempt in 0..4 {
                for row in 0..4 {
                    for request in 0..3 {
                        for site in [Site::Cut, Site::Latency, Site::Arguments, Site::RouteDelay] {
                            assert!(seen.insert(Draws::new(7, turn, attempt).at(site, row, request)));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_stream_is_the_words_of_its_site_in_row_order() {
        let draws = Draws::new(3, 5, 1);
        let mut stream = draws.stream(Site::Values);
        assert_eq!(stream.next_u64(), draws.word_of(Site::Values, 0).0);
        assert_eq!(stream.next_u64(), draws.word_of(Site::Values, 1).0);
    }
}
