//! Decimal numbers digit by digit: what a literal says, what a double's shortest text says, and whether the two are
//! the same number.

/// 0.d₁d₂…dₖ × 10^point, with d₁ and dₖ not zero; zero has no digits, no sign and point 0. So equal numbers are
/// equal values, however they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: String,
    point: i64,
}

impl Decimal {
    /// The number that a literal of the JSON grammar says, exactly.
    pub(super) fn of_literal(literal: &str) -> Self {
        let (negative, unsigned) = literal.strip_prefix('-').map_or((false, literal), |rest| (true, rest));
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        let leading = all.len() - significant.len();
        let digits = significant.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Decimal { negative: false, digits, point: 0 };
        }
        let point = exponent + whole.len() as i64 - leading as i64;
        Decimal { negative, digits, point }
    }

    /// The shortest decimal that reads back as `x`; where several are as short the closest, of two as close the even
    /// one. These are the digits of ECMAScript's Number::toString and of Python's repr. (Rust's own formatting is not
    /// used because it takes the odd one of two as close, such as 1424953923781206.3 for 1424953923781206.25.) `x` is
    /// finite.
    pub(super) fn shortest(x: f64) -> Self {
        debug_assert!(x.is_finite(), "{x} has no decimal");
        Self::of_literal(ryu_js::Buffer::new().format_finite(x))
    }

    /// Whether the number has no fraction.
    pub(super) fn is_integer(&self) -> bool {
        self.digits.len() as i64 <= self.point
    }

    /// As ECMAScript's Number::toString lays it out, which RFC 8785 takes over (section 3.2.2.3).
    pub(super) fn ecmascript(&self) -> String {
        if -6 < self.point && self.point <= 21 { self.fixed() } else { self.scientific(1) }
    }

    /// As Python's repr of a float lays it out.
    pub(super) fn python(&self) -> String {
        if !(-4 < self.point && self.point <= 16) {
            return self.scientific(2);
        }
        let mut text = self.fixed();
        if self.is_integer() {
            text.push_str(".0");
        }
        text
    }

    /// Without an exponent: `120`, `1.5`, `0.0015`.
    fn fixed(&self) -> String {
        let sign = self.sign();
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        if self.point <= 0 {
            let zeros = "0".repeat(self.point.unsigned_abs() as usize);
            return format!("{sign}0.{zeros}{}", self.digits);
        }
        let whole = self.point as usize;
        if whole >= self.digits.len() {
            return format!("{sign}{}{}", self.digits, "0".repeat(whole - self.digits.len()));
        }
        format!("{sign}{}.{}", &self.digits[..whole], &self.digits[whole..])
    }

    /// With an exponent of at least `width` digits: `1.5e-7`, `1e+21`.
    fn scientific(&self, width: usize) -> String {
        let (first, rest) = self.digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let exponent = self.point - 1;
        let direction = if exponent < 0 { '-' } else { '+' };
        format!("{}{first}{dot}{rest}e{direction}{:0width$}", self.sign(), exponent.unsigned_abs())
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }
}

/// The value of an exponent's text. One that is out of any text's reach saturates: digits would have to be written
/// out by the million million before it mattered.
fn exponent_of(text: &str) -> i64 {
    const LIMIT: i64 = 1_000_000_000_000;
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (-1, &text[1..]),
        Some(b'+') => (1, &text[1..]),
        _ => (1, text),
    };
    let magnitude = digits.bytes().fold(0, |sum: i64, d| (sum * 10 + i64::from(d - b'0')).min(LIMIT));
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_number_are_one_decimal() {
        for (one, other) in [
            ("100", "1e2"),
            ("0.1", "1E-1"),
            ("0.10", "0.1"),
            ("-0", "0.000e7"),
            ("1e0", "10e-1"),
            ("0.00012e+5", "12"),
            ("1e99999999999999999999", "1e88888888888888888888"),
        ] {
            assert_eq!(Decimal::of_literal(one), Decimal::of_literal(other), "{one} {other}");
        }
    }

    #[test]
    fn neighbours_are_different_decimals() {
        for (one, other) in
            [("0.1", "0.10000000000000000001"), ("1", "-1"), ("10", "1"), ("9007199254740993", "9007199254740992")]
        {
            assert_ne!(Decimal::of_literal(one), Decimal::of_literal(other), "{one} {other}");
        }
    }

    #[test]
    fn the_two_layouts_change_to_exponents_where_their_languages_do() {
        for (x, ecmascript, python) in [
            (0.0, "0", "0.0"),
            (1.0, "1", "1.0"),
            (1e15, "1000000000000000", "1000000000000000.0"),
            (1e16, "10000000000000000", "1e+16"),
            (1.5e20, "150000000000000000000", "1.5e+20"),
            (1e21, "1e+21", "1e+21"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "0.00001", "1e-05"),
            (0.000001, "0.000001", "1e-06"),
            (0.0000001, "1e-7", "1e-07"),
            (-1.25e-100, "-1.25e-100", "-1.25e-100"),
            (123.456, "123.456", "123.456"),
            (1_424_953_923_781_206.0 + 0.25, "1424953923781206.2", "1424953923781206.2"),
        ] {
            let decimal = Decimal::shortest(x);
            assert_eq!(decimal.ecmascript(), ecmascript);
            assert_eq!(decimal.python(), python);
        }
    }

    #[test]
    fn integers_are_told_by_value_not_by_spelling() {
        for literal in ["0", "7", "7.0", "70e-1", "1e30"] {
            assert!(Decimal::of_literal(literal).is_integer(), "{literal}");
        }
        for literal in ["0.5", "75e-1", "1e-30"] {
            assert!(!Decimal::of_literal(literal).is_integer(), "{literal}");
        }
    }
}
