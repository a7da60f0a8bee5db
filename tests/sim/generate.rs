//! Scenarios at random: every fault, route, policy and key of the model in any company that the format allows, at rates
//! high enough that all of it happens in a few hundred turns.

use proptest::prelude::*;
use proptest::sample::select;

/// The parts of a scenario file. Kept apart so that a law can ask for a scenario without some of them.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub stream: String,
    pub failure: String,
    pub tools: String,
    pub shapes: String,
    pub routes: String,
    pub model: String,
    pub population: String,
    pub policies: String,
}

impl Parts {
    pub(crate) fn text(&self) -> String {
        let Parts { stream, failure, tools, shapes, routes, model, population, policies } = self;
        format!(
            "schema = 1\nname = \"generated\"\n[volume]\nturns_per_month = 20000\n{stream}{failure}{tools}{shapes}{routes}\
             {model}{population}{policies}"
        )
    }
}

/// Which part of the model a law speaks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything.
    All,
    /// What the guarantee of the ledger with the full key stands under: the same arguments again, pinned positions, and
    /// no row lost, taken over or reclaimed; every other fault.
    Guaranteed,
}

const DURATIONS: [&str; 6] = [
    "\"0s\"",
    "\"700ms\"",
    "{ exponential = { mean = \"2s\" } }",
    "{ lognormal = { mean = \"3s\", cv = 0.8 } }",
    "{ uniform = { min = \"100ms\", max = \"4s\" } }",
    "{ gamma = { mean = \"1s\", shape = 2 }, shift = \"200ms\" }",
];

fn duration() -> impl Strategy<Value = &'static str> {
    select(DURATIONS.as_slice())
}

/// `text` or nothing, half and half.
fn maybe(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (any::<bool>(), text).prop_map(|(there, text)| if there { text } else { String::new() })
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(texts).prop_map(str::to_owned)
}

/// Handler and dispatch, with the failure table that they allow.
fn stream_and_failure() -> impl Strategy<Value = (String, String)> {
    let stream = (duration(), duration(), any::<bool>(), any::<bool>(), any::<bool>());
    let cuts = one_of(&[
        "hazard = { rate = 0 }\n",
        "hazard = { rate = 0.4, phases = { prelude = 0.5, gap = 2 } }\n",
        "hazard = { per_hour = 200 }\n",
        "hazard = { rate = 0.3 }\nreplay_rates = [0.6, 0.1]\n",
        "fraction = { rate = 0.4, window_fraction = 0.5 }\n",
    ]);
    let rest = (
        maybe(Just("silent = 0.3\n".to_owned())),
        maybe(one_of(&["idle_timeout = \"2s\"\n", "idle_timeout = \"6s\"\n"])),
        maybe(Just("crashes_per_hour = 150\n".to_owned())),
        maybe(Just("attempt_limit = \"15s\"\n".to_owned())),
        maybe(Just("incidents = { per_month = 300, duration = \"1h\", factor = 4 }\n".to_owned())),
    );
    (stream, cuts, rest).prop_map(|((gap, commit, concurrent, at_stop, cancel), cuts, rest)| {
        let (silent, idle, crashes, limit, incidents) = rest;
        let handler = if concurrent { "concurrent" } else { "blocking" };
        let dispatch = if at_stop { "message_stop" } else { "completion" };
        let on_cut = if cancel { "cancel" } else { "finish" };
        // A stream that takes no time at all has no hazard to be solved for.
        let stream = format!(
            "[stream]\nprelude = {{ exponential = {{ mean = \"3s\" }} }}\ngap = {gap}\ncommit = {commit}\nhandler = \
             \"{handler}\"\ndispatch = \"{dispatch}\"\non_cut = \"{on_cut}\"\n"
        );
        let idle = if concurrent || at_stop { String::new() } else { idle };
        (stream, format!("[failure]\n{cuts}{silent}{idle}{crashes}{limit}{incidents}"))
    })
}

fn tool(name: &'static str, class: &'static str, scope: Scope) -> impl Strategy<Value = String> {
    let all = scope == Scope::All;
    let client = one_of(&["client_timeout = \"3s\"\n", "client_timeout = \"2s\"\nclient_retries = 2\n"]);
    let keyed_only = one_of(&["retention = \"20s\"\n", "on_mismatch = \"reject\"\n", "retention = \"3s\"\n"]);
    let fates = (
        duration(),
        duration(),
        one_of(&["effect_at = 0\n", "effect_at = 1\n", "\n"]),
        maybe(Just("error_rate = 0.2\n".to_owned())),
        maybe(Just("unknown_rate = 0.2\n".to_owned())),
        maybe(client),
        maybe(keyed_only),
        maybe(one_of(&["distinct_arguments = 2\n", "distinct_arguments = 50\n"])),
        maybe(one_of(&["re_emits = { reworded = 0.3, dropped = 0.2 }\n", "re_emits = { dropped = 0.4 }\n"])),
    );
    fates.prop_map(move |(arguments, latency, effect_at, error, unknown, client, keyed, pool, drift)| {
        let keyed = if class == "keyed_write" && all { keyed } else { String::new() };
        // Requests below the ledger are outside the guarantee unless the downstream takes a key.
        let client = if all || class == "keyed_write" { client } else { String::new() };
        let drift = if all { drift } else { String::new() };
        let (query, effect_at) =
            if class == "read" { ("", String::new()) } else { ("status_query = true\n", effect_at) };
        format!(
            "[[tool]]\nname = \"{name}\"\nclass = \"{class}\"\narguments = {arguments}\nlatency = {latency}\n{effect_at}\
             {error}{unknown}{client}{keyed}{pool}{drift}{query}"
        )
    })
}

fn shapes() -> impl Strategy<Value = String> {
    let shape = one_of(&[
        "calls = [\"pay\"]\n",
        "calls = [\"send\"]\n",
        "calls = []\n",
        "calls = [\"pay\", \"look\", \"send\"]\n",
        "calls = [\"pay\", \"pay\"]\nsame_arguments = true\n",
        "steps = [[\"look\", \"pay\"], [\"send\"], []]\n",
        "steps = [[\"send\", \"send\"], [\"send\"]]\nsame_arguments = true\n",
    ]);
    prop::collection::vec(shape, 1..3).prop_map(|shapes| shapes.iter().map(|s| format!("[[shape]]\n{s}")).collect())
}

fn routes(scope: Scope) -> impl Strategy<Value = String> {
    let when =
        select(["stream_error", "crash", "refused", "slow", "failed_turn", "committed", "tool_error"].as_slice());
    let route = (when, any::<bool>(), any::<bool>(), duration(), 1_u32..3, select([0.5, 1.0].as_slice()));
    let route = route.prop_map(move |(when, moved, step, delay, max, probability)| {
        let position = if moved && scope == Scope::All { "conversation" } else { "pinned" };
        let resumes = if step && !matches!(when, "committed" | "tool_error") { "step" } else { "turn" };
        let after = if when == "slow" { "after = \"4s\"\n" } else { "" };
        format!(
            "when = \"{when}\"\nposition = \"{position}\"\nresumes = \"{resumes}\"\ndelay = {delay}\nmax = {max}\n\
             probability = {probability}\n{after}"
        )
    });
    prop::collection::vec(route, 1..5).prop_map(|routes| {
        routes.iter().enumerate().map(|(i, route)| format!("[[route]]\nname = \"route {i}\"\n{route}")).collect()
    })
}

/// Policies of a ledger and what it does on a conflict.
const CONFLICTS: [&str; 7] = [
    "",
    "wait_timeout = \"2s\"\n",
    "on_in_flight = \"fail\"\n",
    "on_in_flight = \"takeover\"\nlease = \"1s\"\n",
    "on_in_flight = \"takeover\"\nlease = \"3s\"\nrenew = true\n",
    "on_in_flight = \"reconcile\"\nlease = \"2s\"\n",
    "on_failed = \"reclaim\"\non_unknown = \"failed\"\n",
];
const LEDGER_FAILS: [&str; 4] =
    ["", "ledger_loss = 0.3\n", "row_retention = \"6s\"\n", "unavailable = 0.3\non_unavailable = \"run\"\n"];
const KEYS: [&str; 6] = [
    "",
    "key = [\"conversation\", \"tool\", \"ordinal\", \"arguments\", \"canonical\"]\n",
    "key = [\"conversation\", \"position\", \"tool\", \"ordinal\", \"arguments\"]\n",
    "key = [\"conversation\", \"position\", \"tool\"]\non_mismatch = \"fail\"\n",
    "key = [\"tool\", \"arguments\", \"canonical\", \"call_number\"]\n",
    "key = [\"call_id\", \"tool\"]\n",
];

fn policies(scope: Scope) -> impl Strategy<Value = String> {
    let all = scope == Scope::All;
    let conflicts = if all { &CONFLICTS[..] } else { &CONFLICTS[..3] };
    let fails = if all { &LEDGER_FAILS[..] } else { &["", "unavailable = 0.3\n"][..] };
    let keys = if all { &KEYS[..] } else { &KEYS[..1] };
    (select(conflicts), select(fails), select(keys)).prop_map(|(conflict, fail, key)| {
        let claiming = ["ledger", "ledger_and_header"];
        let mut text = "[[policy]]\nname = \"naive\"\ndispatcher = \"naive\"\n".to_owned();
        for dispatcher in claiming {
            text +=
                &format!("[[policy]]\nname = \"{dispatcher}\"\ndispatcher = \"{dispatcher}\"\n{conflict}{fail}{key}");
        }
        // Whatever becomes of its rows, a key that the downstream remembers still guards the tools that take one.
        text += "[[policy]]\nname = \"forgetful\"\ndispatcher = \"ledger_and_header\"\nledger_loss = 0.3\n\
                 row_retention = \"6s\"\nunavailable = 0.2\non_unavailable = \"run\"\n";
        for dispatcher in ["header", "record_after", "registry"] {
            text += &format!("[[policy]]\nname = \"{dispatcher}\"\ndispatcher = \"{dispatcher}\"\n");
        }
        text
    })
}

pub(crate) fn parts(scope: Scope) -> impl Strategy<Value = Parts> {
    let tools = (tool("look", "read", scope), tool("pay", "unkeyed_write", scope), tool("send", "keyed_write", scope));
    let model = one_of(&[
        "",
        "[model]\nre_emits = { reworded = 0.2, dropped = 0.1 }\nreserialised = 0.5\n",
        "[model]\nre_emits = { same = 1 }\nreserialised = 0\n",
    ]);
    let population = (1_u32..4, 1_u32..4, select([0.0, 0.4].as_slice()), any::<bool>());
    let world = (stream_and_failure(), tools, shapes(), routes(scope), model, population, policies(scope));
    world.prop_map(move |((stream, failure), (look, pay, send), shapes, routes, model, population, policies)| {
        let (conversations, turns, repeat, messages) = population;
        // A pool of values within one conversation and position is a legitimate second payment, not a duplicate: fine.
        let positions = if messages { "messages" } else { "committed" };
        let population = format!(
            "[population]\nconversations = {conversations}\nturns = {turns}\nrepeat = {repeat}\npositions = \"{positions}\"\n"
        );
        let model = if scope == Scope::All { model } else { String::new() };
        Parts { stream, failure, tools: format!("{look}{pay}{send}"), shapes, routes, model, population, policies }
    })
}
