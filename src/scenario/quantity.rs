//! Durations and per cents as scenario files write them. Decimal digits are read exactly: "0.1s" is a hundred
//! million nanoseconds, "0.6%" the double nearest to 0.006.

use crate::time::Span;

/// The longest duration a file can name: a hundred years.
pub(super) const LONGEST: Span = Span::from_seconds(36_525 * 86_400);

/// Units of time with their nanoseconds, longest first.
pub(super) const UNITS: [(&str, u64); 8] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
];

/// Reads "820ms", "1.5s", "2m", "24h", "30d", "1h30m": numbers with units, the longest unit first, white space
/// between them allowed. The error says what is wrong with it.
pub(super) fn parse_duration(text: &str) -> Result<Span, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("an empty string is no duration".to_owned());
    }
    if rest.starts_with('-') {
        return Err("a duration cannot be negative".to_owned());
    }
    let mut total: u128 = 0;
    let mut last_unit = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let size = unit_size(number, unit)?;
        if size >= last_unit {
            return Err("the parts of a duration go from the longest unit to the shortest, each once".to_owned());
        }
        last_unit = size;
        total += decimal(number, size)?;
        rest = after.trim_start();
    }
    match u64::try_from(total) {
        Ok(nanos) if nanos <= LONGEST.as_nanos() => Ok(Span::from_nanos(nanos)),
        _ => Err("longer than 36525d, a hundred years".to_owned()),
    }
}

/// Nanoseconds in the unit that follows `number`.
fn unit_size(number: &str, unit: &str) -> Result<u64, String> {
    if number.is_empty() {
        return Err("a duration is a number with a unit".to_owned());
    }
    if unit.is_empty() {
        return Err(format!("`{number}` has no unit"));
    }
    UNITS
        .iter()
        .find(|(name, _)| *name == unit.replace('μ', "µ"))
        .map(|(_, size)| *size)
        .ok_or_else(|| format!("`{}` is no unit of time", super::words::excerpt(unit)))
}

/// `number` times `size`, exactly, in nanoseconds.
fn decimal(number: &str, size: u64) -> Result<u128, String> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let well_formed = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !well_formed(part) {
        return Err(format!("`{}` is no number", super::words::excerpt(number)));
    }
    let part = part.trim_end_matches('0');
    let too_long = || "longer than 36525d, a hundred years".to_owned();
    let too_fine = || "finer than a nanosecond".to_owned();
    if whole.trim_start_matches('0').len() > 19 {
        return Err(too_long());
    }
    if part.len() > 15 {
        return Err(too_fine());
    }
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| too_long())? };
    let fraction: u128 = if part.is_empty() { 0 } else { part.parse().map_err(|_| too_fine())? };
    let scale = 10_u128.pow(part.len() as u32);
    let (nanos, left) = (fraction * u128::from(size) / scale, fraction * u128::from(size) % scale);
    if left != 0 {
        return Err(too_fine());
    }
    Ok(whole * u128::from(size) + nanos)
}

/// Reads "0.6%" as 0.006: decimal digits and a per cent sign. None where it is not that.
pub(super) fn parse_per_cent(text: &str) -> Option<f64> {
    let digits = text.trim().strip_suffix('%')?.trim_end();
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (plain && !digits.is_empty()).then(|| format!("{digits}e-2").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_read_exactly() {
        for (text, nanos) in [
            ("0s", 0),
            ("820ms", 820_000_000),
            ("1.5s", 1_500_000_000),
            ("2m", 120_000_000_000),
            ("24h", 86_400_000_000_000),
            ("30d", 2_592_000_000_000_000),
            ("1h30m", 5_400_000_000_000),
            (" 1h 30 m ", 5_400_000_000_000),
            ("0.1us", 100),
            ("1µs", 1_000),
            ("1.000000001s", 1_000_000_001),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("36525d", 3_155_760_000_000_000_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Span::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "an empty string is no duration"),
            ("820", "`820` has no unit"),
            ("-1s", "a duration cannot be negative"),
            ("s", "a duration is a number with a unit"),
            ("1.5.2s", "`1.5.2` is no number"),
            ("1 fortnight", "`fortnight` is no unit of time"),
            ("30m1h", "the parts of a duration go from the longest unit to the shortest, each once"),
            ("1s1s", "the parts of a duration go from the longest unit to the shortest, each once"),
            ("0.5ns", "finer than a nanosecond"),
            ("36525d1ns", "longer than 36525d, a hundred years"),
            ("99999999999999999999999999d", "longer than 36525d, a hundred years"),
        ] {
            assert_eq!(parse_duration(text), Err(reason.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_per_cent_is_the_double_nearest_to_its_hundredth() {
        assert_eq!(parse_per_cent("0.6%"), Some(0.006));
        assert_eq!(parse_per_cent(" 11 % "), Some(0.11));
        assert_eq!(parse_per_cent("100%"), Some(1.0));
        for text in ["0.6", "%", "-1%", "1e3%", "0.6%%", "1.2.3%", "inf%"] {
            assert_eq!(parse_per_cent(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_span_reads_back_from_its_own_text(nanos in 0..=LONGEST.as_nanos()) {
            prop_assert_eq!(parse_duration(&Span::from_nanos(nanos).to_string()), Ok(Span::from_nanos(nanos)));
        }

        #[test]
        fn no_text_makes_a_parser_panic(text in ".*") {
            let _ = (parse_duration(&text), parse_per_cent(&text));
        }
    }
}
