//! The judge: it counts intents, effects and duplicates from what happened in the world and never asks a
//! dispatcher.

pub mod history;
mod judge;
mod tally;

pub use judge::{cause_of, judge, judge_alone};
pub use tally::{Tally, ToolTally};
