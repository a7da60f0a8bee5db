//! The single-write closed form, written out here a second time, and figures known to six digits.

use crate::{exact, exact_of, scenario, text};
use doublefire::estimate::estimate;
use doublefire::scenario::{Cuts, Scenario};
use proptest::prelude::*;

/// q0, qw and qs: cut before the dispatch, cut in the window, not cut.
fn fates(scenario: &Scenario) -> [f64; 3] {
    match &scenario.failure.cuts {
        Cuts::Fraction(f) => {
            let (rate, window) = (f.rate[0], f.window_fraction);
            [rate * (1.0 - window), rate * window, 1.0 - rate]
        }
        Cuts::Hazard(hazard) => {
            let (rate, phases, tool) = (hazard.per_second[0], hazard.phases, &scenario.tools[0]);
            let kept = |parts: [(&doublefire::dist::Distribution, f64); 2]| -> f64 {
                parts.iter().map(|(x, multiplier)| 1.0 - x.laplace_deficit(rate * multiplier)).product()
            };
            let a = kept([(&scenario.stream.prelude, phases.prelude), (&tool.arguments, phases.arguments)]);
            let w = kept([(&tool.latency, phases.tool), (&scenario.stream.gap, phases.gap)]);
            [1.0 - a, a * (1.0 - w), a * w]
        }
    }
}

/// E[duplicates] and P(a duplicate) of a turn whose cuts are retried with probability `p`, at most `r` times.
fn closed_form([q0, qw, qs]: [f64; 3], p: f64, r: i32) -> (f64, f64) {
    let (f, f0) = (p * (q0 + qw), p * q0);
    let effects: f64 = (qw + qs) * (0..=r).map(|k| f.powi(k)).sum::<f64>();
    let none = (0..r).map(|k| f0.powi(k) * q0 * (1.0 - p)).sum::<f64>() + f0.powi(r) * q0;
    // The one effect comes in attempt i; the turn ends with it, or after j more attempts that die before a dispatch.
    let stops = |k: i32| if k == r { 1.0 } else { 1.0 - p };
    let one: f64 = (0..=r)
        .map(|i| {
            let later: f64 = (1..=r - i).map(|j| p * f0.powi(j - 1) * q0 * stops(i + j)).sum();
            f0.powi(i) * (qs + qw * (stops(i) + later))
        })
        .sum();
    (effects - (1.0 - none), 1.0 - none - one)
}

fn retried(failure: &str, p: f64, r: u32) -> String {
    let route = format!("[[route]]\nname = \"retry\"\nkind = \"auto_retry\"\nprobability = {p}\nmax = {r}\n");
    let rest = format!(
        "[[shape]]\ncalls = [\"send_payment\"]\n{route}[run]\nmax_attempts = 20\n[[policy]]\nname = \"naive\"\ndispatcher = \"naive\"\n"
    );
    text("", failure, "", &rest)
}

fn assert_equals_closed_form(text: &str, p: f64, r: u32) {
    let scenario = scenario(text);
    let ours = exact_of(text);
    let (duplicates, turns) = closed_form(fates(&scenario), p, r as i32);
    // The closed form cancels: its own error is a few units in the last place of 1.
    assert!((ours.duplicates_per_turn - duplicates).abs() < 1e-14 + 1e-12 * duplicates, "{ours:?} {duplicates:e}");
    assert!((ours.duplicate_turn_probability - turns).abs() < 1e-14 + 1e-12 * turns, "{ours:?} {turns:e}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_single_write_under_a_hazard_has_the_closed_form(
        rate in 0.001..0.9, p in 0.0..=1.0, r in 1u32..10,
        prelude in 0.1..3.0, arguments in 0.0..3.0, tool in 0.0..3.0, gap in 0.0..3.0,
    ) {
        let phases = format!("{{ prelude = {prelude}, arguments = {arguments}, tool = {tool}, gap = {gap} }}");
        let failure = format!("hazard = {{ rate = {rate}, phases = {phases} }}");
        assert_equals_closed_form(&retried(&failure, p, r), p, r);
    }

    #[test]
    fn a_single_write_under_two_given_rates_has_the_closed_form(
        rate in 0.0..=1.0, window in 0.0..=1.0, p in 0.0..=1.0, r in 1u32..10,
    ) {
        let failure = format!("fraction = {{ rate = {rate}, window_fraction = {window} }}");
        assert_equals_closed_form(&retried(&failure, p, r), p, r);
    }
}

#[test]
fn the_payments_model_has_the_known_figures() {
    let model = r#"
schema = 1
name = "payments"
[stream]
prelude = { lognormal = { mean = "8.58s", sigma = 0.5 } }
gap = { lognormal = { mean = "240ms", sigma = 0.5 } }
[failure]
hazard = { per_hour = 2.240663900414938 }
[[tool]]
name = "pay"
class = "unkeyed_write"
arguments = "0s"
latency = { lognormal = { mean = "820ms", sigma = 0.6 } }
[[shape]]
calls = ["pay"]
[[route]]
name = "retry"
kind = "auto_retry"
delay = { exponential = { mean = "500ms" } }
"#;
    let estimate = estimate(&scenario(model));
    let close = |ours: f64, known: f64, digits: f64| assert!((ours / known - 1.0).abs() < digits, "{ours:e} {known:e}");
    close(estimate.failure_rate, 5.97796e-3, 1e-6);
    close(estimate.window_fraction, 0.1097, 5e-4);
    close(exact(&estimate, 0).duplicates_per_turn, 6.52473e-4, 1e-6);
    assert_eq!(exact(&estimate, 1).duplicates_per_turn, 0.0, "the ledger");
}

#[test]
fn an_idle_timeout_cuts_every_longer_run() {
    let failure = "hazard = { rate = 0.1 }\nidle_timeout = \"1s\"";
    let text = retried(failure, 1.0, 2);
    let scenario = scenario(&text);
    let Cuts::Hazard(hazard) = &scenario.failure.cuts else { panic!("a hazard was given") };
    let (rate, tool) = (hazard.per_second[0], &scenario.tools[0]);
    // E[e^{−λL}; L ≤ 1 s] by the midpoint rule over the quantile function; the step at 1 s costs half a cell at most.
    let cells = 1_000_000u64;
    let quantile = |cell| tool.latency.quantile(doublefire::draw::Word((2 * cell + 1) * (u64::MAX / cells / 2)));
    let in_time: f64 = (0..cells).map(quantile).filter(|l| *l <= 1.0).map(|l| (-rate * l).exp()).sum::<f64>();
    let a = (1.0 - scenario.stream.prelude.laplace_deficit(rate)) * (1.0 - tool.arguments.laplace_deficit(rate));
    let w = in_time / cells as f64 * (1.0 - scenario.stream.gap.laplace_deficit(rate));
    let (duplicates, turns) = closed_form([1.0 - a, a * (1.0 - w), a * w], 1.0, 2);
    let ours = exact_of(&text);
    assert!((ours.duplicates_per_turn / duplicates - 1.0).abs() < 1e-5, "{ours:?} {duplicates}");
    assert!((ours.duplicate_turn_probability / turns - 1.0).abs() < 1e-5, "{ours:?} {turns}");
    assert!((estimate(&scenario).failure_rate / (1.0 - a * w) - 1.0).abs() < 1e-5);
}

#[test]
fn one_retry_makes_the_headline_times_the_chance_that_the_replay_reaches_its_dispatch() {
    let text = retried("hazard = { rate = 0.006 }", 0.75, 1);
    let scenario = scenario(&text);
    let estimate = estimate(&scenario);
    let [_, qw, qs] = fates(&scenario);
    let ours = exact(&estimate, 0).duplicates_per_turn;
    assert!((estimate.failure_rate - 0.006).abs() < 1e-15, "{:e}", estimate.failure_rate);
    assert!((ours / (estimate.headline_rate * 0.75 * (qw + qs)) - 1.0).abs() < 1e-12, "{ours:e}");
    assert!(ours < estimate.headline_rate);
}

#[test]
fn a_hazard_of_zero_or_a_scenario_without_routes_doubles_nothing() {
    assert_eq!(exact_of(&retried("hazard = { rate = 0 }", 1.0, 3)).duplicates_per_turn, 0.0);
    let shape = "[[shape]]\ncalls = [\"send_payment\"]\n[[policy]]\nname = \"naive\"\ndispatcher = \"naive\"\n";
    assert_eq!(exact_of(&text("", "hazard = { rate = 0.5 }", "", shape)).duplicates_per_turn, 0.0);
}
