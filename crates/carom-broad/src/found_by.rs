//! A broad phase around any way to find pairs: all that is the same for every algorithm.
//!
//! An implementor writes one function, from boxes to touching pairs, and is told what comes, moves and goes if it cares; handles,
//! filters, order, events and queries are here.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1 (what all broad phases have in common).

use crate::proxy::{ProxyId, ProxyTable};
use crate::spatial::{scan_box, scan_near, scan_ray};
use crate::{
    BoxHit, BroadPhase, BroadPhaseError, Contents, Counters, EventLog, Filter, Found, Mobility, Pair,
    PairFilter, SpatialIndex, wanted_pairs,
};
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::{Interval, Ray};
use core::ops::ControlFlow;
use glam::Vec3;

/// What has changed since the last search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// A static box came, went or moved, or a box became static or ceased to be; or it is not known.
    pub statics: bool,
}

/// A way to find touching boxes.
pub trait PairFinder {
    /// Pairs may be found more than once.
    const MAY_REPEAT: bool = false;

    /// Slots have numbers below this.
    const MAX_SLOTS: usize = u32::MAX as usize;

    /// A box came to a free slot.
    fn came(&mut self, slot: u32) {
        let _ = slot;
    }

    /// The box of a slot was moved.
    fn moved(&mut self, slot: u32, aabb: &Aabb) {
        let _ = (slot, aabb);
    }

    /// The box left the slot.
    fn left(&mut self, slot: u32) {
        let _ = slot;
    }

    /// Adds every pair of touching boxes among these live slots, which are in order, to `found`. Pairs of two static boxes may be
    /// left out: they are dropped afterwards, as all pairs are that their filters do not want.
    fn find(&mut self, proxies: &ProxyTable, slots: &[u32], changes: Changes, found: &mut Found);

    /// Checks what it keeps from search to search. Slow; for tests.
    fn validate(&self, proxies: &ProxyTable) -> Result<(), String> {
        let _ = proxies;
        Ok(())
    }
}

/// The broad phase whose pairs a finder finds.
///
/// Spatial queries go through the boxes one by one.
///
/// Memory: that of the [`ProxyTable`], 40 bytes per slot, 8 per slot for lists of them, 8 per pair, and what the finder needs.
#[derive(Default)]
pub struct FoundBy<F> {
    finder: F,
    proxies: ProxyTable,
    changes: Changes,
    /// Some filter does not want everything.
    is_filtered: bool,
    pair_filter: Option<PairFilter>,
    log: EventLog,
    workspace: Vec<Pair>,
    slots: Vec<u32>,
    found: Found,
    counts: Vec<u32>,
    counters: Counters,
}

impl<F: PairFinder + Default> FoundBy<F> {
    /// No boxes.
    pub fn new() -> FoundBy<F> {
        FoundBy::with_finder(F::default())
    }
}

impl<F: PairFinder> FoundBy<F> {
    /// No boxes, and this finder.
    pub fn with_finder(finder: F) -> FoundBy<F> {
        FoundBy {
            finder,
            proxies: ProxyTable::new(),
            changes: Changes::default(),
            is_filtered: false,
            pair_filter: None,
            log: EventLog::new(),
            workspace: Vec::new(),
            slots: Vec::new(),
            found: Found::new(),
            counts: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// The finder.
    pub fn finder(&self) -> &F {
        &self.finder
    }

    fn admit(&mut self, id: ProxyId, filter: &Filter) {
        self.finder.came(id.index());
        self.note(filter);
    }

    fn note(&mut self, filter: &Filter) {
        self.changes.statics |= filter.mobility == Mobility::Static;
        self.is_filtered |= *filter != Filter::default();
    }

    fn note_slot(&mut self, id: ProxyId) {
        self.changes.statics |= self.proxies.filters()[id.index() as usize].mobility == Mobility::Static;
    }

    fn check_room(&self, more: usize) -> Result<(), BroadPhaseError> {
        if F::MAX_SLOTS < self.proxies.n_slots() + more { Err(BroadPhaseError::Full) } else { Ok(()) }
    }
}

impl<F: PairFinder> BroadPhase for FoundBy<F> {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        self.check_room(1)?;
        let id = self.proxies.insert(aabb, filter)?;
        self.admit(id, &filter);
        Ok(id)
    }

    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        self.check_room(boxes.len())?;
        let first = ids.len();
        self.proxies.insert_batch(boxes, ids)?;
        ids[first..].iter().zip(boxes).for_each(|(id, (_, filter))| self.admit(*id, filter));
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.proxies.remove_batch(ids)?;
        for &id in ids {
            self.note_slot(id);
            self.finder.left(id.index());
            self.log.note_removed(id.index());
        }
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.update(moves)?;
        moves.iter().for_each(|(id, aabb)| self.finder.moved(id.index(), aabb));
        if self.is_filtered && !self.changes.statics {
            moves.iter().for_each(|&(id, _)| self.note_slot(id));
        }
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.check_id(0, id)?;
        self.note_slot(id);
        self.note(&filter);
        self.proxies.set_filter(id, filter)
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.pair_filter = filter;
    }

    fn hand_over(&mut self) -> Contents {
        self.proxies.live().for_each(|slot| self.finder.left(slot));
        self.changes.statics = true;
        self.is_filtered = false;
        let proxies = core::mem::take(&mut self.proxies);
        Contents::new(proxies, self.pair_filter.take(), core::mem::take(&mut self.log))
    }

    fn take_over(&mut self, contents: Contents) {
        self.hand_over();
        let Contents { proxies, pair_filter, log } = contents;
        for slot in proxies.live() {
            self.finder.came(slot);
            self.is_filtered |= proxies.filters()[slot as usize] != Filter::default();
        }
        (self.proxies, self.pair_filter, self.log) = (proxies, pair_filter, log);
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        let FoundBy { finder, proxies, slots, found, counts, .. } = self;
        slots.clear();
        slots.extend(proxies.live());
        found.clear();
        finder.find(proxies, slots, core::mem::take(&mut self.changes), found);
        let keep = self.pair_filter.as_ref();
        wanted_pairs(found, F::MAY_REPEAT, proxies, self.is_filtered, keep, counts, out);
        self.counters = Counters {
            tests: found.tests,
            nodes: found.nodes,
            pairs: out.len() as u64,
            candidates: found.candidates,
            rebuilds: self.counters.rebuilds + found.rebuilds,
        };
    }

    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>) {
        (&mut self.log, &mut self.workspace)
    }

    fn proxies(&self) -> &ProxyTable {
        &self.proxies
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn validate(&self) -> Result<(), String> {
        self.proxies.validate()?;
        self.finder.validate(&self.proxies)
    }
}

impl<F: PairFinder> SpatialIndex for FoundBy<F> {
    fn visit_box(&self, query: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let _ = scan_box(self.proxies.live(), self.proxies.boxes(), query, visit);
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        interval: Interval,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let _ = scan_ray(self.proxies.live(), self.proxies.boxes(), ray, interval, visit);
    }

    fn visit_near(
        &self,
        point: Vec3,
        max_distance: f32,
        visit: &mut dyn FnMut(BoxHit) -> ControlFlow<(), f32>,
    ) {
        let _ = scan_near(self.proxies.live(), self.proxies.boxes(), point, max_distance, visit);
    }
}
