//! A ledger in memory, generic over the key, the body that a row keeps of its arguments, and the result it stores.

use crate::dispatch::machine::{ClaimId, RowState, Sight};
use crate::time::{Instant, Span};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row<B, R> {
    claim: ClaimId,
    body: B,
    claimed_at: Instant,
    stopped_at: Option<Instant>,
    state: RowState,
    result: Option<R>,
}

/// Rows by key.
#[derive(Debug, Clone)]
pub struct Memory<K, B, R> {
    rows: FxHashMap<K, Row<B, R>>,
    claims: u64,
    retention: Option<Span>,
}

impl<K: Eq + Hash + Copy, B: Eq + Copy, R: Copy> Memory<K, B, R> {
    /// An empty ledger whose rows are gone at age `retention`, counted from their claim; kept for ever without.
    #[must_use]
    pub fn new(retention: Option<Span>) -> Self {
        Memory { rows: FxHashMap::default(), claims: 0, retention }
    }

    /// Forgets everything, claims included.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.claims = 0;
    }

    /// The row of `key` as a call with this `body` finds it at `now`. A row past its retention is gone.
    pub fn find(&mut self, key: &K, body: B, now: Instant) -> Option<Sight> {
        let Entry::Occupied(entry) = self.rows.entry(*key) else { return None };
        if self.retention.is_some_and(|r| entry.get().claimed_at + r <= now) {
            entry.remove();
            return None;
        }
        let row = entry.get();
        Some(Sight {
            claim: row.claim,
            state: row.state,
            same_body: row.body == body,
            claimed_at: row.claimed_at,
            stopped_at: row.stopped_at,
        })
    }

    /// Inserts a row in flight if the key has none.
    ///
    /// # Errors
    /// The row that is there.
    pub fn claim(&mut self, key: &K, body: B, now: Instant) -> Result<ClaimId, Sight> {
        match self.find(key, body, now) {
            Some(sight) => Err(sight),
            None => Ok(self.write(key, body, now)),
        }
    }

    /// Replaces the row of the claim `old` by one of its own.
    ///
    /// # Errors
    /// The row that is there now, or `None` where the key has none.
    pub fn take_over(&mut self, key: &K, old: ClaimId, body: B, now: Instant) -> Result<ClaimId, Option<Sight>> {
        match self.find(key, body, now) {
            Some(sight) if sight.claim == old => Ok(self.write(key, body, now)),
            sight => Err(sight),
        }
    }

    /// Completes the row of `claim`; says whether it was still that claim's.
    pub fn complete(&mut self, key: &K, claim: ClaimId, result: R, now: Instant) -> bool {
        self.update(key, claim, now, |row| {
            row.state = RowState::Completed;
            row.result = Some(result);
        })
    }

    /// Fails the row of `claim`; says whether it was still that claim's.
    pub fn fail(&mut self, key: &K, claim: ClaimId, now: Instant) -> bool {
        self.update(key, claim, now, |row| row.state = RowState::Failed)
    }

    /// Notes that the claimant of `claim` stopped running without recording anything; says whether the row was still
    /// that claim's and in flight.
    pub fn stop(&mut self, key: &K, claim: ClaimId, now: Instant) -> bool {
        let mut in_flight = false;
        self.update(key, claim, now, |row| {
            in_flight = row.state == RowState::InFlight;
            row.stopped_at = Some(now);
        });
        in_flight
    }

    /// Inserts a completed row if the key has none: record after success. The first result stays. Says whether it
    /// wrote one.
    pub fn insert(&mut self, key: &K, body: B, result: R, now: Instant) -> bool {
        self.claim(key, body, now).is_ok_and(|claim| self.complete(key, claim, result, now))
    }

    /// Loses the row of `key`, if there is one; says whether there was.
    pub fn lose(&mut self, key: &K) -> bool {
        self.rows.remove(key).is_some()
    }

    /// The result stored under `key`.
    #[must_use]
    pub fn result(&self, key: &K) -> Option<R> {
        self.rows.get(key).and_then(|row| row.result)
    }

    /// When the row of `key` goes of itself.
    #[must_use]
    pub fn expires_at(&self, key: &K) -> Option<Instant> {
        self.retention.and_then(|r| self.rows.get(key).map(|row| row.claimed_at + r))
    }

    /// Rows in flight at `now`.
    #[must_use]
    pub fn in_flight(&self, now: Instant) -> u64 {
        let kept = |row: &&Row<B, R>| self.retention.is_none_or(|r| now < row.claimed_at + r);
        self.rows.values().filter(|row| row.state == RowState::InFlight).filter(kept).count() as u64
    }

    fn write(&mut self, key: &K, body: B, now: Instant) -> ClaimId {
        self.claims += 1;
        let claim = ClaimId(self.claims);
        let row = Row { claim, body, claimed_at: now, stopped_at: None, state: RowState::InFlight, result: None };
        self.rows.insert(*key, row);
        claim
    }

    fn update(&mut self, key: &K, claim: ClaimId, now: Instant, change: impl FnOnce(&mut Row<B, R>)) -> bool {
        let retention = self.retention;
        match self.rows.get_mut(key) {
            Some(row) if row.claim == claim && retention.is_none_or(|r| now < row.claimed_at + r) => {
                change(row);
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Span::from_seconds(seconds)
    }

    #[test]
    fn of_two_claims_one_wins_and_the_other_sees_its_row() {
        let mut ledger = Memory::<u32, u32, u32>::new(None);
        let claim = ledger.claim(&1, 10, at(1)).expect("the key is free");
        let sight = ledger.claim(&1, 11, at(2)).expect_err("the key is taken");
        assert_eq!((sight.claim, sight.state, sight.same_body), (claim, RowState::InFlight, false));
        assert_eq!(sight.claimed_at, at(1));
        assert_eq!(ledger.in_flight(at(2)), 1);
    }

    #[test]
    fn a_run_whose_row_was_taken_over_completes_nothing() {
        let mut ledger = Memory::<u32, u32, u32>::new(None);
        let old = ledger.claim(&1, 10, at(1)).expect("free");
        let new = ledger.take_over(&1, old, 10, at(5)).expect("still the old claim's");
        assert!(ledger.take_over(&1, old, 10, at(5)).is_err());
        assert!(!ledger.complete(&1, old, 99, at(6)));
        assert!(!ledger.fail(&1, old, at(6)));
        assert!(ledger.complete(&1, new, 42, at(7)));
        assert_eq!(ledger.result(&1), Some(42));
    }

    #[test]
    fn a_row_past_its_retention_is_gone_for_everyone() {
        let mut ledger = Memory::<u32, u32, u32>::new(Some(Span::from_seconds(10)));
        let claim = ledger.claim(&1, 10, at(0)).expect("free");
        assert_eq!(ledger.expires_at(&1), Some(at(10)));
        assert!(ledger.find(&1, 10, at(9)).is_some());
        assert_eq!((ledger.in_flight(at(9)), ledger.in_flight(at(10))), (1, 0));
        assert!(!ledger.complete(&1, claim, 5, at(10)));
        assert!(ledger.find(&1, 10, at(10)).is_none());
    }

    #[test]
    fn record_after_keeps_the_first_result() {
        let mut ledger = Memory::<u32, u32, u32>::new(None);
        ledger.insert(&1, 10, 5, at(0));
        ledger.insert(&1, 10, 6, at(1));
        assert_eq!(ledger.result(&1), Some(5));
        assert_eq!(ledger.in_flight(at(1)), 0);
    }

    #[test]
    fn a_lost_row_leaves_the_key_free_and_the_old_claim_powerless() {
        let mut ledger = Memory::<u32, u32, u32>::new(None);
        let old = ledger.claim(&1, 10, at(0)).expect("free");
        assert!(ledger.lose(&1) && !ledger.lose(&1));
        let new = ledger.claim(&1, 10, at(1)).expect("free again");
        assert!(new != old && !ledger.stop(&1, old, at(2)) && ledger.stop(&1, new, at(2)));
    }
}
