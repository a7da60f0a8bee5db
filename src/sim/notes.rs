//! What happens to a turn, written down while it happens where someone asked for it. Nobody asks in a run: a note
//! costs it one test.

use super::arena::Id;
use super::attempt::{Attempt, Phase};
use super::cell::Cell;
use super::dispatching::Call;
use crate::audit::history::IntentId;
use crate::dispatch::machine::{self, Action, Answer, Outcome};
use crate::dispatch::symbol::Symbol;
use crate::time::{Instant, Span};
use crate::turn::Died;

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    /// The user asks; the turn begins.
    TurnBegins {
        /// Whether it repeats the conversation's previous turn on purpose.
        repeats: bool,
    },
    /// An attempt of the turn starts.
    AttemptBegins {
        /// The route that issued it, an index into the scenario's, and the number of the attempt it follows; none for
        /// the original.
        replays: Option<(u32, u32)>,
        /// The position that it presents.
        position: u32,
        /// How many steps it keeps from the attempt it follows.
        kept: u32,
    },
    /// The attempt enters a phase.
    Enters {
        /// Which.
        phase: Phase,
        /// Of which step.
        step: u32,
    },
    /// A call block begins to stream.
    BlockOpens,
    /// The call's arguments are whole.
    Complete,
    /// The call is handed to the dispatcher.
    Dispatched,
    /// The dispatcher asked the ledger (or the tool, by a status query) and was answered.
    Ledger {
        /// What it asked.
        action: Action,
        /// What it was told.
        event: machine::Event,
    },
    /// The ledger lost the row of the call's key.
    RowLost,
    /// A write found a row that was no longer the call's, and changed nothing.
    NotItsRow,
    /// The dispatcher waits for the row.
    Waits {
        /// At the latest until then, on the cell's clock.
        until: Instant,
    },
    /// It looks again.
    Wakes,
    /// The tool is run.
    Runs {
        /// Whether the key travels with the request.
        forward: bool,
    },
    /// The tool's client sends a request.
    Sends {
        /// Its number in the run, from 0.
        request: u32,
        /// Whether the key travels with it.
        forward: bool,
    },
    /// A request has its effect.
    Effect {
        /// Its number in the run.
        request: u32,
    },
    /// The downstream knows the key and answers from its memory.
    Remembers {
        /// The request's number in the run.
        request: u32,
        /// Whose result it remembers.
        result_of: IntentId,
    },
    /// The downstream knows the key with other arguments and rejects the request.
    Rejects {
        /// The request's number in the run.
        request: u32,
    },
    /// The response is heard.
    Responds {
        /// The request's number in the run.
        request: u32,
        /// What it says.
        outcome: Outcome,
        /// Whose result it carries.
        result_of: IntentId,
    },
    /// The tool's client gives the request up.
    GivesUp {
        /// The request's number in the run.
        request: u32,
        /// Whether it sends another.
        again: bool,
    },
    /// The dispatch is dropped where it stands.
    Dropped,
    /// The dispatcher answers.
    Answers {
        /// What.
        answer: Answer,
        /// Whose result it is, where it is one.
        result_of: Option<IntentId>,
        /// Whether an attempt is there to hear it.
        heard: bool,
    },
    /// The stream is cut.
    Cut {
        /// In which phase.
        phase: Phase,
        /// Whether the proxy did it, for the stream was not read for too long.
        idle: bool,
    },
    /// The handler notices the cut: the attempt is over.
    CutNoticed(Died),
    /// The stream ends early as if `message_stop` had come.
    EndsSilently,
    /// A call block was streaming when its attempt or its stream ended.
    Abandons,
    /// The process dies.
    Crashes(Died),
    /// The dispatcher fails the attempt.
    Refused,
    /// The attempt commits.
    Commits {
        /// Whether its stream had ended early unnoticed.
        silent: bool,
    },
    /// The attempt has reached the age at which a route calls it slow.
    IsSlow {
        /// The route, an index into the scenario's.
        route: u32,
    },
    /// A route issues a replay.
    Replay {
        /// The route, an index into the scenario's.
        route: u32,
        /// The number of the attempt that will start.
        number: u32,
        /// In how long.
        delay: Span,
    },
    /// A route's condition occurred and it issued nothing.
    NoReplay {
        /// The route, an index into the scenario's.
        route: u32,
        /// Why.
        because: NoReplay,
    },
    /// Nothing of the turn is active or pending any more.
    Resolved {
        /// Whether an attempt committed.
        committed: bool,
        /// Whether a replay was drawn and not issued for the limit of attempts.
        capped: bool,
    },
}

/// Why a route issued no replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoReplay {
    /// The policy removes the route.
    Removed,
    /// It has issued its `max` for the turn.
    Max,
    /// Its probability decided against it.
    NotDrawn,
    /// The turn has had all the attempts of `run.max_attempts`.
    Capped,
}

/// To what something happened.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    /// A turn, by its place in the history.
    Turn(u32),
    Attempt(Id<Attempt>),
    Call(Id<Call>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Note {
    pub at: Instant,
    pub of: Of,
    pub what: What,
}

/// What is written down of a cell: what happens to one turn and, of other turns, to the calls of some keys.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The turn, by its arrival.
    pub arrival: u64,
    /// The keys that other turns are watched for.
    pub keys: Vec<Symbol>,
    pub notes: Vec<Note>,
}

impl Cell<'_> {
    /// Writes down what happened, where someone asked.
    #[inline]
    pub(super) fn note(&mut self, of: Of, what: What) {
        if self.notes.is_some() {
            self.write_down(of, what);
        }
    }

    #[cold]
    fn write_down(&mut self, of: Of, what: What) {
        let turn = match of {
            Of::Turn(turn) => turn,
            Of::Attempt(attempt) => self.attempts[attempt].turn,
            Of::Call(call) => self.attempts[self.calls[call].attempt].turn,
        };
        let key = match of {
            Of::Call(call) => self.calls[call].dispatched.as_ref().map(|dispatched| dispatched.key),
            _ => None,
        };
        let arrival = self.turns[turn as usize].arrival;
        if let Some(notes) = &mut self.notes
            && (arrival == notes.arrival || key.is_some_and(|key| notes.keys.contains(&key)))
        {
            notes.notes.push(Note { at: self.now, of, what });
        }
    }
}
