//! Eight spheres side by side.
//!
//! Reference: P. Hubbard, Approximating Polyhedra with Spheres for Time-Critical Collision
//! Detection, 1996 (sphere trees); Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6.
//! Differs: rays are tested against the boxes around the spheres. A quadratic equation in `f32`
//! may lose its solution.

use crate::ray_lanes::RayLanes;
use crate::relative::Relative;
use crate::scale::UNIT;
use crate::tree::TreeVolume;
use crate::volumes::{Volumes8, dot, load3, sealed::Sealed};
use carom_bounds::{Aabb, Sphere};
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use glam::{DMat3, DVec3, Vec3};

/// Eight spheres by component.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Sphere8 {
    pub(crate) center: [[f32; 8]; 3],
    pub(crate) radius: [f32; 8],
}

/// A sphere in the frame of another tree, in scaled lengths.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSphere {
    center: [f32; 3],
    radius: f32,
}

impl TreeVolume for Sphere {
    type Volumes8 = Sphere8;
}

impl Sealed for Sphere8 {}

/// The relative rounding error of squared distances is less than this.
const SQUARED: f32 = 8.0 * UNIT;

impl Volumes8 for Sphere8 {
    type Volume = Sphere;
    type Placed = PlacedSphere;
    type Turn = ();

    const EMPTY: Sphere8 = Sphere8 { center: [[0.0; 8]; 3], radius: [f32::NEG_INFINITY; 8] };

    #[inline(always)]
    fn set(&mut self, lane: usize, volume: &Sphere) {
        for k in 0..3 {
            self.center[k][lane & 7] = volume.center[k];
        }
        self.radius[lane & 7] = volume.radius;
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Sphere {
        let i = lane & 7;
        Sphere {
            center: Vec3::new(self.center[0][i], self.center[1][i], self.center[2][i]),
            radius: self.radius[i],
        }
    }

    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        self.radius[lane & 7]
    }

    #[inline(always)]
    fn ball(volume: &Sphere) -> (DVec3, f64) {
        (volume.center.as_dvec3(), f64::from(volume.radius))
    }

    fn turn(_: &DMat3) {}

    #[inline(always)]
    fn to_frame<T>(volume: &Sphere, relative: &Relative<T>) -> PlacedSphere {
        let s = relative.scale;
        let c = volume.center;
        PlacedSphere { center: relative.point([c.x * s, c.y * s, c.z * s]), radius: volume.radius * s }
    }

    #[inline(always)]
    fn meets<S: Simd, T>(&self, simd: S, placed: &PlacedSphere, relative: &Relative<T>) -> u32 {
        let scale = S::F32x8::splat(simd, relative.scale);
        let t = offsets(simd, &self.center, &placed.center, scale);
        let reach = S::F32x8::load(simd, &self.radius) * scale
            + S::F32x8::splat(simd, placed.radius + relative.slack);
        dot::<S>(t, t).le(reach * reach).bits()
    }

    #[inline(always)]
    fn meets_here<S: Simd>(&self, simd: S, volume: &Sphere, here: &Relative) -> u32 {
        self.meets(simd, &Self::to_frame(volume, here), here)
    }

    #[inline(always)]
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, here: &Relative) -> u32 {
        let (zero, scale) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, here.scale));
        let mut apart_sq = zero;
        for k in 0..3 {
            let c = S::F32x8::load(simd, &self.center[k]);
            let outside =
                (S::F32x8::splat(simd, aabb.min[k]) - c).max(c - S::F32x8::splat(simd, aabb.max[k]));
            let outside = (outside * scale).max(zero);
            apart_sq = apart_sq + outside * outside;
        }
        let reach = S::F32x8::load(simd, &self.radius) * scale + S::F32x8::splat(simd, here.slack);
        apart_sq.le(reach * reach).bits()
    }

    #[inline(always)]
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &PlacedSphere, relative: &Relative<T>) -> S::F32x8 {
        let scale = S::F32x8::splat(simd, relative.scale);
        let t = offsets(simd, &self.center, &placed.center, scale);
        let reach = S::F32x8::load(simd, &self.radius) * scale
            + S::F32x8::splat(simd, placed.radius + relative.slack);
        let gap = (dot::<S>(t, t).sqrt() - reach).max(S::F32x8::splat(simd, 0.0));
        gap * gap * S::F32x8::splat(simd, 1.0 - SQUARED)
    }

    #[inline(always)]
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8 {
        let scale = S::F32x8::splat(simd, scale);
        let mut t = load3(simd, &self.center);
        for k in 0..3 {
            t[k] = (t[k] - S::F32x8::splat(simd, point[k])) * scale;
        }
        // Scaled distances are below 1, so their relative error is an absolute one.
        let reach = S::F32x8::load(simd, &self.radius) * scale + S::F32x8::splat(simd, slack + SQUARED);
        let gap = (dot::<S>(t, t).sqrt() - reach).max(S::F32x8::splat(simd, 0.0));
        gap * gap * S::F32x8::splat(simd, 1.0 - SQUARED)
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        let rounding = S::F32x8::splat(simd, 4.0 * UNIT);
        let radius = S::F32x8::load(simd, &self.radius);
        let (mut low, mut high) = (load3(simd, &self.center), load3(simd, &self.center));
        for k in 0..3 {
            let outer = radius + (radius + low[k].abs()) * rounding;
            low[k] = low[k] - outer;
            high[k] = high[k] + outer;
        }
        let (near, far) = ray.slabs(simd, &low, &high, t_max);
        RayLanes::meets(simd, near, far)
    }
}

/// The vectors from the placed centre to the eight centres, scaled.
#[inline(always)]
fn offsets<S: Simd>(simd: S, centers: &[[f32; 8]; 3], from: &[f32; 3], scale: S::F32x8) -> [S::F32x8; 3] {
    let c = load3(simd, centers);
    [
        c[0] * scale - S::F32x8::splat(simd, from[0]),
        c[1] * scale - S::F32x8::splat(simd, from[1]),
        c[2] * scale - S::F32x8::splat(simd, from[2]),
    ]
}
