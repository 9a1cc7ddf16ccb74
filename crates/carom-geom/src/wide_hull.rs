//! A convex hull of either precision, read in `f64`.
//!
//! Algorithms over hulls decide in `f64`. With this trait they are written once for both types of
//! hull, and widen each vertex when they read it.

use crate::SupportMap;
use core::ops::Range;
use glam::DVec3;

/// One side of an edge: it starts at a vertex, and its face is to the left, seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfEdge {
    /// The vertex where it starts.
    pub origin: u32,
    /// The other side of the edge, which starts where this one ends.
    pub twin: u32,
    /// The face.
    pub face: u32,
}

/// A convex hull of either precision. Its methods answer as those of `ConvexHull` with the same
/// names, and panic for numbers that it does not have.
pub trait WideHull: SupportMap {
    /// Returns the number of vertices.
    fn n_vertices(&self) -> usize;

    /// Returns a vertex in the hull's frame, widened exactly.
    fn position(&self, vertex: u32) -> DVec3;

    /// Returns the neighbours of a vertex, over which a support climbs.
    fn neighbours(&self, vertex: u32) -> &[u32];

    /// Returns some half-edge that starts at a vertex.
    fn vertex_half_edge(&self, vertex: u32) -> u32;

    /// Returns all half-edges, face by face.
    fn half_edges(&self) -> &[HalfEdge];

    /// Returns the number of faces.
    fn n_faces(&self) -> usize;

    /// Returns the outward unit normal of a face.
    fn face_normal(&self, face: u32) -> DVec3;

    /// Returns the offset of a face's plane: `normal . x <= offset` for all vertices x.
    fn face_offset(&self, face: u32) -> f64;

    /// Returns the vertices of a face, counter-clockwise seen from outside.
    fn face_vertices(&self, face: u32) -> &[u32];

    /// Returns the numbers of a face's half-edges. The first starts at the first of its vertices.
    fn face_half_edges(&self, face: u32) -> Range<u32>;

    /// Returns the centre of a large ball inside the hull.
    fn inscribed_center(&self) -> DVec3;

    /// Returns the radius of the ball about [`WideHull::inscribed_center`].
    fn inscribed_radius(&self) -> f64;

    /// Returns the half-edge that follows in the same face.
    #[inline]
    fn next(&self, half_edge: u32) -> u32 {
        let range = self.face_half_edges(self.half_edges()[half_edge as usize].face);
        if half_edge + 1 == range.end { range.start } else { half_edge + 1 }
    }

    /// Returns the two ends of a half-edge, its origin first.
    #[inline]
    fn ends(&self, half_edge: u32) -> [u32; 2] {
        let edges = self.half_edges();
        let edge = edges[half_edge as usize];
        [edge.origin, edges[edge.twin as usize].origin]
    }
}
