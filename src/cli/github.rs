//! What `check` tells GitHub Actions when it runs there: annotations, and the job's summary.

use super::exit::Failure;
use super::terminal;
use crate::gate::{CheckReport, github};
use std::fs::OpenOptions;
use std::io::Write;

/// Annotates gates that do not pass, on standard error, where the runner reads as well as on standard output; and adds
/// the table to the summary.
///
/// # Errors
/// A summary that cannot be written.
pub(super) fn tell(report: &CheckReport) -> Result<(), Failure> {
    if std::env::var_os("GITHUB_ACTIONS").is_none_or(|value| value != "true") {
        return Ok(());
    }
    let annotations = github::annotations(report);
    if !annotations.is_empty() {
        terminal::note(&annotations);
    }
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return Ok(()) };
    // Others add to the same file, so it is opened to append, and written to once.
    let file = OpenOptions::new().append(true).create(true).open(&path);
    file.and_then(|mut file| file.write_all(github::summary(report).as_bytes()))
        .map_err(|error| Failure::environment(format_args!("{}: {error}", path.display())))
}
