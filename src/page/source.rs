//! Where the number comes from: headline, exact figures and how far the simulation is from them.

use super::content::{Cell, Row, Table};
use crate::report::number::{figure, percent};
use crate::report::{PolicyReport, Report};

/// The headline as a sentence.
pub(super) fn headline(report: &Report) -> Cell {
    let estimate = &report.estimate;
    let cell = Cell::text("Headline: ")
        .with("/estimate/failure_rate", estimate.failure_rate, percent(estimate.failure_rate))
        .then(" of streams cut × ")
        .with("/estimate/window_fraction", estimate.window_fraction, percent(estimate.window_fraction))
        .then(" of cuts in the window = ")
        .with("/estimate/headline_rate", estimate.headline_rate, figure(estimate.headline_rate))
        .then(" a turn");
    let cell = match estimate.headline_per_month {
        Some(month) => cell.then(", ").with("/estimate/headline_per_month", month, figure(month)).then(" a month"),
        None => cell,
    };
    cell.then(". This is the arithmetic people do by hand.")
}

/// A row a policy: how its exact figure was derived, the figure, the simulated rate, their distance, the verdict.
pub(super) fn agreement(report: &Report) -> Table {
    let columns = ["exact rate a turn", "simulated", "z-score", "verdict"].map(str::to_owned).to_vec();
    let row = |(index, policy): (usize, &PolicyReport)| Row {
        label: policy.name.clone(),
        formula: derivation(report, policy),
        cells: cells(report, index, policy),
    };
    Table { columns, rows: report.policies.iter().enumerate().map(row).collect() }
}

fn cells(report: &Report, index: usize, policy: &PolicyReport) -> Vec<Cell> {
    let exact = report.estimate.exact.get(&policy.name);
    let name = policy.name.replace('~', "~0").replace('/', "~1");
    let probability = exact.map(|exact| exact.duplicate_turn_probability);
    let simulated = policy.rate.map_or_else(Cell::none, |rate| {
        Cell::number(&format!("/policies/{index}/rate/per_turn"), rate.per_turn, figure(rate.per_turn))
    });
    // Where the exact figure is all or nothing chance has no say.
    let chance = probability.is_some_and(|probability| probability > 0.0 && probability < 1.0);
    let z = policy.agreement.filter(|_| chance).map_or_else(Cell::none, |agreement| {
        Cell::number(&format!("/policies/{index}/agreement/z"), agreement.z, format!("{:+.2}", agreement.z))
    });
    let verdict = match (policy.agreement, probability) {
        (Some(agreement), _) if chance => agreement.verdict.name().replace('_', " "),
        (Some(_), Some(0.0)) => "agrees: none seen, none expected".to_owned(),
        (Some(_), Some(_)) => "agrees: all seen, all expected".to_owned(),
        _ => "cannot be compared".to_owned(),
    };
    vec![
        probability.map_or_else(Cell::none, |probability| {
            let pointer = format!("/estimate/exact/{name}/duplicate_turn_probability");
            Cell::number(&pointer, probability, figure(probability))
        }),
        simulated,
        z,
        Cell::text(verdict),
    ]
}

fn derivation(report: &Report, policy: &PolicyReport) -> String {
    match (report.estimate.exact.get(&policy.name), report.estimate.exact_missing.get(&policy.name)) {
        (Some(exact), _) => exact.formula.clone(),
        (None, Some(feature)) => format!("no exact figure: {feature}"),
        (None, None) => String::new(),
    }
}
