//! Dispatchers as data: which memory each one has of a call, by the tool's class, and what it does with a row it
//! finds. One machine ([`super::machine`]) runs every combination.

use crate::time::Span;
use crate::turn::{Class, vocabulary};

vocabulary! {
    /// The six dispatchers.
    Dispatcher {
        /// Run every dispatched call.
        Naive = "naive",
        /// Look the key up; run if absent; record after success.
        RecordAfter = "record_after",
        /// Claim the key before running; on a conflict act on the row.
        Ledger = "ledger",
        /// No local memory; forward the key.
        Header = "header",
        /// Claim and forward.
        LedgerAndHeader = "ledger_and_header",
        /// By class: read nothing, keyed_write header, unkeyed_write ledger.
        Registry = "registry",
    }
}

/// When a row is written, if ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remember {
    /// No row.
    Never,
    /// After a success.
    After,
    /// Before the run: the claim.
    Before,
}

/// What a dispatcher does for a tool of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// When it writes a row.
    pub remember: Remember,
    /// Whether the key travels with the request.
    pub forward: bool,
}

impl Dispatcher {
    /// The table (dispatcher × class): the whole difference between the dispatchers.
    #[must_use]
    pub const fn rule(self, class: Class) -> Rule {
        use Remember::{After, Before, Never};
        let (remember, forward) = match (self, class) {
            (Dispatcher::Naive, _) | (Dispatcher::Registry, Class::Read) => (Never, false),
            (Dispatcher::RecordAfter, _) => (After, false),
            (Dispatcher::Ledger, _) | (Dispatcher::Registry, Class::UnkeyedWrite) => (Before, false),
            (Dispatcher::Header, _) | (Dispatcher::Registry, Class::KeyedWrite) => (Never, true),
            (Dispatcher::LedgerAndHeader, _) => (Before, true),
        };
        Rule { remember, forward }
    }
}

vocabulary! {
    /// One component of the key.
    Component {
        /// The conversation's id.
        Conversation = "conversation",
        /// The number of turns committed before the turn.
        Position = "position",
        /// The tool's name.
        Tool = "tool",
        /// The number of earlier calls of the turn with the same tool and equal arguments.
        Ordinal = "ordinal",
        /// The arguments.
        Arguments = "arguments",
        /// The arguments in canonical form rather than as serialised.
        Canonical = "canonical",
        /// The provider's call id, fresh in every attempt.
        CallId = "call_id",
        /// The number of earlier calls of the turn.
        CallNumber = "call_number",
    }
}

/// The components in use in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyMask(u8);

impl KeyMask {
    /// The key of `docs/model.md`: conversation, position, tool, ordinal, canonical arguments.
    pub const FULL: KeyMask = KeyMask(0b0011_1111);

    /// A mask of exactly these components.
    #[must_use]
    pub fn of(components: &[Component]) -> Self {
        KeyMask(components.iter().fold(0, |mask, c| mask | 1 << c.index()))
    }

    /// Whether the key sees this component.
    #[must_use]
    pub const fn has(self, component: Component) -> bool {
        self.0 >> component.index() & 1 == 1
    }

    /// The components in use, in the order of the model page.
    pub fn components(self) -> impl Iterator<Item = Component> {
        Component::ALL.iter().copied().filter(move |c| self.has(*c))
    }
}

/// What to do with a row that is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnInFlight {
    /// Wait until the row completes or fails, or the time-out; then fail the attempt.
    Wait,
    /// Fail the attempt now.
    Fail,
    /// Wait, but claim the row anew once its lease has run out.
    Takeover(Lease),
    /// As take-over, but ask the tool first what became of the key.
    Reconcile(Lease),
}

/// How long a claim protects its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Counted from the claim.
    pub length: Span,
    /// Counted instead from the instant the claimant stopped running.
    pub renew: bool,
}

vocabulary! {
    /// What to do with a row that failed.
    OnFailed {
        /// Answer with the stored error.
        Raise = "raise",
        /// Claim the row anew.
        Reclaim = "reclaim",
    }
}

vocabulary! {
    /// What an unknown result writes.
    OnUnknown {
        /// Nothing: the row stays in flight.
        InFlight = "in_flight",
        /// A failed row.
        Failed = "failed",
    }
}

vocabulary! {
    /// What to do with a row that was written for other argument values.
    OnMismatch {
        /// Treat it as the same call.
        Return = "return",
        /// Fail the attempt.
        Fail = "fail",
    }
}

vocabulary! {
    /// What to do when the ledger cannot be reached.
    OnUnavailable {
        /// Fail the attempt.
        Fail = "fail",
        /// Run without it: claim and record nothing, forward the key all the same.
        Run = "run",
    }
}

/// Everything that decides how one policy dispatches a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Which memory there is.
    pub dispatcher: Dispatcher,
    /// What the key sees.
    pub key: KeyMask,
    /// On a row in flight.
    pub on_in_flight: OnInFlight,
    /// How long a dispatch waits for a row, counted from the dispatch.
    pub wait_timeout: Span,
    /// On a failed row.
    pub on_failed: OnFailed,
    /// On an unknown result.
    pub on_unknown: OnUnknown,
    /// On a row with another body.
    pub on_mismatch: OnMismatch,
    /// On a ledger that cannot be reached.
    pub on_unavailable: OnUnavailable,
}

impl Rules {
    /// A dispatcher with the full key and every default of `docs/scenario.md`.
    #[must_use]
    pub const fn new(dispatcher: Dispatcher) -> Self {
        Rules {
            dispatcher,
            key: KeyMask::FULL,
            on_in_flight: OnInFlight::Wait,
            wait_timeout: Span::from_seconds(90),
            on_failed: OnFailed::Raise,
            on_unknown: OnUnknown::InFlight,
            on_mismatch: OnMismatch::Return,
            on_unavailable: OnUnavailable::Fail,
        }
    }
}
