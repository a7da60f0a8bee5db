//! What plotters draws on: its calls become shapes of a picture. It counts in whole units, [`UNITS`] to a pixel, so
//! that curves have no steps.

use super::picture::{Ink, Picture, Shape};
use plotters::style::RGBColor;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

pub(super) const UNITS: f64 = 20.0;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// A rectangle of a picture.
pub(super) struct Backend<'p> {
    picture: &'p mut Picture,
    at: (f64, f64),
    size: (f64, f64),
}

impl<'p> Backend<'p> {
    pub(super) fn new(picture: &'p mut Picture, at: (f64, f64), size: (f64, f64)) -> Self {
        Backend { picture, at, size }
    }

    fn place(&self, (x, y): BackendCoord) -> (f64, f64) {
        (self.at.0 + f64::from(x) / UNITS, self.at.1 + f64::from(y) / UNITS)
    }

    fn places(&self, points: impl IntoIterator<Item = BackendCoord>) -> Vec<(f64, f64)> {
        points.into_iter().map(|point| self.place(point)).collect()
    }

    fn stroke<S: BackendStyle>(&mut self, points: impl IntoIterator<Item = BackendCoord>, style: &S) {
        if let Some((ink, _)) = seen(style.color()) {
            let (points, width) = (self.places(points), f64::from(style.stroke_width()) / UNITS);
            self.picture.shapes.push(Shape::Line { points, ink, width, dashed: false });
        }
    }

    fn fill<S: BackendStyle>(&mut self, points: impl IntoIterator<Item = BackendCoord>, style: &S) {
        if let Some((ink, opacity)) = seen(style.color()) {
            let points = self.places(points);
            self.picture.shapes.push(Shape::Area { points, ink, opacity });
        }
    }
}

/// The colour by which plotters knows an ink.
pub(super) fn colour(ink: Ink) -> RGBColor {
    let [r, g, b] = ink.values().1;
    RGBColor(r, g, b)
}

/// The ink that plotters was given, and its opacity; None where nothing is to be seen.
fn seen(colour: BackendColor) -> Option<(Ink, f64)> {
    let (r, g, b) = colour.rgb;
    let ink = Ink::ALL.into_iter().find(|ink| ink.values().1 == [r, g, b]);
    ink.filter(|_| colour.alpha > 0.0).map(|ink| (ink, colour.alpha))
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        ((self.size.0 * UNITS) as u32, (self.size.1 * UNITS) as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Drawn {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.stroke([from, to], style);
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, fill: bool) -> Drawn {
        let corners = [a, (b.0, a.1), b, (a.0, b.1)];
        if fill {
            self.fill(corners, style);
        } else {
            self.stroke(corners.into_iter().chain([a]), style);
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.stroke(path, style);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, centre: BackendCoord, radius: u32, style: &S, _: bool) -> Drawn {
        if let Some((ink, _)) = seen(style.color()) {
            let ((x, y), radius) = (self.place(centre), f64::from(radius) / UNITS);
            self.picture.shapes.push(Shape::Dot { x, y, radius, ink });
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        self.fill(corners, style);
        Ok(())
    }

    /// Panels write their own labels.
    fn draw_text<T: BackendTextStyle>(&mut self, _: &str, _: &T, _: BackendCoord) -> Drawn {
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        _: &str,
        _: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((0, 0))
    }
}
