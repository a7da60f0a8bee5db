//! A comparison as comma-separated values: one line a row, the figures as in a report's `policies.csv`.

use super::Comparison;
use crate::report::csv::{Row, policy_cells, table};

/// One dispatcher, key or policy a line.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    table(comparison.rows.iter().map(|row| {
        let key: Vec<&str> = row.key.iter().map(|component| component.name()).collect();
        let mut cells = Row::default();
        cells.text("scenario", &row.scenario);
        cells.text("group", row.group.name());
        cells.text("dispatcher", row.dispatcher.name());
        cells.text("key", &key.join(" "));
        cells.counts(&[("extra_runs", row.extra_runs)]);
        cells.0.into_iter().chain(policy_cells(&row.counted)).collect()
    }))
}
