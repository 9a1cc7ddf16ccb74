//! Points against meshes, in the stored precision: inside, outside or on the surface, and winding
//! numbers.

use super::super::num::{Pose, Vec3, widen};
use super::mesh_shape::MeshShape;
use crate::contains_point::{self, solid_placement_of};
use crate::cost::{Counting, QueryCost};
use carom_bvh::WindingNumber;
use carom_geom::ray_mesh::Placement;

/// Returns whether a point is inside, outside or on the surface of the solid that a mesh bounds.
/// `None` if the mesh does not define an inside, see [`MeshShape::ambiguity`]. Also `None` if the
/// mesh intersects itself and the point is inside a part that faces the other way.
///
/// The point is transformed to the mesh's frame in `f64`. From there on the answer is exact.
pub fn solid_placement(mesh: &MeshShape, pose: &Pose, point: Vec3) -> Option<Placement> {
    solid_placement_of(mesh, pose.wide().inverse_transform_point(widen(point)), ())
}

/// [`solid_placement`], with its cost added to `cost`.
pub fn solid_placement_counted(
    mesh: &MeshShape,
    pose: &Pose,
    point: Vec3,
    cost: &mut QueryCost,
) -> Option<Placement> {
    solid_placement_of(mesh, pose.wide().inverse_transform_point(widen(point)), Counting::new(cost))
}

/// Returns whether a point is inside, outside or on the surface of a mesh, open or closed, with its
/// present orientation. Inside means a winding number above one half.
///
/// The point is transformed to the mesh's frame in `f64`. From there on the answer is exact for a
/// mesh that bounds a solid. For other meshes only the test for the surface is exact.
pub fn placement(mesh: &MeshShape, pose: &Pose, point: Vec3) -> Placement {
    contains_point::placement(mesh, pose.wide().inverse_transform_point(widen(point)))
}

/// Returns the winding number of the surface around a point, to within the tolerance, a number such
/// as [`WINDING`](carom_math::tol::WINDING). With 0 it is the sum over all triangles.
///
/// For a mesh that bounds a solid it is an exact integer; on the surface it is that of one side.
/// For any other mesh it is the sum of the solid angles of the triangles over 4 pi. A triangle
/// counts negative if its front faces the point.
pub fn winding_number(mesh: &MeshShape, pose: &Pose, point: Vec3, tolerance: f64) -> WindingNumber {
    contains_point::winding_number(mesh, pose.wide().inverse_transform_point(widen(point)), tolerance)
}
