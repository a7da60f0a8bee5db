//! `doublefire key`: the key of one call, to compare with what a handler derives.

use super::exit::{Exit, Failure};
use super::terminal;
use crate::dispatch::{Refused, key, pipe};
use crate::report::json;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{ErrorKind, Read};

/// Derive the key of one call and show the text that it is the hash of
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire key --conversation c1 --position 4 --tool send_payment --ordinal 0 \\
      --arguments '{\"to\":\"DE02\",\"amount\":\"12.00\"}'
  doublefire key --conversation c1 --position 4 --tool send_payment --ordinal 0 \\
      --arguments - --format json < arguments.json")]
pub(super) struct Key {
    /// The conversation's id
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    conversation: String,
    /// Turns committed before this one
    #[arg(long, value_name = "N")]
    position: u64,
    /// The tool's name
    #[arg(long, value_name = "T")]
    tool: String,
    /// Earlier calls of the turn with the same tool and equal arguments
    #[arg(long, value_name = "K")]
    ordinal: u64,
    /// The arguments, a JSON object; - reads standard input
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    arguments: String,
    /// How the parts of the key are put together
    #[arg(long, value_enum, default_value_t = Scheme::Canonical)]
    scheme: Scheme,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum Scheme {
    /// Canonical JSON (RFC 8785) of an array of the parts
    Canonical,
    /// The parts joined by |, arguments as Python's json module writes them
    Pipe,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The canonical text and the key, a line each
    Text,
    /// One JSON object
    Json,
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Output {
    scheme: Scheme,
    canonical: String,
    key: String,
}

impl Key {
    /// # Errors
    /// Arguments that cannot be carried without loss.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let derive: fn(&str, u64, &str, u64, &str) -> Result<key::Derived, Refused> = match self.scheme {
            Scheme::Canonical => key::derive,
            Scheme::Pipe => pipe::derive,
        };
        let derived = derive(&self.conversation, self.position, &self.tool, self.ordinal, &self.arguments()?)
            .map_err(|refused| Failure::usage(format_args!("no key: {refused}")))?;
        let (canonical, key) = (derived.canonical, derived.key.to_string());
        terminal::result(&match self.format {
            Format::Text => format!("{canonical}\n{key}\n"),
            Format::Json => json::render(&Output { scheme: self.scheme, canonical, key }),
        })?;
        Ok(Exit::Fine)
    }

    fn arguments(&self) -> Result<String, Failure> {
        if self.arguments != "-" {
            return Ok(self.arguments.clone());
        }
        let mut text = String::new();
        match std::io::stdin().lock().read_to_string(&mut text) {
            Ok(_) => Ok(text),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Err(Failure::usage("no key: the arguments on standard input are no UTF-8 text"))
            }
            Err(error) => Err(Failure::environment(format_args!("standard input: {error}"))),
        }
    }
}
