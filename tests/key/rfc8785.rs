//! The RFC's own examples, and another algorithm's opinion on numbers.

use doublefire::dispatch::Why;
use doublefire::dispatch::canonical::{canonical, number};
use proptest::prelude::*;

/// Appendix B: a double's bits and its text; no text for what is no number.
const APPENDIX_B: [(u64, Option<&str>); 26] = [
    (0x0000_0000_0000_0000, Some("0")),
    (0x8000_0000_0000_0000, Some("0")),
    (0x0000_0000_0000_0001, Some("5e-324")),
    (0x8000_0000_0000_0001, Some("-5e-324")),
    (0x7fef_ffff_ffff_ffff, Some("1.7976931348623157e+308")),
    (0xffef_ffff_ffff_ffff, Some("-1.7976931348623157e+308")),
    (0x4340_0000_0000_0000, Some("9007199254740992")),
    (0xc340_0000_0000_0000, Some("-9007199254740992")),
    (0x4430_0000_0000_0000, Some("295147905179352830000")),
    (0x7fff_ffff_ffff_ffff, None),
    (0x7ff0_0000_0000_0000, None),
    (0x44b5_2d02_c7e1_4af5, Some("9.999999999999997e+22")),
    (0x44b5_2d02_c7e1_4af6, Some("1e+23")),
    (0x44b5_2d02_c7e1_4af7, Some("1.0000000000000001e+23")),
    (0x444b_1ae4_d6e2_ef4e, Some("999999999999999700000")),
    (0x444b_1ae4_d6e2_ef4f, Some("999999999999999900000")),
    (0x444b_1ae4_d6e2_ef50, Some("1e+21")),
    (0x3eb0_c6f7_a0b5_ed8c, Some("9.999999999999997e-7")),
    (0x3eb0_c6f7_a0b5_ed8d, Some("0.000001")),
    (0x41b3_de43_5555_5553, Some("333333333.3333332")),
    (0x41b3_de43_5555_5554, Some("333333333.33333325")),
    (0x41b3_de43_5555_5555, Some("333333333.3333333")),
    (0x41b3_de43_5555_5556, Some("333333333.3333334")),
    (0x41b3_de43_5555_5557, Some("333333333.33333343")),
    (0xbecb_f647_612f_3696, Some("-0.0000033333333333333333")),
    (0x4314_3ff3_c1cb_0959, Some("1424953923781206.2")),
];

#[test]
fn numbers_are_written_as_appendix_b_writes_them() {
    for (bits, text) in APPENDIX_B {
        assert_eq!(number(f64::from_bits(bits)).as_deref(), text, "{bits:016x}");
    }
}

#[test]
fn names_are_sorted_as_in_section_3_2_3() {
    let text = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let sorted = concat!(
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",",
        "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",",
        "\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    );
    assert_eq!(canonical(text).as_deref(), Ok(sorted));
}

/// The sample of section 3.2.2 shows rounding: its first number loses its last digit and its second is an integer
/// beyond 2^53 − 1, so as arguments it is refused. With numbers that are carried it comes out as the RFC prints it.
#[test]
fn the_sample_of_section_3_2_2_is_written_as_printed_where_nothing_is_lost() {
    let sample = |first: &str, second: &str| {
        format!(
            r#"{{
              "numbers": [{first}, {second}, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }}"#
        )
    };
    let printed = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(canonical(&sample("333333333.3333333", "1")).as_deref(), Ok(printed));

    let refusal = |first, second| canonical(&sample(first, second)).map_err(|refused| (refused.why, refused.path));
    assert_eq!(refusal("333333333.33333329", "1E30"), Err((Why::Precision, "$.numbers[0]".to_owned())));
    assert_eq!(refusal("333333333.3333333", "1E30"), Err((Why::UnsafeInteger, "$.numbers[1]".to_owned())));
    assert_eq!(number(1e30).as_deref(), Some("1e+30"));
    assert_eq!("333333333.33333329".parse().ok().and_then(number).as_deref(), Some("333333333.3333333"));
}

/// The text by Rust's own formatting, whose digits come from Grisu and Dragon; none for a double that lies exactly
/// between two of the shortest decimals, where RFC 8785 takes the even one and Rust need not.
fn oracle(x: f64) -> Option<String> {
    let digits = format!("{x:e}");
    let (mantissa, exponent) = digits.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a small integer");
    let places = mantissa.trim_start_matches('-').len().saturating_sub(2);
    // One digit more, and then all of them: a tie ends in that one digit, and it is a 5.
    let exact = format!("{x:.1100e}");
    let tail = &exact.split_once('.').expect("a fraction").1[places..];
    if tail.starts_with('5') && tail[1..].bytes().take_while(u8::is_ascii_digit).all(|d| d == b'0') {
        return None;
    }
    Some(match exponent {
        -6..21 => format!("{x}"),
        _ if exponent > 0 => format!("{mantissa}e+{exponent}"),
        _ => digits,
    })
}

#[test]
fn every_power_of_two_and_its_neighbours_have_the_digits_of_another_algorithm() {
    // At a power of two the neighbours are unevenly far, where shortest-digit algorithms go wrong if they do.
    let mut compared = 0;
    for exponent in 0..0x7ff_u64 {
        let bits = exponent << 52;
        for bits in [bits, bits + 1, bits.saturating_sub(1)] {
            let x = f64::from_bits(bits);
            if let Some(text) = oracle(x) {
                assert_eq!(number(x), Some(text), "{bits:016x}");
                compared += 1;
            }
        }
    }
    assert!(compared > 6000, "{compared} compared");
}

#[test]
fn of_two_decimals_as_close_the_even_one_is_taken() {
    let whole = 1_424_953_923_781_206.0;
    for (x, text) in [(whole + 0.25, "1424953923781206.2"), (whole + 0.75, "1424953923781206.8")] {
        assert_eq!(number(x).as_deref(), Some(text));
        assert_eq!(oracle(x), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn any_double_has_the_digits_of_another_algorithm(bits: u64) {
        let x = f64::from_bits(bits);
        prop_assume!(x.is_finite());
        if let Some(text) = oracle(x) {
            prop_assert_eq!(number(x), Some(text));
        }
    }
}
