//! Zero by argument: the policies and shapes for which no second effect can happen, whatever the durations are.

use super::reach::Reach;
use crate::dispatch::rule::{Component, OnFailed, OnInFlight, OnUnavailable, Remember};
use crate::scenario::Shape;
use crate::turn::{DispatchAt, Resumes, When};

/// Why no intent of `shape` can have a second effect, where that is certain.
pub(super) fn reason(reach: Reach<'_>, shape: &Shape) -> Option<&'static str> {
    let tools = &reach.scenario.tools;
    let mut writes = shape.calls().filter(|tool| tools[*tool].class.is_write()).peekable();
    if writes.peek().is_none() {
        return Some("no write is called");
    }
    let writes: Vec<usize> = writes.collect();
    let one_request = writes.iter().all(|tool| single_request(reach, *tool));
    if one_request && reach.routes().next().is_none() {
        return Some("no replay is ever issued, so every call is dispatched once");
    }
    if one_request && replays_only_what_was_not_dispatched(reach, shape) {
        return Some("dispatch at message_stop: a cut finds nothing of the interrupted step dispatched");
    }
    let guards: Option<Vec<&'static str>> = writes.iter().map(|tool| guard(reach, shape, *tool)).collect();
    guards.and_then(|guards| guards.first().copied())
}

/// Whether a run is one request, or as good as one.
fn single_request(reach: Reach<'_>, tool: usize) -> bool {
    let tool = &reach.scenario.tools[tool];
    let remembers = reach.guarded(tool.class) && tool.retention.is_none();
    tool.client.is_none_or(|client| client.retries == 0) || remembers
}

/// Whether only cuts are followed by replays, and these redo only steps of which nothing had been dispatched.
fn replays_only_what_was_not_dispatched(reach: Reach<'_>, shape: &Shape) -> bool {
    let stream = &reach.scenario.stream;
    stream.dispatch == DispatchAt::MessageStop
        && reach.sequential()
        && reach.routes().all(|(_, route)| {
            route.when == When::StreamError && (route.resumes == Resumes::Step || shape.steps.len() == 1)
        })
}

/// What keeps `tool` from a second effect for one intent of `shape`.
fn guard(reach: Reach<'_>, shape: &Shape, tool: usize) -> Option<&'static str> {
    if !reach.keeps_key(shape, tool) {
        return None;
    }
    let (policy, settings) = (reach.policy, &reach.scenario.tools[tool]);
    if reach.guarded(settings.class) && settings.retention.is_none() {
        return Some("every request of an intent carries one key, and the tool remembers it for ever");
    }
    let bypassed = policy.unavailable > 0.0 && policy.rules.on_unavailable == OnUnavailable::Run;
    let keeps_rows = policy.ledger_loss == 0.0 && policy.row_retention.is_none() && !bypassed;
    if !keeps_rows || !single_request(reach, tool) {
        return None;
    }
    match reach.remember(settings.class) {
        Remember::Never => None,
        Remember::After => (reach.settles() && !reach.leaves_unknown(tool))
            .then_some("every effect is recorded before the turn's next attempt looks, under the same key"),
        Remember::Before => claims_hold(reach, tool)
            .then_some("every run of an intent claims one key first, and no claim that may hide an effect is given up"),
    }
}

/// Whether a claimed row is claimed anew only where its run had no effect.
fn claims_hold(reach: Reach<'_>, tool: usize) -> bool {
    let rules = &reach.policy.rules;
    let failed = rules.on_failed == OnFailed::Raise || !reach.fails_unknown(tool);
    // Nothing of the turn is in flight when its replay looks, and nobody else claims the key while a run is under way.
    let settled = reach.settles() && !reach.leaves_unknown(tool) && reach.claims_alone(tool);
    let late_effects = reach.scenario.tools[tool].client.is_some();
    let in_flight = match rules.on_in_flight {
        OnInFlight::Wait | OnInFlight::Fail => true,
        OnInFlight::Takeover(_) => settled,
        // The tool is asked; it knows every effect but those still to come, and those of other tools under its key: a
        // row claimed anew over such an effect hides it, and must not be reclaimed when it fails.
        OnInFlight::Reconcile(lease) => {
            let own = rules.key.has(Component::Tool) || rules.on_failed == OnFailed::Raise;
            let dead = lease.renew || (reach.runs_are_dead() && reach.claims_alone(tool));
            settled || (own && !late_effects && dead)
        }
    };
    failed && in_flight
}
