//! A report against the thresholds of its scenario.
//!
//! A gate passes only where its run could have gone wrong. So beside the file's own policies `check` runs some that
//! lack a guard, over the same draws ([`Watch`]), and a figure whose danger shows under none of them is not measured,
//! whatever its value. `docs/ci.md` has the rules; here are:
//!
//! - `danger`: what a figure guards against, and whether it came up; `watch`: the policies that show it;
//! - `reading`: the figure with its bounds; `judge`: the verdict;
//! - `baseline`: a report against an earlier one;
//! - `data`: what `check --format json` prints, and one renderer a file beside it.

mod baseline;
mod danger;
mod data;
pub mod github;
mod judge;
pub mod junit;
mod reading;
pub mod table;
mod watch;

pub use baseline::{Baseline, Comparison, FALSE_ALARM, Move, Spread};
pub use data::{CheckReport, Judged, Limit, Range, ScenarioCheck, Verdict, schema};
pub use judge::{judge, refusals};
pub use watch::Watch;

#[cfg(test)]
mod tests;
