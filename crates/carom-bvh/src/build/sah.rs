//! Top-down builds by the surface area heuristic or by volumes, on one thread or several.
//!
//! Reference: I. Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, 2007.

use super::binned::{Split, Task};
use super::rows::Row;
use alloc::vec::Vec;
use carom_lanes::dispatch;

/// Permutes the rows and builds the tree over them. A leaf has at most `max_leaf` primitives,
/// counted by [`Row::count`].
pub(crate) fn split(rows: &mut [Row], max_leaf: u32, tasks: &mut Vec<Task>, nodes: &mut Vec<Row>) {
    any_split::<false>(rows, max_leaf, tasks, nodes);
}

/// [`split`] with volumes in place of areas. If all volumes are 0, the most even split is taken.
pub(crate) fn split_by_volume(rows: &mut [Row], max_leaf: u32, tasks: &mut Vec<Task>, nodes: &mut Vec<Row>) {
    any_split::<true>(rows, max_leaf, tasks, nodes);
}

fn any_split<const VOLUME: bool>(
    rows: &mut [Row],
    max_leaf: u32,
    tasks: &mut Vec<Task>,
    nodes: &mut Vec<Row>,
) {
    #[cfg(feature = "parallel")]
    if super::par::pays(rows.len()) {
        return super::par::split::<VOLUME>(rows, max_leaf, nodes);
    }
    dispatch(Split::<VOLUME> { rows, max_leaf, tasks, nodes });
}
