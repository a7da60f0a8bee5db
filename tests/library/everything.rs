//! Every fault at once, under every policy that the guarantee covers.

use crate::{Played, played};
use doublefire::turn::Died;

/// That everything that can happen did.
fn everything_happened(run: &Played) {
    let naive = run.policy("naive");
    assert!(naive.cuts > 50_000 && naive.silent_cuts > 5_000 && naive.crashes > 5_000 && naive.failed_turns > 1_000);
    assert!(Died::ALL.iter().all(|place| naive.died[place.index()] > 500), "{:?}", naive.died);
    assert!(naive.unserved > 1_000 && naive.attempts > 3 * naive.turns);
}

#[test]
fn nothing_gets_past_a_key_that_the_provider_keeps() {
    let run = played("all-faults-keyed");
    everything_happened(run);
    run.holds(&["header", "both", "both-fail", "registry"], 60_000);
    let both = run.policy("both");
    assert!(both.refused > 5_000 && both.waits > 10_000 && both.stuck > 0);
}

#[test]
fn nothing_gets_past_a_ledger_that_keeps_its_rows() {
    let run = played("all-faults-unkeyed");
    everything_happened(run);
    run.holds(&["ledger", "both-fail", "registry"], 60_000);
    assert!(run.duplicates("record-after") > 10_000);
    let ledger = run.policy("ledger");
    assert!(ledger.refused > 5_000 && ledger.waits > 10_000 && ledger.stuck > 1_000);
}
