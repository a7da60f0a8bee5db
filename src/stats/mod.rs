//! Intervals, special functions, and the distribution of sums of random size.
//!
//! Everything here is plain arithmetic over the crate `libm`, ends after a bounded number of steps, and says how
//! exact it is.

pub mod beta;
pub mod compound;
mod fft;
mod lattice;
pub mod proportion;
mod quadrature;
pub mod severity;

pub use proportion::{binomial_quantile, binomial_tail, clopper_pearson, clopper_pearson_upper, z_score};
