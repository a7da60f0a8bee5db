//! Standard output for results, standard error for everything else.

use super::exit::Failure;
use anstream::ColorChoice;
use std::io::{self, ErrorKind, Write};

/// Prints a result: all of it or, where the reader has gone, as much as it wanted.
///
/// # Errors
/// Standard output that takes no more for any other reason (a full disk).
pub(super) fn result(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::environment(format_args!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says something beside the result. Whether anyone reads it changes nothing.
pub(super) fn note(text: &str) {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    _ = write!(anstream::stderr().lock(), "{text}{newline}");
}

/// Whether standard error takes colours.
pub(super) fn colours() -> bool {
    !matches!(anstream::AutoStream::choice(&io::stderr()), ColorChoice::Never)
}
