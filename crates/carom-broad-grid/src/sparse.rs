//! Cells kept from frame to frame: a box that stays in its cells changes nothing.
//!
//! Only boxes that enter or leave a cell are moved between cells. For the search, the members of
//! all cells are made contiguous. Then each cell is searched by itself and against those within
//! reach, as `cell_search.rs` describes. New boxes wait until the next refresh, when the sizes of
//! all are known.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.4 and 7.2 (hashed cells, levels
//! of them).

use crate::cell_search::CellSearch;
use crate::find::{Search, in_chunks};
use crate::nodes::{Key, NONE, Nodes};
use crate::sizes::Sizes;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Filter, FinderIndex, Mobility, PairBuffer, PairFinder, ProxyChanges, ProxyId, ProxyTable};

/// If one box in this many leaves its cells at once, all cells are rebuilt, which costs less.
const MIN_BOXES_PER_LEAVER: usize = 4;

/// Cells with tests listed at a time.
const CHUNK_CELLS: usize = 64;

/// The rule that puts a box into cells of a [`SparseGrid`]: [`Hashed`](crate::Hashed),
/// [`Loose`](crate::Loose) or [`Flat`](crate::Flat). It affects only the time.
pub trait Placement: Default + sealed::Sealed {}

pub(crate) mod sealed {
    use super::CellSpan;
    use crate::sizes::Sizes;
    use carom_bounds::Aabb;

    /// Restricts [`Placement`](super::Placement) to those of this crate.
    pub trait Sealed {
        /// Whether a box is in one loose cell, instead of all cells that it touches.
        const IS_LOOSE: bool;

        /// Returns the axis with a single layer of cells, 0 to 2.
        fn left_out(&self) -> Option<usize> {
            None
        }

        /// Returns the box as used for placement: from 0 to 0 along the axis left out.
        #[inline]
        fn footprint(&self, aabb: &Aabb) -> Aabb {
            let mut projected = *aabb;
            if let Some(axis) = self.left_out() {
                (projected.min[axis], projected.max[axis]) = (0.0, 0.0);
            }
            projected
        }

        /// Returns the cells of such a box.
        fn cells_of(footprint: &Aabb, sizes: &Sizes) -> CellSpan;
    }
}

/// The cells of a box: from `first` on, two on the axes with a bit set in `span`, otherwise one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSpan {
    pub(crate) first: Key,
    pub(crate) span: u8,
}

/// The place of a box that is not in this grid.
const ABSENT: CellSpan = CellSpan { first: Key { level: 0, at: [0; 3] }, span: 0 };

/// The place of a box that the next refresh puts into cells.
const WAITING: CellSpan = CellSpan { first: Key { level: -1, at: [0; 3] }, span: 0 };

impl CellSpan {
    /// Whether the next refresh puts it into cells.
    pub(crate) fn is_waiting(self) -> bool {
        self == WAITING
    }

    /// Whether it is in cells.
    #[inline]
    fn is_settled(self) -> bool {
        0 < self.first.level
    }

    /// Returns the cells, in order.
    fn cells(self) -> impl Iterator<Item = Key> {
        (0..8u8).filter(move |corner| corner & !self.span == 0).map(move |corner| {
            let [x, y, z] = self.first.at;
            let step = |axis: u8| i32::from(corner >> axis & 1);
            Key { level: self.first.level, at: [x + step(0), y + step(1), z + step(2)] }
        })
    }

    /// Returns, as bits, the axes on which one of the cells is not the first.
    #[inline]
    pub(crate) fn seconds(self, cell: Key) -> u8 {
        let is_second = |axis: usize| u8::from(self.first.at[axis] < cell.at[axis]) << axis;
        is_second(0) | is_second(1) | is_second(2)
    }
}

#[derive(Default)]
struct Work {
    front: CellSearch,
    search: Search,
    leaving: Vec<u32>,
}

/// Boxes in cells of all sizes: the finder of [`SpatialHash`](crate::SpatialHash),
/// [`LooseOctree`](crate::LooseOctree) and [`LooseQuadtree`](crate::LooseQuadtree).
#[derive(Default)]
pub struct SparseGrid<P: Placement> {
    pub(crate) nodes: Nodes,
    /// By slot.
    pub(crate) spans: Vec<CellSpan>,
    /// By slot: the positions in its cells, up to eight, or one for loose cells.
    positions: Vec<u32>,
    /// All slots that wait for a cell. It may also contain others, and the same slot twice.
    pub(crate) pending: Vec<u32>,
    /// The range of all boxes in cells along the axis left out, including 0; it may be too wide.
    height: (f32, f32),
    sizes: Sizes,
    work: Work,
    placement: P,
}

fn is_moving(filter: &Filter) -> bool {
    filter.mobility != Mobility::Fixed
}

impl<P: Placement> SparseGrid<P> {
    /// The number of positions kept per slot.
    const N_POSITIONS: usize = if P::IS_LOOSE { 1 } else { 8 };

    /// Creates a finder without boxes, with cells by this placement.
    pub fn with_placement(placement: P) -> SparseGrid<P> {
        SparseGrid { placement, ..SparseGrid::default() }
    }

    /// Returns the cells of a box.
    fn cell_span(&self, aabb: &Aabb) -> CellSpan {
        P::cells_of(&self.placement.footprint(aabb), &self.sizes)
    }

    /// Returns the axis left out, if there is one, and the range of boxes in cells along it.
    pub(crate) fn height(&self) -> Option<(usize, (f32, f32))> {
        self.placement.left_out().map(|axis| (axis, self.height))
    }

    /// Notes that a box is in a cell.
    fn note_height(&mut self, aabb: &Aabb) {
        if let Some(axis) = self.placement.left_out() {
            self.height = (self.height.0.min(aabb.min[axis]), self.height.1.max(aabb.max[axis]));
        }
    }

    /// Removes all boxes from their cells at once.
    fn scatter(&mut self) {
        self.nodes.clear();
        self.height = (0.0, 0.0);
        self.positions.fill(NONE);
        self.pending.clear();
        for (slot, span) in self.spans.iter_mut().enumerate() {
            if *span != ABSENT {
                *span = WAITING;
                self.pending.push(slot as u32);
            }
        }
    }

    /// Puts a box that is in no cell into its cells.
    fn settle(&mut self, proxies: &ProxyTable, slot: u32) {
        let aabb = &proxies.boxes()[slot as usize];
        let span = self.cell_span(aabb);
        self.note_height(aabb);
        let is_moving = is_moving(&proxies.filters()[slot as usize]);
        self.spans[slot as usize] = span;
        for (i, key) in span.cells().enumerate() {
            self.positions[slot as usize * Self::N_POSITIONS + i] = self.nodes.add(key, slot, is_moving);
        }
    }

    /// Removes a box from its cells, if it is in any; its place becomes `then`.
    fn unsettle(&mut self, slot: u32, is_moving: bool, then: CellSpan) {
        let first = slot as usize * Self::N_POSITIONS;
        let span = core::mem::replace(&mut self.spans[slot as usize], then);
        if !span.is_settled() {
            return;
        }
        for i in first..first + Self::N_POSITIONS {
            let position = core::mem::replace(&mut self.positions[i], NONE);
            if position == NONE {
                break;
            }
            let (moved, from) = self.nodes.remove(position, is_moving);
            let of_moved = moved as usize * Self::N_POSITIONS;
            let its = &mut self.positions[of_moved..of_moved + Self::N_POSITIONS];
            // Not found for the removed box itself.
            if let Some(its) = its.iter_mut().find(|its| **its == from) {
                *its = position;
            }
        }
    }
}

impl<P: Placement> PairFinder for SparseGrid<P> {
    fn on_insert(&mut self, slot: u32, aabb: &Aabb, _: &Filter) {
        let n_slots = self.spans.len().max(slot as usize + 1);
        self.spans.resize(n_slots, ABSENT);
        self.positions.resize(n_slots * Self::N_POSITIONS, NONE);
        self.spans[slot as usize] = WAITING;
        self.sizes.add(&self.placement.footprint(aabb));
        self.pending.push(slot);
    }

    fn take_moves(&mut self, proxies: &mut ProxyTable, moves: &[(ProxyId, Aabb)]) {
        let mut leaving = core::mem::take(&mut self.work.leaving);
        for (id, aabb) in moves {
            let slot = id.index();
            let old = core::mem::replace(&mut proxies.boxes_mut()[slot as usize], *aabb);
            self.sizes.update(&self.placement.footprint(&old), &self.placement.footprint(aabb));
            let span = self.spans[slot as usize];
            if span.is_settled() {
                self.note_height(aabb);
                if span != self.cell_span(aabb) {
                    leaving.push(slot);
                }
            }
        }
        self.sizes.note_moves(leaving.len());
        if self.sizes.len() < leaving.len() * MIN_BOXES_PER_LEAVER {
            self.scatter();
        } else {
            for &slot in &leaving {
                self.unsettle(slot, is_moving(&proxies.filters()[slot as usize]), WAITING);
                self.settle(proxies, slot);
            }
        }
        leaving.clear();
        self.work.leaving = leaving;
    }

    fn on_filter_change(&mut self, slot: u32, _: &Aabb, old: &Filter, _: &Filter) {
        self.unsettle(slot, is_moving(old), WAITING);
        self.pending.push(slot);
    }

    fn on_remove(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        self.sizes.remove(&self.placement.footprint(aabb));
        self.unsettle(slot, is_moving(filter), ABSENT);
    }

    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], _: ProxyChanges) -> u64 {
        let SparseGrid { sizes, placement, .. } = self;
        let footprint = |slot: u32| placement.footprint(&proxies.boxes()[slot as usize]);
        let is_replanned = sizes.replan(slots, footprint, !P::IS_LOOSE);
        if is_replanned {
            self.scatter();
        }
        let pending = core::mem::take(&mut self.pending);
        for &slot in &pending {
            if self.spans[slot as usize].is_waiting() {
                self.settle(proxies, slot);
            }
        }
        self.pending = pending;
        self.pending.clear();
        u64::from(is_replanned)
    }

    fn find(&mut self, proxies: &ProxyTable, _: &[u32], found: &mut PairBuffer) {
        let SparseGrid { nodes, spans, work: Work { front, search, .. }, .. } = self;
        front.fill(nodes, proxies, spans, P::IS_LOOSE);
        core::mem::swap(found, &mut search.found);
        let front = &*front;
        in_chunks(0..front.partners.occupied.len(), search, |first, last, search| {
            for start in (first..last).step_by(CHUNK_CELLS) {
                for index in start..last.min(start + CHUNK_CELLS) {
                    front.find_between(nodes, index, P::IS_LOOSE, search);
                }
                search.run_tasks(&front.packed, &front.packed);
            }
        });
        core::mem::swap(found, &mut search.found);
    }

    /// The index also covers boxes that are in no cell yet.
    fn index(&self, _: ProxyChanges) -> Option<&dyn FinderIndex> {
        Some(self)
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.visit_nodes(visit);
    }

    fn bytes(&self) -> usize {
        let Work { front, search, leaving } = &self.work;
        self.nodes.bytes()
            + self.spans.capacity() * size_of::<CellSpan>()
            + 4 * (self.positions.capacity() + self.pending.capacity() + leaving.capacity())
            + front.bytes()
            + self.sizes.bytes()
            + search.bytes()
    }

    fn validate(&self, proxies: &ProxyTable, slots: &[u32], _: ProxyChanges) -> Result<(), String> {
        self.nodes.validate()?;
        let mut n_members = 0;
        for slot in 0..proxies.n_slots() as u32 {
            let span = self.spans.get(slot as usize).copied().unwrap_or(ABSENT);
            if (span != ABSENT) != slots.binary_search(&slot).is_ok() {
                return Err(format!("slot {slot} is at {span:?}"));
            }
            if !span.is_settled() {
                if span.is_waiting() && !self.pending.contains(&slot) {
                    return Err(format!("slot {slot} is nowhere"));
                }
                continue;
            }
            let aabb = &proxies.boxes()[slot as usize];
            if span != self.cell_span(aabb) {
                return Err(format!("slot {slot} should not be at {span:?}"));
            }
            if let Some((axis, (low, high))) = self.height()
                && (aabb.min[axis] < low || high < aabb.max[axis])
            {
                return Err(format!("slot {slot} reaches out of {low} to {high}"));
            }
            for (i, key) in span.cells().enumerate() {
                let position = self.positions[slot as usize * Self::N_POSITIONS + i];
                if self.nodes.at(position) != Some((slot, key)) {
                    return Err(format!("slot {slot} is not at position {position}"));
                }
                n_members += 1;
            }
        }
        let in_nodes: u64 = self.nodes.nodes.iter().map(|node| u64::from(node.n)).sum();
        if in_nodes != n_members {
            return Err(format!("{in_nodes} members of nodes, {n_members} of slots"));
        }
        Ok(())
    }
}
