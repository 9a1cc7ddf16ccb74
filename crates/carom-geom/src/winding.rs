//! Winding numbers of surfaces around points, and enclosed volumes.
//!
//! The generalised winding number is the sum of the solid angles of the triangles, over that of
//! the sphere. For closed meshes it is a whole number: 1 inside a mesh that faces outwards. For
//! open or faulty meshes it is a smooth measure of being inside; compare it with a half.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013; A. Van Oosterom, J. Strackee, The Solid Angle
//! of a Plane Triangle, IEEE Transactions on Biomedical Engineering 30(2), 1983.

use carom_math::ops::{atan2, sqrt};
use carom_math::predicates::{orient2d_along, orient3d};
use carom_math::scaling::scale_of;
use core::f64::consts::PI;
use glam::DVec3;

/// Returns the solid angle of a triangle seen from a point, in `[-2 pi, 2 pi]`. It is positive from
/// behind, if the triangle appears clockwise. Its sign is exact.
///
/// In the triangle's plane it is exactly 2 pi within the triangle, and 0 on its rim and outside. A
/// triangle without area has solid angle 0.
pub fn solid_angle(p: DVec3, t: &[DVec3; 3]) -> f64 {
    let side = orient3d(t[0], t[1], t[2], p);
    if side == 0.0 {
        // Close to the rim the cosines are pure rounding.
        return if is_within(p, t) { 2.0 * PI } else { 0.0 };
    }
    let [a, b, c] = t.map(|v| v - p);
    let factor = scale_of(a.abs().max(b.abs()).max(c.abs()).max_element());
    let [a, b, c] = [a, b, c].map(|v| v * factor);
    let [la, lb, lc] = [a, b, c].map(|v| sqrt(v.length_squared()));
    // Near the triangle the sign of the volume decides a full turn, so rounding must not lose it.
    let volume = a.dot(b.cross(c)).abs().max(f64::MIN_POSITIVE).copysign(side);
    let cosines = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * atan2(volume, cosines)
}

/// Whether a point of the triangle's plane is strictly inside the triangle.
fn is_within(p: DVec3, [a, b, c]: &[DVec3; 3]) -> bool {
    // Along an axis along which it has an area.
    let projected =
        (0..3).map(|axis| (axis, orient2d_along(axis, *a, *b, *c))).find(|(_, area)| *area != 0.0);
    projected.is_some_and(|(axis, area)| {
        [[a, b], [b, c], [c, a]]
            .iter()
            .all(|[from, to]| 0.0 < orient2d_along(axis, **from, **to, p) * area.signum())
    })
}

/// Returns the generalised winding number of triangles around a point.
pub fn winding_number(p: DVec3, triangles: impl IntoIterator<Item = [DVec3; 3]>) -> f64 {
    triangles.into_iter().map(|t| solid_angle(p, &t)).sum::<f64>() * (0.25 / PI)
}

/// Returns the volume that closed triangles enclose: positive if they face outwards, zero without
/// triangles.
///
/// The sum starts at the first corner, so that a far origin costs no digits. Infinite if it
/// overflows.
pub fn signed_volume(triangles: impl IntoIterator<Item = [DVec3; 3]>) -> f64 {
    let mut apex = None;
    let (mut sum, mut rest) = (0.0f64, 0.0f64);
    for [a, b, c] in triangles {
        let apex = *apex.get_or_insert(a);
        let volume = (a - apex).dot((b - apex).cross(c - apex));
        // Compensated summation: the rounding of the sum is kept separately.
        let next = sum + volume;
        rest += if sum.abs() < volume.abs() { (volume - next) + sum } else { (sum - next) + volume };
        sum = next;
    }
    let total = sum + rest;
    // After an overflow of the sum the compensation is NaN.
    (if total.is_nan() { sum } else { total }) / 6.0
}
