//! The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 − P(a, x), each to full relative precision.

/// P and Q for one shape a in [0.01, 10⁴], with what depends on the shape alone computed once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Incomplete {
    shape: f64,
    /// ln Γ(1 + a).
    log_gamma_1p: f64,
    /// √(a / 2π)·e^{−δ(a)}, where δ is what Stirling's formula for ln Γ(a) leaves out.
    peak: f64,
}

/// Shapes from here on take the density from its peak, smaller ones from the gamma function.
const LARGE: f64 = 10.0;
/// Where a term no longer changes a sum.
const NEGLIGIBLE: f64 = 1e-17;

impl Incomplete {
    pub(super) fn new(shape: f64) -> Self {
        let log_gamma_1p = libm::lgamma(1.0 + shape);
        let peak = (shape / std::f64::consts::TAU).sqrt() * libm::exp(-stirling_rest(shape));
        Incomplete { shape, log_gamma_1p, peak }
    }

    pub(super) fn shape(&self) -> f64 {
        self.shape
    }

    pub(super) fn log_gamma_1p(&self) -> f64 {
        self.log_gamma_1p
    }

    /// x^a e^{−x} / Γ(a): the density of ln X for X of this shape and scale 1.
    pub(super) fn log_density(&self, x: f64) -> f64 {
        let a = self.shape;
        if a >= LARGE {
            self.peak * libm::exp(-a * excess_over_log((x - a) / a))
        } else {
            a * libm::exp(a * libm::log(x) - x - self.log_gamma_1p)
        }
    }

    /// (P(a, x), Q(a, x)).
    ///
    /// Up to x = a the power series of P, whose terms are all positive, beyond it the continued fraction of Q
    /// (DLMF 8.11.4 and 8.9.2); for a < 1 and x < 1, where Q can be small and 1 − P would cancel, Q comes from a
    /// series of its own.
    pub(super) fn both(&self, x: f64) -> (f64, f64) {
        if x <= 0.0 {
            return (0.0, 1.0);
        }
        if x == f64::INFINITY {
            return (1.0, 0.0);
        }
        if x < self.shape.max(1.0) {
            let lower = self.log_density(x) / self.shape * self.series(x);
            let upper = if self.shape < 1.0 { self.upper_near_zero(x) } else { 1.0 - lower };
            (lower, upper)
        } else {
            let upper = self.log_density(x) * self.fraction(x);
            (1.0 - upper, upper)
        }
    }

    /// 1 + x/(a+1) + x²/((a+1)(a+2)) + …
    fn series(&self, x: f64) -> f64 {
        let (mut term, mut sum, mut n) = (1.0, 1.0, self.shape);
        while term > NEGLIGIBLE * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        sum
    }

    /// The continued fraction 1/(x+1−a − 1(1−a)/(x+3−a − 2(2−a)/(x+5−a − …))), by Lentz's method.
    fn fraction(&self, x: f64) -> f64 {
        let a = self.shape;
        let mut denominator = x + 1.0 - a;
        let mut ratio = f64::INFINITY;
        let mut inverse = 1.0 / denominator;
        let mut value = inverse;
        let (mut n, mut change) = (0.0, 0.0_f64);
        while (change - 1.0).abs() >= 3.0 * f64::EPSILON {
            n += 1.0;
            let numerator = -n * (n - a);
            denominator += 2.0;
            inverse = 1.0 / (denominator + numerator * inverse);
            ratio = denominator + numerator / ratio;
            change = ratio * inverse;
            value *= change;
        }
        value
    }

    /// Q for a < 1 and x < 1: 1 − x^a/Γ(1+a)·(1 + a Σ (−x)ⁿ/((a+n) n!)), its leading difference by `expm1`.
    fn upper_near_zero(&self, x: f64) -> f64 {
        let a = self.shape;
        let exponent = a * libm::log(x) - self.log_gamma_1p;
        let (mut power, mut sum, mut n) = (1.0, 0.0, 0.0);
        loop {
            n += 1.0;
            power *= -x / n;
            let term = a * power / (a + n);
            sum += term;
            if term.abs() <= NEGLIGIBLE * a {
                return -libm::expm1(exponent) - libm::exp(exponent) * sum;
            }
        }
    }
}

/// t − ln(1 + t) for t > −1 without cancellation at t = 0.
fn excess_over_log(t: f64) -> f64 {
    if !(-0.4..0.6).contains(&t) {
        return t - libm::log1p(t);
    }
    // With r = t/(2 + t), ln(1 + t) = 2 artanh r and t − 2r = r·t.
    let r = t / (2.0 + t);
    let square = r * r;
    let series = (1..16).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    r * t - 2.0 * r * square * series
}

/// ln Γ(a) − [(a − ½) ln a − a + ½ ln 2π], by its asymptotic series; only meaningful for a ≥ [`LARGE`].
fn stirling_rest(a: f64) -> f64 {
    const TERMS: [f64; 7] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let inverse_square = 1.0 / (a * a);
    TERMS.iter().rev().fold(0.0, |sum, c| sum * inverse_square + c) / a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_methods_agree_where_they_meet() {
        for shape in [0.01, 0.3, 0.999, 1.0, 1.5, 9.99, 10.01, 300.0, 1e4] {
            let gamma = Incomplete::new(shape);
            let seam = shape.max(1.0);
            let density = gamma.log_density(seam);
            let (lower, upper) = (density / shape * gamma.series(seam), density * gamma.fraction(seam));
            assert!((lower + upper - 1.0).abs() < 1e-13, "{lower} + {upper} at shape {shape}");
        }
    }

    #[test]
    fn a_small_upper_part_is_not_lost_below_one() {
        // Q(0.01, x), to 17 digits, by mpmath.
        let gamma = Incomplete::new(0.01);
        for (x, upper) in UPPER {
            assert!((gamma.both(x).1 / upper - 1.0).abs() < 1e-13, "{} for {upper} at {x}", gamma.both(x).1);
        }
    }
    const UPPER: [(f64, f64); 3] =
        [(0.001, 0.061429347473871015), (0.1, 0.018135316050987344), (0.95, 0.002410824607905607)];

    #[test]
    fn shape_one_is_the_exponential() {
        let gamma = Incomplete::new(1.0);
        for x in [1e-300, 1e-10, 0.5, 1.0, 3.0, 100.0, 700.0] {
            let (lower, upper) = gamma.both(x);
            // In the far lower tail the error is that of ln x in an exponent.
            assert!((lower / -libm::expm1(-x) - 1.0).abs() < 2e-13);
            assert!((upper / libm::exp(-x) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_ends_are_exact() {
        for shape in [0.01, 1.0, 1e4] {
            assert_eq!(Incomplete::new(shape).both(0.0), (0.0, 1.0));
            assert_eq!(Incomplete::new(shape).both(f64::INFINITY), (1.0, 0.0));
        }
    }

    #[test]
    fn stirlings_rest_is_what_the_formula_leaves_out() {
        // By mpmath.
        assert!((stirling_rest(10.0) / 0.008_330_563_433_362_87 - 1.0).abs() < 1e-13);
        assert!((stirling_rest(1e4) / 8.333_333_330_555_555e-6 - 1.0).abs() < 1e-15);
    }
}
