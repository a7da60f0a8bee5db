//! `scenarios/README.md`: which file answers which question, and how. `UPDATE_DOCS=1` writes it anew.

use crate::{Played, RUNS};
use doublefire::audit::Tally;
use doublefire::dispatch::rule::Dispatcher;
use doublefire::scenario::EMBEDDED;
use doublefire::stats::{clopper_pearson, clopper_pearson_upper};
use doublefire::turn::Cause;
use std::fmt::Write;

/// The groups of the table, each with the first of its files; the order is the library's.
const GROUPS: [(&str, &str); 5] = [
    ("The main job", "payments"),
    ("The argument for the ledger", "slowest-write"),
    ("What it leaves", "residue-reworded"),
    ("Everything at once", "all-faults-keyed"),
    ("Reported in public", "retry-ladder"),
];

const INTRODUCTION: &str = "\
# Scenarios

Each file opens with the question it answers and says which of its figures are assumed. They are built into the
program: `doublefire scenarios` lists them, `doublefire run NAME` runs one, `doublefire scenarios --write DIR` copies
them out to be changed.

The answers come from running each file as it stands; a test holds them to what the program says. A percentage is the
share of turns with a duplicate, with its 95 % interval; where none was seen, the number in parentheses is the 95 %
upper bound of that share. Behind it may stand how many duplicates such a turn has, their cause, the calls swallowed
(answered with another call's result and never made), and the share of turns that fail where the policies differ in it.
";

/// The names of a group's files.
pub(crate) fn group(title: &str) -> Vec<&'static str> {
    let at = GROUPS.iter().position(|(known, _)| *known == title).expect("a group");
    let end = GROUPS.get(at + 1).map(|(_, first)| *first);
    let names = EMBEDDED.iter().map(|(name, _)| *name);
    names.skip_while(|name| *name != GROUPS[at].1).take_while(|name| Some(*name) != end).collect()
}

#[test]
fn the_table_is_what_the_files_answer() {
    let mut page = INTRODUCTION.to_owned();
    for (title, _) in GROUPS {
        write!(page, "\n## {title}\n\n| question | file | answer |\n| --- | --- | --- |\n").expect("memory");
        for name in group(title) {
            let run = RUNS.iter().find(|run| run.scenario.name == name).expect("it was run");
            let question = question(name);
            writeln!(page, "| {question} | [{name}]({name}.toml) | {} |", answer(run)).expect("memory");
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/README.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
        return;
    }
    let written = std::fs::read_to_string(path).expect("the page is there");
    let differs = written.lines().zip(page.lines()).find(|(written, real)| written != real);
    assert!(written == page, "with UPDATE_DOCS=1 this test rewrites the page; first difference: {differs:#?}");
}

#[test]
fn every_file_is_in_one_group() {
    let grouped: Vec<&str> = GROUPS.iter().flat_map(|(title, _)| group(title)).collect();
    assert_eq!(grouped, EMBEDDED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// The first sentence of the opening comment that is a question.
fn question(name: &str) -> String {
    let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name).expect("embedded");
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    let comment = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let question = comment.split('?').next().expect("a first part");
    format!("{}?", question.rsplit(". ").next().expect("a last sentence"))
}

fn answer(run: &Played) -> String {
    let failed: Vec<f64> = run.tallies.iter().map(|tally| share(tally.failed_turns, tally.turns)).collect();
    let spread = failed.iter().fold(0.0, |most: f64, share| most.max((share - failed[0]).abs()));
    let policies = run.scenario.policies.iter().zip(&run.tallies).zip(failed);
    let answers = policies.map(|((policy, tally), failed)| {
        let mut answer = format!("{} {}", policy.name, duplicates(tally));
        if policy.rules.dispatcher != Dispatcher::Naive && tally.duplicates > 0 {
            write!(answer, ", {}", causes(tally)).expect("memory");
        }
        if tally.duplicates > 0 {
            answer.push_str(&by_tool(run, tally));
        }
        if tally.swallowed > 0 {
            let whose = if tally.crossed > 0 { ", across users" } else { "" };
            let share = share(tally.swallowed, tally.turns);
            write!(answer, ", swallows {} calls in 100 turns{whose}", digits(100.0 * share)).expect("memory");
        }
        if spread > 0.005 {
            write!(answer, ", {} % fail", digits(100.0 * failed)).expect("memory");
        }
        answer
    });
    answers.collect::<Vec<_>>().join("; ")
}

/// `3.04 % of turns (2.89 to 3.19)` or `0 (below 6.0e-5)`.
fn duplicates(tally: &Tally) -> String {
    let (n, seen) = (tally.turns, tally.duplicate_turns);
    if seen == 0 {
        return format!("0 (below {})", bound(clopper_pearson_upper(0, n, 0.95)));
    }
    let (low, high) = clopper_pearson(seen, n, 0.95);
    let [rate, low, high] = [share(seen, n), low, high].map(|share| digits(100.0 * share));
    let each = share(tally.duplicates, seen);
    let each = if each > 1.02 { format!(", {each:.2} in each") } else { String::new() };
    format!("{rate} % of turns ({low} to {high}){each}")
}

/// Two digits, never rounded down: a bound must not promise more than was seen.
fn bound(upper: f64) -> String {
    let nearest = format!("{upper:.1e}");
    let (_, exponent) = nearest.split_once('e').expect("the format of {:e}");
    let read: f64 = nearest.parse().expect("a number");
    let half: f64 = format!("0.05e{exponent}").parse().expect("a number");
    if read >= upper { nearest } else { format!("{:.1e}", upper + half) }
}

fn causes(tally: &Tally) -> String {
    let seen = Cause::ALL.iter().filter(|cause| tally.causes[cause.index()] > 0);
    seen.map(|cause| cause.name().replace('_', " ")).collect::<Vec<_>>().join(" and ")
}

/// Where several tools write: which share of the effects of each were duplicates.
fn by_tool(run: &Played, tally: &Tally) -> String {
    let writes = run.scenario.tools.iter().zip(&tally.tools).filter(|(tool, _)| tool.class.is_write());
    let shares: Vec<String> = writes
        .map(|(tool, count)| format!("{} {} %", tool.name, digits(100.0 * share(count.duplicates, count.effects))))
        .collect();
    if shares.len() < 2 { String::new() } else { format!(" (of all effects: {})", shares.join(", ")) }
}

fn share(part: u64, of: u64) -> f64 {
    part as f64 / of as f64
}

/// Three digits.
fn digits(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v < 0.1 => format!("{v:.4}"),
        v if v < 1.0 => format!("{v:.3}"),
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 1000.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}
