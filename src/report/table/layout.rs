//! Sections side by side for all policies, in blocks that keep to the width.

use super::{BOLD, WIDTH};
use anstyle::Style;
use comfy_table::{Cell, CellAlignment, Table, presets};

/// One heading and its rows over all policies.
pub(in crate::report) struct Section {
    pub(in crate::report) heading: String,
    /// Said beside the heading, plainly.
    pub(in crate::report) aside: String,
    pub(in crate::report) rows: Vec<Line>,
}

/// One label and a cell a policy.
pub(in crate::report) struct Line {
    pub(in crate::report) label: String,
    pub(in crate::report) cells: Vec<String>,
    pub(in crate::report) style: Style,
}

impl Section {
    pub(in crate::report) fn new(heading: impl Into<String>, aside: impl Into<String>) -> Self {
        Section { heading: heading.into(), aside: aside.into(), rows: Vec::new() }
    }

    pub(in crate::report) fn row(
        &mut self,
        label: impl Into<String>,
        cells: impl Iterator<Item = String>,
    ) -> &mut Line {
        self.rows.push(Line { label: label.into(), cells: cells.collect(), style: Style::new() });
        self.rows.last_mut().expect("just pushed")
    }
}

/// Policies in order, as many to a block as the width allows, at least one.
pub(in crate::report) fn blocks(names: &[&str], sections: &[Section]) -> Vec<std::ops::Range<usize>> {
    const INDENT: usize = 2;
    let rows = || sections.iter().flat_map(|section| &section.rows);
    let width = |text: &str| text.chars().count();
    let labels = INDENT + rows().map(|row| width(&row.label)).max().unwrap_or(0);
    let columns = names.iter().enumerate().map(|(place, name)| {
        let cells = rows().filter_map(|row| row.cells.get(place)).map(|cell| width(cell));
        2 + cells.chain([width(name)]).max().unwrap_or(0)
    });
    let mut blocks = Vec::new();
    let (mut start, mut used) = (0, labels);
    for (place, column) in columns.enumerate() {
        if used + column > WIDTH && place > start {
            blocks.push(start..place);
            (start, used) = (place, labels);
        }
        used += column;
    }
    blocks.push(start..names.len());
    blocks
}

pub(in crate::report) fn block(names: &[&str], sections: &[Section], policies: std::ops::Range<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let right = |text: &str| Cell::new(text).set_alignment(CellAlignment::Right);
    let cells = |label: &str, cells: &[&str]| {
        std::iter::once(Cell::new(label)).chain(cells.iter().map(|cell| right(cell))).collect::<Vec<_>>()
    };
    table.add_row(cells("", &names[policies.clone()]));
    for row in sections.iter().flat_map(|section| &section.rows) {
        let shown: Vec<&str> = row.cells[policies.clone()].iter().map(String::as_str).collect();
        table.add_row(cells(&row.label, &shown));
    }
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    let mut lines = table.lines();
    let names = lines.next().unwrap_or_default();
    let mut text = format!("{BOLD}{}{BOLD:#}\n", names.trim_end());
    for (place, section) in sections.iter().enumerate() {
        let gap = if place == 0 { "" } else { "\n" };
        let aside = if section.aside.is_empty() { String::new() } else { format!("  {}", section.aside) };
        text.push_str(&format!("{gap}{BOLD}{}{BOLD:#}{aside}\n", section.heading));
        for (row, line) in section.rows.iter().zip(&mut lines) {
            text.push_str(&format!("{}{}{:#}\n", row.style, line.trim_end(), row.style));
        }
    }
    text
}
