//! What every file of the library has.

use crate::{RUNS, table};
use doublefire::estimate::estimate;
use doublefire::scenario::{EMBEDDED, Input, load};
use doublefire::stats::z_score;
use std::collections::BTreeSet;
use std::path::Path;

/// The sources of the tests with one claim a file.
const CLAIMS: [&str; 5] = [
    include_str!("argument.rs"),
    include_str!("keys.rs"),
    include_str!("residues.rs"),
    include_str!("everything.rs"),
    include_str!("reported.rs"),
];

#[test]
fn the_binary_holds_every_file_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let paths = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let files: BTreeSet<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let embedded: BTreeSet<String> = EMBEDDED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(files, embedded);
    assert_eq!(embedded.len(), EMBEDDED.len(), "each once");
}

#[test]
fn every_file_loads_without_a_warning_under_its_own_name() {
    for (name, text) in EMBEDDED {
        let input = Input { origin: (*name).to_owned(), text: (*text).to_owned(), ..Input::default() };
        let loaded = load(&input).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        assert!(loaded.warnings.is_empty(), "{}", loaded.warnings.render(false));
        assert_eq!(loaded.scenario.name, *name);
        assert!(loaded.scenario.title.len() > 10 && loaded.scenario.title != *name, "{name} has a title");
    }
}

#[test]
fn every_file_opens_with_its_question_and_says_what_is_assumed() {
    for (name, text) in EMBEDDED {
        assert!(text.starts_with("# "), "{name} opens with a comment");
        let first = text.split("\n#\n").next().expect("a paragraph");
        assert!(first.contains('?'), "{name} asks in its first paragraph");
        let comment: String = text.lines().take_while(|line| line.starts_with('#')).collect();
        let measured = name.starts_with("payments");
        assert!(measured || comment.contains("ssumed"), "{name} says which figures are assumed");
        assert!(comment.len() < 1_300 && text.lines().count() < 200, "{name} is small");
    }
}

#[test]
fn what_was_reported_names_its_thread() {
    let reported = table::group("Reported in public");
    assert_eq!(reported.len(), 10);
    for name in reported {
        let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name).expect("embedded");
        let thread = text.lines().find(|line| line.contains("https://github.com/")).unwrap_or_default();
        assert!(thread.contains("/issues/") || thread.contains("/pull/"), "{name}: {thread}");
    }
}

#[test]
fn every_file_has_its_claim() {
    for (name, _) in EMBEDDED {
        let claim = format!("played(\"{name}\")");
        assert!(CLAIMS.iter().any(|source| source.contains(&claim)), "{name} has no claim");
    }
}

/// Five standard errors and some fifty figures: false alarm 3e-5, and the seeds are fixed.
#[test]
fn every_exact_figure_is_met_by_the_run() {
    let (mut rates, mut zeros) = (0, 0);
    for run in RUNS.iter() {
        for (exact, tally) in estimate(&run.scenario).policies.iter().zip(&run.tallies) {
            let Ok(exact) = exact else { continue };
            let name = &run.scenario.name;
            match z_score(tally.duplicate_turns, tally.turns, exact.duplicate_turn_probability) {
                Some(z) => assert!(z.abs() < 5.0, "{name}: z = {z}"),
                None => assert_eq!(tally.duplicates as f64, exact.duplicate_turn_probability, "{name}"),
            }
            *if exact.duplicate_turn_probability > 0.0 { &mut rates } else { &mut zeros } += 1;
        }
    }
    assert!(rates >= 15 && zeros >= 30, "{rates} rates and {zeros} zeros have an exact figure");
}
