//! Lognormal: exp(μ + σZ), Z standard normal.

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

/// One given number.
#[derive(Clone, Copy)]
struct Given {
    name: &'static str,
    value: f64,
    tells: Tells,
}

/// What it tells of μ and σ.
#[derive(Clone, Copy)]
enum Tells {
    /// The logarithm is μ + σ²/2.
    Mean,
    /// The logarithm is μ + zσ.
    Percentile(f64),
    /// It is σ.
    Sigma,
    /// It is √(e^{σ²} − 1).
    Cv,
}

impl LognormalBy {
    fn given(&self) -> Vec<Given> {
        let all = [
            ("mean", self.mean, Tells::Mean),
            ("median", self.median, Tells::Percentile(0.0)),
            ("p90", self.p90, Tells::Percentile(Z90)),
            ("p95", self.p95, Tells::Percentile(Z95)),
            ("p99", self.p99, Tells::Percentile(Z99)),
            ("sigma", self.sigma, Tells::Sigma),
            ("cv", self.cv, Tells::Cv),
        ];
        all.into_iter().filter_map(|(name, value, tells)| value.map(|value| Given { name, value, tells })).collect()
    }
}

impl Lognormal {
    pub(super) fn new(by: &LognormalBy) -> Result<Self, Invalid> {
        use Tells::{Cv, Mean, Percentile, Sigma};
        let given = by.given();
        let [first, second] = given[..] else {
            let names: Vec<_> = given.iter().map(|g| g.name).collect();
            let message = "a lognormal takes exactly two of `mean`, `median`, `p90`, `p95`, `p99`, `sigma` and `cv`";
            return Err(Invalid::new(&names, message));
        };
        for Given { name, value, tells } in given {
            match tells {
                Mean | Percentile(_) => scale(name, value)?,
                Sigma => within(name, value, SIGMA_MIN, SIGMA_MAX)?,
                Cv if value > 0.0 && value.is_finite() => {}
                Cv => return Err(Invalid::new(&[name], "`cv` must be positive")),
            }
        }
        let names = [first.name, second.name];
        // `given` keeps the order of the fields, so the pairs below are all there are.
        let sigma = match (first.tells, second.tells) {
            (_, Sigma) => second.value,
            (Sigma, _) => {
                return Err(Invalid::new(
                    &names,
                    "`sigma` and `cv` both tell the width: one of them goes with one of the other five",
                ));
            }
            (_, Cv) => libm::log1p(second.value * second.value).sqrt(),
            (Mean, Percentile(z)) => sigma_from_mean(names, first.value, second.value, z)?,
            (Percentile(z), Percentile(higher)) => {
                let [low, high] = [first, second];
                if high.value <= low.value {
                    return Err(Invalid::new(&names, format!("`{}` must be above `{}`", high.name, low.name)));
                }
                libm::log(high.value / low.value) / (higher - z)
            }
            (Cv, _) | (_, Mean) => unreachable!("the order of the fields puts these first and last"),
        };
        if !(SIGMA_MIN..=SIGMA_MAX).contains(&sigma) {
            let message =
                format!("these give a sigma of {sigma:.3e}; it must be between {SIGMA_MIN:e} and {SIGMA_MAX}");
            return Err(Invalid::new(&names, message));
        }
        let offset = match first.tells {
            Mean => 0.5 * sigma * sigma,
            Percentile(z) => z * sigma,
            Sigma | Cv => unreachable!("these come last"),
        };
        Ok(Lognormal { mu: libm::log(first.value) - offset, sigma })
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

/// The smallest positive σ with zσ − σ²/2 = ln(percentile / mean).
fn sigma_from_mean(names: [&'static str; 2], mean: f64, percentile: f64, z: f64) -> Result<f64, Invalid> {
    let log_ratio = libm::log(percentile / mean);
    let discriminant = z * z - 2.0 * log_ratio;
    if z == 0.0 && log_ratio >= 0.0 {
        return Err(Invalid::new(&names, "`mean` must be above `median`"));
    }
    if discriminant < 0.0 {
        let most = libm::exp(0.5 * z * z);
        let name = names[1];
        let message = format!("no lognormal has these: its {name} is at most {most:.3} times its mean");
        return Err(Invalid::new(&names, message));
    }
    // The two roots z ∓ √discriminant; where both are positive, the smaller one written without cancellation.
    let root = discriminant.sqrt();
    Ok(if log_ratio > 0.0 { 2.0 * log_ratio / (z + root) } else { z + root })
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
