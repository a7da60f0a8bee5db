//! Bounds within which nothing happens. For each shape there is a box of words in which every turn is undisturbed: its
//! durations are no longer than some high quantiles, and no cut or crash strikes even if they are all as long as that.
//! A turn whose words lie in the box is told by comparing integers, without computing one duration. Durations rise with
//! their words (inversion), so that the box's far corner speaks for all of it.

use super::nominal::Nominal;
use super::shortcut::Shortcut;
use super::world::Planned;
use crate::dist::Distribution;
use crate::draw::bounds::{Bounds, Known, Side};
use crate::draw::{Draws, Site, Word, place};
use crate::scenario::Cuts;
use crate::turn::{DispatchAt, Handling};

/// The box of one shape, and a finer look at the turns that only a cut might disturb.
pub(super) struct Screen {
    /// The cut's side comes first, where there is one.
    pub bounds: Bounds,
    /// The blocks of words that hold the sides.
    pub slots: Vec<Slot>,
    /// Where each side's word stands: slot, and word in the slot's block.
    places: Vec<(usize, usize)>,
    /// Absent where no cut comes by hazard.
    reach: Option<Reach>,
}

/// A block of four words, with the bounds on each: all words lie within where none is said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub block: u32,
    pub row: u32,
    pub least: [u32; 4],
    /// The greatest less the least.
    pub width: [u32; 4],
}

/// What a screen says of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing happens to it.
    Calm,
    /// A cut strikes, or nearly.
    Cut,
    /// Something may happen to it.
    Perhaps,
}

/// How far a cut must be for a turn to be out of its reach, by its durations.
struct Reach {
    /// Expected cuts in the stretches of constant length.
    base: f64,
    /// For each duration: its place among the sides, expected cuts in a second of it, its ceilings.
    durations: Vec<(usize, f64, Ceilings)>,
}

/// One duration of a shape.
struct Duration<'s> {
    site: Site,
    row: u32,
    law: &'s Distribution,
    /// Expected cuts in a second of it.
    per_second: f64,
}

/// Tails of 2⁻⁴ to 2⁻²⁴ are tried as the bounds of durations.
const TAILS: std::ops::RangeInclusive<u32> = 4..=24;
/// What it costs, in some unit, to look at a turn with one duration out of bounds, and at one with a cut in reach.
const COSTS: (f64, f64) = (200.0, 15.0);

impl Screen {
    /// The box of a shape that costs least; none where there is none.
    pub(super) fn new(shortcut: &Shortcut<'_>, shape: usize) -> Option<Screen> {
        let plan = Plan::new(shortcut, shape)?;
        let (_, tail) = TAILS
            .filter_map(|tail| plan.bounds(tail, None).map(|bounds| (cost(&bounds), tail)))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let bounds = plan.bounds(tail, None)?;
        let reach = plan.reach(&bounds);
        let (slots, places) = slots(&bounds.sides);
        Some(Screen { bounds, slots, places, reach })
    }

    /// What the words say of which `high` gives the high halves, by slot and word.
    pub(super) fn look(&self, high: impl Fn((usize, usize)) -> u32) -> Look {
        self.judge(|i| high(self.places[i]))
    }

    /// What these draws say.
    pub(super) fn look_at(&self, draws: &Draws<'_>) -> Look {
        self.judge(|i| {
            let side = self.bounds.sides[i];
            (draws.word_of(side.site, side.row as usize).0 >> 32) as u32
        })
    }

    fn judge(&self, high: impl Fn(usize) -> u32) -> Look {
        let outside = |(i, side): (usize, &Side)| !side.holds(high(i));
        let mut sides = self.bounds.sides.iter().enumerate();
        let Some(reach) = &self.reach else {
            return if sides.any(outside) { Look::Perhaps } else { Look::Calm };
        };
        let cut = sides.next().is_some_and(outside);
        match () {
            () if sides.any(outside) => Look::Perhaps,
            () if cut && reach.includes(&high) => Look::Cut,
            () => Look::Calm,
        }
    }
}

impl Reach {
    /// Whether the cut (side 0) may strike in the durations, each taken to be as long as its word's high half allows.
    fn includes(&self, high: &impl Fn(usize) -> u32) -> bool {
        let durations = self.durations.iter();
        let expected: f64 = durations.map(|(i, per_second, ceilings)| per_second * ceilings.of(high(*i))).sum();
        // The stretch to the cut, −ln(1 − u), is at least u. The margin covers the rounding of the sums.
        f64::from(high(0)) / 4_294_967_296.0 <= (self.base + expected) * (1.0 + 1e-6) + 1e-12
    }
}

/// Expected cost of a turn that is not within the bounds.
fn cost(bounds: &Bounds) -> f64 {
    let of = |side: &Side| side.outside() * if side.site == Site::Cut { COSTS.1 } else { COSTS.0 };
    bounds.sides.iter().map(of).sum()
}

fn slots(sides: &[Side]) -> (Vec<Slot>, Vec<(usize, usize)>) {
    let mut slots: Vec<Slot> = Vec::new();
    let places = sides.iter().map(|side| {
        let (block, word) = place(side.site);
        let at = slots.iter().position(|slot| (slot.block, slot.row) == (block, side.row)).unwrap_or_else(|| {
            slots.push(Slot { block, row: side.row, least: [0; 4], width: [u32::MAX; 4] });
            slots.len() - 1
        });
        slots[at].least[word] = side.least;
        slots[at].width[word] = side.most - side.least;
        (at, word)
    });
    let places = places.collect();
    (slots, places)
}

/// What bounds on a shape's words are made of.
pub(super) struct Plan<'s> {
    shortcut: &'s Shortcut<'s>,
    shape: usize,
    durations: Vec<Duration<'s>>,
    /// Bounds outside which something happens whatever the durations.
    chances: Vec<Side>,
}

impl<'s> Plan<'s> {
    /// None where nothing but luck beyond a word's high half could keep a turn undisturbed.
    pub(super) fn new(shortcut: &'s Shortcut<'s>, shape: usize) -> Option<Self> {
        let durations = if shortcut.timed { durations(shortcut, shape) } else { Vec::new() };
        let chances = shortcut.chances(shape).iter().map(|(site, row, probability)| without(*site, *row, *probability));
        Some(Plan { shortcut, shape, durations, chances: chances.collect::<Option<_>>()? })
    }

    /// Bounds with tails of 2^−tail for the durations; none where something happens in the far corner of the box whatever
    /// the cut's word. A `given` bound takes the place of its duration's.
    pub(super) fn bounds(&self, tail: u32, given: Option<Side>) -> Option<Bounds> {
        let most = u32::MAX - (1 << (32 - tail));
        let longest = |d: &Duration<'_>| Side { site: d.site, row: d.row, least: 0, most };
        let is_given = |side: &Side| given.is_some_and(|given| (given.site, given.row) == (side.site, side.row));
        let sides =
            self.durations.iter().map(longest).filter(|side| !is_given(side)).chain(self.chances.iter().copied());
        let mut bounds = Bounds { given, sides: sides.collect() };
        if !self.shortcut.timed {
            return Some(bounds);
        }
        let corner = Draws::new(0, 0, 1).knowing(Known::Greatest(&bounds));
        let mut nominal = Nominal::default();
        self.shortcut.plan(self.shape, &corner, &mut nominal);
        if !self.shortcut.smooth(&corner, &nominal) {
            return None;
        }
        let cuts = self.shortcut.expected_cuts(&nominal);
        let crashes = self.shortcut.expected_crashes(&corner, &nominal);
        for (site, expected) in [(Site::Crash, crashes), (Site::Cut, cuts)] {
            if expected > 0.0 {
                // An exponential is at most x where its word is at most 1 − e^(−x).
                let side = without(site, 0, -libm::expm1(-expected))?;
                bounds.sides.insert(0, Side { least: side.least.checked_add(1)?, ..side });
            }
        }
        Some(bounds)
    }

    fn reach(&self, bounds: &Bounds) -> Option<Reach> {
        bounds.sides.first().filter(|side| side.site == Site::Cut && side.row == 0)?;
        matches!(self.shortcut.world.scenario.failure.cuts, Cuts::Hazard(_)).then_some(())?;
        let corner = Draws::new(0, 0, 1).knowing(Known::Greatest(bounds));
        let mut nominal = Nominal::default();
        self.shortcut.plan(self.shape, &corner, &mut nominal);
        let variable = |d: &&Duration<'_>| d.per_second > 0.0;
        let at_corner = |d: &Duration<'_>| d.law.span(corner.word_of(d.site, d.row as usize)).as_seconds_f64();
        let of_durations: f64 = self.durations.iter().map(|d| d.per_second * at_corner(d)).sum();
        let side = |d: &Duration<'_>| bounds.sides.iter().position(|s| (s.site, s.row) == (d.site, d.row));
        let durations = self.durations.iter().filter(variable);
        Some(Reach {
            base: (self.shortcut.expected_cuts(&nominal) - of_durations).max(0.0),
            durations: durations
                .map(|d| Some((side(d)?, d.per_second, Ceilings::new(d.law))))
                .collect::<Option<_>>()?,
        })
    }

    /// The duration in which most cuts strike, if any do: its site and row.
    pub(super) fn longest(&self) -> Option<(Site, u32)> {
        let cuts = |d: &Duration<'_>| d.per_second * d.law.mean().min(1e12);
        let longest = self.durations.iter().max_by(|a, b| cuts(a).total_cmp(&cuts(b)))?;
        (cuts(longest) > 0.0).then_some((longest.site, longest.row))
    }
}

/// The durations of a shape that are not constant.
fn durations<'s>(shortcut: &Shortcut<'s>, shape: usize) -> Vec<Duration<'s>> {
    let scenario = shortcut.world.scenario;
    let shape = &shortcut.world.shapes[shape];
    let stream = &scenario.stream;
    let waits = stream.dispatch == DispatchAt::Completion && stream.handler == Handling::Blocking;
    let phases = match &scenario.failure.cuts {
        Cuts::Hazard(hazard) => [hazard.phases.prelude, hazard.phases.arguments, hazard.phases.tool, hazard.phases.gap],
        Cuts::Fraction(_) => [0.0; 4],
    };
    let [prelude, arguments, tool, gap] = phases.map(|multiplier| multiplier * shortcut.world.cut_rate(1));
    // Where the handler does not wait for the tool, no stream is open because of it.
    let tool = if waits { tool } else { 0.0 };
    let of_step = |row| [(Site::Prelude, row, &stream.prelude, prelude), (Site::Gap, row, &stream.gap, gap)];
    let of_call = |call: &Planned| {
        let law = &scenario.tools[call.tool as usize];
        [(Site::Latency, call.row, &law.latency, tool), (Site::Arguments, call.row, &law.arguments, arguments)]
    };
    let commit = (Site::Commit, 0, &stream.commit, 0.0);
    (0..shape.steps)
        .flat_map(of_step)
        .chain(shape.calls.iter().flat_map(of_call))
        .chain([commit])
        .filter(|(_, _, law, _)| law.as_constant().is_none())
        .map(|(site, row, law, per_second)| Duration { site, row, law, per_second })
        .collect()
}

/// The words at which an event of this probability does not happen; none where there are none.
fn without(site: Site, row: u32, probability: f64) -> Option<Side> {
    let least = libm::ceil(probability * 4_294_967_296.0);
    (least < 4_294_967_295.0).then_some(Side { site, row, least: least as u32, most: u32::MAX })
}

/// Upper bounds of a duration, in seconds, by the high half of its word. The bins are narrow where the words are close
/// to the top: each is at most 1/32 of its distance from there.
struct Ceilings(Box<[f32]>);

/// Bits of the distance from the top that name a bin, after its leading one.
const BITS: u32 = 5;

impl Ceilings {
    fn new(law: &Distribution) -> Self {
        let bins = bin(u32::MAX) + 1;
        let ceiling = |bin: usize| {
            let greatest = Word(u64::from(!nearest(bin)) << 32 | u64::from(u32::MAX));
            // Rounded up to a whole nanosecond and to the next of the shorter floats.
            ((law.quantile(greatest) + 1e-9) * (1.0 + 1e-6)) as f32
        };
        Ceilings((0..bins).map(ceiling).collect())
    }

    #[inline]
    fn of(&self, high: u32) -> f64 {
        f64::from(self.0[bin(!high)])
    }
}

/// The bin of a distance from the top.
#[inline]
fn bin(distance: u32) -> usize {
    let shift = (u32::BITS - distance.leading_zeros()).saturating_sub(BITS + 1);
    ((shift << BITS) + (distance >> shift)) as usize
}

/// The least distance in a bin.
fn nearest(bin: usize) -> u32 {
    let bin = bin as u32;
    let shift = (bin >> BITS).saturating_sub(1);
    (bin - (shift << BITS)) << shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_distance_lies_in_a_bin_that_begins_close_below(distance: u32) {
            let least = nearest(bin(distance));
            prop_assert!(least <= distance && bin(least) == bin(distance));
            prop_assert!(distance - least <= distance / 32);
        }
    }

    #[test]
    fn no_duration_is_longer_than_its_ceiling() {
        use crate::dist::LognormalBy;
        let by = LognormalBy { mean: Some(3.0), sigma: Some(0.7), ..LognormalBy::default() };
        let law = Distribution::lognormal(&by).expect("valid");
        let ceilings = Ceilings::new(&law);
        for high in (0..=u32::MAX).step_by(9_999_991).chain(u32::MAX - 99..=u32::MAX) {
            let longest = law.span(Word(u64::from(high) << 32 | u64::from(u32::MAX)));
            let ceiling = ceilings.of(high);
            assert!(longest.as_seconds_f64() <= ceiling, "{high}");
            assert!(high < 1 << 31 || ceiling < longest.as_seconds_f64() * 1.05, "{high}: {ceiling}");
        }
    }
}
