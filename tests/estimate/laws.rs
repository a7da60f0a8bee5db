//! Laws that hold between scenarios, whatever the figures are.

use crate::{exact, exact_of, scenario, text};
use doublefire::estimate::{Exact, estimate};
use proptest::prelude::*;

const SHAPE: &str = "[[shape]]\ncalls = [\"send_payment\"]\n";
const NAIVE: &str = "[[policy]]\nname = \"naive\"\ndispatcher = \"naive\"\n";

fn route(p: f64, max: u32, more: &str) -> String {
    format!("[[route]]\nname = \"retry\"\nkind = \"auto_retry\"\nprobability = {p}\nmax = {max}\n{more}\n")
}

fn hazard(rate: f64) -> String {
    format!("hazard = {{ rate = {rate} }}")
}

/// What every figure satisfies.
fn assert_sound(exact: &Exact) {
    let p = exact.duplicate_turn_probability;
    assert!((0.0..=1.0).contains(&p), "{exact:?}");
    assert!(exact.duplicates_per_turn >= p * (1.0 - 1e-12), "a duplicate turn has at least one: {exact:?}");
    let sum: f64 = exact.patterns.iter().map(|(_, p)| p).sum();
    assert!((sum - p).abs() <= 1e-12 * p, "{exact:?}");
    for (tool, duplicates) in exact.duplicates_by_tool.iter().enumerate() {
        let sum: f64 = exact.patterns.iter().map(|(pattern, p)| f64::from(pattern[tool]) * p).sum();
        assert!((sum - duplicates).abs() <= 1e-12 * sum, "{exact:?}");
    }
    assert!(exact.patterns.iter().all(|(pattern, p)| *p > 0.0 && pattern.iter().any(|n| *n > 0)), "{exact:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_two_failure_models_agree_where_their_rates_do(rate in 0.001..0.9, p in 0.1..=1.0, max in 1u32..6) {
        let rest = SHAPE.to_owned() + &route(p, max, "") + NAIVE;
        let by_hazard = estimate(&scenario(&text("", &hazard(rate), "", &rest)));
        let (rate, window) = (by_hazard.failure_rate, by_hazard.window_fraction);
        let failure = format!("fraction = {{ rate = {rate}, window_fraction = {window} }}");
        let by_fraction = estimate(&scenario(&text("", &failure, "", &rest)));
        let (one, other) = (exact(&by_hazard, 0), exact(&by_fraction, 0));
        prop_assert!((one.duplicates_per_turn / other.duplicates_per_turn - 1.0).abs() < 1e-9, "{one:?} {other:?}");
        prop_assert!((by_hazard.headline_rate / by_fraction.headline_rate - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_longer_tool_never_lowers_the_rate(per_hour in 1.0..500.0, longer in 1.0..20.0, max in 1u32..5) {
        let figure = |millis: f64| {
            let tool = format!(r#"
[[tool]]
name = "pay"
class = "unkeyed_write"
arguments = "300ms"
latency = {{ lognormal = {{ mean = "{millis:.0}ms", sigma = 0.6 }} }}
[[shape]]
calls = ["pay"]
"#);
            exact_of(&text("", &format!("hazard = {{ per_hour = {per_hour} }}"), "", &(tool + &route(1.0, max, "") + NAIVE)))
        };
        let (short, long) = (figure(820.0), figure(820.0 * longer));
        prop_assert!(long.duplicates_per_turn >= short.duplicates_per_turn * (1.0 - 1e-12));
    }

    #[test]
    fn more_retries_and_likelier_ones_never_lower_the_rate(rate in 0.01..0.9, p in 0.0..0.9, max in 1u32..5) {
        let figure = |p: f64, max: u32| {
            let exact = exact_of(&text("", &hazard(rate), "", &(SHAPE.to_owned() + &route(p, max, "") + NAIVE)));
            assert_sound(&exact);
            exact.duplicates_per_turn
        };
        let base = figure(p, max);
        prop_assert!(figure(p, max + 1) >= base);
        prop_assert!(figure(p + 0.1, max) >= base);
        prop_assert_eq!(figure(0.0, max), 0.0);
    }

    #[test]
    fn a_ledger_under_drift_lies_between_nothing_and_no_ledger(rate in 0.05..0.7, reworded in 0.01..1.0, dropped in 0.0..0.3) {
        let drift = format!("[model]\nre_emits = {{ reworded = {}, dropped = {dropped} }}\n", reworded * (1.0 - dropped));
        let ledger = "[[policy]]\nname = \"ledger\"\ndispatcher = \"ledger\"\n";
        let shape = "[[shape]]\ncalls = [\"send_payment\", \"send_payment\"]\n";
        let rest = shape.to_owned() + &route(1.0, 3, "") + &drift + NAIVE + ledger;
        let estimate = estimate(&scenario(&text("", &hazard(rate), "", &rest)));
        let (naive, ledger) = (exact(&estimate, 0), exact(&estimate, 1));
        assert_sound(naive);
        assert_sound(ledger);
        prop_assert!(0.0 < ledger.duplicates_per_turn && ledger.duplicates_per_turn <= naive.duplicates_per_turn * 1.0001);
    }

    #[test]
    fn only_hazard_times_multiplier_counts(per_hour in 1.0..200.0, factor in 0.1..10.0) {
        let figure = |per_hour: f64, m: f64| {
            let phases = format!("{{ prelude = {m}, arguments = {m}, tool = {m}, gap = {m} }}");
            let failure = format!("hazard = {{ per_hour = {per_hour}, phases = {phases} }}");
            exact_of(&text("", &failure, "", &(SHAPE.to_owned() + &route(1.0, 3, "") + NAIVE))).duplicates_per_turn
        };
        let (one, other) = (figure(per_hour, factor), figure(per_hour * factor, 1.0));
        prop_assert!((one / other - 1.0).abs() < 1e-11, "{one:e} {other:e}");
    }

    #[test]
    fn keeping_finished_steps_never_doubles_more_than_starting_over(rate in 0.05..0.8, max in 1u32..4) {
        let figure = |resumes: &str| {
            let shape = "[[shape]]\nsteps = [[\"send_payment\"], [\"send_payment\", \"send_payment\"], []]\n";
            let rest = shape.to_owned() + &route(1.0, max, &format!("resumes = \"{resumes}\"")) + NAIVE;
            let exact = exact_of(&text("", &hazard(rate), "", &rest));
            assert_sound(&exact);
            exact.duplicates_per_turn
        };
        prop_assert!(figure("step") < figure("turn"));
    }

    #[test]
    fn a_shape_split_in_two_is_the_same_mix(rate in 0.05..0.8, share in 0.01..0.99) {
        let shape = |weight: f64| format!("[[shape]]\nweight = {weight}\ncalls = [\"send_payment\"]\n");
        let other = "[[shape]]\nweight = 0.5\ncalls = [\"send_payment\", \"send_payment\"]\n";
        let figure = |shapes: String| {
            let text = text("", &hazard(rate), "", &(shapes + other + &route(0.9, 2, "") + NAIVE));
            exact_of(&text).duplicates_per_turn
        };
        let (one, two) = (figure(shape(1.0)), figure(shape(share) + &shape(1.0 - share)));
        prop_assert!((one / two - 1.0).abs() < 1e-11, "{one:e} {two:e}");
    }
}

#[test]
fn a_replay_of_every_commit_doubles_every_write_that_took_effect() {
    let rest = SHAPE.to_owned() + "[[route]]\nname = \"lost\"\nwhen = \"committed\"\n" + NAIVE;
    let exact = exact_of(&text("", "hazard = { rate = 0 }", "error_rate = 0.25", &rest));
    assert!((exact.duplicates_per_turn - 0.75 * 0.75).abs() < 1e-15, "{exact:?}");
    assert_sound(&exact);
}

#[test]
fn a_key_that_sees_the_position_does_not_recognise_a_replay_after_the_commit() {
    let figure = |position: &str| {
        let route = format!("[[route]]\nname = \"lost\"\nwhen = \"committed\"\nmax = 3\nposition = \"{position}\"\n");
        let ledger = "[[policy]]\nname = \"ledger\"\ndispatcher = \"ledger\"\n";
        exact_of(&text("", "hazard = { rate = 0 }", "", &(SHAPE.to_owned() + &route + ledger))).duplicates_per_turn
    };
    assert_eq!(figure("pinned"), 0.0);
    // All three replays present the position after the commit: the first of them runs, the others find its row.
    assert_eq!(figure("conversation"), 1.0);
}

#[test]
fn what_prevents_a_figure_is_named_and_a_guarantee_needs_none() {
    let ledger = "[[policy]]\nname = \"ledger\"\ndispatcher = \"ledger\"\n";
    let incidents = "hazard = { rate = 0.1 }\nincidents = { per_month = 2, duration = \"40m\", factor = 3 }";
    let volume = "[volume]\nturns_per_month = 3000\n";
    let text = text("", incidents, "", &(SHAPE.to_owned() + &route(1.0, 1, "") + NAIVE + ledger + volume));
    let estimate = estimate(&scenario(&text));
    assert_eq!(estimate.policies[0], Err("incidents".to_owned()));
    assert_eq!(exact(&estimate, 1).duplicates_per_turn, 0.0);
    assert!(estimate.headline_leaves_out.contains(&"incidents".to_owned()));
}
