//! Turns that cost little. Under most policies no turn can meet another: its calls' keys are its own. Such turns are
//! played one by one, and one whose draws show that nothing can happen to its only attempt is not played at all: it
//! counts as every undisturbed turn of its shape does. `run_event_by_event` is the long way round; a test holds
//! every count of the two against each other.

use super::cell::{Cell, Extent};
use super::nominal::Nominal;
use super::world::World;
use crate::audit::Tally;
use crate::dispatch::rule::{Component, Remember};
use crate::draw::Site;
use crate::scenario::{Cuts, Hazard, Phases, Policy, Scenario};
use crate::time::Span;
use crate::turn::When;

/// How one policy is run.
pub(super) struct Lane<'s> {
    pub policy: &'s Policy,
    /// Whether its turns are played one by one.
    pub isolated: bool,
    /// What an undisturbed turn counts, by shape; none where that depends on more than the shape.
    pub calm_turn: Vec<Option<Tally>>,
}

impl<'s> Lane<'s> {
    /// The cheapest way to run a policy.
    pub(super) fn new(scenario: &Scenario, policy: &'s Policy) -> Self {
        let isolated = turns_never_meet(scenario, policy);
        let calm_turn = (0..scenario.shapes.len()).map(|shape| calm_turn(scenario, policy, shape)).collect();
        Lane { policy, isolated, calm_turn }
    }

    /// The long way: whole cells, event by event.
    pub(super) fn whole_cells(policy: &'s Policy) -> Self {
        Lane { policy, isolated: false, calm_turn: Vec::new() }
    }
}

/// Whether no turn's fate depends on another turn: no two turns share a key, and nothing depends on the time.
fn turns_never_meet(scenario: &Scenario, policy: &Policy) -> bool {
    let uses_key = |class| {
        let rule = policy.rules.dispatcher.rule(class);
        rule.remember != Remember::Never || rule.forward
    };
    let keyless = !scenario.tools.iter().any(|tool| uses_key(tool.class));
    let distinct = scenario.tools.iter().all(|tool| tool.distinct_arguments.is_none());
    let own_keys = keyless || (distinct && policy.rules.key.has(Component::Arguments));
    let timeless = scenario.failure.incidents.is_none() && policy.row_retention.is_none();
    own_keys && timeless && scenario.population.repeat == 0.0
}

/// What a turn of this shape counts when nothing happens to it, by playing one; none where calls of the turn meet in
/// the ledger or downstream, so that the count depends on their times.
fn calm_turn(scenario: &Scenario, policy: &Policy, shape: usize) -> Option<Tally> {
    let mut calm = scenario.clone();
    calm.failure.cuts = Cuts::Hazard(Hazard {
        per_second: vec![0.0],
        phases: Phases { prelude: 0.0, arguments: 0.0, tool: 0.0, gap: 0.0 },
        rate: None,
    });
    calm.failure.crashes_per_hour = 0.0;
    (calm.failure.idle_timeout, calm.failure.attempt_limit, calm.failure.incidents) = (None, None, None);
    calm.shapes = vec![scenario.shapes[shape].clone()];
    calm.routes.clear();
    for tool in &mut calm.tools {
        (tool.error_rate, tool.unknown_rate, tool.client) = (0.0, 0.0, None);
    }
    let policy = Policy { unavailable: 0.0, without_routes: Vec::new(), ..policy.clone() };
    let world = World::new(&calm, 0, 1);
    let mut cell = Cell::new(&world, &policy);
    cell.play(Extent { first: 0, arrivals: 1, conversations: 1 });
    let writes = world.shapes[0].calls.iter().filter(|call| world.classes[call.tool as usize].is_write()).count();
    let tally = cell.tally;
    let apart = tally.conflicts == 0 && tally.waits == 0 && tally.effects == writes as u64;
    (apart && tally.commits == 1 && tally.stuck == 0).then_some(tally)
}

/// Tells undisturbed turns by their draws.
pub(super) struct Shortcut<'s> {
    world: &'s World<'s>,
    /// The highest probability of any policy that the ledger cannot be reached.
    unavailable: f64,
    /// Routes set off by a commit, with their probability.
    after_commit: Vec<(usize, f64)>,
    /// The age from which a turn is not undisturbed, if it were otherwise: slow for some route, or killed.
    age_limit: Option<Span>,
    /// Whether a turn's fate depends on its timeline.
    timed: bool,
}

impl<'s> Shortcut<'s> {
    pub(super) fn new(world: &'s World<'s>) -> Self {
        let scenario = world.scenario;
        let failure = &scenario.failure;
        let slow = scenario.routes.iter().filter(|route| route.when == When::Slow).filter_map(|route| route.after);
        let age_limit = slow.chain(failure.attempt_limit).min();
        let committed = |(i, route): (usize, &crate::scenario::Route)| {
            (route.when == When::Committed).then_some((i, route.probability))
        };
        let rough = scenario.tools.iter().any(|t| t.error_rate + t.unknown_rate > 0.0 || t.client.is_some());
        Shortcut {
            world,
            unavailable: scenario.policies.iter().map(|policy| policy.unavailable).fold(0.0, f64::max),
            after_commit: scenario.routes.iter().enumerate().filter_map(committed).collect(),
            age_limit,
            timed: matches!(failure.cuts, Cuts::Hazard(_))
                || age_limit.is_some()
                || failure.crashes_per_hour > 0.0
                || failure.idle_timeout.is_some()
                || rough,
        }
    }

    /// The shape of a turn (that repeats no other) if its draws show that nothing happens to its first attempt but its
    /// calls and its commit. In doubt it is not undisturbed.
    pub(super) fn undisturbed(&self, arrival: u64, nominal: &mut Nominal) -> Option<usize> {
        let world = self.world;
        let shape_id = world.shape_of(arrival);
        let shape = &world.shapes[shape_id];
        let draws = world.draws(arrival, 1);
        let by_fraction = matches!(world.scenario.failure.cuts, Cuts::Fraction(_));
        if by_fraction && draws.word(Site::Cut).happens(world.cut_rate(1)) {
            return None;
        }
        let unreachable = |row| draws.word_of(Site::Unavailable, row).happens(self.unavailable);
        if self.unavailable > 0.0 && (0..shape.calls.len()).any(unreachable) {
            return None;
        }
        if self.after_commit.iter().any(|(route, p)| draws.word_of(Site::RouteTaken, *route).happens(*p)) {
            return None;
        }
        if self.timed {
            nominal.plan(world, &draws, shape.calls.iter().copied(), 0..shape.steps);
            if !self.survives(&draws, nominal) {
                return None;
            }
        }
        Some(shape_id)
    }

    /// Whether the timeline is smooth and out of reach of every fault.
    fn survives(&self, draws: &crate::draw::Draws, nominal: &Nominal) -> bool {
        let scenario = self.world.scenario;
        let failure = &scenario.failure;
        let active = || nominal.end + scenario.stream.commit.span(draws.word(Site::Commit));
        let idle = failure.idle_timeout.is_some_and(|limit| nominal.longest_run >= limit);
        let old = self.age_limit.is_some_and(|limit| active() >= limit);
        let dies = || {
            let seconds = draws.word(Site::Crash).exponential() / self.world.crash_rate();
            Span::from_seconds_f64(seconds) <= active()
        };
        let cut = match &failure.cuts {
            Cuts::Fraction(_) => false,
            Cuts::Hazard(hazard) => {
                let Phases { prelude, arguments, tool, gap } = hazard.phases;
                let exposed: f64 = nominal
                    .exposure
                    .iter()
                    .zip([prelude, arguments, tool, gap])
                    .map(|(span, multiplier)| span.as_seconds_f64() * multiplier)
                    .sum();
                // The event loop adds the same up phase by phase; the margin covers the rounding of either sum.
                draws.word(Site::Cut).exponential() <= exposed * self.world.cut_rate(1) * (1.0 + 1e-9) + 1e-12
            }
        };
        let disturbed = !nominal.smooth || idle || old || cut || (failure.crashes_per_hour > 0.0 && dies());
        !disturbed
    }
}
