//! An axis: a stretch of numbers, linear or logarithmic, with marks at round ones.

use crate::report::number;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis from `low` to `high`, both in the scale's own terms: logarithms to base 10 where it is logarithmic.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// In the scale's own terms, with their labels.
    pub(super) marks: Vec<(f64, String)>,
}

impl Axis {
    /// From `low` to `high`, with about `marks` marks at multiples of 1, 2 or 5 times a power of ten.
    pub(super) fn linear(low: f64, high: f64, marks: usize, label: fn(f64) -> String) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        let step = nice_step((high - low) / marks.max(1) as f64);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let marks = (first..=last).map(|k| k as f64 * step).map(|at| (at, label(at))).collect();
        Axis { low, high, log: false, marks }
    }

    /// From `low` to `high`, both positive, with at most about `marks` marks at powers of ten, or between them where
    /// there are fewer than two.
    pub(super) fn log(low: f64, high: f64, marks: usize, label: fn(f64) -> String) -> Self {
        let (low, high) = (low.max(f64::MIN_POSITIVE), high.max(low * 1.5));
        let (from, to) = (libm::log10(low), libm::log10(high));
        let between = |within: &[i64]| -> Vec<f64> {
            let decades = (from.floor() as i64)..=(to.ceil() as i64);
            let values = decades.flat_map(|decade| within.iter().map(move |&digit| (decade, digit)));
            // Read from decimal digits, so that a label shows the round number it is.
            let values = values.filter_map(|(decade, digit)| format!("{digit}e{decade}").parse::<f64>().ok());
            values.filter(|value| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9)).collect()
        };
        let mut values = between(&[1]);
        if values.len() < 3 {
            values = between(&[1, 2, 5]);
        }
        let every = values.len().div_ceil(marks.max(1)).max(1);
        let marks = values.into_iter().step_by(every).map(|value| (libm::log10(value), label(value))).collect();
        Axis { low: from, high: to, log: true, marks }
    }

    /// A value in the scale's own terms; what a logarithm cannot show lies at the lower end.
    pub(super) fn scale(&self, value: f64) -> f64 {
        if !self.log {
            value
        } else if value > 0.0 {
            libm::log10(value)
        } else {
            self.low
        }
    }

    /// Where a value lies, 0 at the lower end and 1 at the upper; what lies beyond stays at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.share(self.scale(value)).clamp(0.0, 1.0)
    }

    /// As [`Axis::place`], of a value in the scale's own terms.
    pub(super) fn share(&self, scaled: f64) -> f64 {
        (scaled - self.low) / (self.high - self.low)
    }
}

fn nice_step(rough: f64) -> f64 {
    let decade = libm::floor(libm::log10(rough));
    let unit: f64 = format!("1e{decade}").parse().unwrap_or(1.0);
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * unit);
    steps.into_iter().find(|step| *step >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * unit)
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, scaled: &f64, limit: (i32, i32)) -> i32 {
        let place = self.share(*scaled).clamp(0.0, 1.0);
        limit.0 + (place * f64::from(limit.1 - limit.0) + 0.5).floor() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.iter().map(|(at, _)| *at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, scaled: &f64) -> String {
        self.marks.iter().find(|(at, _)| at == scaled).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// A number on an axis, as short as it can be: `0.001`, `20`, `3,000`, `1e-6`.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        m if !(1e-3..1e15).contains(&m) => format!("{value:e}"),
        m if m >= 1000.0 => number::figure(value),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// A count on an axis.
pub(super) fn whole(value: f64) -> String {
    number::count((value + 0.5) as u64)
}

/// A probability on an axis.
pub(super) fn share(value: f64) -> String {
    format!("{} %", short(value * 100.0))
}

/// A time in seconds on an axis.
pub(super) fn seconds(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        s if s < 1e-3 => format!("{} µs", short(s * 1e6)),
        s if s < 1.0 => format!("{} ms", short(s * 1e3)),
        s => format!("{} s", short(s)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.marks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn marks_stand_at_round_numbers() {
        assert_eq!(labels(&Axis::linear(0.0, 9.6, 5, short)), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(&Axis::linear(0.0, 0.0, 5, short)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&Axis::log(4096.0, 2e6, 6, short)), ["10,000", "100,000", "1,000,000"]);
        assert_eq!(labels(&Axis::log(1.2, 6.0, 6, short)), ["2", "5"]);
        assert_eq!(labels(&Axis::log(1e-9, 1.0, 5, short)), ["1e-9", "1e-7", "1e-5", "0.001", "0.1"]);
        assert_eq!(labels(&Axis::log(0.02, 40.0, 9, seconds)), ["100 ms", "1 s", "10 s"]);
    }

    #[test]
    fn what_lies_beyond_an_axis_stays_at_its_end() {
        let axis = Axis::log(1.0, 100.0, 5, short);
        assert_eq!([0.0, 0.1, 10.0, 1e9].map(|value| axis.place(value)), [0.0, 0.0, 0.5, 1.0]);
    }
}
