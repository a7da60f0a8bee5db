//! Which of the rows to build: the cheapest that had neither a duplicate nor a swallowed call.

use super::{Answer, Finding, Group, Row};
use crate::dispatch::rule::Dispatcher;
use crate::report::data::Rate;
use crate::report::number::{bound, count, figure};

/// What the rows of one scenario come to. Ablated keys are for learning, not for building: they take no part.
pub(super) fn answer(scenario: &str, rows: &[Row]) -> Answer {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.scenario == scenario && row.group != Group::Keys).collect();
    let (finding, row, text) = if rows.iter().all(|row| row.counted.duplicates == 0) {
        (Finding::Untested, None, untested(&rows))
    } else {
        let clean = || rows.iter().copied().filter(|row| faults(row) == 0);
        match clean().min_by_key(|row| cost(row)) {
            Some(row) => {
                let claims = clean().filter(|row| row.counted.claims > 0).min_by_key(|row| cost(row));
                (Finding::Found, Some(row), found(row) + &caution(row, claims))
            }
            None => {
                let nearest = rows.iter().min_by_key(|row| (faults(row), cost(row))).copied();
                (Finding::None, nearest, nearest.map_or(String::new(), none))
            }
        }
    };
    Answer { scenario: scenario.to_owned(), finding, policy: row.map(|row| row.counted.name.clone()), text }
}

fn faults(row: &Row) -> u64 {
    row.counted.duplicates + row.counted.swallowed
}

/// Rows claimed in the ledger, then how much there is to build.
fn cost(row: &Row) -> (u64, usize) {
    let apparatus = match row.dispatcher {
        Dispatcher::Naive => 0,
        Dispatcher::Header => 1,
        Dispatcher::RecordAfter => 2,
        Dispatcher::Ledger => 3,
        Dispatcher::Registry => 4,
        Dispatcher::LedgerAndHeader => 5,
    };
    (row.counted.claims, apparatus)
}

fn found(row: &Row) -> String {
    let counted = &row.counted;
    let turns = count(counted.turns);
    let mut text =
        format!("Build {}: the cheapest with no duplicate and no swallowed call in {turns} turns", named(row));
    text.push_str(&counted.rate.as_ref().map_or(String::new(), |rate| format!("; {}", below(row, rate))));
    let open = [
        (counted.refused, "attempts refused"),
        (counted.stuck, "rows left in flight"),
        (counted.failed_turns, "turns failed"),
    ];
    let open: Vec<String> =
        open.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count(*n))).collect();
    if open.is_empty() { format!("{text}.") } else { format!("{text}. It had {}.", open.join(", ")) }
}

/// What a dispatcher that records late leaves to luck, whether or not the scenario has it.
fn caution(row: &Row, claims: Option<&Row>) -> String {
    if row.dispatcher != Dispatcher::RecordAfter {
        return String::new();
    }
    let instead =
        claims.map_or(String::new(), |claims| format!("; {} claims first and had none either", named(claims)));
    format!(" It holds only while no process dies in a call and no two attempts overlap{instead}.")
}

/// What a zero of this row is good for.
fn below(row: &Row, rate: &Rate) -> String {
    let month = row.counted.volume.as_ref().and_then(|month| month.bounds);
    let month = month.map_or(String::new(), |bounds| format!(", {} a month", bound(bounds.duplicate_turns_upper)));
    format!("each is below {} a turn{month} at 95 %", bound(rate.upper))
}

fn none(row: &Row) -> String {
    let counted = &row.counted;
    let rate = counted.rate.as_ref().map_or(String::new(), |rate| match counted.duplicate_turns {
        0 => format!(" (below {} a turn at 95 %)", bound(rate.upper)),
        _ => format!(" ({} to {} a turn at 95 %)", figure(rate.low), figure(rate.high)),
    });
    let causes = counted.causes.keys().map(|cause| cause.name().replace('_', " ")).collect::<Vec<_>>();
    let causes = if causes.is_empty() { String::new() } else { format!(", caused by {}", causes.join(" and ")) };
    format!(
        "None is without duplicates and swallowed calls. {} comes nearest: {} duplicates{rate}{causes}, {} swallowed in \
         {} turns.",
        named(row),
        count(counted.duplicates),
        count(counted.swallowed),
        count(counted.turns),
    )
}

fn untested(rows: &[&Row]) -> String {
    let Some((row, rate)) = rows.iter().find_map(|row| Some((row, row.counted.rate.as_ref()?))) else {
        return "Nothing was run.".to_owned();
    };
    format!(
        "This decides nothing: none had a duplicate in {} turns ({}). Run more turns.",
        count(row.counted.turns),
        below(row, rate).replace("each is ", ""),
    )
}

/// The policy and, where its name does not say so, its dispatcher.
fn named(row: &Row) -> String {
    let (name, dispatcher) = (&row.counted.name, row.dispatcher);
    if name == dispatcher.name() { name.clone() } else { format!("{name} ({dispatcher})") }
}
