//! Eight oriented boxes. Two trees of them are tested on the six face axes, or on all fifteen
//! axes.
//!
//! The nine edge axes reject 8 to 18 % more pairs, but cost as much as they save. They are tested
//! only on request.
//!
//! Reference: S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996, 5; Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.2.4 (leaving the edge axes out).
//! Differs: one box against eight, with its axes rotated once. The axes may be inexact, because
//! any separating axis is a proof. The slack is twice that of axis-aligned boxes, and covers the
//! rounding of the rotation.

use crate::ray_lanes::RayLanes;
use crate::relative::{EDGES, Relative};
use crate::scale::UNIT;
use crate::tree::TreeVolume;
use crate::volumes::{Volumes8, dot, load3, sealed::Sealed, splat3};
use carom_bounds::{Aabb, BoundingVolume, Obb};
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// Eight boxes by component.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Obb8 {
    pub(crate) center: [[f32; 8]; 3],
    pub(crate) half: [[f32; 8]; 3],
    /// `axes[j][k]` is component k of axis j.
    pub(crate) axes: [[[f32; 8]; 3]; 3],
}

/// A box in the frame of another tree, in scaled lengths.
#[derive(Clone, Copy, Debug)]
pub struct PlacedObb {
    /// The fourth lanes have no meaning.
    center: [f32; 4],
    half: [f32; 3],
    axes: [[f32; 4]; 3],
}

impl TreeVolume for Obb {
    type Volumes8 = Obb8;
}

impl Sealed for Obb8 {}

/// Lowers a sum of three squares by the error of rounding and of axes that are not exactly
/// orthonormal.
const SQUARES: f32 = 1.0 - 64.0 * UNIT;

/// The least component of a ray's direction along an axis; smaller ones are replaced by it. So no
/// quotient is 0 by 0. It is far above underflow.
const PARALLEL: f32 = 1e-30;

impl Volumes8 for Obb8 {
    type Volume = Obb;
    type Placed = PlacedObb;
    type Turn = ();

    const EMPTY: Obb8 =
        Obb8 { center: [[0.0; 8]; 3], half: [[f32::NEG_INFINITY; 8]; 3], axes: [[[0.0; 8]; 3]; 3] };

    #[inline(always)]
    fn set(&mut self, lane: usize, volume: &Obb) {
        let i = lane & 7;
        for k in 0..3 {
            self.center[k][i] = volume.center[k];
            self.half[k][i] = volume.half_extents[k];
            for j in 0..3 {
                self.axes[j][k][i] = volume.axes.col(j)[k];
            }
        }
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Obb {
        let i = lane & 7;
        let read = |from: &[[f32; 8]; 3]| Vec3::new(from[0][i], from[1][i], from[2][i]);
        Obb {
            center: read(&self.center),
            half_extents: read(&self.half),
            axes: Mat3::from_cols(read(&self.axes[0]), read(&self.axes[1]), read(&self.axes[2])),
        }
    }

    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        let i = lane & 7;
        self.half[0][i] + self.half[1][i] + self.half[2][i]
    }

    #[inline(always)]
    fn ball(volume: &Obb) -> (DVec3, f64) {
        // The stored axes are orthonormal only up to rounding.
        let radius = volume.half_extents.as_dvec3().length() * f64::from(1.0 + 64.0 * UNIT);
        (volume.center.as_dvec3(), radius)
    }

    fn turn(_: &DMat3) {}

    #[inline(always)]
    fn to_frame<T>(volume: &Obb, relative: &Relative<T>) -> PlacedObb {
        let s = relative.scale;
        let (c, h, m) = (volume.center, volume.half_extents, volume.axes);
        let four = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
        PlacedObb {
            center: four(relative.point([c.x * s, c.y * s, c.z * s])),
            half: [h.x * s, h.y * s, h.z * s],
            axes: [
                four(relative.direction(m.x_axis.to_array())),
                four(relative.direction(m.y_axis.to_array())),
                four(relative.direction(m.z_axis.to_array())),
            ],
        }
    }

    // The same bits as `to_frame`, read directly from the lane.
    #[inline(always)]
    fn placed<S: Simd>(&self, simd: S, lane: usize, relative: &Relative) -> PlacedObb {
        let (i, s) = (lane & 7, relative.scale);
        let (c, h, m) = (&self.center, &self.half, &self.axes);
        PlacedObb {
            center: relative.point4(simd, [c[0][i] * s, c[1][i] * s, c[2][i] * s]),
            half: [h[0][i] * s, h[1][i] * s, h[2][i] * s],
            axes: [
                relative.direction4(simd, [m[0][0][i], m[0][1][i], m[0][2][i]]),
                relative.direction4(simd, [m[1][0][i], m[1][1][i], m[1][2][i]]),
                relative.direction4(simd, [m[2][0][i], m[2][1][i], m[2][2][i]]),
            ],
        }
    }

    #[inline(always)]
    fn meets<S: Simd, T>(&self, simd: S, placed: &PlacedObb, relative: &Relative<T>) -> u32 {
        let slack = relative.slack * 2.0;
        let (t, half) = offsets(simd, self, placed, relative);
        let axes = [load3(simd, &self.axes[0]), load3(simd, &self.axes[1]), load3(simd, &self.axes[2])];
        let mut radius_here = [
            half[0] + S::F32x8::splat(simd, slack),
            half[1] + S::F32x8::splat(simd, slack),
            half[2] + S::F32x8::splat(simd, slack),
        ];
        let mut meets = S::Mask8::from_bits(simd, 255);
        for j in 0..3 {
            let axis = axis(simd, &placed.axes[j]);
            let half_j = S::F32x8::splat(simd, placed.half[j]);
            let mut radius = S::F32x8::splat(simd, placed.half[j] + slack);
            for k in 0..3 {
                let turned = dot::<S>(axis, axes[k]).abs();
                radius = radius + half[k] * turned;
                radius_here[k] = radius_here[k] + half_j * turned;
            }
            meets = meets & dot::<S>(t, axis).abs().le(radius);
            if !meets.any() {
                return 0;
            }
        }
        for k in 0..3 {
            meets = meets & dot::<S>(t, axes[k]).abs().le(radius_here[k]);
        }
        meets.bits()
    }

    #[inline(always)]
    fn meets_by_edges<S: Simd, T>(&self, simd: S, placed: &PlacedObb, relative: &Relative<T>) -> u32 {
        let on_faces = self.meets(simd, placed, relative);
        if on_faces == 0 {
            return 0;
        }
        let slack = S::F32x8::splat(simd, relative.slack * EDGES);
        let (t, half) = offsets(simd, self, placed, relative);
        // `turned[j][k]` is the inner product of axis j of the placed box and axis k of these.
        // `along[j]` is the inner product of the offset and axis j.
        let zero = S::F32x8::splat(simd, 0.0);
        let (mut turned, mut along) = ([[zero; 3]; 3], [zero; 3]);
        for j in 0..3 {
            let axis = axis(simd, &placed.axes[j]);
            along[j] = dot::<S>(t, axis);
            for k in 0..3 {
                turned[j][k] = dot::<S>(axis, load3(simd, &self.axes[k]));
            }
        }
        let mut meets = S::Mask8::from_bits(simd, 255);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let half_1 = S::F32x8::splat(simd, placed.half[j1]);
            let half_2 = S::F32x8::splat(simd, placed.half[j2]);
            for k in 0..3 {
                // Axis across edge j of one box and edge k of the other. Parallel edges give
                // values below the slack.
                let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                let offset = along[j2] * turned[j1][k] - along[j1] * turned[j2][k];
                let there = half_1 * turned[j2][k].abs() + half_2 * turned[j1][k].abs();
                let here = half[k1] * turned[j][k2].abs() + half[k2] * turned[j][k1].abs();
                meets = meets & offset.abs().le(there + here + slack);
            }
        }
        on_faces & meets.bits()
    }

    #[inline(always)]
    fn meets_here<S: Simd>(&self, simd: S, volume: &Obb, here: &Relative) -> u32 {
        self.meets(simd, &Self::to_frame(volume, here), here)
    }

    #[inline(always)]
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, here: &Relative) -> u32 {
        self.meets(simd, &Self::to_frame(&Obb::from_aabb(aabb), here), here)
    }

    #[inline(always)]
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &PlacedObb, relative: &Relative<T>) -> S::F32x8 {
        let slack = relative.slack * 2.0;
        let zero = S::F32x8::splat(simd, 0.0);
        let (t, half) = offsets(simd, self, placed, relative);
        let axes = [load3(simd, &self.axes[0]), load3(simd, &self.axes[1]), load3(simd, &self.axes[2])];
        let mut radius_here = [
            half[0] + S::F32x8::splat(simd, slack),
            half[1] + S::F32x8::splat(simd, slack),
            half[2] + S::F32x8::splat(simd, slack),
        ];
        let (mut there, mut here) = (zero, zero);
        for j in 0..3 {
            let axis = axis(simd, &placed.axes[j]);
            let half_j = S::F32x8::splat(simd, placed.half[j]);
            let mut radius = S::F32x8::splat(simd, placed.half[j] + slack);
            for k in 0..3 {
                let turned = dot::<S>(axis, axes[k]).abs();
                radius = radius + half[k] * turned;
                radius_here[k] = radius_here[k] + half_j * turned;
            }
            let gap = (dot::<S>(t, axis).abs() - radius).max(zero);
            there = there + gap * gap;
        }
        for k in 0..3 {
            let gap = (dot::<S>(t, axes[k]).abs() - radius_here[k]).max(zero);
            here = here + gap * gap;
        }
        here.max(there) * S::F32x8::splat(simd, SQUARES)
    }

    #[inline(always)]
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8 {
        let (zero, scale) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, scale));
        let slack = S::F32x8::splat(simd, slack + 16.0 * UNIT);
        let mut t = load3(simd, &self.center);
        for k in 0..3 {
            t[k] = (S::F32x8::splat(simd, point[k]) - t[k]) * scale;
        }
        let mut sum = zero;
        for k in 0..3 {
            let half = S::F32x8::load(simd, &self.half[k]) * scale;
            let gap = (dot::<S>(t, load3(simd, &self.axes[k])).abs() - half - slack).max(zero);
            sum = sum + gap * gap;
        }
        sum * S::F32x8::splat(simd, SQUARES)
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        // In the frame of a box, the rounding of the origin is 8 u of the size. The direction is
        // off by 10 u, which moves the ray by 20 u of the size inside the tree.
        let room = S::F32x8::splat(simd, ray.size * (64.0 * UNIT));
        let (parallel, one) = (S::F32x8::splat(simd, PARALLEL), S::F32x8::splat(simd, 1.0));
        let mut t = load3(simd, &self.center);
        for k in 0..3 {
            t[k] = ray.origin[k] - t[k];
        }
        let (mut near, mut far) = (ray.t_min, S::F32x8::splat(simd, t_max));
        for k in 0..3 {
            let axis = load3(simd, &self.axes[k]);
            let half = S::F32x8::load(simd, &self.half[k]) + room;
            let origin = dot::<S>(t, axis);
            let direction = dot::<S>(ray.direction, axis);
            let direction = S::F32x8::select(direction.abs().lt(parallel), parallel, direction);
            let inverse = one / direction;
            let (t0, t1) = ((-half - origin) * inverse, (half - origin) * inverse);
            near = t0.min(t1).max(near);
            far = t0.max(t1).min(far);
        }
        RayLanes::meets(simd, near, far)
    }
}

#[inline(always)]
fn axis<S: Simd>(simd: S, axis: &[f32; 4]) -> [S::F32x8; 3] {
    splat3(simd, [axis[0], axis[1], axis[2]])
}

/// The vectors from the placed centre to the eight centres, and the eight half extents, scaled.
#[inline(always)]
fn offsets<S: Simd, T>(
    simd: S,
    boxes: &Obb8,
    placed: &PlacedObb,
    relative: &Relative<T>,
) -> ([S::F32x8; 3], [S::F32x8; 3]) {
    let scale = S::F32x8::splat(simd, relative.scale);
    let (c, h) = (load3(simd, &boxes.center), load3(simd, &boxes.half));
    (
        [
            c[0] * scale - S::F32x8::splat(simd, placed.center[0]),
            c[1] * scale - S::F32x8::splat(simd, placed.center[1]),
            c[2] * scale - S::F32x8::splat(simd, placed.center[2]),
        ],
        [h[0] * scale, h[1] * scale, h[2] * scale],
    )
}
