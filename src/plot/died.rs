//! Where streams died.

use super::Drawing;
use super::picture::Ink;
use super::sheet::{Key, Rows, Sheet};
use crate::report::Report;
use crate::report::number::{count, percent};

pub(super) const CAPTION: &str = "Cuts and crashes by where they struck. Only those in the window, after a call was \
    dispatched and before its turn was over, can double an effect.";

pub(super) fn draw(report: &Report) -> Drawing {
    let policy = report.policies.first().ok_or("No policy was run.")?;
    let died = policy.died;
    let total = died.total();
    if total == 0 {
        return Err("No stream was cut and no process crashed, so there is nowhere to show.".to_owned());
    }
    let share = |part: u64| part as f64 / total as f64;
    let window = share(died.in_window());
    let title = format!("Where streams died: {} of {} in the window", percent(window), count(total));
    let about = format!("Cuts and crashes under {}, the first policy; share of all of them", policy.name);
    let rows = [
        ("before the call", died.before_call, false),
        ("in the arguments", died.arguments, false),
        ("in flight", died.in_flight, true),
        ("returned", died.returned, true),
        ("after message_stop", died.stopped, false),
    ];
    let figure = |part: u64| format!("{} · {}", count(part), percent(share(part)));
    let most = rows.iter().map(|(_, part, _)| *part).max().unwrap_or(1).max(1);
    let mut sheet = Sheet::new(&title, &about);
    sheet.y += 8.0;
    sheet.legend(&[
        (Ink::Vermillion, Key::Square(1.0), "in the window".to_owned()),
        (Ink::Grey, Key::Square(0.6), "outside it".to_owned()),
    ]);
    let columns = Rows::new(rows.iter().map(|row| row.0), rows.iter().map(|row| figure(row.1)));
    for (name, part, in_window) in rows {
        let middle = sheet.y + 13.0;
        let width = columns.width() * part as f64 / most as f64;
        let (ink, opacity) = if in_window { (Ink::Vermillion, 1.0) } else { (Ink::Grey, 0.6) };
        let picture = &mut sheet.picture;
        picture.line(&[(columns.left, middle - 13.0), (columns.left, middle + 13.0)], Ink::Muted, 1.0);
        picture.rect((columns.left, middle - 9.0), (width, 18.0), ink, opacity);
        columns.name(picture, middle, name);
        columns.figure(picture, middle, figure(part));
        sheet.y += 26.0;
    }
    sheet.y += 8.0;
    Ok((title, sheet.finish(report)))
}
