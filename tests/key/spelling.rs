//! JSON values and the many texts of one value: the order of names, white space, escapes and the forms of a number.

use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A value that arguments can carry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Node>),
    Object(BTreeMap<String, Node>),
}

/// Any object that the key accepts.
pub(crate) fn object() -> impl Strategy<Value = Node> {
    members(node())
}

pub(crate) fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(Node::Null),
        any::<bool>().prop_map(Node::Bool),
        number().prop_map(Node::Number),
        string().prop_map(Node::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| prop_oneof![vec(inner.clone(), 0..5).prop_map(Node::Array), members(inner)])
}

fn members(inner: impl Strategy<Value = Node>) -> impl Strategy<Value = Node> {
    proptest::collection::btree_map(string(), inner, 0..6).prop_map(Node::Object)
}

/// Strings from all of Unicode, with those characters frequent that encoders disagree on.
fn string() -> impl Strategy<Value = String> {
    let awkward = prop::sample::select(vec!['"', '\\', '/', '\u{0}', '\u{1f}', '\n', '\u{7f}', 'e', '\u{301}', 'é']);
    let border =
        prop::sample::select(vec!['\u{d7ff}', '\u{e000}', '\u{ffee}', '\u{ffff}', '😀', '\u{10ffff}', '\u{2028}']);
    let char = prop_oneof![any::<char>(), awkward, border, prop::char::range('a', 'c')];
    vec(char, 0..6).prop_map(|chars| chars.into_iter().collect())
}

/// Every double that is no integer beyond 2^53 − 1: whole, in cents, tiny, and any bits at all.
fn number() -> impl Strategy<Value = f64> {
    const SAFE: i64 = (1 << 53) - 1;
    let any_bits = any::<u64>().prop_map(f64::from_bits).prop_filter("carried", |x| x.abs() <= SAFE as f64);
    prop_oneof![
        (-SAFE..=SAFE).prop_map(|n| n as f64),
        (-20..20_i64).prop_map(|n| n as f64),
        (-1_000_000..1_000_000_i64).prop_map(|cents| cents as f64 / 100.0),
        any_bits,
    ]
    // A number has one zero.
    .prop_map(|x| if x == 0.0 { 0.0 } else { x })
}

/// Choices a writer makes, drawn from a seed; a small generator, so that a failing case shrinks to small seeds.
pub(crate) struct Style(u64);

impl Style {
    pub(crate) fn new(seed: u64) -> Self {
        Style(seed)
    }

    fn pick(&mut self, choices: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % choices
    }

    fn space(&mut self, out: &mut String) {
        out.push_str(["", "", "", " ", "\n\t", "\r\n  "][self.pick(6) as usize]);
    }
}

/// A text of `node` in the given style.
pub(crate) fn spell(node: &Node, style: &mut Style) -> String {
    let mut out = String::new();
    style.space(&mut out);
    write(node, style, &mut out);
    style.space(&mut out);
    out
}

fn write(node: &Node, style: &mut Style, out: &mut String) {
    match node {
        Node::Null => out.push_str("null"),
        Node::Bool(b) => out.push_str(&b.to_string()),
        Node::Number(x) => out.push_str(&spell_number(*x, style)),
        Node::String(s) => write_string(s, style, out),
        Node::Array(items) => write_all(items.iter().map(|item| (None, item)), ['[', ']'], style, out),
        Node::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(name, member)| (Some(name), member)).collect();
            for i in (1..members.len()).rev() {
                members.swap(i, style.pick(i as u64 + 1) as usize);
            }
            write_all(members.into_iter(), ['{', '}'], style, out);
        }
    }
}

fn write_all<'a>(
    members: impl Iterator<Item = (Option<&'a String>, &'a Node)>,
    [open, close]: [char; 2],
    style: &mut Style,
    out: &mut String,
) {
    out.push(open);
    for (i, (name, member)) in members.enumerate() {
        out.push_str(if i == 0 { "" } else { "," });
        style.space(out);
        if let Some(name) = name {
            write_string(name, style, out);
            style.space(out);
            out.push(':');
            style.space(out);
        }
        write(member, style, out);
        style.space(out);
    }
    out.push(close);
}

fn write_string(string: &str, style: &mut Style, out: &mut String) {
    out.push('"');
    for c in string.chars() {
        if c < ' ' || style.pick(4) == 0 {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let hex = format!("{unit:04x}");
                out.push_str("\\u");
                out.push_str(&if style.pick(2) == 0 { hex } else { hex.to_uppercase() });
            }
        } else {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '/' if style.pick(2) == 0 => out.push_str("\\/"),
                _ => out.push(c),
            }
        }
    }
    out.push('"');
}

/// The digits of `x` with the point moved and the exponent making up for it, with or without zeros at the end.
fn spell_number(x: f64, style: &mut Style) -> String {
    let plain = serde_json_canonicalizer::to_string(&x).expect("finite");
    let (sign, plain) = plain.strip_prefix('-').map_or(("", plain.as_str()), |rest| ("-", rest));
    let (mantissa, exponent) = plain.split_once('e').unwrap_or((plain, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    let digits = if x == 0.0 { "0" } else { all.trim_start_matches('0') };
    // The number is 0.digits × 10^exponent.
    let exponent = exponent.parse::<i64>().expect("a small integer") + digits.len() as i64 - fraction.len() as i64;
    let digits = digits.to_owned() + &"0".repeat(style.pick(4) as usize);
    let point = 1 + style.pick(digits.len() as u64) as usize;
    let exponent = exponent - point as i64;
    let (whole, fraction) = digits.split_at(point);
    // JSON allows no leading zero; only zero itself begins with one.
    let whole = if whole.starts_with('0') { "0" } else { whole };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    let exponent = match style.pick(3) {
        _ if exponent == 0 => String::new(),
        0 => format!("E{exponent}"),
        1 => format!("e{exponent:+}"),
        _ => format!("e{exponent:+04}"),
    };
    format!("{sign}{whole}{fraction}{exponent}")
}
