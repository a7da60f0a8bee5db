//! The draws behind an event, read again at their addresses.

use super::cell::Cell;
use super::notes::{NoReplay, Note, Of, What};
use super::world::World;
use crate::dispatch::machine;
use crate::dist::Distribution;
use crate::draw::{Draws, Site, Word};
use crate::scenario::{Cuts, ReEmits};
use crate::time::Span;

/// One draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// What it decides.
    pub site: Site,
    /// The attempt in whose draws it stands; 0 stands for the turn itself.
    pub attempt: u32,
    /// The step, call or route it is for.
    pub row: u32,
    /// The request it is for, from 0.
    pub request: u32,
    /// The word that was drawn; none for a constant span.
    pub word: Option<Word>,
    /// The span that the word became, where it decides one.
    pub span: Option<Span>,
}

/// The draws behind a note; those that decide nothing (a span of zero, a probability of zero or one) are left out.
pub(super) fn drawn(cell: &Cell<'_>, note: &Note) -> Vec<Drawn> {
    match note.of {
        Of::Turn(turn) => of_turn(cell, turn, note.what),
        Of::Attempt(id) => {
            let attempt = &cell.attempts[id];
            let source = Source { number: attempt.number, draws: cell.draws(id) };
            let began = note.at.since(attempt.began);
            of_attempt(cell, &source, (began, attempt.hazard), note.what)
        }
        Of::Call(id) => {
            let call = &cell.calls[id];
            let attempt = &cell.attempts[call.attempt];
            let source = Source { number: attempt.number, draws: cell.draws(call.attempt) };
            of_call(cell, &source, call.planned.row, call.planned.tool as usize, note.what)
        }
    }
}

/// The draws of one attempt.
struct Source<'s> {
    number: u32,
    draws: Draws<'s>,
}

impl Source<'_> {
    fn word(&self, site: Site, row: u32, request: u32) -> Drawn {
        let word = Some(self.draws.at(site, row as usize, request));
        Drawn { site, attempt: self.number, row, request, word, span: None }
    }

    fn span(&self, law: &Distribution, site: Site, row: u32, request: u32) -> Option<Drawn> {
        let constant = law.span(Word(0)) == law.span(Word(u64::MAX));
        let drawn = self.word(site, row, request);
        let span = drawn.word.map(|word| law.span(word));
        let word = drawn.word.filter(|_| !constant);
        (!constant || span != Some(Span::ZERO)).then_some(Drawn { word, span, ..drawn })
    }

    /// An exponential span at this rate a second.
    fn exponential(&self, site: Site, rate: f64) -> Drawn {
        let word = self.draws.word(site);
        Drawn { span: Some(Span::from_seconds_f64(word.exponential() / rate)), ..self.word(site, 0, 0) }
    }

    fn chance(&self, probability: f64, site: Site, row: u32, request: u32) -> Option<Drawn> {
        (probability > 0.0 && probability < 1.0).then(|| self.word(site, row, request))
    }
}

fn of_turn(cell: &Cell<'_>, turn: u32, what: What) -> Vec<Drawn> {
    let What::TurnBegins { repeats } = what else { return Vec::new() };
    let (world, turn) = (cell.world, &cell.turns[turn as usize]);
    let source = Source { number: 0, draws: world.draws(turn.arrival, 0) };
    let mut drawn: Vec<Drawn> =
        source.chance(world.scenario.population.repeat, Site::Repeat, 0, 0).into_iter().collect();
    if repeats {
        return drawn;
    }
    if world.shapes.len() > 1 {
        drawn.push(source.word(Site::Shape, 0, 0));
    }
    let shape = &world.shapes[turn.shape];
    for call in &shape.calls {
        let first = if shape.same_arguments { &shape.calls[0] } else { call };
        if first.row == call.row && world.scenario.tools[call.tool as usize].distinct_arguments.is_some() {
            drawn.push(source.word(Site::Values, call.row, 0));
        }
    }
    drawn
}

fn of_attempt(cell: &Cell<'_>, source: &Source<'_>, (age, rate): (Span, f64), what: What) -> Vec<Drawn> {
    let scenario = cell.world.scenario;
    let drawn: [Option<Drawn>; 2] = match what {
        What::Enters { phase: super::Phase::Prelude, step } => {
            [source.span(&scenario.stream.prelude, Site::Prelude, step, 0), None]
        }
        What::Enters { phase: super::Phase::Gap, step } => {
            [source.span(&scenario.stream.gap, Site::Gap, step, 0), None]
        }
        What::Enters { phase: super::Phase::Committing, .. } => {
            [source.span(&scenario.stream.commit, Site::Commit, 0, 0), None]
        }
        What::Cut { idle: false, .. } | What::EndsSilently => {
            let silent = source.chance(scenario.failure.silent, Site::Silent, 0, 0);
            return cut(cell.world, source, rate).into_iter().chain(silent).collect();
        }
        What::Crashes(_) if scenario.failure.crashes_per_hour > 0.0 => {
            let crash = source.exponential(Site::Crash, cell.world.crash_rate());
            // Else its limit has killed it.
            [Some(crash).filter(|crash| crash.span == Some(age)), None]
        }
        What::Replay { route, .. } => {
            let law = &scenario.routes[route as usize];
            [
                source.chance(law.probability, Site::RouteTaken, route, 0),
                source.span(&law.delay, Site::RouteDelay, route, 0),
            ]
        }
        What::NoReplay { route, because: NoReplay::NotDrawn } => {
            [source.chance(scenario.routes[route as usize].probability, Site::RouteTaken, route, 0), None]
        }
        _ => [None, None],
    };
    drawn.into_iter().flatten().collect()
}

/// What decided that, and where, the stream was cut.
fn cut(world: &World<'_>, source: &Source, rate: f64) -> Vec<Drawn> {
    match &world.scenario.failure.cuts {
        Cuts::Hazard(_) => vec![source.exponential(Site::Cut, rate)],
        Cuts::Fraction(_) => [Site::Cut, Site::Window, Site::Place].map(|site| source.word(site, 0, 0)).to_vec(),
    }
}

fn of_call(cell: &Cell<'_>, source: &Source<'_>, row: u32, tool: usize, what: What) -> Vec<Drawn> {
    let law = &cell.world.scenario.tools[tool];
    let drawn: [Option<Drawn>; 2] = match what {
        What::BlockOpens => [source.span(&law.arguments, Site::Arguments, row, 0), None],
        What::Complete if source.number > 1 => {
            let some = |laws: ReEmits| laws.same < 1.0;
            let scenario = cell.world.scenario;
            let re_emits = scenario.routes.iter().enumerate().any(|(route, _)| some(scenario.re_emits(route, tool)));
            [
                re_emits.then(|| source.word(Site::ReEmit, row, 0)),
                source.chance(scenario.reserialised, Site::Reserialise, row, 0),
            ]
        }
        What::Sends { request, .. } => [
            source.span(&law.latency, Site::Latency, row, request),
            source.chance(law.error_rate + law.unknown_rate, Site::Outcome, row, request),
        ],
        What::Ledger { event: machine::Event::Unavailable, .. } => {
            [source.chance(cell.policy.unavailable, Site::Unavailable, row, 0), None]
        }
        What::RowLost => [source.chance(cell.policy.ledger_loss, Site::LedgerLoss, row, 0), None],
        _ => [None, None],
    };
    drawn.into_iter().flatten().collect()
}
