//! Clopper–Pearson and the beta tails against 50-digit arithmetic (mpmath: continued fraction and Newton's method,
//! neither of which the crate uses the same way), and what must hold for every count.

use doublefire::stats::beta::Beta;
use doublefire::stats::{binomial_tail, clopper_pearson, clopper_pearson_upper, z_score};
use proptest::prelude::*;

/// (successes, trials, confidence, low, high)
const TWO_SIDED: &[(u64, u64, f64, f64, f64)] = &[
    (0, 1, 0.95, 0.0, 0.975),
    (1, 1, 0.95, 0.025000000000000022, 1.0),
    (0, 10, 0.95, 0.0, 0.3084971078187608),
    (1, 10, 0.95, 0.002528578544461787, 0.4450161170281954),
    (5, 10, 0.95, 0.18708602844739858, 0.8129139715526015),
    (9, 10, 0.95, 0.5549838829718047, 0.9974714214555382),
    (10, 10, 0.95, 0.6915028921812393, 1.0),
    (0, 1_000_000, 0.95, 0.0, 3.688872650206488e-06),
    (1, 1_000_000, 0.95, 2.53178076637942e-08, 5.571630655172243e-06),
    (7, 1_000_000, 0.95, 2.81436753430222e-06, 1.4422621834331028e-05),
    (660, 1_000_000, 0.95, 0.0006106161336686811, 0.0007123122399464906),
    (500_000, 1_000_000, 0.95, 0.49901951919531184, 0.5009804808046882),
    (999_999, 1_000_000, 0.95, 0.9999944283693448, 0.9999999746821924),
    (999_993, 1_000_000, 0.95, 0.9999855773781656, 0.9999971856324656),
    (0, 1_000_000_000, 0.95, 0.0, 3.6888794473100194e-09),
    (1, 1_000_000_000, 0.95, 2.5317807983969402e-11, 5.571643378203114e-09),
    (2, 1_000_000_000, 0.95, 2.42209278635737e-10, 7.224687648850591e-09),
    (66, 1_000_000_000, 0.95, 5.104439557481899e-08, 8.396818168812899e-08),
    (660_000, 1_000_000_000, 0.95, 0.0006584091887281644, 0.0006615937029621015),
    (0, 1_000_000_000_000, 0.95, 0.0, 3.688879454107132e-12),
    (1, 1_000_000_000_000, 0.95, 2.5317807984289576e-14, 5.571643390926162e-12),
    (30, 1_000_000_000_000, 0.95, 2.0240874021509562e-11, 4.2826865394533e-11),
    (1_000, 1_000_000_000_000, 0.95, 9.38973018435877e-10, 1.063952135982281e-09),
    (1_000_000, 1_000_000_000_000, 0.95, 9.980409843173845e-07, 1.0019619109625515e-06),
    (1_000_000_000, 1_000_000_000_000, 0.95, 0.0009999380524385367, 0.0010000619504500117),
    (999_999_999_997, 1_000_000_000_000, 0.95, 0.9999999999912327, 0.9999999999993813),
    (3, 7, 0.95, 0.0989882784425079, 0.815948432359917),
    (20, 400, 0.95, 0.030805241143265934, 0.07616697275514255),
    (123, 1_000, 0.95, 0.10327690964141771, 0.14497223867356845),
    (7, 1_000_000, 0.5, 5.082659233965394e-06, 9.684417111698895e-06),
    (7, 1_000_000, 0.999999, 4.4990244881669594e-07, 3.0058524839858567e-05),
    (660, 1_000_000, 0.99, 0.0005957236083128465, 0.0007290761571325353),
    (3, 7, 0.01, 0.36192116952907233, 0.5022857620548741),
    (1, 1_000_000_000, 0.9999999999, 5.000000413826855e-20, 2.7053096713559234e-08),
    (500_000, 1_000_000, 0.999, 0.498354241502883, 0.501645758497117),
    (500_000_000_000, 1_000_000_000_000, 0.95, 0.49999902001750773, 0.5000009799824923),
];

/// (successes, trials, confidence, upper)
const ONE_SIDED: &[(u64, u64, f64, f64)] = &[
    (0, 1_000_000, 0.95, 2.9957277863525433e-06),
    (1, 1_000_000_000, 0.95, 4.743864509510384e-09),
    (10, 1_000_000_000_000, 0.95, 1.6962219235662852e-11),
    (660, 1_000_000, 0.99, 0.0007222541637014214),
    (500_000, 1_000_000, 0.3, 0.4997382998269638),
    (3, 7, 0.5, 0.5),
    (999_999_999_999, 1_000_000_000_000, 0.95, 0.9999999999999487),
];

/// (a, b, x, lower tail, upper tail)
const TAILS: &[(f64, f64, f64, f64, f64)] = &[
    (1.0, 1.0, 0.25, 0.25, 0.75),
    (2.0, 3.0, 0.1, 0.052300000000000006, 0.9477),
    (660.0, 999341.0, 0.00066, 0.5051814383240313, 0.4948185616759687),
    (660.0, 999341.0, 0.0005, 5.025053168555081e-12, 0.9999999999949749),
    (660.0, 999341.0, 0.0009, 1.0, 1.9119365336827595e-17),
    (500000000000.0, 500000000000.0, 0.5, 0.5, 0.5),
    (500000000000.0, 500000000000.0, 0.4999995, 0.15865525392449903, 0.841344746075501),
    (1.0, 1000000000.0, 1e-09, 0.6321205590124974, 0.3678794409875026),
    (1.0, 1000000000000.0, 3e-11, 0.9999999999999064, 9.357622964629247e-14),
    (40.0, 2.0, 0.99, 0.9365604619975526, 0.06343953800244738),
    (1000000.0, 1000000.0, 0.5, 0.5, 0.5),
    (100000000.0, 100000000.0, 0.5, 0.5, 0.5),
];

fn relative_error(value: f64, expected: f64) -> f64 {
    if value == expected { 0.0 } else { (value - expected).abs() / expected.abs() }
}

#[test]
fn two_sided_intervals_agree_with_fifty_digits_to_1e_12() {
    for &(k, n, confidence, low, high) in TWO_SIDED {
        let got = clopper_pearson(k, n, confidence);
        let error = relative_error(got.0, low).max(relative_error(got.1, high));
        assert!(error < 1e-12, "{k} of {n} at {confidence}: {got:?}, off by {error:e}");
    }
}

#[test]
fn one_sided_bounds_agree_with_fifty_digits_to_1e_12() {
    for &(k, n, confidence, upper) in ONE_SIDED {
        let got = clopper_pearson_upper(k, n, confidence);
        let error = relative_error(got, upper);
        assert!(error < 1e-12, "{k} of {n} at {confidence}: {got:e}, off by {error:e}");
    }
}

/// A tail cannot be better known than its argument: a shift of x by half a unit in the last place moves it by
/// √(ab/n) · 1e-16 times the distance from the mean, in standard deviations.
#[test]
fn beta_tails_agree_with_fifty_digits_as_far_as_their_argument_allows() {
    for &(a, b, x, lower, upper) in TAILS {
        let got = Beta::new(a, b).tails(x);
        let scale = (a / (a + b) * b).sqrt();
        let distance = (a * (1.0 - x) - b * x).abs() / scale;
        let allowed = 1e-13 + 4e-16 * scale * (1.0 + distance);
        let error = relative_error(got.lower, lower).max(relative_error(got.upper, upper));
        assert!(error < allowed, "Beta({a}, {b}) at {x}: {got:?}, off by {error:e} where {allowed:e} is allowed");
    }
}

#[test]
fn the_ends_of_the_unit_interval_are_certain() {
    let beta = Beta::new(3.0, 4.0);
    assert_eq!((beta.tails(0.0).lower, beta.tails(0.0).upper), (0.0, 1.0));
    assert_eq!((beta.tails(1.0).lower, beta.tails(1.0).upper), (1.0, 0.0));
}

#[test]
fn nothing_tried_says_nothing() {
    assert_eq!(clopper_pearson(0, 0, 0.95), (0.0, 1.0));
    assert_eq!(clopper_pearson_upper(0, 0, 0.95), 1.0);
}

#[test]
#[should_panic(expected = "3 successes of 2 trials")]
fn more_successes_than_trials_are_a_bug_of_the_caller() {
    let _ = clopper_pearson(3, 2, 0.95);
}

#[test]
fn the_largest_counts_and_the_most_extreme_confidences_end() {
    let confidences = [f64::MIN_POSITIVE, 1e-9, 0.5, 0.95, 1.0 - f64::EPSILON / 2.0];
    for n in [1, 2, 3, 1_000_000_000_000, u64::MAX] {
        for k in [0, 1, 2, n / 3, n / 2, n - 1, n].into_iter().filter(|&k| k <= n) {
            for confidence in confidences {
                let (low, high) = clopper_pearson(k, n, confidence);
                let upper = clopper_pearson_upper(k, n, confidence);
                assert!(0.0 <= low && low <= high && high <= 1.0, "{k} of {n} at {confidence}: {low} {high}");
                assert!(upper <= high && 0.0 <= upper, "{k} of {n} at {confidence}: {upper} {high}");
            }
        }
    }
}

/// The defining property, checked by summing binomial probabilities: an oracle without special functions.
#[test]
fn the_interval_covers_at_least_as_often_as_it_promises_and_its_ends_are_tight() {
    let n = 40;
    let binomial = |k: u64, p: f64| {
        let choose: f64 = (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product();
        choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    };
    for k in 1..n {
        let (low, high) = clopper_pearson(k, n, 0.9);
        let at_least: f64 = (k..=n).map(|j| binomial(j, low)).sum();
        let at_most: f64 = (0..=k).map(|j| binomial(j, high)).sum();
        assert!((at_least - 0.05).abs() < 1e-13 && (at_most - 0.05).abs() < 1e-13, "{k}: {at_least} {at_most}");
    }
    for percent in 1..100 {
        let p = f64::from(percent) / 100.0;
        let covered: f64 = (0..=n)
            .filter(|&k| {
                let (low, high) = clopper_pearson(k, n, 0.9);
                low <= p && p <= high
            })
            .map(|k| binomial(k, p))
            .sum();
        assert!(covered >= 0.9, "coverage at {p} is {covered}");
    }
}

proptest! {
    #[test]
    fn mirrored_counts_have_mirrored_intervals(n in 1_u64..100_000, share in 0.0..=1.0_f64, confidence in 0.01..0.9999_f64) {
        let k = (n as f64 * share) as u64;
        let (low, high) = clopper_pearson(k, n, confidence);
        let (mirrored_low, mirrored_high) = clopper_pearson(n - k, n, confidence);
        prop_assert!((low - (1.0 - mirrored_high)).abs() < 1e-14);
        prop_assert!((high - (1.0 - mirrored_low)).abs() < 1e-14);
    }

    #[test]
    fn one_more_success_raises_both_ends(n in 2_u64..1_000_000_000_000, share in 0.0..1.0_f64, confidence in 0.01..0.9999_f64) {
        let k = ((n as f64 * share) as u64).min(n - 1);
        let (low, high) = clopper_pearson(k, n, confidence);
        let (next_low, next_high) = clopper_pearson(k + 1, n, confidence);
        prop_assert!(low < next_low && high < next_high, "{k} of {n}: {low} {next_low} {high} {next_high}");
        let observed = k as f64 / n as f64;
        prop_assert!(low <= observed && observed <= high);
    }

    #[test]
    fn more_confidence_is_a_wider_interval(n in 1_u64..1_000_000_000, share in 0.0..=1.0_f64, confidence in 0.01..0.99_f64) {
        let k = (n as f64 * share) as u64;
        let (low, high) = clopper_pearson(k, n, confidence);
        let (wider_low, wider_high) = clopper_pearson(k, n, confidence + 0.005);
        prop_assert!(wider_low <= low && high <= wider_high);
        prop_assert!(clopper_pearson_upper(k, n, confidence) <= high);
    }

    #[test]
    fn a_quantile_has_its_tail_below_it(ln_a in 0.0..10.0_f64, ln_b in 0.0..10.0_f64, tail in 1e-9..0.999_f64) {
        let beta = Beta::new(ln_a.exp(), ln_b.exp());
        let lower = beta.tails(beta.lower_quantile(tail)).lower;
        let upper = beta.tails(beta.upper_quantile(tail)).upper;
        // The quantile is rounded, which moves a tail by up to the larger parameter times the rounding.
        prop_assert!((lower / tail - 1.0).abs() < 1e-9, "{lower} {tail}");
        prop_assert!((upper / tail - 1.0).abs() < 1e-9, "{upper} {tail}");
    }
}

#[test]
fn the_z_score_counts_standard_deviations() {
    // n·d = 100, √(n·d·(1 − d)) = √90
    assert!((z_score(109, 1000, 0.1).expect("d is inside (0, 1)") - 9.0 / 90.0_f64.sqrt()).abs() < 1e-12);
    assert!(z_score(91, 1000, 0.1).is_some_and(|z| z < 0.0));
}

#[test]
fn there_is_no_z_score_where_nothing_can_vary() {
    for (n, d) in [(1000, 0.0), (1000, 1.0), (0, 0.5), (1000, f64::NAN), (1000, -0.1), (1000, 1.5)] {
        assert_eq!(z_score(3, n, d), None, "n = {n}, d = {d}");
    }
}

#[test]
fn the_binomial_tail_is_the_sum_of_its_probabilities() {
    for (n, p) in [(1_u64, 0.3), (7, 0.5), (30, 0.02), (40, 0.97)] {
        let mut probabilities = vec![(1.0_f64 - p).powi(n as i32)];
        for k in 0..n {
            probabilities.push(probabilities[k as usize] * (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p));
        }
        for k in 0..=n {
            let at_most: f64 = probabilities[..=k as usize].iter().sum();
            let at_least: f64 = probabilities[k as usize..].iter().rev().sum();
            let (tail, sum) = (binomial_tail(k, n, p), (2.0 * at_most.min(at_least)).min(1.0));
            assert!((tail / sum - 1.0).abs() < 1e-9, "{k} of {n} at {p}: {tail} against {sum}");
        }
    }
}
