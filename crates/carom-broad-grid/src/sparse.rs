//! Cells that are kept from frame to frame: a box that stays in its cells changes nothing.
//!
//! Only boxes that enter a cell or leave one are moved between cells. For the pairs the members of all cells are
//! written side by side; then each cell is searched by itself and against those that its boxes may reach, as `front.rs` says.
//! New boxes wait until the next search, when the sizes of all are known.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 7.1.4 and 7.2 (hashed cells, levels of them).

use crate::find::{Search, pieces};
use crate::front::Front;
use crate::nodes::{Key, NONE, Nodes};
use crate::sizes::Sizes;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{Changes, Filter, FinderIndex, Found, Mobility, PairFinder, ProxyId, ProxyTable};
use core::marker::PhantomData;

/// When one box in so many leaves its cells at once, all cells are made anew, which costs less.
const MANY: usize = 4;

/// Cells whose questions are written down at a time.
const PIECE: usize = 64;

/// Which cells of a [`SparseGrid`] hold a box: [`Hashed`](crate::Hashed) or [`Loose`](crate::Loose). Nothing but
/// the time depends on it.
pub trait Placement: Default + sealed::Sealed {}

pub(crate) mod sealed {
    use super::Place;
    use crate::sizes::Sizes;
    use carom_bounds::Aabb;

    /// Keeps [`Placement`](super::Placement) to those of this crate.
    pub trait Sealed {
        /// One loose cell holds a box, not all cells that it touches.
        const IS_LOOSE: bool;

        /// The cells of a box.
        fn place(aabb: &Aabb, sizes: &Sizes) -> Place;
    }
}

/// The cells of a box: from `first` on, two on the axes whose bit is set in `span`, else one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
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

    /// The axes on which one of the cells is not the first, bit by bit.
    #[inline]
    pub(crate) fn seconds(self, cell: Key) -> u8 {
        let is_second = |axis: usize| u8::from(self.first.at[axis] < cell.at[axis]) << axis;
        is_second(0) | is_second(1) | is_second(2)
    }
}

#[derive(Default)]
struct Work {
    front: Front,
    search: Search,
    leaving: Vec<u32>,
}

/// Boxes in cells of all sizes: the finder of [`SpatialHash`](crate::SpatialHash) and [`LooseOctree`](crate::LooseOctree).
#[derive(Default)]
pub struct SparseGrid<P: Placement> {
    pub(crate) nodes: Nodes,
    /// By slot.
    pub(crate) places: Vec<Place>,
    /// By slot, the positions in its cells: up to eight, or one for loose cells.
    positions: Vec<u32>,
    /// Slots that are in no cell yet; some may be dead, or there twice.
    pub(crate) pending: Vec<u32>,
    sizes: Sizes,
    work: Work,
    placement: PhantomData<P>,
}

fn is_moving(filter: &Filter) -> bool {
    filter.mobility != Mobility::Static
}

impl<P: Placement> SparseGrid<P> {
    /// Positions kept per slot.
    const N_POSITIONS: usize = if P::IS_LOOSE { 1 } else { 8 };

    /// The cells of a box.
    fn place(&self, aabb: &Aabb) -> Place {
        P::place(aabb, &self.sizes)
    }

    /// Takes all boxes out of their cells at once.
    fn scatter(&mut self, proxies: &ProxyTable) {
        self.nodes.clear();
        self.positions.fill(NONE);
        self.places.fill(NOWHERE);
        self.pending.clear();
        self.pending.extend(proxies.live());
    }

    /// Puts a box that is nowhere into its cells.
    fn settle(&mut self, proxies: &ProxyTable, slot: u32) {
        let place = self.place(&proxies.boxes()[slot as usize]);
        let is_moving = is_moving(&proxies.filters()[slot as usize]);
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

impl<P: Placement> PairFinder for SparseGrid<P> {
    fn came(&mut self, slot: u32, aabb: &Aabb, _: &Filter) {
        let n_slots = self.places.len().max(slot as usize + 1);
        self.places.resize(n_slots, NOWHERE);
        self.positions.resize(n_slots * Self::N_POSITIONS, NONE);
        self.sizes.enter(aabb);
        self.pending.push(slot);
    }

    fn take_moves(&mut self, proxies: &mut ProxyTable, moves: &[(ProxyId, Aabb)]) {
        let mut leaving = core::mem::take(&mut self.work.leaving);
        for (id, aabb) in moves {
            let slot = id.index();
            let old = core::mem::replace(&mut proxies.boxes_mut()[slot as usize], *aabb);
            self.sizes.change(&old, aabb);
            let place = self.places[slot as usize];
            if place != NOWHERE && place != self.place(aabb) {
                leaving.push(slot);
            }
        }
        self.sizes.note_moves(leaving.len());
        if proxies.n_live() < leaving.len() * MANY {
            self.scatter(proxies);
        } else {
            for &slot in &leaving {
                self.unsettle(slot, is_moving(&proxies.filters()[slot as usize]));
                self.settle(proxies, slot);
            }
        }
        leaving.clear();
        self.work.leaving = leaving;
    }

    fn refiltered(&mut self, slot: u32, old: &Filter, _: &Filter) {
        if self.places[slot as usize] != NOWHERE {
            self.unsettle(slot, is_moving(old));
            self.pending.push(slot);
        }
    }

    fn left(&mut self, slot: u32, aabb: &Aabb, filter: &Filter) {
        self.sizes.leave(aabb);
        self.unsettle(slot, is_moving(filter));
    }

    fn refresh(&mut self, proxies: &ProxyTable, _: &[u32], _: Changes) -> u64 {
        let is_replanned = self.sizes.replan(proxies, !P::IS_LOOSE);
        if is_replanned {
            self.scatter(proxies);
        }
        let pending = core::mem::take(&mut self.pending);
        for &slot in &pending {
            if proxies.is_live(slot as usize) && self.places[slot as usize] == NOWHERE {
                self.settle(proxies, slot);
            }
        }
        self.pending = pending;
        self.pending.clear();
        u64::from(is_replanned)
    }

    fn find(&mut self, proxies: &ProxyTable, _: &[u32], found: &mut Found) {
        let SparseGrid { nodes, places, work: Work { front, search, .. }, .. } = self;
        front.fill(nodes, proxies, places, P::IS_LOOSE);
        core::mem::swap(found, &mut search.found);
        let front = &*front;
        pieces(0..front.meetings.occupied.len(), search, |first, last, search| {
            for start in (first..last).step_by(PIECE) {
                for place in start..last.min(start + PIECE) {
                    front.ask(nodes, place, P::IS_LOOSE, search);
                }
                search.run_tasks(&front.packed, &front.packed);
            }
        });
        core::mem::swap(found, &mut search.found);
    }

    /// Knows itself what is in no cell yet.
    fn index(&self, _: Changes) -> Option<&dyn FinderIndex> {
        Some(self)
    }

    fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        self.visit_nodes(visit);
    }

    fn bytes(&self) -> usize {
        let Work { front, search, leaving } = &self.work;
        self.nodes.bytes()
            + self.places.capacity() * size_of::<Place>()
            + 4 * (self.positions.capacity() + self.pending.capacity() + leaving.capacity())
            + front.bytes()
            + self.sizes.bytes()
            + search.bytes()
    }

    fn validate(&self, proxies: &ProxyTable, _: Changes) -> Result<(), String> {
        self.nodes.validate()?;
        let mut n_members = 0;
        for slot in 0..proxies.n_slots() as u32 {
            let place = self.places.get(slot as usize).copied().unwrap_or(NOWHERE);
            let is_live = proxies.is_live(slot as usize);
            if place == NOWHERE {
                if is_live && !self.pending.contains(&slot) {
                    return Err(format!("slot {slot} is nowhere"));
                }
                continue;
            }
            if !is_live || place != self.place(&proxies.boxes()[slot as usize]) {
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
