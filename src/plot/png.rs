//! A picture as PNG on white, two pixels for one, its text drawn from the font's outlines.

use super::font::{self, Segment};
use super::picture::{Ink, Picture, Shape, before};
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};

const SCALE: f32 = 2.0;
/// Pixels on a side at most: no report needs more, and what a report needs is bounded by its rows.
const SIDE: f64 = 15_000.0;

/// The bytes of the file.
#[must_use]
pub fn file(picture: &Picture) -> Vec<u8> {
    let side = |pixels: f64| (pixels.min(SIDE) * f64::from(SCALE)) as u32;
    let mut pixmap =
        Pixmap::new(side(picture.width).max(1), side(picture.height).max(1)).expect("a size that is bounded");
    pixmap.fill(tiny_skia::Color::WHITE);
    for shape in &picture.shapes {
        draw(&mut pixmap, shape);
    }
    encoded(&pixmap)
}

fn encoded(pixmap: &Pixmap) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    // Flat colours: rows repeat, and differences would only hide it.
    encoder.set_filter(png::Filter::NoFilter);
    // Everything stands on white, so that nothing is left of opacity.
    let data: Vec<u8> = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut writer = encoder.write_header().expect("memory takes it");
    writer.write_image_data(&data).expect("memory takes it");
    writer.finish().expect("memory takes it");
    bytes
}

fn draw(pixmap: &mut Pixmap, shape: &Shape) {
    let view = Transform::from_scale(SCALE, SCALE);
    match shape {
        Shape::Area { points, ink, opacity } => {
            if let Some(path) = path(points, true) {
                pixmap.fill_path(&path, &paint(*ink, *opacity), FillRule::Winding, view, None);
            }
        }
        Shape::Line { points, ink, width, dashed } => {
            let dash = if *dashed { StrokeDash::new(vec![5.0, 4.0], 0.0) } else { None };
            let stroke = Stroke { width: *width as f32, dash, ..Stroke::default() };
            if let Some(path) = path(points, false) {
                pixmap.stroke_path(&path, &paint(*ink, 1.0), &stroke, view, None);
            }
        }
        Shape::Rect { x, y, width, height, ink, opacity } => {
            if let Some(rect) = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32) {
                pixmap.fill_rect(rect, &paint(*ink, *opacity), view, None);
            }
        }
        Shape::Dot { x, y, radius, ink } => {
            if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                pixmap.fill_path(&path, &paint(*ink, 1.0), FillRule::Winding, view, None);
            }
        }
        Shape::Text { x, y, anchor, size, ink, text } => {
            let mut path = PathBuilder::new();
            font::outline(text, *size, &mut |segment| add(&mut path, segment));
            let left = *x - before(*anchor, text, *size);
            let place = Transform::from_translate(left as f32, *y as f32).post_concat(view);
            if let Some(path) = path.finish() {
                pixmap.fill_path(&path, &paint(*ink, 1.0), FillRule::Winding, place, None);
            }
        }
    }
}

fn add(path: &mut PathBuilder, segment: Segment) {
    match segment {
        Segment::Move(x, y) => path.move_to(x, y),
        Segment::Line(x, y) => path.line_to(x, y),
        Segment::Quad(x1, y1, x, y) => path.quad_to(x1, y1, x, y),
        Segment::Cubic(x1, y1, x2, y2, x, y) => path.cubic_to(x1, y1, x2, y2, x, y),
        Segment::Close => path.close(),
    }
}

fn path(points: &[(f64, f64)], closed: bool) -> Option<tiny_skia::Path> {
    let mut path = PathBuilder::new();
    let mut points = points.iter().map(|&(x, y)| (x as f32, y as f32));
    let (x, y) = points.next()?;
    path.move_to(x, y);
    points.for_each(|(x, y)| path.line_to(x, y));
    if closed {
        path.close();
    }
    path.finish()
}

fn paint(ink: Ink, opacity: f64) -> Paint<'static> {
    let [r, g, b] = ink.values().1;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, (opacity * 255.0 + 0.5) as u8);
    paint
}
