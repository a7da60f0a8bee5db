//! A picture as shapes in pixels, y downwards: what SVG and PNG are made of. Colours are roles, so that a page can give
//! them other values in the dark.

use super::font;

/// A colour by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Text,
    Muted,
    Grid,
    Blue,
    Vermillion,
    Green,
    Orange,
    Purple,
    Sky,
    Olive,
    Grey,
}

impl Ink {
    pub(super) const ALL: [Ink; 11] = [
        Ink::Text,
        Ink::Muted,
        Ink::Grid,
        Ink::Blue,
        Ink::Vermillion,
        Ink::Green,
        Ink::Orange,
        Ink::Purple,
        Ink::Sky,
        Ink::Olive,
        Ink::Grey,
    ];

    /// Colours told apart by people of any colour vision (after Okabe and Ito), in the order in which they are given
    /// out.
    pub(super) const SERIES: [Ink; 8] =
        [Ink::Vermillion, Ink::Blue, Ink::Green, Ink::Orange, Ink::Purple, Ink::Sky, Ink::Olive, Ink::Grey];

    /// Its name in style sheets, and its value on white and on near black.
    pub(super) const fn values(self) -> (&'static str, [u8; 3], [u8; 3]) {
        match self {
            Ink::Text => ("t", [0x1b, 0x1f, 0x24], [0xe8, 0xea, 0xed]),
            Ink::Muted => ("m", [0x5a, 0x62, 0x6b], [0xa3, 0xab, 0xb5]),
            Ink::Grid => ("l", [0xdd, 0xe1, 0xe5], [0x3a, 0x40, 0x48]),
            Ink::Blue => ("b", [0x00, 0x72, 0xb2], [0x4f, 0xa8, 0xe0]),
            Ink::Vermillion => ("v", [0xd5, 0x5e, 0x00], [0xf2, 0x85, 0x3a]),
            Ink::Green => ("g", [0x00, 0x9e, 0x73], [0x2f, 0xc2, 0x98]),
            Ink::Orange => ("o", [0xe6, 0x9f, 0x00], [0xf5, 0xb9, 0x35]),
            Ink::Purple => ("p", [0xcc, 0x79, 0xa7], [0xdd, 0x98, 0xbf]),
            Ink::Sky => ("s", [0x56, 0xb4, 0xe9], [0x7c, 0xc8, 0xf2]),
            Ink::Olive => ("y", [0xa8, 0x9a, 0x00], [0xd9, 0xcc, 0x4a]),
            Ink::Grey => ("x", [0x8a, 0x93, 0x9c], [0x7d, 0x86, 0x90]),
        }
    }
}

/// Which point of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A filled polygon.
    Area { points: Vec<(f64, f64)>, ink: Ink, opacity: f64 },
    /// A stroke.
    Line { points: Vec<(f64, f64)>, ink: Ink, width: f64, dashed: bool },
    /// A filled rectangle.
    Rect { x: f64, y: f64, width: f64, height: f64, ink: Ink, opacity: f64 },
    /// A filled circle.
    Dot { x: f64, y: f64, radius: f64, ink: Ink },
    /// A text on its baseline.
    Text { x: f64, y: f64, anchor: Anchor, size: f64, ink: Ink, text: String },
}

/// Shapes in the order in which they are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
    pub(super) shapes: Vec<Shape>,
}

impl Picture {
    pub(super) fn new(width: f64) -> Self {
        Picture { width, height: 0.0, shapes: Vec::new() }
    }

    pub(super) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), ink: Ink, opacity: f64) {
        if width > 0.0 && height > 0.0 {
            self.shapes.push(Shape::Rect { x, y, width, height, ink, opacity });
        }
    }

    pub(super) fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        self.shapes.push(Shape::Line { points: points.to_vec(), ink, width, dashed: false });
    }

    pub(super) fn dashes(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        self.shapes.push(Shape::Line { points: points.to_vec(), ink, width, dashed: true });
    }

    pub(super) fn area(&mut self, points: Vec<(f64, f64)>, ink: Ink, opacity: f64) {
        self.shapes.push(Shape::Area { points, ink, opacity });
    }

    /// An arrow that points down from `from`, `length` long: what has no lower end.
    pub(super) fn arrow_down(&mut self, (x, y): (f64, f64), length: f64, ink: Ink) {
        self.line(&[(x, y), (x, y + length - 3.0)], ink, 1.4);
        self.area(vec![(x - 3.0, y + length - 5.0), (x + 3.0, y + length - 5.0), (x, y + length)], ink, 1.0);
        self.line(&[(x - 4.0, y), (x + 4.0, y)], ink, 1.4);
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, ink: Ink, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.shapes.push(Shape::Text { x, y, anchor, size, ink, text });
        }
    }

    /// Lines of text one below the other, centred about `y`, a line taking 1.25 of the size.
    pub(super) fn block(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, ink: Ink, lines: &[String]) {
        let pitch = 1.25 * size;
        let first = y + 0.36 * size - pitch * (lines.len().saturating_sub(1)) as f64 / 2.0;
        for (number, line) in lines.iter().enumerate() {
            self.text((x, first + pitch * number as f64), anchor, size, ink, line);
        }
    }

    /// Where each text lies: left, top, right, bottom. For tests that nothing overlaps.
    #[cfg(test)]
    pub(super) fn text_boxes(&self) -> Vec<(String, [f64; 4])> {
        let mut boxes = Vec::new();
        for shape in &self.shapes {
            let Shape::Text { x, y, anchor, size, text, .. } = shape else { continue };
            let left = x - before(*anchor, text, *size);
            // Capitals and descenders of the font.
            let place = [left, y - 0.74 * size, left + font::width(text, *size), y + 0.2 * size];
            boxes.push((text.clone(), place));
        }
        boxes
    }
}

/// How far left of its place a text begins.
pub(super) fn before(anchor: Anchor, text: &str, size: f64) -> f64 {
    match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => font::width(text, size) / 2.0,
        Anchor::End => font::width(text, size),
    }
}
