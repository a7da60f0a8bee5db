//! Which turns are drawn, as a command's flag says.

use super::exit::Failure;
use super::terminal;
use crate::scenario::Scenario;
use crate::sim::{self, Sampling};
use clap::{Args, ValueEnum};

/// The flag.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Sampled {
    /// Which turns are drawn; the figures have the same distribution either way
    #[arg(long, value_enum, value_name = "HOW", default_value_t = How::Every)]
    sampling: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// Every turn, so that turn n is the same in any run with the seed
    Every,
    /// Only those to which something may happen, and how many lie between them: for independent turns
    Disturbed,
    /// The cheaper of the two
    Auto,
}

impl Sampled {
    /// What is to be done for a scenario; says what it chose where that was left to it.
    ///
    /// # Errors
    /// A scenario in which undisturbed turns cannot be passed over, if that was asked for.
    pub(super) fn choose(self, scenario: &Scenario) -> Result<Sampling, Failure> {
        match self.sampling {
            How::Every => Ok(Sampling::Every),
            How::Disturbed => match sim::meeting(scenario) {
                None => Ok(Sampling::Disturbed),
                Some((policy, meeting)) => Err(Failure::usage(format_args!(
                    "--sampling disturbed needs turns that are independent and alike, and in scenario {} under policy \
                     {} they are not: {}. Allowed here: every, auto",
                    scenario.name,
                    policy.name,
                    meeting.feature()
                ))),
            },
            How::Auto => Ok(chosen(scenario)),
        }
    }
}

fn chosen(scenario: &Scenario) -> Sampling {
    let (sampling, share) = sim::cheaper(scenario);
    let why = share.map_or_else(
        || sim::meeting(scenario).map_or(String::new(), |(_, meeting)| meeting.feature().to_owned()),
        |share| {
            let few = if sampling == Sampling::Disturbed { "few enough" } else { "too many" };
            format!("something may happen to {:.2} % of the turns, {few}", 100.0 * share)
        },
    );
    terminal::note(&format!("{}: --sampling {sampling} ({why})", scenario.name));
    sampling
}
