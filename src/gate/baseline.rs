//! A report against an earlier one of the same scenario: which counts moved by more than chance moves them.
//!
//! Counts of turns are compared by the exact binomial test of two samples. Other counts come several to a turn and in
//! clusters, so chance moves them further; by how much shows in how they vary over the blocks of the run
//! ([`Spread`]), and they are compared as if there were so many times fewer of them.

use super::data::Verdict;
use crate::audit::Tally;
use crate::report::{PolicyReport, Report, ScenarioId};
use crate::sim::Sampling;
use crate::stats::binomial_tail;
use crate::turn::Died;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a check against a baseline says that something moved although nothing did, at most.
pub const FALSE_ALARM: f64 = 0.001;

/// What of a report is compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Baseline {
    scenario: ScenarioId,
    seed: u64,
    turns: u64,
    #[serde(default)]
    partial: bool,
    #[serde(default)]
    sampling: Option<Sampling>,
    #[serde(default)]
    version: Option<String>,
    policies: Vec<PolicyReport>,
}

/// What a report says that a baseline does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The baseline's file.
    pub file: String,
    /// Whether scenario, overrides, seed, turns and version are the baseline's, so that every count must be.
    pub same_run: bool,
    /// How many counts were compared.
    pub compared: usize,
    /// How often this many comparisons say that one moved although none did, at most; 0 where all must be equal.
    pub false_alarm: f64,
    /// Those that moved; empty where none did.
    pub moved: Vec<Move>,
    /// Policies of which only one of the two knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// Whether the file holds the new report now.
    pub updated: bool,
}

/// A count that moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The policy's name.
    pub policy: String,
    /// The count's path in the policy's report.
    pub metric: String,
    /// What the baseline counted.
    pub before: u64,
    /// In so many turns.
    pub turns_before: u64,
    /// What this run counted.
    pub now: u64,
    /// In so many turns.
    pub turns_now: u64,
    /// P(chance brings that much or more about), at most; 0 where nothing but equality will do.
    pub probability: f64,
}

impl Comparison {
    /// Passed where the report is what the baseline leads to expect, or has become the baseline; else failed.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let holds = self.updated || (self.moved.is_empty() && self.unmatched.is_empty());
        if holds { Verdict::Passed } else { Verdict::Failed }
    }

    /// That of a report for which there was no baseline yet, and which is one now.
    #[must_use]
    pub fn first(file: String) -> Self {
        let (moved, unmatched) = (Vec::new(), Vec::new());
        Comparison { file, same_run: false, compared: 0, false_alarm: FALSE_ALARM, moved, unmatched, updated: true }
    }
}

/// A count that is compared: its path, whether it counts turns, and where it stands in report and tally.
type Count = (&'static str, bool, fn(&PolicyReport) -> u64, fn(&Tally) -> u64);

const COUNTS: [Count; 17] = [
    ("duplicate_turns", true, |p| p.duplicate_turns, |t| t.duplicate_turns),
    ("failed_turns", true, |p| p.failed_turns, |t| t.failed_turns),
    ("capped_turns", true, |p| p.capped_turns, |t| t.capped_turns),
    ("cuts", false, |p| p.cuts, |t| t.cuts),
    ("silent_cuts", false, |p| p.silent_cuts, |t| t.silent_cuts),
    ("crashes", false, |p| p.crashes, |t| t.crashes),
    ("died.in_flight", false, |p| p.died.in_flight, |t| t.died[Died::InFlight.index()]),
    ("duplicates", false, |p| p.duplicates, |t| t.duplicates),
    ("swallowed", false, |p| p.swallowed, |t| t.swallowed),
    ("crossed", false, |p| p.crossed, |t| t.crossed),
    ("unserved", false, |p| p.unserved, |t| t.unserved),
    ("orphaned", false, |p| p.orphaned, |t| t.orphaned),
    ("stuck", false, |p| p.stuck, |t| t.stuck),
    ("refused", false, |p| p.refused, |t| t.refused),
    ("conflicts", false, |p| p.conflicts, |t| t.conflicts),
    ("waits", false, |p| p.waits, |t| t.waits),
    ("abandoned_calls", false, |p| p.abandoned_calls, |t| t.abandoned_calls),
];

impl Baseline {
    /// Reads a report on the scenario called `scenario`.
    ///
    /// # Errors
    /// Why the text is no report, or not one to compare with.
    pub fn read(text: &str, scenario: &str) -> Result<Self, String> {
        let baseline: Baseline = serde_json::from_str(text)
            .map_err(|error| format!("this is no report of `run --format json`, or of another version: {error}"))?;
        if baseline.scenario.name != scenario {
            return Err(format!("this is a report on `{}`, and the scenario is `{scenario}`", baseline.scenario.name));
        }
        if baseline.partial {
            return Err("this is the report of an interrupted run, which is no baseline".to_owned());
        }
        match baseline.policies.iter().find_map(impossible) {
            Some(why) => Err(format!("no run counts this: {why}")),
            None => Ok(baseline),
        }
    }

    /// Holds `report` against the baseline that `file` names; `spread` is that of the report's own run.
    #[must_use]
    pub fn compare(&self, file: &str, report: &Report, spread: &Spread) -> Comparison {
        let same_run = self.is_same_run(report);
        let (mut all, mut compared) = (Vec::new(), 0);
        for (place, now) in report.policies.iter().enumerate() {
            let Some(before) = self.policies.iter().find(|policy| policy.name == now.name) else { continue };
            if same_run {
                compared += counts(now).len();
                all.extend(Self::unlike(before, now));
                continue;
            }
            for (number, count) in COUNTS.iter().enumerate() {
                let Some(cluster) = spread.cluster(place, number) else { continue };
                compared += 1;
                all.push(Move::new(count, before, now, two_samples(count, before, now, cluster)));
            }
        }
        let false_alarm = if same_run { 0.0 } else { FALSE_ALARM };
        all.retain(|moved| moved.probability <= false_alarm / compared as f64);
        let unmatched = unmatched(&self.policies, &report.policies);
        let (file, updated) = (file.to_owned(), false);
        Comparison { file, same_run, compared, false_alarm, moved: all, unmatched, updated }
    }

    /// Every count of a policy of which one run has another number than the same run before.
    fn unlike<'a>(before: &PolicyReport, now: &'a PolicyReport) -> impl Iterator<Item = Move> + use<'a> {
        let turns = (before.turns, now.turns);
        let (before, policy) = (counts(before), now.name.clone());
        let differ = counts(now).into_iter().zip(before).filter(|(now, before)| now != before);
        differ.map(move |((metric, now), (_, before))| {
            let policy = policy.clone();
            Move { policy, metric, before, turns_before: turns.0, now, turns_now: turns.1, probability: 0.0 }
        })
    }

    fn is_same_run(&self, report: &Report) -> bool {
        let version = self.version.as_ref().is_none_or(|version| version == env!("CARGO_PKG_VERSION"));
        let sampling = self.sampling.is_none_or(|sampling| sampling == report.sampling);
        (&self.scenario, self.seed, self.turns) == (&report.scenario, report.seed, report.turns) && version && sampling
    }
}

/// Counts that a double holds exactly; a run has no more of anything.
const MOST: u64 = 1 << 53;

/// What is wrong with a policy's counts, if anything is.
fn impossible(policy: &PolicyReport) -> Option<String> {
    let turns = COUNTS.iter().find(|count| count.1 && count.2(policy) > policy.turns);
    let turns = turns.map(|count| format!("{} {} of {} turns", count.0, count.2(policy), policy.turns));
    turns.or_else(|| {
        let (name, count) = counts(policy).into_iter().find(|(_, count)| *count > MOST)?;
        Some(format!("{name} {count}"))
    })
}

/// Every count in the report of a policy, by its path, in the order of the report; time waited, in nanoseconds, may be
/// more than a count can be and is left out.
fn counts(policy: &PolicyReport) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    let value = serde_json::to_value(policy).unwrap_or_default();
    collect(&value, "", &mut all);
    all.retain(|(path, _)| path != "waited_ns");
    all
}

fn collect(value: &serde_json::Value, path: &str, all: &mut Vec<(String, u64)>) {
    use serde_json::Value;
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect(value, &below(name), all)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| collect(item, &below(&i.to_string()), all))
        }
        Value::Number(number) => all.extend(number.as_u64().map(|count| (path.to_owned(), count))),
        _ => {}
    }
}

fn unmatched(before: &[PolicyReport], now: &[PolicyReport]) -> Vec<String> {
    let lacks = |policies: &[PolicyReport], name: &str| !policies.iter().any(|policy| policy.name == name);
    let gone = before.iter().filter(|policy| lacks(now, &policy.name));
    let new = now.iter().filter(|policy| lacks(before, &policy.name));
    gone.chain(new).map(|policy| policy.name.clone()).collect()
}

/// How often chance moves a count as far as from one report to the other, where it comes in clusters of this size.
fn two_samples(count: &Count, before: &PolicyReport, now: &PolicyReport, cluster: f64) -> f64 {
    let turns = before.turns as f64 + now.turns as f64;
    if turns == 0.0 {
        return 1.0;
    }
    // Given their sum, two counts of one rate split as the turns do.
    let single = |policy: &PolicyReport| (count.2(policy) as f64 / cluster).round() as u64;
    binomial_tail(single(before), single(before) + single(now), before.turns as f64 / turns)
}

impl Move {
    fn new(count: &Count, before: &PolicyReport, now: &PolicyReport, probability: f64) -> Self {
        Move {
            policy: now.name.clone(),
            metric: count.0.to_owned(),
            before: count.2(before),
            turns_before: before.turns,
            now: count.2(now),
            turns_now: now.turns,
            probability,
        }
    }
}

/// How the counts of a run vary from block to block.
#[derive(Debug, Clone)]
pub struct Spread {
    /// Whether turns take no part in each other's fate, so that counts of turns need no look at the blocks.
    independent: bool,
    /// Turns in a block: those of the first.
    size: u64,
    turns: u64,
    blocks: u64,
    /// Counts so far, and the sum of the squares of a block's, by policy and count.
    seen: Vec<[(f64, f64); COUNTS.len()]>,
}

impl Spread {
    /// Nothing seen yet; `independent` where no turn takes part in the fate of another.
    #[must_use]
    pub fn new(independent: bool) -> Self {
        Spread { independent, size: 0, turns: 0, blocks: 0, seen: Vec::new() }
    }

    /// Takes in the tallies of a run so far, one block longer than the last time. Blocks shorter than the first (the
    /// last of a run) say nothing.
    pub fn block(&mut self, tallies: &[Tally]) {
        let turns = tallies.first().map_or(0, |tally| tally.turns);
        let length = turns - self.turns;
        if self.blocks == 0 {
            self.size = length;
            self.seen = vec![[(0.0, 0.0); COUNTS.len()]; tallies.len()];
        }
        self.turns = turns;
        if length < self.size {
            return;
        }
        self.blocks += 1;
        for (seen, tally) in self.seen.iter_mut().zip(tallies) {
            for ((sum, squares), (.., count)) in seen.iter_mut().zip(&COUNTS) {
                let so_far = count(tally) as f64;
                let more = so_far - *sum;
                *sum = so_far;
                *squares += more * more;
            }
        }
    }

    /// How many times further than that of single events the count's variance goes, at least 1; none where too few
    /// blocks were run to tell. Taken from the variance over the blocks, and so high that it is higher in one run of
    /// twenty only.
    fn cluster(&self, policy: usize, count: usize) -> Option<f64> {
        if COUNTS[count].1 && self.independent {
            return Some(1.0);
        }
        let (sum, squares) = self.seen.get(policy)?[count];
        let (blocks, free) = (self.blocks as f64, self.blocks.checked_sub(1).filter(|free| *free >= 5)? as f64);
        if sum == 0.0 {
            return Some(1.0);
        }
        let over = (squares - sum * sum / blocks) / (sum / blocks);
        Some((over / chi_squared_5_percent(free)).max(1.0))
    }
}

/// The value below which a chi-squared variable of so many degrees of freedom, five or more, lies in one case of
/// twenty, by Wilson and Hilferty's cube.
fn chi_squared_5_percent(free: f64) -> f64 {
    let ninth = 2.0 / (9.0 * free);
    let cube_root = 1.0 - ninth - 1.644_853_6 * ninth.sqrt();
    free * cube_root * cube_root * cube_root
}
