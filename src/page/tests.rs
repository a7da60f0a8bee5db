//! The page and the Markdown of real reports: the same figures as the data, and no text that becomes markup.

use super::{answer, files, html, markdown, names};
use crate::plot;
use crate::plot::tests::{crowded, report};
use crate::report::{Caveat, Report, csv, json};
use serde_json::Value;

const VOLUME: &str = "[volume]\nturns_per_month = 3000\ncurrency = \"USD\"\n";

fn page(report: &Report) -> String {
    html::render(report, &plot::all(report))
}

/// Every figure of a page: JSON pointer, digits, text.
fn figures(page: &str) -> Vec<(String, String, String)> {
    let mut figures = Vec::new();
    for piece in page.split("<data value=\"").skip(1) {
        let (digits, rest) = piece.split_once("\" data-at=\"").expect("a figure has a place");
        let (pointer, rest) = rest.split_once("\">").expect("closed");
        let (text, _) = rest.split_once("</data>").expect("closed");
        figures.push((pointer.to_owned(), digits.to_owned(), text.to_owned()));
    }
    figures
}

#[test]
fn every_figure_of_the_page_is_that_of_the_json() {
    for text in [crowded(2, 6, VOLUME), crowded(2, 6, "")] {
        let report = report(&text, 3_000);
        let summary: Value = serde_json::from_str(&json::render(&report)).expect("JSON");
        let figures = figures(&page(&report));
        assert!(figures.len() > 40, "{} figures", figures.len());
        for (pointer, digits, text) in figures {
            let value = summary.pointer(&pointer).unwrap_or_else(|| panic!("no {pointer}"));
            assert_eq!(value.to_string(), digits, "{pointer}");
            if value.is_u64() {
                assert_eq!(text.replace(',', ""), digits, "{pointer}");
            } else if let Ok(read) = text.replace(',', "").parse::<f64>() {
                let value = value.as_f64().expect("a number");
                assert!((read - value).abs() <= 0.1 * value.abs(), "{pointer}: {text} for {value}");
            }
        }
    }
}

#[test]
fn every_figure_of_a_policy_on_the_page_is_that_of_the_csv() {
    let report = report(&crowded(2, 6, VOLUME), 3_000);
    let table = csv::policies(&report);
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let columns = lines.next().expect("columns");
    let rows: Vec<_> = lines.collect();
    let mut compared = 0;
    for (pointer, digits, _) in figures(&page(&report)) {
        let Some((row, path)) = pointer.strip_prefix("/policies/").and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        let path = path.replace('/', ".");
        let Some(column) = columns.iter().position(|column| *column == path) else { continue };
        let cell = rows[row.parse::<usize>().expect("a number")][column];
        assert_eq!(cell, digits.strip_suffix(".0").unwrap_or(&digits), "{pointer}");
        compared += 1;
    }
    assert!(compared > 60, "{compared} figures compared");
}

#[test]
fn markdown_shows_the_texts_of_the_page() {
    let report = report(&crowded(2, 2, VOLUME), 3_000);
    let markdown = markdown::render(&report, &plot::all(&report));
    for (pointer, _, text) in figures(&page(&report)) {
        assert!(markdown.contains(&text), "{pointer}: {text}");
    }
    for name in plot::NAMES {
        assert!(markdown.contains(&format!("](plots/{name}.png)")));
    }
}

#[test]
fn the_page_asks_nothing_of_anyone() {
    let page = page(&report(&crowded(2, 2, VOLUME), 3_000));
    let namespace = "xmlns=\"http://www.w3.org/2000/svg\"";
    assert_eq!(page.matches("http").count(), page.matches(namespace).count(), "no address but the name space");
    assert_eq!(page.matches("url(").count(), page.matches("url(data:").count());
    for word in ["<script", "<link", "<img", "<iframe", "@import", "src=", " on"] {
        let found = page.match_indices(word).filter(|(at, _)| word != " on" || page[at + 3..].starts_with("load="));
        assert_eq!(found.count(), 0, "{word}");
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let hostile = "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>";
    let text = crowded(2, 2, &VOLUME.replace("USD", hostile))
        .replace("A <crowd> & its \\\"quotes\\\"", hostile)
        .replace("\"retry\"", &format!("\"{hostile}\""));
    let report = report(&text, 3_000);
    for (name, bytes) in files(&report) {
        if name.ends_with(".png") || name.ends_with(".csv") || name.ends_with(".json") {
            continue;
        }
        let text = String::from_utf8(bytes).expect("text");
        for tag in ["<script", "<img", "</title></style>"] {
            assert!(!text.contains(tag), "{name} holds {tag}");
        }
    }
}

#[test]
fn the_answer_is_one_sentence_with_the_worst_and_the_bounds() {
    let answer = answer(&report(&crowded(1, 2, VOLUME).replace("policy_00", "naive_00"), 3_000));
    assert!(answer.starts_with("With these assumptions, about "), "{answer}");
    assert!(
        answer.contains(" duplicates a month under naive_00") && answer.contains(" chance of at least one"),
        "{answer}"
    );
    let calm = crowded(1, 2, "").replace("rate = \"20%\"", "rate = 0").replace("per_hour = 5", "per_hour = 0");
    let calm = super::answer(&report(&calm, 3_000));
    assert!(calm.contains("none seen in 3,000 turns, below 0.0010 a turn at 95 %"), "{calm}");
}

#[test]
fn every_file_has_a_name_that_a_report_may_have() {
    let names = names();
    let files = files(&report(&crowded(1, 1, VOLUME), 200));
    assert!(files.iter().all(|(name, _)| names.contains(name)));
    assert_eq!(files.last().map(|file| file.0.as_str()), Some("summary.json"));
}

#[test]
fn each_caveat_has_its_advice_on_the_page() {
    let few = report(&crowded(1, 1, VOLUME), 4_000);
    let words = crate::report::caveats::advice(&few);
    let few_events = words.iter().find(|(caveat, _)| *caveat == "few_events").expect("few");
    assert!(few_events.1.contains(" turns would give it to ±10 %"), "{}", few_events.1);
    assert!(page(&few).contains("data-caveat=\"few_events\""));
    let given = crowded(1, 1, VOLUME)
        .replace("hazard = { rate = \"20%\" }", "fraction = { rate = 0.2, window_fraction = 0.5 }");
    assert!(page(&report(&given, 4_000)).contains("data-caveat=\"rate_given\""));
    let calm = crowded(1, 1, "").replace("rate = \"20%\"", "rate = 0").replace("per_hour = 5", "per_hour = 0");
    let calm = report(&calm, 400);
    let mut partial = report(&crowded(1, 1, VOLUME), 4_000);
    partial.partial = true;
    assert!(page(&partial).contains("data-caveat=\"partial\"") && page(&partial).contains("Read this with"));
    assert!(calm.caveats.contains(&Caveat::DangerNotReached) && page(&calm).contains("says nothing about it"));
}
