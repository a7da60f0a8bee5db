//! From the start of the process to the end of its output, for commands that answer at once.

use divan::Bencher;
use std::process::Command;

fn main() {
    divan::main();
}

#[divan::bench(args = ["--version", "estimate payments", "validate payments"], sample_count = 20, sample_size = 1)]
fn command(bencher: Bencher<'_, '_>, arguments: &str) {
    bencher.bench_local(|| {
        let ended = Command::new(env!("CARGO_BIN_EXE_doublefire")).args(arguments.split(' ')).output();
        assert!(ended.is_ok_and(|ended| ended.status.success()), "{arguments}");
    });
}
