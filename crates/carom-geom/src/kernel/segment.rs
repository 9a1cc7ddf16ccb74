//! Segments between two points.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 3.5.

use super::super::num::{Pose, Real, Vec3, narrow, widen};
use crate::bound::aabb_from_support;
use crate::{Feature, FeatureId, ShapeError, SupportMap, SupportPoint, check};
use carom_bounds::Aabb;
use carom_math::ops::sqrt;
use carom_math::scaling::unit;
use glam::DVec3;

/// The closed segment from `a` to `b`; with equal ends, a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Segment {
    a: Vec3,
    b: Vec3,
}

unchecked!(Segment { a: Vec3, b: Vec3 });

impl Segment {
    /// Creates a segment from its ends, which must be finite.
    pub fn new(a: Vec3, b: Vec3) -> Result<Segment, ShapeError> {
        check::point("a", widen(a))?;
        check::point("b", widen(b))?;
        Ok(Segment { a, b })
    }

    /// Returns the first end.
    #[inline]
    pub fn a(&self) -> Vec3 {
        self.a
    }

    /// Returns the second end.
    #[inline]
    pub fn b(&self) -> Vec3 {
        self.b
    }

    /// Returns the length.
    pub fn length(&self) -> Real {
        narrow(DVec3::new(sqrt((widen(self.b) - widen(self.a)).length_squared()), 0.0, 0.0)).x
    }

    /// Returns a box around the placed segment, in the parent frame of the pose, rounded outwards.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        aabb_from_support(self, &pose.wide())
    }
}

impl SupportMap for Segment {
    /// Returns an end. Vertex 0 is `a`, vertex 1 is `b`.
    #[inline]
    fn support(&self, direction: DVec3) -> SupportPoint {
        let (a, b) = (widen(self.a), widen(self.b));
        if a.dot(direction) < b.dot(direction) {
            SupportPoint { point: b, vertex: 1 }
        } else {
            SupportPoint { point: a, vertex: 0 }
        }
    }

    #[inline]
    fn vertex(&self, number: u32) -> Option<DVec3> {
        match number {
            0 => Some(widen(self.a)),
            1 => Some(widen(self.b)),
            _ => None,
        }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        widen(self.a) * 0.5 + widen(self.b) * 0.5
    }

    #[inline]
    fn radius(&self) -> f64 {
        // Rounded up: the centre and the root each lose at most a unit.
        let (a, c) = (widen(self.a), self.center());
        sqrt((a - c).length_squared().max((widen(self.b) - c).length_squared())) * (1.0 + 4.0 * f64::EPSILON)
    }

    fn feature_within(&self, normal: DVec3, sine: f64, out: &mut Feature) {
        segment_feature(widen(self.a), widen(self.b), normal, sine, out);
    }
}

/// Fills in the segment if it is nearly parallel to a plane with this normal, else the end that the
/// plane rests on.
pub(crate) fn segment_feature(a: DVec3, b: DVec3, normal: DVec3, sine: f64, out: &mut Feature) {
    out.clear();
    let (id_a, id_b) = (FeatureId::vertex(0), FeatureId::vertex(1));
    match unit(b - a) {
        // No length: a point.
        None => {
            out.id = id_a;
            out.push(a, id_a);
        }
        Some(along) => {
            let rise = along.dot(normal);
            if rise.abs() <= sine {
                out.id = FeatureId::edge(0);
                out.push(a, id_a);
                out.push(b, id_b);
            } else if 0.0 < rise {
                out.id = id_b;
                out.push(b, id_b);
            } else {
                out.id = id_a;
                out.push(a, id_a);
            }
        }
    }
}
