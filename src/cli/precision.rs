//! When a run has found a rate out precisely enough.

use crate::audit::Tally;
use crate::dispatch::rule::Dispatcher;
use crate::report::{Precision, Rate, Report};
use crate::scenario::Scenario;

/// The first naive policy.
pub(super) fn naive(scenario: &Scenario) -> Option<usize> {
    scenario.policies.iter().position(|policy| policy.rules.dispatcher == Dispatcher::Naive)
}

/// The policy whose rate is to be known: `naive`, or the first that had a duplicate where there is none.
fn watched(naive: Option<usize>, mut duplicate_turns: impl Iterator<Item = u64>) -> Option<usize> {
    naive.or_else(|| duplicate_turns.position(|seen| seen > 0))
}

/// Whether half the width of the interval is at most `asked` of the rate of the policy that is watched.
pub(super) fn is_enough(asked: f64, naive: Option<usize>, tallies: &[Tally]) -> bool {
    let tally = watched(naive, tallies.iter().map(|tally| tally.duplicate_turns)).and_then(|i| tallies.get(i));
    // The width is about 1.96 / √seen either way; far from that it need not be computed.
    let close = |tally: &&Tally| tally.duplicate_turns as f64 * asked * asked > 1.0;
    tally.filter(close).and_then(half_width).is_some_and(|reached| reached <= asked)
}

fn half_width(tally: &Tally) -> Option<f64> {
    Rate::of(tally.duplicate_turns, tally.turns).half_width()
}

/// What a run came to that was to find a rate out.
pub(super) fn reached(asked: f64, max_turns: u64, scenario: &Scenario, report: &Report) -> Precision {
    let duplicate_turns = report.policies.iter().map(|policy| policy.duplicate_turns);
    let policy = watched(naive(scenario), duplicate_turns).and_then(|i| report.policies.get(i));
    Precision {
        asked,
        policy: policy.map(|policy| policy.name.clone()),
        reached: policy.and_then(|policy| policy.rate?.half_width()),
        max_turns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(turns: u64, duplicate_turns: u64) -> Tally {
        Tally { turns, duplicate_turns, ..Tally::default() }
    }

    #[test]
    fn the_width_goes_by_the_interval_and_not_by_a_rule_of_thumb() {
        let width = half_width(&tally(1_000_000, 400)).expect("some were seen");
        assert!((0.0975..0.1005).contains(&width), "about 1.96 / 20, and a little more: {width}");
        assert_eq!(half_width(&tally(1_000_000, 0)), None);
    }

    #[test]
    fn the_naive_policy_is_asked_for_even_where_another_has_more() {
        let tallies = [tally(1_000_000, 10_000), tally(1_000_000, 4)];
        assert!(is_enough(0.02, None, &tallies) && is_enough(0.02, Some(0), &tallies));
        assert!(!is_enough(0.02, Some(1), &tallies));
        assert!(!is_enough(0.5, None, &[tally(1_000_000, 0)]), "no rate is known of nothing");
    }
}
