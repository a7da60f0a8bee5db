//! Turns to which nothing happens, told by their draws without an event. `run_event_by_event` is the long way round; a
//! test holds every count of the two against each other.

use super::nominal::Nominal;
use super::world::{Planned, Shape, World};
use crate::draw::{Draws, Site};
use crate::scenario::{Cuts, Phases};
use crate::time::Span;
use crate::turn::When;

/// Tells undisturbed turns by their draws.
pub(super) struct Shortcut<'s> {
    pub world: &'s World<'s>,
    /// By shape: what disturbs a turn by chance, whatever its timeline.
    chances: Vec<Vec<Chance>>,
    /// The age from which a turn is not undisturbed, if it were otherwise: slow for some route, or killed.
    age_limit: Option<Span>,
    /// Whether a turn's fate depends on its timeline.
    pub timed: bool,
}

/// An event of the first attempt: the site and row of its word, and its probability, above 0.
pub(super) type Chance = (Site, u32, f64);

/// The chances of a shape: a cut by fraction, a ledger that some policy cannot reach, a first request that fails, a
/// route that a commit sets off.
fn chances(world: &World<'_>, shape: &Shape) -> Vec<Chance> {
    let scenario = world.scenario;
    let cut = matches!(scenario.failure.cuts, Cuts::Fraction(_)).then(|| (Site::Cut, 0, world.cut_rate(1)));
    let unavailable = scenario.policies.iter().map(|policy| policy.unavailable).fold(0.0, f64::max);
    let of_call = |call: &Planned| {
        let tool = &scenario.tools[call.tool as usize];
        let fails = tool.error_rate + tool.unknown_rate;
        [(Site::Unavailable, call.row, unavailable), (Site::Outcome, call.row, fails)]
    };
    let committed = scenario.routes.iter().enumerate().filter(|(_, route)| route.when == When::Committed);
    let routes = committed.map(|(i, route)| (Site::RouteTaken, i as u32, route.probability));
    let all = cut.into_iter().chain(shape.calls.iter().flat_map(of_call)).chain(routes);
    all.filter(|(_, _, probability)| *probability > 0.0).collect()
}

impl<'s> Shortcut<'s> {
    pub(super) fn new(world: &'s World<'s>) -> Self {
        let scenario = world.scenario;
        let failure = &scenario.failure;
        let slow = scenario.routes.iter().filter(|route| route.when == When::Slow).filter_map(|route| route.after);
        let age_limit = slow.chain(failure.attempt_limit).min();
        let rough = scenario.tools.iter().any(|t| t.error_rate + t.unknown_rate > 0.0 || t.client.is_some());
        Shortcut {
            world,
            chances: world.shapes.iter().map(|shape| chances(world, shape)).collect(),
            age_limit,
            timed: matches!(failure.cuts, Cuts::Hazard(_))
                || age_limit.is_some()
                || failure.crashes_per_hour > 0.0
                || failure.idle_timeout.is_some()
                || rough,
        }
    }

    /// Whether the draws of a turn (that repeats no other) show that nothing happens to its first attempt but its calls
    /// and its commit. In doubt it is not undisturbed.
    pub(super) fn undisturbed(&self, shape: usize, draws: &Draws<'_>, nominal: &mut Nominal) -> bool {
        if self.chances(shape).iter().any(|(site, row, p)| draws.happens(*site, *row as usize, *p)) {
            return false;
        }
        !self.timed || {
            self.plan(shape, draws, nominal);
            let expected_cuts = self.expected_cuts(nominal);
            let cut = expected_cuts > 0.0 && draws.word(Site::Cut).exponential() <= expected_cuts;
            let deaths = self.expected_crashes(draws, nominal);
            let dies = deaths > 0.0 && draws.word(Site::Crash).exponential() <= deaths;
            !cut && !dies && self.smooth(draws, nominal)
        }
    }

    /// What disturbs a turn of this shape by chance, whatever its timeline.
    pub(super) fn chances(&self, shape: usize) -> &[Chance] {
        &self.chances[shape]
    }

    /// Works out the timeline of a turn of this shape to which nothing happens.
    pub(super) fn plan(&self, shape: usize, draws: &Draws<'_>, nominal: &mut Nominal) {
        let shape = &self.world.shapes[shape];
        nominal.plan(self.world, draws, shape.calls.iter().copied(), 0..shape.steps);
    }

    /// Whether every run succeeds at once and no limit of time is reached.
    pub(super) fn smooth(&self, draws: &Draws<'_>, nominal: &Nominal) -> bool {
        let idle = self.world.scenario.failure.idle_timeout.is_some_and(|limit| nominal.longest_run >= limit);
        let old = self.age_limit.is_some_and(|limit| self.active(draws, nominal) >= limit);
        nominal.smooth && !idle && !old
    }

    fn active(&self, draws: &Draws<'_>, nominal: &Nominal) -> Span {
        nominal.end + self.world.scenario.stream.commit.span_at(|| draws.word(Site::Commit))
    }

    /// Cuts that the hazard has in store for this timeline: a cut strikes where an exponential of mean 1 is less.
    pub(super) fn expected_cuts(&self, nominal: &Nominal) -> f64 {
        let Cuts::Hazard(hazard) = &self.world.scenario.failure.cuts else { return 0.0 };
        let Phases { prelude, arguments, tool, gap } = hazard.phases;
        let multipliers = [prelude, arguments, tool, gap];
        let exposed: f64 = nominal.exposure.iter().zip(multipliers).map(|(span, m)| span.as_seconds_f64() * m).sum();
        with_margin(exposed * self.world.cut_rate(1))
    }

    /// The same for crashes.
    pub(super) fn expected_crashes(&self, draws: &Draws<'_>, nominal: &Nominal) -> f64 {
        let rate = self.world.crash_rate();
        // Half a nanosecond is what the event loop's rounding can add; the margin covers it.
        if rate > 0.0 { with_margin((self.active(draws, nominal).as_seconds_f64() + 1e-9) * rate) } else { 0.0 }
    }
}

/// The event loop adds the same up phase by phase; the margin covers the rounding of either sum.
fn with_margin(expected: f64) -> f64 {
    if expected > 0.0 { expected * (1.0 + 1e-9) + 1e-12 } else { 0.0 }
}
