//! A scenario that exists can be run: loading is the one fallible step, and everything after it takes the values
//! below as they stand. Names and meanings are those of `docs/scenario.md`, one struct a table of the file.

mod build;
mod data;
mod diagnostic;
mod family;
pub mod format;
pub mod gate;
pub mod hazard;
mod leaves;
mod library;
mod load;
mod quantity;
mod read;
mod record;
mod set;
mod tree;
mod words;

pub use data::sha256_of;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use format::schema;
pub use leaves::leaves;
pub use library::EMBEDDED;
pub use load::{Input, Loaded, load};
pub use words::nearest;

use crate::dispatch::rule::Rules;
use crate::dist::Distribution;
use crate::time::{MONTH, Span};
use crate::turn::{
    Class, DispatchAt, DownstreamMismatch, Handling, Kind, OnCut, Positions, ReplayPosition, Resumes, When,
};

/// One scenario, valid by construction.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// `[a-z0-9-]+`; names the output folder.
    pub name: String,
    /// For reports; the name where the file gives none.
    pub title: String,
    /// SHA-256 of the file's bytes, lowercase hex.
    pub sha256: String,
    /// Data files it draws from, with their hashes, in the order the file names them.
    pub files: Vec<DataFile>,
    /// Every value of the file by its path, edits applied, in the order of the file.
    pub values: Vec<(String, String)>,
    /// Traffic, where the file gives it.
    pub volume: Option<Volume>,
    /// How streams and the handler behave.
    pub stream: Stream,
    /// What fails.
    pub failure: Failure,
    /// At least one.
    pub tools: Vec<Tool>,
    /// At least one; weights positive and finite.
    pub shapes: Vec<Shape>,
    /// Replay routes, in file order; may be none.
    pub routes: Vec<Route>,
    /// What a replay re-emits where neither tool nor route says otherwise.
    pub re_emits: ReEmits,
    /// Probability that a re-emitted call's text is one that no other call has.
    pub reserialised: f64,
    /// Cells.
    pub population: Population,
    /// What runs side by side; at least one.
    pub policies: Vec<Policy>,
    /// How much is run.
    pub run: Run,
    /// What `check` asserts, in file order; may be none.
    pub gates: Vec<gate::Gate>,
}

/// A data file behind an empirical distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// As the scenario names it.
    pub path: String,
    /// SHA-256 of its bytes, lowercase hex.
    pub sha256: String,
}

/// `[volume]`
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// Turns a month, positive.
    pub turns_per_month: f64,
    /// For amounts of money.
    pub currency: String,
}

/// `[stream]`
#[derive(Debug, Clone)]
pub struct Stream {
    /// Request sent to the start of the first call block.
    pub prelude: Distribution,
    /// Last content block stop to `message_stop`.
    pub gap: Distribution,
    /// End of the last step to the turn being appended.
    pub commit: Distribution,
    /// What the handler does while a tool runs.
    pub handler: Handling,
    /// When calls are dispatched.
    pub dispatch: DispatchAt,
    /// What a cut does to running dispatches.
    pub on_cut: OnCut,
}

/// `[failure]`
#[derive(Debug, Clone)]
pub struct Failure {
    /// How streams are cut.
    pub cuts: Cuts,
    /// Probability that a cut is a clean early end which no one notices.
    pub silent: f64,
    /// A dispatch longer than this is a cut (blocking handler, dispatch at completion).
    pub idle_timeout: Option<Span>,
    /// Crashes per hour of an attempt's active time.
    pub crashes_per_hour: f64,
    /// An attempt still active at this age is killed.
    pub attempt_limit: Option<Span>,
    /// Times of raised failure.
    pub incidents: Option<Incidents>,
}

/// The stream failure model: exactly one.
#[derive(Debug, Clone)]
pub enum Cuts {
    /// Cuts arrive at a constant rate while a stream is open.
    Hazard(Hazard),
    /// Cuts by two given rates.
    Fraction(Fraction),
}

/// `failure.hazard`
#[derive(Debug, Clone)]
pub struct Hazard {
    /// Cuts per second of open stream before phase multipliers, by attempt: the first entry is the original's, the
    /// entry k that of the attempt numbered k + 1, the last one holds from there on. Solved where the file gives a
    /// probability. Never empty.
    pub per_second: Vec<f64>,
    /// Multiplier of each phase.
    pub phases: Phases,
    /// The probability the first rate was solved for, where the file gives one.
    pub rate: Option<f64>,
}

/// Hazard multipliers of the phases of a stream, each finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phases {
    /// While text streams before the first call block.
    pub prelude: f64,
    /// While a call block streams.
    pub arguments: f64,
    /// While the handler waits for a tool with the stream open.
    pub tool: f64,
    /// Between the last block's stop and `message_stop`.
    pub gap: f64,
}

/// `failure.fraction`
#[derive(Debug, Clone)]
pub struct Fraction {
    /// Probability of a cut, by attempt as in [`Hazard::per_second`]. Never empty.
    pub rate: Vec<f64>,
    /// Probability that a cut strikes after the first dispatch.
    pub window_fraction: f64,
}

/// `failure.incidents`
#[derive(Debug, Clone, PartialEq)]
pub struct Incidents {
    /// Incidents that start in a month, on average; positive.
    pub per_month: f64,
    /// Mean length.
    pub duration: Span,
    /// What the cut rate is multiplied by during one.
    pub factor: f64,
}

/// `[[tool]]`
#[derive(Debug, Clone)]
pub struct Tool {
    /// Unique.
    pub name: String,
    /// What it does in the world.
    pub class: Class,
    /// How long its arguments stream.
    pub arguments: Distribution,
    /// How long a request takes.
    pub latency: Distribution,
    /// Where in a request's latency its effect happens, 0 to 1.
    pub effect_at: f64,
    /// Probability of a definite refusal.
    pub error_rate: f64,
    /// Probability that the effect happens and the response is lost.
    pub unknown_rate: f64,
    /// When the tool's own client gives a request up, and how often it sends again.
    pub client: Option<Client>,
    /// How long a keyed downstream remembers a key; for ever where absent.
    pub retention: Option<Span>,
    /// What a keyed downstream does with a known key and other values.
    pub on_mismatch: DownstreamMismatch,
    /// Whether it can be asked what became of a key.
    pub status_query: bool,
    /// What a replay re-emits of its calls, where it differs from the scenario's.
    pub re_emits: Option<ReEmits>,
    /// How many values genuine calls choose from; all distinct where absent.
    pub distinct_arguments: Option<u64>,
    /// What one duplicate costs.
    pub cost: Option<Distribution>,
}

/// `client_timeout` and `client_retries` of a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Client {
    /// When a request without response is given up; positive.
    pub timeout: Span,
    /// How many further requests follow.
    pub retries: u32,
}

/// What a replay makes of a call of the original turn. The three sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReEmits {
    /// The original argument values.
    pub same: f64,
    /// Values never seen before; the intent is the same.
    pub reworded: f64,
    /// No such call.
    pub dropped: f64,
}

impl ReEmits {
    /// Every call as it was.
    pub const SAME: ReEmits = ReEmits { same: 1.0, reworded: 0.0, dropped: 0.0 };
}

/// `[[shape]]`
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Relative frequency, positive.
    pub weight: f64,
    /// Indices into [`Scenario::tools`], a list a step. At least one step; steps may be empty.
    pub steps: Vec<Vec<usize>>,
    /// Whether all its calls carry the same values.
    pub same_arguments: bool,
}

impl Shape {
    /// The tools of all its calls in order.
    pub fn calls(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().flatten().copied()
    }
}

/// `[[route]]`
#[derive(Debug, Clone)]
pub struct Route {
    /// Unique.
    pub name: String,
    /// The kind whose defaults it took, where the file names one.
    pub kind: Option<Kind>,
    /// The condition.
    pub when: When,
    /// Probability that the condition issues a replay.
    pub probability: f64,
    /// From the instant of the condition to the replay's start.
    pub delay: Distribution,
    /// Replays issued per turn at most.
    pub max: u32,
    /// Which position the replay presents.
    pub position: ReplayPosition,
    /// From where the replay goes on.
    pub resumes: Resumes,
    /// For [`When::Slow`]: the age at which an attempt counts as slow. Present exactly there.
    pub after: Option<Span>,
    /// What its replays re-emit, where it says so; wins over the tool's.
    pub re_emits: Option<ReEmits>,
}

/// `[population]`
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// Conversations that share a ledger, at least 1.
    pub conversations: u32,
    /// Turns of each, at least 1.
    pub turns: u32,
    /// Probability that a turn repeats the previous one of its conversation on purpose.
    pub repeat: f64,
    /// What moves a position.
    pub positions: Positions,
}

impl Population {
    /// Arrivals in a whole cell.
    #[must_use]
    pub fn cell_size(&self) -> u64 {
        u64::from(self.conversations) * u64::from(self.turns)
    }
}

/// `[[policy]]`
#[derive(Debug, Clone)]
pub struct Policy {
    /// Unique.
    pub name: String,
    /// How it dispatches.
    pub rules: Rules,
    /// Probability, for each call of a replay, that its row is gone just before the look.
    pub ledger_loss: f64,
    /// The age at which a row is gone; kept for ever where absent.
    pub row_retention: Option<Span>,
    /// Probability, for each dispatch that would use the ledger, that it cannot be reached.
    pub unavailable: f64,
    /// Indices into [`Scenario::routes`] that this policy also removes, ascending.
    pub without_routes: Vec<usize>,
}

/// `[run]`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// Turns to run, at least 1.
    pub turns: u64,
    /// Of all draws.
    pub seed: u64,
    /// Attempts issued per turn at most, at least 1.
    pub max_attempts: u32,
}

impl Scenario {
    /// What a replay by `route` (an index) makes of a call of `tool` (an index): the route's table wins over the
    /// tool's, the tool's over the scenario's.
    #[must_use]
    pub fn re_emits(&self, route: usize, tool: usize) -> ReEmits {
        self.routes[route].re_emits.or(self.tools[tool].re_emits).unwrap_or(self.re_emits)
    }

    /// Time between two arrivals. Without a volume, that of the documented default of 3,000 turns a month.
    #[must_use]
    pub fn spacing(&self) -> Span {
        let per_month = self.volume.as_ref().map_or(3000.0, |v| v.turns_per_month);
        Span::from_seconds_f64(MONTH.as_seconds_f64() / per_month)
    }

    /// The share of turns with each shape.
    #[must_use]
    pub fn shape_shares(&self) -> Vec<f64> {
        let total: f64 = self.shapes.iter().map(|s| s.weight).sum();
        self.shapes.iter().map(|s| s.weight / total).collect()
    }
}
