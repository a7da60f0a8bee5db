//! What is wrong with the parameters of a distribution.

use std::fmt;

/// Smallest positive scale parameter.
pub(super) const SCALE_MIN: f64 = 1e-15;
/// Largest scale parameter.
pub(super) const SCALE_MAX: f64 = 1e15;

/// Parameters that make no distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The offending keys, named as in a scenario file.
    pub parameters: Vec<&'static str>,
    /// What is allowed, or which inequality is violated.
    pub message: String,
}

impl Invalid {
    pub(super) fn new(parameters: &[&'static str], message: impl Into<String>) -> Self {
        Invalid { parameters: parameters.to_vec(), message: message.into() }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Invalid {}

/// Checks a duration or amount that sets a scale.
pub(super) fn scale(name: &'static str, value: f64) -> Result<(), Invalid> {
    within(name, value, SCALE_MIN, SCALE_MAX)
}

/// Checks a duration or amount that may be zero.
pub(super) fn amount(name: &'static str, value: f64) -> Result<(), Invalid> {
    within(name, value, 0.0, SCALE_MAX)
}

/// Checks a parameter against the closed range in which its family is computed to full precision.
pub(super) fn within(name: &'static str, value: f64, min: f64, max: f64) -> Result<(), Invalid> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let number = |x: f64| if x == 0.0 || (1e-4..1e5).contains(&x) { x.to_string() } else { format!("{x:e}") };
    Err(Invalid::new(&[name], format!("`{name}` must be between {} and {}", number(min), number(max))))
}
