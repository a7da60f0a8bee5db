//! A report as Markdown, for pull requests and wikis; its plots are the files beside it.

use super::answer::answer;
use super::content::{self, Table};
use super::{parts, source};
use crate::plot::Plot;
use crate::report::markup::in_markdown;
use crate::report::number::count;
use crate::report::{Report, caveats};

/// The text of `report.md`.
#[must_use]
pub fn render(report: &Report, plots: &[Plot]) -> String {
    let id = &report.scenario;
    let mut text = format!(
        "# {}\n\n{} · {} turns · seed {} · doublefire {}\n\n> {}\n",
        in_markdown(&id.title),
        in_markdown(&id.name),
        count(report.turns),
        report.seed,
        report.version,
        in_markdown(&answer(report))
    );
    if let Some(sentence) = parts::see_caveats(report, "[", "](#caveats)") {
        text += &format!("\n{sentence}\n");
    }
    text += "\n## Figures\n\nV is the number of turns a month. Intervals and bounds are at 95 %; a zero always stands \
             with the bound that it proves.\n\n";
    text += &table(&content::figures(report), "", true);
    let tools = content::tools(report);
    if !tools.rows.is_empty() {
        text += &format!("\n### By tool\n\n{}\n{}\n", table(&tools, "tool", false), in_markdown(parts::EXPOSURE));
    }
    text += &format!(
        "\n## Where the number comes from\n\n{}\n\n{}\n\n{}",
        in_markdown(&source::headline(report).plain()),
        parts::AGREEMENT,
        table(&source::agreement(report), "policy", true)
    );
    text += &pictures(plots);
    text += &assumptions(report);
    text += &limits(report);
    text + &format!(
        "\n## The same again\n\nThe same file, seed and turns give the same bytes anywhere:\n\n{}\n{}\n\n{}",
        block(&report.command),
        parts::EXPLAIN,
        block(&parts::explain(report))
    )
}

fn pictures(plots: &[Plot]) -> String {
    let mut text = "\n## Plots\n".to_owned();
    for plot in plots {
        let (name, title) = (plot.name, in_markdown(&plot.title));
        text += &match &plot.picture {
            Ok(_) => format!("\n![{title}](plots/{name}.png)\n\n{}\n", in_markdown(&plot.caption)),
            Err(why) => format!("\n**{title}**: left out. {}\n", in_markdown(why)),
        };
    }
    text
}

fn assumptions(report: &Report) -> String {
    let mut text = "\n## What these figures assume\n\nEvery value of the scenario, by its path; what is not given has \
                    the default of docs/scenario.md.\n\n| key | value |\n| --- | --- |\n"
        .to_owned();
    let values = report.assumptions.iter().map(|assumption| (assumption.path.clone(), assumption.value.clone()));
    for (name, value) in parts::identity(report).into_iter().chain(values) {
        text += &format!("| {} | {} |\n", in_markdown(&name), in_markdown(&value));
    }
    text
}

fn limits(report: &Report) -> String {
    let advice = caveats::advice(report);
    let mut text = "\n## Caveats\n\n".to_owned();
    if advice.is_empty() {
        return text + parts::NO_CAVEAT + "\n";
    }
    advice.iter().for_each(|(_, words)| text += &format!("- {}\n", in_markdown(words)));
    text
}

/// A table; formulas have a column of their own at the end where there are any.
fn table(table: &Table, corner: &str, formulas: bool) -> String {
    let columns = table.columns.iter().map(|column| in_markdown(column));
    let columns: Vec<String> = columns.chain(formulas.then(|| "how".to_owned())).collect();
    let words = |column: usize| formulas && column + 1 == columns.len();
    let rules: String = (0..columns.len()).map(|column| if words(column) { " --- |" } else { " ---: |" }).collect();
    let mut text = format!("| {corner} | {} |\n| --- |{rules}\n", columns.join(" | "));
    for row in &table.rows {
        let cells = row.cells.iter().map(|cell| in_markdown(&cell.plain()));
        let cells: Vec<String> = cells.chain(formulas.then(|| in_markdown(&row.formula))).collect();
        text += &format!("| {} | {} |\n", in_markdown(&row.label), cells.join(" | "));
    }
    text
}

/// A block of code that nothing in `text` ends.
fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{}\n{fence}\n", text.replace(['\n', '\r'], " "))
}
