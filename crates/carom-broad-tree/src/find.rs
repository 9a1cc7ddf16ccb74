//! All pairs of touching boxes in a tree: the tree against itself.
//!
//! Level by level a list of pairs of blocks that touch is opened into the pairs of the level below. At the leaves the
//! boxes of one block that reach the bounds of the other are tested against its eight boxes at once. What touches is
//! written without a branch.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.1.3 and 25.2.2 (tree against tree).
//! Differs: breadth first, so that the partners of a block are met together and the last step can be cut in pieces.

use crate::tree::{Block, Tree, WIDTH, next_lane};
use alloc::vec::Vec;
use carom_lanes::{Kernel, MaskLanes, Simd, U32Lanes, dispatch};

/// Pairs of blocks of one level, the smaller number first.
type BlockPairs = Vec<(u32, u32)>;

/// What was found: slots, the smaller in `low`, in no order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The smaller slot of each pair; places from `n` on are unspecified.
    pub(crate) low: Vec<u32>,
    /// The larger.
    pub(crate) high: Vec<u32>,
    /// The number of pairs.
    pub(crate) n: usize,
    /// Boxes tested.
    pub(crate) tests: u64,
}

impl Found {
    /// Forgets the pairs and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.n = 0;
        self.tests = 0;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = (self.low.len() * 2).max(4096);
        self.low.resize(size, 0);
        self.high.resize(size, 0);
    }
}

/// Workspace of the descent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descent {
    current: BlockPairs,
    next: BlockPairs,
}

impl Descent {
    /// The pairs of blocks one level above the leaves that touch, to be opened by [`open_leaves`], and the number of
    /// boxes tested on the way.
    pub(crate) fn run(&mut self, tree: &Tree) -> (&[(u32, u32)], u64) {
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
        (&self.current, tests)
    }
}

/// Appends the touching boxes under these pairs of blocks of level 1.
pub(crate) fn open_leaves(tree: &Tree, pairs: &[(u32, u32)], out: &mut Found) {
    dispatch(OpenLeaves { tree, pairs, out });
}

/// From pairs of one level to those of the level below.
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
                    // What follows is static, and so is every partner, whose number is not smaller.
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

/// From pairs of level 1 to pairs of boxes.
struct OpenLeaves<'a> {
    tree: &'a Tree,
    pairs: &'a [(u32, u32)],
    out: &'a mut Found,
}

impl Kernel for OpenLeaves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let tree = self.tree;
        let (parents, leaves) = (&tree.levels[1], &tree.levels[0]);
        for &(a, b) in self.pairs {
            let (parent_a, parent_b) = (&parents[a as usize], &parents[b as usize]);
            for lane_a in 0..WIDTH {
                let leaf_a = a as usize * WIDTH + lane_a;
                if tree.first_static <= leaf_a {
                    break;
                }
                let mut bits = parent_b.touching(simd, &parent_a.get(lane_a)).bits();
                if a == b {
                    bits &= u32::MAX << lane_a;
                }
                self.out.tests += 8;
                while bits != 0 {
                    let lane_b = next_lane(&mut bits);
                    let leaf_b = b as usize * WIDTH + lane_b;
                    if self.out.low.len() < self.out.n + (WIDTH + 1) * WIDTH {
                        self.out.grow();
                    }
                    let block_a = &leaves[leaf_a];
                    if leaf_a == leaf_b {
                        within(simd, block_a, &tree.slots[leaf_a], self.out);
                    } else {
                        let reach = block_a.touching(simd, &parent_b.get(lane_b)).bits();
                        between(
                            simd,
                            block_a,
                            reach,
                            &tree.slots[leaf_a],
                            &leaves[leaf_b],
                            &tree.slots[leaf_b],
                            self.out,
                        );
                    }
                }
            }
        }
    }
}

/// The boxes of block a that `reach` the bounds of block b, against the boxes of b.
#[inline(always)]
fn between<S: Simd>(
    simd: S,
    block_a: &Block,
    mut reach: u32,
    slots_a: &[u32; WIDTH],
    block_b: &Block,
    slots_b: &[u32; WIDTH],
    out: &mut Found,
) {
    let partners = S::U32x8::load(simd, slots_b);
    let mut n = out.n;
    out.tests += 8 + 8 * u64::from(reach.count_ones());
    while reach != 0 {
        let lane = next_lane(&mut reach);
        let mask = block_b.touching(simd, &block_a.get(lane));
        let own = S::U32x8::splat(simd, slots_a[lane]);
        own.min(partners).compress_store(mask, &mut out.low[n..]);
        n += own.max(partners).compress_store(mask, &mut out.high[n..]);
    }
    out.n = n;
}

/// The boxes of one block among themselves.
#[inline(always)]
fn within<S: Simd>(simd: S, block: &Block, slots: &[u32; WIDTH], out: &mut Found) {
    let partners = S::U32x8::load(simd, slots);
    let mut n = out.n;
    out.tests += 56;
    for lane in 0..WIDTH - 1 {
        let later = S::Mask8::from_bits(simd, u32::MAX << (lane + 1));
        let mask = block.touching(simd, &block.get(lane)) & later;
        let own = S::U32x8::splat(simd, slots[lane]);
        own.min(partners).compress_store(mask, &mut out.low[n..]);
        n += own.max(partners).compress_store(mask, &mut out.high[n..]);
    }
    out.n = n;
}
