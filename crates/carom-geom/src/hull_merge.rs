//! Merges the triangles of an exact hull into polygons: nearly coplanar triangles become one face.
//!
//! Step 1: Exactly coplanar triangles form facets, which are convex.
//!
//! Step 2: Regions grow from the largest facet on. A region takes neighbours whose corners all lie
//! within the tolerance of its seed's plane. If a region is no disc, or is concave by more than the
//! tolerance, it is grown again with a smaller tolerance. With tolerance 0 the region is its seed,
//! which is valid.
//!
//! Step 3: Corners inside a region, or on a straight line between two regions, are redundant. The
//! hull of the other corners is built again, until no corner is redundant.
//!
//! Reference: D. Gregorius, Implementing Quickhull, Game Developers Conference, 2014 (what must not
//! remain: faces with holes, corners of two faces, dents); D. Douglas, T. Peucker, Algorithms for
//! the Reduction of the Number of Points, 1973 (straight lines).
//! Differs: merging moves no point, and the exact hull decides the topology. Nothing needs repair.

use crate::hull_build::{FlatPoints, NONE, Triangulation, quickhull};
use crate::normal::polygon_normal;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::predicates::orient3d;
use carom_math::scaling::{length, unit};
use glam::DVec3;

/// A closed convex surface of polygons.
pub(crate) struct Polytope {
    /// Indices of the input points, ascending. All numbers below are indices into this list.
    pub(crate) vertices: Vec<u32>,
    /// Corners of the faces, one face after the other, counter-clockwise seen from outside.
    pub(crate) corners: Vec<u32>,
    /// Start of each face in `corners`, and the end.
    pub(crate) first_corner: Vec<u32>,
    /// Neighbours of the vertices in the exact triangulation, one vertex after the other.
    pub(crate) neighbours: Vec<u32>,
    /// Start of each vertex in `neighbours`, and the end.
    pub(crate) first_neighbour: Vec<u32>,
    /// Normals of the faces, of unit length.
    pub(crate) normals: Vec<DVec3>,
    /// Number of tests of a point against a plane while the exact hulls were built.
    pub(crate) n_tests: u64,
}

/// Maximum number of rounds that remove corners by tolerance. Later rounds remove only corners
/// exactly in a plane or on a line.
const MAX_ROUNDS: usize = 8;

/// The tolerance is divided by this if a region is not valid, up to three times; then it is zero.
const SHRINK: f64 = 16.0;

/// Returns the hull of points, scaled as [`quickhull`] needs it, with faces merged up to
/// `tolerance`, a length.
pub(crate) fn polytope(points: &[DVec3], tolerance: f64) -> Result<Polytope, FlatPoints> {
    let exact = quickhull(points)?;
    let mut vertices = used_vertices(points.len(), &exact);
    // A body not much thicker than the tolerance would vanish: merge only exactly coplanar
    // triangles.
    let mut tolerance = if thinnest(points, &vertices, &exact) <= 64.0 * tolerance { 0.0 } else { tolerance };
    let mut surface = renumbered(exact, points.len(), &vertices);
    let mut is_pinned = vec![false; points.len()];
    let mut rounds = 0;
    loop {
        let corners: Vec<DVec3> = vertices.iter().map(|&v| points[v as usize]).collect();
        let pinned_here: Vec<bool> = vertices.iter().map(|&v| is_pinned[v as usize]).collect();
        let faces = Faces::grow(&corners, &surface, tolerance, &pinned_here);
        let (superfluous, has_two_faces) = faces.superfluous(&corners, &surface, tolerance);
        if has_two_faces.contains(&true) && 0.0 < tolerance {
            // At the tip of a wedge thinner than the tolerance, the sides were merged into front
            // and back. A needed corner with only two faces gets all its own faces back.
            let mut has_new = false;
            for (&v, &is_bad) in vertices.iter().zip(&has_two_faces) {
                has_new |= is_bad && !is_pinned[v as usize];
                is_pinned[v as usize] |= is_bad;
            }
            if !has_new {
                tolerance = 0.0;
            }
            continue;
        }
        if !superfluous.contains(&true) {
            if 4 <= faces.loops.len() || tolerance == 0.0 {
                return Ok(faces.into_polytope(vertices, &corners, &surface));
            }
            // The tolerance is too large for this body.
            tolerance = 0.0;
            continue;
        }
        rounds += 1;
        if rounds == MAX_ROUNDS {
            tolerance = 0.0;
            continue;
        }
        let kept: Vec<u32> =
            vertices.iter().zip(&superfluous).filter(|(_, gone)| !**gone).map(|(&v, _)| v).collect();
        let corners: Vec<DVec3> = kept.iter().map(|&v| points[v as usize]).collect();
        match quickhull(&corners) {
            Ok(mut smaller) => {
                smaller.n_tests += surface.n_tests;
                let used = used_vertices(corners.len(), &smaller);
                surface = renumbered(smaller, corners.len(), &used);
                vertices = used.iter().map(|&v| kept[v as usize]).collect();
            }
            Err(flat) if tolerance == 0.0 => return Err(flat),
            // The result has no volume: the tolerance is too large for this body.
            Err(_) => tolerance = 0.0,
        }
    }
}

/// Returns the points that are corners of triangles, ascending.
pub(crate) fn used_vertices(n_points: usize, surface: &Triangulation) -> Vec<u32> {
    let mut is_used = vec![false; n_points];
    for &v in surface.triangles.iter().flatten() {
        is_used[v as usize] = true;
    }
    (0..n_points as u32).filter(|&v| is_used[v as usize]).collect()
}

/// Returns the same surface with its corners numbered by their indices in `vertices`.
pub(crate) fn renumbered(mut surface: Triangulation, n_points: usize, vertices: &[u32]) -> Triangulation {
    let mut indices = vec![NONE; n_points];
    for (i, &v) in vertices.iter().enumerate() {
        indices[v as usize] = i as u32;
    }
    for v in surface.triangles.iter_mut().flatten() {
        *v = indices[*v as usize];
    }
    surface
}

/// Returns the approximate thickness: the least extent along the normals of the largest triangle
/// and of one across it.
fn thinnest(points: &[DVec3], vertices: &[u32], surface: &Triangulation) -> f64 {
    let (mut normal, mut twice_area) = (DVec3::Z, 0.0);
    for &corners in &surface.triangles {
        let [a, b, c] = corners.map(|v| points[v as usize]);
        let n = (b - a).cross(c - a);
        if twice_area < n.length_squared() {
            (normal, twice_area) = (n, n.length_squared());
        }
    }
    let extent = |direction: DVec3| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &v in vertices {
            let along = points[v as usize].dot(direction);
            (low, high) = (low.min(along), high.max(along));
        }
        high - low
    };
    let Some(normal) = unit(normal) else { return 0.0 };
    // Across the largest triangle the body is thinnest at right angles to the triangle's longest
    // direction.
    let (mut along, mut longest) = (DVec3::ZERO, 0.0);
    for &v in vertices {
        let offset = points[v as usize] - points[vertices[0] as usize];
        let offset = offset - normal * normal.dot(offset);
        if longest < offset.length_squared() {
            (along, longest) = (offset, offset.length_squared());
        }
    }
    let across = unit(normal.cross(along)).unwrap_or(normal);
    extent(normal).min(extent(across))
}

/// Regions of triangles and their rims.
struct Faces {
    /// The region of each triangle.
    region_of: Vec<u32>,
    /// The rim of each region: sides of triangles in order.
    loops: Vec<Vec<u32>>,
    /// The unit normal of each region's seed.
    normals: Vec<DVec3>,
}

impl Faces {
    /// Steps 1 and 2.
    ///
    /// Facets with a pinned corner are not merged.
    fn grow(corners: &[DVec3], surface: &Triangulation, tolerance: f64, is_pinned: &[bool]) -> Faces {
        let (facet_of, facets) = exact_facets(corners, surface);
        let mut order: Vec<u32> = (0..facets.len() as u32).collect();
        order.sort_by(|&f, &g| {
            facets[g as usize].twice_area.total_cmp(&facets[f as usize].twice_area).then(f.cmp(&g))
        });
        let mut faces =
            Faces { region_of: vec![NONE; surface.triangles.len()], loops: Vec::new(), normals: Vec::new() };
        let stays: Vec<bool> = facets
            .iter()
            .map(|facet| {
                let mut of_facet = facet.triangles.iter().flat_map(|&t| surface.triangles[t as usize]);
                of_facet.any(|v| is_pinned[v as usize])
            })
            .collect();
        let mut rim_at = vec![NONE; corners.len()];
        let (mut members, mut taken) = (Vec::new(), vec![false; facets.len()]);
        for &seed in &order {
            if taken[seed as usize] {
                continue;
            }
            let region = faces.loops.len() as u32;
            let normal = facets[seed as usize].normal;
            let mut reach = if stays[seed as usize] { 0.0 } else { tolerance };
            for attempt in 0..5 {
                members.clear();
                members.push(seed);
                taken[seed as usize] = true;
                let mut at = 0;
                while at < members.len() {
                    let triangles = &facets[members[at] as usize].triangles;
                    at += 1;
                    for &t in triangles {
                        faces.region_of[t as usize] = region;
                        if reach == 0.0 {
                            continue;
                        }
                        for side in surface.twins[t as usize] {
                            let neighbour = facet_of[(side / 3) as usize];
                            if !(taken[neighbour as usize] || stays[neighbour as usize])
                                && facets[neighbour as usize]
                                    .is_along(normal, reach, seed, &facets, surface, corners)
                            {
                                taken[neighbour as usize] = true;
                                members.push(neighbour);
                            }
                        }
                    }
                }
                let rim = faces.rim(region, &members, &facets, surface, &mut rim_at);
                if let Some(rim) = rim
                    && (reach == 0.0 || !dents(&rim, normal, reach, corners, surface))
                {
                    faces.loops.push(rim);
                    faces.normals.push(normal);
                    break;
                }
                for &facet in &members {
                    taken[facet as usize] = false;
                    for &t in &facets[facet as usize].triangles {
                        faces.region_of[t as usize] = NONE;
                    }
                }
                reach = if attempt < 3 { reach / SHRINK } else { 0.0 };
            }
        }
        faces
    }

    /// Returns the rim of a region, if it is one ring that visits each corner once.
    fn rim(
        &self,
        region: u32,
        members: &[u32],
        facets: &[Facet],
        surface: &Triangulation,
        rim_at: &mut [u32],
    ) -> Option<Vec<u32>> {
        let mut sides = Vec::new();
        for &facet in members {
            for &t in &facets[facet as usize].triangles {
                for i in 0..3 {
                    let twin = surface.twins[t as usize][i];
                    if self.region_of[(twin / 3) as usize] != region {
                        sides.push(3 * t + i as u32);
                    }
                }
            }
        }
        let mut is_simple = true;
        for &side in &sides {
            let start = &mut rim_at[surface.start(side) as usize];
            is_simple &= *start == NONE;
            *start = side;
        }
        let mut ring = Vec::with_capacity(sides.len());
        if is_simple && let Some(&first) = sides.first() {
            let mut side = first;
            while side != NONE && ring.len() < sides.len() {
                ring.push(side);
                side = rim_at[surface.end(side) as usize];
                if side == first {
                    break;
                }
            }
        }
        for &side in &sides {
            rim_at[surface.start(side) as usize] = NONE;
        }
        (is_simple && ring.len() == sides.len() && 3 <= ring.len()).then_some(ring)
    }

    /// Returns the redundant corners, and the needed corners with only two faces: step 3.
    fn superfluous(
        &self,
        corners: &[DVec3],
        surface: &Triangulation,
        tolerance: f64,
    ) -> (Vec<bool>, Vec<bool>) {
        let mut n_regions = vec![0_u32; corners.len()];
        for &side in self.loops.iter().flatten() {
            n_regions[surface.start(side) as usize] += 1;
        }
        let mut gone: Vec<bool> = n_regions.iter().map(|&n| n == 0).collect();
        for (region, ring) in self.loops.iter().enumerate() {
            let is_junction = |side: u32| 3 <= n_regions[surface.start(side) as usize];
            let Some(first) = ring.iter().position(|&side| is_junction(side)) else { continue };
            // Chains of corners of two regions, between junctions; both regions visit each chain.
            let n = ring.len();
            let mut at = 0;
            while at < n {
                let mut length = 1;
                while length < n && !is_junction(ring[(first + at + length) % n]) {
                    length += 1;
                }
                let side = ring[(first + at) % n];
                let other = self.region_of[(surface.twin(side) / 3) as usize] as usize;
                if 1 < length && region < other {
                    let chain: Vec<u32> =
                        (0..=length).map(|i| surface.start(ring[(first + at + i) % n])).collect();
                    simplify(&chain, corners, tolerance, &mut gone);
                }
                at += length;
            }
        }
        let has_two_faces = (0..corners.len()).map(|v| n_regions[v] < 3 && !gone[v]).collect();
        (gone, has_two_faces)
    }

    fn into_polytope(self, vertices: Vec<u32>, corners: &[DVec3], surface: &Triangulation) -> Polytope {
        let ring = |sides: Vec<u32>| sides.into_iter().map(|side| surface.start(side)).collect();
        let rings = self.loops.into_iter().map(ring).zip(self.normals).collect();
        assembled(rings, vertices, corners, surface)
    }
}

/// Returns the polytope with these faces: their corners, and normals for those whose corners have
/// none.
pub(crate) fn assembled(
    mut rings: Vec<(Vec<u32>, DVec3)>,
    vertices: Vec<u32>,
    corners: &[DVec3],
    surface: &Triangulation,
) -> Polytope {
    let mut first_neighbour = vec![0_u32; corners.len() + 1];
    for &v in surface.triangles.iter().flatten() {
        first_neighbour[v as usize + 1] += 1;
    }
    for v in 0..corners.len() {
        first_neighbour[v + 1] += first_neighbour[v];
    }
    let mut fill = first_neighbour.clone();
    let mut neighbours = vec![0; 3 * surface.triangles.len()];
    for &[a, b, c] in &surface.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            neighbours[fill[from as usize] as usize] = to;
            fill[from as usize] += 1;
        }
    }
    // A canonical order, independent of how the hull was found. Each face starts at its lowest
    // corner; faces are sorted by their corners.
    for (polygon, _) in &mut rings {
        let lowest = (0..polygon.len()).min_by_key(|&i| polygon[i]).unwrap_or(0);
        polygon.rotate_left(lowest);
    }
    rings.sort_by(|(ring, _), (other, _)| ring.cmp(other));
    for v in 0..corners.len() {
        neighbours[first_neighbour[v] as usize..first_neighbour[v + 1] as usize].sort_unstable();
    }
    let mut first_corner = vec![0];
    let mut ring_corners = Vec::new();
    let mut normals = Vec::new();
    for (polygon, seed_normal) in rings {
        ring_corners.extend_from_slice(&polygon);
        first_corner.push(ring_corners.len() as u32);
        let normal = polygon_normal(polygon.len(), |i| corners[polygon[i] as usize]);
        normals.push(normal.unwrap_or(seed_normal));
    }
    let n_tests = surface.n_tests;
    Polytope { vertices, corners: ring_corners, first_corner, neighbours, first_neighbour, normals, n_tests }
}

/// Triangles exactly in one plane.
struct Facet {
    triangles: Vec<u32>,
    normal: DVec3,
    twice_area: f64,
}

impl Facet {
    /// Whether all corners lie within `reach` of the seed's plane, and the two face the same way.
    fn is_along(
        &self,
        normal: DVec3,
        reach: f64,
        seed: u32,
        facets: &[Facet],
        surface: &Triangulation,
        corners: &[DVec3],
    ) -> bool {
        let origin = corners[surface.triangles[facets[seed as usize].triangles[0] as usize][0] as usize];
        0.0 < self.normal.dot(normal)
            && self.triangles.iter().all(|&t| {
                surface.triangles[t as usize]
                    .iter()
                    .all(|&v| normal.dot(corners[v as usize] - origin).abs() <= reach)
            })
    }
}

/// Returns the facet of each triangle, and the facets: step 1.
fn exact_facets(corners: &[DVec3], surface: &Triangulation) -> (Vec<u32>, Vec<Facet>) {
    let n = surface.triangles.len();
    let mut facet_of = vec![NONE; n];
    let mut facets: Vec<Facet> = Vec::new();
    for first in 0..n as u32 {
        if facet_of[first as usize] != NONE {
            continue;
        }
        let number = facets.len() as u32;
        let mut facet = Facet { triangles: vec![first], normal: DVec3::ZERO, twice_area: 0.0 };
        facet_of[first as usize] = number;
        let (mut largest, mut best) = (-1.0, first);
        let mut at = 0;
        while at < facet.triangles.len() {
            let t = facet.triangles[at];
            at += 1;
            let [a, b, c] = surface.triangles[t as usize].map(|v| corners[v as usize]);
            let size = length((b - a).cross(c - a));
            facet.twice_area += size;
            if largest < size {
                (largest, best) = (size, t);
            }
            for i in 0..3 {
                let twin = surface.twins[t as usize][i];
                let neighbour = twin / 3;
                let opposite = corners[surface.start(3 * neighbour + (twin + 2) % 3) as usize];
                if facet_of[neighbour as usize] == NONE && orient3d(a, b, c, opposite) == 0.0 {
                    facet_of[neighbour as usize] = number;
                    facet.triangles.push(neighbour);
                }
            }
        }
        let ring = surface.triangles[best as usize];
        facet.normal = polygon_normal(3, |i| corners[ring[i] as usize]).unwrap_or(DVec3::ZERO);
        facets.push(facet);
    }
    (facet_of, facets)
}

/// Whether a corner of the ring lies inside the line of its neighbours by more than the tolerance.
fn dents(ring: &[u32], normal: DVec3, tolerance: f64, corners: &[DVec3], surface: &Triangulation) -> bool {
    let n = ring.len();
    (0..n).any(|i| {
        let [p, q, r] = [i, i + 1, i + 2].map(|k| corners[surface.start(ring[k % n]) as usize]);
        let along = r - p;
        let turn = normal.dot((q - p).cross(r - q));
        // Twice the area over the base is the height.
        turn < 0.0 && tolerance * tolerance * along.length_squared() < turn * turn
    })
}

/// Marks the corners that can be removed between the ends of a chain without moving it by more than
/// the tolerance.
fn simplify(chain: &[u32], corners: &[DVec3], tolerance: f64, gone: &mut [bool]) {
    let mut spans = vec![(0, chain.len() - 1)];
    while let Some((low, high)) = spans.pop() {
        let (from, to) = (corners[chain[low] as usize], corners[chain[high] as usize]);
        let along = unit(to - from).unwrap_or(DVec3::ZERO);
        let (mut farthest, mut most) = (low, -1.0);
        for i in low + 1..high {
            let offset = corners[chain[i] as usize] - from;
            let off = offset.cross(along).length_squared();
            if most < off {
                (farthest, most) = (i, off);
            }
        }
        if most < 0.0 {
            continue;
        }
        // With tolerance 0, two exact planes decide: rounding of the distance keeps no corner.
        if most <= tolerance * tolerance || tolerance == 0.0 {
            for &v in &chain[low + 1..high] {
                gone[v as usize] = true;
            }
        } else {
            spans.push((low, farthest));
            spans.push((farthest, high));
        }
    }
}

impl Triangulation {
    /// Returns the corner where a side starts.
    #[inline]
    fn start(&self, side: u32) -> u32 {
        self.triangles[(side / 3) as usize][(side % 3) as usize]
    }

    /// Returns the corner where a side ends.
    #[inline]
    fn end(&self, side: u32) -> u32 {
        self.triangles[(side / 3) as usize][((side + 1) % 3) as usize]
    }

    /// Returns the same side in the neighbour.
    #[inline]
    fn twin(&self, side: u32) -> u32 {
        self.twins[(side / 3) as usize][(side % 3) as usize]
    }
}
