//! A tree of boxes with eight children per node and no pointers.
//!
//! Boxes in spatial order are cut into blocks of eight. The bounds of eight blocks form a block of
//! the level above, up to one block. The position of the children follows from the number of a
//! node. A block stores its boxes coordinate by coordinate, so that one box is tested against
//! eight at once.
//!
//! Reference: H. Dammertz, J. Hanika, A. Keller, Shallow Bounding Volume Hierarchies for Fast SIMD
//! Ray Tracing of Incoherent Rays, 2008 (wide nodes).
//! Differs: complete by construction; an unused lane holds the empty box, which touches nothing.

use crate::order::{STATIC_CLASS, SpatialOrder};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use glam::Vec3;

/// The number of boxes in one block.
pub(crate) const WIDTH: usize = 8;

/// A lane of a leaf that holds no box.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// Eight boxes: three minima, three maxima.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Block {
    pub(crate) min: [[f32; WIDTH]; 3],
    pub(crate) max: [[f32; WIDTH]; 3],
}

impl Block {
    pub(crate) const EMPTY: Block =
        Block { min: [[f32::INFINITY; WIDTH]; 3], max: [[f32::NEG_INFINITY; WIDTH]; 3] };

    #[inline]
    pub(crate) fn set(&mut self, lane: usize, aabb: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = aabb.min[axis];
            self.max[axis][lane] = aabb.max[axis];
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Aabb {
        Aabb {
            min: Vec3::new(self.min[0][lane], self.min[1][lane], self.min[2][lane]),
            max: Vec3::new(self.max[0][lane], self.max[1][lane], self.max[2][lane]),
        }
    }

    /// Whether there is a box in this lane.
    #[inline]
    pub(crate) fn has(&self, lane: usize) -> bool {
        self.min[0][lane] <= self.max[0][lane]
    }

    /// Prefetches the three cache lines of this block.
    #[inline(always)]
    pub(crate) fn prefetch<S: Simd>(&self, simd: S) {
        simd.prefetch(&self.min, 0);
        simd.prefetch(&self.min, 2);
        simd.prefetch(&self.max, 1);
    }

    /// Returns the boxes of this block that touch the box.
    #[inline(always)]
    pub(crate) fn touching<S: Simd>(&self, simd: S, aabb: &Aabb) -> S::Mask8 {
        let splat = |x: f32| S::F32x8::splat(simd, x);
        let load = |lanes: &[f32; WIDTH]| S::F32x8::load(simd, lanes);
        (load(&self.min[0]).le(splat(aabb.max.x)) & splat(aabb.min.x).le(load(&self.max[0])))
            & (load(&self.min[1]).le(splat(aabb.max.y)) & splat(aabb.min.y).le(load(&self.max[1])))
            & (load(&self.min[2]).le(splat(aabb.max.z)) & splat(aabb.min.z).le(load(&self.max[2])))
    }
}

/// The tree.
///
/// Memory: 32 bytes per box (28 in the leaf, the rest above), and up to 7 lanes of padding per
/// class of size.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The slot in each lane of each leaf block.
    pub(crate) slots: Vec<[u32; WIDTH]>,
    /// `levels[0]` holds the leaves, the last has one block; a built tree has at least two levels.
    pub(crate) levels: Vec<Vec<Block>>,
    /// All leaf blocks from this one on are static.
    pub(crate) first_static: usize,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// Returns the empty tree.
    pub(crate) const fn new() -> Tree {
        Tree { slots: Vec::new(), levels: Vec::new(), first_static: 0 }
    }

    /// Rebuilds the tree of the live slots' boxes, in this order.
    pub(crate) fn rebuild(
        &mut self,
        order: &mut SpatialOrder,
        boxes: &[Aabb],
        is_live: impl Fn(usize) -> bool,
        is_static: impl Fn(usize) -> bool,
    ) {
        order.assign_keys(boxes, is_live, is_static);
        self.arrange(order);
        self.fill(boxes);
    }

    /// Puts the placed slots into leaves. [`Tree::fill`] copies their boxes later.
    pub(crate) fn arrange(&mut self, order: &mut SpatialOrder) {
        self.slots.clear();
        self.levels.iter_mut().for_each(Vec::clear);
        let mut first_static = None;
        order.sort(|class, slots| {
            if class & STATIC_CLASS != 0 && first_static.is_none() {
                first_static = Some(self.slots.len());
            }
            self.push_slots(slots);
        });
        self.first_static = first_static.unwrap_or(self.slots.len());
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<[u32; WIDTH]>()
            + self.levels.iter().map(Vec::capacity).sum::<usize>() * size_of::<Block>()
    }

    /// Appends the slots in the low 32 bits of the entries; each call begins a new block.
    fn push_slots(&mut self, entries: &[u64]) {
        self.slots.reserve(entries.len().div_ceil(WIDTH));
        for entries in entries.chunks(WIDTH) {
            let mut block = [NO_SLOT; WIDTH];
            for (slot, &entry) in block.iter_mut().zip(entries) {
                *slot = entry as u32;
            }
            self.slots.push(block);
        }
    }

    /// Fills the blocks of all levels from the boxes of the slots.
    pub(crate) fn fill(&mut self, boxes: &[Aabb]) {
        let n_leaves = self.slots.len().max(1);
        self.slots.resize(n_leaves, [NO_SLOT; WIDTH]);
        let mut n_levels = 1;
        let mut n_blocks = n_leaves;
        while n_blocks > 1 || n_levels < 2 {
            n_blocks = n_blocks.div_ceil(WIDTH);
            n_levels += 1;
        }
        self.levels.resize(n_levels, Vec::new());
        n_blocks = n_leaves;
        for level in &mut self.levels {
            level.resize(n_blocks, Block::EMPTY);
            n_blocks = n_blocks.div_ceil(WIDTH);
        }
        gather(&self.slots, boxes, &mut self.levels[0]);
        for level in 1..n_levels {
            let (below, above) = self.levels.split_at_mut(level);
            merge(&below[level - 1], &mut above[0]);
        }
    }

    /// Empties a lane. The levels above keep their bounds, which still contain the rest.
    pub(crate) fn clear_lane(&mut self, position: u32) {
        let (block, lane) = (position as usize / WIDTH, position as usize % WIDTH);
        self.slots[block][lane] = NO_SLOT;
        self.levels[0][block].set(lane, &Aabb::EMPTY);
    }

    /// Returns the bounds of a block, which are a lane of the level above. `level` is not the top.
    #[inline(always)]
    pub(crate) fn bounds(&self, level: usize, block: usize) -> Aabb {
        self.levels[level + 1][block / WIDTH].get(block % WIDTH)
    }

    /// Visits the bounds of all blocks below the top one, level by level from there.
    pub(crate) fn visit_volumes(&self, visit: &mut dyn FnMut(usize, &Aabb)) {
        let below_top = self.levels.len().saturating_sub(1);
        for level in (0..below_top).rev() {
            for block in 0..self.levels[level].len() {
                let bounds = self.bounds(level, block);
                // Such a block lost all its boxes before it was built.
                if bounds != Aabb::EMPTY {
                    visit(below_top - 1 - level, &bounds);
                }
            }
        }
    }

    /// Returns the first block of the level with only static boxes below it.
    #[inline]
    pub(crate) fn first_static(&self, level: usize) -> usize {
        self.first_static.div_ceil(1 << (3 * level as u32).min(63))
    }

    /// Checks that every box lies within those above it and contains the box of its slot.
    pub(crate) fn validate(&self, boxes: &[Aabb]) -> Result<(), String> {
        for level in 0..self.levels.len().saturating_sub(1) {
            for (number, block) in self.levels[level].iter().enumerate() {
                let bounds = self.bounds(level, number);
                for lane in 0..WIDTH {
                    let aabb = block.get(lane);
                    if aabb != Aabb::EMPTY && !bounds.contains(&aabb) {
                        return Err(format!("level {level}, block {number}, lane {lane} leaves its bounds"));
                    }
                }
            }
        }
        for (number, slots) in self.slots.iter().enumerate() {
            for (lane, &slot) in slots.iter().enumerate() {
                let aabb = self.levels[0][number].get(lane);
                let is_right = match boxes.get(slot as usize) {
                    Some(inside) => aabb.contains(inside),
                    None => slot == NO_SLOT && aabb == Aabb::EMPTY,
                };
                if !is_right {
                    return Err(format!("leaf {number}, lane {lane}: slot {slot} is not in {aabb:?}"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(feature = "parallel")]
use crate::par::{gather, merge};
#[cfg(not(feature = "parallel"))]
use {gather_chunk as gather, merge_chunk as merge};

/// Fills leaves with the boxes of these slots.
pub(crate) fn gather_chunk(slots: &[[u32; WIDTH]], boxes: &[Aabb], leaves: &mut [Block]) {
    dispatch(Gather { slots, boxes, leaves });
}

/// Fills blocks with the bounds of these children.
pub(crate) fn merge_chunk(children: &[Block], parents: &mut [Block]) {
    dispatch(Merge { children, parents });
}

/// Copies the boxes of the slots in each leaf.
struct Gather<'a> {
    slots: &'a [[u32; WIDTH]],
    boxes: &'a [Aabb],
    leaves: &'a mut [Block],
}

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        const AHEAD: usize = 4;
        for number in 0..self.slots.len() {
            if let Some(later) = self.slots.get(number + AHEAD) {
                for lane in 0..WIDTH {
                    simd.prefetch(self.boxes, later[lane] as usize);
                }
            }
            let mut block = Block::EMPTY;
            for lane in 0..WIDTH {
                if let Some(aabb) = self.boxes.get(self.slots[number][lane] as usize) {
                    block.set(lane, aabb);
                }
            }
            self.leaves[number] = block;
        }
    }
}

/// Computes the bounds of eight blocks in each block above.
struct Merge<'a> {
    children: &'a [Block],
    parents: &'a mut [Block],
}

impl Kernel for Merge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (number, parent) in self.parents.iter_mut().enumerate() {
            for axis in 0..3 {
                let mut min = [S::F32x8::splat(simd, f32::INFINITY); WIDTH];
                let mut max = [S::F32x8::splat(simd, f32::NEG_INFINITY); WIDTH];
                for lane in 0..WIDTH {
                    if let Some(child) = self.children.get(number * WIDTH + lane) {
                        min[lane] = S::F32x8::load(simd, &child.min[axis]);
                        max[lane] = S::F32x8::load(simd, &child.max[axis]);
                    }
                }
                // Eight reductions at once, by a transpose.
                let (min, max) = (simd.transpose8(min), simd.transpose8(max));
                let (mut low, mut high) = (min[0], max[0]);
                for i in 1..WIDTH {
                    low = low.min(min[i]);
                    high = high.max(max[i]);
                }
                low.store(&mut parent.min[axis]);
                high.store(&mut parent.max[axis]);
            }
        }
    }
}

/// Removes the lowest set bit of a mask, and returns its lane.
#[inline(always)]
pub(crate) fn next_lane(bits: &mut u32) -> usize {
    let lane = bits.trailing_zeros() as usize % WIDTH;
    *bits &= *bits - 1;
    lane
}
