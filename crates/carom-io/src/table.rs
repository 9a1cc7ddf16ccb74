//! Tables of numbers as comma-separated values, with the names of the columns in the first line.
//!
//! The crate `csv` parses the lines. A line that begins with `#` is a comment. A row has as many
//! values as the first line. Decimal commas and semicolons are refused, with a sentence on them.
//!
//! Reference: Y. Shafranovich, Common Format and MIME Type for Comma-Separated Values (CSV) Files,
//! RFC 4180, 2005.
//! Differs: the header is required.

use crate::error::{Location, ReadError};
use crate::files;
use std::path::Path;

/// The end of messages on lines that may have decimal commas.
const WANTED: &str = "values are separated by commas, and numbers have a decimal point (1.5)";

/// A reader of the rows of a table.
pub(crate) struct Table<'a> {
    path: &'a Path,
    reader: csv::Reader<&'a [u8]>,
    header: csv::StringRecord,
    row: csv::StringRecord,
}

impl<'a> Table<'a> {
    /// Reads the header. `path` appears in messages.
    ///
    /// Errors: a text that is not UTF-8, or a header whose columns are separated otherwise.
    pub(crate) fn new(bytes: &'a [u8], path: &'a Path) -> Result<Table<'a>, ReadError> {
        let bytes = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(bytes);
        let header = reader.headers().map_err(|e| said(path, &e))?.clone();
        if header.len() == 1 && header[0].contains([';', '\t']) {
            let location = location_of(header.position());
            let reason = format!("{:?} has no comma: {WANTED}", &header[0]);
            return Err(ReadError::at(path, location, reason));
        }
        Ok(Table { path, reader, header, row: csv::StringRecord::new() })
    }

    /// Returns the names of the columns.
    pub(crate) fn header(&self) -> &csv::StringRecord {
        &self.header
    }

    /// Reads the next row. Returns false at the end.
    ///
    /// Errors: a row that has another number of values than the header.
    pub(crate) fn next(&mut self) -> Result<bool, ReadError> {
        self.reader.read_record(&mut self.row).map_err(|e| said(self.path, &e))
    }

    /// Returns the word of a column in the row.
    pub(crate) fn word(&self, column: usize) -> &str {
        &self.row[column]
    }

    /// Returns an error at the row.
    pub(crate) fn at(&self, reason: String) -> ReadError {
        ReadError::at(self.path, location_of(self.row.position()), reason)
    }

    /// Returns the error of a word that is not the wanted kind of number.
    pub(crate) fn not(&self, column: usize, wanted: &str) -> ReadError {
        let word = self.word(column);
        let hint = if word.contains([',', ';']) { format!(": {WANTED}") } else { String::new() };
        self.at(format!("{} {word:?} is not a {wanted}{hint}", &self.header[column]))
    }
}

fn location_of(position: Option<&csv::Position>) -> Location {
    position.map_or(Location::File, |position| Location::Line(position.line() as usize))
}

fn said(path: &Path, error: &csv::Error) -> ReadError {
    let reason = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} values below {expected_len} columns: {WANTED}")
        }
        _ => error.to_string(),
    };
    ReadError::at(path, location_of(error.position()), reason)
}
