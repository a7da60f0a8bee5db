//! A tool audit for people: a section a tool, a line for each way to fire twice and for each policy.

use super::{AuditedTool, Exposure, ToolAudit};
use crate::report::number::{bound, count, figure};
use crate::report::table::layout::{Section, block, blocks};
use crate::report::table::{BOLD, title, wrapped};
use crate::turn::Class;

const NONE: &str = "–";
const COLUMNS: [&str; 5] = ["turns hit", "rate a turn", "95 % interval", "a month", "95 % interval"];

/// The tables of an audit.
#[must_use]
pub fn render(audit: &ToolAudit) -> String {
    let mut text = title(&audit.scenario, &format!("{} turns · seed {}", count(audit.turns), audit.seed));
    let sections: Vec<Section> = audit.tools.iter().map(section).collect();
    for range in blocks(&COLUMNS, &sections) {
        text.push('\n');
        text.push_str(&block(&COLUMNS, &sections, range));
    }
    text.push_str(&format!("\n{BOLD}What each needs{BOLD:#}\n"));
    audit.tools.iter().for_each(|tool| text.push_str(&verdict(tool)));
    text
}

fn section(tool: &AuditedTool) -> Section {
    let mut section = Section::new(&tool.name, format!("{} · {} calls", tool.class, count(tool.calls)));
    let mut line = |label: String, exposure: &Exposure| {
        section.row(label, cells(exposure).into_iter());
    };
    if tool.class == Class::Read {
        section.row("cannot: no effect", std::iter::repeat_n(NONE.to_owned(), COLUMNS.len()));
        return section;
    }
    line("unguarded".to_owned(), &tool.unguarded);
    tool.routes.iter().for_each(|one| line(format!("by {} alone", one.route), &one.exposure));
    tool.own_client.iter().for_each(|exposure| line("by its own client".to_owned(), exposure));
    tool.policies.iter().for_each(|one| line(format!("left by {}", one.policy), &one.exposure));
    section
}

/// Where nothing was seen the intervals are one-sided upper bounds.
fn cells(exposure: &Exposure) -> [String; 5] {
    let none = || NONE.to_owned();
    let interval = |low: f64, high: f64, upper: f64| match exposure.duplicate_turns {
        0 => format!("below {}", bound(upper)),
        _ => format!("{} to {}", figure(low), figure(high)),
    };
    let (rate, month) = (exposure.rate.as_ref(), exposure.month);
    [
        count(exposure.duplicate_turns),
        rate.map_or_else(none, |r| figure(r.per_turn)),
        rate.map_or_else(none, |r| interval(r.low, r.high, r.upper)),
        month.map_or_else(none, |m| figure(m.duplicate_turns)),
        month.map_or_else(none, |m| interval(m.low, m.high, m.upper)),
    ]
}

fn verdict(tool: &AuditedTool) -> String {
    let list = |provides: bool| {
        let of = tool.policies.iter().filter(|one| one.provides == provides).map(|one| one.policy.as_str());
        of.collect::<Vec<_>>()
    };
    let mut text = format!("{} ({}): {}", tool.name, tool.class, tool.needs);
    if tool.class.is_write() {
        let (with, without) = (list(true), list(false));
        if with.is_empty() {
            text.push_str("; no policy of the file provides it");
        } else {
            text.push_str(&format!("; provided by {}", with.join(", ")));
        }
        if !with.is_empty() && !without.is_empty() {
            text.push_str(&format!(", not by {}", without.join(", ")));
        }
    }
    let open = tool.open.iter().map(|open| wrapped("    ", &format!("open: {open}")));
    wrapped("  ", &text) + &open.collect::<String>()
}
