//! Kolmogorov and Smirnov's two-sample test between quantiles of addressed words and samples of rand_distr, whose
//! algorithms (ziggurat, Marsaglia–Tsang) are not inverse distribution functions.
//!
//! Each comparison raises a false alarm for one seed in a million; seeds are fixed, so that a pass stays a pass.

use doublefire::dist::{Distribution, GammaBy, LognormalBy, WeibullBy};
use doublefire::draw::{Draws, Site};
use rand_distr::Distribution as Sampler;

const SAMPLES: u64 = 40_000;
const FALSE_ALARM: f64 = 1e-6;

fn ours(distribution: &Distribution) -> Vec<f64> {
    (0..SAMPLES).map(|turn| distribution.quantile(Draws::new(20_250, turn, 1).word(Site::Latency))).collect()
}

fn theirs(sampler: impl Sampler<f64>) -> Vec<f64> {
    let mut words = Draws::new(20_251, 0, 1).stream(Site::Values);
    (0..SAMPLES).map(|_| sampler.sample(&mut words)).collect()
}

/// The largest distance between the two empirical distribution functions, in units of the critical distance.
fn distance(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let share = |sorted: &[f64], x: f64| sorted.partition_point(|&y| y <= x) as f64 / sorted.len() as f64;
    let largest = a.iter().chain(&b).map(|&x| (share(&a, x) - share(&b, x)).abs()).fold(0.0, f64::max);
    let critical = (-(FALSE_ALARM / 2.0).ln() / 2.0).sqrt() * (2.0 / SAMPLES as f64).sqrt();
    largest / critical
}

#[test]
fn quantiles_of_words_are_distributed_like_samples_of_rand_distr() {
    let by = LognormalBy { median: Some(0.7_f64.exp()), sigma: Some(0.6), ..LognormalBy::default() };
    let log_normal = rand_distr::LogNormal::new(0.7, 0.6).expect("valid");
    let gamma = |k: f64, theta: f64| rand_distr::Gamma::new(k, theta).expect("valid");
    let compared = [
        ("uniform", Distribution::uniform(0.5, 2.5), theirs(rand_distr::Uniform::new(0.5, 2.5).expect("valid"))),
        ("exponential", Distribution::exponential(8.0), theirs(rand_distr::Exp::new(0.125).expect("valid"))),
        ("lognormal", Distribution::lognormal(&by), theirs(log_normal)),
        ("gamma 4", Distribution::gamma(2.0, GammaBy::Shape(4.0)), theirs(gamma(4.0, 0.5))),
        ("gamma 0.2", Distribution::gamma(2.0, GammaBy::Shape(0.2)), theirs(gamma(0.2, 10.0))),
        ("gamma 300", Distribution::gamma(2.0, GammaBy::Shape(300.0)), theirs(gamma(300.0, 2.0 / 300.0))),
        (
            "weibull",
            Distribution::weibull(0.7, WeibullBy::Scale(3.0)),
            theirs(rand_distr::Weibull::new(3.0, 0.7).expect("valid")),
        ),
        ("pareto", Distribution::pareto(2.0, 0.8), theirs(rand_distr::Pareto::new(2.0, 0.8).expect("valid"))),
    ];
    for (name, distribution, theirs) in compared {
        let distance = distance(ours(&distribution.expect("valid")), theirs);
        assert!(distance < 1.0, "{name}: {distance} critical distances");
    }
}

#[test]
fn truncated_mixtures_are_distributed_like_rejected_samples() {
    let by = LognormalBy { median: Some(0.7_f64.exp()), sigma: Some(0.6), ..LognormalBy::default() };
    let (fast, slow) = (Distribution::lognormal(&by), Distribution::exponential(8.0));
    let mixture = Distribution::mixture(vec![(3.0, fast.expect("valid")), (1.0, slow.expect("valid"))]);
    let cut = mixture.expect("valid").shifted(0.5).expect("valid").truncated(6.0).expect("valid");
    // The same by definition: choose a component, add the shift, draw again while above the limit.
    let mut words = Draws::new(20_252, 0, 1).stream(Site::Values);
    let chosen = rand_distr::Bernoulli::new(0.75).expect("valid");
    let log_normal = rand_distr::LogNormal::new(0.7, 0.6).expect("valid");
    let exponential = rand_distr::Exp::new(0.125).expect("valid");
    let mut sample =
        || 0.5 + if chosen.sample(&mut words) { log_normal.sample(&mut words) } else { exponential.sample(&mut words) };
    let theirs = std::iter::repeat_with(&mut sample).filter(|&x| x <= 6.0).take(SAMPLES as usize).collect();
    let distance = distance(ours(&cut), theirs);
    assert!(distance < 1.0, "{distance} critical distances");
}

#[test]
fn the_comparison_would_notice_a_shape_that_is_a_fifth_off() {
    let wrong = Distribution::gamma(2.0, GammaBy::Shape(4.8)).expect("valid");
    let right = theirs(rand_distr::Gamma::new(4.0, 0.5).expect("valid"));
    assert!(distance(ours(&wrong), right) > 1.0);
}
