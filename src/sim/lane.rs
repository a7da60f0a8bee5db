//! How each policy is run. Under most policies no turn can meet another, because its calls' keys are its own: such
//! turns are played one by one, and one to which nothing happens need not be played at all.

use super::cell::{Cell, Extent};
use super::world::World;
use crate::audit::Tally;
use crate::dispatch::rule::{Component, Remember};
use crate::scenario::{Cuts, Hazard, Phases, Policy, Scenario};

/// One policy and the cheapest way to run it.
pub(super) struct Lane<'s> {
    pub policy: &'s Policy,
    pub way: Way,
}

pub(super) enum Way {
    /// Turns may meet: whole cells are played.
    Cells,
    /// Every turn is played by itself.
    Turns,
    /// Turns are played by themselves where something happens to them; another counts what this tally of its shape
    /// says.
    Disturbed(Vec<Tally>),
}

/// Why turns are not independent and alike under a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Arguments are drawn from a pool (`distinct_arguments`), so that two turns may have one key.
    Pools,
    /// Users repeat themselves (`population.repeat`).
    Repeats,
    /// The key does not see the arguments.
    KeyWithoutArguments,
    /// Incidents hold for many turns.
    Incidents,
    /// Rows are forgotten at an age (`row_retention`).
    Retention,
    /// Calls of one turn meet in the ledger or downstream, so that what an undisturbed turn counts depends on its times.
    WithinTurns,
}

impl Meeting {
    /// The feature in words.
    #[must_use]
    pub const fn feature(self) -> &'static str {
        match self {
            Meeting::Pools => "arguments from a pool (tool.distinct_arguments): two turns may have one key",
            Meeting::Repeats => "users who repeat a turn (population.repeat)",
            Meeting::KeyWithoutArguments => "a key without the arguments: two turns may have one key",
            Meeting::Incidents => "incidents (failure.incidents): they hold for many turns",
            Meeting::Retention => "rows that are forgotten at an age (row_retention)",
            Meeting::WithinTurns => "calls of one turn that share a key",
        }
    }
}

impl<'s> Lane<'s> {
    /// The cheapest way to run a policy.
    pub(super) fn new(scenario: &Scenario, policy: &'s Policy) -> Self {
        let way = match meeting_of_turns(scenario, policy) {
            Some(_) => Way::Cells,
            None => calm_turns(scenario, policy).map_or(Way::Turns, Way::Disturbed),
        };
        Lane { policy, way }
    }

    /// Whether only its disturbed turns are played.
    pub(super) const fn passes_over_calm(&self) -> bool {
        matches!(self.way, Way::Disturbed(_))
    }

    /// Whether its turns can be played one by one.
    pub(super) const fn alone(&self) -> bool {
        !matches!(self.way, Way::Cells)
    }

    /// The long way: whole cells, event by event.
    pub(super) const fn whole_cells(policy: &'s Policy) -> Self {
        Lane { policy, way: Way::Cells }
    }
}

/// Why undisturbed turns cannot be passed over under this policy; none where they can.
pub(super) fn meeting(scenario: &Scenario, policy: &Policy) -> Option<Meeting> {
    meeting_of_turns(scenario, policy)
        .or_else(|| calm_turns(scenario, policy).is_none().then_some(Meeting::WithinTurns))
}

/// Why a turn's fate may depend on another turn: two turns share a key, or something depends on the time.
fn meeting_of_turns(scenario: &Scenario, policy: &Policy) -> Option<Meeting> {
    let uses_key = |class| {
        let rule = policy.rules.dispatcher.rule(class);
        rule.remember != Remember::Never || rule.forward
    };
    let keyed = scenario.tools.iter().any(|tool| uses_key(tool.class));
    let pools = scenario.tools.iter().any(|tool| tool.distinct_arguments.is_some());
    match () {
        () if scenario.failure.incidents.is_some() => Some(Meeting::Incidents),
        () if scenario.population.repeat > 0.0 => Some(Meeting::Repeats),
        () if policy.row_retention.is_some() => Some(Meeting::Retention),
        () if keyed && !policy.rules.key.has(Component::Arguments) => Some(Meeting::KeyWithoutArguments),
        () if keyed && pools => Some(Meeting::Pools),
        () => None,
    }
}

fn calm_turns(scenario: &Scenario, policy: &Policy) -> Option<Vec<Tally>> {
    (0..scenario.shapes.len()).map(|shape| calm_turn(scenario, policy, shape)).collect()
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
    cell.play(Extent::turn(0, None));
    let writes = world.shapes[0].calls.iter().filter(|call| world.classes[call.tool as usize].is_write()).count();
    let tally = cell.tally;
    let apart = tally.conflicts == 0 && tally.waits == 0 && tally.effects == writes as u64;
    (apart && tally.commits == 1 && tally.stuck == 0).then_some(tally)
}
