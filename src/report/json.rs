//! A report as JSON: one object, two spaces of indent, a final newline.

use serde::Serialize;

/// The bytes of `run --format json` and of `summary.json`.
#[must_use]
pub fn render<T: Serialize>(report: &T) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("a report has string keys and finite numbers");
    text.push('\n');
    text
}
