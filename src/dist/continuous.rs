//! Families without atoms, shifted and truncated.
//!
//! Truncation at t keeps the family and maps places: p of the truncated distribution is p·F(t) of the family, with F(t)
//! computed once, and seen from the other end 1 − F(t) + (1 − p)·F(t), so that neither tail loses precision.

use super::Place;
use super::empirical::Interpolated;
use super::gamma::Gamma;
use super::lognormal::Lognormal;
use super::powers::{Exponential, Pareto, Uniform, Weibull};
use super::quadrature::{Integrand, SATURATED, expectation};

/// A family without atoms (an interpolated one may have some inside), shifted and truncated.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Continuous {
    family: Family,
    shift: f64,
    truncation: Option<Truncation>,
}

/// Conditioning on not exceeding a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Truncation {
    /// In terms of the result.
    limit: f64,
    /// In terms of the family, before the shift.
    at: f64,
    /// The family's probability up to there.
    lower: f64,
    /// The family's probability beyond.
    upper: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Family {
    Uniform(Uniform),
    Exponential(Exponential),
    Lognormal(Lognormal),
    Gamma(Gamma),
    Weibull(Weibull),
    Pareto(Pareto),
    Interpolated(Interpolated),
}

/// Runs one expression on whichever family it is, without a trait object.
macro_rules! on_family {
    ($family:expr, $f:ident => $expression:expr) => {
        match $family {
            Family::Uniform($f) => $expression,
            Family::Exponential($f) => $expression,
            Family::Lognormal($f) => $expression,
            Family::Gamma($f) => $expression,
            Family::Weibull($f) => $expression,
            Family::Pareto($f) => $expression,
            Family::Interpolated($f) => $expression,
        }
    };
}

impl Family {
    #[inline]
    pub(super) fn quantile(&self, place: Place) -> f64 {
        on_family!(self, f => f.quantile(place))
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        on_family!(self, f => f.cdf(x))
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        on_family!(self, f => f.survival(x))
    }

    pub(super) fn mean(&self) -> f64 {
        on_family!(self, f => f.mean())
    }

    /// E[X; X ≤ x].
    fn mean_up_to(&self, x: f64) -> f64 {
        match self {
            Family::Uniform(f) => f.mean_up_to(x),
            Family::Interpolated(f) => f.mean_up_to(x),
            _ => self.integral(Integrand::Value, x),
        }
    }

    /// E[1 − e^{−sX}; X ≤ x], where x may be infinite.
    pub(super) fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        match self {
            Family::Uniform(f) => f.deficit_up_to(s, x),
            Family::Interpolated(f) => f.deficit_up_to(s, x),
            Family::Exponential(f) if x == f64::INFINITY => f.deficit(s),
            Family::Gamma(f) if x == f64::INFINITY => f.deficit(s),
            _ => {
                let saturated = SATURATED / s;
                let beyond = if x > saturated { self.between(saturated, x) } else { 0.0 };
                self.integral(Integrand::Deficit(s), x.min(saturated)) + beyond
            }
        }
    }

    /// E[integrand(X); X ≤ x] of a family that is log-concave in ln X.
    fn integral(&self, integrand: Integrand, x: f64) -> f64 {
        match self {
            Family::Exponential(f) => expectation(f, integrand, x),
            Family::Lognormal(f) => expectation(f, integrand, x),
            Family::Gamma(f) => expectation(f, integrand, x),
            Family::Weibull(f) => expectation(f, integrand, x),
            Family::Pareto(f) => expectation(f, integrand, x),
            Family::Uniform(_) | Family::Interpolated(_) => unreachable!("these have closed forms"),
        }
    }

    /// P(a < X ≤ b), from the tail in which it loses less to cancellation.
    fn between(&self, a: f64, b: f64) -> f64 {
        let (below, above) = (self.cdf(b), self.survival(a));
        if below < above { below - self.cdf(a) } else { above - self.survival(b) }
    }
}

impl From<Family> for Continuous {
    fn from(family: Family) -> Self {
        Continuous { family, shift: 0.0, truncation: None }
    }
}

impl Continuous {
    #[inline]
    pub(super) fn quantile(&self, place: Place) -> f64 {
        match &self.truncation {
            None => self.family.quantile(place) + self.shift,
            Some(t) => {
                // 1 − place.lower·P(up to there), as a sum of two positive terms.
                let inner = Place { lower: place.lower * t.lower, upper: t.upper + place.upper * t.lower };
                (self.family.quantile(inner) + self.shift).min(t.limit)
            }
        }
    }

    /// The share of the family that is left, and the largest value of the family that is.
    fn kept(&self) -> (f64, f64) {
        self.truncation.as_ref().map_or((1.0, f64::INFINITY), |t| (t.lower, t.at))
    }

    pub(super) fn mean(&self) -> f64 {
        match &self.truncation {
            None => self.family.mean() + self.shift,
            Some(t) => self.family.mean_up_to(t.at) / t.lower + self.shift,
        }
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        let (share, at) = self.kept();
        self.family.cdf((x - self.shift).min(at)) / share
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        match &self.truncation {
            None => self.family.survival(x - self.shift),
            Some(t) if x < t.limit => self.family.between(x - self.shift, t.at) / t.lower,
            Some(_) => 0.0,
        }
    }

    /// E[1 − e^{−sX}; X ≤ x].
    pub(super) fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        let (share, at) = self.kept();
        let at = at.min(x - self.shift);
        if at <= 0.0 {
            return 0.0;
        }
        let deficit = self.family.deficit_up_to(s, at);
        if self.shift == 0.0 {
            return deficit / share;
        }
        // 1 − e^{−s(c+X)} = (1 − e^{−sc}) + e^{−sc}(1 − e^{−sX}), a sum of two positive terms.
        let by_shift = -libm::expm1(-s * self.shift);
        (by_shift * self.family.cdf(at) + (1.0 - by_shift) * deficit) / share
    }

    pub(super) fn truncated(mut self, limit: f64) -> Option<Self> {
        let at = limit - self.shift;
        if self.truncation.is_some_and(|t| t.at <= at) {
            return Some(self);
        }
        let (lower, upper) = (self.family.cdf(at), self.family.survival(at));
        if upper > 0.0 {
            self.truncation = Some(Truncation { limit, at, lower, upper });
        }
        (lower > 0.0).then_some(self)
    }

    pub(super) fn shifted(mut self, shift: f64) -> Self {
        self.shift += shift;
        if let Some(t) = &mut self.truncation {
            t.limit += shift;
        }
        self
    }
}
