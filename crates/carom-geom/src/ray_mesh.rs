//! Watertight tests of rays against triangles, and of points against closed meshes.
//!
//! A line passes through a triangle if it passes all three edges on the same side. Each side is the
//! exact sign of a determinant. Reversing the edge reverses the sign exactly, so the two triangles
//! of an edge never disagree (test: `ray_mesh::no_ray_escapes`).
//!
//! A line that meets an edge gives a zero, which two queries treat differently. *Touches:* zero
//! counts as either side, so every triangle of the edge or corner is hit. *Crosses:* the ray is
//! shifted by an infinitesimal amount, the same for all triangles. The shifted ray crosses
//! some of the triangles around an edge or corner, and misses the others. Crossings of a closed
//! mesh are thus right in parity, and in the sum of signs, for every ray.
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

/// A point where a line meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriangleHit {
    /// The parameter, in lengths of the direction. Its sign is exact; it is 0 only if the origin
    /// lies in the triangle.
    pub t: f64,
    /// Whether the line comes from behind: it leaves to the side from which the corners appear
    /// counter-clockwise.
    pub is_back_face: bool,
}

/// Returns where the line `origin + t direction`, t of any sign, touches the closed triangle. Edges
/// and corners are included; exact for the given numbers.
///
/// `None` for a triangle without area, or with the line in its plane. In a closed mesh the
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
    // Both: the line misses. Neither: the line is in the plane.
    (is_positive != is_negative)
        .then(|| TriangleHit { t: parameter(origin, direction, t, is_positive), is_back_face: is_positive })
}

/// Returns where the line crosses the triangle, after an infinitesimal shift that depends only on
/// the direction.
///
/// Every line crosses a closed mesh an even number of times, as often inwards as outwards. A line
/// that crosses a triangle touches it. A line that only grazes an edge touches and may not cross.
pub fn line_crosses(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<TriangleHit> {
    let side = |i: usize| {
        let (a, b) = (t[i], t[(i + 1) % 3]);
        let side = line_side(origin, direction, a, b);
        if side != 0.0 {
            return side;
        }
        // Shifted by (e, e^2, e^3) for a small e, the determinant grows by the shift's product with
        // (a - b) x direction.
        let growth = difference_cross_signs(a, b, direction);
        growth.into_iter().find(|g| *g != 0.0).unwrap_or(0.0)
    };
    let first = side(0);
    // Still zero: the edge runs along the line, and the triangle is edge-on.
    if first == 0.0 {
        return None;
    }
    let is_positive = 0.0 < first;
    let agrees = |s: f64| if is_positive { 0.0 < s } else { s < 0.0 };
    (agrees(side(1)) && agrees(side(2)))
        .then(|| TriangleHit { t: parameter(origin, direction, t, is_positive), is_back_face: is_positive })
}

/// Returns the result of [`line_touches`] and [`line_crosses`] for a line known to pass through the
/// triangle, off its edges, from this side.
#[inline]
pub fn sure_hit(origin: DVec3, direction: DVec3, t: &[DVec3; 3], is_back_face: bool) -> TriangleHit {
    TriangleHit { t: parameter(origin, direction, t, is_back_face), is_back_face }
}

/// Returns the parameter at which a line through a triangle meets its plane; its sign is exact.
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

/// Returns the same, if plain `f64` leaves doubt about the sign or the value. Takes the plain
/// value if that is accurate enough.
#[cold]
fn sure_parameter(
    origin: DVec3,
    direction: DVec3,
    t: &[DVec3; 3],
    is_back_face: bool,
    value: Option<f64>,
) -> f64 {
    // Positive if the triangle appears clockwise, as from the origin of a line to its back.
    let below = orient3d(t[0], t[1], t[2], origin);
    if below == 0.0 {
        return 0.0;
    }
    let is_ahead = (0.0 < below) == is_back_face;
    let value = value.or_else(|| precise_parameter(origin, direction, t));
    // If underflow took digits or the sign, exact arithmetic decides.
    let has_sign = |value: &f64| if is_ahead { 0.0 < *value } else { *value < 0.0 };
    let value = value.filter(has_sign).unwrap_or_else(|| exact_parameter(origin, direction, t));
    // Restores the sign after underflow, and replaces NaN and infinity.
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

/// Returns the parameter in `f64`, if that is accurate enough. Also returns whether the plane lies
/// above the origin, towards the normal, if that is certain.
#[inline]
fn plain_parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<(f64, Option<bool>)> {
    let (u, v, w) = (t[1] - t[0], t[2] - t[0], t[0] - origin);
    let normal = u.cross(v);
    let size = permanents(u, v);
    let (height, speed) = (normal.dot(w), normal.dot(direction));
    let value = height / speed;
    // The errors of both are a few u times their permanents.
    let permanent = size.dot(w.abs());
    let error = permanent + value.abs() * size.dot(direction.abs());
    let reach = w.abs().max_element() / direction.abs().max_element();
    // Underflow must not have taken digits.
    let is_normal = LEAST < size.max_element() && LEAST < height.abs() && LEAST < speed.abs();
    let is_good = is_normal && error < tol::RAY_PARAMETER_CONDITION * speed.abs() * reach;
    // The height is a determinant of differences.
    let is_sure = determinant_error(permanent, w) < height.abs();
    (is_good && value.is_finite()).then_some((value, is_sure.then_some(0.0 < height)))
}

/// Returns the parameter by exact arithmetic.
#[cold]
fn exact_parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> f64 {
    let normal = ExactVec3::difference(t[1], t[0]).cross(&ExactVec3::difference(t[2], t[0]));
    let height = normal.dot(&ExactVec3::difference(t[0], origin));
    height.quotient(&normal.dot(&ExactVec3::from(direction)))
}

/// Returns the parameter in double-double arithmetic; `None` if its digits are not enough, or
/// underflow may have taken some.
#[cold]
fn precise_parameter(origin: DVec3, direction: DVec3, t: &[DVec3; 3]) -> Option<f64> {
    let largest = t.iter().fold(origin.abs(), |m, p| m.max(p.abs())).max_element();
    let (factor, pace) = (scale_of(largest), scale_of(direction.abs().max_element()));
    // The normal has its own scale, because a triangle may be far smaller than its distance.
    let own = scale_of(t.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs())).max_element());
    let edge = |i: usize| DoubleDoubleVec3::difference(t[i] * own, t[0] * own);
    let (u, v) = (edge(1), edge(2));
    let normal = u.cross(v);
    let w = DoubleDoubleVec3::difference(t[0] * factor, origin * factor);
    let displacement = direction * pace;
    let (height, speed) = (normal.dot(w), normal.dot(DoubleDoubleVec3::from(displacement)));
    let value = (height / speed).to_f64();
    let (height, speed, w) = (height.to_f64().abs(), speed.to_f64().abs(), w.to_dvec3().abs());
    let size = permanents(u.to_dvec3(), v.to_dvec3());
    let error = (size.dot(w) + value.abs() * size.dot(displacement.abs())) * PRECISE;
    let reach = w.max_element() / displacement.abs().max_element();
    let is_good = LEAST < height && LEAST < speed && error < f64::EPSILON * speed * reach;
    is_good.then(|| value / factor * pace)
}

/// Relative rounding of double-double products, in units of their permanents: 2^-98.
const PRECISE: f64 = f64::from_bits((1023 - 98) << 52);

/// Returns the absolute sums of the terms of each coordinate of a cross product.
fn permanents(u: DVec3, v: DVec3) -> DVec3 {
    let (u, v) = (u.abs(), v.abs());
    DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x)
}

/// The position of a point relative to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Off the surface; a ray from it crosses the surface an odd number of times.
    Inside,
    /// Off the surface; a ray from it crosses the surface an even number of times.
    Outside,
    /// On a triangle, boundary included.
    Surface,
}

/// How the half-line from a point along the x axis meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfLine {
    /// The half-line does not cross the triangle.
    Misses,
    /// The half-line, after an infinitesimal shift, crosses the triangle.
    Crosses {
        /// Whether it comes from behind: it leaves to the side from which the corners appear
        /// counter-clockwise.
        is_back_face: bool,
    },
    /// The point lies in the triangle.
    StartsIn,
}

/// Returns how the half-line from `p` along the x axis meets a triangle: exact, and the cheapest
/// way to count crossings. Only triangles whose boxes touch the half-line need a test.
pub fn half_line(p: DVec3, t: &[DVec3; 3]) -> HalfLine {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    if high.x < p.x || high.y < p.y || p.y < low.y || high.z < p.z || p.z < low.z {
        return HalfLine::Misses;
    }
    if point_in_triangle(p, t) {
        return HalfLine::StartsIn;
    }
    // Seen along x the half-line is a point, shifted by (e, e^2) in (y, z).
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
    // The edge runs along the line: the triangle is edge-on.
    if first == 0.0 {
        return HalfLine::Misses;
    }
    let is_positive = 0.0 < first;
    let agrees = |s: f64| if is_positive { 0.0 < s } else { s < 0.0 };
    if !(agrees(side(1)) && agrees(side(2))) {
        return HalfLine::Misses;
    }
    // Counter-clockwise in (y, z) means facing along x: the point is behind if it is below. It is
    // not on the plane; otherwise it would lie in the triangle.
    let below = orient3d(t[0], t[1], t[2], p);
    if (0.0 < below) == is_positive && below != 0.0 {
        HalfLine::Crosses { is_back_face: is_positive }
    } else {
        HalfLine::Misses
    }
}

/// [`half_line`] from a point with an infinitesimal shift: towards larger coordinates on the axes
/// with `octant` true, else towards smaller ones. Exact; the shifted point lies in no triangle.
///
/// The shift is largest along y, then z, then x. It classifies the points beside a surface point.
/// If no triangle enters a cone at the point, all nearby points in the cone have one result.
pub fn half_line_beside(p: DVec3, octant: [bool; 3], t: &[DVec3; 3]) -> HalfLine {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    if high.x < p.x || high.y < p.y || p.y < low.y || high.z < p.z || p.z < low.z {
        return HalfLine::Misses;
    }
    let [x, y, z] = octant.map(|is_up| if is_up { 1.0 } else { -1.0 });
    let first_of = |signs: [f64; 3]| signs.into_iter().find(|sign| *sign != 0.0).unwrap_or(0.0);
    // Determinants are linear in the point: first the value, then its growth along y, then along z.
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
        // The sides agree, so the triangle has an area as seen along x.
        below = -first_of([y * normal(1), z * normal(2), x * normal(0)]);
    }
    if (0.0 < below) == (0.0 < first) {
        HalfLine::Crosses { is_back_face: 0.0 < first }
    } else {
        HalfLine::Misses
    }
}

/// Classifies a point against closed triangles: exact. Every triangle is tested.
///
/// If the mesh is not closed, the result is the parity along the x axis, which has no further
/// meaning.
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
