//! The `pipe` scheme: components joined by `|`, arguments as Python's `json.dumps(sort_keys=True,
//! separators=(",", ":"))` writes what `json.loads` read. It is here for handlers that derive keys so already, and to
//! show what that costs; `docs/key.md` lists its weaknesses. New handlers use [`crate::dispatch::key`].
//!
//! What Python reads and no JSON says (NaN, infinities, lone surrogates, a name twice) is refused here too.

use crate::dispatch::canonical::{double, short_escape};
use crate::dispatch::decimal::Decimal;
use crate::dispatch::json::{self, Style};
use crate::dispatch::key::Derived;
use crate::dispatch::refused::{Refused, Why};
use std::fmt::Write as _;

/// Digits of the longest integer that Python reads from text unless told otherwise.
const MAX_DIGITS: usize = 4300;

/// The joined text and its key: `conversation|position|tool|ordinal|arguments`, UTF-8, the first 32 hex digits of
/// its SHA-256.
///
/// # Errors
/// Arguments that are no JSON object, say a name twice, hold a lone surrogate or a number that is no finite double
/// and no integer that Python reads, or nest too deep.
pub fn derive(
    conversation: &str,
    position: u64,
    tool: &str,
    ordinal: u64,
    arguments: &str,
) -> Result<Derived, Refused> {
    let arguments = python_json(arguments)?;
    Ok(Derived::of(format!("{conversation}|{position}|{tool}|{ordinal}|{arguments}")))
}

/// The arguments as Python writes them.
///
/// # Errors
/// As [`derive()`].
pub fn python_json(arguments: &str) -> Result<String, Refused> {
    let value = json::read_object(arguments, check_number)?;
    let mut text = String::with_capacity(arguments.len());
    STYLE.write(&value, &mut text);
    Ok(text)
}

/// Python makes an `int` of any length of a literal without fraction and exponent, of every other a double.
fn check_number(literal: &str) -> Result<(), Why> {
    let overflows = if is_int(literal) {
        literal.trim_start_matches('-').len() > MAX_DIGITS
    } else {
        double(literal).is_infinite()
    };
    if overflows { Err(Why::Overflow) } else { Ok(()) }
}

fn is_int(literal: &str) -> bool {
    !literal.contains(['.', 'e', 'E'])
}

/// Python sorts by code point.
const STYLE: Style = Style { number: write_number, string: write_string, order: str::cmp };

fn write_number(literal: &str, out: &mut String) {
    if is_int(literal) {
        return out.push_str(if literal == "-0" { "0" } else { literal });
    }
    let x = double(literal);
    if x == 0.0 && x.is_sign_negative() {
        out.push('-');
    }
    out.push_str(&Decimal::shortest(x).python());
}

/// A string in ASCII: everything else as `\uXXXX`, in pairs where UTF-16 has pairs.
fn write_string(string: &str, out: &mut String) {
    out.push('"');
    for c in string.chars() {
        match short_escape(c) {
            Some(escape) => out.push_str(escape),
            None if (' '..='~').contains(&c) => out.push(c),
            None => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_joined_and_arguments_are_ascii() {
        let derived = derive("c|1", 2, "t", 0, r#"{"b": [1.0, 1e16, -0, -0.0], "a": "é😀\u007f"}"#).expect("valid");
        assert_eq!(derived.canonical, r#"c|1|2|t|0|{"a":"\u00e9\ud83d\ude00\u007f","b":[1.0,1e+16,0,-0.0]}"#);
    }

    #[test]
    fn integers_of_any_length_that_python_reads_are_kept() {
        let arguments = |digits: usize| format!("{{\"n\":-{}}}", "9".repeat(digits));
        assert_eq!(python_json(&arguments(MAX_DIGITS)), Ok(arguments(MAX_DIGITS)));
        assert_eq!(python_json(&arguments(MAX_DIGITS + 1)).map_err(|refused| refused.why), Err(Why::Overflow));
        assert_eq!(python_json("{\"n\":1e309}").map_err(|refused| refused.why), Err(Why::Overflow));
    }
}
