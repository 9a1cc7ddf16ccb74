//! The names of the `f32` build.

use carom_geom as geom;
use carom_math as math;
use carom_query as query;
use glam::{DQuat, DVec3, Quat, Vec3};

fn narrow(p: DVec3) -> Vec3 {
    p.as_vec3()
}

fn narrow_turn(q: DQuat) -> Quat {
    q.as_quat()
}

fn widen(p: Vec3) -> DVec3 {
    p.as_dvec3()
}

#[path = "chunk.rs"]
mod chunk;
pub(super) use chunk::{bodies, run};
