//! A report as one page that needs nothing beside it: no script, no request to anywhere.

use super::answer::answer;
use super::content::{self, Cell, Part, Row, Table};
use super::{parts, source};
use crate::plot::{Plot, svg};
use crate::report::markup::escaped;
use crate::report::number::count;
use crate::report::{Report, caveats};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// The page.
#[must_use]
pub fn render(report: &Report, plots: &[Plot]) -> String {
    let title = escaped(&report.scenario.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title} · doublefire</title>\n<style>\n{STYLE}{}\n\
         </style>\n</head>\n<body>\n<main>\n",
        plot_style()
    );
    page += &head(report);
    page += &figures(report);
    page += &derivation(report);
    page += &pictures(plots);
    page += &assumptions(report);
    page += &limits(report);
    page + &again(report) + "</main>\n</body>\n</html>\n"
}

/// Colours of plots: those of a light page, in the dark others, on paper the first again.
fn plot_style() -> String {
    let (light, dark) = (svg::page_style(false), svg::page_style(true));
    let font = svg::font_face();
    format!("{font}\n{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}")
}

fn head(report: &Report) -> String {
    let about = format!(
        "{} · {} turns · seed {} · doublefire {}",
        report.scenario.name,
        count(report.turns),
        report.seed,
        report.version
    );
    let mut head =
        format!("<h1>{}</h1>\n<p class=\"about\">{}</p>\n", escaped(&report.scenario.title), escaped(&about));
    head += &format!("<p class=\"answer\">{}</p>\n", escaped(&answer(report)));
    if let Some(sentence) = parts::see_caveats(report, "<a href=\"#caveats\">", "</a>") {
        head += &format!("<p class=\"note\">{sentence}</p>\n");
    }
    head
}

fn figures(report: &Report) -> String {
    let mut text = "<h2>Figures</h2>\n".to_owned();
    text += "<p class=\"note\">V is the number of turns a month. Intervals and bounds are at 95 %; a zero always stands \
             with the bound that it proves.</p>\n";
    text += &table(&content::figures(report), "", |_| "");
    let tools = content::tools(report);
    if !tools.rows.is_empty() {
        text += "<h3>By tool</h3>\n";
        text += &table(&tools, "tool", |column| if column == 0 { "word" } else { "" });
        text += &format!("<p class=\"note small\">{}</p>\n", escaped(parts::EXPOSURE));
    }
    text
}

fn derivation(report: &Report) -> String {
    let mut text = "<h2>Where the number comes from</h2>\n".to_owned();
    text += &format!("<p>{}</p>\n", cell(&source::headline(report)));
    text += &format!("<p>{}</p>\n", escaped(parts::AGREEMENT));
    text += &table(&source::agreement(report), "policy", |column| match column {
        3 => "word",
        _ => "",
    });
    text
}

fn pictures(plots: &[Plot]) -> String {
    let mut text = "<h2>Plots</h2>\n".to_owned();
    for plot in plots {
        let (title, caption) = (escaped(&plot.title), escaped(&plot.caption));
        text += &match &plot.picture {
            Ok(picture) => format!(
                "<figure id=\"plot-{}\">\n<div class=\"scroll\">\n{}</div>\n<figcaption>{caption}</figcaption>\n</figure>\n",
                plot.name,
                svg::inline(picture, &plot.title)
            ),
            Err(why) => format!("<p id=\"plot-{}\"><b>{title}</b>: left out. {}</p>\n", plot.name, escaped(why)),
        };
    }
    text
}

fn assumptions(report: &Report) -> String {
    let mut text = "<h2>What these figures assume</h2>\n".to_owned();
    text += "<p>Every value of the scenario, by its path; what is not given has the default of docs/scenario.md.</p>\n";
    text += "<div class=\"scroll\">\n<table class=\"values\">\n<tbody>\n";
    for (name, value) in parts::identity(report) {
        write_value(&mut text, &name, &value);
    }
    for assumption in &report.assumptions {
        write_value(&mut text, &assumption.path, &assumption.value);
    }
    text + "</tbody>\n</table>\n</div>\n"
}

fn write_value(text: &mut String, name: &str, value: &str) {
    let (name, value) = (breakable(name).replace('.', ".<wbr>"), escaped(value));
    writeln!(text, "<tr><th scope=\"row\"><code>{name}</code></th><td>{value}</td></tr>").expect("a string takes it");
}

fn limits(report: &Report) -> String {
    let mut text = "<h2 id=\"caveats\">Caveats</h2>\n".to_owned();
    let advice = caveats::advice(report);
    if advice.is_empty() {
        return text + &format!("<p>{}</p>\n", escaped(parts::NO_CAVEAT));
    }
    text += "<ul>\n";
    for (caveat, words) in advice {
        text += &format!("<li data-caveat=\"{}\">{}</li>\n", caveat, escaped(&words));
    }
    text + "</ul>\n"
}

fn again(report: &Report) -> String {
    format!(
        "<h2>The same again</h2>\n<p>The same file, seed and turns give the same bytes anywhere:</p>\n<pre>{}</pre>\n\
         <p>{}</p>\n<pre>{}</pre>\n",
        escaped(&report.command),
        escaped(parts::EXPLAIN),
        escaped(&parts::explain(report))
    )
}

/// A table; `class` gives the class of a column's cells.
fn table(table: &Table, corner: &str, class: impl Fn(usize) -> &'static str) -> String {
    let mut text = format!("<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">{}</th>", escaped(corner));
    for (index, column) in table.columns.iter().enumerate() {
        text += &format!("<th scope=\"col\"{}>{}</th>", left(class(index)), breakable(column));
    }
    text += "</tr></thead>\n<tbody>\n";
    for Row { label, formula, cells } in &table.rows {
        let formula = match formula.as_str() {
            "" => String::new(),
            formula => format!("<span class=\"formula\">{}</span>", escaped(formula)),
        };
        text += &format!("<tr><th scope=\"row\">{}{formula}</th>", breakable(label));
        for (index, content) in cells.iter().enumerate() {
            let class = match class(index) {
                "" => String::new(),
                class => format!(" class=\"{class}\""),
            };
            text += &format!("<td{class}>{}</td>", cell(content));
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n</table>\n</div>\n"
}

/// A name that may be broken where its words are.
fn breakable(name: &str) -> String {
    escaped(name).replace('_', "_<wbr>")
}

/// Columns of words are headed at their left.
fn left(class: &str) -> &'static str {
    if class.is_empty() { "" } else { " style=\"text-align:left\"" }
}

/// Every figure carries its place in `summary.json` and its digits there.
fn cell(cell: &Cell) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => escaped(text),
        Part::Figure { pointer, digits, text } => {
            format!("<data value=\"{digits}\" data-at=\"{}\">{}</data>", escaped(pointer), escaped(text))
        }
    };
    cell.0.iter().map(part).collect()
}
