//! Sentences that page and Markdown share.

use crate::report::Report;
use crate::report::caveats::advice;
use crate::report::number::count;

pub(super) const EXPOSURE: &str = "Share of the window: each second of open stream after a turn's first dispatch belongs \
    to the call that was dispatched last, weighted by the hazard's multiplier m of its phase. With Eᵢ = Σ over shapes \
    of weight × Σ over its calls of tool i of (m × mean run + Σ m × mean length of what streams until the next dispatch \
    or the end of the turn), it is Eᵢ ÷ Σ E.";

pub(super) const AGREEMENT: &str = "The exact figure is derived from the scenario without the simulation; the two share \
    no code above the distributions. The z-score is their distance in standard errors.";

pub(super) const NO_CAVEAT: &str = "None: the estimates leave out nothing of this scenario, there are enough events, and \
    the dangers that the policies are there for were met.";

pub(super) const EXPLAIN: &str = "Any of the turns counted here can be read event by event, for example the first with a \
    duplicate:";

/// That there are caveats, with the word that leads to them between `open` and `close`; None where there are none.
pub(super) fn see_caveats(report: &Report, open: &str, close: &str) -> Option<String> {
    match advice(report).len() {
        0 => None,
        1 => Some(format!("Read this with {open}the caveat{close} below.")),
        several => Some(format!("Read this with {open}the {several} caveats{close} below.")),
    }
}

/// What identifies the run, before the values of the scenario.
pub(super) fn identity(report: &Report) -> Vec<(String, String)> {
    let id = &report.scenario;
    let mut rows = vec![
        ("doublefire".to_owned(), report.version.clone()),
        ("scenario file, SHA-256".to_owned(), id.sha256.clone()),
        ("turns".to_owned(), count(report.turns)),
        ("seed".to_owned(), report.seed.to_string()),
    ];
    rows.extend(id.files.iter().map(|file| (format!("{}, SHA-256", file.path), file.sha256.clone())));
    rows.extend(id.set.iter().map(|set| ("--set".to_owned(), set.clone())));
    rows
}

/// The command that shows the first turn of a kind: the run's own, with another verb and without its folder.
pub(super) fn explain(report: &Report) -> String {
    let command = report.command.replacen("doublefire run ", "doublefire explain ", 1);
    let command = command.strip_suffix(" --output output").unwrap_or(&command);
    format!("{command} --find duplicate")
}
