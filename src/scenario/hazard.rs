//! The hazard behind a given failure rate.
//!
//! INTERFACE STUB, to be replaced by the real module; signatures are what others build on.

use super::{Phases, Shape, Stream, Tool};

/// The hazard λ per second at which an undisturbed first attempt of the mix of shapes is cut with probability
/// `rate`: none where no hazard reaches it (rate 1, or every multiplier of a phase that takes time is zero).
/// A rate of 0 gives 0.
#[must_use]
pub fn solve(_stream: &Stream, _tools: &[Tool], _shapes: &[Shape], _phases: &Phases, rate: f64) -> Option<f64> {
    (rate < 1.0).then_some(0.0)
}
