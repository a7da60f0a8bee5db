//! Why no key can be derived, where in the arguments the reason stands, and what to do instead.

use crate::turn::vocabulary;
use std::fmt::{self, Write as _};

vocabulary! {
    /// The reason of a refusal.
    Why {
        /// Not JSON.
        Syntax = "syntax",
        /// JSON, but no object.
        NotAnObject = "not_an_object",
        /// An object says one name twice: readers disagree on which value counts.
        DuplicateName = "duplicate_name",
        /// Half of a surrogate pair: no Unicode text, and no UTF-8 can carry it.
        LoneSurrogate = "lone_surrogate",
        /// NaN or an infinity, which some encoders write though JSON has neither.
        NotANumber = "not_a_number",
        /// An integer beyond ±(2^53 − 1), however it is written: its neighbours share its double.
        UnsafeInteger = "unsafe_integer",
        /// A number beyond the range of a double, or an integer longer than Python reads.
        Overflow = "overflow",
        /// A number with digits that a double does not carry.
        Precision = "precision",
        /// Nested deeper than [`MAX_DEPTH`](crate::dispatch::canonical::MAX_DEPTH).
        TooDeep = "too_deep",
    }
}

impl Why {
    /// What to do instead.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Why::Syntax => "pass the arguments as one JSON object, whole and with nothing after it",
            Why::NotAnObject => "wrap the value in an object that names it",
            Why::DuplicateName => "keep one of the two; readers disagree on which one counts",
            Why::LoneSurrogate => "write the pair in full or drop the half; text is never cut between the two",
            Why::NotANumber => "use null or a string; JSON has no such number",
            Why::UnsafeInteger => {
                "only integers within ±(2^53−1) are carried exactly; write ids and amounts as strings"
            }
            Why::Overflow => "write the number as a string",
            Why::Precision => "a double does not carry all its digits; write ids and amounts as strings",
            Why::TooDeep => "flatten the arguments, or pass the nested part as a string",
        }
    }
}

/// No key: the arguments (or another component) cannot be carried without loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub why: Why,
    /// What was found, for people: `the integer 9007199254740993`.
    pub found: String,
    /// The value concerned: `$` is the arguments, `$.items[3].id` a part of them; the component's name where it is
    /// not the arguments.
    pub path: String,
    /// Where in the arguments' text it stands, in bytes from the start; absent for other components.
    pub offset: Option<usize>,
}

impl Refused {
    /// A refusal at a place of the arguments' text; the path grows while the reader unwinds.
    pub(super) fn at(offset: usize, why: Why, found: impl Into<String>) -> Self {
        Refused { why, found: found.into(), path: "$".to_owned(), offset: Some(offset) }
    }

    /// A refusal of a component beside the arguments.
    pub(super) fn component(name: &str, why: Why, found: impl Into<String>) -> Self {
        Refused { why, found: found.into(), path: name.to_owned(), offset: None }
    }

    /// The same refusal, seen from the object that holds the value under `name`.
    pub(super) fn under_name(mut self, name: &str) -> Self {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let step = if plain { format!(".{name}") } else { format!("[{name:?}]") };
        self.path.insert_str(1, &step);
        self
    }

    /// The same refusal, seen from the array that holds the value at `index`.
    pub(super) fn at_index(mut self, index: usize) -> Self {
        self.path.insert_str(1, &format!("[{index}]"));
        self
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.found, self.path)?;
        if let Some(offset) = self.offset {
            write!(f, " (byte {offset})")?;
        }
        write!(f, ": {}", self.why.advice())
    }
}

impl std::error::Error for Refused {}

/// `text` for a message: on one line, cut after 40 characters.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        // Writing to a string cannot fail.
        let _ = if c.is_control() { write!(shown, "{}", c.escape_default()) } else { write!(shown, "{c}") };
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_grows_outwards_and_quotes_names_that_are_no_identifiers() {
        let refused =
            Refused::at(7, Why::DuplicateName, "the name \"a\"").under_name("b c").at_index(3).under_name("items");
        assert_eq!(refused.path, r#"$.items[3]["b c"]"#);
        assert!(refused.to_string().starts_with(r#"the name "a" at $.items[3]["b c"] (byte 7): keep one"#));
    }

    #[test]
    fn an_excerpt_stays_on_one_line_and_is_bounded() {
        assert_eq!(excerpt("a\nb"), "a\\nb");
        assert_eq!(excerpt(&"é".repeat(41)), format!("{}…", "é".repeat(40)));
    }
}
