//! Triangle meshes as shapes, in the stored precision.

use super::super::num::geom::{MeshError, TriMesh};
use super::super::num::{Pose, Vec3};
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

    /// Returns a box around the mesh's local box placed by `pose`.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.placed_box(&pose.wide())
    }
}
