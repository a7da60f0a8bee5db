//! Single turns whose every instant can be checked with a pencil: constant durations, cuts and crashes where the test
//! says. Unless said otherwise prelude 1 s, arguments 1 s, latency 4 s with the effect at 2 s, gap 2 s; blocking:
//! dispatched at 2, effect at 4, answered at 6, `message_stop` at 8.

use super::arena::Id;
use super::attempt::{Attempt, Fate};
use super::cell::{Cell, Extent};
use super::queue::Event;
use super::world::World;
use crate::audit::Tally;
use crate::scenario::{Input, Scenario, load};
use crate::time::{Instant, Span};
use crate::turn::{Cause, Died};
use std::collections::BTreeMap;

/// A scenario file in pieces, and a script of what strikes the attempts of the first turn, by attempt number in
/// seconds after its start.
#[derive(Clone, Copy)]
struct Script {
    dispatcher: &'static str,
    class: &'static str,
    calls: &'static str,
    stream: &'static str,
    failure: &'static str,
    tool: &'static str,
    shape: &'static str,
    routes: &'static str,
    population: &'static str,
    policy: &'static str,
    turns: u32,
    cuts: &'static [(u32, f64)],
    silent: &'static [(u32, f64)],
    crashes: &'static [(u32, f64)],
}

const PLAIN: Script = Script {
    dispatcher: "naive",
    class: "unkeyed_write",
    calls: r#"calls = ["pay"]"#,
    stream: "",
    failure: "",
    tool: "",
    shape: "",
    routes: "",
    population: "",
    policy: "",
    turns: 1,
    cuts: &[],
    silent: &[],
    crashes: &[],
};
const LEDGER: Script = Script { dispatcher: "ledger", ..PLAIN };
const TWO_CALLS: &str = r#"calls = ["pay", "pay"]"#;
const TWO_STEPS: &str = r#"steps = [["pay"], ["pay"]]"#;
const CONCURRENT: &str = r#"handler = "concurrent""#;
const AT_STOP: &str = r#"dispatch = "message_stop""#;
const CANCEL: &str = r#"on_cut = "cancel""#;
const RETRY: &str = "[[route]]\nname = 'retry'\nkind = 'auto_retry'\nmax = 3\n";
const SLOW_AT_3: &str = "[[route]]\nname = 'slow'\nkind = 'load_balancer'\nafter = '3s'\n";
const QUEUE_1: &str = "[[route]]\nname = 'queue'\nkind = 'job_queue'\ndelay = '1s'\nmax = 3\n";
const QUEUE_5: &str = "[[route]]\nname = 'queue'\nkind = 'job_queue'\ndelay = '5s'\nmax = 3\n";
const ON_ERROR: &str = "[[route]]\nname = 'error'\nwhen = 'tool_error'\n";
const RESEND: &str = "[[route]]\nname = 'resend'\nkind = 'user_resend'\nmax = 1\n";

/// How an attempt ended, seconds after its start, and seconds after the turn's.
type End = (&'static str, f64, f64);

struct Played {
    tally: Tally,
    ended: BTreeMap<u32, End>,
    effects_at: Vec<f64>,
    runs: usize,
}

impl Script {
    fn scenario(&self) -> Scenario {
        let Script {
            dispatcher, class, calls, stream, failure, tool, shape, routes, population, policy, turns, ..
        } = self;
        let text = format!(
            "schema = 1\nname = 't'\n[stream]\nprelude = '1s'\ngap = '2s'\n{stream}\n[failure]\nhazard = {{ rate = 0 }}\n\
             {failure}\n[[tool]]\nname = 'pay'\nclass = '{class}'\narguments = '1s'\nlatency = '4s'\n{tool}\n[[shape]]\n\
             {calls}\n{shape}\n{routes}\n[population]\nconversations = 1\nturns = {turns}\n{population}\n[[policy]]\n\
             name = 'p'\ndispatcher = '{dispatcher}'\n{policy}\n"
        );
        let input = Input { origin: "script".to_owned(), directory: None, text, sets: Vec::new() };
        match load(&input) {
            Ok(loaded) => loaded.scenario,
            Err(errors) => panic!("{}", errors.render(false)),
        }
    }

    fn play(&self) -> Played {
        let scenario = self.scenario();
        let world = World::new(&scenario, 1, u64::from(self.turns));
        let mut cell = Cell::new(&world, &scenario.policies[0]);
        cell.begin(Extent { first: 0, arrivals: u64::from(self.turns), conversations: 1, given: None });
        let mut played = Played { tally: Tally::new(1), ended: BTreeMap::new(), effects_at: Vec::new(), runs: 0 };
        let mut starts: Vec<Instant> = Vec::new();
        let mut last = Instant::ZERO;
        while let Some((at, event)) = cell.queue.pop() {
            let before = cell.tally.clone();
            if self.let_happen(&mut cell, at, event) {
                last = at;
            }
            while (starts.len() as u32) < cell.attempts.next() {
                self.schedule_script(&mut cell, Id::new(starts.len() as u32));
                starts.push(at);
            }
            for (i, start) in starts.iter().enumerate() {
                let attempt = &cell.attempts[Id::new(i as u32)];
                if attempt.fate == Fate::Ended && attempt.turn == 0 && !played.ended.contains_key(&attempt.number) {
                    let end = (how(&before, &cell.tally), seconds(at.since(*start)), seconds(at.since(starts[0])));
                    played.ended.insert(attempt.number, end);
                }
            }
            let effects: u32 = cell.history.runs.iter().map(|run| run.effects).sum();
            played.effects_at.resize(effects as usize, seconds(at.since(starts[0])));
        }
        cell.finish(last);
        played.runs = cell.history.runs.len();
        played.tally = cell.tally;
        played
    }

    /// As the event loop, but for silent ends, which the script decides instead of a draw.
    fn let_happen(&self, cell: &mut Cell<'_>, at: Instant, event: Event) -> bool {
        if let Event::Place(id) = event {
            let attempt = &cell.attempts[id];
            let silent = self.silent.iter().any(|(number, _)| *number == attempt.number);
            if silent && attempt.fate == Fate::Running && attempt.phase.is_open() {
                cell.now = at;
                cell.end_silently(id);
                return true;
            }
        }
        cell.happens(at, event)
    }

    fn schedule_script(&self, cell: &mut Cell<'_>, id: Id<Attempt>) {
        let (turn, number) = (cell.attempts[id].turn, cell.attempts[id].number);
        let mut schedule = |script: &[(u32, f64)], event: Event| {
            for (_, after) in script.iter().filter(|(n, _)| turn == 0 && *n == number) {
                cell.queue.schedule(cell.now + Span::from_seconds_f64(*after), event);
            }
        };
        schedule(self.cuts, Event::Place(id));
        schedule(self.silent, Event::Place(id));
        schedule(self.crashes, Event::Crash(id));
    }
}

fn seconds(span: Span) -> f64 {
    span.as_seconds_f64()
}

fn how(before: &Tally, after: &Tally) -> &'static str {
    match () {
        () if after.commits > before.commits => "committed",
        () if after.cuts > before.cuts => "cut",
        () if after.crashes > before.crashes => "crashed",
        () if after.refused > before.refused => "refused",
        () => "ended without being counted",
    }
}

impl Played {
    fn end(&self, number: u32) -> End {
        self.ended[&number]
    }
    fn cause(&self, cause: Cause) -> u64 {
        self.tally.causes[cause.index()]
    }
    fn died(&self, died: Died) -> u64 {
        self.tally.died[died.index()]
    }
    fn waited(&self) -> f64 {
        self.tally.waited_ns as f64 / 1e9
    }
}

// The streams, undisturbed.

#[test]
fn an_undisturbed_blocking_turn_commits_at_its_message_stop() {
    assert_eq!(PLAIN.play().end(1), ("committed", 8.0, 8.0));
    assert_eq!(Script { calls: TWO_CALLS, ..PLAIN }.play().end(1), ("committed", 13.0, 13.0));
    assert_eq!(Script { calls: TWO_STEPS, ..PLAIN }.play().end(1), ("committed", 16.0, 16.0));
    let text_last = r#"steps = [["pay"], []]"#;
    assert_eq!(Script { calls: text_last, ..PLAIN }.play().end(1), ("committed", 11.0, 11.0));
}

#[test]
fn a_concurrent_turn_commits_at_the_later_of_message_stop_and_its_answers() {
    let concurrent = Script { stream: CONCURRENT, ..PLAIN };
    assert_eq!(concurrent.play().end(1), ("committed", 6.0, 6.0));
    assert_eq!(Script { calls: TWO_CALLS, ..concurrent }.play().end(1), ("committed", 7.0, 7.0));
    let delayed = Script { stream: "handler = 'concurrent'\ncommit = '3s'", ..PLAIN };
    assert_eq!(delayed.play().end(1), ("committed", 9.0, 9.0));
}

#[test]
fn dispatch_at_message_stop_runs_the_stream_as_if_tools_took_no_time() {
    let at_stop = Script { stream: AT_STOP, ..PLAIN };
    assert_eq!(at_stop.play().end(1), ("committed", 8.0, 8.0));
    assert_eq!(Script { calls: TWO_CALLS, ..at_stop }.play().end(1), ("committed", 13.0, 13.0));
    let concurrent = "dispatch = 'message_stop'\nhandler = 'concurrent'";
    assert_eq!(Script { stream: concurrent, calls: TWO_CALLS, ..PLAIN }.play().end(1), ("committed", 9.0, 9.0));
}

// Cuts.

#[test]
fn a_finishing_handler_notices_a_cut_when_the_dispatcher_returns() {
    let played = Script { cuts: &[(1, 3.0)], routes: RETRY, ..PLAIN }.play();
    assert_eq!((played.end(1), played.end(2)), (("cut", 6.0, 6.0), ("committed", 8.0, 14.0)));
    assert_eq!(played.died(Died::InFlight), 1, "classified where it struck");
    assert_eq!((played.tally.duplicates, played.cause(Cause::NoMemory)), (1, 1));
}

#[test]
fn a_stored_result_takes_no_time() {
    let played = Script { cuts: &[(1, 3.0)], routes: RETRY, ..LEDGER }.play();
    assert_eq!(played.end(2), ("committed", 4.0, 10.0));
    assert_eq!((played.tally.duplicates, played.tally.conflicts), (0, 1));
}

#[test]
fn a_cancelled_call_leaves_its_row_in_flight_and_the_replay_waits_in_vain() {
    let played = Script { stream: CANCEL, cuts: &[(1, 3.0)], routes: RETRY, ..LEDGER }.play();
    assert_eq!((played.end(1), played.end(2)), (("cut", 3.0, 3.0), ("refused", 92.0, 95.0)));
    assert_eq!((played.tally.effects, played.tally.stuck, played.tally.failed_turns), (0, 1, 1));
}

#[test]
fn a_lease_counts_from_the_claim_and_a_takeover_after_the_effect_duplicates() {
    let policy = "on_in_flight = 'takeover'\nlease = '10s'";
    let played = Script { stream: CANCEL, cuts: &[(1, 5.0)], routes: RETRY, policy, ..LEDGER }.play();
    assert_eq!(played.end(2), ("committed", 13.0, 18.0));
    assert_eq!((played.tally.duplicates, played.cause(Cause::Takeover), played.waited()), (1, 1, 5.0));
}

#[test]
fn record_after_forgets_a_call_that_was_cancelled_after_its_effect() {
    let script = Script { dispatcher: "record_after", stream: CANCEL, cuts: &[(1, 5.0)], routes: RETRY, ..PLAIN };
    let played = script.play();
    assert_eq!((played.tally.duplicates, played.cause(Cause::RecordedTooLate)), (1, 1));
}

#[test]
fn a_call_cut_in_its_arguments_is_abandoned() {
    let played = Script { cuts: &[(1, 1.5)], routes: RETRY, ..PLAIN }.play();
    assert_eq!((played.tally.abandoned_calls, played.died(Died::Arguments), played.tally.effects), (1, 1, 1));
    let second = Script { calls: TWO_CALLS, cuts: &[(1, 6.5)], ..PLAIN }.play();
    assert_eq!(
        (second.died(Died::Returned), second.tally.abandoned_calls, second.tally.orphaned),
        (1, 1, 1),
        "the first call had returned"
    );
}

#[test]
fn a_turn_of_text_dies_before_any_call_in_its_gap_too() {
    assert_eq!(Script { calls: "calls = []", cuts: &[(1, 2.0)], ..PLAIN }.play().died(Died::BeforeCall), 1);
}

#[test]
fn a_cut_in_the_second_step_is_classified_over_the_whole_attempt() {
    let played = Script { calls: TWO_STEPS, cuts: &[(1, 8.5)], routes: RETRY, ..PLAIN }.play();
    assert_eq!((played.died(Died::Returned), played.tally.effects), (1, 2));
}

#[test]
fn an_unread_stream_is_cut_at_the_idle_time_out() {
    let idle = Script { failure: "idle_timeout = '3s'", routes: RETRY, ..LEDGER };
    let played = idle.play();
    assert_eq!((played.end(1), played.end(2)), (("cut", 6.0, 6.0), ("committed", 4.0, 10.0)));
    assert_eq!(played.tally.effects, 1);
    let cancelled = Script { dispatcher: "naive", stream: CANCEL, ..idle }.play();
    assert_eq!((cancelled.end(1), cancelled.tally.effects, cancelled.tally.failed_turns), (("cut", 5.0, 5.0), 4, 1));
    let policy = "on_in_flight = 'takeover'\nlease = '1s'";
    let for_ever = Script { stream: CANCEL, policy, ..idle }.play();
    assert_eq!((for_ever.tally.duplicates, for_ever.cause(Cause::Takeover), for_ever.tally.failed_turns), (3, 3, 1));
}

#[test]
fn a_dispatch_of_exactly_the_idle_time_out_is_not_cut() {
    let whole = Script { failure: "idle_timeout = '4s'", ..PLAIN }.play();
    assert_eq!((whole.end(1), whole.tally.cuts), (("committed", 8.0, 8.0), 0));
    let tool = "client_timeout = '1s'\nclient_retries = 2";
    let retried = Script { failure: "idle_timeout = '3s'", tool, ..PLAIN };
    assert_eq!((retried.play().end(1), retried.play().tally.cuts), (("committed", 7.0, 7.0), 0));
    assert_eq!(Script { failure: "idle_timeout = '2999ms'", ..retried }.play().tally.cuts, 1);
}

#[test]
fn a_look_at_the_instant_of_the_recording_but_before_it_is_too_early() {
    // The replay starts at 4 and looks at 6, where the first run is answered and recorded. Its look was scheduled at 5,
    // after the answer (at 2), so it comes second and finds the result; a run answered from 5.5 on is too late for it.
    let routes = "[[route]]\nname = 'slow'\nkind = 'load_balancer'\nafter = '4s'\n";
    let after = Script { dispatcher: "record_after", routes, ..PLAIN };
    assert_eq!(after.play().tally.duplicates, 0);
    let tool = "client_timeout = '3500ms'\nclient_retries = 1\neffect_at = 0";
    let routes = "[[route]]\nname = 'slow'\nkind = 'load_balancer'\nafter = '7500ms'\n";
    let before = Script { tool, routes, ..after }.play();
    assert_eq!((before.cause(Cause::RowLost), before.tally.cuts), (0, 0));
}

#[test]
fn at_message_stop_a_cut_never_finds_a_call_in_flight() {
    let script = Script { stream: AT_STOP, routes: RETRY, ..PLAIN };
    let gap = Script { cuts: &[(1, 3.0)], ..script }.play();
    assert_eq!((gap.died(Died::BeforeCall), gap.end(2)), (1, ("committed", 8.0, 11.0)));
    assert_eq!((gap.tally.effects, gap.tally.abandoned_calls), (1, 0));
    assert_eq!(Script { cuts: &[(1, 5.0)], ..script }.play().tally.attempts, 1, "no stream is open then");
    let second = Script { calls: TWO_STEPS, cuts: &[(1, 9.0)], ..script }.play();
    assert_eq!((second.died(Died::Returned), second.end(2)), (1, ("committed", 8.0, 17.0)));
    assert_eq!(second.tally.effects, 2);
    let crash = Script { crashes: &[(1, 7.0)], routes: QUEUE_5, ..script }.play();
    assert_eq!((crash.died(Died::InFlight), crash.tally.duplicates), (1, 1));
}

// Silent ends.

#[test]
fn a_silent_end_lets_running_calls_answer_and_commits() {
    let silent = Script { silent: &[(1, 3.0)], ..PLAIN };
    let played = Script { routes: RETRY, ..silent }.play();
    assert_eq!(played.end(1), ("committed", 6.0, 6.0));
    assert_eq!((played.tally.silent_cuts, played.tally.cuts, played.tally.attempts), (1, 0, 1));
    assert_eq!(Script { stream: CONCURRENT, ..silent }.play().end(1), ("committed", 6.0, 6.0));
    let cancel = Script { stream: CANCEL, ..silent }.play();
    assert_eq!(
        (cancel.end(1), cancel.tally.effects),
        (("committed", 6.0, 6.0), 1),
        "no one notices, nothing is dropped"
    );
    let at_stop = Script { stream: AT_STOP, ..silent }.play();
    assert_eq!((at_stop.end(1), at_stop.tally.effects), (("committed", 7.0, 7.0), 1), "what is whole is run");
}

#[test]
fn a_silent_end_abandons_the_streaming_block_and_later_steps() {
    let arguments = Script { silent: &[(1, 1.5)], routes: RETRY, ..PLAIN }.play();
    assert_eq!(arguments.end(1), ("committed", 1.5, 1.5));
    assert_eq!((arguments.tally.abandoned_calls, arguments.tally.unserved, arguments.tally.failed_turns), (1, 1, 0));
    let step = Script { silent: &[(1, 3.0)], calls: TWO_STEPS, ..PLAIN }.play();
    assert_eq!((step.end(1), step.tally.effects, step.tally.unserved), (("committed", 6.0, 6.0), 1, 1));
}

// Crashes and limits.

#[test]
fn a_crash_stops_the_run_it_was_in() {
    let played = Script { crashes: &[(1, 3.0)], routes: QUEUE_5, ..PLAIN }.play();
    assert_eq!((played.tally.effects, played.tally.duplicates, played.died(Died::InFlight)), (1, 0, 1));
}

#[test]
fn a_crash_leaves_the_row_as_it_stands() {
    let script = Script { routes: QUEUE_5, policy: "on_in_flight = 'fail'", ..LEDGER };
    let in_flight = Script { crashes: &[(1, 5.0)], ..script }.play();
    assert_eq!((in_flight.end(2), in_flight.tally.stuck, in_flight.tally.orphaned), (("refused", 2.0, 12.0), 1, 1));
    let in_the_gap = Script { crashes: &[(1, 6.5)], ..script }.play();
    assert_eq!((in_the_gap.end(2), in_the_gap.tally.effects), (("committed", 4.0, 15.5), 1));
}

#[test]
fn a_crash_before_the_cut_is_noticed_is_no_cut() {
    let played = Script { cuts: &[(1, 3.0)], crashes: &[(1, 5.0)], routes: RETRY, ..PLAIN }.play();
    assert_eq!((played.tally.cuts, played.tally.crashes, played.tally.attempts), (0, 1, 1));
}

#[test]
fn a_crash_between_message_stop_and_commit_finds_the_stream_stopped() {
    let played = Script { crashes: &[(1, 9.0)], stream: "commit = '2s'", ..PLAIN }.play();
    assert_eq!((played.died(Died::Stopped), played.tally.failed_turns, played.tally.orphaned), (1, 1, 1));
}

#[test]
fn an_attempt_at_its_limit_is_killed_even_at_the_instant_of_its_commit() {
    let played = Script { failure: "attempt_limit = '5s'", routes: QUEUE_1, ..PLAIN }.play();
    assert_eq!(played.end(1), ("crashed", 5.0, 5.0));
    assert_eq!((played.tally.crashes, played.tally.effects, played.tally.failed_turns), (4, 4, 1));
    assert_eq!(Script { failure: "attempt_limit = '8s'", routes: QUEUE_1, ..PLAIN }.play().tally.crashes, 4);
}

// Overlap.

#[test]
fn a_slow_attempt_is_overlapped_and_the_replay_waits_for_its_row() {
    let script = Script { routes: SLOW_AT_3, ..LEDGER };
    let played = script.play();
    assert_eq!((played.end(1), played.end(2)), (("committed", 8.0, 8.0), ("committed", 5.0, 8.0)));
    assert_eq!((played.waited(), played.tally.commits), (1.0, 2));
    let impatient = Script { policy: "wait_timeout = '500ms'", ..script }.play();
    assert_eq!((impatient.end(2), impatient.tally.failed_turns), (("refused", 2.5, 5.5), 0));
}

#[test]
fn a_takeover_of_a_living_claimant_lets_both_have_their_effect() {
    let policy = "on_in_flight = 'takeover'\nlease = '2s'";
    let played = Script { routes: SLOW_AT_3, policy, ..LEDGER }.play();
    assert_eq!((played.tally.duplicates, played.cause(Cause::Takeover)), (1, 1));
    assert_eq!(played.effects_at, [4.0, 7.0]);
}

#[test]
fn a_keyed_downstream_collapses_the_second_request_until_it_forgets() {
    let script = Script { dispatcher: "header", class: "keyed_write", routes: SLOW_AT_3, ..PLAIN };
    assert_eq!((script.play().tally.effects, script.play().runs), (1, 2));
    let forgetful = Script { tool: "retention = '2s'", ..script }.play();
    assert_eq!((forgetful.tally.duplicates, forgetful.cause(Cause::HeaderExpired)), (1, 1));
}

#[test]
fn an_attempt_that_has_committed_is_not_slow() {
    let routes = "[[route]]\nname = 'slow'\nkind = 'load_balancer'\nafter = '9s'\n";
    assert_eq!(Script { routes, ..PLAIN }.play().tally.attempts, 1);
}

#[test]
fn a_detached_run_completes_its_row_and_the_replay_waits_for_it() {
    let script = Script { stream: CONCURRENT, cuts: &[(1, 3.0)], routes: RETRY, ..LEDGER };
    let played = script.play();
    assert_eq!((played.end(1), played.end(2)), (("cut", 3.0, 3.0), ("committed", 4.0, 7.0)));
    assert_eq!((played.tally.effects, played.waited()), (1, 1.0));
    let late = Script { dispatcher: "record_after", ..script }.play();
    assert_eq!((late.tally.duplicates, late.cause(Cause::RecordedTooLate)), (1, 1));
}

#[test]
fn a_concurrent_call_cancelled_before_its_effect_has_none() {
    let stream = "handler = 'concurrent'\non_cut = 'cancel'";
    assert_eq!(Script { stream, cuts: &[(1, 3.0)], ..PLAIN }.play().tally.effects, 0);
}

#[test]
fn a_concurrent_crash_after_message_stop_finds_the_call_in_flight() {
    let played = Script { stream: CONCURRENT, crashes: &[(1, 5.0)], ..PLAIN }.play();
    assert_eq!((played.died(Died::InFlight), played.tally.effects), (1, 1));
}

// Positions.

#[test]
fn a_resend_after_the_commit_is_recognised_only_where_the_position_is_pinned() {
    let moved = "[[route]]\nname = 'lost ack'\nwhen = 'committed'\nposition = 'conversation'\ndelay = '1s'\n";
    let played = Script { routes: moved, ..LEDGER }.play();
    assert_eq!((played.tally.duplicates, played.cause(Cause::PositionChanged)), (1, 1));
    let pinned = "[[route]]\nname = 'lost ack'\nwhen = 'committed'\nposition = 'pinned'\ndelay = '1s'\n";
    let played = Script { routes: pinned, ..LEDGER }.play();
    assert_eq!((played.tally.duplicates, played.tally.conflicts), (0, 1));
}

#[test]
fn of_two_resends_of_a_failed_turn_the_second_finds_the_position_moved_on() {
    let routes = "[[route]]\nname = 'a'\nkind = 'user_resend'\nmax = 1\n\
                  [[route]]\nname = 'b'\nkind = 'user_resend'\ndelay = '20s'\n";
    let played = Script { routes, cuts: &[(1, 3.0)], ..LEDGER }.play();
    assert_eq!((played.tally.duplicates, played.cause(Cause::PositionChanged)), (1, 1));
}

#[test]
fn where_messages_count_a_resend_is_new_to_the_ledger_and_a_pinned_retry_is_not() {
    let script = Script { cuts: &[(1, 3.0)], population: "positions = 'messages'", ..LEDGER };
    let resend = Script { routes: RESEND, ..script }.play();
    assert_eq!((resend.tally.duplicates, resend.cause(Cause::PositionChanged)), (1, 1));
    assert_eq!(Script { routes: RETRY, ..script }.play().tally.duplicates, 0);
}

#[test]
fn a_repeat_after_a_failed_turn_is_swallowed_unless_messages_count() {
    let script = Script { cuts: &[(1, 3.0)], turns: 2, population: "repeat = 1.0", ..LEDGER };
    let committed = script.play();
    assert_eq!((committed.tally.swallowed, committed.tally.effects), (1, 1));
    let messages = Script { population: "repeat = 1.0\npositions = 'messages'", ..script }.play();
    assert_eq!((messages.tally.swallowed, messages.tally.effects), (0, 2));
}

// Results.

#[test]
fn an_unknown_written_off_and_reclaimed_is_a_duplicate() {
    let policy = "on_unknown = 'failed'\non_failed = 'reclaim'";
    let played = Script { tool: "unknown_rate = 1.0", routes: ON_ERROR, policy, ..LEDGER }.play();
    assert_eq!((played.tally.duplicates, played.cause(Cause::ReclaimedUnknown)), (1, 1));
}

#[test]
fn an_unknown_left_in_flight_makes_the_replay_wait_in_vain() {
    let played = Script { tool: "unknown_rate = 1.0", routes: ON_ERROR, ..LEDGER }.play();
    assert_eq!(played.end(2), ("refused", 92.0, 100.0));
    assert_eq!((played.tally.failed_turns, played.tally.stuck), (0, 1));
}

#[test]
fn a_stored_error_is_raised_at_once() {
    let played = Script { tool: "error_rate = 1.0", routes: ON_ERROR, ..LEDGER }.play();
    assert_eq!((played.end(2), played.tally.effects, played.runs), (("committed", 4.0, 12.0), 0, 1));
}

// Keys within one turn.

#[test]
fn the_ordinal_tells_twins_apart_within_a_step_and_over_steps() {
    let twins = Script { calls: TWO_CALLS, shape: "same_arguments = true", ..LEDGER }.play();
    assert_eq!((twins.tally.effects, twins.tally.swallowed), (2, 0));
    let script =
        Script { calls: TWO_STEPS, shape: "same_arguments = true", cuts: &[(1, 8.5)], routes: RETRY, ..LEDGER };
    let resumed = script.play();
    assert_eq!((resumed.tally.effects, resumed.tally.swallowed), (2, 0));
}

#[test]
fn without_arguments_the_ordinal_tells_no_different_calls_apart() {
    let policy = "key = ['conversation', 'position', 'tool', 'ordinal']";
    let blocking = Script { calls: TWO_CALLS, policy, ..LEDGER }.play();
    assert_eq!((blocking.tally.effects, blocking.tally.swallowed, blocking.tally.crossed), (1, 1, 0));
    let concurrent = Script { calls: TWO_CALLS, policy, stream: CONCURRENT, ..LEDGER }.play();
    assert_eq!((concurrent.tally.waits, concurrent.waited()), (1, 3.0));
    assert_eq!(concurrent.end(1), ("committed", 6.0, 6.0));
    let numbered = "key = ['conversation', 'position', 'tool', 'call_number']";
    let told_apart = Script { calls: TWO_CALLS, policy: numbered, ..LEDGER }.play();
    assert_eq!((told_apart.tally.effects, told_apart.tally.swallowed), (2, 0));
}

// Steps.

#[test]
fn a_stepwise_replay_keeps_finished_steps_and_a_whole_one_sends_them_again() {
    let script = Script { calls: TWO_STEPS, cuts: &[(1, 11.0)], routes: RETRY, ..PLAIN };
    let step = script.play();
    assert_eq!((step.end(1), step.end(2)), (("cut", 14.0, 14.0), ("committed", 8.0, 22.0)));
    assert_eq!((step.tally.effects, step.tally.duplicates), (3, 1));
    let routes = "[[route]]\nname = 'retry'\nkind = 'auto_retry'\nmax = 3\nresumes = 'turn'\n";
    let whole = Script { routes, ..script }.play();
    assert_eq!(whole.end(2), ("committed", 16.0, 30.0));
    assert_eq!((whole.tally.effects, whole.tally.duplicates), (4, 2));
}

#[test]
fn a_replay_with_nothing_left_to_send_commits_after_its_commit_time() {
    let routes = "[[route]]\nname = 'queue'\nkind = 'job_queue'\ndelay = '5s'\nmax = 3\nresumes = 'step'\n";
    let script = Script { calls: TWO_STEPS, crashes: &[(1, 16.5)], stream: "commit = '1s'", routes, ..PLAIN };
    let played = script.play();
    assert_eq!((played.died(Died::Stopped), played.end(2)), (1, ("committed", 1.0, 22.5)));
}

// Below the ledger.

#[test]
fn a_request_given_up_has_its_effect_all_the_same() {
    let unheard = Script { tool: "client_timeout = '3s'", ..PLAIN }.play();
    assert_eq!((unheard.end(1), unheard.tally.effects), (("committed", 7.0, 7.0), 1));
    let early = Script { tool: "client_timeout = '1s'", ..PLAIN }.play();
    assert_eq!(
        (early.end(1), early.tally.effects),
        (("committed", 5.0, 5.0), 1),
        "the effect at 4 follows the end at 3"
    );
    let unknown = Script { tool: "client_timeout = '6s'\nunknown_rate = 1.0", ..PLAIN }.play();
    assert_eq!(unknown.end(1), ("committed", 10.0, 10.0), "an unknown takes the client's time-out");
}

#[test]
fn the_tools_own_retries_duplicate_below_the_ledger_unless_a_key_collapses_them() {
    let tool = "client_timeout = '3s'\nclient_retries = 2";
    let played = Script { tool, ..PLAIN }.play();
    assert_eq!(played.end(1), ("committed", 13.0, 13.0));
    assert_eq!((played.tally.effects, played.cause(Cause::BelowTheLedger)), (3, 2));
    let keyed = Script { tool, dispatcher: "header", class: "keyed_write", ..PLAIN }.play();
    assert_eq!(keyed.tally.effects, 1);
}

#[test]
fn a_crash_stops_every_effect_of_a_run_that_has_not_ended() {
    let two_more = "client_timeout = '3s'\nclient_retries = 2";
    assert_eq!(Script { tool: two_more, crashes: &[(1, 5.5)], ..PLAIN }.play().tally.effects, 1);
    let early = "client_timeout = '1s'\nclient_retries = 2";
    assert_eq!(Script { tool: early, crashes: &[(1, 3.5)], ..PLAIN }.play().tally.effects, 0);
}

// Refusals.

#[test]
fn a_refused_attempt_sets_off_its_own_route() {
    let routes = "[[route]]\nname = 'retry'\nkind = 'auto_retry'\nmax = 3\n\
                  [[route]]\nname = 'refused'\nwhen = 'refused'\ndelay = '10s'\nmax = 3\n";
    let policy = "on_in_flight = 'fail'";
    let played = Script { stream: CONCURRENT, cuts: &[(1, 3.0)], routes, policy, ..LEDGER }.play();
    assert_eq!((played.end(2), played.end(3)), (("refused", 2.0, 5.0), ("committed", 4.0, 19.0)));
    assert_eq!((played.tally.refused, played.tally.effects), (1, 1));
}

// What the model says again.

#[test]
fn drift_is_the_routes_before_the_tools() {
    let script = Script { cuts: &[(1, 3.0)], routes: RETRY, tool: "re_emits = { reworded = 1.0 }", ..LEDGER };
    let tools = script.play();
    assert_eq!((tools.tally.duplicates, tools.cause(Cause::ArgumentsChanged)), (1, 1));
    let routes = "[[route]]\nname = 'retry'\nkind = 'auto_retry'\nmax = 3\nre_emits = { reworded = 0 }\n";
    assert_eq!(Script { routes, ..script }.play().tally.duplicates, 0);
}

#[test]
fn a_row_with_other_arguments_answers_or_refuses() {
    let tool = "re_emits = { reworded = 1.0 }";
    let policy = "key = ['conversation', 'position', 'tool']";
    let script = Script { cuts: &[(1, 3.0)], routes: RETRY, tool, policy, ..LEDGER };
    let stored = script.play();
    assert_eq!((stored.tally.duplicates, stored.end(2)), (0, ("committed", 4.0, 10.0)));
    let policy = "key = ['conversation', 'position', 'tool']\non_mismatch = 'fail'";
    let refused = Script { policy, ..script }.play();
    assert_eq!((refused.end(2), refused.tally.refused), (("refused", 2.0, 8.0), 1));
    let tool = "re_emits = { reworded = 1.0 }\non_mismatch = 'reject'";
    let rejected = Script { dispatcher: "header", class: "keyed_write", tool, ..script }.play();
    assert_eq!((rejected.tally.effects, rejected.end(2)), (1, ("committed", 8.0, 14.0)));
}

// Leases.

#[test]
fn a_renewed_lease_protects_the_living_and_frees_the_rows_of_the_dead() {
    let living =
        Script { routes: SLOW_AT_3, policy: "on_in_flight = 'takeover'\nlease = '2s'\nrenew = true", ..LEDGER };
    assert_eq!((living.play().tally.duplicates, living.play().waited()), (0, 1.0));
    let policy = "on_in_flight = 'takeover'\nlease = '10s'\nrenew = true";
    let dead = Script { crashes: &[(1, 3.0)], routes: QUEUE_1, policy, ..LEDGER }.play();
    assert_eq!((dead.end(2), dead.tally.effects, dead.waited()), (("committed", 15.0, 19.0), 1, 7.0));
}

#[test]
fn a_reconciled_row_completes_where_an_effect_is_found_and_is_claimed_anew_else() {
    let policy = "on_in_flight = 'reconcile'\nlease = '10s'";
    let script = Script { tool: "status_query = true", routes: QUEUE_1, policy, ..LEDGER };
    let found = Script { crashes: &[(1, 5.0)], ..script }.play();
    assert_eq!((found.end(2), found.tally.effects, found.tally.stuck), (("committed", 8.0, 14.0), 1, 0));
    let none = Script { crashes: &[(1, 3.0)], ..script }.play();
    assert_eq!((none.end(2), none.tally.effects, none.tally.claims), (("committed", 14.0, 18.0), 1, 2));
}

// The ledger's own failures.

#[test]
fn a_row_past_its_retention_is_gone() {
    let routes = "[[route]]\nname = 'retry'\nkind = 'auto_retry'\ndelay = '10s'\n";
    let script = Script { cuts: &[(1, 3.0)], routes, ..LEDGER };
    let gone = Script { policy: "row_retention = '10s'", ..script }.play();
    assert_eq!((gone.tally.duplicates, gone.cause(Cause::RowLost)), (1, 1));
    assert_eq!(Script { policy: "row_retention = '17s'", ..script }.play().tally.duplicates, 0);
}

#[test]
fn without_its_ledger_a_dispatcher_refuses_or_runs_unguarded() {
    let refused = Script { policy: "unavailable = 1.0", ..LEDGER }.play();
    assert_eq!((refused.end(1), refused.tally.failed_turns), (("refused", 2.0, 2.0), 1));
    let policy = "unavailable = 1.0\non_unavailable = 'run'";
    let unguarded = Script { cuts: &[(1, 3.0)], routes: RETRY, policy, ..LEDGER }.play();
    assert_eq!((unguarded.tally.duplicates, unguarded.cause(Cause::Unavailable), unguarded.tally.claims), (1, 1, 0));
}
