//! The scenario library: every file of `scenarios/` answers the question it opens with, as its comment claims and as
//! the table of `scenarios/README.md` says. Each is run once as it stands, at its own seed and number of turns; all
//! tests look at that run.

mod argument;
mod everything;
mod files;
mod keys;
mod regression;
mod reported;
mod residues;
mod table;

use doublefire::audit::Tally;
use doublefire::scenario::{EMBEDDED, Input, Scenario, load};
use doublefire::sim::{self, Options};
use doublefire::turn::{Cause, Died};
use std::sync::LazyLock;

/// Every scenario of the library with what its run counted, in the library's order.
static RUNS: LazyLock<Vec<Played>> =
    LazyLock::new(|| EMBEDDED.iter().map(|(name, text)| Played::new(loaded(name, text, &[]))).collect());

/// A scenario and what its run counted.
struct Played {
    scenario: Scenario,
    tallies: Vec<Tally>,
}

impl Played {
    fn new(scenario: Scenario) -> Self {
        let tallies = run(&scenario, scenario.run.turns);
        Played { scenario, tallies }
    }

    fn policy(&self, name: &str) -> &Tally {
        let at = self.scenario.policies.iter().position(|policy| policy.name == name);
        &self.tallies[at.unwrap_or_else(|| panic!("{} has no policy {name}", self.scenario.name))]
    }

    fn duplicates(&self, policy: &str) -> u64 {
        self.policy(policy).duplicates
    }

    /// That `policies` let nothing through in a run in which naive had `least` duplicates or more.
    fn holds(&self, policies: &[&str], least: u64) {
        let naive = self.duplicates("naive");
        assert!(naive >= least, "{}: naive has {naive}", self.scenario.name);
        for policy in policies {
            assert_eq!(self.duplicates(policy), 0, "{}: {policy}", self.scenario.name);
        }
    }
}

/// The run of a scenario of the library.
fn played(name: &str) -> &'static Played {
    RUNS.iter().find(|run| run.scenario.name == name).unwrap_or_else(|| panic!("no scenario {name}"))
}

/// A run of a scenario of the library with some of its keys set anew.
fn replayed(name: &str, sets: &[&str]) -> Played {
    let (_, text) = EMBEDDED.iter().find(|(known, _)| *known == name).expect("it is in the library");
    Played::new(loaded(name, text, sets))
}

fn loaded(name: &str, text: &str, sets: &[&str]) -> Scenario {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    match load(&Input { origin: name.to_owned(), directory: None, text: text.to_owned(), sets }) {
        Ok(loaded) => loaded.scenario,
        Err(errors) => panic!("{}", errors.render(false)),
    }
}

fn run(scenario: &Scenario, turns: u64) -> Vec<Tally> {
    let options = Options { turns, seed: scenario.run.seed, threads: None, ..Options::default() };
    sim::run(scenario, &options).policies
}

/// That all duplicates of a policy, and there are some, have this cause.
fn only_cause(tally: &Tally, cause: Cause) {
    assert!(tally.duplicates > 0, "no duplicate by {cause}");
    assert_eq!(tally.causes[cause.index()], tally.duplicates, "{cause}: {:?}", tally.causes);
}

fn died(tally: &Tally, place: Died) -> u64 {
    tally.died[place.index()]
}

/// That `count` of `n` is a draw with probability `p`, by four standard errors: false alarm 6e-5, and the seed is fixed.
fn about(count: u64, n: u64, p: f64) {
    let (count, n) = (count as f64, n as f64);
    let z = (count - n * p) / (n * p * (1.0 - p)).sqrt();
    assert!(z.abs() < 4.0, "{count} of {n} where {p} is expected: z = {z}");
}
