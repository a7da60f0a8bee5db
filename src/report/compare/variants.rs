//! One scenario with other policies: all six dispatchers, and one of them with different keys.

use super::{Group, LedgerOptions};
use crate::dispatch::rule::{Component, Dispatcher, KeyMask, Lease, OnInFlight, Remember, Rules};
use crate::scenario::{Policy, Scenario};
use crate::turn::Class;

/// A scenario whose policies are what is compared.
#[derive(Debug, Clone)]
pub struct Variants {
    /// To be run.
    pub scenario: Scenario,
    /// What each of its policies is, in order.
    pub groups: Vec<Group>,
    /// What all of them were given.
    pub options: LedgerOptions,
}

/// The dispatcher whose keys are taken apart.
const KEYED: Dispatcher = Dispatcher::LedgerAndHeader;

/// `scenario` with the six dispatchers as its policies, each with the full key, and with `keys` also with different
/// keys under `KEYED`. All have the options of the scenario's first policy that claims rows, else of its first that
/// keeps rows, else the defaults.
#[must_use]
pub fn variants(scenario: &Scenario, keys: bool) -> Variants {
    let with = |test: fn(Remember) -> bool| {
        let any =
            move |policy: &&Policy| Class::ALL.iter().any(|class| test(policy.rules.dispatcher.rule(*class).remember));
        scenario.policies.iter().find(any)
    };
    let model = with(|remember| remember == Remember::Before).or(with(|remember| remember != Remember::Never));
    let unable = |dispatcher: &Dispatcher| reconciles(model) && !can_reconcile(scenario, *dispatcher);
    let policy = |dispatcher: Dispatcher, name: &str, key: KeyMask| {
        let mut policy = with_options_of(model, dispatcher);
        (policy.name, policy.rules.key) = (name.to_owned(), key);
        if unable(&dispatcher) {
            policy.rules.on_in_flight = OnInFlight::Wait;
        }
        policy
    };
    let mut policies: Vec<(Group, Policy)> = (Dispatcher::ALL.iter())
        .map(|dispatcher| (Group::Dispatchers, policy(*dispatcher, dispatcher.name(), KeyMask::FULL)))
        .collect();
    if keys {
        policies.extend(key_masks().into_iter().map(|(name, key)| (Group::Keys, policy(KEYED, &name, key))));
    }
    let mut options = LedgerOptions::of(&with_options_of(model, KEYED), model);
    options.waiting_instead = Dispatcher::ALL.iter().copied().filter(unable).collect();
    let (groups, policies) = policies.into_iter().unzip();
    Variants { scenario: Scenario { policies, ..scenario.clone() }, groups, options }
}

fn with_options_of(model: Option<&Policy>, dispatcher: Dispatcher) -> Policy {
    let rules = Rules { dispatcher, ..model.map_or(Rules::new(dispatcher), |model| model.rules) };
    Policy {
        name: String::new(),
        rules,
        ledger_loss: model.map_or(0.0, |model| model.ledger_loss),
        row_retention: model.and_then(|model| model.row_retention),
        unavailable: model.map_or(0.0, |model| model.unavailable),
        without_routes: Vec::new(),
    }
}

fn reconciles(model: Option<&Policy>) -> bool {
    model.is_some_and(|model| matches!(model.rules.on_in_flight, OnInFlight::Reconcile(_)))
}

/// Whether every write that is called and whose rows `dispatcher` claims can be asked what became of a key.
fn can_reconcile(scenario: &Scenario, dispatcher: Dispatcher) -> bool {
    scenario.shapes.iter().flat_map(|shape| shape.calls()).map(|tool| &scenario.tools[tool]).all(|tool| {
        let claimed = dispatcher.rule(tool.class).remember == Remember::Before;
        !claimed || !tool.class.is_write() || tool.status_query
    })
}

/// The full key, the key with each component taken away, and with each of those that do not belong in it.
fn key_masks() -> Vec<(String, KeyMask)> {
    let full: Vec<Component> = KeyMask::FULL.components().collect();
    let without = |gone: Component| full.iter().copied().filter(move |component| *component != gone);
    let mut masks = vec![("full key".to_owned(), KeyMask::FULL)];
    for gone in &full {
        masks.push((format!("without {gone}"), KeyMask::of(&without(*gone).collect::<Vec<_>>())));
    }
    let and = |components: Vec<Component>, more: Component| KeyMask::of(&[components, vec![more]].concat());
    masks.push(("with call_id".to_owned(), and(full.clone(), Component::CallId)));
    let number = and(without(Component::Ordinal).collect(), Component::CallNumber);
    masks.push(("call_number for ordinal".to_owned(), number));
    masks
}

impl LedgerOptions {
    fn of(policy: &Policy, from: Option<&Policy>) -> Self {
        let (word, lease): (_, Option<Lease>) = match policy.rules.on_in_flight {
            OnInFlight::Wait => ("wait", None),
            OnInFlight::Fail => ("fail", None),
            OnInFlight::Takeover(lease) => ("takeover", Some(lease)),
            OnInFlight::Reconcile(lease) => ("reconcile", Some(lease)),
        };
        LedgerOptions {
            from: from.map(|from| from.name.clone()),
            on_in_flight: word.to_owned(),
            lease_ns: lease.map(|lease| lease.length.as_nanos()),
            renew: lease.map(|lease| lease.renew),
            wait_timeout_ns: policy.rules.wait_timeout.as_nanos(),
            on_failed: policy.rules.on_failed,
            on_unknown: policy.rules.on_unknown,
            on_mismatch: policy.rules.on_mismatch,
            on_unavailable: policy.rules.on_unavailable,
            ledger_loss: policy.ledger_loss,
            row_retention_ns: policy.row_retention.map(|retention| retention.as_nanos()),
            unavailable: policy.unavailable,
            waiting_instead: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_of_the_key_is_taken_away_once_and_no_two_keys_are_the_same() {
        let masks = key_masks();
        assert_eq!(masks.len(), 1 + 6 + 2);
        for (i, (name, mask)) in masks.iter().enumerate() {
            assert!(masks[..i].iter().all(|(_, earlier)| earlier != mask), "{name}");
        }
        for component in KeyMask::FULL.components() {
            let (_, mask) = masks.iter().find(|(name, _)| *name == format!("without {component}")).expect("there");
            assert!(!mask.has(component));
        }
        let (_, number) = masks.last().expect("some");
        assert!(number.has(Component::CallNumber) && !number.has(Component::Ordinal));
    }
}
