//! Splits along the longest axis, at the mean of the centres or at their median.
//!
//! The mean puts the plane near most of the centres. The median makes leaf depths differ by at
//! most one binary level, so the worst query is cheap. Neither uses areas.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 4 (RAPID); Akenine-Moller et
//! al., Real-Time Rendering, 4th ed., 25.2.4.
//! Differs: the axes are those of the box along the axes of the frame, also for trees of oriented
//! boxes.

use super::rows::Row;
use super::top_down::{axes_by_length, part_by};

/// Splits at the mean of the centres on the longest axis. If all centres are on one side, the next
/// axis is used.
pub(crate) fn mean(rows: &mut [Row]) -> Option<usize> {
    for axis in axes_by_length(rows) {
        let sum: f64 = rows.iter().map(|row| f64::from(row.center2(axis))).sum();
        let mean = sum / rows.len() as f64;
        let n = part_by(rows, |row| f64::from(row.center2(axis)) < mean);
        if 0 < n && n < rows.len() {
            return Some(n);
        }
    }
    // All centres are equal.
    None
}

/// Splits at the median, on the longest axis on which the centres differ.
pub(crate) fn median(rows: &mut [Row]) -> Option<usize> {
    let half = rows.len() / 2;
    for axis in axes_by_length(rows) {
        let first = rows.first()?.center2(axis);
        if rows.iter().all(|row| row.center2(axis) == first) {
            continue;
        }
        rows.select_nth_unstable_by(half, |a, b| {
            a.center2(axis).total_cmp(&b.center2(axis)).then(a.tag().cmp(&b.tag()))
        });
        return Some(half);
    }
    // All centres are equal.
    None
}
