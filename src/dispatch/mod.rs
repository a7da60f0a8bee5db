//! The dispatcher: what a call's key is, what a row says, and what to do next. Pure: no clock, no randomness, no
//! I/O; drivers perform its actions and hand back what happened.

pub mod canonical;
mod decimal;
mod json;
pub mod key;
pub mod machine;
pub mod pipe;
mod refused;
pub mod rule;
pub mod symbol;

pub use refused::{Refused, Why};
