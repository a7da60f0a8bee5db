//! Lognormal: exp(μ + σZ), Z standard normal.
//!
//! Two of seven numbers give it. σ comes first: given itself; from a coefficient of variation, √ln(1 + cv²); from two
//! quantiles, ln(b/a)/(z_b − z_a); from the mean and a quantile, a root of zσ − σ²/2 = ln(quantile/mean), of which there
//! may be two, one or none. Then μ, through either number. The quantile function is exp(μ + σ·z), its relative error
//! σ·|z|·10⁻¹⁶; Laplace transforms are integrals over z.

use super::invalid::{Invalid, scale, within};
use super::quadrature::LogConcave;
use super::{Place, normal};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// What gives a lognormal distribution: exactly two of these, at most one of them `sigma` or `cv`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LognormalBy {
    /// Expectation.
    pub mean: Option<f64>,
    /// Median e^μ.
    pub median: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Standard deviation σ of the logarithm, 10⁻⁶ to 20.
    pub sigma: Option<f64>,
    /// Coefficient of variation √(e^{σ²} − 1).
    pub cv: Option<f64>,
}

/// A lognormal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lognormal {
    mu: f64,
    sigma: f64,
}

/// Bounds of σ.
const SIGMA_MIN: f64 = 1e-6;
const SIGMA_MAX: f64 = 20.0;

/// Standard normal scores of the 90th, 95th and 99th percentile.
const Z90: f64 = 1.281_551_565_544_600_5;
const Z95: f64 = 1.644_853_626_951_472_7;
const Z99: f64 = 2.326_347_874_040_841;

/// A given number that lies on the line of amounts, and so fixes where the distribution lies.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    name: &'static str,
    value: f64,
    is: AnchorIs,
}

/// Where an anchor lies.
#[derive(Debug, Clone, Copy)]
enum AnchorIs {
    /// At the mean: its logarithm is μ + σ²/2.
    Mean,
    /// At the quantile of this standard normal score: its logarithm is μ + zσ.
    Quantile(f64),
}

impl LognormalBy {
    fn anchors(&self) -> Vec<Anchor> {
        let all = [
            ("mean", self.mean, AnchorIs::Mean),
            ("median", self.median, AnchorIs::Quantile(0.0)),
            ("p90", self.p90, AnchorIs::Quantile(Z90)),
            ("p95", self.p95, AnchorIs::Quantile(Z95)),
            ("p99", self.p99, AnchorIs::Quantile(Z99)),
        ];
        all.into_iter().filter_map(|(name, value, is)| value.map(|value| Anchor { name, value, is })).collect()
    }

    /// The given widths: name, value, and the σ that it stands for.
    fn widths(&self) -> Vec<(&'static str, f64, f64)> {
        let sigma = self.sigma.map(|sigma| ("sigma", sigma, sigma));
        let cv = self.cv.map(|cv| ("cv", cv, libm::log1p(cv * cv).sqrt()));
        sigma.into_iter().chain(cv).collect()
    }
}

impl Lognormal {
    pub(super) fn new(by: &LognormalBy) -> Result<Self, Invalid> {
        let (anchors, widths) = (by.anchors(), by.widths());
        let names: Vec<_> = anchors.iter().map(|a| a.name).chain(widths.iter().map(|w| w.0)).collect();
        for anchor in &anchors {
            scale(anchor.name, anchor.value)?;
        }
        let sigma = match (&anchors[..], &widths[..]) {
            ([_], [("sigma", sigma, _)]) => within("sigma", *sigma, SIGMA_MIN, SIGMA_MAX).map(|()| *sigma)?,
            ([_], [(_, cv, sigma)]) if *cv > 0.0 && cv.is_finite() => *sigma,
            ([_], [(name, ..)]) => return Err(Invalid::new(&[name], format!("`{name}` must be positive"))),
            ([first, second], []) => sigma_between(*first, *second)?,
            ([], [_, _]) => {
                let message = "`sigma` and `cv` both tell the width: one of them goes with one of the other five";
                return Err(Invalid::new(&names, message));
            }
            _ => {
                let message =
                    "a lognormal takes exactly two of `mean`, `median`, `p90`, `p95`, `p99`, `sigma` and `cv`";
                return Err(Invalid::new(&names, message));
            }
        };
        if !(SIGMA_MIN..=SIGMA_MAX).contains(&sigma) {
            let message =
                format!("these give a sigma of {sigma:.3e}; it must be between {SIGMA_MIN:e} and {SIGMA_MAX}");
            return Err(Invalid::new(&names, message));
        }
        Ok(Lognormal::through(anchors[0], sigma))
    }

    fn through(anchor: Anchor, sigma: f64) -> Self {
        let offset = match anchor.is {
            AnchorIs::Mean => 0.5 * sigma * sigma,
            AnchorIs::Quantile(z) => z * sigma,
        };
        Lognormal { mu: libm::log(anchor.value) - offset, sigma }
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        libm::exp(self.mu + self.sigma * normal::quantile(place.lower, place.upper))
    }

    fn score(&self, x: f64) -> f64 {
        (libm::log(x) - self.mu) / self.sigma
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        if x > 0.0 { normal::cdf(self.score(x)) } else { 0.0 }
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        if x > 0.0 { normal::survival(self.score(x)) } else { 1.0 }
    }

    pub(super) fn mean(&self) -> f64 {
        libm::exp(self.mu + 0.5 * self.sigma * self.sigma)
    }
}

/// The σ at which both anchors hold, the first of which is the mean or the lower quantile.
fn sigma_between(first: Anchor, second: Anchor) -> Result<f64, Invalid> {
    let log_ratio = libm::log(second.value / first.value);
    let invalid = |message: String| Err(Invalid::new(&[first.name, second.name], message));
    match (first.is, second.is) {
        (AnchorIs::Quantile(low), AnchorIs::Quantile(high)) if log_ratio > 0.0 => Ok(log_ratio / (high - low)),
        (AnchorIs::Quantile(_), _) => invalid(format!("`{}` must be above `{}`", second.name, first.name)),
        (AnchorIs::Mean, AnchorIs::Quantile(z)) => match sigma_from_mean(log_ratio, z) {
            Some(sigma) => Ok(sigma),
            None if z == 0.0 => invalid("`mean` must be above `median`".to_owned()),
            None => {
                let (name, most) = (second.name, libm::exp(0.5 * z * z));
                invalid(format!("no lognormal has these: its {name} is at most {most:.3} times its mean"))
            }
        },
        (AnchorIs::Mean, AnchorIs::Mean) => unreachable!("there is one mean"),
    }
}

/// The smallest positive σ with zσ − σ²/2 = `log_ratio`, the logarithm of quantile over mean.
fn sigma_from_mean(log_ratio: f64, z: f64) -> Option<f64> {
    let discriminant = z * z - 2.0 * log_ratio;
    if discriminant < 0.0 {
        return None;
    }
    // The roots are z ∓ √discriminant; where both are positive, the smaller one is written without cancellation.
    let root = discriminant.sqrt();
    let sigma = if log_ratio > 0.0 { 2.0 * log_ratio / (z + root) } else { z + root };
    (sigma > 0.0).then_some(sigma)
}

impl LogConcave for Lognormal {
    fn scale(&self) -> f64 {
        libm::exp(self.mu)
    }

    fn width(&self) -> f64 {
        self.sigma
    }

    fn density(&self, v: f64) -> f64 {
        let z = v / self.sigma;
        0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / self.sigma * libm::exp(-0.5 * z * z)
    }

    fn slope(&self, v: f64) -> f64 {
        -v / (self.sigma * self.sigma)
    }
}
