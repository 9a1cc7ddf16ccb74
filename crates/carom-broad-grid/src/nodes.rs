//! Cells with sides that are powers of two. A cell is created with its first member and freed with
//! its last.
//!
//! A cell is found by its level and integer coordinates in a hash table, so the world has no
//! bounds. The eight cells of half the size within a cell are its children. A query descends from
//! the few top cells, and does not enter empty space. The members of a cell form a chain of small
//! blocks.
//!
//! Reference: T. Ulrich, Loose Octrees, Game Programming Gems, 2000; M. Teschner et al., Optimized
//! Spatial Hashing for Collision Detection of Deformable Objects, VMV 2003 (cells in a hash
//! table).
//! Differs: cells are distinguished by their coordinates, not by the hash alone.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use hashbrown::HashMap;

/// No node, or no block.
pub(crate) const NONE: u32 = u32::MAX;

/// How far the boxes of a loose cell may reach out, as a share of its side: a quarter, and the
/// rounding of their extents.
pub(crate) const REACH: f64 = 0.250_001;

/// The most levels: one for each exponent of an f32, and a little above.
pub(crate) const N_LEVELS: usize = 288;

/// Members per block; with its two links, a block is half a cache line.
const BLOCK: usize = 6;

/// The number of positions per block.
const STRIDE: u32 = 8;

/// The key of a cell: its side is 2^(level - 127), its least corner is `at` times that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) level: i32,
    pub(crate) at: [i32; 3],
}

impl Key {
    /// Returns the cell of twice the side around this one.
    pub(crate) fn parent(self) -> Key {
        Key { level: self.level + 1, at: self.at.map(|at| at >> 1) }
    }

    /// Returns the cell of a higher level around this one.
    pub(crate) fn ancestor(self, level: i32) -> Key {
        Key { level, at: self.at.map(|at| at >> (level - self.level).clamp(0, 31)) }
    }

    /// Returns the index of this child in its parent.
    fn octant(self) -> usize {
        let [x, y, z] = self.at.map(|at| (at & 1) as usize);
        x | y << 1 | z << 2
    }

    /// Whether it touches the origin, as the top cells do.
    fn is_top(self) -> bool {
        self.at.iter().all(|&at| at == 0 || at == -1)
    }

    /// Returns the least corner of the cell, and its side. Exact.
    pub(crate) fn corner(self) -> ([f64; 3], f64) {
        let side = side(self.level);
        (self.at.map(|at| f64::from(at) * side), side)
    }
}

/// Returns the side of the cells of a level. Exact.
pub(crate) fn side(level: i32) -> f64 {
    f64::from_bits(((level - 127 + 1023) as u64) << 52)
}

/// Returns the cell, on one axis, of a coordinate less than 2^31 cells away. Exact, because
/// scaling by a power of two has no rounding.
#[inline]
pub(crate) fn cell(x: f64, level: i32) -> i32 {
    let scaled = x * f64::from_bits(((127 - level + 1023) as u64) << 52);
    let whole = scaled as i64;
    whole.wrapping_sub(i64::from(scaled < whole as f64)) as i32
}

/// Returns the least level in which every coordinate of the box is at most 2^24 cells away. The
/// f32 spacing there is coarser than the cells of lower levels.
#[inline]
pub(crate) fn least_level(aabb: &Aabb) -> i32 {
    let farthest = aabb.min.abs().max(aabb.max.abs()).max_element();
    ((farthest.to_bits() >> 23) as i32 - 23).max(1)
}

/// A cell in use.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) key: Key,
    first_block: u32,
    /// The number of its own members.
    pub(crate) n: u32,
    /// The number of those that are not static.
    pub(crate) n_moving: u32,
    /// The cells of half the side within, x fastest; [`NONE`] for a missing one.
    pub(crate) children: [u32; 8],
}

#[derive(Clone, Debug)]
struct Block {
    slots: [u32; BLOCK],
    next: u32,
    node: u32,
}

/// The cells in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    by_key: HashMap<Key, u32>,
    /// Free nodes have no members and are not in the table.
    pub(crate) nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    blocks: Vec<Block>,
    free_blocks: Vec<u32>,
    /// The nodes without a parent: up to eight cells around the origin, all of one level.
    pub(crate) roots: Vec<u32>,
}

/// Returns the number of members in the first block of a chain; only that block may have room.
fn in_first_block(n: usize) -> usize {
    if n.is_multiple_of(BLOCK) { BLOCK } else { n % BLOCK }
}

impl Nodes {
    /// Removes everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.by_key.clear();
        self.nodes.clear();
        self.free_nodes.clear();
        self.blocks.clear();
        self.free_blocks.clear();
        self.roots.clear();
    }

    /// Returns the node of a cell, if it is in use.
    #[inline]
    pub(crate) fn find(&self, key: Key) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// Adds a member to a cell and returns its position.
    pub(crate) fn add(&mut self, key: Key, slot: u32, is_moving: bool) -> u32 {
        let number = self.find_or_make(key);
        let node = &mut self.nodes[number as usize];
        let lane = node.n % BLOCK as u32;
        if lane == 0 {
            let block = Block { slots: [NONE; BLOCK], next: node.first_block, node: number };
            node.first_block = match self.free_blocks.pop() {
                Some(free) => {
                    self.blocks[free as usize] = block;
                    free
                }
                None => {
                    self.blocks.push(block);
                    self.blocks.len() as u32 - 1
                }
            };
        }
        node.n += 1;
        node.n_moving += u32::from(is_moving);
        self.blocks[node.first_block as usize].slots[lane as usize] = slot;
        node.first_block * STRIDE + lane
    }

    /// Removes the member at a position. The last member of the cell fills the gap; returns its
    /// slot and old position.
    pub(crate) fn remove(&mut self, position: u32, is_moving: bool) -> (u32, u32) {
        let number = self.blocks[(position / STRIDE) as usize].node;
        let node = &mut self.nodes[number as usize];
        node.n -= 1;
        node.n_moving -= u32::from(is_moving);
        let (first, lane) = (node.first_block, node.n % BLOCK as u32);
        let moved = self.blocks[first as usize].slots[lane as usize];
        self.blocks[(position / STRIDE) as usize].slots[(position % STRIDE) as usize] = moved;
        if lane == 0 {
            node.first_block = self.blocks[first as usize].next;
            self.free_blocks.push(first);
        }
        if node.n == 0 {
            self.release(number);
        }
        (moved, first * STRIDE + lane)
    }

    /// Returns the members of a node.
    pub(crate) fn members(&self, node: &Node) -> impl Iterator<Item = u32> {
        let mut n = node.n as usize;
        let mut block = node.first_block;
        core::iter::from_fn(move || {
            let lanes = self.blocks.get(block as usize)?;
            block = lanes.next;
            let used = in_first_block(n);
            n -= used;
            Some(lanes.slots[..used].iter().copied())
        })
        .flatten()
    }

    /// Like [`Nodes::members`], faster.
    #[inline]
    pub(crate) fn visit_members(&self, node: &Node, mut visit: impl FnMut(u32)) {
        let (mut n, mut block) = (node.n as usize, node.first_block);
        while let Some(lanes) = self.blocks.get(block as usize) {
            let used = in_first_block(n);
            lanes.slots[..used].iter().for_each(|&slot| visit(slot));
            (n, block) = (n - used, lanes.next);
        }
    }

    /// Returns the member at a position.
    pub(crate) fn at(&self, position: u32) -> Option<(u32, Key)> {
        let block = self.blocks.get((position / STRIDE) as usize)?;
        let slot = *block.slots.get((position % STRIDE) as usize)?;
        Some((slot, self.nodes.get(block.node as usize)?.key))
    }

    fn find_or_make(&mut self, key: Key) -> u32 {
        if let Some(number) = self.find(key) {
            return number;
        }
        self.raise_roots(key);
        // It may be one of the new roots.
        if let Some(number) = self.find(key) {
            return number;
        }
        let made = self.make(key);
        let mut child = made;
        // Up to the first existing ancestor, or to the top.
        let top = self.roots.first().map_or(key.level, |&root| self.nodes[root as usize].key.level);
        loop {
            let key = self.nodes[child as usize].key;
            if top <= key.level && key.is_top() {
                self.roots.push(child);
                return made;
            }
            let parent = key.parent();
            let (number, is_new) = match self.find(parent) {
                Some(number) => (number, false),
                None => (self.make(parent), true),
            };
            self.link(number, child);
            if !is_new {
                return made;
            }
            child = number;
        }
    }

    /// Raises the level of the roots until a root contains this cell.
    fn raise_roots(&mut self, key: Key) {
        let mut top = key;
        while !top.is_top() {
            top = top.parent();
        }
        while let Some(level) = self.roots.first().map(|&root| self.nodes[root as usize].key.level) {
            if top.level <= level {
                return;
            }
            for root in core::mem::take(&mut self.roots) {
                let parent = self.nodes[root as usize].key.parent();
                let number = match self.find(parent) {
                    Some(number) => number,
                    None => {
                        let number = self.make(parent);
                        self.roots.push(number);
                        number
                    }
                };
                self.link(number, root);
            }
        }
    }

    fn link(&mut self, parent: u32, child: u32) {
        let octant = self.nodes[child as usize].key.octant();
        self.nodes[parent as usize].children[octant] = child;
    }

    fn make(&mut self, key: Key) -> u32 {
        let node = Node { key, first_block: NONE, n: 0, n_moving: 0, children: [NONE; 8] };
        let number = match self.free_nodes.pop() {
            Some(free) => {
                self.nodes[free as usize] = node;
                free
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.by_key.insert(key, number);
        number
    }

    /// Frees the node, and its ancestors, if nothing is left in them.
    fn release(&mut self, mut number: u32) {
        while self.nodes[number as usize].n == 0 && self.nodes[number as usize].children == [NONE; 8] {
            let key = self.nodes[number as usize].key;
            self.by_key.remove(&key);
            self.free_nodes.push(number);
            // A root touches the origin, and so may a cell below: only the list decides.
            if let Some(index) = self.roots.iter().position(|&root| root == number) {
                self.roots.swap_remove(index);
                return;
            }
            let Some(parent) = self.find(key.parent()) else { return };
            self.nodes[parent as usize].children[key.octant()] = NONE;
            number = parent;
        }
    }

    /// Returns the children of a node that are in use.
    pub(crate) fn children(&self, node: &Node) -> impl Iterator<Item = u32> {
        node.children.into_iter().filter(|&child| child != NONE)
    }

    /// Returns the child of a node with exactly one child.
    pub(crate) fn only_child(&self, node: &Node) -> Option<u32> {
        let mut children = self.children(node);
        let first = children.next();
        if children.next().is_some() { None } else { first }
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        // hashbrown keeps one byte per entry, and at least an eighth of the entries free.
        let n_slots = (self.by_key.capacity() * 8 / 7).next_power_of_two();
        n_slots * (size_of::<(Key, u32)>() + 1)
            + self.nodes.capacity() * size_of::<Node>()
            + self.blocks.capacity() * size_of::<Block>()
            + 4 * (self.free_nodes.capacity() + self.free_blocks.capacity())
    }

    /// Checks links, counts and chains.
    pub(crate) fn validate(&self) -> Result<(), String> {
        if self.by_key.len() + self.free_nodes.len() != self.nodes.len() {
            return Err(format!(
                "{} nodes, {} free, {} in the table",
                self.nodes.len(),
                self.free_nodes.len(),
                self.by_key.len()
            ));
        }
        for (key, &number) in &self.by_key {
            let node = &self.nodes[number as usize];
            let is_linked = match self.find(key.parent()) {
                Some(parent) => self.nodes[parent as usize].children[key.octant()] == number,
                None => self.roots.contains(&number) && key.is_top(),
            };
            let are_below = self.children(node).all(|child| self.nodes[child as usize].key.parent() == *key);
            if node.key != *key || !is_linked || !are_below {
                return Err(format!("node {number} of {key:?} is not where it should be: {node:?}"));
            }
            if self.members(node).count() as u32 != node.n || node.n < node.n_moving {
                return Err(format!("chain of {node:?}"));
            }
        }
        Ok(())
    }
}
