//! Intervals for a probability from a count, and the distance of a count from its expectation.

use crate::stats::beta::Beta;

/// The exact (Clopper–Pearson) two-sided interval for a probability, at `confidence` in (0, 1), from `successes` of
/// `trials`.
///
/// The low end is the p at which that many successes or more have probability (1 − confidence) / 2, the high end the
/// p at which that many or fewer have; 0 and 1 where there is no such p. Relative error below 10⁻¹², for any counts.
///
/// # Panics
/// If there are more successes than trials, or `confidence` is not strictly between 0 and 1.
#[must_use]
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> (f64, f64) {
    check(successes, trials, confidence);
    let tail = 0.5 * (1.0 - confidence);
    (lower_bound(successes, trials, tail), upper_bound(successes, trials, tail))
}

/// The exact one-sided upper bound for a probability: the p at which `successes` or fewer of `trials` have
/// probability 1 − confidence. For zero successes at 0.95 it is close to 3 / `trials`.
///
/// # Panics
/// As [`clopper_pearson`].
#[must_use]
pub fn clopper_pearson_upper(successes: u64, trials: u64, confidence: f64) -> f64 {
    check(successes, trials, confidence);
    // A confidence too small to show in 1 − confidence still leaves a tail below 1.
    upper_bound(successes, trials, (1.0 - confidence).min(1.0 - f64::EPSILON / 2.0))
}

/// How many standard deviations `duplicate_turns` lies from what `n` turns with probability `d` each lead to expect:
/// (k − n·d) / √(n·d·(1 − d)). None where nothing can vary (d of 0 or 1, no turns) or `d` is no probability.
#[must_use]
pub fn z_score(duplicate_turns: u64, n: u64, d: f64) -> Option<f64> {
    let n = n as f64;
    let variance = n * d * (1.0 - d);
    (variance > 0.0).then(|| (duplicate_turns as f64 - n * d) / variance.sqrt())
}

/// How unusual it is that `successes` of `trials` are as far from their expectation, when each has probability `p`:
/// twice the smaller of P(that many or fewer) and P(that many or more), at most 1. Exact for any counts.
///
/// # Panics
/// If there are more successes than trials, or `p` is no probability.
#[must_use]
pub fn binomial_tail(successes: u64, trials: u64, p: f64) -> f64 {
    assert!(successes <= trials, "{successes} successes of {trials} trials");
    assert!((0.0..=1.0).contains(&p), "a probability of {p}");
    let (k, rest) = (successes as f64, (trials - successes) as f64);
    // k or more successes mean that the k-th smallest of `trials` uniform draws, a beta variable, is not above p.
    let at_least = if successes == 0 { 1.0 } else { Beta::new(k, rest + 1.0).tails(p).lower };
    let at_most = if successes == trials { 1.0 } else { Beta::new(k + 1.0, rest).tails(p).upper };
    (2.0 * at_least.min(at_most)).min(1.0)
}

/// The quantile of a binomial distribution: the least number of successes in `trials` that is not exceeded with
/// probability `u` or more. At most some seventy evaluations of the distribution function.
///
/// # Panics
/// If `p` is no probability.
#[must_use]
pub fn binomial_quantile(trials: u64, p: f64, u: f64) -> u64 {
    assert!((0.0..=1.0).contains(&p), "a probability of {p}");
    let reaches = |k: u64| k >= trials || Beta::new(k as f64 + 1.0, (trials - k) as f64).tails(p).upper >= u;
    if p == 0.0 {
        return 0;
    }
    // From the mean outwards in growing steps, then by halves.
    let (mean, spread) = (trials as f64 * p, (trials as f64 * p * (1.0 - p)).sqrt() as u64 + 1);
    let mut above = (mean as u64).min(trials);
    let mut step = spread;
    while !reaches(above) {
        above = above.saturating_add(step).min(trials);
        step = step.saturating_mul(2);
    }
    step = spread;
    let mut below = above;
    while below > 0 && reaches(below) {
        (above, below) = (below, below.saturating_sub(step));
        step = step.saturating_mul(2);
    }
    if reaches(below) {
        return below;
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if reaches(middle) { above = middle } else { below = middle }
    }
    above
}

fn check(successes: u64, trials: u64, confidence: f64) {
    assert!(successes <= trials, "{successes} successes of {trials} trials");
    assert!(confidence > 0.0 && confidence < 1.0, "a confidence of {confidence}");
}

fn lower_bound(successes: u64, trials: u64, tail: f64) -> f64 {
    if successes == 0 {
        0.0
    } else if successes == trials {
        libm::exp(libm::log(tail) / trials as f64)
    } else {
        Beta::new(successes as f64, (trials - successes + 1) as f64).lower_quantile(tail)
    }
}

fn upper_bound(successes: u64, trials: u64, tail: f64) -> f64 {
    if successes == trials {
        1.0
    } else if successes == 0 {
        -libm::expm1(libm::log(tail) / trials as f64)
    } else {
        Beta::new((successes + 1) as f64, (trials - successes) as f64).upper_quantile(tail)
    }
}
