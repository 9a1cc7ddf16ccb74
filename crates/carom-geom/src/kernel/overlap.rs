//! Do they meet? Yes or no for any two bodies, touching included.
//!
//! One function, [`overlaps`], answers every cell; *exact* says that the answer is the one for the
//! given numbers.
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
//! Where a ray meets something is in [`ray`](super::ray), how far apart two things are in
//! [`closest`](super::closest). Two triangles as plain corners are in [`tri_tri`](crate::tri_tri),
//! segments and triangles in [`segment_triangle`](crate::segment_triangle); two boxes as bounds, on
//! the safe side, in `carom_bounds`. Round solids (cylinder, cone, ellipsoid) and hulls against
//! each other are left to the iterative crates.
//!
//! **What exact means under a pose.** The pose is normalised in `f64` and then taken as given. The
//! places of corners that it moves are rounded once, to some 2^-52 of their coordinates, and the
//! answer is that for the rounded places; a box keeps the axes of the pose unrounded. With
//! [`Pose::IDENTITY`] nothing is rounded.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.2; T. Akenine-Moller, Fast 3D
//! Triangle-Box Overlap Testing, Journal of Graphics Tools 6(1), 2001 (the 13 axes of a triangle
//! and a box).
//!
//! [`plane::side_of`]: super::plane::side_of [`plane::side_of_aabb`]: super::plane::side_of_aabb
//! [`plane::side_of_points`]: super::plane::side_of_points

use super::super::num::Pose;
use super::body::{Body, pose_of};
use crate::within;

/// The two bodies have a point in common; touching counts. `b_in_a` places the second in the frame
/// of the first: [`Pose::IDENTITY`] when both are given in one frame, `pose_b.relative_to(&pose_a)`
/// when each has a pose of its own.
///
/// A body without extent (zero radius, equal ends, no area) is the point, segment or polygon that
/// it is. The empty box meets nothing. Exact, see the head of the module; numbers that are not
/// finite give some answer.
pub fn overlaps<A: Body, B: Body>(a: &A, b: &B, b_in_a: &Pose) -> bool {
    let pose = pose_of(b_in_a);
    a.figures(None).any(|a| b.figures(pose.as_ref()).any(|b| within::overlaps(&a, &b)))
}
