//! What a turn costs on one thread: left alone, disturbed, and in whole runs.
//!
//! The rate of items is that of turns, each under every policy of its scenario.

use divan::Bencher;
use divan::counter::ItemsCount;
use doublefire::scenario::{EMBEDDED, Input, Scenario, load};
use doublefire::sim::{Options, run};

const STRESS: &str = include_str!("stress.toml");

fn main() {
    divan::main();
}

fn scenario(text: &str, sets: &[&str]) -> Scenario {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let input = Input { origin: "bench".to_owned(), text: text.to_owned(), sets, ..Input::default() };
    load(&input).expect("a valid scenario").scenario
}

fn time(bencher: Bencher<'_, '_>, scenario: &Scenario, turns: u64) {
    let options = Options { turns, seed: 1, threads: Some(1), ..Options::default() };
    bencher.counter(ItemsCount::new(turns)).bench_local(|| run(divan::black_box(scenario), &options));
}

/// One turn in a thousand million is cut: what remains is to see that nothing happens.
#[divan::bench(sample_count = 10)]
fn undisturbed(bencher: Bencher<'_, '_>) {
    time(bencher, &scenario(EMBEDDED[0].1, &["failure.hazard.rate=1e-9"]), 100_000);
}

/// All but one turn in ten thousand are cut and sent again, under two policies.
#[divan::bench(sample_count = 10)]
fn disturbed(bencher: Bencher<'_, '_>) {
    time(bencher, &scenario(EMBEDDED[0].1, &["failure.hazard.rate=99.99%"]), 10_000);
}

#[divan::bench(sample_count = 5)]
fn payments(bencher: Bencher<'_, '_>) {
    time(bencher, &scenario(EMBEDDED[0].1, &[]), 1_000_000);
}

#[divan::bench(sample_count = 5)]
fn stress(bencher: Bencher<'_, '_>) {
    time(bencher, &scenario(STRESS, &[]), 20_000);
}
