//! Reads the tree against the description of the format: unknown and missing keys, types, ranges.

use super::data::DataFiles;
use super::diagnostic::{Diagnostic, Diagnostics, Place};
use super::family;
use super::format::{self, Bounds, Key, Kind, Presence, Table, Unit, Zero, limits};
use super::quantity::{parse_duration, parse_per_cent};
use super::record::{Field, Record, Typed, join};
use super::tree::{self, Entry, Node, Value};
use super::words::{alternatives, did_you_mean, excerpt, nearest};
use crate::dist::Distribution;
use crate::time::Span;

/// What reading needs at hand.
pub(super) struct Reader<'a> {
    pub(super) found: &'a mut Diagnostics,
    pub(super) files: &'a mut DataFiles,
    /// Of the distribution being read.
    unit: Unit,
    /// Levels of distributions around the one being read.
    depth: usize,
    /// Parts of the outermost one so far.
    parts: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(found: &'a mut Diagnostics, files: &'a mut DataFiles) -> Self {
        Reader { found, files, unit: Unit::Time, depth: 0, parts: 0 }
    }

    /// Reads a table: its known keys, then what is missing, then the groups of which one must be given.
    pub(super) fn table(&mut self, table: &'static Table, node: &Node, path: &str) -> Option<Record> {
        let Value::Table(entries) = &node.value else {
            self.wrong_type(path, node, "a table");
            return None;
        };
        let fields = Default::default();
        let mut record = Record { table, path: path.to_owned(), place: node.place, fields };
        // A key that was probably meant by an unknown one is not reported as missing on top.
        let mut meant: Vec<&str> = Vec::new();
        for entry in entries {
            match table.key(&entry.key) {
                Some(key) => {
                    let value = self.value(&key.kind, &entry.node, &join(path, key.name));
                    let field = Field { key_place: entry.key_place, place: entry.node.place, given: true, value };
                    record.fields.insert(key.name, field);
                }
                None => meant.extend(self.unknown_key(table, entry, path)),
            }
        }
        for key in table.keys {
            if !record.fields.contains_key(key.name) {
                self.absent(key, meant.contains(&key.name), &mut record);
            }
        }
        for group in table.exactly_one.iter().filter(|group| !group.iter().any(|key| meant.contains(key))) {
            self.exactly_one(group, &record);
        }
        Some(record)
    }

    /// Reports a key that the table does not have, and returns the one that was probably meant.
    fn unknown_key(&mut self, table: &Table, entry: &Entry, path: &str) -> Option<&'static str> {
        let Entry { key, key_place, .. } = entry;
        let message = format!("unknown key `{}` in {}", excerpt(key), table.name);
        let near = nearest(key, table.names());
        let elsewhere = || {
            let others = format::SCENARIO.tables().into_iter().filter(|t| t.key(key).is_some());
            let names: Vec<&str> = others.map(|t| t.name).collect();
            (!names.is_empty()).then(|| format!("`{key}` is a key of {}", alternatives(&names, "and")))
        };
        let help = near.map(|name| format!("did you mean `{name}`?")).or_else(elsewhere);
        let allowed: Vec<&str> = table.names().collect();
        self.found
            .error(&join(path, &excerpt(key)), *key_place, message)
            .label("not a key of this table")
            .help_maybe(help)
            .help(format!("{} takes {}", table.name, alternatives(&allowed, "and")));
        near
    }

    /// Fills in the default of an absent key, or reports that there is none.
    fn absent(&mut self, key: &'static Key, misspelt: bool, record: &mut Record) {
        let place = record.place;
        let value = match key.presence {
            Presence::Optional => return,
            Presence::Required if misspelt => Typed::Broken,
            Presence::Required => {
                let words = self.words(&key.kind);
                self.found
                    .error(&record.path_of(key.name), place, format!("{} needs `{}`", record.table.name, key.name))
                    .label(format!("`{}` is missing", key.name))
                    .help(format!("`{}` takes {words}. {}", key.name, key.doc));
                Typed::Broken
            }
            Presence::Default(text) => {
                let mut node = tree::parse_value(text, place.source, 0).expect("defaults of the format are TOML");
                node.move_to(place);
                self.value(&key.kind, &node, &record.path_of(key.name))
            }
        };
        record.fields.insert(key.name, Field { key_place: place, place, given: false, value });
    }

    fn exactly_one(&mut self, group: &'static [&'static str], record: &Record) {
        let mut given: Vec<(&str, &Field)> = group.iter().filter_map(|key| Some((*key, record.given(key)?))).collect();
        given.sort_by_key(|(_, field)| field.key_place);
        let choices = alternatives(group, "or");
        match given.as_slice() {
            [_] => {}
            [] => {
                self.found
                    .error(&record.path, record.place, format!("{} needs {choices}", record.table.name))
                    .label(format!("none of {} is given", alternatives(group, "and")));
            }
            [(first, before), rest @ ..] => {
                for (key, field) in rest {
                    self.found
                        .error(&record.path_of(key), field.key_place, format!("`{key}` contradicts `{first}`"))
                        .label(format!("{} takes only one of {choices}", record.table.name))
                        .also(before.key_place, format!("`{first}` is given here"));
                }
            }
        }
    }

    /// What a key takes, in words, here.
    fn words(&self, kind: &Kind) -> String {
        match kind {
            Kind::Quantity(zero) => self.quantity_kind(*zero).words(),
            _ => kind.words(),
        }
    }

    /// A quantity of the distribution being read.
    fn quantity_kind(&self, zero: Zero) -> Kind {
        match self.unit {
            Unit::Time => Kind::Duration(zero),
            Unit::Money => Kind::Number(Bounds { least: 0.0, above: zero == Zero::Refused, most: limits::AMOUNT }),
        }
    }

    /// Reads one value.
    fn value(&mut self, kind: &Kind, node: &Node, path: &str) -> Typed {
        let value = match kind {
            Kind::Text => self.text(node, path).map(Typed::Text),
            Kind::Slug => self.slug(node, path),
            Kind::Name => self.name(node, path),
            Kind::Flag => self.flag(node, path),
            Kind::Count(least, most) => self.count(*least, *most, node, path),
            Kind::Number(bounds) => self.number(*bounds, node, path).map(Typed::Number),
            Kind::Probability => self.probability(node, path),
            Kind::Duration(zero) => self.duration(*zero, node, path).map(Typed::Span),
            Kind::Quantity(zero) => self.quantity(*zero, node, path).map(Typed::Number),
            Kind::Distribution(unit) => self.distribution(*unit, node, path),
            Kind::Choice(names) => self.choice(&names(), node, path),
            Kind::List(of, least, most) => self.list(of, *least..=*most, node, path),
            Kind::Table(table) => self.table(table, node, path).map(Typed::Record),
            Kind::Tables(table, most) => self.tables(table, *most, node, path),
        };
        value.unwrap_or(Typed::Broken)
    }

    fn wrong_type(&mut self, path: &str, node: &Node, expected: &str) -> &mut Diagnostic {
        let key = last_segment(path);
        self.found
            .error(path, node.place, format!("`{key}` takes {expected}, not {}", node.value.describe()))
            .label(format!("expected {expected}"))
    }

    fn text(&mut self, node: &Node, path: &str) -> Option<String> {
        match node.as_text() {
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong_type(path, node, "a string");
                None
            }
        }
    }

    fn slug(&mut self, node: &Node, path: &str) -> Option<Typed> {
        let text = self.text(node, path)?;
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if !text.is_empty() && text.len() <= limits::NAME && text.bytes().all(allowed) {
            return Some(Typed::Text(text));
        }
        let better: String = text
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' })
            .take(limits::NAME)
            .collect();
        let better = better.trim_matches('-');
        self.found
            .error(path, node.place, format!("`{}` cannot name a scenario", excerpt(&text)))
            .label("a name is made of a-z, 0-9 and `-`, up to 100 of them")
            .help_maybe((!better.is_empty()).then(|| format!("`{}` would do", excerpt(better))));
        None
    }

    fn name(&mut self, node: &Node, path: &str) -> Option<Typed> {
        let text = self.text(node, path)?;
        let sound = !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control);
        if sound && text.chars().count() <= limits::NAME {
            return Some(Typed::Text(text));
        }
        self.found
            .error(path, node.place, "this cannot be a name")
            .label("a name has 1 to 100 characters, no control characters, no space at either end");
        None
    }

    fn flag(&mut self, node: &Node, path: &str) -> Option<Typed> {
        match node.value {
            Value::Flag(flag) => Some(Typed::Flag(flag)),
            _ => {
                self.wrong_type(path, node, "`true` or `false`");
                None
            }
        }
    }

    fn count(&mut self, least: u64, most: u64, node: &Node, path: &str) -> Option<Typed> {
        let words = Kind::Count(least, most).words();
        let Value::Integer(integer) = node.value else {
            self.wrong_type(path, node, &words);
            return None;
        };
        let count = integer.and_then(|i| u64::try_from(i).ok()).filter(|count| (least..=most).contains(count));
        if count.is_none() {
            self.out_of_range(path, node.place, &words);
        }
        count.map(Typed::Count)
    }

    fn out_of_range(&mut self, path: &str, place: Place, words: &str) {
        let key = last_segment(path);
        self.found.error(path, place, format!("`{key}` is out of range")).label(format!("expected {words}"));
    }

    fn number(&mut self, bounds: Bounds, node: &Node, path: &str) -> Option<f64> {
        let words = Kind::Number(bounds).words();
        if !matches!(node.value, Value::Integer(_) | Value::Float(_)) {
            self.wrong_type(path, node, &words);
            return None;
        }
        let number = node.value.as_number().filter(|number| bounds.hold(*number));
        if number.is_none() {
            self.out_of_range(path, node.place, &words);
        }
        // Adding zero turns -0 into 0, which prints without a sign.
        number.map(|number| number + 0.0)
    }

    fn probability(&mut self, node: &Node, path: &str) -> Option<Typed> {
        let words = Kind::Probability.words();
        let number = match &node.value {
            Value::Integer(_) | Value::Float(_) => node.value.as_number(),
            Value::Text(text) => match parse_per_cent(text) {
                Some(number) => Some(number),
                None => {
                    let quoted = text.trim().parse::<f64>().is_ok();
                    self.found
                        .error(path, node.place, format!("`{}` is no probability", excerpt(text)))
                        .label(format!("expected {words}"))
                        .help_maybe(quoted.then(|| "write the number without quotes".to_owned()));
                    return None;
                }
            },
            _ => {
                self.wrong_type(path, node, &words);
                return None;
            }
        };
        let number = number.filter(|number| (0.0..=1.0).contains(number));
        if number.is_none() {
            self.out_of_range(path, node.place, &words);
        }
        number.map(|number| Typed::Number(number + 0.0))
    }

    fn duration(&mut self, zero: Zero, node: &Node, path: &str) -> Option<Span> {
        let words = Kind::Duration(zero).words();
        let Value::Text(text) = &node.value else {
            let number = node.value.as_number().filter(|n| n.is_finite());
            let hint = number.map(|n| format!("a duration names its unit: \"{n}s\" or \"{n}ms\""));
            self.wrong_type(path, node, &words).help_maybe(hint);
            return None;
        };
        match parse_duration(text) {
            Ok(Span::ZERO) if zero == Zero::Refused => self.out_of_range(path, node.place, &words),
            Ok(span) => return Some(span),
            Err(reason) => {
                self.found
                    .error(path, node.place, format!("`{}` is no duration", excerpt(text)))
                    .label(reason)
                    .help("units are d, h, m, s, ms, us and ns, as in \"820ms\", \"1.5s\" or \"1h30m\"");
            }
        }
        None
    }

    /// A duration in seconds or an amount of money, as the distribution being read asks.
    fn quantity(&mut self, zero: Zero, node: &Node, path: &str) -> Option<f64> {
        match self.quantity_kind(zero) {
            Kind::Number(bounds) => self.number(bounds, node, path),
            _ => self.duration(zero, node, path).map(Span::as_seconds_f64),
        }
    }

    fn choice(&mut self, names: &[&'static str], node: &Node, path: &str) -> Option<Typed> {
        let words = alternatives(names, "or");
        let Value::Text(text) = &node.value else {
            self.wrong_type(path, node, &words);
            return None;
        };
        if names.contains(&text.as_str()) {
            return Some(Typed::Text(text.clone()));
        }
        self.found
            .error(path, node.place, format!("`{}` is no value of `{}`", excerpt(text), last_segment(path)))
            .label(format!("expected {words}"))
            .help_maybe(did_you_mean(text, names.iter().copied()));
        None
    }

    fn list(
        &mut self,
        of: &'static Kind,
        size: std::ops::RangeInclusive<usize>,
        node: &Node,
        path: &str,
    ) -> Option<Typed> {
        let Value::Array(items) = &node.value else {
            self.wrong_type(path, node, &Kind::List(of, *size.start(), *size.end()).words());
            return None;
        };
        if !size.contains(&items.len()) {
            let many = match items.len() {
                0 => "is empty".to_owned(),
                entries => format!("has {entries} entries"),
            };
            self.found.error(path, node.place, format!("`{}` {many}", last_segment(path))).label(format!(
                "expected {} to {} entries",
                size.start(),
                size.end()
            ));
            return None;
        }
        let values = items.iter().enumerate();
        let values = values.map(|(i, item)| (item.place, self.value(of, item, &join(path, &i.to_string()))));
        Some(Typed::List(values.collect()))
    }

    fn tables(&mut self, table: &'static Table, most: usize, node: &Node, path: &str) -> Option<Typed> {
        let Value::Array(items) = &node.value else {
            let header = last_segment(path);
            let hint = format!("a table of an array has a header in double brackets: `[[{header}]]`");
            let hint = matches!(node.value, Value::Table(_)).then_some(hint);
            self.wrong_type(path, node, "an array of tables").help_maybe(hint);
            return None;
        };
        if items.len() > most {
            self.out_of_range(path, items[most].place, &format!("at most {most} of them"));
            return None;
        }
        let read = |(i, item): (usize, &Node)| {
            let name = item.get("name").and_then(Node::as_text).map(excerpt).unwrap_or(i.to_string());
            self.table(table, item, &join(path, &name))
        };
        let records: Vec<Option<Record>> = items.iter().enumerate().map(read).collect();
        records.into_iter().collect::<Option<Vec<Record>>>().map(Typed::Records)
    }

    fn distribution(&mut self, unit: Option<Unit>, node: &Node, path: &str) -> Option<Typed> {
        if self.depth == limits::DEPTH {
            self.out_of_range(path, node.place, &format!("at most {} levels of mixtures", limits::DEPTH));
            return None;
        }
        self.parts = if self.depth == 0 { 0 } else { self.parts + 1 };
        if self.parts > limits::PARTS {
            self.out_of_range(path, node.place, &format!("at most {} parts in all", limits::PARTS));
            return None;
        }
        let outer = self.unit;
        self.unit = unit.unwrap_or(outer);
        self.depth += 1;
        let read = match node.value {
            Value::Table(_) => self.table(&format::DISTRIBUTION, node, path).and_then(|r| family::build(&r, self)),
            Value::Text(_) | Value::Integer(_) | Value::Float(_) => {
                self.quantity(Zero::Allowed, node, path).map(Distribution::constant)
            }
            _ => {
                let constant = self.quantity_kind(Zero::Allowed).words();
                self.wrong_type(path, node, "a distribution").help(format!(
                    "{constant} for a constant, else a table of {}",
                    alternatives(format::FAMILIES, "or")
                ));
                None
            }
        };
        self.depth -= 1;
        self.unit = outer;
        read.map(Typed::Distribution)
    }

    /// The unit of the distribution being read.
    pub(super) fn unit(&self) -> Unit {
        self.unit
    }
}

/// The key at the end of a path; in an array the array's own.
fn last_segment(path: &str) -> &str {
    let is_index = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    path.rsplit('.').find(|segment| !is_index(segment)).unwrap_or(path)
}
