//! Box pruning that finds its own regions, and keeps the static boxes sorted.
//!
//! Reference: the ABP of PhysX, as P. Terdiman describes its techniques in Box pruning revisited,
//! 2017.
//! Differs: see `columns.rs`; boxes are sorted into columns by size class, not cut at region
//! borders.

use crate::chunks::work_on;
use crate::columns::Columns;
use crate::rows::{CHUNK_ROWS, Task};
use alloc::vec::Vec;
use carom_broad::{FromFinder, Mobility, PairBuffer, PairFinder, ProxyChanges, ProxyTable};

/// Sorted columns with sizes and positions chosen from the boxes. Static boxes have columns of
/// their own, sorted only when one of them changes.
///
/// The time does not depend on the motion: every search finds all pairs from scratch. It needs no
/// settings.
///
/// Memory: 52 bytes per box and up to 8 for the columns, beside that of [`FromFinder`].
pub type AutoBoxPruning = FromFinder<ColumnPruner>;

/// The finder of [`AutoBoxPruning`].
#[derive(Clone, Debug, Default)]
pub struct ColumnPruner {
    slots: Vec<u32>,
    moving: Columns,
    fixed: Columns,
    n_resting: usize,
    tasks: Vec<Task>,
}

impl PairFinder for ColumnPruner {
    const SKIPS_STATICS: bool = true;

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> u64 {
        let ColumnPruner { slots: kind, fixed: resting, n_resting, .. } = self;
        if changes.statics {
            kind.clear();
            kind.extend(slots.iter().copied().filter(|&slot| is_static(proxies, slot)));
            *n_resting = kind.len();
            resting.fill(kind, proxies.boxes(), 0);
        }
        0
    }

    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer) {
        let ColumnPruner { slots: kind, moving, fixed: resting, n_resting, tasks } = self;
        let boxes = proxies.boxes();
        kind.clear();
        kind.extend(slots.iter().copied().filter(|&slot| !is_static(proxies, slot)));
        moving.fill(kind, boxes, 0);
        moving.pairs(boxes, tasks, found);
        if 0 < *n_resting {
            work_on(kind.len(), CHUNK_ROWS, tasks, found, |range, tasks, found| {
                for &slot in &kind[range] {
                    resting.pairs_with(slot, &boxes[slot as usize], tasks, found);
                }
            });
        }
    }
    fn bytes(&self) -> usize {
        let ColumnPruner { slots: kind, moving, fixed: resting, tasks, .. } = self;
        4 * kind.capacity() + moving.bytes() + resting.bytes() + tasks.capacity() * size_of::<Task>()
    }
}

fn is_static(proxies: &ProxyTable, slot: u32) -> bool {
    proxies.filters()[slot as usize].mobility == Mobility::Fixed
}
