//! The arithmetic people do by hand: failure rate × window fraction, from a first attempt alone.

use super::risk::{Fate, Risks};
use super::support::window_may_be_empty;
use crate::scenario::{Cuts, Fraction, Scenario, Shape, Tool};
use crate::turn::{DispatchAt, OnCut, When};

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
            walk.pass(cut_while_running(&risks.runs[tool]));
        }
        walk.pass(risks.gap.cut);
        walk.dispatched |= !step.is_empty();
    }
    walk.first
}

/// P(the stream is cut while a tool with these fates runs).
fn cut_while_running(fates: &[Fate]) -> f64 {
    fates.iter().map(|fate| fate.cut).sum()
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
    // Without a hazard the idle time-out alone cuts a run; clients that give up shorten it.
    let risks = Risks::new(scenario, 0.0, 0.0, true);
    let in_time: f64 = shape.calls().map(|tool| 1.0 - cut_while_running(&risks.runs[tool])).product();
    let idled = (1.0 - rate) * (1.0 - in_time);
    FirstAttempt { cut: rate + idled, window: rate * fraction.window_fraction + idled }
}

/// What the headline leaves out, in words: duplicates it does not count, and cuts it counts that double nothing.
pub(super) fn leaves_out(scenario: &Scenario) -> Vec<String> {
    let lists = [uncounted(scenario), overcounted(scenario)];
    lists.iter().flatten().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned()).collect()
}

fn uncounted(scenario: &Scenario) -> Vec<(bool, &'static str)> {
    let failure = &scenario.failure;
    let routes = || scenario.routes.iter().filter(|r| r.probability > 0.0 && r.max > 0);
    let route = |when: When| routes().any(|r| r.when == when);
    vec![
        (failure.crashes_per_hour > 0.0, "crashes of the process"),
        (failure.attempt_limit.is_some(), "attempts killed at their limit"),
        (failure.incidents.is_some(), "incidents"),
        (failure.silent > 0.0, "cuts that no one notices"),
        (route(When::Slow), "replays of slow attempts"),
        (route(When::Committed), "replays after a lost acknowledgement"),
        (route(When::ToolError), "replays after a tool's error"),
        (
            scenario.tools.iter().any(|t| t.class.is_write() && t.client.is_some_and(|c| c.retries > 0)),
            "retries by a tool's own client",
        ),
        (scenario.shapes.iter().any(|s| s.calls().count() > 1), "that one turn can double several calls"),
        (
            scenario.run.max_attempts > 2 && (routes().any(|r| r.max > 1) || routes().count() > 1),
            "replays after the first",
        ),
    ]
}

fn overcounted(scenario: &Scenario) -> Vec<(bool, &'static str)> {
    let stream = &scenario.stream;
    let given = matches!(scenario.failure.cuts, Cuts::Fraction(_));
    let open = stream.dispatch == DispatchAt::Completion;
    let first_is_read = |shape: &Shape| shape.calls().next().is_some_and(|tool| !scenario.tools[tool].class.is_write());
    let write = |test: &dyn Fn(&Tool) -> bool| scenario.tools.iter().any(|tool| tool.class.is_write() && test(tool));
    vec![
        (given && !open, "that no stream of a one-step turn is open after its dispatch at message_stop"),
        (
            given && open && scenario.shapes.iter().any(|shape| window_may_be_empty(scenario, shape)),
            "that a cut strikes anywhere in a stream that ends with its dispatch",
        ),
        (scenario.shapes.iter().any(first_is_read), "that a cut after a read, before any write, doubles nothing"),
        (
            open && stream.on_cut == OnCut::Cancel && write(&|tool| tool.effect_at > 0.0),
            "that a cut may cancel a write before its effect",
        ),
        (write(&|tool| tool.error_rate > 0.0), "that a write answered with an error had no effect"),
    ]
}
