//! The line of a ray in the frame of a shape.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.6.

use super::super::num::{Ray, Real, narrow, widen, widen_real};
use carom_math::{WidePose, scaling};
use glam::DVec3;

/// The line of a ray in the frame of a shape, the same for all triangles of a mesh.
pub(super) struct Line {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
    /// A power of two: t of the ray over t of the line. It differs from 1 if the direction would
    /// overflow or underflow when it is rotated or stored.
    pub(super) pace: f64,
}

impl Line {
    /// Transforms a ray. Each coordinate takes two products and two sums after the difference of
    /// two positions. `None` if a result is not a number.
    #[inline]
    pub(super) fn new(pose: &WidePose, ray: &Ray, is_wide: bool) -> Option<Line> {
        let direction = widen(ray.direction);
        let origin = pose.inverse_transform_point(widen(ray.origin));
        let mut line = Line { origin, direction: pose.inverse_transform_vector(direction), pace: 1.0 };
        let is_kept = is_wide || direction == DVec3::ZERO || {
            let stored = widen(line.rounded().direction).abs().max_element();
            // Shorter directions are subnormal, or have subnormal components.
            widen_real(Real::MIN_POSITIVE / Real::EPSILON) <= stored && stored.is_finite()
        };
        if !(line.direction.is_finite() && is_kept) {
            line.pace = scaling::scale_of(direction.abs().max_element());
            line.direction = pose.inverse_transform_vector(direction * line.pace);
        }
        (line.origin.is_finite() && line.direction.is_finite()).then_some(line)
    }

    /// Whether t of the ray equals t of the line.
    pub(super) fn is_plain(&self) -> bool {
        self.pace == 1.0
    }

    /// Returns the line rounded for convex shapes.
    pub(super) fn rounded(&self) -> Ray {
        Ray::new(narrow(self.origin), narrow(self.direction))
    }
}
