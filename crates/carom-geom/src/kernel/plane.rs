//! The side of a plane on which a body lies, and the lowest and highest point of the body over the
//! plane.
//!
//! | a plane and | on which side | lowest and highest point |
//! |---|---|---|
//! | points, segment, triangle, polygon | [`side_of_points`] | [`heights_of_points`] |
//! | box along the axes | [`side_of_aabb`] | [`heights_of_points`] of its corners |
//! | segment, triangle, tetrahedron, sphere, capsule, tapered capsule, cuboid, frustum, hull | [`side_of`] | [`heights_of`] |
//! | cylinder, cone, ellipsoid, rounded shapes, any support map | [`side_of`] | [`heights_of`] |
//! | ray | [`ray::plane`](super::ray::plane) | |
//!
//! The plane is taken as given: all x with n.x + d = 0. Its normal has any length but zero. Sides
//! are exact for points, axis-aligned boxes, and shapes whose core has vertices, under the pose as
//! normalised in `f64`. The cores of cylinder, cone and ellipsoid are curved. Such a core counts
//! as touching within about 4e-15 of its size and distance.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.10; C. Ericson, Real-Time
//! Collision Detection, 2005, 5.2.2 to 5.2.4.

use super::super::num::{Plane, Pose, Real, Vec3, narrow, real, wide, widen};
use crate::SupportMap;
use crate::plane_side::{self, PlaneSide};
use carom_bounds::Aabb;
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// The extent of a body over a plane: signed distances in units of length, positive in front.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlaneHeights {
    /// Height of the lowest point.
    pub low: Real,
    /// Height of the highest point.
    pub high: Real,
    /// A lowest point.
    pub low_point: Vec3,
    /// A highest point.
    pub high_point: Vec3,
}

/// Returns the side of the plane on which the placed shape lies, its margin included.
pub fn side_of<S: SupportMap + ?Sized>(plane: &Plane, shape: &S, pose: &Pose) -> PlaneSide {
    plane_side::side(widen(plane.normal), wide(plane.d), shape, &pose.wide())
}

/// Returns the lowest and the highest point of the placed shape, its margin included. The error of
/// the heights is about 4e-15 of its size and distance.
pub fn heights_of<S: SupportMap + ?Sized>(plane: &Plane, shape: &S, pose: &Pose) -> PlaneHeights {
    let (normal, d) = plane_side::balanced_plane(widen(plane.normal), wide(plane.d));
    let extent = plane_side::extent(normal, d, shape, &pose.wide());
    let length = sqrt(normal.length_squared());
    let [low, high] = extent.heights.map(|h| real(h / length));
    let [low_point, high_point] = extent.points.map(narrow);
    PlaneHeights { low, high, low_point, high_point }
}

/// Returns the side of the plane on which all the points lie. Without points it is
/// [`PlaneSide::Across`].
pub fn side_of_points(plane: &Plane, points: &[Vec3]) -> PlaneSide {
    let (normal, d) = (widen(plane.normal), wide(plane.d));
    let sides = points.iter().map(|p| carom_math::predicates::plane_side(normal, d, widen(*p)));
    let (low, high) = sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    if points.is_empty() { PlaneSide::Across } else { PlaneSide::of_range(low, high) }
}

/// Returns the lowest and the highest of the points; `None` without points.
pub fn heights_of_points(plane: &Plane, points: &[Vec3]) -> Option<PlaneHeights> {
    let (normal, d) = plane_side::balanced_plane(widen(plane.normal), wide(plane.d));
    let height = |p: &Vec3| {
        let p = widen(*p);
        // Computed with twice the digits, because plane and point may be far from the origin. The
        // unit is the larger of the two.
        let scale = scale_of(p.abs().max_element().max(d.abs()));
        let (n, p) = (DoubleDoubleVec3::from(normal), DoubleDoubleVec3::from(p * scale));
        (n.dot(p) + DoubleDouble::from(d * scale)).to_f64() / scale
    };
    let (first, rest) = points.split_first()?;
    let (mut low, mut high) = ((height(first), *first), (height(first), *first));
    for p in rest {
        let h = height(p);
        if h < low.0 {
            low = (h, *p);
        }
        if high.0 < h {
            high = (h, *p);
        }
    }
    let length = sqrt(normal.length_squared());
    Some(PlaneHeights {
        low: real(low.0 / length),
        high: real(high.0 / length),
        low_point: low.1,
        high_point: high.1,
    })
}

/// Returns the side of the plane on which the box lies, exactly. It is [`PlaneSide::Across`] for
/// the empty box.
pub fn side_of_aabb(plane: &Plane, aabb: &Aabb) -> PlaneSide {
    let (normal, d) = (widen(plane.normal), wide(plane.d));
    let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    if !min.cmple(max).all() {
        return PlaneSide::Across;
    }
    let is_down = normal.cmplt(DVec3::ZERO);
    let (lowest, highest) = (DVec3::select(is_down, max, min), DVec3::select(is_down, min, max));
    let side = |p| carom_math::predicates::plane_side(normal, d, p);
    PlaneSide::of_range(side(lowest), side(highest))
}
