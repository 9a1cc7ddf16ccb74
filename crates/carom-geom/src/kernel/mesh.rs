//! Triangle meshes: positions and indices, checked once.
//!
//! A mesh is a surface, a set of closed triangles. A [`MeshReport`](super::MeshReport) states
//! whether it encloses a solid.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 16.4.5 (indexed meshes).

use super::super::num::{Vec3, narrow, widen};
use super::Triangle;
use crate::merge::{Merged, merge};
use crate::{MergeReport, Orientation, WideMesh};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::tol;
use glam::DVec3;

/// Triangles over shared vertices: every index in range, every coordinate finite and not beyond
/// [`MAX_LENGTH`](carom_math::tol::MAX_LENGTH).
///
/// Triangles should be counter-clockwise seen from outside. Degenerate triangles and duplicates
/// are kept.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    indices: Vec<[u32; 3]>,
}

/// Why a mesh was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle.
    Empty,
    /// More than 2^32 - 1 vertices or triangles.
    TooLarge,
    /// The first vertex with a coordinate that is NaN or infinite.
    NotFinite {
        /// Number of the vertex.
        vertex: u32,
    },
    /// The first vertex with a coordinate larger than [`MAX_LENGTH`](carom_math::tol::MAX_LENGTH)
    /// in absolute value.
    TooFar {
        /// Number of the vertex.
        vertex: u32,
    },
    /// The number of new positions differs from the number of vertices.
    WrongCount {
        /// How many vertices there are.
        expected: usize,
        /// How many positions were given.
        given: usize,
    },
    /// The tolerance of a merge is negative, infinite or NaN.
    BadTolerance,
    /// The first triangle with a vertex index that does not exist.
    IndexOutOfRange {
        /// Number of the triangle.
        triangle: u32,
        /// The index that it holds.
        index: u32,
        /// How many vertices there are.
        n_vertices: u32,
    },
}

impl core::fmt::Display for MeshError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            MeshError::Empty => write!(f, "the mesh has no triangle"),
            MeshError::TooLarge => write!(f, "the mesh has more vertices or triangles than a u32 can number"),
            MeshError::NotFinite { vertex } => {
                write!(f, "vertex {vertex} has a coordinate that is NaN or infinite")
            }
            MeshError::TooFar { vertex } => {
                write!(f, "vertex {vertex} has a coordinate beyond {:e}", tol::MAX_LENGTH)
            }
            MeshError::WrongCount { expected, given } => {
                write!(f, "the mesh has {expected} vertices, {given} positions were given")
            }
            MeshError::BadTolerance => write!(f, "the tolerance of a merge is not finite or below 0"),
            MeshError::IndexOutOfRange { triangle, index, n_vertices } => {
                write!(f, "triangle {triangle} names vertex {index}, and there are {n_vertices}")
            }
        }
    }
}

impl core::error::Error for MeshError {}

impl TriMesh {
    /// Creates a mesh from its vertices and, for each triangle, three vertex indices.
    pub fn new(vertices: Vec<Vec3>, indices: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
        if indices.is_empty() {
            return Err(MeshError::Empty);
        }
        let Ok(n_vertices) = u32::try_from(vertices.len()) else { return Err(MeshError::TooLarge) };
        if u32::try_from(indices.len()).is_err() {
            return Err(MeshError::TooLarge);
        }
        check_positions(&vertices)?;
        for (triangle, corners) in (0u32..).zip(&indices) {
            for &index in corners {
                if n_vertices <= index {
                    return Err(MeshError::IndexOutOfRange { triangle, index, n_vertices });
                }
            }
        }
        Ok(TriMesh { vertices, indices })
    }

    /// Sets the positions of all vertices; the triangles stay. Fails if the number of vertices
    /// differs, or if a position is not valid. On an error nothing changes.
    pub fn set_vertices(&mut self, vertices: &[Vec3]) -> Result<(), MeshError> {
        if vertices.len() != self.vertices.len() {
            return Err(MeshError::WrongCount { expected: self.vertices.len(), given: vertices.len() });
        }
        check_positions(vertices)?;
        self.vertices.copy_from_slice(vertices);
        Ok(())
    }

    /// Flips triangles: their second and third corners are swapped. Invalid triangle numbers are
    /// ignored.
    pub fn turn_over(&mut self, triangles: &[u32]) {
        for &t in triangles {
            if let Some(corners) = self.indices.get_mut(t as usize) {
                corners.swap(1, 2);
            }
        }
    }

    /// Returns the mesh with vertices merged that are at most `tolerance`, a length, apart.
    ///
    /// In the order of their numbers, each vertex becomes the first one within the tolerance that
    /// is kept, or is kept itself. So it moves at most by the tolerance. Triangles with two equal
    /// corners are dropped, and so are vertices that no triangle uses. With 0 only equal positions
    /// merge.
    ///
    /// Errors: the tolerance is negative, infinite or NaN, or no triangle remains.
    pub fn merged(self, tolerance: f64) -> Result<(TriMesh, MergeReport), MeshError> {
        if !(0.0 <= tolerance && tolerance.is_finite()) {
            return Err(MeshError::BadTolerance);
        }
        let positions: Vec<DVec3> = self.vertices.iter().map(|v| widen(*v)).collect();
        let Merged { kept, triangles, report } = merge(&positions, &self.indices, tolerance);
        let vertices = kept.iter().map(|v| self.vertices[*v as usize]).collect();
        Ok((TriMesh::new(vertices, triangles)?, report))
    }

    /// Returns all vertices.
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// For each triangle the numbers of its vertices.
    #[inline]
    pub fn indices(&self) -> &[[u32; 3]] {
        &self.indices
    }

    /// Returns the number of triangles, at least one.
    #[inline]
    pub fn n_triangles(&self) -> usize {
        self.indices.len()
    }

    /// Returns the corners of a triangle, as stored. Panics past the last triangle, as a slice
    /// does.
    #[inline]
    pub fn points(&self, triangle: u32) -> [Vec3; 3] {
        self.indices[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// Returns a triangle as a shape. Panics past the last triangle, as a slice does.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let [a, b, c] = self.points(triangle);
        Triangle::new_unchecked(a, b, c)
    }

    /// Returns the corners of a triangle, widened without rounding, for exact functions. Panics
    /// past the last triangle, as a slice does.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.points(triangle).map(widen)
    }

    /// Returns the corners of every triangle, in order.
    #[inline]
    pub fn iter_corners(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.indices.iter().map(|t| t.map(|v| widen(self.vertices[v as usize])))
    }

    /// Returns the least and greatest coordinates of the vertices that triangles use.
    pub fn wide_bounds(&self) -> (DVec3, DVec3) {
        let mut min = DVec3::INFINITY;
        let mut max = DVec3::NEG_INFINITY;
        for corner in self.iter_corners().flatten() {
            min = min.min(corner);
            max = max.max(corner);
        }
        (min, max)
    }

    /// Returns the box around all triangles, rounded outwards. Coordinates beyond the range of
    /// `f32` become infinite.
    pub fn aabb(&self) -> Aabb {
        let (min, max) = self.wide_bounds();
        Aabb::around(min, max)
    }

    /// Returns the box around one triangle, rounded outwards.
    #[inline]
    pub fn triangle_aabb(&self, triangle: u32) -> Aabb {
        let [a, b, c] = self.corners(triangle);
        Aabb::around(a.min(b).min(c), a.max(b).max(c))
    }
}

fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    for (vertex, position) in (0u32..).zip(positions) {
        if !position.is_finite() {
            return Err(MeshError::NotFinite { vertex });
        }
        if widen(*position).abs().cmpgt(DVec3::splat(tol::MAX_LENGTH)).any() {
            return Err(MeshError::TooFar { vertex });
        }
    }
    Ok(())
}

impl WideMesh for TriMesh {
    type Triangle = Triangle;

    fn from_wide(vertices: impl Iterator<Item = DVec3>, indices: Vec<[u32; 3]>) -> Option<TriMesh> {
        TriMesh::new(vertices.map(narrow).collect(), indices).ok()
    }

    #[inline]
    fn rounded(point: DVec3) -> DVec3 {
        widen(narrow(point))
    }

    #[inline(always)]
    fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    #[inline(always)]
    fn position(&self, vertex: u32) -> DVec3 {
        widen(self.vertices[vertex as usize])
    }

    #[inline(always)]
    fn indices(&self) -> &[[u32; 3]] {
        &self.indices
    }

    #[inline(always)]
    fn triangle(&self, triangle: u32) -> Triangle {
        self.triangle(triangle)
    }

    fn wide_bounds(&self) -> (DVec3, DVec3) {
        self.wide_bounds()
    }

    fn orientation(&self) -> Orientation {
        self.orientation()
    }

    fn is_solid(&self) -> bool {
        self.is_solid()
    }
}
