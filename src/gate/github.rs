//! What `check` found, as GitHub Actions reads it: workflow commands that annotate lines of the scenario, and
//! Markdown for the job's summary.

use super::data::{CheckReport, Judged, ScenarioCheck, Verdict};
use super::table::{compared, sentence, totals};

/// One `::error` a gate that did not pass, at its line in the file.
#[must_use]
pub fn annotations(report: &CheckReport) -> String {
    let not_passed = |check: &ScenarioCheck, gate: &Judged| {
        let place = match is_file(&check.file) {
            true => format!("file={},line={},", property(&check.file), gate.line),
            false => String::new(),
        };
        let title = property(&format!("{} gate {}", check.scenario.name, gate.verdict.word()));
        format!("::error {place}title={title}::{}\n", data(&sentence(gate)))
    };
    let mut text = String::new();
    for check in &report.scenarios {
        let gates = check.gates.iter().filter(|gate| gate.verdict != Verdict::Passed);
        text.extend(gates.map(|gate| not_passed(check, gate)));
        let moved = check.baseline.iter().filter(|baseline| baseline.verdict() != Verdict::Passed);
        let title = property(&format!("{} moved from its baseline", check.scenario.name));
        text.extend(moved.map(|baseline| format!("::error title={title}::{}\n", data(&compared(baseline)))));
    }
    text
}

/// A heading, the totals and a table of all gates.
#[must_use]
pub fn summary(report: &CheckReport) -> String {
    let mut text =
        format!("### doublefire check\n\n{}\n\n| scenario | gate | verdict |\n| --- | --- | --- |\n", totals(report));
    let row = |cells: [&str; 3]| format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    for check in &report.scenarios {
        let name = check.scenario.name.as_str();
        text.extend(check.gates.iter().map(|gate| row([name, &sentence(gate), gate.verdict.word()])));
        text.extend(check.baseline.iter().map(|baseline| row([name, &compared(baseline), baseline.verdict().word()])));
    }
    text.push('\n');
    text
}

/// Whether messages name a file that a reader can open, and not standard input or a built-in scenario.
fn is_file(origin: &str) -> bool {
    !(origin.starts_with('<') || origin.starts_with("--set") || origin.ends_with(" (built in)"))
}

/// The text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_a_workflow_command_early() {
        assert_eq!(data("50% of\r\nturns, as: seen"), "50%25 of%0D%0Aturns, as: seen");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }

    #[test]
    fn only_files_are_annotated_at_a_line() {
        assert!(is_file("ci/payments.toml"));
        assert!(!is_file("<stdin>") && !is_file("payments.toml (built in)") && !is_file("--set gate.0.max=1"));
    }
}
