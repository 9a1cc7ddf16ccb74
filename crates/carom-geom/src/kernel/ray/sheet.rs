//! Rays against what has no inside: points, segments, planes, triangles, polygons.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.8 and 22.9; see `chord.rs`
//! for each sheet.

use super::super::super::num::{Interval, Plane, Ray, Vec3, wide, widen};
use super::super::{ConvexPolygon, RayHit, RayHits, Segment, Triangle};
use super::{every, first, of_sheet};
use crate::chord::{self, Chord};
use glam::DVec3;

/// Where a ray meets a point: exactly, so rarely. The normal is against the ray.
pub fn point(ray: &Ray, interval: Interval, point: Vec3) -> Option<RayHit> {
    let p = widen(point);
    first(ray, interval, true, |o, d| chord::segment(o, d, p, p))
}

/// Where a ray meets a plane, from either side: from behind, as a back face. The normal may have
/// any length but zero.
///
/// Parallel rays are found exactly: one in the plane hits where the interval begins, any other not
/// at all.
pub fn plane(ray: &Ray, interval: Interval, plane: &Plane) -> Option<RayHit> {
    let (normal, offset) = (widen(plane.normal), wide(plane.d));
    first(ray, interval, true, |o, d| chord::plane(o, d, normal, offset)).map(of_sheet)
}

impl Segment {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        let (a, b) = (widen(self.a()), widen(self.b()));
        chord::segment(o, d, a, b)
    }

    /// Where a ray given in the segment's frame meets it: exactly, so rarely. See [`RayHit`].
    pub fn ray_cast(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        first(ray, interval, true, |o, d| self.chord(o, d)).map(of_sheet)
    }

    /// Every place where a ray meets the segment: two if it runs along it, where it comes to the
    /// rim and where it goes.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d)).map(of_sheet)
    }
}

impl Triangle {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::triangle(o, d, &self.corners_wide())
    }

    /// Where a ray given in the triangle's frame meets it, edges and corners included, from either
    /// side: from behind, as a back face. A ray along the triangle meets its edge. Exact in whether
    /// it does. See [`RayHit`].
    pub fn ray_cast(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        first(ray, interval, true, |o, d| self.chord(o, d)).map(of_sheet)
    }

    /// Every place where a ray meets the triangle: two if it runs along it, where it comes to the
    /// rim and where it goes.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d)).map(of_sheet)
    }
}

impl ConvexPolygon<'_> {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::polygon(o, d, self.corners().len(), |i| self.corner_wide(i))
    }

    /// Where a ray given in the polygon's frame meets it, edges and corners included, from either
    /// side: from behind, as a back face. A ray along the polygon meets its edge. Exact in whether
    /// it does. See [`RayHit`].
    pub fn ray_cast(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        first(ray, interval, true, |o, d| self.chord(o, d)).map(of_sheet)
    }

    /// Every place where a ray meets the polygon: two if it runs along it, where it comes to the
    /// rim and where it goes.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d)).map(of_sheet)
    }
}
