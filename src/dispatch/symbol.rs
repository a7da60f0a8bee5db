//! Calls by what a key can see of them, without hashing: two calls have the same key exactly when their symbols,
//! masked by the key's components, are equal (`tests/key` holds this against the real hash). The simulator compares
//! symbols millions of times a second; the judge names the component in which two keys differ.

use super::rule::{Component, KeyMask};

/// Argument values: two calls carry equal values exactly when these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Value {
    /// Where the value comes from: a pool, or one of the sources whose every value is new.
    pub source: u32,
    /// Which of that source's values.
    pub number: u64,
}

/// Everything a key can be made of, for one dispatched call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Symbol {
    /// The conversation.
    pub conversation: u32,
    /// The position that the attempt presents.
    pub position: u32,
    /// The tool.
    pub tool: u32,
    /// Earlier calls of the turn with the same tool and equal values.
    pub ordinal: u32,
    /// Earlier calls of the turn.
    pub call_number: u32,
    /// The argument values.
    pub value: Value,
    /// The arguments' text beyond their values: 0 is the text that equal values share, everything else is unique.
    pub text: u64,
    /// The provider's call id, unique.
    pub call_id: u64,
}

impl Symbol {
    /// The symbol with every component that `key` does not see blanked out: the key itself.
    #[must_use]
    pub fn seen_by(self, key: KeyMask) -> Symbol {
        let sees = |component| key.has(component);
        let arguments = sees(Component::Arguments);
        Symbol {
            conversation: if sees(Component::Conversation) { self.conversation } else { 0 },
            position: if sees(Component::Position) { self.position } else { 0 },
            tool: if sees(Component::Tool) { self.tool } else { 0 },
            ordinal: if sees(Component::Ordinal) { self.ordinal } else { 0 },
            call_number: if sees(Component::CallNumber) { self.call_number } else { 0 },
            value: if arguments { self.value } else { Value::default() },
            text: if arguments && !sees(Component::Canonical) { self.text } else { 0 },
            call_id: if sees(Component::CallId) { self.call_id } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_counts_exactly_where_the_key_sees_it() {
        let base = Symbol::default();
        let moved = |component| match component {
            Component::Conversation => Symbol { conversation: 1, ..base },
            Component::Position => Symbol { position: 1, ..base },
            Component::Tool => Symbol { tool: 1, ..base },
            Component::Ordinal => Symbol { ordinal: 1, ..base },
            Component::Arguments => Symbol { value: Value { source: 1, number: 1 }, ..base },
            Component::Canonical => Symbol { text: 1, ..base },
            Component::CallId => Symbol { call_id: 1, ..base },
            Component::CallNumber => Symbol { call_number: 1, ..base },
        };
        for component in Component::ALL.iter().copied().filter(|c| *c != Component::Canonical) {
            let with = KeyMask::of(&[component, Component::Canonical]);
            let others: Vec<_> = Component::ALL.iter().copied().filter(|c| *c != component).collect();
            assert_ne!(base.seen_by(with), moved(component).seen_by(with), "{component}");
            let without = KeyMask::of(&others);
            assert_eq!(base.seen_by(without), moved(component).seen_by(without), "{component}");
        }
    }

    #[test]
    fn the_text_counts_only_without_canonical_arguments() {
        let respelt = Symbol { text: 9, ..Symbol::default() };
        let plain = KeyMask::of(&[Component::Tool, Component::Arguments]);
        assert_ne!(Symbol::default().seen_by(plain), respelt.seen_by(plain));
        assert_eq!(Symbol::default().seen_by(KeyMask::FULL), respelt.seen_by(KeyMask::FULL));
        let no_arguments = KeyMask::of(&[Component::Tool]);
        assert_eq!(Symbol::default().seen_by(no_arguments), respelt.seen_by(no_arguments));
    }
}
