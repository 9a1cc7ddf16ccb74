//! Recorded boxes, frame by frame: lines of `frame,id,minx,miny,minz,maxx,maxy,maxz` below a header
//! with these names.
//!
//! Frame numbers ascend. A box without a line in a frame has left the recording. The columns may
//! have any order, and other columns are ignored.
//!
//! Reference: none; the format is carom's own.

use crate::error::{Location, ReadError};
use crate::files;
use crate::limits::MAX_FILE_BYTES;
use crate::table::Table;
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
    let mut table = Table::new(bytes, path)?;
    let mut columns = [0; COLUMNS.len()];
    for (column, name) in columns.iter_mut().zip(COLUMNS) {
        *column =
            table.header().iter().position(|word| word.eq_ignore_ascii_case(name)).ok_or_else(|| {
                ReadError::at(path, Location::File, format!("no column {name} in the first line"))
            })?;
    }
    let mut frames: Vec<BoxFrame> = Vec::new();
    let mut seen = HashSet::new();
    while table.next()? {
        let whole = |i: usize| {
            let number = table.word(columns[i]).parse::<u64>();
            number.map_err(|_| table.not(columns[i], "whole number"))
        };
        let (number, id) = (whole(0)?, whole(1)?);
        let mut sides = [0.0_f32; 6];
        for (side, i) in sides.iter_mut().zip(2..) {
            let number = table.word(columns[i]).parse().ok().filter(|x: &f32| x.is_finite());
            *side = number.ok_or_else(|| table.not(columns[i], "finite number"))?;
        }
        if let Some(k) = (0..3).find(|&k| sides[3 + k] < sides[k]) {
            return Err(table.at(format!(
                "{} {} is above {} {}",
                COLUMNS[2 + k],
                sides[k],
                COLUMNS[5 + k],
                sides[3 + k]
            )));
        }
        match frames.last() {
            Some(last) if number < last.number => {
                return Err(table.at(format!("frame {number} after frame {}", last.number)));
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
            return Err(table.at(format!("id {id} is in frame {number} already")));
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
