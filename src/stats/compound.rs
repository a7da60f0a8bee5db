//! Sums of a Poisson number of independent costs: what a month of duplicates costs.
//!
//! The distribution of S = X₁ + … + X_N, N Poisson with mean λ, has the transform e^{λ(φ − 1)}, where φ is that of one
//! X. On a lattice both are discrete Fourier transforms. For each quantile x:
//!
//! - The lattice covers a *window* that reaches from a point below which S practically never falls to a little beyond
//!   x, so the step is a fixed small part of what matters, whatever the scale of X, λ or the tail. The lower end comes
//!   from Chernoff's bound, P(S ≤ x) ≤ e^{sx − λ(1 − φ(s))} for every s > 0, which needs no moments of X. Costs larger
//!   than the window can be left out: with one of them S is not in it.
//! - What lies beyond the window would wrap around into it. Exponential tilting, pⱼ → pⱼe^{−tilt·j/points}, shrinks it
//!   to nothing (R. Grübel and R. Hermesmeier, "Computation of compound distributions I", 1999).
//! - The masses of X on the lattice keep its first two local moments ([`crate::stats::severity`]).
//!
//! **Error.** Relative error of a quantile for p from 0.001 to 0.999 and rates up to [`RATE_MAX`]:
//!
//! - none where X takes multiples of one constant and no more than `POINTS` of them matter;
//! - below 10⁻⁵ where X has a density, but √λ · 10⁻⁶ where that is more and the tail has no variance;
//! - where X has atoms that share no measure, or peaks as narrow as a step: each draw of one blurs it by up to half a
//!   step, which makes 10⁻⁴ for a few draws and up to 3·10⁻⁴ for a dozen; with more there is little left to blur.
//!
//! Where the distribution function is flat at p, between two atoms, an error of 10⁻⁸ in p (√λ · 10⁻⁸ at large rates)
//! can put the quantile at either end of the flat stretch.

use crate::stats::fft::{Complex, Fft};
use crate::stats::lattice::Lattice;
use crate::stats::severity::{Amount, Severity, power_of_two};

/// The largest mean number of events for which quantiles are computed; beyond it λ(φ − 1) loses too many digits.
pub const RATE_MAX: f64 = 1e10;

/// Tilting shrinks what wraps around from beyond the window, about 1 − p, by e^{−tilt}, and magnifies rounding errors,
/// about 10⁻¹⁶ or λ times that, by e^{tilt}. This, plus ½ ln((1 − p) / λ), balances the two.
const TILT: f64 = 19.0;
/// S lies below the window with a probability of at most e^{−BELOW}, which tilting multiplies by e^{tilt}.
const BELOW: f64 = 50.0;
/// Points for the search of the window; for a quantile; and for one where peaks are to be told apart or the rate is
/// so large that single costs are small beside a step.
const POINTS: [usize; 3] = [1 << 10, 1 << 12, 1 << 14];
/// The rate from which on they are.
const MANY: f64 = 1e4;
/// Peaks of a smaller probability, all together, are not worth it.
const PEAKS: f64 = 1e-4;
/// Distribution functions are right to about this.
const ROUNDING: f64 = 1e-8;
/// Windows tried at most. Each is eight times as wide as the one before or brings the quantile into view.
const WINDOWS_MAX: usize = 400;

/// The sum of a Poisson number of independent costs.
#[derive(Debug, Clone)]
pub struct CompoundPoisson<A> {
    rate: f64,
    severity: Option<Severity<A>>,
}

/// Where the distribution function passes a probability.
struct Crossing {
    value: f64,
    step: f64,
    peaks: bool,
}

/// A stretch [start, start + width).
#[derive(Clone, Copy)]
struct Window {
    start: f64,
    width: f64,
}

impl Window {
    fn widened(self, factor: f64) -> Window {
        Window { width: factor * self.width, ..self }
    }
}

impl<A: Amount> CompoundPoisson<A> {
    /// A Poisson number of mean `rate` of draws of `severity`.
    ///
    /// # Panics
    /// If `rate` is negative or not a number.
    #[must_use]
    pub fn new(rate: f64, severity: Severity<A>) -> Self {
        assert!(rate >= 0.0, "a rate of {rate}");
        CompoundPoisson { rate, severity: Some(severity) }
    }

    /// The sum that is always zero.
    #[must_use]
    pub fn zero() -> Self {
        CompoundPoisson { rate: 0.0, severity: None }
    }

    /// The quantiles at these probabilities: see [`CompoundPoisson::quantile`].
    #[must_use]
    pub fn quantiles(&self, probabilities: &[f64]) -> Vec<Option<f64>> {
        probabilities.iter().map(|&p| self.quantile(p)).collect()
    }

    /// The least x with P(S ≤ x) ≥ p, to the error stated for the module. None where the rate exceeds [`RATE_MAX`], or
    /// where the quantile is too large for a float or more than a hundred orders of magnitude below a typical cost.
    ///
    /// # Panics
    /// If p is not strictly between 0 and 1.
    #[must_use]
    pub fn quantile(&self, p: f64) -> Option<f64> {
        assert!(p > 0.0 && p < 1.0, "a quantile at {p}");
        let Some(severity) = &self.severity else { return Some(0.0) };
        let positive_rate = self.rate * (1.0 - severity.probability_of_zero());
        if libm::exp(-positive_rate) >= p - ROUNDING {
            return Some(0.0);
        }
        if self.rate > RATE_MAX {
            return None;
        }
        let scale = severity.scale()?;
        let bound = |exponent: f64| {
            if exponent < positive_rate { self.chernoff_bound(severity, exponent, scale) } else { 0.0 }
        };
        let (start, least) = (bound(BELOW), bound(-libm::log(p)));
        self.search(severity, p, Window { start, width: 2.0 * (least - start) })
    }

    /// The largest x for which the bound shows P(S ≤ x) ≤ e^{−exponent}: the maximum over s of
    /// (λ(1 − φ(s)) − exponent) / s, to within a factor of 2 in s. The function has one peak.
    fn chernoff_bound(&self, severity: &Severity<A>, exponent: f64, scale: f64) -> f64 {
        let bound = |k: i32| {
            let s = power_of_two(k) / scale;
            (self.rate * severity.laplace_deficit(s) - exponent) / s
        };
        let (mut k, mut best) = (0, bound(0));
        for direction in [1, -1] {
            for _ in 0..WINDOWS_MAX {
                let next = bound(k + direction);
                if next.is_nan() || next <= best {
                    break;
                }
                (k, best) = (k + direction, next);
            }
        }
        best.max(0.0)
    }

    /// Widens or narrows the window until the quantile lies well inside it, then computes it on a fine lattice.
    fn search(&self, severity: &Severity<A>, p: f64, mut window: Window) -> Option<f64> {
        for _ in 0..WINDOWS_MAX {
            if !(window.width > 0.0 && window.start + window.width < f64::MAX / 4.0) {
                return None;
            }
            let Some(rough) = self.crossing(severity, p, window, POINTS[0]) else {
                window.width *= 8.0;
                continue;
            };
            let depth = rough.value - window.start;
            let fitted = Window { width: 1.02 * depth + 4.0 * rough.step, ..window };
            if depth < window.width / 16.0 && fitted.width < window.width {
                window = fitted;
                continue;
            }
            let points = POINTS[if rough.peaks || self.rate > MANY { 2 } else { 1 }];
            let fine = |margin: f64| self.crossing(severity, p, fitted.widened(margin), points);
            return fine(1.0).or_else(|| fine(1.25)).or_else(|| fine(2.0)).map(|fine| fine.value);
        }
        None
    }

    /// Where the distribution function reaches p within the window.
    fn crossing(&self, severity: &Severity<A>, p: f64, window: Window, points: usize) -> Option<Crossing> {
        let span = severity.span();
        let step = (window.width / points as f64).max(span.unwrap_or(0.0));
        let lattice = Lattice::new(step, points, TILT + 0.5 * libm::log((1.0 - p) / self.rate.max(1.0)));
        let first = (window.start / step).floor();
        let (masses, peaks) = self.masses(severity, &lattice, first);
        let exact = span == Some(step);
        let goal = if exact { p - ROUNDING } else { p };
        let mut reached = 0.0;
        for (j, mass) in masses.into_iter().enumerate() {
            if reached + mass >= goal {
                let part = if exact { 0.0 } else { (p - reached) / mass - 0.5 };
                return Some(Crossing {
                    value: step * (first + j as f64 + part).max(0.0),
                    step,
                    peaks: peaks && !exact,
                });
            }
            reached += mass;
        }
        None
    }

    /// P(S = step · (first + j)) for every point j of the lattice, and whether X has narrow peaks.
    fn masses(&self, severity: &Severity<A>, lattice: &Lattice, first: f64) -> (Vec<f64>, bool) {
        let points = lattice.points();
        let start = lattice.tilt / points as f64 * first;
        let fft = Fft::new(points);
        let transform = severity.transform(&fft, lattice);
        // Untilted relative to the window's start, so that nothing under- or overflows.
        let compound =
            |value: &Complex| Complex { re: self.rate * (value.re - 1.0) + start, im: self.rate * value.im }.exp();
        let mut data: Vec<Complex> = transform.values.iter().map(compound).collect();
        for k in points / 2 + 1..points {
            data.push(data[points - k].conj());
        }
        let tilted = fft.inverse_real(data);
        let offset = (first % points as f64) as usize;
        let mass = |(j, factor): (usize, &f64)| tilted[(offset + j) % points] / factor;
        (lattice.factors.iter().enumerate().map(mass).collect(), transform.peaks > PEAKS)
    }
}
