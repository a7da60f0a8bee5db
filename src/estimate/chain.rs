//! The chain over the attempts of a turn: which route answers each end, and what the turn has done when none does.

use super::attempt::{Attempt, Replay};
use super::reach::Reach;
use super::risk::{Risks, crash_rate};
use super::state::{End, Ended, Intent, Intents, Mass, Row, add};
use crate::dispatch::rule::{Component, OnInFlight};
use crate::scenario::{Cuts, Route, Scenario, Shape};
use crate::turn::{Positions, ReplayPosition, Resumes, When};
use std::collections::BTreeMap;

/// Looks of a history at the dispatcher before a shape counts as having too many: about half a second of work.
const LOOKS_MAX: u32 = 200_000;

/// The risks of each attempt of a scenario: by attempt as in `failure`, for a cut that would be noticed and one that
/// would be silent. The last attempt's hold from there on.
pub(super) struct RiskTable(Vec<[Risks; 2]>);

impl RiskTable {
    /// The table of `scenario`.
    pub(super) fn new(scenario: &Scenario) -> Self {
        let rates = match &scenario.failure.cuts {
            Cuts::Hazard(hazard) => hazard.per_second.clone(),
            Cuts::Fraction(_) => vec![0.0],
        };
        let risks = |rate: &f64| [false, true].map(|silent| Risks::new(scenario, *rate, crash_rate(scenario), silent));
        RiskTable(rates.iter().map(risks).collect())
    }

    fn of(&self, attempt: u32) -> &[Risks; 2] {
        let last = self.0.len() - 1;
        &self.0[last.min(attempt as usize - 1)]
    }
}

/// An attempt that will be made, whatever the turn has done before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    committed: bool,
    /// Replays issued so far, by route.
    issued: Box<[u32]>,
    /// The route that issues it, none for the original.
    route: Option<usize>,
    first_step: usize,
}

/// The turns of one shape under one policy.
pub(super) struct Chain<'a> {
    reach: Reach<'a>,
    shape: &'a Shape,
    risks: &'a RiskTable,
    routes: Vec<(usize, &'a Route)>,
    ended: Mass<Intents>,
    /// Histories followed in all.
    histories: usize,
}

impl<'a> Chain<'a> {
    /// What the turn's intents have in effects when it is resolved, with probabilities, and the number of histories
    /// that were followed; or the feature that prevents the derivation.
    pub(super) fn run(
        reach: Reach<'a>,
        shape: &'a Shape,
        risks: &'a RiskTable,
    ) -> Result<(Mass<Intents>, usize), String> {
        let routes = reach.routes().collect();
        let mut chain = Chain { reach, shape, risks, routes, ended: Mass::new(), histories: 0 };
        let original =
            Pending { committed: false, issued: vec![0; chain.routes.len()].into(), route: None, first_step: 0 };
        let nothing_done: Intents = vec![Intent::default(); shape.calls().count()].into();
        let mut pending = BTreeMap::from([(original, Mass::from([(nothing_done, 1.0)]))]);
        let mut looks = LOOKS_MAX;
        for number in 1..=reach.scenario.run.max_attempts {
            let mut next = BTreeMap::new();
            for (attempt, start) in &pending {
                chain.histories += start.len();
                for (ended, probability) in chain.attempt(attempt, start, number, &mut looks)? {
                    chain.answer(attempt, number, ended, probability, &mut next)?;
                }
            }
            if next.is_empty() {
                break;
            }
            pending = next;
        }
        Ok((chain.ended, chain.histories))
    }

    /// The ends of one attempt, from each of the histories in `start`.
    fn attempt(
        &self,
        pending: &Pending,
        start: &Mass<Intents>,
        number: u32,
        looks: &mut u32,
    ) -> Result<Mass<Ended>, String> {
        let Reach { scenario, policy } = self.reach;
        let silent = scenario.failure.silent;
        let fraction = match &scenario.failure.cuts {
            Cuts::Hazard(_) => None,
            Cuts::Fraction(f) => Some((f.rate[(f.rate.len() - 1).min(number as usize - 1)], f.window_fraction)),
        };
        let replay = pending.route.map(|route| Replay { route, place: self.place(route, pending.committed) });
        let watches_errors = self.routes.iter().any(|(_, route)| route.when == When::ToolError);
        let mut ends = Mass::new();
        for (risks, probability) in self.risks.of(number).iter().zip([1.0 - silent, silent]) {
            if probability > 0.0 {
                let attempt = Attempt { scenario, policy, shape: self.shape, risks, replay, watches_errors, fraction };
                for (ended, share) in attempt.walk(start, pending.first_step, looks)? {
                    add(&mut ends, ended, probability * share);
                }
            }
        }
        Ok(ends)
    }

    /// Where the keys of a replay by `route` are remembered.
    fn place(&self, route: usize, committed: bool) -> Option<usize> {
        let Reach { scenario, policy } = self.reach;
        let moves = policy.rules.key.has(Component::Position)
            && scenario.routes[route].position == ReplayPosition::Conversation;
        match scenario.population.positions {
            _ if !moves => Some(0),
            Positions::Committed => Some(usize::from(committed)),
            // Every such replay takes a number of its own.
            Positions::Messages => None,
        }
    }

    /// Draws the routes that an attempt's end calls, and resolves the turn where none issues a replay.
    fn answer(
        &mut self,
        attempt: &Pending,
        number: u32,
        ended: Ended,
        mut probability: f64,
        next: &mut BTreeMap<Pending, Mass<Intents>>,
    ) -> Result<(), String> {
        let committed = attempt.committed || matches!(ended.end, End::Committed { .. });
        let conditions: &[When] = match ended.end {
            End::Committed { erred: false } => &[When::Committed],
            End::Committed { erred: true } => &[When::Committed, When::ToolError],
            End::Cut => &[When::StreamError],
            End::Crashed => &[When::Crash],
            End::Refused => &[When::Refused],
        };
        let failed: &[When] = if committed { &[] } else { &[When::FailedTurn] };
        for whens in [conditions, failed].into_iter().take_while(|whens| !whens.is_empty()) {
            if probability == 0.0 {
                return Ok(());
            }
            let Some(place) = self.route(whens, &attempt.issued, number)? else { continue };
            let (index, route) = self.routes[place];
            let first_step = self.first_step(route, &ended)?;
            let mut issued = attempt.issued.clone();
            issued[place] += 1;
            let replay = Pending { committed, issued, route: Some(index), first_step };
            let intents = self.aged(&ended.intents, route);
            add(next.entry(replay).or_default(), intents, probability * route.probability);
            probability *= 1.0 - route.probability;
        }
        let mut intents = ended.intents;
        intents.iter_mut().for_each(|intent| intent.keys = Default::default());
        add(&mut self.ended, intents, probability);
        Ok(())
    }

    /// The one route, by its place among those of the policy, that can still issue a replay on these conditions.
    fn route(&self, whens: &[When], issued: &[u32], number: u32) -> Result<Option<usize>, String> {
        if number == self.reach.scenario.run.max_attempts {
            return Ok(None);
        }
        let able = |place: &usize| {
            let route = self.routes[*place].1;
            whens.contains(&route.when) && issued[*place] < route.max
        };
        let mut places = (0..self.routes.len()).filter(able);
        let first = places.next();
        if places.next().is_some() {
            let when = whens.iter().map(|when| when.name()).collect::<Vec<_>>().join(" or ");
            return Err(format!("two routes on {when}: their replays can overlap"));
        }
        Ok(first)
    }

    /// The step at which a replay by `route` after `ended` starts.
    fn first_step(&self, route: &Route, ended: &Ended) -> Result<usize, String> {
        let one_step = self.reach.scenario.shapes.iter().all(|shape| shape.steps.len() == 1);
        match route.resumes {
            Resumes::Turn => Ok(0),
            Resumes::Step if one_step && ended.finished == 1 => Err("resumes = step after the only step".to_owned()),
            Resumes::Step => Ok(ended.finished),
        }
    }

    /// What a replay by `route` finds: rows in flight whose lease has certainly run out are marked so. Every claim is
    /// older than the end of its attempt, and so is its claimant's death.
    fn aged(&self, intents: &Intents, route: &Route) -> Intents {
        let mut intents = intents.clone();
        if let OnInFlight::Takeover(lease) | OnInFlight::Reconcile(lease) = self.reach.policy.rules.on_in_flight {
            let length = lease.length.as_seconds_f64();
            let outlived = route.delay.as_constant().map_or_else(|| route.delay.cdf(length) == 0.0, |d| d >= length);
            for memory in intents.iter_mut().flat_map(|intent| &mut intent.keys) {
                if outlived && memory.row == Row::InFlight {
                    memory.row = Row::Expired;
                }
            }
        }
        intents
    }
}
