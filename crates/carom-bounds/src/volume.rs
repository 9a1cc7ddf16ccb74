//! The common interface of all bounding volumes, so that trees are written once.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.2.

use crate::Aabb;
use carom_math::{Pose, WidePose};
use glam::{DVec3, Vec3};

/// A convex container: if two volumes are apart, so are their contents.
///
/// All results are conservative. `overlaps` may be true for volumes that are apart by a rounding
/// error, but is true for all volumes that touch. `distance_lower_bound` is at most the true
/// distance. A volume contains all its input points in exact arithmetic.
///
/// A volume that `f32` cannot hold becomes infinite, up to `EVERYTHING`; it is neither empty nor
/// NaN.
pub trait BoundingVolume: Copy + core::fmt::Debug + PartialEq + Send + Sync {
    /// The empty volume. It overlaps nothing, and is neutral in merges.
    const EMPTY: Self;

    /// The volume of all points. It overlaps each volume, and may be reported to overlap the empty
    /// one.
    const EVERYTHING: Self;

    /// Returns a volume around a box.
    fn from_aabb(aabb: &Aabb) -> Self;

    /// Returns a tight volume around points in `f32` or `f64`; `EMPTY` for none. A point that is
    /// not finite gives `EVERYTHING`.
    fn from_points<P: Copy + Into<DVec3>>(points: &[P]) -> Self;

    /// Returns a volume around both.
    fn merged(&self, other: &Self) -> Self;

    /// Returns a volume around moved points with the orientation of this one. It costs less than
    /// [`BoundingVolume::from_points`], because the orientation is kept. It is less tight if the
    /// points have rotated. A point that is not finite gives `EVERYTHING`.
    fn refitted<P: Copy + Into<DVec3>>(&self, points: &[P]) -> Self {
        Self::from_points(points)
    }

    /// Returns a volume around all of these with the orientation of this one; `EMPTY` for none.
    fn refitted_around(&self, volumes: &[Self]) -> Self {
        volumes.iter().fold(Self::EMPTY, |all, volume| all.merged(volume))
    }

    /// Returns a volume around all points within `margin` of this one. A margin of 0 or less, or
    /// NaN, adds nothing.
    fn inflated(&self, margin: f32) -> Self;

    /// Whether the two may touch; touching counts.
    fn overlaps(&self, other: &Self) -> bool;

    /// Returns a lower bound of the distance of the two; 0 if they overlap.
    fn distance_lower_bound(&self, other: &Self) -> f32;

    /// Returns a volume around this one transformed by an `f64` pose. A pose that is not finite
    /// gives `EVERYTHING`, unless this one is empty.
    fn placed(&self, pose: &WidePose) -> Self;

    /// Returns a volume around this one transformed by `pose`.
    #[inline]
    fn transformed(&self, pose: &Pose) -> Self {
        self.placed(&pose.wide())
    }

    /// Returns an axis-aligned box around this volume.
    fn to_aabb(&self) -> Aabb;

    /// Returns the centre of the volume, up to rounding; finite.
    fn center(&self) -> Vec3;

    /// Returns the surface area, in units of length squared, to within rounding; infinite beyond
    /// `f32`.
    fn surface_area(&self) -> f32;

    /// Returns the volume, in units of length cubed, to within rounding; infinite beyond `f32`.
    fn volume(&self) -> f32;

    /// Returns a key for the surface order of Real-Time Rendering, 25.2.2: a walk of two trees
    /// opens the node with the larger key. It has no unit.
    fn size_key(&self) -> f32;
}

/// The reason for which a volume was rejected.
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
        /// Its index among the planes.
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
