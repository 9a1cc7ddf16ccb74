//! Trajectories of robots: one row for each time, one column for each joint, and a column `time` in
//! seconds. Between two rows each joint moves at a constant rate.
//!
//! Without a column `time` the rows are a second apart.
//!
//! Reference: none; the format is carom's own.

use crate::error::{Location, ReadError};
use crate::files;
use crate::limits::MAX_FILE_BYTES;
use crate::table::Table;
use std::collections::HashSet;
use std::path::Path;

/// The name of the column of times.
const TIME: &str = "time";

/// Values of joints over time.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Trajectory {
    /// The names of the joints.
    pub joints: Vec<String>,
    /// The time of each row, in seconds; each is later than the one before.
    pub times: Vec<f64>,
    /// The values of each row, in the order of the joints. All are finite.
    pub rows: Vec<Vec<f64>>,
}

/// Reads a trajectory from a file.
///
/// Errors: a file that cannot be read, a word that is not a finite number, a row of another
/// length, a time that is not later than the one before, a joint with two columns, no row.
pub fn read_trajectory(path: &Path) -> Result<Trajectory, ReadError> {
    let bytes = files::read_regular(path, MAX_FILE_BYTES)?;
    parse(&bytes, path)
}

fn parse(bytes: &[u8], path: &Path) -> Result<Trajectory, ReadError> {
    let whole = |reason: String| ReadError::at(path, Location::File, reason);
    let mut table = Table::new(bytes, path)?;
    let header = table.header();
    let time = header.iter().position(|name| name.eq_ignore_ascii_case(TIME));
    let columns: Vec<usize> = (0..header.len()).filter(|column| Some(*column) != time).collect();
    let joints: Vec<String> = columns.iter().map(|column| header[*column].to_owned()).collect();
    let mut known = HashSet::new();
    if let Some(twice) = joints.iter().find(|name| !known.insert(name.as_str())) {
        return Err(whole(format!("joint {twice} has two columns")));
    }
    if joints.is_empty() {
        return Err(whole("no column of a joint in the first line".to_owned()));
    }
    let mut trajectory = Trajectory { joints, ..Trajectory::default() };
    while table.next()? {
        let number = |column: usize| {
            let number = table.word(column).parse::<f64>().ok().filter(|x| x.is_finite());
            number.ok_or_else(|| table.not(column, "finite number"))
        };
        let now = time.map_or(Ok(trajectory.rows.len() as f64), number)?;
        if let Some(last) = trajectory.times.last().filter(|last| now <= **last) {
            return Err(table.at(format!("the time {now} is not after {last}")));
        }
        let row = columns.iter().map(|column| number(*column)).collect::<Result<Vec<f64>, ReadError>>()?;
        trajectory.times.push(now);
        trajectory.rows.push(row);
    }
    if trajectory.rows.is_empty() {
        return Err(whole("no row below the first line".to_owned()));
    }
    Ok(trajectory)
}
