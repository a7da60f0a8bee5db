//! A report as the files of its folder: the page, its Markdown, the tables, the plots, and the data of them all.
//!
//! `content`, `source`, `answer` and `parts` say what stands in it, `html` and `markdown` how.

mod answer;
mod content;
pub mod html;
pub mod markdown;
mod parts;
mod source;
#[cfg(test)]
mod tests;

pub use answer::answer;

use crate::plot::{self, png, svg};
use crate::report::folder::File;
use crate::report::{Report, csv, json};

/// Every name that a file of a report can have.
#[must_use]
pub fn names() -> Vec<String> {
    let plots = plot::NAMES.iter().flat_map(|name| [format!("plots/{name}.svg"), format!("plots/{name}.png")]);
    let whole = ["report.html", "report.md", "policies.csv", "tools.csv", "summary.json"].map(str::to_owned);
    plots.chain(whole).collect()
}

/// The files of `report`, in the order in which they are to appear: `summary.json` last, so that where it is new the
/// others are too.
#[must_use]
pub fn files(report: &Report) -> Vec<File> {
    let plots = plot::all(report);
    let mut files: Vec<File> = Vec::new();
    for plot in &plots {
        if let Ok(picture) = &plot.picture {
            files.push((format!("plots/{}.svg", plot.name), svg::file(picture, &plot.title).into_bytes()));
            files.push((format!("plots/{}.png", plot.name), png::file(picture)));
        }
    }
    let texts = [
        ("report.html", html::render(report, &plots)),
        ("report.md", markdown::render(report, &plots)),
        ("policies.csv", csv::policies(report)),
        ("tools.csv", csv::tools(report)),
        ("summary.json", json::render(report)),
    ];
    files.extend(texts.map(|(name, text)| (name.to_owned(), text.into_bytes())));
    files
}
