//! The formulas alone.

use super::{BOLD, headline, missing, title, wrapped};
use crate::report::data::EstimateReport;
use crate::report::number::{figure, money, one_in, percent};
use anstyle::Style;

const DIM: Style = Style::new().dimmed();

/// The tables of the formulas alone.
#[must_use]
pub fn render_estimate(report: &EstimateReport) -> String {
    let estimate = &report.estimate;
    let mut text = title(&report.scenario, "by formulas alone, nothing simulated");
    text.push_str(&format!("\n{BOLD}Headline{BOLD:#} {}", headline(estimate)));
    if let Some(month) = estimate.headline_per_month {
        text.push_str(&format!(", {} a month", figure(month)));
    }
    text.push('\n');
    for left_out in &estimate.headline_leaves_out {
        text.push_str(&wrapped("  ", &format!("leaves out: {left_out}")));
    }
    let mut exact: Vec<_> = estimate.exact.iter().collect();
    // The most exposed first; the sort is stable, so equals stay in order of their names.
    exact.sort_by(|(_, a), (_, b)| b.duplicates_per_turn.total_cmp(&a.duplicates_per_turn));
    for (policy, exact) in exact {
        text.push_str(&format!("\n{BOLD}Exact for {policy}{BOLD:#}\n"));
        let mut line = |label: &str, value: String| text.push_str(&format!("  {label:<24}{value}\n"));
        line("duplicates a turn", figure(exact.duplicates_per_turn));
        line("a turn has a duplicate", rate_and_one_in(exact.duplicate_turn_probability));
        if let Some(month) = exact.volume.as_ref().filter(|month| month.duplicates > 0.0) {
            let turns = figure(month.turns);
            line("duplicates a month", format!("{} in {turns} turns", figure(month.duplicates)));
            if let Some(chance) = month.at_least_one {
                line("at least one a month", percent(chance));
            }
            if let Some((cost, mean)) = month.cost.as_ref().and_then(|cost| Some((cost, cost.mean?))) {
                line("mean cost of a month", money(&cost.currency, mean));
            }
            if let Some((cost, p95)) = month.cost.as_ref().and_then(|cost| Some((cost, cost.p95?))) {
                line("one month in 20 over", money(&cost.currency, p95));
            }
        }
        text.push_str(&format!("{DIM}{}{DIM:#}", wrapped("  ", &exact.formula)));
    }
    text.push_str(&missing(estimate, estimate.exact_missing.keys().map(String::as_str)));
    text
}

fn rate_and_one_in(rate: f64) -> String {
    if rate > 0.0 { format!("{}, one in {}", figure(rate), one_in(rate)) } else { figure(rate) }
}
