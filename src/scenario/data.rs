//! Data files behind empirical distributions: read whole, bounded in size, hashed.

use super::DataFile;
use super::format::{Unit, limits};
use super::quantity::parse_duration;
use super::words::excerpt;
use crate::time::Span;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The data files of one scenario, each read once.
#[derive(Debug, Default)]
pub(super) struct DataFiles {
    directory: Option<PathBuf>,
    read: Vec<(DataFile, Vec<u8>)>,
}

impl DataFiles {
    /// Files are looked for in `directory`.
    pub(super) fn new(directory: Option<PathBuf>) -> Self {
        DataFiles { directory, read: Vec::new() }
    }

    /// The files that were read, in that order.
    pub(super) fn into_files(self) -> Vec<DataFile> {
        self.read.into_iter().map(|(file, _)| file).collect()
    }

    /// The samples in a column of the file at `path`: seconds or amounts. The error says what is wrong, and whether
    /// it is the column (else it is the file).
    pub(super) fn samples(&mut self, path: &str, column: Option<&str>, unit: Unit) -> Result<Vec<f64>, DataError> {
        let bytes = self.bytes(path).map_err(DataError::File)?;
        parse_column(bytes, column, unit)
    }

    fn bytes(&mut self, path: &str) -> Result<&[u8], String> {
        let known = self.read.iter().position(|(file, _)| file.path == path);
        let index = match known {
            Some(index) => index,
            None => {
                let bytes = read_bounded(self.directory.as_deref(), path)?;
                let sha256 = hex_sha256(&bytes);
                self.read.push((DataFile { path: path.to_owned(), sha256 }, bytes));
                self.read.len() - 1
            }
        };
        Ok(&self.read[index].1)
    }
}

/// What is wrong with a data file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DataError {
    /// The file, or a line of it.
    File(String),
    /// The choice of the column.
    Column(String),
}

/// SHA-256 of a text, as [`super::Scenario::sha256`] has it.
#[must_use]
pub fn sha256_of(text: &str) -> String {
    hex_sha256(text.as_bytes())
}

/// Lower-case hexadecimal SHA-256.
pub(super) fn hex_sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

fn read_bounded(directory: Option<&Path>, path: &str) -> Result<Vec<u8>, String> {
    let directory = directory.ok_or("a scenario without a folder of its own cannot name files")?;
    if Path::new(path).is_absolute() {
        return Err("the path must be relative to the scenario's folder".to_owned());
    }
    let full = directory.join(path);
    let io = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "this file may not be read".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    };
    let metadata = std::fs::metadata(&full).map_err(io)?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let too_large = || format!("larger than {} MiB", limits::DATA_BYTES >> 20);
    if metadata.len() > limits::DATA_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&full).map_err(io)?;
    // The file may have grown since: the bound holds for what is read.
    file.take(limits::DATA_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > limits::DATA_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// Reads one column of a CSV file with a heading in its first line.
fn parse_column(bytes: &[u8], column: Option<&str>, unit: Unit) -> Result<Vec<f64>, DataError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let headings = reader.headers().map_err(|e| DataError::File(e.to_string()))?.clone();
    let index = find_column(&headings, column)?;
    let scale = scale_of(&headings[index]);
    let mut samples = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| DataError::File(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = record.get(index).unwrap_or_default();
        let sample = parse_cell(cell, scale, unit)
            .map_err(|reason| DataError::File(format!("line {line}: `{}`: {reason}", excerpt(cell))))?;
        if samples.len() == limits::DATA_SAMPLES {
            let most = limits::DATA_SAMPLES;
            return Err(DataError::File(format!("more than {most} samples: draw that many of them at random")));
        }
        samples.push(sample);
    }
    if samples.is_empty() {
        return Err(DataError::File("no samples below the heading".to_owned()));
    }
    Ok(samples)
}

fn find_column(headings: &csv::StringRecord, column: Option<&str>) -> Result<usize, DataError> {
    let listed = || headings.iter().take(20).map(|h| format!("`{}`", excerpt(h))).collect::<Vec<_>>().join(", ");
    match column {
        None if headings.len() == 1 => Ok(0),
        None => Err(DataError::Column(format!("the file has several columns ({}): name one", listed()))),
        Some(name) => {
            let mut matches = headings.iter().enumerate().filter(|(_, heading)| *heading == name);
            match (matches.next(), matches.next()) {
                (Some((index, _)), None) => Ok(index),
                (Some(_), Some(_)) => Err(DataError::Column("the file has this column twice".to_owned())),
                (None, _) => Err(DataError::Column(format!("the file has no such column; it has {}", listed()))),
            }
        }
    }
}

/// How many make a second, of the unit that ends a heading such as `latency_ms`.
fn scale_of(heading: &str) -> Option<f64> {
    match heading.rsplit(['_', ' ', '.', '(']).next()?.trim_end_matches(')') {
        "s" | "sec" | "seconds" => Some(1.0),
        "ms" | "millis" | "milliseconds" => Some(1e3),
        "us" | "micros" | "microseconds" => Some(1e6),
        "ns" | "nanos" | "nanoseconds" => Some(1e9),
        _ => None,
    }
}

fn parse_cell(cell: &str, scale: Option<f64>, unit: Unit) -> Result<f64, String> {
    let number = cell.parse::<f64>().ok();
    let value = match (unit, number, scale) {
        (Unit::Money, Some(number), _) => number,
        (Unit::Money, None, _) => return Err("not a number".to_owned()),
        (Unit::Time, Some(number), Some(scale)) => number / scale,
        (Unit::Time, Some(_), None) => {
            return Err("no unit: write \"820ms\", or end the column's heading in its unit, as `latency_ms`".to_owned());
        }
        (Unit::Time, None, _) => parse_duration(cell).map(Span::as_seconds_f64)?,
    };
    let most = match unit {
        Unit::Time => super::quantity::LONGEST.as_seconds_f64(),
        Unit::Money => limits::AMOUNT,
    };
    if (0.0..=most).contains(&value) { Ok(value) } else { Err(format!("not between 0 and {most}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str, column: Option<&str>) -> Result<Vec<f64>, DataError> {
        parse_column(text.as_bytes(), column, Unit::Time)
    }

    #[test]
    fn a_column_is_found_by_its_heading_and_read_in_its_unit() {
        let text = "at,latency_ms,other\n1,820,x\n2,1500,y\n";
        assert_eq!(time(text, Some("latency_ms")), Ok(vec![0.82, 1.5]));
        assert_eq!(time("latency\n820ms\n1.5s\n", None), Ok(vec![0.82, 1.5]));
        assert_eq!(parse_column(b"\xef\xbb\xbfamount\n180\n2400.5\n", None, Unit::Money), Ok(vec![180.0, 2400.5]));
    }

    #[test]
    fn a_number_whose_unit_nobody_tells_is_refused() {
        let reason =
            "line 3: `820`: no unit: write \"820ms\", or end the column's heading in its unit, as `latency_ms`";
        assert_eq!(time("latency\n820ms\n820\n", None), Err(DataError::File(reason.to_owned())));
    }

    #[test]
    fn columns_that_are_missing_double_or_not_named_are_refused() {
        for (text, column, reason) in [
            ("a,b\n1s,2s\n", None, "the file has several columns (`a`, `b`): name one"),
            ("a,b\n1s,2s\n", Some("c"), "the file has no such column; it has `a`, `b`"),
            ("a,a\n1s,2s\n", Some("a"), "the file has this column twice"),
        ] {
            assert_eq!(time(text, column), Err(DataError::Column(reason.to_owned())));
        }
    }

    #[test]
    fn values_outside_the_calendar_and_empty_files_are_refused() {
        for text in ["s\n-1\n", "s\nnan\n", "s\ninf\n", "s\n1e300\n", "s\n", "", "s\n\"\"\n"] {
            assert!(time(text, None).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_file_of_too_many_samples_is_refused() {
        let text = "s\n".to_owned() + &"1\n".repeat(limits::DATA_SAMPLES);
        assert_eq!(time(&text, None).map(|samples| samples.len()), Ok(limits::DATA_SAMPLES));
        assert!(time(&(text + "1\n"), None).is_err());
    }

    #[test]
    fn only_regular_files_beside_the_scenario_are_read() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        std::fs::write(folder.path().join("samples.csv"), "s\n1\n").expect("a file for the test");
        let mut files = DataFiles::new(Some(folder.path().to_owned()));
        assert_eq!(files.samples("samples.csv", None, Unit::Time), Ok(vec![1.0]));
        for path in ["absent.csv", ".", "", "/samples.csv"] {
            assert!(files.samples(path, None, Unit::Time).is_err(), "{path}");
        }
        let hashes = files.into_files();
        assert_eq!(hashes.len(), 1);
        assert_eq!(hashes[0].sha256, hex_sha256(b"s\n1\n"));
        assert!(DataFiles::default().samples("samples.csv", None, Unit::Time).is_err());
    }
}
