//! The simulator compares symbols where a handler compares hashes: two calls have the same key exactly when their
//! masked symbols are equal.

use doublefire::dispatch::key::{Call, Key, derive_masked};
use doublefire::dispatch::rule::{Component, KeyMask};
use doublefire::dispatch::symbol::{Symbol, Value};
use proptest::prelude::*;

/// A call whose real components differ from another's exactly where the symbols do.
fn real_key(symbol: &Symbol, mask: KeyMask) -> Key {
    // Equal values in another text: white space that no other call has.
    let spaces = " ".repeat(symbol.text as usize);
    let arguments = format!("{{{spaces}\"from\":{},\"number\":{}}}", symbol.value.source, symbol.value.number);
    let call = Call {
        conversation: &format!("conversation {}", symbol.conversation),
        position: u64::from(symbol.position),
        tool: &format!("tool_{}", symbol.tool),
        ordinal: u64::from(symbol.ordinal),
        arguments: &arguments,
        call_id: &format!("toolu_{}", symbol.call_id),
        call_number: u64::from(symbol.call_number),
    };
    derive_masked(mask, &call).expect("valid arguments").key
}

/// Symbols from so few values that any two often share some of them.
fn symbol() -> impl Strategy<Value = Symbol> {
    let small = || 0_u32..2;
    (small(), small(), small(), small(), small(), (small(), 0_u64..2), 0_u64..2, 0_u64..2).prop_map(
        |(conversation, position, tool, ordinal, call_number, (source, number), text, call_id)| Symbol {
            conversation,
            position,
            tool,
            ordinal,
            call_number,
            value: Value { source, number },
            text,
            call_id,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masked_symbols_are_equal_exactly_where_the_real_keys_are(
        a in symbol(),
        b in symbol(),
        bits in 1_u32..1 << Component::ALL.len(),
    ) {
        let components: Vec<_> =
            Component::ALL.iter().copied().filter(|component| bits >> component.index() & 1 == 1).collect();
        let mask = KeyMask::of(&components);
        prop_assert_eq!(a.seen_by(mask) == b.seen_by(mask), real_key(&a, mask) == real_key(&b, mask));
    }
}
