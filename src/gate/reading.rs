//! A metric's figure in a report, and the bounds that the run puts on what it estimates.

use super::danger::Unguarded;
use crate::audit::Tally;
use crate::report::{CONFIDENCE, Month, PolicyReport};
use crate::scenario::Scenario;
use crate::scenario::gate::{Figure, Metric, ToolFigure};
use crate::stats::{clopper_pearson, clopper_pearson_upper};
use crate::turn::Died;

/// A range, each end of which is not beyond the true figure with at least the report's confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The figure; none where the report has none.
pub(super) fn value(report: &PolicyReport, metric: Metric) -> Option<f64> {
    match metric {
        Metric::Figure(figure) => figure_value(report, figure),
        Metric::Died(died) => Some(match died {
            Died::BeforeCall => report.died.before_call,
            Died::Arguments => report.died.arguments,
            Died::InFlight => report.died.in_flight,
            Died::Returned => report.died.returned,
            Died::Stopped => report.died.stopped,
        })
        .map(|count| count as f64),
        Metric::Cause(cause) => Some(report.causes.get(&cause).copied().unwrap_or(0) as f64),
        Metric::Tool(tool, figure) => report.tools.get(tool).map(|tool| match figure {
            ToolFigure::Calls => tool.calls as f64,
            ToolFigure::Effects => tool.effects as f64,
            ToolFigure::Duplicates => tool.duplicates as f64,
        }),
    }
}

fn figure_value(report: &PolicyReport, figure: Figure) -> Option<f64> {
    use Figure as F;
    let count = |count: u64| Some(count as f64);
    match figure {
        F::Turns => count(report.turns),
        F::Attempts => count(report.attempts),
        F::Commits => count(report.commits),
        F::Cuts => count(report.cuts),
        F::SilentCuts => count(report.silent_cuts),
        F::Crashes => count(report.crashes),
        F::Effects => count(report.effects),
        F::Duplicates => count(report.duplicates),
        F::DuplicateTurns => count(report.duplicate_turns),
        F::FailedTurns => count(report.failed_turns),
        F::Swallowed => count(report.swallowed),
        F::Crossed => count(report.crossed),
        F::Unserved => count(report.unserved),
        F::Orphaned => count(report.orphaned),
        F::Stuck => count(report.stuck),
        F::Calls => count(report.calls),
        F::AbandonedCalls => count(report.abandoned_calls),
        F::Refused => count(report.refused),
        F::Claims => count(report.claims),
        F::Conflicts => count(report.conflicts),
        F::Waits => count(report.waits),
        F::WaitedNs => Some(report.waited_ns as f64),
        F::CappedTurns => count(report.capped_turns),
        F::RatePerTurn => report.rate.map(|rate| rate.per_turn),
        F::RateLow => report.rate.map(|rate| rate.low),
        F::RateHigh => report.rate.map(|rate| rate.high),
        F::RateUpper => report.rate.map(|rate| rate.upper),
        F::RateConfidence => report.rate.map(|rate| rate.confidence),
        F::AgreementZ => report.agreement.map(|agreement| agreement.z),
        _ => report.volume.as_ref().and_then(|month| month_value(month, figure)),
    }
}

/// A monthly figure.
pub(super) fn month_value(month: &Month, figure: Figure) -> Option<f64> {
    use Figure as F;
    let (bounds, cost) = (month.bounds, month.cost.as_ref());
    match figure {
        F::VolumeTurns => Some(month.turns),
        F::VolumeDuplicates => Some(month.duplicates),
        F::VolumeDuplicateTurns => Some(month.duplicate_turns),
        F::VolumeAtLeastOne => month.at_least_one,
        F::VolumeLow => bounds.map(|bounds| bounds.duplicate_turns_low),
        F::VolumeHigh => bounds.map(|bounds| bounds.duplicate_turns_high),
        F::VolumeUpper => bounds.map(|bounds| bounds.duplicate_turns_upper),
        F::VolumeAtLeastOneUpper => bounds.and_then(|bounds| bounds.at_least_one_upper),
        F::CostMean => cost.and_then(|cost| cost.mean),
        F::CostP50 => cost.and_then(|cost| cost.p50),
        F::CostP95 => cost.and_then(|cost| cost.p95),
        F::CostP99 => cost.and_then(|cost| cost.p99),
        _ => None,
    }
}

/// What the run leaves possible: the lower end of the two-sided interval, and the one-sided upper bound. Monthly
/// figures are those of a month in which the share of turns with a duplicate stands at either end and such turns are
/// like those seen; where the policy had none, like those of the policy without its guard.
pub(super) fn bounds(
    scenario: &Scenario,
    metric: Metric,
    (report, tally): (&PolicyReport, &Tally),
    unguarded: &[Unguarded<'_>],
) -> Option<Bounds> {
    let Metric::Figure(figure) = metric else { return None };
    let rate = report.rate?;
    if metric.counts_turns() {
        let seen = value(report, metric)? as u64;
        let turns = report.turns as f64;
        let low = clopper_pearson(seen, report.turns, CONFIDENCE).0;
        let high = clopper_pearson_upper(seen, report.turns, CONFIDENCE);
        return Some(Bounds { low: turns * low, high: turns * high });
    }
    if figure == Figure::RatePerTurn {
        return Some(Bounds { low: rate.low, high: rate.upper });
    }
    let like = std::iter::once(tally).chain(unguarded.iter().map(|(_, tally)| *tally));
    let like = like.into_iter().find(|tally| tally.duplicate_turns > 0)?;
    let month = |rate: f64| Month::at(scenario, like, rate).and_then(|month| month_value(&month, figure));
    Some(Bounds { low: month(rate.low)?, high: month(rate.upper)? })
}
