//! What one event costs: a mixture of sums of independent amounts, and its lattice approximation.

use std::collections::BTreeMap;

use crate::stats::fft::{Complex, Fft};
use crate::stats::lattice::Lattice;

/// The distribution of an amount on [0, ∞), as far as sums of it need to know it.
pub trait Amount {
    /// P(X > x) for x ≥ 0.
    fn survival(&self, x: f64) -> f64;

    /// 1 − E[e^{−sX}] for s > 0, without cancellation where it is small.
    fn laplace_deficit(&self, s: f64) -> f64;

    /// The value, where the amount is a constant.
    fn as_constant(&self) -> Option<f64> {
        None
    }
}

impl<A: Amount + ?Sized> Amount for &A {
    fn survival(&self, x: f64) -> f64 {
        (**self).survival(x)
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        (**self).laplace_deficit(s)
    }

    fn as_constant(&self) -> Option<f64> {
        (**self).as_constant()
    }
}

/// An amount that is always the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant(pub f64);

impl Amount for Constant {
    fn survival(&self, x: f64) -> f64 {
        f64::from(u8::from(x < self.0))
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        -libm::expm1(-s * self.0)
    }

    fn as_constant(&self) -> Option<f64> {
        Some(self.0)
    }
}

/// The cost of one event: with some probability each, so many independent draws of each amount, added up.
#[derive(Debug, Clone)]
pub struct Severity<A> {
    amounts: Vec<A>,
    /// How many draws of each amount, with the probability of that; these sum to 1.
    patterns: Vec<(Vec<u32>, f64)>,
}

impl<A: Amount> Severity<A> {
    /// One draw of `amount`.
    #[must_use]
    pub fn single(amount: A) -> Self {
        Severity { amounts: vec![amount], patterns: vec![(vec![1], 1.0)] }
    }

    /// With probability proportional to each pattern's weight, as many draws of each of `amounts` as the pattern
    /// says. Patterns with the same counts are merged.
    ///
    /// # Panics
    /// If a pattern does not count every amount, a weight is negative, or the weights do not have a positive, finite
    /// sum.
    #[must_use]
    pub fn mixture(amounts: Vec<A>, patterns: impl IntoIterator<Item = (Vec<u32>, f64)>) -> Self {
        let mut merged = BTreeMap::new();
        for (counts, weight) in patterns {
            assert!(counts.len() == amounts.len() && weight >= 0.0, "pattern {counts:?} of weight {weight}");
            *merged.entry(counts).or_insert(0.0) += weight;
        }
        let total: f64 = merged.values().sum();
        assert!(total > 0.0 && total < f64::INFINITY, "weights sum to {total}");
        let patterns = merged.into_iter().map(|(counts, weight)| (counts, weight / total)).collect();
        Severity { amounts, patterns }
    }

    /// P(the event costs nothing).
    pub(super) fn probability_of_zero(&self) -> f64 {
        self.expectation_of_products(|i| Complex::real(1.0 - self.amounts[i].survival(0.0))).re
    }

    /// 1 − E[e^{−sX}] of the whole event.
    pub(super) fn laplace_deficit(&self, s: f64) -> f64 {
        let logs: Vec<f64> = self.amounts.iter().map(|a| libm::log1p(-a.laplace_deficit(s))).collect();
        let deficit = |counts: &[u32]| {
            let exponent: f64 = counts.iter().zip(&logs).filter(|(n, _)| **n > 0).map(|(n, l)| f64::from(*n) * l).sum();
            -libm::expm1(exponent)
        };
        self.patterns.iter().map(|(counts, probability)| probability * deficit(counts)).sum()
    }

    /// A power of two not far from what one of the amounts typically is, if any can be positive.
    pub(super) fn scale(&self) -> Option<f64> {
        self.amounts.iter().filter(|a| a.survival(0.0) > 0.0).map(median_exponent).max().map(power_of_two)
    }

    /// The largest amount of which every possible cost is a multiple, where all amounts are constants and there is one
    /// that is not too small beside them.
    pub(super) fn span(&self) -> Option<f64> {
        let constants: Option<Vec<f64>> = self.amounts.iter().map(Amount::as_constant).collect();
        let constants: Vec<f64> = constants?.into_iter().filter(|&c| c > 0.0).collect();
        let span = constants.iter().copied().reduce(common_measure)?;
        let multiple = |c: &f64| {
            let ratio = c / span;
            ratio < 1e6 && (ratio - ratio.round()).abs() < 1e-9 * ratio
        };
        constants.iter().all(multiple).then_some(span)
    }

    /// The transform of the tilted masses on `lattice`. Mass beyond the lattice is left out.
    pub(super) fn transform(&self, fft: &Fft, lattice: &Lattice) -> Transform {
        let mut peaks = 0.0;
        let mut factors = Vec::with_capacity(self.amounts.len());
        for amount in &self.amounts {
            let masses = lattice.masses(amount);
            peaks += masses.peaks;
            let tilted = masses.at.iter().zip(&lattice.factors).map(|(mass, tilt)| Complex::real(mass * tilt));
            let mut data: Vec<Complex> = tilted.collect();
            fft.forward(&mut data);
            factors.push(data);
        }
        let at = |k: usize| self.expectation_of_products(|i| factors[i][k]);
        Transform { values: (0..=lattice.points() / 2).map(at).collect(), peaks }
    }

    /// E[Π zᵢ^countᵢ] over the patterns, where `z` gives the value for each amount.
    fn expectation_of_products(&self, z: impl Fn(usize) -> Complex) -> Complex {
        let mut expectation = Complex::ZERO;
        for (counts, probability) in &self.patterns {
            let factors = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| z(i).power(*n));
            expectation = expectation + factors.fold(Complex::real(*probability), |product, f| product * f);
        }
        expectation
    }
}

/// A severity's transform on a lattice.
pub(super) struct Transform {
    /// At the first half of the roots of unity, both ends included; the rest are conjugates.
    pub(super) values: Vec<Complex>,
    /// Mass found in peaks narrower than a step, summed over the amounts.
    pub(super) peaks: f64,
}

/// The least exponent e with P(X > 2^e) at most half of P(X > 0).
fn median_exponent<A: Amount>(amount: &A) -> i32 {
    let half = 0.5 * amount.survival(0.0);
    let (mut below, mut above) = (-1074, 1024);
    while above - below > 1 {
        let middle = (below + above) / 2;
        if amount.survival(power_of_two(middle)) <= half { above = middle } else { below = middle }
    }
    above
}

/// 2^exponent.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    libm::scalbn(1.0, exponent)
}

/// The greatest common measure of two positive amounts, by Euclid's algorithm; remainders that are rounding count as
/// none.
fn common_measure(a: f64, b: f64) -> f64 {
    let (mut large, mut small) = (a.max(b), a.min(b));
    let rounding = 1e-9 * large;
    while small > rounding {
        let remainder = large % small;
        let remainder = remainder.min(small - remainder);
        (large, small) = (small, remainder);
    }
    large
}
