//! The scenario's text as a tree in which every key and value knows its place, so that `--set` can edit it and
//! every message can point.

use super::diagnostic::{Diagnostics, Place};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    /// The value; for a table with a header, the header.
    pub(super) place: Place,
}

/// A TOML value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    /// Absent where it leaves 128 bits.
    Integer(Option<i128>),
    /// Absent where it overflows; infinities and NaN are kept.
    Float(Option<f64>),
    Flag(bool),
    Datetime,
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key and its value in a table.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_place: Place,
    pub(super) node: Node,
}

impl Value {
    /// What it is, with its article.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Flag(_) => "a boolean",
            Value::Datetime => "a date or time",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// The number, where it is one that a float can hold.
    pub(super) fn as_number(&self) -> Option<f64> {
        match self {
            Value::Integer(integer) => integer.map(|i| i as f64),
            Value::Float(float) => *float,
            _ => None,
        }
    }
}

impl Node {
    /// The value of `key`, where this is a table that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            _ => None,
        }
    }

    /// The text, where this is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Gives this node and everything in it one place.
    pub(super) fn move_to(&mut self, place: Place) {
        self.place = place;
        match &mut self.value {
            Value::Array(items) => items.iter_mut().for_each(|item| item.move_to(place)),
            Value::Table(entries) => entries.iter_mut().for_each(|entry| {
                entry.key_place = place;
                entry.node.move_to(place);
            }),
            _ => {}
        }
    }
}

/// Parses the text of source `source`. Syntax errors are reported, all of them; the tree is then of no use.
pub(super) fn parse(text: &str, source: usize, found: &mut Diagnostics) -> Option<Node> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        report_syntax(error, text, source, 0, found);
    }
    errors.is_empty().then(|| Node { value: convert_table(table.get_ref(), source, 0), place: root(source) })
}

/// Parses one value that starts at byte `offset` of source `source`; the first syntax error where it is none.
pub(super) fn parse_value(text: &str, source: usize, offset: usize) -> Result<Node, toml::de::Error> {
    DeValue::parse(text).map(|value| convert(&value, source, offset))
}

/// Reports a syntax error, whose place counts from byte `offset` of the source.
pub(super) fn report_syntax(
    error: &toml::de::Error,
    text: &str,
    source: usize,
    offset: usize,
    found: &mut Diagnostics,
) {
    let span = error.span().unwrap_or(text.len()..text.len());
    let place = Place { source, start: span.start + offset, end: span.end + offset };
    found.error("", place, format!("not TOML: {}", error.message().replace('\n', ", ")));
}

/// The place of a text as a whole: its beginning.
pub(super) fn root(source: usize) -> Place {
    Place { source, start: 0, end: 0 }
}

fn convert(value: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
    let place = place(value.span(), source, offset);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => Value::Integer(i128::from_str_radix(integer.as_str(), integer.radix()).ok()),
        DeValue::Float(float) => Value::Float(parse_float(float.as_str())),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Datetime,
        DeValue::Array(items) => Value::Array(items.iter().map(|item| convert(item, source, offset)).collect()),
        DeValue::Table(table) => convert_table(table, source, offset),
    };
    Node { value, place }
}

fn convert_table(table: &DeTable<'_>, source: usize, offset: usize) -> Value {
    let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| Entry {
        key: key.get_ref().to_string(),
        key_place: place(key.span(), source, offset),
        node: convert(value, source, offset),
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|e| e.key_place);
    Value::Table(entries)
}

fn place(span: std::ops::Range<usize>, source: usize, offset: usize) -> Place {
    Place { source, start: span.start + offset, end: span.end + offset }
}

/// A float of the file; absent where it is written with digits and overflows.
fn parse_float(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    (value.is_finite() || text.contains("inf") || text.contains("nan")).then_some(value)
}

/// A default of the format as JSON.
pub(super) fn default_json(text: &str) -> serde_json::Value {
    let node = parse_value(text, 0, 0).expect("defaults of the format are TOML");
    to_json(&node.value)
}

fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Integer(integer) => integer.and_then(|i| i64::try_from(i).ok()).into(),
        Value::Float(float) => (*float).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Datetime => serde_json::Value::Null,
        Value::Array(items) => items.iter().map(|item| to_json(&item.value)).collect(),
        Value::Table(entries) => {
            serde_json::Value::Object(entries.iter().map(|e| (e.key.clone(), to_json(&e.node.value))).collect())
        }
    }
}
