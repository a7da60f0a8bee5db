//! What must hold for any arguments, told apart by another JSON reader and another RFC 8785 writer.

use crate::spelling::{Node, Style, node, object, spell};
use doublefire::dispatch::canonical::canonical;
use doublefire::dispatch::{Why, key, pipe};
use proptest::prelude::*;
use serde_json::Value;

/// What `serde_json` read, with every number as its double.
fn node_of(value: Value) -> Node {
    match value {
        Value::Null => Node::Null,
        Value::Bool(b) => Node::Bool(b),
        // Canonical text has one zero, and so has a `Node`.
        Value::Number(n) => Node::Number(n.as_f64().map(|x| if x == 0.0 { 0.0 } else { x }).expect("a double")),
        Value::String(s) => Node::String(s),
        Value::Array(items) => Node::Array(items.into_iter().map(node_of).collect()),
        Value::Object(members) => Node::Object(members.into_iter().map(|(name, v)| (name, node_of(v))).collect()),
    }
}

fn oracle(text: &str) -> String {
    let value: Value = serde_json::from_str(text).expect("JSON");
    // Its integers are printed digit by digit; RFC 8785 means doubles.
    serde_json_canonicalizer::to_string(&value).expect("canonical")
}

/// A value that differs from `node` in one place, as little as may be.
fn neighbour(node: &Node, style: u64) -> Node {
    let picked = style / 2;
    match node {
        Node::Null => Node::Bool(false),
        Node::Bool(b) => Node::Bool(!b),
        Node::Number(x) if x.abs() < 9e15 && x.fract() == 0.0 => Node::Number(x + 1.0),
        Node::Number(x) => Node::Number(f64::from_bits(x.to_bits() - 1)),
        Node::String(s) => Node::String(format!("{s}{}", ["\u{301}", "\"", " "][picked as usize % 3])),
        Node::Array(items) => {
            let mut items = items.clone();
            match items.len() {
                0 => items.push(Node::Null),
                _ if style.is_multiple_of(2) => drop(items.pop()),
                many => {
                    let at = picked as usize % many;
                    items[at] = neighbour(&items[at], picked);
                }
            }
            Node::Array(items)
        }
        Node::Object(members) => {
            let mut members = members.clone();
            let name = members.keys().nth(picked as usize % members.len().max(1)).cloned();
            match name {
                None => drop(members.insert(String::new(), Node::Null)),
                Some(name) if style.is_multiple_of(2) => drop(members.remove(&name)),
                Some(name) => {
                    let changed = neighbour(&members[&name], picked);
                    members.insert(name, changed);
                }
            }
            Node::Object(members)
        }
    }
}

/// Texts that are nearly arguments: valid ones with a few characters replaced by JSON's own.
fn nearly_arguments() -> impl Strategy<Value = String> {
    let scraps = vec![
        "",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\",
        "\\u",
        "\\ud83d",
        "0",
        "9",
        "-",
        ".",
        "e",
        "E+",
        "null",
        "NaN",
        "Infinity",
        " ",
        "\u{0}",
        "é",
        "\"a\":1,",
        "12345678901234567890",
        "1e400",
    ];
    let edit = (any::<prop::sample::Index>(), prop::sample::select(scraps), any::<bool>());
    (object(), any::<u64>(), prop::collection::vec(edit, 0..4)).prop_map(|(object, style, edits)| {
        let mut chars: Vec<char> = spell(&object, &mut Style::new(style)).chars().collect();
        for (at, scrap, replaces) in edits {
            let at = at.index(chars.len() + 1);
            let end = (at + usize::from(replaces)).min(chars.len());
            chars.splice(at..end, scrap.chars());
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn one_value_has_one_text_however_it_is_spelled(object in object(), one: u64, other: u64) {
        let (one, other) = (spell(&object, &mut Style::new(one)), spell(&object, &mut Style::new(other)));
        let text = canonical(&one).map_err(|refused| TestCaseError::fail(format!("{refused}: {one}")))?;
        prop_assert_eq!(canonical(&other), Ok(text.clone()), "{} {}", one, other);
        prop_assert_eq!(canonical(&text), Ok(text));
    }

    #[test]
    fn the_text_reads_back_as_the_value(object in object(), style: u64) {
        let text = canonical(&spell(&object, &mut Style::new(style))).expect("can be carried");
        prop_assert_eq!(node_of(serde_json::from_str(&text).expect("JSON")), object);
    }

    #[test]
    fn another_implementation_writes_the_same_text(object in object(), style: u64) {
        let spelled = spell(&object, &mut Style::new(style));
        prop_assert_eq!(canonical(&spelled).expect("can be carried"), oracle(&spelled));
    }

    #[test]
    fn neighbours_never_share_a_key(object in object(), change: u64, style: u64) {
        let other = neighbour(&object, change);
        prop_assert_ne!(&object, &other);
        let derive = |node: &Node| key::derive("c", 0, "t", 0, &spell(node, &mut Style::new(style)));
        let (one, other) = (derive(&object).expect("can be carried"), derive(&other).expect("can be carried"));
        prop_assert_ne!(one.canonical, other.canonical);
        prop_assert_ne!(one.key, other.key);
    }

    #[test]
    fn components_never_run_into_each_other(
        one in ("[a|\",\\\\]{0,3}", 0..3_u64, "[a|\",0]{0,3}", 0..3_u64),
        other in ("[a|\",\\\\]{0,3}", 0..3_u64, "[a|\",0]{0,3}", 0..3_u64),
    ) {
        let derive = |(c, p, t, o): &(String, u64, String, u64)| key::derive(c, *p, t, *o, "{}").expect("valid");
        let (a, b) = (derive(&one), derive(&other));
        prop_assert_eq!(a.canonical == b.canonical, one == other);
        prop_assert_eq!(a.key == b.key, one == other);
    }

    #[test]
    fn whatever_is_accepted_is_json_and_whatever_is_called_no_json_is_none(text in nearly_arguments()) {
        let read: Result<Value, _> = serde_json::from_str(&text);
        match canonical(&text) {
            Ok(canonical) => {
                prop_assert!(read.is_ok(), "{} is no JSON", text);
                prop_assert_eq!(canonical, oracle(&text));
            }
            Err(refused) => {
                let offset = refused.offset.expect("inside the arguments");
                prop_assert!(text.is_char_boundary(offset), "{} in {}", offset, text);
                prop_assert!(refused.why != Why::Syntax || read.is_err(), "{} is JSON: {}", text, refused);
                prop_assert!(refused.why != Why::NotAnObject || !read.is_ok_and(|v| v.is_object()), "{}", text);
            }
        }
    }

    #[test]
    fn no_text_panics(text in prop_oneof![any::<String>(), nearly_arguments(), "[\\[\\]{}\",:\\\\u0-9eE.+ \n-]{0,40}"]) {
        let plain = key::derive(&text, 0, &text, 0, &text);
        let piped = pipe::derive(&text, 0, &text, 0, &text);
        // What the strict scheme carries, the lax one does.
        prop_assert!(plain.is_err() || piped.is_ok(), "{}", text);
        for refused in [plain.err(), piped.err()].into_iter().flatten() {
            prop_assert!(!refused.to_string().contains('\n'), "{}", refused);
        }
    }

    #[test]
    fn a_value_inside_is_found_by_its_path(inner in node(), style: u64) {
        let inner = spell(&inner, &mut Style::new(style));
        let text = format!("{{\"a\":[{inner},{{\"b c\":9007199254740993}}]}}");
        let refused = canonical(&text).expect_err("the integer");
        prop_assert_eq!(refused.path.as_str(), "$.a[1][\"b c\"]");
        prop_assert_eq!(refused.offset, text.rfind("9007199254740993"));
    }
}

#[test]
fn a_million_brackets_are_refused_and_overflow_no_stack() {
    for text in
        ["[".repeat(1_000_000), "{\"a\":".repeat(1_000_000), format!("{{\"a\":{}", "[{\"b\":".repeat(1_000_000))]
    {
        assert_eq!(canonical(&text).map_err(|refused| refused.why), Err(Why::TooDeep));
        assert_eq!(pipe::python_json(&text).map_err(|refused| refused.why), Err(Why::TooDeep));
    }
}
