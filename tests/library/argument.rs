//! The main job and the argument for the ledger, claim by claim.

use crate::{about, died, only_cause, played, replayed};
use doublefire::turn::{Cause, Died};

#[test]
fn one_invoice_in_1500_is_paid_twice_and_none_with_a_ledger() {
    let run = played("payments");
    run.holds(&["ledger"], 1_200);
    // The headline of the estimate, 0.6 % times 11 %, is 1.5 % above the exact figure.
    about(run.policy("naive").duplicate_turns, run.scenario.run.turns, 0.006 * 0.11 * 0.994);
}

#[test]
fn by_the_two_rates_alone_the_figure_is_the_same() {
    let run = played("payments-by-fraction");
    run.holds(&["ledger"], 1_200);
    about(run.policy("naive").duplicate_turns, run.scenario.run.turns, 0.006 * 0.11 * (1.0 - 0.006 * 0.89));
}

#[test]
fn the_slow_write_is_repeated_most() {
    let run = played("slowest-write");
    run.holds(&["ledger"], 2_000);
    let [fast, medium, slow] = [0, 1, 2].map(|tool| run.policy("naive").tools[tool].duplicates);
    assert!(medium > 3 * fast && slow > 5 * medium && fast > 50, "{fast}, {medium}, {slow}");
}

#[test]
fn a_tool_that_answers_at_once_is_repeated_for_the_gap_behind_it() {
    let run = played("instant-tools");
    run.holds(&["ledger"], 300);
    let naive = run.policy("naive");
    assert!(died(naive, Died::Returned) > 100 * died(naive, Died::InFlight), "nearly no cut finds it running");
}

#[test]
fn without_the_retry_users_repeat_more_than_half_as_much_and_more_turns_fail() {
    let run = played("retry-removed");
    run.holds(&["ledger", "ledger-no-retry"], 1_500);
    assert!(run.duplicates("naive-no-retry") > run.duplicates("naive") / 2);
    assert!(run.policy("naive-no-retry").failed_turns > 3 * run.policy("naive").failed_turns);
}

#[test]
fn a_retry_after_a_cut_repeats_what_had_been_dispatched() {
    let run = played("route-auto-retry");
    run.holds(&["record-after", "ledger"], 1_200);
    let naive = run.policy("naive");
    assert!(naive.duplicates < died(naive, Died::InFlight) + died(naive, Died::Returned), "the replay may be cut too");
}

#[test]
fn a_reconnecting_client_repeats_what_a_retry_repeats() {
    let run = played("route-client-reconnect");
    run.holds(&["record-after", "ledger"], 1_200);
    assert_eq!(run.duplicates("naive"), played("route-auto-retry").duplicates("naive"), "only the delay differs");
}

#[test]
fn a_queue_repeats_after_crashes_and_waiting_for_the_dead_fails_turns() {
    let run = played("route-job-queue");
    run.holds(&["ledger", "ledger-reconcile"], 500);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    let [wait, ask] = ["ledger", "ledger-reconcile"].map(|policy| run.policy(policy).failed_turns);
    assert!(10 * wait > 18 * ask, "{wait} turns fail by waiting, {ask} by asking");
}

#[test]
fn a_load_balancer_repeats_beside_the_original() {
    let run = played("route-load-balancer");
    run.holds(&["ledger"], 10_000);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    assert_eq!(run.policy("ledger").waits, run.duplicates("record-after"), "what it waits for, the other repeats");
}

#[test]
fn a_user_repeats_the_share_that_asks_again() {
    let run = played("route-user-resend");
    run.holds(&["record-after", "ledger"], 800);
    // As many as a retry would, and seven in ten of them; both runs have the same draws but those of the route.
    about(run.duplicates("naive"), played("route-auto-retry").duplicates("naive"), 0.7);
}

#[test]
fn a_ledger_keyed_on_call_ids_repeats_what_no_ledger_repeats() {
    let run = played("call-id-as-key");
    run.holds(&["ledger"], 1_200);
    assert_eq!(run.duplicates("call-id"), run.duplicates("naive"));
    only_cause(run.policy("call-id"), Cause::KeyDiffers);
}

#[test]
fn recording_after_success_misses_what_was_interrupted_in_flight() {
    let run = played("record-after-success");
    run.holds(&["record-after-streams-only", "ledger"], 1_500);
    let after = run.policy("record-after");
    only_cause(after, Cause::RecordedTooLate);
    assert!(after.duplicates > 300 && after.duplicates < died(after, Died::InFlight));
}

#[test]
fn recording_after_success_misses_what_overlaps() {
    let run = played("record-after-overlap");
    run.holds(&["ledger"], 8_000);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    assert!(run.duplicates("record-after") > run.duplicates("naive") / 2);
    assert_eq!(run.policy("ledger").waits, run.duplicates("record-after"));
}

#[test]
fn after_a_crash_a_row_may_be_taken_over_only_where_the_provider_knows_the_key() {
    let run = played("layers-crash");
    run.holds(&["header", "ledger", "both-takeover"], 500);
    only_cause(run.policy("ledger-takeover"), Cause::Takeover);
    assert!(run.duplicates("ledger-takeover") > 300);
    let [header, ledger, both] = ["header", "ledger", "both-takeover"].map(|policy| run.policy(policy));
    assert!(10 * ledger.failed_turns > 18 * header.failed_turns, "waiting for a dead claim fails turns");
    assert!(ledger.stuck > 4 * both.stuck);
}

#[test]
fn a_forwarded_key_makes_up_for_a_lost_row() {
    let run = played("layers-ledger-loss");
    run.holds(&["header", "both"], 1_200);
    only_cause(run.policy("ledger"), Cause::RowLost);
    about(run.duplicates("ledger"), run.duplicates("naive"), 0.2);
}

#[test]
fn each_layer_holds_against_replays_that_overlap() {
    let run = played("layers-concurrent");
    run.holds(&["header", "ledger", "both"], 10_000);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    assert!(run.policy("ledger").waits > 0 && run.policy("header").waits == 0);
}

#[test]
fn each_class_needs_its_own_and_the_registry_gives_it() {
    let run = played("tool-classes");
    run.holds(&["ledger", "registry"], 2_500);
    let [search, payout, email] = [0, 1, 2].map(|tool| run.policy("naive").tools[tool].duplicates);
    assert!(search == 0 && payout > 1_000 && email > 500, "{search}, {payout}, {email}");
    only_cause(run.policy("header"), Cause::NotCovered);
    assert_eq!(run.policy("header").tools[1].duplicates, 0);
    assert!(2 * run.policy("registry").claims < run.policy("ledger").claims, "one row a turn instead of three");
}

#[test]
fn deduplicated_inference_changes_nothing_downstream() {
    let run = played("inference-deduplicated");
    run.holds(&["text-key", "ledger"], 1_200);
    let fresh = replayed("inference-deduplicated", &["model.reserialised=1"]);
    assert_eq!(run.policy("naive"), fresh.policy("naive"));
    assert_eq!(fresh.duplicates("text-key"), fresh.duplicates("naive"), "only the text was what saved this key");
}
