//! What it costs to derive the key of a call: its canonical text and the hash.

use divan::Bencher;
use divan::counter::BytesCount;
use doublefire::dispatch::key::derive;

fn main() {
    divan::main();
}

/// A payment's arguments, and a letter's: about 60 and 2,000 bytes, their names out of order.
fn arguments(kind: &str) -> String {
    match kind {
        "small" => r#"{"to": "DE02", "amount": "12.00", "currency": "EUR", "n": 3}"#.to_owned(),
        _ => format!(
            r#"{{"to": "a@b.example", "lines": [{}1.5], "body": "{}"}}"#,
            "17, ".repeat(50),
            "Dear, ".repeat(290)
        ),
    }
}

#[divan::bench(args = ["small", "2 KB"])]
fn derived(bencher: Bencher<'_, '_>, kind: &str) {
    let arguments = arguments(kind);
    bencher
        .counter(BytesCount::of_str(&arguments))
        .bench_local(|| derive("conversation-1", 4, "send_payment", 0, divan::black_box(&arguments)));
}
