//! What a turn has done to the world so far, as far as a later attempt or the count of duplicates can tell.

use std::collections::BTreeMap;

/// Probability by outcome. Ordered, so that sums are formed in the same order on every machine.
pub(super) type Mass<T> = BTreeMap<T, f64>;

/// Adds `probability` to that of `outcome`; what cannot happen takes no place.
pub(super) fn add<T: Ord>(mass: &mut Mass<T>, outcome: T, probability: f64) {
    if probability > 0.0 {
        *mass.entry(outcome).or_default() += probability;
    }
}

/// Adds every outcome of `from` at `factor` times its probability.
pub(super) fn add_all<T: Ord + Clone>(mass: &mut Mass<T>, from: &Mass<T>, factor: f64) {
    if factor > 0.0 {
        from.iter().for_each(|(outcome, probability)| add(mass, outcome.clone(), probability * factor));
    }
}

/// The same outcomes at `factor` times their probability.
pub(super) fn scaled<T: Ord>(mut mass: Mass<T>, factor: f64) -> Mass<T> {
    if factor == 0.0 {
        return Mass::new();
    }
    mass.values_mut().for_each(|probability| *probability *= factor);
    mass
}

/// The ledger's row of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Row {
    /// None.
    #[default]
    Absent,
    /// In flight; its claimant is dead, for how long is not known.
    InFlight,
    /// In flight, and its lease has certainly run out.
    Expired,
    /// Holds a result.
    Completed,
    /// Holds an error.
    Failed,
}

/// What is remembered under one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Memory {
    /// By the ledger.
    pub(super) row: Row,
    /// By the tool: whether a request under this key had an effect. Only kept where somebody asks.
    pub(super) effected: bool,
}

/// One call that the user meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Intent {
    /// Effects so far; of writes only.
    pub(super) effects: u16,
    /// Under its key at the original position, and at the position after the turn was appended. Every other key it
    /// may be given is used once, so that nothing needs to be known about it.
    pub(super) keys: [Memory; 2],
}

/// The intents of a turn in call order.
pub(super) type Intents = Box<[Intent]>;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// It committed, a silent end included.
    Committed {
        /// Whether some write had been answered with an error or unknown (where a route asks for it).
        erred: bool,
    },
    /// A cut was noticed.
    Cut,
    /// The process died.
    Crashed,
    /// The dispatcher failed it.
    Refused,
}

/// An attempt's end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ended {
    /// How.
    pub(super) end: End,
    /// The steps that were finished, those it kept included.
    pub(super) finished: usize,
    /// What the turn has done by then.
    pub(super) intents: Intents,
}
