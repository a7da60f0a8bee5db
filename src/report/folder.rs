//! A report as files: `DIR/<scenario>/` with `summary.json`, `policies.csv` and `tools.csv`. Each is written under a
//! temporary name and renamed, so that a file is there whole or not at all, whatever happens meanwhile.

use super::data::Report;
use super::{csv, json};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The files of a report's folder, in the order in which they appear: `summary.json` last, so that where it is new
/// the others are too.
pub const FILES: [&str; 3] = ["policies.csv", "tools.csv", "summary.json"];

const TEMPORARY: (&str, &str) = (".doublefire-", ".tmp");

/// Why a folder was not written.
#[derive(Debug)]
pub enum Refusal {
    /// The folder holds something that no report writes.
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The first such name, in alphabetical order.
        name: String,
    },
    /// The file system said no.
    Io {
        /// At which path.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Foreign { folder, name } => {
                write!(
                    f,
                    "{} holds {name}, which no report writes: choose another folder, or --force",
                    folder.display()
                )
            }
            Refusal::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Refusal {}

/// The folder of the scenario called `name` under `output`.
#[must_use]
pub fn path(output: &Path, name: &str) -> PathBuf {
    output.join(name)
}

/// Whether a report may be written to `folder`: it is absent, or holds nothing but an earlier report.
///
/// # Errors
/// [`Refusal`], which names what is in the way.
pub fn check(folder: &Path) -> Result<(), Refusal> {
    let refuse = |error| Refusal::Io { path: folder.to_owned(), error };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(refuse(error)),
    };
    let mut foreign: Vec<String> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(refuse)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // What a killed run left behind is ours as well.
        let left = name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1);
        let ours = left || FILES.contains(&name.as_str());
        if !ours || !entry.file_type().map_err(refuse)?.is_file() {
            foreign.push(name);
        }
    }
    foreign.sort();
    match foreign.into_iter().next() {
        Some(name) => Err(Refusal::Foreign { folder: folder.to_owned(), name }),
        None => Ok(()),
    }
}

/// Writes the report's files to `folder`, which is made where it is absent. [`check`] is the caller's business.
///
/// # Errors
/// [`Refusal::Io`]; files under their final names are then those of an earlier report or whole ones of this.
pub fn write(folder: &Path, report: &Report) -> Result<(), Refusal> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| Refusal::Io { path, error }
    };
    std::fs::create_dir_all(folder).map_err(at(folder))?;
    let texts = [csv::policies(report), csv::tools(report), json::render(report)];
    let mut staged = Vec::new();
    for (name, text) in FILES.iter().zip(&texts) {
        staged.push((folder.join(name), stage(folder, text).map_err(at(folder))?));
    }
    for (path, file) in staged {
        file.persist(&path).map_err(|failed| Refusal::Io { path, error: failed.error })?;
    }
    Ok(())
}

/// Makes a new file that holds `text`, whole or not at all.
///
/// # Errors
/// [`Refusal::Io`], also where there is such a file already.
pub fn create(path: &Path, text: &str) -> Result<(), Refusal> {
    let fail = |error| Refusal::Io { path: path.to_owned(), error };
    stage(folder_of(path), text).map_err(fail)?.persist_noclobber(path).map_err(|failed| fail(failed.error))?;
    Ok(())
}

/// Makes a file hold `text`: the old content or the new, whole, whatever happens meanwhile.
///
/// # Errors
/// [`Refusal::Io`]; the file is then as it was.
pub fn replace(path: &Path, text: &str) -> Result<(), Refusal> {
    let fail = |error| Refusal::Io { path: path.to_owned(), error };
    stage(folder_of(path), text).map_err(fail)?.persist(path).map_err(|failed| fail(failed.error))?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file in `folder` that holds `text`, on disk.
fn stage(folder: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file; the process's mask takes away what it always does.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}
