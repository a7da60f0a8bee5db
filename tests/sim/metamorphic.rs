//! What must happen to the figures when a scenario is changed.

use super::support::{run, scenario};
use doublefire::estimate::estimate;
use doublefire::stats::z_score;
use doublefire::turn::Cause;

/// One write, blocking, cut at a constant rate an hour, one retry.
const SINGLE_WRITE: &str = r#"
schema = 1
name = "single-write"
[stream]
prelude = { lognormal = { mean = "4s", cv = 0.5 } }
gap = { exponential = { mean = "1s" } }
[failure]
hazard = { per_hour = 100 }
[[tool]]
name = "pay"
class = "unkeyed_write"
arguments = "300ms"
latency = { lognormal = { mean = "1s", sigma = 0.6 } }
[[shape]]
calls = ["pay"]
[[route]]
name = "retry"
kind = "auto_retry"
max = 2
[[policy]]
name = "naive"
dispatcher = "naive"
[[policy]]
name = "record_after"
dispatcher = "record_after"
"#;
const TURNS: u64 = 200_000;

#[test]
fn a_longer_tool_never_lowers_the_naive_rate() {
    let mut before: Option<(f64, u64)> = None;
    for seconds in ["250ms", "500ms", "1s", "2s", "8s", "30s"] {
        let scenario = scenario(SINGLE_WRITE, &[&format!("tool.pay.latency.lognormal.mean={seconds}")]);
        let exact = estimate(&scenario).policies[0].clone().expect("exact").duplicate_turn_probability;
        let seen = run(&scenario, TURNS, 1)[0].duplicate_turns;
        if let Some((exact_before, seen_before)) = before {
            assert!(exact > exact_before, "{seconds}");
            // Thousands of each; on common draws the difference has less noise than two runs: false alarm below 1e-4.
            assert!(seen as f64 > seen_before as f64 - 4.0 * (seen_before as f64).sqrt(), "{seconds}");
        }
        before = Some((exact, seen));
    }
}

#[test]
fn hazard_and_fraction_agree_where_their_two_rates_are_the_same() {
    let by_hazard = scenario(SINGLE_WRITE, &[]);
    let figures = estimate(&by_hazard);
    let cuts = format!(
        "failure={{ fraction = {{ rate = {}, window_fraction = {} }} }}",
        figures.failure_rate, figures.window_fraction
    );
    let by_fraction = scenario(SINGLE_WRITE, &[&cuts]);
    let (hazard, fraction) = (run(&by_hazard, TURNS, 2), run(&by_fraction, TURNS, 3));
    for (what, a, b) in [
        ("effects", hazard[0].effects, fraction[0].effects),
        ("duplicates", hazard[0].duplicates, fraction[0].duplicates),
        ("cuts", hazard[0].cuts, fraction[0].cuts),
    ] {
        // Two independent runs; a turn has a duplicate or not, so the counts are nearly Poisson or tamer.
        let z = (a as f64 - b as f64) / ((a + b) as f64).sqrt();
        assert!(z.abs() < 4.0, "{what}: {a} and {b}, z = {z} (false alarm 6e-5 each)");
    }
    assert!(hazard[0].duplicates > 5_000);
}

#[test]
fn record_after_never_duplicates_where_a_blocking_handler_finishes_its_tool() {
    let tallies = run(&scenario(SINGLE_WRITE, &["failure.hazard.per_hour=400"]), TURNS, 4);
    assert!(tallies[0].duplicates > 20_000, "naive does");
    assert_eq!((tallies[1].duplicates, tallies[1].swallowed), (0, 0));
    let concurrent = run(
        &scenario(
            SINGLE_WRITE,
            &["stream.handler=concurrent", "route.retry.delay=0s", "tool.pay.latency.lognormal.mean=20s"],
        ),
        TURNS,
        4,
    );
    assert!(concurrent[1].causes[Cause::RecordedTooLate.index()] > 300, "a detached run is recorded too late");
}

#[test]
fn taking_over_the_rows_of_the_dead_does_what_record_after_does() {
    // Crashes alone, no overlap, and a lease that is over when the replay comes, so that nobody waits.
    let crashes = "failure={ hazard = { rate = 0 }, crashes_per_hour = 200 }";
    let text = format!(
        "{SINGLE_WRITE}[[policy]]\nname = \"takeover\"\ndispatcher = \"ledger\"\non_in_flight = \"takeover\"\nlease = \"1s\"\n"
    );
    let queue = ["route.retry.kind=job_queue", "route.retry.delay=5s", crashes];
    let tallies = run(&scenario(&text, &queue), TURNS, 5);
    let (record_after, takeover) = (&tallies[1], &tallies[2]);
    assert_eq!(record_after.effects, takeover.effects);
    assert_eq!(record_after.duplicate_turns, takeover.duplicate_turns);
    assert_eq!(record_after.causes[Cause::RecordedTooLate.index()], takeover.causes[Cause::Takeover.index()]);
    assert!(takeover.duplicates > 3_000 && takeover.waits == 0);
}

#[test]
fn more_retries_and_likelier_ones_never_lower_the_naive_rate() {
    let rate = |sets: &[&str]| estimate(&scenario(SINGLE_WRITE, sets)).policies[0].clone().expect("exact");
    let mut before = 0.0;
    for retries in 1..6 {
        let sets = [format!("route.retry.max={retries}")];
        let exact = rate(&[&sets[0]]).duplicates_per_turn;
        assert!(exact > before);
        let seen = run(&scenario(SINGLE_WRITE, &[&sets[0]]), TURNS, 6)[0].duplicate_turns;
        let turns = rate(&[&sets[0]]).duplicate_turn_probability;
        let z = z_score(seen, TURNS, turns).expect("a rate");
        assert!(z.abs() < 4.0, "{retries} retries: z = {z} (false alarm 6e-5)");
        before = exact;
    }
    assert!(rate(&["route.retry.probability=0.5"]).duplicates_per_turn < rate(&[]).duplicates_per_turn);
    assert_eq!(rate(&["route.retry.probability=0"]).duplicates_per_turn, 0.0);
}
