//! A sequence as text: a line a message, at most [`WIDTH`] columns wide.

use super::{Line, Mark, Party, Row, Sequence, broken};
use crate::report::table::{BOLD, WIDTH};
use anstyle::{AnsiColor, Style};

const DIM: Style = Style::new().dimmed();
const ALARM: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const AGAIN: Style = AnsiColor::Yellow.on_default();

/// Columns of the party names: `downstream → handler`.
const PARTIES: usize = 20;

/// The sequence with its title and what it comes to.
#[must_use]
pub fn render(sequence: &Sequence) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}\n", broken(&sequence.title, WIDTH).join("\n"));
    for line in sequence.subtitle.iter().flat_map(|line| broken(line, WIDTH)) {
        text += &format!("{line}\n");
    }
    text.push('\n');
    let widths = Widths::of(sequence);
    for row in &sequence.rows {
        match row {
            Row::Heading(heading) => text += &format!("\n{BOLD}{}{BOLD:#}\n", broken(heading, WIDTH).join("\n")),
            Row::Line(line) => text += &widths.line(line),
        }
    }
    for (heading, lines) in &sequence.closing {
        text += &format!("\n{BOLD}{heading}{BOLD:#}\n");
        for line in lines {
            let pieces = broken(line, WIDTH - 4);
            text += &pieces
                .iter()
                .enumerate()
                .map(|(i, p)| format!("{}{p}\n", if i == 0 { "  " } else { "    " }))
                .collect::<String>();
        }
    }
    text
}

struct Widths {
    time: usize,
    tag: usize,
}

impl Widths {
    fn of(sequence: &Sequence) -> Self {
        let lines = || sequence.rows.iter().filter_map(|row| if let Row::Line(line) = row { Some(line) } else { None });
        let width = |text: fn(&Line) -> &str| lines().map(|line| text(line).chars().count()).max().unwrap_or(0);
        Widths { time: width(|line| &line.time), tag: width(|line| &line.tag) }
    }

    fn line(&self, line: &Line) -> String {
        let (sign, style) = match line.mark {
            Mark::Plain => (" ", Style::new()),
            Mark::Effect => ("*", Style::new().bold()),
            Mark::Duplicate => ("!", ALARM),
            Mark::Cut | Mark::Crash => ("✕", ALARM),
            Mark::Replay => ("↻", AGAIN),
            Mark::Trouble => ("-", AGAIN),
            Mark::Done => ("=", GOOD),
        };
        let apart = if self.time > 0 { "  " } else { "" };
        let head = format!("{sign} {:>1$}{apart}{2:<3$}", line.time, self.time, line.tag, self.tag);
        let gap = if self.tag > 0 { "  " } else { "" };
        let head = format!("{head}{gap}{:<PARTIES$}  ", parties(line.from, line.to));
        let indent = head.chars().count();
        let room = WIDTH.saturating_sub(indent).max(24);
        let mut text = String::new();
        for (i, piece) in broken(&line.what, room).iter().enumerate() {
            let margin = if i == 0 { head.clone() } else { " ".repeat(indent) };
            text += &format!("{margin}{style}{piece}{style:#}\n");
        }
        for piece in broken(&line.aside, room.saturating_sub(2)) {
            text += &format!("{}{DIM}{piece}{DIM:#}\n", " ".repeat(indent + 2));
        }
        text
    }
}

fn parties(from: Party, to: Party) -> String {
    if from == to { from.to_string() } else { format!("{from} → {to}") }
}
