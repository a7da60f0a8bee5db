//! The `doublefire` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    doublefire::cli::main()
}
