//! Intersection tests of any two bodies, touching included.
//!
//! One function, [`overlaps`], covers every cell; *exact* means exact for the given numbers.
//!
//! | | point, segment, triangle, polygon | sphere, capsule | `Aabb`, `Cuboid`, tetrahedron, frustum | plane |
//! |---|---|---|---|---|
//! | point | exact | exact | exact | [`plane::side_of_points`] |
//! | segment, triangle, polygon | exact | exact | exact | [`plane::side_of`], [`plane::side_of_points`] |
//! | sphere, capsule | exact | exact | exact | [`plane::side_of`] |
//! | box along the axes | exact | exact | exact | [`plane::side_of_aabb`] |
//! | box at an angle, tetrahedron, frustum | exact | exact | exact | [`plane::side_of`] |
//! | cylinder, cone, ellipsoid, hull | for a point: `project_point` of the shape | | | [`plane::side_of`] |
//!
//! Ray hits are in [`ray`](super::ray), distances in [`closest`](super::closest). Two triangles as
//! plain corners are in [`tri_tri`](crate::tri_tri), segments and triangles in
//! [`segment_triangle`](crate::segment_triangle). Conservative tests of boxes as bounds are in
//! `carom_bounds`. Pairs of round solids (cylinder, cone, ellipsoid) and hulls are left to
//! carom-gjk and carom-sat.
//!
//! **Exactness under a pose.** The pose is normalised in `f64` and then taken as given. Positions
//! of moved corners are rounded once, to about 2^-52 of their coordinates. The result is exact for
//! the rounded positions; a box keeps the axes of the pose unrounded. With [`Pose::IDENTITY`]
//! nothing is rounded.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.2; T. Akenine-Moller, Fast 3D
//! Triangle-Box Overlap Testing, Journal of Graphics Tools 6(1), 2001 (the 13 axes of a triangle
//! and a box).
//!
//! [`plane::side_of`]: super::plane::side_of
//! [`plane::side_of_aabb`]: super::plane::side_of_aabb
//! [`plane::side_of_points`]: super::plane::side_of_points

use super::super::num::Pose;
use super::body::{Body, pose_of};
use crate::within;

/// Whether the two bodies have a common point; touching counts. `b_in_a` is the pose of the second
/// body in the frame of the first. Use [`Pose::IDENTITY`] if both are in one frame,
/// `pose_b.relative_to(&pose_a)` if each has its own pose.
///
/// A body without extent (zero radius, equal ends, no area) is a point, segment or polygon. The
/// empty box meets nothing. The result is exact, see the head of the module. For numbers that are
/// not finite it is unspecified.
pub fn overlaps<A: Body, B: Body>(a: &A, b: &B, b_in_a: &Pose) -> bool {
    let pose = pose_of(b_in_a);
    a.figures(None).any(|a| b.figures(pose.as_ref()).any(|b| within::overlaps(&a, &b)))
}
