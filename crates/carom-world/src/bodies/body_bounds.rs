//! Computes the boxes of bodies: around the shape or, for a fast or swift body, around its whole
//! path.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (swept boxes of
//! bullets).

use crate::bodies::girth::Girth;
use crate::bodies::traits::Traits;

use carom_bounds::Aabb;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::Body;

/// The input for the boxes of bodies, besides the shapes.
#[derive(Clone, Copy)]
pub(crate) struct BodyBounds<'a> {
    pub(crate) bodies: &'a [Body],
    pub(crate) traits: &'a [Traits],
    pub(crate) girths: &'a [Girth],
    /// The prediction, a length.
    pub(crate) prediction: f32,
    /// Length of the step.
    pub(crate) dt: f32,
}

impl BodyBounds<'_> {
    /// Returns the box of a body: around its shape or, if it is fast or swift, around its path in a
    /// step. Half the prediction is added on each side.
    pub(crate) fn box_of(&self, index: usize, shape: &Shape) -> Aabb {
        let body = &self.bodies[index];
        if !self.traits[index].is_fast && !self.is_swift(index) {
            return boxed(shape, &body.pose, 0.5 * self.prediction);
        }
        let (displacement, angle) =
            (body.linear_velocity * self.dt, body.angular_velocity.length() * self.dt);
        clamped(&self.path_box(index, shape, &body.pose, displacement, angle).inflated(0.5 * self.prediction))
    }

    /// Whether the body will travel far for its thickness in a step.
    pub(crate) fn is_swift(&self, index: usize) -> bool {
        self.girths[index].is_swift(&self.bodies[index], self.prediction, self.dt)
    }

    /// Returns a box around a path: from a pose, by a displacement of the centre of mass and an
    /// angle.
    pub(crate) fn path_box(
        &self,
        index: usize,
        shape: &Shape,
        pose: &Pose,
        displacement: Vec3,
        angle: f32,
    ) -> Aabb {
        let center = self.bodies[index].center_of_mass;
        let around = Pose::new(pose.rotation, pose.transform_point(center));
        shape.aabb(&Pose::from_translation(-center)).over_motion(&around, displacement, angle)
    }
}

/// Returns a box around the shape at a pose, with `margin` on each side, clamped to the finite
/// range. The box of a half-space reaches to the end of this range.
pub(crate) fn boxed(shape: &Shape, pose: &Pose, margin: f32) -> Aabb {
    clamped(&shape.aabb(pose).inflated(margin))
}

pub(crate) fn clamped(aabb: &Aabb) -> Aabb {
    // NaN, from numbers out of range, becomes the whole world.
    let low = |x: f32| if x.is_nan() { f32::MIN } else { x.clamp(f32::MIN, f32::MAX) };
    let high = |x: f32| if x.is_nan() { f32::MAX } else { x.clamp(f32::MIN, f32::MAX) };
    let (min, max) = (aabb.min, aabb.max);
    let min = Vec3::new(low(min.x), low(min.y), low(min.z));
    let max = Vec3::new(high(max.x), high(max.y), high(max.z));
    // A support map of a user may contradict itself.
    Aabb { min: min.min(max), max: max.max(min) }
}
