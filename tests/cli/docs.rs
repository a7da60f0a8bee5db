//! `docs/commands.md` and `--help` say what the binary does.

use crate::{doublefire, stdout_of};
use assert_cmd::cargo::cargo_bin;
use doublefire::cli::Exit;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../docs/commands.md");
const README: &str = include_str!("../../README.md");
const COMMANDS: [&str; 12] = [
    "run",
    "check",
    "compare",
    "audit-tools",
    "explain",
    "estimate",
    "validate",
    "schema",
    "key",
    "scenarios",
    "completions",
    "man",
];

#[test]
fn the_exit_codes_are_those_of_the_page_and_of_the_help() {
    let help = stdout_of(doublefire().arg("--help"));
    let table: Vec<&str> = PAGE.split("## Exit codes").nth(1).expect("the section").lines().skip(4).collect();
    let rows = table.iter().take_while(|line| line.starts_with('|'));
    assert_eq!(rows.count(), Exit::ALL.len());
    for (exit, row) in Exit::ALL.iter().zip(table) {
        assert_eq!(row, format!("| {} | {} |", exit.code(), exit.meaning()));
        assert!(help.contains(&format!("{:>3}  {}", exit.code(), exit.meaning())));
    }
}

#[test]
fn every_command_has_a_section_and_help_with_examples() {
    let help = stdout_of(doublefire().arg("--help"));
    for command in COMMANDS {
        assert!(PAGE.contains(&format!("\n## {command}\n")), "{command} has no section");
        assert!(help.contains(&format!("\n  {command} ")), "{command} is not in --help");
        let own = stdout_of(doublefire().args([command, "--help"]));
        assert!(own.contains("Examples:\n  doublefire "), "{command} --help has no example");
    }
}

#[test]
fn every_flag_is_on_the_page() {
    for command in COMMANDS {
        let help = stdout_of(doublefire().args([command, "-h"]));
        let section = PAGE.split(&format!("\n## {command}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
        let section = section.expect("its section");
        let words = help.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
        let options = help.split("Options:").nth(1).expect("options").split("Examples:").next().expect("some");
        for flag in words.filter(|word| word.starts_with("--") && *word != "--help" && options.contains(word)) {
            assert!(section.contains(flag), "{command} {flag}");
        }
    }
}

#[cfg(unix)]
fn shell(folder: &Path, command: &str) -> (String, String) {
    let binary = cargo_bin("doublefire");
    let path =
        format!("{}:{}", binary.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-ec", command]).current_dir(folder).env("PATH", path).output();
    let output = output.expect("there is a shell");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    assert!(output.status.success(), "{command}: {}", text(output.stderr));
    (text(output.stdout), text(output.stderr))
}

/// The page as it is when every example shows what its command prints. Output that goes on behind a line of "…" is
/// held to the lines before it.
#[cfg(unix)]
fn with_real_output(text: &str, folder: &Path) -> String {
    let mut page = String::new();
    let mut lines = text.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        page.push_str(line);
        page.push('\n');
        inside = if line.starts_with("```") { line == "```console" } else { inside };
        let Some(command) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && *line != "```") {
            shown.push(line);
        }
        let (printed, _) = shell(folder, command);
        let open = shown.last() == Some(&"…");
        for line in printed.lines().take(if open { shown.len() - 1 } else { usize::MAX }) {
            page.push_str(line);
            page.push('\n');
        }
        page.push_str(if open { "…\n" } else { "" });
    }
    page
}

#[cfg(unix)]
fn assert_examples_are_real(name: &str, text: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let real = with_real_output(text, folder.path());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        std::fs::write(path, &real).expect("the page can be written");
        return;
    }
    let differs = text.lines().zip(real.lines()).find(|(page, real)| page != real);
    assert!(text == real, "{name}: with UPDATE_DOCS=1 this test rewrites the page; first difference: {differs:#?}");
}

#[cfg(unix)]
#[test]
fn the_examples_of_the_page_show_what_they_print() {
    assert!(PAGE.matches("\n$ doublefire ").count() >= 10, "the page has examples");
    assert_examples_are_real("docs/commands.md", PAGE);
}

#[cfg(unix)]
#[test]
fn the_examples_of_the_readme_show_what_they_print() {
    assert!(README.matches("\n$ doublefire ").count() >= 5, "the page has examples");
    assert_examples_are_real("README.md", README);
}

#[cfg(unix)]
#[test]
fn the_examples_of_the_help_parse() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    shell(folder.path(), "doublefire scenarios --write . && echo '{}' > arguments.json");
    let mut count = 0;
    for command in COMMANDS {
        let help = stdout_of(doublefire().args([command, "--help"]));
        let examples = help.split("Examples:\n").nth(1).expect("examples").replace(" \\\n     ", "");
        for line in examples.lines().filter(|line| line.contains("doublefire ")) {
            // Explanations stand three spaces or more to the right; runs are made short and pipes are left to readers.
            let example = line.trim().split("   ").next().expect("a command");
            let example = example
                .split(" | jq")
                .next()
                .expect("a command")
                .replace("--turns 10000000", "")
                .replace("--precision 2%", "");
            let short = match command {
                // Enough for agreement with a formula to mean something.
                "check" => format!("{example} --turns 50000"),
                "run" | "compare" | "audit-tools" => format!("{example} --turns 8000"),
                _ => example,
            };
            shell(folder.path(), &short);
            count += 1;
        }
    }
    assert!(count >= 15, "{count} examples");
}
