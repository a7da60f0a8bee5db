//! Gauss–Legendre quadrature on one panel.

/// Positive nodes of the 16-point rule on [−1, 1] with their weights.
const NODES: [(f64, f64); 8] = [
    (0.09501250983763744, 0.1894506104550685),
    (0.2816035507792589, 0.18260341504492358),
    (0.45801677765722737, 0.16915651939500254),
    (0.6178762444026438, 0.14959598881657674),
    (0.755404408355003, 0.12462897125553388),
    (0.8656312023878318, 0.09515851168249279),
    (0.9445750230732326, 0.062253523938647894),
    (0.9894009349916499, 0.027152459411754096),
];

/// ∫ f over [a, b], exact for polynomials up to degree 31.
pub(super) fn gauss_legendre(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let sum: f64 = NODES.iter().map(|&(x, w)| w * (f(centre - half * x) + f(centre + half * x))).sum();
    half * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_degree_31_is_integrated_exactly() {
        let power = |x: f64, n: u32| (0..n).fold(1.0, |p, _| p * x);
        let integral = gauss_legendre(0.0, 1.0, |x| 32.0 * power(x, 31) + 31.0 * power(x, 30));
        assert!((integral - 2.0).abs() < 1e-14, "{integral}");
    }

    #[test]
    fn a_panel_need_not_start_at_zero() {
        let integral = gauss_legendre(-2.0, 1.0, libm::exp);
        assert!((integral / (libm::exp(1.0) - libm::exp(-2.0)) - 1.0).abs() < 1e-15, "{integral}");
    }
}
