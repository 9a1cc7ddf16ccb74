//! The point of a plane, segment, triangle or polygon closest to a given point, in plain `f64`.
//!
//! `tri_distance.rs` is slower; its distances are zero exactly if two sets touch.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.

use crate::normal::polygon_normal;
use crate::{FeatureId, tri_distance};
use carom_math::{scaling::length, tol};
use glam::DVec3;

/// The point of a segment closest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OnSegment {
    /// The point.
    pub(crate) point: DVec3,
    /// The parameter: 0 at the first end, 1 at the second.
    pub(crate) s: f64,
}

/// The point of a triangle or polygon closest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OnFace {
    /// The point.
    pub(crate) point: DVec3,
    /// `face(0)`, the edge with the number of its start corner, or the corner.
    pub(crate) feature: FeatureId,
}

/// Returns the point of the plane `normal . x = offset` closest to `p`, and the signed distance;
/// `normal` has unit length.
#[inline]
pub(crate) fn point_plane(p: DVec3, normal: DVec3, offset: f64) -> (DVec3, f64) {
    let distance = normal.dot(p) - offset;
    (p - normal * distance, distance)
}

/// Returns the point of the segment from `a` to `b` closest to `p`.
#[inline]
pub(crate) fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> OnSegment {
    let along = b - a;
    let length_sq = along.length_squared();
    if length_sq == 0.0 {
        // No length: a point.
        return OnSegment { point: a, s: 0.0 };
    }
    let s = (p - a).dot(along) / length_sq;
    if s <= 0.0 {
        OnSegment { point: a, s: 0.0 }
    } else if s < 0.5 {
        OnSegment { point: a + along * s, s }
    } else if s < 1.0 {
        // From the nearer end.
        OnSegment { point: b - along * (1.0 - s), s }
    } else {
        OnSegment { point: b, s: 1.0 }
    }
}

/// Returns the point of the triangle closest to `p`. A triangle without area is a segment or a
/// point.
#[inline]
pub(crate) fn point_triangle(p: DVec3, corners: &[DVec3; 3]) -> OnFace {
    match polygon_normal(3, |i| corners[i]) {
        Some(normal) => point_polygon(p, normal, 3, |i| corners[i]),
        None => point_rim(p, 3, |i| corners[i]),
    }
}

/// Returns the point of a convex polygon closest to `p`; corners are counter-clockwise about the
/// unit normal.
pub(crate) fn point_polygon(
    p: DVec3,
    normal: DVec3,
    n_corners: usize,
    corner: impl Fn(usize) -> DVec3,
) -> OnFace {
    let (mut is_over, mut is_sure, mut longest_sq) = (true, true, 0.0_f64);
    let start = corner(0);
    let mut a = start;
    for i in 0..n_corners {
        let b = if i + 1 == n_corners { start } else { corner(i + 1) };
        let (edge, to_p) = (b - a, p - a);
        let side = normal.dot(edge.cross(to_p));
        is_over &= 0.0 <= side;
        let edge_sq = edge.length_squared();
        is_sure &= SIDE_SQ * (edge_sq * to_p.length_squared()) < side * side;
        longest_sq = longest_sq.max(edge_sq);
        a = b;
    }
    if is_over && !is_sure && is_thin(n_corners, &corner, longest_sq) {
        return point_thin_polygon(p, n_corners, corner);
    }
    if is_over {
        let (point, _) = point_plane(p - start, normal, 0.0);
        return OnFace { point: point + start, feature: FeatureId::face(0) };
    }
    point_rim(p, n_corners, corner)
}

/// Squared: the side of an edge has about ten roundings of the product of the lengths, 2^-50.
const SIDE_SQ: f64 = f64::from_bits((1023 - 100) << 52);

/// Whether sides meet at so small an angle that their rounding is magnified at the corner.
#[cold]
fn is_thin(n_corners: usize, corner: &impl Fn(usize) -> DVec3, longest_sq: f64) -> bool {
    let start = corner(0);
    let double_area =
        (2..n_corners).fold(DVec3::ZERO, |area, i| area + (corner(i - 1) - start).cross(corner(i) - start));
    double_area.length_squared() <= tol::THIN_POLYGON_SQ * longest_sq * longest_sq
}

/// Returns the result of [`point_polygon`] for a thin polygon, in double-double arithmetic.
#[cold]
fn point_thin_polygon(p: DVec3, n_corners: usize, corner: impl Fn(usize) -> DVec3) -> OnFace {
    let mut best = point_rim(p, n_corners, &corner);
    let mut least = length(best.point - p);
    for i in 2..n_corners {
        let found = tri_distance::point_triangle(p, &[corner(0), corner(i - 1), corner(i)]);
        if found.distance < least {
            least = found.distance;
            best = OnFace { point: found.point_b, feature: FeatureId::face(0) };
        }
    }
    best
}

/// Returns the point of a closed chain of segments closest to `p`.
pub(crate) fn point_rim(p: DVec3, n_corners: usize, corner: impl Fn(usize) -> DVec3) -> OnFace {
    let mut best = OnFace { point: corner(0), feature: FeatureId::vertex(0) };
    let mut least = (best.point - p).length_squared();
    for i in 0..n_corners {
        let next = if i + 1 == n_corners { 0 } else { i + 1 };
        let on = point_segment(p, corner(i), corner(next));
        let distance_sq = (on.point - p).length_squared();
        if distance_sq < least {
            least = distance_sq;
            let feature = if on.s <= 0.0 {
                FeatureId::vertex(i as u32)
            } else if 1.0 <= on.s {
                FeatureId::vertex(next as u32)
            } else {
                FeatureId::edge(i as u32)
            };
            best = OnFace { point: on.point, feature };
        }
    }
    best
}
