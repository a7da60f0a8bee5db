//! From the table of a distribution to the distribution.

use super::data::DataError;
use super::diagnostic::Place;
use super::format::FAMILIES;
use super::read::Reader;
use super::record::{Record, Typed};
use crate::dist::{Distribution, GammaBy, Invalid, LognormalBy, WeibullBy};

/// Builds the distribution of a table that has been read; what cannot be one is reported.
pub(super) fn build(table: &Record, reader: &mut Reader<'_>) -> Option<Distribution> {
    let mut families = FAMILIES.iter().filter(|family| table.given(family).is_some());
    let (Some(family), None) = (families.next(), families.next()) else {
        return None;
    };
    let (made, parameters) = match *family {
        "mixture" => (mixture(table)?, table),
        "empirical" => {
            let parameters = table.record(family)?;
            (empirical(parameters, reader)?, parameters)
        }
        _ => {
            let parameters = table.record(family)?;
            (parametric(parameters)?, parameters)
        }
    };
    let distribution = made.map_err(|invalid| report(&invalid, parameters, reader)).ok()?;
    modified(distribution, table)?.map_err(|invalid| report(&invalid, table, reader)).ok()
}

/// A family given by its parameters. Nothing where one is missing or broken.
fn parametric(table: &Record) -> Option<Result<Distribution, Invalid>> {
    let number = |key: &str| table.number(key);
    let optional = |key: &str| table.optional(key, Record::number);
    Some(match table.table.name {
        "uniform" => Distribution::uniform(number("min")?, number("max")?),
        "exponential" => Distribution::exponential(number("mean")?),
        "lognormal" => Distribution::lognormal(&LognormalBy {
            mean: optional("mean")?,
            median: optional("median")?,
            p90: optional("p90")?,
            p95: optional("p95")?,
            p99: optional("p99")?,
            sigma: optional("sigma")?,
            cv: optional("cv")?,
        }),
        "gamma" => {
            let by = match (optional("shape")?, optional("cv")?) {
                (Some(shape), None) => GammaBy::Shape(shape),
                (None, Some(cv)) => GammaBy::Cv(cv),
                _ => return None,
            };
            Distribution::gamma(number("mean")?, by)
        }
        "weibull" => {
            let by = match (optional("scale")?, optional("mean")?) {
                (Some(scale), None) => WeibullBy::Scale(scale),
                (None, Some(mean)) => WeibullBy::Mean(mean),
                _ => return None,
            };
            Distribution::weibull(number("shape")?, by)
        }
        "pareto" => Distribution::pareto(number("min")?, number("alpha")?),
        other => unreachable!("{other} is no family of the format"),
    })
}

fn mixture(table: &Record) -> Option<Result<Distribution, Invalid>> {
    let part = |part: &Record| Some((part.number("weight")?, part.distribution("of")?.clone()));
    let parts: Option<Vec<_>> = table.records("mixture")?.iter().map(part).collect();
    Some(Distribution::mixture(parts?))
}

fn empirical(table: &Record, reader: &mut Reader<'_>) -> Option<Result<Distribution, Invalid>> {
    let column = table.optional("column", Record::text)?;
    let samples: Vec<f64> = match (table.text("file"), table.list("samples")) {
        (Some(file), None) => match reader.files.samples(file, column, reader.unit()) {
            Ok(samples) => samples,
            Err(error) => {
                report_data(error, table, reader);
                return None;
            }
        },
        (None, Some(samples)) => {
            if let Some(field) = table.given("column") {
                reader
                    .found
                    .error(&table.path_of("column"), field.key_place, "`column` has no meaning here")
                    .label("only a `file` has columns")
                    .also(table.place_of("samples"), "the samples are given here");
            }
            samples.iter().map(|(_, value)| number(value)).collect::<Option<_>>()?
        }
        _ => return None,
    };
    Some(Distribution::empirical(samples, table.flag("smooth")?))
}

fn number(value: &Typed) -> Option<f64> {
    match value {
        Typed::Number(number) => Some(*number),
        _ => None,
    }
}

/// Shift first, then truncation.
fn modified(distribution: Distribution, table: &Record) -> Option<Result<Distribution, Invalid>> {
    let shift = table.optional("shift", Record::number)?;
    let truncate = table.optional("truncate", Record::number)?;
    let shifted = match shift {
        Some(shift) => distribution.shifted(shift),
        None => Ok(distribution),
    };
    Some(match truncate {
        Some(limit) => shifted.and_then(|shifted| shifted.truncated(limit)),
        None => shifted,
    })
}

/// Reports parameters that make no distribution, at the first of them, with the others marked.
fn report(invalid: &Invalid, table: &Record, reader: &mut Reader<'_>) {
    let given = |key: &&'static str| table.table.key(key).and_then(|key| table.given(key.name));
    let places: Vec<Place> = invalid.parameters.iter().filter_map(given).map(|field| field.place).collect();
    let key = invalid.parameters.first().filter(|key| table.table.key(key).is_some());
    let path = key.map_or(table.path.clone(), |key| table.path_of(key));
    let (place, others) = places.split_first().unwrap_or((&table.place, &[]));
    let error = reader.found.error(&path, *place, "these parameters make no distribution");
    error.label(invalid.message.as_str());
    for other in others {
        error.also(*other, "");
    }
}

fn report_data(error: DataError, table: &Record, reader: &mut Reader<'_>) {
    let (key, reason) = match error {
        DataError::File(reason) => ("file", reason),
        DataError::Column(reason) => ("column", reason),
    };
    let place = table.given(key).or(table.given("file")).map_or(table.place, |field| field.place);
    reader.found.error(&table.path_of(key), place, "these samples cannot be read").label(reason);
}
