//! A triangle mesh of either precision, read in `f64`.
//!
//! Algorithms over meshes decide in `f64`. With this trait they are written once for both types of
//! mesh, and widen each vertex when they read it.

use crate::{Orientation, SupportMap};
use alloc::vec::Vec;
use glam::DVec3;

/// A triangle mesh of either precision. Its methods answer as those of `TriMesh` with the same
/// names, and panic for numbers that it does not have.
pub trait WideMesh: Clone {
    /// One triangle as a convex shape.
    type Triangle: SupportMap;

    /// Builds a mesh from vertices that are rounded to its precision. `None` if a vertex is not
    /// finite or too far, or an index is out of range.
    fn from_wide(vertices: impl Iterator<Item = DVec3>, indices: Vec<[u32; 3]>) -> Option<Self>;

    /// Rounds a point to the precision of the vertices.
    fn rounded(point: DVec3) -> DVec3;

    /// Returns the number of vertices.
    fn n_vertices(&self) -> usize;

    /// Returns a vertex, widened exactly.
    fn position(&self, vertex: u32) -> DVec3;

    /// Returns the numbers of the vertices of each triangle.
    fn indices(&self) -> &[[u32; 3]];

    /// Returns one triangle as a convex shape.
    fn triangle(&self, triangle: u32) -> Self::Triangle;

    /// Returns the least and the greatest coordinates of the vertices that triangles use.
    fn wide_bounds(&self) -> (DVec3, DVec3);

    /// Returns the triangles to flip so that all face outwards, if the mesh is closed.
    fn orientation(&self) -> Orientation;

    /// Whether each edge is used equally often in both directions.
    fn is_solid(&self) -> bool;

    /// Returns the number of triangles.
    #[inline(always)]
    fn n_triangles(&self) -> usize {
        self.indices().len()
    }

    /// Returns the corners of a triangle.
    #[inline(always)]
    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.indices()[triangle as usize].map(|vertex| self.position(vertex))
    }

    /// Returns the corners of each triangle, in order.
    #[inline]
    fn iter_corners(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.indices().iter().map(|t| t.map(|vertex| self.position(vertex)))
    }
}
