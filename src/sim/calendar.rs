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
    /// Those that begin before the horizon: disjoint, ascending; nanoseconds since the calendar's start.
    incidents: Vec<(u128, u128)>,
    /// The incidents after those, drawn where a late replay asks.
    rest: Option<Process>,
    factor: f64,
}

/// The Poisson process of incidents, one after the other.
#[derive(Debug, Clone)]
struct Process {
    draws: Draws<'static>,
    mean_gap: f64,
    mean_length: f64,
    row: usize,
    /// Nanoseconds from [`LEAD`] mean lengths before the calendar's start to the start of the next incident.
    start: u128,
    lead: u128,
}

impl Process {
    fn new(law: &Incidents, seed: u64) -> Self {
        let lead = u128::from(law.duration.as_nanos()) * u128::from(LEAD);
        let mean_gap = MONTH.as_seconds_f64() / law.per_month;
        let mean_length = law.duration.as_seconds_f64();
        let mut process = Process { draws: Draws::calendar(seed), mean_gap, mean_length, row: 0, start: 0, lead };
        process.start = process.gap();
        process
    }

    fn gap(&self) -> u128 {
        let seconds = self.draws.word_of(Site::IncidentGap, self.row).exponential() * self.mean_gap;
        u128::from(Span::from_seconds_f64(seconds).as_nanos())
    }

    /// The next incident, if it begins before `horizon`: from when to when on the calendar.
    fn next_before(&mut self, horizon: u128) -> Option<(u128, u128)> {
        if self.start >= self.lead + horizon {
            return None;
        }
        let seconds = self.draws.word_of(Site::IncidentLength, self.row).exponential() * self.mean_length;
        let end = self.start + u128::from(Span::from_seconds_f64(seconds).as_nanos());
        let incident = (self.start.saturating_sub(self.lead), end.saturating_sub(self.lead));
        self.row += 1;
        self.start += self.gap();
        Some(incident)
    }
}

impl Calendar {
    /// The calendar for a run whose last turn arrives after `horizon` nanoseconds.
    pub(super) fn new(incidents: Option<&Incidents>, seed: u64, horizon: u128) -> Self {
        let Some(law) = incidents else { return Calendar { incidents: Vec::new(), rest: None, factor: 1.0 } };
        let mut process = Process::new(law, seed);
        let mut incidents: Vec<(u128, u128)> = Vec::new();
        while let Some((from, to)) = process.next_before(horizon) {
            match incidents.last_mut() {
                _ if to == 0 => {} // over before the calendar begins
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => incidents.push((from, to)),
            }
        }
        Calendar { incidents, rest: Some(process), factor: law.factor }
    }

    /// By what the cut rate is multiplied at this time.
    pub(super) fn factor(&self, nanos: u128) -> f64 {
        let begun = self.incidents.partition_point(|(from, _)| *from <= nanos);
        let inside = begun > 0 && nanos < self.incidents[begun - 1].1;
        if inside || self.in_the_rest(nanos) { self.factor } else { 1.0 }
    }

    /// Whether an incident that begins after the horizon holds this time: only replays and delayed turns come so late.
    fn in_the_rest(&self, nanos: u128) -> bool {
        let Some(mut process) = self.rest.clone() else { return false };
        std::iter::from_fn(|| process.next_before(nanos + 1)).any(|(_, to)| nanos < to)
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

    #[test]
    fn the_calendar_goes_on_beyond_its_horizon() {
        let law = Incidents { per_month: 50.0, duration: Span::from_seconds(36_000), factor: 2.0 };
        let month = u128::from(MONTH.as_nanos());
        let (short, long) = (Calendar::new(Some(&law), 3, 0), Calendar::new(Some(&law), 3, 4 * month));
        for hour in 0..3_000 {
            let at = month * hour / 730;
            assert_eq!(short.factor(at), long.factor(at), "hour {hour}");
        }
    }
}
