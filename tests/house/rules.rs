//! What no file may hold.

use crate::source::{code, line_of, without_tests, words};
use crate::tree::{self, File};

/// A rule: what is forbidden and why, and the files it is about.
struct Rule {
    forbids: &'static [&'static str],
    because: &'static str,
    applies: fn(&str) -> bool,
}

const RULES: [Rule; 5] = [
    Rule {
        forbids: &[
            ".exp(",
            ".exp2(",
            ".exp_m1(",
            ".ln(",
            ".ln_1p(",
            ".log(",
            ".log2(",
            ".log10(",
            ".powf(",
            ".powi(",
            ".sin(",
            ".cos(",
            ".tan(",
            ".sin_cos(",
            ".asin(",
            ".acos(",
            ".atan(",
            ".atan2(",
            ".sinh(",
            ".cosh(",
            ".tanh(",
            ".cbrt(",
            ".hypot(",
            ".gamma(",
            ".ln_gamma(",
            ".mul_add(",
            "f64::exp",
            "f64::ln",
            "f64::powf",
            "f64::powi",
            "f64::sin",
            "f64::cos",
            "f64::tan",
            "f64::log",
            "f64::atan",
            "f64::cbrt",
            "f64::hypot",
            "f64::mul_add",
        ],
        because: "the platform's functions differ in the last digit; take the crate libm's",
        applies: |_| true,
    },
    Rule {
        forbids: &["HashMap", "HashSet"],
        because: "its order differs from run to run; take a BTreeMap, or rustc_hash's and never walk it",
        applies: |_| true,
    },
    Rule {
        forbids: &[".unwrap()", "todo!", "unimplemented!", "dbg!"],
        because: "say why it cannot fail, or hand the error on",
        applies: |_| true,
    },
    Rule {
        forbids: &["SystemTime", "Instant::now", "thread_rng", "ThreadRng", "OsRng", "SysRng", "RandomState"],
        because: "the same scenario, seed and turns give the same bytes; only what people watch has a clock",
        applies: |path| !["src/cli/", "src/handler/", "src/torture/"].iter().any(|folder| path.starts_with(folder)),
    },
    Rule {
        forbids: &[
            "std::fs",
            "std::io",
            "std::net",
            "std::thread",
            "std::sync",
            "std::time",
            "std::env",
            "async ",
            ".await",
        ],
        because: "the dispatcher does no I/O: it is polled, and `now` is an argument",
        applies: |path| path.starts_with("src/dispatch/"),
    },
];

/// What looks forbidden and is not: file, word, reason.
const FINE: [(&str, &str, &str); 2] = [
    ("src/stats/compound.rs", ".exp(", "a complex number's, made of libm's functions"),
    ("src/stats/fft.rs", ".exp(", "a complex number's, made of libm's functions"),
];

/// What a file outside tests holds against the rules.
fn faults(file: &File) -> Vec<String> {
    if file.is_test() {
        return Vec::new();
    }
    let code = without_tests(&code(&file.text));
    let mut faults = Vec::new();
    for rule in RULES.iter().filter(|rule| (rule.applies)(&file.path)) {
        let fine = |word: &str| FINE.iter().any(|(path, fine, _)| *path == file.path && *fine == word);
        for word in rule.forbids.iter().filter(|word| !fine(word)) {
            for at in words(&code, word) {
                faults.push(format!("{}:{}: {word}: {}", file.path, line_of(&code, at), rule.because));
            }
        }
    }
    faults
}

/// Names of the machine a text was written on, and of places where packages come from. Written apart here, so that
/// this file does not hold them.
const MACHINE: [&str; 5] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("../sh", "ared"),
    concat!("/ho", "me/"),
    concat!("local", "host:"),
];

#[test]
fn no_source_holds_what_is_forbidden() {
    let faults: Vec<_> = tree::rust(&["src"]).iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_rust_file_opens_by_saying_what_it_is() {
    for file in tree::rust(&["src", "tests", "benches"]) {
        assert!(file.text.starts_with("//! "), "{} does not begin with //!", file.path);
    }
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    let files =
        tree::all(&["src", "tests", "benches", "docs", "scenarios", ".ci", "README.md", "CHANGELOG.md", "Cargo.toml"]);
    assert!(files.len() > 20, "the tree was not found");
    for file in files {
        for name in MACHINE {
            assert!(!file.text.contains(name), "{} names {name}", file.path);
        }
    }
}

#[test]
fn every_package_comes_from_the_public_registry() {
    let lock = tree::read("Cargo.lock");
    let sources: Vec<_> = lock.lines().filter(|line| line.starts_with("source = ")).collect();
    assert!(!sources.is_empty());
    for source in sources {
        assert_eq!(source, "source = \"registry+https://github.com/rust-lang/crates.io-index\"");
    }
}

#[test]
fn the_papers_are_there() {
    assert!(tree::read("CHANGELOG.md").contains("\n## "), "a changelog has a version");
    assert!(tree::read("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    assert!(tree::read("LICENSE-APACHE").contains("Apache License"));
    assert!(tree::read("Cargo.toml").contains("license = \"MIT OR Apache-2.0\""));
}

/// The targets of a page's links to files of the project, without their anchors.
fn links(page: &str) -> Vec<&str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter_map(|target| target.split('#').next()).filter(|t| !t.is_empty() && !t.contains("://")).collect()
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut followed = 0;
    for file in tree::all(&["docs", "README.md", "CHANGELOG.md"]).iter().filter(|file| file.path.ends_with(".md")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in links(&file.text) {
            assert!(tree::exists(&format!("{folder}/{link}")), "{} links {link}, which is not there", file.path);
            followed += 1;
        }
    }
    assert!(followed > 3, "{followed} links followed");
    assert_eq!(links("[a](b.md#c) [d](#e) [f](https://g) ![h](i/j.svg)"), ["b.md", "i/j.svg"]);
}

#[test]
fn each_rule_finds_its_bad_snippets_and_lets_the_good_ones_pass() {
    let count = |path: &str, text: &str| faults(&File::new(path, text)).len();
    for bad in [
        "fn f(x: f64) -> f64 { x.ln() }",
        "fn f(x: f64) -> f64 { f64::exp(x) }",
        "let y = x.powf(2.0);",
        "let m = std::collections::HashMap::new();",
        "let x = y.unwrap();",
        "let t = std::time::Instant::now();",
    ] {
        assert_eq!(count("src/dist/mod.rs", bad), 1, "{bad}");
    }
    for good in [
        "let y = libm::log(x) + libm::exp(x) + x.sqrt() + x.abs();",
        "use rustc_hash::FxHashMap;",
        "// x.ln() and y.unwrap()",
        "let s = \"x.unwrap()\";",
        "let x = y.unwrap_or(0);",
        "#[cfg(test)]\nmod tests { fn f() { x.ln(); y.unwrap(); } }",
    ] {
        assert_eq!(count("src/dist/mod.rs", good), 0, "{good}");
    }
    assert_eq!(count("src/dist/tests.rs", "x.ln()"), 0);
    assert_eq!(count("src/cli/progress.rs", "std::time::Instant::now()"), 0);
    assert_eq!(count("src/dispatch/machine.rs", "use std::sync::Mutex;"), 1);
    assert_eq!(count("src/sim/mod.rs", "use std::sync::atomic::AtomicBool;"), 0);
}
