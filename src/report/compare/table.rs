//! A comparison as a matrix: a line a dispatcher, key or policy, a column a figure.

use super::{Comparison, Difference, Group, LedgerOptions, Row, ScenarioRun};
use crate::report::number::{bound, count, figure, time};
use crate::report::table::layout::{Section, block, blocks};
use crate::report::table::{BOLD, title, wrapped};

const NONE: &str = "–";
/// More differences than this are told by number.
const DIFFERENCES: usize = 20;

/// The tables of a comparison.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    let mut text = match comparison.scenarios.as_slice() {
        [run] => title(&run.scenario, &asked(run)),
        runs => several(runs),
    };
    text.push_str(&comparison.options.as_ref().map_or(String::new(), options));
    text.push_str(&differences(comparison));
    let columns = columns(comparison);
    let sections = sections(comparison, &columns);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    for range in blocks(&names, &sections) {
        text.push('\n');
        text.push_str(&block(&names, &sections, range));
    }
    text.push_str(&nothing_seen(comparison));
    text.push_str(&causes(comparison));
    text.push_str(&answers(comparison));
    text
}

fn asked(run: &ScenarioRun) -> String {
    format!("{} turns · seed {}", count(run.turns), run.seed)
}

fn several(runs: &[ScenarioRun]) -> String {
    let mut text = String::new();
    for run in runs {
        text.push_str(&wrapped("", &format!("{}: {} · {}", run.label, run.scenario.title, asked(run))));
    }
    let set = runs.first().map_or(&[][..], |run| &run.scenario.set);
    set.iter().for_each(|set| text.push_str(&format!("with {set}\n")));
    text
}

/// The options as a policy writes them, those that have a meaning here.
fn options(options: &LedgerOptions) -> String {
    let mut said = vec![format!("on_in_flight {}", options.on_in_flight)];
    let mut say = |text: String| said.push(text);
    if let Some(lease) = options.lease_ns {
        say(format!("lease {}{}", time(lease.into()), if options.renew == Some(true) { ", renewed" } else { "" }));
    }
    if options.on_in_flight != "fail" {
        say(format!("wait_timeout {}", time(options.wait_timeout_ns.into())));
    }
    say(format!("on_failed {}", options.on_failed));
    say(format!("on_unknown {}", options.on_unknown));
    if let Some(retention) = options.row_retention_ns {
        say(format!("row_retention {}", time(retention.into())));
    }
    if options.ledger_loss > 0.0 {
        say(format!("ledger_loss {}", figure(options.ledger_loss)));
    }
    if options.unavailable > 0.0 {
        say(format!("unavailable {}, on_unavailable {}", figure(options.unavailable), options.on_unavailable));
    }
    let from = options.from.as_ref().map_or("by default".to_owned(), |from| format!("as the policy {from}"));
    let mut text = format!("ledgers {from}: {}", said.join(", "));
    if !options.waiting_instead.is_empty() {
        let names: Vec<&str> = options.waiting_instead.iter().map(|dispatcher| dispatcher.name()).collect();
        text.push_str(&format!("; {} wait instead, for a tool cannot be asked", names.join(" and ")));
    }
    wrapped("", &text)
}

fn differences(comparison: &Comparison) -> String {
    if comparison.scenarios.len() < 2 {
        return String::new();
    }
    let line = |difference: &Difference| {
        let values = comparison.scenarios.iter().map(|run| difference.values.get(&run.label));
        let values: Vec<&str> = values.map(|value| value.map_or(NONE, String::as_str)).collect();
        wrapped("  ", &format!("{}: {}", difference.path, values.join(" → ")))
    };
    let mut text = format!("\n{BOLD}What differs{BOLD:#}\n");
    comparison.differences.iter().take(DIFFERENCES).for_each(|difference| text.push_str(&line(difference)));
    match comparison.differences.len() {
        0 => text.push_str("  nothing in the files\n"),
        n if n > DIFFERENCES => text.push_str(&format!("  and {} more, all in --format json\n", n - DIFFERENCES)),
        _ => {}
    }
    text
}

/// A heading, the cell of a row, and whether there is anything to see in it; a column with nothing is left out.
struct Column {
    name: &'static str,
    cell: fn(&Row) -> String,
    seen: fn(&Row) -> bool,
}

/// A column of counts.
macro_rules! counts {
    ($name:literal, $row:ident, $count:expr) => {
        Column { name: $name, cell: |$row| count($count), seen: |$row| $count > 0 }
    };
}

const COLUMNS: [Column; 13] = [
    Column { name: "duplicates", cell: |row| count(row.counted.duplicates), seen: |_| true },
    Column { name: "rate a turn", cell: rate, seen: |_| true },
    Column { name: "95 % interval", cell: interval, seen: |_| true },
    Column { name: "a month", cell: month, seen: |row| row.counted.volume.is_some() },
    Column { name: "swallowed", cell: |row| count(row.counted.swallowed), seen: |_| true },
    counts!("crossed", row, row.counted.crossed),
    counts!("orphaned", row, row.counted.orphaned),
    counts!("stuck", row, row.counted.stuck),
    counts!("failed turns", row, row.counted.failed_turns),
    counts!("refused", row, row.counted.refused),
    counts!("extra runs", row, row.extra_runs),
    counts!("waits", row, row.counted.waits),
    Column { name: "waited", cell: waited, seen: |row| row.counted.waits > 0 },
];

fn columns(comparison: &Comparison) -> Vec<&'static Column> {
    COLUMNS.iter().filter(|column| comparison.rows.iter().any(column.seen)).collect()
}

/// The columns of counts that were left out, in a line.
fn nothing_seen(comparison: &Comparison) -> String {
    let left_out = COLUMNS.iter().filter(|column| !["a month", "waited"].contains(&column.name));
    let left_out = left_out.filter(|column| !comparison.rows.iter().any(column.seen)).map(|column| column.name);
    let left_out = left_out.collect::<Vec<_>>().join(", ");
    if left_out.is_empty() { left_out } else { format!("\n{}", wrapped("", &format!("Zero everywhere: {left_out}"))) }
}

fn rate(row: &Row) -> String {
    row.counted.rate.as_ref().map_or(NONE.to_owned(), |rate| figure(rate.per_turn))
}

/// Where none was seen the one-sided upper bound.
fn interval(row: &Row) -> String {
    row.counted.rate.as_ref().map_or(NONE.to_owned(), |rate| match row.counted.duplicate_turns {
        0 => format!("below {}", bound(rate.upper)),
        _ => format!("{} to {}", figure(rate.low), figure(rate.high)),
    })
}

fn month(row: &Row) -> String {
    row.counted.volume.as_ref().map_or(NONE.to_owned(), |month| match month.bounds {
        Some(bounds) if row.counted.duplicate_turns == 0 => format!("below {}", bound(bounds.duplicate_turns_upper)),
        _ => figure(month.duplicate_turns),
    })
}

fn waited(row: &Row) -> String {
    if row.counted.waits > 0 { time(row.counted.waited_ns) } else { NONE.to_owned() }
}

fn sections(comparison: &Comparison, columns: &[&Column]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let line = |section: &mut Section, label: &str, row: Option<&Row>| {
        let cell = |column: &&Column| row.map_or(NONE.to_owned(), column.cell);
        section.row(label, columns.iter().map(cell));
    };
    for (group, heading) in
        [(Group::Dispatchers, "Dispatchers with the full key"), (Group::Keys, "Keys of ledger_and_header")]
    {
        let mut section = Section::new(heading, "");
        let rows = comparison.rows.iter().filter(|row| row.group == group);
        rows.for_each(|row| line(&mut section, &row.counted.name, Some(row)));
        sections.push(section);
    }
    let mut last = "";
    for name in comparison.rows.iter().filter(|row| row.group == Group::Policies).map(|row| &row.counted.name) {
        if name == last {
            continue;
        }
        last = name;
        let mut section = Section::new(name, "");
        for run in &comparison.scenarios {
            let row = comparison.rows.iter().find(|row| row.scenario == run.label && row.counted.name == *name);
            line(&mut section, &run.label, row);
        }
        sections.push(section);
    }
    sections.retain(|section| !section.rows.is_empty());
    sections
}

fn causes(comparison: &Comparison) -> String {
    let mut text = String::new();
    for row in comparison.rows.iter().filter(|row| row.counted.duplicates > 0) {
        let causes = row.counted.causes.iter();
        let causes: Vec<String> =
            causes.map(|(cause, n)| format!("{} {}", cause.name().replace('_', " "), count(*n))).collect();
        let of = if comparison.scenarios.len() > 1 { format!(" of {}", row.scenario) } else { String::new() };
        text.push_str(&wrapped("  ", &format!("{}{of}: {}", row.counted.name, causes.join(", "))));
    }
    if text.is_empty() { text } else { format!("\n{BOLD}Causes of the duplicates{BOLD:#}\n{text}") }
}

fn answers(comparison: &Comparison) -> String {
    let lines = comparison.answers.iter().map(|answer| match comparison.scenarios.len() {
        1 => wrapped("", &answer.text),
        _ => wrapped("", &format!("{}: {}", answer.scenario, answer.text)),
    });
    format!("\n{}", lines.collect::<String>())
}
