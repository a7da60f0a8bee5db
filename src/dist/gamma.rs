//! Gamma: density x^{k−1} e^{−x/θ} / (Γ(k) θ^k), mean kθ, coefficient of variation 1/√k.
//!
//! The quantile function has no closed form. ln(quantile) is tabulated over standard normal scores, interpolated, and
//! polished by one or two of Halley's steps on the logarithm of the nearer tail; for k = 0.01 the quantile of p = 0.01 is
//! 1e-200, and only the logarithm makes it as easy as any other. The Laplace transform is (1 + sθ)^{−k}.

use super::incomplete_gamma::Incomplete;
use super::invalid::{Invalid, scale, within};
use super::quadrature::LogConcave;
use super::{Place, normal};

/// What besides the mean gives a gamma distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GammaBy {
    /// The shape k, 0.01 to 10,000.
    Shape(f64),
    /// The coefficient of variation 1/√k, 0.01 to 10.
    Cv(f64),
}

/// A gamma distribution of shape k and scale θ, its quantile function tabulated for a start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Gamma {
    incomplete: Incomplete,
    theta: f64,
    /// ln(quantile / θ) at standard normal scores from −[`SCORE_MAX`] in steps of [`SCORE_STEP`].
    starts: Box<[f64]>,
}

const SCORE_MAX: f64 = 9.5;
const SCORE_STEP: f64 = 0.25;
/// Below this Halley step the next one would be lost in rounding: its size is of the order of this one's cube.
const STEP_DONE: f64 = 2e-6;

impl Gamma {
    pub(super) fn new(mean: f64, by: GammaBy) -> Result<Self, Invalid> {
        scale("mean", mean)?;
        let shape = match by {
            GammaBy::Shape(shape) => within("shape", shape, 0.01, 1e4).map(|()| shape)?,
            GammaBy::Cv(cv) => within("cv", cv, 0.01, 10.0).map(|()| 1.0 / (cv * cv))?,
        };
        let mut gamma = Gamma { incomplete: Incomplete::new(shape), theta: mean / shape, starts: Box::default() };
        gamma.starts = gamma.tabulate();
        Ok(gamma)
    }

    /// The starts, from the lower tail up: each is found from its neighbour's or from a first guess, if that is higher.
    fn tabulate(&self) -> Box<[f64]> {
        let steps = (2.0 * SCORE_MAX / SCORE_STEP) as i32;
        let mut start = f64::NEG_INFINITY;
        (0..=steps)
            .map(|i| {
                let score = f64::from(i) * SCORE_STEP - SCORE_MAX;
                let place = Place { lower: normal::cdf(score), upper: normal::survival(score) };
                start = self.refine(place, start.max(self.low_start(score, place.lower)));
                start
            })
            .collect()
    }

    /// A first guess, not far above the quantile: the power law x^k/Γ(1+k), which the distribution function stays below, or
    /// Wilson and Hilferty's normal cube root where that is higher, as it is for large shapes.
    fn low_start(&self, score: f64, lower: f64) -> f64 {
        let a = self.incomplete.shape();
        let power_law = (libm::log(lower) + self.incomplete.log_gamma_1p()) / a;
        let root = 1.0 - 1.0 / (9.0 * a) + score / (3.0 * a.sqrt());
        if root > 0.0 { power_law.max(libm::log(a) + 3.0 * libm::log(root)) } else { power_law }
    }

    /// ln(quantile / θ) from a start, by Halley's iteration on the logarithm of the smaller tail probability. That is
    /// concave in ln x, so Newton's iteration converges from anywhere.
    fn refine(&self, place: Place, start: f64) -> f64 {
        let a = self.incomplete.shape();
        // No place has a quantile beyond this; a flat start could send the iteration there.
        let highest = libm::log(a + 12.0 * a.sqrt() + 80.0);
        let mut t = start;
        for _ in 0..100 {
            let x = libm::exp(t);
            let (lower, upper) = self.incomplete.both(x);
            let density = self.incomplete.log_density(x);
            // Value, first and second derivative of the logarithm of the tail probability over its target.
            let (value, slope) = if place.lower < 0.5 {
                if lower == 0.0 {
                    return t; // x underflows: t is the power law, which is exact there
                }
                (libm::log(lower / place.lower), density / lower)
            } else {
                (libm::log(upper / place.upper), -density / upper)
            };
            let newton = value / slope;
            let curvature = (a - x) - slope;
            let step = newton / (1.0 - 0.5 * newton * curvature).clamp(0.5, 2.0);
            t = (t - step).min(highest);
            if step.abs() < STEP_DONE {
                break;
            }
        }
        t
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        let position = (normal::quantile(place.lower, place.upper) + SCORE_MAX) / SCORE_STEP;
        let first = (position as usize).clamp(1, self.starts.len() - 3) - 1;
        let s = position - first as f64;
        let [p, q, r, t] = [0, 1, 2, 3].map(|i| self.starts[first + i]);
        // Newton's form of the cubic through four neighbours.
        let (d1, d2, d3) = (q - p, r - 2.0 * q + p, t - 3.0 * r + 3.0 * q - p);
        let start = p + s * (d1 + (s - 1.0) / 2.0 * (d2 + (s - 2.0) / 3.0 * d3));
        self.theta * libm::exp(self.refine(place, start))
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        self.incomplete.both(x / self.theta).0
    }

    pub(super) fn survival(&self, x: f64) -> f64 {
        self.incomplete.both(x / self.theta).1
    }

    pub(super) fn mean(&self) -> f64 {
        self.incomplete.shape() * self.theta
    }

    /// 1 − (1 + sθ)^{−k}.
    pub(super) fn deficit(&self, s: f64) -> f64 {
        -libm::expm1(-self.incomplete.shape() * libm::log1p(s * self.theta))
    }
}

impl LogConcave for Gamma {
    fn scale(&self) -> f64 {
        self.mean()
    }

    fn width(&self) -> f64 {
        1.0 / self.incomplete.shape().sqrt()
    }

    fn density(&self, v: f64) -> f64 {
        self.incomplete.log_density(self.incomplete.shape() * libm::exp(v))
    }

    fn slope(&self, v: f64) -> f64 {
        -self.incomplete.shape() * libm::expm1(v)
    }
}
