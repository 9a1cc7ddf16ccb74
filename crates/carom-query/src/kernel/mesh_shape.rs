//! Triangle meshes as shapes, in the stored precision.

use super::super::num::geom::{MassProperties, MeshError, TriMesh};
use super::super::num::{Pose, Real, Vec3};
use crate::mesh_shape::Sides;
use carom_bounds::Aabb;

/// A surface of triangles, ready for queries. Queries of two shapes use only the surface. Queries
/// about points and about solids also use the inside.
pub type MeshShape = crate::mesh_shape::MeshShape<TriMesh>;

impl MeshShape {
    /// Sets new positions of all vertices, for a mesh that deforms. Errors are those of
    /// `TriMesh::set_vertices`; on an error nothing changes.
    ///
    /// The trees are refitted, not rebuilt, so their structure stays that of the first positions.
    /// Answers equal those of a rebuilt mesh, except for rounding and the choice among equally good
    /// results (test: `mesh_moves::a_moved_mesh_answers_as_one_built_anew`). Data for the inside
    /// and for contacts with meshes is recomputed when a query next needs it.
    pub fn set_vertices(&mut self, vertices: &[Vec3]) -> Result<(), MeshError> {
        self.move_vertices(|mesh| mesh.set_vertices(vertices))
    }

    /// Returns mass, centre and inertia of the inside. `density` is mass per volume, finite and not
    /// negative. Triangles that face inwards count as turned over, as for all questions about the
    /// inside.
    ///
    /// The result is only valid if the inside is known: [`MeshShape::ambiguity`].
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        match self.sides() {
            Sides::Known(is_turned) if !is_turned.is_empty() => {
                let turned = |(corners, is_turned): ([_; 3], &bool)| {
                    let [a, b, c] = corners;
                    if *is_turned { [a, c, b] } else { [a, b, c] }
                };
                let triangles: alloc::vec::Vec<_> =
                    self.mesh().iter_corners().zip(is_turned).map(turned).collect();
                MassProperties::of_closed_surface(triangles, density)
            }
            _ => self.mesh().mass_properties(density),
        }
    }

    /// Returns a box around the mesh's local box placed by `pose`.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.placed_box(&pose.wide())
    }
}
