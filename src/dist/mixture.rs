//! Mixtures: each component with its weight.
//!
//! Every figure is the weighted sum of the components' but the quantile function, which is searched: one word draws from
//! the whole mixture, so that a mixture too has one draw a site, and rises with it.

use super::{Distribution, Place, normal};

/// Components and the quantile function of their mixture at some places, between which it is searched.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixture {
    components: Components,
    /// At standard normal scores from −[`SCORE_MAX`] in steps of [`SCORE_STEP`].
    nodes: Box<[Node]>,
}

/// Components with weights that sum to 1; at least two, none of them a mixture.
#[derive(Debug, Clone, PartialEq)]
struct Components(Box<[(f64, Distribution)]>);

/// A point of the distribution function.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    x: f64,
    cdf: f64,
    survival: f64,
}

/// Beyond the score of every place that a word can name.
const SCORE_MAX: f64 = 9.5;
const SCORE_STEP: f64 = 0.125;

impl Mixture {
    /// From at least two components, none of them a mixture, and weights that sum to 1.
    pub(super) fn new(components: Vec<(f64, Distribution)>) -> Self {
        let components = Components(components.into_boxed_slice());
        let steps = (2.0 * SCORE_MAX / SCORE_STEP) as i32;
        let nodes = (0..=steps).map(|i| {
            let score = f64::from(i) * SCORE_STEP - SCORE_MAX;
            let x = components.quantile(Place { lower: normal::cdf(score), upper: normal::survival(score) });
            components.node(x)
        });
        Mixture { nodes: nodes.collect(), components }
    }

    pub(super) fn into_components(self) -> Vec<(f64, Distribution)> {
        self.components.0.into_vec()
    }

    pub(super) fn len(&self) -> usize {
        self.components.0.len()
    }

    /// The weighted sum of a figure of the components.
    pub(super) fn sum(&self, of: impl Fn(&Distribution) -> f64) -> f64 {
        self.components.sum(of)
    }

    pub(super) fn quantile(&self, place: Place) -> f64 {
        let position = (normal::quantile(place.lower, place.upper) + SCORE_MAX) / SCORE_STEP;
        let cell = (position as usize).min(self.nodes.len() - 2);
        self.components.search(self.nodes[cell], self.nodes[cell + 1], place)
    }
}

impl Components {
    fn sum(&self, of: impl Fn(&Distribution) -> f64) -> f64 {
        self.0.iter().map(|(weight, component)| weight * of(component)).sum()
    }

    fn node(&self, x: f64) -> Node {
        Node { x, cdf: self.sum(|c| c.cdf(x)), survival: self.sum(|c| c.survival(x)) }
    }

    /// The quantile without the help of nodes: it lies between the least and the greatest of the components' own.
    fn quantile(&self, place: Place) -> f64 {
        let quantiles = || self.0.iter().map(|(_, component)| component.at(place));
        let least = quantiles().fold(f64::INFINITY, f64::min);
        let greatest = quantiles().fold(0.0, f64::max);
        // An atom is often the greatest: the value before it tells.
        let before = f64::from_bits(greatest.to_bits().saturating_sub(1)).max(least);
        let (before, greatest) = (self.node(before), self.node(greatest));
        if before.excess(place) < 0.0 { greatest.x } else { self.search(self.node(least), before, place) }
    }

    /// The least float between two nodes at which the distribution function reaches the place, or the nearer node.
    fn search(&self, low: Node, high: Node, place: Place) -> f64 {
        let point = |node: Node| Point { bits: node.x.to_bits(), excess: node.excess(place) };
        first_reached(point(low), point(high), |x| {
            if place.lower < 0.5 {
                self.sum(|c| c.cdf(x)) / place.lower - 1.0
            } else {
                1.0 - self.sum(|c| c.survival(x)) / place.upper
            }
        })
    }
}

impl Node {
    /// Negative below the place, zero or positive from it on; relative to the nearer tail's probability.
    fn excess(&self, place: Place) -> f64 {
        if place.lower < 0.5 { self.cdf / place.lower - 1.0 } else { 1.0 - self.survival / place.upper }
    }
}

/// A float by its bit pattern, and [`Node::excess`] there.
#[derive(Clone, Copy)]
struct Point {
    bits: u64,
    excess: f64,
}

impl Point {
    fn reached(self) -> bool {
        self.excess >= 0.0
    }

    fn distance(self, other: Point) -> f64 {
        let length = self.bits.abs_diff(other.bits) as f64;
        if self.bits < other.bits { -length } else { length }
    }
}

/// The least float in [low, high] at which the increasing function `excess` is not negative, or the nearer end where
/// there is none.
///
/// The search runs over the bit patterns of floats, which are ordered as the floats are and close to their logarithms,
/// by Chandrupatla's method (Advances in Engineering Software 28, 1997): inverse quadratic interpolation where the
/// function is smooth, bisection at jumps and gaps.
fn first_reached(low: Point, high: Point, excess: impl Fn(f64) -> f64) -> f64 {
    if low.reached() {
        return f64::from_bits(low.bits);
    }
    if !high.reached() {
        return f64::from_bits(high.bits);
    }
    let (mut newest, mut opposite) = (high, low);
    let mut share = high.excess / (high.excess - low.excess);
    while newest.bits.abs_diff(opposite.bits) > 1 {
        let length = newest.bits.abs_diff(opposite.bits);
        let step = ((length as f64 * share) as u64).clamp(1, length - 1);
        let bits = if newest.bits < opposite.bits { newest.bits + step } else { newest.bits - step };
        let next = Point { bits, excess: excess(f64::from_bits(bits)) };
        let third;
        if next.reached() == newest.reached() {
            third = newest;
        } else {
            (third, opposite) = (opposite, newest);
        }
        newest = next;
        share = interpolation(newest, opposite, third).unwrap_or(0.5);
    }
    f64::from_bits(if newest.reached() { newest.bits } else { opposite.bits })
}

/// Where between a (0) and b (1) the inverse parabola through the three points crosses zero; none where it is not
/// monotone there, by Chandrupatla's criterion.
fn interpolation(a: Point, b: Point, c: Point) -> Option<f64> {
    let xi = a.distance(b) / c.distance(b);
    let phi = (a.excess - b.excess) / (c.excess - b.excess);
    if phi * phi >= xi || (1.0 - phi) * (1.0 - phi) >= 1.0 - xi {
        return None;
    }
    let (fa, fb, fc) = (a.excess, b.excess, c.excess);
    let along = c.distance(a) / b.distance(a);
    Some(fa / (fb - fa) * fc / (fb - fc) + along * fa / (fc - fa) * fb / (fc - fb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The result of the search in [low, high], and how many evaluations it took.
    fn found(low: f64, high: f64, excess: impl Fn(f64) -> f64) -> (f64, u32) {
        let count = Cell::new(0);
        let point = |x: f64| Point { bits: x.to_bits(), excess: excess(x) };
        let x = first_reached(point(low), point(high), |x| {
            count.set(count.get() + 1);
            excess(x)
        });
        (x, count.get())
    }

    #[test]
    fn the_search_finds_the_first_float_that_reaches_the_place() {
        let (root, evaluations) = found(1.0, 2.0, |x| x * x - 2.0);
        assert_eq!(root, 2.0_f64.sqrt());
        assert!(evaluations < 12, "{evaluations}");
        for jump in [1.0 + f64::EPSILON, 1.3, 1e-300, 1e300] {
            let (x, evaluations) = found(0.0, 1e308, |x| if x < jump { -0.3 } else { 0.2 });
            assert_eq!(x, jump);
            assert!(evaluations < 80, "{evaluations} for a jump at {jump:e}");
        }
        // Nothing happens between 2 and 3; the place is reached on the way from 3 to 4.
        let gap = |x: f64| if x < 2.0 { 0.5 * x - 1.1 } else { -0.1 + (x - 3.0).max(0.0) };
        let (x, evaluations) = found(1.0, 4.0, gap);
        assert!((x - 3.1).abs() < 1e-15 && evaluations < 80, "{x} after {evaluations}");
    }

    #[test]
    fn an_end_that_already_reaches_the_place_is_the_answer() {
        assert_eq!(found(1.0, 2.0, |_| 0.0).0, 1.0);
        assert_eq!(found(1.0, 2.0, |_| -1.0).0, 2.0);
        assert_eq!(found(1.0, 1.0, |_| -1.0).0, 1.0);
    }
}
