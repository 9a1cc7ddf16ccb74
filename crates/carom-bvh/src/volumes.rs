//! Eight volumes side by side, and the tests of a walk.
//!
//! All results are conservative: volumes that may touch are reported, and a lower bound is not too
//! large. Unused lanes may give anything; the walk ignores them.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 (descending two trees).

use crate::ray_lanes::RayLanes;
use crate::relative::Relative;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Simd};
use glam::{DMat3, DVec3, Vec3};

/// Eight volumes by component. It is sealed: only the volumes of carom-bounds implement it.
pub trait Volumes8: Copy + core::fmt::Debug + Send + Sync + sealed::Sealed {
    /// One of them.
    type Volume: BoundingVolume;
    /// One of them brought into the frame of another tree.
    type Placed: Copy;

    /// Data computed once for each relative pose, so that transforms of volumes are cheaper.
    type Turn: Copy + core::fmt::Debug + Send + Sync;

    /// Eight empty volumes.
    const EMPTY: Self;

    /// Whether the volumes are axis-aligned boxes. Then unions of the primitives' boxes lose
    /// nothing.
    const ARE_BOXES: bool = false;

    /// Puts a volume in a lane, 0 to 7.
    fn set(&mut self, lane: usize, volume: &Self::Volume);

    /// The volume in a lane, 0 to 7.
    fn get(&self, lane: usize) -> Self::Volume;

    /// A length that orders volumes by size.
    fn size(&self, lane: usize) -> f32;

    /// The data of a pose with this rotation.
    fn turn(rotation: &DMat3) -> Self::Turn;

    /// A ball around a volume: centre and radius.
    #[inline(always)]
    fn ball(volume: &Self::Volume) -> (DVec3, f64) {
        let aabb = volume.to_aabb();
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        ((min + max) * 0.5, ((max - min) * 0.5).length())
    }

    /// A volume in the frame of another tree, without [`Volumes8::Turn`].
    fn to_frame<T>(volume: &Self::Volume, relative: &Relative<T>) -> Self::Placed;

    /// The volume of a lane in the frame of another tree.
    #[inline(always)]
    fn placed<S: Simd>(&self, _simd: S, lane: usize, relative: &Relative<Self::Turn>) -> Self::Placed {
        Self::to_frame(&self.get(lane), relative)
    }

    /// Bit i: the placed volume may touch volume i.
    fn meets<S: Simd, T>(&self, simd: S, placed: &Self::Placed, relative: &Relative<T>) -> u32;

    /// As `meets`, but rotated boxes are also tested on the edge axes.
    #[inline(always)]
    fn meets_by_edges<S: Simd, T>(&self, simd: S, placed: &Self::Placed, relative: &Relative<T>) -> u32 {
        self.meets(simd, placed, relative)
    }

    /// Bit i: the volume, in the same frame, may touch volume i. `here` is the identity transform,
    /// with the scale and the slack of both.
    fn meets_here<S: Simd>(&self, simd: S, volume: &Self::Volume, here: &Relative) -> u32;

    /// Bit i: the axis-aligned box, in the same frame, may touch volume i. `here` is as for
    /// [`Volumes8::meets_here`].
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, here: &Relative) -> u32;

    /// Lower bounds of the squared distances, in scaled lengths, to the placed volume.
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &Self::Placed, relative: &Relative<T>) -> S::F32x8;

    /// Lower bounds of the squared scaled distances to a point; a scaled length is a length times
    /// `scale`. The true point is within `slack`, a scaled length, of `point`, which is not
    /// scaled.
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8;

    /// Bit i: the ray may meet volume i. Also returns lower bounds of its entry parameters.
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8);
}

pub(crate) mod sealed {
    /// Seals [`Volumes8`](super::Volumes8).
    pub trait Sealed {}
}

/// Three components of eight lanes.
#[inline(always)]
pub(crate) fn load3<S: Simd>(simd: S, from: &[[f32; 8]; 3]) -> [S::F32x8; 3] {
    [S::F32x8::load(simd, &from[0]), S::F32x8::load(simd, &from[1]), S::F32x8::load(simd, &from[2])]
}

/// The same vector in all lanes.
#[inline(always)]
pub(crate) fn splat3<S: Simd>(simd: S, x: [f32; 3]) -> [S::F32x8; 3] {
    [S::F32x8::splat(simd, x[0]), S::F32x8::splat(simd, x[1]), S::F32x8::splat(simd, x[2])]
}

/// Inner products, lane by lane, summed in the order of the axes.
#[inline(always)]
pub(crate) fn dot<S: Simd>(a: [S::F32x8; 3], b: [S::F32x8; 3]) -> S::F32x8 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
