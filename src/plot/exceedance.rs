//! The loss exceedance curve of a month's cost.

use super::Drawing;
use super::axis::{Axis, share, short};
use super::font;
use super::panel::{LABEL, Panel};
use super::picture::{Anchor, Ink};
use super::sheet::{Key, MARGIN, SIZE, Sheet, WIDTH};
use crate::report::number::{figure, money};
use crate::report::series::{By, Exceedance};
use crate::report::{Cost, Report};

pub(super) const CAPTION: &str = "The probability that a month costs more than an amount (loss exceedance), turns being \
    independent. Policies without duplicates have no curve: they cost nothing that was seen.";

const HEIGHT: f64 = 300.0;

/// Policies that share a curve, and the curve.
struct Curve<'r> {
    names: Vec<&'r str>,
    by: By,
    points: &'r [Exceedance],
}

pub(super) fn draw(report: &Report) -> Drawing {
    let curves = curves(report);
    let cost = costs(report).next();
    let (Some(cost), false) = (cost, curves.is_empty()) else { return Err(why_not(report)) };
    let title = title(report);
    let about = format!("Probability that a month's duplicates cost more than so much, in {}", cost.currency);
    let mut sheet = Sheet::new(&title, &about);
    sheet.y += 8.0;
    let inks = || Ink::SERIES.into_iter().cycle();
    let key = |(curve, ink): (&Curve<'_>, Ink)| {
        let by = if curve.by == By::Exact { "exact" } else { "simulated" };
        (ink, Key::Line, format!("{} ({by})", listed(&curve.names)))
    };
    sheet.legend(&curves.iter().zip(inks()).map(key).collect::<Vec<_>>());
    let points = || curves.iter().flat_map(|curve| curve.points);
    let low = points().map(|point| point.amount).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point.amount).fold(0.0, f64::max);
    let x = Axis::log(low, high * 1.05, 8, short);
    let y = Axis::log(0.001, 1.0, 4, share);
    let left = MARGIN + Panel::margin(&y);
    let at = (left, sheet.y + 4.0);
    let mut panel = Panel { picture: &mut sheet.picture, at, size: (WIDTH - MARGIN - left - 10.0, HEIGHT), x, y };
    panel.frame(true, true);
    for (curve, ink) in curves.iter().zip(inks()) {
        let line: Vec<_> = curve.points.iter().map(|point| (point.amount, point.probability)).collect();
        panel.line(&line, ink, 2.2);
    }
    // What one reads off first: the months that the report's table names.
    if let [curve] = &curves[..] {
        for point in curve.points.iter().filter(|point| [0.05, 0.01].contains(&point.probability)) {
            panel.dots(&[(point.amount, point.probability)], Ink::SERIES[0], 4.0);
            let (x, y) = panel.place(point.amount, point.probability);
            let text =
                format!("1 month in {}: {}", figure(1.0 / point.probability).replace(".0", ""), figure(point.amount));
            panel.picture.text((x - 10.0, y + 16.0), Anchor::End, LABEL, Ink::Text, text);
        }
    }
    sheet.y += HEIGHT + 38.0;
    let foot = format!("cost of a month, {}", cost.currency);
    sheet.picture.text((WIDTH - MARGIN - 10.0, sheet.y), Anchor::End, SIZE, Ink::Muted, foot);
    sheet.y += 4.0;
    Ok((title, sheet.finish(report)))
}

/// All names where a line holds them, else the first and how many more.
fn listed(names: &[&str]) -> String {
    let all = names.join(", ");
    match names {
        [first, more @ ..] if font::width(&all, SIZE) > 0.8 * WIDTH => format!("{first} and {} more", more.len()),
        _ => all,
    }
}

/// Policies of the same draws and the same fate have the same curve: it is drawn once.
fn curves(report: &Report) -> Vec<Curve<'_>> {
    let mut curves: Vec<Curve<'_>> = Vec::new();
    for shape in report.series.months.iter().filter(|shape| shape.exceedance.len() > 1) {
        match curves.iter_mut().find(|curve| curve.by == shape.by && curve.points == shape.exceedance) {
            Some(curve) => curve.names.push(&shape.policy),
            None => curves.push(Curve { names: vec![&shape.policy], by: shape.by, points: &shape.exceedance }),
        }
    }
    curves
}

/// What a month costs under each policy: by the exact figure where there is one.
fn costs(report: &Report) -> impl Iterator<Item = &Cost> {
    report.policies.iter().filter_map(|policy| {
        let exact = report.estimate.exact.get(&policy.name).and_then(|exact| exact.volume.as_ref());
        exact.or(policy.volume.as_ref())?.cost.as_ref()
    })
}

fn title(report: &Report) -> String {
    let p99 = costs(report).filter_map(|cost| Some((cost, cost.p99?)));
    match p99.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((cost, p99)) => format!("One month in 100 costs more than {}", money(&cost.currency, p99)),
        None => "What a month of duplicates costs".to_owned(),
    }
}

fn why_not(report: &Report) -> String {
    let months = || report.policies.iter().filter_map(|policy| policy.volume.as_ref());
    match () {
        () if months().next().is_none() => "The scenario has no [volume], so there is no month to cost.",
        () if months().all(|month| month.cost.is_none()) => {
            "No tool says what one duplicate of it costs (cost), so there is no loss to show."
        }
        () if report.series.months.is_empty() => {
            "Incidents make turns depend on each other, so the quantiles of a month's cost are not projected."
        }
        () => "No policy has a duplicate that costs something, so there is no loss to show.",
    }
    .to_owned()
}
