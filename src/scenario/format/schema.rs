//! The format as a JSON Schema, with which editors complete and check scenario files.

use super::{Bounds, Key, Kind, Presence, SCENARIO, Table, Unit, limits};
use crate::scenario::quantity::UNITS;
use crate::scenario::tree::default_json;
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of scenario files. What holds between keys is mostly beyond it: a file that it
/// accepts can still be refused, one that it refuses always is.
#[must_use]
pub fn schema() -> Value {
    let mut schema = table(&SCENARIO, Unit::Time);
    let units = UNITS.map(|(unit, _)| unit).join("|");
    let definitions = json!({
        "probability": {
            "description": Kind::Probability.words(),
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1 },
                { "type": "string", "pattern": r"^\s*[0-9.]+\s*%\s*$" },
            ],
        },
        "duration": {
            "description": "A number with a unit: 820ms, 1.5s, 2m, 1h30m, 30d.",
            "type": "string",
            "pattern": format!(r"^\s*([0-9.]+\s*({units}|μs)\s*)+$"),
        },
        "amount": { "type": "number", "minimum": 0, "maximum": limits::AMOUNT },
        "durations": distribution(Unit::Time),
        "amounts": distribution(Unit::Money),
    });
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("doublefire scenario");
    schema["$defs"] = definitions;
    schema
}

fn table(table: &Table, unit: Unit) -> Value {
    let properties: Map<String, Value> =
        table.keys.iter().map(|key| (key.name.to_owned(), property(key, unit))).collect();
    let required: Vec<&str> =
        table.keys.iter().filter(|key| key.presence == Presence::Required).map(|key| key.name).collect();
    let mut schema = json!({
        "type": "object",
        "description": table.doc,
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    for group in table.exactly_one {
        schema["oneOf"] = group.iter().map(|key| json!({ "required": [key] })).collect();
    }
    schema
}

fn property(key: &Key, unit: Unit) -> Value {
    let mut schema = value(&key.kind, unit);
    schema["description"] = json!(key.doc);
    if let Presence::Default(text) = key.presence {
        schema["default"] = default_json(text);
    }
    schema
}

fn value(kind: &Kind, unit: Unit) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Slug => json!({ "type": "string", "pattern": "^[a-z0-9-]+$", "maxLength": limits::NAME }),
        Kind::Name => json!({ "type": "string", "minLength": 1, "maxLength": limits::NAME }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Count(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Number(Bounds { least, above, most }) => {
            let lower = if *above { "exclusiveMinimum" } else { "minimum" };
            json!({ "type": "number", lower: least, "maximum": most })
        }
        Kind::Probability => reference("probability"),
        Kind::Duration(_) => reference("duration"),
        Kind::Quantity(_) => match unit {
            Unit::Time => reference("duration"),
            Unit::Money => reference("amount"),
        },
        Kind::Distribution(own) => match own.unwrap_or(unit) {
            Unit::Time => reference("durations"),
            Unit::Money => reference("amounts"),
        },
        Kind::Choice(names) => json!({ "enum": names() }),
        Kind::List(of, least, most) => {
            json!({ "type": "array", "items": value(of, unit), "minItems": least, "maxItems": most })
        }
        Kind::Table(inner) => table(inner, unit),
        Kind::Tables(inner, most) => json!({ "type": "array", "items": table(inner, unit), "maxItems": most }),
    }
}

/// A distribution of a unit: a constant, or a family with what is done to it.
fn distribution(unit: Unit) -> Value {
    let constant = match unit {
        Unit::Time => reference("duration"),
        Unit::Money => reference("amount"),
    };
    json!({ "anyOf": [constant, table(&super::DISTRIBUTION, unit)] })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}
