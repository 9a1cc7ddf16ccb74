//! The box around a shape, as a convex shape in its place.

use carom_bounds::Aabb;
use carom_geom::{SupportMap, SupportPoint};
use glam::DVec3;

/// Bound of the rounding of a length, relative to it.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A box around a shape, in its frame.
pub(crate) struct Around {
    center: DVec3,
    half: DVec3,
}

impl Around {
    /// Creates the box of a shape from its bounds. `None` for an unbounded shape.
    pub(crate) fn new(bounds: &Aabb) -> Option<Around> {
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let is_somewhere = min.is_finite() && max.is_finite();
        is_somewhere.then(|| Around { center: (min + max) * 0.5, half: (max - min) * 0.5 })
    }

    /// Returns the half extents.
    pub(crate) fn half(&self) -> DVec3 {
        self.half
    }
}

impl SupportMap for Around {
    fn support(&self, direction: DVec3) -> SupportPoint {
        let side = DVec3::ONE.copysign(direction);
        SupportPoint { point: self.center + self.half * side, vertex: 0 }
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn radius(&self) -> f64 {
        self.half.length() * (1.0 + ROUNDING)
    }
}
