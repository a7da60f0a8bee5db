//! Gates: which figure of which policy, and what must hold of it. What a run of this scenario could not measure is
//! refused here, before the run.

use super::{meaningless, names, resolve};
use crate::scenario::diagnostic::Diagnostics;
use crate::scenario::gate::{Condition, Figure, Gate, Judge, Metric};
use crate::scenario::record::{Record, Typed};
use crate::scenario::words::{did_you_mean, excerpt};

/// Standard errors within which figures agree, where a gate does not say.
const SIGMAS: f64 = 4.0;

/// Builds all gates.
pub(super) fn gates(file: &Record, found: &mut Diagnostics) -> Option<Vec<Gate>> {
    let tools = names(file, "tool").unwrap_or_default();
    let known: Vec<(String, Metric)> = Metric::all(tools.len()).map(|metric| (metric.path(&tools), metric)).collect();
    let gates: Vec<Option<Gate>> = file.each("gate").iter().map(|table| gate(file, table, &known, found)).collect();
    gates.into_iter().collect()
}

fn gate(file: &Record, table: &Record, known: &[(String, Metric)], found: &mut Diagnostics) -> Option<Gate> {
    let policy = policy(file, table, found);
    let metric = table.text("metric").and_then(|path| metric(file, table, path, known, found));
    let condition = condition(table, metric, found);
    let judge = judge(table, metric, found);
    let (origin, line) = found.line_of(table.place);
    Some(Gate { policy: policy?, metric: metric?, condition: condition?, judge: judge?, origin, line })
}

fn policy(file: &Record, table: &Record, found: &mut Diagnostics) -> Option<usize> {
    let field = table.given("policy")?;
    let Typed::Text(name) = &field.value else { return None };
    let wanted = [(field.place, Typed::Text(name.clone()))];
    resolve(file, "policy", &wanted, &table.path_of("policy"), found)?.first().copied()
}

fn metric(
    file: &Record,
    table: &Record,
    path: &str,
    known: &[(String, Metric)],
    found: &mut Diagnostics,
) -> Option<Metric> {
    let (key, place) = (table.path_of("metric"), table.place_of("metric"));
    let Some((_, metric)) = known.iter().find(|(name, _)| name == path) else {
        found
            .error(&key, place, format!("no figure of the report is called `{}`", excerpt(path)))
            .label("unknown metric")
            .help_maybe(did_you_mean(path, known.iter().map(|(name, _)| name.as_str())))
            .help("a metric is a path into a policy of the report, such as `duplicates`, `rate.upper` or `died.in_flight`");
        return None;
    };
    if let Some((missing, why)) = unmeasurable(file, path, *metric) {
        found.error(&key, place, format!("`{path}` {missing}")).label(why);
    }
    Some(*metric)
}

/// What keeps a report on this scenario from having the figure, and why.
fn unmeasurable(file: &Record, path: &str, metric: Metric) -> Option<(&'static str, &'static str)> {
    use Figure::{CostP50, CostP95, CostP99, VolumeAtLeastOne, VolumeAtLeastOneUpper};
    if path.starts_with("volume.") && file.given("volume").is_none() {
        return Some(("needs `[volume]`", "without a volume the report has no monthly figures"));
    }
    if path.starts_with("volume.cost.") && !file.each("tool").iter().any(|tool| tool.given("cost").is_some()) {
        return Some(("needs a tool with a `cost`", "no duplicate costs anything here"));
    }
    let incidents = file.record("failure").is_some_and(|failure| failure.given("incidents").is_some());
    let projected =
        matches!(metric, Metric::Figure(VolumeAtLeastOne | VolumeAtLeastOneUpper | CostP50 | CostP95 | CostP99));
    let why = "incidents make the turns of a month depend on each other";
    (incidents && projected).then_some(("is not projected where there are `incidents`", why))
}

fn condition(table: &Record, metric: Option<Metric>, found: &mut Diagnostics) -> Option<Condition> {
    let Some(field) = table.given("agrees_with") else {
        meaningless(table, "sigmas", "only `agrees_with` is judged in standard errors", None, found);
        let given = |key, make: fn(f64) -> Condition| table.given(key).and_then(|_| table.number(key)).map(make);
        return given("max", Condition::Max).or(given("min", Condition::Min)).or(given("equals", Condition::Equals));
    };
    if metric.is_some_and(|metric| !metric.has_exact()) {
        let known: Vec<String> =
            Metric::all(0).filter(|metric| metric.has_exact()).map(|metric| metric.path(&[])).collect();
        found
            .error(&table.path_of("agrees_with"), field.key_place, "no exact figure is derived for this metric")
            .label("nothing to agree with")
            .help(format!("there is one for {}", known.join(", ")));
    }
    let sigmas = table.optional("sigmas", Record::number)?;
    Some(Condition::Agrees { sigmas: sigmas.unwrap_or(SIGMAS) })
}

/// What is judged: as asked, else the figure for counts and the interval for rates.
fn judge(table: &Record, metric: Option<Metric>, found: &mut Diagnostics) -> Option<Judge> {
    for (key, why) in [("agrees_with", "agreement is judged in standard errors"), ("equals", "no interval shows that")]
    {
        if let Some(field) = table.given(key) {
            let asked = table.given("judge").and_then(|_| table.choice("judge", Judge::from_name));
            if key == "agrees_with" || asked == Some(Judge::Interval) {
                meaningless(table, "judge", why, Some((field, "what must hold")), found);
            }
            return Some(Judge::Estimate);
        }
    }
    let metric = metric?;
    let asked = table.optional("judge", |table, key| table.choice(key, Judge::from_name))?;
    let interval = metric.is_rate() || metric.counts_turns();
    if asked == Some(Judge::Interval) && !interval {
        found
            .error(&table.path_of("judge"), table.place_of("judge"), "this figure has no interval")
            .label("the figure itself can be judged")
            .help("rates, monthly figures and counts of turns have one: `duplicate_turns`, `failed_turns`, `capped_turns`");
    }
    Some(asked.unwrap_or(if metric.is_rate() { Judge::Interval } else { Judge::Estimate }))
}
