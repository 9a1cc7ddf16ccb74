//! All leaves that a ray may meet, near ones first, within an interval that may shrink on the way.
//!
//! The slabs are met in `f32`: the ray is scaled by a power of two to a direction between 1 and 2
//! long, its origin rounded to either side, so that the planes are met too early and too late,
//! never the other way.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs); T. Ize, Robust BVH Ray
//! Traversal, 2013 (error of the slabs).
//! Differs: the origin of a ray given in `f64` is rounded outwards per plane, and an interval may
//! be negative.

use crate::counters::{Counters, Visit};
use crate::ray_stack::RayStack;
use crate::relative::{UNIT, inverse_power_of_two, reach};
use crate::tree::{Bvh, LEAF, Leaf, TreeVolume};
use crate::volumes::{Volumes8, splat3};
use crate::wide::WideNode;
use carom_bounds::{Aabb, Aabb8};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::rounding;
use core::ops::ControlFlow;
use glam::DVec3;

/// The relative error of a plane's parameter is 5 u: subtraction, direction, reciprocal, the
/// reciprocal brought in or out by this, product.
const SLABS: f32 = 8.0 * UNIT;

/// What an entry of the stack may add to the place where a child is entered: less than 8 steps of
/// the last bit.
const KEYS: f32 = 16.0 * UNIT;

/// Components of the scaled direction below this, 2^-100, count as 0, with what they may move the
/// ray inside the tree added to its origin on both sides.
const PARALLEL: f64 = 7.888_609_052_210_118e-31;

/// A ray as eight lanes of each of its numbers, in scaled parameters.
#[derive(Clone, Copy, Debug)]
pub struct RayLanes<S: Simd> {
    /// For each axis: the near plane is that of the maximum.
    pub(crate) is_backward: [bool; 3],
    /// The origin, rounded so that the near plane is met early.
    pub(crate) origin_near: [S::F32x8; 3],
    /// The origin, rounded so that the far plane is met late.
    pub(crate) origin_far: [S::F32x8; 3],
    /// One over the direction. Where t is never negative, one is smaller and one larger by the
    /// error of the slabs, so that products with them are too early and too late, and nothing need
    /// be added.
    pub(crate) inverse_near: [S::F32x8; 3],
    pub(crate) inverse_far: [S::F32x8; 3],
    /// No t below 0 is of interest.
    pub(crate) is_forward: bool,
    pub(crate) t_min: S::F32x8,
    /// The origin, unscaled, and the scaled direction, to the nearest `f32`: for boxes that stand
    /// at an angle, and nothing for others.
    pub(crate) origin: [S::F32x8; 3],
    pub(crate) direction: [S::F32x8; 3],
    /// The largest coordinates of the tree and of the origin, added up: inside the tree |t| is
    /// below it.
    pub(crate) size: f32,
}

impl<S: Simd> RayLanes<S> {
    /// Where the ray enters and leaves eight boxes with these least and greatest coordinates, each
    /// moved outwards before it is compared by [`RayLanes::meets`].
    #[inline(always)]
    pub(crate) fn slabs(
        &self,
        simd: S,
        low: &[S::F32x8; 3],
        high: &[S::F32x8; 3],
        t_max: f32,
    ) -> (S::F32x8, S::F32x8) {
        let (mut near, mut far) = (self.t_min, S::F32x8::splat(simd, t_max));
        for k in 0..3 {
            let (first, second) = if self.is_backward[k] { (high[k], low[k]) } else { (low[k], high[k]) };
            // Zero times infinity, a ray in the plane, is NaN, and `max` and `min` then keep what
            // they had.
            near = ((first - self.origin_near[k]) * self.inverse_near[k]).max(near);
            far = ((second - self.origin_far[k]) * self.inverse_far[k]).min(far);
        }
        (near, far)
    }

    /// Bit i: the i-th interval may hold something, after what rounding did; and where it begins,
    /// at the latest.
    #[inline(always)]
    pub(crate) fn meets(simd: S, near: S::F32x8, far: S::F32x8) -> (u32, S::F32x8) {
        let (slabs, tiny) = (S::F32x8::splat(simd, SLABS), S::F32x8::splat(simd, f32::MIN_POSITIVE));
        let near_low = near - (near.abs() * S::F32x8::splat(simd, SLABS + KEYS) + tiny);
        let far_high = far + (far.abs() * slabs + tiny);
        (near_low.le(far_high).bits(), near_low)
    }
}

/// The points `origin + t * direction`, `t_min <= t <= t_max`, in the frame of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayLine {
    /// Where t is 0.
    pub origin: DVec3,
    /// Of any length; t counts in it.
    pub direction: DVec3,
    /// The least t.
    pub t_min: f64,
    /// The greatest t.
    pub t_max: f64,
}

impl RayLine {
    /// There is something to visit: numbers, and an interval with something in it.
    pub(crate) fn is_somewhere(&self) -> bool {
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
    /// Gives every leaf that the points `origin + t * direction`, `t_min <= t <= t_max`, may meet,
    /// roughly in the order of t, to `leaf`. That function answers with the new `t_max` (the t of
    /// its nearest hit for the closest one, the old one to see all), or breaks off. Everything is
    /// in the tree's frame; the direction may have any length.
    ///
    /// A ray with a NaN, or with a direction of zero and an origin outside, meets nothing.
    pub fn visit_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        leaf: impl FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        self.visit_ray_ahead(origin, direction, t_min, t_max, |_| {}, leaf)
    }

    /// [`Bvh::visit_ray`], which also tells, by their numbers, leaves that may come soon, so that
    /// what they need can be asked for from memory.
    pub fn visit_ray_ahead(
        &self,
        origin: DVec3,
        direction: DVec3,
        t_min: f64,
        t_max: f64,
        ahead: impl FnMut(u32),
        leaf: impl FnMut(Leaf<'_>, f64) -> ControlFlow<(), f64>,
    ) -> Visit {
        let line = RayLine { origin, direction, t_min, t_max };
        if self.is_empty() || !line.is_somewhere() {
            return Visit::default();
        }
        dispatch(Walk { tree: self, line, half: DVec3::ZERO, ahead, leaf })
    }
}

impl<N: WideNode<Aabb8>> Bvh<Aabb, N> {
    /// [`Bvh::visit_ray`] for a box that moves: every leaf that it may meet on its way, roughly in
    /// the order in which it does. The box has these half extents, not negative, around `origin + t
    /// * direction`.
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
        if self.is_empty() || !(line.is_somewhere() && half.is_finite()) {
            return Visit::default();
        }
        dispatch(Walk { tree: self, line, half, ahead: |_| {}, leaf })
    }
}

/// 2^80: lifts a subnormal number to a normal one.
const LIFT: f64 = 1.208_925_819_614_629_2e24;

/// The direction with its largest component brought into [1, 2), and the two powers of two that did
/// it, whose product might overflow. The zero direction stays.
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

/// Writes a ray into lanes that are there.
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
        // Entries of the stack may be larger by their last bits; and it is no negative zero.
        ray.t_min = S::F32x8::splat(simd, t_min * early + 0.0);
    } else {
        ray.t_min = S::F32x8::splat(simd, t_min);
    }
    for k in 0..3 {
        let (o, d) = (origin[k], direction[k]);
        let is_parallel = d.abs() < PARALLEL;
        // The largest component is at least 1, so inside the tree |t| is below the size; twice what
        // that moves the ray.
        let moved = if is_parallel { size * (4.0 * PARALLEL) } else { 0.0 };
        // Twice what rounding to `f32` does, and no branch.
        let far = o.abs() + half[k];
        let error = far * (2.0 * f64::from(UNIT)) + f64::from(f32::MIN_POSITIVE) + moved + half[k];
        let low = ((o - error) as f32).min(f32::MAX);
        let high = ((o + error) as f32).max(f32::MIN);
        // A parallel ray stays between the planes or outside, for all t.
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

/// A ray on its way through a tree.
pub(crate) struct Descent<S: Simd> {
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

impl<S: Simd> Descent<S> {
    /// It is nowhere yet.
    #[inline(always)]
    pub(crate) fn new<V: TreeVolume, N>(simd: S, tree: &Bvh<V, N>) -> Descent<S> {
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
        Descent { ray, reach, unlift: 1.0, unscale: 1.0, t_max: 0.0, t_max_f32: 0.0, stack }
    }

    /// At the root of the tree, in place: the stack is not written anew for every ray.
    #[inline(always)]
    pub(crate) fn begin<W: Volumes8>(&mut self, simd: S, line: &RayLine) {
        self.begin_box::<W>(simd, line, DVec3::ZERO);
    }

    /// The same for a box of these half extents around the ray's point: every plane is met by so
    /// much earlier and left later, if the volumes are boxes.
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

    /// Nowhere again.
    #[inline(always)]
    pub(crate) fn stop(&mut self) {
        self.stack.clear();
    }

    /// Nothing beyond this parameter is looked for any more; one that is larger than what is known
    /// changes nothing.
    #[inline(always)]
    pub(crate) fn shorten(&mut self, t: f64) {
        if t < self.t_max {
            self.t_max = t;
            self.t_max_f32 = rounding::up(t * self.unlift * self.unscale) + f32::MIN_POSITIVE;
        }
    }

    /// The next child that the ray enters in time; the root comes before all, and is not told.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<u32> {
        self.stack.pop(self.t_max_f32)
    }

    /// What comes next, unless the ray is shortened.
    #[inline(always)]
    pub(crate) fn top(&self) -> Option<u32> {
        self.stack.top()
    }

    /// Pushes the children that the ray enters, the nearest on top.
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
        let mut descent = Descent::new(simd, self.tree);
        descent.begin_box::<V::Volumes8>(simd, &self.line, self.half);
        let mut next = Some(0);
        while let Some(child) = next.take().or_else(|| descent.next()) {
            // What comes after it is fetched meanwhile.
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
            counters.leaves += 1;
            counters.primitives += found.primitives.len() as u64;
            match (self.leaf)(found, descent.t_max) {
                ControlFlow::Break(()) => return Visit { stopped: true, counters },
                ControlFlow::Continue(t) => descent.shorten(t),
            }
        }
        Visit { stopped: false, counters }
    }
}
