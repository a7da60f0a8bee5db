//! A panel: two axes and what is drawn between them, by plotters, which draws onto the picture through a backend that
//! turns its calls into shapes. Labels are placed here, where the widths of texts are known.

use super::axis::Axis;
use super::backend::{Backend, UNITS, colour};
use super::font;
use super::picture::{Anchor, Ink, Picture};
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::IntoDrawingArea;
use plotters::element::{Circle, Polygon};
use plotters::series::LineSeries;
use plotters::style::{Color, ShapeStyle, TRANSPARENT};

type Chart<'a, 'p> = ChartContext<'a, Backend<'p>, Cartesian2d<Axis, Axis>>;

/// The size of axis labels.
pub(super) const LABEL: f64 = 11.0;

/// Where a panel's frame lies, and its axes.
pub(super) struct Panel<'p> {
    pub(super) picture: &'p mut Picture,
    /// Upper left corner, in pixels.
    pub(super) at: (f64, f64),
    /// Width and height, in pixels.
    pub(super) size: (f64, f64),
    pub(super) x: Axis,
    pub(super) y: Axis,
}

impl Panel<'_> {
    /// The room that the labels of a vertical axis need to the left of a panel.
    pub(super) fn margin(axis: &Axis) -> f64 {
        axis.marks.iter().map(|(_, label)| font::width(label, LABEL)).fold(0.0, f64::max) + 8.0
    }

    /// Where a point lies on the picture.
    pub(super) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.at.0 + self.size.0 * self.x.place(x), self.at.1 + self.size.1 * (1.0 - self.y.place(y)))
    }

    /// The grid, and the labels of the axes where they are wanted.
    pub(super) fn frame(&mut self, x_labels: bool, y_labels: bool) {
        self.chart(|chart| {
            let mut mesh = chart.configure_mesh();
            mesh.bold_line_style(stroke(Ink::Grid, 1.0)).light_line_style(TRANSPARENT).disable_axes();
            mesh.draw().expect("a picture takes every shape");
        });
        let ((left, top), (width, height)) = (self.at, self.size);
        let bottom = top + height;
        self.picture.line(&[(left, bottom), (left + width, bottom)], Ink::Muted, 1.0);
        if y_labels {
            for (mark, label) in self.y.marks.clone() {
                let y = bottom - height * self.y.share(mark);
                self.picture.text((left - 6.0, y + 0.36 * LABEL), Anchor::End, LABEL, Ink::Muted, label);
            }
        }
        if x_labels {
            x_marks(self.picture, &self.x, left, width, bottom + 16.0);
        }
    }

    pub(super) fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        let points = self.scaled(points);
        self.chart(|chart| {
            chart.draw_series(LineSeries::new(points, stroke(ink, width))).expect("a picture takes every shape");
        });
    }

    pub(super) fn polygon(&mut self, points: &[(f64, f64)], ink: Ink, opacity: f64) {
        let points = self.scaled(points);
        self.chart(|chart| {
            let area = Polygon::new(points, colour(ink).mix(opacity).filled());
            chart.draw_series(std::iter::once(area)).expect("a picture takes every shape");
        });
    }

    pub(super) fn dots(&mut self, points: &[(f64, f64)], ink: Ink, radius: f64) {
        let points = self.scaled(points);
        self.chart(|chart| {
            let dot = |point| Circle::new(point, (radius * UNITS) as i32, colour(ink).filled());
            chart.draw_series(points.into_iter().map(dot)).expect("a picture takes every shape");
        });
    }

    /// A dashed level across the panel.
    pub(super) fn level(&mut self, y: f64, ink: Ink) {
        let (left, right) = (self.at.0, self.at.0 + self.size.0);
        let y = self.place(0.0, y).1;
        self.picture.dashes(&[(left, y), (right, y)], ink, 1.4);
    }

    fn scaled(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        points.iter().map(|&(x, y)| (self.x.scale(x), self.y.scale(y))).collect()
    }

    fn chart(&mut self, draw: impl FnOnce(&mut Chart<'_, '_>)) {
        let area = Backend::new(self.picture, self.at, self.size).into_drawing_area();
        let chart = ChartBuilder::on(&area).build_cartesian_2d(self.x.clone(), self.y.clone());
        draw(&mut chart.expect("a panel has a size"));
    }
}

/// The labels of a horizontal axis; the outermost stay within it, and one that would touch its neighbour is left out.
pub(super) fn x_marks(picture: &mut Picture, axis: &Axis, left: f64, width: f64, baseline: f64) {
    let mut free = f64::NEG_INFINITY;
    for (mark, label) in &axis.marks {
        let half = font::width(label, LABEL) / 2.0;
        let x = (left + width * axis.share(*mark)).clamp(left - 8.0 + half, left + width + 8.0 - half);
        if x - half >= free {
            picture.text((x, baseline), Anchor::Middle, LABEL, Ink::Muted, label);
            free = x + half + 8.0;
        }
    }
}

fn stroke(ink: Ink, width: f64) -> ShapeStyle {
    colour(ink).stroke_width((width * UNITS) as u32)
}
