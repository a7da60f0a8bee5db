//! The arithmetic people do by hand: failure rate × window fraction, from a first attempt alone.

use super::risk::Risks;
use crate::scenario::{Cuts, Fraction, Scenario, Shape};
use crate::time::Span;
use crate::turn::{DispatchAt, When};

/// What becomes of first attempts, averaged over the shapes. Crashes and incidents are left out, and of the cuts
/// those that no one notices.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FirstAttempt {
    /// P(cut).
    pub(super) cut: f64,
    /// P(cut after the first dispatch).
    pub(super) window: f64,
}

impl FirstAttempt {
    /// The first attempts of `scenario`.
    pub(super) fn of(scenario: &Scenario) -> Self {
        let mut sum = FirstAttempt::default();
        for (shape, share) in scenario.shapes.iter().zip(scenario.shape_shares()) {
            let first = match &scenario.failure.cuts {
                Cuts::Hazard(hazard) => by_hazard(scenario, shape, hazard.per_second[0]),
                Cuts::Fraction(fraction) => by_fraction(scenario, shape, fraction),
            };
            sum.cut += share * first.cut;
            sum.window += share * first.window;
        }
        let noticed = 1.0 - scenario.failure.silent;
        FirstAttempt { cut: sum.cut * noticed, window: sum.window * noticed }
    }
}

/// One shape under a hazard: the stretches in order, each cut with the probability that the ones before were not.
fn by_hazard(scenario: &Scenario, shape: &Shape, hazard: f64) -> FirstAttempt {
    // The risks of a silent cut are those of one that lets every run finish: where the stream is cut is the same.
    let risks = Risks::new(scenario, hazard, 0.0, true);
    let mut walk = Walk { alive: 1.0, dispatched: false, first: FirstAttempt::default() };
    let at_stop = scenario.stream.dispatch == DispatchAt::MessageStop;
    for step in &shape.steps {
        walk.pass(risks.prelude.cut);
        for &tool in step {
            walk.pass(risks.arguments[tool].cut);
            walk.dispatched |= !at_stop;
            walk.pass(risks.runs[tool].iter().map(|fate| fate.cut).sum());
        }
        walk.pass(risks.gap.cut);
        walk.dispatched |= !step.is_empty();
    }
    walk.first
}

struct Walk {
    alive: f64,
    dispatched: bool,
    first: FirstAttempt,
}

impl Walk {
    /// A stretch in which the stream is cut with this probability.
    fn pass(&mut self, cut: f64) {
        self.first.cut += self.alive * cut;
        if self.dispatched {
            self.first.window += self.alive * cut;
        }
        self.alive *= 1.0 - cut;
    }
}

/// One shape under the two given rates; an idle time-out is a cut after the dispatch of an attempt not cut before.
fn by_fraction(scenario: &Scenario, shape: &Shape, fraction: &Fraction) -> FirstAttempt {
    let rate = fraction.rate[0];
    if shape.calls().next().is_none() {
        return FirstAttempt { cut: rate, window: 0.0 };
    }
    let idle = scenario.failure.idle_timeout.map_or(f64::INFINITY, Span::as_seconds_f64);
    let in_time: f64 = shape.calls().map(|tool| 1.0 - scenario.tools[tool].latency.survival(idle)).product();
    let idled = if idle.is_finite() { (1.0 - rate) * (1.0 - in_time) } else { 0.0 };
    FirstAttempt { cut: rate + idled, window: rate * fraction.window_fraction + idled }
}

/// What the headline leaves out, in words.
pub(super) fn leaves_out(scenario: &Scenario) -> Vec<String> {
    let failure = &scenario.failure;
    let route = |when: When| scenario.routes.iter().any(|r| r.when == when && r.probability > 0.0 && r.max > 0);
    let given = matches!(failure.cuts, Cuts::Fraction(_));
    let lists = [
        (failure.crashes_per_hour > 0.0, "crashes of the process"),
        (failure.attempt_limit.is_some(), "attempts killed at their limit"),
        (failure.incidents.is_some(), "incidents"),
        (failure.silent > 0.0, "cuts that no one notices"),
        (
            given && scenario.stream.dispatch == DispatchAt::MessageStop,
            "that no stream of a one-step turn is open after its dispatch at message_stop",
        ),
        (route(When::Slow), "replays of slow attempts"),
        (route(When::Committed), "replays after a lost acknowledgement"),
        (route(When::ToolError), "replays after a tool's error"),
        (
            scenario.tools.iter().any(|t| t.class.is_write() && t.client.is_some_and(|c| c.retries > 0)),
            "retries by a tool's own client",
        ),
        (scenario.shapes.iter().any(|s| s.calls().count() > 1), "that one turn can double several calls"),
        (
            scenario.routes.iter().any(|r| r.probability > 0.0 && r.max > 1) || scenario.routes.len() > 1,
            "replays after the first",
        ),
    ];
    lists.iter().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned()).collect()
}
