//! `--set PATH=VALUE`: edits of the tree before it is read.

use super::diagnostic::{Diagnostics, Place};
use super::format::{self, Kind, Presence, Table};
use super::tree::{self, Entry, Node, Value};
use super::words::{alternatives, did_you_mean, excerpt};

/// One segment of a path with its place in the `--set` text.
#[derive(Debug, Clone)]
struct Segment {
    name: String,
    place: Place,
}

/// Applies one `--set`, whose text becomes a source of its own; what cannot be applied is reported.
pub(super) fn apply(root: &mut Node, text: &str, found: &mut Diagnostics) {
    let source = found.add_source("--set", text);
    let Some((path, rest)) = split_path(text, source) else {
        found
            .error("", Place { source, start: 0, end: text.len() }, "`--set` takes PATH=VALUE")
            .label("a path of keys, `=`, a value")
            .help("for example `--set tool.send_payment.latency.lognormal.mean=2s`");
        return;
    };
    match value_of(&text[rest..], source, rest) {
        Ok(value) => Edit { path: &path, value, found }.run(root),
        Err(error) => tree::report_syntax(&error, &text[rest..], source, rest, found),
    }
}

/// The segments before the first `=` and the byte after it. Segments are separated by points; one in quotes may
/// hold points and equal signs.
fn split_path(text: &str, source: usize) -> Option<(Vec<Segment>, usize)> {
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let indent = rest.len() - rest.trim_start().len();
        let start = at + indent;
        let quote = text[start..].chars().next().filter(|c| matches!(c, '"' | '\''));
        let (name, after) = match quote {
            Some(quote) => {
                let end = start + 1 + text[start + 1..].find(quote)?;
                (&text[start + 1..end], end + 1)
            }
            None => {
                let end = start + text[start..].find(['.', '='])?;
                (text[start..end].trim_end(), end)
            }
        };
        if name.is_empty() {
            return None;
        }
        let place = Place { source, start, end: after };
        path.push(Segment { name: name.to_owned(), place });
        let between = &text[after..];
        let separator = after + (between.len() - between.trim_start().len());
        match text.as_bytes().get(separator)? {
            b'.' => at = separator + 1,
            b'=' => return Some((path, separator + 1)),
            _ => return None,
        }
    }
}

/// The value: TOML where it is, else the text itself. What opens like TOML's quotes and brackets must be TOML.
fn value_of(text: &str, source: usize, offset: usize) -> Result<Node, toml::de::Error> {
    let trimmed = text.trim();
    let offset = offset + (text.len() - text.trim_start().len());
    let place = Place { source, start: offset, end: offset + trimmed.len() };
    match tree::parse_value(trimmed, source, offset) {
        Ok(node) => Ok(node),
        Err(error) if trimmed.starts_with(['{', '[', '"', '\'']) => Err(error),
        Err(_) => Ok(Node { value: Value::Text(trimmed.to_owned()), place }),
    }
}

/// An edit on its way down the tree.
struct Edit<'a> {
    path: &'a [Segment],
    value: Node,
    found: &'a mut Diagnostics,
}

impl Edit<'_> {
    fn run(mut self, root: &mut Node) {
        self.edit_table(&format::SCENARIO, root, 0);
    }

    /// The path up to segment `depth`, for messages.
    fn path_to(&self, depth: usize) -> String {
        self.path[..depth].iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(".")
    }

    fn edit_table(&mut self, table: &'static Table, node: &mut Node, depth: usize) {
        let segment = self.path[depth].clone();
        let what = node.value.describe();
        let Value::Table(entries) = &mut node.value else {
            return self.cannot_enter(depth, what);
        };
        let Some(key) = table.key(&segment.name) else {
            let names: Vec<&str> = table.names().collect();
            let message = format!("unknown key `{}` in {}", excerpt(&segment.name), table.name);
            let help = did_you_mean(&segment.name, names.iter().copied());
            self.found
                .error(&self.path_to(depth + 1), segment.place, message)
                .label("no such key")
                .help_maybe(help)
                .help(format!("{} takes {}", table.name, alternatives(&names, "and")));
            return;
        };
        // Of keys that exclude each other, such as families of distributions, the one that is set takes the place of
        // the one that stands there.
        for group in table.exactly_one.iter().filter(|group| group.contains(&key.name)) {
            entries.retain(|entry| entry.key == key.name || !group.contains(&entry.key.as_str()));
        }
        let index = match entries.iter().position(|entry| entry.key == key.name) {
            Some(index) => index,
            None => {
                let node = absent(&key.kind, key.presence, segment.place);
                entries.push(Entry { key: key.name.to_owned(), key_place: segment.place, node });
                entries.len() - 1
            }
        };
        self.edit_value(&key.kind, &mut entries[index].node, depth + 1);
    }

    fn edit_value(&mut self, kind: &Kind, node: &mut Node, depth: usize) {
        if depth == self.path.len() {
            *node = self.value.clone();
            return;
        }
        match kind {
            Kind::Table(table) => self.edit_table(table, node, depth),
            Kind::Distribution(_) => {
                // A constant, or what was just added, gives way to a table.
                if !matches!(node.value, Value::Table(_)) {
                    node.value = Value::Table(Vec::new());
                    node.place = self.path[depth].place;
                }
                self.edit_table(&format::DISTRIBUTION, node, depth);
            }
            Kind::Tables(table, _) => {
                if let Some(item) = self.item(node, depth) {
                    if depth + 1 == self.path.len() {
                        *item = self.value.clone();
                    } else {
                        self.edit_table(table, item, depth + 1);
                    }
                }
            }
            Kind::List(of, ..) => {
                if let Some(item) = self.item(node, depth) {
                    self.edit_value(of, item, depth + 1);
                }
            }
            _ => self.cannot_enter(depth, node.value.describe()),
        }
    }

    fn cannot_enter(&mut self, depth: usize, what: &str) {
        let outer = self.path_to(depth);
        let outer = if outer.is_empty() { "the scenario".to_owned() } else { format!("`{outer}`") };
        self.found
            .error(&self.path_to(depth + 1), self.path[depth].place, format!("{outer} is {what}: nothing is inside it"))
            .label("no such key");
    }

    /// The entry of an array that the segment names: by its `name`, else by its number from 0.
    fn item<'n>(&mut self, node: &'n mut Node, depth: usize) -> Option<&'n mut Node> {
        let Segment { name: wanted, place } = self.path[depth].clone();
        let what = node.value.describe();
        let Value::Array(items) = &mut node.value else {
            self.cannot_enter(depth, what);
            return None;
        };
        let name = |item: &Node| item.get("name").and_then(Node::as_text).map(str::to_owned);
        let names: Vec<String> = items.iter().filter_map(name).collect();
        let by_name = items.iter().position(|item| name(item).as_deref() == Some(&wanted));
        let index = by_name.or_else(|| wanted.parse().ok().filter(|index| *index < items.len()));
        if index.is_none() {
            let outer = self.path_to(depth);
            let names: Vec<&str> = names.iter().map(String::as_str).take(20).collect();
            let what = match (names.is_empty(), items.len()) {
                (_, 0) => "it has no entries".to_owned(),
                (true, 1) => "its only entry has the number 0".to_owned(),
                (true, entries) => format!("its entries have the numbers 0 to {}", entries - 1),
                (false, 1) => format!("the only one is {}", alternatives(&names, "and")),
                (false, _) => format!("there are {}", alternatives(&names, "and")),
            };
            let help = did_you_mean(&wanted, names);
            self.found
                .error(&self.path_to(depth + 1), place, format!("`{outer}` has no `{}`", excerpt(&wanted)))
                .label(what)
                .help_maybe(help);
        }
        items.get_mut(index?)
    }
}

/// What stands for a key that the file does not have: its default, or an empty table to fill.
fn absent(kind: &Kind, presence: Presence, place: Place) -> Node {
    let text = match (presence, kind) {
        (Presence::Default(text), _) => text,
        (_, Kind::List(..) | Kind::Tables(..)) => "[]",
        _ => "{}",
    };
    let mut node = tree::parse_value(text, place.source, 0).expect("defaults of the format are TOML");
    node.move_to(place);
    node
}
