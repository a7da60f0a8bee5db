//! What a figure guards against, and whether that came up in the run: a zero is a finding only where it might not
//! have been one.

use crate::audit::Tally;
use crate::dispatch::rule::KeyMask;
use crate::report::{PolicyReport, number};
use crate::scenario::gate::{Condition, Figure, Gate, Metric, ToolFigure};
use crate::scenario::{Policy, Scenario};

/// What would show in a figure if its policy's guard were missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Danger {
    /// A fact of the run, which guards against nothing.
    None,
    /// A replay reaches a call that was dispatched, and pays again: naive does.
    Duplicate,
    /// Two intents share a key, or would without one of its components.
    SharedKey,
    /// A dispatch ends without an answer and leaves its row: a ledger that only waits does.
    OpenRow,
    /// A replay reaches a call that was dispatched, so that a ledger has to act.
    MetKey,
    /// An attempt fails, or a tool refuses.
    FailedAttempt,
    /// An attempt ends with a call dispatched.
    DispatchedCall,
}

impl Danger {
    /// What a gate's figure guards against.
    pub(super) fn of(gate: &Gate) -> Self {
        if matches!(gate.condition, Condition::Agrees { .. }) {
            return Danger::Duplicate;
        }
        use Figure as F;
        match gate.metric {
            Metric::Cause(_) | Metric::Tool(_, ToolFigure::Duplicates) => Danger::Duplicate,
            Metric::Died(_) | Metric::Tool(..) => Danger::None,
            Metric::Figure(figure) => match figure {
                F::Turns | F::Attempts | F::Commits | F::Cuts | F::SilentCuts | F::Crashes => Danger::None,
                F::Effects | F::Calls | F::Claims | F::RateConfidence | F::VolumeTurns => Danger::None,
                F::Duplicates | F::DuplicateTurns | F::AgreementZ => Danger::Duplicate,
                F::RatePerTurn | F::RateLow | F::RateHigh | F::RateUpper => Danger::Duplicate,
                F::VolumeDuplicates | F::VolumeDuplicateTurns | F::VolumeAtLeastOne => Danger::Duplicate,
                F::VolumeLow | F::VolumeHigh | F::VolumeUpper | F::VolumeAtLeastOneUpper => Danger::Duplicate,
                F::CostMean | F::CostP50 | F::CostP95 | F::CostP99 => Danger::Duplicate,
                F::Swallowed | F::Crossed => Danger::SharedKey,
                F::Stuck => Danger::OpenRow,
                F::Refused | F::Conflicts | F::Waits | F::WaitedNs => Danger::MetKey,
                F::FailedTurns | F::Unserved | F::AbandonedCalls | F::CappedTurns => Danger::FailedAttempt,
                F::Orphaned => Danger::DispatchedCall,
            },
        }
    }
}

/// Whether a danger came up, and what shows it or how it was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) reached: bool,
    pub(super) words: String,
}

/// One policy that lacks a guard, and what it did.
pub(super) type Unguarded<'a> = (&'a Policy, &'a Tally);

/// What let through what a gate guards against, where the run knows it.
pub(super) fn culprit(gate: &Gate, policy: &Policy, report: &PolicyReport) -> Option<String> {
    match Danger::of(gate) {
        Danger::Duplicate => {
            let causes: Vec<String> =
                report.causes.iter().map(|(cause, n)| format!("{cause} {}", number::count(*n))).collect();
            (!causes.is_empty()).then(|| format!("caused by {}", causes.join(", ")))
        }
        Danger::SharedKey => {
            let gone: Vec<&str> =
                KeyMask::FULL.components().filter(|c| !policy.rules.key.has(*c)).map(|c| c.name()).collect();
            (!gone.is_empty()).then(|| format!("calls shared a key, which has no {}", gone.join(", no ")))
        }
        _ => None,
    }
}

/// Looks for the danger of `gate` in what its own policy did and in what others did without its guard.
pub(super) fn evidence(scenario: &Scenario, gate: &Gate, report: &PolicyReport, others: &[Unguarded<'_>]) -> Evidence {
    let danger = Danger::of(gate);
    let found = |reached: bool, words: String| Evidence { reached, words };
    let died = |report: &PolicyReport| report.cuts + report.silent_cuts + report.crashes + report.refused;
    match danger {
        Danger::None => found(true, String::new()),
        Danger::Duplicate => shown(others, "duplicates", |tally| {
            let reached = tally.extra_runs > 0 || tally.causes.iter().any(|seen| *seen > 0);
            if reached { duplicates(scenario, gate.metric, tally) } else { 0 }
        }),
        Danger::SharedKey => {
            let crossed = gate.metric == Metric::Figure(Figure::Crossed);
            let name = if crossed { "calls answered across conversations" } else { "calls swallowed" };
            shown(others, name, |tally| if crossed { tally.crossed } else { tally.swallowed })
        }
        Danger::OpenRow => shown(others, "rows in flight at the end", |tally| tally.stuck),
        Danger::MetKey => shown(others, "calls run again", |tally| tally.extra_runs),
        Danger::FailedAttempt => {
            let refuses = gate.metric == Metric::Figure(Figure::Unserved)
                && scenario.tools.iter().any(|tool| tool.error_rate > 0.0 || tool.client.is_some());
            let can = if refuses { "; a tool can fail" } else { "" };
            found(died(report) > 0 || refuses, format!("attempts that failed: {}{can}", number::count(died(report))))
        }
        Danger::DispatchedCall => {
            let ended = report.died.in_flight + report.died.returned + report.died.stopped + report.refused;
            found(ended > 0, format!("attempts that ended with a call dispatched: {}", number::count(ended)))
        }
    }
}

/// Whether a policy met a call that had been dispatched before: in its ledger, or by running it again.
pub(super) const fn met_again(own: &Tally) -> bool {
    own.conflicts > 0 || own.extra_runs > 0
}

/// The duplicates that `metric` is about.
fn duplicates(scenario: &Scenario, metric: Metric, tally: &Tally) -> u64 {
    use Figure::{CostMean, CostP50, CostP95, CostP99};
    match metric {
        Metric::Tool(tool, _) => tally.tools[tool].duplicates,
        Metric::Figure(CostMean | CostP50 | CostP95 | CostP99) => {
            let costs = scenario.tools.iter().zip(&tally.tools).filter(|(tool, _)| tool.cost.is_some());
            costs.map(|(_, counts)| counts.duplicates).sum()
        }
        _ => tally.duplicates,
    }
}

/// The policy without the guard under which most of it showed.
fn shown(others: &[Unguarded<'_>], what: &str, count: impl Fn(&Tally) -> u64) -> Evidence {
    // Of equals the first: the order is the scenario's.
    let most = others.iter().rev().max_by_key(|(_, tally)| count(tally));
    let Some((policy, tally)) = most else {
        return Evidence { reached: false, words: "this policy has no guard to take away".to_owned() };
    };
    let seen = count(tally);
    Evidence { reached: seen > 0, words: format!("{what} under {}, same draws: {}", policy.name, number::count(seen)) }
}
