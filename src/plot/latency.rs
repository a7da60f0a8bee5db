//! How long each tool takes, and how much of the window is its.

use super::Drawing;
use super::axis::{Axis, seconds};
use super::panel::x_marks;
use super::picture::{Anchor, Ink, Picture};
use super::sheet::{Key, Rows, SIZE, Sheet};
use crate::report::Report;
use crate::report::number::{percent, time};
use crate::report::series::ToolAnatomy;

pub(super) const CAPTION: &str = "The density of one request's latency over logarithmic time, each scaled to its own \
    peak, a constant as a line; a tick marks the mean length of a run. At the right the tool's share of the window: \
    each second of open stream after the first dispatch, weighted by the hazard of its phase, belongs to the call that \
    was dispatched last.";

const PITCH: f64 = 40.0;
const TALL: f64 = 28.0;

pub(super) fn draw(report: &Report) -> Drawing {
    let tools = &report.series.anatomy.tools;
    let ends = tools.iter().flat_map(|tool| {
        let latency = tool.latency.iter().map(|point| point.at_ns);
        latency.chain(tool.run.mean_ns).filter(|ns| *ns > 0)
    });
    let (Some(low), Some(high)) = (ends.clone().min(), ends.max()) else {
        return Err("Turns call no tool that takes any time, so there is no latency to show.".to_owned());
    };
    let title = title(tools);
    let about = "Latency of one request, logarithmic; at the right the mean run and the share of the window";
    let mut sheet = Sheet::new(&title, about);
    sheet.y += 8.0;
    sheet.legend(&[
        (Ink::Blue, Key::Square(0.45), "latency of a request".to_owned()),
        (Ink::Vermillion, Key::Line, "mean run".to_owned()),
    ]);
    let rows = Rows::new(tools.iter().map(|tool| tool.name.as_str()), tools.iter().flat_map(figures));
    let axis = Axis::log(low as f64 / 1e9 * 0.8, high as f64 / 1e9 * 1.25, 7, seconds);
    let top = sheet.y;
    for (mark, _) in &axis.marks {
        let x = rows.left + rows.width() * axis.share(*mark);
        sheet.picture.line(&[(x, top), (x, top + PITCH * tools.len() as f64)], Ink::Grid, 1.0);
    }
    for tool in tools {
        let base = sheet.y + PITCH - 5.0;
        let middle = base - TALL / 2.0;
        rows.name(&mut sheet.picture, middle, &tool.name);
        let lines: Vec<String> = figures(tool).into_iter().filter(|line| !line.is_empty()).collect();
        let right = super::sheet::WIDTH - super::sheet::MARGIN;
        sheet.picture.block((right, middle), Anchor::End, SIZE, Ink::Text, &lines);
        density(&mut sheet.picture, tool, &rows, &axis, base);
        sheet.y += PITCH;
    }
    x_marks(&mut sheet.picture, &axis, rows.left, rows.width(), sheet.y + 14.0);
    sheet.y += 24.0;
    Ok((title, sheet.finish(report)))
}

fn title(tools: &[ToolAnatomy]) -> String {
    let shares = tools.iter().filter_map(|tool| Some((tool, tool.exposure_share?)));
    match shares.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((tool, share)) if tools.len() > 1 => format!("{} holds {} of the window", tool.name, percent(share)),
        Some((tool, _)) => format!("The whole window is {}'s", tool.name),
        None => "How long each tool takes".to_owned(),
    }
}

fn figures(tool: &ToolAnatomy) -> [String; 2] {
    let run = tool.run.mean_ns.map_or("infinite mean".to_owned(), |mean| time(u128::from(mean)));
    [run, tool.exposure_share.map_or(String::new(), |share| format!("{} of window", percent(share)))]
}

fn density(picture: &mut Picture, tool: &ToolAnatomy, rows: &Rows, axis: &Axis, base: f64) {
    let x = |ns: u64| rows.left + rows.width() * axis.place(ns as f64 / 1e9);
    picture.line(&[(rows.left, base), (rows.left + rows.width(), base)], Ink::Muted, 1.0);
    // Over a logarithmic axis a density counts by the time it stands at.
    let height = |point: &crate::report::series::DensityPoint| point.per_second * point.at_ns as f64;
    let peak = tool.latency.iter().map(height).fold(0.0, f64::max);
    if let (Some(first), Some(last)) = (tool.latency.first(), tool.latency.last()) {
        let curve = tool.latency.iter().map(|point| (x(point.at_ns), base - TALL * height(point) / peak));
        let curve: Vec<_> = curve.collect();
        let ends = [(x(last.at_ns), base), (x(first.at_ns), base)];
        picture.area(curve.iter().copied().chain(ends).collect(), Ink::Blue, 0.45);
        picture.line(&curve, Ink::Blue, 1.4);
    } else if let Some(mean) = tool.run.mean_ns {
        picture.line(&[(x(mean), base), (x(mean), base - TALL)], Ink::Blue, 2.4);
    }
    if let Some(mean) = tool.run.mean_ns.filter(|_| !tool.latency.is_empty()) {
        picture.line(&[(x(mean), base + 3.0), (x(mean), base - TALL)], Ink::Vermillion, 1.6);
    }
}
