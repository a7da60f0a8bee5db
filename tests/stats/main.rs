//! The numbers of `doublefire::stats` against independent oracles.

mod compound;
mod intervals;
mod volume;
