//! Recorded boxes, frame by frame: lines of `frame,id,minx,miny,minz,maxx,maxy,maxz` below a header
//! with these names.
//!
//! Frame numbers ascend. A box without a line in a frame has left the recording. The crate `csv`
//! parses the lines.
//!
//! Reference: Y. Shafranovich, Common Format and MIME Type for Comma-Separated Values (CSV) Files,
//! RFC 4180, 2005.
//! Differs: the header is required, its columns may have any order, and other columns are ignored.

use crate::error::{Location, ReadError};
use crate::files;
use crate::limits::MAX_FILE_BYTES;
use std::collections::HashSet;
use std::path::Path;

/// The boxes of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxFrame {
    /// The frame's number in the file.
    pub number: u64,
    /// The id, then the minimum x, y, z and the maximum x, y, z. All are finite, and no minimum is
    /// above its maximum.
    pub boxes: Vec<(u64, [f32; 6])>,
}

const COLUMNS: [&str; 8] = ["frame", "id", "minx", "miny", "minz", "maxx", "maxy", "maxz"];

/// Reads a recording from a file.
pub fn read(path: &Path) -> Result<Vec<BoxFrame>, ReadError> {
    let bytes = files::read_regular(path, MAX_FILE_BYTES)?;
    parse(&bytes, path)
}

/// Reads the bytes of a recording. `path` appears in messages only.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Vec<BoxFrame>, ReadError> {
    let bytes = files::without_mark(bytes).map_err(|e| ReadError::at(path, Location::File, e))?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(bytes);
    let location_of = |position: Option<&csv::Position>| {
        position.map_or(Location::File, |position| Location::Line(position.line() as usize))
    };
    let said = |e: csv::Error| ReadError::at(path, location_of(e.position()), e.to_string());
    let header = reader.headers().map_err(said)?;
    let mut columns = [0; COLUMNS.len()];
    for (column, name) in columns.iter_mut().zip(COLUMNS) {
        *column = header.iter().position(|word| word.eq_ignore_ascii_case(name)).ok_or_else(|| {
            ReadError::at(path, Location::File, format!("no column {name} in the first line"))
        })?;
    }
    let mut frames: Vec<BoxFrame> = Vec::new();
    let mut seen = HashSet::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(said)? {
        let at = |reason: String| ReadError::at(path, location_of(record.position()), reason);
        let word = |i: usize| record.get(columns[i]).unwrap_or_default();
        let whole = |i: usize| {
            word(i)
                .parse::<u64>()
                .map_err(|_| at(format!("{} {:?} is not a whole number", COLUMNS[i], word(i))))
        };
        let (number, id) = (whole(0)?, whole(1)?);
        let mut sides = [0.0_f32; 6];
        for (side, i) in sides.iter_mut().zip(2..) {
            *side = word(i)
                .parse()
                .ok()
                .filter(|x: &f32| x.is_finite())
                .ok_or_else(|| at(format!("{} {:?} is not a finite number", COLUMNS[i], word(i))))?;
        }
        if let Some(k) = (0..3).find(|&k| sides[3 + k] < sides[k]) {
            return Err(at(format!(
                "{} {} is above {} {}",
                COLUMNS[2 + k],
                sides[k],
                COLUMNS[5 + k],
                sides[3 + k]
            )));
        }
        match frames.last() {
            Some(last) if number < last.number => {
                return Err(at(format!("frame {number} after frame {}", last.number)));
            }
            Some(last) if number == last.number => {}
            _ => {
                frames.push(BoxFrame { number, boxes: Vec::new() });
                // A new set, because clearing one takes time in proportion to the largest frame so
                // far.
                seen = HashSet::new();
            }
        }
        if !seen.insert(id) {
            return Err(at(format!("id {id} is in frame {number} already")));
        }
        if let Some(frame) = frames.last_mut() {
            frame.boxes.push((id, sides));
        }
    }
    if frames.is_empty() {
        return Err(ReadError::at(path, Location::File, "no frames"));
    }
    Ok(frames)
}
