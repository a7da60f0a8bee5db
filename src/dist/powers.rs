//! Families with quantile functions in closed form: the uniform, and what is a multiple (exponential), a power (Weibull)
//! or an exponential (Pareto) of one exponential variable E of mean 1.
//!
//! E itself comes from whichever tail is nearer, −ln(1 − p) by `log1p` or −ln q, so that all three keep their relative
//! precision from the smallest to the largest draw. Distribution functions are `expm1` of the logarithm of the survival
//! function, for the same reason.

use super::Place;
use super::invalid::{Invalid, amount, scale, within};
use super::quadrature::{LogConcave, log_ratio};

/// Uniform on [min, max].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Uniform {
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Uniform {
    pub(super) fn new(min: f64, max: f64) -> Result<Self, Invalid> {
        amount("min", min)?;
        scale("max", max)?;
        if min >= max {
            return Err(Invalid::new(&["min", "max"], "`min` must be below `max`"));
        }
        Ok(Uniform { min, max })
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        (self.min + (self.max - self.min) * place.lower).min(self.max)
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        ((x - self.min) / (self.max - self.min)).clamp(0.0, 1.0)
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        ((self.max - x) / (self.max - self.min)).clamp(0.0, 1.0)
    }

    pub(super) fn mean(&self) -> f64 {
        0.5 * (self.min + self.max)
    }

    /// E[1 − e^{−sX}; X ≤ x].
    pub(super) fn deficit_up_to(&self, s: f64, x: f64) -> f64 {
        let length = x.min(self.max) - self.min;
        if length <= 0.0 {
            return 0.0;
        }
        let at_min = -libm::expm1(-s * self.min);
        length / (self.max - self.min) * (at_min + (1.0 - at_min) * uniform_deficit(s * length))
    }

    /// E[X; X ≤ x].
    pub(super) fn mean_up_to(&self, x: f64) -> f64 {
        let top = x.min(self.max);
        if top <= self.min { 0.0 } else { self.cdf(top) * 0.5 * (self.min + top) }
    }
}

/// 1 − E[e^{−zU}] = 1 − (1 − e^{−z})/z for U uniform on [0, 1], without cancellation for small z.
fn uniform_deficit(z: f64) -> f64 {
    if z > 1.0 {
        return (z + libm::expm1(-z)) / z;
    }
    // z/2! − z²/3! + z³/4! − …, innermost term first
    (1..20).rev().fold(0.0, |sum, n| (1.0 - sum) * z / f64::from(n + 1))
}

/// Exponential: P(X > x) = e^{−x/mean}.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exponential {
    mean: f64,
}

impl Exponential {
    pub(super) fn new(mean: f64) -> Result<Self, Invalid> {
        scale("mean", mean).map(|()| Exponential { mean })
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        self.mean * place.exponential()
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        -libm::expm1(-x.max(0.0) / self.mean)
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        libm::exp(-x.max(0.0) / self.mean)
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// s·m / (1 + s·m), with the limit 1.
    pub(super) fn deficit(&self, s: f64) -> f64 {
        1.0 / (1.0 + 1.0 / (s * self.mean))
    }
}

impl LogConcave for Exponential {
    fn scale(&self) -> f64 {
        self.mean
    }

    fn density(&self, v: f64) -> f64 {
        libm::exp(v - libm::exp(v))
    }

    fn slope(&self, v: f64) -> f64 {
        -libm::expm1(v)
    }
}

/// What besides the shape gives a Weibull distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WeibullBy {
    /// The scale: the 63.2nd percentile.
    Scale(f64),
    /// Expectation.
    Mean(f64),
}

/// Weibull: P(X > x) = exp(−(x/scale)^shape), mean scale·Γ(1 + 1/shape); the quantile is scale·E^{1/shape}.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weibull {
    shape: f64,
    scale: f64,
}

impl Weibull {
    pub(super) fn new(shape: f64, by: WeibullBy) -> Result<Self, Invalid> {
        within("shape", shape, 0.05, 1000.0)?;
        let scale = match by {
            WeibullBy::Scale(value) => scale("scale", value).map(|()| value)?,
            WeibullBy::Mean(value) => scale("mean", value).map(|()| value / mean_over_scale(shape))?,
        };
        Ok(Weibull { shape, scale })
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        self.scale * libm::pow(place.exponential(), 1.0 / self.shape)
    }

    fn exponent(&self, x: f64) -> f64 {
        libm::pow(x.max(0.0) / self.scale, self.shape)
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        -libm::expm1(-self.exponent(x))
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        libm::exp(-self.exponent(x))
    }

    pub(super) fn mean(&self) -> f64 {
        self.scale * mean_over_scale(self.shape)
    }
}

/// Γ(1 + 1/shape).
fn mean_over_scale(shape: f64) -> f64 {
    libm::tgamma(1.0 + 1.0 / shape)
}

impl LogConcave for Weibull {
    fn scale(&self) -> f64 {
        self.scale
    }

    fn width(&self) -> f64 {
        1.0 / self.shape
    }

    fn density(&self, v: f64) -> f64 {
        let log_exponent = self.shape * v;
        self.shape * libm::exp(log_exponent - libm::exp(log_exponent))
    }

    fn slope(&self, v: f64) -> f64 {
        -self.shape * libm::expm1(self.shape * v)
    }
}

/// Pareto: P(X > x) = (min/x)^alpha for x ≥ min; the quantile is min·e^{E/alpha}. Its mean is infinite for alpha ≤ 1,
/// its Laplace transform never.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pareto {
    min: f64,
    alpha: f64,
}

impl Pareto {
    pub(super) fn new(min: f64, alpha: f64) -> Result<Self, Invalid> {
        scale("min", min)?;
        within("alpha", alpha, 0.1, 1000.0)?;
        Ok(Pareto { min, alpha })
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        self.min * libm::exp(place.exponential() / self.alpha)
    }

    /// ln P(X > x).
    fn log_survival(&self, x: f64) -> f64 {
        if x > self.min { -self.alpha * log_ratio(x, self.min) } else { 0.0 }
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        -libm::expm1(self.log_survival(x))
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        libm::exp(self.log_survival(x))
    }

    pub(super) fn mean(&self) -> f64 {
        if self.alpha > 1.0 { self.min * self.alpha / (self.alpha - 1.0) } else { f64::INFINITY }
    }
}

impl LogConcave for Pareto {
    fn scale(&self) -> f64 {
        self.min
    }

    fn lowest(&self) -> f64 {
        0.0
    }

    fn density(&self, v: f64) -> f64 {
        self.alpha * libm::exp(-self.alpha * v)
    }

    fn slope(&self, _v: f64) -> f64 {
        -self.alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::quadrature::{Integrand, expectation};

    #[test]
    fn the_quadrature_gives_the_truncated_mean_of_a_pareto_in_closed_form() {
        for alpha in [0.1, 0.5, 1.5, 7.0, 300.0] {
            let pareto = Pareto::new(2.0, alpha).expect("valid");
            for x in [2.0 + 1e-9, 2.5, 1e3, 1e12] {
                // ∫ from min to x of α min^α t^{−α} dt
                let log_ratio = log_ratio(x, 2.0);
                let closed = 2.0 * alpha / (1.0 - alpha) * libm::expm1((1.0 - alpha) * log_ratio);
                let got = expectation(&pareto, Integrand::Value, x);
                assert!((got / closed - 1.0).abs() < 1e-13, "{got:e} for {closed:e} at alpha {alpha}, x = {x}");
            }
        }
    }

    #[test]
    fn the_uniform_deficit_has_no_step_between_its_formulas() {
        let (series, closed) = (uniform_deficit(1.0), uniform_deficit(1.0 + f64::EPSILON));
        assert!((series / closed - 1.0).abs() < 1e-15);
        assert!((series / libm::exp(-1.0) - 1.0).abs() < 1e-15);
        assert_eq!(uniform_deficit(1e-300), 0.5e-300);
    }
}
