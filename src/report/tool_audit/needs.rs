//! What the class of a tool needs, who provides it, and what stays open.

use crate::dispatch::rule::{Dispatcher, Remember};
use crate::scenario::{Route, Scenario, Tool};
use crate::turn::Class;

/// The apparatus in words.
pub(super) fn needs(scenario: &Scenario, tool: &Tool) -> String {
    match tool.class {
        Class::Read => "nothing: it changes nothing".to_owned(),
        Class::KeyedWrite => {
            let slowest = slowest(scenario).map_or(String::new(), |route| format!(", {}", route.name));
            format!("the key forwarded, and remembered for longer than the slowest replay takes{slowest}")
        }
        Class::UnkeyedWrite => "a ledger row claimed before each run: it ignores keys".to_owned(),
    }
}

/// Whether a dispatcher has it: forwarding is enough for a tool that takes keys, and so is a claim.
pub(super) fn provides(dispatcher: Dispatcher, class: Class) -> bool {
    let rule = dispatcher.rule(class);
    match class {
        Class::Read => true,
        Class::KeyedWrite => rule.forward || rule.remember == Remember::Before,
        Class::UnkeyedWrite => rule.remember == Remember::Before,
    }
}

/// What a policy with the apparatus still cannot settle.
pub(super) fn open(tool: &Tool) -> Vec<String> {
    let mut open = Vec::new();
    if let (Class::KeyedWrite, Some(retention)) = (tool.class, tool.retention) {
        let hours = retention.as_seconds_f64() / 3600.0;
        open.push(format!("its downstream forgets a key after {hours} h: a later replay is a new effect"));
    }
    if tool.class == Class::UnkeyedWrite {
        open.push(match tool.status_query {
            true => "a row left in flight says unknown: settle it by the status query".to_owned(),
            false => "a row left in flight says unknown: a human settles it, for the tool cannot be asked".to_owned(),
        });
        if tool.client.is_some_and(|client| client.retries > 0) {
            open.push("its own client repeats requests below the ledger: switch that off".to_owned());
        }
    }
    open
}

/// The route with the longest delay on average.
fn slowest(scenario: &Scenario) -> Option<&Route> {
    scenario.routes.iter().max_by(|a, b| a.delay.mean().total_cmp(&b.delay.mean()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_ignores_keys_is_only_guarded_by_a_claim_and_a_read_by_anything() {
        let guards = |class| Dispatcher::ALL.iter().copied().filter(move |d| provides(*d, class)).collect::<Vec<_>>();
        use Dispatcher::{Header, Ledger, LedgerAndHeader, Registry};
        assert_eq!(guards(Class::UnkeyedWrite), [Ledger, LedgerAndHeader, Registry]);
        assert_eq!(guards(Class::KeyedWrite), [Ledger, Header, LedgerAndHeader, Registry]);
        assert_eq!(guards(Class::Read), Dispatcher::ALL);
    }
}
