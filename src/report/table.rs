//! A report as the tables a person reads at a glance: policies side by side, at most [`WIDTH`] columns wide where
//! names allow it. Styled with ANSI escapes; the stream that prints it takes them out where they do not belong.

use super::data::{Cost, EstimateFigures, EstimateReport, Month, PolicyReport, Rate, Report, ScenarioId, Verdict};
use super::number::{bound, bound_percent, count, figure, money, one_in, percent, time};
use crate::turn::Cause;
use anstyle::{AnsiColor, Style};
use comfy_table::{Cell, CellAlignment, Table, presets};

/// Columns of text that the tables keep to.
pub const WIDTH: usize = 100;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const ALARM: Style = AnsiColor::Red.on_default().bold();
const NONE: &str = "–";

/// The tables of one run.
#[must_use]
pub fn render(report: &Report) -> String {
    let sections = [
        duplicates(report),
        formulas(report),
        month(report),
        died(report),
        ledger(report),
        attempts(report),
        tools(report),
    ];
    let sections: Vec<Section> = sections.into_iter().filter(|section| !section.rows.is_empty()).collect();
    let asked = format!("{} turns · seed {}", count(report.turns), report.seed);
    let mut text = title(&report.scenario, &asked);
    let names: Vec<&str> = report.policies.iter().map(|policy| policy.name.as_str()).collect();
    for columns in blocks(&names, &sections) {
        text.push('\n');
        text.push_str(&block(&names, &sections, columns));
    }
    text.push_str(&notes(&report.estimate, report.policies.iter().map(|policy| policy.name.as_str())));
    text
}

/// The tables of the formulas alone.
#[must_use]
pub fn render_estimate(report: &EstimateReport) -> String {
    let estimate = &report.estimate;
    let mut text = title(&report.scenario, "by formulas alone, nothing simulated");
    text.push_str(&format!("\n{BOLD}Headline{BOLD:#} {}", headline(estimate)));
    if let Some(month) = estimate.headline_per_month {
        text.push_str(&format!(", {} a month", figure(month)));
    }
    text.push('\n');
    for left_out in &estimate.headline_leaves_out {
        text.push_str(&wrapped("  ", &format!("leaves out: {left_out}")));
    }
    let mut exact: Vec<_> = estimate.exact.iter().collect();
    // The most exposed first; the sort is stable, so equals stay in order of their names.
    exact.sort_by(|(_, a), (_, b)| b.duplicates_per_turn.total_cmp(&a.duplicates_per_turn));
    for (policy, exact) in exact {
        text.push_str(&format!("\n{BOLD}Exact for {policy}{BOLD:#}\n"));
        let mut line = |label: &str, value: String| text.push_str(&format!("  {label:<24}{value}\n"));
        line("duplicates a turn", figure(exact.duplicates_per_turn));
        line("a turn has a duplicate", rate_and_one_in(exact.duplicate_turn_probability));
        if let Some(month) = exact.volume.as_ref().filter(|month| month.duplicates > 0.0) {
            let turns = figure(month.turns);
            line("duplicates a month", format!("{} in {turns} turns", figure(month.duplicates)));
            line("at least one a month", percent(month.at_least_one));
            if let Some((cost, mean)) = month.cost.as_ref().and_then(|cost| Some((cost, cost.mean?))) {
                line("mean cost of a month", money(&cost.currency, mean));
            }
            if let Some((cost, p95)) = month.cost.as_ref().and_then(|cost| Some((cost, cost.p95?))) {
                line("one month in 20 over", money(&cost.currency, p95));
            }
        }
        text.push_str(&format!("{DIM}{}{DIM:#}", wrapped("  ", &exact.formula)));
    }
    text.push_str(&missing(estimate, estimate.exact_missing.keys().map(String::as_str)));
    text
}

/// One heading and its rows over all policies.
struct Section {
    heading: String,
    /// Said beside the heading, plainly.
    aside: String,
    rows: Vec<Line>,
}

/// One label and a cell a policy.
struct Line {
    label: String,
    cells: Vec<String>,
    style: Style,
}

impl Section {
    fn new(heading: impl Into<String>, aside: impl Into<String>) -> Self {
        Section { heading: heading.into(), aside: aside.into(), rows: Vec::new() }
    }

    fn row(&mut self, label: impl Into<String>, cells: impl Iterator<Item = String>) -> &mut Line {
        self.rows.push(Line { label: label.into(), cells: cells.collect(), style: Style::new() });
        self.rows.last_mut().expect("just pushed")
    }

    /// A row of counts; left out where none of them was seen, unless `always`.
    fn counts(&mut self, report: &Report, label: &str, always: bool, of: impl Fn(&PolicyReport) -> u64) {
        if always || report.policies.iter().any(|policy| of(policy) > 0) {
            self.row(label, report.policies.iter().map(|policy| count(of(policy))));
        }
    }
}

fn duplicates(report: &Report) -> Section {
    let mut section = Section::new("Duplicates", "");
    section.counts(report, "duplicate effects", true, |p| p.duplicates);
    section.counts(report, "turns with a duplicate", true, |p| p.duplicate_turns);
    let rates = || report.policies.iter().map(|policy| policy.rate.as_ref());
    section.row("rate a turn", rates().map(|rate| rate.map_or(NONE.to_owned(), rate_or_bound)));
    section.row("95 % interval", rates().map(|rate| rate.map_or(NONE.to_owned(), |r| interval(r, r.low, r.high))));
    let seen = |rate: &&Rate| rate.per_turn > 0.0;
    section.row("one turn in", rates().map(|rate| rate.filter(seen).map_or(NONE.to_owned(), |r| one_in(r.per_turn))));
    for cause in Cause::ALL {
        let label = format!("caused by {}", spaced(cause.name()));
        section.counts(report, &label, false, |p| p.causes.get(cause).copied().unwrap_or(0));
    }
    section
}

fn rate_or_bound(rate: &Rate) -> String {
    if rate.per_turn > 0.0 { figure(rate.per_turn) } else { zero_below(&bound(rate.upper)) }
}

fn zero_below(bound: &str) -> String {
    format!("0 (below {bound} at 95 %)")
}

fn interval(rate: &Rate, low: f64, high: f64) -> String {
    if rate.per_turn > 0.0 { format!("{} to {}", figure(low), figure(high)) } else { NONE.to_owned() }
}

fn formulas(report: &Report) -> Section {
    let mut section = Section::new("Against the formulas", format!("headline {}", headline(&report.estimate)));
    let exact = |policy: &PolicyReport| report.estimate.exact.get(&policy.name);
    let policies = || report.policies.iter();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
    section.row(
        "exact rate a turn",
        policies().map(|p| or_none(exact(p).map(|exact| figure(exact.duplicate_turn_probability)))),
    );
    // Where the exact figure is zero chance has no say, and no z-score says anything.
    let chance = |p: &PolicyReport| exact(p).is_some_and(|exact| exact.duplicate_turn_probability > 0.0);
    let z = |p: &PolicyReport| p.agreement.filter(|_| chance(p)).map(|a| format!("{:+.2}", a.z));
    section.row("z-score", policies().map(|p| or_none(z(p))));
    let verdict = |p: &PolicyReport| match p.agreement {
        Some(agreement) => agreement.verdict.name(),
        None if exact(p).is_some() => NONE,
        None => "no exact figure",
    };
    let differs = policies().any(|p| p.agreement.is_some_and(|a| a.verdict == Verdict::Differs));
    let row = section.row("simulation and formula", policies().map(|p| verdict(p).to_owned()));
    if differs {
        row.style = ALARM;
    }
    section
}

fn month(report: &Report) -> Section {
    let months: Vec<(&PolicyReport, &Month, &Rate)> =
        report.policies.iter().filter_map(|p| Some((p, p.volume.as_ref()?, p.rate.as_ref()?))).collect();
    let Some((_, first, _)) = months.first() else { return Section::new("", "") };
    let aside = report.estimate.headline_per_month.map(|m| format!("headline {} duplicates", figure(m)));
    let mut section = Section::new(format!("A month of {} turns", figure(first.turns)), aside.unwrap_or_default());
    if months.iter().any(|(p, ..)| p.duplicates != p.duplicate_turns) {
        section.row("duplicates", months.iter().map(|(_, month, _)| figure(month.duplicates)));
    }
    section.row(
        "turns with a duplicate",
        months.iter().map(|(_, month, rate)| match month.bounds {
            Some(bounds) if rate.per_turn == 0.0 => zero_below(&bound(bounds.duplicate_turns_upper)),
            _ => figure(month.duplicate_turns),
        }),
    );
    let within = |(_, month, rate): &(_, &Month, &Rate)| {
        month.bounds.map_or(NONE.to_owned(), |b| interval(rate, b.duplicate_turns_low, b.duplicate_turns_high))
    };
    section.row("95 % interval", months.iter().map(within));
    let exact = |p: &PolicyReport| report.estimate.exact.get(&p.name).and_then(|exact| exact.volume.as_ref());
    if months.iter().any(|(p, ..)| exact(p).is_some()) {
        let figures = months.iter().map(|(p, ..)| exact(p).map_or(NONE.to_owned(), |m| figure(m.duplicate_turns)));
        section.row("by the exact figure", figures);
    }
    section.row(
        "chance of at least one",
        months.iter().map(|(_, month, rate)| match month.bounds {
            Some(bounds) if rate.per_turn == 0.0 => zero_below(&bound_percent(bounds.at_least_one_upper)),
            _ => percent(month.at_least_one),
        }),
    );
    costs(&mut section, &months);
    section
}

fn costs(section: &mut Section, months: &[(&PolicyReport, &Month, &Rate)]) {
    if months.iter().all(|(_, month, _)| month.cost.is_none()) {
        return;
    }
    type Of = fn(&Cost) -> Option<f64>;
    let rows: [(&str, Of); 4] = [
        ("cost, mean", |cost| cost.mean),
        ("cost, median month", |cost| cost.p50),
        ("cost, one month in 20", |cost| cost.p95),
        ("cost, one month in 100", |cost| cost.p99),
    ];
    for (label, of) in rows {
        let cells = months.iter().map(|(policy, month, _)| match &month.cost {
            Some(_) if policy.duplicates == 0 => "none seen".to_owned(),
            Some(cost) => of(cost).map_or(NONE.to_owned(), |amount| money(&cost.currency, amount)),
            None => NONE.to_owned(),
        });
        section.row(label, cells);
    }
}

fn died(report: &Report) -> Section {
    let mut section = Section::new("Where streams died", "");
    section.counts(report, "cuts", true, |p| p.cuts);
    section.counts(report, "crashes", false, |p| p.crashes);
    let mut place = |label: &str, of: fn(&PolicyReport) -> u64| {
        if report.policies.iter().any(|p| of(p) > 0) {
            let share = |p: &PolicyReport| 100.0 * of(p) as f64 / p.died.total().max(1) as f64;
            section.row(label, report.policies.iter().map(|p| format!("{}  {:5.1} %", count(of(p)), share(p))));
        }
    };
    place("before the call", |p| p.died.before_call);
    place("in the arguments", |p| p.died.arguments);
    place("in flight", |p| p.died.in_flight);
    place("returned", |p| p.died.returned);
    place("stopped", |p| p.died.stopped);
    place("in the window in all", |p| p.died.in_window());
    section
}

fn ledger(report: &Report) -> Section {
    let mut section = Section::new("At the ledger", "");
    let has = |p: &PolicyReport| p.claims + p.conflicts + p.waits + p.stuck > 0;
    if !report.policies.iter().any(has) {
        return section;
    }
    let mut row = |label: &str, seen: fn(&PolicyReport) -> bool, of: fn(&PolicyReport) -> String| {
        if report.policies.iter().any(seen) {
            let cell = |p| if has(p) { of(p) } else { NONE.to_owned() };
            section.row(label, report.policies.iter().map(cell));
        }
    };
    row("claims", |_| true, |p| count(p.claims));
    row("conflicts (found a row)", |_| true, |p| count(p.conflicts));
    row("waits for a row", |p| p.waits > 0, |p| count(p.waits));
    row(
        "mean wait",
        |p| p.waits > 0,
        |p| match p.waits {
            0 => NONE.to_owned(),
            waits => time(p.waited_ns / u128::from(waits)),
        },
    );
    row("rows left in flight", |p| p.stuck > 0, |p| count(p.stuck));
    section
}

fn attempts(report: &Report) -> Section {
    let mut section = Section::new("Attempts, calls, turns", "");
    type Of = fn(&PolicyReport) -> u64;
    let rows: [(&str, bool, Of); 14] = [
        ("attempts", true, |p| p.attempts),
        ("replays", true, |p| p.replays()),
        ("commits", true, |p| p.commits),
        ("silent cuts", false, |p| p.silent_cuts),
        ("refused by the dispatcher", false, |p| p.refused),
        ("calls dispatched", true, |p| p.calls),
        ("calls abandoned", false, |p| p.abandoned_calls),
        ("effects", true, |p| p.effects),
        ("effects of failed turns", false, |p| p.orphaned),
        ("failed turns", true, |p| p.failed_turns),
        ("capped turns", false, |p| p.capped_turns),
        ("intents swallowed", false, |p| p.swallowed),
        ("  across conversations", false, |p| p.crossed),
        ("intents unserved", false, |p| p.unserved),
    ];
    for (label, always, of) in rows {
        section.counts(report, label, always, of);
    }
    section
}

fn tools(report: &Report) -> Section {
    let mut section = Section::new("Duplicates by tool", "");
    let Some(first) = report.policies.first() else { return section };
    if first.tools.len() > 1 {
        for (place, tool) in first.tools.iter().enumerate() {
            section.counts(report, &tool.name, false, |p| p.tools.get(place).map_or(0, |tool| tool.duplicates));
        }
    }
    section
}

/// Policies in order, as many to a block as the width allows, at least one.
fn blocks(names: &[&str], sections: &[Section]) -> Vec<std::ops::Range<usize>> {
    const INDENT: usize = 2;
    let rows = || sections.iter().flat_map(|section| &section.rows);
    let width = |text: &str| text.chars().count();
    let labels = INDENT + rows().map(|row| width(&row.label)).max().unwrap_or(0);
    let columns = names.iter().enumerate().map(|(place, name)| {
        let cells = rows().filter_map(|row| row.cells.get(place)).map(|cell| width(cell));
        2 + cells.chain([width(name)]).max().unwrap_or(0)
    });
    let mut blocks = Vec::new();
    let (mut start, mut used) = (0, labels);
    for (place, column) in columns.enumerate() {
        if used + column > WIDTH && place > start {
            blocks.push(start..place);
            (start, used) = (place, labels);
        }
        used += column;
    }
    blocks.push(start..names.len());
    blocks
}

fn block(names: &[&str], sections: &[Section], policies: std::ops::Range<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let right = |text: &str| Cell::new(text).set_alignment(CellAlignment::Right);
    let cells = |label: &str, cells: &[&str]| {
        std::iter::once(Cell::new(label)).chain(cells.iter().map(|cell| right(cell))).collect::<Vec<_>>()
    };
    table.add_row(cells("", &names[policies.clone()]));
    for row in sections.iter().flat_map(|section| &section.rows) {
        let shown: Vec<&str> = row.cells[policies.clone()].iter().map(String::as_str).collect();
        table.add_row(cells(&row.label, &shown));
    }
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    let mut lines = table.lines();
    let names = lines.next().unwrap_or_default();
    let mut text = format!("{BOLD}{}{BOLD:#}\n", names.trim_end());
    for (place, section) in sections.iter().enumerate() {
        let gap = if place == 0 { "" } else { "\n" };
        let aside = if section.aside.is_empty() { String::new() } else { format!("  {}", section.aside) };
        text.push_str(&format!("{gap}{BOLD}{}{BOLD:#}{aside}\n", section.heading));
        for (row, line) in section.rows.iter().zip(&mut lines) {
            text.push_str(&format!("{}{}{:#}\n", row.style, line.trim_end(), row.style));
        }
    }
    text
}

fn title(scenario: &ScenarioId, asked: &str) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}\n{} · {asked}\n", scenario.title, scenario.name);
    for set in &scenario.set {
        text.push_str(&format!("with {set}\n"));
    }
    text
}

fn headline(estimate: &EstimateFigures) -> String {
    let (rate, window) = (percent(estimate.failure_rate), percent(estimate.window_fraction));
    format!("{rate} cut × {window} in the window = {} a turn", figure(estimate.headline_rate))
}

fn rate_and_one_in(rate: f64) -> String {
    if rate > 0.0 { format!("{}, one in {}", figure(rate), one_in(rate)) } else { figure(rate) }
}

fn notes<'a>(estimate: &EstimateFigures, policies: impl Iterator<Item = &'a str>) -> String {
    let left_out = match estimate.headline_leaves_out.as_slice() {
        [] => String::new(),
        left_out => format!("\n{}", wrapped("", &format!("The headline leaves out: {}", left_out.join("; ")))),
    };
    left_out + &missing(estimate, policies)
}

/// Why policies have no exact figure: one line a reason.
fn missing<'a>(estimate: &EstimateFigures, policies: impl Iterator<Item = &'a str>) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for policy in policies {
        let Some(reason) = estimate.exact_missing.get(policy) else { continue };
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(policy),
            None => reasons.push((reason, vec![policy])),
        }
    }
    let lines = reasons.iter().map(|(reason, names)| format!("No exact figure for {}: {reason}", names.join(", ")));
    let lines: String = lines.map(|line| wrapped("", &line)).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// `text` in lines of at most [`WIDTH`] columns that start with `indent`, broken between words.
#[must_use]
pub fn wrapped(indent: &str, text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => *line += &format!(" {word}"),
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}
