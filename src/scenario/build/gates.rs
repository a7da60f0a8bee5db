//! Gates: checked in full, and then refused, since nothing judges them yet.

use super::{meaningless, names, resolve};
use crate::scenario::diagnostic::Diagnostics;
use crate::scenario::record::{Record, Typed};
use crate::scenario::words::{did_you_mean, excerpt};
use crate::turn::{Cause, Died};

/// Figures of a policy's report that stand alone.
const FIGURES: &[&str] = &[
    "turns",
    "attempts",
    "commits",
    "cuts",
    "silent_cuts",
    "crashes",
    "effects",
    "duplicates",
    "duplicate_turns",
    "failed_turns",
    "swallowed",
    "crossed",
    "unserved",
    "orphaned",
    "stuck",
    "calls",
    "abandoned_calls",
    "refused",
    "claims",
    "conflicts",
    "waits",
    "waited_ns",
    "capped_turns",
    "rate.per_turn",
    "rate.low",
    "rate.high",
    "rate.upper",
    "rate.confidence",
    "agreement.z",
    "volume.turns",
    "volume.duplicates",
    "volume.at_least_one",
    "volume.cost.mean",
    "volume.cost.p50",
    "volume.cost.p95",
    "volume.cost.p99",
];

/// Figures of each tool.
const TOOL_FIGURES: &[&str] = &["calls", "effects", "duplicates"];

/// Reports what is wrong with each gate, and that gates are not judged.
pub(super) fn check(file: &Record, found: &mut Diagnostics) {
    let known = known_metrics(file);
    for gate in file.each("gate") {
        check_gate(file, gate, &known, found);
    }
    if let Some(first) = file.each("gate").first() {
        found
            .error(&first.path, first.place, "gates are not judged by this version")
            .label("nothing would check this")
            .help("take the `[[gate]]` tables out; a later version judges them with `check`");
    }
}

/// Every path of a report on this scenario.
fn known_metrics(file: &Record) -> Vec<String> {
    let died = Died::ALL.iter().map(|died| format!("died.{died}"));
    let causes = Cause::ALL.iter().map(|cause| format!("causes.{cause}"));
    let tools = names(file, "tool").unwrap_or_default();
    let of_tool = |tool: &str| TOOL_FIGURES.iter().map(|figure| format!("tools.{tool}.{figure}")).collect::<Vec<_>>();
    let tools = tools.into_iter().flat_map(of_tool);
    FIGURES.iter().map(|figure| (*figure).to_owned()).chain(died).chain(causes).chain(tools).collect()
}

fn check_gate(file: &Record, gate: &Record, known: &[String], found: &mut Diagnostics) {
    if let Some(field) = gate.given("policy")
        && let Typed::Text(name) = &field.value
    {
        let wanted = [(field.place, Typed::Text(name.clone()))];
        resolve(file, "policy", &wanted, &gate.path_of("policy"), found);
    }
    if let Some(metric) = gate.text("metric") {
        check_metric(file, gate, metric, known, found);
    }
    match gate.given("agrees_with") {
        None => meaningless(gate, "sigmas", "only `agrees_with` is judged in standard errors", None, found),
        Some(field) => {
            let neighbour = Some((field, "judged in standard errors"));
            meaningless(gate, "judge", "agreement is judged in standard errors", neighbour, found);
        }
    }
}

fn check_metric(file: &Record, gate: &Record, metric: &str, known: &[String], found: &mut Diagnostics) {
    let (path, place) = (gate.path_of("metric"), gate.place_of("metric"));
    if !known.iter().any(|name| name == metric) {
        found
            .error(&path, place, format!("no figure of the report is called `{}`", excerpt(metric)))
            .label("unknown metric")
            .help_maybe(did_you_mean(metric, known.iter().map(String::as_str)))
            .help("a metric is a path into a policy of the report, such as `duplicates`, `rate.upper` or `died.in_flight`");
    } else if metric.starts_with("volume.") && file.given("volume").is_none() {
        found
            .error(&path, place, format!("`{metric}` needs `[volume]`"))
            .label("without a volume the report has no monthly figures");
    }
}
