//! Frusta: the view volume of a camera at the origin that looks along -z with y up.
//!
//! Bit 0 of vertex v is set for negative x, bit 1 for negative y, bit 2 for the far face. Faces are
//! 0 (near), 1 (far), 2 (+x), 3 (-x), 4 (+y), 5 (-y). Edges 0 to 3 run along x, 4 to 7 along y, 8
//! to 11 from the near to the far face. The lowest two bits of an edge are the vertex bits that are
//! constant along it.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.14.1 (the planes of a view
//! frustum).
//! Differs: the frame is the camera's, so the planes are exact and not extracted from a matrix.

use super::super::num::{Pose, Real, narrow, wide};
use super::triangle::edge_or_vertex;
use crate::bound::aabb_from_support;
use crate::{Feature, FeatureId, FeatureKind, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::unit;
use glam::{DVec2, DVec3};

/// All points with `near <= -z <= far` and |x| and |y| at most `slope_x` and `slope_y` times -z. It
/// is a pyramid if `near` is zero, and flat if the faces coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Frustum {
    near: Real,
    far: Real,
    slope_x: Real,
    slope_y: Real,
}

unchecked!(Frustum { near: Real, far: Real, slope_x: Real, slope_y: Real });

/// The faces, each counter-clockwise seen from outside.
const FACES: [[u32; 4]; 6] =
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6]];

impl Frustum {
    /// Creates a frustum from the distances of its near and far face, and the tangents of half its
    /// opening angles. All must be finite and not negative; `near` must not exceed `far`.
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

    /// Returns the distance of the near face.
    #[inline]
    pub fn near(&self) -> Real {
        self.near
    }

    /// Returns the distance of the far face.
    #[inline]
    pub fn far(&self) -> Real {
        self.far
    }

    /// Returns the tangent of half the horizontal opening angle (x).
    #[inline]
    pub fn slope_x(&self) -> Real {
        self.slope_x
    }

    /// Returns the tangent of half the vertical opening angle (y).
    #[inline]
    pub fn slope_y(&self) -> Real {
        self.slope_y
    }

    /// Returns both slopes in `f64`.
    #[inline]
    pub(crate) fn slopes_wide(&self) -> DVec2 {
        DVec2::new(wide(self.slope_x), wide(self.slope_y))
    }

    /// Returns the corner with this number; see the head of this file.
    #[inline]
    pub(crate) fn corner_wide(&self, number: u32) -> DVec3 {
        let depth = wide(if number & 4 == 0 { self.near } else { self.far });
        let sign = |bit: u32, x: f64| if number & bit == 0 { x } else { -x };
        DVec3::new(sign(1, wide(self.slope_x) * depth), sign(2, wide(self.slope_y) * depth), -depth)
    }

    /// Returns the corners; those of the near face first.
    pub fn corners(&self) -> [super::super::num::Vec3; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|v| narrow(self.corner_wide(v)))
    }

    /// Returns the corners of a face, counter-clockwise seen from outside.
    #[inline]
    pub(crate) fn face(&self, number: usize) -> [u32; 4] {
        FACES[number % 6]
    }

    /// Returns the outward normal of a face, of any length. The planes of the side faces contain
    /// the origin.
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

    /// Maps a feature of one of its faces, numbered within the face, to the frustum's number.
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

    /// Returns a box around the placed frustum, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

/// Returns the number of the edge between two corners; their numbers differ in one bit.
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
        // Signs choose the corner of a face, then the near or the far one.
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
        // The far corners are farther from the centre.
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
