//! Sorts the boxes by their lower ends on one axis. A box can touch only the run of boxes that
//! begin before it ends.
//!
//! Reference: A. Zomorodian, H. Edelsbrunner, Fast Software for Box Intersections, 2000 (one-way
//! scan); P. Terdiman, Box pruning revisited, 2017.
//! Differs: the axis is the one of greatest variance; runs are tested eight boxes at a time.

use crate::axis;
use crate::rows::{Rows, Task};
use alloc::vec::Vec;
use carom_broad::{FromFinder, PairBuffer, PairFinder, ProxyTable};

/// One sorted axis: the simplest fast structure for a few thousand boxes. With many more boxes,
/// too many overlap on the axis, and [`AutoBoxPruning`](crate::AutoBoxPruning) is better.
///
/// Memory: 48 bytes per slot beside that of [`FromFinder`].
pub type BoxPruning = FromFinder<AxisPruner>;

/// The finder of [`BoxPruning`].
#[derive(Clone, Debug, Default)]
pub struct AxisPruner {
    rows: Rows,
    tasks: Vec<Task>,
}

impl PairFinder for AxisPruner {
    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let AxisPruner { rows, tasks } = self;
        rows.fill(axis::of_greatest_variance(slots, proxies.boxes()), slots, proxies.boxes());
        rows.pairs_within(0, slots.len(), tasks, found);
        found.nodes += 1;
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + self.tasks.capacity() * size_of::<Task>()
    }
}
