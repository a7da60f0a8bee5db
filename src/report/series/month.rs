//! The shape of a month: how many duplicates, and what they cost.

use super::{By, CountBin, Exceedance, MonthShape};
use crate::estimate::volume::cost_quantiles;
use crate::report::build::Rates;
use crate::scenario::Scenario;

/// The mean beyond which a count has no shape worth drawing.
const MEAN_MAX: f64 = 1e5;
/// Bins of a distribution of counts at most.
const BINS: usize = 60;
/// A count so unlikely beside the likeliest is left out at either end.
const UNLIKELY: f64 = 1e-3;

/// Where an exceedance curve is computed: parts of P(a cost at all), and probabilities themselves.
const BODY: [f64; 10] = [0.999, 0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.35, 0.2];
const TAIL: [f64; 8] = [0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001];

/// None where the scenario has no volume.
pub(super) fn shape(scenario: &Scenario, policy: &str, by: By, rates: &Rates) -> Option<MonthShape> {
    let turns = scenario.volume.as_ref()?.turns_per_month;
    let mean = turns * rates.duplicate_turns;
    Some(MonthShape {
        policy: policy.to_owned(),
        by,
        duplicates: if mean <= MEAN_MAX { bins(&counts(mean, &sizes(rates))) } else { Vec::new() },
        exceedance: exceedance(scenario, mean, rates),
    })
}

/// How many duplicates a duplicate turn has: P(k), k from 0.
fn sizes(rates: &Rates) -> Vec<f64> {
    let total: f64 = rates.patterns.iter().map(|(_, probability)| probability).sum();
    let size = |pattern: &[u32]| pattern.iter().sum::<u32>() as usize;
    let largest = rates.patterns.iter().map(|(pattern, _)| size(pattern)).max().unwrap_or(0);
    let mut sizes = vec![0.0; largest + 1];
    for (pattern, probability) in &rates.patterns {
        sizes[size(pattern)] += probability / total;
    }
    sizes
}

/// P(n duplicates), n from 0, for a Poisson number of turns of mean `mean`: Panjer's recursion,
/// P(n) = mean/n · Σ k·size(k)·P(n − k), begun anywhere and scaled in the end, so that no mean is too large for a float.
fn counts(mean: f64, sizes: &[f64]) -> Vec<f64> {
    const HUGE: f64 = 1e200;
    let average: f64 = sizes.iter().enumerate().map(|(k, p)| k as f64 * p).sum();
    let square: f64 = sizes.iter().enumerate().map(|(k, p)| (k * k) as f64 * p).sum();
    if mean * average == 0.0 {
        return vec![1.0];
    }
    let most = (mean * average + 8.0 * (mean * square).sqrt() + 12.0 * sizes.len() as f64) as usize;
    let mut counts = vec![1.0];
    for n in 1..=most {
        let terms = (1..sizes.len().min(n + 1)).map(|k| k as f64 * sizes[k] * counts[n - k]);
        let next = mean / n as f64 * terms.sum::<f64>();
        counts.push(next);
        if next > HUGE {
            counts.iter_mut().for_each(|count| *count /= HUGE);
        }
    }
    let total: f64 = counts.iter().sum();
    counts.iter().map(|count| count / total).collect()
}

fn bins(counts: &[f64]) -> Vec<CountBin> {
    let likely = |probability: &f64| *probability >= UNLIKELY * counts.iter().copied().fold(0.0, f64::max);
    let first = counts.iter().position(likely).unwrap_or(0);
    let last = counts.iter().rposition(likely).unwrap_or(0);
    // A month that can be without any shows that it can.
    let first = if first <= last / 3 { 0 } else { first };
    let width = (last + 1 - first).div_ceil(BINS);
    let bin = |(index, chunk): (usize, &[f64])| {
        let from = first + index * width;
        CountBin { from: from as u64, to: (from + chunk.len() - 1) as u64, probability: chunk.iter().sum() }
    };
    counts[first..=last].chunks(width).enumerate().map(bin).collect()
}

fn exceedance(scenario: &Scenario, mean: f64, rates: &Rates) -> Vec<Exceedance> {
    let any = -libm::expm1(-mean);
    let levels = BODY.iter().map(|part| part * any).filter(|level| *level > TAIL[0] * 1.2);
    let levels: Vec<f64> = levels.chain(TAIL.into_iter().filter(|level| *level < any * 0.999)).collect();
    let below: Vec<f64> = levels.iter().map(|level| 1.0 - level).collect();
    let amounts = cost_quantiles(scenario, rates.duplicate_turns, &rates.patterns, &below).unwrap_or_default();
    let points = levels.iter().zip(amounts);
    let points = points.filter_map(|(&probability, amount)| Some(Exceedance { amount: amount?, probability }));
    points.filter(|point| point.amount > 0.0 && point.amount.is_finite()).collect()
}
