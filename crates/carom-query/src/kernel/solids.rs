//! Relation of two solids bounded by meshes, in the stored precision.

use super::super::num::Pose;
use super::mesh_shape::MeshShape;
use crate::solids::{self, placed, relation};

pub use crate::solids::SolidRelation;

/// Returns the relation of two solids. `None` if one of the meshes does not define an inside, see
/// [`MeshShape::ambiguity`].
///
/// Exact for meshes without self-intersections, at identity poses. At other poses the corners are
/// transformed to the world first, each coordinate rounded. The answer is then that for the rounded
/// corners; this builds new trees.
pub fn solid_relation(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<SolidRelation> {
    let (a, b) = (placed(a, &pose_a.wide())?, placed(b, &pose_b.wide())?);
    Some(relation(&a, &b))
}

/// Whether a connected component of `inner` lies in the solid that `outer` bounds, for two meshes
/// whose surfaces do not meet.
///
/// `None` if that is not known: `outer` does not define an inside, see [`MeshShape::ambiguity`],
/// and a component of `inner` lies within its box. `inner` may be any mesh.
pub fn holds_component(
    outer: &MeshShape,
    pose_outer: &Pose,
    inner: &MeshShape,
    pose_inner: &Pose,
) -> Option<bool> {
    solids::holds_component(outer, &pose_outer.wide(), inner, &pose_inner.wide())
}
