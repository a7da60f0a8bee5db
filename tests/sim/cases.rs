//! `tests/cases`: scenario files with expected values from an independent event simulator, and from derivations where
//! there are any. A value m of ours with standard error s from the spread between cells is held against them by
//! z = (m − exact)/s or (m − mean)/√(s² + se²); |z| < 4.5 over all values has a false-alarm rate under 2 %, once, for
//! the seed is fixed.

use super::support::{counts, run, scenario};
use doublefire::dispatch::rule::Remember;
use doublefire::estimate::estimate;
use doublefire::scenario::{Policy, Scenario};
use doublefire::sim;
use serde_json::Value;
use std::collections::BTreeMap;

/// Cells a case: each is an independent piece from whose spread the standard errors follow.
const CELLS: u64 = 400;
const SEED: u64 = 20_260_101;
/// Counts below this in a run are too few for a normal standard error.
const FEW: f64 = 30.0;

#[derive(Default)]
struct Sum {
    sum: f64,
    squares: f64,
}

fn check(name: &str) {
    let path = |file: &str| format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path(&format!("{name}.toml"))).expect("the case is there");
    let expected = std::fs::read_to_string(path("expected.json")).expect("the expected values are there");
    let expected: Value = serde_json::from_str(&expected).expect("expected.json is JSON");
    let scenario = scenario(&text, &[]);
    let tools: Vec<&str> = scenario.tools.iter().map(|tool| tool.name.as_str()).collect();
    let size = scenario.population.cell_size();
    let mut sums: Vec<BTreeMap<String, Sum>> = scenario.policies.iter().map(|_| BTreeMap::new()).collect();
    for cell in 0..CELLS {
        let tallies = sim::cell(&scenario, SEED, CELLS * size, cell);
        for (sums, tally) in sums.iter_mut().zip(&tallies) {
            for (name, count) in counts(tally, &tools) {
                let sum = sums.entry(name).or_default();
                sum.sum += count as f64;
                sum.squares += (count as f64).powi(2);
            }
        }
    }
    let mut failures = Vec::new();
    let mut compared = 0;
    for (policy, sums) in scenario.policies.iter().zip(&sums) {
        let values = expected[name]["policies"][&policy.name].as_object().expect("every policy has expected values");
        for (metric, value) in values {
            let sum = sums.get(metric).unwrap_or_else(|| panic!("{metric} is counted"));
            if cannot_be(&scenario, policy, metric) {
                assert_eq!(sum.sum, 0.0, "{name} {} {metric} cannot be", policy.name);
            }
            if let Some(verdict) = compare(sum, CELLS as f64, size as f64, value) {
                compared += 1;
                if !verdict.0 {
                    failures.push(format!("{name} {} {metric}: {}", policy.name, verdict.1));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {compared} differ:\n{}", failures.len(), failures.join("\n"));
    assert!(compared >= 10, "{name}: only {compared} values compared");
    let whole: Vec<_> = run(&scenario, CELLS * size, SEED).iter().map(|tally| counts(tally, &tools)).collect();
    for (sums, whole) in sums.iter().zip(&whole) {
        for (metric, sum) in sums {
            assert_eq!(sum.sum as u128, whole[metric], "the cells of {name} add up to the run, {metric} too");
        }
    }
}

/// Whether this count of this policy is zero by what the policy is, not by chance.
fn cannot_be(scenario: &Scenario, policy: &Policy, metric: &str) -> bool {
    let at = scenario.policies.iter().position(|p| p.name == policy.name).expect("it is one of them");
    let duplicates =
        estimate(scenario).policies[at].as_ref().is_ok_and(|exact| exact.duplicate_turn_probability == 0.0);
    let no_rows = scenario.tools.iter().all(|t| policy.rules.dispatcher.rule(t.class).remember == Remember::Never);
    match metric {
        "duplicates" | "duplicate_turns" => duplicates,
        "claims" | "conflicts" | "waits" | "waited_ns" | "stuck" | "refused" => no_rows,
        _ => metric.starts_with("causes.") && duplicates,
    }
}

/// Whether a value agrees, and how far off it is; none where there is too little to say.
fn compare(sum: &Sum, cells: f64, size: f64, expected: &Value) -> Option<(bool, String)> {
    let number = |key: &str| expected.get(key).and_then(Value::as_f64);
    let (mean, se, exact) = (number("mean")?, number("se")?, number("exact"));
    let turns = cells * size;
    let ours = sum.sum / turns;
    if let (Some(exact), 0.0) = (exact, se) {
        return Some((ours == exact, format!("{ours} is not exactly {exact}")));
    }
    if exact.is_none() && mean == 0.0 {
        // Only zero seen in as many turns as they ran (30,000 at least): a few in ours would still be one world.
        return Some((sum.sum <= 8.0 * (turns / 30_000.0).max(1.0), format!("{} where none was seen", sum.sum)));
    }
    if sum.sum < FEW {
        return None;
    }
    let variance = (sum.squares / cells - (sum.sum / cells).powi(2)) / (cells - 1.0) / size.powi(2);
    let z = match exact {
        Some(exact) if variance == 0.0 => return Some((ours == exact, format!("{ours} is not exactly {exact}"))),
        Some(exact) => (ours - exact) / variance.sqrt(),
        None if variance == 0.0 && se == 0.0 => return Some((ours == mean, format!("{ours} is not exactly {mean}"))),
        None => (ours - mean) / (variance + se * se).sqrt(),
    };
    let against = exact.unwrap_or(mean);
    Some((z.abs() < 4.5, format!("{ours:.6} against {against:.6}, z = {z:.1}")))
}

macro_rules! cases {
    ($($test:ident = $name:literal),+ $(,)?) => {
        $(#[test] fn $test() { check($name); })+

        #[test]
        fn every_case_is_checked() {
            let expected = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/expected.json");
            let expected = std::fs::read_to_string(expected).expect("the expected values are there");
            let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).expect("an object");
            let checked: std::collections::BTreeSet<_> = [$($name),+].map(str::to_owned).into();
            assert_eq!(checked, expected.into_keys().collect());
        }
    };
}

cases! {
    attempt_limit = "attempt-limit",
    cancel = "cancel",
    client_retries = "client-retries",
    concurrent = "concurrent",
    crash_queue = "crash-queue",
    drift = "drift",
    key_collisions = "key-collisions",
    key_text = "key-text",
    ledger_loss = "ledger-loss",
    message_stop = "message-stop",
    multi_call = "multi-call",
    not_covered = "not-covered",
    overlap = "overlap",
    payments_fraction = "payments-fraction",
    payments_hazard = "payments-hazard",
    positions_messages = "positions-messages",
    reconnect_and_resend = "reconnect-and-resend",
    refused = "refused",
    replay_rates = "replay-rates",
    retries = "retries",
    row_retention = "row-retention",
    silent = "silent",
    slow_tool = "slow-tool",
    steps = "steps",
    unavailable = "unavailable",
    user_resend = "user-resend",
}
