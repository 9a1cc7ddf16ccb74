//! Splits rows top down by any rule; the rules are in their own files.
//!
//! If a rule finds no split, or the tree is too deep, the range is halved in its order.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.1 (top-down).

use super::binary::MAX_DEPTH;
use super::rows::Row;
use alloc::vec::Vec;

/// Permutes the rows and builds the tree over them. A leaf has at most `max_leaf` primitives,
/// unless `max_depth` ends the splits. `part` partitions a range of at least two rows in place. It
/// returns the number of rows on the left, or `None` if it finds no split.
pub(crate) fn split(
    rows: &mut [Row],
    max_leaf: u32,
    max_depth: u32,
    nodes: &mut Vec<Row>,
    mut part: impl FnMut(&mut [Row]) -> Option<usize>,
) {
    nodes.push(around(rows));
    // For each node to split: its number, the first and the end of its rows, and its depth.
    let mut tasks = Vec::with_capacity(64);
    tasks.push((0_usize, 0_usize, rows.len(), 0_u32));
    while let Some((node, first, end, depth)) = tasks.pop() {
        let total = nodes[node].count();
        let range = &mut rows[first..end];
        if total <= max_leaf || range.len() < 2 || max_depth <= depth {
            continue;
        }
        let found = if depth < MAX_DEPTH { part(range) } else { None };
        let n_left = match found {
            Some(n) if 0 < n && n < range.len() => n,
            _ => range.len() / 2,
        };
        let (left, right) = range.split_at(n_left);
        let child = nodes.len();
        let both = [around(left), around(right)];
        nodes[node].set_numbers(child as u32, total);
        nodes.extend(both);
        tasks.push((child, first, first + n_left, depth + 1));
        tasks.push((child + 1, first + n_left, end, depth + 1));
    }
}

/// The box around rows, and the number of primitives in them; the tag is 0.
pub(crate) fn around(rows: &[Row]) -> Row {
    let mut all = rows.iter().fold(Row::EMPTY, |all, row| all.merged(row));
    all.set_numbers(0, rows.iter().map(Row::count).sum());
    all
}

/// The axes of the box around rows, the longest first. Ties go to the earlier axis.
pub(crate) fn axes_by_length(rows: &[Row]) -> [usize; 3] {
    let all = around(rows);
    let length = |axis: usize| all.0[axis] + all.0[axis + 4];
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| length(b).total_cmp(&length(a)));
    axes
}

/// Partitions rows in place: those with a true result come first. Returns their number.
pub(crate) fn part_by(rows: &mut [Row], is_left: impl Fn(&Row) -> bool) -> usize {
    let (mut i, mut end) = (0, rows.len());
    while i < end {
        if is_left(&rows[i]) {
            i += 1;
        } else {
            end -= 1;
            rows.swap(i, end);
        }
    }
    i
}
