//! Rays against triangles, watertight; points inside or outside of closed meshes.
//!
//! A line passes a triangle when it passes all three edges on the same side. Each side is the exact
//! sign of a determinant that changes its sign exactly when the edge is turned round, so the two
//! triangles of an edge never disagree about it. What to do when a line meets an edge, a zero, is
//! where two questions part. Which triangles does the ray touch: then zero counts as either side,
//! and every triangle of the edge or corner is hit. How often does the ray cross the surface: then
//! the ray is thought to be moved by an infinitely small amount, the same for all triangles, and of
//! the triangles around an edge or corner exactly those are crossed that such a ray crosses.
//! Counted this way crossings of a closed mesh are right in parity, and in sum of signs, for every
//! ray.
//!
//! Reference: S. Woop, C. Benthin, I. Wald, Watertight Ray/Triangle Intersection, JCGT 2(1), 2013;
//! H. Edelsbrunner, E. Mucke, Simulation of Simplicity, ACM TOG 9(1), 1990.
//! Differs: exact signs in the ray's own frame instead of a shear; the symbolic shift.

use crate::segment_triangle::point_in_triangle;
use carom_math::double_double::DoubleDoubleVec3;
use carom_math::exact_number::ExactVec3;
use carom_math::predicates::{
    determinant_error, difference_cross_signs, line_side, orient2d_along, orient3d,
};
use carom_math::scaling::scale_of;
use carom_math::tol;
use glam::DVec3;

/// Where a line meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriangleHit {
    /// In lengths of the direction; its sign is exact, 0 only if the origin lies in the triangle.
    pub t: f64,
    /// The line passes to the side from which the corners appear counter-clockwise: it comes from
    /// behind.
    pub is_back_face: bool,
}

/// Where the line `origin + t direction`, t of any sign, touches the closed triangle, edges and
/// corners included: exact for the given numbers.
///
/// None for a triangle whose plane contains the line, or that has no area: in a closed mesh its
/// neighbours are hit.
pub fn line_touches(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<TriangleHit> {
    let first = line_side(origin, direction, t[0], t[1]);
    let second = line_side(origin, direction, t[1], t[2]);
    if (first < 0.0 && 0.0 < second) || (second < 0.0 && 0.0 < first) {
        return None;
    }
    let third = line_side(origin, direction, t[2], t[0]);
    let is_positive = 0.0 < first || 0.0 < second || 0.0 < third;
    let is_negative = first < 0.0 || second < 0.0 || third < 0.0;
    // Both: past the triangle. Neither: the line is in its plane.
    (is_positive != is_negative)
        .then(|| TriangleHit { t: parameter(origin, direction, t, is_positive), is_back_face: is_positive })
}

/// Where the line, moved by an infinitely small amount that depends on nothing but its direction,
/// crosses the triangle.
///
/// Every line crosses a closed mesh an even number of times, as often inwards as outwards. A line
/// that crosses a triangle touches it; one that only grazes an edge touches and may not cross.
pub fn line_crosses(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<TriangleHit> {
    let side = |i: usize| {
        let (a, b) = (t[i], t[(i + 1) % 3]);
        let side = line_side(origin, direction, a, b);
        if side != 0.0 {
            return side;
        }
        // Moved by (e, e^2, e^3) for a small e, the determinant grows by the product of that and (a
        // - b) x direction.
        let growth = difference_cross_signs(a, b, direction);
        growth.into_iter().find(|g| *g != 0.0).unwrap_or(0.0)
    };
    let first = side(0);
    // Zero still: the edge runs along the line, and the triangle is seen edge-on.
    if first == 0.0 {
        return None;
    }
    let is_positive = 0.0 < first;
    let agrees = |s: f64| if is_positive { 0.0 < s } else { s < 0.0 };
    (agrees(side(1)) && agrees(side(2)))
        .then(|| TriangleHit { t: parameter(origin, direction, t, is_positive), is_back_face: is_positive })
}

/// What [`line_touches`] and [`line_crosses`] give for a line that is known to pass the triangle
/// off its edges, from this side.
#[inline]
pub fn sure_hit(origin: DVec3, direction: DVec3, t: &[DVec3; 3], is_back_face: bool) -> TriangleHit {
    TriangleHit { t: parameter(origin, direction, t, is_back_face), is_back_face }
}

/// The parameter at which a line that passes a triangle meets its plane; its sign is exact.
#[inline]
pub(crate) fn parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3], is_back_face: bool) -> f64 {
    let plain = plain_parameter(origin, direction, t);
    if let Some((value, Some(is_above))) = plain
        && if is_above == is_back_face { 0.0 < value } else { value < 0.0 }
    {
        return value;
    }
    sure_parameter(origin, direction, t, is_back_face, plain.map(|(value, _)| value))
}

/// The same, where plain `f64` leaves a doubt about the sign or the value; the value that it gave,
/// if that is good enough.
#[cold]
fn sure_parameter(
    origin: DVec3,
    direction: DVec3,
    t: &[DVec3; 3],
    is_back_face: bool,
    value: Option<f64>,
) -> f64 {
    // Positive where the triangle appears clockwise, from where a line comes to its back.
    let below = orient3d(t[0], t[1], t[2], origin);
    if below == 0.0 {
        return 0.0;
    }
    let is_ahead = (0.0 < below) == is_back_face;
    let value = value.or_else(|| precise_parameter(origin, direction, t));
    // Where underflow took digits or the sign, all digits tell.
    let has_sign = |value: &f64| if is_ahead { 0.0 < *value } else { *value < 0.0 };
    let value = value.filter(has_sign).unwrap_or_else(|| exact_parameter(origin, direction, t));
    // What the range of numbers could take away is given back: the sign, and being a number.
    let least = f64::from_bits(1);
    match (is_ahead, value.is_nan()) {
        (true, false) => value.max(least),
        (false, false) => value.min(-least),
        (true, true) => least,
        (false, true) => -least,
    }
}

/// Products below this may have lost digits to underflow: 2^-900.
const LEAST: f64 = f64::from_bits((1023 - 900) << 52);

/// The parameter in `f64`, if that is good enough; and whether the triangle's plane lies above the
/// origin, on the side to which the normal points, if that is certain.
#[inline]
fn plain_parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<(f64, Option<bool>)> {
    let (u, v, w) = (t[1] - t[0], t[2] - t[0], t[0] - origin);
    let normal = u.cross(v);
    let size = permanents(u, v);
    let (height, speed) = (normal.dot(w), normal.dot(direction));
    let value = height / speed;
    // Errors of both are some u times their permanents.
    let permanent = size.dot(w.abs());
    let error = permanent + value.abs() * size.dot(direction.abs());
    let reach = w.abs().max_element() / direction.abs().max_element();
    // Nor may underflow have taken digits.
    let is_normal = LEAST < size.max_element() && LEAST < height.abs() && LEAST < speed.abs();
    let is_good = is_normal && error < tol::RAY_PARAMETER_CONDITION * speed.abs() * reach;
    // The height is a determinant of differences.
    let is_sure = determinant_error(permanent, w) < height.abs();
    (is_good && value.is_finite()).then_some((value, is_sure.then_some(0.0 < height)))
}

/// The parameter by exact numbers.
#[cold]
fn exact_parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> f64 {
    let normal = ExactVec3::difference(t[1], t[0]).cross(&ExactVec3::difference(t[2], t[0]));
    let height = normal.dot(&ExactVec3::difference(t[0], origin));
    height.quotient(&normal.dot(&ExactVec3::from(direction)))
}

/// The parameter with twice the digits, unless they are not enough or underflow may have taken
/// some.
#[cold]
fn precise_parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<f64> {
    let largest = t.iter().fold(origin.abs(), |m, p| m.max(p.abs())).max_element();
    let (factor, pace) = (scale_of(largest), scale_of(direction.abs().max_element()));
    // The normal may have any length: that of a triangle far smaller than its distance has its own
    // scale.
    let own = scale_of(t.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs())).max_element());
    let edge = |i: usize| DoubleDoubleVec3::difference(t[i] * own, t[0] * own);
    let (u, v) = (edge(1), edge(2));
    let normal = u.cross(v);
    let w = DoubleDoubleVec3::difference(t[0] * factor, origin * factor);
    let way = direction * pace;
    let (height, speed) = (normal.dot(w), normal.dot(DoubleDoubleVec3::from(way)));
    let value = (height / speed).to_f64();
    let (height, speed, w) = (height.to_f64().abs(), speed.to_f64().abs(), w.to_dvec3().abs());
    let size = permanents(u.to_dvec3(), v.to_dvec3());
    let error = (size.dot(w) + value.abs() * size.dot(way.abs())) * PRECISE;
    let reach = w.max_element() / way.abs().max_element();
    let is_good = LEAST < height && LEAST < speed && error < f64::EPSILON * speed * reach;
    is_good.then(|| value / factor * pace)
}

/// What products of twice the digits are off by, relative to their permanents: 2^-98.
const PRECISE: f64 = f64::from_bits((1023 - 98) << 52);

/// The sums of the sizes of what the coordinates of a vector product are differences of.
fn permanents(u: DVec3, v: DVec3) -> DVec3 {
    let (u, v) = (u.abs(), v.abs());
    DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x)
}

/// Where a point is, as to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Off the surface; a ray from it crosses the surface an odd number of times.
    Inside,
    /// Off the surface; a ray from it crosses the surface an even number of times.
    Outside,
    /// In a triangle, boundary included.
    Surface,
}

/// What a triangle has to do with the half-line from a point along the x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfLine {
    /// The half-line does not cross the triangle.
    Misses,
    /// The half-line, moved by an infinitely small amount, crosses the triangle.
    Crosses {
        /// It passes to the side from which the corners appear counter-clockwise: it comes from
        /// behind.
        is_back_face: bool,
    },
    /// The point lies in the triangle.
    StartsIn,
}

/// What a triangle has to do with the half-line from `p` along the x axis: exact, and the cheapest
/// way to count crossings. Only triangles whose boxes touch that half-line need be asked.
pub fn half_line(p: DVec3, t: &[DVec3; 3]) -> HalfLine {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    if high.x < p.x || high.y < p.y || p.y < low.y || high.z < p.z || p.z < low.z {
        return HalfLine::Misses;
    }
    if point_in_triangle(p, t) {
        return HalfLine::StartsIn;
    }
    // Seen along x the half-line is a point, moved by (e, e^2) in (y, z).
    let side = |i: usize| {
        let (a, b) = (t[i], t[(i + 1) % 3]);
        let side = orient2d_along(0, a, b, p);
        if side != 0.0 {
            side
        } else if a.z != b.z {
            // The determinant grows by -(b.z - a.z) e.
            if a.z > b.z { 1.0 } else { -1.0 }
        } else if a.y != b.y {
            // And by (b.y - a.y) e^2.
            if b.y > a.y { 1.0 } else { -1.0 }
        } else {
            0.0
        }
    };
    let first = side(0);
    // The edge runs along the line: the triangle is seen edge-on.
    if first == 0.0 {
        return HalfLine::Misses;
    }
    let is_positive = 0.0 < first;
    let agrees = |s: f64| if is_positive { 0.0 < s } else { s < 0.0 };
    if !(agrees(side(1)) && agrees(side(2))) {
        return HalfLine::Misses;
    }
    // Counter-clockwise in (y, z) means facing along x: the point is behind if it is below. It is
    // not on the plane, or it would lie in the triangle.
    let below = orient3d(t[0], t[1], t[2], p);
    if (0.0 < below) == is_positive && below != 0.0 {
        HalfLine::Crosses { is_back_face: is_positive }
    } else {
        HalfLine::Misses
    }
}

/// [`half_line`] from a point moved by an infinitely small amount, towards larger coordinates on
/// the axes for which `octant` is true, else towards smaller ones. Exact; the moved point lies in
/// no triangle.
///
/// The point moves farther along y than along z, and farther along z than along x. So it tells what
/// is beside a point of the surface: in a cone at the point that no triangle enters, all points
/// near it have the same answer.
pub fn half_line_beside(p: DVec3, octant: [bool; 3], t: &[DVec3; 3]) -> HalfLine {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    if high.x < p.x || high.y < p.y || p.y < low.y || high.z < p.z || p.z < low.z {
        return HalfLine::Misses;
    }
    let [x, y, z] = octant.map(|is_up| if is_up { 1.0 } else { -1.0 });
    let first_of = |signs: [f64; 3]| signs.into_iter().find(|sign| *sign != 0.0).unwrap_or(0.0);
    // Determinants are linear in the point: after the value comes what it grows by along y, then
    // along z.
    let side = |i: usize| {
        let (a, b) = (t[i], t[(i + 1) % 3]);
        let grows = |from: f64, to: f64| if from == to { 0.0 } else { (to - from).signum() };
        first_of([orient2d_along(0, a, b, p), y * grows(b.z, a.z), z * grows(a.y, b.y)])
    };
    let first = side(0);
    let agrees = |s: f64| 0.0 < s * first.signum() && first != 0.0;
    if !(agrees(side(1)) && agrees(side(2))) {
        return HalfLine::Misses;
    }
    let normal = |axis: usize| orient2d_along(axis, t[0], t[1], t[2]);
    let mut below = orient3d(t[0], t[1], t[2], p);
    if below == 0.0 {
        // The sides agree, so the triangle has an area seen along x.
        below = -first_of([y * normal(1), z * normal(2), x * normal(0)]);
    }
    if (0.0 < below) == (0.0 < first) {
        HalfLine::Crosses { is_back_face: 0.0 < first }
    } else {
        HalfLine::Misses
    }
}

/// Where a point is, as to triangles that are closed: exact. Every triangle is looked at.
///
/// For a mesh that is not closed the answer is the parity along the x axis, whatever that means.
pub fn point_in_mesh(p: DVec3, triangles: impl IntoIterator<Item = [DVec3; 3]>) -> Placement {
    let mut is_inside = false;
    for t in triangles {
        match half_line(p, &t) {
            HalfLine::Misses => {}
            HalfLine::Crosses { .. } => is_inside = !is_inside,
            HalfLine::StartsIn => return Placement::Surface,
        }
    }
    if is_inside { Placement::Inside } else { Placement::Outside }
}
