//! What every bounding volume can do, so that trees are written once.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.

use crate::Aabb;
use carom_math::{Pose, WidePose};
use glam::{DVec3, Vec3};

/// A convex container: if two volumes are apart, so is what they contain.
///
/// Every answer errs to one side only: `overlaps` may say yes for volumes that are apart by a
/// rounding error, never no for volumes that touch; `distance_lower_bound` is never above the true
/// distance; what a volume is made from lies in it, every point, in exact arithmetic.
///
/// A volume that `f32` cannot hold becomes infinite, up to `EVERYTHING`: never empty, never NaN.
pub trait BoundingVolume: Copy + core::fmt::Debug + PartialEq + Send + Sync {
    /// The volume of nothing: overlaps nothing, and merged with any volume gives that volume.
    const EMPTY: Self;

    /// The volume of all points: overlaps every volume, and may be said to overlap the empty one.
    const EVERYTHING: Self;

    /// A volume around a box.
    fn from_aabb(aabb: &Aabb) -> Self;

    /// A volume around points in `f32` or `f64`, as small as this kind of volume can be found;
    /// `EMPTY` for none. A point that is not finite may be anywhere and gives `EVERYTHING`.
    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> Self;

    /// A volume around both.
    fn merged(&self, other: &Self) -> Self;

    /// A volume around points that has the orientation of this one, for points that have moved
    /// since this volume was made. It costs less than [`BoundingVolume::from_points`], as no
    /// orientation is searched for, and is less tight if the points have turned. A point that is
    /// not finite gives `EVERYTHING`.
    fn refitted<P: Copy + Into<DVec3>>(&self, points: &[P]) -> Self {
        Self::from_points(points)
    }

    /// A volume around all of these that has the orientation of this one; `EMPTY` for none.
    fn refitted_around(&self, volumes: &[Self]) -> Self {
        volumes.iter().fold(Self::EMPTY, |all, volume| all.merged(volume))
    }

    /// A volume around all points within `margin` of this one; a margin that is not above 0 adds
    /// nothing.
    fn inflated(&self, margin: f32) -> Self;

    /// The two may touch; touching counts.
    fn overlaps(&self, other: &Self) -> bool;

    /// A number never above the distance of the two; 0 when they overlap.
    fn distance_lower_bound(&self, other: &Self) -> f32;

    /// A volume around this one placed by a pose in `f64`: `EVERYTHING` for a pose that is not
    /// finite, which may put it anywhere, unless it is empty.
    fn placed(&self, pose: &WidePose) -> Self;

    /// A volume around this one placed by `pose`.
    #[inline]
    fn transformed(&self, pose: &Pose) -> Self {
        self.placed(&pose.wide())
    }

    /// An axis-aligned box around this volume.
    fn to_aabb(&self) -> Aabb;

    /// Centre of the volume, to within rounding; finite.
    fn center(&self) -> Vec3;

    /// Surface area, in units of length squared, to within rounding; infinite beyond `f32`.
    fn surface_area(&self) -> f32;

    /// Volume, in units of length cubed, to within rounding; infinite beyond `f32`.
    fn volume(&self) -> f32;

    /// A number that orders volumes by how much there is to gain by opening them (the surface order
    /// of 25.2.2): of two nodes the one with the larger key is descended. It needs no unit.
    fn size_key(&self) -> f32;
}

/// Why a volume was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BoundsError {
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
    },
    /// On an axis the minimum lies above the maximum.
    Inverted {
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
    },
    /// A radius or half extent is negative or no number.
    Negative,
    /// A quaternion's length is too far from 1.
    NotRotation,
    /// A plane has a coordinate that is NaN or infinite.
    Plane {
        /// Its place among the planes.
        plane: usize,
    },
    /// A matrix has an entry that is NaN or infinite.
    Matrix {
        /// The entry's column.
        column: usize,
    },
}

impl core::fmt::Display for BoundsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = |axis: &usize| ["x", "y", "z"][axis % 3];
        match self {
            BoundsError::NotFinite { axis } => write!(f, "the {} coordinate is NaN or infinite", name(axis)),
            BoundsError::Inverted { axis } => {
                write!(f, "the box is inverted: min > max along {}", name(axis))
            }
            BoundsError::Negative => write!(f, "a radius or half extent is negative or no number"),
            BoundsError::NotRotation => write!(f, "the rotation's length is too far from 1"),
            BoundsError::Plane { plane } => write!(f, "plane {plane} has a number that is NaN or infinite"),
            BoundsError::Matrix { column } => {
                write!(f, "column {column} of the matrix has a number that is NaN or infinite")
            }
        }
    }
}

impl core::error::Error for BoundsError {}
