//! Mixtures: each component with its weight.

use super::{Distribution, Place};

/// Components with weights that sum to 1; at least two, none of them a mixture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixture(pub(super) Box<[(f64, Distribution)]>);

impl Mixture {
    pub(super) fn sum(&self, of: impl Fn(&Distribution) -> f64) -> f64 {
        self.0.iter().map(|(weight, component)| weight * of(component)).sum()
    }

    /// The least float at which the mixture's distribution function reaches the place, measured in the nearer tail.
    ///
    /// It lies between the least and the greatest of the components' own quantiles. The search runs over the bit
    /// patterns of floats, which are ordered as the floats are and close to their logarithms: false position
    /// (Illinois) for smooth parts, bisection where that stalls at an atom or a gap.
    pub(super) fn quantile(&self, place: Place) -> f64 {
        let quantiles = || self.0.iter().map(|(_, component)| component.at(place));
        let least = quantiles().fold(f64::INFINITY, f64::min);
        let greatest = quantiles().fold(0.0, f64::max);
        // Negative below the place, zero or positive from it on; relative to the probability that is looked for.
        let excess = |x: f64| {
            if place.lower < 0.5 {
                self.sum(|component| component.cdf(x)) / place.lower - 1.0
            } else {
                1.0 - self.sum(|component| component.survival(x)) / place.upper
            }
        };
        search(least, greatest, excess)
    }
}

/// The least float in [low, high] at which the increasing `excess` is not negative, given that it is not at `high`.
fn search(low: f64, high: f64, excess: impl Fn(f64) -> f64) -> f64 {
    let mut at_low = excess(low);
    if at_low >= 0.0 {
        return low;
    }
    // An atom is often an end of the range.
    let (mut low, mut high) = (low.to_bits(), high.to_bits());
    let mut at_high = excess(f64::from_bits(high - 1));
    if at_high < 0.0 {
        return f64::from_bits(high);
    }
    high -= 1;
    let mut bisect = false;
    while high - low > 1 {
        let length = (high - low) as f64;
        let share = if bisect { 0.5 } else { at_low / (at_low - at_high) };
        let step = ((length * share) as u64).clamp(1, high - low - 1);
        let middle = low + step;
        let at_middle = excess(f64::from_bits(middle));
        if at_middle < 0.0 {
            (low, at_low) = (middle, at_middle);
            at_high *= 0.5;
        } else {
            (high, at_high) = (middle, at_middle);
            at_low *= 0.5;
        }
        bisect = !bisect && (high - low) as f64 > 0.5 * length;
    }
    f64::from_bits(high)
}
