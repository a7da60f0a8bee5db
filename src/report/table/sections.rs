//! What stands in the tables, section by section.

use super::headline;
use super::layout::Section;
use crate::report::data::{Caveat, Cost, Month, PolicyReport, Rate, Report, Verdict};
use crate::report::number::{bound, bound_percent, count, figure, money, one_in, percent, time};
use crate::turn::Cause;
use anstyle::{AnsiColor, Style};

const ALARM: Style = AnsiColor::Red.on_default().bold();
const NONE: &str = "–";
/// Stands where turns are not independent and a figure needs that; a line below the tables says so.
pub(super) const NOT_PROJECTED: &str = "not projected";

/// The sections that have something to say about this report, in the order in which they are read.
pub(super) fn all(report: &Report) -> Vec<Section> {
    let sections = [
        duplicates(report),
        formulas(report),
        month(report),
        died(report),
        ledger(report),
        attempts(report),
        tools(report),
    ];
    sections.into_iter().filter(|section| !section.rows.is_empty()).collect()
}

impl Section {
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

/// The zero of what a month's duplicate turns bring about: what is bounded is the number of those turns.
fn zero_in_turns(month: &Month) -> String {
    let upper = month.bounds.map(|bounds| bound(bounds.duplicate_turns_upper));
    upper.map_or("0".to_owned(), |upper| format!("0 (turns: below {upper})"))
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
    // Where the exact figure is all or nothing chance has no say, and no z-score says anything.
    let chance = |p: &PolicyReport| exact(p).is_some_and(|e| !matches!(e.duplicate_turn_probability, 0.0 | 1.0));
    let z = |p: &PolicyReport| p.agreement.filter(|_| chance(p)).map(|a| format!("{:+.2}", a.z));
    section.row("z-score", policies().map(|p| or_none(z(p))));
    let verdict = |p: &PolicyReport| match p.agreement {
        Some(agreement) if chance(p) => spaced(agreement.verdict.name()),
        Some(_) if p.duplicate_turns == 0 => "none seen, none expected".to_owned(),
        Some(_) => "all seen, all expected".to_owned(),
        None if exact(p).is_some() => NONE.to_owned(),
        None => "no exact figure".to_owned(),
    };
    let differs = policies().any(|p| p.agreement.is_some_and(|a| a.verdict == Verdict::Differs));
    let row = section.row("simulation and formula", policies().map(verdict));
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
        let cells = months.iter().map(|(_, month, _)| match month.duplicates {
            0.0 => zero_in_turns(month),
            duplicates => figure(duplicates),
        });
        section.row("duplicates", cells);
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
        months.iter().map(|(_, month, rate)| match month.bounds.and_then(|bounds| bounds.at_least_one_upper) {
            Some(upper) if rate.per_turn == 0.0 => zero_below(&bound_percent(upper)),
            _ => month.at_least_one.map_or(NOT_PROJECTED.to_owned(), percent),
        }),
    );
    costs(&mut section, report, &months);
    section
}

fn costs(section: &mut Section, report: &Report, months: &[(&PolicyReport, &Month, &Rate)]) {
    if months.iter().all(|(_, month, _)| month.cost.is_none()) {
        return;
    }
    let no_quantile = if report.caveats.contains(&Caveat::DependentTurns) { NOT_PROJECTED } else { NONE };
    type Of = fn(&Cost) -> Option<f64>;
    let rows: [(&str, &str, Of); 4] = [
        ("cost, mean", NONE, |cost| cost.mean),
        ("cost, median month", no_quantile, |cost| cost.p50),
        ("cost, one month in 20", no_quantile, |cost| cost.p95),
        ("cost, one month in 100", no_quantile, |cost| cost.p99),
    ];
    for (label, absent, of) in rows {
        let cells = months.iter().map(|(_, month, _)| match &month.cost {
            Some(cost) => match of(cost) {
                // Of duplicates that cost something none was seen; else a quantile of zero is a finding.
                Some(_) if cost.mean == Some(0.0) => zero_in_turns(month),
                amount => amount.map_or(absent.to_owned(), |amount| money(&cost.currency, amount)),
            },
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

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}
