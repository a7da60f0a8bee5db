//! Deployments with figures that were reported in public.

use crate::{about, died, only_cause, played, replayed};
use doublefire::turn::{Cause, Died};

#[test]
fn a_ladder_of_retries_repeats_some_writes_more_than_once() {
    let run = played("retry-ladder");
    run.holds(&["record-after", "ledger"], 500);
    let naive = run.policy("naive");
    assert!(10 * naive.duplicates > 11 * naive.duplicate_turns);
    assert_eq!(naive.capped_turns, 0, "the route's limit comes before the limit of attempts");
    assert!(naive.failed_turns > 200 && naive.attempts - naive.turns > 6_000);
}

#[test]
fn one_layer_of_retries_less_makes_fewer_duplicates() {
    let run = played("nested-retries");
    let [all, fewer] = ["naive-45", "naive-15"].map(|policy| run.policy(policy));
    assert!(10 * all.duplicates > 13 * fewer.duplicates, "{} and {}", all.duplicates, fewer.duplicates);
    assert!(all.failed_turns < fewer.failed_turns, "that is what they are there for");
    assert_eq!(run.duplicates("ledger-45"), 0);
}

#[test]
fn a_silent_stream_is_cut_exactly_where_the_tool_is_slow() {
    let run = played("idle-60s");
    run.holds(&["record-after", "ledger"], 1_200);
    let naive = run.policy("naive");
    assert!(
        died(naive, Died::InFlight) > 20 * (naive.cuts - died(naive, Died::InFlight)),
        "the tool cuts its own stream"
    );
    let awake = replayed("idle-60s", &["failure.idle_timeout=1h"]);
    assert!(awake.duplicates("naive") * 5 < run.duplicates("naive"), "a keep-alive removes the trigger");
}

#[test]
fn a_job_of_three_and_a_half_hours_is_delivered_four_times() {
    let run = played("visibility-timeout");
    run.holds(&["ledger-fail", "ledger-wait"], 10_000);
    let naive = run.policy("naive");
    assert_eq!(naive.duplicates, 3 * naive.duplicate_turns);
    about(naive.duplicate_turns, naive.turns, 0.1);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    assert_eq!(run.duplicates("record-after"), naive.duplicates, "all four run at once");
}

#[test]
fn a_killed_step_repeats_what_it_had_done_and_rows_of_reads_stand_in_the_way() {
    let run = played("step-killed");
    run.holds(&["record-after", "ledger", "registry"], 3_000);
    let [naive, ledger, registry] = ["naive", "ledger", "registry"].map(|policy| run.policy(policy));
    assert!(naive.duplicates > naive.duplicate_turns, "some are killed more than once");
    assert!(ledger.failed_turns > 3_000 && registry.failed_turns < 10);
}

#[test]
fn a_worker_declared_dead_leaves_its_effect_and_the_user_repeats_it() {
    let run = played("heartbeat-timeout");
    run.holds(&["record-after", "ledger"], 500);
    let naive = run.policy("naive");
    assert_eq!(naive.cuts, died(naive, Died::InFlight), "nothing else fails");
    // One call in fifty stalls, for longer than a minute with probability 502 / 532.
    let stalls = 0.02 * 502.0 / 532.0;
    about(naive.cuts, naive.attempts, stalls);
    about(naive.duplicates, naive.turns, stalls * 0.7);
}

#[test]
fn three_redeliveries_start_three_more_runs() {
    let run = played("webhook-3s");
    run.holds(&["ledger"], 40_000);
    let naive = run.policy("naive");
    assert_eq!(naive.duplicates, 3 * naive.duplicate_turns);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    assert!(run.duplicates("record-after") < naive.duplicates / 10, "only the redelivery at once overlaps");
}

#[test]
fn a_second_click_runs_beside_the_first() {
    let run = played("double-click");
    run.holds(&["ledger"], 2_000);
    about(run.duplicates("naive"), run.scenario.run.turns, 0.05);
    only_cause(run.policy("record-after"), Cause::RecordedTooLate);
    assert!(10 * run.duplicates("record-after") > 8 * run.duplicates("naive"));
}

#[test]
fn a_retry_below_the_ledger_is_seen_by_none() {
    let run = played("client-retries");
    run.holds(&[], 600);
    for policy in ["ledger", "both"] {
        only_cause(run.policy(policy), Cause::BelowTheLedger);
    }
    assert!(10 * run.duplicates("ledger") > 8 * run.duplicates("naive"), "most are not the stream's");
    let off = replayed("client-retries", &["tool.send_mail.client_retries=0"]);
    off.holds(&["ledger", "both"], 50);
}

#[test]
fn a_lease_as_long_as_the_function_frees_what_may_have_happened() {
    let run = played("lease-equals-timeout");
    run.holds(&["lease-1h", "reconcile"], 2_500);
    only_cause(run.policy("lease-30s"), Cause::Takeover);
    assert!(10 * run.duplicates("lease-30s") > 9 * run.duplicates("naive"), "it protects next to nothing");
    assert!(run.policy("lease-1h").failed_turns > 2_500 && run.policy("reconcile").failed_turns < 100);
}
