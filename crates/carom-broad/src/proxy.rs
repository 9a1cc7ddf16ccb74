//! Handles that detect when they are stale, and their table.
//!
//! The generation of a slot grows by one at each insertion and removal, so it is odd exactly while
//! the slot is live. A handle is valid exactly while the generations are equal. A slot with no
//! generations left is not reused.
//!
//! Reference: A. Weissflog, Handles are the better pointers, 2018 (index and generation in place
//! of a pointer).
//! Differs: one counter gives both the generation and whether the slot is live.

use crate::id::ProxyId;
use crate::{BroadPhaseError, Filter};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};

/// The last generation in which a slot can be freed and reused.
const LAST_GENERATION: u32 = u32::MAX - 2;

/// The handles, boxes and filters of a broad phase. It makes all checks of its input.
///
/// Memory: 40 bytes per slot (box 24, filter 12, generation 4), 4 per free slot.
#[derive(Clone, Debug, Default)]
pub struct ProxyTable {
    generations: Vec<u32>,
    boxes: Vec<Aabb>,
    filters: Vec<Filter>,
    free: Vec<u32>,
    n_live: usize,
}

impl ProxyTable {
    /// Returns an empty table.
    pub const fn new() -> ProxyTable {
        ProxyTable {
            generations: Vec::new(),
            boxes: Vec::new(),
            filters: Vec::new(),
            free: Vec::new(),
            n_live: 0,
        }
    }

    /// Checks a box. `position` is its position in the batch, for the error.
    #[inline]
    pub fn check_box(position: usize, aabb: &Aabb) -> Result<(), BroadPhaseError> {
        if is_sound(aabb) {
            return Ok(());
        }
        match aabb.check() {
            Err(error) => Err(BroadPhaseError::Box { position, error }),
            Ok(()) => Ok(()),
        }
    }

    /// Returns the index of a live handle, or the error.
    #[inline]
    pub fn check_id(&self, position: usize, id: ProxyId) -> Result<usize, BroadPhaseError> {
        // The generation of a handle is odd by construction, that of a free slot even.
        match self.generations.get(id.index as usize) {
            Some(&generation) if generation == id.generation => Ok(id.index as usize),
            _ => Err(BroadPhaseError::Stale { position, id }),
        }
    }

    /// Adds boxes and appends their handles, or changes nothing.
    pub fn insert_batch(
        &mut self,
        boxes: &[(Aabb, Filter)],
        ids: &mut Vec<ProxyId>,
    ) -> Result<(), BroadPhaseError> {
        for (position, (aabb, _)) in boxes.iter().enumerate() {
            ProxyTable::check_box(position, aabb)?;
        }
        if u32::MAX as usize - 1 < self.generations.len() + boxes.len().saturating_sub(self.free.len()) {
            return Err(BroadPhaseError::Full);
        }
        ids.reserve(boxes.len());
        for &(aabb, filter) in boxes {
            let index = match self.free.pop() {
                Some(index) => index as usize,
                None => {
                    self.generations.push(0);
                    self.boxes.push(aabb);
                    self.filters.push(filter);
                    self.generations.len() - 1
                }
            };
            self.generations[index] += 1;
            self.boxes[index] = aabb;
            self.filters[index] = filter;
            ids.push(ProxyId { index: index as u32, generation: self.generations[index] });
        }
        self.n_live += boxes.len();
        Ok(())
    }

    /// Adds one box, or changes nothing.
    pub fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<ProxyId, BroadPhaseError> {
        let mut ids = Vec::with_capacity(1);
        self.insert_batch(&[(aabb, filter)], &mut ids)?;
        ids.pop().ok_or(BroadPhaseError::Full)
    }

    /// Removes boxes, or changes nothing; a handle listed twice is stale the second time.
    pub fn remove_batch(&mut self, ids: &[ProxyId]) -> Result<(), BroadPhaseError> {
        self.remove_each(ids, |_, _, _| {})
    }

    /// Like [`ProxyTable::remove_batch`]; on success it calls `left` with each slot and its old
    /// contents.
    pub fn remove_each(
        &mut self,
        ids: &[ProxyId],
        mut left: impl FnMut(u32, &Aabb, &Filter),
    ) -> Result<(), BroadPhaseError> {
        for (position, &id) in ids.iter().enumerate() {
            match self.check_id(position, id) {
                Ok(index) => self.generations[index] += 1,
                Err(error) => {
                    // Undo: all handles before this one were valid.
                    for undone in &ids[..position] {
                        self.generations[undone.index as usize] = undone.generation;
                    }
                    return Err(error);
                }
            }
        }
        for id in ids {
            let slot = id.index as usize;
            left(id.index, &self.boxes[slot], &self.filters[slot]);
            self.boxes[slot] = Aabb::EMPTY;
            if id.generation < LAST_GENERATION {
                self.free.push(id.index);
            }
        }
        self.n_live -= ids.len();
        Ok(())
    }

    /// Checks that all handles are live and all boxes valid; the error names the first that is
    /// not.
    pub fn check_moves(&self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        // The offender is searched only if there is one.
        #[cfg(feature = "parallel")]
        let are_good = are_good_in_halves(self, moves);
        #[cfg(not(feature = "parallel"))]
        let are_good = self.are_good(moves);
        if are_good {
            return Ok(());
        }
        for (position, (id, aabb)) in moves.iter().enumerate() {
            self.check_id(position, *id)?;
            ProxyTable::check_box(position, aabb)?;
        }
        Ok(())
    }

    /// Whether each of these moves has a live handle and a valid box.
    pub(crate) fn are_good(&self, moves: &[(ProxyId, Aabb)]) -> bool {
        // Branchless. A number times zero is NaN exactly if it is not finite, and NaN stays in a
        // sum. The extent of an inverted side has its sign bit set.
        let (mut strange, mut inverted, mut unknown) = (0.0f32, 0u32, 0u32);
        for (id, aabb) in moves {
            let generation = self.generations.get(id.index as usize).copied().unwrap_or(0);
            unknown |= generation ^ id.generation;
            let (min, max) = (aabb.min, aabb.max);
            strange +=
                (min.x * 0.0 + min.y * 0.0) + (min.z * 0.0 + max.x * 0.0) + (max.y * 0.0 + max.z * 0.0);
            let extents = max - min;
            inverted |= extents.x.to_bits() | extents.y.to_bits() | extents.z.to_bits();
        }
        strange == 0.0 && inverted >> 31 == 0 && unknown == 0
    }

    /// Moves boxes, or changes nothing.
    pub fn update(&mut self, moves: &[(ProxyId, Aabb)]) -> Result<(), BroadPhaseError> {
        self.check_moves(moves)?;
        for (id, aabb) in moves {
            self.boxes[id.index as usize] = *aabb;
        }
        Ok(())
    }

    /// Changes a filter.
    pub fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        let index = self.check_id(0, id)?;
        self.filters[index] = filter;
        Ok(())
    }

    /// Returns the boxes by index; [`Aabb::EMPTY`] in free slots.
    #[inline]
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Returns the boxes by index, to be overwritten with checked boxes.
    #[inline]
    pub fn boxes_mut(&mut self) -> &mut [Aabb] {
        &mut self.boxes
    }

    /// Returns the filters by index; meaningless in free slots.
    #[inline]
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// Whether the slot is in use.
    #[inline]
    pub fn is_live(&self, index: usize) -> bool {
        self.generations.get(index).is_some_and(|generation| generation % 2 == 1)
    }

    /// Returns the slots in use, in order.
    #[inline]
    pub fn live(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.generations.len() as u32).filter(|&slot| self.is_live(slot as usize))
    }

    /// Returns the handle that is live at this index.
    #[inline]
    pub fn id_at(&self, index: u32) -> Option<ProxyId> {
        let generation = *self.generations.get(index as usize)?;
        (generation % 2 == 1).then_some(ProxyId { index, generation })
    }

    /// Returns the number of slots, in use or free.
    #[inline]
    pub fn n_slots(&self) -> usize {
        self.generations.len()
    }

    /// Returns the number of proxies.
    #[inline]
    pub fn n_live(&self) -> usize {
        self.n_live
    }

    /// Checks the invariants.
    pub fn validate(&self) -> Result<(), String> {
        let n = self.generations.len();
        if self.boxes.len() != n || self.filters.len() != n {
            return Err(format!(
                "{n} generations, {} boxes, {} filters",
                self.boxes.len(),
                self.filters.len()
            ));
        }
        let n_live = self.live().count();
        if n_live != self.n_live {
            return Err(format!("{n_live} slots are live, {} are counted", self.n_live));
        }
        for i in 0..n {
            if self.is_live(i) != is_sound(&self.boxes[i]) {
                return Err(format!("slot {i}: live {}, box {:?}", self.is_live(i), self.boxes[i]));
            }
        }
        match self.free.iter().find(|&&i| self.is_live(i as usize)) {
            Some(i) => Err(format!("slot {i} is live and in the free list")),
            None => Ok(()),
        }
    }
}

/// Whether the box is finite and not inverted. NaN fails `min <= max`. Values between finite ends
/// are finite.
#[inline]
fn is_sound(aabb: &Aabb) -> bool {
    let (min, max) = (aabb.min, aabb.max);
    (min.x <= max.x)
        & (min.y <= max.y)
        & (min.z <= max.z)
        & (f32::NEG_INFINITY < min.x)
        & (f32::NEG_INFINITY < min.y)
        & (f32::NEG_INFINITY < min.z)
        & (max.x < f32::INFINITY)
        & (max.y < f32::INFINITY)
        & (max.z < f32::INFINITY)
}

/// More moves than this are checked by two threads: some 30 microseconds of work each.
#[cfg(feature = "parallel")]
const MOVES: usize = 1 << 12;

/// Like [`ProxyTable::are_good`].
#[cfg(feature = "parallel")]
fn are_good_in_halves(proxies: &ProxyTable, moves: &[(ProxyId, Aabb)]) -> bool {
    if moves.len() <= MOVES || rayon::current_num_threads() == 1 {
        return proxies.are_good(moves);
    }
    let (low, high) = moves.split_at(moves.len() / 2);
    let (low, high) = rayon::join(|| proxies.are_good(low), || proxies.are_good(high));
    low & high
}
