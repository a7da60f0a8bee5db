//! A picture as SVG: with colours of its own as a file, with those of the page inside one.

use super::base64::base64;
use super::font::{FAMILY, WOFF2};
use super::picture::{Anchor, Ink, Picture, Shape};
use crate::report::markup::escaped;
use std::fmt::Write;

/// A file that needs nothing beside it: on white, with its font.
#[must_use]
pub fn file(picture: &Picture, title: &str) -> String {
    let colours = style(|ink| ink.values().1);
    let style = format!("<style>{}{colours}</style>", font_face());
    let paper = format!("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>", N(picture.width), N(picture.height));
    element(
        picture,
        title,
        &format!(" width=\"{}\" height=\"{}\"", N(picture.width), N(picture.height)),
        &(style + &paper),
    )
}

/// An element of a page that has [`page_style`].
#[must_use]
pub fn inline(picture: &Picture, title: &str) -> String {
    element(picture, title, " class=\"plot\"", "")
}

/// The font for a page or a file.
#[must_use]
pub fn font_face() -> String {
    let font = base64(WOFF2);
    format!("@font-face{{font-family:Inter;src:url(data:font/woff2;base64,{font}) format(\"woff2\")}}")
}

/// The colours of inline plots, in the dark or not; not the rules of a medium around them.
#[must_use]
pub fn page_style(dark: bool) -> String {
    style(|ink| if dark { ink.values().2 } else { ink.values().1 })
}

fn style(colour: impl Fn(Ink) -> [u8; 3]) -> String {
    let rules = Ink::ALL.iter().map(|&ink| {
        let (name, [r, g, b]) = (ink.values().0, colour(ink));
        format!(".f{name}{{fill:#{r:02x}{g:02x}{b:02x}}}.s{name}{{stroke:#{r:02x}{g:02x}{b:02x}}}")
    });
    rules.collect()
}

fn element(picture: &Picture, title: &str, attributes: &str, head: &str) -> String {
    let (width, height, title) = (N(picture.width), N(picture.height), escaped(title));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"{attributes} role=\"img\" \
         font-family=\"{FAMILY}\"><title>{title}</title>{head}\n"
    );
    for shape in &picture.shapes {
        draw(&mut text, shape).expect("writing to a string cannot fail");
        text.push('\n');
    }
    text + "</svg>\n"
}

fn draw(text: &mut String, shape: &Shape) -> std::fmt::Result {
    match shape {
        Shape::Area { points, ink, opacity } => {
            write!(text, "<path class=\"f{}\"{} d=\"{}Z\"/>", ink.values().0, Opacity(*opacity), Path(points))
        }
        Shape::Line { points, ink, width, dashed } => {
            let dash = if *dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let (name, width, path) = (ink.values().0, N(*width), Path(points));
            write!(text, "<path class=\"s{name}\" fill=\"none\" stroke-width=\"{width}\"{dash} d=\"{path}\"/>")
        }
        Shape::Rect { x, y, width, height, ink, opacity } => {
            let (name, x, y, width, height) = (ink.values().0, N(*x), N(*y), N(*width), N(*height));
            let opacity = Opacity(*opacity);
            write!(text, "<rect class=\"f{name}\"{opacity} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>")
        }
        Shape::Dot { x, y, radius, ink } => {
            let (name, x, y, radius) = (ink.values().0, N(*x), N(*y), N(*radius));
            write!(text, "<circle class=\"f{name}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>")
        }
        Shape::Text { x, y, anchor, size, ink, text: content } => {
            let (name, x, y, size, content) = (ink.values().0, N(*x), N(*y), N(*size), escaped(content));
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            write!(text, "<text class=\"f{name}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}>{content}</text>")
        }
    }
}

/// A number to a tenth of a pixel.
#[derive(Clone, Copy)]
struct N(f64);

impl std::fmt::Display for N {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.1}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

struct Opacity(f64);

impl std::fmt::Display for Opacity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 < 1.0 { write!(f, " fill-opacity=\"{:.2}\"", self.0) } else { Ok(()) }
    }
}

struct Path<'a>(&'a [(f64, f64)]);

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, (x, y)) in self.0.iter().enumerate() {
            write!(f, "{}{} {}", if number == 0 { "M" } else { "L" }, N(*x), N(*y))?;
        }
        Ok(())
    }
}
