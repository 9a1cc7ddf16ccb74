//! carom's `f64` twin.

mod num {
    pub(super) use carom_geom::f64 as geom;
    pub(super) use carom_math::f64 as math;
    pub(super) use carom_query::f64 as query;
    pub(super) use carom_sat::f64 as sat;

    pub(super) fn real(x: f64) -> f64 {
        x
    }

    pub(super) fn wide(x: f64) -> f64 {
        x
    }
}

#[path = "queries.rs"]
pub(super) mod queries;
