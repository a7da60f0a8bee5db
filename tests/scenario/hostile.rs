//! No text whatever makes loading panic or hang.

use super::{scenarios, stem};
use doublefire::scenario::{EMBEDDED, Input, load};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Loads and renders; what comes out is no matter, that it comes out soon is.
fn survives(text: &str, sets: Vec<String>) {
    let start = Instant::now();
    let input = Input { origin: "hostile.toml".to_owned(), directory: None, text: text.to_owned(), sets };
    match load(&input) {
        Ok(loaded) => assert!(!loaded.warnings.has_errors()),
        Err(found) => {
            assert!(found.has_errors());
            for error in &found {
                assert!(error.line >= 1 && error.column >= 1 && !error.message.contains('\n'));
            }
            assert!(found.render(true).len() >= found.render(false).len());
        }
    }
    // A generous bound: these take milliseconds; what hangs takes for ever.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Files that reach far into the reader.
fn seeds() -> Vec<String> {
    let files = ["tests/scenario/valid", "scenarios"].into_iter().flat_map(scenarios);
    files.map(|(_, text)| text).collect()
}

/// What replaces a stretch of a sound file.
fn intruder() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        ".{0,12}",
        "[\\[\\]{}=\".,'# \\n0-9a-z-]{0,12}",
        Just("1e308".to_owned()),
        Just("-0.0".to_owned()),
        Just("nan".to_owned()),
        Just("9223372036854775807".to_owned()),
        Just("99999999999999999999999999999999999999999999".to_owned()),
        Just("\"36525d\"".to_owned()),
        Just("\"1ns\"".to_owned()),
        Just("\"0s\"".to_owned()),
        Just("\"100%\"".to_owned()),
        Just("\u{200d}\u{301}\u{202e}字\u{1f600}\t\u{7f}".to_owned()),
        Just("\r\n".to_owned()),
        Just("[[tool]]\n".to_owned()),
        Just("{ mixture = [{ weight = 1, of = \"1s\" }] }".to_owned()),
    ]
}

fn mutated(text: &str, edits: &[(usize, usize, String)]) -> String {
    let mut text = text.to_owned();
    for (at, length, new) in edits {
        let boundary = |wanted: usize| (0..=wanted).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let start = boundary(at % (text.len() + 1));
        let end = boundary((start + length).min(text.len())).max(start);
        text.replace_range(start..end, new);
    }
    text
}

/// Replaces whole values, so that the text stays TOML and the numbers get strange.
fn revalued(text: &str, edits: &[(usize, String)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (at, value) in edits {
        let index = at % lines.len();
        if let Some((key, _)) = lines[index].split_once(" = ") {
            lines[index] = format!("{key} = {value}");
        }
    }
    lines.join("\n")
}

/// Values that are extreme, yet often allowed.
fn extreme() -> impl Strategy<Value = String> {
    let duration = prop_oneof![
        Just("\"1ns\"".to_owned()),
        Just("\"36525d\"".to_owned()),
        Just("\"0s\"".to_owned()),
        (1u64..1_000_000).prop_map(|ms| format!("\"{ms}ms\"")),
    ];
    let number = prop_oneof![
        Just("0".to_owned()),
        Just("1".to_owned()),
        Just("1e-6".to_owned()),
        Just("1e-300".to_owned()),
        Just("1e12".to_owned()),
        (0.0..1.0f64).prop_map(|x| format!("{x}")),
        (0.0..30.0f64).prop_map(|x| format!("{x}")),
        (1u64..70_000).prop_map(|x| x.to_string()),
    ];
    let family = (0..9, duration.clone(), duration.clone(), number.clone()).prop_map(|(which, a, b, n)| match which {
        0 => format!("{{ uniform = {{ min = {a}, max = {b} }} }}"),
        1 => format!("{{ exponential = {{ mean = {a} }}, truncate = {b} }}"),
        2 => format!("{{ lognormal = {{ mean = {a}, p95 = {b} }}, truncate = {b} }}"),
        3 => format!("{{ lognormal = {{ median = {a}, sigma = {n} }} }}"),
        4 => format!("{{ gamma = {{ mean = {a}, shape = {n} }}, shift = {b} }}"),
        5 => format!("{{ weibull = {{ shape = {n}, mean = {a} }}, truncate = {b} }}"),
        6 => format!("{{ pareto = {{ min = {a}, alpha = {n} }}, truncate = {b} }}"),
        7 => format!("{{ empirical = {{ samples = [{a}, {b}], smooth = true }}, truncate = {b} }}"),
        _ => format!("{{ mixture = [{{ weight = {n}, of = {a} }}, {{ weight = 1, of = {{ gamma = {{ mean = {b}, cv = {n} }} }} }}] }}"),
    });
    let hazard = (number.clone(), number.clone())
        .prop_map(|(rate, phase)| format!("{{ rate = {rate}, phases = {{ prelude = {phase} }} }}"));
    prop_oneof![duration, number, family, hazard]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text(text in "(?s).{0,300}") {
        survives(&text, Vec::new());
    }

    #[test]
    fn any_text_of_the_letters_of_toml(text in "[\\[\\]{}=\".,'#+_ \\n\\r\\t0-9a-fx-]{0,200}") {
        survives(&text, Vec::new());
    }

    #[test]
    fn a_sound_file_after_a_few_accidents(
        seed in 0..16usize,
        edits in proptest::collection::vec((any::<usize>(), 0..24usize, intruder()), 1..6),
    ) {
        let seeds = seeds();
        survives(&mutated(&seeds[seed % seeds.len()], &edits), Vec::new());
    }

    #[test]
    fn a_sound_file_with_extreme_values(
        seed in 0..16usize,
        edits in proptest::collection::vec((any::<usize>(), extreme()), 1..5),
    ) {
        let seeds = seeds();
        survives(&revalued(&seeds[seed % seeds.len()], &edits), Vec::new());
    }

    #[test]
    fn any_edit(set in ".{0,40}") {
        survives(EMBEDDED[0].1, vec![set]);
    }

    #[test]
    fn an_edit_of_a_path_that_exists(
        path in prop_oneof![
            Just("tool.send_payment.latency"), Just("tool.0"), Just("shape.0.calls.0"), Just("policy"), Just("run"),
            Just("failure.hazard"), Just("stream.prelude.lognormal"), Just("stream.prelude.mixture.0.of"),
            Just("policy.ledger.key"), Just("gate.0.max"), Just("route.sdk retry.re_emits.same"),
        ],
        value in prop_oneof![intruder(), extreme()],
    ) {
        survives(EMBEDDED[0].1, vec![format!("{path}={value}")]);
    }
}

#[test]
fn nesting_without_end() {
    for (open, close) in [("[", "]"), ("{a=", "}"), ("{ mixture = [{ weight = 1, of = ", "}] }")] {
        for depth in [60, 100, 20_000] {
            survives(&format!("x = {}1{}", open.repeat(depth), close.repeat(depth)), Vec::new());
            survives(EMBEDDED[0].1, vec![format!("stream.prelude={}1{}", open.repeat(depth), close.repeat(depth))]);
        }
    }
    survives(&format!("{}a = 1", "a.".repeat(50_000)), Vec::new());
    survives(&format!("[{}a]", "a.".repeat(50_000)), Vec::new());
    survives(EMBEDDED[0].1, vec![format!("{}a=1", "stream.".repeat(50_000))]);
}

#[test]
fn very_long_files_and_very_many_errors() {
    survives(&"#\n".repeat(3 << 20), Vec::new());
    survives(&"x".repeat(3 << 20), Vec::new());
    let keys: String = (0..3_000).map(|i| format!("key{i} = {i}\n")).collect();
    survives(&keys, Vec::new());
    let samples = "\"1s\", ".repeat(200_000);
    survives(&format!("x = [{samples}]"), Vec::new());
    survives(EMBEDDED[0].1, vec![format!("stream.gap.empirical.samples=[{samples}]")]);
    let wrong = "1, ".repeat(5_000);
    survives(EMBEDDED[0].1, vec![format!("stream.gap.empirical.samples=[{wrong}]")]);
}

#[test]
fn every_prefix_of_a_sound_file() {
    for (path, text) in scenarios("tests/scenario/valid") {
        for end in (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end)) {
            survives(&text[..end], Vec::new());
        }
        assert!(!stem(&path).is_empty());
    }
}
