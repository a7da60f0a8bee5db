//! The answer in one sentence: the most duplicates of any policy, and what the zeros prove.

use crate::report::caveats::highest;
use crate::report::number::{bound, count, figure, percent};
use crate::report::{Month, PolicyReport, Report};

/// Figures of other policies with duplicates, and policies of which one thing is said, that are named one by one.
const NAMED: usize = 3;

/// What the report found, in one sentence.
#[must_use]
pub fn answer(report: &Report) -> String {
    let mut clauses: Vec<String> = highest(&report.policies).map(|policy| most(report, policy)).into_iter().collect();
    clauses.extend(lesser(report));
    clauses.extend(zeros(report));
    if clauses.is_empty() {
        return "No turn was run, so there is nothing to answer.".to_owned();
    }
    format!("With these assumptions, {}.", clauses.join("; "))
}

/// A month of `policy` by the exact figure where there is one.
fn month<'r>(report: &'r Report, policy: &'r PolicyReport) -> Option<(&'r Month, &'static str)> {
    let exact = report.estimate.exact.get(&policy.name).and_then(|exact| exact.volume.as_ref());
    exact.map(|month| (month, "")).or(policy.volume.as_ref().map(|month| (month, " as simulated")))
}

fn most(report: &Report, policy: &PolicyReport) -> String {
    let name = &policy.name;
    let rate = policy.rate.map_or(0.0, |rate| rate.per_turn);
    match month(report, policy) {
        Some((month, how)) => {
            let duplicates = figure(month.duplicates);
            let chance = month.at_least_one.map(|chance| format!(", {} chance of at least one", percent(chance)));
            format!("about {duplicates} duplicates a month under {name}{how}{}", chance.unwrap_or_default())
        }
        None => format!("{} of turns have a duplicate under {name}, one in {}", percent(rate), figure(1.0 / rate)),
    }
}

/// The other policies that have duplicates, from the most down.
fn lesser(report: &Report) -> Vec<String> {
    let first = highest(&report.policies).map(|policy| &policy.name);
    let others = report.policies.iter().filter(|policy| policy.duplicate_turns > 0 && Some(&policy.name) != first);
    let mut others: Vec<&PolicyReport> = others.collect();
    others.sort_by_key(|policy| std::cmp::Reverse(policy.duplicate_turns));
    let figure_of = |policy: &PolicyReport| match month(report, policy) {
        Some((month, _)) => format!("{} a month", figure(month.duplicates)),
        None => format!("{} of turns", percent(policy.rate.map_or(0.0, |rate| rate.per_turn))),
    };
    let groups = grouped(others.into_iter().map(|policy| (figure_of(policy), policy.name.as_str())));
    let more: usize = groups.iter().skip(NAMED).map(|(_, names)| names.len()).sum();
    let mut clauses: Vec<String> = groups.into_iter().take(NAMED).map(clause).collect();
    if more > 0 {
        clauses.push(format!("{more} more policies have fewer"));
    }
    clauses
}

/// Names of which the same is said, together.
fn grouped<'a>(said: impl Iterator<Item = (String, &'a str)>) -> Vec<(String, Vec<&'a str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (words, name) in said {
        match groups.iter_mut().find(|(known, _)| *known == words) {
            Some((_, names)) => names.push(name),
            None => groups.push((words, vec![name])),
        }
    }
    groups
}

fn clause((words, names): (String, Vec<&str>)) -> String {
    format!("{}: {words}", listed(&names))
}

/// The policies without duplicates, those with the same bound together.
fn zeros(report: &Report) -> Vec<String> {
    let said = report.policies.iter().filter(|policy| policy.duplicate_turns == 0).filter_map(|policy| {
        let rate = policy.rate?;
        let below = match policy.volume.as_ref().and_then(|month| month.bounds) {
            Some(bounds) => format!("below {} a month", bound(bounds.duplicate_turns_upper)),
            None => format!("below {} a turn", bound(rate.upper)),
        };
        let turns = if policy.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", count(policy.turns)) };
        let proved = format!("none seen in {turns}, {below} at 95 % (the one-sided bound)");
        Some((proved, policy.name.as_str()))
    });
    grouped(said).into_iter().map(clause).collect()
}

/// A few names, and how many more.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        names if names.len() > NAMED + 1 => {
            format!("{} and {} more", names[..NAMED].join(", "), names.len() - NAMED)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
