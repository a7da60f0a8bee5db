//! The derivation of a figure in one line, with its numbers.

use super::headline::FirstAttempt;
use super::reach::Reach;
use super::risk::crash_rate;
use crate::dispatch::rule::Remember;
use crate::scenario::{Cuts, Route};
use crate::turn::{DispatchAt, Handling, OnCut, When};

/// How the figure of a policy came about: the arguments for zero, and what was summed where a chain was followed.
pub(super) fn line(reach: Reach<'_>, first: &FirstAttempt, reasons: &[&'static str], histories: usize) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for reason in reasons {
        if !distinct.contains(reason) {
            distinct.push(reason);
        }
    }
    let zero = distinct.join("; ");
    if histories == 0 {
        return format!("0: {zero}");
    }
    let sum = single_write(reach).map_or_else(|| chain(reach, histories), |route| closed_form(first, route));
    if zero.is_empty() { sum } else { format!("{sum}; 0 for the other shapes: {zero}") }
}

/// The one route of a scenario that has the closed form of a single write: nothing but cuts and their retries.
fn single_write<'a>(reach: Reach<'a>) -> Option<&'a Route> {
    let (scenario, failure, stream) = (reach.scenario, &reach.scenario.failure, &reach.scenario.stream);
    let [shape] = &scenario.shapes[..] else { return None };
    let (&[tool], [step]) = (&shape.calls().collect::<Vec<_>>()[..], &shape.steps[..]) else { return None };
    let rates = match &failure.cuts {
        Cuts::Hazard(hazard) => hazard.per_second.len(),
        Cuts::Fraction(fraction) => fraction.rate.len(),
    };
    let mut routes = reach.routes();
    let (index, route) = routes.next()?;
    let settings = &scenario.tools[tool];
    let plain = step.len() == 1
        && routes.next().is_none()
        && (route.when, scenario.re_emits(index, tool).dropped) == (When::StreamError, 0.0)
        && route.max < scenario.run.max_attempts
        && reach.remember(settings.class) == Remember::Never
        && !reach.guarded(settings.class)
        && (stream.handler, stream.dispatch, stream.on_cut)
            == (Handling::Blocking, DispatchAt::Completion, OnCut::Finish)
        && (rates, failure.silent, failure.idle_timeout, crash_rate(scenario)) == (1, 0.0, None, 0.0)
        && settings.error_rate == 0.0
        && settings.client.is_none();
    plain.then_some(route)
}

fn closed_form(first: &FirstAttempt, route: &Route) -> String {
    let (p, max) = (route.probability, route.max);
    let FirstAttempt { cut, window: qw } = *first;
    let (q0, qs) = (cut - qw, 1.0 - cut);
    if max == 1 {
        return format!("headline × p × (qw + qs) = {qw:.6e} × {p} × {:.6}", qw + qs);
    }
    format!(
        "(qw + qs)·(1 + f + … + f^{max}) − P(some effect), q0 = {q0:.6e}, qw = {qw:.6e}, qs = {qs:.6}, f = {p}·(q0 + qw)"
    )
}

fn chain(reach: Reach<'_>, histories: usize) -> String {
    let crash = crash_rate(reach.scenario);
    let mut stretches = match &reach.scenario.failure.cuts {
        Cuts::Fraction(_) => "an attempt is cut before or after its dispatch with the given probabilities".to_owned(),
        Cuts::Hazard(hazard) if hazard.per_second.iter().all(|rate| *rate == 0.0) && crash == 0.0 => {
            "no stream is cut".to_owned()
        }
        Cuts::Hazard(hazard) => {
            let rates: Vec<String> = hazard.per_second.iter().map(|rate| format!("{rate:.6e}")).collect();
            let sum = if crash > 0.0 { "(λ + μ)" } else { "λ" };
            format!("a stretch X passes with E[e^−{sum}X], λ = {} /s", rates.join(", "))
        }
    };
    if crash > 0.0 {
        stretches += &format!(", μ = {crash:.6e} /s");
    }
    let histories = if histories == 1 { "1 history".to_owned() } else { format!("{histories} histories") };
    format!("Σ P(history) · (effects − 1)⁺ over {histories} of attempts; {stretches}")
}
