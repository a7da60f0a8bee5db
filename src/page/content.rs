//! What a report says to people, in order, with every figure beside its place in the JSON: drawn as HTML and as
//! Markdown.

use crate::report::number::{bound, bound_percent, count, figure, money, percent};
use crate::report::{Cost, Month, PolicyReport, Rate, Report};

/// A piece of a cell or sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// A figure as people read it, with the JSON pointer to it and its digits there.
    Figure {
        pointer: String,
        digits: String,
        text: String,
    },
}

/// What stands in one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cell(pub(super) Vec<Part>);

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Cell {
        Cell(vec![Part::Text(text.into())])
    }

    pub(super) fn none() -> Cell {
        Cell::text("–")
    }

    pub(super) fn count(pointer: &str, value: u64) -> Cell {
        Cell::default().and(pointer, value.to_string(), count(value))
    }

    pub(super) fn number(pointer: &str, value: f64, text: impl Into<String>) -> Cell {
        Cell::default().and(pointer, digits(value), text.into())
    }

    /// A cell with text after what it holds.
    pub(super) fn then(mut self, text: &str) -> Cell {
        self.0.push(Part::Text(text.to_owned()));
        self
    }

    /// A cell with a figure after what it holds.
    pub(super) fn with(self, pointer: &str, value: f64, text: impl Into<String>) -> Cell {
        self.and(pointer, digits(value), text.into())
    }

    fn and(mut self, pointer: &str, digits: String, text: String) -> Cell {
        self.0.push(Part::Figure { pointer: pointer.to_owned(), digits, text });
        self
    }

    /// As plain text.
    pub(super) fn plain(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) | Part::Figure { text, .. } => text.clone(),
        };
        self.0.iter().map(part).collect()
    }
}

/// The digits of a number in JSON.
fn digits(value: f64) -> String {
    serde_json::to_string(&value).expect("a number is JSON")
}

/// One line of a table: what it is, how it is computed, and a cell a column.
pub(super) struct Row {
    pub(super) label: String,
    pub(super) formula: String,
    pub(super) cells: Vec<Cell>,
}

/// A table with the names of its columns.
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// The figures of every policy side by side.
pub(super) fn figures(report: &Report) -> Table {
    let mut table = Table { columns: report.policies.iter().map(|p| p.name.clone()).collect(), rows: Vec::new() };
    counts(&mut table, report);
    rates(&mut table, report);
    months(&mut table, report);
    if report.policies.iter().any(|policy| cost(policy).is_some()) {
        costs(&mut table, report);
    }
    others(&mut table, report);
    table
}

impl Table {
    fn row(&mut self, report: &Report, label: &str, formula: &str, cell: impl Fn(&str, &PolicyReport) -> Cell) {
        let cells = report.policies.iter().enumerate();
        let cells = cells.map(|(index, policy)| cell(&format!("/policies/{index}"), policy)).collect();
        self.rows.push(Row { label: label.to_owned(), formula: formula.to_owned(), cells });
    }

    fn counted(&mut self, report: &Report, label: &str, formula: &str, field: &str, of: fn(&PolicyReport) -> u64) {
        if report.policies.iter().any(|policy| of(policy) > 0) {
            self.row(report, label, formula, |at, policy| Cell::count(&format!("{at}/{field}"), of(policy)));
        }
    }
}

fn counts(table: &mut Table, report: &Report) {
    table.row(report, "turns", "resolved in the run", |at, policy| Cell::count(&format!("{at}/turns"), policy.turns));
    table.row(report, "turns with a duplicate", "at least one intent had more than one effect", |at, policy| {
        Cell::count(&format!("{at}/duplicate_turns"), policy.duplicate_turns)
    });
    if report.policies.iter().any(|policy| policy.duplicates != policy.duplicate_turns) {
        table.row(report, "duplicate effects", "effects of an intent after its first", |at, policy| {
            Cell::count(&format!("{at}/duplicates"), policy.duplicates)
        });
    }
}

fn rates(table: &mut Table, report: &Report) {
    let rate = |at: &str, rate: Option<&Rate>, cell: &dyn Fn(&str, &Rate) -> Cell| {
        rate.map_or_else(Cell::none, |rate| cell(&format!("{at}/rate"), rate))
    };
    table.row(report, "rate a turn", "turns with a duplicate ÷ turns", |at, policy| {
        rate(at, policy.rate.as_ref(), &|at, rate| {
            let per_turn = format!("{at}/per_turn");
            if rate.per_turn > 0.0 {
                Cell::number(&per_turn, rate.per_turn, figure(rate.per_turn))
            } else {
                let zero = Cell::number(&per_turn, rate.per_turn, "0").then(" (below ");
                zero.with(&format!("{at}/upper"), rate.upper, bound(rate.upper)).then(")")
            }
        })
    });
    table.row(
        report,
        "95 % interval",
        "Clopper–Pearson, two-sided; the bound of a zero is one-sided",
        |at, policy| {
            rate(at, policy.rate.as_ref(), &|at, rate| match rate.per_turn {
                0.0 => Cell::none(),
                _ => {
                    let low = Cell::number(&format!("{at}/low"), rate.low, figure(rate.low)).then(" to ");
                    low.with(&format!("{at}/high"), rate.high, figure(rate.high))
                }
            })
        },
    );
}

fn months(table: &mut Table, report: &Report) {
    let month = |at: &str, policy: &PolicyReport, cell: &dyn Fn(&str, &Month, &Rate) -> Cell| {
        let (month, rate) = (policy.volume.as_ref(), policy.rate.as_ref());
        month.zip(rate).map_or_else(Cell::none, |(month, rate)| cell(&format!("{at}/volume"), month, rate))
    };
    let Some(turns) = report.policies.iter().find_map(|policy| policy.volume.as_ref()).map(|month| month.turns) else {
        return;
    };
    let label = format!("duplicates a month of {} turns", figure(turns));
    table.row(report, &label, "V × duplicate effects ÷ turns", |at, policy| {
        month(at, policy, &|at, month, _| match (month.bounds, month.duplicates) {
            (Some(bounds), 0.0) => {
                let zero = Cell::number(&format!("{at}/duplicates"), 0.0, "0").then(" (turns with one: below ");
                let upper = bounds.duplicate_turns_upper;
                zero.with(&format!("{at}/bounds/duplicate_turns_upper"), upper, bound(upper)).then(")")
            }
            _ => Cell::number(&format!("{at}/duplicates"), month.duplicates, figure(month.duplicates)),
        })
    });
    table.row(report, "95 % interval, turns with one", "V × the interval of the rate", |at, policy| {
        month(at, policy, &|at, month, rate| match month.bounds.filter(|_| rate.per_turn > 0.0) {
            None => Cell::none(),
            Some(bounds) => {
                let at = format!("{at}/bounds/duplicate_turns_");
                let (low, high) = (bounds.duplicate_turns_low, bounds.duplicate_turns_high);
                let cell = Cell::number(&format!("{at}low"), low, figure(low)).then(" to ");
                cell.with(&format!("{at}high"), high, figure(high))
            }
        })
    });
    table.row(report, "chance of at least one", "1 − (1 − rate)^V", |at, policy| {
        month(at, policy, &|at, month, rate| {
            let upper = month.bounds.and_then(|bounds| bounds.at_least_one_upper);
            match (month.at_least_one, upper) {
                (Some(chance), Some(upper)) if rate.per_turn == 0.0 => {
                    let zero = Cell::number(&format!("{at}/at_least_one"), chance, "0").then(" (below ");
                    let pointer = format!("{at}/bounds/at_least_one_upper");
                    zero.with(&pointer, upper, bound_percent(upper)).then(")")
                }
                (Some(chance), _) => Cell::number(&format!("{at}/at_least_one"), chance, percent(chance)),
                (None, _) => Cell::text("not projected"),
            }
        })
    });
}

fn cost(policy: &PolicyReport) -> Option<&Cost> {
    policy.volume.as_ref()?.cost.as_ref()
}

fn costs(table: &mut Table, report: &Report) {
    type Of = fn(&Cost) -> Option<f64>;
    let median = "duplicate turns are Poisson, each duplicate an independent draw of its tool's cost";
    let rows: [(&str, &str, &str, Of); 4] = [
        ("cost of a month, mean", "V × Σ over tools of duplicates a turn × mean cost", "mean", |c| c.mean),
        ("cost, median month", median, "p50", |c| c.p50),
        ("cost, one month in 20", "its 95 % quantile", "p95", |c| c.p95),
        ("cost, one month in 100", "its 99 % quantile", "p99", |c| c.p99),
    ];
    for (label, formula, field, of) in rows {
        table.row(report, label, formula, |at, policy| {
            let Some((cost, amount)) = cost(policy).and_then(|cost| Some((cost, of(cost)?))) else {
                return Cell::none();
            };
            let cell = Cell::number(&format!("{at}/volume/cost/{field}"), amount, money(&cost.currency, amount));
            match policy.volume.as_ref().and_then(|month| month.bounds).filter(|_| policy.duplicates == 0) {
                None => cell,
                Some(bounds) => {
                    let (at, upper) =
                        (format!("{at}/volume/bounds/duplicate_turns_upper"), bounds.duplicate_turns_upper);
                    cell.then(" (turns with one: below ").with(&at, upper, bound(upper)).then(")")
                }
            }
        });
    }
}

fn others(table: &mut Table, report: &Report) {
    type Of = fn(&PolicyReport) -> u64;
    let rows: [(&str, &str, &str, Of); 9] = [
        ("swallowed", "write intents answered with another intent's result, without an effect", "swallowed", |p| {
            p.swallowed
        }),
        ("crossed", "those of them answered with another conversation's", "crossed", |p| p.crossed),
        ("unserved", "write intents of committed turns without effect or result", "unserved", |p| p.unserved),
        ("stuck rows", "in flight at the end", "stuck", |p| p.stuck),
        ("conflicts", "calls that found a row of an earlier one", "conflicts", |p| p.conflicts),
        ("cuts", "attempts whose stream was cut and noticed", "cuts", |p| p.cuts),
        ("crashes", "attempts whose process died", "crashes", |p| p.crashes),
        ("attempts", "a turn's first one and its replays", "attempts", |p| p.attempts),
        ("failed turns", "never committed", "failed_turns", |p| p.failed_turns),
    ];
    for (label, formula, field, of) in rows {
        table.counted(report, label, formula, field, of);
    }
}

/// Each tool: what it is, how long it runs, its share of the window, its duplicates by policy.
pub(super) fn tools(report: &Report) -> Table {
    let mut columns = vec!["class".to_owned(), "mean run".to_owned(), "share of the window".to_owned()];
    columns.extend(report.policies.iter().map(|policy| format!("duplicates: {}", policy.name)));
    let row = |(index, tool): (usize, &crate::report::series::ToolAnatomy)| {
        let at = format!("/series/anatomy/tools/{index}");
        let share = tool.exposure_share;
        let mut cells = vec![
            Cell::text(tool.class.name().replace('_', " ")),
            Cell::text(tool.run.mean_ns.map_or("infinite".to_owned(), |ns| crate::report::number::time(ns.into()))),
            share.map_or_else(Cell::none, |share| Cell::number(&format!("{at}/exposure_share"), share, percent(share))),
        ];
        for (policy, counts) in report.policies.iter().enumerate() {
            let place = counts.tools.iter().position(|counted| counted.name == tool.name);
            cells.push(place.map_or_else(Cell::none, |place| {
                Cell::count(&format!("/policies/{policy}/tools/{place}/duplicates"), counts.tools[place].duplicates)
            }));
        }
        Row { label: tool.name.clone(), formula: String::new(), cells }
    };
    Table { columns, rows: report.series.anatomy.tools.iter().enumerate().map(row).collect() }
}
