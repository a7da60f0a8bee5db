//! From the table of a distribution to the distribution.

use super::data::DataError;
use super::format::FAMILIES;
use super::read::Reader;
use super::record::{Record, Typed};
use crate::dist::Distribution;

/// Builds the distribution of a table that has been read; what cannot be one is reported.
pub(super) fn build(table: &Record, reader: &mut Reader<'_>) -> Option<Distribution> {
    let mut families = FAMILIES.iter().filter(|family| table.given(family).is_some());
    let (Some(family), None) = (families.next(), families.next()) else {
        return None;
    };
    if *family == "mixture" {
        return table.records("mixture").first()?.distribution("of").cloned();
    }
    let parameters = table.record(family)?;
    if *family == "empirical" {
        return empirical(parameters, reader);
    }
    let first = parameters.fields.values().find_map(|field| match field.value {
        Typed::Number(number) => Some(number),
        _ => None,
    });
    first.map(Distribution::constant)
}

fn empirical(table: &Record, reader: &mut Reader<'_>) -> Option<Distribution> {
    let samples: Vec<f64> = match (table.text("file"), table.list("samples")) {
        (Some(file), None) => {
            let column = table.optional("column", Record::text)?;
            match reader.files.samples(file, column, reader.unit()) {
                Ok(samples) => samples,
                Err(error) => {
                    report(error, table, reader);
                    return None;
                }
            }
        }
        (None, Some(samples)) => samples.iter().map(|(_, value)| number(value)).collect::<Option<_>>()?,
        _ => return None,
    };
    samples.first().copied().map(Distribution::constant)
}

fn number(value: &Typed) -> Option<f64> {
    match value {
        Typed::Number(number) => Some(*number),
        _ => None,
    }
}

fn report(error: DataError, table: &Record, reader: &mut Reader<'_>) {
    let (key, reason) = match error {
        DataError::File(reason) => ("file", reason),
        DataError::Column(reason) => ("column", reason),
    };
    let place = table.given(key).or(table.given("file")).map_or(table.place, |field| field.place);
    reader.found.error(&table.path_of(key), place, "these samples cannot be read").label(reason);
}
