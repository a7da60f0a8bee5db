//! The font that the binary carries: how wide a text is, and its outlines.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

const TRUETYPE: &[u8] = include_bytes!("../../assets/font/Inter.ttf");
/// The same glyphs for browsers.
pub(super) const WOFF2: &[u8] = include_bytes!("../../assets/font/Inter.woff2");
/// How SVG names it; what follows it serves where embedded fonts are not loaded.
pub(super) const FAMILY: &str = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| Face::parse(TRUETYPE, 0).expect("the font in the binary"));

/// A character that the font lacks takes as much room as the widest script needs.
const UNKNOWN: f64 = 1.0;

fn glyph(character: char) -> Option<GlyphId> {
    FACE.glyph_index(character)
}

fn advance(character: char, size: f64) -> f64 {
    let units = f64::from(FACE.units_per_em());
    let width = glyph(character).and_then(|glyph| FACE.glyph_hor_advance(glyph));
    size * width.map_or(UNKNOWN, |width| f64::from(width) / units)
}

/// The width of `text` in pixels at `size` pixels an em.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|character| advance(character, size)).sum()
}

/// `text`, or as much of it as `room` pixels hold with an ellipsis.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = width("…", size);
    for character in text.chars() {
        used += advance(character, size);
        if used > room {
            break;
        }
        kept.push(character);
    }
    kept + "…"
}

/// `text` in at most `lines` lines of `room` pixels, broken after blanks and underscores where that is possible, and
/// anywhere where it is not; what does not fit ends in an ellipsis.
pub(super) fn wrap(text: &str, size: f64, room: f64, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if wrapped.len() + 1 == lines || width(rest, size) <= room {
            wrapped.push(fit(rest, size, room));
            break;
        }
        let (line, after) = rest.split_at(line_end(rest, size, room));
        wrapped.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    wrapped
}

/// Where the first line of `text`, which is too long for one, ends.
fn line_end(text: &str, size: f64, room: f64) -> usize {
    let (mut used, mut hard, mut soft) = (0.0, 0, 0);
    for (at, character) in text.char_indices() {
        used += advance(character, size);
        if used > room && at > 0 {
            break;
        }
        hard = at + character.len_utf8();
        if matches!(character, ' ' | '_' | '-' | '.' | '/' | ',') {
            soft = hard;
        }
    }
    if soft * 2 > hard { soft } else { hard }
}

/// A piece of an outline, in pixels, y downwards.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment {
    Move(f32, f32),
    Line(f32, f32),
    Quad(f32, f32, f32, f32),
    Cubic(f32, f32, f32, f32, f32, f32),
    Close,
}

/// Hands the outline of `text`, begun at (0, 0) on its baseline, to `draw`.
pub(super) fn outline(text: &str, size: f64, draw: &mut dyn FnMut(Segment)) {
    let scale = (size / f64::from(FACE.units_per_em())) as f32;
    let mut x = 0.0;
    for character in text.chars() {
        let glyph = glyph(character).unwrap_or(GlyphId(0));
        FACE.outline_glyph(glyph, &mut Pen { x: x as f32, scale, draw });
        x += advance(character, size);
    }
}

/// Puts a glyph's outline where it stands in the text.
struct Pen<'a> {
    x: f32,
    scale: f32,
    draw: &'a mut dyn FnMut(Segment),
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, -self.scale * y)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        (self.draw)(Segment::Move(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        (self.draw)(Segment::Line(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        (self.draw)(Segment::Quad(x1, y1, x, y));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        (self.draw)(Segment::Cubic(x1, y1, x2, y2, x, y));
    }

    fn close(&mut self) {
        (self.draw)(Segment::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_room_and_never_wider() {
        let name = "send_the_monthly_payment_to_the_landlord_of_the_second_apartment";
        for room in [20.0, 90.0, 200.0, 600.0] {
            assert!(width(&fit(name, 12.0, room), 12.0) <= room);
            let lines = wrap(name, 12.0, room, 2);
            assert!(lines.len() <= 2 && lines.iter().all(|line| width(line, 12.0) <= room), "{lines:?}");
        }
        assert_eq!(fit("short", 12.0, 90.0), "short");
        assert_eq!(wrap(name, 12.0, 240.0, 2).concat(), name, "broken after an underscore, nothing lost");
    }

    #[test]
    fn the_font_has_what_plots_write() {
        for character in ('!'..='~').chain("àéßñøü€…–×λμ±≤≥→←↑↓".chars()) {
            assert!(glyph(character).is_some(), "no {character}");
        }
    }
}
