//! What `check` found, as JUnit XML: a suite a scenario, a case a gate. Whatever is not passed is a failure, since
//! readers of this format know no other word that stops a build; its type is the verdict.

use super::data::{CheckReport, Judged, ScenarioCheck, Verdict};
use super::table::{asked, sentence};
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
    let (tests, failures) = counts(report.scenarios.iter().flat_map(|check| &check.gates));
    let suites = writer.create_element("testsuites").with_attribute(("name", "doublefire check"));
    let suites = suites.with_attribute(("tests", tests.as_str())).with_attribute(("failures", failures.as_str()));
    suites.write_inner_content(|writer| report.scenarios.iter().try_for_each(|check| suite(check, writer)))?;
    Ok(())
}

/// How many gates there are, and how many of them did not pass.
fn counts<'a>(gates: impl Iterator<Item = &'a Judged> + Clone) -> (String, String) {
    let failures = gates.clone().filter(|gate| gate.verdict != Verdict::Passed).count();
    (gates.count().to_string(), failures.to_string())
}

fn suite(check: &ScenarioCheck, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let (tests, failures) = counts(check.gates.iter());
    let suite = writer.create_element("testsuite").with_attribute(("name", check.scenario.name.as_str()));
    let suite = suite.with_attribute(("tests", tests.as_str())).with_attribute(("failures", failures.as_str()));
    suite.write_inner_content(|writer| check.gates.iter().try_for_each(|gate| case(check, gate, writer)))?;
    Ok(())
}

fn case(check: &ScenarioCheck, gate: &Judged, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let (name, file, line) = (legible(&asked(gate)), legible(&check.file), gate.line.to_string());
    let case = writer.create_element("testcase").with_attribute(("name", name.as_str()));
    let case = case.with_attribute(("classname", check.scenario.name.as_str()));
    let case = case.with_attribute(("file", file.as_str())).with_attribute(("line", line.as_str()));
    let text = legible(&sentence(gate));
    if gate.verdict == Verdict::Passed {
        case.write_inner_content(|writer| {
            writer.create_element("system-out").write_text_content(BytesText::new(&text)).map(drop)
        })?;
        return Ok(());
    }
    case.write_inner_content(|writer| {
        let failure = writer.create_element("failure").with_attribute(("type", gate.verdict.word()));
        failure.with_attribute(("message", text.as_str())).write_empty().map(drop)
    })?;
    Ok(())
}

/// Without what XML cannot hold, however it is escaped.
fn legible(text: &str) -> String {
    let barred = |c: char| c.is_control() && !['\t', '\n', '\r'].contains(&c) || ['\u{fffe}', '\u{ffff}'].contains(&c);
    text.replace(barred, "\u{fffd}")
}
