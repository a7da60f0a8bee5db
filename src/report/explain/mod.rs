//! One turn explained: what happened to it in order, the draws behind that, the keys and what the ledger answered, and
//! what of it was counted. One data struct ([`Explanation`]); the text and the picture are drawn from it by way of
//! [`crate::report::sequence`].

mod build;
mod keys;
mod show;
mod verdict;
mod words;

pub use build::About;
pub use show::sequence;

use super::data::ScenarioId;
use super::sequence::{Mark, Party};
use crate::dispatch::rule::Dispatcher;
use crate::sim::find::Sought;
use crate::turn::{Cause, Class, vocabulary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `explain --format json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Version of this format.
    pub schema: u32,
    /// What was run.
    pub scenario: ScenarioId,
    /// Seed of all draws.
    pub seed: u64,
    /// Turns of the run that the turn is one of.
    pub turns: u64,
    /// The turn's number, from 0 in order of arrival.
    pub turn: u64,
    /// What it is the first turn of the run with; absent where the turn was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Sought")]
    pub found: Option<Sought>,
    /// The policy's name.
    pub policy: String,
    /// Its dispatcher.
    pub dispatcher: Dispatcher,
    /// The conversation, as keys name it.
    pub conversation: String,
    /// The calls that the user meant, in order.
    pub calls: Vec<MeantCall>,
    /// What happened, in order. The ledger's answer to a question is an event of its own.
    pub events: Vec<Event>,
    /// The keys that events name; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyText>,
    /// What it comes to, in words.
    pub verdict: Vec<String>,
    /// What the run counts of the turn, by the names that a report gives the counts; zeros are left out.
    pub counts: BTreeMap<String, u64>,
    /// The same turn under the scenario's other policies; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Beside>,
}

/// One call that the user meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeantCall {
    /// Its number, from 1.
    pub call: u32,
    /// Its step, from 1.
    pub step: u32,
    /// The tool's name.
    pub tool: String,
    /// What the tool does in the world.
    pub class: Class,
    /// How often it happened.
    pub effects: u64,
    /// How often more than once.
    pub duplicates: u64,
}

vocabulary! {
    /// What an event is.
    Kind {
        /// The user asks.
        TurnBegins = "turn_begins",
        /// The user asks again: a replay.
        AsksAgain = "asks_again",
        /// An attempt starts.
        AttemptBegins = "attempt_begins",
        /// Text streams.
        Prelude = "prelude",
        /// A call block streams.
        Arguments = "arguments",
        /// A call's arguments are whole.
        CallComplete = "call_complete",
        /// A call is handed to the dispatcher.
        Dispatched = "dispatched",
        /// The handler waits for the dispatcher with its stream open.
        Tool = "tool",
        /// The rest of the message streams.
        Gap = "gap",
        /// The message has ended.
        MessageStop = "message_stop",
        /// The turn is about to be appended.
        Committing = "committing",
        /// The dispatcher asks the ledger.
        Asks = "asks",
        /// The ledger answers.
        LedgerAnswers = "ledger_answers",
        /// The ledger loses a row.
        RowLost = "row_lost",
        /// The dispatcher waits for a row.
        Waits = "waits",
        /// It looks again.
        Wakes = "wakes",
        /// The tool is run.
        Runs = "runs",
        /// The tool's client sends a request.
        Request = "request",
        /// Something happens in the world.
        Effect = "effect",
        /// The downstream knows the key.
        KeyKnown = "key_known",
        /// A response is heard.
        Response = "response",
        /// The tool's client gives a request up.
        GivesUp = "gives_up",
        /// A running dispatch is dropped.
        Dropped = "dropped",
        /// The dispatcher answers.
        Answers = "answers",
        /// The stream is cut.
        Cut = "cut",
        /// The handler notices it.
        CutNoticed = "cut_noticed",
        /// The stream ends early, unnoticed.
        SilentEnd = "silent_end",
        /// A call block is abandoned.
        Abandoned = "abandoned",
        /// The process dies.
        Crash = "crash",
        /// The dispatcher fails the attempt.
        Refused = "refused",
        /// The attempt commits.
        Commit = "commit",
        /// A route calls the attempt slow.
        Slow = "slow",
        /// A route issues a replay.
        Replay = "replay",
        /// A route's condition occurred and it issues nothing.
        NoReplay = "no_replay",
        /// Nothing of the turn is active or pending any more.
        Resolved = "resolved",
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Nanoseconds since the turn arrived; negative for what another turn's call did before.
    pub at_ns: i64,
    /// The turn it happened to: this one, or one whose call has the same key.
    pub turn: u64,
    /// The attempt's number, from 1; absent for what happens to the turn as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub attempt: Option<u32>,
    /// The call's number, from 1; absent for what happens to the attempt as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub call: Option<u32>,
    /// What it is.
    pub kind: Kind,
    /// Who.
    pub from: Party,
    /// To whom; the same party where it is nobody else.
    pub to: Party,
    /// What, in words.
    pub what: String,
    /// What makes it stand out.
    pub mark: Mark,
    /// For a duplicate effect: why it got through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Cause")]
    pub cause: Option<Cause>,
    /// The key it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub key: Option<String>,
    /// The draws behind it; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<Draw>,
    /// Whether text and picture leave it out, for the events around it say the same; absent where not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub minor: bool,
}

/// One draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draw {
    /// What it decides.
    pub site: String,
    /// The attempt in whose draws it stands; 0 stands for the turn itself.
    pub attempt: u32,
    /// The step, call or route it is for, from 0.
    pub row: u32,
    /// The request it is for, from 0.
    pub request: u32,
    /// Where in the unit interval it fell; absent for a span that is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub value: Option<f64>,
    /// The span that it became, in nanoseconds, where it decides one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub span_ns: Option<u64>,
}

/// A key and what it is the hash of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyText {
    /// The key, 32 hex digits.
    pub key: String,
    /// The text, with the arguments that the model stands for written out.
    pub canonical: String,
}

/// The same turn under another policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Beside {
    /// The policy's name.
    pub policy: String,
    /// As [`Explanation::counts`].
    pub counts: BTreeMap<String, u64>,
    /// In words.
    pub verdict: String,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// The JSON Schema of [`Explanation`], as `docs/explain.schema.json` holds it.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Explanation)
}
