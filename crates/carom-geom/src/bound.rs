//! Boxes around placed shapes.
//!
//! Idea: the extent of a convex shape along a world axis is its support along that axis turned into its own frame.
//! All in `f64`, widened by what the `f64` operations can lose, then rounded outwards.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 4.2.2 (boxes from extreme points along the axes).

use crate::SupportMap;
use carom_bounds::Aabb;
use carom_math::WidePose;
use glam::DVec3;

/// The box around a placed shape, from its support map; never too small.
pub fn aabb_from_support<S: SupportMap + ?Sized>(shape: &S, pose: &WidePose) -> Aabb {
    let (mut min, mut max) = (DVec3::ZERO, DVec3::ZERO);
    for axis in 0..3 {
        // Row of the matrix: the world axis in the shape's frame.
        let direction = pose.rotation.row(axis);
        let extreme = |direction: DVec3| {
            let near = shape.support(direction);
            shape.support_exact(direction, near).point.dot(direction)
        };
        max[axis] = extreme(direction);
        min[axis] = -extreme(-direction);
    }
    let reach = shape.center().abs().max_element() + shape.radius() + shape.margin();
    around_local(min - shape.margin(), max + shape.margin(), reach, pose)
}

/// The box of a shape whose extent along the turned axes is `[min, max]` about its origin and which reaches no
/// farther than `reach` from there.
pub(crate) fn around_local(min: DVec3, max: DVec3, reach: f64, pose: &WidePose) -> Aabb {
    // The matrix is within 4 units of rounding of orthonormal, a product with a point adds three, the sums two.
    let slack = (reach + pose.translation.abs().max_element()) * (16.0 * f64::EPSILON);
    Aabb::around(pose.translation + min - slack, pose.translation + max + slack)
}
