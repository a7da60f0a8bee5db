//! A report as files: `DIR/<scenario>/`. Each file is written under a temporary name and renamed, so that it is there
//! whole or not at all, whatever happens meanwhile.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One file of a report: its name, with `/` where it stands in a folder of its own, and its bytes.
pub type File = (String, Vec<u8>);

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

/// Whether a report may be written to `folder`: it is absent, or holds nothing but files called `names`, as an earlier
/// report does.
///
/// # Errors
/// [`Refusal`], which names what is in the way.
pub fn check(folder: &Path, names: &[String]) -> Result<(), Refusal> {
    match foreign(folder, "", names)? {
        Some(name) => Err(Refusal::Foreign { folder: folder.to_owned(), name }),
        None => Ok(()),
    }
}

/// The first name under `folder` that is not one of `names`, which begin with `inside`.
fn foreign(folder: &Path, inside: &str, names: &[String]) -> Result<Option<String>, Refusal> {
    let refuse = |error| Refusal::Io { path: folder.to_owned(), error };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refuse(error)),
    };
    let mut foreign_names: Vec<String> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(refuse)?;
        let own = entry.file_name().to_string_lossy().into_owned();
        let name = format!("{inside}{own}");
        let kind = entry.file_type().map_err(refuse)?;
        let within = format!("{name}/");
        if kind.is_dir() && names.iter().any(|known| known.starts_with(&within)) {
            foreign_names.extend(foreign(&entry.path(), &within, names)?);
            continue;
        }
        // What a killed run left behind is ours as well.
        let left = own.starts_with(TEMPORARY.0) && own.ends_with(TEMPORARY.1);
        if !kind.is_file() || !(left || names.contains(&name)) {
            foreign_names.push(name);
        }
    }
    foreign_names.sort();
    Ok(foreign_names.into_iter().next())
}

/// Writes `files` to `folder`, which is made where it is absent, in their order; files called `names` that an earlier
/// report left there and this one has not go. [`check`] is the caller's business.
///
/// # Errors
/// [`Refusal::Io`]; files under their final names are then those of an earlier report or whole ones of this.
pub fn write(folder: &Path, files: &[File], names: &[String]) -> Result<(), Refusal> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| Refusal::Io { path, error }
    };
    let mut staged = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(at(parent))?;
        let file = stage(parent, bytes).map_err(at(parent))?;
        staged.push((path, file));
    }
    for name in names.iter().filter(|name| !files.iter().any(|(written, _)| written == *name)) {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path)(error)),
            _ => {}
        }
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
    stage(folder_of(path), text.as_bytes())
        .map_err(fail)?
        .persist_noclobber(path)
        .map_err(|failed| fail(failed.error))?;
    Ok(())
}

/// Makes a file hold `text`: the old content or the new, whole, whatever happens meanwhile. A link stays one, and what
/// it points to is replaced; what is no file (a pipe, a terminal) is written to.
///
/// # Errors
/// [`Refusal::Io`]; a file is then as it was.
pub fn replace(path: &Path, text: &str) -> Result<(), Refusal> {
    let fail = |error| Refusal::Io { path: path.to_owned(), error };
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.metadata().is_ok_and(|is| !is.is_file() && !is.is_dir()) {
        let mut there = std::fs::OpenOptions::new().write(true).open(path).map_err(fail)?;
        return there.write_all(text.as_bytes()).map_err(fail);
    }
    stage(folder_of(path), text.as_bytes()).map_err(fail)?.persist(path).map_err(|failed| fail(failed.error))?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file in `folder` that holds `bytes`, on disk.
fn stage(folder: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file; the process's mask takes away what it always does.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}
