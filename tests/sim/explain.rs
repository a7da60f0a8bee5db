//! Explained turns: what is told of single turns adds up to what the run counts, and what is found is the first.

use super::generate::{Scope, parts};
use super::support::{run, run_with, scenario};
use doublefire::audit::Tally;
use doublefire::report::Asked;
use doublefire::report::explain::{About, Explanation, sequence};
use doublefire::report::sequence::{Mark, svg, text};
use doublefire::scenario::{EMBEDDED, Scenario};
use doublefire::sim::explain::{Trace, explain};
use doublefire::sim::find::{Among, Search, Sought, find};
use doublefire::sim::{Phase, What, run_event_by_event};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

/// Cells small enough that each turn can be explained by playing its whole cell.
const SMALL_CELLS: [&str; 2] = ["population.conversations=3", "population.turns=8"];

/// Every built-in scenario, in small cells.
fn library() -> impl Iterator<Item = Scenario> {
    EMBEDDED.iter().map(|(_, text)| scenario(text, &SMALL_CELLS))
}

fn traces(scenario: &Scenario, seed: u64, turns: u64, policy: usize) -> impl Iterator<Item = Trace> {
    (0..turns).map(move |turn| explain(scenario, seed, turns, turn, policy))
}

fn sum(traces: impl Iterator<Item = Trace>, tools: usize) -> Tally {
    let mut sum = Tally::new(tools);
    traces.for_each(|trace| sum += &trace.tally);
    sum
}

#[test]
fn five_thousand_explained_turns_add_up_to_the_run() {
    let scenario = scenario(EMBEDDED[0].1, &["failure.hazard.rate=20%", SMALL_CELLS[0], SMALL_CELLS[1]]);
    let counted = run_with(run_event_by_event, &scenario, 5_000, 4, 1);
    for (policy, counted) in counted.iter().enumerate() {
        assert_eq!(sum(traces(&scenario, 4, 5_000, policy), 1), *counted, "{}", scenario.policies[policy].name);
    }
    assert!(counted[0].duplicates > 50, "the danger was there");
}

#[test]
fn the_explained_turns_of_every_scenario_add_up_to_its_run() {
    for scenario in library() {
        let turns = 150;
        let counted = run(&scenario, turns, 9);
        for (policy, counted) in counted.iter().enumerate() {
            let sum = sum(traces(&scenario, 9, turns, policy), scenario.tools.len());
            assert_eq!(sum, *counted, "{} {}", scenario.name, scenario.policies[policy].name);
        }
    }
}

#[test]
fn events_are_told_in_order_of_time_from_the_turns_beginning_to_its_end() {
    for scenario in library() {
        for policy in 0..scenario.policies.len() {
            for trace in traces(&scenario, 2, 40, policy) {
                assert!(trace.events.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns), "{}", scenario.name);
                let own: Vec<_> = trace.events.iter().filter(|event| event.turn == trace.turn).collect();
                assert!(matches!(own[0].what, What::TurnBegins { .. }) && own[0].at_ns >= 0);
                assert!(own.iter().any(|event| matches!(event.what, What::Resolved { .. })));
                assert!(own.iter().all(|event| event.call.is_none_or(|call| trace.calls[call].turn == trace.turn)));
            }
        }
    }
}

#[test]
fn every_marked_effect_is_a_duplicate_that_the_judge_counts_with_its_cause() {
    let mut marked = 0;
    for scenario in library() {
        for policy in 0..scenario.policies.len() {
            for trace in traces(&scenario, 5, 100, policy) {
                let mut causes = trace.tally.causes;
                causes.fill(0);
                let own = trace.events.iter().filter(|event| event.turn == trace.turn);
                own.filter_map(|event| event.duplicate).for_each(|cause| causes[cause.index()] += 1);
                assert_eq!(causes, trace.tally.causes, "{} turn {}", scenario.name, trace.turn);
                marked += trace.tally.duplicates;
            }
        }
    }
    assert!(marked > 500, "{marked} duplicates");
}

#[test]
fn a_drawn_span_is_the_time_that_passes() {
    let scenario = scenario(EMBEDDED[0].1, &["failure.hazard.rate=0"]);
    for trace in traces(&scenario, 1, 20, 0) {
        let span = |event: usize| trace.events[event].draws[0].span.expect("a span").as_nanos() as i64;
        let prelude =
            trace.events.iter().position(|event| matches!(event.what, What::Enters { phase: Phase::Prelude, .. }));
        let prelude = prelude.expect("every stream begins with one");
        let opens = trace.events.iter().position(|event| event.what == What::BlockOpens).expect("one call");
        assert_eq!(trace.events[opens].at_ns - trace.events[prelude].at_ns, span(prelude));
    }
}

/// Looks at every turn in order.
fn brute_force(scenario: &Scenario, seed: u64, turns: u64, policy: usize, sought: Sought) -> Option<u64> {
    let counted = |trace: &Trace| match sought {
        Sought::Duplicate => trace.tally.duplicates,
        Sought::Swallowed => trace.tally.swallowed,
        Sought::Stuck => trace.tally.stuck,
        Sought::Waited => trace.tally.waits,
    };
    traces(scenario, seed, turns, policy).find(|trace| counted(trace) > 0).map(|trace| trace.turn)
}

#[test]
fn what_is_found_is_the_first_turn_of_its_kind() {
    let (turns, seed) = (120, 3);
    let stop = AtomicBool::new(false);
    let among = Among { turns, seed, progress: &|_| {}, stop: &stop };
    let mut found = [0; Sought::ALL.len()];
    for scenario in library() {
        for policy in 0..scenario.policies.len() {
            for sought in Sought::ALL {
                let first = brute_force(&scenario, seed, turns, policy, *sought);
                let search = find(&scenario, &among, policy, *sought);
                assert_eq!(search, first.map_or(Search::None, Search::Found), "{} {sought}", scenario.name);
                found[sought.index()] += usize::from(first.is_some());
            }
        }
    }
    assert!(found.iter().all(|n| *n >= 3), "each kind is found somewhere: {found:?}");
}

#[test]
fn a_search_ends_where_it_is_told_to() {
    let scenario = scenario(EMBEDDED[0].1, &["failure.hazard.rate=0"]);
    let stop = AtomicBool::new(false);
    let search = |stop: &AtomicBool| {
        find(&scenario, &Among { turns: 10_000, seed: 1, progress: &|_| {}, stop }, 0, Sought::Duplicate)
    };
    assert_eq!(search(&stop), Search::None);
    assert_eq!(search(&AtomicBool::new(true)), Search::Stopped);
}

/// What people see of a turn.
fn shown(scenario: &Scenario, seed: u64, turns: u64, turn: u64, policy: usize) -> (Explanation, String, String) {
    let asked = Asked { seed, turns, set: &[] };
    let explanation = Explanation::new(scenario, About { asked, turn, policy, found: None });
    let sequence = sequence(&explanation, "doublefire explain x");
    let (text, picture) = (text::render(&sequence), svg::render(&sequence));
    (explanation, text, picture)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_turn_of_any_scenario_can_be_explained(
        which in 0..EMBEDDED.len(),
        policy in any::<prop::sample::Index>(),
        seed in 0..u64::MAX >> 1,
        turn in 0..60_u64,
    ) {
        let scenario = scenario(EMBEDDED[which].1, &SMALL_CELLS);
        let policy = policy.index(scenario.policies.len());
        let (explanation, text, picture) = shown(&scenario, seed, 60, turn, policy);
        prop_assert!(explanation.events.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
        prop_assert!(roxmltree::Document::parse(&picture).is_ok());
        prop_assert!(text.contains("What it comes to"));
    }

    #[test]
    fn any_turn_of_a_generated_scenario_can_be_explained(
        parts in parts(Scope::All),
        policy in any::<prop::sample::Index>(),
        turn in 0..40_u64,
    ) {
        let scenario = scenario(&parts.text(), &[]);
        let policy = policy.index(scenario.policies.len());
        let (explanation, _, picture) = shown(&scenario, 1, 40, turn, policy);
        prop_assert!(explanation.events.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
        prop_assert!(roxmltree::Document::parse(&picture).is_ok());
        for event in explanation.events {
            prop_assert_eq!(event.mark == Mark::Duplicate, event.cause.is_some());
        }
    }

    #[test]
    fn explained_turns_of_generated_scenarios_add_up_to_their_run(parts in parts(Scope::All)) {
        let scenario = scenario(&parts.text(), &[]);
        let turns = scenario.population.cell_size().min(60);
        let counted = run(&scenario, turns, 9);
        for (policy, counted) in counted.iter().enumerate() {
            let sum = sum(traces(&scenario, 9, turns, policy), scenario.tools.len());
            prop_assert_eq!(&sum, counted, "{}", scenario.policies[policy].name);
        }
    }
}

#[test]
fn a_turn_beyond_the_end_of_time_is_explained_as_the_run_plays_it() {
    for (name, played_alone) in [("payments", true), ("swallowed-repeat", false)] {
        let text = EMBEDDED.iter().find(|(known, _)| *known == name).expect("it is built in").1;
        for volume in ["1e-9", "0.0003", "0.001"] {
            let scenario = scenario(text, &[&format!("volume.turns_per_month={volume}")]);
            for policy in 0..scenario.policies.len() {
                for turn in [0, 40, 299] {
                    let (explanation, ..) = shown(&scenario, 1, 300, turn, policy);
                    let played = explanation.counts.contains_key("attempts");
                    assert!(played || !played_alone, "{name} {volume} turn {turn}");
                    assert!(!explanation.verdict.is_empty());
                }
            }
        }
    }
}
