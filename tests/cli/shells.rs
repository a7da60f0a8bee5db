//! Completions and manual pages.

use crate::{doublefire_in, names_in, stdout_of};
use std::process::Command;

#[test]
fn every_shell_has_completions_that_know_the_commands_and_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout_of(crate::doublefire().args(["completions", shell]));
        for word in ["audit-tools", "precision", "junit"] {
            assert!(script.contains(word), "{shell} knows {word}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_a_flag() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("d.bash"), stdout_of(crate::doublefire().args(["completions", "bash"])))
        .expect("written");
    let script = "source d.bash; COMP_WORDS=(doublefire run --prec); COMP_CWORD=2; \
                  _doublefire doublefire --prec run; echo ${COMPREPLY[@]}";
    let Ok(output) = Command::new("bash").args(["-c", script]).current_dir(folder.path()).output() else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "--precision");
}

#[test]
fn every_command_has_a_manual_page_with_its_examples() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    doublefire_in(folder.path()).args(["man", "--output", "man1"]).assert().code(0);
    let help = stdout_of(crate::doublefire().arg("--help"));
    let commands = help.split("Commands:\n").nth(1).expect("commands").lines().take_while(|line| !line.is_empty());
    let mut expected: Vec<String> = commands
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split(' ').next())
        .filter(|name| *name != "help")
        .map(|name| format!("doublefire-{name}.1"))
        .chain(["doublefire.1".to_owned()])
        .collect();
    expected.sort();
    assert_eq!(names_in(&folder.path().join("man1")), expected);
    for name in expected {
        let page = std::fs::read_to_string(folder.path().join("man1").join(&name)).expect("there");
        assert!(page.contains(".TH doublefire") && page.contains(".SH SYNOPSIS"), "{name}");
        assert!(name == "doublefire.1" || page.contains("Examples:"), "{name}");
    }
    assert!(stdout_of(crate::doublefire().arg("man")).contains(".SH SUBCOMMANDS"));
}
