//! The discrete Fourier transform of a power-of-two number of points, the same bits on every platform.

use core::f64::consts::TAU;
use core::ops::{Add, Mul};

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
    pub(super) const ONE: Complex = Complex { re: 1.0, im: 0.0 };

    pub(super) fn real(re: f64) -> Complex {
        Complex { re, im: 0.0 }
    }

    pub(super) fn conj(self) -> Complex {
        Complex { re: self.re, im: -self.im }
    }

    pub(super) fn scale(self, factor: f64) -> Complex {
        Complex { re: factor * self.re, im: factor * self.im }
    }

    pub(super) fn exp(self) -> Complex {
        let (sin, cos) = libm::sincos(self.im);
        Complex { re: cos, im: sin }.scale(libm::exp(self.re))
    }

    /// The power by repeated squaring.
    pub(super) fn power(self, mut exponent: u32) -> Complex {
        let (mut base, mut product) = (self, Complex::ONE);
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = product * base;
            }
            base = base * base;
            exponent >>= 1;
        }
        product
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The transform for one number of points.
pub(super) struct Fft {
    /// e^{−2πik/n} for k below n/2.
    roots: Vec<Complex>,
    points: usize,
}

impl Fft {
    /// For `points` points, a power of two of at least 2.
    pub(super) fn new(points: usize) -> Fft {
        assert!(points.is_power_of_two() && points >= 2, "{points} points");
        let angle = -TAU / points as f64;
        let root = |k| Complex { re: 0.0, im: angle * k as f64 }.exp();
        Fft { roots: (0..points / 2).map(root).collect(), points }
    }

    /// X_k = Σ_j x_j e^{−2πijk/n}, in place.
    pub(super) fn forward(&self, data: &mut [Complex]) {
        assert_eq!(data.len(), self.points);
        self.reverse_bits(data);
        let mut half = 1;
        while half < self.points {
            let stride = self.points / (2 * half);
            for block in data.chunks_exact_mut(2 * half) {
                let (evens, odds) = block.split_at_mut(half);
                for ((even, odd), &root) in evens.iter_mut().zip(odds).zip(self.roots.iter().step_by(stride)) {
                    let turned = *odd * root;
                    *odd = *even + turned.scale(-1.0);
                    *even = *even + turned;
                }
            }
            half *= 2;
        }
    }

    /// The real part of the inverse transform, x_j = (1/n) Σ_k X_k e^{2πijk/n}.
    pub(super) fn inverse_real(&self, mut data: Vec<Complex>) -> Vec<f64> {
        for value in &mut data {
            *value = value.conj();
        }
        self.forward(&mut data);
        let factor = 1.0 / self.points as f64;
        data.into_iter().map(|value| factor * value.re).collect()
    }

    fn reverse_bits(&self, data: &mut [Complex]) {
        let shift = usize::BITS - self.points.trailing_zeros();
        for i in 0..self.points {
            let j = i.reverse_bits() >> shift;
            if i < j {
                data.swap(i, j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(points: usize) -> Vec<Complex> {
        (0..points).map(|j| Complex { re: (j * j % 7) as f64, im: (j % 3) as f64 - 1.0 }).collect()
    }

    #[test]
    fn the_transform_is_the_sum_it_is_defined_by() {
        let points = 32;
        let mut data = signal(points);
        Fft::new(points).forward(&mut data);
        for (k, got) in data.iter().enumerate() {
            let term = |(j, x): (usize, &Complex)| *x * Complex { re: 0.0, im: -TAU * (j * k) as f64 / 32.0 }.exp();
            let expected = signal(points).iter().enumerate().map(term).fold(Complex::ZERO, Add::add);
            assert!((got.re - expected.re).abs() < 1e-11 && (got.im - expected.im).abs() < 1e-11, "{k}: {got:?}");
        }
    }

    #[test]
    fn the_inverse_returns_the_real_part_of_the_signal() {
        let mut data = signal(1024);
        let fft = Fft::new(1024);
        fft.forward(&mut data);
        for (got, expected) in fft.inverse_real(data).iter().zip(signal(1024)) {
            assert!((got - expected.re).abs() < 1e-12);
        }
    }

    #[test]
    fn a_power_is_a_repeated_product() {
        let z = Complex { re: 0.6, im: -0.3 };
        assert_eq!(z.power(0), Complex::ONE);
        let product = z * z * z * z * z;
        assert!((z.power(5).re - product.re).abs() < 1e-16 && (z.power(5).im - product.im).abs() < 1e-16);
    }
}
