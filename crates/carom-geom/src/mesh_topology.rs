//! Adjacency of a triangle mesh: neighbours over edges, facets of coplanar triangles, convexity of
//! edges, and rings of vertices.
//!
//! Corners with equal coordinates are one vertex, whatever their indices. Coplanar triangles joined
//! by edges are one facet. A facet grows from its largest triangle over neighbours whose corners
//! lie in that triangle's plane to rounding. It therefore cannot bend. The facet has the normal of
//! its largest triangle, because the normals of slivers are noise. Edges and vertices inside a
//! facet are no features. Vertices along a straight edge of a facet are none either.
//!
//! An edge with one triangle is open. An edge with more than two triangles, or with two that run
//! along it in one direction, counts as open too. Triangles without area have no normal and no
//! facet; the edges beside them are open.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 16.3; B. Mirtich, V-Clip: Fast
//! and Robust Polyhedral Collision Detection, ACM TOG 17(3), 1998, sec. 2 (the regions of
//! features).

use crate::weld::weld;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::{scaling, tol};
use glam::DVec3;

/// No triangle.
pub const NO_TRIANGLE: u32 = u32::MAX;

/// How the surface continues over an edge of a triangle, seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// The surface ends there, or the continuation is unknown.
    Open,
    /// The surface continues in the same facet.
    Flat,
    /// The surface bends back: the edge is convex.
    Convex,
    /// The surface bends forwards: the edge is concave.
    Concave,
}

/// The neighbours of every triangle, and the features. About 100 bytes per triangle.
#[derive(Clone, Debug)]
pub struct MeshTopology {
    /// The vertices of each triangle.
    vertices: Vec<[u32; 3]>,
    neighbours: Vec<[u32; 3]>,
    kinds: Vec<[EdgeKind; 3]>,
    facets: Vec<u32>,
    normals: Vec<DVec3>,
    /// The position of each vertex.
    positions: Vec<DVec3>,
    vertex_normals: Vec<DVec3>,
    owners: Vec<u32>,
    is_feature: Vec<bool>,
    /// Start of each vertex's neighbours in `ring`, and the end.
    ring_starts: Vec<u32>,
    ring: Vec<u32>,
}

impl MeshTopology {
    /// Builds the topology from the corners of all triangles: at most 2^30 - 1 triangles, finite.
    /// The time is that of sorting corners and edges.
    pub fn new(corners: &[[DVec3; 3]]) -> MeshTopology {
        let (vertices, n_vertices) = weld(corners);
        let mut positions = vec![DVec3::ZERO; n_vertices];
        let mut owners = vec![NO_TRIANGLE; n_vertices];
        for (t, (triangle, corners)) in vertices.iter().zip(corners).enumerate() {
            for (&vertex, &position) in triangle.iter().zip(corners) {
                positions[vertex as usize] = position;
                owners[vertex as usize] = owners[vertex as usize].min(t as u32);
            }
        }
        let own: Vec<DVec3> = corners.iter().map(normal_of).collect();
        let neighbours = neighbours(&vertices, &own);
        let (facets, thick) = facets(corners, &own, &vertices, &positions, &neighbours);
        let normals: Vec<DVec3> =
            facets.iter().map(|&f| if f == NO_TRIANGLE { DVec3::ZERO } else { own[f as usize] }).collect();
        let mut topology = MeshTopology {
            kinds: vec![[EdgeKind::Open; 3]; vertices.len()],
            vertex_normals: vec![DVec3::ZERO; n_vertices],
            is_feature: vec![true; n_vertices],
            ring_starts: Vec::new(),
            ring: Vec::new(),
            vertices,
            neighbours,
            facets,
            normals,
            positions,
            owners,
        };
        topology.find_kinds();
        topology.find_rings();
        topology.find_features(thick);
        topology
    }

    fn find_kinds(&mut self) {
        for t in 0..self.vertices.len() {
            for k in 0..3 {
                let other = self.neighbours[t][k];
                if other == NO_TRIANGLE {
                    continue;
                }
                let start = self.positions[self.vertices[t][k] as usize];
                let apex = self.apex(other, self.vertices[t][k], self.vertices[t][(k + 1) % 3]);
                self.kinds[t][k] = if self.facets[t] == self.facets[other as usize] {
                    EdgeKind::Flat
                } else if self.normals[t].dot(apex - start) < 0.0 {
                    EdgeKind::Convex
                } else {
                    EdgeKind::Concave
                };
            }
        }
    }

    /// Returns the corner of a triangle that is neither of these.
    fn apex(&self, triangle: u32, p: u32, q: u32) -> DVec3 {
        let vertices = self.vertices[triangle as usize];
        let apex = vertices.into_iter().find(|v| *v != p && *v != q).unwrap_or(p);
        self.positions[apex as usize]
    }

    fn find_rings(&mut self) {
        let mut links = Vec::with_capacity(6 * self.vertices.len());
        for (t, vertices) in self.vertices.iter().enumerate() {
            for k in 0..3 {
                let (from, to) = (vertices[k], vertices[(k + 1) % 3]);
                if from != to {
                    links.extend([(from, to), (to, from)]);
                }
                // Weighted by area, because the normal of a sliver is inaccurate.
                let (u, v) = (self.positions[to as usize], self.positions[vertices[(k + 2) % 3] as usize]);
                let position = self.positions[from as usize];
                self.vertex_normals[from as usize] +=
                    self.normals[t] * (u - position).cross(v - position).length().min(f64::MAX);
            }
        }
        links.sort_unstable();
        links.dedup();
        self.ring_starts = Vec::with_capacity(self.positions.len() + 1);
        for (i, link) in (0_u32..).zip(&links) {
            while self.ring_starts.len() <= link.0 as usize {
                self.ring_starts.push(i);
            }
        }
        self.ring_starts.resize(self.positions.len() + 1, links.len() as u32);
        self.ring = links.into_iter().map(|link| link.1).collect();
        for normal in &mut self.vertex_normals {
            *normal = scaling::unit(*normal).unwrap_or(DVec3::ZERO);
        }
    }

    /// Finds the features among the vertices. A vertex is no feature if all its edges are flat, or
    /// all but two that continue straight.
    fn find_features(&mut self, thick: f64) {
        // For each vertex: the number of edges that are not flat, and the ends of two of them.
        let mut sharp = vec![(0_u32, [0_u32; 2]); self.positions.len()];
        for (t, vertices) in self.vertices.iter().enumerate() {
            if self.facets[t] == NO_TRIANGLE {
                continue;
            }
            for k in 0..3 {
                if self.kinds[t][k] == EdgeKind::Flat || !self.is_owner(t as u32, k) {
                    continue;
                }
                let (p, q) = (vertices[k], vertices[(k + 1) % 3]);
                for (from, to) in [(p, q), (q, p)] {
                    let (n, ends) = &mut sharp[from as usize];
                    if let Some(end) = ends.get_mut(*n as usize) {
                        *end = to;
                    }
                    *n += 1;
                }
            }
        }
        for (vertex, (n, ends)) in sharp.into_iter().enumerate() {
            self.is_feature[vertex] = match n {
                0 => false,
                2 => {
                    let [u, v] = ends.map(|end| self.positions[end as usize] - self.positions[vertex]);
                    let line = scaling::unit(v - u).unwrap_or(DVec3::ZERO);
                    let is_straight = u.dot(v) < 0.0 && u.cross(line).length() <= thick;
                    !is_straight
                }
                _ => true,
            };
        }
    }

    /// Returns the number of triangles.
    #[inline]
    pub fn n_triangles(&self) -> usize {
        self.vertices.len()
    }

    /// Returns the number of vertices; vertices at one position count once.
    #[inline]
    pub fn n_vertices(&self) -> usize {
        self.positions.len()
    }

    /// Returns the vertices of a triangle.
    #[inline]
    pub fn vertices(&self, triangle: u32) -> [u32; 3] {
        self.vertices[triangle as usize]
    }

    /// Returns the neighbour over each edge of a triangle, from the edge of the first and second
    /// corner on. [`NO_TRIANGLE`] if the edge is open.
    #[inline]
    pub fn neighbours(&self, triangle: u32) -> [u32; 3] {
        self.neighbours[triangle as usize]
    }

    /// Returns how the surface continues over each edge.
    #[inline]
    pub fn kinds(&self, triangle: u32) -> [EdgeKind; 3] {
        self.kinds[triangle as usize]
    }

    /// Returns the triangle that represents the triangle's facet, [`NO_TRIANGLE`] if it has no
    /// area.
    #[inline]
    pub fn facet(&self, triangle: u32) -> u32 {
        self.facets[triangle as usize]
    }

    /// Returns the unit normal of the triangle's facet, zero if it has none.
    #[inline]
    pub fn normal(&self, triangle: u32) -> DVec3 {
        self.normals[triangle as usize]
    }

    /// Whether this is the triangle with the lowest number at the edge.
    #[inline]
    pub fn is_owner(&self, triangle: u32, edge: usize) -> bool {
        // `NO_TRIANGLE` is above every triangle number.
        triangle < self.neighbours[triangle as usize][edge]
    }

    /// Returns the position of a vertex.
    #[inline]
    pub fn position(&self, vertex: u32) -> DVec3 {
        self.positions[vertex as usize]
    }

    /// Returns the mean unit normal of the triangles at a vertex; zero if they cancel.
    #[inline]
    pub fn vertex_normal(&self, vertex: u32) -> DVec3 {
        self.vertex_normals[vertex as usize]
    }

    /// Returns the triangle with the lowest number at a vertex.
    #[inline]
    pub fn owner(&self, vertex: u32) -> u32 {
        self.owners[vertex as usize]
    }

    /// Whether a vertex is a corner, not a point inside a facet or a straight edge.
    #[inline]
    pub fn is_feature(&self, vertex: u32) -> bool {
        self.is_feature[vertex as usize]
    }

    /// Returns the neighbour vertices.
    #[inline]
    pub fn ring(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.ring[self.ring_starts[vertex] as usize..self.ring_starts[vertex + 1] as usize]
    }

    /// Returns the unit vector along an edge, and one unit vector for each of its two triangles.
    /// The vector of a triangle lies in the facet's plane, across the edge and away from it. An
    /// edge with one triangle returns that triangle's vector twice. Also returns the sum of the
    /// normals.
    #[inline]
    pub fn wings(&self, triangle: u32, edge: usize) -> (DVec3, [DVec3; 2], DVec3) {
        let vertices = self.vertices[triangle as usize];
        let along =
            self.positions[vertices[(edge + 1) % 3] as usize] - self.positions[vertices[edge] as usize];
        let along = scaling::unit(along).unwrap_or(DVec3::ZERO);
        let normal = self.normals[triangle as usize];
        let wing = normal.cross(along);
        let other = self.neighbours[triangle as usize][edge];
        if other == NO_TRIANGLE {
            return (along, [wing; 2], normal);
        }
        let beyond = self.normals[other as usize];
        (along, [wing, along.cross(beyond)], normal + beyond)
    }
}

/// Returns the unit normal, zero for a triangle without area.
fn normal_of(corners: &[DVec3; 3]) -> DVec3 {
    let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
    // Each edge is scaled by its own length, so that squares of small ones do not underflow.
    match (scaling::unit(u), scaling::unit(v)) {
        (Some(u), Some(v)) => scaling::unit(u.cross(v)).unwrap_or(DVec3::ZERO),
        _ => DVec3::ZERO,
    }
}

/// Returns the triangle beyond each edge.
fn neighbours(vertices: &[[u32; 3]], normals: &[DVec3]) -> Vec<[u32; 3]> {
    // Lower vertex, higher vertex, triangle, index of the edge in it, whether forwards.
    let mut edges: Vec<(u32, u32, u32, u8, bool)> = Vec::with_capacity(3 * vertices.len());
    for (number, (t, normal)) in (0_u32..).zip(vertices.iter().zip(normals)) {
        if *normal == DVec3::ZERO {
            continue;
        }
        for k in 0..3 {
            let (from, to) = (t[k], t[(k + 1) % 3]);
            edges.push((from.min(to), from.max(to), number, k as u8, from < to));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![[NO_TRIANGLE; 3]; vertices.len()];
    for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)) {
        if let [e, f] = same
            && e.4 != f.4
        {
            neighbours[e.2 as usize][usize::from(e.3)] = f.2;
            neighbours[f.2 as usize][usize::from(f.3)] = e.2;
        }
    }
    neighbours
}

/// Returns for each triangle the seed of its facet, and the tolerance for a plane.
fn facets(
    corners: &[[DVec3; 3]],
    normals: &[DVec3],
    vertices: &[[u32; 3]],
    positions: &[DVec3],
    neighbours: &[[u32; 3]],
) -> (Vec<u32>, f64) {
    let reach = positions.iter().fold(DVec3::ZERO, |most, p| most.max(p.abs()));
    let thick = tol::FACET_THICK * reach.element_sum();
    // The squared longest edge of each triangle, and its area over that edge: its width.
    let sizes: Vec<(f64, f64)> = corners
        .iter()
        .map(|&[a, b, c]| {
            let longest = [b - a, c - b, a - c].iter().fold(0.0_f64, |most, e| most.max(scaling::length(*e)));
            let area = (b - a).cross(c - a).length();
            (area, if 0.0 < longest { area / longest } else { 0.0 })
        })
        .collect();
    let mut order: Vec<u32> =
        (0..corners.len() as u32).filter(|&t| normals[t as usize] != DVec3::ZERO).collect();
    order.sort_unstable_by(|&s, &t| sizes[t as usize].0.total_cmp(&sizes[s as usize].0).then(s.cmp(&t)));
    let mut facets = vec![NO_TRIANGLE; corners.len()];
    let mut open = Vec::new();
    for seed in order {
        if facets[seed as usize] != NO_TRIANGLE {
            continue;
        }
        facets[seed as usize] = seed;
        let (normal, position) = (normals[seed as usize], corners[seed as usize][0]);
        open.push(seed);
        while let Some(t) = open.pop() {
            for next in neighbours[t as usize] {
                if next == NO_TRIANGLE || facets[next as usize] != NO_TRIANGLE {
                    continue;
                }
                let is_in_plane = vertices[next as usize]
                    .iter()
                    .all(|&v| normal.dot(positions[v as usize] - position).abs() <= thick);
                // A sliver may point anywhere; any other folded triangle belongs to another facet.
                let is_sliver = sizes[next as usize].1 <= 4.0 * thick;
                if is_in_plane && (is_sliver || 0.5 < normal.dot(normals[next as usize])) {
                    facets[next as usize] = seed;
                    open.push(next);
                }
            }
        }
    }
    (facets, thick)
}

/// Returns a length scale for displacements within the triangle: twice its area over its longest
/// edge.
pub fn height_of(corners: &[DVec3; 3]) -> f64 {
    let [a, b, c] = *corners;
    let area = (b - a).cross(c - a).length();
    let longest_sq = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    if 0.0 < longest_sq { area / sqrt(longest_sq) } else { 0.0 }
}
