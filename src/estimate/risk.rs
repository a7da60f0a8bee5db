//! Competing risks along one attempt. Cuts and crashes arrive at constant rates, so each stretch of an attempt meets
//! them afresh: all that is needed of a duration is its Laplace transform E[e^{−sX}], at the rate of what may strike.

use crate::dist::Distribution;
use crate::scenario::{Cuts, Scenario, Tool};
use crate::time::Span;
use crate::turn::{DispatchAt, Handling, OnCut};

const SECONDS_PER_HOUR: f64 = 3600.0;

/// What becomes of a stretch of an attempt in which no tool runs. The three sum to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// P(it passes).
    pub(super) spared: f64,
    /// P(the stream is cut in it, before any crash).
    pub(super) cut: f64,
    /// P(the process dies in it, before any cut).
    pub(super) crashed: f64,
}

/// How the tool answers its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Success,
    Error,
    Unknown,
}

/// One way in which a tool run can go, with the probabilities of where the attempt is then. The probabilities of all
/// fates of a run sum to 1.
#[derive(Debug, Clone)]
pub(super) struct Fate {
    /// Effects of a run that comes to its answer (0 or 1 without retries by the tool's client).
    pub(super) effects: u16,
    /// The answer.
    pub(super) answer: Answer,
    /// P(answered, the stream whole).
    pub(super) answered: f64,
    /// P(answered, the stream cut meanwhile).
    pub(super) cut: f64,
    /// P(dropped by a cut), before and after the instant of the effect.
    pub(super) dropped: [f64; 2],
    /// P(dropped by a crash), before and after that instant.
    pub(super) crashed: [f64; 2],
}

/// The risks of one attempt of a scenario.
#[derive(Debug, Clone)]
pub(super) struct Risks {
    /// Whether a cut of this attempt would go unnoticed. Drawn for the attempt: it is asked at most once.
    pub(super) silent: bool,
    pub(super) prelude: Stretch,
    pub(super) gap: Stretch,
    pub(super) commit: Stretch,
    /// By tool.
    pub(super) arguments: Vec<Stretch>,
    /// By tool.
    pub(super) runs: Vec<Vec<Fate>>,
    waiting: Waiting,
}

/// What strikes while the handler waits for a tool or a row.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    cut_rate: f64,
    crash_rate: f64,
    /// Seconds; infinite without an idle time-out.
    idle: f64,
    /// Whether a cut drops what runs.
    cancels: bool,
}

impl Risks {
    /// The risks at hazard `hazard` (cuts per second before multipliers) and `crash_rate` (per second).
    pub(super) fn new(scenario: &Scenario, hazard: f64, crash_rate: f64, silent: bool) -> Self {
        let stream = &scenario.stream;
        let phases = match &scenario.failure.cuts {
            Cuts::Hazard(hazard) => hazard.phases,
            Cuts::Fraction(_) => crate::scenario::Phases { prelude: 0.0, arguments: 0.0, tool: 0.0, gap: 0.0 },
        };
        // Only a blocking handler with dispatch at completion waits while a stream is open.
        let open = stream.handler == Handling::Blocking && stream.dispatch == DispatchAt::Completion;
        let waiting = Waiting {
            cut_rate: if open { hazard * phases.tool } else { 0.0 },
            crash_rate,
            idle: scenario.failure.idle_timeout.filter(|_| open).map_or(f64::INFINITY, Span::as_seconds_f64),
            cancels: open && stream.on_cut == OnCut::Cancel && !silent,
        };
        Risks {
            silent,
            prelude: Stretch::of(&stream.prelude, hazard * phases.prelude, crash_rate),
            gap: Stretch::of(&stream.gap, hazard * phases.gap, crash_rate),
            commit: Stretch::of(&stream.commit, 0.0, crash_rate),
            arguments: scenario
                .tools
                .iter()
                .map(|tool| Stretch::of(&tool.arguments, hazard * phases.arguments, crash_rate))
                .collect(),
            runs: scenario.tools.iter().map(|tool| waiting.run(tool)).collect(),
            waiting,
        }
    }

    /// What becomes of a wait of `length` after which the dispatcher gives up. `cut` counts waits that went on to
    /// their end and those that were dropped alike.
    pub(super) fn wait(&self, length: Span) -> Stretch {
        let Waiting { cut_rate, crash_rate, idle, cancels } = self.waiting;
        let length = length.as_seconds_f64();
        let spared = if length <= idle { libm::exp(-(cut_rate + crash_rate) * length) } else { 0.0 };
        let crashed = if cancels {
            share(crash_rate, cut_rate) * -libm::expm1(-(cut_rate + crash_rate) * length.min(idle))
        } else {
            -libm::expm1(-crash_rate * length)
        };
        Stretch { spared, cut: (1.0 - spared - crashed).max(0.0), crashed }
    }
}

impl Stretch {
    /// A stretch as long as `x` under two competing rates: which of them strikes first does not depend on when.
    fn of(x: &Distribution, cut_rate: f64, crash_rate: f64) -> Self {
        let struck = deficit(x, cut_rate + crash_rate);
        Stretch {
            spared: 1.0 - struck,
            cut: struck * share(cut_rate, crash_rate),
            crashed: struck * share(crash_rate, cut_rate),
        }
    }
}

impl Waiting {
    /// The fates of a run of `tool`.
    fn run(&self, tool: &Tool) -> Vec<Fate> {
        let fate = |way: &Way| if self.cancels { self.cancelled(tool, way) } else { self.finished(tool, way) };
        ways(tool).iter().filter(|way| way.weight > 0.0).map(fate).collect()
    }

    /// A cut changes nothing for the run; only a crash stops it.
    fn finished(&self, tool: &Tool, way: &Way) -> Fate {
        let (latency, both) = (&tool.latency, self.cut_rate + self.crash_rate);
        let answered = way.transform(latency, both, self.idle);
        let crashed = way.lost(latency, self.crash_rate, f64::INFINITY);
        let before = way.weight * deficit(latency, self.crash_rate * tool.effect_at);
        Fate {
            effects: way.effects,
            answer: way.answer,
            answered,
            cut: (way.lost(latency, both, self.idle) - crashed).max(0.0),
            dropped: [0.0; 2],
            crashed: split(before, crashed),
        }
    }

    /// Whatever strikes first stops the run, the idle time-out included; the way is a single request.
    fn cancelled(&self, tool: &Tool, way: &Way) -> Fate {
        let both = self.cut_rate + self.crash_rate;
        // P(struck by an event, by the idle time-out) before the fraction `part` of the latency has passed.
        let struck = |part: f64| {
            if part == 0.0 {
                return (0.0, 0.0);
            }
            if self.idle.is_infinite() {
                return (deficit(&tool.latency, both * part), 0.0);
            }
            let idle = libm::exp(-both * self.idle) * tool.latency.survival(self.idle / part);
            (1.0 - tool.latency.laplace_up_to(both * part, self.idle / part) - idle, idle)
        };
        let ((event_before, idle_before), (event, idle)) = (struck(tool.effect_at), struck(1.0));
        let (cut, crash) = (share(self.cut_rate, self.crash_rate), share(self.crash_rate, self.cut_rate));
        Fate {
            effects: way.effects,
            answer: way.answer,
            answered: way.weight * (1.0 - event - idle),
            cut: 0.0,
            dropped: split(way.weight * (cut * event_before + idle_before), way.weight * (cut * event + idle)),
            crashed: split(way.weight * crash * event_before, way.weight * crash * event),
        }
    }
}

/// A way in which a run can go if nothing strikes.
struct Way {
    effects: u16,
    answer: Answer,
    weight: f64,
    /// Seconds spent on requests that got no answer.
    silence: f64,
    /// The last request's latency counts on top, given that it is at most this; none where it too got no answer.
    heard_within: Option<f64>,
}

impl Way {
    /// E[e^{−s·length}; this way, length ≤ `limit`].
    fn transform(&self, latency: &Distribution, s: f64, limit: f64) -> f64 {
        let rest = limit - self.silence;
        if rest < 0.0 {
            return 0.0;
        }
        let heard = match self.heard_within.map(|within| within.min(rest)) {
            None => 1.0,
            Some(f64::INFINITY) => 1.0 - deficit(latency, s),
            Some(within) => latency.laplace_up_to(s, within),
        };
        self.weight * libm::exp(-s * self.silence) * heard
    }

    /// P(this way) less its transform, without cancellation where the run is one request of any length.
    fn lost(&self, latency: &Distribution, s: f64, limit: f64) -> f64 {
        if self.silence == 0.0 && self.heard_within == Some(f64::INFINITY) && limit == f64::INFINITY {
            return self.weight * deficit(latency, s);
        }
        self.transform(latency, 0.0, f64::INFINITY) - self.transform(latency, s, limit)
    }
}

/// Every way in which a run of `tool` can go. With retries by the tool's client, i requests stay without an answer,
/// k of them with an effect; the next one answers, or none does.
fn ways(tool: &Tool) -> Vec<Way> {
    let success = 1.0 - tool.error_rate - tool.unknown_rate;
    let mut ways = Vec::new();
    let mut push = |effects, answer, weight, silence, heard_within| {
        ways.push(Way { effects, answer, weight, silence, heard_within })
    };
    let Some(client) = tool.client else {
        push(1, Answer::Success, success, 0.0, Some(f64::INFINITY));
        push(0, Answer::Error, tool.error_rate, 0.0, Some(f64::INFINITY));
        push(1, Answer::Unknown, tool.unknown_rate, 0.0, Some(f64::INFINITY));
        return ways;
    };
    let timeout = client.timeout.as_seconds_f64();
    let late = tool.latency.survival(timeout);
    let silent = [tool.error_rate * late, tool.unknown_rate + success * late];
    let mut rows = vec![1.0];
    for unanswered in 0..=client.retries + 1 {
        let silence = f64::from(unanswered) * timeout;
        for (effects, weight) in (0u16..).zip(&rows) {
            if unanswered <= client.retries {
                push(effects + 1, Answer::Success, weight * success, silence, Some(timeout));
                push(effects, Answer::Error, weight * tool.error_rate, silence, Some(timeout));
            } else {
                push(effects, Answer::Unknown, *weight, silence, None);
            }
        }
        rows = next_binomial(&rows, silent);
    }
    ways
}

/// The weights of 0, 1, … effects after one more unanswered request: the next row of (`silent[0]` + `silent[1]`·z)ⁱ.
fn next_binomial(row: &[f64], silent: [f64; 2]) -> Vec<f64> {
    let mut next = vec![0.0; row.len() + 1];
    for (effects, weight) in row.iter().enumerate() {
        next[effects] += weight * silent[0];
        next[effects + 1] += weight * silent[1];
    }
    next
}

/// Crashes per second of active time.
pub(super) fn crash_rate(scenario: &Scenario) -> f64 {
    scenario.failure.crashes_per_hour / SECONDS_PER_HOUR
}

/// 1 − E[e^{−sX}], exactly 0 at s = 0.
fn deficit(x: &Distribution, s: f64) -> f64 {
    if s > 0.0 { x.laplace_deficit(s) } else { 0.0 }
}

/// The share of events that are of the first kind.
fn share(rate: f64, other: f64) -> f64 {
    if rate > 0.0 { rate / (rate + other) } else { 0.0 }
}

/// A total and its part before the effect, as before and after. Rounding must not leave a negative rest.
fn split(before: f64, total: f64) -> [f64; 2] {
    [before, (total - before).max(0.0)]
}
