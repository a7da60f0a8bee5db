//! `doublefire validate`: everything that is wrong with a scenario, or what it holds.

use super::exit::{Exit, Failure};
use super::input::{self, Sets};
use super::terminal;
use crate::scenario::{Cuts, Scenario};
use clap::Args;

/// Check a scenario and say what it holds, or everything that is wrong with it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  doublefire validate payments.toml
  doublefire validate payments.toml --set failure.hazard.rate=1%")]
pub(super) struct Validate {
    /// A scenario file, - for standard input, or the name of a built-in scenario
    scenario: String,
    #[command(flatten)]
    sets: Sets,
}

impl Validate {
    /// # Errors
    /// A scenario that is missing or wrong.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let scenario = input::scenario(&self.scenario, &self.sets)?;
        terminal::result(&summary(&scenario))?;
        Ok(Exit::Fine)
    }
}

fn summary(scenario: &Scenario) -> String {
    let lines = [
        ("scenario", format!("{} ({})", scenario.name, scenario.title)),
        ("volume", volume(scenario)),
        ("failure", cuts(&scenario.failure.cuts)),
        ("tools", names(scenario.tools.iter().map(|tool| &tool.name))),
        ("shapes", scenario.shapes.len().to_string()),
        ("routes", names(scenario.routes.iter().map(|route| &route.name))),
        ("policies", names(scenario.policies.iter().map(|policy| &policy.name))),
        ("run", format!("{} turns, seed {}", scenario.run.turns, scenario.run.seed)),
    ];
    let lines = lines.iter().map(|(name, value)| format!("  {name:<10}{value}\n"));
    format!("ok\n{}", lines.collect::<String>())
}

fn volume(scenario: &Scenario) -> String {
    match &scenario.volume {
        Some(volume) => format!("{} turns a month, amounts in {}", volume.turns_per_month, volume.currency),
        None => "none".to_owned(),
    }
}

fn cuts(cuts: &Cuts) -> String {
    match cuts {
        Cuts::Hazard(hazard) => {
            let per_hour = hazard.per_second.first().map_or(0.0, |per_second| per_second * 3600.0);
            let solved = hazard.rate.map_or(String::new(), |rate| format!(", solved for a rate of {rate}"));
            format!("hazard of {per_hour:.4} cuts an hour of open stream{solved}")
        }
        Cuts::Fraction(fraction) => {
            let rate = fraction.rate.first().copied().unwrap_or(0.0);
            format!("fraction, rate {rate}, window fraction {}", fraction.window_fraction)
        }
    }
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
