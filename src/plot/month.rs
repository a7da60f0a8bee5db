//! How many duplicates a month has.

use super::Drawing;
use super::axis::{Axis, whole};
use super::panel::{LABEL, x_marks};
use super::picture::{Anchor, Ink};
use super::sheet::{Key, Rows, SIZE, Sheet};
use crate::report::number::{bound, figure, percent};
use crate::report::series::{By, MonthShape};
use crate::report::{Month, Report};

pub(super) const CAPTION: &str = "How probable each number of duplicates in a month is, turns being independent; by \
    the exact figure where there is one, else by the simulated rates; each policy to its own scale. Beside a zero stands \
    the bound that the simulation proves.";

const PITCH: f64 = 64.0;
const TALL: f64 = 44.0;

pub(super) fn draw(report: &Report) -> Drawing {
    let shapes = &report.series.months;
    if report.policies.iter().all(|policy| policy.volume.is_none()) {
        return Err("The scenario has no [volume], so there is no month to show.".to_owned());
    }
    if shapes.is_empty() {
        return Err("Incidents make turns depend on each other, so a month is not projected.".to_owned());
    }
    let most = shapes.iter().flat_map(|shape| &shape.duplicates).map(|bin| bin.to).max();
    let most =
        most.ok_or("Every policy has more than 100,000 duplicates a month: a count of no shape worth drawing.")?;
    let title = title(report, shapes);
    let turns = report.policies.iter().find_map(|policy| policy.volume.as_ref()).map_or(0.0, |month| month.turns);
    let mut sheet =
        Sheet::new(&title, &format!("Probability of each number of duplicates in a month of {} turns", figure(turns)));
    sheet.y += 8.0;
    let by = |by: By| shapes.iter().any(|shape| shape.by == by);
    let keys = [(By::Exact, Ink::Blue, "by the exact figure"), (By::Simulated, Ink::Vermillion, "as simulated")];
    let keys = keys.iter().filter(|(kind, ..)| by(*kind));
    sheet.legend(&keys.map(|(_, ink, name)| (*ink, Key::Square(1.0), (*name).to_owned())).collect::<Vec<_>>());
    let rows = Rows::new(
        shapes.iter().map(|shape| shape.policy.as_str()),
        shapes.iter().flat_map(|shape| figures(report, shape)),
    );
    // One place for each count, its bar about its middle.
    let mut axis = Axis::linear(-0.5, most as f64 + 0.5, 8, whole);
    axis.marks.retain(|(at, _)| at.fract() == 0.0);
    for shape in shapes {
        row(&mut sheet, &rows, &axis, report, shape);
        sheet.y += PITCH;
    }
    x_marks(&mut sheet.picture, &axis, rows.left, rows.width(), sheet.y + 14.0);
    sheet.y += 32.0;
    let middle = rows.left + rows.width() / 2.0;
    sheet.picture.text((middle, sheet.y), Anchor::Middle, SIZE, Ink::Muted, "duplicates a month");
    sheet.y += 6.0;
    Ok((title, sheet.finish(report)))
}

/// The month that a shape belongs to.
fn month<'r>(report: &'r Report, shape: &MonthShape) -> Option<&'r Month> {
    match shape.by {
        By::Exact => report.estimate.exact.get(&shape.policy)?.volume.as_ref(),
        By::Simulated => report.policies.iter().find(|policy| policy.name == shape.policy)?.volume.as_ref(),
    }
}

fn title(report: &Report, shapes: &[MonthShape]) -> String {
    let months = shapes.iter().filter_map(|shape| Some((shape, month(report, shape)?)));
    let most = months.max_by(|a, b| a.1.duplicates.total_cmp(&b.1.duplicates));
    match most.filter(|(_, month)| month.duplicates > 0.0) {
        Some((shape, month)) => {
            let chance = month.at_least_one.map_or(String::new(), |p| format!("; {} of months have any", percent(p)));
            format!("{}: {} duplicates in an average month{chance}", shape.policy, figure(month.duplicates))
        }
        None => "No duplicates in any month".to_owned(),
    }
}

/// What stands to the right of a row: the mean, and how many months have any.
fn figures(report: &Report, shape: &MonthShape) -> [String; 2] {
    let Some(month) = month(report, shape) else { return [String::new(), String::new()] };
    if month.duplicates == 0.0 {
        return ["mean 0".to_owned(), String::new()];
    }
    let any = month.at_least_one.map_or(String::new(), |p| format!("any: {}", percent(p)));
    [format!("mean {}", figure(month.duplicates)), any]
}

fn row(sheet: &mut Sheet, rows: &Rows, axis: &Axis, report: &Report, shape: &MonthShape) {
    let base = sheet.y + PITCH - 6.0;
    let picture = &mut sheet.picture;
    let middle = base - TALL / 2.0;
    rows.name(picture, middle, &shape.policy);
    let lines: Vec<String> = figures(report, shape).into_iter().filter(|line| !line.is_empty()).collect();
    picture.block((super::sheet::WIDTH - super::sheet::MARGIN, middle), Anchor::End, SIZE, Ink::Text, &lines);
    picture.line(&[(rows.left, base), (rows.left + rows.width(), base)], Ink::Muted, 1.0);
    let seen = report.policies.iter().find(|policy| policy.name == shape.policy);
    let zero = month(report, shape).is_some_and(|month| month.duplicates == 0.0);
    let ink = if shape.by == By::Exact { Ink::Blue } else { Ink::Vermillion };
    if zero {
        let upper = seen.and_then(|policy| policy.volume.as_ref()?.bounds).map(|bounds| bounds.duplicate_turns_upper);
        let below = upper.map_or(String::new(), |upper| format!("below {} a month at 95 %", bound(upper)));
        let text = match shape.by {
            By::Exact => format!("0 by the formula; none seen: {below}"),
            By::Simulated => format!("none seen: {below}"),
        };
        picture.text((rows.left + 8.0, base - 8.0), Anchor::Start, SIZE, Ink::Muted, text);
        return;
    }
    let peak = shape.duplicates.iter().map(|bin| bin.probability).fold(0.0, f64::max);
    for bin in &shape.duplicates {
        let x = |at: f64| rows.left + rows.width() * axis.place(at);
        let (from, to) = (x(bin.from as f64 - 0.5), x(bin.to as f64 + 0.5));
        let gap = if to - from > 3.0 { ((to - from) * 0.12).min(3.0) } else { 0.0 };
        let height = TALL * bin.probability / peak;
        picture.rect((from + gap, base - height), (to - from - 2.0 * gap, height), ink, 0.9);
        if to - from >= 44.0 && bin.probability >= 0.005 {
            let middle = ((from + to) / 2.0, base - height - 3.0);
            picture.text(middle, Anchor::Middle, LABEL, Ink::Muted, percent(bin.probability));
        }
    }
    if shape.duplicates.is_empty() {
        let text = "more than 100,000: no shape worth drawing";
        picture.text((rows.left + 8.0, base - 8.0), Anchor::Start, SIZE, Ink::Muted, text);
    }
}
