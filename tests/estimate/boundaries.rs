//! Where the derivations end: what used to be claimed beyond has a name, or the right figure, here.

use crate::{exact, scenario, text};
use doublefire::estimate::{Exact, estimate};

const PAY: &str = "[[shape]]\ncalls = [\"send_payment\"]\n";
const NAIVE: &str = "[[policy]]\nname = \"naive\"\ndispatcher = \"naive\"\n";
const RETRY: &str = "[[route]]\nname = \"retry\"\nkind = \"auto_retry\"\n";
const ON_ERROR: &str = "[[route]]\nname = \"error\"\nwhen = \"tool_error\"\n";
const CALM: &str = "hazard = { rate = 0 }";

fn figure(stream: &str, failure: &str, tool: &str, rest: &str) -> Result<Exact, String> {
    estimate(&scenario(&text(stream, failure, tool, rest))).policies.remove(0)
}

fn left_out(stream: &str, failure: &str, tool: &str, rest: &str) -> Vec<String> {
    estimate(&scenario(&text(stream, failure, tool, rest))).headline_leaves_out
}

/// A second tool of class `keyed_write`, a header policy of this key, and a shape that calls both tools.
fn with_mail(settings: &str, key: &str) -> String {
    format!(
        "[[tool]]\nname = \"mail\"\nclass = \"keyed_write\"\narguments = \"300ms\"\nlatency = \"1s\"\n{settings}\n\
         [[shape]]\ncalls = [\"mail\", \"send_payment\"]\n\
         [[policy]]\nname = \"header\"\ndispatcher = \"header\"\nkey = [{key}]\n"
    )
}

#[test]
fn a_rejected_key_is_a_tool_error_that_replays_the_turn() {
    let rejecting = |key: &str| {
        let rest = with_mail("on_mismatch = \"reject\"", key) + ON_ERROR;
        figure("", CALM, "", &rest)
    };
    assert_eq!(
        rejecting("\"conversation\", \"tool\""),
        Err("a key without arguments: other turns share it".to_owned())
    );
    // With the arguments in it, no key is met with others: nothing fails, nothing is replayed.
    let kept = rejecting("\"conversation\", \"tool\", \"arguments\"").expect("a guarantee");
    assert_eq!(kept.formula, "0: no replay is ever issued, so every call is dispatched once");
}

#[test]
fn an_effect_still_to_come_is_not_found_by_a_reconcile() {
    let policy = |on: &str| {
        let ledger = "[[policy]]\nname = \"ledger\"\ndispatcher = \"ledger\"\nlease = \"1s\"\n";
        let tool = "client_timeout = \"500ms\"\nstatus_query = true";
        let route = ON_ERROR.to_owned() + "delay = \"2s\"\n";
        figure("", CALM, tool, &(PAY.to_owned() + &route + ledger + on))
    };
    assert_eq!(
        policy("on_in_flight = \"reconcile\"\n"),
        Err("client_timeout with reconcile: an effect still to come is not found".to_owned())
    );
    assert!(policy("on_in_flight = \"takeover\"\n").is_ok(), "a takeover does not ask");
}

#[test]
fn a_reconcile_asks_one_tool_only_and_a_key_of_several_needs_failed_rows_to_stay() {
    let reconciling = |on_failed: &str, key: &str| {
        let rest = format!(
            "[[tool]]\nname = \"mail\"\nclass = \"unkeyed_write\"\narguments = \"1s\"\nlatency = \"1s\"\n\
             error_rate = 0.5\nstatus_query = true\n\
             [[shape]]\ncalls = [\"send_payment\", \"mail\"]\nsame_arguments = true\n{RETRY}\
             [[policy]]\nname = \"ledger\"\ndispatcher = \"ledger\"\nkey = [{key}]\n\
             on_in_flight = \"reconcile\"\nlease = \"1s\"\non_failed = \"{on_failed}\"\n"
        );
        figure("on_cut = \"cancel\"", "hazard = { rate = 0.4 }", "status_query = true", &rest)
    };
    let shared = "\"conversation\", \"position\", \"arguments\", \"canonical\"";
    let apart = "\"conversation\", \"position\", \"tool\", \"arguments\", \"canonical\"";
    assert_eq!(
        reconciling("reclaim", shared),
        Err("same_arguments under drift or without tool and ordinal".to_owned())
    );
    for (on_failed, key) in [("raise", shared), ("reclaim", apart), ("raise", apart)] {
        let zero = reconciling(on_failed, key).expect("a guarantee");
        assert!(zero.formula.starts_with("0: every run of an intent claims one key"), "{}", zero.formula);
    }
}

#[test]
fn an_error_of_a_keyed_tool_depends_on_whether_an_effect_is_still_to_come() {
    let key = "\"conversation\", \"position\", \"tool\", \"arguments\", \"canonical\"";
    let late = with_mail("error_rate = 0.2\nclient_timeout = \"500ms\"", key) + ON_ERROR;
    let name = "client_timeout of a tool that takes keys and has errors";
    assert_eq!(figure("", CALM, "", &late), Err(name.to_owned()));

    let detached = |settings: &str| {
        let rest = with_mail(settings, key) + ON_ERROR + RETRY;
        figure("handler = \"concurrent\"", "hazard = { rate = 0.3 }", "", &rest)
    };
    let name = "a concurrent handler and a tool_error route with a tool that takes keys and has errors";
    assert_eq!(detached("error_rate = 0.2"), Err(name.to_owned()));
    assert!(detached("").is_ok());
}

#[test]
fn a_given_window_needs_time_after_the_dispatch() {
    let given = "fraction = { rate = 0.4, window_fraction = 0.3 }";
    let of = |stream: &str, steps: &str, latency: &str| {
        let text = format!(
            "schema = 1\nname = \"short\"\n[stream]\nprelude = \"4s\"\n{stream}\n[failure]\n{given}\n\
             [[tool]]\nname = \"pay\"\nclass = \"unkeyed_write\"\narguments = \"1s\"\nlatency = {latency}\n\
             [[shape]]\nsteps = [{steps}]\n{RETRY}resumes = \"turn\"\n{NAIVE}"
        );
        let mut estimate = estimate(&scenario(&text));
        (estimate.policies.remove(0), estimate.headline_leaves_out)
    };
    let (concurrent, often) =
        ("handler = \"concurrent\"\ngap = \"0s\"", "{ empirical = { samples = [\"0s\", \"2s\"] } }");
    let words = "that a cut strikes anywhere in a stream that ends with its dispatch".to_owned();
    for (stream, latency) in [("gap = \"0s\"", "\"0s\""), (concurrent, "\"2s\""), ("gap = \"0s\"", often)] {
        let (figure, left_out) = of(stream, "[\"pay\"]", latency);
        assert_eq!(figure, Err("no time after the dispatch under `fraction`".to_owned()), "{stream}, {latency}");
        assert!(left_out.contains(&words), "{left_out:?}");
    }
    for (stream, steps, latency) in [
        ("gap = \"1s\"", "[\"pay\"]", "\"0s\""),
        ("gap = \"0s\"", "[\"pay\"]", "\"2s\""),
        ("gap = \"0s\"", "[\"pay\"], []", "\"0s\""),
    ] {
        let (figure, left_out) = of(stream, steps, latency);
        let derived = figure.expect("the window has a length").duplicates_per_turn;
        assert!((derived - 0.12 * (1.0 - 0.28)).abs() < 1e-15, "{derived} with {stream}, {latency}");
        assert!(!left_out.contains(&words), "{left_out:?}");
    }
}

#[test]
fn a_certain_duplicate_has_probability_one_whatever_the_mix() {
    for shapes in 1..40 {
        let rest = PAY.repeat(shapes) + "[[route]]\nname = \"lost\"\nwhen = \"committed\"\n" + NAIVE;
        let exact = figure("", CALM, "", &rest).expect("a figure");
        let sum: f64 = exact.patterns.iter().map(|(_, p)| p).sum();
        for p in [exact.duplicate_turn_probability, sum] {
            assert!(p <= 1.0 && p > 1.0 - 1e-14, "{p} for {shapes} shapes");
        }
    }
}

#[test]
fn a_client_that_gives_up_first_leaves_nothing_to_the_idle_timeout() {
    let failure = "fraction = { rate = 0.4, window_fraction = 0.3 }\nidle_timeout = \"800ms\"";
    let rates = |tool: &str| {
        let estimate = estimate(&scenario(&text("", failure, tool, &(PAY.to_owned() + RETRY + NAIVE))));
        exact(&estimate, 0);
        (estimate.failure_rate, estimate.headline_rate)
    };
    assert_eq!(rates("client_timeout = \"500ms\""), (0.4, 0.12));
    // P(latency > 0.8 s): sigma 0.6, median 0.82·e^{−0.18}; Φ(−(ln(0.8/0.82) + 0.18)/0.6) = Φ(−0.258845).
    let (cut, window) = rates("");
    assert!((cut - (0.4 + 0.6 * 0.397_877)).abs() < 1e-5 && (cut - window - 0.28).abs() < 1e-12, "{cut} {window}");
}

#[test]
fn the_headline_names_cuts_that_double_nothing() {
    let cut = "hazard = { rate = 0.1 }";
    let plain = PAY.to_owned() + RETRY + NAIVE;
    assert_eq!(left_out("", cut, "", &plain), Vec::<String>::new());
    assert_eq!(left_out("", cut, "error_rate = 0.1", &plain), ["that a write answered with an error had no effect"]);
    assert_eq!(left_out("on_cut = \"cancel\"", cut, "", &plain), ["that a cut may cancel a write before its effect"]);
    assert_eq!(left_out("on_cut = \"cancel\"", cut, "effect_at = 0", &plain), Vec::<String>::new());
    let find = "[[tool]]\nname = \"find\"\nclass = \"read\"\narguments = \"1s\"\nlatency = \"1s\"\n";
    let reading = format!("{find}[[shape]]\ncalls = [\"find\"]\n{plain}");
    assert_eq!(left_out("", cut, "", &reading), ["that a cut after a read, before any write, doubles nothing"]);
}

#[test]
fn a_route_that_is_never_taken_replays_nothing() {
    let second = |more: &str| {
        let route = format!("[[route]]\nname = \"again\"\nwhen = \"crash\"\n{more}\n");
        left_out("", "hazard = { rate = 0.1 }", "", &(PAY.to_owned() + RETRY + &route + NAIVE))
    };
    let words = "replays after the first".to_owned();
    assert!(second("").contains(&words));
    assert!(!second("probability = 0").contains(&words));
    assert!(!second("max = 0").contains(&words));
}
