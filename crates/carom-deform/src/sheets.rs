//! The sheets of a collider: which faces belong together, which side is which, nearest points.
//!
//! - Two faces are joined across an edge that they alone have. A sheet is all faces that are
//!   joined, and its border is all other edges.
//! - The front of an open sheet is that of its first face, carried across the edges. If fronts
//!   disagree at an edge, as on a Moebius strip, that edge becomes border. The front of a wall of
//!   a solid is the side without the solid: the owner turns these sheets.
//! - The nearest point of a face lies inside, on an edge or at a corner. The normal there is that
//!   of the face, the sum of two, or the sum of those around the corner weighted by their angles.
//!   A point is on the side that the sign along this normal gives.
//!
//! Reference: J. A. Baerentzen, H. Aanaes, Signed Distance Computation Using the Angle Weighted
//! Pseudonormal, 2005; C. Ericson, Real-Time Collision Detection, 2005, 5.1.5.

use crate::push_out::unit;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::ops::{atan2, sqrt};
use glam::{DVec3, Vec3};

/// The neighbour across an edge of the border: none.
pub(crate) const NO_FACE: u32 = u32::MAX;

/// The sheets of a collider.
#[derive(Clone, Debug)]
pub(crate) struct Sheets {
    faces: Vec<[u32; 3]>,
    /// The face across the edge that is opposite each corner.
    neighbours: Vec<[u32; 3]>,
    /// The sheet of each face, and whether the face is turned against the front of the sheet.
    sheets: Vec<u32>,
    is_turned: Vec<bool>,
    /// For each sheet.
    is_closed: Vec<bool>,
    /// The faces around each vertex, and where those of a vertex begin.
    rings: Vec<u32>,
    ring_starts: Vec<u32>,
}

/// The point of a face that is nearest to another point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) face: u32,
    /// The barycentric weights of the corners; 0 for a corner if the point is on the opposite
    /// edge.
    pub(crate) weights: [f64; 3],
    pub(crate) point: DVec3,
    pub(crate) distance_sq: f64,
}

/// The surface at a nearest point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    /// On the front side, of any length.
    pub(crate) normal: DVec3,
    pub(crate) is_border: bool,
    pub(crate) is_inside_face: bool,
}

/// The positions of the corners of a face.
pub(crate) fn corners_of(face: &[u32; 3], positions: &[Vec3]) -> [DVec3; 3] {
    face.map(|vertex| positions[vertex as usize].as_dvec3())
}

fn opposite_edge([a, b, c]: [u32; 3], corner: usize) -> [u32; 2] {
    [[b, c], [c, a], [a, b]][corner]
}

fn sorted([v, w]: [u32; 2]) -> [u32; 2] {
    [v.min(w), v.max(w)]
}

impl Sheets {
    /// Returns the sheets of these faces.
    pub(crate) fn new(faces: &[[u32; 3]], n_vertices: usize) -> Sheets {
        let mut sides: Vec<([u32; 2], u32, usize)> = (0..)
            .zip(faces)
            .flat_map(|(face, t)| [0, 1, 2].map(|corner| (sorted(opposite_edge(*t, corner)), face, corner)))
            .filter(|([v, w], _, _)| v != w)
            .collect();
        sides.sort_unstable();
        let mut neighbours = vec![[NO_FACE; 3]; faces.len()];
        for edge in sides.chunk_by(|s, t| s.0 == t.0) {
            if let [(_, f, i), (_, g, j)] = edge
                && f != g
            {
                neighbours[*f as usize][*i] = *g;
                neighbours[*g as usize][*j] = *f;
            }
        }
        let mut ring_starts = vec![0_u32; n_vertices + 1];
        for vertex in faces.as_flattened() {
            ring_starts[*vertex as usize + 1] += 1;
        }
        for vertex in 0..n_vertices {
            ring_starts[vertex + 1] += ring_starts[vertex];
        }
        let mut next = ring_starts.clone();
        let mut rings = vec![0_u32; 3 * faces.len()];
        for (face, t) in (0..).zip(faces) {
            for vertex in t {
                rings[next[*vertex as usize] as usize] = face;
                next[*vertex as usize] += 1;
            }
        }
        let mut all = Sheets {
            faces: faces.to_vec(),
            neighbours,
            sheets: vec![NO_FACE; faces.len()],
            is_turned: vec![false; faces.len()],
            is_closed: Vec::new(),
            rings,
            ring_starts,
        };
        for face in 0..faces.len() as u32 {
            if all.sheets[face as usize] == NO_FACE {
                all.flood_fill(face);
            }
        }
        all
    }

    /// Turns over the sheets for which `is_wrong` is true.
    pub(crate) fn turn(&mut self, is_wrong: impl Fn(u32) -> bool) {
        for (sheet, is_turned) in self.sheets.iter().zip(&mut self.is_turned) {
            *is_turned ^= is_wrong(*sheet);
        }
    }

    /// Makes a new sheet of all faces that are joined to a face.
    fn flood_fill(&mut self, first: u32) {
        let sheet = self.is_closed.len() as u32;
        let mut is_closed = true;
        let mut open = vec![first];
        self.sheets[first as usize] = sheet;
        while let Some(face) = open.pop() {
            for corner in 0..3 {
                let other = self.neighbours[face as usize][corner];
                if other == NO_FACE {
                    is_closed = false;
                    continue;
                }
                let edge = opposite_edge(self.faces[face as usize], corner);
                let is_same =
                    |i: &usize| sorted(opposite_edge(self.faces[other as usize], *i)) == sorted(edge);
                let Some(back) = [0, 1, 2].iter().find(|i| is_same(i)).copied() else { continue };
                // Two faces that are turned alike pass their edge in opposite directions.
                let is_against = opposite_edge(self.faces[other as usize], back) == edge;
                let is_turned = self.is_turned[face as usize] != is_against;
                if self.sheets[other as usize] == NO_FACE {
                    self.sheets[other as usize] = sheet;
                    self.is_turned[other as usize] = is_turned;
                    open.push(other);
                } else if self.is_turned[other as usize] != is_turned {
                    self.neighbours[face as usize][corner] = NO_FACE;
                    self.neighbours[other as usize][back] = NO_FACE;
                    is_closed = false;
                }
            }
        }
        self.is_closed.push(is_closed);
    }

    pub(crate) fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    pub(crate) fn sheet(&self, face: u32) -> u32 {
        self.sheets[face as usize]
    }

    pub(crate) fn n_sheets(&self) -> usize {
        self.is_closed.len()
    }

    pub(crate) fn is_closed(&self, sheet: u32) -> bool {
        self.is_closed[sheet as usize]
    }

    /// Whether the face is turned against the front of its sheet.
    pub(crate) fn is_turned(&self, face: u32) -> bool {
        self.is_turned[face as usize]
    }

    fn corners(&self, positions: &[Vec3], face: u32) -> [DVec3; 3] {
        corners_of(&self.faces[face as usize], positions)
    }

    /// The point of a face with these weights.
    pub(crate) fn point(&self, positions: &[Vec3], face: u32, weights: [f64; 3]) -> DVec3 {
        let [a, b, c] = self.corners(positions, face);
        a * weights[0] + b * weights[1] + c * weights[2]
    }

    /// The squared distance from a point to the box of a face: not above that to the face.
    pub(crate) fn box_distance_sq(&self, positions: &[Vec3], face: u32, p: DVec3) -> f64 {
        let [a, b, c] = self.corners(positions, face);
        (p.clamp(a.min(b).min(c), a.max(b).max(c)) - p).length_squared()
    }

    pub(crate) fn nearest(&self, positions: &[Vec3], face: u32, p: DVec3) -> Nearest {
        let [a, b, c] = self.corners(positions, face);
        let weights = nearest_weights([a - p, b - p, c - p]);
        let point = a * weights[0] + b * weights[1] + c * weights[2];
        Nearest { face, weights, point, distance_sq: (p - point).length_squared() }
    }

    /// Walks from a face of a sheet to nearer neighbours until none is nearer. So the nearest
    /// point moves along the surface and does not jump.
    pub(crate) fn descend_to_nearest(
        &self,
        positions: &[Vec3],
        face: u32,
        p: DVec3,
        n_steps: &mut u64,
    ) -> Nearest {
        let mut nearest = self.nearest(positions, face, p);
        loop {
            let before = nearest;
            let mut test = |other: u32| {
                if other != NO_FACE && self.sheet(other) == self.sheet(face) {
                    *n_steps += 1;
                    let found = self.nearest(positions, other, p);
                    if found.distance_sq < nearest.distance_sq {
                        nearest = found;
                    }
                }
            };
            match zero_weights(before.weights) {
                Zeros::None => {}
                Zeros::One(corner) => test(self.neighbours[before.face as usize][corner]),
                Zeros::AllBut(corner) => self.ring(before.face, corner).iter().for_each(|&other| test(other)),
            }
            if nearest.face == before.face {
                return nearest;
            }
        }
    }

    fn ring(&self, face: u32, corner: usize) -> &[u32] {
        let vertex = self.faces[face as usize][corner] as usize;
        &self.rings[self.ring_starts[vertex] as usize..self.ring_starts[vertex + 1] as usize]
    }

    fn normal(&self, positions: &[Vec3], face: u32) -> DVec3 {
        let [a, b, c] = self.corners(positions, face);
        let normal = unit((b - a).cross(c - a)).unwrap_or(DVec3::ZERO);
        if self.is_turned[face as usize] { -normal } else { normal }
    }

    /// The surface at the nearest point.
    pub(crate) fn feature(&self, positions: &[Vec3], at: &Nearest) -> Feature {
        let own = self.normal(positions, at.face);
        let (normal, is_border) = match zero_weights(at.weights) {
            Zeros::None => (own, false),
            Zeros::One(corner) => {
                let other = self.neighbours[at.face as usize][corner];
                if other == NO_FACE { (own, true) } else { (own + self.normal(positions, other), false) }
            }
            Zeros::AllBut(corner) => self.around(positions, at.face, corner),
        };
        Feature { normal, is_border, is_inside_face: zero_weights(at.weights) == Zeros::None }
    }

    /// The normal at a corner, and whether the sheet has its border there.
    fn around(&self, positions: &[Vec3], face: u32, corner: usize) -> (DVec3, bool) {
        let vertex = self.faces[face as usize][corner];
        let (mut sum, mut is_border) = (DVec3::ZERO, false);
        for &other in self.ring(face, corner).iter().filter(|&&other| self.sheet(other) == self.sheet(face)) {
            let t = self.faces[other as usize];
            for i in (0..3).filter(|&i| t[i] == vertex) {
                let corners = self.corners(positions, other);
                let (u, v) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
                let angle = atan2(sqrt(u.cross(v).length_squared()), u.dot(v));
                sum += self.normal(positions, other) * angle;
                let beside = self.neighbours[other as usize];
                is_border |= beside[(i + 1) % 3] == NO_FACE || beside[(i + 2) % 3] == NO_FACE;
            }
        }
        (sum, is_border)
    }
}

/// The positions of the zeros among three weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zeros {
    None,
    /// On the edge opposite this corner.
    One(usize),
    /// At this corner.
    AllBut(usize),
}

fn zero_weights(weights: [f64; 3]) -> Zeros {
    match weights.map(|w| w == 0.0) {
        [false, false, false] => Zeros::None,
        [true, false, false] => Zeros::One(0),
        [false, true, false] => Zeros::One(1),
        [false, false, true] => Zeros::One(2),
        [false, true, true] => Zeros::AllBut(0),
        [true, false, true] => Zeros::AllBut(1),
        [true, true, _] => Zeros::AllBut(2),
    }
}

/// The weights of the point of a triangle nearest the origin.
fn nearest_weights([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if 0.0 <= d3 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && 0.0 <= d1 && d3 <= 0.0 {
        let s = share(d1, d1 - d3);
        return [1.0 - s, s, 0.0];
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if 0.0 <= d6 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && 0.0 <= d2 && d6 <= 0.0 {
        let s = share(d2, d2 - d6);
        return [1.0 - s, 0.0, s];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && 0.0 <= d4 - d3 && 0.0 <= d5 - d6 {
        let s = share(d4 - d3, (d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - s, s];
    }
    let sum = va + vb + vc;
    let (v, w) = (share(vb, sum), share(vc, sum));
    [(1.0 - v - w).max(0.0), v, w]
}

/// A quotient brought into the unit range; 0 if it is no number.
fn share(part: f64, whole: f64) -> f64 {
    let share = part / whole;
    if 0.0 < share { share.min(1.0) } else { 0.0 }
}
