//! Frusta: what a camera at the origin sees, looking along -z with y up.
//!
//! Vertex v has the negative x where bit 0 of v is set, the negative y where bit 1 is, and lies on
//! the far face where bit 2 is. Faces are 0 (near), 1 (far), 2 (+x), 3 (-x), 4 (+y), 5 (-y). Edges
//! 0 to 3 run along x, 4 to 7 along y, 8 to 11 from the near to the far face; the lowest two bits
//! are those of the vertices that do not change along the edge.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.14.1 (the planes of a view
//! frustum).
//! Differs: the frame is the camera's, so that the planes are exact and no matrix is taken apart.

use super::super::num::{Pose, Real, narrow, wide};
use super::triangle::edge_or_vertex;
use crate::bound::aabb_from_support;
use crate::{Feature, FeatureId, FeatureKind, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::unit;
use glam::{DVec2, DVec3};

/// All points with `near <= -z <= far` and |x| and |y| at most `slope_x` and `slope_y` times -z; a
/// pyramid where `near` is zero, flat where the faces coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::unchecked::Frustum"))]
pub struct Frustum {
    near: Real,
    far: Real,
    slope_x: Real,
    slope_y: Real,
}

/// The faces, each counter-clockwise seen from outside.
const FACES: [[u32; 4]; 6] =
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6]];

impl Frustum {
    /// A frustum from the distances of its near and far face and from the tangents of half its
    /// opening angles across (x) and upwards (y): finite, not negative, `near` not above `far`.
    pub fn new(near: Real, far: Real, slope_x: Real, slope_y: Real) -> Result<Frustum, ShapeError> {
        check::size("near", wide(near))?;
        check::size("far", wide(far))?;
        check::size("far - near", wide(far) - wide(near))?;
        check::size("slope_x", wide(slope_x))?;
        check::size("slope_y", wide(slope_y))?;
        check::size("far * slope_x", wide(far) * wide(slope_x))?;
        check::size("far * slope_y", wide(far) * wide(slope_y))?;
        Ok(Frustum { near, far, slope_x, slope_y })
    }

    /// Distance of the near face.
    #[inline]
    pub fn near(&self) -> Real {
        self.near
    }

    /// Distance of the far face.
    #[inline]
    pub fn far(&self) -> Real {
        self.far
    }

    /// Tangent of half the opening angle across.
    #[inline]
    pub fn slope_x(&self) -> Real {
        self.slope_x
    }

    /// Tangent of half the opening angle upwards.
    #[inline]
    pub fn slope_y(&self) -> Real {
        self.slope_y
    }

    /// Both slopes in `f64`.
    #[inline]
    pub(crate) fn slopes_wide(&self) -> DVec2 {
        DVec2::new(wide(self.slope_x), wide(self.slope_y))
    }

    /// The corner with this number, see the head of this file.
    #[inline]
    pub(crate) fn corner_wide(&self, number: u32) -> DVec3 {
        let depth = wide(if number & 4 == 0 { self.near } else { self.far });
        let sign = |bit: u32, x: f64| if number & bit == 0 { x } else { -x };
        DVec3::new(sign(1, wide(self.slope_x) * depth), sign(2, wide(self.slope_y) * depth), -depth)
    }

    /// The corners; those of the near face first.
    pub fn corners(&self) -> [super::super::num::Vec3; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|v| narrow(self.corner_wide(v)))
    }

    /// The corners of a face, counter-clockwise seen from outside.
    #[inline]
    pub(crate) fn face(&self, number: usize) -> [u32; 4] {
        FACES[number % 6]
    }

    /// Outward normal of a face, of any length; its plane is at 0 from the origin but for the near
    /// and the far face.
    #[inline]
    pub(crate) fn face_direction(&self, number: usize) -> DVec3 {
        let slopes = self.slopes_wide();
        match number {
            0 => DVec3::Z,
            1 => DVec3::NEG_Z,
            2 => DVec3::new(1.0, 0.0, slopes.x),
            3 => DVec3::new(-1.0, 0.0, slopes.x),
            4 => DVec3::new(0.0, 1.0, slopes.y),
            _ => DVec3::new(0.0, -1.0, slopes.y),
        }
    }

    /// The frustum's number of a feature of one of its faces, whose corners and edges are numbered
    /// in its order.
    pub(crate) fn feature_of(&self, face: usize, on_face: FeatureId) -> FeatureId {
        let ring = self.face(face);
        match on_face.kind() {
            FeatureKind::Vertex(i) => FeatureId::vertex(ring[i as usize % 4]),
            FeatureKind::Edge(i) => {
                FeatureId::edge(edge_number(ring[i as usize % 4], ring[(i as usize + 1) % 4]))
            }
            FeatureKind::Face(_) | FeatureKind::Unknown => FeatureId::face(face as u32),
        }
    }

    /// A box around the placed frustum.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

/// The number of the edge between two corners whose numbers differ in one bit.
fn edge_number(a: u32, b: u32) -> u32 {
    match a ^ b {
        1 => a >> 1,
        2 => 4 + (a & 1 | a >> 1 & 2),
        _ => 8 + (a & 3),
    }
}

impl SupportMap for Frustum {
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        // Signs choose the corner of a face, then the near one or the far one.
        let side = u32::from(direction.x < 0.0) | u32::from(direction.y < 0.0) << 1;
        let (near, far) = (self.corner_wide(side), self.corner_wide(side | 4));
        if near.dot(direction) < far.dot(direction) {
            SupportPoint { point: far, vertex: side | 4 }
        } else {
            SupportPoint { point: near, vertex: side }
        }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        (number < 8).then(|| self.corner_wide(number))
    }

    #[inline]
    fn center(&self) -> DVec3 {
        DVec3::new(0.0, 0.0, -0.5 * (wide(self.near) + wide(self.far)))
    }

    #[inline]
    fn radius(&self) -> f64 {
        // The far corners are the farther ones.
        sqrt((self.corner_wide(4) - self.center()).length_squared()) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        out.clear();
        let best = sqrt(1.0 - sine * sine);
        let mut top = None;
        let mut most = best;
        for face in 0..6 {
            // A near face that is a point has no area to rest on.
            if face == 0 && self.near == 0.0 {
                continue;
            }
            let Some(up) = unit(self.face_direction(face)) else { continue };
            if most <= up.dot(normal) {
                (top, most) = (Some((face, up)), up.dot(normal));
            }
        }
        if let Some((face, up)) = top {
            out.id = FeatureId::face(face as u32);
            out.normal = up;
            for v in self.face(face) {
                out.push(self.corner_wide(v), FeatureId::vertex(v));
            }
            return;
        }
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|v| self.corner_wide(v));
        let vertex = self.support(normal).vertex;
        let edges = [1, 2, 4].map(|bit| {
            (vertex as usize, (vertex ^ bit) as usize, edge_number(vertex, vertex ^ bit) as usize)
        });
        edge_or_vertex(&corners, vertex as usize, &edges, normal, sine, out);
    }
}
