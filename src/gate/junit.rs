//! What `check` found, as JUnit XML: a suite a scenario, a case a gate. Whatever is not passed is a failure, since
//! readers of this format know no other word that stops a build; its type is the verdict.

use super::data::{CheckReport, Judged, ScenarioCheck, Verdict};
use super::table::{asked, compared, sentence};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// One XML document.
#[must_use]
pub fn render(report: &CheckReport) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    document(report, &mut writer).expect("memory takes everything");
    let mut text = String::from_utf8(writer.into_inner()).expect("XML is UTF-8");
    text.push('\n');
    text
}

fn document(report: &CheckReport, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all: Vec<Case> = report.scenarios.iter().flat_map(cases).collect();
    let (tests, failures) = counts(&all);
    let suites = writer.create_element("testsuites").with_attribute(("name", "doublefire check"));
    let suites = suites.with_attribute(("tests", tests.as_str())).with_attribute(("failures", failures.as_str()));
    suites.write_inner_content(|writer| report.scenarios.iter().try_for_each(|check| suite(check, writer)))?;
    Ok(())
}

/// One thing that was asserted.
struct Case {
    name: String,
    line: Option<usize>,
    verdict: Verdict,
    text: String,
}

fn cases(check: &ScenarioCheck) -> Vec<Case> {
    let gate =
        |gate: &Judged| Case { name: asked(gate), line: Some(gate.line), verdict: gate.verdict, text: sentence(gate) };
    let baseline = check.baseline.iter().map(|baseline| Case {
        name: "baseline".to_owned(),
        line: None,
        verdict: baseline.verdict(),
        text: compared(baseline),
    });
    check.gates.iter().map(gate).chain(baseline).collect()
}

/// How many cases there are, and how many of them did not pass.
fn counts(cases: &[Case]) -> (String, String) {
    let failures = cases.iter().filter(|case| case.verdict != Verdict::Passed).count();
    (cases.len().to_string(), failures.to_string())
}

fn suite(check: &ScenarioCheck, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let cases = cases(check);
    let (tests, failures) = counts(&cases);
    let suite = writer.create_element("testsuite").with_attribute(("name", check.scenario.name.as_str()));
    let suite = suite.with_attribute(("tests", tests.as_str())).with_attribute(("failures", failures.as_str()));
    suite.write_inner_content(|writer| cases.iter().try_for_each(|case| write_case(check, case, writer)))?;
    Ok(())
}

fn write_case(check: &ScenarioCheck, case: &Case, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let (name, file, text) = (legible(&case.name), legible(&check.file), legible(&case.text));
    let mut element = writer.create_element("testcase").with_attribute(("name", name.as_str()));
    element = element.with_attribute(("classname", check.scenario.name.as_str()));
    element = element.with_attribute(("file", file.as_str()));
    let line = case.line.map(|line| line.to_string());
    if let Some(line) = &line {
        element = element.with_attribute(("line", line.as_str()));
    }
    element.write_inner_content(|writer| {
        if case.verdict == Verdict::Passed {
            writer.create_element("system-out").write_text_content(BytesText::new(&text))?;
        } else {
            let failure = writer.create_element("failure").with_attribute(("type", case.verdict.word()));
            failure.with_attribute(("message", text.as_str())).write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Without what XML cannot hold, however it is escaped.
fn legible(text: &str) -> String {
    let barred = |c: char| c.is_control() && !['\t', '\n', '\r'].contains(&c) || ['\u{fffe}', '\u{ffff}'].contains(&c);
    text.replace(barred, "\u{fffd}")
}
