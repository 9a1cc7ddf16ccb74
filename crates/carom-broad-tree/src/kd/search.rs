//! Finds the pairs of a kd-tree: each node's boxes among themselves, and against boxes from above
//! that reach into its subtree.
//!
//! A traversal from the root passes on the boxes from above, as positions in the blocks. It drops
//! those that do not touch the bounds of a subtree's boxes. Subtrees of moderate size are separate
//! jobs.
//!
//! Reference: Y. Serpa, M. Rodrigues, Flexible Use of Temporal and Spatial Reasoning ..., 2019
//! (collision lists of ancestors); C. Ericson, Real-Time Collision Detection, 2005, 7.5.1 (sweep).
//! Differs: the running maximum of the ends in each block gives the first block that a box from
//! above can meet. So the list from above need not be sorted.

use super::pack::{List, Packed};
use super::planes::{Node, Planes};
use crate::find::{between, within};
use crate::tree::WIDTH;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::PairBuffer;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use core::ops::Range;

/// A subtree with at most this many boxes is one job.
const MAX_JOB_BOXES: u32 = 2048;

/// A node, and the boxes from above that reach it: positions of moving ones, and of static ones.
#[derive(Clone, Copy, Debug)]
struct PendingNode {
    node: u32,
    moving: (u32, u32),
    fixed: (u32, u32),
}

/// The jobs of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    /// Each with a flag: whether the whole subtree of the node is part of the job.
    jobs: Vec<(PendingNode, bool)>,
    above: Vec<u32>,
    stack: Vec<PendingNode>,
}

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    above: Vec<u32>,
    stack: Vec<PendingNode>,
    tasks: Tasks,
}

/// Boxes, by position, and the blocks to test them against.
#[derive(Clone, Debug, Default)]
struct Tasks {
    lists: [Vec<u32>; 2],
    n: usize,
}

/// More listed tasks than this are run.
const MIN_QUEUED_TASKS: usize = 2048;

impl Work {
    pub(crate) fn bytes(&self) -> usize {
        let of_tasks = self.tasks.lists.iter().map(Vec::capacity).sum::<usize>();
        4 * (self.above.capacity() + of_tasks) + self.stack.capacity() * size_of::<PendingNode>()
    }
}

impl Jobs {
    /// Divides the search into jobs.
    pub(crate) fn plan(&mut self, planes: &Planes, packed: &Packed, found: &mut PairBuffer) {
        self.jobs.clear();
        self.above.clear();
        self.stack.clear();
        if planes.nodes.first().is_some_and(|root| root.has_moving) {
            dispatch(Plan { planes, packed, out: self, found });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.jobs.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * self.above.capacity()
            + self.stack.capacity() * size_of::<PendingNode>()
            + self.jobs.capacity() * size_of::<(PendingNode, bool)>()
    }
}

/// Adds the pairs of these jobs.
pub(crate) fn run(
    planes: &Planes,
    packed: &Packed,
    jobs: &Jobs,
    range: Range<usize>,
    work: &mut Work,
    found: &mut PairBuffer,
) {
    dispatch(Run { planes, packed, jobs, range, work, found });
}

struct Plan<'a> {
    planes: &'a Planes,
    packed: &'a Packed,
    out: &'a mut Jobs,
    found: &'a mut PairBuffer,
}

impl Kernel for Plan<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Plan { planes, packed, out, found } = self;
        let Jobs { jobs, above, stack } = out;
        stack.push(PendingNode { node: 0, moving: (0, 0), fixed: (0, 0) });
        while let Some(visit) = stack.pop() {
            let is_whole = planes.nodes[visit.node as usize].population <= MAX_JOB_BOXES;
            jobs.push((visit, is_whole));
            if !is_whole {
                push_children(simd, planes, packed, &visit, above, stack, found);
            }
        }
    }
}

struct Run<'a> {
    planes: &'a Planes,
    packed: &'a Packed,
    jobs: &'a Jobs,
    range: Range<usize>,
    work: &'a mut Work,
    found: &'a mut PairBuffer,
}

impl Kernel for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Run { planes, packed, jobs, range, work, found } = self;
        for (visit, is_whole) in &jobs.jobs[range] {
            let whole = |(begin, end): (u32, u32)| &jobs.above[begin as usize..end as usize];
            if !is_whole {
                let node = &planes.nodes[visit.node as usize];
                let tasks = &mut work.tasks;
                search(simd, packed, node, whole(visit.moving), whole(visit.fixed), tasks, found);
                continue;
            }
            let Work { above, stack, tasks } = &mut *work;
            above.clear();
            above.extend_from_slice(whole(visit.moving));
            let middle = above.len() as u32;
            above.extend_from_slice(whole(visit.fixed));
            let (moving, fixed) = ((0, middle), (middle, above.len() as u32));
            stack.push(PendingNode { node: visit.node, moving, fixed });
            while let Some(visit) = stack.pop() {
                let node = &planes.nodes[visit.node as usize];
                let part = |(begin, end): (u32, u32)| &above[begin as usize..end as usize];
                search(simd, packed, node, part(visit.moving), part(visit.fixed), tasks, found);
                push_children(simd, planes, packed, &visit, above, stack, found);
            }
        }
    }
}

/// Pushes the children of a node that can have pairs, each with the boxes that reach it from
/// above.
#[inline(always)]
fn push_children<S: Simd>(
    simd: S,
    planes: &Planes,
    packed: &Packed,
    visit: &PendingNode,
    above: &mut Vec<u32>,
    stack: &mut Vec<PendingNode>,
    found: &mut PairBuffer,
) {
    let node = &planes.nodes[visit.node as usize];
    if node.is_leaf() {
        return;
    }
    for number in node.children {
        let child = &planes.nodes[number as usize];
        if child.population == 0 {
            continue;
        }
        let [moving, fixed] = node.lists();
        let moving = reaching(simd, packed, visit.moving, moving, &child.filled, above, found);
        // Static boxes from above need no tests against static ones.
        let fixed = if child.has_moving {
            reaching(simd, packed, visit.fixed, fixed, &child.filled, above, found)
        } else {
            (0, 0)
        };
        if child.has_moving || moving.0 < moving.1 {
            stack.push(PendingNode { node: number, moving, fixed });
        }
    }
}

/// Appends the positions from above, and those of the list, with boxes that touch these bounds.
#[inline(always)]
fn reaching<S: Simd>(
    simd: S,
    packed: &Packed,
    (begin, end): (u32, u32),
    list: List,
    bounds: &Aabb,
    above: &mut Vec<u32>,
    found: &mut PairBuffer,
) -> (u32, u32) {
    let first = above.len();
    above.resize(first + (end - begin) as usize + (list.end - list.begin + 1) * WIDTH, 0);
    let mut n = first;
    for i in begin as usize..end as usize {
        let index = above[i];
        above[n] = index;
        n += usize::from(packed.at(index).overlaps(bounds));
    }
    for block in list.begin..list.end {
        let mask = packed.blocks[block].touching(simd, bounds);
        let n_slots = S::U32x8::splat(simd, (block * WIDTH) as u32) + S::U32x8::iota(simd);
        n += n_slots.compress_store(mask, &mut above[n..]);
    }
    above.truncate(n);
    found.tests += u64::from(end - begin) + ((list.end - list.begin) * WIDTH) as u64;
    (first as u32, n as u32)
}

impl Packed {
    /// Returns the box at a position.
    #[inline(always)]
    fn at(&self, index: u32) -> Aabb {
        self.blocks[index as usize / WIDTH].get(index as usize % WIDTH)
    }
}

/// Finds the pairs of a node's own boxes, and their pairs with boxes from above. Tasks of a box
/// and a block are listed first, then run in plain loops without unpredictable branches.
#[inline(always)]
fn search<S: Simd>(
    simd: S,
    packed: &Packed,
    node: &Node,
    moving_above: &[u32],
    fixed_above: &[u32],
    tasks: &mut Tasks,
    found: &mut PairBuffer,
) {
    let [moving, fixed] = node.lists();
    found.nodes += 1;
    let own = moving.end - moving.begin;
    let (low, high) = found.room((own * WIDTH + 1) * WIDTH);
    let n = within(simd, &packed.blocks, &packed.slots, moving.begin..moving.end, low, high, 0);
    found.advance(n);
    found.tests += (own * WIDTH * WIDTH) as u64;
    for block in moving.begin..moving.end {
        let rest = List { begin: block + 1, ..moving };
        for lane in 0..WIDTH {
            // Lanes after the last box hold the empty box, which touches nothing.
            let index = (block * WIDTH + lane) as u32;
            list_blocks(simd, packed, index, rest, tasks);
            if fixed.begin < fixed.end {
                list_blocks(simd, packed, index, fixed, tasks);
            }
        }
        tasks.run_if_many(simd, packed, found);
    }
    for eight in moving_above.chunks(WIDTH) {
        for &index in eight {
            list_blocks(simd, packed, index, moving, tasks);
            list_blocks(simd, packed, index, fixed, tasks);
        }
        tasks.run_if_many(simd, packed, found);
    }
    for eight in fixed_above.chunks(WIDTH) {
        for &index in eight {
            list_blocks(simd, packed, index, moving, tasks);
        }
        tasks.run_if_many(simd, packed, found);
    }
    tasks.run(simd, packed, found);
}

/// A list with more blocks is searched by bisection first.
const MAX_LINEAR_BLOCKS: usize = 32;

/// Lists the blocks that the box at a position may meet, judged along the axis.
#[inline(always)]
fn list_blocks<S: Simd>(simd: S, packed: &Packed, index: u32, list: List, tasks: &mut Tasks) {
    let aabb = packed.at(index);
    let (low, end) = (aabb.min[list.axis], aabb.max[list.axis]);
    let mut at = list.begin;
    if at + MAX_LINEAR_BLOCKS < list.end {
        // All boxes before the first block with a sufficient end lie before the box.
        at += packed.reaches[at..list.end].partition_point(|&reach| reach < low);
    }
    let (low, end) = (S::F32x8::splat(simd, low), S::F32x8::splat(simd, end));
    while at < list.end {
        let [indices, blocks] = &mut tasks.lists;
        if indices.len() < tasks.n + WIDTH {
            indices.resize(2 * indices.len() + WIDTH, 0);
            blocks.resize(indices.len(), 0);
        }
        let begins = S::F32x8::load_or(simd, &packed.begins, at, f32::INFINITY);
        let reaches = S::F32x8::load_or(simd, &packed.reaches, at, f32::NEG_INFINITY);
        let may_follow = begins.le(end) & S::Mask8::first(simd, list.end - at);
        let mask = may_follow & low.le(reaches);
        let numbers = S::U32x8::splat(simd, at as u32) + S::U32x8::iota(simd);
        S::U32x8::splat(simd, index).compress_store(mask, &mut indices[tasks.n..]);
        tasks.n += numbers.compress_store(mask, &mut blocks[tasks.n..]);
        if !may_follow.all() {
            break;
        }
        at += WIDTH;
    }
}

impl Tasks {
    /// Runs the tasks if there are many, so that they stay in the nearest cache.
    #[inline(always)]
    fn run_if_many<S: Simd>(&mut self, simd: S, packed: &Packed, found: &mut PairBuffer) {
        if MIN_QUEUED_TASKS < self.n {
            self.run(simd, packed, found);
        }
    }

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S, packed: &Packed, found: &mut PairBuffer) {
        let (low, high) = found.room((self.n + 1) * WIDTH);
        let n = between(simd, &packed.blocks, &packed.slots, &self.lists, self.n, low, high);
        found.advance(n);
        found.tests += (self.n * WIDTH) as u64;
        self.n = 0;
    }
}
