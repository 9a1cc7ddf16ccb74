//! The name table of the `f32` build: the types of a `carom_world::World`.

pub(crate) use carom_math::{Pose, Vec3};
pub(crate) use carom_query::{Cluster, CompoundPart, MeshShape, Shape, ShapeKind, placement};

/// Rounds a computed vector to the stored type.
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}
