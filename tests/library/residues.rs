//! What even the ledger leaves, and what a key swallows.

use crate::{about, only_cause, played};
use doublefire::turn::Cause;

#[test]
fn a_reworded_call_is_a_new_call_to_a_key_that_sees_arguments() {
    let run = played("residue-reworded");
    run.holds(&["call-number"], 1_200);
    only_cause(run.policy("ledger"), Cause::ArgumentsChanged);
    about(run.duplicates("ledger"), run.duplicates("naive"), 0.2);
    assert!(run.policy("call-number").swallowed > 300 && run.policy("ledger").swallowed == 0);
}

#[test]
fn a_resend_after_the_commit_is_at_a_new_position() {
    let run = played("residue-resend-after-commit");
    run.holds(&["ledger-client-only"], 4_000);
    only_cause(run.policy("ledger"), Cause::PositionChanged);
    assert!(run.duplicates("ledger") > 2_000);
}

#[test]
fn a_slow_claim_that_is_taken_over_runs_twice() {
    let run = played("residue-takeover");
    run.holds(&["wait", "takeover-renewed"], 20_000);
    only_cause(run.policy("takeover"), Cause::Takeover);
    only_cause(run.policy("reconcile"), Cause::Takeover);
    assert!(run.duplicates("takeover") > 3 * run.duplicates("reconcile"), "asking finds most effects");
}

#[test]
fn reclaiming_is_right_after_a_refusal_and_wrong_after_a_time_out() {
    let run = played("residue-reclaim");
    run.holds(&["ledger", "reclaim-refusals"], 2_000);
    let all = run.policy("reclaim-all");
    only_cause(all, Cause::ReclaimedUnknown);
    assert_eq!(all.duplicates, run.duplicates("naive"));
    // What a reclaim is for: half the refused calls are asked for again, and nearly all of these go through.
    assert!(10 * run.policy("reclaim-refusals").unserved < 6 * run.policy("ledger").unserved);
}

#[test]
fn a_key_forgotten_before_the_redelivery_protects_nothing() {
    let run = played("residue-retention");
    run.holds(&["both-30d"], 500);
    only_cause(run.policy("header"), Cause::HeaderExpired);
    only_cause(run.policy("ledger-24h"), Cause::RowLost);
    only_cause(run.policy("both-24h"), Cause::RowLost);
    // Three in ten come back after an exponential time of mean three days: e^(−1/3) of them after the first.
    about(run.duplicates("header"), run.duplicates("naive"), 0.3 * 0.716_531);
}

#[test]
fn a_restored_database_forgets_and_an_ignored_key_does_not_help() {
    let run = played("residue-restored");
    run.holds(&[], 1_200);
    only_cause(run.policy("ledger"), Cause::RowLost);
    about(run.duplicates("ledger"), run.duplicates("naive"), 0.05);
    assert_eq!(run.policy("both"), run.policy("ledger"));
}

#[test]
fn a_repeat_meant_after_a_failed_turn_is_swallowed() {
    let run = played("swallowed-repeat");
    let [naive, ledger] = ["naive", "ledger"].map(|policy| run.policy(policy));
    assert_eq!((naive.duplicates, naive.swallowed), (0, 0));
    assert_eq!(ledger.duplicates, 0);
    assert!(ledger.swallowed > 60 && ledger.crossed == 0, "{}", ledger.swallowed);
}

#[test]
fn positions_that_count_messages_swallow_nothing_and_recognise_no_resend() {
    let run = played("positions-by-message");
    let [naive, ledger] = ["naive", "ledger"].map(|policy| run.policy(policy));
    assert_eq!(ledger.swallowed, 0);
    assert_eq!(ledger.duplicates, naive.duplicates);
    only_cause(ledger, Cause::PositionChanged);
}
