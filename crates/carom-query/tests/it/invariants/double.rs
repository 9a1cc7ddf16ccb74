//! Its `f64` twin.

mod num {
    pub(super) use carom_geom::f64 as geom;
    pub(super) use carom_math::f64::{Pose, Quat, Real, Vec3};
    pub(super) use carom_query::f64 as query;

    pub(super) fn real(x: f64) -> f64 {
        x
    }

    pub(super) fn wide(x: f64) -> f64 {
        x
    }
}

#[path = "pairs.rs"]
pub(super) mod pairs;
