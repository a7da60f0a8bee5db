//! The hazard behind a given failure rate.
//!
//! Cuts arrive at λ times the phase's multiplier while a stream is open, so an attempt whose phases last x₁, x₂, …
//! is spared with probability e^{−λ Σ m·x}. The phases are independent: over their distributions that is the product
//! of their Laplace transforms E[e^{−λmX}], and a mix of shapes averages the products. The result grows strictly
//! with λ wherever it can grow at all, hence one root.

use super::{Phases, Shape, Stream, Tool};
use crate::dist::Distribution;
use crate::turn::{DispatchAt, Handling};

/// Beyond this hazard (per second) a rate counts as out of reach: no stream lives long enough to be sent.
const HAZARD_MAX: f64 = 1e30;

/// Iterations of the root finder at most; about ten are used.
const ITERATIONS_MAX: u32 = 200;

/// The hazard λ per second at which an undisturbed first attempt of the mix of shapes is cut with probability
/// `rate`: none where no hazard reaches it (rate 1, or every multiplier of a phase that takes time is zero).
/// A rate of 0 gives 0. The rate is met to the precision of [`Distribution::laplace_deficit`].
#[must_use]
pub fn solve(stream: &Stream, tools: &[Tool], shapes: &[Shape], phases: &Phases, rate: f64) -> Option<f64> {
    if rate <= 0.0 {
        return Some(0.0);
    }
    if rate >= 1.0 {
        return None;
    }
    let mix = Mix::new(stream, tools, shapes, phases);
    // −ln(1 − P) instead of P: linear in λ for one shape of constant length, concave and close to linear for most.
    let excess = |hazard: f64| libm::log1p(-rate) - libm::log1p(-mix.cut_probability(hazard));
    let (low, high) = bracket(&excess, 1.0)?;
    Some(root(&excess, low, high))
}

/// A part of the time in which a stream is open.
enum Part<'a> {
    Stretch(&'a Distribution),
    /// A run of the tool, its client's retries included.
    Run(&'a Tool),
}

/// How long a stream is open, as counts of independent parts.
struct Mix<'a> {
    /// Multiplier and length of each kind of part.
    parts: Vec<(f64, Part<'a>)>,
    /// For each shape its share of turns, and how often it contains each part.
    shapes: Vec<(f64, Vec<u32>)>,
}

impl<'a> Mix<'a> {
    fn new(stream: &'a Stream, tools: &'a [Tool], shapes: &[Shape], phases: &Phases) -> Self {
        // A tool keeps the stream open only where the handler waits for it before it reads on.
        let waits = stream.handler == Handling::Blocking && stream.dispatch == DispatchAt::Completion;
        let tool = if waits { phases.tool } else { 0.0 };
        let mut parts =
            vec![(phases.prelude, Part::Stretch(&stream.prelude)), (phases.gap, Part::Stretch(&stream.gap))];
        parts
            .extend(tools.iter().flat_map(|t| [(phases.arguments, Part::Stretch(&t.arguments)), (tool, Part::Run(t))]));
        let total: f64 = shapes.iter().map(|s| s.weight).sum();
        let shapes = shapes.iter().map(|shape| {
            let mut counts = vec![0; parts.len()];
            counts[..2].fill(u32::try_from(shape.steps.len()).unwrap_or(u32::MAX));
            for call in shape.calls() {
                counts[2 + 2 * call] += 1;
                counts[3 + 2 * call] += 1;
            }
            (shape.weight / total, counts)
        });
        Mix { shapes: shapes.collect(), parts }
    }

    /// P(an undisturbed attempt is cut) at this hazard.
    fn cut_probability(&self, hazard: f64) -> f64 {
        let log_spared: Vec<f64> =
            self.parts.iter().map(|(multiplier, part)| libm::log1p(-part.deficit(hazard * multiplier))).collect();
        let cut = |counts: &[u32]| {
            // A part that is certainly cut has the logarithm −∞, which must not meet a count of zero.
            let used = counts.iter().zip(&log_spared).filter(|(count, _)| **count > 0);
            -libm::expm1(used.map(|(count, log)| f64::from(*count) * log).sum())
        };
        self.shapes.iter().map(|(share, counts)| share * cut(counts)).sum()
    }
}

impl Part<'_> {
    /// 1 − E[e^{−s·length}].
    fn deficit(&self, s: f64) -> f64 {
        match self {
            Part::Stretch(x) => x.laplace_deficit(s),
            Part::Run(tool) => run_deficit(tool, s),
        }
    }
}

/// 1 − E[e^{−s·length}] of a run of `tool`. With a client time-out T, each request is answered within T or costs T and
/// is followed by the next one: with δ the deficit of one request and z its part in silence, z = P(silence)·e^{−sT},
/// the run's is δ·(1 + z + … + zⁿ).
fn run_deficit(tool: &Tool, s: f64) -> f64 {
    let Some(client) = tool.client else { return tool.latency.laplace_deficit(s) };
    let timeout = client.timeout.as_seconds_f64();
    let heard = 1.0 - tool.unknown_rate;
    let silence = tool.unknown_rate + heard * tool.latency.survival(timeout);
    let in_time = tool.latency.cdf(timeout) - tool.latency.laplace_up_to(s, timeout);
    let one = heard * in_time - silence * libm::expm1(-s * timeout);
    let silent = silence * libm::exp(-s * timeout);
    let (mut sum, mut term) = (0.0, 1.0);
    for _ in 0..=client.retries {
        sum += term;
        term *= silent;
        if term == 0.0 {
            break;
        }
    }
    one * sum
}

/// Two neighbouring powers of two, times `start`, between which the increasing function `excess` changes sign.
fn bracket(excess: &impl Fn(f64) -> f64, start: f64) -> Option<(f64, f64)> {
    let mut high = start;
    while excess(high) < 0.0 {
        high *= 2.0;
        if high > HAZARD_MAX {
            return None;
        }
    }
    let mut low = high / 2.0;
    while excess(low) > 0.0 && low > f64::MIN_POSITIVE {
        high = low;
        low /= 2.0;
    }
    Some((low, high))
}

/// The root of `excess` in a bracket, by false position with the Illinois rule: an end that stays twice in a row has
/// its value halved, which keeps the order of convergence above 1.4 and both ends moving.
fn root(excess: &impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    let mut last_was_low = None;
    for _ in 0..ITERATIONS_MAX {
        // An infinite end (every stream certainly cut) gives no slope; halve instead.
        let slope_known = at_high.is_finite() && at_high > at_low;
        let middle = if slope_known { low - at_low * ((high - low) / (at_high - at_low)) } else { (low + high) / 2.0 };
        if !(low < middle && middle < high) {
            break;
        }
        let value = excess(middle);
        if value == 0.0 {
            return middle;
        }
        let is_low = value < 0.0;
        if is_low {
            (low, at_low) = (middle, value);
        } else {
            (high, at_high) = (middle, value);
        }
        if last_was_low == Some(is_low) {
            *(if is_low { &mut at_high } else { &mut at_low }) /= 2.0;
        }
        last_was_low = Some(is_low);
    }
    if -at_low < at_high { low } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Client;
    use crate::time::Span;
    use crate::turn::{Class, DownstreamMismatch, OnCut};

    const EVEN: Phases = Phases { prelude: 1.0, arguments: 1.0, tool: 1.0, gap: 1.0 };

    fn stream(handler: Handling, dispatch: DispatchAt) -> Stream {
        Stream {
            prelude: Distribution::constant(4.0),
            gap: Distribution::constant(1.0),
            commit: Distribution::constant(3.0),
            handler,
            dispatch,
            on_cut: OnCut::Finish,
        }
    }

    fn tool() -> Tool {
        Tool {
            name: "pay".into(),
            class: Class::UnkeyedWrite,
            arguments: Distribution::constant(0.5),
            latency: Distribution::constant(2.0),
            effect_at: 0.5,
            error_rate: 0.0,
            unknown_rate: 0.0,
            client: None,
            retention: None,
            on_mismatch: DownstreamMismatch::Replay,
            status_query: false,
            re_emits: None,
            distinct_arguments: None,
            cost: None,
        }
    }

    fn shape(weight: f64, steps: &[&[usize]]) -> Shape {
        Shape { weight, steps: steps.iter().map(|s| s.to_vec()).collect(), same_arguments: false }
    }

    /// The hazard of one shape whose stream is open for `open` seconds (in units of hazard).
    fn expected(rate: f64, open: f64) -> f64 {
        -libm::log1p(-rate) / open
    }

    fn assert_close(got: Option<f64>, want: f64) {
        let got = got.expect("a hazard reaches this rate");
        assert!((got / want - 1.0).abs() < 1e-13, "{got:e} is not {want:e}");
    }

    #[test]
    fn a_stream_of_constant_length_has_the_logarithm_as_its_hazard() {
        for rate in [1e-12, 0.006, 0.5, 0.99] {
            let blocking = stream(Handling::Blocking, DispatchAt::Completion);
            let got = solve(&blocking, &[tool()], &[shape(1.0, &[&[0]])], &EVEN, rate);
            assert_close(got, expected(rate, 7.5));
        }
    }

    #[test]
    fn a_tool_keeps_the_stream_open_only_where_the_handler_waits_for_it() {
        for (handler, dispatch, open) in [
            (Handling::Blocking, DispatchAt::Completion, 10.0),
            (Handling::Concurrent, DispatchAt::Completion, 6.0),
            (Handling::Blocking, DispatchAt::MessageStop, 6.0),
        ] {
            let got = solve(&stream(handler, dispatch), &[tool()], &[shape(1.0, &[&[0, 0]])], &EVEN, 0.3);
            assert_close(got, expected(0.3, open));
        }
    }

    #[test]
    fn every_step_has_its_own_prelude_and_gap_and_multipliers_weigh_the_phases() {
        let blocking = stream(Handling::Blocking, DispatchAt::Completion);
        let phases = Phases { prelude: 0.5, arguments: 2.0, tool: 3.0, gap: 0.0 };
        let got = solve(&blocking, &[tool()], &[shape(1.0, &[&[0], &[]])], &phases, 0.3);
        assert_close(got, expected(0.3, 2.0 * 4.0 * 0.5 + 0.5 * 2.0 + 2.0 * 3.0));
    }

    #[test]
    fn a_run_that_its_client_repeats_keeps_the_stream_open_all_the_while() {
        // The latency of 2 s is never heard within 0.75 s: four requests, 3 s in all.
        let client = Client { timeout: Span::from_millis(750), retries: 3 };
        let deaf = Tool { client: Some(client), ..tool() };
        let blocking = stream(Handling::Blocking, DispatchAt::Completion);
        let got = solve(&blocking, &[deaf], &[shape(1.0, &[&[0]])], &EVEN, 0.3);
        assert_close(got, expected(0.3, 4.0 + 0.5 + 3.0 + 1.0));
        // Heard within 2.5 s unless unknown, in one of two cases, then once more: 2 s, 2.5 s + 2 s or 5 s.
        let client = Client { timeout: Span::from_millis(2500), retries: 1 };
        let vague = Tool { client: Some(client), unknown_rate: 0.5, ..tool() };
        let hazard = solve(&blocking, &[vague], &[shape(1.0, &[&[0]])], &EVEN, 0.3).expect("reachable");
        let spared: f64 =
            [(0.5, 2.0), (0.25, 4.5), (0.25, 5.0)].map(|(p, l)| p * (-hazard * (5.5 + l)).exp()).iter().sum();
        assert!((spared - 0.7).abs() < 1e-14, "{spared}");
    }

    #[test]
    fn the_weighted_shapes_together_meet_the_rate() {
        let blocking = stream(Handling::Blocking, DispatchAt::Completion);
        let shapes = [shape(3.0, &[&[]]), shape(1.0, &[&[0, 0, 0], &[0]])];
        let hazard = solve(&blocking, &[tool()], &shapes, &EVEN, 0.25).expect("reachable");
        let cut = 0.75 * -libm::expm1(-hazard * 5.0) + 0.25 * -libm::expm1(-hazard * 20.0);
        assert!((cut - 0.25).abs() < 1e-15, "{cut}");
    }

    #[test]
    fn a_rate_of_zero_is_no_hazard_and_what_cannot_be_reached_is_none() {
        let blocking = stream(Handling::Blocking, DispatchAt::Completion);
        let one = [shape(1.0, &[&[0]])];
        assert_eq!(solve(&blocking, &[tool()], &one, &EVEN, 0.0), Some(0.0));
        assert_eq!(solve(&blocking, &[tool()], &one, &EVEN, 1.0), None);
        let never = Phases { prelude: 0.0, arguments: 0.0, tool: 0.0, gap: 0.0 };
        assert_eq!(solve(&blocking, &[tool()], &one, &never, 0.1), None);
        // Only the arguments are exposed, and half of the turns have none: at most every second turn is cut.
        let arguments_only = Phases { arguments: 1.0, ..never };
        let half = [shape(1.0, &[&[0]]), shape(1.0, &[&[]])];
        assert_eq!(solve(&blocking, &[tool()], &half, &arguments_only, 0.6), None);
        let got = solve(&blocking, &[tool()], &half, &arguments_only, 0.4);
        assert_close(got, expected(0.8, 0.5));
    }
}
