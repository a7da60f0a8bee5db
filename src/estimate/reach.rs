//! What a policy's routes can do in a scenario: which conditions can occur, which replays can overlap, and whether a
//! call keeps its key.

use crate::dispatch::rule::{Component, OnUnknown, Remember};
use crate::scenario::{Cuts, Policy, Route, Scenario, Shape, Tool};
use crate::turn::{Class, DispatchAt, DownstreamMismatch, Handling, OnCut, Positions, ReplayPosition, When};

/// A policy in its scenario.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) policy: &'a Policy,
}

impl<'a> Reach<'a> {
    /// The routes this policy has that can issue a replay at all, with their indices.
    pub(super) fn routes(self) -> impl Iterator<Item = (usize, &'a Route)> {
        let Reach { scenario, policy } = self;
        scenario.routes.iter().enumerate().filter(move |(index, route)| {
            !policy.without_routes.contains(index)
                && route.probability > 0.0
                && route.max > 0
                && scenario.run.max_attempts > 1
                && self.occurs(route.when)
        })
    }

    /// Whether a route of this condition can issue a replay.
    pub(super) fn has_route(self, when: When) -> bool {
        self.routes().any(|(_, route)| route.when == when)
    }

    fn occurs(self, when: When) -> bool {
        match when {
            When::StreamError => self.cuts() && self.scenario.failure.silent < 1.0,
            When::Crash => self.crashes(),
            When::Refused => self.refuses(),
            When::FailedTurn => (self.cuts() && self.scenario.failure.silent < 1.0) || self.crashes() || self.refuses(),
            When::ToolError => {
                let fails = |tool: &Tool| {
                    tool.error_rate + tool.unknown_rate > 0.0 || tool.client.is_some() || self.rejects(tool)
                };
                self.scenario.tools.iter().any(|tool| tool.class.is_write() && fails(tool))
            }
            When::Slow | When::Committed => true,
        }
    }

    fn cuts(self) -> bool {
        let failure = &self.scenario.failure;
        let rates = match &failure.cuts {
            Cuts::Hazard(hazard) => &hazard.per_second,
            Cuts::Fraction(fraction) => &fraction.rate,
        };
        failure.idle_timeout.is_some() || rates.iter().any(|rate| *rate > 0.0)
    }

    /// Whether an attempt can die in the middle of a run.
    pub(super) fn crashes(self) -> bool {
        self.scenario.failure.crashes_per_hour > 0.0 || self.scenario.failure.attempt_limit.is_some()
    }

    fn refuses(self) -> bool {
        self.scenario.tools.iter().any(|tool| self.remember(tool.class) != Remember::Never)
    }

    /// When this policy writes rows for a tool of `class`.
    pub(super) fn remember(self, class: Class) -> Remember {
        self.policy.rules.dispatcher.rule(class).remember
    }

    /// Whether a tool of `class` is given its key and honours it.
    pub(super) fn guarded(self, class: Class) -> bool {
        class == Class::KeyedWrite && self.policy.rules.dispatcher.rule(class).forward
    }

    /// Whether `tool` may answer a key it knows with an error, because the values that came with it are others.
    fn rejects(self, tool: &Tool) -> bool {
        self.guarded(tool.class)
            && tool.on_mismatch == DownstreamMismatch::Reject
            && !self.policy.rules.key.has(Component::Arguments)
    }

    /// Whether no attempt of a turn can start while another one is active or pending.
    pub(super) fn sequential(self) -> bool {
        let count = |whens: &[When]| self.routes().filter(|(_, route)| whens.contains(&route.when)).count();
        count(&[When::Slow]) == 0
            && count(&[When::StreamError]) <= 1
            && count(&[When::Crash]) <= 1
            && count(&[When::Refused]) <= 1
            && count(&[When::FailedTurn]) <= 1
            && count(&[When::Committed, When::ToolError]) <= 1
    }

    /// Whether every run has come to its answer before the turn's next attempt looks: only then does no replay meet
    /// a row in flight, and only then is a result recorded after the run recorded in time.
    pub(super) fn settles(self) -> bool {
        let stream = &self.scenario.stream;
        // At message_stop a cut finds nothing in flight; a blocking handler that finishes has waited.
        let waited = stream.dispatch == DispatchAt::MessageStop
            || (stream.handler == Handling::Blocking && stream.on_cut == OnCut::Finish);
        let refusals_wait = stream.handler == Handling::Blocking || !self.refuses();
        self.sequential() && waited && refusals_wait && !self.crashes()
    }

    /// Whether every row in flight that a replay meets belongs to a run that will do nothing more.
    pub(super) fn runs_are_dead(self) -> bool {
        let stream = &self.scenario.stream;
        let detached =
            stream.handler == Handling::Concurrent && (stream.dispatch == DispatchAt::Completion || self.refuses());
        self.sequential() && !detached
    }

    /// Whether no other intent can look at a key of `tool` while a run under it is under way.
    pub(super) fn claims_alone(self, tool: usize) -> bool {
        let key = self.policy.rules.key;
        let distinct = key.has(Component::Arguments) && self.scenario.tools[tool].distinct_arguments.is_none();
        self.scenario.stream.handler == Handling::Blocking && (key.has(Component::Conversation) || distinct)
    }

    /// Whether a run of a tool can end without a verdict.
    pub(super) fn leaves_unknown(self, tool: usize) -> bool {
        let tool = &self.scenario.tools[tool];
        tool.unknown_rate > 0.0 || tool.client.is_some()
    }

    /// Whether a failed row may hide an effect.
    pub(super) fn fails_unknown(self, tool: usize) -> bool {
        self.policy.rules.on_unknown == OnUnknown::Failed && self.leaves_unknown(tool)
    }

    /// Whether every dispatch of an intent of `shape` that calls `tool` presents the same key.
    pub(super) fn keeps_key(self, shape: &Shape, tool: usize) -> bool {
        let key = self.policy.rules.key;
        let replayed =
            |drift: &dyn Fn(usize, usize) -> bool, tool: usize| self.routes().any(|(route, _)| drift(route, tool));
        let reworded = |route: usize, tool: usize| self.scenario.re_emits(route, tool).reworded > 0.0;
        let dropped = |route: usize, tool: usize| self.scenario.re_emits(route, tool).dropped > 0.0;
        let replays = self.routes().next().is_some();
        let values = !key.has(Component::Arguments) || !replayed(&reworded, tool);
        let text = !key.has(Component::Arguments)
            || key.has(Component::Canonical)
            || !replays
            || self.scenario.reserialised == 0.0;
        // Ordinals count earlier equal calls of the same tool; they move when one of those changes or goes.
        let twins = shape.calls().filter(|call| *call == tool).count() > 1
            && (shape.same_arguments || self.scenario.tools[tool].distinct_arguments.is_some());
        let ordinal =
            !key.has(Component::Ordinal) || !twins || !(replayed(&reworded, tool) || replayed(&dropped, tool));
        let number = !key.has(Component::CallNumber) || !shape.calls().any(|call| replayed(&dropped, call));
        let id = !key.has(Component::CallId) || !replays;
        values && text && ordinal && number && id && self.keeps_position()
    }

    /// Whether every replay presents the original position.
    fn keeps_position(self) -> bool {
        let moves = |route: &Route| route.position == ReplayPosition::Conversation;
        if !self.policy.rules.key.has(Component::Position) || !self.routes().any(|(_, route)| moves(route)) {
            return true;
        }
        // The conversation's position is the original one as long as nothing of the turn has been appended, which is
        // certain only if no attempt follows or accompanies a commit.
        self.scenario.population.positions == Positions::Committed
            && self.sequential()
            && !self.has_route(When::Committed)
            && !self.has_route(When::ToolError)
    }
}
