//! The life of one dispatched call, without I/O.
//!
//! A driver asks [`Dispatch::action`] what to do next, does it, and hands back what happened with the time at which
//! it happened ([`Dispatch::handle`]), until the action is an [`Answer`]. The machine holds no clock, no ledger and
//! no tool; the simulator, the explorer and a handler over a real database all drive this one type. Dropping it is
//! the crash: what the ledger holds then is what a dead process leaves.
//!
//! ```text
//! never   ─────────────────────────────► Run ─────────────► Answer(Ran)
//! after    Find ─ absent ──────────────► Run ─ Record ────► Answer(Ran)
//!              └─ row ─────────────────────────────────────► Answer(Stored)
//! before   Claim ─ claimed ────────────► Run ─ Record ────► Answer(Ran)
//!            ▲ └─ row ─┬─ completed ──────────────────────► Answer(Stored)
//!            │         ├─ failed ─────────────────────────► Answer(StoredError), or TakeOver
//!            │         └─ in flight ─┬─ fail ─────────────► Answer(Refused)
//!            └──── woke ─────────────┼─ WaitUntil
//!                                    └─ lease is over ────► TakeOver, or Query ─► Settle or TakeOver
//! ```

use super::rule::{OnFailed, OnInFlight, OnMismatch, OnUnavailable, OnUnknown, Remember, Rule, Rules};
use crate::time::Instant;
use crate::turn::Class;

/// Names the claim that wrote a row. A row belongs to the claim that wrote it last; every write carries the claim it
/// was meant for, so that a run whose row was taken over or lost cannot touch the new one (fencing).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(pub u64);

/// What a row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// Claimed, not answered.
    InFlight,
    /// The run succeeded; the row holds its result.
    Completed,
    /// The run was refused by the tool, or ended unknown and was written off; the row holds its error.
    Failed,
}

/// A row as a dispatch finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// The claim it belongs to.
    pub claim: ClaimId,
    /// What it says.
    pub state: RowState,
    /// Whether it was written for the argument values of the looking call.
    pub same_body: bool,
    /// When it was claimed.
    pub claimed_at: Instant,
    /// When its claimant stopped running, where that is known (a claimant that renews its lease and no longer does).
    pub stopped_at: Option<Instant>,
}

/// How a tool run ended for its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The tool did it.
    Success,
    /// A definite refusal: nothing happened.
    Error,
    /// No response: it may have happened or not.
    Unknown,
}

/// What the driver must do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Look the key up. Answered by `Absent`, `Found` or `Unavailable`.
    Find,
    /// Insert a row in flight if the key has none, in one atomic step. Answered by `Claimed`, `Found` or `Unavailable`.
    Claim,
    /// Replace the row of this claim by one of our own, if it is still that claim's. Answered by `Claimed`, `Found`,
    /// `Absent` or `Unavailable`.
    TakeOver(ClaimId),
    /// Ask the tool what became of the key. Answered by `Queried`.
    Query(ClaimId),
    /// Complete the row of this claim with the result that the query found. Answered by `Recorded`, `Found` or `Absent`.
    Settle(ClaimId),
    /// Run the tool, with the key where `forward` says so. Answered by `Ran`.
    Run {
        /// Whether the key travels with the request.
        forward: bool,
    },
    /// Write what the run came to. Answered by `Recorded`, also where the row is no longer ours.
    Record {
        /// What to write where.
        write: Record,
        /// What the run came to.
        outcome: Outcome,
    },
    /// Sleep until the row changes or goes, at the latest until this instant. Answered by `Woke`.
    WaitUntil(Instant),
    /// Done: give the caller this answer. Nothing follows.
    Answer(Answer),
}

/// A write after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Our row completes with the result.
    Complete(ClaimId),
    /// Our row fails with the error.
    Fail(ClaimId),
    /// A completed row, where the key has none (record after success).
    Insert,
}

/// What the caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// What its own run came to.
    Ran(Outcome),
    /// The result stored in the row.
    Stored,
    /// The error stored in the row.
    StoredError,
    /// No answer: the attempt fails.
    Refused(Refusal),
}

/// Why the dispatcher fails an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The call is in flight elsewhere and the policy does not wait.
    InFlight,
    /// The row did not come to rest in time.
    TimedOut,
    /// The row was written for other arguments.
    Mismatch,
    /// The ledger cannot be reached.
    Unavailable,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The key has no row.
    Absent,
    /// The key has this row.
    Found(Sight),
    /// The row is ours.
    Claimed(ClaimId),
    /// The ledger cannot be reached.
    Unavailable,
    /// The run ended.
    Ran(Outcome),
    /// The tool answered the query: whether the key had an effect.
    Queried {
        /// Whether an effect has happened under the key.
        effect: bool,
    },
    /// The write is done.
    Recorded,
    /// The wait is over, or somebody thought so: a wake-up for nothing changes nothing.
    Woke,
}

/// One dispatched call on its way to an answer.
#[derive(Debug, Clone)]
pub struct Dispatch {
    rules: Rules,
    rule: Rule,
    deadline: Instant,
    dispatched_at: Instant,
    claim: Option<ClaimId>,
    without_ledger: bool,
    next: Action,
}

impl Dispatch {
    /// A call of a tool of this class, dispatched at `now` under `rules`.
    #[must_use]
    pub fn new(rules: &Rules, class: Class, now: Instant) -> Self {
        let rule = rules.dispatcher.rule(class);
        let deadline = now + rules.wait_timeout;
        let next = match rule.remember {
            Remember::Never => Action::Run { forward: rule.forward },
            Remember::After => Action::Find,
            Remember::Before => Action::Claim,
        };
        Dispatch { rules: *rules, rule, deadline, dispatched_at: now, claim: None, without_ledger: false, next }
    }

    /// What to do next. The same until [`Self::handle`] is called.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.next
    }

    /// The claim under which the call runs or ran, where it wrote a row.
    #[must_use]
    pub const fn claim(&self) -> Option<ClaimId> {
        self.claim
    }

    /// Takes in what happened at `now`.
    ///
    /// # Panics
    /// If the event cannot follow from the action: a bug of the driver.
    pub fn handle(&mut self, event: Event, now: Instant) {
        use Action::{Answer as Done, Claim, Find, Query, Record as Write, Run, Settle, TakeOver, WaitUntil};
        self.next = match (self.next, event) {
            (Find | Claim | TakeOver(_) | Settle(_), Event::Found(sight)) => self.on_row(sight, now),
            (Find | Claim | TakeOver(_), Event::Unavailable) => self.on_unavailable(),
            (Find, Event::Absent) => self.run(),
            (TakeOver(_) | Settle(_), Event::Absent) => Claim,
            (Claim | TakeOver(_), Event::Claimed(claim)) => {
                self.claim = Some(claim);
                self.run()
            }
            (Query(claim), Event::Queried { effect: true }) => Settle(claim),
            (Query(claim), Event::Queried { effect: false }) => TakeOver(claim),
            (Settle(_), Event::Recorded) => Done(Answer::Stored),
            (Run { .. }, Event::Ran(outcome)) => self.on_outcome(outcome),
            (Write { outcome, .. }, Event::Recorded) => Done(Answer::Ran(outcome)),
            (WaitUntil(_), Event::Woke) => Claim,
            (next, Event::Woke) => next,
            (action, event) => panic!("{event:?} cannot follow from {action:?}"),
        };
    }

    fn run(&self) -> Action {
        Action::Run { forward: self.rule.forward }
    }

    fn on_unavailable(&mut self) -> Action {
        match self.rules.on_unavailable {
            OnUnavailable::Fail => Action::Answer(Answer::Refused(Refusal::Unavailable)),
            OnUnavailable::Run => {
                self.without_ledger = true;
                self.run()
            }
        }
    }

    fn on_row(&self, row: Sight, now: Instant) -> Action {
        // Other arguments come first, whatever the row says: its result would be somebody else's.
        if !row.same_body && self.rules.on_mismatch == OnMismatch::Fail {
            return Action::Answer(Answer::Refused(Refusal::Mismatch));
        }
        match row.state {
            RowState::Completed => Action::Answer(Answer::Stored),
            RowState::Failed => match self.rules.on_failed {
                OnFailed::Raise => Action::Answer(Answer::StoredError),
                OnFailed::Reclaim => Action::TakeOver(row.claim),
            },
            RowState::InFlight => self.on_in_flight(row, now),
        }
    }

    fn on_in_flight(&self, row: Sight, now: Instant) -> Action {
        let (lease, reconcile) = match self.rules.on_in_flight {
            OnInFlight::Fail => return Action::Answer(Answer::Refused(Refusal::InFlight)),
            OnInFlight::Wait => (None, false),
            OnInFlight::Takeover(lease) => (Some(lease), false),
            OnInFlight::Reconcile(lease) => (Some(lease), true),
        };
        let free_at = lease.and_then(|lease| {
            let from = if lease.renew { row.stopped_at? } else { row.claimed_at };
            Some((from + lease.length).max(self.dispatched_at))
        });
        match free_at.filter(|at| *at <= self.deadline) {
            // A row that becomes free at the very deadline is taken: the lease is asked before the time-out.
            Some(at) if at <= now && reconcile => Action::Query(row.claim),
            Some(at) if at <= now => Action::TakeOver(row.claim),
            Some(at) => Action::WaitUntil(at),
            None if self.deadline <= now => Action::Answer(Answer::Refused(Refusal::TimedOut)),
            None => Action::WaitUntil(self.deadline),
        }
    }

    fn on_outcome(&self, outcome: Outcome) -> Action {
        let write = match (self.rule.remember, self.claim, outcome) {
            _ if self.without_ledger => None,
            (Remember::After, _, Outcome::Success) => Some(Record::Insert),
            (Remember::Before, Some(claim), Outcome::Success) => Some(Record::Complete(claim)),
            (Remember::Before, Some(claim), Outcome::Error) => Some(Record::Fail(claim)),
            (Remember::Before, Some(claim), Outcome::Unknown) if self.rules.on_unknown == OnUnknown::Failed => {
                Some(Record::Fail(claim))
            }
            _ => None,
        };
        match write {
            Some(write) => Action::Record { write, outcome },
            None => Action::Answer(Answer::Ran(outcome)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::rule::{Dispatcher, Lease};
    use crate::time::Span;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Span::from_seconds(seconds)
    }

    fn row(state: RowState) -> Sight {
        Sight { claim: ClaimId(7), state, same_body: true, claimed_at: at(0), stopped_at: None }
    }

    /// Plays `events`, each a second after the one before, from a dispatch at second 10; the actions in between.
    fn play(rules: &Rules, class: Class, events: &[Event]) -> Vec<Action> {
        let mut dispatch = Dispatch::new(rules, class, at(10));
        let mut actions = vec![dispatch.action()];
        for (i, event) in events.iter().enumerate() {
            dispatch.handle(*event, at(11 + i as u64));
            actions.push(dispatch.action());
        }
        actions
    }

    fn last(rules: &Rules, events: &[Event]) -> Action {
        *play(rules, Class::UnkeyedWrite, events).last().expect("there is a first action")
    }

    #[test]
    fn a_ledger_claims_before_it_runs_and_records_before_it_answers() {
        let events = [Event::Claimed(ClaimId(1)), Event::Ran(Outcome::Success), Event::Recorded];
        assert_eq!(
            play(&Rules::new(Dispatcher::LedgerAndHeader), Class::KeyedWrite, &events),
            [
                Action::Claim,
                Action::Run { forward: true },
                Action::Record { write: Record::Complete(ClaimId(1)), outcome: Outcome::Success },
                Action::Answer(Answer::Ran(Outcome::Success)),
            ]
        );
    }

    #[test]
    fn record_after_writes_only_a_success() {
        let rules = Rules::new(Dispatcher::RecordAfter);
        assert_eq!(
            last(&rules, &[Event::Absent, Event::Ran(Outcome::Success)]),
            Action::Record { write: Record::Insert, outcome: Outcome::Success }
        );
        for outcome in [Outcome::Error, Outcome::Unknown] {
            assert_eq!(last(&rules, &[Event::Absent, Event::Ran(outcome)]), Action::Answer(Answer::Ran(outcome)));
        }
    }

    #[test]
    fn naive_and_header_ask_no_ledger() {
        let naive = play(&Rules::new(Dispatcher::Naive), Class::KeyedWrite, &[Event::Ran(Outcome::Unknown)]);
        assert_eq!(naive, [Action::Run { forward: false }, Action::Answer(Answer::Ran(Outcome::Unknown))]);
        let header = play(&Rules::new(Dispatcher::Header), Class::KeyedWrite, &[]);
        assert_eq!(header, [Action::Run { forward: true }]);
    }

    #[test]
    fn registry_goes_by_the_class_of_the_tool() {
        let rules = Rules::new(Dispatcher::Registry);
        assert_eq!(play(&rules, Class::Read, &[]), [Action::Run { forward: false }]);
        assert_eq!(play(&rules, Class::KeyedWrite, &[]), [Action::Run { forward: true }]);
        assert_eq!(play(&rules, Class::UnkeyedWrite, &[]), [Action::Claim]);
    }

    #[test]
    fn a_completed_row_answers_and_a_failed_one_raises_or_is_claimed_anew() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        assert_eq!(last(&rules, &[Event::Found(row(RowState::Completed))]), Action::Answer(Answer::Stored));
        assert_eq!(last(&rules, &[Event::Found(row(RowState::Failed))]), Action::Answer(Answer::StoredError));
        rules.on_failed = OnFailed::Reclaim;
        assert_eq!(last(&rules, &[Event::Found(row(RowState::Failed))]), Action::TakeOver(ClaimId(7)));
    }

    #[test]
    fn another_body_is_refused_in_every_state_before_anything_else() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        rules.on_mismatch = OnMismatch::Fail;
        for state in [RowState::InFlight, RowState::Completed, RowState::Failed] {
            let sight = Sight { same_body: false, ..row(state) };
            assert_eq!(last(&rules, &[Event::Found(sight)]), Action::Answer(Answer::Refused(Refusal::Mismatch)));
        }
    }

    #[test]
    fn waiting_ends_at_the_deadline_counted_from_the_dispatch() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        rules.wait_timeout = Span::from_seconds(3);
        let found = Event::Found(row(RowState::InFlight));
        assert_eq!(last(&rules, &[found]), Action::WaitUntil(at(13)));
        // Woken for nothing at second 12 it looks again and goes on waiting; at 15 time is up.
        assert_eq!(last(&rules, &[found, Event::Woke, found]), Action::Answer(Answer::Refused(Refusal::TimedOut)));
        assert_eq!(last(&rules, &[found, Event::Woke, Event::Claimed(ClaimId(8))]), Action::Run { forward: false });
    }

    #[test]
    fn a_lease_frees_the_row_unless_that_is_after_the_deadline() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        let lease = |seconds, renew| Lease { length: Span::from_seconds(seconds), renew };
        let found = Event::Found(row(RowState::InFlight));
        rules.on_in_flight = OnInFlight::Takeover(lease(11, false));
        assert_eq!(last(&rules, &[found]), Action::TakeOver(ClaimId(7)));
        rules.on_in_flight = OnInFlight::Reconcile(lease(11, false));
        assert_eq!(last(&rules, &[found]), Action::Query(ClaimId(7)));
        assert_eq!(last(&rules, &[found, Event::Queried { effect: true }]), Action::Settle(ClaimId(7)));
        assert_eq!(last(&rules, &[found, Event::Queried { effect: false }]), Action::TakeOver(ClaimId(7)));
        rules.on_in_flight = OnInFlight::Takeover(lease(50, false));
        assert_eq!(last(&rules, &[found]), Action::WaitUntil(at(50)));
        rules.on_in_flight = OnInFlight::Takeover(lease(200, false));
        assert_eq!(last(&rules, &[found]), Action::WaitUntil(at(100)), "the default wait is 90 s");
    }

    #[test]
    fn a_renewed_lease_counts_from_the_end_of_the_claimant() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        rules.on_in_flight = OnInFlight::Takeover(Lease { length: Span::from_seconds(2), renew: true });
        let alive = row(RowState::InFlight);
        assert_eq!(last(&rules, &[Event::Found(alive)]), Action::WaitUntil(at(100)));
        let dead = Sight { stopped_at: Some(at(9)), ..alive };
        assert_eq!(last(&rules, &[Event::Found(dead)]), Action::TakeOver(ClaimId(7)));
    }

    #[test]
    fn a_row_that_changed_under_a_takeover_is_looked_at_again() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        rules.on_failed = OnFailed::Reclaim;
        let failed = Event::Found(row(RowState::Failed));
        assert_eq!(last(&rules, &[failed, Event::Absent]), Action::Claim);
        assert_eq!(last(&rules, &[failed, Event::Found(row(RowState::Completed))]), Action::Answer(Answer::Stored));
    }

    #[test]
    fn without_the_ledger_nothing_is_claimed_or_recorded() {
        let mut rules = Rules::new(Dispatcher::LedgerAndHeader);
        assert_eq!(last(&rules, &[Event::Unavailable]), Action::Answer(Answer::Refused(Refusal::Unavailable)));
        rules.on_unavailable = OnUnavailable::Run;
        assert_eq!(last(&rules, &[Event::Unavailable]), Action::Run { forward: true });
        assert_eq!(
            last(&rules, &[Event::Unavailable, Event::Ran(Outcome::Success)]),
            Action::Answer(Answer::Ran(Outcome::Success))
        );
    }

    #[test]
    fn an_unknown_leaves_the_row_in_flight_or_writes_it_off() {
        let mut rules = Rules::new(Dispatcher::Ledger);
        let events = [Event::Claimed(ClaimId(1)), Event::Ran(Outcome::Unknown)];
        assert_eq!(last(&rules, &events), Action::Answer(Answer::Ran(Outcome::Unknown)));
        rules.on_unknown = OnUnknown::Failed;
        let write = Record::Fail(ClaimId(1));
        assert_eq!(last(&rules, &events), Action::Record { write, outcome: Outcome::Unknown });
    }

    #[test]
    fn a_spurious_wake_changes_nothing() {
        let rules = Rules::new(Dispatcher::Ledger);
        let actions = play(&rules, Class::UnkeyedWrite, &[Event::Woke, Event::Claimed(ClaimId(1)), Event::Woke]);
        assert_eq!(actions[0], actions[1]);
        assert_eq!(actions[2], actions[3]);
    }

    #[test]
    #[should_panic(expected = "cannot follow from")]
    fn an_event_that_cannot_follow_is_a_bug_of_the_driver() {
        last(&Rules::new(Dispatcher::Naive), &[Event::Absent]);
    }
}
