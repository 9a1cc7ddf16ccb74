//! All pairs of touching boxes in a tree: the tree against itself.
//!
//! A list of touching pairs of blocks is expanded level by level. The last levels are expanded in
//! chunks, in four steps. They list touching blocks of level 1, leaves that reach a block, pairs
//! of leaves, boxes that reach a leaf. Each step is a plain loop that writes the tasks of the
//! next. Inner loops of varying length would cause branch mispredictions; these loops have none.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 and 25.2.2 (tree against
//! tree).
//! Differs: breadth first, with lists of tasks, so that no step has a branch that depends on the
//! boxes.

use crate::tree::{Block, Tree, WIDTH, next_lane};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::PairBuffer;
use carom_lanes::{Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use core::ops::Range;

/// Pairs of blocks of one level, the smaller number first.
type BlockPairs = Vec<(u32, u32)>;

/// Pairs of level-1 blocks expanded at a time: few enough for their tasks to stay in the nearest
/// cache.
const CHUNK_PAIRS: usize = 32;

/// Number of tasks by which blocks are prefetched ahead.
const AHEAD: usize = 8;

/// Lists of tasks: the querying item, and the one to test it against.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    leaves: [Vec<u32>; 2],
    leaf_pairs: [Vec<u32>; 2],
    boxes: [Vec<u32>; 2],
    /// For several threads: the pairs of each chunk of the search.
    #[cfg(feature = "parallel")]
    pub(crate) chunks: Vec<PairBuffer>,
}

impl Tasks {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        let Tasks { leaves, leaf_pairs, boxes, .. } = self;
        let own = 4 * [leaves, leaf_pairs, boxes].into_iter().flatten().map(Vec::capacity).sum::<usize>();
        #[cfg(feature = "parallel")]
        let own = own + self.chunks.iter().map(PairBuffer::bytes).sum::<usize>();
        own
    }
}

/// Workspace of the descent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descent {
    current: BlockPairs,
    next: BlockPairs,
}

impl Descent {
    /// Finds the touching pairs of blocks one level above the leaves, as input of [`open_leaves`].
    /// Returns the number of boxes tested.
    pub(crate) fn run(&mut self, tree: &Tree) -> u64 {
        self.current.clear();
        let mut tests = 0;
        if tree.levels.len() >= 2 {
            self.current.push((0, 0));
            for level in (2..tree.levels.len()).rev() {
                self.next.clear();
                tests += dispatch(Open { tree, level, pairs: &self.current, out: &mut self.next });
                core::mem::swap(&mut self.current, &mut self.next);
            }
        }
        tests
    }

    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.current.capacity() + self.next.capacity())
    }
}

/// Adds all pairs of touching boxes in the tree.
pub(crate) fn all_pairs(tree: &Tree, descent: &mut Descent, tasks: &mut Tasks, out: &mut PairBuffer) {
    find_pairs(tree, descent, tasks, 0..8, out);
}

/// Adds these eighths of the pairs of touching boxes in the tree. The later eighths need the
/// unchanged descent.
pub(crate) fn find_pairs(
    tree: &Tree,
    descent: &mut Descent,
    tasks: &mut Tasks,
    eighths: Range<usize>,
    out: &mut PairBuffer,
) {
    if eighths.start == 0 {
        out.tests += descent.run(tree);
    }
    let n = descent.current.len();
    let blocks = &descent.current[n * eighths.start / 8..n * eighths.end / 8];
    out.nodes += blocks.len() as u64;
    #[cfg(feature = "parallel")]
    crate::par::open_leaves(tree, blocks, tasks, out);
    #[cfg(not(feature = "parallel"))]
    open_leaves(tree, blocks, tasks, out);
}

/// Appends the touching boxes below these pairs of blocks of level 1.
pub(crate) fn open_leaves(tree: &Tree, pairs: &[(u32, u32)], tasks: &mut Tasks, out: &mut PairBuffer) {
    dispatch(OpenLeaves { tree, pairs, tasks, out });
}

/// Expands the pairs of one level to those of the level below.
struct Open<'a> {
    tree: &'a Tree,
    level: usize,
    pairs: &'a [(u32, u32)],
    out: &'a mut BlockPairs,
}

impl Kernel for Open<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u64 {
        let blocks = &self.tree.levels[self.level];
        let first_static = self.tree.first_static(self.level - 1);
        let mut tests = 0;
        for &(a, b) in self.pairs {
            let (block_a, block_b) = (&blocks[a as usize], &blocks[b as usize]);
            tests += 8;
            for lane_a in 0..WIDTH {
                let child_a = a as usize * WIDTH + lane_a;
                if first_static <= child_a {
                    // The rest is static, and so is every partner, because its number is not
                    // smaller.
                    break;
                }
                let mut bits = block_b.touching(simd, &block_a.get(lane_a)).bits();
                if a == b {
                    bits &= u32::MAX << lane_a;
                }
                tests += 8;
                while bits != 0 {
                    let lane_b = next_lane(&mut bits);
                    self.out.push((child_a as u32, b * WIDTH as u32 + lane_b as u32));
                }
            }
        }
        tests
    }
}

/// Expands pairs of level 1 to pairs of boxes.
struct OpenLeaves<'a> {
    tree: &'a Tree,
    pairs: &'a [(u32, u32)],
    tasks: &'a mut Tasks,
    out: &'a mut PairBuffer,
}

impl Kernel for OpenLeaves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let OpenLeaves { tree, pairs, tasks, out } = self;
        for list in &mut tasks.leaves {
            list.resize(CHUNK_PAIRS * WIDTH + WIDTH, 0);
        }
        for chunk in pairs.chunks(CHUNK_PAIRS) {
            let n_leaves = reaching_leaves(simd, tree, chunk, &mut tasks.leaves);
            for list in &mut tasks.leaf_pairs {
                if list.len() < (n_leaves + 1) * WIDTH {
                    list.resize((n_leaves + 1) * WIDTH, 0);
                }
            }
            let n_pairs = overlapping_leaves(simd, tree, &tasks.leaves, n_leaves, &mut tasks.leaf_pairs);
            for list in &mut tasks.boxes {
                if list.len() < (n_pairs + 1) * WIDTH {
                    list.resize((n_pairs + 1) * WIDTH, 0);
                }
            }
            let n_boxes = reaching_boxes(simd, tree, &tasks.leaf_pairs, n_pairs, &mut tasks.boxes);
            let (low, high) = out.room((n_boxes + CHUNK_PAIRS * WIDTH * WIDTH + 1) * WIDTH);
            let (leaves, slots) = (&tree.levels[0][..], &tree.slots[..]);
            let mut n = between(simd, leaves, slots, &tasks.boxes, n_boxes, low, high);
            for &(a, b) in chunk {
                if a == b {
                    let first = a as usize * WIDTH;
                    let last = (first + WIDTH).min(tree.first_static);
                    n = within(simd, leaves, slots, first..last, low, high, n);
                }
            }
            out.advance(n);
            out.tests += (WIDTH * (chunk.len() + n_leaves + n_pairs + n_boxes)) as u64;
        }
    }
}

/// Writes the leaves below the first block of each pair that reach the second; leaf and block.
#[inline(always)]
fn reaching_leaves<S: Simd>(simd: S, tree: &Tree, pairs: &[(u32, u32)], out: &mut [Vec<u32>; 2]) -> usize {
    let [leaves, partners] = out;
    let parents = &tree.levels[1];
    let first_static = S::U32x8::splat(simd, tree.first_static as u32);
    let mut n = 0;
    for &(a, b) in pairs {
        // With two levels, the second block is the whole tree.
        let bounds = if tree.levels.len() == 2 { EVERYTHING } else { tree.bounds(1, b as usize) };
        let children = S::U32x8::splat(simd, a * WIDTH as u32) + S::U32x8::iota(simd);
        // From the first static leaf on, every partner is static too: its number is not smaller.
        let mask = parents[a as usize].touching(simd, &bounds) & children.lt(first_static);
        children.compress_store(mask, &mut leaves[n..]);
        n += S::U32x8::splat(simd, b).compress_store(mask, &mut partners[n..]);
    }
    n
}

const EVERYTHING: Aabb = Aabb { min: glam::Vec3::MIN, max: glam::Vec3::MAX };

/// Writes the pairs of different leaves that touch, the smaller number first.
#[inline(always)]
fn overlapping_leaves<S: Simd>(
    simd: S,
    tree: &Tree,
    [leaves, parents]: &[Vec<u32>; 2],
    n_tasks: usize,
    out: &mut [Vec<u32>; 2],
) -> usize {
    let [firsts, seconds] = out;
    let blocks = &tree.levels[1];
    let mut n = 0;
    for task in 0..n_tasks {
        let (leaf, parent) = (leaves[task], parents[task]);
        let own = S::U32x8::splat(simd, leaf);
        let others = S::U32x8::splat(simd, parent * WIDTH as u32) + S::U32x8::iota(simd);
        let mask = blocks[parent as usize].touching(simd, &tree.bounds(0, leaf as usize)) & own.lt(others);
        own.compress_store(mask, &mut firsts[n..]);
        n += others.compress_store(mask, &mut seconds[n..]);
    }
    n
}

/// Writes the boxes of the first leaf of each pair that reach the second; position of the box, and
/// leaf.
#[inline(always)]
fn reaching_boxes<S: Simd>(
    simd: S,
    tree: &Tree,
    [firsts, seconds]: &[Vec<u32>; 2],
    n_tasks: usize,
    out: &mut [Vec<u32>; 2],
) -> usize {
    let [indices, leaves] = out;
    let blocks = &tree.levels[0];
    let mut n = 0;
    for task in 0..n_tasks {
        let (first, second) = (firsts[task], seconds[task]);
        let mask = blocks[first as usize].touching(simd, &tree.bounds(0, second as usize));
        let own = S::U32x8::splat(simd, first * WIDTH as u32) + S::U32x8::iota(simd);
        own.compress_store(mask, &mut indices[n..]);
        n += S::U32x8::splat(simd, second).compress_store(mask, &mut leaves[n..]);
    }
    n
}

/// Tests each box against the eight of its leaf. Returns the number of pairs written.
#[inline(always)]
pub(crate) fn between<S: Simd>(
    simd: S,
    blocks: &[Block],
    slots: &[[u32; WIDTH]],
    [indices, leaves]: &[Vec<u32>; 2],
    n_tasks: usize,
    low: &mut [u32],
    high: &mut [u32],
) -> usize {
    let mut n = 0;
    for task in 0..n_tasks {
        if let Some(block) = leaves.get(task + AHEAD).and_then(|&leaf| blocks.get(leaf as usize)) {
            block.prefetch(simd);
        }
        let (index, leaf) = (indices[task] as usize, leaves[task] as usize);
        let aabb = blocks[index / WIDTH].get(index % WIDTH);
        let mask = blocks[leaf].touching(simd, &aabb);
        let own = S::U32x8::splat(simd, slots[index / WIDTH][index % WIDTH]);
        let partners = S::U32x8::load(simd, &slots[leaf]);
        own.min(partners).compress_store(mask, &mut low[n..]);
        n += own.max(partners).compress_store(mask, &mut high[n..]);
    }
    n
}

/// Tests the boxes of each of these leaves among themselves; writes after the first `n`.
#[inline(always)]
pub(crate) fn within<S: Simd>(
    simd: S,
    blocks: &[Block],
    slots: &[[u32; WIDTH]],
    leaves: Range<usize>,
    low: &mut [u32],
    high: &mut [u32],
    mut n: usize,
) -> usize {
    for leaf in leaves {
        let block = &blocks[leaf];
        let partners = S::U32x8::load(simd, &slots[leaf]);
        for lane in 0..WIDTH - 1 {
            let later = S::Mask8::from_bits(simd, u32::MAX << (lane + 1));
            let mask = block.touching(simd, &block.get(lane)) & later;
            let own = S::U32x8::splat(simd, slots[leaf][lane]);
            own.min(partners).compress_store(mask, &mut low[n..]);
            n += own.max(partners).compress_store(mask, &mut high[n..]);
        }
    }
    n
}
