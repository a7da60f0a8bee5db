//! What all cells and policies of a run share: the scenario made ready, the seed, the calendar.

use super::calendar::Calendar;
use crate::draw::{Draws, Site, Word};
use crate::scenario::{Cuts, Scenario};
use crate::time::{Instant, Span};
use crate::turn::Class;

/// A call of a shape, or of an attempt of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Planned {
    /// Its number among the shape's calls: the row of its draws.
    pub row: u32,
    /// The step it is in.
    pub step: u32,
    /// The tool, an index into the scenario's.
    pub tool: u32,
}

#[derive(Debug)]
pub(super) struct Shape {
    pub calls: Vec<Planned>,
    pub steps: u32,
    pub same_arguments: bool,
}

#[derive(Debug)]
pub(super) struct World<'s> {
    pub scenario: &'s Scenario,
    pub seed: u64,
    /// Turns in the run: one per arrival.
    pub turns: u64,
    pub spacing: Span,
    pub shapes: Vec<Shape>,
    /// Upper ends of the shapes' shares of the unit interval.
    shares: Vec<f64>,
    pub classes: Vec<Class>,
    pub calendar: Calendar,
}

impl<'s> World<'s> {
    pub(super) fn new(scenario: &'s Scenario, seed: u64, turns: u64) -> Self {
        let shapes: Vec<Shape> = scenario.shapes.iter().map(Shape::new).collect();
        let mut sum = 0.0;
        let mut shares = scenario.shape_shares();
        for share in &mut shares {
            sum += *share;
            *share = sum;
        }
        let spacing = scenario.spacing();
        let span = u128::from(spacing.as_nanos()) * u128::from(turns);
        World {
            scenario,
            seed,
            turns,
            spacing,
            shapes,
            shares,
            classes: scenario.tools.iter().map(|tool| tool.class).collect(),
            calendar: Calendar::new(scenario.failure.incidents.as_ref(), seed, span),
        }
    }

    /// The draws of an attempt; attempt 0 stands for the turn itself.
    pub(super) fn draws(&self, arrival: u64, attempt: u32) -> Draws<'static> {
        Draws::new(self.seed, arrival, attempt)
    }

    /// The shape that a word chooses.
    pub(super) fn shape(&self, word: Word) -> usize {
        // The last share ends at 1 but for rounding.
        self.shares[..self.shares.len() - 1].iter().take_while(|end| word.lower() >= **end).count()
    }

    /// The shape of a turn that repeats no other.
    pub(super) fn shape_of(&self, arrival: u64) -> usize {
        if self.shapes.len() == 1 { 0 } else { self.shape(self.draws(arrival, 0).word(Site::Shape)) }
    }

    /// Arrivals per whole cell.
    pub(super) fn cell_size(&self) -> u64 {
        self.scenario.population.cell_size()
    }

    /// When an arrival comes, in nanoseconds since the start of the calendar: more than an [`Instant`] can hold in a
    /// long run, so cells count time from their own first arrival.
    pub(super) fn arrival_nanos(&self, arrival: u64) -> u128 {
        u128::from(self.spacing.as_nanos()) * u128::from(arrival)
    }

    /// The cut rate of an attempt: per second of open stream under hazard, a probability under fraction, incidents
    /// left out.
    pub(super) fn cut_rate(&self, attempt: u32) -> f64 {
        let rates = match &self.scenario.failure.cuts {
            Cuts::Hazard(hazard) => &hazard.per_second,
            Cuts::Fraction(fraction) => &fraction.rate,
        };
        rates[(attempt as usize - 1).min(rates.len() - 1)]
    }

    /// Crashes per second of active time.
    pub(super) fn crash_rate(&self) -> f64 {
        self.scenario.failure.crashes_per_hour / 3600.0
    }

    /// By what the cut rate is multiplied for an attempt that starts at `at` in a cell that begins at `origin`.
    pub(super) fn factor(&self, origin: u128, at: Instant) -> f64 {
        self.calendar.factor(origin + u128::from(at.as_nanos()))
    }
}

impl Shape {
    fn new(shape: &crate::scenario::Shape) -> Self {
        let of_step = |(step, tools): (usize, &Vec<usize>)| {
            tools.iter().map(move |tool| (step as u32, *tool as u32)).collect::<Vec<_>>()
        };
        let calls = shape.steps.iter().enumerate().flat_map(of_step);
        let calls = calls.enumerate().map(|(row, (step, tool))| Planned { row: row as u32, step, tool });
        Shape { calls: calls.collect(), steps: shape.steps.len() as u32, same_arguments: shape.same_arguments }
    }
}
