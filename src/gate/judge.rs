//! The verdict on each gate, and what can be said of it before the run.

use super::danger::{self, Danger, Evidence, Unguarded};
use super::data::{Judged, Limit, Range, ScenarioCheck, Verdict};
use super::reading::{self, Bounds, month_value};
use super::watch::Watch;
use crate::audit::Tally;
use crate::estimate::{Estimate, Exact};
use crate::report::{Asked, Month, PolicyReport, Report};
use crate::scenario::Scenario;
use crate::scenario::gate::{Condition, Figure, Gate, Judge, Metric};
use crate::sim::Outcome;
use crate::stats::{binomial_tail, z_score};

/// The least variance of a count of duplicate turns at which agreement means much, as in the report.
const TELLING_VARIANCE: f64 = 9.0;

/// Why gates of this scenario cannot be measured, whatever is run: one text each, with file, line and key.
#[must_use]
pub fn refusals(scenario: &Scenario, estimate: &Estimate) -> Vec<String> {
    let needs_exact = |gate: &&(usize, &Gate)| {
        matches!(gate.1.condition, Condition::Agrees { .. }) || gate.1.metric == Metric::Figure(Figure::AgreementZ)
    };
    let gates: Vec<(usize, &Gate)> = scenario.gates.iter().enumerate().collect();
    let without = gates.iter().filter(needs_exact).filter_map(|(number, gate)| {
        let feature = estimate.policies[gate.policy].as_ref().err()?;
        let key = if matches!(gate.condition, Condition::Agrees { .. }) { "agrees_with" } else { "metric" };
        let policy = &scenario.policies[gate.policy].name;
        let place = format!("{}:{}", gate.origin, gate.line);
        Some(format!("error[gate.{number}.{key}]: `{policy}` has no exact figure: {feature}\n --> {place}"))
    });
    without.collect()
}

/// Judges the gates of `scenario`, which messages call `file`, by a run of what [`Watch::new`] made of it; with the
/// report on its own policies.
///
/// # Panics
/// Where `outcome` is not that run's, or a gate that [`refusals`] names was let through.
#[must_use]
pub fn judge(
    file: &str,
    scenario: &Scenario,
    watch: &Watch,
    asked: Asked<'_>,
    estimate: &Estimate,
    outcome: &Outcome,
) -> (ScenarioCheck, Report) {
    let report = Report::new(scenario, asked, estimate, &watch.own(scenario, outcome));
    let court = Court { scenario, watch, report: &report, estimate, tallies: &outcome.policies };
    let gates = (0..scenario.gates.len()).map(|number| court.judged(number)).collect();
    let (file, seed, turns) = (file.to_owned(), asked.seed, asked.turns);
    (ScenarioCheck { file, scenario: report.scenario.clone(), seed, turns, gates, baseline: None }, report)
}

/// What a gate is judged by.
struct Court<'a> {
    scenario: &'a Scenario,
    watch: &'a Watch,
    report: &'a Report,
    estimate: &'a Estimate,
    tallies: &'a [Tally],
}

impl Court<'_> {
    fn judged(&self, number: usize) -> Judged {
        let gate = &self.scenario.gates[number];
        let report = &self.report.policies[gate.policy];
        let lanes = self.watch.unguarded(number);
        let others: Vec<Unguarded<'_>> =
            lanes.map(|lane| (&self.watch.scenario.policies[lane], &self.tallies[lane])).collect();
        let value = reading::value(report, gate.metric);
        let evidence = self.evidence(gate, value, &others, &self.tallies[gate.policy]);
        let own = (report, &self.tallies[gate.policy]);
        let interval = gate.judge == Judge::Interval;
        let bounds = interval.then(|| reading::bounds(self.scenario, gate.metric, own, &others)).flatten();
        let (verdict, reason) = match (value, &evidence) {
            (None, _) => (Verdict::NotMeasured, Some("the report has no such figure".to_owned())),
            (_, evidence) if !evidence.reached => {
                (Verdict::NotMeasured, Some("what it guards against never came up".to_owned()))
            }
            (Some(value), _) => self.verdict(gate, value, bounds, report),
        };
        let tools: Vec<&str> = self.scenario.tools.iter().map(|tool| tool.name.as_str()).collect();
        Judged {
            line: gate.line,
            policy: report.name.clone(),
            metric: gate.metric.path(&tools),
            limit: self.limit(gate, report),
            judge: gate.judge,
            verdict,
            value,
            bounds: bounds.map(|Bounds { low, high }| Range { low, high }),
            reason,
            evidence: Some(evidence.words).filter(|words| !words.is_empty()),
        }
    }

    /// What shows that the figure could have been another: that it is not zero, or what others did.
    fn evidence(&self, gate: &Gate, value: Option<f64>, others: &[Unguarded<'_>], own: &Tally) -> Evidence {
        let mut evidence = danger::evidence(self.scenario, gate, &self.report.policies[gate.policy], others);
        let counted = !matches!(gate.metric, Metric::Figure(Figure::AgreementZ)) && !is_bound(gate.metric);
        if counted && Danger::of(gate) != Danger::None && value.is_some_and(|value| value > 0.0) && !evidence.reached {
            evidence = Evidence { reached: true, words: "it came up under this policy".to_owned() };
        }
        // Others met it: this policy must have met it too, or its zero is one of a policy that did nothing. Where it
        // removes routes, not to meet it is its guard.
        let guards = !self.scenario.policies[gate.policy].without_routes.is_empty();
        let duplicate = Danger::of(gate) == Danger::Duplicate;
        if duplicate && evidence.reached && !guards && !danger::met_again(own) {
            evidence =
                Evidence { reached: false, words: "under this policy no replay reached a dispatched call".to_owned() };
        }
        evidence
    }

    fn verdict(
        &self,
        gate: &Gate,
        value: f64,
        bounds: Option<Bounds>,
        report: &PolicyReport,
    ) -> (Verdict, Option<String>) {
        let (least, most) = match (gate.judge, bounds) {
            (Judge::Estimate, _) => (value, value),
            (Judge::Interval, Some(bounds)) => (bounds.low, bounds.high),
            (Judge::Interval, None) => return (Verdict::NotMeasured, Some("the figure has no bounds".to_owned())),
        };
        let (holds, fails) = match gate.condition {
            Condition::Max(limit) => (most <= limit, least > limit),
            Condition::Min(limit) => (least >= limit, most < limit),
            Condition::Equals(limit) => (value == limit, value != limit),
            Condition::Agrees { sigmas } => return self.agreement(gate, sigmas, report),
        };
        match (holds, fails) {
            (true, _) => (Verdict::Passed, None),
            (_, true) => {
                let culprit = danger::culprit(gate, &self.scenario.policies[gate.policy], report);
                (Verdict::Failed, Some(culprit.unwrap_or_else(|| "it does not hold".to_owned())))
            }
            _ => (Verdict::Undecided, Some("the interval straddles the limit, more turns would tell".to_owned())),
        }
    }

    fn exact(&self, gate: &Gate) -> &Exact {
        self.estimate.policies[gate.policy].as_ref().expect("refused before the run where there is none")
    }

    /// Whether a figure is as far from the exact one as chance brings it.
    fn agreement(&self, gate: &Gate, sigmas: f64, report: &PolicyReport) -> (Verdict, Option<String>) {
        let (exact, turns) = (self.exact(gate), report.turns);
        let d = exact.duplicate_turn_probability;
        let counts_duplicates = matches!(gate.metric, Metric::Figure(Figure::Duplicates | Figure::VolumeDuplicates));
        let (z, unusual) = if counts_duplicates {
            let z = duplicates_z(exact, report);
            (z, z.is_some_and(|z| z.abs() > sigmas))
        } else {
            // The share of runs that a normal distribution has beyond as many standard errors, by the exact tail.
            let rare = libm::erfc(sigmas / std::f64::consts::SQRT_2);
            let seen = report.duplicate_turns;
            (z_score(seen, turns, d), binomial_tail(seen, turns, d) < rare)
        };
        let apart = z.map_or_else(String::new, |z| format!("{z:.2} standard errors apart"));
        match turns as f64 * d * (1.0 - d) {
            _ if unusual => (Verdict::Failed, Some(apart)),
            variance if z.is_some() && variance < TELLING_VARIANCE => (
                Verdict::Undecided,
                Some("too few duplicates for agreement to mean much, more turns would tell".into()),
            ),
            _ => (Verdict::Passed, None),
        }
    }

    fn limit(&self, gate: &Gate, report: &PolicyReport) -> Limit {
        match gate.condition {
            Condition::Max(limit) => Limit::Max(limit),
            Condition::Min(limit) => Limit::Min(limit),
            Condition::Equals(limit) => Limit::Equals(limit),
            Condition::Agrees { sigmas } => {
                let (exact, turns) = (self.exact(gate), report.turns as f64);
                let value = match gate.metric {
                    Metric::Figure(Figure::Duplicates) => turns * exact.duplicates_per_turn,
                    Metric::Figure(Figure::DuplicateTurns) => turns * exact.duplicate_turn_probability,
                    Metric::Figure(Figure::RatePerTurn) => exact.duplicate_turn_probability,
                    Metric::Figure(figure) => self.exact_month(&report.name, figure),
                    _ => unreachable!("the file is refused: no exact figure is derived for it"),
                };
                Limit::Exact { value, sigmas }
            }
        }
    }

    fn exact_month(&self, policy: &str, figure: Figure) -> f64 {
        let month: Option<&Month> = self.report.estimate.exact.get(policy).and_then(|exact| exact.volume.as_ref());
        month.and_then(|month| month_value(month, figure)).expect("refused before the run without a volume")
    }
}

/// Distance of a count of duplicates from its expectation, in standard errors of the sum over independent turns.
fn duplicates_z(exact: &Exact, report: &PolicyReport) -> Option<f64> {
    let turns = report.turns as f64;
    let square = |pattern: &[u32]| {
        let duplicates: f64 = pattern.iter().map(|count| f64::from(*count)).sum();
        duplicates * duplicates
    };
    let second_moment: f64 = exact.patterns.iter().map(|(pattern, p)| p * square(pattern)).sum();
    let mean = exact.duplicates_per_turn;
    let variance = turns * (second_moment - mean * mean);
    (variance > 0.0).then(|| (report.duplicates as f64 - turns * mean) / variance.sqrt())
}

/// Whether a figure is a bound, which is above zero where nothing was seen.
fn is_bound(metric: Metric) -> bool {
    use Figure::{RateHigh, RateUpper, VolumeAtLeastOneUpper, VolumeHigh, VolumeUpper};
    matches!(metric, Metric::Figure(RateHigh | RateUpper | VolumeHigh | VolumeUpper | VolumeAtLeastOneUpper))
}
