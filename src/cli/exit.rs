//! Exit codes, in one table.

use std::fmt;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Fine,
    /// A gate failed.
    GateFailed,
    /// The command line or a scenario is wrong.
    Usage,
    /// A gate was not measured, or the interval straddles its limit.
    Undecided,
    /// A file or database could not be used.
    Environment,
    /// An error of the program: a panic.
    Bug,
    /// Stopped from outside.
    Interrupted,
}

impl Exit {
    /// Every way to end, by code.
    pub const ALL: [Exit; 7] =
        [Exit::Fine, Exit::GateFailed, Exit::Usage, Exit::Undecided, Exit::Environment, Exit::Bug, Exit::Interrupted];

    /// The process's exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::GateFailed => 1,
            Exit::Usage => 2,
            Exit::Undecided => 3,
            Exit::Environment => 4,
            Exit::Bug => 101,
            Exit::Interrupted => 130,
        }
    }

    /// What it says, in the words of `--help` and `docs/commands.md`.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Exit::Fine => "fine",
            Exit::GateFailed => "a gate failed",
            Exit::Usage => "the command line or a scenario is wrong",
            Exit::Undecided => "not measured, or undecided",
            Exit::Environment => "the environment: a file or a database",
            Exit::Bug => "a bug in doublefire",
            Exit::Interrupted => "interrupted",
        }
    }

    /// The table for `--help`.
    #[must_use]
    pub fn table() -> String {
        let lines = Exit::ALL.iter().map(|exit| format!("\n  {:>3}  {}", exit.code(), exit.meaning()));
        format!("Exit codes:{}", lines.collect::<String>())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Why a command did not do what it was asked: what to say, and how to end.
#[derive(Debug)]
pub(super) struct Failure {
    /// How to end.
    pub(super) exit: Exit,
    /// For standard error.
    pub(super) message: String,
}

impl Failure {
    /// The command line is wrong.
    pub(super) fn usage(message: impl fmt::Display) -> Self {
        Failure { exit: Exit::Usage, message: format!("error: {message}") }
    }

    /// A file cannot be used.
    pub(super) fn environment(message: impl fmt::Display) -> Self {
        Failure { exit: Exit::Environment, message: format!("error: {message}") }
    }
}
