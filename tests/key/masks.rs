//! Keys with components taken away: each sees what is in its mask and nothing else.

use doublefire::dispatch::key::{Call, derive_masked};
use doublefire::dispatch::rule::{Component, KeyMask};
use std::collections::BTreeSet;

const CALL: Call<'_> = Call {
    conversation: "c",
    position: 1,
    tool: "t",
    ordinal: 2,
    arguments: r#"{"b": 1, "a": 2}"#,
    call_id: "toolu_1",
    call_number: 3,
};

fn every_mask() -> impl Iterator<Item = Vec<Component>> {
    (0..1_u32 << Component::ALL.len())
        .map(|bits| Component::ALL.iter().copied().filter(|component| bits >> component.index() & 1 == 1).collect())
}

fn material(components: &[Component], call: &Call<'_>) -> String {
    derive_masked(KeyMask::of(components), call).expect("valid").canonical
}

#[test]
fn no_two_masks_share_a_material() {
    let materials: BTreeSet<_> = every_mask().map(|mask| material(&mask, &CALL)).collect();
    // Of the 256 masks the 64 with `canonical` and without `arguments` mean the same as those without either.
    assert_eq!(materials.len(), 192);
}

#[test]
fn a_key_sees_exactly_the_components_of_its_mask() {
    let changes: [(Component, Call<'_>); 8] = [
        (Component::Conversation, Call { conversation: "d", ..CALL }),
        (Component::Position, Call { position: 9, ..CALL }),
        (Component::Tool, Call { tool: "u", ..CALL }),
        (Component::Ordinal, Call { ordinal: 9, ..CALL }),
        (Component::Arguments, Call { arguments: r#"{"b": 1, "a": 3}"#, ..CALL }),
        // The same values in another text.
        (Component::Canonical, Call { arguments: r#"{"a":2,"b":1}"#, ..CALL }),
        (Component::CallId, Call { call_id: "toolu_2", ..CALL }),
        (Component::CallNumber, Call { call_number: 9, ..CALL }),
    ];
    for mask in every_mask() {
        for (changed, call) in &changes {
            let sees = match changed {
                Component::Canonical => mask.contains(&Component::Arguments) && !mask.contains(&Component::Canonical),
                _ => mask.contains(changed),
            };
            let differs = material(&mask, &CALL) != material(&mask, call);
            assert_eq!(differs, sees, "{changed} under {mask:?}");
        }
    }
}
