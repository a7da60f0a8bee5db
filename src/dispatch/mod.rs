//! The dispatcher: what a call's key is, what a row says, and what to do next. Pure: no clock, no randomness, no
//! I/O; drivers perform its actions and hand back what happened.

pub mod rule;
