//! Why effects were doubled, by policy.

use super::Drawing;
use super::axis::{Axis, whole};
use super::panel::x_marks;
use super::picture::{Anchor, Ink};
use super::sheet::{Key, Rows, SIZE, Sheet};
use crate::report::number::{bound, count};
use crate::report::{PolicyReport, Report};
use crate::turn::Cause;

pub(super) const CAPTION: &str = "Duplicate effects of the run by cause, for each policy over the same turns. A policy \
    without any shows the bound that its zero proves.";

pub(super) fn draw(report: &Report) -> Drawing {
    let most = report.policies.iter().map(|policy| policy.duplicates).max().unwrap_or(0);
    if most == 0 {
        return Err("No policy doubled an effect in this run, so there are no causes to show.".to_owned());
    }
    let seen = |cause: &&Cause| report.policies.iter().any(|policy| policy.causes.contains_key(*cause));
    let causes: Vec<Cause> = Cause::ALL.iter().filter(seen).copied().collect();
    let title = match &causes[..] {
        [only] => format!("Every duplicate has one cause: {}", spaced(*only)),
        several => format!("Duplicates have {} causes", several.len()),
    };
    let turns = report.policies.iter().map(|policy| policy.turns).max().unwrap_or(0);
    let mut sheet = Sheet::new(&title, &format!("Duplicate effects in {} turns", count(turns)));
    sheet.y += 8.0;
    let key = |cause: &Cause| {
        let (ink, opacity) = ink(*cause);
        (ink, Key::Square(opacity), spaced(*cause))
    };
    sheet.legend(&causes.iter().map(key).collect::<Vec<_>>());
    let names = report.policies.iter().map(|policy| policy.name.as_str());
    let rows = Rows::new(names, report.policies.iter().map(|policy| count(policy.duplicates)));
    let axis = Axis::linear(0.0, most as f64, 5, whole);
    let (pitch, top) = (34.0, sheet.y);
    for (mark, _) in &axis.marks {
        let x = rows.left + rows.width() * axis.share(*mark);
        sheet.picture.line(&[(x, top), (x, top + pitch * report.policies.len() as f64)], Ink::Grid, 1.0);
    }
    for policy in &report.policies {
        row(&mut sheet, &rows, &axis, policy);
        sheet.y += pitch;
    }
    x_marks(&mut sheet.picture, &axis, rows.left, rows.width(), sheet.y + 14.0);
    sheet.y += 24.0;
    Ok((title, sheet.finish(report)))
}

fn row(sheet: &mut Sheet, rows: &Rows, axis: &Axis, policy: &PolicyReport) {
    let middle = sheet.y + 17.0;
    let picture = &mut sheet.picture;
    rows.name(picture, middle, &policy.name);
    rows.figure(picture, middle, count(policy.duplicates));
    let mut before = 0;
    for (cause, duplicates) in &policy.causes {
        let x = |at: u64| rows.left + rows.width() * axis.place(at as f64);
        let (ink, opacity) = ink(*cause);
        let (from, to) = (x(before), x(before + duplicates));
        let gap = if to - from > 3.0 { 0.6 } else { 0.0 };
        picture.rect((from, middle - 10.0), (to - from - gap, 20.0), ink, opacity);
        before += duplicates;
    }
    if let Some(rate) = policy.rate.filter(|_| policy.duplicates == 0) {
        let zero = format!("none seen: below {} a turn at 95 %", bound(rate.upper));
        picture.text((rows.left + 6.0, middle + 0.36 * SIZE), Anchor::Start, SIZE, Ink::Muted, zero);
    }
}

/// The same for a cause in every report; the ninth and later are the first ones, lighter.
fn ink(cause: Cause) -> (Ink, f64) {
    let index = cause.index();
    (Ink::SERIES[index % Ink::SERIES.len()], if index < Ink::SERIES.len() { 1.0 } else { 0.45 })
}

fn spaced(cause: Cause) -> String {
    cause.name().replace('_', " ")
}
