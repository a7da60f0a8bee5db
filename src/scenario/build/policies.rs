//! Policies: a dispatcher and its options.

use super::tools::{called_names, none_at_all};
use super::{meaningless, resolve, unique};
use crate::dispatch::rule::{
    Component, Dispatcher, KeyMask, Lease, OnFailed, OnInFlight, OnMismatch, OnUnavailable, OnUnknown, Remember, Rules,
};
use crate::scenario::Policy;
use crate::scenario::diagnostic::{Diagnostics, Place};
use crate::scenario::record::{Record, Typed};
use crate::turn::Class;

/// Builds all policies.
pub(super) fn policies(file: &Record, found: &mut Diagnostics) -> Option<Vec<Policy>> {
    unique(file, "policy", found);
    none_at_all(file, "policy", found);
    let policies: Vec<Option<Policy>> = file.each("policy").iter().map(|table| policy(file, table, found)).collect();
    policies.into_iter().collect()
}

fn policy(file: &Record, table: &Record, found: &mut Diagnostics) -> Option<Policy> {
    let dispatcher = table.choice("dispatcher", Dispatcher::from_name);
    if let Some(dispatcher) = dispatcher {
        check_dispatcher(table, dispatcher, found);
    }
    let key = key(table, found);
    let on_in_flight = on_in_flight(file, table, dispatcher, found);
    if table.given("unavailable").is_none() {
        meaningless(table, "on_unavailable", "needs `unavailable`: the ledger can always be reached", None, found);
    }
    let without_routes = without_routes(file, table, found);
    Some(Policy {
        name: table.text("name")?.to_owned(),
        rules: Rules {
            dispatcher: dispatcher?,
            key: key?,
            on_in_flight: on_in_flight?,
            wait_timeout: table.span("wait_timeout")?,
            on_failed: table.choice("on_failed", OnFailed::from_name)?,
            on_unknown: table.choice("on_unknown", OnUnknown::from_name)?,
            on_mismatch: table.choice("on_mismatch", OnMismatch::from_name)?,
            on_unavailable: table.choice("on_unavailable", OnUnavailable::from_name)?,
        },
        ledger_loss: table.number("ledger_loss")?,
        row_retention: table.optional("row_retention", Record::span)?,
        unavailable: table.number("unavailable")?,
        without_routes: without_routes?,
    })
}

/// Options that need a memory which the dispatcher does not have for any class of tool.
fn check_dispatcher(table: &Record, dispatcher: Dispatcher, found: &mut Diagnostics) {
    let any = |test: fn(Remember) -> bool| Class::ALL.iter().any(|class| test(dispatcher.rule(*class).remember));
    let neighbour = table.given("dispatcher").map(|field| (field, "the dispatcher"));
    if !any(|remember| remember == Remember::Before) {
        let reason = format!("`{dispatcher}` claims no rows");
        for key in ["on_in_flight", "wait_timeout", "lease", "renew", "on_failed", "on_unknown"] {
            meaningless(table, key, &reason, neighbour, found);
        }
    }
    if !any(|remember| remember != Remember::Never) {
        let reason = format!("`{dispatcher}` keeps no rows");
        for key in ["on_mismatch", "ledger_loss", "row_retention", "unavailable", "on_unavailable"] {
            meaningless(table, key, &reason, neighbour, found);
        }
    }
    if dispatcher == Dispatcher::Naive {
        meaningless(table, "key", "`naive` uses no key", neighbour, found);
    }
}

fn key(table: &Record, found: &mut Diagnostics) -> Option<KeyMask> {
    let items = table.list("key")?;
    let path = table.path_of("key");
    let mut components: Vec<(Component, Place)> = Vec::new();
    let mut sound = true;
    for (place, value) in items {
        let component = match value {
            Typed::Text(word) => Component::from_name(word).expect("the format lists the words"),
            _ => {
                sound = false;
                continue;
            }
        };
        if let Some((_, first)) = components.iter().find(|(known, _)| *known == component) {
            found.error(&path, *place, format!("`{component}` stands twice in the key")).also(*first, "it stands here");
            sound = false;
        }
        components.push((component, *place));
    }
    if !sound {
        return None;
    }
    let mask = KeyMask::of(&components.iter().map(|(component, _)| *component).collect::<Vec<_>>());
    if mask.has(Component::Arguments) {
        let neighbour = table.given("key").map(|field| (field, "the key"));
        let reason = "`arguments` are in the key: a row never meets others";
        meaningless(table, "on_mismatch", reason, neighbour, found);
    } else if let Some((_, place)) = components.iter().find(|(component, _)| *component == Component::Canonical) {
        found
            .warning(&path, *place, "`canonical` without `arguments` changes nothing")
            .label("there are no arguments in this key to be made canonical");
    }
    Some(mask)
}

fn on_in_flight(
    file: &Record,
    table: &Record,
    dispatcher: Option<Dispatcher>,
    found: &mut Diagnostics,
) -> Option<OnInFlight> {
    let word = table.text("on_in_flight")?;
    let neighbour = table.given("on_in_flight").map(|field| (field, "what happens with a row in flight"));
    let takes_over = matches!(word, "takeover" | "reconcile");
    if !takes_over {
        for key in ["lease", "renew"] {
            meaningless(table, key, "only `takeover` and `reconcile` have leases", neighbour, found);
        }
    }
    if word == "fail" {
        meaningless(table, "wait_timeout", "`fail` does not wait", neighbour, found);
    }
    if word == "reconcile" {
        check_status_queries(file, table, dispatcher, found);
    }
    let lease = Lease { length: table.span("lease")?, renew: table.flag("renew")? };
    Some(match word {
        "fail" => OnInFlight::Fail,
        "takeover" => OnInFlight::Takeover(lease),
        "reconcile" => OnInFlight::Reconcile(lease),
        _ => OnInFlight::Wait,
    })
}

/// A policy can only reconcile what can be asked: every write that is called and whose rows it claims.
fn check_status_queries(file: &Record, table: &Record, dispatcher: Option<Dispatcher>, found: &mut Diagnostics) {
    let called: Vec<&str> = file.each("shape").iter().flat_map(called_names).collect();
    for tool in file.each("tool") {
        let (Some(dispatcher), Some(name), Some(class)) =
            (dispatcher, tool.text("name"), tool.choice("class", Class::from_name))
        else {
            continue;
        };
        let claimed = dispatcher.rule(class).remember == Remember::Before;
        let broken = tool.given("status_query").is_some_and(|field| matches!(field.value, Typed::Broken));
        let can_be_asked = tool.flag("status_query") == Some(true) || broken;
        if claimed && class.is_write() && called.contains(&name) && !can_be_asked {
            found
                .error(
                    &table.path_of("on_in_flight"),
                    table.place_of("on_in_flight"),
                    format!("`reconcile` asks `{name}`, which cannot be asked"),
                )
                .label("every write whose rows this policy claims needs `status_query = true`")
                .also(tool.place_of("status_query"), "this tool has no status query");
        }
    }
}

fn without_routes(file: &Record, table: &Record, found: &mut Diagnostics) -> Option<Vec<usize>> {
    let items = table.list("without_routes")?;
    let path = table.path_of("without_routes");
    let mut indices = resolve(file, "route", items, &path, found)?;
    for (i, (place, _)) in items.iter().enumerate() {
        if let Some(first) = indices[..i].iter().position(|earlier| *earlier == indices[i]) {
            found.error(&path, *place, "this route is taken away twice").also(items[first].0, "it stands here");
        }
    }
    indices.sort_unstable();
    Some(indices)
}
