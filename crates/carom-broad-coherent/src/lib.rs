//! Broad phases for boxes that move little from frame to frame, and for boxes that all jump.
//!
//! [`VerletList`] is generic over a [`FatIndex`], which finds the pairs of boxes that do not move.
//! `carom-broad-grid` has grids of this kind, `carom-broad-tree` a tree.
//!
//! ```
//! use carom_bounds::{Aabb, Culling};
//! use carom_broad::{BoxHit, BroadPhase, Filter, Pair, PairBuffer, ProxyTable};
//! # use carom_broad::{scan_box, scan_culled, scan_near, scan_ray};
//! use carom_broad_coherent::{FatIndex, Residents, VerletList};
//! use carom_math::{Interval, Ray};
//! use core::ops::{ControlFlow, Range};
//! use glam::Vec3;
//!
//! /// An index that is only a list.
//! #[derive(Default)]
//! struct List(Vec<(u32, Aabb)>);
//!
//! impl FatIndex for List {
//!     fn rebuild(&mut self, fat: &[Aabb], proxies: &ProxyTable, _: bool) {
//!         let is_there = |slot: &u32| fat[*slot as usize].min.x <= fat[*slot as usize].max.x;
//!         let slots = proxies.live().filter(is_there);
//!         self.0 = slots.map(|slot| (slot, fat[slot as usize])).collect();
//!     }
//!     fn find(&mut self, _: Option<&List>, eighths: Range<usize>, found: &mut PairBuffer) {
//!         // All pairs are found in the first of eight parts of the search.
//!         if eighths.start != 0 {
//!             return;
//!         }
//!         for (n, (a, own)) in self.0.iter().enumerate() {
//!             for (b, other) in &self.0[n + 1..] {
//!                 if own.min.cmple(other.max).all() && other.min.cmple(own.max).all() {
//!                     found.push(*a, *b);
//!                 }
//!             }
//!         }
//!     }
//!     # fn visit_box(
//!     #     &self,
//!     #     of: Residents<'_>,
//!     #     query: &Aabb,
//!     #     visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
//!     # ) -> ControlFlow<()> {
//!     #     scan_box(of.slots(), of.boxes(), query, visit)
//!     # }
//!     # fn visit_culled(
//!     #     &self,
//!     #     of: Residents<'_>,
//!     #     classify: &mut dyn FnMut(&Aabb) -> Culling,
//!     #     visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
//!     # ) -> ControlFlow<()> {
//!     #     scan_culled(of.slots(), of.boxes(), classify, visit)
//!     # }
//!     # fn visit_ray(
//!     #     &self,
//!     #     of: Residents<'_>,
//!     #     ray: &Ray,
//!     #     interval: Interval,
//!     #     visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
//!     # ) -> ControlFlow<(), f32> {
//!     #     scan_ray(of.slots(), of.boxes(), ray, interval, visit)
//!     # }
//!     # fn visit_near(
//!     #     &self,
//!     #     of: Residents<'_>,
//!     #     point: Vec3,
//!     #     max_distance: f32,
//!     #     visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
//!     # ) -> ControlFlow<(), f32> {
//!     #     scan_near(of.slots(), of.boxes(), point, max_distance, visit)
//!     # }
//!     // The queries are left out here: `scan_box` and its like do them over a list.
//!     fn bytes(&self) -> usize {
//!         self.0.capacity() * size_of::<(u32, Aabb)>()
//!     }
//!     fn validate(&self, _: Residents<'_>) -> Result<(), String> {
//!         Ok(())
//!     }
//! }
//!
//! let cube = |x: f32| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = VerletList::<List>::new();
//! let a = broad.insert(cube(0.0), Filter::default())?;
//! let b = broad.insert(cube(0.9), Filter::default())?;
//! let mut pairs = Vec::new();
//! broad.pairs(&mut pairs);
//! assert_eq!(pairs, [Pair::new(a.index(), b.index())]);
//! broad.update(&[(b, cube(1.2))])?; // it stays in its fat box, and touches no longer
//! broad.pairs(&mut pairs);
//! assert_eq!(pairs, []);
//! # Ok::<(), carom_broad::BroadPhaseError>(())
//! ```
//!
//! # How it works
//!
//! Boxes that move a little stay within fat boxes. The index of the fat boxes and its list of
//! candidates are kept for many frames. A box that leaves its fat box is an outlier until the next
//! rebuild: it queries the index itself. If many will be outliers soon, the next index and list
//! are built over three frames. The old ones are used meanwhile. If boxes move so far that lists
//! live only a few frames, no list is kept. The index then holds the exact boxes and gives the
//! pairs directly.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 (dynamic trees with fat
//! boxes); L. Verlet, Computer "Experiments" on Classical Fluids, 1967 (the kept list).
//! Differs: rebuilt instead of repaired, so the index never degrades (test:
//! `dynamic::conforms_while_lists_are_renewed`, carom-broad-tree); margins follow the motion of
//! each box; pairs are exact for all margins.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod broad_phase;
mod by_slot;
mod candidates;
mod incremental_rebuild;
mod index;
mod ingest;
mod narrow;
mod outliers;
mod policy;
mod queries;
mod rebuild;

pub use index::{FatIndex, Residents};
pub use policy::VerletListSettings;

use alloc::vec::Vec;
use candidates::Candidates;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{
    Counters, EventLog, Filter, Groups, Mobility, Pair, PairBuffer, PairFilter, ProxyId, ProxyTable,
};
use incremental_rebuild::PendingIndex;
use outliers::Removed;
use policy::Policy;

/// Boxes in an index that is rebuilt when it pays; a [`BroadPhase`](carom_broad::BroadPhase) and a
/// [`SpatialIndex`](carom_broad::SpatialIndex).
///
/// Memory: 80 bytes per box (table 40, fat box 24, index, pace and counts 16). Each candidate
/// takes 13, and there are up to twice as many as pairs. Each pair takes 24 during a search. Add
/// the memory of the index. A list built over several frames takes 24 more per box and a second
/// index. If few boxes move per frame, add 8 per box, 4 per candidate and 16 per pair.
#[derive(Default)]
pub struct VerletList<I> {
    settings: VerletListSettings,
    proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// Whether the groups of some box may reject a pair; never unset.
    has_groups: bool,
    index: I,
    /// By slot: the fat box in the index; empty for a box that is not in it.
    fat: Vec<Aabb>,
    /// By slot: the position in `outliers`, for an outlier.
    indices: Vec<u32>,
    /// By slot: the largest recent move, decaying.
    pace: Vec<f32>,
    /// Live slots that are not in the index.
    outliers: Vec<u32>,
    /// Whether all boxes are outliers, and `outliers` is not kept.
    are_all_outliers: bool,
    candidates: Candidates,
    /// Whether, since the last rebuild, a static box was added, removed or moved, or a box became
    /// static or ceased to be.
    have_statics_changed: bool,
    /// Whether some box is static; never unset.
    has_statics: bool,
    /// Whether the list was not yet found in this index.
    needs_list: bool,
    /// The index and the list that will replace these.
    next: PendingIndex<I>,
    /// Eighths of the search that are done, with pairs in `work.found`; of the next index if there
    /// is one.
    n_found: usize,
    /// Number of these pairs that `work.sorted` holds, sorted.
    n_sorted: usize,
    removed: Removed,
    moved: Moved,
    is_changed: bool,
    /// Boxes and pairs sorted since the last search.
    sorted: u64,
    policy: Policy,
    work: Work,
    counters: Counters,
    log: EventLog,
}

#[derive(Default)]
struct Work {
    found: PairBuffer,
    counts: Vec<u32>,
    escaped: Vec<u32>,
    sweep: Vec<(Aabb, u32)>,
    outlier_pairs: Vec<Pair>,
    sorted: Vec<Pair>,
    part: Vec<Pair>,
}

/// The boxes that moved since the last search, while they are few. Some may be removed since, or
/// listed twice.
#[derive(Default)]
struct Moved {
    slots: Vec<u32>,
    are_many: bool,
}

impl Moved {
    fn add(&mut self, moves: &[(ProxyId, Aabb)], n_live: usize) {
        self.are_many |= n_live < (self.slots.len() + moves.len()) * policy::FEW_MOVE;
        if !self.are_many {
            self.slots.extend(moves.iter().map(|(id, _)| id.index()));
        }
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.are_many = false;
    }
}

impl<I: FatIndex> VerletList<I> {
    /// Returns a broad phase without boxes.
    pub fn new() -> VerletList<I> {
        VerletList::default()
    }

    /// Returns a broad phase without boxes, with these settings.
    pub fn with_settings(settings: VerletListSettings) -> VerletList<I> {
        VerletList { settings, ..VerletList::default() }
    }

    /// Returns the bytes of memory held, without the table of proxies and the log of events.
    pub fn bytes(&self) -> usize {
        let Work { found, counts, escaped, sweep, outlier_pairs, sorted, part } = &self.work;
        let slots = [&self.indices, &self.outliers, &self.moved.slots, counts, escaped].map(Vec::capacity);
        let lists = [outlier_pairs, sorted, part].map(Vec::capacity);
        self.index.bytes()
            + self.next.bytes()
            + self.removed.bytes()
            + self.fat.capacity() * size_of::<Aabb>()
            + 4 * (slots.iter().sum::<usize>() + self.pace.capacity())
            + self.candidates.bytes()
            + found.bytes()
            + sweep.capacity() * size_of::<(Aabb, u32)>()
            + lists.iter().sum::<usize>() * size_of::<Pair>()
    }

    fn residents(&self) -> Residents<'_> {
        Residents { boxes: self.proxies.boxes(), fat: &self.fat }
    }

    /// Returns the largest number of outliers for which the index is kept.
    fn max_outliers(&self) -> usize {
        (self.proxies.n_live() / self.policy.outlier_part()).max(32)
    }

    #[inline]
    fn is_resident(&self, slot: u32) -> bool {
        self.residents().has(slot)
    }

    /// Makes a box an outlier, in the index in use and in the next one.
    fn expel(&mut self, slot: u32) {
        self.next.evict(slot);
        self.evict(slot);
    }

    /// Makes a box of the index an outlier.
    fn evict(&mut self, slot: u32) {
        if self.are_all_outliers || !self.is_resident(slot) {
            return;
        }
        self.index.forget(slot);
        self.fat[slot as usize] = Aabb::EMPTY;
        self.indices[slot as usize] = self.outliers.len() as u32;
        self.outliers.push(slot);
        self.removed.add(slot);
    }

    /// Drops the index: all boxes are outliers.
    fn drop_index(&mut self) {
        self.are_all_outliers = true;
        self.outliers.clear();
    }

    /// Notes that a static box has changed.
    fn note_statics(&mut self) {
        self.have_statics_changed = true;
        self.next.have_statics_changed = true;
    }

    fn note_filter(&mut self, filter: &Filter) {
        let is_static = filter.mobility == Mobility::Fixed;
        self.has_statics |= is_static;
        if is_static {
            self.note_statics();
        }
        self.has_groups |= filter.membership.is_empty() || filter.mask != Groups::all();
    }

    /// Adds a new box as an outlier.
    fn admit(&mut self, id: ProxyId, filter: &Filter) {
        let slot = id.index() as usize;
        let n_slots = self.proxies.n_slots();
        self.fat.resize(n_slots, Aabb::EMPTY);
        self.indices.resize(n_slots, 0);
        self.pace.resize(n_slots, 0.0);
        self.fat[slot] = Aabb::EMPTY;
        self.next.admit(n_slots);
        self.note_filter(filter);
        self.is_changed = true;
        if !self.are_all_outliers {
            self.indices[slot] = self.outliers.len() as u32;
            self.outliers.push(slot as u32);
        }
    }
}
