//! Files that are refused. Each begins with comments that say which errors it has, by line and key; the words are
//! snapshots.

use super::{folder, scenarios, stem};
use doublefire::scenario::{Input, load};

/// Lines and keys of the errors that a file announces, in order.
fn announced(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("# error on line "));
    let parts = lines.map(|line| line.split_once(':').expect("a line, a colon, a key"));
    let mut errors: Vec<(usize, String)> =
        parts.map(|(line, key)| (line.parse().expect("a line number"), key.trim().to_owned())).collect();
    errors.sort();
    errors
}

#[test]
fn a_broken_file_is_refused_for_all_its_errors_at_their_lines() {
    let files = scenarios("tests/scenario/broken");
    assert!(files.len() >= 60);
    let mut mistaken = String::new();
    for (path, text) in files {
        let name = stem(&path).to_owned();
        let input = Input {
            origin: format!("{name}.toml"),
            directory: Some(folder("tests/scenario/broken")),
            text: text.clone(),
            sets: Vec::new(),
        };
        let Err(found) = load(&input) else {
            mistaken += &format!("{name} is accepted\n");
            continue;
        };
        let mut errors: Vec<(usize, String)> = found.errors().map(|e| (e.line, e.key.clone())).collect();
        errors.sort();
        let rendered = found.render(false);
        if errors != announced(&text) {
            mistaken += &format!("{name}: found {errors:?}, announced {:?}\n", announced(&text));
        }
        insta::assert_snapshot!(name, rendered);
    }
    assert!(mistaken.is_empty(), "{mistaken}");
}
