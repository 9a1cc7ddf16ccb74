//! The closest points of two features by brute force, for features that do not overlap along the
//! normal.
//!
//! It tests every vertex against the other polygon's inside, and every edge against every edge.
//! Two quadrilaterals have sixteen edge pairs. The case is rare. It occurs if bodies are side by
//! side and apart, within the prediction.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.9 (segments).

use carom_geom::tri_distance;
use carom_math::scaling::{length, unit};
use carom_math::tol;
use glam::DVec3;

/// Squared sine of edges that are parallel except for the rounding of a pose: 2^-100, about ten
/// roundings.
const PARALLEL_SQ: f64 = f64::from_bits((1023 - 100) << 52);

/// Returns the closest points of two convex polygons, segments or points. Neither may be empty.
pub(crate) fn closest_points(a: &[DVec3], b: &[DVec3]) -> (DVec3, DVec3) {
    let mut best = (a[0], b[0]);
    let mut best_sq = f64::INFINITY;
    let mut offer = |p: DVec3, q: DVec3| {
        let d = (q - p).length_squared();
        if d < best_sq {
            best_sq = d;
            best = (p, q);
        }
    };
    for i in 0..n_edges(a) {
        for j in 0..n_edges(b) {
            let (p, q) = segments(a[i], a[(i + 1) % a.len()], b[j], b[(j + 1) % b.len()]);
            offer(p, q);
        }
    }
    for &q in b {
        if let Some(p) = foot_inside(a, q) {
            offer(p, q);
        }
    }
    for &p in a {
        if let Some(q) = foot_inside(b, p) {
            offer(p, q);
        }
    }
    best
}

/// Returns the closest points of two bodies that are apart. Each is given by convex polygons that
/// cover its surface.
///
/// `start` is a pair of points of the two, and the result if no pair is closer. A closer start
/// leaves fewer polygons to test.
pub(crate) fn closest_polygons(
    start: (DVec3, DVec3),
    polygons_a: impl Fn(&mut dyn FnMut(&[DVec3])),
    polygons_b: impl Fn(&mut dyn FnMut(&[DVec3])),
) -> (DVec3, DVec3) {
    let mut best = start;
    let mut best_length = (start.1 - start.0).length();
    polygons_a(&mut |a| {
        let (center_a, radius_a) = ball(a);
        polygons_b(&mut |b| {
            let (center_b, radius_b) = ball(b);
            if best_length < (center_b - center_a).length() - radius_a - radius_b {
                return;
            }
            let (p, q) = closest_points(a, b);
            let length = (q - p).length();
            if length < best_length {
                best = (p, q);
                best_length = length;
            }
        });
    });
    best
}

/// Returns a ball around the points: centre and radius.
fn ball(points: &[DVec3]) -> (DVec3, f64) {
    let center = points.iter().sum::<DVec3>() / points.len() as f64;
    (center, points.iter().fold(0.0, |radius: f64, &p| radius.max((p - center).length())))
}

/// Returns the number of edges. A point or a segment counts as one edge.
fn n_edges(points: &[DVec3]) -> usize {
    if points.len() == 2 { 1 } else { points.len() }
}

/// Returns the foot of the perpendicular on the polygon's plane, if it lies inside. A thin polygon
/// gives its closest point.
fn foot_inside(polygon: &[DVec3], p: DVec3) -> Option<DVec3> {
    if polygon.len() < 3 {
        return None;
    }
    let n = polygon.len();
    let edge_from = |k: usize| polygon[(k + 1) % n] - polygon[k];
    let (mut nearest, mut longest_sq) = (0, 0.0_f64);
    let mut area = DVec3::ZERO;
    for k in 0..n {
        area += (polygon[k] - polygon[0]).cross(edge_from(k));
        if (p - polygon[k]).length_squared() < (p - polygon[nearest]).length_squared() {
            nearest = k;
        }
        longest_sq = longest_sq.max(edge_from(k).length_squared());
    }
    // A long, narrow polygon has an inaccurate normal, so the test of the foot against its sides is
    // inaccurate too.
    if area.length_squared() <= tol::THIN_POLYGON_SQ * longest_sq * longest_sq {
        let closest = |k: usize| tri_distance::point_triangle(p, &[polygon[0], polygon[k], polygon[k + 1]]);
        let nearest = (1..n - 1).map(closest).min_by(|a, b| a.distance.total_cmp(&b.distance));
        return nearest.map(|found| found.point_b);
    }
    let normal = unit(area)?;
    let origin = polygon[nearest];
    let foot = p - normal * normal.dot(p - origin);
    (0..n).all(|k| 0.0 <= normal.dot(edge_from(k).cross(foot - polygon[k]))).then_some(foot)
}

/// Returns the closest points of two segments. Either may be a point.
pub(crate) fn segments(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3) -> (DVec3, DVec3) {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let clamp = |x: f64| x.clamp(0.0, 1.0);
    let (s, t);
    if uu == 0.0 {
        s = 0.0;
        t = if vv == 0.0 { 0.0 } else { clamp(vw / vv) };
    } else if vv == 0.0 {
        t = 0.0;
        s = clamp(-uw / uu);
    } else {
        let sine_sq = u.cross(v).length_squared() / (uu * vv);
        let start = if sine_sq <= PARALLEL_SQ {
            0.0 // Any point of A will do to begin with.
        } else if tol::PLAIN_SINE_SQ < sine_sq {
            clamp((uv * vw - vv * uw) / (uu * vv - uv * uv))
        } else {
            // Nearly parallel: with long edges even a small angle decides where they are closest.
            let found = tri_distance::segment_segment(&[a0, a1], &[b0, b1]);
            return (found.point_a, found.point_b);
        };
        t = clamp((uv * start + vw) / vv);
        s = clamp((uv * t - uw) / uu);
    }
    (a0 + u * s, b0 + v * t)
}

/// Whether the two points of the nearest contact do not lie over each other along the normal. If
/// the bodies are apart, the distance along the normal is then less than their distance. It happens
/// for nearly parallel edges that count as overlapping.
pub(crate) fn is_nearest_beside(contacts: impl Iterator<Item = (DVec3, DVec3, f64)>, room: f64) -> bool {
    let nearest = contacts.min_by(|c, d| c.2.total_cmp(&d.2));
    nearest.is_some_and(|(p, q, distance)| distance + room < length(q - p))
}

/// Returns the points of two segments that lie over each other along the normal, clamped to the
/// segments. The flag says whether they needed no clamping.
///
/// This is for edges that overlap. If they reach deep, their closest points lie on the wrong side.
pub(crate) fn crossing(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3, normal: DVec3) -> (DVec3, DVec3, bool) {
    let flat = |v: DVec3| v - normal * normal.dot(v);
    let (u, v, w) = (a1 - a0, b1 - b0, b0 - a0);
    let cross = flat(u).cross(flat(v)).dot(normal);
    if cross == 0.0 {
        let (p, q) = segments(a0, a1, b0, b1);
        return (p, q, false);
    }
    let w = flat(w);
    let t = w.cross(flat(v)).dot(normal) / cross;
    let s = w.cross(flat(u)).dot(normal) / cross;
    let range = 0.0..=1.0;
    (a0 + u * t.clamp(0.0, 1.0), b0 + v * s.clamp(0.0, 1.0), range.contains(&t) && range.contains(&s))
}
