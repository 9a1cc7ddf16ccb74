//! The least coordinate of a convex shape or a mesh along a direction.

use crate::mesh_shape::MeshShape;
use carom_geom::{SupportMap, WideMesh};
use carom_math::WidePose;
use glam::DVec3;

/// Returns the least coordinate of a convex shape along a unit direction.
pub(crate) fn lowest_of_convex(shape: &dyn SupportMap, pose: &WidePose, direction: DVec3) -> f64 {
    direction.dot(pose.translation) - reach_along(shape, pose.inverse_transform_vector(-direction))
}

/// Returns the least coordinate of a mesh along a unit direction.
pub(crate) fn lowest_of_mesh(mesh: &MeshShape<impl WideMesh>, pose: &WidePose, direction: DVec3) -> f64 {
    let along = pose.inverse_transform_vector(direction);
    let heights = mesh.mesh().iter_corners().flatten().map(|corner| along.dot(corner));
    direction.dot(pose.translation) + heights.fold(f64::INFINITY, f64::min)
}

/// Returns the extent of a shape along a unit direction of its frame, from its origin.
pub(crate) fn reach_along(shape: &dyn SupportMap, direction: DVec3) -> f64 {
    let farthest = shape.support_exact(direction, shape.support(direction)).point;
    direction.dot(farthest) + shape.margin()
}
