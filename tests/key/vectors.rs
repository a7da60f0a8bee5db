//! `docs/key-vectors.json` says what the code gives. Its inputs are what the file holds; where a derivation changes on
//! purpose, or a vector is added (inputs only), `UPDATE_VECTORS=1 cargo test --test key` writes the outputs anew.

use doublefire::dispatch::{Refused, Why, key, pipe};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;

const PATH: &str = "docs/key-vectors.json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    about: Vec<String>,
    vectors: Vec<Vector>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    /// What it shows.
    shows: String,
    /// Absent: `doublefire/1`; `pipe`: the joined form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scheme: Option<String>,
    conversation: String,
    position: u64,
    tool: String,
    ordinal: u64,
    arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<Refusal>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    why: Why,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Refusal { why: refused.why, path: refused.path, offset: refused.offset }
    }
}

/// The vector with its outputs derived anew.
fn derived(vector: &Vector) -> Vector {
    let derive = match vector.scheme.as_deref() {
        None => key::derive,
        Some("pipe") => pipe::derive,
        Some(other) => panic!("no scheme {other}"),
    };
    let Vector { conversation, position, tool, ordinal, arguments, .. } = vector;
    let (canonical, key, refused) = match derive(conversation, *position, tool, *ordinal, arguments) {
        Ok(derived) => (Some(derived.canonical), Some(derived.key.to_string()), None),
        Err(refused) => (None, None, Some(refused.into())),
    };
    Vector { canonical, key, refused, ..vector.clone() }
}

fn vectors() -> Vectors {
    serde_json::from_str(&fs::read_to_string(PATH).expect(PATH)).expect(PATH)
}

#[test]
fn the_published_vectors_are_what_the_code_gives() {
    let mut published = vectors();
    let vectors: Vec<_> = published.vectors.iter().map(derived).collect();
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        published.vectors = vectors;
        let text = serde_json::to_string_pretty(&published).expect("plain data") + "\n";
        fs::write(PATH, text).expect(PATH);
        return;
    }
    for (published, derived) in published.vectors.iter().zip(&vectors) {
        assert_eq!(published, derived);
    }
}

#[test]
fn the_vectors_show_every_reason_of_a_refusal_in_the_strict_scheme() {
    let vectors = vectors().vectors;
    let strict = vectors.iter().filter(|vector| vector.scheme.is_none());
    let shown: BTreeSet<Why> = strict.filter_map(|vector| Some(vector.refused.as_ref()?.why)).collect();
    assert_eq!(shown, Why::ALL.iter().copied().collect());
}

#[test]
fn no_two_vectors_of_the_strict_scheme_share_a_key_unless_they_are_one_call() {
    let vectors = vectors().vectors;
    let strict: Vec<_> = vectors.iter().filter(|v| v.scheme.is_none() && v.key.is_some()).collect();
    for (i, one) in strict.iter().enumerate() {
        for other in &strict[..i] {
            assert_eq!(one.key == other.key, one.canonical == other.canonical, "{} / {}", one.shows, other.shows);
        }
    }
}

#[test]
fn the_page_names_every_reason_and_its_example_is_true() {
    let page = fs::read_to_string("docs/key.md").expect("docs/key.md");
    for why in Why::ALL {
        assert!(page.contains(&format!("| `{why}` |")), "{why} is not in the table of docs/key.md");
    }
    let arguments = r#"{"invoice_id": "INV-20391", "amount": "1240.00"}"#;
    assert!(page.contains(&format!("--arguments '{arguments}'")));
    let derived = key::derive("conv_7", 3, "send_payment", 0, arguments).expect("valid");
    assert!(page.contains(&format!("\n{}\n{}\n", derived.canonical, derived.key)), "{derived:?}");
}
