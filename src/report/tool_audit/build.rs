//! From one run, in which each route has a policy of its own, to the audit's data.

use super::needs::{needs, open, provides};
use super::{AuditedTool, Exposure, MonthExposure, PolicyExposure, RouteExposure, ToolAudit};
use crate::audit::Tally;
use crate::dispatch::rule::{Dispatcher, Rules};
use crate::report::build::Asked;
use crate::report::data::{Rate, SCHEMA, ScenarioId};
use crate::scenario::{Policy, Scenario};
use crate::sim::Outcome;

/// `scenario` with other policies: naive with every route, with each route alone and with none, then those of the
/// file that are not naive. A run of it is what [`ToolAudit::new`] takes.
#[must_use]
pub fn one_route_at_a_time(scenario: &Scenario) -> Scenario {
    let naive = |without_routes: Vec<usize>| Policy {
        name: "naive".to_owned(),
        rules: Rules::new(Dispatcher::Naive),
        ledger_loss: 0.0,
        row_retention: None,
        unavailable: 0.0,
        without_routes,
    };
    let routes = 0..scenario.routes.len();
    let mut policies = vec![naive(Vec::new())];
    policies.extend(routes.clone().map(|alone| naive(routes.clone().filter(|route| *route != alone).collect())));
    policies.push(naive(routes.collect()));
    policies.extend(guarding(scenario).cloned());
    Scenario { policies, ..scenario.clone() }
}

fn guarding(scenario: &Scenario) -> impl Iterator<Item = &Policy> {
    scenario.policies.iter().filter(|policy| policy.rules.dispatcher != Dispatcher::Naive)
}

impl ToolAudit {
    /// The audit of the tools of `scenario`, the one of the file, from a run of [`one_route_at_a_time`].
    ///
    /// # Panics
    /// Where the run is another's.
    #[must_use]
    pub fn new(scenario: &Scenario, asked: Asked<'_>, outcome: &Outcome) -> Self {
        let routes = scenario.routes.len();
        let tallies = &outcome.policies;
        assert_eq!(tallies.len(), routes + 2 + guarding(scenario).count(), "a tally for each policy");
        let tools = scenario.tools.iter().enumerate().map(|(place, tool)| {
            let exposure = |tally: &Tally| Exposure::of(scenario, tally, place);
            let repeats = tool.client.is_some_and(|client| client.retries > 0);
            AuditedTool {
                name: tool.name.clone(),
                class: tool.class,
                calls: tallies[0].tools[place].calls,
                unguarded: exposure(&tallies[0]),
                routes: (scenario.routes.iter().zip(&tallies[1..]))
                    .map(|(route, tally)| RouteExposure {
                        route: route.name.clone(),
                        when: route.when,
                        exposure: exposure(tally),
                    })
                    .collect(),
                own_client: repeats.then(|| exposure(&tallies[routes + 1])),
                needs: needs(scenario, tool),
                open: open(tool),
                policies: (guarding(scenario).zip(&tallies[routes + 2..]))
                    .map(|(policy, tally)| PolicyExposure {
                        policy: policy.name.clone(),
                        dispatcher: policy.rules.dispatcher,
                        provides: provides(policy.rules.dispatcher, tool.class),
                        exposure: exposure(tally),
                    })
                    .collect(),
            }
        });
        ToolAudit {
            schema: SCHEMA,
            scenario: ScenarioId::new(scenario, asked.set),
            seed: asked.seed,
            turns: asked.turns,
            tools: tools.collect(),
        }
    }
}

impl Exposure {
    fn of(scenario: &Scenario, tally: &Tally, tool: usize) -> Self {
        let hit = tally.patterns.iter().filter(|(pattern, _)| pattern[tool] > 0);
        let duplicate_turns = hit.map(|(_, turns)| turns).sum();
        let rate = (tally.turns > 0).then(|| Rate::of(duplicate_turns, tally.turns));
        let volume = scenario.volume.as_ref().map(|volume| volume.turns_per_month);
        Exposure {
            duplicates: tally.tools[tool].duplicates,
            duplicate_turns,
            month: rate.zip(volume).map(|(rate, turns)| MonthExposure {
                duplicate_turns: turns * rate.per_turn,
                low: turns * rate.low,
                high: turns * rate.high,
                upper: turns * rate.upper,
            }),
            rate,
        }
    }
}
