//! How long files and functions are.

use crate::source::{block_end, code, line_of, words};
use crate::tree::{self, File};

/// Files over the limit, each with its reason.
const LONG_FILES: [(&str, &str); 2] = [
    ("src/scenario/format/tables.rs", "one table: every key of a scenario file, with its bounds and its meaning"),
    ("src/sim/timelines.rs", "ninety turns computed by hand, side by side: nothing but tests"),
];

/// Functions over the limit as `path name`, each with its reason.
const LONG_FUNCTIONS: [(&str, &str); 1] =
    [("src/audit/tally.rs add_times", "names every count, so that one added to the struct cannot be forgotten")];

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;

/// Each function of a source with its length in lines, from `fn` to its closing brace.
fn functions(text: &str) -> Vec<(String, usize)> {
    let code = code(text);
    let mut functions = Vec::new();
    for at in words(&code, "fn ") {
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // A declaration without a body ends in a semicolon; the array types of a signature may hold one as well.
        let body = code[at..].find('{').filter(|body| !code[at..at + body].contains(";\n"));
        if let (Some(body), false) = (body, name.is_empty()) {
            let end = at + body + block_end(&code[at + body..]);
            functions.push((name, line_of(&code, end) - line_of(&code, at) + 1));
        }
    }
    functions
}

/// What is over its limit, as `path` or `path name`.
fn over(files: &[File]) -> (Vec<String>, Vec<String>) {
    let long = files.iter().filter(|file| file.text.lines().count() > FILE_LINES).map(|file| file.path.clone());
    let functions = files.iter().flat_map(|file| {
        let long = functions(&file.text).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES);
        long.map(|(name, _)| format!("{} {name}", file.path))
    });
    (long.collect(), functions.collect())
}

#[test]
fn what_is_long_has_a_reason_and_what_has_a_reason_is_long() {
    let (files, functions) = over(&tree::rust(&["src", "tests", "benches"]));
    assert_eq!(files, LONG_FILES.map(|(path, _)| path), "files over {FILE_LINES} lines");
    assert_eq!(functions, LONG_FUNCTIONS.map(|(function, _)| function), "functions over {FUNCTION_LINES} lines");
}

#[test]
fn lengths_are_counted_to_the_closing_brace() {
    let text = "trait T {\n    fn no_body(&self);\n}\nfn one() {}\nfn three(x: [u8; 2]) {\n    if x[0] == b'}' { let _ = \"{\"; }\n}\n";
    assert_eq!(functions(text), [("one".to_owned(), 1), ("three".to_owned(), 3)]);
    let long = format!("fn long() {{\n{}}}\n", "    f();\n".repeat(FUNCTION_LINES - 1));
    assert_eq!(over(&[File::new("src/a.rs", &long)]).1, ["src/a.rs long"]);
    let file = "//\n".repeat(FILE_LINES + 1);
    assert_eq!(over(&[File::new("src/a.rs", &file)]).0, ["src/a.rs"]);
}
