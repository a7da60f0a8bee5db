//! Replay routes and the defaults of their kinds.

use super::{re_emits, unique};
use crate::scenario::Route;
use crate::scenario::diagnostic::Diagnostics;
use crate::scenario::record::Record;
use crate::turn::{Kind, ReplayPosition, Resumes, When};

/// What a kind stands for: `docs/model.md`, section on replay routes.
const fn defaults(kind: Kind) -> (When, ReplayPosition, Resumes) {
    use ReplayPosition::{Conversation, Pinned};
    match kind {
        Kind::AutoRetry => (When::StreamError, Pinned, Resumes::Step),
        Kind::JobQueue => (When::Crash, Pinned, Resumes::Turn),
        Kind::LoadBalancer => (When::Slow, Pinned, Resumes::Turn),
        Kind::ClientReconnect => (When::FailedTurn, Pinned, Resumes::Turn),
        Kind::UserResend => (When::FailedTurn, Conversation, Resumes::Turn),
    }
}

/// Builds all routes.
pub(super) fn routes(file: &Record, found: &mut Diagnostics) -> Option<Vec<Route>> {
    unique(file, "route", found);
    let routes: Vec<Option<Route>> = file.each("route").iter().map(|table| route(table, found)).collect();
    routes.into_iter().collect()
}

fn route(table: &Record, found: &mut Diagnostics) -> Option<Route> {
    if table.given("kind").is_none() && table.given("when").is_none() {
        found
            .error(&table.path, table.place, "[[route]] needs `kind` or `when`")
            .label("neither is given")
            .help(format!("`kind` is {}", words(Kind::ALL.iter().map(|kind| kind.name()))))
            .help(format!("`when` is {}", words(When::ALL.iter().map(|when| when.name()))));
    }
    let own_re_emits = table.optional("re_emits", |t, key| t.record(key).and_then(|r| re_emits(r, found)));
    let kind = table.optional("kind", |t, key| t.choice(key, Kind::from_name))?;
    let by_kind = kind.map(defaults);
    let when = table.optional("when", |t, key| t.choice(key, When::from_name))?.or(by_kind.map(|d| d.0))?;
    let position = table.optional("position", |t, key| t.choice(key, ReplayPosition::from_name))?;
    let resumes = table.optional("resumes", |t, key| t.choice(key, Resumes::from_name))?;
    let resumes = resumes.or(by_kind.map(|d| d.2)).unwrap_or(Resumes::Turn);
    check_resumes(table, when, resumes, found);
    check_after(table, when, found);
    Some(Route {
        name: table.text("name")?.to_owned(),
        kind,
        when,
        probability: table.number("probability")?,
        delay: table.distribution("delay")?.clone(),
        max: table.count_u32("max")?,
        position: position.or(by_kind.map(|d| d.1)).unwrap_or(ReplayPosition::Pinned),
        resumes,
        after: table.optional("after", Record::span)?,
        re_emits: own_re_emits?,
    })
}

fn words(names: impl Iterator<Item = &'static str>) -> String {
    crate::scenario::words::alternatives(&names.collect::<Vec<_>>(), "or")
}

/// A turn that committed has no interrupted step to go on from.
fn check_resumes(table: &Record, when: When, resumes: Resumes, found: &mut Diagnostics) {
    if resumes == Resumes::Turn || !matches!(when, When::Committed | When::ToolError) {
        return;
    }
    let condition = table.given("when").map_or(table.place, |field| field.place);
    match table.given("resumes") {
        Some(field) => found
            .error(&table.path_of("resumes"), field.place, format!("`resumes = \"step\"` contradicts `{when}`"))
            .label("the attempt committed: no step was interrupted")
            .also(condition, "the condition"),
        None => found
            .error(&table.path_of("when"), condition, format!("`{when}` contradicts the kind's `resumes = \"step\"`"))
            .label("the attempt committed: no step was interrupted")
            .also(table.place_of("kind"), "this kind resumes at the step")
            .help("add `resumes = \"turn\"`"),
    };
}

fn check_after(table: &Record, when: When, found: &mut Diagnostics) {
    match (when, table.given("after")) {
        (When::Slow, None) => {
            let place = table.given("when").or(table.given("kind")).map_or(table.place, |field| field.place);
            found
                .error(&table.path_of("after"), place, "a route for slow attempts needs `after`")
                .label("when is an attempt slow?")
                .help("add the age at which it is, for example `after = \"30s\"`");
        }
        (When::Slow, Some(_)) | (_, None) => {}
        (_, Some(field)) => {
            let condition = table.given("when").or(table.given("kind")).map_or(table.place, |field| field.place);
            found
                .error(&table.path_of("after"), field.key_place, "`after` has no meaning here")
                .label("only a route for slow attempts waits for an age")
                .also(condition, format!("this route's condition is `{when}`"));
        }
    }
}
