//! Eight volumes side by side, and what a walk asks of them.
//!
//! Every answer errs to one side: a volume that may be met is met, a lower bound is never too
//! large. Lanes that hold no volume may give anything; the walk leaves them out.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2 (descending two trees).

use crate::ray::RayLanes;
use crate::relative::Relative;
use carom_bounds::{Aabb, BoundingVolume};
use carom_lanes::{F32Lanes, Simd};
use glam::{DMat3, DVec3, Vec3};

/// Eight volumes by component. It is implemented here, for the volumes of carom-bounds.
pub trait Volumes8: Copy + core::fmt::Debug + Send + Sync + sealed::Sealed {
    /// One of them.
    type Volume: BoundingVolume;
    /// One of them brought into the frame of another tree.
    type Placed: Copy;

    /// What is found once for each relative pose, so that bringing a volume into the other frame
    /// takes less.
    type Turn: Copy + core::fmt::Debug + Send + Sync;

    /// Eight volumes of nothing.
    const EMPTY: Self;

    /// The volumes are boxes along the axes: around boxes they are made from the primitives up, and
    /// nothing is lost.
    const ARE_BOXES: bool = false;

    /// Puts a volume in a lane, 0 to 7.
    fn set(&mut self, lane: usize, volume: &Self::Volume);

    /// The volume in a lane, 0 to 7.
    fn get(&self, lane: usize) -> Self::Volume;

    /// Which of two volumes is the larger: a length.
    fn size(&self, lane: usize) -> f32;

    /// What there is to know of a pose with this rotation.
    fn turn(rotation: &DMat3) -> Self::Turn;

    /// A ball around a volume: centre and radius.
    #[inline(always)]
    fn ball(volume: &Self::Volume) -> (DVec3, f64) {
        let aabb = volume.to_aabb();
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        ((min + max) * 0.5, ((max - min) * 0.5).length())
    }

    /// A volume in the frame of another tree, whatever is known of the pose.
    fn place<T>(volume: &Self::Volume, relative: &Relative<T>) -> Self::Placed;

    /// The volume of a lane in the frame of another tree.
    #[inline(always)]
    fn placed<S: Simd>(&self, _simd: S, lane: usize, relative: &Relative<Self::Turn>) -> Self::Placed {
        Self::place(&self.get(lane), relative)
    }

    /// Bit i: the placed volume may touch volume i.
    fn meets<S: Simd, T>(&self, simd: S, placed: &Self::Placed, relative: &Relative<T>) -> u32;

    /// The same, of boxes that stand at an angle also on the axes across an edge of each.
    #[inline(always)]
    fn meets_by_edges<S: Simd, T>(&self, simd: S, placed: &Self::Placed, relative: &Relative<T>) -> u32 {
        self.meets(simd, placed, relative)
    }

    /// Bit i: the volume, of the same frame, may touch volume i. `here` is the identity between the
    /// two.
    fn meets_here<S: Simd>(&self, simd: S, volume: &Self::Volume, here: &Relative) -> u32;

    /// Bit i: the box, along the axes of this frame, may touch volume i. `here` is the identity
    /// between the two.
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, here: &Relative) -> u32;

    /// Lower bounds of the squared distances, in scaled lengths, to the placed volume.
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &Self::Placed, relative: &Relative<T>) -> S::F32x8;

    /// Lower bounds of the squared distances, in lengths times `scale`, to a point that is within
    /// `slack` (a scaled length) of the given one (not scaled).
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8;

    /// Bit i: the ray may meet volume i; and where it enters, at the latest.
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8);
}

pub(crate) mod sealed {
    /// Keeps [`Volumes8`](super::Volumes8) to this crate.
    pub trait Sealed {}
}

/// Three components of eight lanes.
#[inline(always)]
pub(crate) fn load3<S: Simd>(simd: S, from: &[[f32; 8]; 3]) -> [S::F32x8; 3] {
    [S::F32x8::load(simd, &from[0]), S::F32x8::load(simd, &from[1]), S::F32x8::load(simd, &from[2])]
}

/// The same three numbers in all lanes.
#[inline(always)]
pub(crate) fn splat3<S: Simd>(simd: S, x: [f32; 3]) -> [S::F32x8; 3] {
    [S::F32x8::splat(simd, x[0]), S::F32x8::splat(simd, x[1]), S::F32x8::splat(simd, x[2])]
}

/// Inner products, lane by lane, added up in the order of the axes.
#[inline(always)]
pub(crate) fn dot<S: Simd>(a: [S::F32x8; 3], b: [S::F32x8; 3]) -> S::F32x8 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
