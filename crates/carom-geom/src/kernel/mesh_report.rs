//! Defects of a mesh: open edges, non-manifold edges, triangles without area, duplicates, flipped
//! neighbours. Also whether the mesh encloses a solid, and its volume.
//!
//! Corners with equal coordinates count as one vertex, whatever their indices. Edges are sorted,
//! and the triangles at each are counted.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 16.3 (consolidation) and 16.3.3
//! (orientation, solidity).

use super::TriMesh;
use crate::flat::{self, Span};
use crate::orientation::{Orientation, has_repeated_corner, orientation, sorted_edges};
use crate::weld::weld;
use crate::winding;
use alloc::vec::Vec;
use glam::DVec3;

/// The counts of a mesh; corners with equal coordinates are one vertex.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshReport {
    /// Number of triangles.
    pub n_triangles: usize,
    /// Number of used vertices; those with equal coordinates count once.
    pub n_vertices: usize,
    /// Triangles with two equal corners. They are left out of the counts of edges.
    pub n_repeated_corner: usize,
    /// Triangles without area, including those with equal corners; exact for the coordinates.
    pub n_zero_area: usize,
    /// Triangles on the same three vertices as an earlier one, in either orientation.
    pub n_duplicates: usize,
    /// Edges of one triangle.
    pub n_boundary_edges: usize,
    /// Edges of more than two triangles.
    pub n_non_manifold_edges: usize,
    /// Edges of two triangles that run along it in the same direction: one of them is flipped.
    pub n_flipped_edges: usize,
    /// Edges with different numbers of forward and backward triangles.
    pub n_unbalanced_edges: usize,
    /// Parts that share no vertex.
    pub n_components: usize,
    /// The first triangles without area, at most [`MeshReport::MAX_NAMED`].
    pub zero_area: Vec<u32>,
    /// The first duplicates, at most [`MeshReport::MAX_NAMED`].
    pub duplicates: Vec<u32>,
    /// The first edges that are not shared by exactly two opposite triangles; each is given by one
    /// triangle. At most [`MeshReport::MAX_NAMED`].
    pub open_or_flipped: Vec<u32>,
    /// The triangles to flip so that all face outwards, if the mesh is closed.
    pub orientation: Orientation,
    /// Enclosed volume, negative if the triangles face inwards. It is a sum of cones from the
    /// middle of the box, and meaningful if [`MeshReport::is_solid`].
    pub signed_volume: f64,
    /// Least coordinates.
    pub min: DVec3,
    /// Greatest coordinates.
    pub max: DVec3,
}

impl MeshReport {
    /// Maximum number of offenders per kind in the lists.
    pub const MAX_NAMED: usize = 16;

    /// Examines every vertex, triangle and edge; the time is that of sorting them.
    pub fn new(mesh: &TriMesh) -> MeshReport {
        let corners: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
        let (triangles, n_vertices) = weld(&corners);
        let (min, max) = mesh.wide_bounds();
        let mut report = MeshReport {
            n_triangles: corners.len(),
            n_vertices,
            n_repeated_corner: 0,
            n_zero_area: 0,
            n_duplicates: 0,
            n_boundary_edges: 0,
            n_non_manifold_edges: 0,
            n_flipped_edges: 0,
            n_unbalanced_edges: 0,
            n_components: n_components(&triangles, n_vertices),
            zero_area: Vec::new(),
            duplicates: Vec::new(),
            open_or_flipped: Vec::new(),
            orientation: orientation(&corners),
            signed_volume: winding::signed_volume(corners.iter().copied()),
            min,
            max,
        };
        for (number, (t, corners)) in (0u32..).zip(triangles.iter().zip(&corners)) {
            report.n_repeated_corner += usize::from(has_repeated_corner(t));
            if matches!(flat::span(corners), Span::Segment(_)) {
                report.n_zero_area += 1;
                name(&mut report.zero_area, number);
            }
        }
        report.count_duplicates(&triangles);
        report.count_edges(&triangles);
        report
    }

    /// Whether every edge has exactly two triangles, and every triangle has area.
    pub fn is_watertight(&self) -> bool {
        self.n_boundary_edges == 0 && self.n_non_manifold_edges == 0 && self.n_zero_area == 0
    }

    /// Whether every edge has as many forward as backward triangles. Every point off the surface
    /// then has an integer winding number, so inside and outside are defined. Triangles without
    /// area do not affect this.
    pub fn is_solid(&self) -> bool {
        self.n_unbalanced_edges == 0
    }

    fn count_duplicates(&mut self, triangles: &[[u32; 3]]) {
        let mut keys: Vec<([u32; 3], u32)> = Vec::with_capacity(triangles.len());
        for (number, t) in (0u32..).zip(triangles) {
            let mut key = *t;
            key.sort_unstable();
            keys.push((key, number));
        }
        keys.sort_unstable();
        let mut again: Vec<u32> =
            keys.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).collect();
        again.sort_unstable();
        self.n_duplicates = again.len();
        again.truncate(MeshReport::MAX_NAMED);
        self.duplicates = again;
    }

    fn count_edges(&mut self, triangles: &[[u32; 3]]) {
        let edges = sorted_edges(triangles);
        let mut named = Vec::new();
        for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)) {
            let n_forwards = same.iter().filter(|e| e.3).count();
            let is_balanced = 2 * n_forwards == same.len();
            match same.len() {
                1 => self.n_boundary_edges += 1,
                2 => self.n_flipped_edges += usize::from(!is_balanced),
                _ => self.n_non_manifold_edges += 1,
            }
            self.n_unbalanced_edges += usize::from(!is_balanced);
            if !is_balanced || same.len() != 2 {
                named.push(same[0].2);
            }
        }
        named.sort_unstable();
        named.dedup();
        named.truncate(MeshReport::MAX_NAMED);
        self.open_or_flipped = named;
    }
}

impl TriMesh {
    /// Returns the triangles to flip so that all face outwards, if the mesh is closed; see
    /// [`orientation`].
    pub fn orientation(&self) -> Orientation {
        let corners: Vec<[DVec3; 3]> = self.iter_corners().collect();
        orientation(&corners)
    }

    /// Returns the mesh with all triangles facing outwards, and the changes. A mesh with unknown
    /// orientation stays as it is.
    #[must_use]
    pub fn oriented(mut self) -> (TriMesh, Orientation) {
        let orientation = self.orientation();
        self.turn_over(orientation.turned().unwrap_or(&[]));
        (self, orientation)
    }

    /// Returns [`MeshReport::is_solid`] without the rest of the report. Corners with equal
    /// coordinates count as one.
    pub fn is_solid(&self) -> bool {
        if is_balanced(self.indices()) {
            return true;
        }
        let corners: Vec<[DVec3; 3]> = self.iter_corners().collect();
        is_balanced(&weld(&corners).0)
    }
}

/// Whether every edge has as many forward as backward triangles.
fn is_balanced(triangles: &[[u32; 3]]) -> bool {
    let (mut forwards, mut backwards) = (Vec::new(), Vec::new());
    for t in triangles {
        for i in 0..3 {
            let (from, to) = (u64::from(t[i]), u64::from(t[(i + 1) % 3]));
            if from < to {
                forwards.push(from << 32 | to);
            } else if to < from {
                backwards.push(to << 32 | from);
            }
        }
    }
    if forwards.len() != backwards.len() {
        return false;
    }
    forwards.sort_unstable();
    backwards.sort_unstable();
    forwards == backwards
}

/// Adds to a list of offenders, if there is room.
fn name(list: &mut Vec<u32>, number: u32) {
    if list.len() < MeshReport::MAX_NAMED {
        list.push(number);
    }
}

/// Returns the number of parts that share no vertex.
fn n_components(triangles: &[[u32; 3]], n_vertices: usize) -> usize {
    let mut parent: Vec<u32> = (0..n_vertices as u32).collect();
    let mut n_parts = n_vertices;
    for t in triangles {
        for pair in [[t[0], t[1]], [t[1], t[2]]] {
            let [p, q] = pair.map(|v| root(&mut parent, v));
            if p != q {
                parent[p.max(q) as usize] = p.min(q);
                n_parts -= 1;
            }
        }
    }
    n_parts
}

/// Returns the least vertex connected to this one, with path halving.
fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        let above = parent[parent[vertex as usize] as usize];
        parent[vertex as usize] = above;
        vertex = above;
    }
    vertex
}
