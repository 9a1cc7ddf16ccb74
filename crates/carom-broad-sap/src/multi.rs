//! Regions given by the user, each with its own box pruning.
//!
//! A box is a member of every region that it touches; a pair found in two regions is reported
//! once.
//!
//! Reference: P. Terdiman, Sweep-and-prune, 2007 (multi-SAP); the MBP of PhysX.

use crate::axis;
use crate::chunks::work_on;
use crate::regions::{Regions, TouchScratch};
use crate::rows::{Rows, Task};
use alloc::vec::Vec;
use carom_broad::{FromFinder, PairBuffer, PairFinder, ProxyTable};

/// Regions, each with one sorted axis. It suits regions that are known beforehand and hold a few
/// thousand boxes each. A box much larger than a region costs once per region that it touches.
/// `MultiBoxPruning::with_finder(RegionPruner::new(regions))` creates it.
///
/// Memory: 52 bytes for each region that a box touches, beside that of [`FromFinder`].
pub type MultiBoxPruning = FromFinder<RegionPruner>;

/// The finder of [`MultiBoxPruning`].
#[derive(Clone, Debug, Default)]
pub struct RegionPruner {
    regions: Regions,
    members: Vec<(u32, u32)>,
    starts: Vec<u32>,
    rows: Rows,
    tasks: Vec<Task>,
    touched: TouchScratch,
}

impl RegionPruner {
    /// Creates a finder with these regions.
    pub fn new(regions: Regions) -> RegionPruner {
        RegionPruner { regions, ..RegionPruner::default() }
    }
}

impl PairFinder for RegionPruner {
    const MAY_REPEAT: bool = true;

    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let RegionPruner { regions, members, starts, rows, tasks, touched } = self;
        let boxes = proxies.boxes();
        members.clear();
        for &slot in slots {
            regions.touched(&boxes[slot as usize], touched, |region| members.push((region, slot)));
        }
        rows.fill_groups(axis::of_greatest_variance(slots, boxes), members, boxes, regions.len() + 1, starts);
        let starts = &starts[..];
        work_on(starts.len() - 1, 1, tasks, found, |regions, tasks, found| {
            for range in starts[regions.start..=regions.end].windows(2) {
                rows.pairs_within(range[0] as usize, range[1] as usize, tasks, found);
            }
        });
        found.nodes += starts.len() as u64;
    }

    fn bytes(&self) -> usize {
        let RegionPruner { regions, members, starts, rows, tasks, touched } = self;
        regions.bytes()
            + touched.bytes()
            + rows.bytes()
            + 8 * members.capacity()
            + 4 * starts.capacity()
            + tasks.capacity() * size_of::<Task>()
    }
}
