//! Claims that hold for every family.

use super::*;

fn families() -> Vec<(&'static str, Distribution)> {
    let ok = |d: Result<Distribution, Invalid>| d.expect("valid");
    vec![
        ("uniform", ok(Distribution::uniform(0.5, 2.5))),
        ("exponential", ok(Distribution::exponential(8.28))),
        (
            "lognormal",
            ok(Distribution::lognormal(&LognormalBy { mean: Some(8.28), cv: Some(0.5), ..Default::default() })),
        ),
        ("gamma 4", ok(Distribution::gamma(0.5, GammaBy::Shape(4.0)))),
        ("gamma 0.01", ok(Distribution::gamma(0.5, GammaBy::Shape(0.01)))),
        ("gamma 1e4", ok(Distribution::gamma(0.5, GammaBy::Shape(1e4)))),
        ("weibull", ok(Distribution::weibull(0.7, WeibullBy::Mean(3.0)))),
        ("pareto", ok(Distribution::pareto(1.0, 1.5))),
        ("interpolated", ok(Distribution::empirical(vec![1.0, 3.0, 2.0, 2.0, 7.5], true))),
    ]
}

#[test]
fn the_distribution_function_inverts_the_quantile_function_in_both_tails() {
    for (name, distribution) in families() {
        for i in 0..64 {
            for word in [Word(1 << i), Word(!(1 << i)), Word(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i + 1))] {
                let x = distribution.quantile(word);
                if x < 1e-290 {
                    continue;
                }
                // x itself is rounded: the place lies between the values a few roundings to either side of it.
                let nudge = 1.0 + 64.0 * f64::EPSILON;
                let error = if word.lower() < 0.5 {
                    let (p, low, high) = (word.lower(), distribution.cdf(x / nudge), distribution.cdf(x * nudge));
                    (low / p - 1.0).max(1.0 - high / p)
                } else {
                    let (q, low, high) =
                        (word.upper(), distribution.survival(x * nudge), distribution.survival(x / nudge));
                    (low / q - 1.0).max(1.0 - high / q)
                };
                assert!(error < 1e-12, "{name}: {error:e} at {word:?}, x = {x:e}");
            }
        }
    }
}

#[test]
fn the_quadrature_agrees_with_closed_forms() {
    for (name, distribution) in families() {
        let closed = ["exponential", "gamma 4", "gamma 0.01", "gamma 1e4"].contains(&name);
        for exponent in -12..8 {
            let s = 10.0_f64.powi(exponent);
            // A finite bound takes the quadrature, an infinite one the closed form.
            let (whole, bounded) = (distribution.laplace_deficit(s), distribution.deficit_up_to(s, 1e300));
            assert!(!closed || (bounded / whole - 1.0).abs() < 1e-12, "{name} at {s:e}: {bounded:e} for {whole:e}");
        }
    }
}
