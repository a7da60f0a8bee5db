//! A report as tables of comma-separated values. A column's name is the figure's path in the JSON report; where a
//! figure does not apply its cell is empty.

use super::data::{PolicyReport, Report};
use crate::turn::Cause;

/// The columns of one policy and their cells, in order.
pub(super) fn policy_cells(policy: &PolicyReport) -> Vec<(String, String)> {
    let mut row = Row::default();
    row.text("name", &policy.name);
    row.counts(&[
        ("turns", policy.turns),
        ("attempts", policy.attempts),
        ("commits", policy.commits),
        ("cuts", policy.cuts),
        ("silent_cuts", policy.silent_cuts),
        ("crashes", policy.crashes),
        ("died.before_call", policy.died.before_call),
        ("died.arguments", policy.died.arguments),
        ("died.in_flight", policy.died.in_flight),
        ("died.returned", policy.died.returned),
        ("died.stopped", policy.died.stopped),
        ("effects", policy.effects),
        ("duplicates", policy.duplicates),
        ("duplicate_turns", policy.duplicate_turns),
        ("failed_turns", policy.failed_turns),
        ("swallowed", policy.swallowed),
        ("crossed", policy.crossed),
        ("unserved", policy.unserved),
        ("orphaned", policy.orphaned),
        ("stuck", policy.stuck),
        ("calls", policy.calls),
        ("abandoned_calls", policy.abandoned_calls),
        ("refused", policy.refused),
        ("claims", policy.claims),
        ("conflicts", policy.conflicts),
        ("waits", policy.waits),
    ]);
    row.text("waited_ns", &policy.waited_ns.to_string());
    row.counts(&[("capped_turns", policy.capped_turns)]);
    for cause in Cause::ALL {
        let seen = policy.causes.get(cause).map(u64::to_string).unwrap_or_default();
        row.text(&format!("causes.{cause}"), &seen);
    }
    let rate = policy.rate.as_ref();
    row.figures(&[
        ("rate.per_turn", rate.map(|r| r.per_turn)),
        ("rate.low", rate.map(|r| r.low)),
        ("rate.high", rate.map(|r| r.high)),
        ("rate.upper", rate.map(|r| r.upper)),
        ("rate.confidence", rate.map(|r| r.confidence)),
        ("agreement.z", policy.agreement.map(|a| a.z)),
    ]);
    row.text("agreement.verdict", policy.agreement.map_or("", |a| a.verdict.name()));
    month_cells(&mut row, policy);
    row.0
}

fn month_cells(row: &mut Row, policy: &PolicyReport) {
    let month = policy.volume.as_ref();
    let bounds = month.and_then(|m| m.bounds);
    let cost = month.and_then(|m| m.cost.as_ref());
    row.figures(&[
        ("volume.turns", month.map(|m| m.turns)),
        ("volume.duplicates", month.map(|m| m.duplicates)),
        ("volume.duplicate_turns", month.map(|m| m.duplicate_turns)),
        ("volume.at_least_one", month.and_then(|m| m.at_least_one)),
        ("volume.bounds.duplicate_turns_low", bounds.map(|b| b.duplicate_turns_low)),
        ("volume.bounds.duplicate_turns_high", bounds.map(|b| b.duplicate_turns_high)),
        ("volume.bounds.duplicate_turns_upper", bounds.map(|b| b.duplicate_turns_upper)),
        ("volume.bounds.at_least_one_upper", bounds.and_then(|b| b.at_least_one_upper)),
    ]);
    row.text("volume.cost.currency", cost.map_or("", |c| &c.currency));
    row.figures(&[
        ("volume.cost.mean", cost.and_then(|c| c.mean)),
        ("volume.cost.p50", cost.and_then(|c| c.p50)),
        ("volume.cost.p95", cost.and_then(|c| c.p95)),
        ("volume.cost.p99", cost.and_then(|c| c.p99)),
    ]);
}

/// One policy a row.
#[must_use]
pub fn policies(report: &Report) -> String {
    table(report.policies.iter().map(policy_cells))
}

/// One tool of one policy a row.
#[must_use]
pub fn tools(report: &Report) -> String {
    table(report.policies.iter().flat_map(|policy| {
        policy.tools.iter().map(|tool| {
            let mut row = Row::default();
            row.text("policy", &policy.name);
            row.text("name", &tool.name);
            row.counts(&[("turns", policy.turns), ("calls", tool.calls)]);
            row.counts(&[("effects", tool.effects), ("duplicates", tool.duplicates)]);
            row.0
        })
    }))
}

/// Columns and cells of one line.
#[derive(Default)]
pub(super) struct Row(pub(super) Vec<(String, String)>);

impl Row {
    pub(super) fn text(&mut self, column: &str, cell: &str) {
        self.0.push((column.to_owned(), cell.to_owned()));
    }

    pub(super) fn counts(&mut self, cells: &[(&str, u64)]) {
        for (column, count) in cells {
            self.text(column, &count.to_string());
        }
    }

    pub(super) fn figures(&mut self, cells: &[(&str, Option<f64>)]) {
        for (column, figure) in cells {
            self.text(column, &figure.map(figure_as_in_json).unwrap_or_default());
        }
    }
}

/// The digits that the JSON report shows for the same number, a whole one without its ".0".
fn figure_as_in_json(figure: f64) -> String {
    let text = serde_json::to_string(&figure).expect("a number is JSON");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

pub(super) fn table(rows: impl Iterator<Item = Vec<(String, String)>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut headed = false;
    for row in rows {
        if !headed {
            writer.write_record(row.iter().map(|(column, _)| column)).expect("memory takes it");
            headed = true;
        }
        writer.write_record(row.iter().map(|(_, cell)| cell)).expect("rows of one length in memory");
    }
    let bytes = writer.into_inner().expect("memory takes it");
    String::from_utf8(bytes).expect("cells are text")
}
