//! What a turn comes to: each call that was meant and how often it happened, the counts by name, and the same in words.

use super::MeantCall;
use super::show::span;
use super::words::{Names, place};
use crate::audit::Tally;
use crate::report::number::count;
use crate::scenario::Scenario;
use crate::sim::What;
use crate::sim::explain::Trace;
use crate::turn::{Cause, Died};
use std::collections::BTreeMap;

/// The calls that the user meant, each with how often it happened.
pub(super) fn meant(scenario: &Scenario, trace: &Trace) -> Vec<MeantCall> {
    let shape = &scenario.shapes[trace.shape];
    let steps = shape.steps.iter().enumerate().flat_map(|(step, tools)| tools.iter().map(move |tool| (step, *tool)));
    let mut calls: Vec<MeantCall> = Vec::new();
    for (row, (step, tool)) in steps.enumerate() {
        let effects = trace.events.iter().filter(|event| {
            let call = event.call.map(|call| &trace.calls[call]);
            matches!(event.what, What::Effect { .. })
                && call.is_some_and(|call| call.turn == trace.turn && call.row as usize == row)
        });
        calls.push(MeantCall {
            call: row as u32 + 1,
            step: step as u32 + 1,
            tool: scenario.tools[tool].name.clone(),
            class: scenario.tools[tool].class,
            effects: effects.clone().count() as u64,
            duplicates: effects.filter(|event| event.duplicate.is_some()).count() as u64,
        });
    }
    calls
}

/// The counts that are not zero, by the names of a report.
pub(super) fn counts(scenario: &Scenario, tally: &Tally) -> BTreeMap<String, u64> {
    let plain = [
        ("attempts", tally.attempts),
        ("commits", tally.commits),
        ("cuts", tally.cuts),
        ("silent_cuts", tally.silent_cuts),
        ("crashes", tally.crashes),
        ("refused", tally.refused),
        ("effects", tally.effects),
        ("duplicates", tally.duplicates),
        ("failed_turns", tally.failed_turns),
        ("capped_turns", tally.capped_turns),
        ("swallowed", tally.swallowed),
        ("crossed", tally.crossed),
        ("unserved", tally.unserved),
        ("orphaned", tally.orphaned),
        ("stuck", tally.stuck),
        ("abandoned_calls", tally.abandoned_calls),
        ("extra_runs", tally.extra_runs),
        ("calls", tally.calls),
        ("claims", tally.claims),
        ("conflicts", tally.conflicts),
        ("waits", tally.waits),
        ("waited_ns", u64::try_from(tally.waited_ns).unwrap_or(u64::MAX)),
    ];
    let plain = plain.iter().map(|(name, n)| ((*name).to_owned(), *n));
    let died = Died::ALL.iter().map(|died| (format!("died.{died}"), tally.died[died.index()]));
    let causes = Cause::ALL.iter().map(|cause| (format!("causes.{cause}"), tally.causes[cause.index()]));
    let tools = scenario.tools.iter().zip(&tally.tools).flat_map(|(tool, tally)| {
        [("effects", tally.effects), ("duplicates", tally.duplicates)]
            .map(|(figure, n)| (format!("tools.{}.{figure}", tool.name), n))
    });
    plain.chain(died).chain(causes).chain(tools).filter(|(_, n)| *n > 0).collect()
}

/// What happened to the calls, and how the turn ended.
pub(super) fn verdict(scenario: &Scenario, trace: &Trace, calls: &[MeantCall]) -> Vec<String> {
    let tally = &trace.tally;
    if trace.events.is_empty() {
        return vec!["This turn never arrives: its time lies beyond the end of the calendar.".to_owned()];
    }
    let committed = trace.events.iter().filter(|event| event.turn == trace.turn);
    let end = committed.clone().find(|event| matches!(event.what, What::Commits { .. })).map(|event| event.at_ns);
    let plain = tally.duplicates + tally.conflicts + tally.stuck + tally.silent_cuts + tally.swallowed + tally.unserved;
    if let (Some(end), 1, 0) = (end, tally.attempts, plain) {
        let calls = if calls.len() == 1 { "its call was made once" } else { "every call was made once" };
        return vec![format!("Nothing happened to this turn: one attempt, {calls}, committed after {}.", span(end))];
    }
    let names = Names::new(scenario, trace);
    let mut lines: Vec<String> =
        calls.iter().filter(|call| call.class.is_write()).map(|call| sentence(&names, trace, call)).collect();
    lines.push(ending(tally, end));
    lines.extend(at_the_ledger(tally));
    lines
}

/// The same in one line, for a comparison.
pub(super) fn short(tally: &Tally) -> String {
    let mut parts = vec![plural(tally.effects, "effect")];
    parts.push(if tally.duplicates == 0 { "no duplicate".to_owned() } else { duplicates(tally) });
    let more = [(tally.swallowed, "swallowed"), (tally.unserved, "never made"), (tally.stuck, "stuck for ever")];
    parts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    if tally.conflicts > 0 {
        parts.push(format!("{} that found a row", plural(tally.conflicts, "call")));
    }
    parts.push(plural(tally.attempts, "attempt"));
    parts.push(if tally.failed_turns == 0 { "committed" } else { "failed" }.to_owned());
    parts.join(", ")
}

fn sentence(names: &Names<'_>, trace: &Trace, call: &MeantCall) -> String {
    let name = names.meant(call.call - 1);
    match (call.effects, call.duplicates) {
        (0, _) => match foreign(names, trace, call.call - 1) {
            Some(whose) => format!("{name} was never made: its attempt was given the result of {whose}."),
            None => format!("{name} was never made."),
        },
        (1, _) => format!("{name} was made once."),
        (n, _) => {
            let own = trace.events.iter().filter(|event| {
                event.call.is_some_and(|c| trace.calls[c].turn == trace.turn && trace.calls[c].row + 1 == call.call)
            });
            let mut causes: Vec<&str> = own.filter_map(|event| event.duplicate).map(Cause::name).collect();
            causes.dedup();
            let causes = causes.join(", ").replace('_', " ");
            format!("{name} was made {n} times: {} ({causes}).", plural(call.duplicates, "duplicate"))
        }
    }
}

/// Whose result a call of this turn was answered with, where it was not its own.
fn foreign(names: &Names<'_>, trace: &Trace, row: u32) -> Option<String> {
    trace.events.iter().find_map(|event| {
        let call = &trace.calls[event.call?];
        let What::Answers { result_of: Some(intent), heard: true, .. } = event.what else { return None };
        let whose = *trace.meant.get(&intent)?;
        (call.turn == trace.turn && call.row == row && whose != (call.turn, call.row)).then(|| names.result_of(whose))
    })
}

fn ending(tally: &Tally, committed: Option<i64>) -> String {
    let died = Died::ALL.iter().filter(|died| tally.died[died.index()] > 0);
    let died: Vec<&str> = died.map(|died| place(*died)).collect();
    let mut ends: Vec<String> = Vec::new();
    for (n, what) in [(tally.cuts, "cut"), (tally.crashes, "crashed"), (tally.refused, "refused")] {
        if n > 0 {
            ends.push(format!("{n} {what}"));
        }
    }
    let how = match committed {
        Some(at) => format!("The turn committed after {}", span(at)),
        None => "The turn failed".to_owned(),
    };
    let attempts = plural(tally.attempts, "attempt");
    match (ends.is_empty(), died.is_empty()) {
        (true, _) => format!("{how}, in {attempts}."),
        (_, true) => format!("{how}, in {attempts}: {}.", ends.join(", ")),
        _ => format!("{how}, in {attempts}: {} ({}).", ends.join(", "), died.join(", ")),
    }
}

fn at_the_ledger(tally: &Tally) -> Option<String> {
    let mut parts = Vec::new();
    if tally.conflicts > 0 {
        parts.push(format!("{} found a row", plural(tally.conflicts, "call")));
    }
    if tally.waits > 0 {
        let waited = span(i64::try_from(tally.waited_ns).unwrap_or(i64::MAX));
        parts.push(format!("{} waited, {waited} in all", plural(tally.waits, "call")));
    }
    if tally.stuck > 0 {
        parts.push(format!("{} in flight for ever", plural(tally.stuck, "row")));
    }
    (!parts.is_empty()).then(|| format!("At the ledger: {}.", parts.join("; ")))
}

fn duplicates(tally: &Tally) -> String {
    let causes = Cause::ALL.iter().filter(|cause| tally.causes[cause.index()] > 0);
    let causes: Vec<String> = causes.map(|cause| cause.name().replace('_', " ")).collect();
    format!("{} ({})", plural(tally.duplicates, "duplicate"), causes.join(", "))
}

fn plural(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}
