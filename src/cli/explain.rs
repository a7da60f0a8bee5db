//! `doublefire explain`: one turn of a run, event by event.

use super::exit::{Exit, Failure};
use super::input::{self, Sets};
use super::simulate::{Amount, STOP};
use super::terminal;
use crate::report::explain::{About, Explanation, sequence};
use crate::report::folder::replace;
use crate::report::sequence::{svg, text};
use crate::report::{json, quoted};
use crate::scenario::{Scenario, nearest};
use crate::sim::find::{Among, Search, Sought, find};
use clap::{Args, ValueEnum};
use indicatif::HumanCount;
use std::path::PathBuf;

/// Explain one turn of a run, event by event: what was cut, what was replayed, what the ledger answered
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire explain payments.toml --find duplicate
  doublefire explain payments.toml --turn 1204 --policy ledger
  doublefire explain payments.toml --find duplicate --svg duplicate.svg
  doublefire explain payments.toml --turn 1204 --format json > turn.json")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["turn", "find"]))]
pub(super) struct Explain {
    /// A scenario file, - for standard input, or the name of a built-in scenario
    scenario: String,
    /// The turn, by its number in the run: 0 is the first to arrive
    #[arg(long, value_name = "N")]
    turn: Option<u64>,
    /// The first turn of the run to which this happens
    #[arg(long, value_enum, value_name = "WHAT")]
    find: Option<Find>,
    /// The policy [default: the file's first, or with --find the first that has such a turn]
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Also write the sequence diagram to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    amount: Amount,
    #[command(flatten)]
    sets: Sets,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Find {
    /// Something was done twice
    Duplicate,
    /// A call was answered with another call's result and never made
    Swallowed,
    /// A row stayed in flight for ever
    Stuck,
    /// A call waited for a row
    Waited,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line an event, for people
    Text,
    /// One JSON object (docs/explain.schema.json)
    Json,
    /// The sequence diagram
    Svg,
}

impl Explain {
    /// # Errors
    /// A scenario that is missing or wrong, a turn or policy that there is not, an interruption.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        input::is_none_of(std::slice::from_ref(&self.scenario), self.svg.as_deref())?;
        let mut scenario = input::scenario(&self.scenario, &self.sets)?;
        self.amount.apply(&mut scenario);
        let policy = self.policy.as_deref().map(|name| policy(&scenario, name)).transpose()?;
        let found = match self.find {
            Some(what) => self.search(&scenario, what.into(), policy)?,
            None => Some((self.given(&scenario)?, policy.unwrap_or(0))),
        };
        let Some((turn, policy)) = found else { return Ok(Exit::Undecided) };
        let about = About { asked: self.sets.asked(&scenario), turn, policy, found: self.find.map(Sought::from) };
        let explanation = Explanation::new(&scenario, about);
        let sequence = sequence(&explanation, &self.command());
        if let Some(path) = &self.svg {
            replace(path, &svg::render(&sequence)).map_err(Failure::environment)?;
            terminal::note(&format!("wrote {}", path.display()));
        }
        terminal::result(&match self.format {
            Format::Text => text::render(&sequence),
            Format::Json => json::render(&explanation),
            Format::Svg => svg::render(&sequence),
        })?;
        Ok(Exit::Fine)
    }

    /// The part of the command line that makes it the same run.
    fn command(&self) -> String {
        let mut command = format!("doublefire explain {}", quoted(&self.scenario));
        for set in &self.sets.set {
            command += &format!(" --set {}", quoted(set));
        }
        command + &self.amount.flags()
    }

    fn given(&self, scenario: &Scenario) -> Result<u64, Failure> {
        let (turn, turns) = (self.turn.unwrap_or_default(), scenario.run.turns);
        if turn < turns {
            return Ok(turn);
        }
        let (last, turns) = (HumanCount(turns - 1), HumanCount(turns));
        let message = format!("--turn {turn}: the run has {turns} turns, 0 to {last}; --turns makes it longer");
        Err(Failure::usage(message))
    }

    /// The first turn of the kind, and under which policy; none where there is none, which is said.
    fn search(
        &self,
        scenario: &Scenario,
        what: Sought,
        policy: Option<usize>,
    ) -> Result<Option<(u64, usize)>, Failure> {
        let (turns, seed) = (scenario.run.turns, scenario.run.seed);
        let policies = policy.map_or(0..scenario.policies.len(), |policy| policy..policy + 1);
        for policy in policies.clone() {
            let bar = super::progress::Progress::new(turns);
            let among = Among { turns, seed, progress: &|more| bar.advance(more), stop: &STOP };
            let search = find(scenario, &among, policy, what);
            bar.clear();
            match search {
                Search::Found(turn) => return Ok(Some((turn, policy))),
                Search::None => {}
                Search::Stopped => {
                    let message = "interrupted: the search was not finished".to_owned();
                    return Err(Failure { exit: Exit::Interrupted, message });
                }
            }
        }
        let names: Vec<&str> = scenario.policies[policies].iter().map(|policy| policy.name.as_str()).collect();
        let (turns, names) = (HumanCount(turns), names.join(", "));
        terminal::note(&format!("no turn found ({what}): searched {turns} turns with seed {seed} under {names}"));
        Ok(None)
    }
}

/// The policy of this name.
fn policy(scenario: &Scenario, name: &str) -> Result<usize, Failure> {
    let names = || scenario.policies.iter().map(|policy| policy.name.as_str());
    names().position(|known| known == name).ok_or_else(|| {
        let meant = nearest(name, names()).map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        let known: Vec<String> = names().map(|known| format!("`{known}`")).collect();
        Failure::usage(format!("--policy: the scenario has no policy `{name}`; it has {}.{meant}", known.join(", ")))
    })
}

impl From<Find> for Sought {
    fn from(find: Find) -> Sought {
        match find {
            Find::Duplicate => Sought::Duplicate,
            Find::Swallowed => Sought::Swallowed,
            Find::Stuck => Sought::Stuck,
            Find::Waited => Sought::Waited,
        }
    }
}
