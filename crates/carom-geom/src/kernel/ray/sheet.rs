//! Rays against shapes without an inside: points, segments, planes, triangles, polygons.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.8 and 22.9; see `chord.rs`
//! for each sheet.

use super::super::super::num::{Interval, Plane, Ray, Vec3, wide, widen};
use super::super::{ConvexPolygon, RayHit, RayHits, Segment, Triangle};
use super::{every, first, of_sheet};
use crate::chord::{self, Chord};
use glam::DVec3;

/// Returns the hit of a ray on a point. The test is exact, so a hit is rare. The normal is against
/// the ray.
pub fn point(ray: &Ray, interval: Interval, point: Vec3) -> Option<RayHit> {
    let p = widen(point);
    first(ray, interval, true, |o, d| chord::segment(o, d, p, p))
}

/// Returns the hit of a ray on a plane, from either side; a hit from behind is a back face. The
/// normal may have any length but zero.
///
/// Parallel rays are detected exactly: a ray in the plane hits at the start of the interval. Any
/// other parallel ray misses.
pub fn plane(ray: &Ray, interval: Interval, plane: &Plane) -> Option<RayHit> {
    let (normal, offset) = (widen(plane.normal), wide(plane.d));
    first(ray, interval, true, |o, d| chord::plane(o, d, normal, offset)).map(of_sheet)
}

impl Segment {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        let (a, b) = (widen(self.a()), widen(self.b()));
        chord::segment(o, d, a, b)
    }

    /// Returns the hit of a ray, given in the segment's frame. The test is exact, so a hit is
    /// rare.
    pub fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        first(ray, interval, true, |o, d| self.chord(o, d)).map(of_sheet)
    }

    /// Returns every hit of a ray on the segment: two if the ray runs along it, at its entry and
    /// its exit.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d)).map(of_sheet)
    }
}

impl Triangle {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::triangle(o, d, &self.corners_wide())
    }

    /// Returns the hit of a ray, given in the triangle's frame, edges and corners included. A hit
    /// from behind is a back face. A ray in the triangle's plane hits its edge. Whether it hits is
    /// exact. See [`RayHit`].
    pub fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        first(ray, interval, true, |o, d| self.chord(o, d)).map(of_sheet)
    }

    /// Returns every hit of a ray on the triangle: two if the ray runs along it, at its entry and
    /// its exit.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d)).map(of_sheet)
    }
}

impl ConvexPolygon<'_> {
    fn chord(&self, o: DVec3, d: DVec3) -> Option<Chord> {
        chord::polygon(o, d, self.corners().len(), |i| self.corner_wide(i))
    }

    /// Returns the hit of a ray, given in the polygon's frame, edges and corners included. A hit
    /// from behind is a back face. A ray in the polygon's plane hits its edge. Whether it hits is
    /// exact. See [`RayHit`].
    pub fn cast_ray(&self, ray: &Ray, interval: Interval) -> Option<RayHit> {
        first(ray, interval, true, |o, d| self.chord(o, d)).map(of_sheet)
    }

    /// Returns every hit of a ray on the polygon: two if the ray runs along it, at its entry and
    /// its exit.
    pub fn ray_hits(&self, ray: &Ray, interval: Interval) -> RayHits {
        every(ray, interval, |o, d| self.chord(o, d)).map(of_sheet)
    }
}
