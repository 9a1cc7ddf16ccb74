//! The edges of triangles, each once, with its triangles; and distance constraints along them.
//!
//! Reference: A. Van Gelder, Approximate Simulation of Elastic Membranes by Triangulated Spring
//! Meshes, 1998 (the stiffness of an edge from the areas beside it).

use super::links::Link;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use glam::Vec3;

/// An edge of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The lower number first.
    pub(super) ends: [u32; 2],
    /// Ascending.
    pub(super) triangles: Vec<u32>,
}

/// Returns the edges of triangles, ascending.
pub(super) fn edges_of(triangles: &[[u32; 3]]) -> Vec<Edge> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (&[a, b, c], number) in triangles.iter().zip(0_u32..) {
        let side = |p: u32, q: u32| (if p < q { [p, q] } else { [q, p] }, number);
        sides.extend([side(a, b), side(b, c), side(c, a)]);
    }
    sides.sort_unstable();
    let same = sides.chunk_by(|a, b| a.0 == b.0);
    same.map(|of_edge| Edge {
        ends: of_edge[0].0,
        triangles: of_edge.iter().map(|&(_, triangle)| triangle).collect(),
    })
    .collect()
}

/// Returns links along the edges of a membrane. `stiffness` is its tension per strain, a force over
/// a length; infinite if it does not stretch. If it is 0 there are no links.
pub(super) fn links_along(
    edges: &[Edge],
    rest: &[Vec3],
    triangles: &[[u32; 3]],
    stiffness: f32,
) -> Vec<Link> {
    if stiffness == 0.0 {
        return Vec::new();
    }
    let position_of = |particle: u32| rest[particle as usize].as_dvec3();
    let area = |&triangle: &u32| {
        let [a, b, c] = triangles[triangle as usize].map(position_of);
        0.5 * sqrt((b - a).cross(c - a).length_squared())
    };
    let link = |edge: &Edge| {
        let length_sq = (position_of(edge.ends[1]) - position_of(edge.ends[0])).length_squared();
        let areas: f64 = edge.triangles.iter().map(area).sum();
        let compliance = (length_sq / (f64::from(stiffness) * areas)) as f32;
        // Triangles without area count as if they were as wide as long.
        let compliance = if compliance.is_finite() { compliance } else { 1.0 / stiffness };
        Link { ends: edge.ends, rest: sqrt(length_sq) as f32, compliance: compliance.min(f32::MAX) }
    };
    edges.iter().map(link).collect()
}
