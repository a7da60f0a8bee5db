//! Distributions of durations (in seconds) and of amounts of money: what scenario files can name.
//!
//! | family | P(X > x) | parameters |
//! | --- | --- | --- |
//! | constant | 1 below the value | value ≥ 0 |
//! | uniform | (max − x)/(max − min) on [min, max] | 0 ≤ min < max |
//! | exponential | e^{−x/mean} | mean > 0 |
//! | lognormal | Φ((μ − ln x)/σ) | two of seven, see [`LognormalBy`]; 10⁻⁶ ≤ σ ≤ 20 |
//! | gamma | Q(k, x/θ), kθ = mean | mean > 0, 0.01 ≤ k ≤ 10⁴ |
//! | weibull | exp(−(x/scale)^shape) | scale or mean > 0, 0.05 ≤ shape ≤ 1000 |
//! | pareto | (min/x)^alpha from min on | min > 0, 0.01 ≤ alpha ≤ 1000 |
//! | empirical | share of samples above x | at least one sample ≥ 0 |
//! | mixture | weighted sum | weights > 0 |
//!
//! Scales (means, medians, minima …) lie between 10⁻¹⁵ and 10¹⁵. The ranges are those in which everything below is
//! computed to full precision, and far wider than any duration or amount that is simulated.
//!
//! All functions come from plain arithmetic and the crate `libm`, so that they give the same bits on every platform.

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
use empirical::{Interpolated, Samples};
use gamma::Gamma;
use lognormal::Lognormal;
use mixture::Mixture;
use powers::{Exponential, Pareto, Uniform, Weibull};
use quadrature::{Integrand, SATURATED, expectation};

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

/// A family without atoms (an interpolated one may have some inside), shifted and truncated.
#[derive(Debug, Clone, PartialEq)]
struct Continuous {
    family: Family,
    shift: f64,
    truncation: Option<Truncation>,
}

/// Conditioning on not exceeding a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Truncation {
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
enum Family {
    Uniform(Uniform),
    Exponential(Exponential),
    Lognormal(Lognormal),
    Gamma(Gamma),
    Weibull(Weibull),
    Pareto(Pareto),
    Interpolated(Interpolated),
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
    fn quantile(&self, place: Place) -> f64 {
        on_family!(self, f => f.quantile(place))
    }

    fn cdf(&self, x: f64) -> f64 {
        on_family!(self, f => f.cdf(x))
    }

    fn survival(&self, x: f64) -> f64 {
        on_family!(self, f => f.survival(x))
    }

    fn mean(&self) -> f64 {
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
    fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
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

impl Continuous {
    #[inline]
    fn quantile(&self, place: Place) -> f64 {
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

    fn mean(&self) -> f64 {
        match &self.truncation {
            None => self.family.mean() + self.shift,
            Some(t) => self.family.mean_up_to(t.at) / t.lower + self.shift,
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        let (share, at) = self.kept();
        self.family.cdf((x - self.shift).min(at)) / share
    }

    fn survival(&self, x: f64) -> f64 {
        match &self.truncation {
            None => self.family.survival(x - self.shift),
            Some(t) if x < t.limit => self.family.between(x - self.shift, t.at) / t.lower,
            Some(_) => 0.0,
        }
    }

    /// E[1 − e^{−sX}; X ≤ x].
    fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        let (share, at) = self.kept();
        let at = at.min(x - self.shift);
        if at <= 0.0 {
            return 0.0;
        }
        let by_shift = -libm::expm1(-s * self.shift);
        let mut deficit = (1.0 - by_shift) * self.family.deficit_up_to(s, at);
        if by_shift > 0.0 {
            deficit += by_shift * self.family.cdf(at);
        }
        deficit / share
    }

    fn truncated(mut self, limit: f64) -> Option<Self> {
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

    fn shifted(mut self, shift: f64) -> Self {
        self.shift += shift;
        if let Some(t) = &mut self.truncation {
            t.limit += shift;
        }
        self
    }
}

impl From<Family> for Distribution {
    fn from(family: Family) -> Self {
        Distribution(Form::Continuous(Continuous { family, shift: 0.0, truncation: None }))
    }
}

/// Constructors, one a family. Parameters are seconds or money.
impl Distribution {
    /// Always `value`, which is finite and not negative.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        debug_assert!(value.is_finite() && value >= 0.0);
        Distribution(Form::Constant(value))
    }

    /// Uniform on [min, max], 0 ≤ min < max.
    pub fn uniform(min: f64, max: f64) -> Result<Self, Invalid> {
        Uniform::new(min, max).map(|f| Family::Uniform(f).into())
    }

    /// Exponential.
    pub fn exponential(mean: f64) -> Result<Self, Invalid> {
        Exponential::new(mean).map(|f| Family::Exponential(f).into())
    }

    /// Lognormal from exactly two of the seven numbers. From the mean and a percentile, of two that fit the one with
    /// the smaller sigma; an error where none fits.
    pub fn lognormal(by: &LognormalBy) -> Result<Self, Invalid> {
        Lognormal::new(by).map(|f| Family::Lognormal(f).into())
    }

    /// Gamma.
    pub fn gamma(mean: f64, by: GammaBy) -> Result<Self, Invalid> {
        Gamma::new(mean, by).map(|f| Family::Gamma(f).into())
    }

    /// Weibull.
    pub fn weibull(shape: f64, by: WeibullBy) -> Result<Self, Invalid> {
        Weibull::new(shape, by).map(|f| Family::Weibull(f).into())
    }

    /// Pareto. Its mean is infinite for alpha ≤ 1.
    pub fn pareto(min: f64, alpha: f64) -> Result<Self, Invalid> {
        Pareto::new(min, alpha).map(|f| Family::Pareto(f).into())
    }

    /// The given samples, drawn with replacement; `smooth` interpolates their quantile function instead, linearly
    /// between neighbouring order statistics.
    pub fn empirical(samples: Vec<f64>, smooth: bool) -> Result<Self, Invalid> {
        let samples = Samples::new(samples)?;
        Ok(match (samples.only(), smooth) {
            (Some(value), _) => Distribution(Form::Constant(value)),
            (None, false) => Distribution(Form::Samples(samples)),
            (None, true) => Family::Interpolated(Interpolated::new(samples)).into(),
        })
    }

    /// A component chosen by weight. Weights are positive and need not sum to 1; components may be mixtures.
    pub fn mixture(components: Vec<(f64, Distribution)>) -> Result<Self, Invalid> {
        if components.is_empty() {
            return Err(Invalid::new(&["mixture"], "`mixture` must not be empty"));
        }
        for (i, (weight, _)) in components.iter().enumerate() {
            invalid::scale("weight", *weight)
                .map_err(|e| Invalid { message: format!("component {}: {}", i + 1, e.message), ..e })?;
        }
        Ok(Distribution::mixed(components))
    }

    /// The mixture of at least one component with positive weights.
    fn mixed(components: Vec<(f64, Distribution)>) -> Self {
        let total: f64 = components.iter().map(|(weight, _)| weight).sum();
        let mut flat = Vec::with_capacity(components.len());
        for (weight, component) in components {
            let weight = weight / total;
            match component.0 {
                Form::Mixture(inner) => flat.extend(inner.0.into_iter().map(|(w, c)| (weight * w, c))),
                form => flat.push((weight, Distribution(form))),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0).1,
            _ => Distribution(Form::Mixture(Mixture(flat.into_boxed_slice()))),
        }
    }

    /// With a constant added, 0 ≤ `shift`.
    pub fn shifted(self, shift: f64) -> Result<Self, Invalid> {
        invalid::amount("shift", shift)?;
        Ok(self.moved(shift))
    }

    fn moved(self, shift: f64) -> Self {
        Distribution(match self.0 {
            Form::Constant(value) => Form::Constant(value + shift),
            Form::Samples(samples) => Form::Samples(samples.shifted(shift)),
            Form::Mixture(m) => {
                Form::Mixture(Mixture(m.0.into_iter().map(|(weight, c)| (weight, c.moved(shift))).collect()))
            }
            Form::Continuous(c) => Form::Continuous(c.shifted(shift)),
        })
    }

    /// Conditioned on not exceeding `limit`, which must leave something: P(X ≤ limit) > 0.
    pub fn truncated(self, limit: f64) -> Result<Self, Invalid> {
        invalid::amount("truncate", limit)?;
        self.cut_at(limit)
            .ok_or_else(|| Invalid::new(&["truncate"], "`truncate` leaves nothing: every value is above it"))
    }

    /// [`Distribution::truncated`], or none where nothing is left.
    fn cut_at(self, limit: f64) -> Option<Self> {
        // An atom at 0.1 + 0.2 does not exceed 0.3 in any sense that a person means.
        let keep = |value: f64| value <= limit * (1.0 + 2.0 * f64::EPSILON);
        match self.0 {
            Form::Constant(value) => keep(value).then_some(Distribution(Form::Constant(value))),
            Form::Samples(samples) => samples.filtered(keep).map(|kept| match kept.only() {
                Some(value) => Distribution(Form::Constant(value)),
                None => Distribution(Form::Samples(kept)),
            }),
            Form::Mixture(m) => {
                let left = m.0.into_iter().filter_map(|(weight, component)| {
                    let weight = weight * component.cdf(limit);
                    component.cut_at(limit).map(|component| (weight, component))
                });
                let left: Vec<_> = left.filter(|(weight, _)| *weight > 0.0).collect();
                (!left.is_empty()).then(|| Distribution::mixed(left))
            }
            Form::Continuous(c) => c.truncated(limit).map(|c| Distribution(Form::Continuous(c))),
        }
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

    /// The inverse of the cumulative distribution function at `word`: monotone, full precision in both tails.
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

    /// Expectation; infinite for a Pareto with alpha ≤ 1.
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
            Form::Mixture(m) => m.sum(|c| c.cdf(x)),
            Form::Continuous(c) => c.cdf(x),
        }
    }

    /// P(X > x), without cancellation in the tail.
    #[must_use]
    pub fn survival(&self, x: f64) -> f64 {
        match &self.0 {
            Form::Constant(value) => f64::from(u8::from(x < *value)),
            Form::Samples(samples) => samples.survival(x),
            Form::Mixture(m) => m.sum(|c| c.survival(x)),
            Form::Continuous(c) => c.survival(x),
        }
    }

    /// 1 − E[e^{−sX}] for s ≥ 0, to a relative error of 1e-12 also where it is tiny.
    #[must_use]
    pub fn laplace_deficit(&self, s: f64) -> f64 {
        self.deficit_up_to(s, f64::INFINITY)
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
