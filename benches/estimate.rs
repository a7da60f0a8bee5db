//! What the estimates of a scenario cost, loading left out.

use divan::Bencher;
use doublefire::estimate::estimate;
use doublefire::scenario::{EMBEDDED, Input, load};

fn main() {
    divan::main();
}

#[divan::bench]
fn payments(bencher: Bencher<'_, '_>) {
    let (name, text) = EMBEDDED[0];
    let input = Input { origin: name.to_owned(), text: text.to_owned(), ..Input::default() };
    let scenario = load(&input).expect("a built-in scenario is valid").scenario;
    bencher.bench_local(|| estimate(divan::black_box(&scenario)));
}
