//! A convex polytope that grows by one point at a time: triangles with neighbours, in memory of the
//! caller.
//!
//! - A new point replaces the faces that it sees by a fan over their rim.
//! - The visible region is flooded from a given face. If rounding gives it a hole or a pinch, only
//!   the given face is replaced, by three, so the surface stays closed.
//! - Each face keeps a lower bound of its distance from the origin: the least product of its unit
//!   normal with its corners. The bound holds even if the normal is inexact.
//!
//! Reference: G. van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game
//! Objects, 2001, section 4.
//! Differs: no recursion, no heap. The visible region is checked to be a disc before the surface
//! changes. The bounds are certified.

use crate::minkowski::Vertex;
use crate::simplex::{THIN_SINE_SQ, normal_of};
use carom_lanes::{Kernel, Simd, dispatch};
use carom_math::predicates::orient3d;
use carom_math::{ops::sqrt, tol};
use glam::DVec3;

/// A triangle, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    /// Outward unit normal. Zero for a sliver, which is a triangle without height.
    pub(crate) normal: DVec3,
    /// The least of `normal . corner`. Infinite for a sliver.
    pub(crate) distance: f64,
    pub(crate) corners: [u16; 3],
    /// For the edge from corner i to corner i + 1: four times the neighbour's index plus the number
    /// of its edge.
    neighbours: [u16; 3],
    /// The flood that last saw this face, and whether the face was visible in it.
    stamp: u32,
    /// Whether the face is final: part of C's surface, or too thin to be improved.
    pub(crate) is_final: bool,
}

impl Face {
    pub(crate) const NONE: Face = Face {
        normal: DVec3::ZERO,
        distance: f64::INFINITY,
        corners: [0; 3],
        neighbours: [0; 3],
        stamp: 0,
        is_final: false,
    };

    /// A placeholder for unused memory: all bits zero, which is the fastest to write.
    pub(crate) const BLANK: Face = Face { distance: 0.0, ..Face::NONE };
}

/// Scaled length, squared. Faces of less height have no normal.
const SLIVER_SQ: f64 = tol::GJK_ROUNDING * tol::GJK_ROUNDING;

/// The most faces of a visible region in the first attempt. Its buffers have room for the edges
/// around it and the edges that wait.
const MAX_VISIBLE_FACES: usize = 62;
const FEW_FACES_AROUND: usize = MAX_VISIBLE_FACES + 2;
const FEW_FACES_WAITING: usize = MAX_VISIBLE_FACES + 4;

/// The most faces in the second attempt, such as a new apex over a round base. It is the most that
/// a polytope can have.
const MAX_FACES: usize = 560;
const MAX_AROUND: usize = MAX_FACES + 2;
const MAX_WAITING: usize = MAX_FACES + 4;

/// The polytope.
pub(crate) struct Polytope<'m> {
    pub(crate) vertices: &'m mut [Vertex],
    pub(crate) faces: &'m mut [Face],
    pub(crate) n_vertices: usize,
    pub(crate) n_faces: usize,
    stamp: u32,
}

/// The error that the memory is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl<'m> Polytope<'m> {
    pub(crate) fn new(vertices: &'m mut [Vertex], faces: &'m mut [Face]) -> Polytope<'m> {
        Polytope { vertices, faces, n_vertices: 0, n_faces: 0, stamp: 0 }
    }

    /// Returns a copy in larger memory.
    pub(crate) fn moved<'n>(&self, vertices: &'n mut [Vertex], faces: &'n mut [Face]) -> Polytope<'n> {
        vertices[..self.n_vertices].copy_from_slice(&self.vertices[..self.n_vertices]);
        faces[..self.n_faces].copy_from_slice(&self.faces[..self.n_faces]);
        Polytope { vertices, faces, n_vertices: self.n_vertices, n_faces: self.n_faces, stamp: self.stamp }
    }

    /// Sets a tetrahedron. Its corners may have any orientation. Face 0 is that of the first three.
    ///
    /// Returns the least distance of a corner from the face across, or 0 if a face is a sliver. The
    /// four faces are computed in lanes, in a separate kernel.
    ///
    /// Tried: sharing the lanes of [`Fan`]; 6 to 10 % slower for two hulls of 32 vertices that
    /// overlap deeply.
    pub(crate) fn set_tetrahedron(&mut self, corners: [&Vertex; 4]) -> f64 {
        dispatch(TetrahedronKernel { polytope: self, corners })
    }

    /// Returns the face that is nearest to the origin.
    #[inline(always)]
    pub(crate) fn nearest_face(&self) -> usize {
        let mut best = 0;
        let mut best_distance = f64::INFINITY;
        for (face, data) in self.faces[..self.n_faces].iter().enumerate() {
            if data.distance < best_distance {
                (best, best_distance) = (face, data.distance);
            }
        }
        best
    }

    /// Returns the coordinates of a face's corners.
    #[inline(always)]
    pub(crate) fn corners(&self, face: usize) -> [DVec3; 3] {
        self.faces[face].corners.map(|corner| self.vertices[usize::from(corner)].w)
    }

    /// Whether a vertex has exactly these coordinates.
    #[inline(always)]
    pub(crate) fn has_vertex(&self, w: DVec3) -> bool {
        let mut has = false;
        for vertex in &self.vertices[..self.n_vertices] {
            has |= vertex.w == w;
        }
        has
    }

    /// Adds a point beyond `face`. A face is removed if the point is more than `threshold` beyond
    /// it.
    #[inline(always)]
    pub(crate) fn expand(&mut self, face: usize, vertex: Vertex, threshold: f64) -> Result<(), Full> {
        if self.n_vertices == self.vertices.len() {
            return Err(Full);
        }
        let mut visible = [0u16; MAX_VISIBLE_FACES];
        let mut rim = [(0u16, 0u16); FEW_FACES_AROUND];
        let found = self.flood::<MAX_VISIBLE_FACES, FEW_FACES_AROUND, FEW_FACES_WAITING>(
            face,
            vertex.w,
            threshold,
            &mut visible,
            &mut rim,
        );
        if found.0 == 0 {
            return self.expand_far(face, vertex, threshold);
        }
        self.replace(face, vertex, &mut visible, &mut rim, found)
    }

    /// As [`Polytope::expand`], for a point that sees many faces. If some of them stayed, the
    /// surface would be dented and give no bound.
    #[cold]
    #[inline(never)]
    fn expand_far(&mut self, face: usize, vertex: Vertex, threshold: f64) -> Result<(), Full> {
        let mut visible = [0u16; MAX_FACES];
        let mut rim = [(0u16, 0u16); MAX_AROUND];
        let found = self.flood::<MAX_FACES, MAX_AROUND, MAX_WAITING>(
            face,
            vertex.w,
            threshold,
            &mut visible,
            &mut rim,
        );
        self.replace(face, vertex, &mut visible, &mut rim, found)
    }

    /// Replaces the visible region by a fan around the new point. If the region is not a disc, only
    /// `face` is replaced.
    #[inline(always)]
    fn replace(
        &mut self,
        face: usize,
        vertex: Vertex,
        visible: &mut [u16],
        rim: &mut [(u16, u16)],
        (mut n_visible, mut n_rim): (usize, usize),
    ) -> Result<(), Full> {
        if n_visible == 0 || !self.is_loop(&rim[..n_rim]) {
            (n_visible, visible[0]) = (1, face as u16);
            n_rim = 3;
            for (edge, out) in rim[..3].iter_mut().enumerate() {
                let link = self.faces[face].neighbours[edge];
                *out = (link / 4, link % 4);
            }
        }
        // Two more faces than before, or fewer if vertices vanish inside the region.
        let n_fresh = n_rim.saturating_sub(n_visible);
        if self.faces.len() < self.n_faces + n_fresh {
            return Err(Full);
        }
        let new_corner = self.n_vertices as u16;
        self.vertices[self.n_vertices] = vertex;
        self.n_vertices += 1;
        // The fan reuses the slots of the removed faces.
        let first_fresh = self.n_faces;
        let slot =
            |i: usize| if i < n_visible { usize::from(visible[i]) } else { first_fresh + i - n_visible };
        let mut i = 0;
        while i < n_rim {
            // Unused lanes repeat the last one.
            let mut fan = Fan::new(self.vertices[self.n_vertices - 1].w);
            let mut ends = [[0; 2]; 4];
            for lane in 0..4 {
                let (beyond, edge) = rim[(i + lane).min(n_rim - 1)];
                let outer = &self.faces[usize::from(beyond)];
                let (to, from) =
                    (outer.corners[usize::from(edge)], outer.corners[usize::from((edge + 1) % 3)]);
                ends[lane] = [from, to];
                fan.set_lane(lane, self.vertices[usize::from(from)].w, self.vertices[usize::from(to)].w);
            }
            let planes = fan.planes();
            for lane in 0..(n_rim - i).min(4) {
                let (beyond, edge) = rim[i];
                let next = if i + 1 == n_rim { 0 } else { i + 1 };
                let last = if i == 0 { n_rim - 1 } else { i - 1 };
                self.faces[usize::from(beyond)].neighbours[usize::from(edge)] = (slot(i) * 4) as u16;
                self.faces[slot(i)] = Face {
                    normal: planes.normal(lane),
                    distance: planes.distance[lane],
                    corners: [ends[lane][0], ends[lane][1], new_corner],
                    neighbours: [beyond * 4 + edge, (slot(next) * 4 + 2) as u16, (slot(last) * 4 + 1) as u16],
                    stamp: 0,
                    is_final: false,
                };
                i += 1;
            }
        }
        for &gone in visible[..n_visible].iter().skip(n_rim) {
            self.faces[usize::from(gone)] = Face::NONE;
        }
        self.n_faces += n_fresh;
        Ok(())
    }

    /// Collects the faces that see `w` and are connected to `start`, and the rim: the edges of the
    /// neighbours around them, in order.
    ///
    /// Returns zero faces if there is no room for them.
    #[inline(always)]
    fn flood<const VISIBLE: usize, const AROUND: usize, const WAITING: usize>(
        &mut self,
        start: usize,
        w: DVec3,
        threshold: f64,
        visible: &mut [u16; VISIBLE],
        rim: &mut [(u16, u16); AROUND],
    ) -> (usize, usize) {
        self.stamp += 1;
        let stamp = self.stamp;
        self.faces[start].stamp = stamp;
        visible[0] = start as u16;
        let (mut n_visible, mut n_rim) = (1, 0);
        // A stack of edges to cross. Each visible face takes one edge and adds at most two.
        let mut stack = [0u16; WAITING];
        let neighbours = self.faces[start].neighbours;
        (stack[0], stack[1], stack[2]) = (neighbours[2], neighbours[1], neighbours[0]);
        let mut n_stack = 3;
        while n_stack > 0 {
            n_stack -= 1;
            let link = stack[n_stack];
            let (face, edge) = (usize::from(link / 4), usize::from(link % 4));
            let data = &mut self.faces[face];
            if data.stamp == stamp {
                continue;
            }
            // A sliver counts as visible from any face that reaches it.
            if threshold < data.normal.dot(w) - data.distance || data.distance == f64::INFINITY {
                if n_visible == VISIBLE {
                    return (0, 0);
                }
                data.stamp = stamp;
                visible[n_visible] = face as u16;
                n_visible += 1;
                stack[n_stack] = data.neighbours[(edge + 2) % 3];
                stack[n_stack + 1] = data.neighbours[(edge + 1) % 3];
                n_stack += 2;
            } else {
                if n_rim == rim.len() {
                    return (0, 0);
                }
                rim[n_rim] = (face as u16, edge as u16);
                n_rim += 1;
            }
        }
        (n_visible, n_rim)
    }

    /// Whether the rim is one closed loop that visits no corner twice. The region is connected, so
    /// it is then a disc.
    #[inline(always)]
    fn is_loop(&self, rim: &[(u16, u16)]) -> bool {
        if rim.len() < 3 {
            return false;
        }
        let mut visited = [0u64; 8];
        let (last_face, last_edge) = rim[rim.len() - 1];
        let mut end = self.faces[usize::from(last_face)].corners[usize::from(last_edge)];
        for &(face, edge) in rim {
            let outer = &self.faces[usize::from(face)];
            let from = outer.corners[usize::from((edge + 1) % 3)];
            let (word, bit) = (usize::from(from) / 64, 1u64 << (from % 64));
            if from != end || visited[word] & bit != 0 {
                return false;
            }
            visited[word] |= bit;
            end = outer.corners[usize::from(edge)];
        }
        true
    }
}

/// [`Polytope::set_tetrahedron`] compiled for each instruction set.
struct TetrahedronKernel<'k, 'm> {
    polytope: &'k mut Polytope<'m>,
    corners: [&'k Vertex; 4],
}

impl Kernel for TetrahedronKernel<'_, '_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> f64 {
        let TetrahedronKernel { polytope, corners: [first, second, third, fourth] } = self;
        // The fourth corner must lie below the first three. The orientation is exact, because the
        // rounded product of a needle is noise. A surface turned inside out gives no bound.
        let is_outward = 0.0 < orient3d(first.w, second.w, third.w, fourth.w);
        let (first, second) = if is_outward { (first, second) } else { (second, first) };
        for (slot, corner) in polytope.vertices.iter_mut().zip([first, second, third, fourth]) {
            *slot = *corner;
        }
        (polytope.n_vertices, polytope.n_faces) = (4, 4);
        let link = |face: u16, edge: u16| face * 4 + edge;
        const CORNERS: [[u16; 3]; 4] = [[0, 1, 2], [3, 1, 0], [3, 2, 1], [3, 0, 2]];
        let neighbours = [
            [link(1, 1), link(2, 1), link(3, 1)],
            [link(2, 2), link(0, 0), link(3, 0)],
            [link(3, 2), link(0, 1), link(1, 0)],
            [link(1, 2), link(0, 2), link(2, 0)],
        ];
        let w = [first.w, second.w, third.w, fourth.w];
        // Four triangles, coordinate by coordinate, and for each the corner that it does not have.
        let of =
            |corners: [usize; 4]| [corners.map(|i| w[i].x), corners.map(|i| w[i].y), corners.map(|i| w[i].z)];
        let (x, y, z, across) = (of([0, 3, 3, 3]), of([1, 1, 2, 0]), of([2, 0, 1, 2]), of([3, 2, 0, 1]));
        let (mut normal, mut distance, mut height) = ([[0.0; 4]; 3], [0.0; 4], [0.0; 4]);
        let mut is_odd = [false; 4];
        for lane in 0..4 {
            let difference = |p: &[[f64; 4]; 3], q: &[[f64; 4]; 3]| {
                [p[0][lane] - q[0][lane], p[1][lane] - q[1][lane], p[2][lane] - q[2][lane]]
            };
            let (e, f, g) = (difference(&x, &z), difference(&y, &z), difference(&y, &x));
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let sum = |v: [f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let (ee, ff, gg, nn) = (sum(e), sum(f), sum(g), sum(n));
            let longer = if ee < ff { ff } else { ee };
            let longest = if longer < gg { gg } else { longer };
            is_odd[lane] = (nn <= THIN_SINE_SQ * (ee * ff)) | (nn <= SLIVER_SQ * longest);
            let length = sqrt(nn);
            let unit = [n[0] / length, n[1] / length, n[2] / length];
            let along =
                |p: &[[f64; 4]; 3]| unit[0] * p[0][lane] + unit[1] * p[1][lane] + unit[2] * p[2][lane];
            let (a, b, c) = (along(&x), along(&y), along(&z));
            let lower = if a < b { a } else { b };
            distance[lane] = if lower < c { lower } else { c };
            height[lane] = (distance[lane] - along(&across)).abs();
            (normal[0][lane], normal[1][lane], normal[2][lane]) = (unit[0], unit[1], unit[2]);
        }
        for face in 0..4 {
            polytope.faces[face] = Face {
                normal: DVec3::new(normal[0][face], normal[1][face], normal[2][face]),
                distance: distance[face],
                corners: CORNERS[face],
                neighbours: neighbours[face],
                stamp: 0,
                is_final: false,
            };
        }
        if is_odd[0] | is_odd[1] | is_odd[2] | is_odd[3] {
            return repair_tetrahedron(polytope);
        }
        let smaller = |a: f64, b: f64| if a < b { a } else { b };
        smaller(smaller(height[0], height[1]), smaller(height[2], height[3]))
    }
}

/// Computes the four faces one by one, with thin triangles at full precision.
#[cold]
#[inline(never)]
fn repair_tetrahedron(polytope: &mut Polytope<'_>) -> f64 {
    let mut thickness = f64::INFINITY;
    for (face, other) in [(0, 3), (1, 2), (2, 0), (3, 1)] {
        let [x, y, z] = polytope.corners(face);
        let (normal, distance) = plane_of(x, y, z);
        let height = (distance - normal.dot(polytope.vertices[other].w)).abs();
        thickness = if distance < f64::INFINITY { thickness.min(height) } else { 0.0 };
        (polytope.faces[face].normal, polytope.faces[face].distance) = (normal, distance);
    }
    thickness
}

/// Four triangles with a common corner, coordinate by coordinate.
struct Fan {
    tip: DVec3,
    from: [[f64; 4]; 3],
    to: [[f64; 4]; 3],
}

/// The planes of four triangles, as in [`Face`].
struct Planes {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
    distance: [f64; 4],
}

impl Planes {
    #[inline(always)]
    fn normal(&self, lane: usize) -> DVec3 {
        DVec3::new(self.x[lane], self.y[lane], self.z[lane])
    }
}

impl Fan {
    #[inline(always)]
    fn new(tip: DVec3) -> Fan {
        Fan { tip, from: [[0.0; 4]; 3], to: [[0.0; 4]; 3] }
    }

    #[inline(always)]
    fn set_lane(&mut self, lane: usize, from: DVec3, to: DVec3) {
        (self.from[0][lane], self.from[1][lane], self.from[2][lane]) = (from.x, from.y, from.z);
        (self.to[0][lane], self.to[1][lane], self.to[2][lane]) = (to.x, to.y, to.z);
    }

    /// Computes four planes at once, as [`plane_of`] does for one.
    #[inline(always)]
    fn planes(&self) -> Planes {
        let Fan { tip, from: [fx, fy, fz], to: [tx, ty, tz] } = self;
        let (mut x, mut y, mut z, mut distance) = ([0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]);
        let (mut is_odd, mut is_sliver) = ([false; 4], [false; 4]);
        for lane in 0..4 {
            let e = [fx[lane] - tip.x, fy[lane] - tip.y, fz[lane] - tip.z];
            let f = [tx[lane] - tip.x, ty[lane] - tip.y, tz[lane] - tip.z];
            let g = [tx[lane] - fx[lane], ty[lane] - fy[lane], tz[lane] - fz[lane]];
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let sum = |v: [f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let (ee, ff, gg, nn) = (sum(e), sum(f), sum(g), sum(n));
            let longer = if ee < ff { ff } else { ee };
            let longest = if longer < gg { gg } else { longer };
            is_odd[lane] = nn <= THIN_SINE_SQ * (ee * ff);
            is_sliver[lane] = nn <= SLIVER_SQ * longest;
            let length = sqrt(nn);
            (x[lane], y[lane], z[lane]) = (n[0] / length, n[1] / length, n[2] / length);
            let along = |p: [f64; 3]| x[lane] * p[0] + y[lane] * p[1] + z[lane] * p[2];
            let (a, b) = (along([fx[lane], fy[lane], fz[lane]]), along([tx[lane], ty[lane], tz[lane]]));
            let c = along([tip.x, tip.y, tip.z]);
            let lower = if a < b { a } else { b };
            distance[lane] = if lower < c { lower } else { c };
        }
        let mut planes = Planes { x, y, z, distance };
        if is_odd[0]
            | is_odd[1]
            | is_odd[2]
            | is_odd[3]
            | is_sliver[0]
            | is_sliver[1]
            | is_sliver[2]
            | is_sliver[3]
        {
            self.repair(&mut planes);
        }
        planes
    }

    /// Computes the planes one by one, with thin triangles at full precision.
    #[cold]
    #[inline(never)]
    fn repair(&self, planes: &mut Planes) {
        for lane in 0..4 {
            let corner = |c: &[[f64; 4]; 3]| DVec3::new(c[0][lane], c[1][lane], c[2][lane]);
            let (normal, distance) = plane_of(corner(&self.from), corner(&self.to), self.tip);
            (planes.x[lane], planes.y[lane], planes.z[lane]) = (normal.x, normal.y, normal.z);
            planes.distance[lane] = distance;
        }
    }
}

/// Returns the outward unit normal of a triangle and its least product with a corner. A sliver
/// gives zero and infinity.
#[inline(always)]
fn plane_of(x: DVec3, y: DVec3, z: DVec3) -> (DVec3, f64) {
    let normal = normal_of(x, y, z);
    let length_sq = normal.length_squared();
    let longest_sq = (y - x).length_squared().max((z - y).length_squared()).max((x - z).length_squared());
    // A sliver is no higher than the rounding of its corners, so its normal is arbitrary. The
    // sliver lies along its longest edge, and a neighbour bounds that edge.
    if SLIVER_SQ * longest_sq < length_sq {
        let normal = normal / sqrt(length_sq);
        (normal, normal.dot(x).min(normal.dot(y)).min(normal.dot(z)))
    } else {
        (DVec3::ZERO, f64::INFINITY)
    }
}
