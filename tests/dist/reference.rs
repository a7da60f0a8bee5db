//! Every figure in `reference.csv`, which `reference.py` computes from the definitions in 40-digit arithmetic.

use doublefire::dist::{Distribution, GammaBy, Invalid, LognormalBy, WeibullBy};
use doublefire::draw::Word;

/// The distributions of `reference.py`, by the same names.
fn named(name: &str) -> Distribution {
    make(name).expect("a valid distribution")
}

fn make(name: &str) -> Result<Distribution, Invalid> {
    let by = LognormalBy::default();
    let prelude = || Distribution::lognormal(&LognormalBy { mean: Some(8.28), cv: Some(0.5), ..by });
    let latency = || Distribution::lognormal(&LognormalBy { mean: Some(0.82), sigma: Some(0.6), ..by });
    let samples = |smooth| Distribution::empirical(vec![1.0, 3.0, 2.0, 2.0, 7.5], smooth);
    match name {
        "uniform" => Distribution::uniform(0.5, 2.5),
        "exponential" => Distribution::exponential(8.28),
        "lognormal prelude" => prelude(),
        "lognormal latency" => latency(),
        "lognormal cost" => Distribution::lognormal(&LognormalBy { median: Some(180.0), p95: Some(2400.0), ..by }),
        "lognormal from mean and p99" => {
            Distribution::lognormal(&LognormalBy { mean: Some(2.0), p99: Some(9.0), ..by })
        }
        "lognormal from mean above p90" => {
            Distribution::lognormal(&LognormalBy { mean: Some(2.0), p90: Some(1.5), ..by })
        }
        "lognormal from p90 and p99" => Distribution::lognormal(&LognormalBy { p90: Some(4.0), p99: Some(11.0), ..by }),
        "lognormal wide" => Distribution::lognormal(&LognormalBy { mean: Some(1.0), sigma: Some(4.0), ..by }),
        "lognormal narrow" => Distribution::lognormal(&LognormalBy { median: Some(3.0), sigma: Some(0.001), ..by }),
        "gamma 4" => Distribution::gamma(0.5, GammaBy::Shape(4.0)),
        "gamma 1" => Distribution::gamma(0.5, GammaBy::Shape(1.0)),
        "gamma 0.3" => Distribution::gamma(2.0, GammaBy::Shape(0.3)),
        "gamma 0.01" => Distribution::gamma(0.5, GammaBy::Shape(0.01)),
        "gamma 9.9" => Distribution::gamma(1.0, GammaBy::Shape(9.9)),
        "gamma 10.1" => Distribution::gamma(1.0, GammaBy::Shape(10.1)),
        "gamma 250" => Distribution::gamma(30.0, GammaBy::Shape(250.0)),
        "gamma 10000" => Distribution::gamma(0.5, GammaBy::Shape(1e4)),
        "weibull 0.7" => Distribution::weibull(0.7, WeibullBy::Mean(3.0)),
        "weibull 0.1" => Distribution::weibull(0.1, WeibullBy::Scale(1.0)),
        "weibull 20" => Distribution::weibull(20.0, WeibullBy::Scale(2.0)),
        "pareto 1.5" => Distribution::pareto(1.0, 1.5),
        "pareto 1" => Distribution::pareto(0.25, 1.0),
        "pareto 0.3" => Distribution::pareto(1.0, 0.3),
        "pareto 40" => Distribution::pareto(2.0, 40.0),
        "samples" => samples(false),
        "samples smooth" => samples(true),
        "exponential cut" => Distribution::exponential(8.28)?.shifted(1.5)?.truncated(20.0),
        "lognormal cut" => latency()?.shifted(0.25)?.truncated(1.5),
        "lognormal cut low" => latency()?.truncated(0.03125),
        "gamma 0.3 cut" => Distribution::gamma(2.0, GammaBy::Shape(0.3))?.truncated(5.0),
        "gamma 250 cut" => Distribution::gamma(30.0, GammaBy::Shape(250.0))?.truncated(27.0),
        "weibull 0.7 cut" => Distribution::weibull(0.7, WeibullBy::Scale(2.0))?.shifted(1.0)?.truncated(9.0),
        "pareto 0.3 cut" => Distribution::pareto(1.0, 0.3)?.truncated(1000.0),
        "samples smooth cut" => samples(true)?.shifted(0.5)?.truncated(4.0),
        "mixture" => {
            let tail = Distribution::pareto(1.0, 1.5)?;
            let fast = Distribution::gamma(0.5, GammaBy::Shape(4.0))?;
            Distribution::mixture(vec![(3.0, latency()?), (1.0, tail), (0.5, fast)])
        }
        "mixture with atom" => Distribution::mixture(vec![(0.99, latency()?), (0.01, Distribution::constant(30.0))]),
        _ => panic!("no distribution is called {name}"),
    }
}

/// A line of `reference.csv`.
struct Row {
    distribution: Distribution,
    name: String,
    s: f64,
    x: String,
    value: f64,
}

impl Row {
    fn x(&self) -> f64 {
        self.x.parse().expect("a number")
    }
}

fn rows(function: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(include_str!("reference.csv").as_bytes());
    let records = reader.records().map(|record| record.expect("a CSV record"));
    let rows = records.filter(|record| &record[1] == function).map(|record| Row {
        distribution: named(&record[0]),
        name: record[0].to_owned(),
        s: if record[2].is_empty() { 0.0 } else { record[2].parse().expect("a rate") },
        x: record[3].to_owned(),
        value: record[4].parse().expect("a value"),
    });
    rows.collect()
}

/// Asserts that every row of `function`, at least `least` many, is met to within `tolerance` (by row).
fn assert_rows(function: &str, least: usize, got: impl Fn(&Row) -> f64, tolerance: impl Fn(&Row) -> f64) {
    let rows = rows(function);
    assert!(rows.len() >= least, "only {} rows", rows.len());
    for row in rows {
        let (got, want, tolerance) = (got(&row), row.value, tolerance(&row));
        let met = got == want || (got - want).abs() <= tolerance;
        assert!(met, "{} {function} {} {}: {got:e} for {want:e} ± {tolerance:e}", row.name, row.s, row.x);
    }
}

/// Sigma 0.001 makes a thousand roundings of a relative one in x.
fn conditioning(row: &Row) -> f64 {
    if row.name == "lognormal narrow" { 20.0 } else { 1.0 }
}

#[test]
fn means_are_right_to_1e14() {
    assert_rows("mean", 37, |row| row.distribution.mean(), |row| 1e-14 * row.value);
}

#[test]
fn transforms_are_right_to_1e13_however_small_they_are() {
    assert_rows("deficit", 222, |row| row.distribution.laplace_deficit(row.s), |row| 1e-13 * row.value);
}

#[test]
fn partial_transforms_are_right_to_1e14() {
    assert_rows("up_to", 300, |row| row.distribution.laplace_up_to(row.s, row.x()), |row| 1e-14 * conditioning(row));
}

#[test]
fn distribution_functions_keep_their_relative_precision_down_to_1e12() {
    let tolerance = |row: &Row| 1e-13 * conditioning(row) * row.value;
    assert_rows("cdf", 150, |row| row.distribution.cdf(row.x()), tolerance);
}

#[test]
fn survival_functions_keep_their_relative_precision_down_to_1e12() {
    // Next to a truncation the survival function is a difference: its error is absolute there.
    let tolerance = |row: &Row| {
        let relative = 1e-13 * conditioning(row) * row.value;
        if row.name.contains(" cut") { relative.max(1e-14) } else { relative }
    };
    assert_rows("survival", 150, |row| row.distribution.survival(row.x()), tolerance);
}

#[test]
fn quantiles_are_right_to_1e13_from_the_first_word_to_the_last() {
    let word = |row: &Row| Word(row.x.parse().expect("a word"));
    let tolerance = |row: &Row| 1e-13 * row.value;
    assert_rows("quantile", 450, |row| row.distribution.quantile(word(row)), tolerance);
}
