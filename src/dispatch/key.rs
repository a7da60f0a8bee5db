//! The key of a call: 128 bits of SHA-256 over the canonical JSON of everything that tells the call from others.
//!
//! `docs/key.md` is the page for people who derive the same key in another language, `docs/key-vectors.json` its
//! test vectors.

use crate::dispatch::canonical::{MAX_SAFE_INTEGER, canonical, write_string};
use crate::dispatch::refused::{Refused, Why};
use crate::dispatch::rule::{Component, KeyMask};
use sha2::{Digest, Sha256};
use std::fmt;

/// The first element of every key's material: a later form of the key must not collide with this one.
pub const VERSION: &str = "doublefire/1";

/// What identifies a call: the first 128 bits of a SHA-256, written as 32 lowercase hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u128);

impl Key {
    /// The key of a material.
    #[must_use]
    pub fn of(material: &str) -> Self {
        let digest = Sha256::digest(material.as_bytes());
        Key(digest[..16].iter().fold(0, |key, byte| key << 8 | u128::from(*byte)))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A key and the text it is the hash of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The whole material, arguments included.
    pub canonical: String,
    /// Its key.
    pub key: Key,
}

impl Derived {
    pub(super) fn of(canonical: String) -> Self {
        let key = Key::of(&canonical);
        Derived { canonical, key }
    }
}

/// A dispatched call as a key sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// The conversation's id.
    pub conversation: &'a str,
    /// Turns committed before this one, up to 2^53 − 1 as every number here.
    pub position: u64,
    /// The tool's name.
    pub tool: &'a str,
    /// Earlier calls of the turn with the same tool and equal canonical arguments.
    pub ordinal: u64,
    /// The arguments' JSON text as the provider serialised it.
    pub arguments: &'a str,
    /// The provider's call id.
    pub call_id: &'a str,
    /// Earlier calls of the turn.
    pub call_number: u64,
}

/// The key of `docs/model.md`: all of conversation, position, tool, ordinal and canonical arguments.
///
/// # Errors
/// Arguments that are no JSON object or cannot be carried without loss; a position or ordinal beyond 2^53 − 1.
///
/// # Examples
/// ```
/// let derived = doublefire::dispatch::key::derive("c1", 4, "send_payment", 0, r#"{"to": "DE02", "amount": "12.00"}"#)?;
/// assert_eq!(derived.canonical, r#"["doublefire/1","c1",4,"send_payment",0,{"amount":"12.00","to":"DE02"}]"#);
/// assert_eq!(derived.key.to_string().len(), 32);
/// # Ok::<(), doublefire::dispatch::Refused>(())
/// ```
pub fn derive(
    conversation: &str,
    position: u64,
    tool: &str,
    ordinal: u64,
    arguments: &str,
) -> Result<Derived, Refused> {
    derive_masked(
        KeyMask::FULL,
        &Call { conversation, position, tool, ordinal, arguments, call_id: "", call_number: 0 },
    )
}

/// The key that sees only the components of `mask`.
///
/// The full mask gives exactly [`derive()`]. Any other material lists the names of the components in use between the
/// version and their values: `["doublefire/1",["tool","arguments","canonical"],"send_payment",{…}]`. An array stands
/// there where the full form has the conversation, a string, so no two masks share a material, nor do two calls that
/// differ in a component in use. `canonical` without `arguments` says nothing and is left out.
///
/// # Errors
/// As [`derive()`], for the components in use. Without `canonical` the arguments' text is taken as it stands, unread.
pub fn derive_masked(mask: KeyMask, call: &Call<'_>) -> Result<Derived, Refused> {
    let mut material = format!("[\"{VERSION}\"");
    if mask != KeyMask::FULL {
        let names: Vec<_> = in_use(mask).map(|component| format!("\"{component}\"")).collect();
        material.push_str(&format!(",[{}]", names.join(",")));
    }
    for component in in_use(mask) {
        match component {
            Component::Conversation => push_string(&mut material, call.conversation),
            Component::Position => push_count(&mut material, component, call.position)?,
            Component::Tool => push_string(&mut material, call.tool),
            Component::Ordinal => push_count(&mut material, component, call.ordinal)?,
            Component::Arguments if mask.has(Component::Canonical) => {
                material.push(',');
                material.push_str(&canonical(call.arguments)?);
            }
            Component::Arguments => push_string(&mut material, call.arguments),
            // Not a value of its own: it says in which form the arguments stand.
            Component::Canonical => {}
            Component::CallId => push_string(&mut material, call.call_id),
            Component::CallNumber => push_count(&mut material, component, call.call_number)?,
        }
    }
    material.push(']');
    Ok(Derived::of(material))
}

/// The components of `mask` that a key shows.
fn in_use(mask: KeyMask) -> impl Iterator<Item = Component> {
    mask.components().filter(move |component| *component != Component::Canonical || mask.has(Component::Arguments))
}

fn push_string(material: &mut String, value: &str) {
    material.push(',');
    write_string(value, material);
}

fn push_count(material: &mut String, component: Component, value: u64) -> Result<(), Refused> {
    if value > MAX_SAFE_INTEGER {
        return Err(Refused::component(component.name(), Why::UnsafeInteger, format!("the number {value}")));
    }
    material.push_str(&format!(",{value}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Call<'_> = Call {
        conversation: "c",
        position: 1,
        tool: "t",
        ordinal: 2,
        arguments: r#"{ "b": 1.0, "a": "é" }"#,
        call_id: "toolu_1",
        call_number: 3,
    };

    fn material(components: &[Component]) -> String {
        derive_masked(KeyMask::of(components), &CALL).expect("valid").canonical
    }

    #[test]
    fn the_full_mask_gives_the_plain_form() {
        let full = derive_masked(KeyMask::FULL, &CALL).expect("valid");
        assert_eq!(full.canonical, r#"["doublefire/1","c",1,"t",2,{"a":"é","b":1}]"#);
        assert_eq!(Ok(full), derive("c", 1, "t", 2, CALL.arguments));
    }

    #[test]
    fn a_masked_material_names_what_it_sees() {
        use Component::{Arguments, CallId, CallNumber, Canonical, Tool};
        assert_eq!(
            material(&[Tool, Arguments, Canonical]),
            r#"["doublefire/1",["tool","arguments","canonical"],"t",{"a":"é","b":1}]"#
        );
        assert_eq!(
            material(&[Tool, Arguments]),
            r#"["doublefire/1",["tool","arguments"],"t","{ \"b\": 1.0, \"a\": \"é\" }"]"#
        );
        assert_eq!(material(&[CallId, CallNumber]), r#"["doublefire/1",["call_id","call_number"],"toolu_1",3]"#);
    }

    #[test]
    fn canonical_says_nothing_without_arguments() {
        use Component::{Canonical, Tool};
        assert_eq!(material(&[Tool, Canonical]), material(&[Tool]));
    }

    #[test]
    fn only_components_in_use_can_be_refused() {
        let call = Call { position: 1 << 53, arguments: "{\"id\":9007199254740993}", ..CALL };
        let refused = derive_masked(KeyMask::FULL, &call).expect_err("the position");
        assert_eq!((refused.why, refused.path.as_str(), refused.offset), (Why::UnsafeInteger, "position", None));
        assert!(derive_masked(KeyMask::of(&[Component::Tool, Component::Arguments]), &call).is_ok());
    }

    #[test]
    fn a_key_is_the_first_half_of_the_digest_in_hex() {
        // The digest of the empty text, FIPS 180-4.
        assert_eq!(Key::of("").to_string(), "e3b0c44298fc1c149afbf4c8996fb924");
    }
}
