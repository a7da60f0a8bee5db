//! Claims that hold for every family, and the messages of those that do not exist.

use super::*;
use proptest::prelude::*;

fn ok(distribution: Result<Distribution, Invalid>) -> Distribution {
    distribution.expect("valid parameters")
}

fn lognormal(mean: f64, sigma: f64) -> Distribution {
    ok(Distribution::lognormal(&LognormalBy { mean: Some(mean), sigma: Some(sigma), ..LognormalBy::default() }))
}

/// One of each family, in the middle of its range.
fn families() -> Vec<(&'static str, Distribution)> {
    let samples = || vec![1.0, 3.0, 2.0, 2.0, 7.5];
    let tail = ok(Distribution::pareto(1.0, 1.5));
    vec![
        ("constant", Distribution::constant(1.5)),
        ("uniform", ok(Distribution::uniform(0.5, 2.5))),
        ("exponential", ok(Distribution::exponential(8.28))),
        ("lognormal", lognormal(0.82, 0.6)),
        ("gamma", ok(Distribution::gamma(0.5, GammaBy::Shape(4.0)))),
        ("gamma by cv", ok(Distribution::gamma(0.5, GammaBy::Cv(2.0)))),
        ("weibull", ok(Distribution::weibull(0.7, WeibullBy::Mean(3.0)))),
        ("pareto", tail.clone()),
        ("empirical", ok(Distribution::empirical(samples(), false))),
        ("empirical, smooth", ok(Distribution::empirical(samples(), true))),
        ("mixture", ok(Distribution::mixture(vec![(3.0, lognormal(0.82, 0.6)), (1.0, tail)]))),
        ("shifted and truncated", ok(ok(lognormal(0.82, 0.6).shifted(0.25)).truncated(1.5))),
    ]
}

/// Any distribution without atoms, its parameters drawn from all of their ranges that matter.
fn smooth() -> impl Strategy<Value = Distribution> {
    let scale = || (-6.0..6.0_f64).prop_map(|e| 10.0_f64.powf(e));
    let shape = |low: f64, high: f64| (low.log10()..high.log10()).prop_map(|e| 10.0_f64.powf(e));
    let family = prop_oneof![
        (scale(), scale()).prop_map(|(min, length)| ok(Distribution::uniform(min, min + length))),
        scale().prop_map(|mean| ok(Distribution::exponential(mean))),
        (scale(), shape(1e-3, 5.0)).prop_map(|(mean, sigma)| lognormal(mean, sigma)),
        (scale(), shape(0.01, 1e4)).prop_map(|(mean, k)| ok(Distribution::gamma(mean, GammaBy::Shape(k)))),
        (scale(), shape(0.05, 1e3)).prop_map(|(mean, k)| ok(Distribution::weibull(k, WeibullBy::Mean(mean)))),
        (scale(), shape(0.1, 1e3)).prop_map(|(min, alpha)| ok(Distribution::pareto(min, alpha))),
        proptest::collection::vec(scale(), 2..9).prop_map(|samples| ok(Distribution::empirical(samples, true))),
    ];
    let moved = (family, proptest::option::of(scale()), proptest::option::of(any::<u64>())).prop_map(|(d, by, cut)| {
        let d = by.map_or(d.clone(), |shift| ok(d.shifted(shift)));
        cut.map_or(d.clone(), |word| d.clone().truncated(d.quantile(Word(word))).unwrap_or(d))
    });
    (proptest::collection::vec((0.01..1.0, moved), 1..4)).prop_map(|parts| ok(Distribution::mixture(parts)))
}

/// Words of all magnitudes from both ends.
fn word() -> impl Strategy<Value = Word> {
    (any::<u64>(), 0..64_u32, any::<bool>()).prop_map(|(bits, zeros, flip)| {
        let word = bits >> zeros;
        Word(if flip { !word } else { word })
    })
}

/// A few roundings.
const NUDGE: f64 = 1.0 + 64.0 * f64::EPSILON;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn quantiles_never_fall_as_the_word_rises(d in smooth(), a in word(), b in word(), step in 0_u64..1000) {
        for (low, high) in [(a.min(b), a.max(b)), (a, Word(a.0.saturating_add(step)))] {
            let (x, y) = (d.quantile(low), d.quantile(high));
            prop_assert!(x >= 0.0 && y < f64::INFINITY && x <= y * (1.0 + 1e-13), "{x:e} > {y:e}");
        }
    }

    #[test]
    fn the_distribution_function_inverts_the_quantile_function_in_both_tails(d in smooth(), word in word()) {
        let x = d.quantile(word);
        prop_assume!(x > 1e-290);
        // x itself is rounded: the place lies between the values a few roundings to either side of it.
        let (p, q) = (word.lower(), word.upper());
        if p < 0.5 {
            prop_assert!(d.cdf(x / NUDGE) <= p * (1.0 + 1e-11) && d.cdf(x * NUDGE) >= p * (1.0 - 1e-11));
        } else {
            prop_assert!(d.survival(x * NUDGE) <= q * (1.0 + 1e-11) + 1e-14);
            prop_assert!(d.survival(x / NUDGE) >= q * (1.0 - 1e-11) - 1e-14);
        }
    }

    #[test]
    fn the_two_tails_add_up_to_one(d in smooth(), word in word()) {
        let x = d.quantile(word);
        prop_assert!((d.cdf(x) + d.survival(x) - 1.0).abs() < 1e-13);
    }

    #[test]
    fn a_transform_splits_at_any_place(d in smooth(), word in word(), s in -9.0..9.0_f64) {
        let (s, x) = (10.0_f64.powf(s), d.quantile(word));
        let (whole, up_to) = (1.0 - d.laplace_deficit(s), d.laplace_up_to(s, x));
        // What lies beyond x is worth between nothing and e^{−sx} each.
        prop_assert!(up_to <= whole + 1e-12 && whole <= up_to + d.survival(x) * libm::exp(-s * x) + 1e-12);
        prop_assert!((d.laplace_up_to(s, f64::INFINITY) - whole).abs() < 1e-12);
    }

    #[test]
    fn a_deficit_lies_between_its_bounds(d in smooth(), s in -12.0..9.0_f64) {
        let s = 10.0_f64.powf(s);
        let deficit = d.laplace_deficit(s);
        prop_assert!(deficit > 0.0 && deficit <= 1.0);
        // Jensen: E[e^{−sX}] ≥ e^{−s E[X]}; and concave in s.
        prop_assert!(deficit <= -libm::expm1(-s * d.mean()) * (1.0 + 1e-12));
        let double = d.laplace_deficit(2.0 * s);
        prop_assert!(double >= deficit * (1.0 - 1e-12) && double <= 2.0 * deficit * (1.0 + 1e-12));
    }

    #[test]
    fn a_small_rate_tells_the_mean(d in smooth()) {
        let mean = d.mean();
        prop_assume!(mean < 1e12);
        // 1 − E[e^{−sX}] = s E[X] − s² E[X²]/2 + …, and only a heavy tail makes the second term count.
        let s = 1e-18 / mean;
        let heavy = d.survival(1e6 * mean) > 0.0;
        prop_assert!(heavy || (d.laplace_deficit(s) / (s * mean) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_shift_adds_its_constant_everywhere(d in smooth(), shift in 0.0..100.0, word in word(), s in -6.0..2.0_f64) {
        let s = 10.0_f64.powf(s);
        let moved = ok(d.clone().shifted(shift));
        let (x, y) = (d.quantile(word), moved.quantile(word));
        prop_assert!((y - (x + shift)).abs() <= 1e-12 * y);
        prop_assert!(d.mean() == f64::INFINITY || (moved.mean() / (d.mean() + shift) - 1.0).abs() < 1e-12);
        let transform = libm::exp(-s * shift) * (1.0 - d.laplace_deficit(s));
        prop_assert!((1.0 - moved.laplace_deficit(s) - transform).abs() < 1e-12);
    }

    #[test]
    fn a_truncation_conditions(d in smooth(), limit in word(), word in word(), s in -6.0..2.0_f64) {
        let s = 10.0_f64.powf(s);
        let limit = d.quantile(limit);
        let kept = d.cdf(limit);
        prop_assume!(kept > 0.0 && (1e-290..1e15).contains(&limit));
        let cut = ok(d.clone().truncated(limit));
        let x = cut.quantile(word);
        prop_assert!(x <= limit && cut.mean() <= limit * NUDGE);
        prop_assert!(cut.survival(limit) == 0.0 && (cut.cdf(limit) - 1.0).abs() < 1e-15);
        prop_assert!((cut.cdf(x) * kept - d.cdf(x)).abs() <= 1e-12 * kept);
        let transform = kept * (1.0 - cut.laplace_deficit(s));
        prop_assert!((transform - d.laplace_up_to(s, limit)).abs() < 1e-12);
    }
}

#[test]
fn the_quadrature_agrees_with_closed_forms() {
    let gamma = |k| ok(Distribution::gamma(0.5, GammaBy::Shape(k)));
    for closed in [ok(Distribution::exponential(8.28)), gamma(0.01), gamma(4.0), gamma(1e4)] {
        for exponent in -12..8 {
            let s = 10.0_f64.powi(exponent);
            // A finite bound takes the quadrature, an infinite one the closed form.
            let (whole, bounded) = (closed.laplace_deficit(s), closed.deficit_up_to(s, 1e300));
            assert!((bounded / whole - 1.0).abs() < 1e-13, "at {s:e}: {bounded:e} for {whole:e}");
        }
    }
}

#[test]
fn a_mixture_weighs_its_components() {
    let (fast, slow) = (lognormal(0.82, 0.6), ok(Distribution::exponential(30.0)));
    let nested = ok(Distribution::mixture(vec![(2.0, fast.clone()), (6.0, Distribution::constant(30.0))]));
    let mixture = ok(Distribution::mixture(vec![(0.8, nested), (0.2, slow.clone())]));
    let expected =
        |of: &dyn Fn(&Distribution) -> f64| 0.2 * of(&fast) + 0.6 * of(&Distribution::constant(30.0)) + 0.2 * of(&slow);
    assert!((mixture.mean() / expected(&Distribution::mean) - 1.0).abs() < 1e-15);
    assert!((mixture.cdf(29.0) / expected(&|d| d.cdf(29.0)) - 1.0).abs() < 1e-15);
    assert!((mixture.survival(40.0) / expected(&|d| d.survival(40.0)) - 1.0).abs() < 1e-15);
    assert!((mixture.laplace_deficit(1e-9) / expected(&|d| d.laplace_deficit(1e-9)) - 1.0).abs() < 1e-15);
    // Between the probabilities below and at the atom every word draws exactly it.
    for probability in [0.33, 0.5, 0.92] {
        assert_eq!(mixture.quantile(Word((probability * 2.0_f64.powi(64)) as u64)), 30.0);
    }
    // 40 % of the constant's and the fast component's weight lies up to 30, all of it; the slow one's partly.
    let cut = ok(mixture.clone().truncated(30.0));
    assert!((cut.cdf(5.0) / (mixture.cdf(5.0) / mixture.cdf(30.0)) - 1.0).abs() < 1e-14);
}

#[test]
fn samples_are_drawn_with_equal_probability() {
    let samples = ok(Distribution::empirical(vec![3.0, 1.0, 2.0, 2.0], false));
    let n = 4000_u64;
    let draws: Vec<f64> = (0..n).map(|i| samples.quantile(Word(u64::MAX / n * i + u64::MAX / n / 2))).collect();
    for (value, count) in [(1.0, 1000), (2.0, 2000), (3.0, 1000)] {
        assert_eq!(draws.iter().filter(|&&x| x == value).count(), count);
    }
    assert_eq!(samples.mean(), 2.0);
    assert_eq!((samples.cdf(2.0), samples.survival(2.0)), (0.75, 0.25));
    assert_eq!(ok(samples.truncated(2.5)).mean(), 5.0 / 3.0);
}

#[test]
fn smooth_samples_interpolate_between_order_statistics() {
    let smooth = ok(Distribution::empirical(vec![4.0, 0.0, 1.0], true));
    assert_eq!(smooth.quantile(Word(1 << 62)), 0.5);
    assert_eq!(smooth.quantile(Word(1 << 63)), 1.0);
    assert_eq!(smooth.quantile(Word(3 << 62)), 2.5);
    assert_eq!(smooth.mean(), 1.5);
    assert_eq!(smooth.cdf(2.5), 0.75);
}

#[test]
fn what_can_take_one_value_only_is_a_constant() {
    let constant = |d: Result<Distribution, Invalid>| ok(d).as_constant();
    assert_eq!(constant(Distribution::empirical(vec![2.0, 2.0], true)), Some(2.0));
    assert_eq!(constant(Distribution::mixture(vec![(1.0, Distribution::constant(2.0))])), Some(2.0));
    assert_eq!(constant(Distribution::constant(2.0).shifted(1.0)), Some(3.0));
    assert_eq!(constant(ok(Distribution::empirical(vec![1.0, 5.0], false)).truncated(2.0)), Some(1.0));
    assert_eq!(constant(Distribution::exponential(2.0)), None);
}

#[test]
fn an_atom_at_the_limit_as_written_is_kept() {
    // 0.1 + 0.2 is a rounding above 0.3.
    let shifted = || Distribution::constant(0.2).shifted(0.1);
    assert!(ok(shifted()).truncated(0.3).is_ok());
    assert!(ok(shifted()).truncated(0.299_999_999).is_err());
}

#[test]
fn the_mean_of_a_heavy_pareto_is_infinite_and_its_transform_is_not() {
    let heavy = ok(Distribution::pareto(1.0, 0.5));
    assert_eq!(heavy.mean(), f64::INFINITY);
    // 1 − E[e^{−sX}] → Γ(1 − α)(s·min)^α as s → 0; the next term is s·α/(1 − α).
    let s = 1e-18;
    let leading = std::f64::consts::PI.sqrt() * 1e-9;
    assert!((heavy.laplace_deficit(s) / (leading - s) - 1.0).abs() < 1e-12);
    assert!(ok(heavy.truncated(1e6)).mean() < 1e6);
}

#[test]
fn all_ways_to_give_a_lognormal_agree() {
    let given = lognormal(3.0, 0.7);
    let [median, p90, p95, p99] =
        [0.5, 0.9, 0.95, 0.99].map(|p: f64| given.quantile(Word((p * 2.0_f64.powi(64)) as u64)));
    let all = LognormalBy {
        mean: Some(3.0),
        median: Some(median),
        p90: Some(p90),
        p95: Some(p95),
        p99: Some(p99),
        sigma: Some(0.7),
        cv: Some((0.49_f64.exp() - 1.0).sqrt()),
    };
    let keep = |i: usize, j: usize| {
        let field = |k: usize, value: Option<f64>| value.filter(|_| k == i || k == j);
        LognormalBy {
            mean: field(0, all.mean),
            median: field(1, all.median),
            p90: field(2, all.p90),
            p95: field(3, all.p95),
            p99: field(4, all.p99),
            sigma: field(5, all.sigma),
            cv: field(6, all.cv),
        }
    };
    for i in 0..7 {
        for j in i + 1..7 {
            let Ok(same) = Distribution::lognormal(&keep(i, j)) else {
                assert_eq!((i, j), (5, 6), "sigma and cv alone fix no place");
                continue;
            };
            for word in [1 << 40, 1 << 62, u64::MAX - 5] {
                let (x, y) = (same.quantile(Word(word)), given.quantile(Word(word)));
                assert!((x / y - 1.0).abs() < 1e-12, "{:?}: {x} for {y}", keep(i, j));
            }
        }
    }
}

#[test]
fn sampled_values_are_pinned_to_the_bit() {
    let words = [0, 1 << 40, 0x4321_0000_0000_0001, 1 << 63, 0xb7e1_5162_8aed_2a6a, u64::MAX - (1 << 40), u64::MAX];
    let mut table = String::new();
    for (name, distribution) in families() {
        for word in words {
            let x = distribution.quantile(Word(word));
            table += &format!("{name:21} {word:016x} {:016x} {x:e}\n", x.to_bits());
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_refusal_names_its_parameters_and_what_is_allowed() {
    let by = LognormalBy::default();
    let nothing = f64::NAN;
    let one = || Distribution::constant(1.0);
    let refused = [
        Distribution::uniform(-1.0, 2.0),
        Distribution::uniform(2.0, f64::INFINITY),
        Distribution::uniform(2.0, 2.0),
        Distribution::exponential(0.0),
        Distribution::exponential(nothing),
        Distribution::lognormal(&by),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), median: Some(0.5), sigma: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { sigma: Some(1.0), cv: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(0.0), sigma: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { p95: Some(1e16), sigma: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), sigma: Some(0.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), sigma: Some(21.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), cv: Some(-0.5), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), cv: Some(1e-9), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), median: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), p90: Some(2.3), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), p95: Some(4.0), ..by }),
        Distribution::lognormal(&LognormalBy { mean: Some(1.0), p99: Some(15.0), ..by }),
        Distribution::lognormal(&LognormalBy { median: Some(2.0), p90: Some(1.0), ..by }),
        Distribution::lognormal(&LognormalBy { p95: Some(2.0), p99: Some(2.0), ..by }),
        Distribution::gamma(-1.0, GammaBy::Shape(1.0)),
        Distribution::gamma(1.0, GammaBy::Shape(0.001)),
        Distribution::gamma(1.0, GammaBy::Cv(11.0)),
        Distribution::weibull(0.0, WeibullBy::Scale(1.0)),
        Distribution::weibull(1.0, WeibullBy::Scale(0.0)),
        Distribution::weibull(1.0, WeibullBy::Mean(nothing)),
        Distribution::pareto(0.0, 1.0),
        Distribution::pareto(1.0, 0.0),
        Distribution::empirical(vec![], false),
        Distribution::empirical(vec![1.0, -2.0], true),
        Distribution::mixture(vec![]),
        Distribution::mixture(vec![(1.0, one()), (0.0, one())]),
        Distribution::mixture(vec![(1.0, one()); 65]),
        one().shifted(-1.0),
        one().truncated(-1.0),
        one().truncated(0.5),
        ok(lognormal(1.0, 0.5).shifted(2.0)).truncated(2.0),
        ok(Distribution::mixture(vec![(1.0, one()), (1.0, lognormal(1.0, 0.5))])).truncated(0.0),
    ];
    let lines: Vec<String> = refused
        .into_iter()
        .map(|refused| {
            let invalid = refused.expect_err("no such distribution");
            format!("{}: {invalid}", invalid.parameters.join(", "))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// Every family at every corner of its range.
fn corners() -> Vec<Distribution> {
    let scales = [1e-15, 1.0, 1e15];
    let mut corners = Vec::new();
    for scale in scales {
        corners.push(Distribution::exponential(scale));
        corners.push(Distribution::uniform(0.0, scale));
        corners.push(Distribution::uniform(scale * (1.0 - 1e-15), scale));
        corners.push(Distribution::empirical(vec![0.0, scale], true));
        for sigma in [1e-6, 1.0, 20.0] {
            let by = LognormalBy { median: Some(scale), sigma: Some(sigma), ..LognormalBy::default() };
            corners.push(Distribution::lognormal(&by));
        }
        for shape in [0.01, 0.99, 1.0, 10.0, 1e4] {
            corners.push(Distribution::gamma(scale, GammaBy::Shape(shape)));
        }
        for shape in [0.05, 1.0, 1000.0] {
            corners.push(Distribution::weibull(shape, WeibullBy::Scale(scale)));
        }
        for alpha in [0.1, 1.0, 1000.0] {
            corners.push(Distribution::pareto(scale, alpha));
        }
    }
    let corners: Vec<_> = corners.into_iter().map(ok).collect();
    let cut = |d: &Distribution, word| d.clone().truncated(d.quantile(Word(word)).min(1e15)).ok();
    let cuts = corners.iter().flat_map(|d| [cut(d, 0), cut(d, 1 << 63), cut(d, u64::MAX)]).flatten();
    cuts.chain(corners.iter().cloned()).collect()
}

#[test]
fn corners_give_finite_answers() {
    let places: Vec<f64> = (-310..309).step_by(61).map(|e| 10.0_f64.powi(e)).chain([0.0, f64::INFINITY]).collect();
    for d in corners() {
        for word in [0, 1, 1 << 40, 1 << 63, u64::MAX] {
            let x = d.quantile(Word(word));
            assert!(x >= 0.0 && x.is_finite(), "{d:?}");
        }
        assert!(d.mean() >= 0.0, "{d:?} has mean {}", d.mean());
        let unit = |p: f64| (0.0..=1.0).contains(&p);
        for &x in &places {
            assert!(unit(d.cdf(x)) && unit(d.survival(x)), "{} {} at {x:e} of {d:?}", d.cdf(x), d.survival(x));
            for &s in &places {
                if s < f64::INFINITY {
                    assert!(unit(d.laplace_deficit(s)) && unit(d.laplace_up_to(s, x)), "{s:e} {x:e} of {d:?}");
                }
            }
        }
    }
}
