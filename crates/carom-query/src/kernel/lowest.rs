//! The least coordinate of a shape along a direction.

use super::shape::{Shape, ShapeKind};
use crate::lowest::{lowest_of_convex, lowest_of_mesh};
use crate::{cluster_search, field_pair};
use carom_math::WidePose;
use glam::DVec3;

/// Returns the least coordinate of a shape along a unit direction; negative infinity for a
/// half-space.
pub(super) fn lowest(shape: &Shape, pose: &WidePose, direction: DVec3) -> f64 {
    match shape.kind() {
        ShapeKind::Convex(map) => lowest_of_convex(map, pose, direction),
        ShapeKind::HalfSpace(_) => f64::NEG_INFINITY,
        ShapeKind::Mesh(mesh) => lowest_of_mesh(mesh, pose, direction),
        ShapeKind::Field(field) => field_pair::lowest(field, pose, direction),
        ShapeKind::Cluster(parts) => {
            let along = pose.inverse_transform_vector(-direction);
            direction.dot(pose.translation) - cluster_search::farthest(parts, along)
        }
        ShapeKind::Compound(compound) => {
            let parts = compound.placed_parts();
            let in_part = |(part, part_pose): (&Shape, &WidePose)| {
                // The same direction, in the compound's frame.
                let along = pose.inverse_transform_vector(direction);
                lowest(part, part_pose, along) + direction.dot(pose.translation)
            };
            parts.map(in_part).fold(f64::INFINITY, f64::min)
        }
    }
}
