//! The numbers of `doublefire::stats` against independent oracles.

mod intervals;
