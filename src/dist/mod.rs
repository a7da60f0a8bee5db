//! Distributions of durations (in seconds) and of amounts of money: what scenario files can name.
//!
//! INTERFACE STUB, to be replaced by the real module; signatures are what others build on.

use crate::draw::Word;
use crate::time::Span;

/// A distribution on [0, ∞): a family, then a shift, then a truncation.
#[derive(Debug, Clone)]
pub struct Distribution {
    value: f64,
}

impl Distribution {
    /// Always `value`, which is finite and not negative.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Distribution { value }
    }

    /// The value where the distribution is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<f64> {
        Some(self.value)
    }

    /// The inverse of the cumulative distribution function at `word`: monotone, full precision in both tails.
    #[must_use]
    pub fn quantile(&self, _word: Word) -> f64 {
        self.value
    }

    /// A draw as virtual time.
    #[must_use]
    pub fn span(&self, word: Word) -> Span {
        Span::from_seconds_f64(self.quantile(word))
    }

    /// Expectation; infinite for a Pareto with alpha ≤ 1.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.value
    }

    /// P(X ≤ x).
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        f64::from(u8::from(x >= self.value))
    }

    /// P(X > x), without cancellation in the tail.
    #[must_use]
    pub fn survival(&self, x: f64) -> f64 {
        1.0 - self.cdf(x)
    }

    /// 1 − E[e^{−sX}] for s ≥ 0, to a relative error of 1e-12 also where it is tiny.
    #[must_use]
    pub fn laplace_deficit(&self, s: f64) -> f64 {
        -libm::expm1(-s * self.value)
    }

    /// E[e^{−sX}; X ≤ x] for s ≥ 0.
    #[must_use]
    pub fn laplace_up_to(&self, s: f64, x: f64) -> f64 {
        if self.value <= x { libm::exp(-s * self.value) } else { 0.0 }
    }
}
