//! The boxes of every node in blocks of eight, sorted along the axis of the node.
//!
//! The order of the last frame is almost correct, so each list is sorted by insertion. If that
//! takes too long, it is sorted from scratch.
//!
//! Reference: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.1, algorithm S (straight
//! insertion).

use super::planes::{Planes, widest_axis};
use crate::tree::{Block, NO_SLOT, WIDTH};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::{Mobility, ProxyTable};

/// Insertion steps per box, after which a list is sorted from scratch.
const MAX_STEPS: usize = 8;

/// The blocks of all nodes, in the order of the nodes.
///
/// Memory: 32 bytes per box, and up to 7 lanes of padding per list of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    pub(crate) blocks: Vec<Block>,
    pub(crate) slots: Vec<[u32; WIDTH]>,
    /// Per block, along the axis of its node: the begin of its first box. `reaches` has the
    /// greatest end of the boxes of its list up to this block.
    pub(crate) begins: Vec<f32>,
    pub(crate) reaches: Vec<f32>,
    moving: Vec<(f32, u32)>,
    fixed: Vec<(f32, u32)>,
}

/// Blocks of boxes sorted along an axis: the moving boxes of one node, or its static ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) begin: usize,
    pub(crate) end: usize,
    pub(crate) axis: usize,
}

impl Packed {
    /// Sorts the boxes of every node, and packs them.
    pub(crate) fn fill(&mut self, planes: &mut Planes, proxies: &ProxyTable) {
        let Packed { blocks, slots, begins, reaches, moving, fixed } = self;
        let (boxes, filters) = (proxies.boxes(), proxies.filters());
        blocks.clear();
        slots.clear();
        begins.clear();
        reaches.clear();
        for &number in &planes.sequence {
            let node = &mut planes.nodes[number as usize];
            let own = &mut planes.order[node.begin as usize..(node.begin + node.n) as usize];
            if node.n < node.n_when_chosen / 4 * 3
                || node.n_when_chosen.saturating_add(node.n_when_chosen / 4) < node.n
            {
                (node.sort_axis, node.n_when_chosen) = (widest_axis(own, boxes), node.n);
            }
            moving.clear();
            fixed.clear();
            for &slot in own.iter() {
                let is_static = filters[slot as usize].mobility == Mobility::Fixed;
                let list = if is_static { &mut *fixed } else { &mut *moving };
                list.push((boxes[slot as usize].min[node.sort_axis], slot));
            }
            sort(moving);
            sort(fixed);
            for (slot, (_, sorted)) in own.iter_mut().zip(moving.iter().chain(&*fixed)) {
                *slot = *sorted;
            }
            node.first_block = blocks.len() as u32;
            node.n_moving_blocks = moving.len().div_ceil(WIDTH) as u32;
            node.n_static_blocks = fixed.len().div_ceil(WIDTH) as u32;
            node.has_moving = !moving.is_empty();
            node.filled = Aabb::EMPTY;
            for list in [&*moving, &*fixed] {
                let mut reached = f32::NEG_INFINITY;
                for eight in list.chunks(WIDTH) {
                    let (mut block, mut block_slots) = (Block::EMPTY, [NO_SLOT; WIDTH]);
                    for (lane, &(_, slot)) in eight.iter().enumerate() {
                        let aabb = &boxes[slot as usize];
                        block.set(lane, aabb);
                        block_slots[lane] = slot;
                        reached = reached.max(aabb.max[node.sort_axis]);
                        node.filled = node.filled.merged(aabb);
                    }
                    blocks.push(block);
                    slots.push(block_slots);
                    begins.push(eight[0].0);
                    reaches.push(reached);
                }
            }
        }
        for &number in planes.sequence.iter().rev() {
            let node = planes.nodes[number as usize];
            if let Some(parent) = planes.nodes.get_mut(node.parent as usize) {
                parent.filled = parent.filled.merged(&node.filled);
                parent.has_moving |= node.has_moving;
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let Packed { blocks, slots, begins, reaches, moving, fixed } = self;
        blocks.capacity() * size_of::<Block>()
            + slots.capacity() * size_of::<[u32; WIDTH]>()
            + 4 * (begins.capacity() + reaches.capacity())
            + 8 * (moving.capacity() + fixed.capacity())
    }

    /// Checks that the blocks hold the boxes of the order, and each list is sorted.
    pub(crate) fn validate(&self, planes: &Planes, boxes: &[Aabb]) -> Result<(), String> {
        let mut order = planes.order.iter();
        for &number in &planes.sequence {
            let node = &planes.nodes[number as usize];
            for list in node.lists() {
                let mut last = f32::NEG_INFINITY;
                for block in list.begin..list.end {
                    for (lane, &slot) in
                        self.slots[block].iter().enumerate().filter(|lane| *lane.1 != NO_SLOT)
                    {
                        let aabb = self.blocks[block].get(lane);
                        let is_in_order = last.max(self.begins[block]) <= aabb.min[list.axis]
                            && aabb.max[list.axis] <= self.reaches[block];
                        let is_right = order.next() == Some(&slot) && boxes.get(slot as usize) == Some(&aabb);
                        if !(is_in_order && is_right && node.filled.contains(&aabb)) {
                            return Err(format!("slot {slot} of node {number} is packed wrongly"));
                        }
                        last = aabb.min[list.axis];
                    }
                }
            }
        }
        Ok(())
    }
}

impl super::planes::Node {
    /// Returns the moving boxes and the static ones.
    pub(crate) fn lists(&self) -> [List; 2] {
        let (first, middle) = (self.first_block as usize, (self.first_block + self.n_moving_blocks) as usize);
        let axis = self.sort_axis;
        [
            List { begin: first, end: middle, axis },
            List { begin: middle, end: middle + self.n_static_blocks as usize, axis },
        ]
    }
}

/// Sorts a list that is almost sorted.
fn sort(list: &mut [(f32, u32)]) {
    let mut left = MAX_STEPS * list.len();
    for i in 1..list.len() {
        let entry = list[i];
        let mut index = i;
        while 0 < index && entry.0 < list[index - 1].0 {
            list[index] = list[index - 1];
            index -= 1;
        }
        list[index] = entry;
        let steps = i - index;
        if left < steps {
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            return;
        }
        left -= steps;
    }
}
