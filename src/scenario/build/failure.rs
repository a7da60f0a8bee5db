//! What fails, and the hazard behind a given rate.

use super::meaningless;
use crate::scenario::diagnostic::Diagnostics;
use crate::scenario::record::{Field, Record, Typed};
use crate::scenario::{Cuts, Failure, Fraction, Hazard, Incidents, Phases, Shape, Stream, Tool, hazard};
use crate::turn::{DispatchAt, Handling};

const SECONDS_PER_HOUR: f64 = 3600.0;

/// Reports what contradicts the rest of the file.
pub(super) fn check(file: &Record, found: &mut Diagnostics) {
    let Some(table) = file.record("failure") else { return };
    let stream = file.record("stream");
    let phases = table.record("hazard").and_then(|hazard| hazard.record("phases"));
    if let Some((word, field)) = stream.and_then(never_idle) {
        let reason = format!("with `{word}` the stream never waits for a tool");
        let neighbour = field.map(|field| (field, "the stream"));
        meaningless(table, "idle_timeout", &reason, neighbour, found);
        if let Some(phases) = phases {
            meaningless(phases, "tool", &reason, neighbour, found);
        }
    }
    if let Some(phases) = phases {
        check_phases(phases, found);
    }
    if file.given("volume").is_none()
        && let Some(field) = table.given("incidents")
    {
        found
            .error("failure.incidents", field.key_place, "incidents need a calendar")
            .label("without `[volume]` a month has no turns")
            .help("add `[volume]` with `turns_per_month`");
    }
    check_rates(table, found);
}

/// The word of `[stream]` for which no stream is open while a tool runs, and where it stands.
fn never_idle(stream: &Record) -> Option<(&'static str, Option<&Field>)> {
    if stream.choice("handler", Handling::from_name) == Some(Handling::Concurrent) {
        return Some((Handling::Concurrent.name(), stream.given("handler")));
    }
    let at = stream.choice("dispatch", DispatchAt::from_name);
    (at == Some(DispatchAt::MessageStop)).then(|| (DispatchAt::MessageStop.name(), stream.given("dispatch")))
}

fn check_phases(table: &Record, found: &mut Diagnostics) {
    let multipliers = ["prelude", "arguments", "tool", "gap"].map(|key| table.number(key));
    if multipliers.iter().all(|multiplier| *multiplier == Some(0.0)) {
        found
            .error(&table.path, table.place, "all multipliers are zero")
            .label("no stream would ever be cut")
            .help("for a scenario without cuts write `hazard = { rate = 0 }`");
    }
}

/// Under a hazard no probability of a cut is 1.
fn check_rates(table: &Record, found: &mut Diagnostics) {
    let Some(hazard) = table.record("hazard") else { return };
    let mut certain = |path: &str, place| {
        found
            .error(path, place, "no hazard cuts every stream")
            .label("must be below 1")
            .help("`fraction` takes a rate of 1");
    };
    if hazard.number("rate") == Some(1.0) {
        certain(&hazard.path_of("rate"), hazard.place_of("rate"));
    }
    for (place, value) in table.list("replay_rates").into_iter().flatten() {
        if matches!(value, Typed::Number(rate) if *rate == 1.0) {
            certain("failure.replay_rates", *place);
        }
    }
}

/// Builds the failure model; hazards are solved for the rates that are given.
pub(super) fn failure(
    file: &Record,
    stream: &Stream,
    tools: &[Tool],
    shapes: &[Shape],
    found: &mut Diagnostics,
) -> Option<Failure> {
    let table = file.record("failure")?;
    let cuts = match (table.record("hazard"), table.record("fraction")) {
        (Some(hazard), None) => {
            let phases = phases(hazard.record("phases")?)?;
            let solve = |rate: f64| hazard::solve(stream, tools, shapes, &phases, rate);
            Cuts::Hazard(self::hazard(table, hazard, phases, solve, found)?)
        }
        (None, Some(fraction)) => {
            let rate = std::iter::once(fraction.number("rate")?).chain(replay_rates(table)).collect();
            Cuts::Fraction(Fraction { rate, window_fraction: fraction.number("window_fraction")? })
        }
        _ => return None,
    };
    Some(Failure {
        cuts,
        silent: table.number("silent")?,
        idle_timeout: table.optional("idle_timeout", Record::span)?,
        crashes_per_hour: table.number("crashes_per_hour")?,
        attempt_limit: table.optional("attempt_limit", Record::span)?,
        incidents: table.optional("incidents", |t, key| t.record(key).and_then(incidents))?,
    })
}

fn hazard(
    table: &Record,
    hazard: &Record,
    phases: Phases,
    solve: impl Fn(f64) -> Option<f64>,
    found: &mut Diagnostics,
) -> Option<Hazard> {
    let mut solve_at = |path: &str, place, rate: f64| {
        let per_second = solve(rate);
        if per_second.is_none() {
            found
                .error(path, place, "no hazard gives this rate")
                .label(format!("no hazard cuts a first attempt with probability {rate}"))
                .help("the phases whose multiplier is above zero must take time in every shape that counts");
        }
        per_second
    };
    let rate = hazard.optional("rate", Record::number)?;
    let first = match rate {
        Some(rate) => solve_at(&hazard.path_of("rate"), hazard.place_of("rate"), rate),
        None => hazard.number("per_hour").map(|per_hour| per_hour / SECONDS_PER_HOUR),
    };
    let mut per_second = vec![first];
    for (place, value) in table.list("replay_rates").into_iter().flatten() {
        let Typed::Number(rate) = value else { return None };
        per_second.push(solve_at("failure.replay_rates", *place, *rate));
    }
    Some(Hazard { per_second: per_second.into_iter().collect::<Option<_>>()?, phases, rate })
}

fn replay_rates(table: &Record) -> impl Iterator<Item = f64> + '_ {
    table.list("replay_rates").into_iter().flatten().filter_map(|(_, value)| match value {
        Typed::Number(rate) => Some(*rate),
        _ => None,
    })
}

fn phases(table: &Record) -> Option<Phases> {
    Some(Phases {
        prelude: table.number("prelude")?,
        arguments: table.number("arguments")?,
        tool: table.number("tool")?,
        gap: table.number("gap")?,
    })
}

fn incidents(table: &Record) -> Option<Incidents> {
    Some(Incidents {
        per_month: table.number("per_month")?,
        duration: table.span("duration")?,
        factor: table.number("factor")?,
    })
}
