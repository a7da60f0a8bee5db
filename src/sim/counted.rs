//! What of a turn's events is counted, other than from the history: the same counts as the event loop makes on its
//! way. A test adds them up over whole runs.

use super::explain::{Happened, Traced};
use super::notes::What;
use crate::audit::Tally;
use crate::dispatch::machine::Event;

/// Adds to `tally` what the events of one turn count.
pub(super) fn count(events: &[&Happened], calls: &[Traced], tally: &mut Tally) {
    for event in events {
        match event.what {
            What::AttemptBegins { .. } => tally.attempts += 1,
            What::CutNoticed(died) => {
                tally.cuts += 1;
                tally.died[died.index()] += 1;
            }
            What::Crashes(died) => {
                tally.crashes += 1;
                tally.died[died.index()] += 1;
            }
            What::Refused => tally.refused += 1,
            What::Abandons => tally.abandoned_calls += 1,
            What::Commits { silent } => {
                tally.commits += 1;
                tally.silent_cuts += u64::from(silent);
            }
            What::Resolved { capped, .. } => tally.capped_turns += u64::from(capped),
            _ => {}
        }
    }
    for (index, call) in calls.iter().enumerate() {
        let of_call = events.iter().filter(|event| event.call == Some(index));
        count_call(of_call.map(|event| (event.at_ns, event.what)), call.tool, tally);
    }
}

/// What the events of one call count.
fn count_call(events: impl Iterator<Item = (i64, What)>, tool: usize, tally: &mut Tally) {
    let (mut found, mut waiting) = (false, None);
    for (at_ns, what) in events {
        match what {
            What::Dispatched => {
                tally.calls += 1;
                tally.tools[tool].calls += 1;
            }
            What::Ledger { event: Event::Claimed(_), .. } => tally.claims += 1,
            What::Ledger { event: Event::Found(_), .. } if !found => {
                found = true;
                tally.conflicts += 1;
            }
            What::Waits { .. } if waiting.is_none() => {
                waiting = Some(at_ns);
                tally.waits += 1;
            }
            What::Runs { .. } | What::Answers { .. } | What::Dropped => {
                tally.waited_ns += waiting.take().map_or(0, |since| u128::from(at_ns.abs_diff(since)));
            }
            _ => {}
        }
    }
}
