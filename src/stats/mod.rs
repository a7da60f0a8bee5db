//! Intervals and special functions.
//!
//! INTERFACE STUB, to be replaced by the real module; signatures are what others build on.

/// Clopper–Pearson two-sided interval at `confidence` for `successes` of `trials`.
#[must_use]
pub fn clopper_pearson(_successes: u64, _trials: u64, _confidence: f64) -> (f64, f64) {
    (0.0, 1.0)
}

/// The one-sided upper Clopper–Pearson bound at `confidence`.
#[must_use]
pub fn clopper_pearson_upper(_successes: u64, _trials: u64, _confidence: f64) -> f64 {
    1.0
}
