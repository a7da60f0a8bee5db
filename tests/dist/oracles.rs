//! Quantiles against statrs, over the ranges in which it is right: it loses the upper tail, which it reads as 1 − p,
//! and its gamma quantiles have an absolute tolerance, which makes small ones arbitrary (0.5 at 10⁻⁹: 9e-10 for
//! 3e-18).

use doublefire::dist::{Distribution, GammaBy, LognormalBy, WeibullBy};
use doublefire::draw::Word;
use statrs::distribution::{ContinuousCDF, Exp, Gamma, LogNormal, Pareto, Weibull};

/// The largest relative difference over words from p = 10⁻⁹ to 1 − 10⁻⁴.
fn worst(ours: &Distribution, theirs: &impl ContinuousCDF<f64, f64>) -> f64 {
    let tail = (10..90).map(|i| 10.0_f64.powf(-0.1 * f64::from(i)));
    let places = tail.chain((1..1000).map(|i| f64::from(i) / 1000.0)).chain([1.0 - 1e-4]);
    let words = places.map(|p| Word((p * 2.0_f64.powi(64)) as u64));
    words.map(|word| (ours.quantile(word) / theirs.inverse_cdf(word.lower()) - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn quantiles_agree_with_statrs() {
    let by = LognormalBy { median: Some(1.5_f64.exp()), sigma: Some(0.6), ..LognormalBy::default() };
    let ours = Distribution::lognormal(&by).expect("valid");
    assert!(worst(&ours, &LogNormal::new(1.5, 0.6).expect("valid")) < 1e-11);
    let ours = Distribution::exponential(8.0).expect("valid");
    assert!(worst(&ours, &Exp::new(0.125).expect("valid")) < 1e-11);
    let ours = Distribution::weibull(0.7, WeibullBy::Scale(3.0)).expect("valid");
    assert!(worst(&ours, &Weibull::new(0.7, 3.0).expect("valid")) < 1e-11);
    let ours = Distribution::pareto(2.0, 0.8).expect("valid");
    assert!(worst(&ours, &Pareto::new(2.0, 0.8).expect("valid")) < 1e-11);
}

#[test]
fn gamma_quantiles_agree_with_statrs() {
    for shape in [1.0, 2.5, 4.0, 9.99, 10.01, 75.0, 1234.5, 1e4] {
        let ours = Distribution::gamma(2.0, GammaBy::Shape(shape)).expect("valid");
        let difference = worst(&ours, &Gamma::new(shape, shape / 2.0).expect("valid"));
        assert!(difference < 1e-8, "{difference:e} at shape {shape}");
    }
}
