//! What is counted: whole numbers that add up, so that cells merge in any number of pieces to the same totals.

use crate::turn::{Cause, Died};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Every count of one policy. Terms are those of `docs/model.md`, section "What is counted".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Turns resolved.
    pub turns: u64,
    /// Attempts issued: commits + cuts + crashes + refused.
    pub attempts: u64,
    /// Attempts that committed, silent ends among them.
    pub commits: u64,
    /// Attempts that ended by a noticed cut.
    pub cuts: u64,
    /// Committed attempts whose stream had ended early unnoticed.
    pub silent_cuts: u64,
    /// Attempts whose process died.
    pub crashes: u64,
    /// Attempts that the dispatcher failed.
    pub refused: u64,
    /// Where cuts and crashes struck, by [`Died::index`].
    pub died: [u64; Died::ALL.len()],
    /// Effects of writes.
    pub effects: u64,
    /// Effects of an intent after its first.
    pub duplicates: u64,
    /// Turns with a duplicate.
    pub duplicate_turns: u64,
    /// Turns that never committed.
    pub failed_turns: u64,
    /// Turns with a replay drawn and not issued for the limit of attempts.
    pub capped_turns: u64,
    /// Write intents of committed turns without an effect of their own, answered with another intent's result.
    pub swallowed: u64,
    /// Those among them answered with another conversation's result.
    pub crossed: u64,
    /// Write intents of committed turns without an effect and without a foreign result.
    pub unserved: u64,
    /// Effects whose turn ended failed.
    pub orphaned: u64,
    /// Rows in flight at the end.
    pub stuck: u64,
    /// Call blocks that were streaming when their attempt ended.
    pub abandoned_calls: u64,
    /// Tool runs of an intent after its first, of reads too.
    pub extra_runs: u64,
    /// Calls dispatched.
    pub calls: u64,
    /// Rows written before a run.
    pub claims: u64,
    /// Calls that found a row.
    pub conflicts: u64,
    /// Calls that waited.
    pub waits: u64,
    /// Time they waited, in nanoseconds.
    pub waited_ns: u128,
    /// Duplicates by cause, by [`Cause::index`].
    pub causes: [u64; Cause::ALL.len()],
    /// By tool, in scenario order.
    pub tools: Vec<ToolTally>,
    /// Duplicate turns by their pattern: how many duplicates of each tool (scenario order) one turn had.
    pub patterns: BTreeMap<Box<[u32]>, u64>,
}

/// The counts of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolTally {
    /// Calls dispatched.
    pub calls: u64,
    /// Effects.
    pub effects: u64,
    /// Effects of an intent after its first.
    pub duplicates: u64,
}

impl Tally {
    /// An empty tally for a scenario with this many tools.
    #[must_use]
    pub fn new(tools: usize) -> Self {
        Tally { tools: vec![ToolTally::default(); tools], ..Tally::default() }
    }
}

impl Tally {
    /// Counts nothing again, for as many tools.
    pub fn clear(&mut self) {
        let mut tools = std::mem::take(&mut self.tools);
        tools.fill(ToolTally::default());
        *self = Tally { tools, ..Tally::default() };
    }
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.add_times(other, 1);
    }
}

impl Tally {
    /// Adds `times` turns' worth of `other`.
    pub fn add_times(&mut self, other: &Tally, times: u64) {
        // Destructured in full, so that a count added to the struct cannot be forgotten here.
        let Tally {
            turns,
            attempts,
            commits,
            cuts,
            silent_cuts,
            crashes,
            refused,
            died,
            effects,
            duplicates,
            duplicate_turns,
            failed_turns,
            capped_turns,
            swallowed,
            crossed,
            unserved,
            orphaned,
            stuck,
            abandoned_calls,
            extra_runs,
            calls,
            claims,
            conflicts,
            waits,
            waited_ns,
            causes,
            tools,
            patterns,
        } = other;
        self.turns += turns * times;
        self.attempts += attempts * times;
        self.commits += commits * times;
        self.cuts += cuts * times;
        self.silent_cuts += silent_cuts * times;
        self.crashes += crashes * times;
        self.refused += refused * times;
        self.effects += effects * times;
        self.duplicates += duplicates * times;
        self.duplicate_turns += duplicate_turns * times;
        self.failed_turns += failed_turns * times;
        self.capped_turns += capped_turns * times;
        self.swallowed += swallowed * times;
        self.crossed += crossed * times;
        self.unserved += unserved * times;
        self.orphaned += orphaned * times;
        self.stuck += stuck * times;
        self.abandoned_calls += abandoned_calls * times;
        self.extra_runs += extra_runs * times;
        self.calls += calls * times;
        self.claims += claims * times;
        self.conflicts += conflicts * times;
        self.waits += waits * times;
        self.waited_ns += waited_ns * u128::from(times);
        for (mine, theirs) in self.died.iter_mut().zip(died) {
            *mine += theirs * times;
        }
        for (mine, theirs) in self.causes.iter_mut().zip(causes) {
            *mine += theirs * times;
        }
        if self.tools.len() < tools.len() {
            self.tools.resize(tools.len(), ToolTally::default());
        }
        for (mine, theirs) in self.tools.iter_mut().zip(tools) {
            mine.calls += theirs.calls * times;
            mine.effects += theirs.effects * times;
            mine.duplicates += theirs.duplicates * times;
        }
        for (pattern, turns) in patterns {
            *self.patterns.entry(pattern.clone()).or_default() += turns * times;
        }
    }
}
