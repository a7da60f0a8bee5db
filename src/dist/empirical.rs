//! Empirical distributions: observed samples drawn with replacement, or their interpolated quantile function.
//!
//! Of n samples in order, place p draws number ⌊np⌋ (from 0); interpolated, the point (n − 1)p on the line through them,
//! which is the quantile function that R calls type 7. Sums over samples are exact expectations, and as slow as the
//! samples are many.

use super::Place;
use super::invalid::{Invalid, SCALE_MAX};
use super::powers::Uniform;

/// Samples in ascending order; never empty.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Samples(Box<[f64]>);

impl Samples {
    pub(super) fn new(samples: Vec<f64>) -> Result<Self, Invalid> {
        if samples.is_empty() {
            return Err(Invalid::new(&["samples"], "`samples` must not be empty"));
        }
        for (i, &sample) in samples.iter().enumerate() {
            if !(0.0..=SCALE_MAX).contains(&sample) {
                return Err(Invalid::new(
                    &["samples"],
                    format!("sample {} must be between 0 and {SCALE_MAX:e}", i + 1),
                ));
            }
        }
        let mut samples: Box<[f64]> = samples.into_iter().map(|x| x + 0.0).collect(); // no negative zero
        samples.sort_by(f64::total_cmp);
        Ok(Samples(samples))
    }

    /// The one value, where there is only one.
    pub(super) fn only(&self) -> Option<f64> {
        (self.0[0] == self.0[self.0.len() - 1]).then_some(self.0[0])
    }

    pub(super) fn shifted(&self, shift: f64) -> Self {
        Samples(self.0.iter().map(|x| x + shift).collect())
    }

    /// Those that `keep` accepts; none where it accepts none.
    pub(super) fn filtered(&self, keep: impl Fn(f64) -> bool) -> Option<Self> {
        let kept: Box<[f64]> = self.0.iter().copied().filter(|&x| keep(x)).collect();
        (!kept.is_empty()).then_some(Samples(kept))
    }

    fn at_most(&self, x: f64) -> usize {
        self.0.partition_point(|&sample| sample <= x)
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.0.len() as f64
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        let index = (place.lower * self.0.len() as f64) as usize;
        self.0[index.min(self.0.len() - 1)]
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        self.share(self.at_most(x))
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        self.share(self.0.len() - self.at_most(x))
    }

    pub(super) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// E[1 − e^{−sX}; X ≤ x].
    pub(super) fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        let sum: f64 = self.0[..self.at_most(x)].iter().map(|x| -libm::expm1(-s * x)).sum();
        sum / self.0.len() as f64
    }
}

/// The quantile function that runs straight from each order statistic to the next, at equal distances on [0, 1]: with
/// equal probability, uniform between two neighbours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Interpolated(Samples);

impl Interpolated {
    /// `samples` with at least two different values.
    pub(super) fn new(samples: Samples) -> Self {
        debug_assert!(samples.only().is_none());
        Interpolated(samples)
    }

    fn knots(&self) -> &[f64] {
        &self.0.0
    }

    fn segments(&self) -> f64 {
        (self.knots().len() - 1) as f64
    }

    fn uniforms(&self) -> impl Iterator<Item = Uniform> {
        self.knots().windows(2).map(|pair| Uniform { min: pair[0], max: pair[1] })
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        let knots = self.knots();
        let position = place.lower * self.segments();
        let segment = (position as usize).min(knots.len() - 2);
        let (low, high) = (knots[segment], knots[segment + 1]);
        (low + (high - low) * (position - segment as f64)).min(high)
    }

    /// The place of x on the quantile function, in segments from its start.
    fn position(&self, x: f64) -> f64 {
        let knots = self.knots();
        match self.0.at_most(x) {
            0 => 0.0,
            n if n == knots.len() => self.segments(),
            n => (n - 1) as f64 + (x - knots[n - 1]) / (knots[n] - knots[n - 1]),
        }
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        self.position(x) / self.segments()
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        (self.segments() - self.position(x)) / self.segments()
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean_up_to(f64::INFINITY)
    }

    /// E[1 − e^{−sX}; X ≤ x].
    pub(super) fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        self.sum_up_to(x, |uniform| uniform.deficit_up_to(s, x), |atom| -libm::expm1(-s * atom))
    }

    /// E[X; X ≤ x].
    pub(super) fn mean_up_to(&self, x: f64) -> f64 {
        self.sum_up_to(x, |uniform| uniform.mean_up_to(x), |atom| atom)
    }

    fn sum_up_to(&self, x: f64, uniform: impl Fn(Uniform) -> f64, atom: impl Fn(f64) -> f64) -> f64 {
        let segments = self.uniforms().take_while(|segment| segment.min <= x);
        let sum: f64 = segments.map(|u| if u.min < u.max { uniform(u) } else { atom(u.min) }).sum();
        sum / self.segments()
    }
}
