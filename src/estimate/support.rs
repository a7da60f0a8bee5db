//! For which scenarios the walk of [`super::attempt`] is exact. Everything here is named as the feature of the
//! scenario that prevents a derivation; what only shows on the way (two routes that answer one cut, a lease that may
//! or may not have run out) is named there.

use super::reach::Reach;
use crate::dispatch::rule::{Component, OnInFlight, Remember};
use crate::dist::Distribution;
use crate::scenario::{Cuts, Scenario, Shape};
use crate::turn::{DispatchAt, Handling, OnCut, Resumes, When};

/// Retries by a tool's client that are followed; the ways of a run grow with their square.
const CLIENT_RETRIES_MAX: u32 = 64;
/// Seconds; a shorter duration is none, instants being whole nanoseconds.
const NO_TIME: f64 = 0.5e-9;
/// What is less probable than this moves no digit that is printed.
const NEGLIGIBLE: f64 = 1e-9;

/// The feature that prevents an exact figure for `shape` under a policy, if any.
pub(super) fn obstacle(reach: Reach<'_>, shape: &Shape) -> Option<&'static str> {
    timing(reach, shape)
        .or_else(|| if uses_keys(reach, shape) { keys(reach, shape) } else { None })
        .or_else(|| matches!(reach.scenario.failure.cuts, Cuts::Fraction(_)).then(|| fraction(reach, shape)).flatten())
}

/// Whether an earlier attempt can leave something that a later one finds.
fn uses_keys(reach: Reach<'_>, shape: &Shape) -> bool {
    uses_rows(reach, shape) || shape.calls().any(|tool| reach.guarded(reach.scenario.tools[tool].class))
}

fn uses_rows(reach: Reach<'_>, shape: &Shape) -> bool {
    shape.calls().any(|tool| reach.remember(reach.scenario.tools[tool].class) != Remember::Never)
}

/// Features under which stretches of attempts do not meet their risks independently.
fn timing(reach: Reach<'_>, shape: &Shape) -> Option<&'static str> {
    let (failure, stream) = (&reach.scenario.failure, &reach.scenario.stream);
    let concurrent = stream.handler == Handling::Concurrent;
    let open = stream.dispatch == DispatchAt::Completion;
    let clients = || shape.calls().filter_map(|tool| reach.scenario.tools[tool].client);
    let tools = || shape.calls().map(|tool| &reach.scenario.tools[tool]);
    // An error is drawn before it is known whether the key will be, which a request still under way decides.
    let undecided = || tools().filter(|tool| reach.guarded(tool.class) && tool.error_rate > 0.0);
    let reconciled = tools()
        .any(|tool| tool.client.is_some() && tool.class.is_write() && reach.remember(tool.class) == Remember::Before)
        && matches!(reach.policy.rules.on_in_flight, OnInFlight::Reconcile(_));
    let resumed = reach.routes().any(|(_, route)| route.resumes == Resumes::Step) && shape.steps.len() > 1;
    let obstacles = [
        (failure.incidents.is_some(), "incidents"),
        (failure.attempt_limit.is_some(), "attempt_limit"),
        (reach.has_route(When::Slow), "a slow route: attempts overlap"),
        (concurrent && failure.crashes_per_hour > 0.0, "crashes with a concurrent handler"),
        (concurrent && open && stream.on_cut == OnCut::Cancel, "on_cut = cancel with a concurrent handler"),
        (
            concurrent && open && uses_rows(reach, shape),
            "a concurrent handler: a replay may meet a run still in flight",
        ),
        (failure.crashes_per_hour > 0.0 && clients().next().is_some(), "client_timeout with crashes"),
        (open && stream.on_cut == OnCut::Cancel && clients().next().is_some(), "client_timeout with on_cut = cancel"),
        (clients().any(|client| client.retries > CLIENT_RETRIES_MAX), "more client_retries than are followed"),
        (reconciled, "client_timeout with reconcile: an effect still to come is not found"),
        (undecided().any(|tool| tool.client.is_some()), "client_timeout of a tool that takes keys and has errors"),
        (
            concurrent && open && reach.has_route(When::ToolError) && undecided().next().is_some(),
            "a concurrent handler and a tool_error route with a tool that takes keys and has errors",
        ),
        (
            resumed && failure.silent > 0.0 && failure.crashes_per_hour > 0.0,
            "resumes = step after a crash of a silently ended attempt",
        ),
    ];
    obstacles.iter().find(|(holds, _)| *holds).map(|(_, name)| *name)
}

/// Features under which the turn's keys meet those of other turns, or one another.
fn keys(reach: Reach<'_>, shape: &Shape) -> Option<&'static str> {
    let (scenario, policy, key) = (reach.scenario, reach.policy, reach.policy.rules.key);
    let several = shape.calls().count() > 1;
    let drift = |tool: usize| {
        reach.routes().map(move |(route, _)| scenario.re_emits(route, tool)).any(|re_emits| re_emits.same < 1.0)
    };
    let dropped = |tool: usize| {
        reach.routes().map(move |(route, _)| scenario.re_emits(route, tool)).any(|re_emits| re_emits.dropped > 0.0)
    };
    let told_apart = key.has(Component::Ordinal) && key.has(Component::Tool) && !shape.calls().any(drift);
    let ages = |tool: usize| reach.guarded(scenario.tools[tool].class) && scenario.tools[tool].retention.is_some();
    let obstacles = [
        (!key.has(Component::Arguments), "a key without arguments: other turns share it"),
        (
            scenario.tools.iter().any(|tool| tool.distinct_arguments.is_some()),
            "distinct_arguments: other turns share keys",
        ),
        (scenario.population.repeat > 0.0, "repeat: a repeated turn meets the rows of the one before"),
        (several && shape.same_arguments && !told_apart, "same_arguments under drift or without tool and ordinal"),
        (
            several && key.has(Component::CallNumber) && shape.calls().any(dropped),
            "call_number in the key of a turn that may drop calls",
        ),
        (uses_rows(reach, shape) && policy.row_retention.is_some(), "row_retention"),
        (
            uses_rows(reach, shape) && policy.ledger_loss > 0.0 && policy.unavailable > 0.0,
            "ledger_loss with unavailable",
        ),
        (shape.calls().any(ages), "retention: the age of a key decides"),
    ];
    obstacles.iter().find(|(holds, _)| *holds).map(|(_, name)| *name)
}

/// Features under which a place drawn uniformly over the stream does not fall into independent stretches.
fn fraction(reach: Reach<'_>, shape: &Shape) -> Option<&'static str> {
    let (failure, stream) = (&reach.scenario.failure, &reach.scenario.stream);
    let open = stream.dispatch == DispatchAt::Completion;
    let dropped = |tool: usize| reach.routes().any(|(route, _)| reach.scenario.re_emits(route, tool).dropped > 0.0);
    let several_steps = shape.steps.len() > 1;
    let resumed = reach.routes().any(|(_, route)| route.resumes == Resumes::Step);
    let obstacles = [
        (open && window_may_be_empty(reach.scenario, shape), "no time after the dispatch under `fraction`"),
        (failure.crashes_per_hour > 0.0, "crashes under `fraction`"),
        (open && stream.on_cut == OnCut::Cancel, "on_cut = cancel under `fraction`"),
        (open && shape.calls().count() > 1, "several calls under `fraction`"),
        (!open && several_steps, "several steps under `fraction`"),
        (several_steps && resumed, "resumes = step under `fraction`"),
        (!open && failure.silent > 0.0, "silent ends at message_stop under `fraction`"),
        (shape.calls().any(dropped), "dropped calls under `fraction`"),
    ];
    obstacles.iter().find(|(holds, _)| *holds).map(|(_, name)| *name)
}

/// Whether the stream-open time after the first dispatch of `shape`, with dispatch at completion, is nothing with a
/// probability that counts. A cut drawn for that time then strikes anywhere in the stream.
pub(super) fn window_may_be_empty(scenario: &Scenario, shape: &Shape) -> bool {
    let stream = &scenario.stream;
    let waits = stream.handler == Handling::Blocking;
    let none = |x: &Distribution| x.cdf(NO_TIME);
    let (mut probability, mut dispatched) = (1.0, false);
    for step in &shape.steps {
        if dispatched {
            probability *= none(&stream.prelude);
        }
        for tool in step.iter().map(|tool| &scenario.tools[*tool]) {
            if dispatched {
                probability *= none(&tool.arguments);
            }
            if waits {
                probability *= none(&tool.latency);
            }
            dispatched = true;
        }
        if dispatched {
            probability *= none(&stream.gap);
        }
    }
    dispatched && probability > NEGLIGIBLE
}
