//! Exact intersection tests of segments, points, triangles and convex solids.
//!
//! Every result is exact for the given `f64` coordinates as real numbers. All sets are closed, so
//! touching counts. A triangle without area is a segment or a point; a segment with equal ends is a
//! point.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.3.4 (segment and triangle by
//! signed volumes).
//! Differs: exact signs; coplanar and degenerate cases have results too.

use crate::flat::{self, Span};
use carom_math::predicates::{orient3d, plane_side};
use glam::DVec3;

/// Whether the closed segment and the closed triangle have a common point.
pub fn segment_meets_triangle(s: &[DVec3; 2], t: &[DVec3; 3]) -> bool {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    if (s[0].min(s[1]).cmpgt(high) | low.cmpgt(s[0].max(s[1]))).any() {
        return false;
    }
    let side0 = orient3d(t[0], t[1], t[2], s[0]);
    let side1 = orient3d(t[0], t[1], t[2], s[1]);
    if (side0 > 0.0 && side1 > 0.0) || (side0 < 0.0 && side1 < 0.0) {
        return false;
    }
    if side0 != 0.0 || side1 != 0.0 {
        // The segment meets the plane in one point, and the triangle has an area.
        return line_in_triangle(s, t);
    }
    match flat::span(t) {
        Span::Triangle { axis } => flat::segment_meets_triangle_flat(axis, s, t),
        Span::Segment(u) => flat::segments_meet(s, &u),
    }
}

/// Whether the line through a segment passes through a triangle; the segment is not in the
/// triangle's plane.
fn line_in_triangle(s: &[DVec3; 2], t: &[DVec3; 3]) -> bool {
    let first = orient3d(s[0], s[1], t[0], t[1]);
    let second = orient3d(s[0], s[1], t[1], t[2]);
    if flat::strictly_apart(first, second) {
        return false;
    }
    let third = orient3d(s[0], s[1], t[2], t[0]);
    !(flat::strictly_apart(first, third) || flat::strictly_apart(second, third))
}

/// Whether the point lies in the closed triangle.
pub fn point_in_triangle(p: DVec3, t: &[DVec3; 3]) -> bool {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    if !(low.cmple(p).all() && p.cmple(high).all()) {
        return false;
    }
    if orient3d(t[0], t[1], t[2], p) != 0.0 {
        return false;
    }
    match flat::span(t) {
        Span::Triangle { axis } => flat::point_in_triangle_flat(axis, p, t),
        Span::Segment(s) => flat::point_on_segment(p, &s),
    }
}

/// Whether two closed segments have a common point.
pub fn segments_meet(s: &[DVec3; 2], t: &[DVec3; 2]) -> bool {
    flat::segments_meet(s, t)
}

/// Whether the point lies on the closed segment.
pub fn point_on_segment(p: DVec3, s: &[DVec3; 2]) -> bool {
    flat::point_on_segment(p, s)
}

/// Whether the point lies in the closed solid of all x with `normal . x + d <= 0` for every plane
/// (normal, d).
///
/// Exact for the planes as given; the normals may have any length.
pub fn point_in_half_spaces(p: DVec3, planes: &[(DVec3, f64)]) -> bool {
    planes.iter().all(|&(normal, d)| plane_side(normal, d, p) <= 0.0)
}

/// Whether the point lies in the closed convex solid whose faces pass through these triangles. Each
/// triangle is counter-clockwise seen from outside. A face without area excludes nothing.
pub fn point_in_convex(p: DVec3, faces: &[[DVec3; 3]]) -> bool {
    // `orient3d` is positive below the face, inside.
    faces.iter().all(|f| orient3d(f[0], f[1], f[2], p) >= 0.0)
}
