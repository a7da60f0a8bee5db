//! What every plot has: what it found above, a legend, what it was drawn from below.

use super::font;
use super::picture::{Anchor, Ink, Picture};
use crate::report::Report;
use crate::report::number::count;

/// Of every plot, in pixels.
pub(super) const WIDTH: f64 = 760.0;
pub(super) const MARGIN: f64 = 18.0;
/// Of text beside and below a drawing.
pub(super) const SIZE: f64 = 12.0;
const TITLE: f64 = 15.0;
const FOOT: f64 = 10.0;

/// A plot being drawn from top to bottom.
pub(super) struct Sheet {
    pub(super) picture: Picture,
    /// Where the next thing begins.
    pub(super) y: f64,
}

/// How a legend shows what it names.
#[derive(Clone, Copy)]
pub(super) enum Key {
    /// A filled square of this opacity.
    Square(f64),
    Line,
    Dashes,
}

impl Sheet {
    pub(super) fn new(title: &str, about: &str) -> Sheet {
        let mut sheet = Sheet { picture: Picture::new(WIDTH), y: MARGIN + 0.74 * TITLE };
        let room = WIDTH - 2.0 * MARGIN;
        for line in font::wrap(title, TITLE, room, 3) {
            sheet.picture.text((MARGIN, sheet.y), Anchor::Start, TITLE, Ink::Text, line);
            sheet.y += 1.3 * TITLE;
        }
        for line in font::wrap(about, SIZE, room, 4) {
            sheet.picture.text((MARGIN, sheet.y), Anchor::Start, SIZE, Ink::Muted, line);
            sheet.y += 1.35 * SIZE;
        }
        sheet.y += 4.0;
        sheet
    }

    /// Names what colours mean, in as many lines as it takes.
    pub(super) fn legend(&mut self, items: &[(Ink, Key, String)]) {
        let (mut x, swatch, pitch) = (MARGIN, 18.0, 18.0);
        for (ink, key, label) in items {
            let label = font::fit(label, SIZE, WIDTH - 2.0 * MARGIN - swatch);
            let width = swatch + font::width(&label, SIZE) + 18.0;
            if x > MARGIN && x + width - 18.0 > WIDTH - MARGIN {
                (x, self.y) = (MARGIN, self.y + pitch);
            }
            let middle = self.y - 0.36 * SIZE;
            match key {
                Key::Square(opacity) => self.picture.rect((x, middle - 5.0), (12.0, 10.0), *ink, *opacity),
                Key::Line => self.picture.line(&[(x, middle), (x + 14.0, middle)], *ink, 2.2),
                Key::Dashes => self.picture.dashes(&[(x, middle), (x + 14.0, middle)], *ink, 1.6),
            }
            self.picture.text((x + swatch, self.y), Anchor::Start, SIZE, Ink::Text, label);
            x += width;
        }
        self.y += pitch;
    }

    /// Ends the plot with the run that it shows.
    pub(super) fn finish(mut self, report: &Report) -> Picture {
        let id = &report.scenario;
        let (turns, hash) = (count(report.turns), &id.sha256[..id.sha256.len().min(12)]);
        let foot = format!("{} · {turns} turns · seed {} · sha256 {hash}…", id.name, report.seed);
        self.y += 12.0;
        let foot = font::fit(&foot, FOOT, WIDTH - 2.0 * MARGIN);
        self.picture.text((MARGIN, self.y), Anchor::Start, FOOT, Ink::Muted, foot);
        self.picture.height = libm::ceil(self.y + 12.0);
        self.picture
    }
}

/// Columns of a plot that has a row for each name: names to the left, figures to the right, the drawing between.
pub(super) struct Rows {
    pub(super) left: f64,
    pub(super) right: f64,
    names: f64,
}

impl Rows {
    /// The room to the left that `names` need, in two lines each, and to the right that `figures` need.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, figures: impl Iterator<Item = String>) -> Rows {
        let widest = names.map(|name| font::width(name, SIZE)).fold(40.0, f64::max);
        let names = if widest <= 180.0 { widest } else { (widest / 2.0 * 1.25).clamp(180.0, 240.0) };
        let figures = figures.map(|text| font::width(&text, SIZE)).fold(0.0, f64::max);
        Rows { left: MARGIN + names + 12.0, right: WIDTH - MARGIN - figures - 10.0, names }
    }

    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    /// A row's name, centred about `middle`.
    pub(super) fn name(&self, picture: &mut Picture, middle: f64, name: &str) {
        let lines = font::wrap(name, SIZE, self.names, 2);
        picture.block((self.left - 12.0, middle), Anchor::End, SIZE, Ink::Text, &lines);
    }

    /// A row's figure, centred about `middle`, at the right edge.
    pub(super) fn figure(&self, picture: &mut Picture, middle: f64, figure: String) {
        picture.text((WIDTH - MARGIN, middle + 0.36 * SIZE), Anchor::End, SIZE, Ink::Text, figure);
    }
}
