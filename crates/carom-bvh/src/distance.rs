//! The closest pair of two trees: a dual-tree branch and bound.
//!
//! - A depth-first descent finds a first pair of leaves. Its distance prunes most other pairs.
//! - Then the pair of volumes with the least bound is opened first. If many pairs wait, the search
//!   goes depth first to its end, near pairs first.
//! - Best first alone stores hundreds of thousands of pairs for close parallel surfaces. Depth
//!   first alone opens twice as many nodes elsewhere.
//! - If `f32` cannot resolve trees far apart or far from the origin, the bounds are computed in
//!   `f64`.
//!
//! Reference: D. Johnson, E. Cohen, A Framework for Efficient Minimum Distance Computations, 1998;
//! E. Larsen, S. Gottschalk, M. C. Lin, D. Manocha, Fast Proximity Queries with Swept Sphere
//! Volumes, 1999 (PQP).
//! Differs: eight bounds at a time; best first, then depth first.

use crate::counters::{Counters, Visit};
use crate::descent::{CallerSettings, DefaultSettings, Descent, OPENS_B_NEXT, PairSettings, SettingsSource};
use crate::relative::Relative;
use crate::scale::{UNIT, size};
use crate::tree::{Bvh, LEAF, Leaf, Node8, TreeVolume};
use crate::visit_pairs::resolve;
use crate::volumes::Volumes8;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::{WidePose, rounding};
use core::cmp::Reverse;
use core::ops::ControlFlow;

/// Lowers a sum of three squares by more than rounding may have added.
pub(crate) const SQUARES: f32 = 1.0 - 8.0 * UNIT;

/// At this size of the heap the search goes depth first. See benches/notes.
const HEAP_LIMIT: usize = 1024;

/// An upper bound of the square of `x`, for limits.
#[inline]
pub(crate) fn square_up(x: f64) -> f32 {
    rounding::up(x * x * (1.0 + 4.0 * f64::EPSILON))
}

/// The memory of closest-pair searches. If it is kept, searches do not allocate.
#[derive(Clone, Debug, Default)]
pub struct PairSearch {
    /// From the upper bits down: the lower bound, the volume of A, the volume of B. The bits of
    /// non-negative numbers are in the order of the numbers.
    heap: BinaryHeap<Reverse<u128>>,
    stack: Vec<u128>,
}

struct Walk<'a, V: TreeVolume, C, F> {
    a: &'a Bvh<V>,
    b: &'a Bvh<V>,
    b_in_a: WidePose,
    a_in_b: WidePose,
    a_to_b: Relative<<V::Volumes8 as Volumes8>::Turn>,
    b_to_a: Relative<<V::Volumes8 as Volumes8>::Turn>,
    /// Whether the bounds are computed in `f64`.
    is_far: bool,
    max_distance: f64,
    choice: C,
    memory: &'a mut PairSearch,
    pair: F,
}

/// Finds the closest pair of a primitive of `a` and one of `b`, within `max_distance`. `b_in_a` is
/// the pose of `b` in the frame of `a`. `distance(primitive_a, primitive_b, bound)` returns their
/// distance, or `None` if it is above the bound. On ties at a distance above 0, the lowest numbers
/// are found. At distance 0 the search ends at once.
///
/// It allocates; [`PairSearch::closest_pair`] does not.
pub fn closest_pair<V: TreeVolume>(
    a: &Bvh<V>,
    b: &Bvh<V>,
    b_in_a: &WidePose,
    max_distance: f64,
    distance: impl FnMut(u32, u32, f64) -> Option<f64>,
) -> ClosestPair {
    PairSearch::default().closest_pair(a, b, b_in_a, max_distance, distance)
}

/// The result of the search for the closest pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClosestPair {
    /// The number of the primitive of A, that of B, and their distance.
    pub pair: Option<(u32, u32, f64)>,
    /// The cost.
    pub counters: Counters,
}

impl PairSearch {
    /// Calls `pair` for the pairs of leaves whose volumes may be within `max_distance` of each
    /// other, roughly the nearest first. It gets a leaf of `a`, one of `b`, and `max_distance`.
    /// `b_in_a` is the pose of `b` in the frame of `a`. `pair` returns the new `max_distance`, or
    /// stops the search. Return the least distance found for the closest pair, or less if an error
    /// is allowed. Return the old value for all pairs closer than a tolerance. Pairs at exactly
    /// `max_distance` are still visited.
    ///
    /// Nothing is visited if the pose is NaN, infinite or beyond 1e300, or if the distance is
    /// negative or NaN.
    pub fn visit_near_leaf_pairs<V: TreeVolume>(
        &mut self,
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        max_distance: f64,
        pair: impl FnMut(Leaf<'_>, Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        self.walk(a, b, b_in_a, max_distance, DefaultSettings, pair)
    }

    fn walk<V: TreeVolume>(
        &mut self,
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        max_distance: f64,
        choice: impl SettingsSource,
        pair: impl FnMut(Leaf<'_>, Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        let finite = b_in_a.rotation.is_finite() && b_in_a.translation.abs().max_element() <= 1e300;
        if a.is_empty() || b.is_empty() || !finite || !(0.0 <= max_distance) {
            return Visit::default();
        }
        let (bounds_a, bounds_b) = (a.bounds.to_aabb(), b.bounds.to_aabb());
        let a_in_b = b_in_a.inverse();
        let (a_to_b, b_to_a) = Relative::both_of::<V::Volumes8>(b_in_a, &bounds_a, &bounds_b);
        let extent = (bounds_a.extents().as_dvec3() + bounds_b.extents().as_dvec3()).element_sum();
        let size = size(b_in_a, &bounds_a, &bounds_b);
        dispatch(Walk {
            a,
            b,
            b_in_a: *b_in_a,
            a_in_b,
            a_to_b,
            b_to_a,
            // The slack, 2^-18 of the size, is then more than 2^-12 of the extent: bounds in `f32`
            // are too coarse.
            is_far: 64.0 * extent < size,
            max_distance,
            choice,
            memory: self,
            pair,
        })
    }

    /// [`closest_pair`] without allocating, once the memory has grown.
    pub fn closest_pair<V: TreeVolume>(
        &mut self,
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        max_distance: f64,
        distance: impl FnMut(u32, u32, f64) -> Option<f64>,
    ) -> ClosestPair {
        self.closest(a, b, b_in_a, max_distance, DefaultSettings, distance)
    }

    /// [`PairSearch::closest_pair`] with a choice of the side that is opened. The pair is the same
    /// (test: `descent::every_descent_finds_the_closest_pair`). The axes are ignored.
    pub fn closest_pair_with<V: TreeVolume>(
        &mut self,
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        max_distance: f64,
        settings: &PairSettings,
        distance: impl FnMut(u32, u32, f64) -> Option<f64>,
    ) -> ClosestPair {
        self.closest(a, b, b_in_a, max_distance, CallerSettings(*settings), distance)
    }

    fn closest<V: TreeVolume>(
        &mut self,
        a: &Bvh<V>,
        b: &Bvh<V>,
        b_in_a: &WidePose,
        max_distance: f64,
        choice: impl SettingsSource,
        mut distance: impl FnMut(u32, u32, f64) -> Option<f64>,
    ) -> ClosestPair {
        let mut best: Option<(u32, u32, f64)> = None;
        let visit = self.walk(a, b, b_in_a, max_distance, choice, |leaf_a, leaf_b, mut bound| {
            for &primitive_a in leaf_a.primitives {
                for &primitive_b in leaf_b.primitives {
                    let Some(d) = distance(primitive_a, primitive_b, bound) else { continue };
                    let better = best.is_none_or(|(number_a, number_b, least)| {
                        d < least || (d == least && (primitive_a, primitive_b) < (number_a, number_b))
                    });
                    if d <= bound && better {
                        best = Some((primitive_a, primitive_b, d));
                        bound = d;
                    }
                    if bound <= 0.0 {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(bound)
        });
        ClosestPair { pair: best, counters: visit.counters }
    }
}

#[inline(always)]
fn entry(gap_sq: f64, a: u32, b: u32) -> u128 {
    u128::from(gap_sq.to_bits()) << 64 | u128::from(a) << 32 | u128::from(b)
}

#[inline(always)]
fn gap_of(entry: u128) -> f64 {
    f64::from_bits((entry >> 64) as u64)
}

/// A lower bound of the squared distance of two boxes in `f64`, times `scale` squared. One box is
/// placed in the other's frame; the six face axes are used.
pub(crate) fn gap_sq_wide(
    source: &Aabb,
    source_in_target: &WidePose,
    target: &Aabb,
    scale: f64,
    slack: f64,
) -> f64 {
    let half = |b: &Aabb| (b.max.as_dvec3() - b.min.as_dvec3()) * 0.5;
    let center = |b: &Aabb| (b.max.as_dvec3() + b.min.as_dvec3()) * 0.5;
    let (half_source, half_target) = (half(source), half(target));
    let t = center(target) - source_in_target.transform_point(center(source));
    let (mut here, mut there) = (0.0, 0.0);
    for k in 0..3 {
        let rotation = &source_in_target.rotation;
        let row = rotation.row(k).abs();
        let gap = ((t[k].abs() - half_target[k] - row.dot(half_source)) * scale - slack).max(0.0);
        here += gap * gap;
        let column = rotation.col(k);
        let gap =
            ((t.dot(column).abs() - half_source[k] - column.abs().dot(half_target)) * scale - slack).max(0.0);
        there += gap * gap;
    }
    here.max(there) * (1.0 - 8.0 * f64::EPSILON)
}

impl<V: TreeVolume, C, F> Walk<'_, V, C, F> {
    /// Lower bounds of the squared distances between a volume of one tree and the children of a
    /// node of the other. Also a mask of the children within the limit. `turn` and `pose` are the
    /// same transform, from the tree of the volume to the other one.
    #[inline(always)]
    fn open<S: Simd>(
        &self,
        simd: S,
        node: &Node8<V::Volumes8>,
        lane: usize,
        (turn, pose): (&Relative<<V::Volumes8 as Volumes8>::Turn>, &WidePose),
        inside: &Node8<V::Volumes8>,
        limit: f64,
    ) -> ([f64; 8], u32) {
        if self.is_far {
            let source = node.volumes.get(lane).to_aabb();
            return wide_gaps(&source, pose, inside, self.scale(), limit);
        }
        let placed = node.volumes.placed(simd, lane, turn);
        narrow_gaps(simd, inside.volumes.gap_sq(simd, &placed, turn), limit)
    }

    /// The power of two that scales the bounds.
    #[inline(always)]
    fn scale(&self) -> f64 {
        self.b_to_a.wide_scale
    }
}

/// Sorts pairs by falling bound. It is a separate function, so it is compiled once, not once for
/// each kind of walk.
#[inline(never)]
fn sort_farthest_first(stack: &mut [u128]) {
    stack.sort_unstable_by(|x, y| y.cmp(x));
}

#[inline(always)]
fn narrow_gaps<S: Simd>(simd: S, gaps: S::F32x8, limit: f64) -> ([f64; 8], u32) {
    let near = gaps.le(S::F32x8::splat(simd, rounding::up(limit))).bits();
    let (narrow, mut wide) = (gaps.to_array(), [0.0; 8]);
    for lane in 0..8 {
        wide[lane] = f64::from(narrow[lane]);
    }
    (wide, near)
}

#[cold]
fn wide_gaps<W: Volumes8>(
    source: &Aabb,
    source_in_target: &WidePose,
    inside: &Node8<W>,
    scale: f64,
    limit: f64,
) -> ([f64; 8], u32) {
    let (mut gaps, mut near) = ([0.0; 8], 0);
    for lane in 0..8 {
        let target = inside.volumes.get(lane).to_aabb();
        gaps[lane] = gap_sq_wide(source, source_in_target, &target, scale, WIDE_SLACK);
        near |= u32::from(gaps[lane] <= limit) << lane;
    }
    (gaps, near)
}

/// The slack of the bounds in `f64`, a scaled length: 64 units of rounding, as for `f32`.
pub(crate) const WIDE_SLACK: f64 = 32.0 * f64::EPSILON;

impl<V, C, F> Kernel for Walk<'_, V, C, F>
where
    V: TreeVolume,
    C: SettingsSource,
    F: FnMut(Leaf<'_>, Leaf<'_>, f64) -> ControlFlow<(), f64>,
{
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let mut counters = Counters::default();
        let (a, b) = (self.a, self.b);
        let (mut heap, mut stack) =
            (core::mem::take(&mut self.memory.heap), core::mem::take(&mut self.memory.stack));
        heap.clear();
        stack.clear();
        let scale = self.scale();
        let limit_of = |d: f64| (d * scale) * (d * scale) * (1.0 + 4.0 * f64::EPSILON);
        let mut max_distance = self.max_distance;
        let mut limit = limit_of(max_distance);
        // Depth first until the first pair of leaves. Its distance prunes most later pairs.
        let mut best_first = false;
        let mut is_first = true;
        let mut stopped = false;
        let (Some(root_a), Some(root_b)) = (a.nodes.first(), b.nodes.first()) else {
            return Visit { stopped, counters };
        };
        let descent = self.choice.settings().descent;
        let alternates = descent == Descent::Alternate;
        let b_begins = alternates && a.bounds.size_key() <= b.bounds.size_key();
        let turn = if b_begins { OPENS_B_NEXT } else { 0 };
        for lane_a in 0..root_a.len {
            let (gaps, near) =
                self.open(simd, root_a, lane_a as usize, (&self.a_to_b, &self.a_in_b), root_b, limit);
            let mut near = near & ((1_u32 << root_b.len) - 1);
            counters.nodes += 1;
            counters.volume_tests += u64::from(root_b.len);
            while near != 0 {
                let lane_b = near.trailing_zeros();
                near &= near - 1;
                stack.push(entry(gaps[lane_b as usize & 7], lane_a | turn, lane_b));
            }
        }
        sort_farthest_first(&mut stack);
        loop {
            let next = if best_first { heap.pop().map(|Reverse(e)| e) } else { stack.pop() };
            let Some(next) = next else { break };
            if !(gap_of(next) <= limit) {
                if best_first {
                    // The least bound is above the limit.
                    break;
                }
                continue;
            }
            let (entry_a, ref_b) = ((next >> 32) as u32, next as u32);
            let ref_a = if alternates { entry_a & !OPENS_B_NEXT } else { entry_a };
            let (Some((node_a, lane_a)), Some((node_b, lane_b))) =
                (resolve(&a.nodes, ref_a), resolve(&b.nodes, ref_b))
            else {
                continue;
            };
            let (child_a, child_b) = (node_a.child[lane_a], node_b.child[lane_b]);
            let (leaf_a, leaf_b) = (child_a & LEAF != 0, child_b & LEAF != 0);
            if leaf_a && leaf_b {
                let (found_a, found_b) = (a.leaf(child_a & !LEAF), b.leaf(child_b & !LEAF));
                counters.count_leaf_pair(&found_a, &found_b);
                match (self.pair)(found_a, found_b, max_distance) {
                    ControlFlow::Break(()) => {
                        stopped = true;
                        break;
                    }
                    ControlFlow::Continue(d) => {
                        if d < max_distance {
                            max_distance = d;
                            limit = if d < 0.0 { -1.0 } else { limit_of(d) };
                        }
                    }
                }
                if is_first {
                    is_first = false;
                    best_first = true;
                    heap.extend(stack.drain(..).filter(|&e| gap_of(e) <= limit).map(Reverse));
                }
                continue;
            }
            let opens_b = !leaf_b
                && (leaf_a
                    || descent.opens_b(entry_a, node_a.volumes.size(lane_a), node_b.volumes.size(lane_b)));
            // If sides alternate, the other one is next.
            let next_turn = if alternates && !opens_b { OPENS_B_NEXT } else { 0 };
            let (gaps, near, len) = if opens_b {
                let Some(inside) = b.nodes.get(child_b as usize) else { continue };
                let (gaps, near) =
                    self.open(simd, node_a, lane_a, (&self.a_to_b, &self.a_in_b), inside, limit);
                (gaps, near, inside.len)
            } else {
                let Some(inside) = a.nodes.get(child_a as usize) else { continue };
                let (gaps, near) =
                    self.open(simd, node_b, lane_b, (&self.b_to_a, &self.b_in_a), inside, limit);
                (gaps, near, inside.len)
            };
            counters.nodes += 1;
            counters.volume_tests += u64::from(len);
            let mut near = near & ((1_u32 << len) - 1);
            // Sorted by insertion, the farthest first.
            let mut order = [0_u128; 8];
            let mut n = 0;
            while near != 0 {
                let lane = near.trailing_zeros();
                near &= near - 1;
                let gap = gaps[lane as usize & 7];
                let found = if opens_b {
                    entry(gap, ref_a | next_turn, child_b * 8 + lane)
                } else {
                    entry(gap, (child_a * 8 + lane) | next_turn, ref_b)
                };
                if best_first {
                    heap.push(Reverse(found));
                    continue;
                }
                let mut index = n;
                while 0 < index && order[index - 1] < found {
                    order[index] = order[index - 1];
                    index -= 1;
                }
                order[index] = found;
                n += 1;
            }
            for i in 0..n {
                stack.push(order[i & 7]);
            }
            if best_first && HEAP_LIMIT <= heap.len() {
                best_first = false;
                stack.extend(heap.drain().map(|Reverse(e)| e));
                sort_farthest_first(&mut stack);
            }
        }
        self.memory.heap = heap;
        self.memory.stack = stack;
        Visit { stopped, counters }
    }
}
