//! The policies that are run beside the file's own, each without a guard that one of them has, so that a run shows
//! whether the guard had anything to do.

use super::danger::Danger;
use crate::dispatch::rule::{
    Component, Dispatcher, KeyMask, OnFailed, OnInFlight, OnMismatch, OnUnknown, Remember, Rules,
};
use crate::scenario::gate::Gate;
use crate::scenario::{Policy, Scenario};
use crate::sim::Outcome;

/// A scenario with the policies that its gates need to be judged by.
#[derive(Debug, Clone)]
pub struct Watch {
    /// To be run: the file's policies first, in their order, then the others.
    pub scenario: Scenario,
    /// For each gate, the policies of `scenario` that lack its guard.
    unguarded: Vec<Vec<usize>>,
}

impl Watch {
    /// What has to be run to judge the gates of `scenario`.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let mut watch = Watch { scenario: scenario.clone(), unguarded: Vec::new() };
        for gate in &scenario.gates {
            let lanes = unguarded(scenario, gate).into_iter().map(|lane| watch.place(lane)).collect();
            watch.unguarded.push(lanes);
        }
        watch
    }

    /// The policies without the guard of the gate in this place of the file.
    pub(super) fn unguarded(&self, gate: usize) -> impl Iterator<Item = usize> {
        self.unguarded[gate].iter().copied()
    }

    /// What a run of it counted for the policies of the file.
    ///
    /// # Panics
    /// Where `outcome` is not that of such a run.
    #[must_use]
    pub fn own(&self, scenario: &Scenario, outcome: &Outcome) -> Outcome {
        assert_eq!(outcome.policies.len(), self.scenario.policies.len(), "a tally for each policy");
        let own = scenario.policies.len();
        let mut outcome = outcome.clone();
        outcome.policies.truncate(own);
        outcome.checkpoints.iter_mut().for_each(|checkpoint| checkpoint.duplicate_turns.truncate(own));
        outcome
    }

    /// The place of a policy that does what `lane` does; it is added where there is none.
    fn place(&mut self, lane: Policy) -> usize {
        let same = |policy: &Policy| {
            policy.rules == lane.rules
                && policy.without_routes == lane.without_routes
                && policy.row_retention == lane.row_retention
                && (policy.ledger_loss, policy.unavailable) == (lane.ledger_loss, lane.unavailable)
        };
        let policies = &mut self.scenario.policies;
        policies.iter().position(same).unwrap_or_else(|| {
            policies.push(lane);
            policies.len() - 1
        })
    }
}

/// The policy of `gate` without the guard that keeps its danger away.
fn unguarded(scenario: &Scenario, gate: &Gate) -> Vec<Policy> {
    let policy = &scenario.policies[gate.policy];
    match Danger::of(gate) {
        Danger::None | Danger::FailedAttempt | Danger::DispatchedCall => Vec::new(),
        // To remove a route is a guard as well, so naive has all of them.
        Danger::Duplicate | Danger::MetKey => vec![plain("naive", Rules::new(Dispatcher::Naive))],
        Danger::SharedKey => smaller_keys(scenario, policy),
        Danger::OpenRow => vec![waiting(scenario, policy)],
    }
}

fn plain(name: &str, rules: Rules) -> Policy {
    Policy {
        name: name.to_owned(),
        rules,
        ledger_loss: 0.0,
        row_retention: None,
        unavailable: 0.0,
        without_routes: Vec::new(),
    }
}

/// The policy with a key from which one component is taken, for each of them, where it takes equal keys for equal
/// calls; a dispatcher without a key stands for a ledger. To compare arguments beside the key is a guard as well.
fn smaller_keys(scenario: &Scenario, policy: &Policy) -> Vec<Policy> {
    let uses_key = scenario.tools.iter().filter(|tool| tool.class.is_write()).any(|tool| {
        let rule = policy.rules.dispatcher.rule(tool.class);
        rule.remember != Remember::Never || rule.forward
    });
    let mut model = if uses_key { policy.clone() } else { plain("ledger", Rules::new(Dispatcher::Ledger)) };
    let compares = std::mem::replace(&mut model.rules.on_mismatch, OnMismatch::Return) != OnMismatch::Return;
    let key: Vec<Component> = model.rules.key.components().collect();
    // Canonical or not, equal arguments are equal: only what is left of the other components can make keys meet.
    let without = |gone: Component| {
        let goes = |c: &Component| *c == gone || (gone == Component::Arguments && *c == Component::Canonical);
        let left: Vec<Component> = key.iter().copied().filter(|c| !goes(c)).collect();
        let mut lane = model.clone();
        lane.name = format!("{} without {gone} in its key", model.name);
        lane.rules.key = KeyMask::of(&left);
        (!left.is_empty()).then_some(lane)
    };
    let mut lanes: Vec<Policy> =
        key.iter().copied().filter(|c| *c != Component::Canonical).filter_map(without).collect();
    if compares {
        lanes.push(Policy { name: format!("{} where a mismatch is returned", model.name), ..model.clone() });
    }
    lanes
}

/// The policy as a ledger that waits for a row in flight and does nothing else about it.
fn waiting(scenario: &Scenario, policy: &Policy) -> Policy {
    let claims =
        scenario.tools.iter().any(|tool| policy.rules.dispatcher.rule(tool.class).remember == Remember::Before);
    let dispatcher = if claims { policy.rules.dispatcher } else { Dispatcher::Ledger };
    Policy {
        name: "a ledger that only waits".to_owned(),
        rules: Rules {
            dispatcher,
            on_in_flight: OnInFlight::Wait,
            on_failed: OnFailed::Raise,
            on_unknown: OnUnknown::InFlight,
            ..policy.rules
        },
        row_retention: None,
        ..policy.clone()
    }
}
