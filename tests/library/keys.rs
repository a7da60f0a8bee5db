//! Each component of the key taken away, and what then breaks.

use crate::{about, only_cause, played};
use doublefire::turn::Cause;

#[test]
fn without_the_conversation_users_are_given_each_others_payments() {
    let run = played("key-without-conversation");
    assert_eq!(run.policy("full-key").swallowed, 0);
    let ablated = run.policy("without-conversation");
    assert!(ablated.swallowed > 8_000, "{}", ablated.swallowed);
    assert_eq!(ablated.crossed, ablated.swallowed, "every one of them by another user");
}

#[test]
fn without_the_position_every_second_payment_is_swallowed() {
    let run = played("key-without-position");
    assert_eq!(run.policy("full-key").swallowed, 0);
    let ablated = run.policy("without-position");
    // Three turns of four have one before them, and one in ten of these repeats it.
    about(ablated.swallowed, ablated.turns, 0.75 * 0.1);
    assert_eq!(ablated.crossed, 0);
}

#[test]
fn without_the_tool_every_cancellation_is_taken_for_the_payment() {
    let run = played("key-without-tool");
    let [full, ablated] = ["full-key", "without-tool"].map(|policy| run.policy(policy));
    assert_eq!((full.swallowed, full.tools[1].effects), (0, full.turns));
    assert_eq!((ablated.swallowed, ablated.tools[1].effects), (ablated.turns, 0));
}

#[test]
fn without_the_ordinal_equal_calls_merge() {
    let run = played("key-without-ordinal");
    run.holds(&["full-key", "without-ordinal"], 3_000);
    let [full, ablated] = ["full-key", "without-ordinal"].map(|policy| run.policy(policy));
    assert_eq!(full.swallowed, 0);
    let committed = ablated.turns - ablated.failed_turns;
    assert_eq!(ablated.swallowed, committed, "one of the two in every turn");
}

#[test]
fn without_the_arguments_different_calls_merge_or_fail() {
    let run = played("key-without-arguments");
    run.holds(&["full-key", "without-arguments", "without-arguments-fail", "call-number"], 3_000);
    assert_eq!(run.policy("full-key").swallowed, 0);
    let swallowed = |policy| run.policy(policy).swallowed;
    let merged = run.policy("without-arguments");
    assert!(merged.swallowed >= merged.turns - merged.failed_turns, "one in every turn or more");
    let failing = run.policy("without-arguments-fail");
    assert_eq!((failing.failed_turns, failing.swallowed), (failing.turns, 0), "every turn fails");
    assert!(swallowed("call-number") * 20 < swallowed("without-arguments"), "only behind failed turns");
}

#[test]
fn without_a_canonical_form_the_key_recognises_no_replay() {
    let run = played("key-without-canonical");
    run.holds(&["full-key"], 1_200);
    assert_eq!(run.duplicates("without-canonical"), run.duplicates("naive"));
    only_cause(run.policy("without-canonical"), Cause::KeyDiffers);
}
