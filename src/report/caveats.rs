//! What limits a report's figures, and what to do about it.

use super::build::independent;
use super::data::{Caveat, PolicyReport, Report, Verdict};
use super::number::{bound, count, percent};
use crate::estimate::Estimate;
use crate::scenario::{Cuts, Scenario};

/// The relative half-width of an interval up to which a rate is known well enough.
pub const PRECISION: f64 = 0.1;

/// What applies to this report.
pub(super) fn of(scenario: &Scenario, estimate: &Estimate, policies: &[PolicyReport]) -> Vec<Caveat> {
    let leaves_out = !estimate.headline_leaves_out.is_empty() || estimate.policies.iter().any(Result::is_err);
    let few = highest(policies).and_then(half_width).is_some_and(|half| half > PRECISION);
    let found = [
        (Caveat::DependentTurns, !independent(scenario)),
        (Caveat::RateGiven, matches!(scenario.failure.cuts, Cuts::Fraction(_))),
        (Caveat::EstimateLeavesOut, leaves_out),
        (Caveat::FiguresDiffer, policies.iter().any(differs)),
        (Caveat::FewEvents, few),
        (Caveat::DangerNotReached, unreached(policies).next().is_some()),
    ];
    found.into_iter().filter(|(_, applies)| *applies).map(|(caveat, _)| caveat).collect()
}

/// The policy with the most duplicate turns, the first of several; None where none has any.
#[must_use]
pub fn highest(policies: &[PolicyReport]) -> Option<&PolicyReport> {
    let most = policies.iter().map(|policy| policy.duplicate_turns).max().filter(|most| *most > 0)?;
    policies.iter().find(|policy| policy.duplicate_turns == most)
}

fn differs(policy: &PolicyReport) -> bool {
    policy.agreement.is_some_and(|agreement| agreement.verdict == Verdict::Differs)
}

fn half_width(policy: &PolicyReport) -> Option<f64> {
    policy.rate.and_then(|rate| rate.half_width())
}

/// Policies without duplicates in a run in which nothing would have caused one: no policy doubled anything, and no call
/// of theirs found the row of an earlier one.
fn unreached(policies: &[PolicyReport]) -> impl Iterator<Item = &PolicyReport> {
    let none = policies.iter().all(|policy| policy.duplicate_turns == 0);
    policies.iter().filter(move |policy| none && policy.conflicts == 0)
}

/// Each caveat of the report by name and in words, with advice; first what the run itself fell short of.
#[must_use]
pub fn advice(report: &Report) -> Vec<(&'static str, String)> {
    let mut advice = Vec::new();
    if report.partial {
        let words = "The run was interrupted. These are the whole cells that it had finished; run it to its end for \
                     the figures that were asked for.";
        advice.push(("partial", words.to_owned()));
    }
    if let Some(precision) = report.precision.as_ref().filter(|precision| !precision.is_met()) {
        let reached = precision
            .reached
            .map_or("no duplicate was seen".to_owned(), |reached| format!("it came to ±{}", percent(reached)));
        let (asked, most) = (percent(precision.asked), count(precision.max_turns));
        let words = format!("A precision of ±{asked} was asked for; {reached}. Allow more than {most} turns.");
        advice.push(("precision_not_reached", words));
    }
    advice.extend(report.caveats.iter().map(|caveat| (caveat.name(), words(report, *caveat))));
    advice
}

fn words(report: &Report, caveat: Caveat) -> String {
    match caveat {
        Caveat::DependentTurns => "Incidents make the turns of a month depend on each other. Rates and means hold; \
            intervals and bounds take turns as independent and may be too narrow, and the chance of at least one \
            duplicate and the quantiles of a month's cost are not projected."
            .to_owned(),
        Caveat::RateGiven => format!(
            "The failure rate ({}) and its share in the window ({}) were given as they are (failure.fraction). A slower \
             tool or a longer stream is then cut no more often. Where you know how long things take, give \
             failure.hazard instead: the window is then a result.",
            percent(report.estimate.failure_rate),
            percent(report.estimate.window_fraction)
        ),
        Caveat::EstimateLeavesOut => leaves_out(report),
        Caveat::FiguresDiffer => {
            let names = report.policies.iter().filter(|policy| differs(policy)).map(|policy| policy.name.as_str());
            format!(
                "Simulation and exact figure of {} differ by more than chance brings about: one of them is wrong. Rely \
                 on neither, and report the scenario.",
                names.collect::<Vec<_>>().join(", ")
            )
        }
        Caveat::FewEvents => few_events(report),
        Caveat::DangerNotReached => {
            let names: Vec<&str> = unreached(&report.policies).map(|policy| policy.name.as_str()).collect();
            format!(
                "No run met what would double an effect, so the zero of {} says nothing about it. Run more turns, or \
                 put a naive policy beside it to see that the danger is there.",
                names.join(", ")
            )
        }
    }
}

fn leaves_out(report: &Report) -> String {
    let mut parts = Vec::new();
    let left_out = &report.estimate.headline_leaves_out;
    if !left_out.is_empty() {
        parts.push(format!("The headline leaves out: {}.", left_out.join("; ")));
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for policy in &report.policies {
        let Some(reason) = report.estimate.exact_missing.get(&policy.name) else { continue };
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(&policy.name),
            None => reasons.push((reason, vec![&policy.name])),
        }
    }
    parts.extend(reasons.iter().map(|(reason, names)| format!("No exact figure for {}: {reason}.", names.join(", "))));
    parts.push("The simulation leaves out none of this: take its figures.".to_owned());
    parts.join(" ")
}

fn few_events(report: &Report) -> String {
    let Some((policy, half)) = highest(&report.policies).and_then(|p| Some((p, half_width(p)?))) else {
        return String::new();
    };
    let needed = bound(policy.turns as f64 * (half / PRECISION) * (half / PRECISION));
    format!(
        "{} turns with a duplicate under {} give its rate to ±{} only. About {needed} turns would give it to ±{}.",
        count(policy.duplicate_turns),
        policy.name,
        percent(half),
        percent(PRECISION).replace(".0", ""),
    )
}
