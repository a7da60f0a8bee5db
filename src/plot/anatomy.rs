//! Where the window of a turn is, to scale.

use super::Drawing;
use super::axis::{Axis, seconds};
use super::panel::x_marks;
use super::picture::{Ink, Picture};
use super::sheet::{Key, Rows, Sheet};
use crate::report::Report;
use crate::report::number::time;
use crate::report::series::{Anatomy, ToolAnatomy};
use crate::turn::{DispatchAt, Handling};

pub(super) const CAPTION: &str = "A turn with one call of each tool, to scale: the mean lengths of its phases. A cut \
    in the window, from the dispatch of the call to the end of the stream, finds a call that was dispatched already.";

const HEIGHT: f64 = 14.0;

/// The mean lengths of a turn with one call, in nanoseconds.
#[derive(Clone, Copy)]
struct Turn {
    prelude: u64,
    arguments: u64,
    run: u64,
    gap: u64,
}

/// A stretch of a turn on one of its two lanes, in nanoseconds from its start.
struct Stretch {
    from: u64,
    to: u64,
    lane: usize,
    ink: Ink,
    opacity: f64,
}

impl Turn {
    fn of(anatomy: &Anatomy, tool: &ToolAnatomy) -> Option<Turn> {
        Some(Turn {
            prelude: anatomy.prelude.mean_ns?,
            arguments: tool.arguments.mean_ns?,
            run: tool.run.mean_ns?,
            gap: anatomy.gap.mean_ns?,
        })
    }

    fn stretches(self, anatomy: &Anatomy) -> Vec<Stretch> {
        let stop = self.prelude + self.arguments;
        // On a lane of its own the tool does not hold the stream up.
        let (starts, lane, waits) = match (anatomy.dispatch, anatomy.handler) {
            (DispatchAt::MessageStop, _) => (stop + self.gap, 1, 0),
            (DispatchAt::Completion, Handling::Concurrent) => (stop, 1, 0),
            (DispatchAt::Completion, Handling::Blocking) => (stop, 0, self.run),
        };
        let stretch = |from, length, lane, ink, opacity| Stretch { from, to: from + length, lane, ink, opacity };
        vec![
            stretch(0, self.prelude, 0, Ink::Grey, 0.45),
            stretch(self.prelude, self.arguments, 0, Ink::Sky, 1.0),
            stretch(starts, self.run, lane, Ink::Vermillion, 1.0),
            stretch(stop + waits, self.gap, 0, Ink::Orange, 1.0),
        ]
    }

    /// The stretch of open stream after the dispatch; None where no stream is open then.
    fn window(self, anatomy: &Anatomy) -> Option<(u64, u64)> {
        let stop = self.prelude + self.arguments;
        match (anatomy.dispatch, anatomy.handler) {
            (DispatchAt::MessageStop, _) => None,
            (DispatchAt::Completion, Handling::Concurrent) => Some((stop, stop + self.gap)),
            (DispatchAt::Completion, Handling::Blocking) => Some((stop, stop + self.run + self.gap)),
        }
    }

    fn figure(self, anatomy: &Anatomy) -> String {
        let stream = self.prelude + self.arguments + self.gap;
        match self.window(anatomy) {
            None => "no stream open".to_owned(),
            Some((from, to)) => {
                let all = if anatomy.handler == Handling::Blocking { stream + self.run } else { stream };
                format!("{} of {}", time(u128::from(to - from)), time(u128::from(all)))
            }
        }
    }
}

pub(super) fn draw(report: &Report) -> Drawing {
    let anatomy = &report.series.anatomy;
    let turns: Vec<(&ToolAnatomy, Option<Turn>)> =
        anatomy.tools.iter().map(|tool| (tool, Turn::of(anatomy, tool))).collect();
    let longest = turns.iter().filter_map(|(_, turn)| turn.as_ref());
    let longest = longest.flat_map(|turn| turn.stretches(anatomy)).map(|stretch| stretch.to).max();
    let Some(longest) = longest.filter(|longest| *longest > 0) else {
        return Err("No turn calls a tool whose mean length is finite, so there is nothing to scale.".to_owned());
    };
    let (title, about) = words(anatomy);
    let mut sheet = Sheet::new(&title, &about);
    sheet.y += 8.0;
    sheet.legend(&[
        (Ink::Grey, Key::Square(0.45), "prelude".to_owned()),
        (Ink::Sky, Key::Square(1.0), "arguments".to_owned()),
        (Ink::Vermillion, Key::Square(1.0), "tool runs".to_owned()),
        (Ink::Orange, Key::Square(1.0), "gap to message_stop".to_owned()),
        (Ink::Text, Key::Line, "window".to_owned()),
    ]);
    let figure = |turn: &Option<Turn>| turn.map_or("infinite mean".to_owned(), |turn| turn.figure(anatomy));
    let names = turns.iter().map(|(tool, _)| tool.name.as_str());
    let rows = Rows::new(names, turns.iter().map(|(_, turn)| figure(turn)));
    let axis = Axis::linear(0.0, longest as f64 / 1e9, 6, seconds);
    let lanes = if anatomy.lanes() { 2.0 } else { 1.0 };
    let height = 26.0 + HEIGHT * lanes;
    let (top, tall) = (sheet.y, height * turns.len() as f64);
    for (mark, _) in &axis.marks {
        let x = rows.left + rows.width() * axis.share(*mark);
        sheet.picture.line(&[(x, top), (x, top + tall)], Ink::Grid, 1.0);
    }
    for (tool, turn) in &turns {
        let middle = sheet.y + height / 2.0;
        rows.name(&mut sheet.picture, middle, &tool.name);
        rows.figure(&mut sheet.picture, middle, figure(turn));
        if let Some(turn) = turn {
            bar(&mut sheet.picture, *turn, anatomy, &axis, &rows, middle - HEIGHT * lanes / 2.0 - 2.0);
        }
        sheet.y += height;
    }
    x_marks(&mut sheet.picture, &axis, rows.left, rows.width(), sheet.y + 14.0);
    sheet.y += 24.0;
    Ok((title, sheet.finish(report)))
}

impl Anatomy {
    /// Whether tools run beside the stream.
    fn lanes(&self) -> bool {
        (self.dispatch, self.handler) != (DispatchAt::Completion, Handling::Blocking)
    }
}

fn bar(picture: &mut Picture, turn: Turn, anatomy: &Anatomy, axis: &Axis, rows: &Rows, top: f64) {
    let x = |at: u64| rows.left + rows.width() * axis.place(at as f64 / 1e9);
    for stretch in turn.stretches(anatomy) {
        // Paper between phases, where there is room for it.
        let (from, to) = (x(stretch.from), x(stretch.to));
        let gap = if to - from > 3.0 { 0.6 } else { 0.0 };
        let y = top + HEIGHT * stretch.lane as f64;
        picture.rect((from, y), (to - from - gap, HEIGHT - 1.0), stretch.ink, stretch.opacity);
    }
    if let Some((from, to)) = turn.window(anatomy) {
        let y = top + HEIGHT * if anatomy.lanes() { 2.0 } else { 1.0 } + 4.0;
        let (from, to) = (x(from), x(to).max(x(from) + 1.5));
        picture.line(&[(from, y - 3.0), (from, y), (to, y), (to, y - 3.0)], Ink::Text, 1.6);
    }
}

fn words(anatomy: &Anatomy) -> (String, String) {
    let title = match anatomy.dispatch {
        DispatchAt::MessageStop => "Calls are dispatched after message_stop, when no stream is open",
        DispatchAt::Completion => "Where the window of a turn is",
    };
    let about = match (anatomy.dispatch, anatomy.handler) {
        (DispatchAt::MessageStop, _) => {
            "Seconds from the request; a cut of a later step still finds earlier calls done"
        }
        (_, Handling::Concurrent) => {
            "Seconds from the request; tools run beside the stream. At the right: the window \
                                      and the stream"
        }
        (_, Handling::Blocking) => {
            "Seconds from the request; the stream stays open while the tool runs. At the right: \
                                    the window and the stream"
        }
    };
    (title.to_owned(), about.to_owned())
}
