//! Closest points of two triangles, of a point or segment and a triangle, of two segments.
//!
//! Triangles that meet have distance 0, decided exactly. Otherwise the closest points are on two
//! edges, or are a corner and a point of a face: nine and six candidates. Each candidate is a pair
//! of points of the two sets, so the least is not too small.
//!
//! Slivers and nearly parallel edges can make it too large. Let `sine` be the sine of the angle
//! between the edges. A candidate has error `u size / sine^2`, and at most `size * sine`, because
//! then another candidate is near. If this could change the result, the candidate is computed again
//! in double-double arithmetic.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.5 and 5.1.9; V. Lumelsky, On
//! Fast Computation of Distance Between Line Segments, Information Processing Letters 21, 1985.
//! Differs: error bounds decide where more digits are needed. Barycentric weights are kept, so a
//! corner is returned with its own coordinates. All data are scaled to size 1.

use crate::segment_triangle::{point_in_triangle, point_on_segment, segment_meets_triangle, segments_meet};
use crate::{tri_intersection, tri_tri, within};
use carom_math::double_double::{DoubleDouble, DoubleDoubleVec3};
use carom_math::ops::sqrt;
use carom_math::scaling::scale_of;
use carom_math::tol;
use glam::DVec3;

/// The distance of two sets, and their closest points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClosestPoints {
    /// Not negative; 0 exactly if the sets meet.
    pub distance: f64,
    /// A closest point of the first set.
    pub point_a: DVec3,
    /// A closest point of the second set.
    pub point_b: DVec3,
}

/// Returns distance and closest points of two triangles. A triangle without area is a segment or a
/// point.
///
/// The distance is 0 exactly if [`tri_tri::intersects`] is true. Otherwise it is right to about
/// 1e-15 of the extent of the pair, whatever the triangles' aspect. One of several closest pairs is
/// returned. The distance is infinite if it overflows.
pub fn closest_points(a: &[DVec3; 3], b: &[DVec3; 3]) -> ClosestPoints {
    between(a, b)
}

/// Returns distance and closest points of a point and a triangle.
///
/// The distance is 0 exactly if the point lies in the closed triangle. Otherwise it is right to
/// about 1e-15 of the extent of the figure.
pub fn point_triangle(p: DVec3, t: &[DVec3; 3]) -> ClosestPoints {
    between(&[p], t)
}

/// Returns distance and closest points of a segment and a triangle, accurate as [`closest_points`].
pub fn segment_triangle(s: &[DVec3; 2], t: &[DVec3; 3]) -> ClosestPoints {
    between(s, t)
}

/// Returns distance and closest points of two segments, accurate as [`closest_points`].
pub fn segment_segment(s: &[DVec3; 2], t: &[DVec3; 2]) -> ClosestPoints {
    between(s, t)
}

/// Returns distance and closest points of two sets of one, two or three corners, accurate as
/// [`closest_points`].
pub(crate) fn between(a: &[DVec3], b: &[DVec3]) -> ClosestPoints {
    let plain = match (a, b) {
        (&[p], &[q, r, s]) => plain_face(p, [q, r, s]),
        _ => plain(a, b),
    };
    if let Some(found) = plain {
        return found;
    }
    let meets = thin_sets_meet(a, b);
    let (n_a, n_b) = (a.len(), b.len());
    let (a, b) = (as_triangle(a), as_triangle(b));
    if meets {
        // The closest point of a single point is itself.
        let point = match (n_a, n_b) {
            (1, _) => a[0],
            (_, 1) => b[0],
            _ => tri_intersection::common_point(&a, &b),
        };
        return ClosestPoints { distance: 0.0, point_a: point, point_b: point };
    }
    Figure::new(&a, &b).closest(n_a, n_b)
}

/// Whether a point and a triangle are within `reach`, which is not negative: exact for the given
/// numbers.
pub fn point_triangle_within(p: DVec3, t: &[DVec3; 3], reach: f64) -> bool {
    within::thin_sets_within(&[p], t, reach)
}

/// Whether two segments are within `reach`, which is not negative: exact for the given numbers.
pub fn segment_segment_within(s: &[DVec3; 2], t: &[DVec3; 2], reach: f64) -> bool {
    within::thin_sets_within(s, t, reach)
}

/// Returns the result for points and segments that are well apart and not nearly parallel. Plain
/// `f64` is accurate enough for them. Rounding displaces closest points by `u size / sine^2` along
/// the segments. The distance grows by the square of that over twice the distance.
fn plain(a: &[DVec3], b: &[DVec3]) -> Option<ClosestPoints> {
    let (p, q) = (*a.first()?, *b.first()?);
    let (u, v) = match (a, b) {
        ([_], [_]) => (DVec3::ZERO, DVec3::ZERO),
        ([_], &[_, d]) => (DVec3::ZERO, d - q),
        (&[_, c], [_]) => (c - p, DVec3::ZERO),
        (&[_, c], &[_, d]) => (c - p, d - q),
        _ => return None,
    };
    let r = p - q;
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (ur, vr) = (u.dot(r), v.dot(r));
    let determinant = uu * vv - uv * uv;
    let (s, t) = if 0.0 < uu && 0.0 < vv {
        if !(tol::PLAIN_SINE_SQ * (uu * vv) < determinant) {
            return None;
        }
        let s = clamp_unit((uv * vr - ur * vv) / determinant);
        let t = (uv * s + vr) / vv;
        // If t lies beyond an end, s is computed again from that end.
        if t < 0.0 {
            (clamp_unit(-ur / uu), 0.0)
        } else if 1.0 < t {
            (clamp_unit((uv - ur) / uu), 1.0)
        } else {
            (s, t)
        }
    } else if 0.0 < uu {
        (clamp_unit(-ur / uu), 0.0)
    } else if 0.0 < vv {
        (0.0, clamp_unit(vr / vv))
    } else {
        (0.0, 0.0)
    };
    // From the nearer end, so that ends are returned exactly.
    let at = |from: DVec3, along: DVec3, corners: &[DVec3], s: f64| match corners {
        &[_, to] if 0.5 < s => to - along * (1.0 - s),
        _ => from + along * s,
    };
    let (point_a, point_b) = (at(p, u, a, s), at(q, v, b, t));
    // Not from the rounded points: far from the origin their rounding exceeds the tolerance.
    let distance_sq = (r + u * s - v * t).length_squared();
    // Refused if the sets might touch, or if squares overflow or underflow.
    let size_sq = uu + vv + r.length_squared();
    let is_plain = tol::PLAIN_DISTANCE_SQ * size_sq < distance_sq && is_middling(size_sq);
    is_plain.then(|| ClosestPoints { distance: sqrt(distance_sq), point_a, point_b })
}

/// Returns the result for a corner of a triangle, or a point, well apart from a triangle that is
/// no sliver. Rounding displaces the projection on the face by `u size / sine^2` along the
/// triangle. The distance grows by the square of that over twice the distance. A projection
/// outside has its closest point on an edge.
fn plain_face(p: DVec3, [q, r, s]: [DVec3; 3]) -> Option<ClosestPoints> {
    if p == q || p == r || p == s {
        return Some(ClosestPoints { distance: 0.0, point_a: p, point_b: p });
    }
    let (u, v, w) = (r - q, s - q, p - q);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let determinant = uu * vv - uv * uv;
    if !(tol::PLAIN_SINE_SQ * (uu * vv) < determinant) {
        return None;
    }
    let (uw, vw) = (u.dot(w), v.dot(w));
    let (along_u, along_v) = ((vv * uw - uv * vw) / determinant, (uu * vw - uv * uw) / determinant);
    if 0.0 <= along_u && 0.0 <= along_v && along_u + along_v <= 1.0 {
        let there = u * along_u + v * along_v;
        let distance_sq = (w - there).length_squared();
        let size_sq = uu + vv + w.length_squared();
        let is_plain = tol::PLAIN_DISTANCE_SQ * size_sq < distance_sq && is_middling(size_sq);
        return is_plain.then(|| ClosestPoints {
            distance: sqrt(distance_sq),
            point_a: p,
            point_b: q + there,
        });
    }
    let mut best = plain(&[p], &[q, r])?;
    for edge in [[r, s], [s, q]] {
        let found = plain(&[p], &edge)?;
        if found.distance < best.distance {
            best = found;
        }
    }
    Some(best)
}

/// Whether the square of a square neither overflows nor loses digits.
fn is_middling(size_sq: f64) -> bool {
    // Powers of two, for the underflow and overflow of a fourth power: 2^-300 and 2^300.
    f64::from_bits((1023 - 300) << 52) < size_sq && size_sq < f64::from_bits((1023 + 300) << 52)
}

/// Whether two sets of one, two or three corners have a common point: exact.
pub(crate) fn thin_sets_meet(a: &[DVec3], b: &[DVec3]) -> bool {
    match (a, b) {
        (&[p], &[q]) => p == q,
        (&[p], &[c, d]) | (&[c, d], &[p]) => point_on_segment(p, &[c, d]),
        (&[p], &[c, d, e]) | (&[c, d, e], &[p]) => point_in_triangle(p, &[c, d, e]),
        (&[p, q], &[c, d]) => segments_meet(&[p, q], &[c, d]),
        (&[p, q], &[c, d, e]) | (&[c, d, e], &[p, q]) => segment_meets_triangle(&[p, q], &[c, d, e]),
        _ => tri_tri::intersects(&as_triangle(a), &as_triangle(b)),
    }
}

/// Returns one, two or three corners as three; the last one repeats.
pub(crate) fn as_triangle(corners: &[DVec3]) -> [DVec3; 3] {
    [0, 1, 2].map(|i| corners[i.min(corners.len() - 1)])
}

/// Two triangles, scaled to size 1, relative to a corner of the first.
struct Figure {
    /// The corners as given.
    original: [[DVec3; 3]; 2],
    /// The corners, scaled so that no difference of two overflows.
    small: [[DVec3; 3]; 2],
    /// The factor that brings differences of `small` to size 1.
    factor: f64,
    /// The corners minus the first corner of the first triangle, scaled.
    local: [[DVec3; 3]; 2],
    /// The unit of `local`.
    unit: f64,
    /// Slightly above the greatest distance of a corner from the first.
    size: f64,
}

/// A pair of points of the two triangles, by their barycentric weights.
#[derive(Clone, Copy)]
struct Candidate {
    distance_sq: f64,
    weights: [[f64; 3]; 2],
}

impl Figure {
    fn new(a: &[DVec3; 3], b: &[DVec3; 3]) -> Figure {
        // First below the range of overflow, then to the size of the differences.
        let largest = a.iter().chain(b).fold(DVec3::ZERO, |m, p| m.max(p.abs())).max_element();
        let (shrink, grow) = if largest < 1.0e300 { (1.0, 1.0) } else { (0.25, 4.0) };
        let small = [a, b].map(|t| t.map(|p| p * shrink));
        // Corners may be very close to each other and far from zero: only differences can be
        // scaled.
        let local = small.map(|t| t.map(|p| p - small[0][0]));
        let factor = scale_of(local.iter().flatten().fold(0.0, |m: f64, p| m.max(p.abs().max_element())));
        let local = local.map(|t| t.map(|p| p * factor));
        let size = 2.0 * local.iter().flatten().fold(0.0, |m: f64, p| m.max(p.length()));
        Figure { original: [*a, *b], small, factor, local, unit: grow / factor, size }
    }

    /// Returns the exact scaled difference of two corners.
    fn difference(&self, to: DVec3, from: DVec3) -> DoubleDoubleVec3 {
        DoubleDoubleVec3::difference(to, from).scaled(self.factor)
    }

    /// Returns the least of all candidates. A "triangle" with fewer than three corners uses only
    /// its first ones.
    fn closest(&self, n_corners_a: usize, n_corners_b: usize) -> ClosestPoints {
        let n_corners = [n_corners_a, n_corners_b];
        let mut best = Candidate { distance_sq: f64::INFINITY, weights: [[1.0, 0.0, 0.0]; 2] };
        // A point has one "edge", from itself to itself. A segment has one each way, and one at its
        // end.
        let (n_edges_a, n_edges_b) =
            (if n_corners_a == 1 { 1 } else { 3 }, if n_corners_b == 1 { 1 } else { 3 });
        for (i, j) in pairs(n_edges_a, n_edges_b) {
            best.keep_less(self.edge_edge(i, j));
        }
        let planes = self.local.map(Plane::new);
        for (face, corner) in corners_against_faces(n_corners) {
            if let Some(candidate) = self.corner_face(face, corner, &planes[face]) {
                best.keep_less(candidate);
            }
        }
        // Again with more digits, if the result could become smaller.
        for (i, j) in pairs(n_edges_a, n_edges_b) {
            if self.may_improve(self.edge_pair_sine(i, j), &best) {
                self.edge_edge_precise(i, j, &mut best);
            }
        }
        for (face, corner) in corners_against_faces(n_corners) {
            if self.may_improve(planes[face].sine, &best) {
                self.corner_face_precise(face, corner, &mut best);
            }
        }
        self.finish(&best)
    }

    /// Whether a better computation of a candidate could change the result; its directions have an
    /// angle of this sine.
    fn may_improve(&self, sine: f64, best: &Candidate) -> bool {
        if !(0.0 < sine) {
            return false; // Parallel, or no direction at all.
        }
        // The largest displacement of the points across the shortest line between them.
        let displaced = self.size * (32.0 * f64::EPSILON / (sine * sine)).min(sine);
        // The distance then is sqrt(d^2 + displaced^2): this is the largest growth of d.
        let gain_sq = displaced * displaced;
        let tolerance = tol::CLOSEST_POINTS_GAIN * self.size;
        tolerance * (2.0 * sqrt(best.distance_sq) + tolerance) < gain_sq
    }

    fn edge(&self, triangle: usize, i: usize) -> (DVec3, DVec3) {
        let t = &self.local[triangle];
        (t[i], t[(i + 1) % 3] - t[i])
    }

    fn edge_pair_sine(&self, i: usize, j: usize) -> f64 {
        let ((_, u), (_, v)) = (self.edge(0, i), self.edge(1, j));
        sqrt(u.cross(v).length_squared() / (u.length_squared() * v.length_squared()))
    }

    /// Returns the candidate of edge i of the first triangle and edge j of the second.
    fn edge_edge(&self, i: usize, j: usize) -> Candidate {
        let ((p, u), (q, v)) = (self.edge(0, i), self.edge(1, j));
        let r = q - p;
        let n = u.cross(v);
        let (uu, vv, nn) = (u.length_squared(), v.length_squared(), n.length_squared());
        // n is 0 for parallel edges or points. Any start is valid, because the projections then
        // find the closest.
        let s = clamp_unit(if nn == 0.0 { 0.0 } else { r.cross(v).dot(n) / nn });
        let t = if vv == 0.0 { 0.0 } else { clamp_unit((u * s - r).dot(v) / vv) };
        let s = if uu == 0.0 { 0.0 } else { clamp_unit((v * t + r).dot(u) / uu) };
        let distance_sq = (r + v * t - u * s).length_squared();
        Candidate { distance_sq, weights: [edge_weights(i, s), edge_weights(j, t)] }
    }

    /// Returns the candidate of a corner of the other triangle over the inside of this face.
    fn corner_face(&self, face: usize, corner: usize, plane: &Plane) -> Option<Candidate> {
        let w = self.local[1 - face][corner] - self.local[face][0];
        let along_u = w.cross(plane.v).dot(plane.normal);
        let along_v = plane.u.cross(w).dot(plane.normal);
        if !(0.0 < along_u && 0.0 < along_v && along_u + along_v < plane.normal_sq) {
            return None;
        }
        let (s, t) = (along_u / plane.normal_sq, along_v / plane.normal_sq);
        let distance_sq = (w - plane.u * s - plane.v * t).length_squared();
        Some(Candidate { distance_sq, weights: face_weights(face, corner, s, t) })
    }

    /// [`Figure::edge_edge`] in double-double arithmetic, for lines that are not parallel.
    fn edge_edge_precise(&self, i: usize, j: usize, best: &mut Candidate) {
        let (a, b) = (&self.small[0], &self.small[1]);
        let u = self.difference(a[(i + 1) % 3], a[i]);
        let v = self.difference(b[(j + 1) % 3], b[j]);
        let r = self.difference(b[j], a[i]);
        let n = u.cross(v);
        let nn = n.dot(n);
        if !(0.0 < nn.to_f64()) {
            return;
        }
        let s = (r.cross(v).dot(n) / nn).clamp_unit();
        let t = ((u * s - r).dot(v) / v.dot(v)).clamp_unit();
        let s = ((v * t + r).dot(u) / u.dot(u)).clamp_unit();
        let distance_sq = (r + v * t - u * s).to_dvec3().length_squared();
        let weights = [edge_weights(i, s.to_f64()), edge_weights(j, t.to_f64())];
        best.keep_less(Candidate { distance_sq, weights });
    }

    /// [`Figure::corner_face`] in double-double arithmetic, corrected once by the remainder in the
    /// plane.
    fn corner_face_precise(&self, face: usize, corner: usize, best: &mut Candidate) {
        let t = &self.small[face];
        let (u, v) = (self.difference(t[1], t[0]), self.difference(t[2], t[0]));
        let n = u.cross(v);
        let nn = n.dot(n);
        if !(0.0 < nn.to_f64()) {
            return;
        }
        let mut rest = self.difference(self.small[1 - face][corner], t[0]);
        let (mut s, mut t) = (DoubleDouble::ZERO, DoubleDouble::ZERO);
        for _ in 0..2 {
            let along_u = rest.cross(v).dot(n) / nn;
            let along_v = u.cross(rest).dot(n) / nn;
            rest = rest - u * along_u - v * along_v;
            (s, t) = (s + along_u, t + along_v);
        }
        if s.is_negative() || t.is_negative() || (DoubleDouble::from(1.0) - s - t).is_negative() {
            return;
        }
        let distance_sq = rest.to_dvec3().length_squared();
        best.keep_less(Candidate {
            distance_sq,
            weights: face_weights(face, corner, s.to_f64(), t.to_f64()),
        });
    }

    /// Returns to the coordinates and unit of the given triangles.
    fn finish(&self, best: &Candidate) -> ClosestPoints {
        let [point_a, point_b] = [0, 1].map(|k| {
            let (w, t) = (best.weights[k], &self.original[k]);
            t[0] * w[0] + t[1] * w[1] + t[2] * w[2]
        });
        // They do not meet: a distance below the resolution of all digits is still not zero.
        let distance = sqrt(best.distance_sq).max(tol::LEAST_DISTANCE) * self.unit;
        let distance = distance.max(f64::MIN_POSITIVE);
        ClosestPoints { distance, point_a, point_b }
    }
}

impl Candidate {
    fn keep_less(&mut self, other: Candidate) {
        if other.distance_sq < self.distance_sq {
            *self = other;
        }
    }
}

/// The plane of a triangle.
struct Plane {
    u: DVec3,
    v: DVec3,
    normal: DVec3,
    normal_sq: f64,
    /// The sine of the angle at the first or second corner, whichever is less: twice the area over
    /// the product of the two longest edges.
    sine: f64,
}

impl Plane {
    fn new(t: [DVec3; 3]) -> Plane {
        let (u, v) = (t[1] - t[0], t[2] - t[0]);
        let normal = u.cross(v);
        let normal_sq = normal.length_squared();
        let longest = u.length_squared().max(v.length_squared()).max((t[2] - t[1]).length_squared());
        Plane { u, v, normal, normal_sq, sine: sqrt(normal_sq) / longest }
    }
}

/// Returns all pairs of an edge of each set; a point counts as one edge.
fn pairs(n_a: usize, n_b: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_a).flat_map(move |i| (0..n_b).map(move |j| (i, j)))
}

/// Returns all pairs of a face and a corner of the other set.
fn corners_against_faces(n_corners: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    [0, 1]
        .into_iter()
        .filter(move |&f| n_corners[f] == 3)
        .flat_map(move |f| (0..n_corners[1 - f]).map(move |c| (f, c)))
}

/// Clamps to [0, 1]; NaN gives 0.
#[inline]
fn clamp_unit(x: f64) -> f64 {
    if 0.0 < x { x.min(1.0) } else { 0.0 }
}

fn edge_weights(i: usize, s: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    weights[i] = 1.0 - s;
    weights[(i + 1) % 3] = s;
    weights
}

fn face_weights(face: usize, corner: usize, s: f64, t: f64) -> [[f64; 3]; 2] {
    let mut weights = [[0.0; 3]; 2];
    weights[face] = [1.0 - s - t, s, t];
    weights[1 - face][corner] = 1.0;
    weights
}
