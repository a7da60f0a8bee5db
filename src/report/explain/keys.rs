//! The keys of simulated calls as a handler would derive them: the model knows only which calls carry equal values,
//! so the arguments say whose they are.

use super::KeyText;
use crate::dispatch::key::{Call, derive_masked};
use crate::dispatch::rule::KeyMask;
use crate::scenario::Scenario;
use crate::sim::explain::{Arguments, Trace, Traced};

/// Keys of a trace's calls, in the order of its calls; none where the policy uses none.
pub(super) fn keys(scenario: &Scenario, trace: &Trace) -> Vec<Option<KeyText>> {
    let mask = scenario.policies[trace.policy].rules.key;
    // Texts that no other call has are told apart by white space, as a serialiser might.
    let mut texts = vec![0];
    let mut keys = Vec::new();
    for call in &trace.calls {
        let text = texts.iter().position(|text| *text == call.symbol.text).unwrap_or_else(|| {
            texts.push(call.symbol.text);
            texts.len() - 1
        });
        keys.push(call.keyed.then(|| key(scenario, mask, call, text)));
    }
    keys
}

fn key(scenario: &Scenario, mask: KeyMask, call: &Traced, spaces: usize) -> KeyText {
    let arguments = match call.arguments {
        Arguments::Own { turn, row } => format!("\"call\":{},\"turn\":{turn}", row + 1),
        Arguments::Chosen { tool, number } => {
            let tool = serde_json::to_string(&scenario.tools[tool].name).expect("a string is JSON");
            format!("\"choice\":{number},\"of\":{tool}")
        }
        Arguments::Reworded { turn, attempt, row } => {
            format!("\"call\":{},\"reworded_by_attempt\":{attempt},\"turn\":{turn}", row + 1)
        }
    };
    let derived = derive_masked(
        mask,
        &Call {
            conversation: &conversation(scenario, call.turn, call.symbol.conversation),
            position: u64::from(call.symbol.position),
            tool: &scenario.tools[call.tool].name,
            ordinal: u64::from(call.symbol.ordinal),
            arguments: &format!("{{{}{arguments}}}", " ".repeat(spaces)),
            call_id: &format!("toolu_{}_{}_{}", call.turn, call.attempt, call.row + 1),
            call_number: u64::from(call.symbol.call_number),
        },
    );
    let derived = derived.expect("small numbers and plain objects make a key");
    KeyText { key: derived.key.to_string(), canonical: derived.canonical }
}

/// A name for a conversation that no other of the run has. Cells do not share ledgers, so the name of one in another
/// cell never matters.
pub(super) fn conversation(scenario: &Scenario, turn: u64, in_cell: u32) -> String {
    let cell = turn / scenario.population.cell_size();
    format!("c{}", cell * u64::from(scenario.population.conversations) + u64::from(in_cell))
}
