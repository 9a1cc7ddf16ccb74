//! Visits all leaves that a ray may meet, near ones first, in an interval that may shrink on the
//! way.
//!
//! The slab test is in `f32`. A power of two scales the direction, so that its largest component
//! is in [1, 2). The origin is rounded to both sides: near planes are met early, far planes late.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs); T. Ize, Robust BVH Ray
//! Traversal, 2013 (error of the slabs).
//! Differs: the `f64` origin of a ray is rounded outwards for each plane. The interval may be
//! negative.

use crate::counters::{Counters, Visit};
use crate::ray_lanes::{KEYS, RayLanes, SLABS};
use crate::ray_stack::RayStack;
use crate::scale::{UNIT, inverse_power_of_two, reach};
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::volumes::{Volumes8, splat3};
use crate::wide::WideNode;
use carom_bounds::{Aabb, Aabb8};
use carom_lanes::{F32Lanes, Kernel, Simd, dispatch};
use carom_math::rounding;
use core::ops::ControlFlow;
use glam::DVec3;

/// Components of the scaled direction below this, 2^-100, count as 0. The distance by which they
/// move the ray inside the tree is added to the rounding of the origin, on both sides.
const PARALLEL: f64 = 7.888_609_052_210_118e-31;

/// The points `origin + t * direction`, `t_min <= t <= t_max`, in the frame of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayLine {
    /// The point at t = 0.
    pub origin: DVec3,
    /// The direction, of any length; t is in units of it.
    pub direction: DVec3,
    /// The least t.
    pub t_min: f64,
    /// The greatest t.
    pub t_max: f64,
}

impl RayLine {
    /// Whether the ray is finite and its interval is not empty.
    pub(crate) fn is_valid(&self) -> bool {
        self.t_min <= self.t_max && self.origin.is_finite() && self.direction.is_finite()
    }
}

struct Walk<'a, V: TreeVolume, N, A, F> {
    tree: &'a Bvh<V, N>,
    line: RayLine,
    half: DVec3,
    ahead: A,
    leaf: F,
}

impl<V: TreeVolume, N: WideNode<V::Volumes8>> Bvh<V, N> {
    /// Calls `leaf` for each leaf that the ray may meet, roughly in the order of t, with the
    /// present `t_max`. The ray is all `origin + t * direction` with `t_min <= t <= t_max`, in the
    /// tree's frame; the direction may have any length. `leaf` returns the new `t_max`, or stops
    /// the visit. Return the t of the nearest hit for the closest one, or the old value for all.
    ///
    /// A ray meets nothing if a number is NaN, its origin or direction is infinite, or its
    /// interval is empty. With direction zero it meets what its origin is in.
    pub fn visit_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        leaf: impl FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        self.visit_ray_with_prefetch(origin, direction, t_min, t_max, |_| {}, leaf)
    }

    /// [`Bvh::visit_ray`], with a callback `ahead` that gets the numbers of leaves that may come
    /// soon, so that the caller can prefetch their data.
    pub fn visit_ray_with_prefetch(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        ahead: impl FnMut(u32),
        leaf: impl FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        let line = RayLine { origin, direction, t_min, t_max };
        if self.is_empty() || !line.is_valid() {
            return Visit::default();
        }
        dispatch(Walk { tree: self, line, half: DVec3::ZERO, ahead, leaf })
    }
}

impl<N: WideNode<Aabb8>> Bvh<Aabb, N> {
    /// [`Bvh::visit_ray`] for a moving box: each leaf that it may meet, roughly in order of time.
    /// The box has these half extents, not negative, around `origin + t * direction`.
    pub fn visit_moving_box(
        &self,
        origin: DVec3,
        half: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        leaf: impl FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        let line = RayLine { origin, direction, t_min, t_max };
        if self.is_empty() || !(line.is_valid() && half.is_finite()) {
            return Visit::default();
        }
        dispatch(Walk { tree: self, line, half, ahead: |_| {}, leaf })
    }
}

/// 2^80: lifts a subnormal number to a normal one.
const LIFT: f64 = 1.208_925_819_614_629_2e24;

/// The direction, scaled so that its largest component is in [1, 2). Also returns the two powers
/// of two by which it was multiplied; their product might overflow. The zero direction is
/// unchanged.
#[inline(always)]
fn scaled_direction(direction: DVec3) -> (DVec3, f64, f64) {
    let lift = if direction.abs().max_element() < f64::MIN_POSITIVE { LIFT } else { 1.0 };
    let lifted = direction * lift;
    if lifted == DVec3::ZERO {
        return (DVec3::ZERO, 1.0, 1.0);
    }
    let scale = 2.0 * inverse_power_of_two(lifted.abs().max_element());
    (lifted * scale, lift, scale)
}

/// Writes a ray into existing lanes. With half extents, the ray is the path of a box.
#[inline(always)]
fn set_lanes<S: Simd, W: Volumes8>(
    simd: S,
    ray: &mut RayLanes<S>,
    origin: DVec3,
    half: DVec3,
    direction: DVec3,
    size: f64,
    t_min: f32,
) {
    if !W::ARE_BOXES {
        ray.origin = splat3(simd, origin.as_vec3().to_array());
        ray.direction = splat3(simd, direction.as_vec3().to_array());
    }
    ray.is_forward = 0.0 <= t_min;
    ray.size = rounding::up(size);
    let (mut early, mut late) = (1.0, 1.0);
    if ray.is_forward {
        (early, late) = (1.0 - (SLABS + KEYS), 1.0 + SLABS);
        // Stack entries may be larger by their last bits. The sum also removes a negative zero.
        ray.t_min = S::F32x8::splat(simd, t_min * early + 0.0);
    } else {
        ray.t_min = S::F32x8::splat(simd, t_min);
    }
    for k in 0..3 {
        let (o, d) = (origin[k], direction[k]);
        let is_parallel = d.abs() < PARALLEL;
        // The largest component is at least 1, so inside the tree |t| is below the size. This is
        // twice the distance by which a parallel component then moves the ray.
        let moved = if is_parallel { size * (4.0 * PARALLEL) } else { 0.0 };
        // Twice the rounding to `f32`, without a branch.
        let far = o.abs() + half[k];
        let error = far * (2.0 * f64::from(UNIT)) + f64::from(f32::MIN_POSITIVE) + moved + half[k];
        let low = ((o - error) as f32).min(f32::MAX);
        let high = ((o + error) as f32).max(f32::MIN);
        // For a parallel ray, all t are between the planes, or none.
        let inverse = if is_parallel { f32::INFINITY } else { 1.0 / d as f32 };
        let backward = inverse < 0.0;
        let (near, far) = if backward { (low, high) } else { (high, low) };
        ray.is_backward[k] = backward;
        ray.origin_near[k] = S::F32x8::splat(simd, near);
        ray.origin_far[k] = S::F32x8::splat(simd, far);
        ray.inverse_near[k] = S::F32x8::splat(simd, inverse * early);
        ray.inverse_far[k] = S::F32x8::splat(simd, inverse * late);
    }
}

/// The traversal state of a ray.
pub(crate) struct RayTraversal<S: Simd> {
    ray: RayLanes<S>,
    /// The largest coordinates of the tree, added up.
    reach: f64,
    /// One over each of the two powers of two of [`scaled_direction`].
    unlift: f64,
    unscale: f64,
    pub(crate) t_max: f64,
    t_max_f32: f32,
    stack: RayStack,
}

impl<S: Simd> RayTraversal<S> {
    /// A state without a ray.
    #[inline(always)]
    pub(crate) fn new<V: TreeVolume, N>(simd: S, tree: &Bvh<V, N>) -> RayTraversal<S> {
        let zero = [S::F32x8::splat(simd, 0.0); 3];
        let ray = RayLanes {
            is_backward: [false; 3],
            origin_near: zero,
            origin_far: zero,
            inverse_near: zero,
            inverse_far: zero,
            is_forward: true,
            t_min: zero[0],
            origin: zero,
            direction: zero,
            size: 0.0,
        };
        let (reach, stack) = (reach(&tree.bounds.to_aabb()), RayStack::new());
        RayTraversal { ray, reach, unlift: 1.0, unscale: 1.0, t_max: 0.0, t_max_f32: 0.0, stack }
    }

    /// Starts at the root of the tree, in place, so the stack is not copied for each ray.
    #[inline(always)]
    pub(crate) fn begin<W: Volumes8>(&mut self, simd: S, line: &RayLine) {
        self.begin_box::<W>(simd, line, DVec3::ZERO);
    }

    /// Starts with a box of these half extents around the ray's point. If the volumes are boxes,
    /// each plane is entered earlier and left later by the half extent.
    #[inline(always)]
    fn begin_box<W: Volumes8>(&mut self, simd: S, line: &RayLine, half: DVec3) {
        let (direction, lift, scale) = scaled_direction(line.direction);
        let size = self.reach + line.origin.abs().element_sum() + half.element_sum();
        let (unlift, unscale) = (1.0 / lift, 1.0 / scale);
        let t_min = rounding::down(line.t_min * unlift * unscale);
        set_lanes::<S, W>(simd, &mut self.ray, line.origin, half, direction, size, t_min);
        (self.unlift, self.unscale, self.t_max) = (unlift, unscale, line.t_max);
        // Entries of the stack that are subnormal are larger by less.
        self.t_max_f32 = rounding::up(line.t_max * unlift * unscale) + f32::MIN_POSITIVE;
        self.stack.clear();
    }

    /// Ends the ray: no child is left.
    #[inline(always)]
    pub(crate) fn stop(&mut self) {
        self.stack.clear();
    }

    /// Shortens the ray to this parameter. A larger value than the current one changes nothing.
    #[inline(always)]
    pub(crate) fn shorten(&mut self, t: f64) {
        if t < self.t_max {
            self.t_max = t;
            self.t_max_f32 = rounding::up(t * self.unlift * self.unscale) + f32::MIN_POSITIVE;
        }
    }

    /// The next child that the ray enters before `t_max`. The root is not returned: callers start
    /// with it.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<u32> {
        self.stack.pop(self.t_max_f32)
    }

    /// The child that [`RayTraversal::next`] returns next, unless the ray is shortened before.
    #[inline(always)]
    pub(crate) fn top(&self) -> Option<u32> {
        self.stack.top()
    }

    /// Pushes the children that the ray enters; the nearest is on top.
    #[inline(always)]
    pub(crate) fn open<W: Volumes8, N: WideNode<W>>(&mut self, simd: S, node: &N, counters: &mut Counters) {
        let (meets, near) = node.enters(simd, &self.ray, self.t_max_f32);
        node.count(counters);
        self.stack.push(simd, meets & node.used(), node.children(simd), near, self.ray.is_forward);
    }
}

impl<V, N, A, F> Kernel for Walk<'_, V, N, A, F>
where
    V: TreeVolume,
    N: WideNode<V::Volumes8>,
    A: FnMut(u32),
    F: FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
{
    type Output = Visit;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Visit {
        let mut counters = Counters::default();
        let mut descent = RayTraversal::new(simd, self.tree);
        descent.begin_box::<V::Volumes8>(simd, &self.line, self.half);
        let mut next = Some(0);
        while let Some(child) = next.take().or_else(|| descent.next()) {
            // The next node is prefetched meanwhile.
            match descent.top() {
                Some(after) if after & LEAF != 0 => (self.ahead)(after & !LEAF),
                Some(after) => simd.prefetch(&self.tree.nodes, after as usize),
                None => {}
            }
            if child & LEAF == 0 {
                let Some(node) = self.tree.nodes.get(child as usize) else { continue };
                descent.open(simd, node, &mut counters);
                continue;
            }
            let found = self.tree.leaf(child & !LEAF);
            counters.count_leaf(&found);
            match (self.leaf)(found, descent.t_max) {
                ControlFlow::Break(()) => return Visit { stopped: true, counters },
                ControlFlow::Continue(t) => descent.shorten(t),
            }
        }
        Visit { stopped: false, counters }
    }
}
