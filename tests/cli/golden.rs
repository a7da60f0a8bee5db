//! One whole report, to the byte. It changes only with the model, the draws or the format, never with threads, machine
//! or speed; `UPDATE_GOLDEN=1` writes it anew.

use crate::{doublefire, stdout_of};

#[test]
fn a_whole_report_is_pinned_to_the_byte_on_any_number_of_threads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/golden/payments.json");
    let report = |threads: &str| {
        let arguments =
            ["run", "payments", "--turns", "300000", "--seed", "7", "--format", "json", "--threads", threads];
        stdout_of(doublefire().args(arguments))
    };
    let one = report("1");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &one).expect("the golden report can be written");
    }
    let golden = std::fs::read_to_string(path).expect("the golden report is there");
    for threads in ["1", "2", "7"] {
        assert_eq!(report(threads), golden, "on {threads} threads");
    }
}
