//! From runs to the comparison's data.

use super::answer::answer;
use super::{Comparison, Difference, Group, LedgerOptions, Row, ScenarioRun};
use crate::dispatch::rule::{Dispatcher, KeyMask};
use crate::report::build::Asked;
use crate::report::data::{PolicyReport, SCHEMA, ScenarioId};
use crate::scenario::Scenario;
use crate::sim::Outcome;
use std::collections::BTreeMap;

/// One scenario that was run.
pub struct Run<'a> {
    /// What the command line calls it.
    pub called: &'a str,
    /// As it was run.
    pub scenario: &'a Scenario,
    /// What it counted.
    pub outcome: &'a Outcome,
    /// What was asked for.
    pub asked: Asked<'a>,
}

/// What is compared.
pub enum Compared<'a> {
    /// Policies over one scenario: what each is, and what all were given.
    Policies(Run<'a>, &'a [Group], LedgerOptions),
    /// Scenarios: each with the values in its file.
    Scenarios(Vec<(Run<'a>, Vec<(String, String)>)>),
}

impl Comparison {
    /// Puts runs side by side.
    #[must_use]
    pub fn new(compared: Compared<'_>) -> Self {
        match compared {
            Compared::Policies(run, groups, options) => {
                let rows = rows(&run, &run.scenario.name, groups);
                Comparison::of(vec![run.described(&run.scenario.name)], Some(options), Vec::new(), rows)
            }
            Compared::Scenarios(files) => {
                let labels = labels(&files.iter().map(|(run, _)| run).collect::<Vec<_>>());
                let runs = || files.iter().map(|(run, _)| run).zip(&labels);
                let all = runs()
                    .flat_map(|(run, label)| rows(run, label, &vec![Group::Policies; run.scenario.policies.len()]));
                let scenarios = runs().map(|(run, label)| run.described(label)).collect();
                let values: Vec<_> = labels.iter().zip(files.iter().map(|(_, values)| values.as_slice())).collect();
                Comparison::of(scenarios, None, differences(&values), by_policy(all.collect()))
            }
        }
    }

    fn of(
        scenarios: Vec<ScenarioRun>,
        options: Option<LedgerOptions>,
        differences: Vec<Difference>,
        rows: Vec<Row>,
    ) -> Self {
        let answers = scenarios.iter().map(|run| answer(&run.label, &rows)).collect();
        Comparison { schema: SCHEMA, scenarios, options, differences, rows, answers }
    }
}

impl Run<'_> {
    fn described(&self, label: &str) -> ScenarioRun {
        ScenarioRun {
            label: label.to_owned(),
            scenario: ScenarioId::new(self.scenario, self.asked.set),
            seed: self.asked.seed,
            turns: self.asked.turns,
        }
    }
}

/// Names where they tell the scenarios apart, else what the command line calls them, numbered where even that is one.
fn labels(runs: &[&Run<'_>]) -> Vec<String> {
    let unique = |labels: &[&str]| labels.iter().enumerate().all(|(i, label)| !labels[..i].contains(label));
    let names: Vec<&str> = runs.iter().map(|run| run.scenario.name.as_str()).collect();
    let called: Vec<&str> = runs.iter().map(|run| run.called).collect();
    match [names, called.clone()].into_iter().find(|labels| unique(labels)) {
        Some(labels) => labels.into_iter().map(str::to_owned).collect(),
        None => called.iter().enumerate().map(|(i, called)| format!("{called} ({})", i + 1)).collect(),
    }
}

fn rows(run: &Run<'_>, label: &str, groups: &[Group]) -> Vec<Row> {
    assert_eq!(run.scenario.policies.len(), run.outcome.policies.len(), "a tally for each policy");
    (run.scenario.policies.iter().zip(&run.outcome.policies).zip(groups))
        .map(|((policy, tally), group)| {
            let key = if policy.rules.dispatcher == Dispatcher::Naive { KeyMask::of(&[]) } else { policy.rules.key };
            Row {
                scenario: label.to_owned(),
                group: *group,
                dispatcher: policy.rules.dispatcher,
                key: key.components().collect(),
                extra_runs: tally.extra_runs,
                counted: PolicyReport::new(run.scenario, &policy.name, tally, None),
            }
        })
        .collect()
}

/// Rows of policies of one name side by side, in the order in which the names first appear.
fn by_policy(rows: Vec<Row>) -> Vec<Row> {
    let mut names: Vec<String> = Vec::new();
    for row in &rows {
        if !names.contains(&row.counted.name) {
            names.push(row.counted.name.clone());
        }
    }
    let mut rows = rows;
    // The sort is stable: within a name the scenarios keep their order.
    rows.sort_by_key(|row| names.iter().position(|name| *name == row.counted.name));
    rows
}

/// The paths whose values are not the same in all files, in the order of the first file that has them. Name and title
/// are left out: they stand in the comparison anyway.
fn differences(files: &[(&String, &[(String, String)])]) -> Vec<Difference> {
    let mut by_path: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (label, values) in files {
        // Names are shown anyway, and what is asserted of a run changes nothing of it.
        let simulated = |path: &str| path != "name" && path != "title" && !path.starts_with("gate.");
        for (path, value) in values.iter().filter(|(path, _)| simulated(path)) {
            if !by_path.contains_key(path.as_str()) {
                order.push(path);
            }
            by_path.entry(path).or_default().insert((*label).clone(), value.clone());
        }
    }
    let differs = |values: &BTreeMap<String, String>| {
        values.len() < files.len() || values.values().zip(values.values().skip(1)).any(|(a, b)| a != b)
    };
    let differences = order.into_iter().filter_map(|path| {
        let values = by_path.remove(path).filter(differs)?;
        Some(Difference { path: path.to_owned(), values })
    });
    differences.collect()
}
