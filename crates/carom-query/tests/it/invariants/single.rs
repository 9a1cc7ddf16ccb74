//! The crate as it is: `f32`.

mod num {
    pub(super) use carom_geom as geom;
    pub(super) use carom_math::{Pose, Quat, Real, Vec3};
    pub(super) use carom_query as query;

    pub(super) fn real(x: f64) -> f32 {
        x as f32
    }

    pub(super) fn wide(x: f32) -> f64 {
        f64::from(x)
    }
}

#[path = "pairs.rs"]
pub(super) mod pairs;
