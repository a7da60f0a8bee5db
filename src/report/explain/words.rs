//! What happened, in words: who did what to whom.

use super::Kind;
use super::show::span;
use crate::dispatch::machine::{self, Action, Answer, Outcome, Record, Refusal, RowState};
use crate::report::number::count;
use crate::report::sequence::{Mark, Party};
use crate::scenario::Scenario;
use crate::sim::explain::{Happened, Trace, since};
use crate::sim::{NoReplay, Phase, What};
use crate::turn::{Died, Kind as RouteKind, OnCut};
use Party::{Downstream, Handler, Ledger, Provider, User};

/// One line about an event.
pub(super) struct Said {
    pub kind: Kind,
    pub from: Party,
    pub to: Party,
    pub what: String,
    pub mark: Mark,
    pub minor: bool,
}

fn says(kind: Kind, from: Party, to: Party, what: impl Into<String>) -> Said {
    Said { kind, from, to, what: what.into(), mark: Mark::Plain, minor: false }
}

impl Said {
    fn marked(self, mark: Mark) -> Self {
        Said { mark, ..self }
    }

    fn minor(self) -> Self {
        Said { minor: true, ..self }
    }

    /// Left out where what follows says the same.
    fn minor_if(self, minor: bool) -> Self {
        Said { minor, ..self }
    }
}

/// What things are called.
pub(super) struct Names<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
}

impl<'a> Names<'a> {
    pub(super) fn new(scenario: &'a Scenario, trace: &'a Trace) -> Self {
        Names { scenario, trace }
    }

    /// A call that the turn means, by its number from 0.
    pub(super) fn meant(&self, row: u32) -> String {
        let tools: Vec<usize> = self.scenario.shapes[self.trace.shape].calls().collect();
        let name = tools.get(row as usize).map_or(String::new(), |tool| shortened(&self.scenario.tools[*tool].name));
        if tools.len() > 1 { format!("{name} (call {})", row + 1) } else { name }
    }

    /// Whose result it is, by turn and call.
    pub(super) fn result_of(&self, (turn, row): (u64, u32)) -> String {
        match turn == self.trace.turn {
            true => self.meant(row),
            false => format!("call {} of turn {}", row + 1, count(turn)),
        }
    }

    fn of_call(&self, event: &Happened) -> String {
        event.call.map_or(String::new(), |call| {
            let call = &self.trace.calls[call];
            match call.turn == self.trace.turn {
                true => self.meant(call.row),
                false => shortened(&self.scenario.tools[call.tool].name),
            }
        })
    }

    fn route(&self, route: u32) -> String {
        shortened(&self.scenario.routes[route as usize].name)
    }

    /// Whether it is the user who sends a turn again by this route.
    fn by_user(&self, route: u32) -> bool {
        self.scenario.routes[route as usize].kind == Some(RouteKind::UserResend)
    }
}

/// A name as it can stand in a line: names of up to a hundred characters are allowed.
fn shortened(name: &str) -> String {
    const MOST: usize = 36;
    let letters: Vec<char> = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if letters.len() <= MOST {
        return letters.iter().collect();
    }
    let (head, tail) = (&letters[..MOST - 9], &letters[letters.len() - 8..]);
    head.iter().chain(['…'].iter()).chain(tail).collect()
}

/// What there is to say of an event: what the dispatcher asks and what it is told are two things. `key` is the short
/// form of the key of the event's call, where it has one.
pub(super) fn say(names: &Names<'_>, event: &Happened, key: Option<&str>) -> Vec<Said> {
    let said = match event.what {
        What::Ledger { action, event: told } => return ledger(names, event, action, told, key),
        What::AttemptBegins { replays: Some((route, _)), .. } if names.by_user(route) => {
            return vec![says(Kind::AsksAgain, User, Handler, "asks again").marked(Mark::Replay), attempt(event)];
        }
        What::TurnBegins { .. } | What::Resolved { .. } => turn(names, event),
        What::AttemptBegins { .. } | What::Enters { .. } | What::Commits { .. } | What::Refused => attempt(event),
        What::BlockOpens | What::Complete | What::Dispatched | What::Runs { .. } | What::Dropped => call(names, event),
        What::RowLost | What::NotItsRow | What::Waits { .. } | What::Wakes => row(names, event, key),
        What::Sends { .. }
        | What::Effect { .. }
        | What::Remembers { .. }
        | What::Rejects { .. }
        | What::Responds { .. }
        | What::GivesUp { .. } => tool(names, event, key),
        What::Answers { .. } => answers(names, event),
        What::IsSlow { .. } | What::Replay { .. } | What::NoReplay { .. } => route(names, event),
        What::Cut { .. } | What::CutNoticed(_) | What::EndsSilently | What::Abandons | What::Crashes(_) => {
            fault(names, event)
        }
    };
    vec![said]
}

fn turn(names: &Names<'_>, event: &Happened) -> Said {
    match event.what {
        What::Resolved { committed: false, capped } => {
            let why = if capped { "the turn has failed, its attempts used up" } else { "the turn has failed" };
            says(Kind::Resolved, Handler, User, why).marked(Mark::Trouble)
        }
        What::TurnBegins { repeats } => {
            let tools: Vec<_> = names.scenario.shapes[names.trace.shape].calls().collect();
            let what = match tools.as_slice() {
                [] => "asks a question".to_owned(),
                [_] => format!("asks for {}", names.meant(0)),
                many if many.len() <= 3 => {
                    let names = many.iter().map(|tool| shortened(&names.scenario.tools[*tool].name));
                    format!("asks for {}", names.collect::<Vec<_>>().join(", "))
                }
                many => format!("asks for {} calls", many.len()),
            };
            let again = if repeats { ", the same as in the turn before, on purpose" } else { "" };
            says(Kind::TurnBegins, User, Handler, what + again)
        }
        _ => says(Kind::Resolved, Handler, User, "the turn is over").minor(),
    }
}

fn attempt(event: &Happened) -> Said {
    match event.what {
        What::AttemptBegins { replays, position, kept } => {
            let kept = match kept {
                0 => String::new(),
                1 => ", keeping step 1".to_owned(),
                n => format!(", keeping steps 1 to {n}"),
            };
            let what = format!("sends the request at position {position}{kept}");
            let said = says(Kind::AttemptBegins, Handler, Provider, what);
            if replays.is_some() { said.marked(Mark::Replay) } else { said }
        }
        What::Enters { phase: Phase::Prelude, step: 0 } => says(Kind::Prelude, Provider, Handler, "streams text"),
        What::Enters { phase: Phase::Prelude, step } => {
            says(Kind::Prelude, Provider, Handler, format!("step {}: streams text", step + 1))
        }
        What::Enters { phase: Phase::Arguments, .. } => {
            says(Kind::Arguments, Provider, Handler, "a call block streams").minor()
        }
        What::Enters { phase: Phase::Tool, .. } => {
            says(Kind::Tool, Handler, Handler, "waits for the dispatcher, the stream stays open").minor()
        }
        What::Enters { phase: Phase::Gap, .. } => says(Kind::Gap, Provider, Handler, "streams the rest of the message"),
        What::Enters { phase: Phase::Answers, .. } => {
            says(Kind::MessageStop, Provider, Handler, "message_stop: the message is whole")
        }
        What::Enters { phase: Phase::Committing, .. } => {
            says(Kind::Committing, Handler, Handler, "appends the turn").minor_if(event.draws.is_empty())
        }
        What::Refused => says(Kind::Refused, Handler, Handler, "fails the attempt").marked(Mark::Trouble),
        What::Commits { silent: true } => {
            says(Kind::Commit, Handler, User, "commits the turn, though its stream had ended early").marked(Mark::Done)
        }
        _ => says(Kind::Commit, Handler, User, "answers; the turn is committed").marked(Mark::Done),
    }
}

fn call(names: &Names<'_>, event: &Happened) -> Said {
    let name = names.of_call(event);
    match event.what {
        What::BlockOpens => says(Kind::Arguments, Provider, Handler, format!("call block: {name}")),
        What::Complete => says(Kind::CallComplete, Provider, Handler, format!("call complete: {name}")),
        What::Dispatched => says(Kind::Dispatched, Handler, Handler, format!("dispatches {name}")).minor(),
        What::Dropped => says(Kind::Dropped, Handler, Handler, format!("drops the dispatch of {name} where it stands"))
            .marked(Mark::Trouble),
        _ => says(Kind::Runs, Handler, Handler, format!("runs {name}")).minor(),
    }
}

fn ledger(names: &Names<'_>, event: &Happened, action: Action, told: machine::Event, key: Option<&str>) -> Vec<Said> {
    let (name, key) = (names.of_call(event), key.unwrap_or("?"));
    let to = if matches!(action, Action::Query(_)) { Downstream } else { Ledger };
    let asks = match action {
        Action::Find => format!("looks up {name}, key {key}"),
        Action::Claim => format!("claims {name}, key {key}"),
        Action::TakeOver(_) => format!("takes over the row of {name}, key {key}"),
        Action::Query(_) => format!("asks what became of key {key}"),
        Action::Settle(_) => format!("completes the row of {name}, key {key}, with what the tool says"),
        Action::Record { write: Record::Fail(_), .. } => format!("records that {name} failed, key {key}"),
        Action::Record { .. } => format!("records the result of {name}, key {key}"),
        Action::Run { .. } | Action::WaitUntil(_) | Action::Answer(_) => unreachable!("no question to the ledger"),
    };
    let mut said = vec![says(Kind::Asks, Handler, to, asks)];
    let answer = match told {
        machine::Event::Absent => "no row under this key".to_owned(),
        machine::Event::Claimed(_) => "claimed: the row is this call's".to_owned(),
        machine::Event::Unavailable => "cannot be reached".to_owned(),
        machine::Event::Found(row) => {
            let state = match row.state {
                RowState::InFlight => "in flight",
                RowState::Completed => "completed",
                RowState::Failed => "failed",
            };
            let other = if row.same_body { "" } else { ", with other arguments" };
            format!("there is a row: {state}{other}")
        }
        machine::Event::Queried { effect: true } => "it happened".to_owned(),
        machine::Event::Queried { effect: false } => "nothing happened under it so far".to_owned(),
        machine::Event::Recorded => return said,
        machine::Event::Ran(_) | machine::Event::Woke => unreachable!("no answer of the ledger"),
    };
    let answers = says(Kind::LedgerAnswers, to, Handler, answer);
    let trouble = told == machine::Event::Unavailable;
    said.push(if trouble { answers.marked(Mark::Trouble) } else { answers });
    said
}

fn row(names: &Names<'_>, event: &Happened, key: Option<&str>) -> Said {
    let (name, key) = (names.of_call(event), key.unwrap_or("?"));
    match event.what {
        What::RowLost => {
            says(Kind::RowLost, Ledger, Ledger, format!("loses the row of key {key}")).marked(Mark::Trouble)
        }
        What::NotItsRow => {
            let what = format!("the row under key {key} is not this call's: nothing is written");
            says(Kind::LedgerAnswers, Ledger, Handler, what).marked(Mark::Trouble)
        }
        What::Waits { until } => {
            let at = since(until, names.trace.arrived);
            let what = format!("waits for the row of {name}, until {} at the latest", super::show::clock(at));
            says(Kind::Waits, Handler, Handler, what).marked(Mark::Trouble)
        }
        _ => says(Kind::Wakes, Handler, Handler, format!("looks again for {name}")).minor(),
    }
}

fn tool(names: &Names<'_>, event: &Happened, key: Option<&str>) -> Said {
    let name = names.of_call(event);
    let nth = |request: u32| if request == 0 { String::new() } else { format!(", request {}", request + 1) };
    match event.what {
        What::Sends { request, forward } => {
            let with = match (forward, key) {
                (true, Some(key)) => format!("with key {key}"),
                _ => "without a key".to_owned(),
            };
            says(Kind::Request, Handler, Downstream, format!("{name}{} {with}", nth(request)))
        }
        What::Effect { .. } => match event.duplicate {
            None => says(Kind::Effect, Downstream, Downstream, format!("{name} happens")).marked(Mark::Effect),
            Some(cause) => {
                let what = format!("{name} happens again: a duplicate, {}", cause.name().replace('_', " "));
                says(Kind::Effect, Downstream, Downstream, what).marked(Mark::Duplicate)
            }
        },
        What::Remembers { .. } => {
            let what = format!("knows key {}: no second {name}", key.unwrap_or("?"));
            says(Kind::KeyKnown, Downstream, Downstream, what)
        }
        What::Rejects { .. } => {
            let what = format!("knows key {} with other arguments: refuses", key.unwrap_or("?"));
            says(Kind::KeyKnown, Downstream, Downstream, what).marked(Mark::Trouble)
        }
        What::Responds { outcome, .. } => match outcome {
            Outcome::Success => says(Kind::Response, Downstream, Handler, format!("{name}: done")),
            Outcome::Error => says(Kind::Response, Downstream, Handler, format!("{name}: an error, nothing done"))
                .marked(Mark::Trouble),
            Outcome::Unknown => {
                says(Kind::Response, Downstream, Handler, format!("{name}: no response, outcome unknown"))
                    .marked(Mark::Trouble)
            }
        },
        What::GivesUp { again, .. } => {
            let then = if again { "and sends it again" } else { "outcome unknown" };
            let what = format!("its client gives the request of {name} up, {then}");
            says(Kind::GivesUp, Handler, Handler, what).marked(Mark::Trouble)
        }
        _ => unreachable!("no event of a tool"),
    }
}

fn answers(names: &Names<'_>, event: &Happened) -> Said {
    let What::Answers { answer, result_of, heard } = event.what else { unreachable!("no answer") };
    let name = names.of_call(event);
    let own = event.call.map(|call| (names.trace.calls[call].turn, names.trace.calls[call].row));
    let owner = result_of.and_then(|intent| names.trace.meant.get(&intent)).filter(|owner| Some(**owner) != own);
    let foreign = owner.map_or(String::new(), |owner| format!(", which is that of {}", names.result_of(*owner)));
    let said = match answer {
        Answer::Ran(_) if owner.is_some() => {
            says(Kind::Answers, Handler, Handler, format!("{name} is given a result{foreign}")).marked(Mark::Trouble)
        }
        Answer::Ran(_) => {
            says(Kind::Answers, Handler, Handler, format!("the dispatch of {name} is over")).minor_if(heard)
        }
        Answer::Stored => {
            let what = format!("{name} is answered with the stored result{foreign}");
            let said = says(Kind::Answers, Ledger, Handler, what);
            said.marked(if owner.is_some() { Mark::Trouble } else { Mark::Done })
        }
        Answer::StoredError => {
            says(Kind::Answers, Ledger, Handler, format!("{name} is answered with the stored error"))
                .marked(Mark::Trouble)
        }
        Answer::Refused(refusal) => {
            let why = match refusal {
                Refusal::InFlight => "its row is in flight",
                Refusal::TimedOut => "its row did not come to rest in time",
                Refusal::Mismatch => "its row was written for other arguments",
                Refusal::Unavailable => "the ledger cannot be reached",
            };
            says(Kind::Answers, Handler, Handler, format!("refuses {name}: {why}")).marked(Mark::Trouble)
        }
    };
    if heard { said } else { Said { what: format!("{}; nobody hears it, the attempt is over", said.what), ..said } }
}

fn route(names: &Names<'_>, event: &Happened) -> Said {
    match event.what {
        What::Replay { route, number, delay } => {
            let delay = if delay.as_nanos() == 0 { "at once".to_owned() } else { format!("in {}", span_of(delay)) };
            let what = format!("{}: attempt {number} {delay}", names.route(route));
            says(Kind::Replay, Handler, Handler, what).marked(Mark::Replay)
        }
        What::NoReplay { route, because } => {
            let why = match because {
                NoReplay::Removed => "taken away by the policy",
                NoReplay::Max => "has had its replays of this turn",
                NoReplay::NotDrawn => "not this time",
                NoReplay::Capped => "the turn has had all its attempts",
            };
            says(Kind::NoReplay, Handler, Handler, format!("no replay by {}: {why}", names.route(route)))
        }
        What::IsSlow { route } => {
            says(Kind::Slow, Handler, Handler, format!("slow enough for {}", names.route(route))).minor()
        }
        _ => unreachable!("no event of a route"),
    }
}

fn fault(names: &Names<'_>, event: &Happened) -> Said {
    match event.what {
        What::Cut { phase, idle } => {
            let why = if idle { "nobody read for too long: the stream is cut" } else { "the stream is cut" };
            let unnoticed = phase == Phase::Tool && names.scenario.stream.on_cut == OnCut::Finish;
            let then = if unnoticed { ", unnoticed until the tool returns" } else { "" };
            says(Kind::Cut, Provider, Handler, format!("{why}{then}")).marked(Mark::Cut)
        }
        What::CutNoticed(died) => {
            says(Kind::CutNoticed, Handler, Handler, format!("notices the cut: {}", place(died))).marked(Mark::Trouble)
        }
        What::EndsSilently => {
            says(Kind::SilentEnd, Provider, Handler, "the stream ends early and looks whole").marked(Mark::Cut)
        }
        What::Abandons => says(Kind::Abandoned, Handler, Handler, "abandons the call block").minor(),
        What::Crashes(died) => {
            let limit = event.draws.is_empty();
            let what = if limit { "is killed at its time limit" } else { "the process dies" };
            says(Kind::Crash, Handler, Handler, format!("{what}: {}", place(died))).marked(Mark::Crash)
        }
        _ => unreachable!("no fault"),
    }
}

/// Where an attempt died.
pub(super) fn place(died: Died) -> &'static str {
    match died {
        Died::BeforeCall => "before any call",
        Died::Arguments => "in the arguments of a call",
        Died::InFlight => "with a call in flight",
        Died::Returned => "after its calls had returned",
        Died::Stopped => "after message_stop, not yet committed",
    }
}

fn span_of(length: crate::time::Span) -> String {
    span(i64::try_from(length.as_nanos()).unwrap_or(i64::MAX))
}
