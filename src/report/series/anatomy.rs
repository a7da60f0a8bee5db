//! Where the time of a turn goes, and which call its window belongs to.

use super::{Anatomy, DensityPoint, Phase, ToolAnatomy};
use crate::dist::Distribution;
use crate::draw::Word;
use crate::scenario::{Cuts, Phases, Scenario, Tool};
use crate::time::Span;
use crate::turn::{DispatchAt, Handling};

/// Points of a density.
const POINTS: usize = 64;
/// The share of draws beyond either end of a density.
const TAIL: f64 = 0.002;
/// Quantiles whose average stands for the mean of a latency that a client cuts off.
const SLICES: u64 = 1024;

pub(super) fn of(scenario: &Scenario) -> Anatomy {
    let stream = &scenario.stream;
    let calls = calls_per_turn(scenario);
    let shares = exposure_shares(scenario);
    let tools = scenario.tools.iter().enumerate().filter(|(index, _)| calls[*index] > 0.0);
    let tools = tools.map(|(index, tool)| ToolAnatomy {
        name: tool.name.clone(),
        class: tool.class,
        calls_per_turn: calls[index],
        arguments: Phase::of(tool.arguments.mean()),
        run: Phase::of(mean_run(tool)),
        exposure_share: shares.as_ref().map(|shares| shares[index]),
        latency: density(&tool.latency),
    });
    Anatomy {
        handler: stream.handler,
        dispatch: stream.dispatch,
        prelude: Phase::of(stream.prelude.mean()),
        gap: Phase::of(stream.gap.mean()),
        tools: tools.collect(),
    }
}

impl Phase {
    fn of(mean: f64) -> Phase {
        Phase { mean_ns: mean.is_finite().then(|| Span::from_seconds_f64(mean).as_nanos()) }
    }
}

fn calls_per_turn(scenario: &Scenario) -> Vec<f64> {
    let mut calls = vec![0.0; scenario.tools.len()];
    for (shape, share) in scenario.shapes.iter().zip(scenario.shape_shares()) {
        shape.calls().for_each(|tool| calls[tool] += share);
    }
    calls
}

/// The mean length of a run: requests that the tool's client gives up are followed by others while it may.
fn mean_run(tool: &Tool) -> f64 {
    let Some(client) = tool.client else { return tool.latency.mean() };
    let timeout = client.timeout.as_seconds_f64();
    let slice = |k: u64| Word((2 * k + 1) << (63 - SLICES.trailing_zeros()));
    let request = (0..SLICES).map(|k| tool.latency.quantile(slice(k)).min(timeout)).sum::<f64>() / SLICES as f64;
    let late = tool.latency.survival(timeout);
    let unanswered = tool.unknown_rate;
    // A response that never comes costs the whole time-out, in time or not.
    let lasts = unanswered * timeout + (1.0 - unanswered) * request;
    let again = unanswered + (1.0 - unanswered) * late;
    (0..client.retries).fold(lasts, |run, _| lasts + again * run)
}

/// Of all seconds of open stream after the first dispatch, weighted by their hazard, the share of each tool.
fn exposure_shares(scenario: &Scenario) -> Option<Vec<f64>> {
    let stream = &scenario.stream;
    let Phases { prelude, arguments, tool: running, gap } = multipliers(scenario);
    let mut exposure = vec![0.0; scenario.tools.len()];
    for (shape, share) in scenario.shapes.iter().zip(scenario.shape_shares()) {
        let mut last: Option<usize> = None;
        let mut open = |tool: Option<usize>, weight: f64, mean: f64| {
            if let Some(tool) = tool.filter(|_| weight > 0.0) {
                exposure[tool] += share * weight * mean;
            }
        };
        for step in &shape.steps {
            open(last, prelude, stream.prelude.mean());
            for &tool in step {
                open(last, arguments, scenario.tools[tool].arguments.mean());
                if stream.dispatch == DispatchAt::Completion {
                    last = Some(tool);
                    if stream.handler == Handling::Blocking {
                        open(last, running, mean_run(&scenario.tools[tool]));
                    }
                }
            }
            open(last, gap, stream.gap.mean());
            if stream.dispatch == DispatchAt::MessageStop {
                last = step.last().copied().or(last);
            }
        }
    }
    let total: f64 = exposure.iter().sum();
    (total > 0.0 && total.is_finite()).then(|| exposure.iter().map(|exposure| exposure / total).collect())
}

/// Cuts by fraction strike anywhere in the window alike.
fn multipliers(scenario: &Scenario) -> Phases {
    match &scenario.failure.cuts {
        Cuts::Hazard(hazard) => hazard.phases,
        Cuts::Fraction(_) => Phases { prelude: 1.0, arguments: 1.0, tool: 1.0, gap: 1.0 },
    }
}

/// The density of a latency from the differences of its distribution function.
fn density(latency: &Distribution) -> Vec<DensityPoint> {
    let tail = (TAIL * 18_446_744_073_709_551_616.0) as u64;
    let (low, high) = (latency.quantile(Word(tail)), latency.quantile(Word(!tail)));
    if latency.as_constant().is_some() || high <= low * (1.0 + 1e-9) {
        return Vec::new();
    }
    // A latency can be zero; an axis of logarithms begins a little above.
    let low = low.max(high * 1e-4);
    let ratio = libm::log(high / low) / (POINTS - 1) as f64;
    let point = |k: usize| {
        let at = |offset: f64| low * libm::exp((k as f64 + offset) * ratio);
        let (from, to) = (at(-0.5), at(0.5));
        DensityPoint {
            at_ns: Span::from_seconds_f64(at(0.0)).as_nanos(),
            per_second: (latency.cdf(to) - latency.cdf(from)).max(0.0) / (to - from),
        }
    };
    (0..POINTS).map(point).collect()
}
