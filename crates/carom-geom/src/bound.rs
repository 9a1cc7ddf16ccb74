//! Boxes around placed shapes.
//!
//! The extent of a convex shape along a world axis is its support along that axis, rotated into
//! its own frame. Extents are computed in `f64`, widened by the rounding of `f64`, then rounded
//! outwards.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.2.2 (boxes from extreme points
//! along the axes).

use crate::SupportMap;
use carom_bounds::Aabb;
use carom_math::WidePose;
use glam::DVec3;

/// Returns the box around a placed shape, from its support map, in the parent frame of the pose.
/// It is rounded outwards, so it contains the shape (test:
/// `support::boxes_contain_the_placed_shapes`).
pub fn aabb_from_support<S: SupportMap + ?Sized>(shape: &S, pose: &WidePose) -> Aabb {
    let margin = shape.margin();
    let reach = shape.center().abs().max_element() + shape.radius() + margin;
    around_extremes(pose, margin, reach, |direction| {
        let near = shape.support(direction);
        shape.support_exact(direction, near).point
    })
}

/// Returns the box of a placed shape from its farthest points along directions of its own frame.
/// The box is `margin` larger. The shape with its margin lies within `reach` of its origin.
pub(crate) fn around_extremes(
    pose: &WidePose,
    margin: f64,
    reach: f64,
    farthest: impl Fn(DVec3) -> DVec3,
) -> Aabb {
    let (mut min, mut max) = (DVec3::ZERO, DVec3::ZERO);
    for axis in 0..3 {
        // Row of the matrix: the world axis in the shape's frame.
        let direction = pose.rotation.row(axis);
        max[axis] = farthest(direction).dot(direction);
        min[axis] = farthest(-direction).dot(direction);
    }
    around_local(min - margin, max + margin, reach, pose)
}

/// Returns the box of a shape with the extent `[min, max]` along the turned axes. The shape lies
/// within `reach` of its origin.
pub(crate) fn around_local(min: DVec3, max: DVec3, reach: f64, pose: &WidePose) -> Aabb {
    // Rounding: the matrix is orthonormal to 4 units. A product with a point adds three, the sums
    // two.
    let slack = (reach + pose.translation.abs().max_element()) * (16.0 * f64::EPSILON);
    Aabb::around(pose.translation + min - slack, pose.translation + max + slack)
}
