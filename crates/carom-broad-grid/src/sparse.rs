//! A broad phase on cells that are kept from frame to frame: a box that stays in its cells changes nothing.
//!
//! Only boxes that enter a cell or leave one are moved between cells. For the pairs the members of all cells are
//! written side by side; then each cell is searched by itself and against those that its boxes may reach.
//! New boxes wait until the next search, when the sizes of all are known.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.4 and 7.2 (hashed cells, levels of them).

use crate::find::{Search, pieces};
use crate::nodes::{Key, NONE, Nodes};
use crate::packed::Packed;
use crate::sizes::Sizes;
use crate::walk::Meetings;
use crate::{loose_octree, spatial_hash};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{
    BroadPhase, BroadPhaseError, Contents, Counters, EventLog, Filter, Groups, Mobility, Pair, PairFilter,
    ProxyId, ProxyTable, wanted_pairs,
};
use core::marker::PhantomData;

/// When one box in so many leaves its cells at once, all cells are made anew, which costs less.
const MANY: usize = 4;

/// Cells whose questions are written down at a time.
const PIECE: usize = 64;

/// Which cells of a [`SparseGrid`] hold a box: [`Hashed`](crate::Hashed) or [`Loose`](crate::Loose). Nothing but
/// the time depends on it.
pub trait Placement: Default + sealed::Sealed {}

pub(crate) mod sealed {
    /// Keeps [`Placement`](super::Placement) to those of this crate.
    pub trait Sealed {
        /// One loose cell holds a box, not all cells that it touches.
        const IS_LOOSE: bool;
    }
}

/// The cells of a box: from `first` on, two on the axes whose bit is set in `span`, else one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) first: Key,
    pub(crate) span: u8,
}

/// Not placed, or not live.
const NOWHERE: Place = Place { first: Key { level: 0, at: [0; 3] }, span: 0 };

impl Place {
    /// The cells, in order.
    fn cells(self) -> impl Iterator<Item = Key> {
        (0..8u8).filter(move |corner| corner & !self.span == 0).map(move |corner| {
            let [x, y, z] = self.first.at;
            let step = |axis: u8| i32::from(corner >> axis & 1);
            Key { level: self.first.level, at: [x + step(0), y + step(1), z + step(2)] }
        })
    }
}

/// What the search works with, by node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    pub(crate) packed: Packed,
    pub(crate) meetings: Meetings,
    /// By node: where its members begin.
    pub(crate) begin: Vec<u32>,
    /// By node, of loose cells: what its members fill; unspecified where there are none.
    pub(crate) filled: Vec<Aabb>,
}

impl Front {
    /// The places of a node's members.
    #[inline]
    pub(crate) fn run(&self, nodes: &Nodes, number: u32) -> (u32, u32) {
        let begin = self.begin[number as usize];
        (begin, begin + nodes.nodes[number as usize].n)
    }

    fn fill(&mut self, nodes: &Nodes, proxies: &ProxyTable, is_loose: bool) {
        if is_loose {
            self.meetings.find_around(nodes);
        } else {
            self.meetings.find_above(nodes);
        }
        self.begin.resize(nodes.nodes.len(), 0);
        let slots = &mut self.packed.slots;
        slots.clear();
        for &number in &self.meetings.occupied {
            let node = &nodes.nodes[number as usize];
            self.begin[number as usize] = slots.len() as u32;
            if node.n_moving == node.n || node.n_moving == 0 {
                slots.extend(nodes.members(node));
                continue;
            }
            // Those that move come first: the others do not ask.
            let is_static = |slot: &u32| proxies.filters()[*slot as usize].mobility == Mobility::Static;
            slots.extend(nodes.members(node).filter(|slot| !is_static(slot)));
            slots.extend(nodes.members(node).filter(is_static));
        }
        let n = slots.len();
        self.packed.gather(proxies.boxes(), n);
        self.filled.resize(nodes.nodes.len(), Aabb::EMPTY);
        if is_loose {
            for &number in &self.meetings.occupied {
                let (begin, end) = self.run(nodes, number);
                self.filled[number as usize] = self.packed.bounds(begin as usize, end as usize);
            }
        }
    }

    /// Writes down what the boxes of a cell ask: the rest of the cell, and the cells that it meets.
    fn ask(&self, nodes: &Nodes, place: usize, is_loose: bool, search: &mut Search) {
        let number = self.meetings.occupied[place];
        let node = &nodes.nodes[number as usize];
        let (begin, end) = self.run(nodes, number);
        for place in begin..begin + node.n_moving {
            search.push_task(place as usize, place + 1, end);
        }
        for &other in self.meetings.partners(place) {
            if node.n_moving == 0 && nodes.nodes[other as usize].n_moving == 0 {
                continue;
            }
            let (other_begin, other_end) = self.run(nodes, other);
            let filled = &self.filled[other as usize];
            if is_loose && !filled.overlaps(&self.filled[number as usize]) {
                continue;
            }
            for place in begin..end {
                let (min, max) = self.packed.corners(place as usize);
                if !is_loose || filled.overlaps(&Aabb { min: min.into(), max: max.into() }) {
                    search.push_task(place as usize, other_begin, other_end);
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.packed.bytes()
            + self.meetings.bytes()
            + 4 * self.begin.capacity()
            + self.filled.capacity() * size_of::<Aabb>()
    }
}

#[derive(Default)]
struct Work {
    front: Front,
    search: Search,
    counts: Vec<u32>,
    leaving: Vec<u32>,
    pairs: Vec<Pair>,
}

/// Boxes in cells of all sizes; [`BroadPhase`] and [`SpatialIndex`](carom_broad::SpatialIndex).
///
/// Use it as [`SpatialHash`](crate::SpatialHash) or [`LooseOctree`](crate::LooseOctree).
pub struct SparseGrid<P: Placement> {
    pub(crate) proxies: ProxyTable,
    pair_filter: Option<PairFilter>,
    /// A box is static, or its groups are not the default ones; never unset.
    has_filters: bool,
    pub(crate) nodes: Nodes,
    /// By slot.
    pub(crate) places: Vec<Place>,
    /// By slot, the positions in its cells: up to eight, or one for loose cells.
    positions: Vec<u32>,
    /// Slots that are in no cell yet; some may be dead, or there twice.
    pub(crate) pending: Vec<u32>,
    sizes: Sizes,
    work: Work,
    counters: Counters,
    log: EventLog,
    placement: PhantomData<P>,
}

impl<P: Placement> Default for SparseGrid<P> {
    fn default() -> SparseGrid<P> {
        SparseGrid {
            proxies: ProxyTable::new(),
            pair_filter: None,
            has_filters: false,
            nodes: Nodes::default(),
            places: Vec::new(),
            positions: Vec::new(),
            pending: Vec::new(),
            sizes: Sizes::default(),
            work: Work::default(),
            counters: Counters::default(),
            log: EventLog::new(),
            placement: PhantomData,
        }
    }
}

impl<P: Placement> SparseGrid<P> {
    /// Positions kept per slot.
    const N_POSITIONS: usize = if P::IS_LOOSE { 1 } else { 8 };

    /// No boxes.
    pub fn new() -> SparseGrid<P> {
        SparseGrid::default()
    }

    /// Bytes of memory that this holds on to, without the table of proxies and the log of events.
    pub fn bytes(&self) -> usize {
        let Work { front, search, counts, leaving, pairs } = &self.work;
        self.nodes.bytes()
            + self.places.capacity() * size_of::<Place>()
            + 4 * (self.positions.capacity()
                + self.pending.capacity()
                + counts.capacity()
                + leaving.capacity())
            + front.bytes()
            + self.sizes.bytes()
            + search.bytes()
            + pairs.capacity() * size_of::<Pair>()
    }

    /// The cells of a box.
    fn place(&self, aabb: &Aabb) -> Place {
        if P::IS_LOOSE {
            loose_octree::place(aabb, &self.sizes)
        } else {
            spatial_hash::place(aabb, &self.sizes)
        }
    }

    fn is_moving(&self, slot: u32) -> bool {
        self.proxies.filters()[slot as usize].mobility != Mobility::Static
    }

    fn admit(&mut self, id: ProxyId, aabb: &Aabb, filter: &Filter) {
        let n_slots = self.proxies.n_slots();
        self.places.resize(n_slots, NOWHERE);
        self.positions.resize(n_slots * Self::N_POSITIONS, NONE);
        self.note_filter(filter);
        self.sizes.enter(aabb);
        self.pending.push(id.index());
    }

    fn note_filter(&mut self, filter: &Filter) {
        self.has_filters |= filter.mobility == Mobility::Static
            || filter.membership.is_empty()
            || filter.mask != Groups::all();
    }

    /// Takes all boxes out of their cells at once.
    fn scatter(&mut self) {
        self.nodes.clear();
        self.positions.fill(NONE);
        self.places.fill(NOWHERE);
        self.pending.clear();
        self.pending.extend(self.proxies.live());
    }

    /// Puts a box that is nowhere into its cells.
    fn settle(&mut self, slot: u32) {
        let place = self.place(&self.proxies.boxes()[slot as usize]);
        let is_moving = self.is_moving(slot);
        self.places[slot as usize] = place;
        for (i, key) in place.cells().enumerate() {
            self.positions[slot as usize * Self::N_POSITIONS + i] = self.nodes.add(key, slot, is_moving);
        }
    }

    /// Takes a box out of its cells, if it is in any.
    fn unsettle(&mut self, slot: u32, is_moving: bool) {
        let first = slot as usize * Self::N_POSITIONS;
        if self.places[slot as usize] == NOWHERE {
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
            // Not found when it is the one that was removed.
            if let Some(its) = its.iter_mut().find(|its| **its == from) {
                *its = position;
            }
        }
        self.places[slot as usize] = NOWHERE;
    }
}

impl<P: Placement> BroadPhase for SparseGrid<P> {
    fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        let id = self.proxies.insert(aabb, filter)?;
        self.admit(id, &aabb, &filter);
        Ok(id)
    }

    fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        let first = ids.len();
        self.proxies.insert_batch(boxes, ids)?;
        for (&id, (aabb, filter)) in ids[first..].iter().zip(boxes) {
            self.admit(id, aabb, filter);
        }
        Ok(())
    }

    fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        let old: Vec<Aabb> = ids.iter().filter_map(|&id| self.aabb(id).ok()).collect();
        self.proxies.remove_batch(ids)?;
        for (id, aabb) in ids.iter().zip(&old) {
            self.sizes.leave(aabb);
            // The table keeps the filter of a freed slot until it is given out again.
            let is_moving = self.is_moving(id.index());
            self.unsettle(id.index(), is_moving);
            self.log.note_removed(id.index());
        }
        Ok(())
    }

    fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.proxies.check_moves(moves)?;
        let mut leaving = core::mem::take(&mut self.work.leaving);
        for (id, aabb) in moves {
            let slot = id.index();
            let old = core::mem::replace(&mut self.proxies.boxes_mut()[slot as usize], *aabb);
            self.sizes.change(&old, aabb);
            let place = self.places[slot as usize];
            if place != NOWHERE && place != self.place(aabb) {
                leaving.push(slot);
            }
        }
        self.sizes.note_moves(leaving.len());
        if self.proxies.n_live() < leaving.len() * MANY {
            self.scatter();
        } else {
            for &slot in &leaving {
                let is_moving = self.is_moving(slot);
                self.unsettle(slot, is_moving);
                self.settle(slot);
            }
        }
        leaving.clear();
        self.work.leaving = leaving;
        Ok(())
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.check_id(0, id)?;
        let slot = id.index();
        if self.places[slot as usize] != NOWHERE {
            let is_moving = self.is_moving(slot);
            self.unsettle(slot, is_moving);
            self.pending.push(slot);
        }
        self.note_filter(&filter);
        self.proxies.set_filter(id, filter)
    }

    fn set_pair_filter(&mut self, filter: Option<PairFilter>) {
        self.pair_filter = filter;
    }

    fn hand_over(&mut self) -> Contents {
        let SparseGrid { proxies, pair_filter, log, .. } = core::mem::take(self);
        Contents::new(proxies, pair_filter, log)
    }

    fn take_over(&mut self, contents: Contents) {
        self.hand_over();
        (self.proxies, self.pair_filter, self.log) = (contents.proxies, contents.pair_filter, contents.log);
        for slot in 0..self.proxies.n_slots() as u32 {
            if let Some(id) = self.proxies.id_at(slot) {
                let (aabb, filter) =
                    (self.proxies.boxes()[slot as usize], self.proxies.filters()[slot as usize]);
                self.admit(id, &aabb, &filter);
            }
        }
        self.places.resize(self.proxies.n_slots(), NOWHERE);
        self.positions.resize(self.proxies.n_slots() * Self::N_POSITIONS, NONE);
    }

    fn refresh(&mut self) {
        if self.sizes.replan(&self.proxies, !P::IS_LOOSE) {
            self.scatter();
            self.counters.rebuilds += 1;
        }
        let pending = core::mem::take(&mut self.pending);
        for &slot in &pending {
            if self.proxies.is_live(slot as usize) && self.places[slot as usize] == NOWHERE {
                self.settle(slot);
            }
        }
        self.pending = pending;
        self.pending.clear();
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.refresh();
        let SparseGrid { proxies, nodes, work, .. } = self;
        let Work { front, search, counts, .. } = work;
        front.fill(nodes, proxies, P::IS_LOOSE);
        search.found.clear();
        let front = &*front;
        pieces(front.meetings.occupied.len(), search, |first, last, search| {
            for start in (first..last).step_by(PIECE) {
                for place in start..last.min(start + PIECE) {
                    front.ask(nodes, place, P::IS_LOOSE, search);
                }
                search.run_tasks(&front.packed, &front.packed);
            }
        });
        let found = &search.found;
        // Two boxes may share several cells.
        let keep = self.pair_filter.as_ref();
        wanted_pairs(found, !P::IS_LOOSE, proxies, self.has_filters, keep, counts, out);
        let mut counters = Counters::default();
        counters.tests = found.tests;
        counters.nodes = found.nodes;
        counters.pairs = out.len() as u64;
        counters.rebuilds = self.counters.rebuilds;
        self.counters = counters;
    }

    fn event_log(&mut self) -> (&mut EventLog, &mut Vec<Pair>) {
        (&mut self.log, &mut self.work.pairs)
    }

    fn proxies(&self) -> &ProxyTable {
        &self.proxies
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.visit_nodes(visit);
    }

    fn validate(&self) -> Result<(), String> {
        self.proxies.validate()?;
        self.nodes.validate()?;
        let mut n_members = 0;
        for slot in 0..self.proxies.n_slots() as u32 {
            let place = self.places[slot as usize];
            let is_live = self.proxies.is_live(slot as usize);
            if place == NOWHERE {
                if is_live && !self.pending.contains(&slot) {
                    return Err(format!("slot {slot} is nowhere"));
                }
                continue;
            }
            if !is_live || place != self.place(&self.proxies.boxes()[slot as usize]) {
                return Err(format!("slot {slot} should not be at {place:?}"));
            }
            for (i, key) in place.cells().enumerate() {
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
