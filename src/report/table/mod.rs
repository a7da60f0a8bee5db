//! A report as the tables a person reads at a glance: policies side by side, at most [`WIDTH`] columns wide where
//! names allow it. Styled with ANSI escapes; the stream that prints it takes them out where they do not belong.

mod estimate;
pub(super) mod layout;
mod sections;

pub use estimate::render_estimate;

use super::data::{Caveat, EstimateFigures, Report, ScenarioId};
use super::number::{count, figure, percent};
use crate::sim::Sampling;
use anstyle::Style;
use layout::{block, blocks};

/// Columns of text that the tables keep to.
pub const WIDTH: usize = 100;

pub(crate) const BOLD: Style = Style::new().bold();

/// The tables of one run.
#[must_use]
pub fn render(report: &Report) -> String {
    let sections = sections::all(report);
    let sampling = match report.sampling {
        Sampling::Every => "",
        Sampling::Disturbed => " · only disturbed turns drawn",
    };
    let asked = format!("{} turns · seed {}{sampling}", count(report.turns), report.seed);
    let mut text = title(&report.scenario, &asked);
    text.push_str(&ended_early(report));
    let names: Vec<&str> = report.policies.iter().map(|policy| policy.name.as_str()).collect();
    for columns in blocks(&names, &sections) {
        text.push('\n');
        text.push_str(&block(&names, &sections, columns));
    }
    text.push_str(&caveats(report));
    text.push_str(&notes(&report.estimate, report.policies.iter().map(|policy| policy.name.as_str())));
    text
}

pub(super) fn title(scenario: &ScenarioId, asked: &str) -> String {
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

/// Why the run has the turns that it has, where they are not those that were asked for.
fn ended_early(report: &Report) -> String {
    let mut text = String::new();
    if report.partial {
        text.push_str("partial: the run was interrupted, these are the whole cells that it had finished\n");
    }
    if let Some(precision) = &report.precision {
        let asked = percent(precision.asked);
        text.push_str(&match (&precision.policy, precision.reached) {
            (Some(policy), Some(reached)) => {
                let more = if precision.is_met() { "" } else { ", which is not reached" };
                format!("{policy}'s rate is known to ± {}; asked for ± {asked}{more}\n", percent(reached))
            }
            _ => format!("no duplicate was seen, so that no rate is known to ± {asked}\n"),
        });
    }
    text
}

/// What limits the figures above, in words.
fn caveats(report: &Report) -> String {
    let mut text = String::new();
    if report.caveats.contains(&Caveat::DependentTurns) {
        let reason = "incidents make the turns of a month depend on each other";
        text.push_str(&format!("\n{}", wrapped("", &format!("{}: {reason}.", sections::NOT_PROJECTED))));
        text.push_str(&wrapped("", "Intervals and bounds take turns as independent and may be too narrow."));
    }
    text
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
