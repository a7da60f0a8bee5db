//! Numbers as people read them: three digits, thousands apart, and bounds rounded to the safe side.

/// A count with its thousands apart: `2,000,000`.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A figure to three digits: `6.56e-4`, `0.0821`, `1.97`, `12,345`.
pub fn figure(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounded first, so that 999.9 becomes 1,000 and not 1000.0.
    let scientific = format!("{value:.2e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).expect("format of {:e}");
    match exponent {
        0..=2 => format!("{value:.*}", (2 - exponent) as usize),
        3..=14 => format!("{}{}", if value < 0.0 { "-" } else { "" }, count(magnitude.round() as u64)),
        -2..=-1 => format!("{value:.*}", (2 - exponent) as usize),
        _ => scientific,
    }
}

/// A whole number as a count, any other as a figure: `69`, `1,335`, `0.0821`.
pub fn whole(value: f64) -> String {
    match value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        true => count(value as u64),
        false => figure(value),
    }
}

/// A probability as a share: `86.0 %`. Shares that three digits cannot tell from all or nothing keep their distance.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 99.95 && share < 1.0 => "over 99.9 %".to_owned(),
        100.0 => "100 %".to_owned(),
        p => format!("{} %", figure(p)),
    }
}

/// An upper bound to two digits, never rounded down: `1.5e-6`, `0.0045`, `12`.
pub fn bound(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let (digits, exponent) = two_digits_up(value);
    match exponent {
        -3..=-1 => format!("{:.*}", (1 - exponent) as usize, digits * ten_to(exponent - 1)),
        0 => format!("{:.1}", digits / 10.0),
        1..=14 => count((digits * ten_to(exponent - 1)).round() as u64),
        _ => format!("{:.1}e{exponent}", digits / 10.0),
    }
}

/// The least d·10^(e−1) with two-digit whole d that is not below a positive `value`, as (d, e).
fn two_digits_up(value: f64) -> (f64, i32) {
    // The shortest digits that name the value: 1.5e-6 stays 1.5e-6, whatever its binary neighbours.
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').expect("format of {:e}");
    let exponent: i32 = exponent.parse().expect("format of {:e}");
    let mut places = mantissa.bytes().filter(u8::is_ascii_digit).map(|d| d - b'0');
    let digits = 10 * places.next().unwrap_or(0) + places.next().unwrap_or(0);
    let digits = digits + u8::from(places.any(|digit| digit > 0));
    if digits == 100 { (10.0, exponent + 1) } else { (f64::from(digits), exponent) }
}

fn ten_to(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten is a number")
}

/// A bound on a share: `0.45 %`.
pub fn bound_percent(share: f64) -> String {
    format!("{} %", bound(share * 100.0))
}

/// One in how many: `1,524`.
pub fn one_in(rate: f64) -> String {
    count((1.0 / rate).round() as u64)
}

/// An amount of money to three digits: `USD 1,234`.
pub fn money(currency: &str, amount: f64) -> String {
    format!("{currency} {}", figure(amount))
}

/// A time given in nanoseconds, for people: `250 ms`, `1.03 s`, `12.4 min`, `3.20 h`.
pub fn time(nanos: u128) -> String {
    let seconds = nanos as f64 / 1e9;
    match seconds {
        s if s >= 3600.0 => format!("{} h", figure(s / 3600.0)),
        s if s >= 60.0 => format!("{} min", figure(s / 60.0)),
        s if s >= 1.0 => format!("{} s", figure(s)),
        s => format!("{} ms", figure(s * 1000.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_have_their_thousands_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (u64::MAX, "18,446,744,073,709,551,615")] {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn figures_have_three_digits() {
        for (value, text) in [
            (6.5612e-4, "6.56e-4"),
            (0.082_14, "0.0821"),
            (0.0, "0"),
            (1.968, "1.97"),
            (9.999, "10.0"),
            (999.9, "1,000"),
            (12_345.4, "12,345"),
            (-1.5, "-1.50"),
            (-1_500.0, "-1,500"),
            (1e15, "1.00e15"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn a_share_never_claims_a_certainty_it_has_not() {
        for (share, text) in
            [(0.8602, "86.0 %"), (0.999_99, "over 99.9 %"), (1.0, "100 %"), (0.0, "0 %"), (0.006, "0.600 %")]
        {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn bounds_are_rounded_up() {
        for (value, text) in [
            (1.497_866e-6, "1.5e-6"),
            (1.5e-6, "1.5e-6"),
            (1.500_001e-6, "1.6e-6"),
            (9.91e-7, "1.0e-6"),
            (0.004_49, "0.0045"),
            (0.991, "1.0"),
            (1.21, "1.3"),
            (12.1, "13"),
            (1_234.0, "1,300"),
            (0.0, "0"),
        ] {
            assert_eq!(bound(value), text);
        }
    }

    proptest! {
        #[test]
        fn no_bound_reads_less_than_it_is(value in 1e-12..1e12_f64) {
            let read: f64 = bound(value).replace(',', "").parse().expect("a number");
            prop_assert!(read >= value * (1.0 - 1e-15) && read <= value * 1.1 + 1e-15, "{value} reads {read}");
        }
    }

    #[test]
    fn times_have_a_unit_that_fits() {
        for (nanos, text) in
            [(0, "0 ms"), (250_000_000, "250 ms"), (1_030_000_000, "1.03 s"), (7_200_000_000_000, "2.00 h")]
        {
            assert_eq!(time(nanos), text);
        }
    }
}
