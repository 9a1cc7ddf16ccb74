//! The name table of the `f64` build: the types of a `ShapeWorld`.

pub(crate) use carom_math::f64::Pose;
pub(crate) use carom_query::f64::{Cluster, CompoundPart, MeshShape, Shape, ShapeKind, placement};
pub(crate) use glam::DVec3 as Vec3;

/// Returns a computed vector as it is.
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v
}
