//! Every plot of hard reports: nothing written over anything else or off the picture.

use super::{NAMES, Picture, Plot, all, png, svg};
use crate::estimate::estimate;
use crate::report::{Asked, Report};
use crate::scenario::{Input, load};
use crate::sim::{self, Options};

/// A scenario with so many tools and policies, their names 64 characters long, and what else is given.
pub(crate) fn crowded(tools: usize, policies: usize, more: &str) -> String {
    let long = |what: &str, number: usize| format!("{what}_{number:02}_{}", "of_the_monthly_statement_".repeat(3));
    let long = |what, number| long(what, number)[..64].to_owned();
    let mut text = format!(
        "schema = 1\nname = \"crowded\"\ntitle = \"A <crowd> & its \\\"quotes\\\"\"\n{more}\n[stream]\n\
         prelude = {{ lognormal = {{ mean = \"3s\", cv = 0.5 }} }}\ngap = \"200ms\"\n\
         [failure]\nhazard = {{ rate = \"20%\" }}\ncrashes_per_hour = 5\n"
    );
    let mut calls = Vec::new();
    for number in 0..tools {
        let name = long("tool", number);
        let latency = match number % 3 {
            0 => format!("{{ lognormal = {{ mean = \"{}ms\", sigma = 0.8 }} }}", 20 << (number % 9)),
            1 => "\"750ms\"".to_owned(),
            _ => format!("{{ exponential = {{ mean = \"{}ms\" }} }}", 100 * number),
        };
        text += &format!(
            "[[tool]]\nname = \"{name}\"\nclass = \"unkeyed_write\"\narguments = \"100ms\"\nlatency = {latency}\n\
             cost = {{ exponential = {{ mean = {} }} }}\n",
            10 + number
        );
        calls.push(name);
    }
    for call in &calls {
        text += &format!("[[shape]]\ncalls = [\"{call}\"]\n");
    }
    text += "[[route]]\nname = \"retry\"\nkind = \"auto_retry\"\n[[route]]\nname = \"queue\"\nkind = \"job_queue\"\n";
    let dispatchers = ["naive", "record_after", "ledger", "header", "ledger_and_header", "registry"];
    for number in 0..policies {
        let dispatcher = dispatchers[number % dispatchers.len()];
        text += &format!("[[policy]]\nname = \"{}\"\ndispatcher = \"{dispatcher}\"\n", long("policy", number));
    }
    text
}

/// The report of a scenario after a few turns.
pub(crate) fn report(text: &str, turns: u64) -> Report {
    let loaded = load(&Input { text: text.to_owned(), ..Input::default() });
    let scenario = loaded.unwrap_or_else(|found| panic!("{}", found.render(false))).scenario;
    let options = Options { turns, seed: 1, threads: Some(1), ..Options::default() };
    let outcome = sim::run(&scenario, &options);
    Report::new(&scenario, Asked { seed: 1, turns, set: &[] }, &estimate(&scenario), &outcome)
}

const VOLUME: &str = "[volume]\nturns_per_month = 3000\ncurrency = \"USD\"\n";

fn drawn(plots: &[Plot]) -> impl Iterator<Item = (&'static str, &Picture)> {
    plots.iter().filter_map(|plot| Some((plot.name, plot.picture.as_ref().ok()?)))
}

#[test]
fn no_text_lies_over_another_or_off_the_picture() {
    let reports = [
        report(&crowded(1, 1, VOLUME), 3_000),
        report(&crowded(2, 2, VOLUME), 200),
        report(&crowded(30, 12, VOLUME), 3_000),
        report(&crowded(3, 4, ""), 3_000),
    ];
    for report in &reports {
        for (name, picture) in drawn(&all(report)) {
            let boxes = picture.text_boxes();
            assert!(!boxes.is_empty());
            for (index, (text, [left, top, right, bottom])) in boxes.iter().enumerate() {
                let inside = *left >= 0.0 && *top >= 0.0 && *right <= picture.width && *bottom <= picture.height;
                assert!(inside, "{name}: {text:?} at {left} {top} {right} {bottom}");
                for (other, [l, t, r, b]) in &boxes[index + 1..] {
                    let apart = right <= l || r <= left || bottom <= t || b <= top;
                    assert!(apart, "{name}: {text:?} and {other:?}");
                }
            }
        }
    }
}

#[test]
fn a_report_with_everything_has_seven_plots() {
    let plots = all(&report(&crowded(2, 2, VOLUME), 3_000));
    assert_eq!(drawn(&plots).map(|(name, _)| name).collect::<Vec<_>>(), NAMES);
}

#[test]
fn a_plot_without_data_says_why_there_is_none() {
    let without = |text: &str, turns| -> Vec<(&str, String)> {
        let plots = all(&report(text, turns));
        plots.into_iter().filter_map(|plot| Some((plot.name, plot.picture.err()?))).collect()
    };
    let no_volume = without(&crowded(2, 2, ""), 3_000);
    assert_eq!(no_volume.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["month", "exceedance"]);
    assert!(no_volume.iter().all(|(_, why)| why.contains("[volume]")), "{no_volume:?}");
    let calm = crowded(2, 2, VOLUME).replace("rate = \"20%\"", "rate = 0").replace("per_hour = 5", "per_hour = 0");
    let calm = without(&calm, 300);
    assert_eq!(calm.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["died", "exceedance", "causes"]);
    assert!(calm.iter().all(|(_, why)| why.ends_with('.') && why.len() > 40), "{calm:?}");
}

#[test]
fn files_hold_what_they_need_and_texts_stay_texts() {
    let plots = all(&report(&crowded(2, 2, VOLUME), 3_000));
    for (plot, (_, picture)) in plots.iter().zip(drawn(&plots)) {
        let text = svg::file(picture, &plot.title);
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"));
        let outside = text.matches("http").count();
        assert_eq!(outside, 1, "the name space alone names a place");
        assert!(text.contains("src:url(data:font/woff2;base64,"));
        let image = png::file(picture);
        assert_eq!(image[1..4], *b"PNG");
        let width = u32::from_be_bytes([image[16], image[17], image[18], image[19]]);
        assert_eq!(f64::from(width), 2.0 * picture.width);
    }
}
