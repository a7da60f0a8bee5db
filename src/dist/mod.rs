//! Distributions of durations (in seconds) and of amounts of money: what scenario files can name.
//!
//! | family | P(X > x) | parameters | quantile function |
//! | --- | --- | --- | --- |
//! | constant | 1 below the value | value ≥ 0 | the value |
//! | uniform | (max − x)/(max − min) on [min, max] | 0 ≤ min < max | closed |
//! | exponential | e^{−x/mean} | mean | closed |
//! | lognormal | Φ((μ − ln x)/σ) | two of seven, see [`LognormalBy`]; 10⁻⁶ ≤ σ ≤ 20 | rational approximation |
//! | gamma | Q(k, x/θ), kθ = mean | mean; 0.01 ≤ k ≤ 10⁴, or cv = 1/√k | Halley's iteration |
//! | weibull | exp(−(x/scale)^shape) | 0.05 ≤ shape ≤ 1000; scale or mean | closed |
//! | pareto | (min/x)^alpha from min on | min; 0.1 ≤ alpha ≤ 1000 | closed |
//! | empirical | share of samples above x | samples ≥ 0, at least one | a sample, or between two |
//! | mixture | weighted sum | weights > 0, at most 64 components | search between nodes |
//!
//! Scales (mean, median, percentiles, scale, min of a Pareto, max, weights) lie between 10⁻¹⁵ and 10¹⁵. The ranges are
//! those in which everything below is computed to full precision, and far wider than any duration or amount that is
//! simulated. On them, measured against 40-digit arithmetic (`tests/dist`):
//!
//! - quantiles are right to a relative 10⁻¹³ at every word, the two outermost included;
//! - distribution and survival functions to a relative 10⁻¹³, however small; next to a truncation, where the survival
//!   function is a difference, to an absolute 10⁻¹⁴;
//! - 1 − E[e^{−sX}] and means to a relative 10⁻¹³: closed forms where there is one, else Gauss–Legendre panels over the
//!   logarithm (a few microseconds to a few tens of them).
//!
//! A [`Distribution`] is an enum all the way down: a draw costs no allocation and no call through a trait object. All
//! functions come from plain arithmetic and the crate `libm`, so that they give the same bits on every platform.

mod build;
mod continuous;
mod empirical;
mod gamma;
mod incomplete_gamma;
mod invalid;
mod lognormal;
mod mixture;
mod normal;
mod powers;
mod quadrature;
#[cfg(test)]
mod tests;

pub use gamma::GammaBy;
pub use invalid::Invalid;
pub use lognormal::LognormalBy;
pub use powers::WeibullBy;

use crate::draw::Word;
use crate::time::Span;
use continuous::Continuous;
use empirical::Samples;
use mixture::Mixture;

/// A distribution on [0, ∞): a family, then a shift, then a truncation.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution(Form);

/// Atoms take part in shift and truncation value by value, so that they stay exact; a mixture hands both on to its
/// components.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    Constant(f64),
    Samples(Samples),
    Mixture(Mixture),
    Continuous(Continuous),
}

/// A place in the unit interval, measured from both ends: each measure is exact near its own end.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    lower: f64,
    upper: f64,
}

impl From<Word> for Place {
    #[inline]
    fn from(word: Word) -> Self {
        Place { lower: word.lower(), upper: word.upper() }
    }
}

impl Place {
    /// The quantile of the exponential distribution of mean 1.
    #[inline]
    fn exponential(self) -> f64 {
        if self.lower < 0.5 { -libm::log1p(-self.lower) } else { -libm::log(self.upper) }
    }
}

impl Distribution {
    /// The value where the distribution is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<f64> {
        match self.0 {
            Form::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The inverse of the cumulative distribution function at `word`, with full precision in both tails. Rises with
    /// the word: between close words lognormal and gamma can fall back by a few roundings, nothing by more.
    #[must_use]
    #[inline]
    pub fn quantile(&self, word: Word) -> f64 {
        self.at(word.into())
    }

    #[inline]
    fn at(&self, place: Place) -> f64 {
        match &self.0 {
            Form::Constant(value) => *value,
            Form::Continuous(c) => c.quantile(place),
            Form::Samples(samples) => samples.quantile(place),
            Form::Mixture(m) => m.quantile(place),
        }
    }

    /// A draw as virtual time.
    #[must_use]
    #[inline]
    pub fn span(&self, word: Word) -> Span {
        Span::from_seconds_f64(self.quantile(word))
    }

    /// As [`Distribution::span`] at the word that `word` gives; a constant asks for none.
    #[must_use]
    #[inline]
    pub fn span_at(&self, word: impl FnOnce() -> Word) -> Span {
        match self.0 {
            Form::Constant(value) => Span::from_seconds_f64(value),
            _ => self.span(word()),
        }
    }

    /// Expectation, of the truncated distribution where it is truncated; infinite for a Pareto with alpha ≤ 1 that is
    /// not.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match &self.0 {
            Form::Constant(value) => *value,
            Form::Samples(samples) => samples.mean(),
            Form::Mixture(m) => m.sum(Distribution::mean),
            Form::Continuous(c) => c.mean(),
        }
    }

    /// P(X ≤ x).
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        match &self.0 {
            Form::Constant(value) => f64::from(u8::from(x >= *value)),
            Form::Samples(samples) => samples.cdf(x),
            Form::Mixture(m) => m.sum(|c| c.cdf(x)).min(1.0),
            Form::Continuous(c) => c.cdf(x),
        }
    }

    /// P(X > x), without cancellation in the tail (but for the last stretch below a truncation).
    #[must_use]
    pub fn survival(&self, x: f64) -> f64 {
        match &self.0 {
            Form::Constant(value) => f64::from(u8::from(x < *value)),
            Form::Samples(samples) => samples.survival(x),
            Form::Mixture(m) => m.sum(|c| c.survival(x)).min(1.0),
            Form::Continuous(c) => c.survival(x),
        }
    }

    /// 1 − E[e^{−sX}] for s ≥ 0, to a relative error of 1e-12 also where it is tiny; s in 1/seconds
    /// (or 1/money).
    #[must_use]
    pub fn laplace_deficit(&self, s: f64) -> f64 {
        self.deficit_up_to(s, f64::INFINITY).min(1.0)
    }

    /// E[e^{−sX}; X ≤ x] for s ≥ 0, to an absolute error of 1e-12.
    #[must_use]
    pub fn laplace_up_to(&self, s: f64, x: f64) -> f64 {
        (self.cdf(x) - self.deficit_up_to(s, x)).max(0.0)
    }

    /// E[1 − e^{−sX}; X ≤ x].
    fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        if s <= 0.0 {
            return 0.0;
        }
        match &self.0 {
            Form::Constant(value) => {
                if *value <= x {
                    -libm::expm1(-s * value)
                } else {
                    0.0
                }
            }
            Form::Samples(samples) => samples.deficit_up_to(s, x),
            Form::Mixture(m) => m.sum(|c| c.deficit_up_to(s, x)),
            Form::Continuous(c) => c.deficit_up_to(s, x),
        }
    }
}
