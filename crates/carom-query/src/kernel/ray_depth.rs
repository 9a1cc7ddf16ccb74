//! Depth of meshes by rays, in the stored precision.

use super::super::num::geom::{Contact, TriMesh};
use super::super::num::{Pose, Vec3, narrow, narrow_real};
use crate::ray_depth::{self, RayDepthCache, RayDepthSettings};
use alloc::vec::Vec;

/// A mesh with vertex normals and adjacency, for casting rays from its vertices. Build it once for
/// each mesh.
pub type RayMesh = ray_depth::RayMesh<TriMesh>;

impl RayMesh {
    /// Returns the outward unit normal of a vertex, or zero, in the mesh's frame.
    pub fn vertex_normal(&self, vertex: u32) -> Option<Vec3> {
        self.wide_vertex_normal(vertex).map(narrow)
    }
}

/// A vertex of one body inside the other, and the exit point of its ray.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayContact {
    /// World frame. The distance is minus that from the vertex to the exit point; the normal
    /// points from A to B. The part number of the vertex's body is one of the vertex's triangles,
    /// that of the other body the triangle of the exit.
    pub contact: Contact,
    /// Whether the vertex belongs to A; else to B.
    pub is_vertex_of_a: bool,
    /// The index of the vertex.
    pub vertex: u32,
}

impl RayContact {
    /// Returns the translation of B, and the negative one of A, that frees this vertex. A penalty
    /// force is a stiffness times this. World frame, a length.
    pub fn penalty(&self) -> Vec3 {
        self.contact.normal * -self.contact.distance
    }
}

/// Appends a contact for every vertex of one mesh inside the other whose inward ray leaves the
/// other mesh before its own. The list has A's vertices by index, then B's. World frame.
///
/// The depths are local, and meant for small overlaps, such as penalty forces on all vertices. For
/// the least translation of convex bodies see [`contact`](super::contact).
///
/// Once the cache has grown, this allocates only to grow `out`.
pub fn ray_depth(
    a: &RayMesh,
    pose_a: &Pose,
    b: &RayMesh,
    pose_b: &Pose,
    settings: &RayDepthSettings,
    cache: &mut RayDepthCache,
    out: &mut Vec<RayContact>,
) {
    let first = out.len();
    ray_depth::ray_depth(a, &pose_a.wide(), b, &pose_b.wide(), settings, cache, |exit| {
        let (point_a, point_b) = (narrow(exit.point_a), narrow(exit.point_b));
        let contact = Contact::new(point_a, point_b, narrow(exit.normal), narrow_real(exit.distance));
        let contact = contact.with_parts(exit.part_a, exit.part_b);
        out.push(RayContact { contact, is_vertex_of_a: exit.is_vertex_of_a, vertex: exit.vertex });
    });
    out[first..].sort_unstable_by_key(|contact| (!contact.is_vertex_of_a, contact.vertex));
}
