//! An explanation as a sequence to be shown.

use super::{Draw, Event, Explanation, Kind};
use crate::report::number::count;
use crate::report::quoted;
use crate::report::sequence::{Line, Row, Sequence};

/// What text and picture show of an explanation. `command` is the command line that shows another turn of
/// the same run, as far as it is the same: without turn and policy.
#[must_use]
pub fn sequence(explanation: &Explanation, command: &str) -> Sequence {
    Sequence {
        title: explanation.scenario.title.clone(),
        subtitle: subtitle(explanation),
        times: "Seconds since the turn arrived.".to_owned(),
        rows: rows(explanation),
        closing: closing(explanation, command),
    }
}

fn subtitle(explanation: &Explanation) -> Vec<String> {
    let Explanation { scenario, turn, turns, policy, seed, .. } = explanation;
    let mut lines =
        vec![format!("{} · turn {} of {} · policy {policy} · seed {seed}", scenario.name, count(*turn), count(*turns))];
    lines.extend(scenario.set.iter().map(|set| format!("with {set}")));
    if let Some(sought) = explanation.found {
        let what = match sought {
            crate::sim::find::Sought::Duplicate => "in which something was done twice",
            crate::sim::find::Sought::Swallowed => {
                "in which a call was answered with another call's result and not made"
            }
            crate::sim::find::Sought::Stuck => "that left a row in flight for ever",
            crate::sim::find::Sought::Waited => "in which a call waited for a row",
        };
        lines.push(format!("The first turn of the run {what}."));
    }
    lines
}

fn rows(explanation: &Explanation) -> Vec<Row> {
    let several = explanation.events.iter().any(|event| event.attempt > Some(1) || event.turn != explanation.turn);
    let mut rows = Vec::new();
    for event in explanation.events.iter().filter(|event| !event.minor) {
        if let (Kind::AttemptBegins, Some(attempt), true) = (event.kind, event.attempt, several) {
            rows.push(Row::Heading(heading(attempt)));
        }
        rows.push(Row::Line(line(explanation, event, several)));
    }
    rows
}

fn heading(attempt: u32) -> String {
    match attempt {
        1 => "Attempt 1".to_owned(),
        n => format!("Attempt {n}, replay {}", n - 1),
    }
}

fn line(explanation: &Explanation, event: &Event, several: bool) -> Line {
    let tag = match event.attempt {
        _ if event.turn != explanation.turn => format!("turn {}", count(event.turn)),
        Some(attempt) if several => format!("#{attempt}"),
        _ => String::new(),
    };
    let draws: Vec<String> = event.draws.iter().map(draw).collect();
    Line {
        time: clock(event.at_ns),
        tag,
        from: event.from,
        to: event.to,
        what: event.what.clone(),
        aside: draws.join("; "),
        mark: event.mark,
    }
}

/// A draw with its site: `prelude 7.402 s (draw 0.4413)`.
fn draw(draw: &Draw) -> String {
    let row = if draw.row > 0 { format!("[{}]", draw.row) } else { String::new() };
    let request = if draw.request > 0 { format!(", request {}", draw.request + 1) } else { String::new() };
    let site = format!("{}{row}{request}", draw.site.replace('_', " "));
    match (draw.span_ns, draw.value) {
        (Some(length), Some(value)) => format!("{site} {} (draw {value:.4})", span(length as i64)),
        (Some(length), None) => format!("{site} {} (constant)", span(length as i64)),
        (None, value) => format!("{site} (draw {:.4})", value.unwrap_or_default()),
    }
}

fn closing(explanation: &Explanation, command: &str) -> Vec<(String, Vec<String>)> {
    let mut closing = vec![("What it comes to".to_owned(), explanation.verdict.clone())];
    if !explanation.keys.is_empty() {
        let keys = explanation.keys.iter().map(|key| format!("{}  {}", key.key, key.canonical)).collect();
        closing.push(("Keys".to_owned(), keys));
    }
    if !explanation.beside.is_empty() {
        let lines = explanation.beside.iter().map(|beside| format!("{}: {}", beside.policy, beside.verdict));
        let mut lines: Vec<String> = lines.collect();
        let first = quoted(&explanation.beside[0].policy);
        lines.push(format!("{command} --turn {} --policy {first}", explanation.turn));
        closing.push(("The same turn under the other policies".to_owned(), lines));
    }
    closing
}

/// A point of time, in seconds since the turn arrived: `1,234.567 s`.
pub(super) fn clock(at_ns: i64) -> String {
    let millis = (at_ns.unsigned_abs() + 500_000) / 1_000_000;
    let sign = if at_ns < 0 && millis > 0 { "-" } else { "" };
    format!("{sign}{}.{:03} s", count(millis / 1000), millis % 1000)
}

/// A length of time: `7.402 s`, `240 ms`, `0.350 ms`.
pub(super) fn span(length_ns: i64) -> String {
    let nanos = length_ns.unsigned_abs();
    match nanos {
        1_000_000_000.. => clock(length_ns),
        1_000_000.. | 0 => format!("{} ms", (nanos + 500_000) / 1_000_000),
        _ => format!("0.{:03} ms", (nanos + 500) / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_millisecond() {
        for (ns, text) in [
            (0, "0.000 s"),
            (7_402_400_000, "7.402 s"),
            (-3_200_000_000, "-3.200 s"),
            (-1, "0.000 s"),
            (1_234_567_000_000, "1,234.567 s"),
            (i64::MIN, "-9,223,372,036.855 s"),
        ] {
            assert_eq!(clock(ns), text);
        }
        for (ns, text) in [(7_402_400_000, "7.402 s"), (240_000_000, "240 ms"), (350_000, "0.350 ms"), (0, "0 ms")] {
            assert_eq!(span(ns), text);
        }
    }
}
