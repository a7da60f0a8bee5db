//! A distribution on [0, ∞) as masses on equally spaced points.
//!
//! Local moment matching (H. U. Gerber, "On the numerical evaluation of the distribution of aggregate claims and its
//! stop-loss premiums", 1982): mass at x goes to the three points around it such that total, mean and second moment
//! stay what they were. Weights can be slightly negative; sums of draws come out more exact than with any scheme of
//! positive weights, because what is left is an error of the third order in the step.

use crate::stats::severity::Amount;

/// The points 0, step, 2·step, …, and the factors that tilt masses on them.
pub(super) struct Lattice {
    pub(super) step: f64,
    /// e^{−tilt·j/points} for each point; their number is the lattice's.
    pub(super) factors: Vec<f64>,
    /// How much tilting takes away, in logarithms, over the length of the lattice.
    pub(super) tilt: f64,
}

/// Masses on the points of a lattice. What lies more than half a step beyond the last point is left out.
pub(super) struct Masses {
    pub(super) at: Vec<f64>,
    /// How much of the mass was traced to single points or peaks narrower than a step, those near zero left out.
    pub(super) peaks: f64,
}

/// Mass that is not worth looking into.
const NEGLIGIBLE: f64 = 1e-14;
/// How often a cell is halved in search of where its mass sits.
const HALVINGS: u32 = 16;
/// A stretch shorter than this, in steps, was looked into for a peak.
const NARROW: f64 = 0.3;
/// A peak closer to zero than this many steps keeps its second moment.
const SMALL: f64 = 8.0;

/// A stretch of the axis with the survival function at its ends and in its middle.
struct Stretch {
    start: f64,
    end: f64,
    /// P(X > x) at the start, the middle and the end.
    survival: [f64; 3],
}

impl Lattice {
    /// At least 4 points.
    pub(super) fn new(step: f64, points: usize, tilt: f64) -> Lattice {
        let factors = (0..points).map(|j| libm::exp(-tilt * j as f64 / points as f64)).collect();
        Lattice { step, factors, tilt }
    }

    pub(super) fn points(&self) -> usize {
        self.factors.len()
    }

    /// The masses of `amount`.
    pub(super) fn masses<A: Amount>(&self, amount: &A) -> Masses {
        let mut masses = self.local_masses(amount);
        self.centre(amount, &mut masses.at);
        masses
    }

    /// Shifts the positive part so that its Laplace transform, at the tilt, is the exact one. The shift is a small part
    /// of a step, and nothing where the masses are exact; but an error of the mean that is negligible in one draw
    /// would add up over a million of them.
    fn centre<A: Amount>(&self, amount: &A, at: &mut [f64]) {
        let zero = 1.0 - amount.survival(0.0);
        let factor = &self.factors;
        let exact = (1.0 - zero) - amount.laplace_deficit(self.tilt / (self.points() as f64 * self.step));
        // Mass moves by the derivative of the three weights it would be placed with, which keeps the second moment:
        // (−1/2, 0, 1/2) about its point, or (−3/2, 2, −1/2) upwards from zero.
        let first = at[0] - zero;
        let rest: f64 = at.iter().zip(factor).skip(1).map(|(mass, factor)| mass * factor).sum();
        let taken = first * (1.5 - 2.0 * factor[1] + 0.5 * factor[2]) + rest * 0.5 * (1.0 / factor[1] - factor[1]);
        let shift = (first + rest - exact) / taken;
        if shift.is_nan() || shift.abs() >= 1.0 {
            return; // nothing positive within the lattice
        }
        let before = at.to_vec();
        for (point, weight) in [-1.5, 2.0, -0.5].into_iter().enumerate() {
            at[point] += shift * first * weight;
        }
        for j in 1..at.len() {
            let half = 0.5 * shift * before[j];
            at[j - 1] -= half;
            if let Some(above) = at.get_mut(j + 1) {
                *above += half;
            }
        }
    }

    fn local_masses<A: Amount>(&self, amount: &A) -> Masses {
        let mut masses = Masses { at: vec![0.0; self.points()], peaks: 0.0 };
        if let Some(value) = amount.as_constant() {
            if value < self.edge(self.points() - 1) {
                masses.place_peak(1.0, value / self.step, 0.0);
            }
            return masses;
        }
        let edges: Vec<f64> = (0..self.points()).map(|j| amount.survival(self.edge(j))).collect();
        let positive = amount.survival(0.0);
        masses.at[0] += 1.0 - positive;
        self.trace_cell(amount, 0.0, positive, edges[0], 0, &mut masses);
        for j in 1..self.points() {
            let mass = edges[j - 1] - edges[j];
            if mass <= NEGLIGIBLE {
                masses.at[j] += mass;
            } else if let Some(slope) = smooth_slope(&edges, j) {
                masses.place_around(mass, j, slope / 12.0, 1.0 / 12.0);
            } else {
                self.trace_cell(amount, self.edge(j - 1), edges[j - 1], edges[j], j, &mut masses);
            }
        }
        masses
    }

    /// Where the cell of point j ends.
    fn edge(&self, j: usize) -> f64 {
        (j as f64 + 0.5) * self.step
    }

    fn trace_cell<A: Amount>(&self, amount: &A, start: f64, from: f64, to: f64, j: usize, masses: &mut Masses) {
        let end = self.edge(j);
        let middle = amount.survival(0.5 * (start + end));
        self.trace(amount, &Stretch { start, end, survival: [from, middle, to] }, 0, masses);
    }

    /// Places the mass of a stretch, in halves where its distribution there is not smooth.
    fn trace<A: Amount>(&self, amount: &A, stretch: &Stretch, halvings: u32, masses: &mut Masses) {
        let [from, middle, to] = stretch.survival;
        let mass = from - to;
        let (start, end) = (stretch.start, stretch.end);
        let centre = 0.5 * (start + end);
        if mass <= NEGLIGIBLE {
            return masses.place(mass, centre / self.step, 0.0);
        }
        if halvings == HALVINGS {
            return masses.place_peak(mass, centre / self.step, 0.0);
        }
        let quarters = [amount.survival(0.5 * (start + centre)), amount.survival(0.5 * (centre + end))];
        if let Some((mean, variance)) = smooth_moments(stretch, quarters) {
            let width = (end - start) / self.step;
            let at = start / self.step + mean * width;
            if width < NARROW {
                masses.place_peak(mass, at, variance * width * width);
            } else {
                masses.place(mass, at, variance * width * width);
            }
            return;
        }
        let first = Stretch { start, end: centre, survival: [from, quarters[0], middle] };
        let second = Stretch { start: centre, end, survival: [middle, quarters[1], to] };
        self.trace(amount, &first, halvings + 1, masses);
        self.trace(amount, &second, halvings + 1, masses);
    }
}

impl Masses {
    /// Mass in a single point or close to it. Three points would keep the second moment, but with a negative weight the
    /// distribution function would overshoot beside the peak; so they are used only near zero, where many draws may
    /// add up.
    fn place_peak(&mut self, mass: f64, at: f64, variance: f64) {
        if at < SMALL {
            return self.place(mass, at, variance);
        }
        self.peaks += mass;
        let point = (at as usize).min(self.at.len() - 2);
        let part = at - point as f64;
        self.at[point] += mass * (1.0 - part);
        self.at[point + 1] += mass * part;
    }

    /// Mass with this mean and variance, in steps.
    fn place(&mut self, mass: f64, mean: f64, variance: f64) {
        let point = (mean.round() as usize).clamp(1, self.at.len() - 2);
        let offset = mean - point as f64;
        self.place_around(mass, point, offset, offset * offset + variance);
    }

    /// Mass with these first two moments about a point, in steps.
    fn place_around(&mut self, mass: f64, point: usize, first: f64, second: f64) {
        self.at[point - 1] += mass * 0.5 * (second - first);
        self.at[point] += mass * (1.0 - second);
        self.at[point + 1] += mass * 0.5 * (second + first);
    }
}

/// The slope of the density across the cell of point j, as a part of its mean, from the survival function at the ends
/// of the cells; None where it is not close to linear over the cell and its neighbours.
fn smooth_slope(edges: &[f64], j: usize) -> Option<f64> {
    if j < 2 || j + 1 == edges.len() {
        return None;
    }
    let [left, mass, right] = [j - 1, j, j + 1].map(|cell| edges[cell - 1] - edges[cell]);
    let linear = (left - 2.0 * mass + right).abs() < 0.1 * mass;
    linear.then_some(0.5 * (right - left) / mass)
}

/// Mean and variance of the mass of a stretch as parts of its width, by integrating the survival function with Boole's
/// rule; None where Simpson's rule on the whole and on the halves disagree, so that neither can be trusted.
fn smooth_moments(stretch: &Stretch, quarters: [f64; 2]) -> Option<(f64, f64)> {
    let [from, middle, to] = stretch.survival;
    let mass = from - to;
    // P(place > u | in the stretch) at u = 1/4, 1/2, 3/4; it is 1 at 0 and 0 at 1.
    let [q1, q2, q3] = [quarters[0], middle, quarters[1]].map(|s| (s - to) / mass);
    // E[U] = ∫ q du and E[U²] = ∫ 2u q du.
    let coarse = [(1.0 + 4.0 * q2) / 6.0, 4.0 * q2 / 6.0];
    let fine = [(1.0 + 4.0 * q1 + 2.0 * q2 + 4.0 * q3) / 12.0, (2.0 * q1 + 2.0 * q2 + 6.0 * q3) / 12.0];
    let [mean, second] = [0, 1].map(|i| fine[i] + (fine[i] - coarse[i]) / 15.0);
    let agree = (0..2).all(|i| (fine[i] - coarse[i]).abs() < 1e-3);
    agree.then(|| (mean, (second - mean * mean).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATTICE: fn(f64) -> Lattice = |step| Lattice::new(step, 1024, 16.0);

    /// Half at zero, a quarter at 3, the rest uniform on [10, 30].
    struct Mixed;

    impl Amount for Mixed {
        fn survival(&self, x: f64) -> f64 {
            let uniform = ((30.0 - x) / 20.0).clamp(0.0, 1.0);
            0.25 * (f64::from(u8::from(x < 3.0)) + uniform)
        }

        fn laplace_deficit(&self, s: f64) -> f64 {
            let uniform = (libm::exp(-10.0 * s) - libm::exp(-30.0 * s)) / (20.0 * s);
            0.25 * (2.0 - libm::exp(-3.0 * s) - uniform)
        }
    }

    fn moment(masses: &Masses, step: f64, power: i32) -> f64 {
        let term = |(j, mass): (usize, &f64)| mass * (0..power).fold(1.0, |product, _| product * step * j as f64);
        masses.at.iter().enumerate().map(term).sum()
    }

    #[test]
    fn masses_keep_total_mean_and_second_moment_on_fine_and_coarse_lattices() {
        for step in [0.04, 0.31, 1.7, 7.3, 40.0, 3_000.0] {
            let masses = LATTICE(step).masses(&Mixed);
            // An atom between two points may widen by a quarter of a squared step where that is little beside it.
            let widening = 0.25 * 0.25 * step * step * f64::from(u8::from(3.0 / step >= SMALL));
            assert!((moment(&masses, step, 0) - 1.0).abs() < 1e-12, "{step}");
            assert!((moment(&masses, step, 1) / 5.75 - 1.0).abs() < 1e-4, "{step}: {}", moment(&masses, step, 1));
            let second = 0.25 * 9.0 + 0.25 * (400.0 + 400.0 / 12.0);
            let got = moment(&masses, step, 2);
            assert!((got - second).abs() < 5e-4 * second + widening, "{step}: {got} {second}");
        }
    }

    #[test]
    fn the_laplace_transform_at_the_tilt_is_exact() {
        for step in [0.04, 0.31, 7.3, 3_000.0] {
            let lattice = LATTICE(step);
            let tilted: f64 = lattice.masses(&Mixed).at.iter().zip(&lattice.factors).map(|(m, f)| m * f).sum();
            let exact = 1.0 - Mixed.laplace_deficit(16.0 / (1024.0 * step));
            assert!((tilted - exact).abs() < 1e-9, "{step}: {tilted} {exact}");
        }
    }

    #[test]
    fn an_atom_is_found_where_it_sits() {
        let masses = LATTICE(0.25).masses(&Mixed);
        assert!((masses.at[0] - 0.5).abs() < 1e-12);
        assert!((masses.at[12] - 0.25).abs() < 1e-5, "{}", masses.at[12]);
        // The ends of the uniform stretch look like peaks too, of less than a cell each.
        assert!((0.25..0.26).contains(&masses.peaks), "{}", masses.peaks);
    }

    #[test]
    fn mass_beyond_the_lattice_is_left_out() {
        let masses = LATTICE(0.01).masses(&Mixed);
        assert!((moment(&masses, 0.01, 0) - 0.752_937_5).abs() < 1e-6, "{}", moment(&masses, 0.01, 0));
        let none = LATTICE(0.01).masses(&crate::stats::severity::Constant(10.3));
        assert!(none.at.iter().all(|mass| *mass == 0.0));
    }
}
