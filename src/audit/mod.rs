//! The judge: it counts intents, effects and duplicates from what happened in the world and never asks a
//! dispatcher.

mod tally;

pub use tally::{Tally, ToolTally};
