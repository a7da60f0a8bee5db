//! From a trace of the simulation to an explanation.

use super::keys::{conversation, keys};
use super::verdict::{counts, meant, short, verdict};
use super::words::{Names, Said, say};
use super::{Beside, Draw, Event, Explanation, KeyText, Kind};
use crate::report::Asked;
use crate::report::data::{SCHEMA, ScenarioId};
use crate::scenario::Scenario;
use crate::sim::explain::{Happened, Trace, explain};
use crate::sim::find::Sought;
use crate::sim::{Drawn, What};

/// Digits of a key that a line shows.
const SHORT: usize = 8;

/// Which turn of which run.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The run: its seed, its turns, what was set.
    pub asked: Asked<'a>,
    /// The turn, from 0.
    pub turn: u64,
    /// The policy, an index into the scenario's.
    pub policy: usize,
    /// What it was found by.
    pub found: Option<Sought>,
}

impl Explanation {
    /// Plays the turn under its policy and, for comparison, under the others.
    ///
    /// # Panics
    /// If the run has no such turn or the scenario no such policy.
    #[must_use]
    pub fn new(scenario: &Scenario, about: About<'_>) -> Self {
        let About { asked, turn, policy, found } = about;
        let play = |policy: usize| explain(scenario, asked.seed, asked.turns, turn, policy);
        let trace = play(policy);
        let keys = keys(scenario, &trace);
        let calls = meant(scenario, &trace);
        let beside = (0..scenario.policies.len()).filter(|other| *other != policy).map(|other| {
            let tally = play(other).tally;
            Beside {
                policy: scenario.policies[other].name.clone(),
                counts: counts(scenario, &tally),
                verdict: short(&tally),
            }
        });
        Explanation {
            schema: SCHEMA,
            scenario: ScenarioId::new(scenario, asked.set),
            seed: asked.seed,
            turns: asked.turns,
            turn,
            found,
            policy: scenario.policies[policy].name.clone(),
            dispatcher: scenario.policies[policy].rules.dispatcher,
            conversation: conversation(scenario, turn, trace.conversation.0),
            verdict: verdict(scenario, &trace, &calls),
            calls,
            events: events(scenario, &trace, &keys),
            counts: counts(scenario, &trace.tally),
            beside: beside.collect(),
            keys: named(&keys),
        }
    }
}

/// Each key once, in the order in which calls had them.
fn named(keys: &[Option<KeyText>]) -> Vec<KeyText> {
    let mut named: Vec<KeyText> = Vec::new();
    for key in keys.iter().flatten() {
        if !named.contains(key) {
            named.push(key.clone());
        }
    }
    named
}

fn events(scenario: &Scenario, trace: &Trace, keys: &[Option<KeyText>]) -> Vec<Event> {
    let names = Names::new(scenario, trace);
    let last = trace.events.iter().rposition(|event| event.turn == trace.turn).unwrap_or_default();
    let mut committed = false;
    let mut events = Vec::new();
    for (at, happened) in in_order(&trace.events).into_iter().enumerate() {
        let key = happened.call.and_then(|call| keys[call].as_ref()).map(|key| key.key.as_str());
        let said = say(&names, happened, key.map(|key| &key[..SHORT]));
        for (place, mut said) in said.into_iter().enumerate() {
            if said.kind == Kind::Commit && std::mem::replace(&mut committed, true) {
                said.what = "answers too; the turn was committed before".to_owned();
            }
            // What others do with the key afterwards is not this turn's story.
            said.minor |= at > last;
            events.push(event(trace, happened, said, key, place == 0));
        }
    }
    events
}

/// Events as they are told: that a write changed nothing comes after the write.
fn in_order(events: &[Happened]) -> Vec<&Happened> {
    let mut told: Vec<&Happened> = events.iter().collect();
    let mut at = 1;
    while at < told.len() {
        if told[at - 1].what == What::NotItsRow {
            told.swap(at - 1, at);
            at += 1;
        }
        at += 1;
    }
    told
}

fn event(trace: &Trace, happened: &Happened, said: Said, key: Option<&str>, first: bool) -> Event {
    let about_key = said.kind != Kind::Arguments && said.kind != Kind::CallComplete && said.kind != Kind::Effect;
    // Of another turn only what its call does to the key that the two share.
    let foreign = happened.turn != trace.turn
        && !matches!(said.kind, Kind::Asks | Kind::LedgerAnswers | Kind::RowLost | Kind::Effect | Kind::KeyKnown);
    Event {
        at_ns: happened.at_ns,
        turn: happened.turn,
        attempt: (happened.attempt > 0).then_some(happened.attempt),
        call: happened.call.map(|call| trace.calls[call].row + 1),
        kind: said.kind,
        from: said.from,
        to: said.to,
        what: said.what,
        mark: said.mark,
        cause: happened.duplicate,
        key: key.filter(|_| about_key).map(str::to_owned),
        draws: if first { happened.draws.iter().map(draw).collect() } else { Vec::new() },
        minor: said.minor || foreign,
    }
}

fn draw(drawn: &Drawn) -> Draw {
    Draw {
        site: site(drawn.site),
        attempt: drawn.attempt,
        row: drawn.row,
        request: drawn.request,
        value: drawn.word.map(|word| word.lower()),
        span_ns: drawn.span.map(|span| span.as_nanos()),
    }
}

/// `LedgerLoss` as `ledger_loss`.
fn site(site: crate::draw::Site) -> String {
    let mut name = String::new();
    for letter in format!("{site:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
