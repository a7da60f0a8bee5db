//! The description of the format against everything that claims to follow it: the files of these tests, the JSON
//! Schema, the reference in the documentation.

use super::accepted::least;
use super::{folder, scenarios, stem};
use doublefire::scenario::format::{Key, Kind, Presence, SCENARIO, Table};
use doublefire::scenario::{EMBEDDED, Input, load, schema};
use std::collections::BTreeSet;

/// A key of a table, as `[stream].gap`.
fn label(table: &Table, key: &Key) -> String {
    format!("{}.{}", table.name, key.name)
}

/// Every key of the format.
fn all_keys() -> BTreeSet<String> {
    SCENARIO.tables().into_iter().flat_map(|table| table.keys.iter().map(|key| label(table, key))).collect()
}

/// The keys that a value of this kind uses.
fn used(kind: &Kind, value: &toml::Value, keys: &mut BTreeSet<String>) {
    match (kind, value) {
        (Kind::List(of, ..), toml::Value::Array(items)) => items.iter().for_each(|item| used(of, item, keys)),
        (Kind::Tables(table, _), toml::Value::Array(items)) => {
            items.iter().for_each(|item| used(&Kind::Table(table), item, keys));
        }
        (_, toml::Value::Table(entries)) => {
            let table = kind.table().expect("a sound file has tables where the format has them");
            for (name, value) in entries {
                let key = table.key(name).expect("a sound file has no other keys");
                keys.insert(label(table, key));
                used(&key.kind, value, keys);
            }
        }
        _ => {}
    }
}

/// The key to which the path of an error leads, and the tables around it.
fn reached(path: &str) -> Option<String> {
    let mut table = &SCENARIO;
    let mut last = None;
    for segment in path.split('.') {
        // Names and numbers of array entries lead nowhere; tables do.
        if let Some(key) = table.key(segment) {
            last = Some(label(table, key));
            table = key.kind.table().unwrap_or(table);
        }
    }
    last
}

#[test]
fn every_key_stands_in_a_file_that_is_accepted() {
    let mut keys = BTreeSet::new();
    let files = ["tests/scenario/valid", "tests/cases", "scenarios"].into_iter().flat_map(scenarios);
    for (path, text) in files {
        let value: toml::Value = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        used(&Kind::Table(&SCENARIO), &value, &mut keys);
    }
    // Gates are refused as long as nothing judges them, so no accepted file has one.
    let missing: Vec<String> =
        all_keys().difference(&keys).filter(|key| !key.contains("gate")).map(String::clone).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_key_has_a_file_that_is_refused_for_it() {
    let mut keys = BTreeSet::new();
    for (path, text) in scenarios("tests/scenario/broken") {
        let input = Input {
            origin: stem(&path).to_owned(),
            directory: Some(folder("tests/scenario/broken")),
            text,
            sets: Vec::new(),
        };
        let found = load(&input).expect_err("a broken file");
        keys.extend(found.errors().filter_map(|error| reached(&error.key)));
    }
    let missing: Vec<String> = all_keys().difference(&keys).map(String::clone).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_default_of_the_format_is_a_sound_value() {
    for table in SCENARIO.tables() {
        for key in table.keys {
            if let Presence::Default(text) = key.presence {
                let parsed = format!("x = {text}").parse::<toml::Table>();
                assert!(parsed.is_ok(), "{}: {text}", label(table, key));
            }
        }
    }
}

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&schema()).expect("the schema is one")
}

fn json(text: &str) -> serde_json::Value {
    let value: toml::Value = toml::from_str(text).expect("TOML");
    serde_json::to_value(value).expect("these files have only values that JSON has")
}

#[test]
fn the_schema_is_a_json_schema() {
    jsonschema::draft202012::meta::validate(&schema()).expect("valid against its meta-schema");
}

#[test]
fn the_schema_accepts_every_accepted_file() {
    let validator = validator();
    let files = ["tests/scenario/valid", "tests/cases", "scenarios"].into_iter().flat_map(scenarios);
    for (path, text) in files {
        let errors: Vec<String> =
            validator.iter_errors(&json(&text)).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
    assert_eq!(EMBEDDED.len(), scenarios("scenarios").len());
}

#[test]
fn the_schema_refuses_what_it_can_see() {
    let validator = validator();
    let mut refused = 0;
    for (path, text) in scenarios("tests/scenario/broken") {
        let Ok(value) = text.parse::<toml::Table>() else { continue };
        let Ok(value) = serde_json::to_value(value) else { continue };
        let by_schema = !validator.is_valid(&value);
        refused += usize::from(by_schema);
        let name = stem(&path);
        if name.starts_with("unknown-key") || name.starts_with("missing-") || name.starts_with("wrong-types") {
            assert!(by_schema, "{name}");
        }
    }
    assert!(refused >= 50, "{refused}");
}

#[test]
fn the_schema_refuses_an_unknown_key_in_every_table() {
    let validator = validator();
    let mut value = json(&least());
    assert!(validator.is_valid(&value));
    for pointer in ["", "/stream", "/failure", "/failure/hazard", "/tool/0", "/shape/0"] {
        let table = value.pointer_mut(pointer).and_then(|v| v.as_object_mut()).expect("a table of the file");
        table.insert("nonsense".to_owned(), 1.into());
        assert!(!validator.is_valid(&value), "{pointer}");
        let table = value.pointer_mut(pointer).and_then(|v| v.as_object_mut()).expect("a table of the file");
        table.remove("nonsense");
    }
    value["stream"]["gap"] = serde_json::json!({ "exponential": { "mean": "1s", "median": "1s" } });
    assert!(!validator.is_valid(&value));
}
