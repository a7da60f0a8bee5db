//! The verdict over a history: which effects are duplicates and why, which intents went without.

use super::Tally;
use super::history::{History, IntentId, Passage, Run, RunId, ServedBy, Turn};
use crate::dispatch::rule::{Component, KeyMask, Remember, Rules};
use crate::turn::{Cause, Class};

/// Adds to `tally` everything that is counted from the world: effects, duplicates with their causes, turns by their
/// end, intents without an effect. `classes` are those of the tools, in scenario order; `rules` tell what could have
/// guarded a call. `pattern` is room to work in, kept by those who judge often.
pub fn judge(history: &History, rules: &Rules, classes: &[Class], pattern: &mut Vec<u32>, tally: &mut Tally) {
    pattern.resize(classes.len(), 0);
    for turn in &history.turns {
        pattern.fill(0);
        judge_turn(history, turn, rules, classes, pattern, tally);
    }
}

/// Counts one turn; `pattern` (zeros, one a tool) receives its duplicates.
fn judge_turn(
    history: &History,
    turn: &Turn,
    rules: &Rules,
    classes: &[Class],
    pattern: &mut [u32],
    tally: &mut Tally,
) {
    tally.turns += 1;
    tally.failed_turns += u64::from(!turn.committed);
    for i in 0..turn.intents {
        let intent = IntentId(turn.first_intent.0 + i);
        let tool = history.intents[intent.0 as usize].tool as usize;
        tally.extra_runs += history.runs_of(intent).skip(1).count() as u64;
        if classes[tool].is_write() {
            pattern[tool] += judge_intent(history, turn, intent, rules, classes[tool], tally);
        }
    }
    if pattern.iter().any(|n| *n > 0) {
        tally.duplicate_turns += 1;
        match tally.patterns.get_mut(&*pattern) {
            Some(turns) => *turns += 1,
            None => drop(tally.patterns.insert((&*pattern).into(), 1)),
        }
    }
}

/// What [`judge`] counts of the turn at place `turn` of the history alone.
#[must_use]
pub fn judge_alone(history: &History, turn: usize, rules: &Rules, classes: &[Class]) -> Tally {
    let mut tally = Tally::new(classes.len());
    judge_turn(history, &history.turns[turn], rules, classes, &mut vec![0; classes.len()], &mut tally);
    tally
}

/// Why the first effect of a run is a duplicate; none where no earlier run of its intent had an effect. Each effect of
/// one run after its first is [`Cause::BelowTheLedger`].
#[must_use]
pub fn cause_of(history: &History, run: RunId, rules: &Rules, classes: &[Class]) -> Option<Cause> {
    let run = &history.runs[run.0 as usize];
    let earlier = history.runs_of(run.intent).take_while(|other| !std::ptr::eq(*other, run));
    let earlier = earlier.filter(|other| other.effects > 0);
    earlier.clone().next()?;
    Some(cause(run, earlier, rules, classes[history.intents[run.intent.0 as usize].tool as usize]))
}

/// Counts one write intent; returns its duplicates.
fn judge_intent(
    history: &History,
    turn: &Turn,
    intent: IntentId,
    rules: &Rules,
    class: Class,
    tally: &mut Tally,
) -> u32 {
    let effective = history.runs_of(intent).filter(|run| run.effects > 0);
    let mut effects = 0;
    for (i, run) in effective.clone().enumerate() {
        effects += run.effects;
        tally.causes[Cause::BelowTheLedger.index()] += u64::from(run.effects - 1);
        if i > 0 {
            tally.causes[cause(run, effective.clone().take(i), rules, class).index()] += 1;
        }
    }
    let record = &history.intents[intent.0 as usize];
    let duplicates = effects.saturating_sub(1);
    tally.effects += u64::from(effects);
    tally.duplicates += u64::from(duplicates);
    let tool = &mut tally.tools[record.tool as usize];
    tool.effects += u64::from(effects);
    tool.duplicates += u64::from(duplicates);
    match (turn.committed, effects, record.served_by) {
        (false, _, _) => tally.orphaned += u64::from(effects),
        (true, 0, ServedBy::Own) => tally.unserved += 1,
        (true, 0, by) => {
            tally.swallowed += 1;
            tally.crossed += u64::from(by == ServedBy::OtherConversation);
        }
        (true, _, _) => {}
    }
    duplicates
}

/// Why `run` had an effect although the runs `earlier` of its intent had had one: the first reason that applies.
fn cause<'h>(run: &Run, earlier: impl Iterator<Item = &'h Run> + Clone, rules: &Rules, class: Class) -> Cause {
    let rule = rules.dispatcher.rule(class);
    if rule.remember == Remember::Never && !rule.forward {
        return Cause::NoMemory;
    }
    if rule.remember == Remember::Never && class != Class::KeyedWrite {
        return Cause::NotCovered;
    }
    if run.passage == Passage::WithoutLedger {
        return Cause::Unavailable;
    }
    let recorded = |r: &Run| r.recorded.is_some_and(|recorded| recorded <= run.dispatched);
    let key = run.symbol.seen_by(rules.key);
    let mut same_key = earlier.clone().filter(|r| r.symbol.seen_by(rules.key) == key).peekable();
    if same_key.peek().is_none() {
        if rule.remember == Remember::After && !earlier.clone().any(recorded) {
            return Cause::RecordedTooLate;
        }
        return earlier.take(1).map(|first| difference(first, run, rules.key)).next().unwrap_or(Cause::KeyDiffers);
    }
    match (rule.remember, run.passage) {
        (Remember::Never, _) => Cause::HeaderExpired,
        (_, Passage::Takeover) => Cause::Takeover,
        (_, Passage::Reclaim) => Cause::ReclaimedUnknown,
        _ if same_key.clone().all(|r| r.passage == Passage::WithoutLedger) => Cause::Unavailable,
        (Remember::After, _) if !same_key.any(recorded) => Cause::RecordedTooLate,
        _ => Cause::RowLost,
    }
}

/// What the key sees of the difference between the first effective run and `run`: the first in the model's order.
fn difference(first: &Run, run: &Run, key: KeyMask) -> Cause {
    let (a, b) = (first.symbol, run.symbol);
    let sees = |component| key.has(component);
    if sees(Component::CallId) && a.call_id != b.call_id {
        Cause::KeyDiffers
    } else if sees(Component::Arguments) && a.value != b.value {
        Cause::ArgumentsChanged
    } else if sees(Component::Arguments) && !sees(Component::Canonical) && a.text != b.text {
        Cause::KeyDiffers
    } else if sees(Component::Position) && a.position != b.position {
        Cause::PositionChanged
    } else {
        Cause::KeyDiffers
    }
}
