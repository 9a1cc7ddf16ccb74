//! Triangles as two-sided sheets.
//!
//! Vertices 0, 1, 2 are a, b, c; edge i starts at vertex i; face 0 is the side from which they
//! appear counter-clockwise, face 1 the other.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 3.4.

use super::super::num::{Pose, Vec3, narrow, widen};
use crate::bound::aabb_from_support;
use crate::normal::polygon_normal;
use crate::{Feature, FeatureId, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::unit;
use glam::DVec3;

/// The closed triangle a, b, c; collinear or equal corners are a segment or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Triangle {
    a: Vec3,
    b: Vec3,
    c: Vec3,
}

unchecked!(Triangle { a: Vec3, b: Vec3, c: Vec3 });

impl Triangle {
    /// Creates a triangle from its corners, which must be finite.
    pub fn new(a: Vec3, b: Vec3, c: Vec3) -> Result<Triangle, ShapeError> {
        check::point("a", widen(a))?;
        check::point("b", widen(b))?;
        check::point("c", widen(c))?;
        Ok(Triangle { a, b, c })
    }

    /// Creates a triangle from corners that are already checked, such as those of a mesh.
    #[inline]
    pub(crate) const fn new_unchecked(a: Vec3, b: Vec3, c: Vec3) -> Triangle {
        Triangle { a, b, c }
    }

    /// Returns the first corner.
    #[inline]
    pub fn a(&self) -> Vec3 {
        self.a
    }

    /// Returns the second corner.
    #[inline]
    pub fn b(&self) -> Vec3 {
        self.b
    }

    /// Returns the third corner.
    #[inline]
    pub fn c(&self) -> Vec3 {
        self.c
    }

    /// Returns the corners in `f64`.
    #[inline]
    pub fn corners_wide(&self) -> [DVec3; 3] {
        [widen(self.a), widen(self.b), widen(self.c)]
    }

    /// Returns the unit normal of the side from which the corners appear counter-clockwise; `None`
    /// if they are collinear to the precision of `f64`.
    #[inline]
    pub fn normal(&self) -> Option<Vec3> {
        triangle_normal(&self.corners_wide()).map(narrow)
    }

    /// Returns a box around the placed triangle, in the parent frame of the pose, rounded
    /// outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

/// Returns the unit normal of a, b, c counter-clockwise; `None` if they are collinear to the
/// precision of `f64`.
#[inline]
pub(crate) fn triangle_normal(corners: &[DVec3; 3]) -> Option<DVec3> {
    polygon_normal(3, |i| corners[i])
}

impl SupportMap for Triangle {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let corners = self.corners_wide();
        let (da, db, dc) = (corners[0].dot(direction), corners[1].dot(direction), corners[2].dot(direction));
        let vertex = if db <= da && dc <= da {
            0
        } else if dc <= db {
            1
        } else {
            2
        };
        SupportPoint { point: corners[vertex], vertex: vertex as u32 }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        self.corners_wide().get(number as usize).copied()
    }

    #[inline]
    fn center(&self) -> DVec3 {
        let [a, b, c] = self.corners_wide();
        (a + b + c) * (1.0 / 3.0)
    }

    #[inline]
    fn radius(&self) -> f64 {
        let center = self.center();
        let farthest = self.corners_wide().map(|p| (p - center).length_squared());
        // Rounding may move the centre by three units of the largest coordinate, but the distances
        // are from the rounded centre.
        sqrt(farthest[0].max(farthest[1]).max(farthest[2])) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let corners = self.corners_wide();
        let best = 1.0 - sine * sine;
        if let Some(up) = triangle_normal(&corners) {
            let cosine = up.dot(normal);
            if best <= cosine * cosine {
                let is_back = cosine < 0.0;
                out.id = FeatureId::face(u32::from(is_back));
                out.normal = if is_back { -up } else { up };
                for i in 0..3 {
                    let v = if is_back { 2 - i } else { i };
                    out.push(corners[v], FeatureId::vertex(v as u32));
                }
                return;
            }
        }
        let vertex = self.support(normal).vertex as usize;
        let edges = [(vertex, (vertex + 1) % 3, vertex), (vertex, (vertex + 2) % 3, (vertex + 2) % 3)];
        edge_or_vertex(&corners, vertex, &edges, normal, sine, out);
    }
}

/// Returns the edge (support vertex, other vertex, number) that lies best in the plane, within an
/// angle of this sine; else the vertex.
pub(crate) fn edge_or_vertex(
    corners: &[DVec3],
    vertex: usize,
    edges: &[(usize, usize, usize)],
    normal: DVec3,
    sine: f64,
    out: &mut Feature,
) {
    let id = |v: usize| FeatureId::vertex(v as u32);
    let mut best = None;
    let mut best_sine = sine;
    for &(from, to, number) in edges {
        // An edge without length is no edge.
        let Some(along) = unit(corners[to] - corners[from]) else { continue };
        let rise = along.dot(normal).abs();
        if rise <= best_sine {
            best_sine = rise;
            best = Some((from, to, number));
        }
    }
    match best {
        Some((from, to, number)) => {
            out.id = FeatureId::edge(number as u32);
            out.push(corners[from], id(from));
            out.push(corners[to], id(to));
        }
        None => {
            out.id = id(vertex);
            out.push(corners[vertex], id(vertex));
        }
    }
}
