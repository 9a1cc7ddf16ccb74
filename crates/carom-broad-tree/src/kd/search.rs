//! The pairs of a kd-tree: each node's boxes among themselves, and against those from above that reach into its subtree.
//!
//! A walk from the root carries the boxes from above along, as places in the blocks, and leaves behind those that do not reach what
//! the boxes of a subtree fill. Subtrees of moderate size are jobs of their own.
//!
//! Reference: Y. Serpa, M. Rodrigues, Flexible Use of Temporal and Spatial Reasoning ..., 2019 (collision lists of ancestors); C.
//! Ericson, Real-Time Collision Detection, 2005, 7.5.1 (sweep).
//! Differs: how far a list reaches up to each block says where a box from above begins to ask, so that its own list need not be
//! sorted.

use super::pack::{List, Packed};
use super::planes::{Node, Planes};
use crate::tree::WIDTH;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_broad::Found;
use carom_lanes::{Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use core::ops::Range;

/// A subtree of no more boxes is one job.
const PIECE: u32 = 2048;

/// A node, and the boxes from above that come along: places of those that move, and of static ones.
#[derive(Clone, Copy, Debug)]
struct Visit {
    node: u32,
    moving: (u32, u32),
    fixed: (u32, u32),
}

/// What is to be searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    /// And whether all that is under the node is part of the job.
    jobs: Vec<(Visit, bool)>,
    above: Vec<u32>,
    stack: Vec<Visit>,
}

/// Memory to work in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    above: Vec<u32>,
    stack: Vec<Visit>,
}

impl Work {
    pub(crate) fn bytes(&self) -> usize {
        4 * self.above.capacity() + self.stack.capacity() * size_of::<Visit>()
    }
}

impl Jobs {
    /// Cuts the search into jobs.
    pub(crate) fn plan(&mut self, planes: &Planes, packed: &Packed, found: &mut Found) {
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
            + self.stack.capacity() * size_of::<Visit>()
            + self.jobs.capacity() * size_of::<(Visit, bool)>()
    }
}

/// Adds the pairs of these jobs.
pub(crate) fn run(
    planes: &Planes,
    packed: &Packed,
    jobs: &Jobs,
    range: Range<usize>,
    work: &mut Work,
    found: &mut Found,
) {
    dispatch(Run { planes, packed, jobs, range, work, found });
}

struct Plan<'a> {
    planes: &'a Planes,
    packed: &'a Packed,
    out: &'a mut Jobs,
    found: &'a mut Found,
}

impl Kernel for Plan<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Plan { planes, packed, out, found } = self;
        let Jobs { jobs, above, stack } = out;
        stack.push(Visit { node: 0, moving: (0, 0), fixed: (0, 0) });
        while let Some(visit) = stack.pop() {
            let is_whole = planes.nodes[visit.node as usize].population <= PIECE;
            jobs.push((visit, is_whole));
            if !is_whole {
                go_down(simd, planes, packed, &visit, above, stack, found);
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
    found: &'a mut Found,
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
                search(simd, packed, node, whole(visit.moving), whole(visit.fixed), found);
                continue;
            }
            let Work { above, stack } = &mut *work;
            above.clear();
            above.extend_from_slice(whole(visit.moving));
            let middle = above.len() as u32;
            above.extend_from_slice(whole(visit.fixed));
            let (moving, fixed) = ((0, middle), (middle, above.len() as u32));
            stack.push(Visit { node: visit.node, moving, fixed });
            while let Some(visit) = stack.pop() {
                let node = &planes.nodes[visit.node as usize];
                let part = |(begin, end): (u32, u32)| &above[begin as usize..end as usize];
                search(simd, packed, node, part(visit.moving), part(visit.fixed), found);
                go_down(simd, planes, packed, &visit, above, stack, found);
            }
        }
    }
}

/// Pushes the children of a node that have something to search, each with what reaches it from above.
#[inline(always)]
fn go_down<S: Simd>(
    simd: S,
    planes: &Planes,
    packed: &Packed,
    visit: &Visit,
    above: &mut Vec<u32>,
    stack: &mut Vec<Visit>,
    found: &mut Found,
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
        // Static boxes from above have nobody to ask among static ones.
        let fixed = if child.has_moving {
            reaching(simd, packed, visit.fixed, fixed, &child.filled, above, found)
        } else {
            (0, 0)
        };
        if child.has_moving || moving.0 < moving.1 {
            stack.push(Visit { node: number, moving, fixed });
        }
    }
}

/// Appends the places from above, and those of the list, whose boxes touch these bounds.
#[inline(always)]
fn reaching<S: Simd>(
    simd: S,
    packed: &Packed,
    (begin, end): (u32, u32),
    list: List,
    bounds: &Aabb,
    above: &mut Vec<u32>,
    found: &mut Found,
) -> (u32, u32) {
    let first = above.len();
    above.resize(first + (end - begin) as usize + (list.end - list.begin + 1) * WIDTH, 0);
    let mut n = first;
    for i in begin as usize..end as usize {
        let place = above[i];
        above[n] = place;
        n += usize::from(packed.at(place).overlaps(bounds));
    }
    for block in list.begin..list.end {
        let mask = packed.blocks[block].touching(simd, bounds);
        let places = S::U32x8::splat(simd, (block * WIDTH) as u32) + S::U32x8::iota(simd);
        n += places.compress_store(mask, &mut above[n..]);
    }
    above.truncate(n);
    found.tests += u64::from(end - begin) + ((list.end - list.begin) * WIDTH) as u64;
    (first as u32, n as u32)
}

impl Packed {
    /// The box at a place.
    #[inline(always)]
    fn at(&self, place: u32) -> Aabb {
        self.blocks[place as usize / WIDTH].get(place as usize % WIDTH)
    }
}

/// The pairs of a node's own boxes, and of those with boxes from above.
#[inline(always)]
fn search<S: Simd>(
    simd: S,
    packed: &Packed,
    node: &Node,
    moving_above: &[u32],
    fixed_above: &[u32],
    found: &mut Found,
) {
    let [moving, fixed] = node.lists();
    found.nodes += 1;
    for block in moving.begin..moving.end {
        for lane in 0..WIDTH {
            let aabb = packed.blocks[block].get(lane);
            let slot = packed.slots[block][lane];
            // An empty box, behind the last: it touches nothing.
            sweep(simd, packed, &aabb, slot, block, u32::MAX << lane << 1, moving, found);
            if fixed.begin < fixed.end {
                ask(simd, packed, &aabb, slot, fixed, found);
            }
        }
    }
    for &place in moving_above {
        let (aabb, slot) = (packed.at(place), packed.slots[place as usize / WIDTH][place as usize % WIDTH]);
        ask(simd, packed, &aabb, slot, moving, found);
        ask(simd, packed, &aabb, slot, fixed, found);
    }
    for &place in fixed_above {
        let (aabb, slot) = (packed.at(place), packed.slots[place as usize / WIDTH][place as usize % WIDTH]);
        ask(simd, packed, &aabb, slot, moving, found);
    }
}

/// A box against a list that it is not in.
#[inline(always)]
fn ask<S: Simd>(simd: S, packed: &Packed, aabb: &Aabb, slot: u32, list: List, found: &mut Found) {
    let low = aabb.min[list.axis];
    // All boxes before the first block that reaches so far end before the box begins.
    let first = packed.reach[list.begin..list.end].partition_point(|&reach| reach < low);
    sweep(simd, packed, aabb, slot, list.begin + first, u32::MAX, list, found);
}

/// A box against the blocks of a list from this one on, up to where it ends; of the first only against some lanes.
#[inline(always)]
fn sweep<S: Simd>(
    simd: S,
    packed: &Packed,
    aabb: &Aabb,
    slot: u32,
    first: usize,
    lanes: u32,
    list: List,
    found: &mut Found,
) {
    let own = S::U32x8::splat(simd, slot);
    let mut lanes = S::Mask8::from_bits(simd, lanes);
    let high = aabb.max[list.axis];
    for block in first..list.end {
        if high < packed.blocks[block].min[list.axis][0] {
            break;
        }
        let mask = packed.blocks[block].touching(simd, aabb) & lanes;
        let partners = S::U32x8::load(simd, &packed.slots[block]);
        let (low, high) = found.room(WIDTH);
        own.min(partners).compress_store(mask, low);
        let n = own.max(partners).compress_store(mask, high);
        found.advance(n);
        found.tests += WIDTH as u64;
        lanes = S::Mask8::first(simd, WIDTH);
    }
}
