//! Files that are accepted, and what is read from them.

use super::{folder, scenarios, stem};
use doublefire::dispatch::rule::{Dispatcher, KeyMask, Lease, OnInFlight};
use doublefire::scenario::{Cuts, EMBEDDED, Input, Loaded, ReEmits, Scenario, load};
use doublefire::time::Span;
use doublefire::turn::{Kind, OnCut, ReplayPosition, Resumes, When};
use std::path::PathBuf;

/// Loads a text, which must be sound.
pub(super) fn loaded(origin: &str, text: &str, directory: Option<PathBuf>, sets: &[&str]) -> Loaded {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let input = Input { origin: origin.to_owned(), directory, text: text.to_owned(), sets };
    load(&input).unwrap_or_else(|found| panic!("{found}"))
}

fn valid(name: &str) -> Scenario {
    let path = folder("tests/scenario/valid").join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).expect("the file is part of the package");
    loaded(name, &text, Some(folder("tests/scenario/valid")), &[]).scenario
}

#[test]
fn the_cases_load() {
    let cases = scenarios("tests/cases");
    assert_eq!(cases.len(), 26);
    for (path, text) in cases {
        assert_eq!(loaded(stem(&path), &text, None, &[]).scenario.name, stem(&path));
    }
}

#[test]
fn the_embedded_scenarios_load_without_a_warning() {
    for (name, text) in EMBEDDED {
        let loaded = loaded(name, text, None, &[]);
        assert_eq!(loaded.scenario.name, *name);
        assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
        assert!(text.starts_with("# ") && text.contains('?'), "{name} opens with its question");
    }
}

#[test]
fn the_payments_window_takes_eleven_per_cent_of_the_cuts() {
    let scenario = loaded("payments", EMBEDDED[0].1, None, &[]).scenario;
    let Cuts::Hazard(hazard) = &scenario.failure.cuts else { panic!("payments has a hazard") };
    let transform =
        |distribution: &doublefire::dist::Distribution| 1.0 - distribution.laplace_deficit(hazard.per_second[0]);
    let tool = &scenario.tools[0];
    let reached = transform(&scenario.stream.prelude) * transform(&tool.arguments);
    let survived = transform(&tool.latency) * transform(&scenario.stream.gap);
    let (before, window) = (1.0 - reached, reached * (1.0 - survived));
    assert!((before + window - 0.006).abs() < 1e-12);
    assert_eq!(format!("{:.4}", window / (before + window)), "0.1100");
}

#[test]
fn the_least_scenario_gets_every_documented_default() {
    let scenario = valid("least");
    assert_eq!(scenario.title, "least");
    assert_eq!(scenario.volume, None);
    assert_eq!(scenario.stream.commit.as_constant(), Some(0.0));
    assert_eq!(scenario.stream.on_cut, OnCut::Finish);
    let Cuts::Hazard(hazard) = &scenario.failure.cuts else { panic!("least has a hazard") };
    assert_eq!((hazard.per_second.as_slice(), hazard.rate), ([2.2 / 3600.0].as_slice(), None));
    let tool = &scenario.tools[0];
    assert_eq!((tool.effect_at, tool.error_rate, tool.unknown_rate), (0.5, 0.0, 0.0));
    assert_eq!((tool.client, tool.retention, tool.status_query), (None, None, false));
    assert_eq!((scenario.shapes[0].weight, &scenario.shapes[0].steps), (1.0, &vec![vec![0]]));
    assert_eq!((scenario.re_emits, scenario.reserialised), (ReEmits::SAME, 1.0));
    assert_eq!((scenario.population.conversations, scenario.population.turns), (1000, 4));
    assert_eq!((scenario.run.turns, scenario.run.seed, scenario.run.max_attempts), (2_000_000, 1, 8));
    let policies: Vec<(&str, Dispatcher)> =
        scenario.policies.iter().map(|policy| (policy.name.as_str(), policy.rules.dispatcher)).collect();
    assert_eq!(policies, [("naive", Dispatcher::Naive), ("ledger", Dispatcher::LedgerAndHeader)]);
    for policy in &scenario.policies {
        assert_eq!(policy.rules, doublefire::dispatch::rule::Rules::new(policy.rules.dispatcher));
        assert_eq!((policy.ledger_loss, policy.row_retention, policy.unavailable), (0.0, None, 0.0));
    }
}

#[test]
fn what_the_file_says_is_what_the_scenario_holds() {
    let scenario = valid("everything-by-hazard");
    let Cuts::Hazard(hazard) = &scenario.failure.cuts else { panic!("it has a hazard") };
    assert_eq!((hazard.rate, hazard.per_second.len(), hazard.per_second[1]), (Some(0.006), 4, 0.0));
    assert!(hazard.per_second[3] > hazard.per_second[2] && hazard.per_second[2] > hazard.per_second[0]);
    assert_eq!((hazard.phases.arguments, hazard.phases.tool, hazard.phases.gap), (0.5, 2.0, 0.0));
    let tool = &scenario.tools[0];
    assert_eq!(tool.name, "send.payment = yes");
    assert_eq!(tool.client.map(|client| (client.timeout, client.retries)), Some((Span::from_seconds(30), 3)));
    assert_eq!((tool.unknown_rate, tool.retention), (0.002, Some(Span::from_seconds(86_400))));
    assert_eq!(scenario.shapes[0].steps, [vec![1], vec![0, 2], vec![]]);
    assert_eq!(scenario.shapes[1].steps, [Vec::<usize>::new()]);
    assert_eq!(scenario.re_emits(2, 1), ReEmits { same: 0.97, reworded: 0.02, dropped: 0.01 });
    assert_eq!(scenario.re_emits(0, 0), ReEmits { same: 0.9, reworded: 0.0, dropped: 0.1 });
    let policy = &scenario.policies[0];
    let lease = Lease { length: Span::ZERO, renew: true };
    assert_eq!(policy.rules.on_in_flight, OnInFlight::Reconcile(lease));
    assert_ne!(policy.rules.key, KeyMask::FULL);
    assert_eq!(policy.without_routes, [0, 1]);
    assert_eq!(scenario.files.len(), 1);
    assert_eq!(scenario.files[0].path, "latencies.csv");
    assert_eq!(scenario.tools[0].latency.cdf(0.63), 0.0);
    assert_eq!(scenario.tools[0].latency.cdf(1.5005), 1.0);
}

#[test]
fn a_rate_of_one_is_a_fraction_and_no_hazard() {
    let scenario = valid("everything-by-fraction");
    let Cuts::Fraction(fraction) = &scenario.failure.cuts else { panic!("it has a fraction") };
    assert_eq!((fraction.rate.as_slice(), fraction.window_fraction), ([1.0, 1.0, 0.0].as_slice(), 0.11));
}

#[test]
fn each_kind_of_route_has_its_defaults() {
    use ReplayPosition::{Conversation, Pinned};
    for (kind, when, position, resumes) in [
        (Kind::AutoRetry, When::StreamError, Pinned, Resumes::Step),
        (Kind::JobQueue, When::Crash, Pinned, Resumes::Turn),
        (Kind::LoadBalancer, When::Slow, Pinned, Resumes::Turn),
        (Kind::ClientReconnect, When::FailedTurn, Pinned, Resumes::Turn),
        (Kind::UserResend, When::FailedTurn, Conversation, Resumes::Turn),
    ] {
        let after = if when == When::Slow { "after = \"30s\"" } else { "" };
        let text = format!("{}\n[[route]]\nname = \"r\"\nkind = \"{kind}\"\n{after}\n", least());
        let route = loaded("route", &text, None, &[]).scenario.routes.remove(0);
        assert_eq!((route.when, route.position, route.resumes), (when, position, resumes));
        assert_eq!((route.probability, route.max, route.delay.as_constant()), (1.0, 1, Some(0.0)));
    }
    let text = format!("{}\n[[route]]\nname = \"r\"\nwhen = \"crash\"\n", least());
    let route = loaded("route", &text, None, &[]).scenario.routes.remove(0);
    assert_eq!((route.position, route.resumes), (Pinned, Resumes::Turn));
}

/// The text of the least scenario.
pub(super) fn least() -> String {
    std::fs::read_to_string(folder("tests/scenario/valid/least.toml")).expect("the file is part of the package")
}

#[test]
fn the_hash_is_that_of_the_text_whatever_is_set() {
    let plain = loaded("a", &least(), None, &[]).scenario.sha256;
    assert_eq!(plain, loaded("b", &least(), None, &["run.turns=5"]).scenario.sha256);
}

#[test]
fn a_key_without_arguments_but_canonical_is_a_warning_and_so_is_a_tool_nobody_calls() {
    let text = least()
        + "\n[[policy]]\nname = \"p\"\ndispatcher = \"ledger\"\nkey = [\"position\", \"canonical\"]\n"
        + "\n[[tool]]\nname = \"idle\"\nclass = \"read\"\narguments = \"1s\"\nlatency = \"1s\"\n";
    let warnings = loaded("warned.toml", &text, None, &[]).warnings;
    assert!(!warnings.has_errors());
    insta::assert_snapshot!(warnings.render(false));
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_change_nothing() {
    let text = format!("\u{feff}{}", least().replace('\n', "\r\n"));
    assert_eq!(loaded("windows", &text, None, &[]).scenario.name, "least");
    let broken = text.replace("\"8s\"", "8");
    let input = doublefire::scenario::Input { origin: "windows".to_owned(), text: broken, ..Default::default() };
    let found = load(&input).expect_err("a bare number");
    let places: Vec<(usize, usize)> = found.errors().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(6, 11)]);
}
