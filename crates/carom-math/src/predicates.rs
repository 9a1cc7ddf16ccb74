//! Exact orientation predicates for the given coordinates.
//!
//! A determinant is first computed in plain `f64`, with a bound on its error. If that is not
//! certain, equal coordinates decide the commonest zeros. The next step is adaptive expansions,
//! which need products without overflow and underflow. For the rest of the range a fixed-point sum
//! without rounding decides (tests: `predicates::published_vectors`,
//! `predicates::signs_of_ugly_numbers`). Every sign is exact for **all finite coordinates**, from
//! 5e-324 to 1.8e308 in any mixture. Coordinates that are not finite give an unspecified sign, and
//! no panic.
//!
//! Reference: J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust
//! Geometric Predicates, Discrete & Computational Geometry 18, 1997.
//! Differs: the filters also bound underflow, and signs are exact beyond the range of expansions
//! (`exact_sum.rs`).

use crate::exact_sum::ExactSum;
use crate::scaling::scale_of;
use glam::{DVec2, DVec3};

/// The error bound of a 3x3 determinant of differences, relative to its permanent. It is
/// Shewchuk's (7 + 56 u) u with u = 2^-53, and slightly more for the rounding of the bound itself.
pub const ORIENT3D_ERROR: f64 = 8.0e-16;

/// The error bound of a 2x2 determinant of differences, relative to its permanent. It is
/// Shewchuk's (3 + 16 u) u, and slightly more for the rounding of the bound itself.
pub const ORIENT2D_ERROR: f64 = 3.4e-16;

/// Far above the loss of products by underflow, if one factor of each is counted in the bound. Far
/// below every other relevant number.
const UNDERFLOW: f64 = 1.0e-300;

/// Returns a positive number if `d` lies below the plane through `a`, `b`, `c`, on the side from
/// which they appear clockwise. Returns zero exactly if the four are coplanar. The value is near
/// `det(a - d, b - d, c - d)`, unless products overflow or underflow.
///
/// Only the sign is exact.
#[inline]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    orient3d_filter(a, b, c, d).unwrap_or_else(|| orient3d_exact(a, b, c, d))
}

/// Returns [`orient3d`] if plain `f64` is certain of the sign, which is then not zero; `None` if
/// the exact path is needed. It serves statistics.
#[inline]
pub fn orient3d_filter(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Option<f64> {
    determinant_filter(a - d, b - d, c - d)
}

/// Returns `u . (v x w)` if its sign is certain; each coordinate may have one rounding error.
#[inline]
fn determinant_filter(u: DVec3, v: DVec3, w: DVec3) -> Option<f64> {
    let (yz, zy) = (v.y * w.z, v.z * w.y);
    let (zx, xz) = (v.z * w.x, v.x * w.z);
    let (xy, yx) = (v.x * w.y, v.y * w.x);
    let determinant = u.x * (yz - zy) + u.y * (zx - xz) + u.z * (xy - yx);
    let size = u.abs();
    let permanent =
        size.x * (yz.abs() + zy.abs()) + size.y * (zx.abs() + xz.abs()) + size.z * (xy.abs() + yx.abs());
    // An overflow makes the error infinite or NaN, and the answer None.
    (determinant_error(permanent, u) < determinant.abs() && determinant.is_finite()).then_some(determinant)
}

/// Returns the error of `u . (v x w)` in plain `f64`, if each coordinate has at most one rounding
/// error. It follows from the permanent, in which all products and sums have positive signs.
/// Infinite or NaN on overflow.
#[inline]
pub fn determinant_error(permanent: f64, u: DVec3) -> f64 {
    let size = u.abs();
    ORIENT3D_ERROR * permanent + UNDERFLOW * (size.x + size.y + size.z + 1.0)
}

/// Does the exact part of [`orient3d`], after its filter.
#[cold]
fn orient3d_exact(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (u, v, w) = (a - d, b - d, c - d);
    // A difference is 0 exactly if the numbers are equal. Two points are equal, or all are in one
    // plane x, y or z = constant.
    let flat = (u.abs() + v.abs() + w.abs()).cmpeq(DVec3::ZERO).any();
    if flat || u == DVec3::ZERO || v == DVec3::ZERO || w == DVec3::ZERO || a == b || b == c || c == a {
        return 0.0;
    }
    if products_fit(&[a, b, c, d]) {
        if let Some(sign) = whole_determinant([(a, d), (b, d), (c, d)]) {
            return sign;
        }
        let coord = |p: DVec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
        return robust::orient3d(coord(a), coord(b), coord(c), coord(d));
    }
    let mut sum = ExactSum::new();
    let (a, b, c, d) = (a.to_array(), b.to_array(), c.to_array(), d.to_array());
    sum.add_determinant(1.0, a, b, c);
    sum.add_determinant(-1.0, d, b, c);
    sum.add_determinant(-1.0, a, d, c);
    sum.add_determinant(-1.0, a, b, d);
    sum.sign()
}

/// Returns the sign of the determinant of three differences that are whole numbers below 2^40
/// times a power of two. Differences of neighbouring `f32` points usually are.
///
/// Zeros of such coordinates are the commonest undecided case in meshes. They need no expansions
/// here.
fn whole_determinant(pairs: [(DVec3, DVec3); 3]) -> Option<f64> {
    let differences = pairs.map(|(p, q)| p - q);
    let largest = differences.iter().fold(DVec3::ZERO, |m, v| m.max(v.abs())).max_element();
    // All are below 2^39 after this scaling.
    let scale = scale_of(largest) * (1_u64 << 38) as f64;
    let mut rows = [[0_i128; 3]; 3];
    let mut is_whole = true;
    for (row, (v, (p, q))) in rows.iter_mut().zip(differences.iter().zip(pairs)) {
        for k in 0..3 {
            let x = v[k] * scale;
            let whole = x as i64;
            // The rounding error of the difference (Knuth's two-sum) is zero.
            let q_part = v[k] - p[k];
            let tail = (p[k] - (v[k] - q_part)) - (q[k] + q_part);
            is_whole &= (whole as f64 == x) & (tail == 0.0);
            row[k] = i128::from(whole);
        }
    }
    if !is_whole {
        return None;
    }
    let [u, v, w] = rows;
    let determinant = u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0]);
    Some(determinant.signum() as f64)
}

/// Whether all products of three differences of these coordinates, and their errors, are normal
/// numbers. Expansions need that.
fn products_fit(points: &[DVec3]) -> bool {
    points.iter().all(|p| {
        // 2^-297 has no digit below 2^-349; three such digits multiply to 2^-1047.
        p.to_array().iter().all(|x| *x == 0.0 || (4.0e-90 < x.abs() && x.abs() < 1.0e100))
    })
}

/// Returns a positive number if `a`, `b`, `c` are in counter-clockwise order, and zero exactly if
/// they are collinear. The value is near `det(a - c, b - c)`, unless products overflow or
/// underflow.
///
/// Only the sign is exact.
#[inline]
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    orient2d_filter(a, b, c).unwrap_or_else(|| orient2d_exact(a, b, c))
}

/// Returns [`orient2d`] if plain `f64` is certain of the sign; `None` if the exact path is needed.
#[inline]
pub fn orient2d_filter(a: DVec2, b: DVec2, c: DVec2) -> Option<f64> {
    let (u, v) = (a - c, b - c);
    let (left, right) = (u.x * v.y, u.y * v.x);
    let determinant = left - right;
    let error = ORIENT2D_ERROR * (left.abs() + right.abs()) + UNDERFLOW;
    (error < determinant.abs() && determinant.is_finite()).then_some(determinant)
}

/// Does the exact part of [`orient2d`], after its filter.
#[cold]
fn orient2d_exact(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    if a == c || b == c || a == b || (a.x == c.x && b.x == c.x) || (a.y == c.y && b.y == c.y) {
        return 0.0;
    }
    if products_fit(&[a.extend(0.0), b.extend(0.0), c.extend(0.0)]) {
        let coord = |p: DVec2| robust::Coord { x: p.x, y: p.y };
        return robust::orient2d(coord(a), coord(b), coord(c));
    }
    let mut sum = ExactSum::new();
    for (p, q) in [(a, b), (b, c), (c, a)] {
        sum.add(p.x, q.y, 1.0);
        sum.add(-p.y, q.x, 1.0);
    }
    sum.sign()
}

/// Returns [`orient2d`] of three points projected along axis 0, 1 or 2: to (y, z), (z, x) or (x,
/// y).
#[inline]
pub fn orient2d_along(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    orient2d(project(axis, a), project(axis, b), project(axis, c))
}

/// Returns the point projected along axis 0, 1 or 2: (y, z), (z, x) or (x, y).
#[inline]
pub fn project(axis: usize, p: DVec3) -> DVec2 {
    match axis {
        0 => DVec2::new(p.y, p.z),
        1 => DVec2::new(p.z, p.x),
        _ => DVec2::new(p.x, p.y),
    }
}

/// Returns the side of the line from `a` to `b` on which a line passes. It is the sign of
/// `direction . ((a - origin) x (b - origin))`, zero exactly if the two lines meet or are
/// parallel.
///
/// Exchanging `a` and `b` gives exactly the opposite sign, so the two triangles of an edge agree
/// (test: `predicates::signs_of_ugly_numbers`).
#[inline]
pub fn line_side(origin: DVec3, direction: DVec3, a: DVec3, b: DVec3) -> f64 {
    line_side_filter(origin, direction, a, b).unwrap_or_else(|| line_side_exact(origin, direction, a, b))
}

/// Returns [`line_side`] if plain `f64` is certain of the sign; `None` if the exact path is
/// needed.
#[inline]
pub fn line_side_filter(origin: DVec3, direction: DVec3, a: DVec3, b: DVec3) -> Option<f64> {
    determinant_filter(direction, a - origin, b - origin)
}

/// Does the exact part of [`line_side`], after its filter.
#[cold]
fn line_side_exact(origin: DVec3, direction: DVec3, a: DVec3, b: DVec3) -> f64 {
    if a == b || a == origin || b == origin {
        return 0.0;
    }
    let (o, d, a, b) = (origin.to_array(), direction.to_array(), a.to_array(), b.to_array());
    let mut sum = ExactSum::new();
    sum.add_determinant(1.0, d, a, b);
    sum.add_determinant(-1.0, d, a, o);
    sum.add_determinant(-1.0, d, o, b);
    sum.sign()
}

/// Returns the side from which a direction crosses a triangle: the sign of `direction . ((b - a) x
/// (c - a))`. Zero exactly if it lies in the plane, or the triangle has no area.
#[inline]
pub fn direction_side(direction: DVec3, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    if let Some(sign) = determinant_filter(direction, b - a, c - a) {
        return sign;
    }
    let (d, a, b, c) = (direction.to_array(), a.to_array(), b.to_array(), c.to_array());
    let mut sum = ExactSum::new();
    sum.add_determinant(1.0, d, a, b);
    sum.add_determinant(1.0, d, b, c);
    sum.add_determinant(1.0, d, c, a);
    sum.sign()
}

/// Returns the signs of the three coordinates of `(a - b) x direction`, each exact.
pub fn difference_cross_signs(a: DVec3, b: DVec3, direction: DVec3) -> [f64; 3] {
    let (a, b, d) = (a.to_array(), b.to_array(), direction.to_array());
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
        let (left, right) = ((a[i] - b[i]) * d[j], (a[j] - b[j]) * d[i]);
        let error = ORIENT2D_ERROR * (left.abs() + right.abs()) + UNDERFLOW;
        if error < (left - right).abs() {
            return if 0.0 < left - right { 1.0 } else { -1.0 };
        }
        let mut sum = ExactSum::new();
        sum.add(a[i], d[j], 1.0);
        sum.add(-b[i], d[j], 1.0);
        sum.add(-a[j], d[i], 1.0);
        sum.add(b[j], d[i], 1.0);
        sum.sign()
    })
}

/// Returns the side of the plane `normal . x + d = 0` on which a point lies: the sign of `normal .
/// point + d`.
#[inline]
pub fn plane_side(normal: DVec3, d: f64, point: DVec3) -> f64 {
    let products = normal * point;
    let value = products.x + products.y + products.z + d;
    let size = products.abs();
    // A bound of the rounding: with three products and three sums, each number is rounded at most
    // four times.
    let error = 4.5e-16 * (size.x + size.y + size.z + d.abs()) + UNDERFLOW;
    if error < value.abs() && value.is_finite() {
        return value;
    }
    let mut sum = ExactSum::new();
    sum.add(normal.x, point.x, 1.0);
    sum.add(normal.y, point.y, 1.0);
    sum.add(normal.z, point.z, 1.0);
    sum.add(d, 1.0, 1.0);
    sum.sign()
}
