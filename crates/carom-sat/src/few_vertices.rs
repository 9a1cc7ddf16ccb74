//! The axis of least overlap of two small hulls: all faces in lanes of vertices, and only edges
//! that are near.
//!
//! The depths of all vertices under all faces of the other hull give three things:
//!
//! - The deepest vertex under a face gives the overlap of that face.
//! - The least depth of a vertex over all faces bounds every overlap from below, because the
//!   vertex has to come out. If it equals the overlap of the best face, the search ends.
//! - If the hulls overlap, an edge beyond a face of the other hull by more than the best overlap
//!   is skipped. Such an edge cannot be on the least axis. A few pairs are left for the Gauss map.
//!
//! A common point proves that the hulls overlap. If none is known, all edges are tested.
//!
//! Tried: this for a depth alone; no faster than GJK and EPA. See `benches/notes/carom-sat.md`.
//!
//! Reference: D. Gregorius, The Separating Axis Test between Convex Polyhedra, Game Developers
//! Conference, 2013 (the Gauss map).
//! Differs: vertices and faces come first.

use crate::Tally;
use crate::closest;
use crate::gauss_map::{HullAxis, Overlap, Search};
use carom_geom::WideHull;
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::scaling::balanced;
use carom_math::{WidePose, ops::sqrt};
use glam::{DMat3, DVec3};

/// The most vertices and the most faces of either hull. A triangulated hull of 16 vertices has 28
/// faces.
const MAX_VERTICES: usize = 16;
const MAX_FACES: usize = 32;

/// Whether both hulls are small enough for this search.
pub(crate) fn fits<H: WideHull>(a: &H, b: &H) -> bool {
    [a, b].iter().all(|hull| {
        hull.n_vertices() <= MAX_VERTICES
            && hull.n_faces() <= MAX_FACES
            && hull.half_edges().len() <= 2 * MAX_EDGES
    })
}

/// As [`crate::gauss_map::least_overlap`], for hulls that [`fits`] admits.
pub(crate) fn least_overlap<H: WideHull>(
    search: &Search<'_, H>,
    prediction: f64,
    tie: f64,
    tally: impl Tally,
) -> Option<Overlap> {
    let n = search.a.n_vertices().max(search.b.n_vertices());
    if n <= 8 {
        dispatch(Few::<_, _, 8> { search, prediction, tie, tally })
    } else {
        dispatch(Few::<_, _, MAX_VERTICES> { search, prediction, tie, tally })
    }
}

/// The search compiled for each instruction set.
struct Few<'k, 's, H, T, const N: usize> {
    search: &'k Search<'s, H>,
    prediction: f64,
    tie: f64,
    tally: T,
}

impl<H: WideHull, T: Tally, const N: usize> Kernel for Few<'_, '_, H, T, N> {
    type Output = Option<Overlap>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Option<Overlap> {
        self.find()
    }
}

impl<H: WideHull, T: Tally, const N: usize> Few<'_, '_, H, T, N> {
    #[inline(always)]
    fn find(&self) -> Option<Overlap> {
        let Few { search, prediction, tie, tally } = *self;
        let Search { a, b, b_in_a, .. } = *search;
        let points = [Points::<N>::new(a, &WidePose::IDENTITY), Points::<N>::new(b, b_in_a)];
        let [points_a, points_b] = &points;
        let (mut best, mut best_axis) = (f64::INFINITY, HullAxis::FaceA(0));
        let (mut inside_a, mut inside_b) = ([f64::INFINITY; N], [f64::INFINITY; N]);
        for face in 0..a.n_faces() as u32 {
            let depths = points_b.depths(a.face_normal(face), a.face_offset(face));
            inside_b = least_of(inside_b, depths);
            let overlap = most(depths);
            tally.count(|counters| counters.axes += 1);
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                (best, best_axis) = (overlap, HullAxis::FaceA(face));
            }
        }
        for face in 0..b.n_faces() as u32 {
            let (normal, offset) = placed_face(b, b_in_a, face);
            let depths = points_a.depths(normal, offset);
            inside_a = least_of(inside_a, depths);
            let overlap = most(depths);
            tally.count(|counters| counters.axes += 1);
            if overlap < -prediction {
                return None;
            }
            if overlap < best - tie {
                (best, best_axis) = (overlap, HullAxis::FaceB(face));
            }
        }
        let inside = most(inside_a).max(most(inside_b));
        let face = search.measure(best_axis)?;
        // A value below zero is not a depth, and no bound: a vertex beyond a corner is farther
        // away than its distance from a face.
        if 0.0 <= inside && best <= inside + tie {
            return Some(face);
        }
        // If the hulls are apart, the axis of the largest gap may come from edges that are not
        // near.
        let reach = if 0.0 < best { best + tie } else { f64::INFINITY };
        let (mut beyond_a, mut beyond_b) = ([0.0; N], [0.0; N]);
        if reach < f64::INFINITY {
            for face in 0..a.n_faces() as u32 {
                let depths = points_b.depths(a.face_normal(face), a.face_offset(face));
                mark(&mut beyond_b, depths, -reach, face);
            }
            for face in 0..b.n_faces() as u32 {
                let (normal, offset) = placed_face(b, b_in_a, face);
                mark(&mut beyond_a, points_a.depths(normal, offset), -reach, face);
            }
        }
        let near = self.edges(&points, [beyond_a, beyond_b], face)?;
        if reach == f64::INFINITY || 0.0 < inside || has_common_point(search, &near) {
            return Some(near);
        }
        self.edges(&points, [[0.0; N]; 2], face)
    }

    /// Finds the pairs of edges that make faces of the difference. Edges beyond a face of the
    /// other hull are skipped: `beyond` has these faces for each vertex of A and B, as bits.
    #[inline(always)]
    fn edges(&self, points: &[Points<N>; 2], beyond: [[f64; N]; 2], face: Overlap) -> Option<Overlap> {
        let Few { search, prediction, tie, tally } = *self;
        let Search { a, b, .. } = *search;
        let [points_a, points_b] = points;
        let [beyond_a, beyond_b] = beyond.map(|bits| bits.map(|x| x as u64));
        let edges = Edges::new(search, &beyond_b);
        let mut best = face.overlap;
        let mut found = None;
        for (number, edge) in a.half_edges().iter().enumerate() {
            let twin = edge.twin as usize;
            if twin < number {
                continue;
            }
            let other = a.half_edges()[twin];
            if beyond_a[edge.origin as usize % N] & beyond_a[other.origin as usize % N] != 0 {
                continue;
            }
            let (left, right) = (a.face_normal(edge.face), a.face_normal(other.face));
            let start = a.position(edge.origin);
            // Scaled to unit size: squares of products of short edges would vanish.
            let along = balanced(a.position(other.origin) - start);
            for four in &edges.fours[..edges.n.div_ceil(4)] {
                let keys = four.keys(along, left, right);
                for lane in 0..4 {
                    if !(keys[lane] < 0.0) {
                        continue;
                    }
                    let along_b = DVec3::new(four.along[0][lane], four.along[1][lane], four.along[2][lane]);
                    let cross = along.cross(along_b);
                    let length_sq = cross.length_squared();
                    if !(0.0 < length_sq) {
                        continue; // Parallel.
                    }
                    // The sum of the two normals also gives the sign, but not if they are
                    // opposite, as on a flat hull.
                    let outward = if left.dot(along_b) < 0.0 { -cross } else { cross };
                    let normal = outward * (1.0 / sqrt(length_sq));
                    let limit = best - tie;
                    let half_edge = four.half_edges[lane];
                    if limit <= normal.dot(start - points_b.at(b.half_edges()[half_edge as usize].origin)) {
                        continue;
                    }
                    let overlap = most(points_a.along(normal)) - least(points_b.along(normal));
                    tally.count(|counters| counters.axes += 1);
                    if overlap < -prediction {
                        return None;
                    }
                    if overlap < limit {
                        best = overlap;
                        found = Some((normal, HullAxis::Edges(number as u32, half_edge)));
                    }
                }
            }
        }
        Some(found.map_or(face, |(normal, axis)| search.along(normal, axis)))
    }
}

/// Returns a face of B in A's frame: outward normal and offset.
#[inline(always)]
fn placed_face<H: WideHull>(b: &H, b_in_a: &WidePose, face: u32) -> (DVec3, f64) {
    let normal = b_in_a.rotation * b.face_normal(face);
    (normal, b.face_offset(face) + normal.dot(b_in_a.translation))
}

/// Four vectors, coordinate by coordinate.
type Four = [[f64; 4]; 3];

/// Returns the dot products of four vectors with one.
#[inline(always)]
fn dots(four: &Four, v: DVec3) -> [f64; 4] {
    let mut dots = [0.0; 4];
    for lane in 0..4 {
        dots[lane] = four[0][lane] * v.x + four[1][lane] * v.y + four[2][lane] * v.z;
    }
    dots
}

/// Four edges of -B in A's frame: directions, and the negated normals of the faces to the left and
/// to the right.
#[derive(Clone, Copy)]
struct FourEdges {
    along: Four,
    left: Four,
    right: Four,
    half_edges: [u32; 4],
}

/// The most edges: a triangulated hull has three for every two faces.
const MAX_EDGES: usize = 48;

/// The edges of B that are not beyond a face of A.
struct Edges {
    fours: [FourEdges; MAX_EDGES / 4],
    n: usize,
}

impl Edges {
    #[inline(always)]
    fn new<H: WideHull, const N: usize>(search: &Search<'_, H>, beyond: &[u64; N]) -> Edges {
        let none = [[0.0; 4]; 3];
        let none = FourEdges { along: none, left: none, right: none, half_edges: [0; 4] };
        let mut edges = Edges { fours: [none; MAX_EDGES / 4], n: 0 };
        let all = search.b.half_edges();
        for (number, edge) in all.iter().enumerate() {
            let twin = edge.twin as usize;
            if number < twin
                && edges.n < MAX_EDGES
                && beyond[edge.origin as usize % N] & beyond[all[twin].origin as usize % N] == 0
                && let Some(edge) = search.edge_b(number as u32)
            {
                let (four, lane) = (&mut edges.fours[edges.n / 4], edges.n % 4);
                let put = |list: &mut Four, v: DVec3| {
                    (list[0][lane], list[1][lane], list[2][lane]) = (v.x, v.y, v.z);
                };
                put(&mut four.along, edge.along);
                put(&mut four.left, edge.left);
                put(&mut four.right, edge.right);
                four.half_edges[lane] = edge.half_edge;
                edges.n += 1;
            }
        }
        edges
    }
}

impl FourEdges {
    /// Returns a key for each lane: negative if the edge makes a face of the difference with the
    /// given edge of A. The edge of A is given by its direction and the normals to its left and
    /// right. Lanes without an edge are not negative.
    #[inline(always)]
    fn keys(&self, along: DVec3, left: DVec3, right: DVec3) -> [f64; 4] {
        // Three conditions: the ends of B's arc lie on different sides of the plane of A's arc.
        // The same holds for A's arc and B's plane. Both arcs lie in one hemisphere.
        let (c, d) = (dots(&self.left, along), dots(&self.right, along));
        let (e, f) = (dots(&self.along, left), dots(&self.along, right));
        let mut keys = [0.0; 4];
        for lane in 0..4 {
            let (cd, ef, fc) = (c[lane] * d[lane], e[lane] * f[lane], -(c[lane] * f[lane]));
            let most = if cd < ef { ef } else { cd };
            keys[lane] = if most < fc { fc } else { most };
        }
        keys
    }
}

/// Whether a point is found inside both hulls: midway between their centres, or where the two
/// edges of the axis cross.
///
/// Hulls without such a point may overlap as well.
#[inline(never)]
fn has_common_point<H: WideHull>(search: &Search<'_, H>, found: &Overlap) -> bool {
    let Search { a, b, b_in_a, .. } = *search;
    let is_inside = |hull: &H, point: DVec3| {
        (0..hull.n_faces() as u32).all(|f| hull.face_normal(f).dot(point) < hull.face_offset(f))
    };
    let is_common = |point| is_inside(a, point) && is_inside(b, b_in_a.inverse_transform_point(point));
    let crossing = || {
        let HullAxis::Edges(edge_a, edge_b) = found.axis else { return false };
        let ends = |hull: &H, edge: u32| hull.ends(edge).map(|v| hull.position(v));
        let [a0, a1] = ends(a, edge_a);
        let [b0, b1] = ends(b, edge_b).map(|p| b_in_a.transform_point(p));
        let (p, q, _) = closest::crossing(a0, a1, b0, b1, found.normal);
        is_common((p + q) * 0.5)
    };
    crossing() || is_common((a.center() + b_in_a.transform_point(b.center())) * 0.5)
}

/// The vertices of a hull in A's frame, coordinate by coordinate. Unused lanes repeat the first.
struct Points<const N: usize> {
    x: [f64; N],
    y: [f64; N],
    z: [f64; N],
}

impl<const N: usize> Points<N> {
    #[inline(always)]
    fn new(hull: &impl WideHull, pose: &WidePose) -> Points<N> {
        let n = hull.n_vertices();
        let (mut x, mut y, mut z) = ([0.0; N], [0.0; N], [0.0; N]);
        for lane in 0..N {
            let own = hull.position(if lane < n { lane as u32 } else { 0 });
            (x[lane], y[lane], z[lane]) = (own.x, own.y, own.z);
        }
        let DMat3 { x_axis: r, y_axis: s, z_axis: t } = pose.rotation;
        let offset = pose.translation;
        let mut placed = Points { x, y, z };
        for lane in 0..N {
            placed.x[lane] = r.x * x[lane] + s.x * y[lane] + t.x * z[lane] + offset.x;
            placed.y[lane] = r.y * x[lane] + s.y * y[lane] + t.y * z[lane] + offset.y;
            placed.z[lane] = r.z * x[lane] + s.z * y[lane] + t.z * z[lane] + offset.z;
        }
        placed
    }

    #[inline(always)]
    fn at(&self, vertex: u32) -> DVec3 {
        let lane = vertex as usize % N;
        DVec3::new(self.x[lane], self.y[lane], self.z[lane])
    }

    /// Returns the dot product of each vertex with a vector.
    #[inline(always)]
    fn along(&self, v: DVec3) -> [f64; N] {
        let mut along = [0.0; N];
        for lane in 0..N {
            along[lane] = self.x[lane] * v.x + self.y[lane] * v.y + self.z[lane] * v.z;
        }
        along
    }

    /// Returns the depth of each vertex under a plane.
    #[inline(always)]
    fn depths(&self, normal: DVec3, offset: f64) -> [f64; N] {
        let mut depths = self.along(normal);
        for lane in 0..N {
            depths[lane] = offset - depths[lane];
        }
        depths
    }
}

/// Returns the smaller value of each lane.
#[inline(always)]
fn least_of<const N: usize>(mut a: [f64; N], b: [f64; N]) -> [f64; N] {
    for lane in 0..N {
        a[lane] = if b[lane] < a[lane] { b[lane] } else { a[lane] };
    }
    a
}

/// Returns the largest of all lanes. Their number is a power of two.
#[inline(always)]
fn most<const N: usize>(mut a: [f64; N]) -> f64 {
    let mut n = N / 2;
    while 0 < n {
        for lane in 0..n {
            a[lane] = if a[lane] < a[lane + n] { a[lane + n] } else { a[lane] };
        }
        n /= 2;
    }
    a[0]
}

/// Returns the least of all lanes. Their number is a power of two.
#[inline(always)]
fn least<const N: usize>(a: [f64; N]) -> f64 {
    -most(a.map(|x| -x))
}

/// Adds the bit of a face to the vertices that are less than `depth` under it. The bits are whole
/// numbers in `f64`, because lanes compare and add in `f64`. They hold one bit for each face.
#[inline(always)]
fn mark<const N: usize>(bits: &mut [f64; N], depths: [f64; N], depth: f64, face: u32) {
    let bit = (1_u64 << face) as f64;
    for lane in 0..N {
        bits[lane] += if depths[lane] < depth { bit } else { 0.0 };
    }
}
