//! Policies that part ways only where a call is dispatched twice. Neither ledger nor key changes anything about a call
//! that nobody has dispatched before: it finds no row, runs, and is answered with what its run came to. So a turn in
//! which every intent was dispatched at most once, and every run came to its end, is the same turn under all policies
//! with the same routes. It is played under the first of them; the others count it with their own claims.

use super::cell::{Cell, Extent};
use super::dispatching::Call;
use super::lane::Lane;
use crate::audit::Tally;
use crate::dispatch::rule::Remember;
use crate::scenario::{Policy, Scenario};
use crate::turn::Class;

/// Whose turns a lane plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its own, for itself only.
    Alone,
    /// Its own, and others count them.
    Leads,
    /// Only those that part it from the lane with this place, which comes before it.
    Follows(usize),
}

/// The role of each lane.
pub(super) fn roles(scenario: &Scenario, lanes: &[Lane<'_>]) -> Vec<Role> {
    // A run that ends unknown may leave a row in flight, and a client that retries asks more than once.
    let certain = scenario.tools.iter().all(|tool| tool.unknown_rate == 0.0 && tool.client.is_none());
    let sociable = |lane: &Lane<'_>| certain && lane.passes_over_calm() && lane.policy.unavailable == 0.0;
    let same_routes = |a: &Policy, b: &Policy| {
        (0..scenario.routes.len()).all(|route| a.without_routes.contains(&route) == b.without_routes.contains(&route))
    };
    let mut roles = vec![Role::Alone; lanes.len()];
    for (i, lane) in lanes.iter().enumerate().filter(|(_, lane)| sociable(lane)) {
        let joins = |other: &Lane<'_>| sociable(other) && same_routes(other.policy, lane.policy);
        if let Some(leader) = lanes[..i].iter().position(joins) {
            roles[leader] = Role::Leads;
            roles[i] = Role::Follows(leader);
        }
    }
    roles
}

/// Turns of a block that were the same under several policies.
pub(super) struct Company {
    /// By lane: what it counted of them, for those that lead.
    shared: Vec<Tally>,
    /// By lane: whether the turn that is played may be another one under the lanes that follow.
    parted: Vec<bool>,
    /// What the turn that is played counts.
    turn: Tally,
}

impl Company {
    pub(super) fn new(lanes: usize, tools: usize) -> Self {
        let nothing = Tally::new(tools);
        Company { shared: vec![nothing.clone(); lanes], parted: vec![true; lanes], turn: nothing }
    }

    /// Plays a turn under the lane with place `lane`, unless it is the one that its leader has just played.
    pub(super) fn play<'s>(&mut self, lane: usize, role: Role, cell: &mut Cell<'s>, extent: Extent<'s>) {
        match role {
            Role::Follows(leader) if !self.parted[leader] => {}
            Role::Alone | Role::Follows(_) => {
                cell.play(extent);
            }
            Role::Leads => {
                std::mem::swap(&mut cell.tally, &mut self.turn);
                cell.play(extent);
                std::mem::swap(&mut cell.tally, &mut self.turn);
                self.parted[lane] = cell.parts_company();
                let counted_in = if self.parted[lane] { &mut cell.tally } else { &mut self.shared[lane] };
                *counted_in += &self.turn;
                self.turn.clear();
            }
        }
    }

    /// Counts the turns that the lanes of a block shared, and forgets them.
    pub(super) fn count(&mut self, roles: &[Role], classes: &[Class], cells: &mut [Cell<'_>]) {
        for (i, (role, cell)) in roles.iter().zip(cells).enumerate() {
            match role {
                Role::Alone => {}
                Role::Leads => count(&self.shared[i], cell.policy, classes, &mut cell.tally),
                Role::Follows(leader) => count(&self.shared[*leader], cell.policy, classes, &mut cell.tally),
            }
        }
        self.shared.iter_mut().for_each(Tally::clear);
    }
}

/// What a lane counts of turns that it shares: its own claims, everything else as its leader counted it.
fn count(shared: &Tally, policy: &Policy, classes: &[Class], tally: &mut Tally) {
    let claims = |class: Class| policy.rules.dispatcher.rule(class).remember == Remember::Before;
    let calls = shared.tools.iter().zip(classes).filter(|(_, class)| claims(**class)).map(|(tool, _)| tool.calls);
    *tally += shared;
    tally.claims = tally.claims - shared.claims + calls.sum::<u64>();
}

impl Cell<'_> {
    /// Whether other policies may have played the turn that was just played, the only one, otherwise.
    fn parts_company(&self) -> bool {
        let dispatched = || self.calls.iter().filter(|call| call.dispatched.is_some());
        let ended =
            |call: &Call| call.dispatched.as_ref().and_then(|dispatched| dispatched.run).is_some_and(|run| run.ended);
        let again = dispatched().enumerate().any(|(i, call)| dispatched().take(i).any(|c| c.intent == call.intent));
        again || !dispatched().all(ended)
    }
}
