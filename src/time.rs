//! Virtual time: whole nanoseconds, so that no sum of durations depends on the order of its terms.
//!
//! [`Instant`] is a point on the run's calendar, [`Span`] a length of time. Bare floats never stand for time
//! outside the distributions, which hand out spans.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A month of the calendar: 730.5 hours, the mean month of the Julian year.
pub const MONTH: Span = Span::from_seconds(2_629_800);

/// A length of virtual time in whole nanoseconds (0 up to about 584 years).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

/// A point of virtual time: nanoseconds since the start of the run's calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest span that can be told.
    pub const MAX: Span = Span(u64::MAX);

    /// `nanos` nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Span(nanos)
    }

    /// `millis` milliseconds; saturates.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Span(millis.saturating_mul(1_000_000))
    }

    /// `seconds` whole seconds; saturates.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Span(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// `seconds` rounded to the nearest nanosecond. Negative values and NaN give zero, values past the range
    /// [`Span::MAX`]: a sampler's tail may run off the calendar, it must not wrap.
    #[must_use]
    pub fn from_seconds_f64(seconds: f64) -> Self {
        // `as` saturates and sends NaN to zero; adding a half first rounds to nearest.
        Span((seconds * NANOS_PER_SECOND as f64 + 0.5) as u64)
    }

    /// The length in whole nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The length in seconds, for formulas and for people.
    #[must_use]
    pub fn as_seconds_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// `self` repeated `times` over; saturates.
    #[must_use]
    pub const fn saturating_mul(self, times: u64) -> Self {
        Span(self.0.saturating_mul(times))
    }
}

impl Instant {
    /// The start of the calendar.
    pub const ZERO: Instant = Instant(0);
    /// The end of time: what is scheduled here never happens.
    pub const MAX: Instant = Instant(u64::MAX);

    /// The instant `nanos` nanoseconds after the calendar's start.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Instant(nanos)
    }

    /// Nanoseconds since the calendar's start.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time from `earlier` to `self`; zero where `earlier` is the later one.
    #[must_use]
    pub const fn since(self, earlier: Instant) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Span> for Instant {
    type Output = Instant;
    fn add(self, span: Span) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

impl fmt::Display for Span {
    /// The shortest exact form in one unit: `820ms`, `1.5s`, `90s`, `250ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0;
        let (unit, size) = match nanos {
            0 => return f.write_str("0s"),
            n if n >= NANOS_PER_SECOND => ("s", NANOS_PER_SECOND),
            n if n >= 1_000_000 => ("ms", 1_000_000),
            n if n >= 1_000 => ("us", 1_000),
            _ => ("ns", 1),
        };
        let whole = nanos / size;
        let part = nanos % size;
        if part == 0 {
            return write!(f, "{whole}{unit}");
        }
        let digits = size.ilog10() as usize;
        let part = format!("{part:0digits$}");
        write!(f, "{whole}.{}{unit}", part.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_from_seconds_rounds_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_seconds_f64(1.5e-9).as_nanos(), 2);
        assert_eq!(Span::from_seconds_f64(0.82).as_nanos(), 820_000_000);
        assert_eq!(Span::from_seconds_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_seconds_f64(f64::NAN), Span::ZERO);
        assert_eq!(Span::from_seconds_f64(f64::INFINITY), Span::MAX);
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Instant::MAX + Span::from_nanos(1), Instant::MAX);
        assert_eq!(Instant::ZERO.since(Instant::MAX), Span::ZERO);
        assert_eq!(Span::MAX + Span::MAX, Span::MAX);
    }

    #[test]
    fn a_span_prints_exactly_in_one_unit() {
        for (nanos, text) in [
            (0, "0s"),
            (250, "250ns"),
            (1_500, "1.5us"),
            (820_000_000, "820ms"),
            (1_500_000_000, "1.5s"),
            (90_000_000_000, "90s"),
            (1_000_000_001, "1.000000001s"),
        ] {
            assert_eq!(Span::from_nanos(nanos).to_string(), text);
        }
    }
}
