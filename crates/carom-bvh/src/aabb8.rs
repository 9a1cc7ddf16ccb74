//! Eight axis-aligned boxes. Two trees of them are tested on the six face axes, or on all fifteen
//! axes.
//!
//! The nine edge axes reject 8 to 18 % more pairs, but cost more than they save. They are tested
//! only on request.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 5 (the axes and radii);
//! Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.7 (slabs) and 25.2.4 (leaving the edge
//! axes out).
//! Differs: one axis of the second box against eight at once, with a slack that covers the
//! rounding.

use crate::ray_lanes::RayLanes;
use crate::relative::{EDGES, Relative};
use crate::tree::TreeVolume;
use crate::volumes::{Volumes8, dot, load3, sealed::Sealed, splat3};
use carom_bounds::{Aabb, Aabb8};
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use glam::{DMat3, Vec3};

/// A box in the frame of another tree, in scaled lengths.
#[derive(Clone, Copy, Debug)]
pub struct PlacedAabb {
    center: [f32; 3],
    /// Half extents along the axes of its own frame.
    half: [f32; 3],
    /// Half extents along the axes of the other frame.
    half_here: [f32; 3],
}

impl TreeVolume for Aabb {
    type Volumes8 = Aabb8;
}

impl Sealed for Aabb8 {}

/// Centres and half extents of eight boxes, scaled.
#[inline(always)]
fn centers<S: Simd>(simd: S, boxes: &Aabb8, scale: f32) -> ([S::F32x8; 3], [S::F32x8; 3]) {
    let half_scale = S::F32x8::splat(simd, 0.5 * scale);
    let (low, high) = (load3(simd, &boxes.min), load3(simd, &boxes.max));
    (
        [(low[0] + high[0]) * half_scale, (low[1] + high[1]) * half_scale, (low[2] + high[2]) * half_scale],
        [(high[0] - low[0]) * half_scale, (high[1] - low[1]) * half_scale, (high[2] - low[2]) * half_scale],
    )
}

impl Volumes8 for Aabb8 {
    type Volume = Aabb;
    type Placed = PlacedAabb;
    type Turn = ();

    const EMPTY: Aabb8 = Aabb8::EMPTY;
    const ARE_BOXES: bool = true;

    #[inline(always)]
    fn set(&mut self, lane: usize, volume: &Aabb) {
        Aabb8::set(self, lane, volume);
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Aabb {
        Aabb8::get(self, lane)
    }

    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        let i = lane & 7;
        (self.max[0][i] - self.min[0][i])
            + (self.max[1][i] - self.min[1][i])
            + (self.max[2][i] - self.min[2][i])
    }

    fn turn(_: &DMat3) {}

    #[inline(always)]
    fn to_frame<T>(volume: &Aabb, relative: &Relative<T>) -> PlacedAabb {
        let s = relative.scale * 0.5;
        let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            center[k] = (volume.min[k] + volume.max[k]) * s;
            half[k] = (volume.max[k] - volume.min[k]) * s;
        }
        PlacedAabb { center: relative.point(center), half, half_here: relative.half_extents(half) }
    }

    #[inline(always)]
    fn meets<S: Simd, T>(&self, simd: S, placed: &PlacedAabb, relative: &Relative<T>) -> u32 {
        let (center, half) = centers(simd, self, relative.scale);
        let slack = relative.slack;
        // The comparison is written so that the NaN of an empty lane fails it.
        let t0 = center[0] - S::F32x8::splat(simd, placed.center[0]);
        let t1 = center[1] - S::F32x8::splat(simd, placed.center[1]);
        let t2 = center[2] - S::F32x8::splat(simd, placed.center[2]);
        let mut meets = t0.abs().le(half[0] + S::F32x8::splat(simd, placed.half_here[0] + slack))
            & t1.abs().le(half[1] + S::F32x8::splat(simd, placed.half_here[1] + slack))
            & t2.abs().le(half[2] + S::F32x8::splat(simd, placed.half_here[2] + slack));
        if !meets.any() {
            return 0;
        }
        let t = [t0, t1, t2];
        for j in 0..3 {
            let along = dot::<S>(t, splat3(simd, relative.columns[j]));
            let radius = dot::<S>(half, splat3(simd, relative.abs_columns[j]));
            meets = meets & along.abs().le(radius + S::F32x8::splat(simd, placed.half[j] + slack));
        }
        meets.bits()
    }

    #[inline(always)]
    fn meets_by_edges<S: Simd, T>(&self, simd: S, placed: &PlacedAabb, relative: &Relative<T>) -> u32 {
        let on_faces = self.meets(simd, placed, relative);
        if on_faces == 0 {
            return 0;
        }
        let slack = relative.slack * EDGES;
        let (center, half) = centers(simd, self, relative.scale);
        let mut t = center;
        for k in 0..3 {
            t[k] = center[k] - S::F32x8::splat(simd, placed.center[k]);
        }
        let mut meets = S::Mask8::from_bits(simd, 255);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let (axis, shares) = (relative.columns[j], relative.abs_columns[j]);
            for k in 0..3 {
                // Axis across edge j of one box and edge k of the other. Parallel edges give
                // values below the slack.
                let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                let there = placed.half[j1] * relative.abs_columns[j2][k]
                    + placed.half[j2] * relative.abs_columns[j1][k];
                let offset =
                    t[k1] * S::F32x8::splat(simd, axis[k2]) - t[k2] * S::F32x8::splat(simd, axis[k1]);
                let here = half[k1] * S::F32x8::splat(simd, shares[k2])
                    + half[k2] * S::F32x8::splat(simd, shares[k1]);
                meets = meets & offset.abs().le(here + S::F32x8::splat(simd, there + slack));
            }
        }
        on_faces & meets.bits()
    }

    #[inline(always)]
    fn meets_here<S: Simd>(&self, simd: S, volume: &Aabb, _: &Relative) -> u32 {
        self.overlaps_lanes(simd, volume)
    }

    #[inline(always)]
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, _: &Relative) -> u32 {
        self.overlaps_lanes(simd, aabb)
    }

    #[inline(always)]
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &PlacedAabb, relative: &Relative<T>) -> S::F32x8 {
        let (center, half) = centers(simd, self, relative.scale);
        let zero = S::F32x8::splat(simd, 0.0);
        let slack = relative.slack;
        let t = [
            center[0] - S::F32x8::splat(simd, placed.center[0]),
            center[1] - S::F32x8::splat(simd, placed.center[1]),
            center[2] - S::F32x8::splat(simd, placed.center[2]),
        ];
        let (mut here, mut there) = (zero, zero);
        for k in 0..3 {
            let radius = half[k] + S::F32x8::splat(simd, placed.half_here[k] + slack);
            let gap = (t[k].abs() - radius).max(zero);
            here = here + gap * gap;
        }
        for j in 0..3 {
            let along = dot::<S>(t, splat3(simd, relative.columns[j]));
            let radius = dot::<S>(half, splat3(simd, relative.abs_columns[j]));
            let gap = (along.abs() - (radius + S::F32x8::splat(simd, placed.half[j] + slack))).max(zero);
            there = there + gap * gap;
        }
        here.max(there) * S::F32x8::splat(simd, crate::distance::SQUARES)
    }

    #[inline(always)]
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8 {
        let (low, high) = (load3(simd, &self.min), load3(simd, &self.max));
        let (zero, scale) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, scale));
        let slack = S::F32x8::splat(simd, slack);
        let mut sum = zero;
        for k in 0..3 {
            let p = S::F32x8::splat(simd, point[k]);
            let outside = (low[k] - p).max(p - high[k]);
            let gap = (outside * scale - slack).max(zero);
            sum = sum + gap * gap;
        }
        sum * S::F32x8::splat(simd, crate::distance::SQUARES)
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        let planes = [&self.min, &self.max];
        let (mut near, mut far) = (ray.t_min, S::F32x8::splat(simd, t_max));
        for k in 0..3 {
            let is_backward = ray.is_backward[k];
            let first = S::F32x8::load(simd, &planes[usize::from(is_backward)][k]);
            let second = S::F32x8::load(simd, &planes[usize::from(!is_backward)][k]);
            // A ray in the plane gives 0 times infinity, which is NaN. `max` and `min` then keep
            // the old value.
            near = ((first - ray.origin_near[k]) * ray.inverse_near[k]).max(near);
            far = ((second - ray.origin_far[k]) * ray.inverse_far[k]).min(far);
        }
        if ray.is_forward {
            // The sum covers products that underflow: they are off by less than `MIN_POSITIVE`.
            return (near.le(far + S::F32x8::splat(simd, f32::MIN_POSITIVE)).bits(), near);
        }
        RayLanes::meets(simd, near, far)
    }
}
