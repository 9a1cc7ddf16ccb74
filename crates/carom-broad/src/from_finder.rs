//! The part that all broad phases share, around any algorithm that finds pairs.
//!
//! An implementor writes one function, from boxes to touching pairs. Handles, filters, order,
//! events and queries are here. A finder with a persistent structure also follows insertions,
//! moves and removals, and may answer the queries.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (the common part of all
//! broad phases).

use crate::id::ProxyId;
use crate::proxy::ProxyTable;
use crate::spatial::{scan_box, scan_culled, scan_near, scan_ray};
use crate::{
    BoxHit, BroadPhase, BroadPhaseError, BroadPhaseState, Counters, EventLog, Filter, Groups, Mobility, Pair,
    PairBuffer, PairFilter, SpatialIndex, wanted_pairs,
};
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, Culling};
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// The kinds of change since the last [`PairFinder::refresh`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProxyChanges {
    /// A box was added or removed, or its filter was changed.
    pub members: bool,
    /// A box was moved.
    pub boxes: bool,
    /// A static box was added, removed or moved, or a box became static or ceased to be.
    pub statics: bool,
}

impl ProxyChanges {
    /// Everything has changed, or the changes are unknown.
    pub const ALL: ProxyChanges = ProxyChanges { members: true, boxes: true, statics: true };

    /// Whether something has changed.
    pub const fn is_any(self) -> bool {
        self.members || self.boxes || self.statics
    }
}

/// An algorithm that finds touching boxes. Boxes that share only a point touch.
///
/// The boxes of a [`ProxyTable`] are finite and not inverted. Their slots may have gaps.
///
/// The calls are: any number of [`PairFinder::on_insert`], [`PairFinder::take_moves`],
/// [`PairFinder::on_filter_change`] and [`PairFinder::on_remove`], which are optional; then
/// [`PairFinder::refresh`] if anything has changed, and [`PairFinder::find`].
pub trait PairFinder {
    /// Whether pairs may be found more than once.
    const MAY_REPEAT: bool = false;

    /// Whether pairs of two static boxes are left out.
    const SKIPS_STATICS: bool = false;

    /// The upper bound of slot numbers, exclusive.
    const MAX_SLOTS: usize = u32::MAX as usize;

    /// Called after a box was added in a free slot, or came from another finder.
    fn on_insert(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        let _ = (slot, aabb, filter);
    }

    /// Writes the boxes of the checked moves into the table, in order. The default calls
    /// [`PairFinder::on_move`] for each; a finder may do otherwise.
    fn take_moves(&mut self, proxies: &mut ProxyTable, moves: &[(ProxyId, Aabb)]) {
        let boxes = proxies.boxes_mut();
        for (id, aabb) in moves {
            boxes[id.index() as usize] = *aabb;
            self.on_move(id.index(), aabb);
        }
    }

    /// Called after the box of a slot has moved.
    fn on_move(&mut self, slot: u32, aabb: &Aabb) {
        let _ = (slot, aabb);
    }

    /// Called after the filter of a slot has changed.
    fn on_filter_change(&mut self, slot: u32, aabb: &Aabb, old: &Filter, new: &Filter) {
        let _ = (slot, aabb, old, new);
    }

    /// Called after this box was removed from the slot. The slot may be live: with
    /// `StaticDynamic` a box may leave this finder for another.
    fn on_remove(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        let _ = (slot, aabb, filter);
    }

    /// Updates the kept structure for these live slots, which are sorted. Returns the number of
    /// rebuilds.
    fn refresh(&mut self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> u64 {
        let _ = (proxies, slots, changes);
        0
    }

    /// Adds every pair of touching boxes among these live slots, which are sorted, to `found`.
    /// Pairs of two static boxes may be left out; filters drop them afterwards, like all unwanted
    /// pairs. Nothing has changed since the last refresh.
    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], found: &mut PairBuffer);

    /// Returns the index for spatial queries, if it is valid with these changes since the last
    /// refresh. Otherwise the boxes are tested one by one. An index given with some changes is
    /// also given with none.
    fn index(&self, changes: ProxyChanges) -> Option<&dyn FinderIndex> {
        let _ = changes;
        None
    }

    /// Like [`BroadPhase::visit_volumes`].
    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let _ = visit;
    }

    /// Returns the bytes of memory in use or kept; 0 for a finder that keeps nothing.
    fn bytes(&self) -> usize {
        0
    }

    /// Checks the kept structure for these live slots, which are sorted, if it is valid with these
    /// changes since the last refresh. Slow; for tests.
    fn validate(&self, proxies: &ProxyTable, slots: &[u32], changes: ProxyChanges) -> Result<(), String> {
        let _ = (proxies, slots, changes);
        Ok(())
    }
}

/// Spatial queries on the structure of a finder, with the meaning of [`SpatialIndex`].
pub trait FinderIndex {
    /// Like [`SpatialIndex::visit_box`].
    fn visit_box(&self, proxies: &ProxyTable, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>);

    /// Like [`SpatialIndex::visit_culled`].
    fn visit_culled(
        &self,
        proxies: &ProxyTable,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    );

    /// Like [`SpatialIndex::visit_ray`].
    fn visit_ray(
        &self,
        proxies: &ProxyTable,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    );

    /// Like [`SpatialIndex::visit_near`].
    fn visit_near(
        &self,
        proxies: &ProxyTable,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    );
}

/// The broad phase with the pairs of a finder.
///
/// Spatial queries use the index of the finder if it has one, otherwise they test the boxes one by
/// one.
///
/// Memory: the [`ProxyTable`] with 40 bytes per slot, 12 per slot for lists and counts, 20 per
/// pair, and that of the finder.
#[derive(Default)]
pub struct FromFinder<F> {
    finder: F,
    state: BroadPhaseState,
    changes: ProxyChanges,
    /// Whether the groups of some box may reject a pair; not unset before
    /// [`BroadPhase::replace_state`].
    has_groups: bool,
    /// Whether some box is static; not unset before [`BroadPhase::replace_state`].
    has_statics: bool,
    slots: Vec<u32>,
    found: PairBuffer,
    counts: Vec<u32>,
    counters: Counters,
}

impl<F: PairFinder + Default> FromFinder<F> {
    /// Returns a broad phase without boxes.
    pub fn new() -> FromFinder<F> {
        FromFinder::with_finder(F::default())
    }
}

impl<F: PairFinder> FromFinder<F> {
    /// Returns a broad phase without boxes, with this finder.
    pub fn with_finder(finder: F) -> FromFinder<F> {
        FromFinder {
            finder,
            state: BroadPhaseState::default(),
            changes: ProxyChanges::default(),
            has_groups: false,
            has_statics: false,
            slots: Vec::new(),
            found: PairBuffer::new(),
            counts: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// Returns the finder.
    pub fn finder(&self) -> &F {
        &self.finder
    }

    /// Returns the bytes of memory held, without the table of proxies and the log of events.
    pub fn bytes(&self) -> usize {
        let FromFinder { finder, slots, found, counts, .. } = self;
        finder.bytes() + 4 * (slots.capacity() + counts.capacity()) + found.bytes()
    }

    fn admit(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        self.finder.on_insert(slot, aabb, filter);
        self.note(filter);
    }

    fn note(&mut self, filter: &Filter) {
        let is_static = filter.mobility == Mobility::Fixed;
        self.changes.members = true;
        self.changes.statics |= is_static;
        self.has_statics |= is_static;
        self.has_groups |= filter.membership.is_empty() || filter.mask != Groups::all();
    }

    fn check_room(&self, more: usize) -> Result<(), BroadPhaseError> {
        if F::MAX_SLOTS < self.state.proxies.n_slots() + more { Err(BroadPhaseError::Full) } else { Ok(()) }
    }
}

impl<F: PairFinder> BroadPhase for FromFinder<F> {
    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        self.check_room(boxes.len())?;
        let first = ids.len();
        self.state.proxies.insert_batch(boxes, ids)?;
        ids[first..].iter().zip(boxes).for_each(|(id, (aabb, filter))| self.admit(id.index(), aabb, filter));
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        let FromFinder { finder, state: BroadPhaseState { proxies, log, .. }, changes, .. } = self;
        proxies.remove_each(ids, |slot, aabb, filter| {
            changes.members = true;
            changes.statics |= filter.mobility == Mobility::Fixed;
            finder.on_remove(slot, aabb, filter);
            log.note_removed(slot);
        })
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.state.proxies.check_moves(moves)?;
        self.finder.take_moves(&mut self.state.proxies, moves);
        self.changes.boxes |= !moves.is_empty();
        if self.has_statics && !self.changes.statics {
            let filters = self.state.proxies.filters();
            self.changes.statics =
                moves.iter().any(|(id, _)| filters[id.index() as usize].mobility == Mobility::Fixed);
        }
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        let slot = self.state.proxies.check_id(0, id)?;
        let old = self.state.proxies.filters()[slot];
        self.state.proxies.set_filter(id, filter)?;
        self.note(&old);
        self.note(&filter);
        self.finder.on_filter_change(id.index(), &self.state.proxies.boxes()[slot], &old, &filter);
        Ok(())
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        let FromFinder { finder, state, slots, found, counts, .. } = self;
        let proxies = &state.proxies;
        found.clear();
        finder.find(proxies, slots, found);
        let is_filtered = self.has_groups || (self.has_statics && !F::SKIPS_STATICS);
        let keep = state.pair_filter.as_ref();
        wanted_pairs(found, F::MAY_REPEAT, proxies, is_filtered, keep, counts, out);
        self.counters = Counters {
            tests: found.tests,
            nodes: found.nodes,
            pairs: out.len() as u64,
            candidates: found.candidates,
            rebuilds: self.counters.rebuilds + found.rebuilds,
            sorted: 0,
        };
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn proxies(&self) -> &ProxyTable {
        &self.state.proxies
    }

    fn filter_and_log(&mut self) -> (&mut Option<PairFilter>, &mut EventLog) {
        (&mut self.state.pair_filter, &mut self.state.log)
    }

    fn replace_state(&mut self, state: BroadPhaseState) -> BroadPhaseState {
        let (boxes, filters) = (self.state.proxies.boxes(), self.state.proxies.filters());
        for slot in self.state.proxies.live() {
            self.finder.on_remove(slot, &boxes[slot as usize], &filters[slot as usize]);
        }
        (self.has_groups, self.has_statics) = (false, false);
        let (boxes, filters) = (state.proxies.boxes(), state.proxies.filters());
        for slot in state.proxies.live() {
            self.admit(slot, &boxes[slot as usize], &filters[slot as usize]);
        }
        self.changes = ProxyChanges::ALL;
        core::mem::replace(&mut self.state, state)
    }

    fn refresh(&mut self) {
        let changes = core::mem::take(&mut self.changes);
        if !changes.is_any() {
            return;
        }
        if changes.members {
            self.slots.clear();
            self.slots.extend(self.state.proxies.live());
        }
        self.counters.rebuilds += self.finder.refresh(&self.state.proxies, &self.slots, changes);
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.finder.visit_volumes(visit);
    }

    fn validate(&self) -> Result<(), String> {
        self.state.proxies.validate()?;
        let slots: Vec<u32> = self.state.proxies.live().collect();
        self.finder.validate(&self.state.proxies, &slots, self.changes)
    }
}

impl<F: PairFinder> SpatialIndex for FromFinder<F> {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        if let Some(index) = self.finder.index(self.changes) {
            return index.visit_box(&self.state.proxies, query, visit);
        }
        let _ = scan_box(self.state.proxies.live(), self.state.proxies.boxes(), query, visit);
    }

    fn visit_culled(
        &self,
        classify: &mut dyn FnMut(&Aabb) -> Culling,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        if let Some(index) = self.finder.index(self.changes) {
            return index.visit_culled(&self.state.proxies, classify, visit);
        }
        let _ = scan_culled(self.state.proxies.live(), self.state.proxies.boxes(), classify, visit);
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        if let Some(index) = self.finder.index(self.changes) {
            return index.visit_ray(&self.state.proxies, ray, interval, visit);
        }
        let _ = scan_ray(self.state.proxies.live(), self.state.proxies.boxes(), ray, interval, visit);
    }

    fn visit_near(
        &self,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        if let Some(index) = self.finder.index(self.changes) {
            return index.visit_near(&self.state.proxies, point, max_distance, visit);
        }
        let _ = scan_near(self.state.proxies.live(), self.state.proxies.boxes(), point, max_distance, visit);
    }
}
