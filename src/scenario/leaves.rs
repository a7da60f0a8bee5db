//! A scenario file as a flat list of paths and values, so that it can be held against another.

use super::diagnostic::Diagnostics;
use super::tree::{self, Node, Value};
use super::{Input, set};

/// Every key of the file that holds a value, edits applied: its path in the grammar of `--set` and its value, in the
/// order of the file. Lists of plain values are one value. Nothing where the file is no TOML.
#[must_use]
pub fn leaves(input: &Input) -> Vec<(String, String)> {
    let mut found = Diagnostics::default();
    let source = found.add_source(&input.origin, &input.text);
    let mut leaves = Vec::new();
    if let Some(mut root) = tree::parse(&input.text, source, &mut found) {
        for set in &input.sets {
            set::apply(&mut root, set, &mut found);
        }
        leaves = of(&root);
    }
    leaves
}

/// As [`leaves`], of a file that was read already.
pub(super) fn of(root: &Node) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    walk("", root, &mut leaves);
    leaves
}

fn walk(path: &str, node: &Node, leaves: &mut Vec<(String, String)>) {
    let inside = |segment: &str| match path {
        "" => quoted(segment),
        path => format!("{path}.{}", quoted(segment)),
    };
    match &node.value {
        Value::Table(entries) if !entries.is_empty() => {
            entries.iter().for_each(|entry| walk(&inside(&entry.key), &entry.node, leaves));
        }
        Value::Array(items) if items.iter().any(|item| matches!(item.value, Value::Table(_))) => {
            for (number, item) in items.iter().enumerate() {
                let name = item.get("name").and_then(Node::as_text).map(str::to_owned);
                walk(&inside(&name.unwrap_or_else(|| number.to_string())), item, leaves);
            }
        }
        value => leaves.push((path.to_owned(), text(value))),
    }
}

/// A segment of a path as `--set` reads it.
fn quoted(segment: &str) -> String {
    let plain = !segment.is_empty() && segment == segment.trim() && !segment.contains(['.', '=', '"', '\'']);
    match plain {
        true => segment.to_owned(),
        false if segment.contains('"') => format!("'{segment}'"),
        false => format!("\"{segment}\""),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Integer(integer) => integer.map_or("out of range".to_owned(), |integer| integer.to_string()),
        Value::Float(float) => float.map_or("out of range".to_owned(), |float| float.to_string()),
        Value::Flag(flag) => flag.to_string(),
        Value::Datetime => "a date or time".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| text(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        // Others are walked into.
        Value::Table(_) => "{}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, sets: &[&str]) -> Vec<(String, String)> {
        let sets = sets.iter().map(|set| (*set).to_owned()).collect();
        leaves(&Input { text: text.to_owned(), sets, ..Input::default() })
    }

    #[test]
    fn a_path_is_what_set_takes_and_edits_are_in_it() {
        let text = "[failure]\nhazard = { rate = \"0.6%\" }\n[[tool]]\nname = \"v1.pay\"\nlatency = \"1s\"\n[[shape]]\n\
                    calls = [\"v1.pay\"]\n[[route]]\nname = \"sdk retry\"\nmax = 2\n";
        let expected = [
            ("failure.hazard.rate", "1%"),
            ("tool.\"v1.pay\".name", "v1.pay"),
            ("tool.\"v1.pay\".latency", "2s"),
            ("shape.0.calls", "[v1.pay]"),
            ("route.sdk retry.name", "sdk retry"),
            ("route.sdk retry.max", "2"),
        ];
        let leaves = of(text, &["failure.hazard.rate=1%", "tool.\"v1.pay\".latency=2s"]);
        assert_eq!(leaves, expected.map(|(path, value)| (path.to_owned(), value.to_owned())));
    }

    #[test]
    fn one_number_reads_the_same_with_and_without_a_point() {
        assert_eq!(of("x = 1.0", &[]), of("x = 1", &[]));
        assert_ne!(of("x = 1.5", &[]), of("x = 1", &[]));
    }

    #[test]
    fn what_is_no_toml_has_no_leaves() {
        assert_eq!(of("x = ", &[]), []);
    }
}
