//! What `check` found, as GitHub Actions reads it: workflow commands that annotate lines of the scenario, and
//! Markdown for the job's summary.

use super::data::{CheckReport, Judged, ScenarioCheck, Verdict};
use super::table::{sentence, totals};

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
    let scenarios = report.scenarios.iter();
    scenarios
        .flat_map(|check| check.gates.iter().map(move |gate| (check, gate)))
        .filter(|(_, gate)| gate.verdict != Verdict::Passed)
        .map(|(check, gate)| not_passed(check, gate))
        .collect()
}

/// A heading, the totals and a table of all gates.
#[must_use]
pub fn summary(report: &CheckReport) -> String {
    let mut text =
        format!("### doublefire check\n\n{}\n\n| scenario | gate | verdict |\n| --- | --- | --- |\n", totals(report));
    for check in &report.scenarios {
        for gate in &check.gates {
            let cells =
                [&check.scenario.name, &sentence(gate), gate.verdict.word()].map(|cell: &str| cell.replace('|', "\\|"));
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
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
