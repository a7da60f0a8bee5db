//! Every table and key of a scenario file, with its default and its meaning. Terms are those of `docs/model.md`.

use super::Presence::{Default, Optional, Required};
use super::limits;
use super::{Bounds, Key, Kind, Presence, Table, Unit, Zero};
use crate::dispatch::rule::{Component, Dispatcher, OnFailed, OnMismatch, OnUnavailable, OnUnknown};
use crate::turn::{
    Class, DispatchAt, DownstreamMismatch, Handling, Kind as RouteKind, OnCut, Positions, ReplayPosition, Resumes, When,
};

/// The words of a vocabulary.
macro_rules! choice {
    ($vocabulary:ident) => {
        Kind::Choice(|| $vocabulary::ALL.iter().map(|value| value.name()).collect())
    };
}

const fn key(name: &'static str, kind: Kind, presence: Presence, doc: &'static str) -> Key {
    Key { name, kind, presence, doc }
}

const RATE: Kind = Kind::Number(Bounds::not_negative(limits::NUMBER));
const SPAN: Kind = Kind::Duration(Zero::Refused);
const TIME: Kind = Kind::Distribution(Some(Unit::Time));
const ANY: Bounds = Bounds { least: -1e300, above: false, most: 1e300 };

/// A whole scenario file.
pub static SCENARIO: Table = Table {
    name: "the scenario",
    doc: "One scenario.",
    keys: &[
        key("schema", Kind::Count(1, 1), Required, "The version of this format."),
        key("name", Kind::Slug, Required, "Names the scenario and its output folder."),
        key("title", Kind::Text, Optional, "For reports; the name where absent."),
        key("volume", Kind::Table(&VOLUME), Optional, "Traffic. Without it there are no monthly figures."),
        key("stream", Kind::Table(&STREAM), Required, "How streams and their handler behave."),
        key("failure", Kind::Table(&FAILURE), Required, "What fails, and how often."),
        key("tool", Kind::Tables(&TOOL, limits::ENTRIES), Required, "The tools that can be called."),
        key("shape", Kind::Tables(&SHAPE, limits::ENTRIES), Required, "What turns consist of."),
        key("route", Kind::Tables(&ROUTE, limits::ENTRIES), Default("[]"), "The ways in which a turn is issued again."),
        key("model", Kind::Table(&MODEL), Default("{}"), "What the model says the second time."),
        key("population", Kind::Table(&POPULATION), Default("{}"), "Who shares a ledger."),
        key("policy", Kind::Tables(&POLICY, limits::ENTRIES), Default(POLICIES), "What runs side by side."),
        key("run", Kind::Table(&RUN), Default("{}"), "How much is run."),
        key("gate", Kind::Tables(&GATE, limits::ENTRIES), Default("[]"), "What must hold of the result."),
    ],
    exactly_one: &[],
};

const POLICIES: &str =
    r#"[{ name = "naive", dispatcher = "naive" }, { name = "ledger", dispatcher = "ledger_and_header" }]"#;

static VOLUME: Table = Table {
    name: "[volume]",
    doc: "Traffic, for the monthly figures and the calendar.",
    keys: &[
        key(
            "turns_per_month",
            Kind::Number(Bounds::positive(limits::NUMBER)),
            Required,
            "Turns in a month of 730.5 hours.",
        ),
        key("currency", Kind::Text, Default("\"USD\""), "Of every amount of money in the file."),
    ],
    exactly_one: &[],
};

static STREAM: Table = Table {
    name: "[stream]",
    doc: "The time line of a streamed message and the handler that reads it.",
    keys: &[
        key("prelude", TIME, Required, "From the request to the start of the first call block."),
        key("gap", TIME, Required, "From the stop of the last content block to `message_stop`."),
        key("commit", TIME, Default("\"0s\""), "From the end of the last step to the turn being appended."),
        key(
            "handler",
            choice!(Handling),
            Default("\"blocking\""),
            "Whether the handler waits for a tool before it reads on, or runs tools in tasks of their own.",
        ),
        key(
            "dispatch",
            choice!(DispatchAt),
            Default("\"completion\""),
            "Whether a call runs as soon as it is complete, or only when the whole message is there.",
        ),
        key(
            "on_cut",
            choice!(OnCut),
            Default("\"finish\""),
            "Whether running tools go on to their end when the stream is cut, or are dropped.",
        ),
    ],
    exactly_one: &[],
};

static FAILURE: Table = Table {
    name: "[failure]",
    doc: "What fails: exactly one model of cut streams, and what comes on top of it.",
    keys: &[
        key("hazard", Kind::Table(&HAZARD), Optional, "Cuts strike at a constant rate while a stream is open."),
        key("fraction", Kind::Table(&FRACTION), Optional, "Cuts strike in and before the window at given rates."),
        key(
            "replay_rates",
            Kind::List(&Kind::Probability, 1, limits::REPLAY_RATES),
            Optional,
            "Probability of a cut for the second attempt, the third and so on; the last entry holds from there on. \
             Absent: as for the first.",
        ),
        key("silent", Kind::Probability, Default("0"), "Probability that a cut is a clean early end no one notices."),
        key(
            "idle_timeout",
            SPAN,
            Optional,
            "A dispatch that takes longer than this cuts the stream. Blocking handler and dispatch at completion only.",
        ),
        key("crashes_per_hour", RATE, Default("0"), "Crashes per hour of an attempt's active time."),
        key("attempt_limit", SPAN, Optional, "An attempt still active at this age is killed."),
        key("incidents", Kind::Table(&INCIDENTS), Optional, "Times of raised failure. Needs `[volume]`."),
    ],
    exactly_one: &[&["hazard", "fraction"]],
};

static HAZARD: Table = Table {
    name: "failure.hazard",
    doc: "Cuts at a constant rate; where they strike is an outcome.",
    keys: &[
        key(
            "rate",
            Kind::Probability,
            Optional,
            "Probability that a first attempt, undisturbed by anything else, is cut; below 1. The hazard is solved \
             for it.",
        ),
        key("per_hour", RATE, Optional, "Cuts per hour of open stream, before the multipliers."),
        key("phases", Kind::Table(&PHASES), Default("{}"), "Multipliers of the hazard by phase of the stream."),
    ],
    exactly_one: &[&["rate", "per_hour"]],
};

const FACTOR: Kind = Kind::Number(Bounds::not_negative(1e6));

static PHASES: Table = Table {
    name: "failure.hazard.phases",
    doc: "Multipliers of the hazard by phase of the stream; at least one above zero.",
    keys: &[
        key("prelude", FACTOR, Default("1"), "Before the first call block."),
        key("arguments", FACTOR, Default("1"), "While a call block streams."),
        key(
            "tool",
            FACTOR,
            Default("1"),
            "While the handler waits for a tool. Blocking handler and dispatch at completion only.",
        ),
        key("gap", FACTOR, Default("1"), "After the last block."),
    ],
    exactly_one: &[],
};

static FRACTION: Table = Table {
    name: "failure.fraction",
    doc: "Cuts by the two rates of a hand estimate.",
    keys: &[
        key("rate", Kind::Probability, Required, "Probability that an attempt is cut."),
        key("window_fraction", Kind::Probability, Required, "Probability that a cut strikes after the first dispatch."),
    ],
    exactly_one: &[],
};

static INCIDENTS: Table = Table {
    name: "failure.incidents",
    doc: "Incidents of the run's calendar, during which cuts are more frequent.",
    keys: &[
        key("per_month", Kind::Number(Bounds::positive(limits::INCIDENTS)), Required, "Incidents a month, on average."),
        key("duration", SPAN, Required, "Mean length of an incident, which is exponential."),
        key("factor", FACTOR, Required, "What the rate of cuts is multiplied by during one."),
    ],
    exactly_one: &[],
};

static TOOL: Table = Table {
    name: "[[tool]]",
    doc: "A tool that the model can call.",
    keys: &[
        key("name", Kind::Name, Required, "Unique among the tools."),
        key(
            "class",
            choice!(Class),
            Required,
            "Whether it changes nothing, honours an idempotency key, or does what it is told every time.",
        ),
        key("arguments", TIME, Required, "How long the arguments of a call stream."),
        key("latency", TIME, Required, "How long a request takes."),
        key(
            "effect_at",
            Kind::Probability,
            Default("0.5"),
            "When in a request's latency its effect happens: 0 at the start, 1 at the end. Writes only.",
        ),
        key("error_rate", Kind::Probability, Default("0"), "Probability of a definite refusal without effect."),
        key(
            "unknown_rate",
            Kind::Probability,
            Default("0"),
            "Probability that the request goes through and its response is lost.",
        ),
        key("client_timeout", SPAN, Optional, "When the tool's own client gives a request up. Absent: never."),
        key(
            "client_retries",
            Kind::Count(0, limits::CLIENT_RETRIES),
            Optional,
            "How often that client then sends again. Needs `client_timeout`; 0 where absent.",
        ),
        key(
            "retention",
            SPAN,
            Optional,
            "How long the downstream remembers a key. `keyed_write` only; absent: for ever.",
        ),
        key(
            "on_mismatch",
            choice!(DownstreamMismatch),
            Optional,
            "Answer to a known key with other arguments: the first result, or an error. `keyed_write` only; \
             `replay` where absent.",
        ),
        key(
            "status_query",
            Kind::Flag,
            Optional,
            "Whether the tool can be asked what became of a key. Writes only; `false` where absent.",
        ),
        key(
            "re_emits",
            Kind::Table(&RE_EMITS),
            Optional,
            "What a replay makes of this tool's calls, in place of `model.re_emits`.",
        ),
        key(
            "distinct_arguments",
            Kind::Count(1, limits::VALUES),
            Optional,
            "How many values genuine calls choose from. Absent: every genuine call differs.",
        ),
        key("cost", Kind::Distribution(Some(Unit::Money)), Optional, "What one duplicate costs. Writes only."),
    ],
    exactly_one: &[],
};

const CALLS: Kind = Kind::List(&Kind::Name, 0, limits::CALLS);

static SHAPE: Table = Table {
    name: "[[shape]]",
    doc: "What a turn consists of.",
    keys: &[
        key("weight", Kind::Number(Bounds::positive(limits::NUMBER)), Default("1"), "How frequent, among the shapes."),
        key("calls", CALLS, Optional, "The tools called in the turn's one step, in order."),
        key("steps", Kind::List(&CALLS, 1, limits::STEPS), Optional, "The tools called in each step."),
        key("same_arguments", Kind::Flag, Default("false"), "Whether all its calls carry the same values."),
    ],
    exactly_one: &[&["calls", "steps"]],
};

static ROUTE: Table = Table {
    name: "[[route]]",
    doc: "A way in which a turn is issued again. Needs `kind` or `when`.",
    keys: &[
        key("name", Kind::Name, Required, "Unique among the routes."),
        key("kind", choice!(RouteKind), Optional, "Stands for a `when`, a `position` and a `resumes`."),
        key("when", choice!(When), Optional, "The condition. Absent: that of the kind."),
        key("probability", Kind::Probability, Default("1"), "That the condition issues a replay."),
        key("delay", TIME, Default("\"0s\""), "From the condition to the start of the replay."),
        key("max", Kind::Count(0, limits::ATTEMPTS), Default("1"), "Replays issued per turn at most."),
        key(
            "position",
            choice!(ReplayPosition),
            Optional,
            "Which position a replay presents. Absent: that of the kind, else `pinned`.",
        ),
        key(
            "resumes",
            choice!(Resumes),
            Optional,
            "Whether a replay starts from the first step or keeps finished ones. Absent: that of the kind, else `turn`.",
        ),
        key(
            "after",
            Kind::Duration(Zero::Allowed),
            Optional,
            "The age at which an attempt is slow. Required with `slow`, an error without.",
        ),
        key(
            "re_emits",
            Kind::Table(&RE_EMITS),
            Optional,
            "What this route's replays make of a call, in place of the tool's and `model.re_emits`.",
        ),
    ],
    exactly_one: &[],
};

static MODEL: Table = Table {
    name: "[model]",
    doc: "What the model says the second time.",
    keys: &[
        key("re_emits", Kind::Table(&RE_EMITS), Default("{}"), "What a replay makes of a call."),
        key(
            "reserialised",
            Kind::Probability,
            Default("1"),
            "Probability that the JSON text of a call that is emitted again is a new one.",
        ),
    ],
    exactly_one: &[],
};

static RE_EMITS: Table = Table {
    name: "re_emits",
    doc: "What a replay makes of a call of the original turn; the three sum to 1.",
    keys: &[
        key("same", Kind::Probability, Optional, "The original argument values. Absent: what the others leave."),
        key("reworded", Kind::Probability, Default("0"), "Argument values never seen before."),
        key("dropped", Kind::Probability, Default("0"), "No such call."),
    ],
    exactly_one: &[],
};

const CELL_SIDE: Kind = Kind::Count(1, limits::CELL_SIDE);

static POPULATION: Table = Table {
    name: "[population]",
    doc: "The cell: who shares a ledger.",
    keys: &[
        key("conversations", CELL_SIDE, Default("1000"), "Conversations of a cell."),
        key("turns", CELL_SIDE, Default("4"), "Turns of each; at most ten million in a cell."),
        key(
            "repeat",
            Kind::Probability,
            Default("0"),
            "Probability that a turn repeats the previous one of its conversation on purpose.",
        ),
        key(
            "positions",
            choice!(Positions),
            Default("\"committed\""),
            "Whether committed turns move a conversation's position, or issued user messages.",
        ),
    ],
    exactly_one: &[],
};

static POLICY: Table = Table {
    name: "[[policy]]",
    doc: "A dispatcher and its options. All policies of a file see the same world.",
    keys: &[
        key("name", Kind::Name, Required, "Unique among the policies."),
        key("dispatcher", choice!(Dispatcher), Required, "Which memory there is."),
        key(
            "key",
            Kind::List(&choice!(Component), 1, Component::ALL.len()),
            Default(r#"["conversation", "position", "tool", "ordinal", "arguments", "canonical"]"#),
            "What the key is made of.",
        ),
        key(
            "on_in_flight",
            Kind::Choice(|| vec!["wait", "fail", "takeover", "reconcile"]),
            Default("\"wait\""),
            "What to do with a row that is in flight.",
        ),
        key(
            "wait_timeout",
            Kind::Duration(Zero::Allowed),
            Default("\"90s\""),
            "How long a dispatch waits for a row before it fails the attempt. Not with `fail`.",
        ),
        key(
            "lease",
            Kind::Duration(Zero::Allowed),
            Default("\"60s\""),
            "How long a claim protects its row. With `takeover` and `reconcile` only.",
        ),
        key(
            "renew",
            Kind::Flag,
            Default("false"),
            "Whether the lease counts from the instant the claimant stopped running. With `takeover` and \
             `reconcile` only.",
        ),
        key("on_failed", choice!(OnFailed), Default("\"raise\""), "What to do with a row that failed."),
        key("on_unknown", choice!(OnUnknown), Default("\"in_flight\""), "What an unknown result leaves in the row."),
        key(
            "on_mismatch",
            choice!(OnMismatch),
            Default("\"return\""),
            "What to do with a row of other argument values. Only where `key` leaves `arguments` out.",
        ),
        key("ledger_loss", Kind::Probability, Default("0"), "Probability that the row of a replay's call is gone."),
        key("row_retention", SPAN, Optional, "The age at which a row is gone. Absent: kept for ever."),
        key("unavailable", Kind::Probability, Default("0"), "Probability that a dispatch cannot reach the ledger."),
        key(
            "on_unavailable",
            choice!(OnUnavailable),
            Default("\"fail\""),
            "Whether the attempt then fails, or runs the tool without the ledger. Needs `unavailable`.",
        ),
        key(
            "without_routes",
            Kind::List(&Kind::Name, 0, limits::ENTRIES),
            Default("[]"),
            "Routes that this policy also takes away.",
        ),
    ],
    exactly_one: &[],
};

static RUN: Table = Table {
    name: "[run]",
    doc: "How much is run.",
    keys: &[
        key("turns", Kind::Count(1, limits::TURNS), Default("2000000"), "Turns of each policy."),
        key("seed", Kind::Count(0, limits::SEED), Default("1"), "Of every random draw."),
        key("max_attempts", Kind::Count(1, limits::ATTEMPTS), Default("8"), "Attempts issued per turn at most."),
    ],
    exactly_one: &[],
};

static GATE: Table = Table {
    name: "[[gate]]",
    doc: "A condition on the result.",
    keys: &[
        key("policy", Kind::Name, Required, "Whose result."),
        key("metric", Kind::Text, Required, "A figure of the report by its path, such as `volume.duplicates`."),
        key("max", Kind::Number(ANY), Optional, "It is not more than this."),
        key("min", Kind::Number(ANY), Optional, "It is not less than this."),
        key("equals", Kind::Number(ANY), Optional, "It is exactly this."),
        key("agrees_with", Kind::Choice(|| vec!["exact"]), Optional, "It agrees with this estimate."),
        key(
            "sigmas",
            Kind::Number(Bounds::positive(100.0)),
            Optional,
            "Within this many standard errors. With `agrees_with` only; 4 where absent.",
        ),
        key(
            "judge",
            Kind::Choice(|| vec!["estimate", "interval"]),
            Optional,
            "Whether the figure itself is judged, or the bound of its interval on the wrong side. Absent: the figure \
             for counts, the interval for rates.",
        ),
    ],
    exactly_one: &[&["max", "min", "equals", "agrees_with"]],
};

const QUANTITY: Kind = Kind::Quantity(Zero::Allowed);
const POSITIVE: Kind = Kind::Quantity(Zero::Refused);

/// The range in which a family is computed to full precision.
const fn within(least: f64, most: f64) -> Kind {
    Kind::Number(Bounds { least, above: false, most })
}

/// The names of the families of distributions, of which exactly one stands in [`DISTRIBUTION`].
pub(in crate::scenario) const FAMILIES: &[&str] =
    &["uniform", "exponential", "lognormal", "gamma", "weibull", "pareto", "empirical", "mixture"];

/// A distribution that is no constant.
pub(in crate::scenario) static DISTRIBUTION: Table = Table {
    name: "a distribution",
    doc: "A family with its parameters, and what is done to it. A bare duration or amount is a constant.",
    keys: &[
        key("uniform", Kind::Table(&UNIFORM), Optional, "Evenly between two bounds."),
        key("exponential", Kind::Table(&EXPONENTIAL), Optional, "Without memory."),
        key("lognormal", Kind::Table(&LOGNORMAL), Optional, "The logarithm is normal: most latencies."),
        key("gamma", Kind::Table(&GAMMA), Optional, "A sum of exponentials, in any number."),
        key("weibull", Kind::Table(&WEIBULL), Optional, "A hazard that rises or falls as a power of time."),
        key("pareto", Kind::Table(&PARETO), Optional, "A tail that falls as a power."),
        key("empirical", Kind::Table(&EMPIRICAL), Optional, "Measured samples."),
        key("mixture", Kind::Tables(&MIXTURE, limits::PARTS), Optional, "One of several distributions, by weight."),
        key("shift", QUANTITY, Optional, "A constant added."),
        key(
            "truncate",
            POSITIVE,
            Optional,
            "After the shift: the distribution given that it does not exceed this. A given mean is that before the \
             truncation.",
        ),
    ],
    exactly_one: &[FAMILIES],
};

static UNIFORM: Table = Table {
    name: "uniform",
    doc: "Evenly between two bounds.",
    keys: &[
        key("min", QUANTITY, Required, "The least value."),
        key("max", QUANTITY, Required, "The greatest value, above the least."),
    ],
    exactly_one: &[],
};

static EXPONENTIAL: Table = Table {
    name: "exponential",
    doc: "Without memory.",
    keys: &[key("mean", POSITIVE, Required, "The mean.")],
    exactly_one: &[],
};

static LOGNORMAL: Table = Table {
    name: "lognormal",
    doc: "The logarithm is normal. Given by exactly two of its keys.",
    keys: &[
        key("mean", POSITIVE, Optional, "The mean."),
        key("median", POSITIVE, Optional, "Half of the values are below it."),
        key("p90", POSITIVE, Optional, "90% of the values are below it."),
        key("p95", POSITIVE, Optional, "95% of the values are below it."),
        key("p99", POSITIVE, Optional, "99% of the values are below it."),
        key("sigma", within(1e-6, 20.0), Optional, "Standard deviation of the logarithm."),
        key("cv", Kind::Number(Bounds::positive(1e6)), Optional, "Standard deviation over mean."),
    ],
    exactly_one: &[],
};

static GAMMA: Table = Table {
    name: "gamma",
    doc: "A sum of exponentials, in any number.",
    keys: &[
        key("mean", POSITIVE, Required, "The mean."),
        key("shape", within(0.01, 1e4), Optional, "How many exponentials."),
        key("cv", within(0.01, 10.0), Optional, "Standard deviation over mean."),
    ],
    exactly_one: &[&["shape", "cv"]],
};

static WEIBULL: Table = Table {
    name: "weibull",
    doc: "A hazard that rises or falls as a power of time.",
    keys: &[
        key("shape", within(0.05, 1000.0), Required, "Below 1 the hazard falls, above it rises."),
        key("scale", POSITIVE, Optional, "63.2% of the values are below it."),
        key("mean", POSITIVE, Optional, "The mean."),
    ],
    exactly_one: &[&["scale", "mean"]],
};

static PARETO: Table = Table {
    name: "pareto",
    doc: "A tail that falls as a power.",
    keys: &[
        key("min", POSITIVE, Required, "The least value."),
        key("alpha", within(0.1, 1000.0), Required, "The power. At 1 or below the mean is infinite."),
    ],
    exactly_one: &[],
};

static EMPIRICAL: Table = Table {
    name: "empirical",
    doc: "Measured samples, drawn with replacement.",
    keys: &[
        key("file", Kind::Text, Optional, "A CSV file, by its path from the scenario's folder."),
        key(
            "column",
            Kind::Text,
            Optional,
            "The heading of the column. Required where the file has more than one; with `file` only.",
        ),
        key("samples", Kind::List(&QUANTITY, 1, limits::SAMPLES), Optional, "The samples themselves."),
        key("smooth", Kind::Flag, Default("false"), "Whether values between the samples are interpolated."),
    ],
    exactly_one: &[&["file", "samples"]],
};

static MIXTURE: Table = Table {
    name: "mixture",
    doc: "A part of a mixture.",
    keys: &[
        key("weight", Kind::Number(Bounds::positive(limits::NUMBER)), Required, "How frequent, among the parts."),
        key("of", Kind::Distribution(None), Required, "What this part is."),
    ],
    exactly_one: &[],
};
