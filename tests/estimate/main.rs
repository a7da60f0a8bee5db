//! The estimates against figures derived elsewhere, an oracle of their own, and laws that no formula may break.

mod boundaries;
mod cases;
mod closed_form;
mod laws;
mod oracle;
mod simulated;

use doublefire::estimate::{Estimate, Exact, estimate};
use doublefire::scenario::{Input, Scenario, load};

/// The scenario of this text.
fn scenario(text: &str) -> Scenario {
    let input = Input { origin: "test".to_owned(), text: text.to_owned(), ..Input::default() };
    load(&input).unwrap_or_else(|errors| panic!("the test's scenario is valid: {errors:?}\n{text}")).scenario
}

/// One policy's figure, which is there.
fn exact(estimate: &Estimate, policy: usize) -> &Exact {
    estimate.policies[policy].as_ref().unwrap_or_else(|feature| panic!("no exact figure: {feature}"))
}

/// The first policy's figure of the scenario of this text.
fn exact_of(text: &str) -> Exact {
    exact(&estimate(&scenario(text)), 0).clone()
}

/// A scenario that calls one unkeyed tool, with room for additions: keys of `[stream]`, `[failure]` and the tool, and
/// whatever comes after.
fn text(stream: &str, failure: &str, tool: &str, rest: &str) -> String {
    format!(
        r#"
schema = 1
name = "test"
[stream]
prelude = {{ lognormal = {{ mean = "8.28s", cv = 0.5 }} }}
gap = {{ lognormal = {{ mean = "240ms", cv = 0.5 }} }}
{stream}
[failure]
{failure}
[[tool]]
name = "send_payment"
class = "unkeyed_write"
arguments = "300ms"
latency = {{ lognormal = {{ mean = "820ms", sigma = 0.6 }} }}
{tool}
{rest}
"#
    )
}
