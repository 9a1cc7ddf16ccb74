//! Closest points and distance of two bodies. The first is thin, or thin with a radius: a
//! [`ThinBody`].
//!
//! | | point | segment, triangle, polygon, sphere, capsule | `Aabb`, `Cuboid`, tetrahedron, frustum |
//! |---|---|---|---|
//! | point | [`closest_points`] | [`closest_points`] | [`closest_points`] |
//! | segment, triangle, polygon | [`closest_points`] | [`closest_points`] | [`closest_points`] |
//! | sphere, capsule | [`closest_points`] | [`closest_points`] | [`closest_points`] |
//! | line or ray | [`on_ray`] | | |
//! | plane | [`plane::heights_of_points`], [`Plane::project`](carom_math::Plane::project) | [`plane::heights_of`] | [`plane::heights_of`] |
//!
//! The method `project_point` of a shape returns the closest point of its surface, with a signed
//! distance, a feature and a side. It exists for [`Segment`], [`Triangle`], [`ConvexPolygon`],
//! [`Sphere`], [`Capsule`], [`TaperedCapsule`], [`Cuboid`], [`Cylinder`], [`Cone`], [`Ellipsoid`],
//! [`Frustum`], [`Tetrahedron`], [`Torus`], [`ConvexHull`], [`HalfSpace`].
//!
//! The depth of two overlapping bodies, and the distance of two solids with corners, are left to
//! carom-gjk and carom-sat. Whether bodies meet is in [`overlap`](super::overlap).
//!
//! Distances are right to about 4e-15 of the extent of the figure in `f64`, then rounded to the
//! returned type. They are zero exactly if [`overlaps`](super::overlap::overlaps) is true.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.
//!
//! [`plane::heights_of`]: super::plane::heights_of
//! [`plane::heights_of_points`]: super::plane::heights_of_points
//! [`Segment`]: super::Segment
//! [`Triangle`]: super::Triangle
//! [`ConvexPolygon`]: super::ConvexPolygon
//! [`Sphere`]: super::Sphere
//! [`Capsule`]: super::Capsule
//! [`TaperedCapsule`]: super::TaperedCapsule
//! [`Cuboid`]: super::Cuboid
//! [`Cylinder`]: super::Cylinder
//! [`Cone`]: super::Cone
//! [`Ellipsoid`]: super::Ellipsoid
//! [`Frustum`]: super::Frustum
//! [`Tetrahedron`]: super::Tetrahedron
//! [`ConvexHull`]: super::ConvexHull
//! [`Torus`]: super::Torus
//! [`HalfSpace`]: super::HalfSpace

use super::super::num::{Interval, Pose, Ray, Real, Vec3, narrow, real, wide, widen};
use super::body::{Body, ThinBody, pose_of};
use crate::nearest;
use carom_math::double_double::DoubleDoubleVec3;
use carom_math::scaling::scale_of;

/// The closest points of two bodies, in the frame of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ClosestPair {
    /// A length, not negative. Zero exactly if the bodies meet; infinite if a body is empty.
    pub distance: Real,
    /// On the first body; if the bodies meet, a common point.
    pub point_a: Vec3,
    /// On the second body; if the bodies meet, a common point.
    pub point_b: Vec3,
    /// Unit vector from the first to the second body; zero if they meet.
    pub normal: Vec3,
}

/// Returns the closest points of a thin body and another, in the frame of the first. If there are
/// several closest pairs, it is one of them. `b_in_a` is the pose of the second body in the frame
/// of the first. Use [`Pose::IDENTITY`] if both are in one frame.
///
/// A body without extent (zero radius, equal ends, no area) is a point, segment or polygon. The
/// empty box is infinitely far away.
pub fn closest_points<A: ThinBody, B: Body>(a: &A, b: &B, b_in_a: &Pose) -> ClosestPair {
    let pose = pose_of(b_in_a);
    let mut best = ClosestPair {
        distance: Real::INFINITY,
        point_a: Vec3::ZERO,
        point_b: Vec3::ZERO,
        normal: Vec3::ZERO,
    };
    let mut least = f64::INFINITY;
    for a in a.figures(None) {
        for b in b.figures(pose.as_ref()) {
            let (found, normal) = nearest::closest_points(&a, &b);
            if found.distance < least {
                least = found.distance;
                best = ClosestPair {
                    // Disjoint bodies keep a positive distance after rounding.
                    distance: if least == 0.0 { 0.0 } else { real(least).max(Real::MIN_POSITIVE) },
                    point_a: narrow(found.point_a),
                    point_b: narrow(found.point_b),
                    normal: narrow(normal),
                };
            }
        }
    }
    best
}

/// Returns the t, within the interval, at which a ray or a line is closest to a point.
///
/// For a zero direction, t is the number of the interval nearest to 0.
pub fn on_ray(point: Vec3, ray: &Ray, interval: Interval) -> Real {
    let d = widen(ray.direction);
    let scale = scale_of(d.abs().max_element());
    let d = DoubleDoubleVec3::from(d * scale);
    let to_point = DoubleDoubleVec3::difference(widen(point), widen(ray.origin));
    let length_sq = d.dot(d);
    let t = if 0.0 < length_sq.to_f64() { (to_point.dot(d) / length_sq).to_f64() * scale } else { 0.0 };
    real(t.max(wide(interval.min)).min(wide(interval.max)))
}
