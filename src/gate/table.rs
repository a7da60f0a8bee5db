//! What `check` found, for people: one line a gate.

use super::baseline::{Comparison, Move};
use super::data::{CheckReport, Judged, Limit, Verdict};
use crate::report::number::{bound, count, figure, whole};
use crate::report::table::BOLD;
use anstyle::{AnsiColor, Style};

/// The gates of every scenario, and how many of them ended how.
#[must_use]
pub fn render(report: &CheckReport) -> String {
    let mut text = String::new();
    for check in &report.scenarios {
        let (turns, name) = (count(check.turns), &check.scenario.name);
        text.push_str(&format!("{BOLD}{name}{BOLD:#}  {}, {turns} turns, seed {}\n", check.file, check.seed));
        for gate in &check.gates {
            let style = style(gate.verdict);
            text.push_str(&format!("  {style}{:<12}{style:#}  {}\n", gate.verdict.word(), sentence(gate)));
        }
        if let Some(baseline) = &check.baseline {
            let (style, word) = (style(baseline.verdict()), baseline.verdict().word());
            text.push_str(&format!("  {style}{word:<12}{style:#}  {}\n", compared(baseline)));
        }
        text.push('\n');
    }
    text + &format!("{BOLD}{}{BOLD:#}\n", totals(report))
}

/// How many gates ended how.
#[must_use]
pub fn totals(report: &CheckReport) -> String {
    let ended = Verdict::ALL.iter().map(|verdict| (report.count(*verdict), verdict.word()));
    let words: Vec<String> =
        ended.filter(|(gates, _)| *gates > 0).map(|(gates, word)| format!("{gates} {word}")).collect();
    let gates: usize = report.scenarios.iter().map(|check| check.gates.len()).sum();
    let words = if words.is_empty() { "nothing asserted".to_owned() } else { words.join(", ") };
    let baselines = report.scenarios.iter().filter_map(|check| check.baseline.as_ref());
    let moved = baselines.clone().filter(|baseline| baseline.verdict() != Verdict::Passed).count();
    let baselines = match baselines.count() {
        0 => String::new(),
        all => format!("; {all} {}: {moved} moved", if all == 1 { "baseline" } else { "baselines" }),
    };
    format!("{gates} {}: {words}{baselines}", if gates == 1 { "gate" } else { "gates" })
}

/// The figure, what must hold of it, and why it did not.
#[must_use]
pub fn sentence(gate: &Judged) -> String {
    let value = gate.value.map_or_else(|| "none".to_owned(), whole);
    let bounds = gate.bounds.map_or_else(String::new, |b| format!(" ({} to {})", figure(b.low), figure(b.high)));
    let reason = gate.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    let evidence = gate.evidence.as_ref().map_or_else(String::new, |words| format!(" [{words}]"));
    format!("{}: {} {value}{bounds}, {}{reason}{evidence}", gate.policy, gate.metric, limit(gate.limit))
}

/// What moved since the baseline, and by how much.
#[must_use]
pub fn compared(comparison: &Comparison) -> String {
    let moved: Vec<String> = comparison.moved.iter().map(moved).collect();
    let unmatched = comparison.unmatched.iter().map(|name| format!("{name} is in one of the two only"));
    let words: Vec<String> = moved.into_iter().chain(unmatched).collect();
    let counts = count(comparison.compared as u64);
    let found = match words.is_empty() {
        true if comparison.updated && comparison.compared == 0 => "there was none, this is the first".to_owned(),
        true if comparison.same_run => format!("all {counts} counts are the same, as those of the same run must be"),
        true => format!("none of {counts} counts moved by more than chance moves them"),
        false => words.join("; "),
    };
    let updated = if comparison.updated { " (updated)" } else { "" };
    format!("baseline {}{updated}: {found}", comparison.file)
}

fn moved(moved: &Move) -> String {
    let Move { policy, metric, before, turns_before, now, turns_now, probability } = moved;
    let of = |seen: &u64, turns: &u64| format!("{} in {} turns", count(*seen), count(*turns));
    let chance = match *probability == 0.0 {
        true => "which no chance does".to_owned(),
        false => format!("by chance with probability {}", bound(*probability)),
    };
    format!("{policy}: {metric} moved from {} to {}, {chance}", of(before, turns_before), of(now, turns_now))
}

/// What must hold, without what was found: names a gate the same in every run.
#[must_use]
pub fn asked(gate: &Judged) -> String {
    let limit = match gate.limit {
        Limit::Exact { .. } => "agrees with the exact figure".to_owned(),
        other => limit(other),
    };
    format!("{}: {} {limit}", gate.policy, gate.metric)
}

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Max(limit) => format!("at most {}", whole(limit)),
        Limit::Min(limit) => format!("at least {}", whole(limit)),
        Limit::Equals(limit) => format!("exactly {}", whole(limit)),
        Limit::Exact { value, sigmas } => {
            format!("exact figure {} within {} standard errors", figure(value), whole(sigmas))
        }
    }
}

fn style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Passed => AnsiColor::Green,
        Verdict::Undecided | Verdict::NotMeasured => AnsiColor::Yellow,
        Verdict::Failed => AnsiColor::Red,
    };
    colour.on_default()
}
