//! Distributions against oracles that share nothing with the crate: reference values to 20 digits, other people's
//! implementations, and samples.

mod reference;
