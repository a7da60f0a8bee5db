//! From tables that were read key by key to a scenario: what holds between keys is judged here.
//!
//! Every function returns nothing where an error was reported for what it needs; it still looks at everything it
//! can, so that all errors come out in one go.

mod failure;
mod gates;
mod policies;
mod routes;
mod tools;

use super::diagnostic::{Diagnostics, Place};
use super::format::limits;
use super::record::{Field, Record, Typed};
use super::words::{alternatives, did_you_mean, excerpt, tidy};
use super::{Population, ReEmits, Run, Scenario, Stream, Volume};
use crate::turn::{DispatchAt, Handling, OnCut, Positions};

/// Builds the scenario of a file. Hash and data files are left for the caller.
pub(super) fn scenario(file: &Record, found: &mut Diagnostics) -> Option<Scenario> {
    let name = file.text("name");
    let title = file.optional("title", Record::text);
    let volume = file.optional("volume", |f, key| f.record(key).and_then(volume));
    let stream = file.record("stream").and_then(stream);
    let tools = tools::tools(file, found);
    let shapes = tools::shapes(file, found);
    let routes = routes::routes(file, found);
    let model = file.record("model");
    let re_emits = model.and_then(|m| m.record("re_emits")).and_then(|r| re_emits(r, found));
    let population = file.record("population").and_then(|p| population(p, found));
    let policies = policies::policies(file, found);
    let run = file.record("run").and_then(run);
    failure::check(file, found);
    let gates = gates::gates(file, found);
    if found.has_errors() {
        return None;
    }
    tools::unused(file, found);
    let (stream, tools, shapes) = (stream?, tools?, shapes?);
    let failure = failure::failure(file, &stream, &tools, &shapes, found)?;
    Some(Scenario {
        name: name?.to_owned(),
        title: title?.or(name)?.to_owned(),
        sha256: String::new(),
        files: Vec::new(),
        values: Vec::new(),
        volume: volume?,
        stream,
        failure,
        tools,
        shapes,
        routes: routes?,
        re_emits: re_emits?,
        reserialised: model?.number("reserialised")?,
        population: population?,
        policies: policies?,
        run: run?,
        gates: gates?,
    })
}

fn volume(table: &Record) -> Option<Volume> {
    Some(Volume { turns_per_month: table.number("turns_per_month")?, currency: table.text("currency")?.to_owned() })
}

fn stream(table: &Record) -> Option<Stream> {
    Some(Stream {
        prelude: table.distribution("prelude")?.clone(),
        gap: table.distribution("gap")?.clone(),
        commit: table.distribution("commit")?.clone(),
        handler: table.choice("handler", Handling::from_name)?,
        dispatch: table.choice("dispatch", DispatchAt::from_name)?,
        on_cut: table.choice("on_cut", OnCut::from_name)?,
    })
}

fn population(table: &Record, found: &mut Diagnostics) -> Option<Population> {
    let (conversations, turns) = (table.count_u32("conversations")?, table.count_u32("turns")?);
    if u64::from(conversations) * u64::from(turns) > limits::CELL {
        let place = table.place_of("conversations");
        found
            .error(&table.path_of("conversations"), place, "the cell is too large")
            .label(format!("{conversations} conversations of {turns} turns: at most {} turns in all", limits::CELL))
            .also(table.place_of("turns"), "turns of each");
        return None;
    }
    Some(Population {
        conversations,
        turns,
        repeat: table.number("repeat")?,
        positions: table.choice("positions", Positions::from_name)?,
    })
}

fn run(table: &Record) -> Option<Run> {
    Some(Run {
        turns: table.count("turns")?,
        seed: table.count("seed")?,
        max_attempts: table.count_u32("max_attempts")?,
    })
}

/// Reads what a replay makes of a call. `same` is what the others leave; where it is given the three sum to 1.
fn re_emits(table: &Record, found: &mut Diagnostics) -> Option<ReEmits> {
    let same = table.optional("same", Record::number)?;
    let (reworded, dropped) = (table.number("reworded")?, table.number("dropped")?);
    let rest = 1.0 - reworded - dropped;
    // Decimal fractions rarely add up exactly in binary.
    const SLACK: f64 = 1e-9;
    if rest < -SLACK || same.is_some_and(|same| (same - rest).abs() > SLACK) {
        let sum = reworded + dropped + same.unwrap_or(0.0);
        let message = match same {
            Some(_) => "`same`, `reworded` and `dropped` must sum to 1",
            None => "`reworded` and `dropped` must not exceed 1 together",
        };
        found.error(&table.path, table.place, message).label(format!("they sum to {}", tidy(sum)));
        return None;
    }
    Some(ReEmits { same: rest.max(0.0), reworded, dropped })
}

/// The names of an array of tables; nothing where one of them is not known for an error in it.
fn names<'a>(file: &'a Record, key: &str) -> Option<Vec<&'a str>> {
    file.records(key)?.iter().map(|record| record.text("name")).collect()
}

/// Reports names that stand twice in an array of tables.
fn unique(file: &Record, key: &str, found: &mut Diagnostics) {
    let records = file.each(key);
    for (i, record) in records.iter().enumerate() {
        let Some(name) = record.text("name") else { continue };
        if let Some(first) = records[..i].iter().find(|earlier| earlier.text("name") == Some(name)) {
            found
                .error(&record.path_of("name"), record.place_of("name"), format!("two `[[{key}]]` are called `{name}`"))
                .label("a name that is taken")
                .also(first.place_of("name"), "taken here");
        }
    }
}

/// Looks names up in another array of tables; those that are not there are reported. Nothing where one is not.
fn resolve<'a>(
    file: &Record,
    array: &str,
    wanted: impl IntoIterator<Item = &'a (Place, Typed)>,
    path: &str,
    found: &mut Diagnostics,
) -> Option<Vec<usize>> {
    let names = names(file, array)?;
    let mut indices = Some(Vec::new());
    for (place, value) in wanted {
        let Typed::Text(name) = value else {
            indices = None;
            continue;
        };
        let index = names.iter().position(|n| n == name);
        if index.is_none() {
            undefined(&names, array, name, *place, path, found);
        }
        indices = indices.zip(index).map(|(mut all, index)| {
            all.push(index);
            all
        });
    }
    indices
}

fn undefined(names: &[&str], array: &str, name: &str, place: Place, path: &str, found: &mut Diagnostics) {
    let listed: Vec<&str> = names.iter().take(20).copied().collect();
    let known = match listed.as_slice() {
        [] => format!("there is no `[[{array}]]`"),
        [one] => format!("the only {array} is `{one}`"),
        many => format!("there are {}", alternatives(many, "and")),
    };
    found
        .error(path, place, format!("no {array} is called `{}`", excerpt(name)))
        .label("not defined")
        .help_maybe(did_you_mean(name, names.iter().copied()))
        .help(known);
}

/// Reports a key that its neighbours make meaningless: the reason, and the neighbour where it stands in the file.
fn meaningless(table: &Record, key: &str, reason: &str, neighbour: Option<(&Field, &str)>, found: &mut Diagnostics) {
    if let Some(field) = table.given(key) {
        let error =
            found.error(&table.path_of(key), field.key_place, format!("`{key}` has no meaning here")).label(reason);
        if let Some((field, text)) = neighbour {
            error.also(field.place, text);
        }
    }
}
