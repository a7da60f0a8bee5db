//! What a gate asks for: one figure of a policy's report, and what must hold of it.

use crate::turn::{Cause, Died, vocabulary};

/// `[[gate]]`
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// Whose result: an index into [`Scenario::policies`](super::Scenario::policies).
    pub policy: usize,
    /// Which figure of it.
    pub metric: Metric,
    /// What must hold.
    pub condition: Condition,
    /// Of what it must hold.
    pub judge: Judge,
    /// How messages name the text that the gate stands in.
    pub origin: String,
    /// The line of its header there, from 1.
    pub line: usize,
}

/// What must hold of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// It is not more.
    Max(f64),
    /// It is not less.
    Min(f64),
    /// It is exactly this.
    Equals(f64),
    /// It is the exact figure of the formulas, within what chance does.
    Agrees {
        /// In standard errors of a normal distribution, positive.
        sigmas: f64,
    },
}

vocabulary! {
    /// Of what a condition must hold.
    Judge {
        /// Of the figure itself.
        Estimate = "estimate",
        /// Of every value that the run leaves possible: of the interval's bound on the wrong side.
        Interval = "interval",
    }
}

vocabulary! {
    /// Figures of a policy's report that stand alone, by their path.
    Figure {
        /// Turns resolved.
        Turns = "turns",
        /// Attempts issued.
        Attempts = "attempts",
        /// Attempts that committed.
        Commits = "commits",
        /// Attempts ended by a noticed cut.
        Cuts = "cuts",
        /// Committed attempts whose stream had ended early.
        SilentCuts = "silent_cuts",
        /// Attempts whose process died.
        Crashes = "crashes",
        /// Effects of writes.
        Effects = "effects",
        /// Effects of an intent after its first.
        Duplicates = "duplicates",
        /// Turns with a duplicate.
        DuplicateTurns = "duplicate_turns",
        /// Turns that never committed.
        FailedTurns = "failed_turns",
        /// Intents answered with another intent's result.
        Swallowed = "swallowed",
        /// Those answered with another conversation's.
        Crossed = "crossed",
        /// Intents without an effect and without a foreign result.
        Unserved = "unserved",
        /// Effects whose turn ended failed.
        Orphaned = "orphaned",
        /// Rows in flight at the end.
        Stuck = "stuck",
        /// Calls dispatched.
        Calls = "calls",
        /// Blocks that were streaming when their attempt ended.
        AbandonedCalls = "abandoned_calls",
        /// Attempts that the dispatcher failed.
        Refused = "refused",
        /// Rows written before a run.
        Claims = "claims",
        /// Calls that found a row.
        Conflicts = "conflicts",
        /// Calls that waited for a row.
        Waits = "waits",
        /// Time they waited, in nanoseconds.
        WaitedNs = "waited_ns",
        /// Turns with a replay drawn and not issued.
        CappedTurns = "capped_turns",
        /// Share of turns with a duplicate.
        RatePerTurn = "rate.per_turn",
        /// Lower end of its two-sided interval.
        RateLow = "rate.low",
        /// Upper end of its two-sided interval.
        RateHigh = "rate.high",
        /// Its one-sided upper bound.
        RateUpper = "rate.upper",
        /// Of interval and bound.
        RateConfidence = "rate.confidence",
        /// Distance from the exact figure in standard errors.
        AgreementZ = "agreement.z",
        /// Turns of a month.
        VolumeTurns = "volume.turns",
        /// Expected duplicates of a month.
        VolumeDuplicates = "volume.duplicates",
        /// Expected turns with a duplicate.
        VolumeDuplicateTurns = "volume.duplicate_turns",
        /// P(at least one duplicate in a month).
        VolumeAtLeastOne = "volume.at_least_one",
        /// Duplicate turns of a month at the lower end of the rate's interval.
        VolumeLow = "volume.bounds.duplicate_turns_low",
        /// At its upper end.
        VolumeHigh = "volume.bounds.duplicate_turns_high",
        /// At its one-sided upper bound.
        VolumeUpper = "volume.bounds.duplicate_turns_upper",
        /// P(at least one) at the one-sided upper bound.
        VolumeAtLeastOneUpper = "volume.bounds.at_least_one_upper",
        /// Expected cost of a month.
        CostMean = "volume.cost.mean",
        /// Its median.
        CostP50 = "volume.cost.p50",
        /// Exceeded in one month of twenty.
        CostP95 = "volume.cost.p95",
        /// Exceeded in one month of a hundred.
        CostP99 = "volume.cost.p99",
    }
}

vocabulary! {
    /// Figures of one tool.
    ToolFigure {
        /// Calls dispatched.
        Calls = "calls",
        /// Effects.
        Effects = "effects",
        /// Effects of an intent after its first.
        Duplicates = "duplicates",
    }
}

/// A figure of a policy's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// One that stands alone.
    Figure(Figure),
    /// Cuts and crashes by where they struck.
    Died(Died),
    /// Duplicates by cause.
    Cause(Cause),
    /// Of one tool, an index into [`Scenario::tools`](super::Scenario::tools).
    Tool(usize, ToolFigure),
}

impl Metric {
    /// Every metric of a scenario with these tools.
    pub fn all(tools: usize) -> impl Iterator<Item = Metric> {
        let of_tool = |tool| ToolFigure::ALL.iter().map(move |figure| Metric::Tool(tool, *figure));
        let figures = Figure::ALL.iter().copied().map(Metric::Figure);
        let died = Died::ALL.iter().copied().map(Metric::Died);
        let causes = Cause::ALL.iter().copied().map(Metric::Cause);
        figures.chain(died).chain(causes).chain((0..tools).flat_map(of_tool))
    }

    /// Its path in a policy's report; tools are named by `tools`, in scenario order.
    #[must_use]
    pub fn path(self, tools: &[&str]) -> String {
        match self {
            Metric::Figure(figure) => figure.to_string(),
            Metric::Died(died) => format!("died.{died}"),
            Metric::Cause(cause) => format!("causes.{cause}"),
            Metric::Tool(tool, figure) => format!("tools.{}.{figure}", tools[tool]),
        }
    }

    /// Whether it is an estimate of something that more turns would tell better, with an interval of its own.
    #[must_use]
    pub fn is_rate(self) -> bool {
        use Figure::{CostMean, CostP50, CostP95, CostP99};
        use Figure::{RatePerTurn, VolumeAtLeastOne, VolumeDuplicateTurns, VolumeDuplicates};
        let Metric::Figure(figure) = self else { return false };
        let month = [VolumeDuplicates, VolumeDuplicateTurns, VolumeAtLeastOne, CostMean, CostP50, CostP95, CostP99];
        figure == RatePerTurn || month.contains(&figure)
    }

    /// Whether it counts turns, of which each has it or has it not: such counts have a binomial interval.
    #[must_use]
    pub fn counts_turns(self) -> bool {
        use Figure::{CappedTurns, DuplicateTurns, FailedTurns};
        matches!(self, Metric::Figure(DuplicateTurns | FailedTurns | CappedTurns))
    }

    /// Whether the formulas have an exact figure for it, where they have one for the policy.
    #[must_use]
    pub fn has_exact(self) -> bool {
        use Figure::{DuplicateTurns, Duplicates, RatePerTurn};
        use Figure::{VolumeAtLeastOne, VolumeDuplicateTurns, VolumeDuplicates};
        let Metric::Figure(figure) = self else { return false };
        let exact = [Duplicates, DuplicateTurns, RatePerTurn, VolumeDuplicates, VolumeDuplicateTurns, VolumeAtLeastOne];
        exact.contains(&figure)
    }
}
