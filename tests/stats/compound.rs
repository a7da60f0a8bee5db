//! Compound Poisson quantiles against closed forms, Panjer's recursion and stable laws.

use doublefire::dist::{Distribution, LognormalBy, WeibullBy};
use doublefire::stats::compound::CompoundPoisson;
use doublefire::stats::severity::{Amount, Constant, Severity};
use proptest::prelude::*;

const PROBABILITIES: [f64; 6] = [0.05, 0.5, 0.9, 0.95, 0.99, 0.999];

struct Exponential;

impl Amount for Exponential {
    fn survival(&self, x: f64) -> f64 {
        (-x).exp()
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        s / (1.0 + s)
    }
}

/// The stable law of index 1/2: no mean, and n of them add up to n² times one.
struct Levy;

impl Amount for Levy {
    fn survival(&self, x: f64) -> f64 {
        libm::erf((0.5 / x).sqrt())
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        -(-(2.0 * s).sqrt()).exp_m1()
    }
}

/// Weights on a list of values.
struct Atoms(Vec<(f64, f64)>);

impl Amount for Atoms {
    fn survival(&self, x: f64) -> f64 {
        self.0.iter().filter(|(value, _)| *value > x).map(|(_, weight)| weight).sum()
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        self.0.iter().map(|(value, weight)| -weight * (-s * value).exp_m1()).sum()
    }
}

/// Poisson probabilities from 0 to well beyond the mean.
fn poisson(mean: f64) -> Vec<f64> {
    let last = (mean + 12.0 * mean.sqrt() + 40.0) as u64;
    let mass = |n: u64| (n as f64 * mean.ln() - mean - libm::lgamma(n as f64 + 1.0)).exp();
    (0..=last).map(mass).collect()
}

/// The least x with cdf(x) ≥ p.
fn invert(p: f64, cdf: impl Fn(f64) -> f64) -> f64 {
    let (mut below, mut above) = (0.0, 1.0);
    while cdf(above) < p {
        (below, above) = (above, 2.0 * above);
    }
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        if cdf(middle) < p { below = middle } else { above = middle }
    }
    above
}

/// The sum of exponentials is at most x exactly when no more of them were drawn than points of a Poisson process of
/// rate 1 fall on [0, x].
fn exponential_sum_cdf(counts: &[f64], x: f64) -> f64 {
    let arrivals = poisson(x);
    let mut no_more = 0.0;
    let mut cumulative = 0.0;
    for (n, arrivals) in arrivals.iter().enumerate() {
        cumulative += counts.get(n).copied().unwrap_or(0.0);
        no_more += arrivals * cumulative;
    }
    no_more
}

fn assert_close(got: Option<f64>, expected: f64, tolerance: f64, what: &str) {
    let got = got.expect("within the range of the module");
    let error = if got == expected { 0.0 } else { (got / expected - 1.0).abs() };
    assert!(error < tolerance, "{what}: {got} instead of {expected}, off by {error:e}");
}

#[test]
fn sums_of_exponentials_have_the_quantiles_of_their_closed_form() {
    for rate in [0.02, 0.1, 0.7, 1.98, 10.0, 49.0, 51.0, 300.0, 5_000.0] {
        let sum = CompoundPoisson::new(rate, Severity::single(Exponential));
        let counts = poisson(rate);
        for p in PROBABILITIES {
            let expected = if counts[0] >= p { 0.0 } else { invert(p, |x| exponential_sum_cdf(&counts, x)) };
            assert_close(sum.quantile(p), expected, 1e-5, &format!("rate {rate}, p {p}"));
        }
    }
}

#[test]
fn sums_without_a_mean_have_the_quantiles_of_the_stable_law() {
    for rate in [0.02, 0.7, 1.98, 10.0, 51.0, 1_000.0, 1e5] {
        let sum = CompoundPoisson::new(rate, Severity::single(Levy));
        let counts = poisson(rate);
        let cdf = |x: f64| {
            let at_most = |(n, mass): (usize, &f64)| mass * libm::erfc(n as f64 * (0.5 / x).sqrt());
            counts.iter().enumerate().filter(|(_, mass)| **mass > 1e-25).map(at_most).sum::<f64>()
        };
        for p in PROBABILITIES {
            let expected = if counts[0] >= p { 0.0 } else { invert(p, cdf) };
            // Rounding errors grow with the square root of the rate, and so heavy a tail magnifies them.
            assert_close(sum.quantile(p), expected, 1e-5_f64.max(1e-6 * rate.sqrt()), &format!("rate {rate}, p {p}"));
        }
    }
}

#[test]
fn sums_of_a_constant_are_exact_multiples_with_poisson_quantiles() {
    for rate in [0.02, 0.7, 1.98, 10.0, 51.0, 700.0] {
        let sum = CompoundPoisson::new(rate, Severity::single(Constant(180.0)));
        let counts = poisson(rate);
        for p in PROBABILITIES {
            let mut cumulative = 0.0;
            let at_least = counts.iter().position(|mass| {
                cumulative += mass;
                cumulative >= p
            });
            let expected = 180.0 * at_least.expect("p is below 1") as f64;
            assert_eq!(sum.quantile(p), Some(expected), "rate {rate}, p {p}");
        }
    }
}

/// Panjer's recursion, in units of the lattice: masses of the sum from those of the severity.
fn panjer(rate: f64, severity: &[f64], length: usize) -> Vec<f64> {
    let mut sum = vec![(-rate * (1.0 - severity[0])).exp()];
    for j in 1..length {
        let term = |i: usize| i as f64 * severity[i] * sum[j - i];
        let mass = rate / j as f64 * (1..=j.min(severity.len() - 1)).map(term).sum::<f64>();
        sum.push(mass);
    }
    sum
}

#[test]
fn mixtures_of_sums_of_constants_are_exact_by_panjers_recursion() {
    // 25 and 40 share the measure 5: one of either, both, or two of the first.
    let patterns = [(vec![1, 0], 3.0), (vec![0, 1], 2.0), (vec![1, 1], 1.0), (vec![2, 0], 1.0), (vec![0, 0], 1.0)];
    let mut severity = [0.0; 14];
    for (counts, weight) in &patterns {
        severity[(5 * counts[0] + 8 * counts[1]) as usize] += weight / 8.0;
    }
    for rate in [0.3, 2.0, 20.0, 300.0] {
        let amounts = vec![Constant(25.0), Constant(40.0)];
        let sum = CompoundPoisson::new(rate, Severity::mixture(amounts, patterns.clone()));
        let masses = panjer(rate, &severity, 4096);
        for p in PROBABILITIES {
            let mut cumulative = 0.0;
            let at_least = masses.iter().position(|mass| {
                cumulative += mass;
                cumulative >= p
            });
            let expected = 5.0 * at_least.expect("the recursion reaches p") as f64;
            assert_eq!(sum.quantile(p), Some(expected), "rate {rate}, p {p}");
        }
    }
}

#[test]
fn atoms_without_a_common_measure_are_right_to_the_documented_error() {
    // Multiples of 1/1000, which the crate is not told.
    let atoms = [(0.0, 0.1), (1.237, 0.4), (3.001, 0.3), (17.5, 0.15), (99.999, 0.05)];
    let mut severity = vec![0.0; 100_000];
    for (value, weight) in atoms {
        severity[(value * 1000.0_f64).round() as usize] += weight;
    }
    for rate in [0.4, 2.0, 6.0] {
        let sum = CompoundPoisson::new(rate, Severity::single(Atoms(atoms.to_vec())));
        let atoms: Vec<(usize, f64)> = severity.iter().copied().enumerate().filter(|(_, mass)| *mass > 0.0).collect();
        let mut masses = vec![(-rate * 0.9_f64).exp()];
        for j in 1..400_000_usize {
            let usable = atoms.iter().filter(|(i, _)| (1..=j).contains(i));
            masses.push(rate / j as f64 * usable.map(|(i, mass)| *i as f64 * mass * masses[j - i]).sum::<f64>());
        }
        for p in PROBABILITIES {
            let mut cumulative = 0.0;
            let at_least = masses.iter().position(|mass| {
                cumulative += mass;
                cumulative >= p
            });
            let expected = at_least.expect("the recursion reaches p") as f64 / 1000.0;
            assert_close(sum.quantile(p), expected, 1e-4, &format!("rate {rate}, p {p}"));
        }
    }
}

/// However close p comes to a step of the distribution function, the quantile is on the right one.
#[test]
fn costs_that_hardly_vary_have_nearly_poisson_quantiles() {
    for spread in [1e-2, 1e-3, 1e-5, 1e-8] {
        let uniform = Distribution::uniform(180.0, 180.0 * (1.0 + spread)).expect("valid parameters");
        for rate in [1.9, 2.3, 2.67, 3.1, 6.0] {
            let sum = CompoundPoisson::new(rate, Severity::single(Of(uniform.clone())));
            let counts = poisson(rate);
            for percent in (30..99).step_by(8) {
                let p = f64::from(percent) / 100.0;
                let mut cumulative = 0.0;
                let at_least = counts.iter().position(|mass| {
                    cumulative += mass;
                    cumulative >= p
                });
                let n = at_least.expect("p is below 1") as f64;
                let got = sum.quantile(p).expect("within the range of the module");
                let (low, high) = (180.0 * n, 180.0 * n * (1.0 + spread));
                assert!(low * (1.0 - 3e-4) <= got && got <= high * (1.0 + 3e-4), "{spread}, {rate}, {p}: {got}, {n}");
            }
        }
    }
}

/// Whole amounts of money: at large rates the lattice is coarser than the money, and half a unit in every draw would
/// show in the sum.
#[test]
fn a_million_draws_of_whole_amounts_add_up_without_bias() {
    let atoms: Vec<(f64, f64)> = (1..=100).map(|value| (f64::from(value), 0.01)).collect();
    let (mean, second): (f64, f64) = (50.5, 3_383.5);
    for rate in [1e3, 1e4, 1e6, 1e9] {
        let sum = CompoundPoisson::new(rate, Severity::single(Atoms(atoms.clone())));
        // Normal with Cornish–Fisher's first correction, which is exact to about 1/rate.
        let skewness = 255_025.0 / (second * second.sqrt() * rate.sqrt());
        for (p, z) in [(0.5, 0.0), (0.95, 1.644_853_626_951_472_2), (0.99, 2.326_347_874_040_841)] {
            let expected = rate * mean + (rate * second).sqrt() * (z + (z * z - 1.0) / 6.0 * skewness);
            assert_close(sum.quantile(p), expected, 3e-5_f64.max(0.2 / rate), &format!("rate {rate}, p {p}"));
        }
    }
}

#[test]
fn sums_of_a_severity_far_below_the_step_keep_their_quantiles() {
    for rate in [1e5, 1e7, 1e9] {
        let sum = CompoundPoisson::new(rate, Severity::single(Exponential));
        let skewness = 6.0 / (2.0 * (2.0 * rate).sqrt());
        for (p, z) in [(0.5, 0.0), (0.95, 1.644_853_626_951_472_2), (0.99, 2.326_347_874_040_841)] {
            let expected = rate + (2.0 * rate).sqrt() * (z + (z * z - 1.0) / 6.0 * skewness);
            assert_close(sum.quantile(p), expected, 1e-5, &format!("rate {rate}, p {p}"));
        }
    }
}

#[test]
fn nothing_that_happens_or_nothing_that_costs_is_a_zero() {
    assert_eq!(CompoundPoisson::<Constant>::zero().quantiles(&[0.5, 0.99]), [Some(0.0), Some(0.0)]);
    assert_eq!(CompoundPoisson::new(0.0, Severity::single(Exponential)).quantile(0.99), Some(0.0));
    assert_eq!(CompoundPoisson::new(50.0, Severity::single(Constant(0.0))).quantile(0.99), Some(0.0));
    // P(no event) = e^{−0.01} = 0.990…
    let rare = CompoundPoisson::new(0.01, Severity::single(Exponential));
    assert_eq!(rare.quantiles(&[0.5, 0.99]), [Some(0.0), Some(0.0)]);
    assert!(rare.quantile(0.995).is_some_and(|x| x > 0.0));
}

#[test]
fn what_cannot_be_computed_is_not_made_up() {
    assert_eq!(CompoundPoisson::new(1e11, Severity::single(Exponential)).quantile(0.5), None);
    let beyond_floats = Atoms(vec![(f64::MAX / 2.0, 1.0)]);
    assert_eq!(CompoundPoisson::new(10.0, Severity::single(beyond_floats)).quantile(0.5), None);
}

#[test]
fn the_unit_of_money_does_not_matter() {
    let quantile = |unit: f64| {
        let amounts = vec![Atoms(vec![(3.0 * unit, 0.5), (1.234 * unit, 0.5)])];
        CompoundPoisson::new(7.0, Severity::mixture(amounts, [(vec![1], 1.0), (vec![2], 0.5)])).quantile(0.95)
    };
    let one = quantile(1.0).expect("in range");
    for unit in [1e-200, 1e-9, 1e9, 1e200] {
        assert_close(quantile(unit), one * unit, 1e-4, &format!("unit {unit}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn quantiles_rise_with_probability_and_rate(ln_rate in -3.0..7.0_f64, p in 0.05..0.95_f64) {
        let quantile = |rate: f64, p: f64| CompoundPoisson::new(rate, Severity::single(Exponential)).quantile(p);
        let rate = ln_rate.exp();
        prop_assert!(quantile(rate, p) <= quantile(rate, p + 0.04));
        prop_assert!(quantile(rate, p) <= quantile(1.2 * rate, p));
    }
}

/// An amount from the crate's distributions.
struct Of(Distribution);

impl Amount for Of {
    fn survival(&self, x: f64) -> f64 {
        self.0.survival(x)
    }

    fn laplace_deficit(&self, s: f64) -> f64 {
        self.0.laplace_deficit(s)
    }
}

/// For every distribution, however wild: the sum is at least its largest term, P(largest ≤ x) = exp(−λ·P(X > x)); and
/// by Markov's inequality for 1 − e^{−sS}, P(S > x) ≤ (1 − e^{−λ(1 − φ(s))}) / (1 − e^{−sx}) for every s.
#[test]
fn quantiles_of_wild_distributions_lie_between_bounds_that_hold_for_all() {
    let lognormal = |sigma| {
        let by = LognormalBy { median: Some(100.0), sigma: Some(sigma), ..LognormalBy::default() };
        Distribution::lognormal(&by).expect("valid parameters")
    };
    let heavy = Distribution::pareto(10.0, 0.3).expect("valid parameters");
    let thin = Distribution::weibull(0.05, WeibullBy::Scale(90.0)).expect("valid parameters");
    let narrow = Distribution::uniform(1e6, 1e6 + 1.0).expect("valid parameters");
    for distribution in [lognormal(20.0), lognormal(2.0), lognormal(1e-5), heavy, thin, narrow] {
        for rate in [0.75, 40.0, 70.0, 1e4, 1e7] {
            let sum = CompoundPoisson::new(rate, Severity::single(Of(distribution.clone())));
            for p in [0.5, 0.95, 0.99] {
                let x = sum.quantile(p).expect("within the range of the module");
                let what = format!("{distribution:?}, rate {rate}, p {p}: {x}");
                let largest = (-rate * distribution.survival(x * (1.0 + 1e-3))).exp();
                assert!(largest >= p - 1e-6, "{what}, though the largest term alone stays below with {largest}");
                let exceeds = (-60..60).map(|k| {
                    let s = libm::ldexp(1.0, k) / x;
                    -(-rate * distribution.laplace_deficit(s)).exp_m1() / -(-s * x * (1.0 - 1e-3)).exp_m1()
                });
                let exceeds = exceeds.fold(1.0, f64::min);
                assert!(exceeds >= 1.0 - p - 1e-6, "{what}, though more has a probability of at most {exceeds}");
            }
        }
    }
}
