//! How often a surface winds around a point, and what volume it encloses.
//!
//! The generalised winding number is the sum of the solid angles of the triangles, over that of the
//! sphere: a whole number for closed meshes, 1 inside one that faces outwards; for open or dirty
//! ones a smooth measure of being inside, at best compared with a half.
//!
//! Reference: A. Jacobson, L. Kavan, O. Sorkine-Hornung, Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers, ACM TOG 32(4), 2013; A. Van Oosterom, J. Strackee, The Solid Angle
//! of a Plane Triangle, IEEE Transactions on Biomedical Engineering 30(2), 1983.

use carom_math::ops::{atan2, sqrt};
use carom_math::predicates::{orient2d_along, orient3d};
use carom_math::scaling::scale_of;
use core::f64::consts::PI;
use glam::DVec3;

/// The solid angle under which a triangle is seen from a point, in `[-2 pi, 2 pi]`: positive where
/// it is seen from behind, that is, where it appears clockwise. Its sign is exact.
///
/// From a point in the triangle's plane, exactly: 2 pi within it, 0 on its rim and beside it. A
/// triangle without area hides nothing.
pub fn solid_angle(p: DVec3, t: &[DVec3; 3]) -> f64 {
    let side = orient3d(t[0], t[1], t[2], p);
    if side == 0.0 {
        // The cosines are nothing there but their rounding, close to the rim.
        return if is_within(p, t) { 2.0 * PI } else { 0.0 };
    }
    let [a, b, c] = t.map(|v| v - p);
    let factor = scale_of(a.abs().max(b.abs()).max(c.abs()).max_element());
    let [a, b, c] = [a, b, c].map(|v| v * factor);
    let [la, lb, lc] = [a, b, c].map(|v| sqrt(v.length_squared()));
    // Near the triangle the sign of the volume is worth a whole turn, so it may not be lost to
    // rounding.
    let volume = a.dot(b.cross(c)).abs().max(f64::MIN_POSITIVE).copysign(side);
    let cosines = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * atan2(volume, cosines)
}

/// A point of the triangle's plane is within the triangle, and not on its rim.
fn is_within(p: DVec3, [a, b, c]: &[DVec3; 3]) -> bool {
    // Seen along an axis along which it has an area.
    let seen = (0..3).map(|axis| (axis, orient2d_along(axis, *a, *b, *c))).find(|(_, area)| *area != 0.0);
    seen.is_some_and(|(axis, area)| {
        [[a, b], [b, c], [c, a]]
            .iter()
            .all(|[from, to]| 0.0 < orient2d_along(axis, **from, **to, p) * area.signum())
    })
}

/// The generalised winding number of triangles around a point.
pub fn winding_number(p: DVec3, triangles: impl IntoIterator<Item = [DVec3; 3]>) -> f64 {
    triangles.into_iter().map(|t| solid_angle(p, &t)).sum::<f64>() * (0.25 / PI)
}

/// The volume that closed triangles enclose: positive if they face outwards, zero for none.
///
/// Summed from the first corner, so that a far origin costs no digits. Infinite if it overflows.
pub fn signed_volume(triangles: impl IntoIterator<Item = [DVec3; 3]>) -> f64 {
    let mut apex = None;
    let (mut sum, mut rest) = (0.0f64, 0.0f64);
    for [a, b, c] in triangles {
        let apex = *apex.get_or_insert(a);
        let volume = (a - apex).dot((b - apex).cross(c - apex));
        // What rounding takes from the sum is kept apart.
        let next = sum + volume;
        rest += if sum.abs() < volume.abs() { (volume - next) + sum } else { (sum - next) + volume };
        sum = next;
    }
    let total = sum + rest;
    // Once the sum has overflowed the rest is not a number.
    (if total.is_nan() { sum } else { total }) / 6.0
}
