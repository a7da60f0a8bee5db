//! `docs/scenario.md`: its examples load, its error is a real one, its reference is the description itself.

use super::accepted::{least, loaded};
use super::folder;
use doublefire::scenario::format::{Presence, SCENARIO};
use doublefire::scenario::{EMBEDDED, Input, load, schema};
use std::fmt::Write;

const PAGE: &str = include_str!("../../docs/scenario.md");

/// The contents of the page's code blocks with this information string.
fn blocks<'a>(page: &'a str, info: &str) -> Vec<&'a str> {
    let opening = format!("\n```{info}\n");
    page.match_indices(&opening)
        .map(|(at, _)| {
            let rest = &page[at + opening.len()..];
            &rest[..rest.find("```").expect("a block ends")]
        })
        .collect()
}

/// A fragment in place of the same tables of a whole scenario.
fn completed(fragment: &str) -> String {
    let mut whole: toml::Table = toml::from_str(&least()).expect("TOML");
    let parts: toml::Table = toml::from_str(fragment).expect("the examples are TOML");
    if parts.contains_key("tool") || parts.contains_key("shape") {
        // A fragment's tools and shapes call each other by the names of the page's first example.
        whole = toml::from_str(&least().replace("\"pay\"", "\"send_payment\"")).expect("TOML");
    }
    whole.extend(parts);
    toml::to_string(&whole).expect("tables can be written")
}

#[test]
fn every_example_of_the_page_loads() {
    let examples = blocks(PAGE, "toml");
    assert!(examples.len() >= 8);
    for example in examples {
        let text = if example.contains("schema = 1") { example.to_owned() } else { completed(example) };
        loaded(example, &text, None, &[]);
    }
}

#[test]
fn every_edit_on_the_page_can_be_made() {
    let edits: Vec<&str> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| `--set "))
        .map(|rest| rest.split("` |").next().expect("a cell ends").trim_matches('\''))
        .collect();
    assert!(edits.len() >= 6);
    for edit in edits {
        loaded(edit, EMBEDDED[0].1, None, &[edit]);
    }
}

/// The rows of the reference.
fn reference() -> String {
    let mut text = String::new();
    for table in SCENARIO.tables() {
        let name = match table.name {
            "the scenario" => "The file".to_owned(),
            "a distribution" => "A distribution".to_owned(),
            name => format!("`{name}`"),
        };
        write!(text, "\n### {name}\n\n{}", table.doc).expect("strings can be written to");
        for group in table.exactly_one {
            let keys: Vec<String> = group.iter().map(|key| format!("`{key}`")).collect();
            write!(text, " Exactly one of {}.", keys.join(", ")).expect("strings can be written to");
        }
        text += "\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n";
        for key in table.keys {
            let default = match key.presence {
                Presence::Required => "required".to_owned(),
                Presence::Default(text) => format!("`{text}`"),
                Presence::Optional => "–".to_owned(),
            };
            let words = key.kind.words().replace('|', "\\|");
            writeln!(text, "| `{}` | {words} | {default} | {} |", key.name, key.doc)
                .expect("strings can be written to");
        }
    }
    text + "\n"
}

/// The page with its reference and the messages about its broken example as they are.
fn real() -> String {
    let example = blocks(PAGE, "toml broken")[0];
    let input = Input { origin: "invoices.toml".to_owned(), text: example.to_owned(), ..Input::default() };
    let found = load(&input).expect_err("the example is broken").render(false);
    let shown = blocks(PAGE, "text")[0];
    let page = PAGE.replacen(&format!("```text\n{shown}```"), &format!("```text\n{}\n```", found.trim_end()), 1);
    let (before, rest) = page.split_once("<!-- reference -->\n").expect("the reference begins");
    let (_, after) = rest.split_once("<!-- end of reference -->").expect("the reference ends");
    format!("{before}<!-- reference -->\n{}<!-- end of reference -->{after}", reference())
}

#[test]
fn the_reference_and_the_messages_are_real() {
    let real = real();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(folder("docs/scenario.md"), &real).expect("the page can be written");
        return;
    }
    let differs = PAGE.lines().zip(real.lines()).find(|(page, real)| page != real);
    assert!(PAGE == real, "with UPDATE_DOCS=1 this test rewrites the page; first difference: {differs:#?}");
}

#[test]
fn the_published_schema_is_the_one_that_is_printed() {
    let path = folder("docs/scenario.schema.json");
    let real = serde_json::to_string_pretty(&schema()).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &real).expect("the schema can be written");
        return;
    }
    let published = std::fs::read_to_string(path).expect("the schema is published");
    assert!(published == real, "with UPDATE_DOCS=1 this test rewrites docs/scenario.schema.json");
}
