//! How the rate of each policy settled over the turns of the run, against headline and exact figure.

use super::Drawing;
use super::axis::{Axis, short, whole};
use super::font;
use super::panel::{LABEL, Panel};
use super::picture::{Anchor, Ink};
use super::sheet::{Key, MARGIN, SIZE, Sheet, WIDTH};
use crate::report::Report;
use crate::report::number::{bound, figure};
use crate::report::series::{Convergence, ConvergencePoint};

pub(super) const CAPTION: &str = "Share of turns with a duplicate after so many turns, with its 95 % interval, beside \
    the headline (failure rate × window fraction) and the exact figure. Where none was seen yet, an arrow hangs from \
    the one-sided upper bound.";

const GUTTER: f64 = 26.0;
const HEIGHT: f64 = 170.0;

pub(super) fn draw(report: &Report) -> Drawing {
    let all = &report.series.convergence;
    let turns = |pick: fn(&Convergence) -> Option<&ConvergencePoint>| all.iter().filter_map(pick).map(|p| p.turns);
    let (Some(first), Some(last)) = (turns(|c| c.points.first()).min(), turns(|c| c.points.last()).max()) else {
        return Err("No turn was run, so no rate settled.".to_owned());
    };
    let title = title(report);
    let mut sheet =
        Sheet::new(&title, "Share of turns with a duplicate, over the turns simulated; both axes logarithmic");
    sheet.y += 8.0;
    let exact = report.estimate.exact.values().any(|exact| exact.duplicate_turn_probability > 0.0);
    let seen = report.policies.iter().any(|policy| policy.duplicate_turns > 0);
    let keys = [
        (seen, Ink::Vermillion, Key::Line, "simulated"),
        (seen, Ink::Vermillion, Key::Square(0.22), "95 % interval"),
        (report.estimate.headline_rate > 0.0, Ink::Text, Key::Dashes, "headline"),
        (exact, Ink::Blue, Key::Dashes, "exact"),
    ];
    let keys = keys.into_iter().filter(|key| key.0).map(|(_, ink, key, name)| (ink, key, name.to_owned()));
    sheet.legend(&keys.collect::<Vec<_>>());
    let x = Axis::log(first as f64 * 0.85, last as f64 * 1.15, if all.len() == 1 { 7 } else { 4 }, whole);
    let y = rates(report);
    let columns = all.len().min(2);
    let left = MARGIN + Panel::margin(&y);
    let width = (WIDTH - MARGIN - left - GUTTER * (columns - 1) as f64) / columns as f64;
    for row in all.chunks(columns) {
        let names: Vec<Vec<String>> = row.iter().map(|p| font::wrap(&p.policy, SIZE, width, 2)).collect();
        let lines = names.iter().map(Vec::len).max().unwrap_or(1) as f64;
        sheet.y += 5.0 + 15.0 * lines;
        for (column, policy) in row.iter().enumerate() {
            let at = (left + (width + GUTTER) * column as f64, sheet.y);
            let middle = at.1 - 3.0 - 7.5 * lines;
            sheet.picture.block((at.0, middle), Anchor::Start, SIZE, Ink::Text, &names[column]);
            let mut panel =
                Panel { picture: &mut sheet.picture, at, size: (width, HEIGHT), x: x.clone(), y: y.clone() };
            panel.frame(true, column == 0);
            levels(&mut panel, report, &policy.policy);
            settle(&mut panel, &policy.points);
        }
        sheet.y += HEIGHT + 26.0;
    }
    sheet.y += 4.0;
    sheet.picture.text((WIDTH - MARGIN, sheet.y), Anchor::End, LABEL, Ink::Muted, "turns simulated");
    Ok((title, sheet.finish(report)))
}

fn title(report: &Report) -> String {
    let highest = crate::report::caveats::highest(&report.policies);
    match highest.and_then(|policy| Some((policy, policy.rate?))) {
        Some((policy, rate)) => {
            let (name, low, high) = (&policy.name, figure(rate.low), figure(rate.high));
            format!("{name} settles at {} a turn, {low} to {high} at 95 %", figure(rate.per_turn))
        }
        None => {
            let upper = report.policies.iter().filter_map(|policy| policy.rate).map(|rate| rate.upper);
            format!("No policy had a duplicate: below {} a turn at 95 %", bound(upper.fold(0.0, f64::max)))
        }
    }
}

/// One axis for all panels, around everything they show.
fn rates(report: &Report) -> Axis {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    let mut take = |rate: f64| {
        if rate > 0.0 {
            (low, high) = (low.min(rate), high.max(rate));
        }
    };
    take(report.estimate.headline_rate);
    report.estimate.exact.values().for_each(|exact| take(exact.duplicate_turn_probability));
    for point in report.series.convergence.iter().flat_map(|policy| &policy.points) {
        take(point.high);
        // The earliest lower ends are near zero and would squeeze the rest.
        take(point.duplicate_turns as f64 / point.turns as f64);
    }
    if low > high { Axis::log(1e-6, 1.0, 5, short) } else { Axis::log(low / 2.0, (high * 1.5).min(1.0), 6, short) }
}

fn levels(panel: &mut Panel<'_>, report: &Report, policy: &str) {
    if report.estimate.headline_rate > 0.0 {
        panel.level(report.estimate.headline_rate, Ink::Text);
    }
    if let Some(exact) = report.estimate.exact.get(policy).map(|exact| exact.duplicate_turn_probability) {
        if exact > 0.0 {
            panel.level(exact, Ink::Blue);
        } else {
            let (left, bottom) = (panel.at.0 + 8.0, panel.at.1 + panel.size.1 - 8.0);
            panel.picture.text((left, bottom), Anchor::Start, LABEL, Ink::Blue, "exact: 0");
        }
    }
}

fn settle(panel: &mut Panel<'_>, points: &[ConvergencePoint]) {
    let seen: Vec<&ConvergencePoint> = points.iter().filter(|point| point.duplicate_turns > 0).collect();
    let at = |point: &&ConvergencePoint| (point.turns as f64, point.duplicate_turns as f64 / point.turns as f64);
    let upper = seen.iter().map(|point| (point.turns as f64, point.high));
    let lower = seen.iter().rev().map(|point| (point.turns as f64, point.low));
    panel.polygon(&upper.chain(lower).collect::<Vec<_>>(), Ink::Vermillion, 0.22);
    let line: Vec<_> = seen.iter().map(at).collect();
    panel.line(&line, Ink::Vermillion, 2.0);
    if let Some(last) = seen.last() {
        let x = panel.place(last.turns as f64, last.high).0;
        let (top, bottom) = (panel.place(0.0, last.high).1, panel.place(0.0, last.low).1);
        panel.picture.line(&[(x, top), (x, bottom)], Ink::Vermillion, 1.6);
        panel.dots(&[at(last)], Ink::Vermillion, 3.2);
    }
    for point in points.iter().filter(|point| point.duplicate_turns == 0) {
        let place = panel.place(point.turns as f64, point.high);
        let room = panel.at.1 + panel.size.1 - place.1;
        panel.picture.arrow_down(place, room.clamp(6.0, 16.0), Ink::Vermillion);
    }
}
