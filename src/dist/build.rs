//! Distributions from their parameters.

use super::continuous::Family;
use super::empirical::{Interpolated, Samples};
use super::gamma::{Gamma, GammaBy};
use super::invalid::{self, Invalid, SCALE_MAX, SCALE_MIN};
use super::lognormal::{Lognormal, LognormalBy};
use super::mixture::Mixture;
use super::powers::{Exponential, Pareto, Uniform, Weibull, WeibullBy};
use super::{Distribution, Form};

/// Every draw from a mixture asks all its components.
const COMPONENTS_MAX: usize = 64;

impl From<Family> for Distribution {
    fn from(family: Family) -> Self {
        Distribution(Form::Continuous(family.into()))
    }
}

/// Constructors, one a family. Parameters are seconds or money.
impl Distribution {
    /// Always `value`.
    ///
    /// # Panics
    /// Unless the value is finite and not negative.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        assert!(value.is_finite() && value >= 0.0, "a constant must be finite and not negative: {value}");
        Distribution(Form::Constant(value + 0.0)) // no negative zero
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
            if !(SCALE_MIN..=SCALE_MAX).contains(weight) {
                let message =
                    format!("`weight` of component {} must be between {SCALE_MIN:e} and {SCALE_MAX:e}", i + 1);
                return Err(Invalid::new(&["weight"], message));
            }
        }
        let count: usize = components.iter().map(|(_, component)| component.parts()).sum();
        if count > COMPONENTS_MAX {
            let message = format!("`mixture` has {count} components, nested ones included; at most {COMPONENTS_MAX}");
            return Err(Invalid::new(&["mixture"], message));
        }
        Ok(Distribution::mixed(components))
    }

    /// How many components it has as a part of a mixture.
    fn parts(&self) -> usize {
        match &self.0 {
            Form::Mixture(mixture) => mixture.len(),
            _ => 1,
        }
    }

    /// The mixture of at least one component with positive weights.
    fn mixed(components: Vec<(f64, Distribution)>) -> Self {
        let total: f64 = components.iter().map(|(weight, _)| weight).sum();
        let mut flat = Vec::with_capacity(components.len());
        for (weight, component) in components {
            let weight = weight / total;
            match component.0 {
                Form::Mixture(inner) => flat.extend(inner.into_components().into_iter().map(|(w, c)| (weight * w, c))),
                form => flat.push((weight, Distribution(form))),
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0).1,
            _ => Distribution(Form::Mixture(Mixture::new(flat))),
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
                let moved = m.into_components().into_iter().map(|(weight, c)| (weight, c.moved(shift)));
                Form::Mixture(Mixture::new(moved.collect()))
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
                let left = m.into_components().into_iter().filter_map(|(weight, component)| {
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
