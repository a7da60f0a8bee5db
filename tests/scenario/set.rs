//! `--set PATH=VALUE`.

use super::accepted::{least, loaded};
use doublefire::scenario::{Cuts, EMBEDDED, Input, Scenario, load};
use doublefire::time::Span;
use doublefire::turn::{Class, Handling};

fn payments(sets: &[&str]) -> Scenario {
    loaded("payments", EMBEDDED[0].1, None, sets).scenario
}

/// The messages about an edited payments scenario, which must not load.
fn refused(sets: &[&str]) -> String {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let input = Input { origin: "payments.toml".to_owned(), text: EMBEDDED[0].1.to_owned(), sets, ..Input::default() };
    load(&input).expect_err("these edits are wrong").render(false)
}

#[test]
fn a_value_is_toml_or_else_text() {
    let scenario = payments(&["tool.send_payment.latency.lognormal.mean=2s", "run.turns=5", "title=\"a = b\""]);
    assert!((scenario.tools[0].latency.mean() - 2.0).abs() < 1e-12);
    assert_eq!((scenario.run.turns, scenario.title.as_str()), (5, "a = b"));
    assert_eq!(payments(&["title=two words"]).title, "two words");
    assert_eq!(payments(&["title="]).title, "");
    let Cuts::Hazard(hazard) = payments(&["failure.hazard.rate=1%"]).failure.cuts else { panic!("a hazard") };
    assert_eq!(hazard.rate, Some(0.01));
}

#[test]
fn the_last_of_two_edits_of_a_key_holds() {
    assert_eq!(payments(&["run.seed=5", "run.seed=6"]).run.seed, 6);
}

#[test]
fn array_entries_go_by_name_and_else_by_number() {
    let scenario = payments(&[
        "route.sdk retry.max=3",
        "route.\"sdk retry\".probability=50%",
        "shape.0.weight=7",
        "policy.ledger.lease=\"5s\"",
        "policy.ledger.on_in_flight=takeover",
        "policy.1.wait_timeout=3s",
        "tool.send_payment.class=keyed_write",
        "policy.ledger.key.4=call_id",
    ]);
    assert_eq!((scenario.routes[0].max, scenario.routes[0].probability), (3, 0.5));
    assert_eq!((scenario.shapes[0].weight, scenario.tools[0].class), (7.0, Class::KeyedWrite));
    assert_eq!(scenario.policies[1].rules.wait_timeout, Span::from_seconds(3));
}

#[test]
fn a_key_the_file_leaves_out_can_be_set() {
    let scenario = payments(&[
        "population.conversations=3",
        "stream.handler=concurrent",
        "tool.send_payment.error_rate=0.1",
        "failure.incidents={ per_month = 1, duration = \"1h\", factor = 9 }",
        "failure.hazard.phases.gap=0",
        "stream.commit.exponential.mean=3s",
    ]);
    assert_eq!((scenario.population.conversations, scenario.population.turns), (3, 4));
    assert_eq!((scenario.stream.handler, scenario.tools[0].error_rate), (Handling::Concurrent, 0.1));
    assert_eq!(scenario.failure.incidents.map(|i| i.duration), Some(Span::from_seconds(3600)));
    assert_eq!(scenario.stream.commit.mean(), 3.0);
}

#[test]
fn policies_that_the_file_leaves_to_the_default_can_be_edited() {
    let scenario = loaded("least", &least(), None, &["policy.ledger.wait_timeout=5s"]).scenario;
    assert_eq!(scenario.policies.len(), 2);
    assert_eq!(scenario.policies[1].rules.wait_timeout, Span::from_seconds(5));
}

#[test]
fn another_family_takes_the_place_of_the_one_that_stands_there() {
    let scenario = payments(&["tool.send_payment.latency.gamma={ mean = \"3s\", cv = 0.5 }"]);
    assert!((scenario.tools[0].latency.mean() - 3.0).abs() < 1e-12);
    let scenario = payments(&["tool.send_payment.latency=2s"]);
    assert_eq!(scenario.tools[0].latency.as_constant(), Some(2.0));
    let scenario = payments(&["tool.send_payment.latency=2s", "tool.send_payment.latency.exponential.mean=4s"]);
    assert_eq!(scenario.tools[0].latency.mean(), 4.0);
    let scenario = payments(&[
        "stream.gap={ exponential = { mean = \"1s\" }, shift = \"1s\" }",
        "stream.gap.uniform.min=0s",
        "stream.gap.uniform.max=2s",
    ]);
    assert_eq!(scenario.stream.gap.mean(), 2.0);
}

#[test]
fn a_key_takes_the_place_of_one_that_it_excludes() {
    let Cuts::Hazard(hazard) = payments(&["failure.hazard.per_hour=2"]).failure.cuts else { panic!("a hazard") };
    assert_eq!((hazard.rate, hazard.per_second), (None, vec![2.0 / 3600.0]));
    let scenario = payments(&["failure.fraction.rate=0.1", "failure.fraction.window_fraction=0.2"]);
    assert!(matches!(scenario.failure.cuts, Cuts::Fraction(fraction) if fraction.window_fraction == 0.2));
    assert_eq!(payments(&["shape.0.steps=[[], [\"send_payment\"]]"]).shapes[0].steps, [vec![], vec![0]]);
}

#[test]
fn a_wrong_edit_is_shown_with_its_own_text() {
    insta::assert_snapshot!(refused(&[
        "tool.send_payment.latency.lognormal.mean=2 fortnights",
        "tool.send_paymnet.latency=2s",
        "stream.preluda=2s",
        "run.turns.most=2",
        "shape.1.weight=2",
        "failure.fraction={ rate = 0.1 }",
        "stream.gap={ exponential = ",
        "policy.ledger.lease=5s",
        "no equals sign",
        "=5",
        "a..b=5",
        "\"open=5",
        "volume.turns_per_month=",
    ]));
}

#[test]
fn a_contradiction_between_file_and_edit_shows_both() {
    insta::assert_snapshot!(refused(&[
        "stream.handler=concurrent",
        "failure.idle_timeout=60s",
        "tool.send_payment.retention=1h"
    ]));
}
