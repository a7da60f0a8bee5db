//! The calendar of incidents, drawn once for a run and shared by all cells and policies.

use crate::draw::{Draws, Site};
use crate::scenario::Incidents;
use crate::time::{MONTH, Span};

/// Incidents are drawn from so many mean lengths before the calendar begins: of those that began earlier one in e⁴⁰
/// would last into it.
const LEAD: u64 = 40;

/// When the cut rate is raised, and to how much.
#[derive(Debug)]
pub(super) struct Calendar {
    /// Disjoint, ascending; nanoseconds since the calendar's start.
    incidents: Vec<(u128, u128)>,
    factor: f64,
}

impl Calendar {
    /// The calendar for a run that lasts `length` nanoseconds.
    pub(super) fn new(incidents: Option<&Incidents>, seed: u64, length: u128) -> Self {
        let Some(law) = incidents else { return Calendar { incidents: Vec::new(), factor: 1.0 } };
        let draws = Draws::calendar(seed);
        let mean_gap = MONTH.as_seconds_f64() / law.per_month;
        let lead = u128::from(law.duration.as_nanos()) * u128::from(LEAD);
        let mut incidents: Vec<(u128, u128)> = Vec::new();
        let mut start = 0; // counted from `lead` before the calendar's start
        for row in 0.. {
            let gap = Span::from_seconds_f64(draws.word_of(Site::IncidentGap, row).exponential() * mean_gap);
            start += u128::from(gap.as_nanos());
            if start >= lead + length {
                break;
            }
            let mean = law.duration.as_seconds_f64();
            let lasts = Span::from_seconds_f64(draws.word_of(Site::IncidentLength, row).exponential() * mean);
            let (from, to) = (start.saturating_sub(lead), (start + u128::from(lasts.as_nanos())).saturating_sub(lead));
            match incidents.last_mut() {
                _ if to == 0 => {} // over before the calendar begins
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => incidents.push((from, to)),
            }
        }
        Calendar { incidents, factor: law.factor }
    }

    /// By what the cut rate is multiplied at this time.
    pub(super) fn factor(&self, nanos: u128) -> f64 {
        let begun = self.incidents.partition_point(|(from, _)| *from <= nanos);
        let inside = begun > 0 && nanos < self.incidents[begun - 1].1;
        if inside { self.factor } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_time_in_incidents_is_that_of_a_stationary_process() {
        let law = Incidents { per_month: 20.0, duration: Span::from_seconds(36_000), factor: 30.0 };
        let months = 4_000_u128;
        let month = u128::from(MONTH.as_nanos());
        let calendar = Calendar::new(Some(&law), 1, months * month);
        let inside: u128 = calendar.incidents.iter().map(|(from, to)| (*to).min(months * month) - from).sum();
        let share = inside as f64 / (months * month) as f64;
        let expected = -libm::expm1(-20.0 * 36_000.0 / MONTH.as_seconds_f64());
        // 80,000 incidents: the share's standard error is about 0.001 (false alarm 6e-5 at four of them).
        assert!((share - expected).abs() < 0.004, "{share} against {expected}");
        assert!(calendar.incidents.windows(2).all(|w| w[0].1 < w[1].0), "overlaps are merged");
        let (from, to) = calendar.incidents[7];
        assert_eq!([from - 1, from, to - 1, to].map(|t| calendar.factor(t)), [1.0, 30.0, 30.0, 1.0]);
    }

    #[test]
    fn some_calendars_begin_within_an_incident() {
        let law = Incidents { per_month: 100.0, duration: Span::from_seconds(36_000), factor: 2.0 };
        let month = u128::from(MONTH.as_nanos());
        let begun = (0..1000).filter(|seed| Calendar::new(Some(&law), *seed, month).factor(0) > 1.0).count() as f64;
        let expected = -libm::expm1(-100.0 * 36_000.0 / MONTH.as_seconds_f64()) * 1000.0;
        // Binomial, standard error 14: false alarm 6e-5 at four of them.
        assert!((begun - expected).abs() < 56.0, "{begun} against {expected}");
    }
}
