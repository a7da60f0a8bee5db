//! A month's figures from rates per turn, against arithmetic, reference quantiles and a simulated month.

use doublefire::dist::Distribution;
use doublefire::draw::{Draws, Site, Word};
use doublefire::estimate::volume::{Cost, Volume, monthly};
use doublefire::scenario::{Input, Scenario, load};
use rand::Rng;

/// A scenario whose tools cost what is given, `None` for nothing.
fn scenario(volume: &str, costs: &[Option<&str>]) -> Scenario {
    let mut text = format!("schema = 1\nname = \"month\"\n{volume}\n[stream]\nprelude = \"8s\"\ngap = \"240ms\"\n");
    text += "[failure]\nhazard = { rate = 0.006 }\n";
    for (i, cost) in costs.iter().enumerate() {
        text += &format!("[[tool]]\nname = \"tool{i}\"\nclass = \"unkeyed_write\"\narguments = \"300ms\"\n");
        text += "latency = \"820ms\"\n";
        if let Some(cost) = cost {
            text += &format!("cost = {cost}\n");
        }
    }
    let calls: Vec<String> = (0..costs.len()).map(|i| format!("\"tool{i}\"")).collect();
    text += &format!("[[shape]]\nweight = 1\ncalls = [{}]\n", calls.join(", "));
    load(&Input { origin: "month.toml".to_owned(), text, ..Input::default() }).expect("a valid scenario").scenario
}

const VOLUME: &str = "[volume]\nturns_per_month = 3000\ncurrency = \"USD\"";
const LOGNORMAL: &str = "{ lognormal = { median = 180, p95 = 2400 } }";

fn pattern(counts: &[u32], probability: f64) -> (Box<[u32]>, f64) {
    (counts.into(), probability)
}

fn month(scenario: &Scenario, by_tool: &[f64], d: f64, patterns: &[(Box<[u32]>, f64)]) -> Volume {
    monthly(scenario, by_tool, d, patterns).expect("the scenario has a volume")
}

fn assert_close(got: f64, expected: f64, tolerance: f64) {
    assert!((got / expected - 1.0).abs() < tolerance, "{got} instead of {expected}");
}

fn quantiles(cost: &Cost) -> [f64; 3] {
    [cost.p50, cost.p95, cost.p99].map(|quantile| quantile.expect("patterns are known"))
}

#[test]
fn a_scenario_without_a_volume_has_no_month() {
    assert_eq!(monthly(&scenario("", &[None]), &[1e-3], 1e-3, &[pattern(&[1], 1e-3)]), None);
}

#[test]
fn tools_without_a_cost_leave_the_month_without_one() {
    let month = month(&scenario(VOLUME, &[None]), &[6.6e-4], 6.6e-4, &[pattern(&[1], 6.6e-4)]);
    assert_eq!((month.turns, month.cost), (3000.0, None));
    assert_close(month.duplicates, 1.98, 1e-14);
    // 1 − (1 − 0.00066)^3000
    assert_close(month.at_least_one, 0.862_020_987_350_193, 1e-12);
}

#[test]
fn a_probability_too_small_for_one_minus_it_still_adds_up_over_a_month() {
    let month = month(&scenario(VOLUME, &[None]), &[1e-19], 1e-19, &[]);
    assert_close(month.at_least_one, 3e-16, 1e-12);
}

#[test]
fn a_month_without_duplicates_costs_nothing_for_certain() {
    let month = month(&scenario(VOLUME, &[Some("40")]), &[0.0], 0.0, &[]);
    let free = Cost { mean: 0.0, p50: Some(0.0), p95: Some(0.0), p99: Some(0.0) };
    assert_eq!((month.duplicates, month.at_least_one, month.cost), (0.0, 0.0, Some(free)));
}

#[test]
fn a_certain_duplicate_is_certain_in_a_month_too() {
    let month = month(&scenario(VOLUME, &[None]), &[1.0], 1.0, &[pattern(&[1], 1.0)]);
    assert_eq!((month.duplicates, month.at_least_one), (3000.0, 1.0));
}

#[test]
fn a_constant_cost_has_poisson_quantiles() {
    let month = month(&scenario(VOLUME, &[Some("40")]), &[1e-3], 1e-3, &[pattern(&[1], 1e-3)]);
    let cost = month.cost.expect("the tool has a cost");
    assert_close(cost.mean, 120.0, 1e-14);
    // Poisson of mean 3: P(≤ 2) = 0.42, P(≤ 3) = 0.65; P(≤ 5) = 0.92, P(≤ 6) = 0.967; P(≤ 7) = 0.988, P(≤ 8) = 0.996.
    assert_eq!(quantiles(&cost), [120.0, 240.0, 320.0]);
}

#[test]
fn duplicates_of_one_turn_come_together() {
    let (d, by_tool) = (1e-3, [1e-3, 1e-3]);
    let together = [pattern(&[1, 1], d)];
    let scenario = scenario(VOLUME, &[Some("40"), Some("60")]);
    let cost = month(&scenario, &by_tool, d, &together).cost.expect("tools have costs");
    assert_close(cost.mean, 300.0, 1e-14);
    assert_eq!(quantiles(&cost), [300.0, 600.0, 800.0]);
}

#[test]
fn a_tool_without_a_cost_contributes_nothing_to_a_pattern() {
    let d = 2e-3;
    let patterns = [pattern(&[0, 1], 1e-3), pattern(&[3, 0], 1e-3)];
    let scenario = scenario(VOLUME, &[None, Some("40")]);
    let cost = month(&scenario, &[3e-3, 1e-3], d, &patterns).cost.expect("a tool has a cost");
    assert_close(cost.mean, 120.0, 1e-14);
    assert_eq!(quantiles(&cost), [120.0, 240.0, 320.0], "as if only the priced tool were there");
}

#[test]
fn without_patterns_only_the_mean_of_the_cost_is_known() {
    let cost = month(&scenario(VOLUME, &[Some("40")]), &[1e-3], 9e-4, &[]).cost.expect("the tool has a cost");
    assert_close(cost.mean, 120.0, 1e-14);
    assert_eq!((cost.p50, cost.p95, cost.p99), (None, None, None));
}

#[test]
fn a_cost_without_a_mean_has_quantiles_all_the_same() {
    // A file may not ask for it; a scenario from elsewhere can have it.
    let mut scenario = scenario(VOLUME, &[None]);
    scenario.tools[0].cost = Some(Distribution::pareto(10.0, 0.8).expect("valid parameters"));
    let cost = month(&scenario, &[1e-3], 1e-3, &[pattern(&[1], 1e-3)]);
    let cost = cost.cost.expect("the tool has a cost");
    assert_eq!(cost.mean, f64::INFINITY);
    let [p50, p95, p99] = quantiles(&cost);
    assert!(30.0 < p50 && p50 < p95 && p95 < p99 && p99.is_finite(), "{p50} {p95} {p99}");
    // The largest of the costs alone: P(none above x) = exp(−3·(10/x)^0.8).
    let largest = |p: f64| 10.0 * (3.0 / -f64::ln(p)).powf(1.0 / 0.8);
    assert!(p99 > largest(0.99) && p99 < 1.2 * largest(0.99), "{p99} against {}", largest(0.99));
}

/// Reference quantiles by a plain Fourier transform of a rounded lattice of 2²⁴ points a quarter of a dollar apart
/// (numpy), which agrees with its own coarser runs to 1e-7.
#[test]
fn lognormal_costs_have_the_quantiles_of_a_dense_lattice() {
    let one = [pattern(&[1], 6.6e-4)];
    let two = [pattern(&[1], 0.9 * 6.6e-4), pattern(&[2], 0.1 * 6.6e-4)];
    let busy = VOLUME.replace("3000", "300000");
    let references = [
        (VOLUME, &one[..], 1.0, [446.199_168, 4_747.898_734, 11_578.622_243]),
        (VOLUME, &two[..], 1.1, [507.254_510, 5_196.951_568, 12_390.183_027]),
        (&busy, &one[..], 1.0, [118_636.760_0, 174_895.911_3, 218_524.292_6]),
    ];
    for (volume, patterns, each, expected) in references {
        let scenario = scenario(volume, &[Some(LOGNORMAL)]);
        let month = month(&scenario, &[each * 6.6e-4], 6.6e-4, patterns);
        let cost = month.cost.expect("the tool has a cost");
        for (got, expected) in quantiles(&cost).into_iter().zip(expected) {
            assert_close(got, expected, 1e-6);
        }
        // Lognormal: median · e^{σ²/2}, σ = ln(2400/180) / 1.6449.
        assert_close(cost.mean, month.duplicates * 180.0 * (0.5 * 1.574_770_619_709_523_3_f64.powi(2)).exp(), 1e-9);
    }
}

/// 200,000 months drawn one duplicate at a time. Each share of months below a quantile is within 4.5 standard errors of
/// its probability unless a false alarm of 7 in a million strikes; the seed is fixed.
#[test]
fn simulated_months_fall_below_the_quantiles_as_often_as_they_should() {
    let costs = [Some(LOGNORMAL), Some("{ gamma = { mean = 90, shape = 0.7 } }"), Some("25")];
    let scenario = scenario(VOLUME, &costs);
    let patterns = [pattern(&[1, 0, 0], 4e-4), pattern(&[1, 1, 0], 2e-4), pattern(&[0, 2, 1], 1e-4)];
    let month = month(&scenario, &[6e-4, 4e-4, 1e-4], 7e-4, &patterns);
    let cost = month.cost.expect("tools have costs");
    let amounts: Vec<&Distribution> = scenario.tools.iter().filter_map(|tool| tool.cost.as_ref()).collect();
    let months = 200_000;
    let mut words = Draws::new(11, 0, 1).stream(Site::Values);
    let mut word = || Word(words.next_u64());
    let mut totals = Vec::with_capacity(months);
    for _ in 0..months {
        let mut total = 0.0;
        // Duplicate turns are a Poisson process: exponential gaps within 3000 · 7e-4.
        let mut elapsed = word().exponential();
        while elapsed < 2.1 {
            let place = 7e-4 * word().lower();
            let counts = &patterns[usize::from(place > 4e-4) + usize::from(place > 6e-4)].0;
            for (count, amount) in counts.iter().zip(&amounts) {
                total += (0..*count).map(|_| amount.quantile(word())).sum::<f64>();
            }
            elapsed += word().exponential();
        }
        totals.push(total);
    }
    for (quantile, p) in quantiles(&cost).into_iter().zip([0.5, 0.95, 0.99]) {
        let share = totals.iter().filter(|total| **total <= quantile).count() as f64 / months as f64;
        let error = (p * (1.0 - p) / months as f64).sqrt();
        assert!((share - p).abs() < 4.5 * error, "{share} of the months cost at most {quantile}, not {p}");
    }
}
