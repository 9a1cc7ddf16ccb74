//! A translation of points, as the frame of the world moves: see `edit/origin.rs`.
//!
//! Reference: PhysX 5, `PxScene::shiftOrigin`.

use carom_math::Vec3;
use carom_math::glam::DVec3;

/// A translation of all points of a world. Sums are computed in `f64` and rounded once.
#[derive(Clone, Copy)]
pub(crate) struct Shift(pub(crate) DVec3);

impl Shift {
    pub(crate) fn apply(self, point: &mut Vec3) {
        *point = (point.as_dvec3() + self.0).as_vec3();
    }
}
