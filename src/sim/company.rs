//! Policies that part ways only where a call is dispatched twice. Neither ledger nor key changes anything about a call
//! that nobody has dispatched before: it finds no row, runs, and is answered with what its run came to. So a turn in
//! which every intent was dispatched at most once, and every run came to its end, is the same turn under all policies
//! with the same routes. It is played under the first of them; the others count it with their own claims.

use super::cell::Cell;
use super::lane::{Lane, Way};
use crate::audit::Tally;
use crate::dispatch::rule::Remember;
use crate::scenario::{Policy, Scenario};
use crate::turn::Class;

/// For each lane the earlier one whose turns it shares until they part; none for those that lead or go alone.
pub(super) fn leaders(scenario: &Scenario, lanes: &[Lane<'_>]) -> Vec<Option<usize>> {
    // A run that ends unknown may leave a row in flight, and a client that retries asks more than once.
    let certain = scenario.tools.iter().all(|tool| tool.unknown_rate == 0.0 && tool.client.is_none());
    let sociable = |lane: &Lane<'_>| certain && matches!(lane.way, Way::Disturbed(_)) && lane.policy.unavailable == 0.0;
    let same_routes = |a: &Policy, b: &Policy| {
        (0..scenario.routes.len()).all(|route| a.without_routes.contains(&route) == b.without_routes.contains(&route))
    };
    let leader = |i: usize| {
        let lane = &lanes[i];
        let joins = |other: &Lane<'_>| sociable(other) && same_routes(other.policy, lane.policy);
        sociable(lane).then(|| lanes[..i].iter().position(joins)).flatten()
    };
    (0..lanes.len()).map(leader).collect()
}

/// What a lane counts of turns that it shares: its own claims, everything else as its leader counted it.
pub(super) fn count(shared: &Tally, policy: &Policy, classes: &[Class], tally: &mut Tally) {
    let claims = |class: Class| policy.rules.dispatcher.rule(class).remember == Remember::Before;
    let calls = shared.tools.iter().zip(classes).filter(|(_, class)| claims(**class)).map(|(tool, _)| tool.calls);
    *tally += shared;
    tally.claims = tally.claims - shared.claims + calls.sum::<u64>();
}

impl Cell<'_> {
    /// Whether other policies may have played the turn that was just played, the only one, otherwise.
    pub(super) fn parts_company(&self) -> bool {
        let dispatched = || self.calls.iter().filter(|call| call.dispatched.is_some());
        let ended = |call: &super::dispatching::Call| {
            call.dispatched.as_ref().and_then(|dispatched| dispatched.run).is_some_and(|run| run.ended)
        };
        let again = dispatched().enumerate().any(|(i, call)| dispatched().take(i).any(|c| c.intent == call.intent));
        again || !dispatched().all(ended)
    }
}
