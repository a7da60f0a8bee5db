//! Pictures of a report, drawn from its data and nothing else: each plot in a file of its own, as shapes that `svg` and
//! `png` turn into files.

mod anatomy;
mod axis;
mod backend;
mod base64;
mod causes;
mod convergence;
mod died;
mod exceedance;
mod font;
mod latency;
mod month;
mod panel;
mod picture;
pub mod png;
mod sheet;
pub mod svg;
#[cfg(test)]
pub(crate) mod tests;

pub use picture::Picture;

use crate::report::Report;

/// The names of all plots, in the order in which they are shown.
pub const NAMES: [&str; 7] = ["anatomy", "died", "convergence", "month", "exceedance", "causes", "latency"];

/// One plot of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Of its files, without ending.
    pub name: &'static str,
    /// What it found, in a few words.
    pub title: String,
    /// What it shows, in a sentence or two.
    pub caption: String,
    /// The drawing, or in a sentence why there is none.
    pub picture: Result<Picture, String>,
}

/// A drawing with its title.
type Drawing = Result<(String, Picture), String>;

/// Every plot of `report`, in the order of [`NAMES`].
#[must_use]
pub fn all(report: &Report) -> Vec<Plot> {
    type Draw = fn(&Report) -> Drawing;
    let plots: [(&str, &str, Draw); 7] = [
        ("Anatomy of a turn", anatomy::CAPTION, anatomy::draw),
        ("Where streams died", died::CAPTION, died::draw),
        ("Rate over turns simulated", convergence::CAPTION, convergence::draw),
        ("Duplicates a month", month::CAPTION, month::draw),
        ("What a month costs", exceedance::CAPTION, exceedance::draw),
        ("Causes by policy", causes::CAPTION, causes::draw),
        ("Latency of each tool", latency::CAPTION, latency::draw),
    ];
    let plot = |(name, (title, caption, draw)): (&'static str, (&str, &str, Draw))| {
        let (title, picture) = match draw(report) {
            Ok((title, picture)) => (title, Ok(picture)),
            Err(why) => (title.to_owned(), Err(why)),
        };
        Plot { name, title, caption: caption.to_owned(), picture }
    };
    NAMES.into_iter().zip(plots).map(plot).collect()
}
