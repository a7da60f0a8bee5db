//! A tool audit as comma-separated values: one line a tool and what was run over it.

use super::{AuditedTool, Exposure, ToolAudit};
use crate::report::csv::{Row, table};

/// Each tool unguarded, by each route, by its own client, and under each policy.
#[must_use]
pub fn render(audit: &ToolAudit) -> String {
    table(audit.tools.iter().flat_map(lines))
}

fn lines(tool: &AuditedTool) -> Vec<Vec<(String, String)>> {
    let mut lines = vec![line(tool, "unguarded", "", "", &tool.unguarded)];
    lines.extend(tool.routes.iter().map(|one| line(tool, "route", &one.route, "", &one.exposure)));
    lines.extend(tool.own_client.iter().map(|exposure| line(tool, "own_client", "", "", exposure)));
    lines.extend(tool.policies.iter().map(|one| {
        let provides = if one.provides { "true" } else { "false" };
        line(tool, "policy", &one.policy, provides, &one.exposure)
    }));
    lines
}

fn line(tool: &AuditedTool, of: &str, name: &str, provides: &str, exposure: &Exposure) -> Vec<(String, String)> {
    let mut row = Row::default();
    row.text("tool", &tool.name);
    row.text("class", tool.class.name());
    row.text("of", of);
    row.text("name", name);
    row.text("provides", provides);
    row.counts(&[("duplicates", exposure.duplicates), ("duplicate_turns", exposure.duplicate_turns)]);
    let (rate, month) = (exposure.rate.as_ref(), exposure.month);
    row.figures(&[
        ("rate.per_turn", rate.map(|r| r.per_turn)),
        ("rate.low", rate.map(|r| r.low)),
        ("rate.high", rate.map(|r| r.high)),
        ("rate.upper", rate.map(|r| r.upper)),
        ("month.duplicate_turns", month.map(|m| m.duplicate_turns)),
        ("month.low", month.map(|m| m.low)),
        ("month.high", month.map(|m| m.high)),
        ("month.upper", month.map(|m| m.upper)),
    ]);
    row.0
}
