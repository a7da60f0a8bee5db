//! The event queue: by time, and at one instant in the order in which events were scheduled.

use super::arena::Id;
use super::attempt::{Attempt, Replay};
use super::dispatching::Call;
use crate::time::Instant;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is due. Events are never taken out of the queue: one that no longer applies is recognised when it comes (a
/// phase that is over has another epoch, an attempt that ended is marked) and changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The next turn of a conversation begins.
    Turn { conversation: u32 },
    /// A replay starts.
    Replay(Id<Replay>),
    /// A phase of a stream has run its time.
    PhaseOver(Id<Attempt>, u32),
    /// The hazard strikes in this phase.
    Cut(Id<Attempt>, u32),
    /// The stream was not read for too long in this phase.
    Idle(Id<Attempt>, u32),
    /// The place at which the attempt is cut (by fraction).
    Place(Id<Attempt>),
    /// The process dies, or is killed at its limit.
    Crash(Id<Attempt>),
    /// The attempt has become slow for this route.
    Slow(Id<Attempt>, u32),
    /// The turn is appended.
    Commit(Id<Attempt>),
    /// A waiting dispatch looks again; by the number of its wait.
    Wake(Id<Call>, u32),
    /// A request reaches the instant of its effect.
    Effect(Id<Call>, u32),
    /// A request is answered.
    Response(Id<Call>, u32),
    /// The tool's client gives a request up.
    GiveUp(Id<Call>, u32),
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    at: Instant,
    order: u64,
    event: Event,
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

/// Events to come. Those that are next lie in a short sorted list, which is all that a turn by itself ever needs; the
/// others in a heap.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The last is the next. None of them comes after one of `later`.
    next: Vec<Entry>,
    later: BinaryHeap<Reverse<Entry>>,
    scheduled: u64,
}

/// Events in the short list at most.
const SHORT: usize = 16;

impl Queue {
    #[inline]
    pub(super) fn schedule(&mut self, at: Instant, event: Event) {
        // What is due at the end of time never comes.
        if at == Instant::MAX {
            return;
        }
        let entry = Entry { at, order: self.scheduled, event };
        self.scheduled += 1;
        if self.later.peek().is_some_and(|Reverse(first)| *first < entry) {
            return self.later.push(Reverse(entry));
        }
        // An event comes after all that were scheduled for its instant before.
        let place = self.next.iter().rposition(|other| other.at > at).map_or(0, |later| later + 1);
        self.next.insert(place, entry);
        if self.next.len() > SHORT {
            self.later.push(Reverse(self.next.remove(0)));
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Instant, Event)> {
        let entry = self.next.pop().or_else(|| self.later.pop().map(|Reverse(entry)| entry))?;
        Some((entry.at, entry.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_schedule_comes_by_time_then_by_order(steps in prop::collection::vec(prop::option::of(0_u64..9), 0..200)) {
            let mut queue = Queue::default();
            let mut expected: Vec<(Instant, u32)> = Vec::new();
            let mut now = 0;
            for (number, step) in steps.iter().enumerate() {
                // A number schedules an event so much later; none pops one.
                if let Some(later) = step {
                    let at = Instant::from_nanos(now + later);
                    queue.schedule(at, Event::Turn { conversation: number as u32 });
                    expected.push((at, number as u32));
                    continue;
                }
                let first = expected.iter().min().copied();
                expected.retain(|event| Some(*event) != first);
                let popped = queue.pop();
                prop_assert_eq!(popped, first.map(|(at, n)| (at, Event::Turn { conversation: n })));
                now = popped.map_or(now, |(at, _)| at.as_nanos());
            }
        }
    }

    #[test]
    fn events_come_by_time_and_at_one_instant_in_scheduling_order() {
        let at = |s| Instant::ZERO + Span::from_seconds(s);
        let turn = |conversation| Event::Turn { conversation };
        let mut queue = Queue::default();
        for (second, conversation) in [(2, 0), (1, 1), (2, 2), (1, 3)] {
            queue.schedule(at(second), turn(conversation));
        }
        queue.schedule(Instant::MAX, turn(9));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        assert_eq!(order, [turn(1), turn(3), turn(0), turn(2)]);
    }
}
