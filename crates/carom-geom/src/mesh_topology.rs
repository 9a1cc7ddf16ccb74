//! What lies next to what on a triangle mesh: neighbours over edges, faces of many triangles, what
//! is convex, what surrounds a vertex.
//!
//! Corners with equal coordinates are one vertex, whatever their indices. Triangles in one plane
//! that are joined by edges are one facet: it grows from its largest triangle over all neighbours
//! whose corners lie in that triangle's plane to rounding, so that it cannot bend, and it has that
//! triangle's normal, so that slivers, whose own normals are noise, do no harm. Edges inside a
//! facet are no features, nor are vertices inside a facet or along a straight edge of one.
//!
//! An edge with one triangle is open; one with more than two, or with two that run along it in the
//! same direction, counts as open for each of them: nothing is said about what lies beyond.
//! Triangles without area have no normal and no facet, and those beside them end there.
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

/// How the surface goes on over an edge of a triangle, seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// It ends there, or it is not known how it goes on.
    Open,
    /// In the same facet.
    Flat,
    /// It bends back: the edge stands out.
    Convex,
    /// It bends forwards.
    Concave,
}

/// The neighbours of every triangle, and the features. Some 100 bytes a triangle.
#[derive(Clone, Debug)]
pub struct MeshTopology {
    /// Of each triangle.
    vertices: Vec<[u32; 3]>,
    neighbours: Vec<[u32; 3]>,
    kinds: Vec<[EdgeKind; 3]>,
    facets: Vec<u32>,
    normals: Vec<DVec3>,
    /// Of each vertex.
    places: Vec<DVec3>,
    vertex_normals: Vec<DVec3>,
    owners: Vec<u32>,
    is_feature: Vec<bool>,
    /// Where the neighbours of each vertex begin in `ring`, and where the last ones end.
    ring_starts: Vec<u32>,
    ring: Vec<u32>,
}

impl MeshTopology {
    /// From the corners of all triangles, at most 2^30 - 1 of them, finite. Time of sorting corners
    /// and edges.
    pub fn new(corners: &[[DVec3; 3]]) -> MeshTopology {
        let (vertices, n_vertices) = weld(corners);
        let mut places = vec![DVec3::ZERO; n_vertices];
        let mut owners = vec![NO_TRIANGLE; n_vertices];
        for (t, (triangle, corners)) in vertices.iter().zip(corners).enumerate() {
            for (&vertex, &place) in triangle.iter().zip(corners) {
                places[vertex as usize] = place;
                owners[vertex as usize] = owners[vertex as usize].min(t as u32);
            }
        }
        let own: Vec<DVec3> = corners.iter().map(normal_of).collect();
        let neighbours = neighbours(&vertices, &own);
        let (facets, thick) = facets(corners, &own, &vertices, &places, &neighbours);
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
            places,
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
                let start = self.places[self.vertices[t][k] as usize];
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

    /// The corner of a triangle that is neither of these.
    fn apex(&self, triangle: u32, p: u32, q: u32) -> DVec3 {
        let vertices = self.vertices[triangle as usize];
        let apex = vertices.into_iter().find(|v| *v != p && *v != q).unwrap_or(p);
        self.places[apex as usize]
    }

    fn find_rings(&mut self) {
        let mut links = Vec::with_capacity(6 * self.vertices.len());
        for (t, vertices) in self.vertices.iter().enumerate() {
            for k in 0..3 {
                let (from, to) = (vertices[k], vertices[(k + 1) % 3]);
                if from != to {
                    links.extend([(from, to), (to, from)]);
                }
                // By area: a sliver says little.
                let (u, v) = (self.places[to as usize], self.places[vertices[(k + 2) % 3] as usize]);
                let place = self.places[from as usize];
                self.vertex_normals[from as usize] +=
                    self.normals[t] * (u - place).cross(v - place).length().min(f64::MAX);
            }
        }
        links.sort_unstable();
        links.dedup();
        self.ring_starts = Vec::with_capacity(self.places.len() + 1);
        for (i, link) in (0_u32..).zip(&links) {
            while self.ring_starts.len() <= link.0 as usize {
                self.ring_starts.push(i);
            }
        }
        self.ring_starts.resize(self.places.len() + 1, links.len() as u32);
        self.ring = links.into_iter().map(|link| link.1).collect();
        for normal in &mut self.vertex_normals {
            *normal = scaling::unit(*normal).unwrap_or(DVec3::ZERO);
        }
    }

    /// A vertex is none if all its edges are flat, or all but two that go on straight.
    fn find_features(&mut self, thick: f64) {
        // Of each vertex: how many edges that are not flat, and the ends of two of them.
        let mut sharp = vec![(0_u32, [0_u32; 2]); self.places.len()];
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
                    let [u, v] = ends.map(|end| self.places[end as usize] - self.places[vertex]);
                    let line = scaling::unit(v - u).unwrap_or(DVec3::ZERO);
                    let is_straight = u.dot(v) < 0.0 && u.cross(line).length() <= thick;
                    !is_straight
                }
                _ => true,
            };
        }
    }

    /// How many triangles.
    #[inline]
    pub fn n_triangles(&self) -> usize {
        self.vertices.len()
    }

    /// How many vertices, those at one place counted once.
    #[inline]
    pub fn n_vertices(&self) -> usize {
        self.places.len()
    }

    /// The numbers of a triangle's vertices.
    #[inline]
    pub fn vertices(&self, triangle: u32) -> [u32; 3] {
        self.vertices[triangle as usize]
    }

    /// What lies beyond each edge of a triangle, the first from the first corner to the second;
    /// [`NO_TRIANGLE`] where the edge is open.
    #[inline]
    pub fn neighbours(&self, triangle: u32) -> [u32; 3] {
        self.neighbours[triangle as usize]
    }

    /// How the surface goes on over each edge.
    #[inline]
    pub fn kinds(&self, triangle: u32) -> [EdgeKind; 3] {
        self.kinds[triangle as usize]
    }

    /// The triangle that stands for the triangle's facet, [`NO_TRIANGLE`] if it has no area.
    #[inline]
    pub fn facet(&self, triangle: u32) -> u32 {
        self.facets[triangle as usize]
    }

    /// The unit normal of the triangle's facet, zero if it has none.
    #[inline]
    pub fn normal(&self, triangle: u32) -> DVec3 {
        self.normals[triangle as usize]
    }

    /// Of the triangles of an edge this is the one with the lowest number.
    #[inline]
    pub fn is_owner(&self, triangle: u32, edge: usize) -> bool {
        // No triangle has the highest number.
        triangle < self.neighbours[triangle as usize][edge]
    }

    /// Where a vertex is.
    #[inline]
    pub fn place(&self, vertex: u32) -> DVec3 {
        self.places[vertex as usize]
    }

    /// A unit vector out of the surface at a vertex, the mean of its triangles; zero where they
    /// cancel.
    #[inline]
    pub fn vertex_normal(&self, vertex: u32) -> DVec3 {
        self.vertex_normals[vertex as usize]
    }

    /// The triangle with the lowest number at a vertex.
    #[inline]
    pub fn owner(&self, vertex: u32) -> u32 {
        self.owners[vertex as usize]
    }

    /// A corner, not only a point of a facet or of a straight edge.
    #[inline]
    pub fn is_feature(&self, vertex: u32) -> bool {
        self.is_feature[vertex as usize]
    }

    /// The vertices that edges lead to.
    #[inline]
    pub fn ring(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.ring[self.ring_starts[vertex] as usize..self.ring_starts[vertex + 1] as usize]
    }

    /// The unit vector along an edge, and for each of its triangles the unit vector in its facet's
    /// plane, across the edge, away from it; where there is one triangle, its own twice. Also the
    /// sum of the normals.
    #[inline]
    pub fn wings(&self, triangle: u32, edge: usize) -> (DVec3, [DVec3; 2], DVec3) {
        let vertices = self.vertices[triangle as usize];
        let along = self.places[vertices[(edge + 1) % 3] as usize] - self.places[vertices[edge] as usize];
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

/// The unit normal, zero without area.
fn normal_of(corners: &[DVec3; 3]) -> DVec3 {
    let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
    // Each by its own length, so that squares of small ones do not vanish.
    match (scaling::unit(u), scaling::unit(v)) {
        (Some(u), Some(v)) => scaling::unit(u.cross(v)).unwrap_or(DVec3::ZERO),
        _ => DVec3::ZERO,
    }
}

/// The triangle beyond each edge.
fn neighbours(vertices: &[[u32; 3]], normals: &[DVec3]) -> Vec<[u32; 3]> {
    // Lower vertex, higher vertex, triangle, place of the edge in it, forwards or not.
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

/// For every triangle the one that its facet grew from; and what counts as the thickness of a
/// plane.
fn facets(
    corners: &[[DVec3; 3]],
    normals: &[DVec3],
    vertices: &[[u32; 3]],
    places: &[DVec3],
    neighbours: &[[u32; 3]],
) -> (Vec<u32>, f64) {
    let reach = places.iter().fold(DVec3::ZERO, |most, p| most.max(p.abs()));
    let thick = tol::FACET_THICK * reach.element_sum();
    // The square of each triangle's longest edge, and its area over that edge: how wide it is.
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
        let (normal, place) = (normals[seed as usize], corners[seed as usize][0]);
        open.push(seed);
        while let Some(t) = open.pop() {
            for next in neighbours[t as usize] {
                if next == NO_TRIANGLE || facets[next as usize] != NO_TRIANGLE {
                    continue;
                }
                let is_in_plane = vertices[next as usize]
                    .iter()
                    .all(|&v| normal.dot(places[v as usize] - place).abs() <= thick);
                // A sliver may point anywhere; anything else that is folded over is another side.
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

/// A length scale for displacements within the triangle: twice its area over its longest edge.
pub fn height_of(corners: &[DVec3; 3]) -> f64 {
    let [a, b, c] = *corners;
    let area = (b - a).cross(c - a).length();
    let longest_sq = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    if 0.0 < longest_sq { area / sqrt(longest_sq) } else { 0.0 }
}
