//! A table of the file after reading: every key of the format with a value of its type, given or by default.

use super::diagnostic::Place;
use super::format::Table;
use crate::dist::Distribution;
use crate::time::Span;
use std::collections::BTreeMap;

/// A table whose keys have been read one by one. What holds between keys is judged by whoever asks for them.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) table: &'static Table,
    /// Path of the table in the file; empty for the file itself.
    pub(super) path: String,
    /// Its header, or its braces.
    pub(super) place: Place,
    pub(super) fields: BTreeMap<&'static str, Field>,
}

/// The value of a key.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) key_place: Place,
    /// Of the value.
    pub(super) place: Place,
    /// Whether the file names it.
    pub(super) given: bool,
    pub(super) value: Typed,
}

/// A value of its type.
#[derive(Debug)]
pub(super) enum Typed {
    Text(String),
    Flag(bool),
    Count(u64),
    Number(f64),
    Span(Span),
    Distribution(Distribution),
    /// Values with their places.
    List(Vec<(Place, Typed)>),
    Record(Record),
    Records(Vec<Record>),
    /// Something was wrong with it, and has been reported.
    Broken,
}

/// Getters return nothing where the key is absent without a default or broken. In both cases where it matters an
/// error has been reported, so that what is built from it is never seen.
impl Record {
    fn value(&self, key: &str) -> Option<&Typed> {
        debug_assert!(self.table.key(key).is_some(), "{} has no key {key}", self.table.name);
        self.fields.get(key).map(|field| &field.value)
    }

    /// The key, where the file names it, broken or not.
    pub(super) fn given(&self, key: &str) -> Option<&Field> {
        debug_assert!(self.table.key(key).is_some(), "{} has no key {key}", self.table.name);
        self.fields.get(key).filter(|field| field.given)
    }

    /// Where the key's value stands; the table where the key is absent.
    pub(super) fn place_of(&self, key: &str) -> Place {
        self.given(key).map_or(self.place, |field| field.place)
    }

    /// Path of a key of this table.
    pub(super) fn path_of(&self, key: &str) -> String {
        join(&self.path, key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.value(key)? {
            Typed::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.value(key)? {
            Typed::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(super) fn count(&self, key: &str) -> Option<u64> {
        match self.value(key)? {
            Typed::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// A count whose bounds in the format fit 32 bits.
    pub(super) fn count_u32(&self, key: &str) -> Option<u32> {
        self.count(key).map(|count| u32::try_from(count).expect("the format bounds it"))
    }

    pub(super) fn number(&self, key: &str) -> Option<f64> {
        match self.value(key)? {
            Typed::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn span(&self, key: &str) -> Option<Span> {
        match self.value(key)? {
            Typed::Span(span) => Some(*span),
            _ => None,
        }
    }

    pub(super) fn distribution(&self, key: &str) -> Option<&Distribution> {
        match self.value(key)? {
            Typed::Distribution(distribution) => Some(distribution),
            _ => None,
        }
    }

    pub(super) fn list(&self, key: &str) -> Option<&[(Place, Typed)]> {
        match self.value(key)? {
            Typed::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn record(&self, key: &str) -> Option<&Record> {
        match self.value(key)? {
            Typed::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The tables of an array.
    pub(super) fn records(&self, key: &str) -> Option<&[Record]> {
        match self.value(key)? {
            Typed::Records(records) => Some(records),
            _ => None,
        }
    }

    /// The tables of an array, as many as can be looked at: none where it is broken.
    pub(super) fn each(&self, key: &str) -> &[Record] {
        self.records(key).unwrap_or_default()
    }

    /// A word of a vocabulary.
    pub(super) fn choice<T>(&self, key: &str, from_name: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.text(key).map(|word| from_name(word).expect("the format lists the words"))
    }

    /// A value that may be absent: the outer level is absent where it is broken.
    pub(super) fn optional<'a, T>(
        &'a self,
        key: &str,
        get: impl FnOnce(&'a Record, &str) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.fields.contains_key(key) { get(self, key).map(Some) } else { Some(None) }
    }
}

/// `a.b`, or `b` alone at the top.
pub(super) fn join(path: &str, key: &str) -> String {
    // Names that would blur the path are quoted, as in TOML.
    let plain = !key.is_empty() && !key.contains(['.', '=', '"', '\'']);
    let key = if plain { key.to_owned() } else { format!("{key:?}") };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}
