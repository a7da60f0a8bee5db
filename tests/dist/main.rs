//! Distributions against oracles that share nothing with the crate: reference values to 20 digits, other people's
//! quantile functions, and other people's samples.

mod oracles;
mod reference;
mod samples;
