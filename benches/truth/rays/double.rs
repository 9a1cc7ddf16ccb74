//! The names of the `f64` build.

use carom_geom::f64 as geom;
use carom_math::f64 as math;
use carom_query::f64 as query;
use glam::{DQuat, DVec3, DVec3 as Vec3};

fn narrow(p: DVec3) -> DVec3 {
    p
}

fn narrow_turn(q: DQuat) -> DQuat {
    q
}

fn widen(p: DVec3) -> DVec3 {
    p
}

#[path = "chunk.rs"]
mod chunk;
pub(super) use chunk::{bodies, run};
