//! Canonical JSON (RFC 8785) of a call's arguments: one text for one value, and no text for a value that the format
//! would change.
//!
//! RFC 8785 writes every number as the double nearest to it. That is lossless for a literal exactly if the text it
//! comes out as says the same decimal number, and this is what is checked here, so two different numbers never share
//! a canonical text. Integers beyond ±(2^53 − 1) are refused however they are written (`1e16` as well): a reader that
//! has parsed them already, as every TypeScript handler has, cannot tell them from their neighbours.
//!
//! Nothing is normalised but spelling: strings stay as they are, composed or not, trimmed or not.

use crate::dispatch::decimal::Decimal;
use crate::dispatch::json::{self, Style};
use crate::dispatch::refused::{Refused, Why};
use std::fmt::Write as _;

/// Objects and arrays inside one another at most, the arguments themselves included.
pub const MAX_DEPTH: usize = json::MAX_DEPTH;

/// The largest integer that a double tells from both its neighbours, 2^53 − 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The canonical text of arguments given as JSON text.
///
/// # Errors
/// The first thing in the text that is not JSON, is no object, or cannot be carried without loss.
pub fn canonical(arguments: &str) -> Result<String, Refused> {
    let value = json::read_object(arguments, check_number)?;
    let mut text = String::with_capacity(arguments.len());
    STYLE.write(&value, &mut text);
    Ok(text)
}

/// RFC 8785's text of a number, which is ECMAScript's; none for NaN and the infinities.
#[must_use]
pub fn number(x: f64) -> Option<String> {
    x.is_finite().then(|| Decimal::shortest(x).ecmascript())
}

/// Whether a double carries the number that `literal` says.
fn check_number(literal: &str) -> Result<(), Why> {
    let said = Decimal::of_literal(literal);
    let x = double(literal);
    if x.is_infinite() {
        Err(Why::Overflow)
    } else if said.is_integer() && x.abs() > MAX_SAFE_INTEGER as f64 {
        Err(Why::UnsafeInteger)
    } else if Decimal::shortest(x) != said {
        Err(Why::Precision)
    } else {
        Ok(())
    }
}

/// The double nearest to what `literal` says.
pub(super) fn double(literal: &str) -> f64 {
    literal.parse().expect("JSON's number grammar is part of Rust's")
}

/// Names go by UTF-16 code units (section 3.2.3), which is not the order of code points: U+1F600 is written with
/// surrogates and comes before U+FFEE.
const STYLE: Style =
    Style { number: write_number, string: write_string, order: |a, b| a.encode_utf16().cmp(b.encode_utf16()) };

fn write_number(literal: &str, out: &mut String) {
    out.push_str(&Decimal::shortest(double(literal)).ecmascript());
}

/// A string with the shortest escapes, and no more of them than JSON asks for (section 3.2.2.2).
pub(super) fn write_string(string: &str, out: &mut String) {
    out.push('"');
    for c in string.chars() {
        match short_escape(c) {
            Some(escape) => out.push_str(escape),
            // Writing to a string cannot fail.
            None if c < ' ' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            None => out.push(c),
        }
    }
    out.push('"');
}

/// The two-character escape of `c`, where JSON must escape it and has one.
pub(super) const fn short_escape(c: char) -> Option<&'static str> {
    match c {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '\u{8}' => Some("\\b"),
        '\u{c}' => Some("\\f"),
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_carried_exactly_or_refused() {
        for (literal, text) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0e5", "0"),
            ("1.0", "1"),
            ("10.50", "10.5"),
            ("1e-7", "1e-7"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("5e-324", "5e-324"),
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991.0", "-9007199254740991"),
            ("9.007199254740991E15", "9007199254740991"),
        ] {
            assert_eq!(canonical(&format!("{{\"n\":{literal}}}")), Ok(format!("{{\"n\":{text}}}")));
        }
        for (literal, why) in [
            ("9007199254740992", Why::UnsafeInteger),
            ("9007199254740993", Why::UnsafeInteger),
            ("-9007199254740992", Why::UnsafeInteger),
            ("9007199254740993.0", Why::UnsafeInteger),
            ("1e16", Why::UnsafeInteger),
            ("1e308", Why::UnsafeInteger),
            ("1e400", Why::Overflow),
            ("-1e400", Why::Overflow),
            ("0.12345678901234567890", Why::Precision),
            ("0.1000000000000000055511151231257827", Why::Precision),
            ("9007199254740991.5", Why::Precision),
            ("1e-400", Why::Precision),
            ("3e-324", Why::Precision),
            ("1e-99999999999999999999999", Why::Precision),
        ] {
            let refused = canonical(&format!("{{\"n\":{literal}}}")).expect_err(literal);
            assert_eq!((refused.why, refused.path.as_str(), refused.offset), (why, "$.n", Some(5)), "{literal}");
        }
        let long = format!("{{\"n\":{}}}", "9".repeat(5000));
        assert_eq!(canonical(&long).map_err(|refused| refused.why), Err(Why::Overflow));
    }

    #[test]
    fn names_are_in_the_order_of_their_utf_16_code_units() {
        let text = "{\"\u{ffee}\":1,\"\u{1f600}\":2,\"b\":3,\"\":4,\"a\":5}";
        assert_eq!(canonical(text).as_deref(), Ok("{\"\":4,\"a\":5,\"b\":3,\"\u{1f600}\":2,\"\u{ffee}\":1}"));
    }
}
