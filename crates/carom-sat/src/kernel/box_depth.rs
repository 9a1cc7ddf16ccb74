//! The depth of two overlapping boxes, for half extents in the stored precision.

use super::super::num::{Vec3, widen};
use crate::{Tally, box_deepest};
use carom_math::WidePose;

pub use crate::box_deepest::BoxDepth;

/// Returns the depth of two boxes and their deepest points.
///
/// Half extents are not negative. `b_in_a` is B's pose in A's frame. `None` if they are apart,
/// touch within rounding, or have no clear deepest point. The general search then decides.
pub fn depth(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<BoxDepth> {
    depth_counted(half_a, half_b, b_in_a, ())
}

/// As [`depth`], and counts its work in `tally`.
#[inline]
pub fn depth_counted(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose, tally: impl Tally) -> Option<BoxDepth> {
    box_deepest::depth(widen(half_a), widen(half_b), b_in_a, tally)
}

/// Whether two boxes share a point. `None` if they touch within rounding. The general search then
/// decides.
pub fn intersects(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose) -> Option<bool> {
    intersects_counted(half_a, half_b, b_in_a, ())
}

/// As [`intersects`], and counts its work in `tally`.
#[inline]
pub fn intersects_counted(half_a: Vec3, half_b: Vec3, b_in_a: &WidePose, tally: impl Tally) -> Option<bool> {
    box_deepest::intersects(widen(half_a), widen(half_b), b_in_a, tally)
}
