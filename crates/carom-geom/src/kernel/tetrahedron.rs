//! Tetrahedra.
//!
//! Vertices 0 to 3 are a to d. Face i lies opposite vertex i. Edge numbers are 0: ab, 1: ac, 2: ad,
//! 3: bc, 4: bd, 5: cd. The corners may have either orientation: outward is away from the opposite
//! corner.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.6.

use super::super::num::{Pose, Vec3, widen};
use super::triangle::{edge_or_vertex, triangle_normal};
use crate::bound::aabb_from_support;
use crate::{Feature, FeatureId, FeatureKind, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::predicates::orient3d;
use glam::DVec3;

/// The hull of four points; flat if they are coplanar.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked", into = "Unchecked"))]
pub struct Tetrahedron {
    corners: [Vec3; 4],
    /// Positive if a, b, c appear counter-clockwise from d, zero if all are coplanar; exact.
    sign: f64,
}

/// The data that serde reads and writes.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Unchecked {
    corners: [Vec3; 4],
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Tetrahedron {
    type Error = ShapeError;

    fn try_from(read: Unchecked) -> Result<Tetrahedron, ShapeError> {
        let [a, b, c, d] = read.corners;
        Tetrahedron::new(a, b, c, d)
    }
}

#[cfg(feature = "serde")]
impl From<Tetrahedron> for Unchecked {
    fn from(shape: Tetrahedron) -> Unchecked {
        Unchecked { corners: shape.corners() }
    }
}

/// Faces of a tetrahedron whose corner d lies above a, b, c as they appear counter-clockwise.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
/// The numbers of the edges between two corners.
const EDGES: [[usize; 4]; 4] = [[0, 0, 1, 2], [0, 0, 3, 4], [1, 3, 0, 5], [2, 4, 5, 0]];

impl Tetrahedron {
    /// Creates a tetrahedron from its corners, in any order; they must be finite.
    pub fn new(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Result<Tetrahedron, ShapeError> {
        check::point("a", widen(a))?;
        check::point("b", widen(b))?;
        check::point("c", widen(c))?;
        check::point("d", widen(d))?;
        // `orient3d` is negative when d lies on the side from which a, b, c appear
        // counter-clockwise.
        let sign = -orient3d(widen(a), widen(b), widen(c), widen(d));
        Ok(Tetrahedron { corners: [a, b, c, d], sign })
    }

    /// Returns the corners, as given.
    #[inline]
    pub fn corners(&self) -> [Vec3; 4] {
        self.corners
    }

    /// Returns the corners in `f64`.
    #[inline]
    pub fn corners_wide(&self) -> [DVec3; 4] {
        self.corners.map(widen)
    }

    /// Returns the numbers of the corners of face i, opposite corner i, counter-clockwise seen
    /// from outside.
    #[inline]
    pub fn face(&self, number: usize) -> [usize; 3] {
        let [a, b, c] = FACES[number & 3];
        if 0.0 <= self.sign { [a, b, c] } else { [a, c, b] }
    }

    /// Whether all corners lie in a plane, exactly.
    #[inline]
    pub fn is_flat(&self) -> bool {
        self.sign == 0.0
    }

    /// Returns the outward unit normal of face i; `None` if its corners are collinear to the
    /// precision of `f64`.
    #[inline]
    pub fn face_normal(&self, number: usize) -> Option<DVec3> {
        let corners = self.corners_wide();
        triangle_normal(&self.face(number).map(|v| corners[v]))
    }

    /// Maps a feature of one of its faces, numbered within the face, to the tetrahedron's number.
    pub(crate) fn feature_of(&self, face: usize, on_face: FeatureId) -> FeatureId {
        let ring = self.face(face);
        match on_face.kind() {
            FeatureKind::Vertex(i) => FeatureId::vertex(ring[i as usize % 3] as u32),
            FeatureKind::Edge(i) => {
                let (from, to) = (ring[i as usize % 3], ring[(i as usize + 1) % 3]);
                FeatureId::edge(EDGES[from][to] as u32)
            }
            FeatureKind::Face(_) | FeatureKind::Unknown => FeatureId::face(face as u32),
        }
    }

    /// Returns a box around the placed tetrahedron, in the parent frame of the pose, rounded
    /// outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

impl SupportMap for Tetrahedron {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let corners = self.corners_wide();
        let mut vertex = 0;
        let mut most = corners[0].dot(direction);
        for i in 1..4 {
            let along = corners[i].dot(direction);
            if most < along {
                (vertex, most) = (i, along);
            }
        }
        SupportPoint { point: corners[vertex], vertex: vertex as u32 }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.corners_wide().get(number as usize).copied()
    }

    #[inline]
    fn center(&self) -> DVec3 {
        let [a, b, c, d] = self.corners_wide();
        (a + b + c + d) * 0.25
    }

    #[inline]
    fn radius(&self) -> f64 {
        let center = self.center();
        let farthest = self.corners_wide().iter().fold(0.0_f64, |m, &p| m.max((p - center).length_squared()));
        sqrt(farthest) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let corners = self.corners_wide();
        let vertex = self.support(normal).vertex as usize;
        let cosine = sqrt(1.0 - sine * sine);
        let mut best = None;
        let mut best_cosine = cosine;
        for face in (0..4).filter(|&face| face != vertex) {
            let ring = self.face(face);
            let Some(up) = self.face_normal(face) else { continue };
            if best_cosine <= up.dot(normal) {
                best_cosine = up.dot(normal);
                best = Some((face, ring, up));
            }
        }
        if let Some((face, ring, up)) = best {
            out.id = FeatureId::face(face as u32);
            out.normal = up;
            for v in ring {
                out.push(corners[v], FeatureId::vertex(v as u32));
            }
            return;
        }
        let [i, j, k] = [1, 2, 3].map(|step| (vertex + step) % 4);
        let edges = [i, j, k].map(|to| (vertex, to, EDGES[vertex][to]));
        edge_or_vertex(&corners, vertex, &edges, normal, sine, out);
    }
}
