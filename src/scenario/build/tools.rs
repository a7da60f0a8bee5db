//! Tools and the shapes that call them.

use super::{meaningless, re_emits, resolve, unique};
use crate::scenario::diagnostic::Diagnostics;
use crate::scenario::format::limits;
use crate::scenario::record::{Record, Typed};
use crate::scenario::words::tidy;
use crate::scenario::{Client, Shape, Tool};
use crate::turn::{Class, DownstreamMismatch};

/// Builds all tools.
pub(super) fn tools(file: &Record, found: &mut Diagnostics) -> Option<Vec<Tool>> {
    unique(file, "tool", found);
    none_at_all(file, "tool", found);
    let tools: Vec<Option<Tool>> = file.each("tool").iter().map(|table| tool(table, found)).collect();
    tools.into_iter().collect()
}

fn tool(table: &Record, found: &mut Diagnostics) -> Option<Tool> {
    let class = table.choice("class", Class::from_name);
    if let Some(class) = class {
        check_class(table, class, found);
    }
    let client_timeout = table.optional("client_timeout", Record::span)?;
    if table.given("client_timeout").is_none() {
        meaningless(table, "client_retries", "needs `client_timeout`: nothing is ever given up", None, found);
    }
    check_outcomes(table, found);
    check_cost(table, found);
    let retries = table.optional("client_retries", Record::count_u32)?.unwrap_or(0);
    let on_mismatch = table
        .optional("on_mismatch", |t, key| t.choice(key, DownstreamMismatch::from_name))?
        .unwrap_or(DownstreamMismatch::Replay);
    Some(Tool {
        name: table.text("name")?.to_owned(),
        class: class?,
        arguments: table.distribution("arguments")?.clone(),
        latency: table.distribution("latency")?.clone(),
        effect_at: table.number("effect_at")?,
        error_rate: table.number("error_rate")?,
        unknown_rate: table.number("unknown_rate")?,
        client: client_timeout.map(|timeout| Client { timeout, retries }),
        retention: table.optional("retention", Record::span)?,
        on_mismatch,
        status_query: table.optional("status_query", Record::flag)?.unwrap_or(false),
        re_emits: table.optional("re_emits", |t, key| t.record(key).and_then(|r| re_emits(r, found)))?,
        distinct_arguments: table.optional("distinct_arguments", Record::count)?,
        cost: table.optional("cost", Record::distribution)?.cloned(),
    })
}

/// What only some classes have.
fn check_class(table: &Record, class: Class, found: &mut Diagnostics) {
    let neighbour = table.given("class").map(|field| (field, "the class"));
    if class != Class::KeyedWrite {
        for key in ["retention", "on_mismatch"] {
            meaningless(table, key, "only a `keyed_write` tool remembers keys", neighbour, found);
        }
    }
    if class == Class::Read {
        for key in ["effect_at", "status_query", "cost"] {
            meaningless(table, key, "a `read` tool has no effects", neighbour, found);
        }
    }
}

fn check_outcomes(table: &Record, found: &mut Diagnostics) {
    let (Some(error), Some(unknown)) = (table.number("error_rate"), table.number("unknown_rate")) else { return };
    if error + unknown > 1.0 {
        let place = table.place_of("error_rate");
        found
            .error(&table.path_of("error_rate"), place, "`error_rate` and `unknown_rate` must not exceed 1 together")
            .label(format!("they sum to {}", tidy(error + unknown)))
            .also(table.place_of("unknown_rate"), "the other one");
    }
}

/// A month's cost has an expectation.
fn check_cost(table: &Record, found: &mut Diagnostics) {
    if table.distribution("cost").is_some_and(|cost| !cost.mean().is_finite()) {
        found
            .error(&table.path_of("cost"), table.place_of("cost"), "`cost` has no finite mean")
            .label("a month's cost could not be told")
            .help("a Pareto distribution has a mean where `alpha` is above 1, or with `truncate`");
    }
}

/// Warns of tools that no shape calls.
pub(super) fn unused(file: &Record, found: &mut Diagnostics) {
    let called: Vec<&str> = file.each("shape").iter().flat_map(called_names).collect();
    for table in file.each("tool") {
        if let Some(name) = table.text("name").filter(|name| !called.contains(name)) {
            found
                .warning(&table.path, table.place_of("name"), format!("no shape calls `{name}`"))
                .label("nothing is simulated of this tool");
        }
    }
}

/// The names in a shape, as far as they can be read.
pub(super) fn called_names(shape: &Record) -> Vec<&str> {
    let mut names = Vec::new();
    for key in ["calls", "steps"] {
        let mut open: Vec<&Typed> = shape.list(key).into_iter().flatten().map(|(_, value)| value).collect();
        while let Some(value) = open.pop() {
            match value {
                Typed::Text(name) => names.push(name.as_str()),
                Typed::List(items) => open.extend(items.iter().map(|(_, value)| value)),
                _ => {}
            }
        }
    }
    names
}

/// Builds all shapes.
pub(super) fn shapes(file: &Record, found: &mut Diagnostics) -> Option<Vec<Shape>> {
    none_at_all(file, "shape", found);
    let shapes: Vec<Option<Shape>> = file.each("shape").iter().map(|table| shape(file, table, found)).collect();
    shapes.into_iter().collect()
}

fn shape(file: &Record, table: &Record, found: &mut Diagnostics) -> Option<Shape> {
    let steps = match (table.list("calls"), table.list("steps")) {
        (Some(calls), None) => vec![resolve(file, "tool", calls, &table.path_of("calls"), found)?],
        (None, Some(steps)) => {
            let path = table.path_of("steps");
            let step = |(_, calls): &(_, Typed)| match calls {
                Typed::List(calls) => resolve(file, "tool", calls, &path, found),
                _ => None,
            };
            let steps: Vec<Option<Vec<usize>>> = steps.iter().map(step).collect();
            steps.into_iter().collect::<Option<_>>()?
        }
        _ => return None,
    };
    let calls: usize = steps.iter().map(Vec::len).sum();
    if calls > limits::CALLS {
        let place = table.place_of("steps");
        found
            .error(&table.path_of("steps"), place, "too many calls in a turn")
            .label(format!("{calls} calls: at most {}", limits::CALLS));
        return None;
    }
    Some(Shape { weight: table.number("weight")?, steps, same_arguments: table.flag("same_arguments")? })
}

/// Reports an array of tables that must not be empty and is.
pub(super) fn none_at_all(file: &Record, key: &str, found: &mut Diagnostics) {
    if let Some(field) = file.given(key)
        && matches!(&field.value, Typed::Records(records) if records.is_empty())
    {
        found.error(key, field.place, format!("a scenario needs at least one `[[{key}]]`")).label("this is empty");
    }
}
