//! The format of scenario files as data: one description that the reader, the messages, the JSON Schema and the
//! reference in `docs/scenario.md` share, so that none of them can say something else.

mod schema;
mod tables;

pub use schema::schema;
pub use tables::SCENARIO;
pub(super) use tables::{DISTRIBUTION, FAMILIES};

/// The numbers a file can hold are bounded, so that nothing in a run can overflow; these are the bounds.
pub mod limits {
    /// Turns of a run: whole numbers that every JSON reader keeps.
    pub const TURNS: u64 = 1 << 53;
    /// Seeds: the integers of TOML.
    pub const SEED: u64 = i64::MAX as u64;
    /// Attempts of a turn, and replays of a route: what the draws can address.
    pub const ATTEMPTS: u64 = 65_535;
    /// Further requests of a tool's client: what the draws can address.
    pub const CLIENT_RETRIES: u64 = 32_767;
    /// Calls of a turn.
    pub const CALLS: usize = 4_096;
    /// Steps of a turn.
    pub const STEPS: usize = 1_024;
    /// Tools, shapes, routes, policies, gates: entries of each.
    pub const ENTRIES: usize = 256;
    /// Conversations of a cell, and turns of one of them.
    pub const CELL_SIDE: u64 = 1_000_000;
    /// Turns of a cell.
    pub const CELL: u64 = 10_000_000;
    /// Values of a pool of arguments.
    pub const VALUES: u64 = 1 << 53;
    /// Rates an hour, multipliers, weights, turns a month.
    pub const NUMBER: f64 = 1e12;
    /// Amounts of money.
    pub const AMOUNT: f64 = 1e15;
    /// Incidents a month.
    pub const INCIDENTS: f64 = 1e5;
    /// Samples written into the file.
    pub const SAMPLES: usize = 100_000;
    /// Parts of a mixture, those of the mixtures in it among them.
    pub const PARTS: usize = 64;
    /// Replay rates: each has its own hazard.
    pub const REPLAY_RATES: usize = 64;
    /// Levels of distributions in mixtures.
    pub const DEPTH: usize = 8;
    /// Characters of a name.
    pub const NAME: usize = 100;
    /// Bytes of a scenario file.
    pub const FILE_BYTES: usize = 4 << 20;
    /// Bytes of a data file.
    pub const DATA_BYTES: u64 = 64 << 20;
    /// Samples taken from a data file.
    pub const DATA_SAMPLES: usize = 1_000_000;
}

/// A table of the format.
#[derive(Debug)]
pub struct Table {
    /// Its name in messages: `[stream]`, `[[tool]]`, `lognormal`.
    pub name: &'static str,
    /// What it describes, one sentence.
    pub doc: &'static str,
    /// Everything that may stand in it.
    pub keys: &'static [Key],
    /// Groups of keys of which exactly one must be given.
    pub exactly_one: &'static [&'static [&'static str]],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// As written in the file.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where it is absent.
    pub presence: Presence,
    /// What it means, for the reference and for editors.
    pub doc: &'static str,
}

/// What holds where a key is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must be there.
    Required,
    /// This value, in TOML.
    Default(&'static str),
    /// What the key's text says.
    Optional,
}

/// In what a distribution's figures are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Strings with a unit of time.
    Time,
    /// Plain numbers.
    Money,
}

/// What a key takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// `[a-z0-9-]+`
    Slug,
    /// A name that others refer to.
    Name,
    /// true or false
    Flag,
    /// A whole number within these bounds, both included.
    Count(u64, u64),
    /// A finite number.
    Number(Bounds),
    /// A number from 0 to 1, or a string in per cent.
    Probability,
    /// A string with a unit.
    Duration(Zero),
    /// A duration or an amount of money, as the distribution around it is one of durations or of money.
    Quantity(Zero),
    /// A distribution; in the unit of the distribution around it where it names none.
    Distribution(Option<Unit>),
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// An array of this many to that many values.
    List(&'static Kind, usize, usize),
    /// A table.
    Table(&'static Table),
    /// An array of tables, up to this many.
    Tables(&'static Table, usize),
}

/// Whether a duration or an amount may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// It may.
    Allowed,
    /// It may not.
    Refused,
}

/// Bounds of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Not less than this,
    pub least: f64,
    /// nor equal to it where this is set;
    pub above: bool,
    /// not more than this.
    pub most: f64,
}

impl Bounds {
    /// From 0 to `most`.
    #[must_use]
    pub const fn not_negative(most: f64) -> Self {
        Bounds { least: 0.0, above: false, most }
    }

    /// Above 0, up to `most`.
    #[must_use]
    pub const fn positive(most: f64) -> Self {
        Bounds { least: 0.0, above: true, most }
    }

    /// Whether `value` is within.
    #[must_use]
    pub fn hold(self, value: f64) -> bool {
        value.is_finite() && value <= self.most && if self.above { value > self.least } else { value >= self.least }
    }
}

impl Table {
    /// The key with this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The names of all its keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.keys.iter().map(|key| key.name)
    }

    /// Every table within this one and itself, each once, in the order of the reference: distributions, which stand
    /// in most of the others, come last.
    #[must_use]
    pub fn tables(&'static self) -> Vec<&'static Table> {
        let mut seen: Vec<&'static Table> = Vec::new();
        // The bottom of the stack is what is visited last.
        let mut open = vec![&tables::DISTRIBUTION, self];
        while let Some(table) = open.pop() {
            if seen.iter().any(|t| std::ptr::eq(*t, table)) {
                continue;
            }
            seen.push(table);
            let inner = table.keys.iter().rev().filter_map(|key| key.kind.table());
            open.extend(inner.filter(|inner| !std::ptr::eq(*inner, &tables::DISTRIBUTION)));
        }
        seen
    }
}

impl Kind {
    /// The table it leads into, if any; distributions lead into `tables::DISTRIBUTION`.
    #[must_use]
    pub fn table(&self) -> Option<&'static Table> {
        match self {
            Kind::Table(table) | Kind::Tables(table, _) => Some(table),
            Kind::Distribution(_) => Some(&tables::DISTRIBUTION),
            Kind::List(kind, ..) => kind.table(),
            _ => None,
        }
    }

    /// What it takes, in words: "a probability: a number from 0 to 1, or a string in per cent".
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Kind::Text => "text".to_owned(),
            Kind::Slug => "text of lower-case letters, digits and hyphens".to_owned(),
            Kind::Name => "a name".to_owned(),
            Kind::Flag => "`true` or `false`".to_owned(),
            Kind::Count(least, most) if least == most => format!("`{least}`"),
            Kind::Count(least, most) => format!("a whole number from {least} to {most}"),
            Kind::Number(Bounds { least, above: true, most }) => {
                format!("a number above {}, up to {}", short(*least), short(*most))
            }
            Kind::Number(Bounds { least, above: false, most }) => {
                format!("a number from {} to {}", short(*least), short(*most))
            }
            Kind::Probability => "a number from 0 to 1, or a string in per cent such as \"0.6%\"".to_owned(),
            Kind::Duration(Zero::Allowed) => "a duration such as \"1.5s\"".to_owned(),
            Kind::Duration(Zero::Refused) => "a duration above zero such as \"1.5s\"".to_owned(),
            Kind::Quantity(Zero::Allowed) => "a duration such as \"1.5s\" (money: a number)".to_owned(),
            Kind::Quantity(Zero::Refused) => "a duration above zero such as \"1.5s\" (money: a number)".to_owned(),
            Kind::Distribution(Some(Unit::Time)) => "a distribution of durations".to_owned(),
            Kind::Distribution(Some(Unit::Money)) => "a distribution of amounts".to_owned(),
            Kind::Distribution(None) => "a distribution".to_owned(),
            Kind::Choice(names) => super::words::alternatives(&names(), "or"),
            Kind::List(kind, 0, _) => format!("an array, each entry {}", kind.words()),
            Kind::List(kind, ..) => format!("an array, not empty, each entry {}", kind.words()),
            Kind::Table(_) => "a table".to_owned(),
            Kind::Tables(..) => "an array of tables".to_owned(),
        }
    }
}

/// A bound as people write it.
fn short(number: f64) -> String {
    if number == 0.0 || (1e-3..1e7).contains(&number.abs()) { number.to_string() } else { format!("{number:e}") }
}
