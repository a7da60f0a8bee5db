//! The simulator as a whole: against an independent implementation, against itself by the long way, and its promise
//! of the same bytes on any number of threads.

mod cases;
mod determinism;
mod explain;
mod generate;
mod laws;
mod metamorphic;
mod payments;
mod sampling;
mod support;
