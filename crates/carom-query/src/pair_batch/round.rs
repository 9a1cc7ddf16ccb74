//! Balls and capsules, eight pairs at a time.
//!
//! - A ball is a point with a margin. Its distance from another point or from a box has a closed
//!   form.
//! - Two capsules are two segments with margins. The computed nearest points give an upper bound of
//!   the distance, despite rounding, which proves that capsules touch. The axis through them is a
//!   separating axis. The gap along it is a lower bound, which proves that they are apart. Parallel
//!   segments are not a special case.
//!
//! Reference: C. Ericson, Real-Time Collision Detection, 2005, 5.1.3 (point, box) and 5.1.9
//! (segments).

use super::gather::{
    PlacedPair, Quat8, Vec3x8, between, columns, dot, half_extents, half_height, normalized, radius, rows,
    sum,
};
use super::verdict::{ERROR, Verdict, bits, decide, is_usual};
use crate::kernel::Shape;
use carom_lanes::{F32Lanes, Simd};

/// The least divisor: below it squares of `f32` lose digits to underflow. The segment is then below
/// 1e-15 long, and any of its points is valid.
const SHORT_SQ: f32 = 1e-30;

#[inline(always)]
pub(super) fn two_spheres<S: Simd>(simd: S, pairs: &[PlacedPair<'_>], numbers: &[u32]) -> Verdict {
    let [x, y, z, ra, rb] = rows(simd, pairs, numbers, |pair| {
        let [x, y, z] = between(pair.pose_a, pair.pose_b);
        [x, y, z, radius(pair.a), radius(pair.b)]
    });
    let t = [x, y, z];
    let radii = ra + rb;
    decide(simd, dot::<S>(t, t).sqrt() - radii, sum::<S>(t) + radii)
}

/// Tests balls against boxes. The two shapes of a pair may be in either order.
#[inline(always)]
pub(super) fn sphere_and_cuboid<S: Simd>(simd: S, pairs: &[PlacedPair<'_>], numbers: &[u32]) -> Verdict {
    let [x, y, z, radius, hx, hy, hz, qx, qy, qz, qw] = rows(simd, pairs, numbers, |pair| {
        let (ball, at, cuboid, placed) = match pair.a {
            Shape::Sphere(_) => (pair.a, pair.pose_a, pair.b, pair.pose_b),
            _ => (pair.b, pair.pose_b, pair.a, pair.pose_a),
        };
        let ([x, y, z], [hx, hy, hz]) = (between(placed, at), half_extents(cuboid));
        let [qx, qy, qz, qw] = placed.rotation.to_array();
        [x, y, z, radius(ball), hx, hy, hz, qx, qy, qz, qw]
    });
    let (t, half) = ([x, y, z], [hx, hy, hz]);
    let axes = columns(simd, normalized::<S>([qx, qy, qz, qw]));
    let zero = S::F32x8::splat(simd, 0.0);
    let mut outside = [zero; 3];
    for k in 0..3 {
        outside[k] = (dot::<S>(axes[k], t).abs() - half[k]).max(zero);
    }
    let gap = dot::<S>(outside, outside).sqrt() - radius;
    decide(simd, gap, sum::<S>(t) + sum::<S>(half) + radius)
}

#[inline(always)]
pub(super) fn two_capsules<S: Simd>(simd: S, pairs: &[PlacedPair<'_>], numbers: &[u32]) -> Verdict {
    let [x, y, z, half_a, half_b, ra, rb] = rows(simd, pairs, numbers, |pair| {
        let [x, y, z] = between(pair.pose_a, pair.pose_b);
        [x, y, z, half_height(pair.a), half_height(pair.b), radius(pair.a), radius(pair.b)]
    });
    let t = [x, y, z];
    let u = half_axis(simd, rows(simd, pairs, numbers, |pair| pair.pose_a.rotation.to_array()), half_a);
    let v = half_axis(simd, rows(simd, pairs, numbers, |pair| pair.pose_b.rotation.to_array()), half_b);
    // The points are s u and t + r v, with s and r from -1 to 1.
    let (one, short) = (S::F32x8::splat(simd, 1.0), S::F32x8::splat(simd, SHORT_SQ));
    let (uu, vv, uv) = (dot::<S>(u, u).max(short), dot::<S>(v, v).max(short), dot::<S>(u, v));
    let (ut, vt) = (dot::<S>(u, t), dot::<S>(v, t));
    let clamped = |x: S::F32x8| x.max(-one).min(one);
    let det = (uu * vv - uv * uv).max(short * short);
    let first = clamped((ut * vv - vt * uv) / det);
    let r = clamped((uv * first - vt) / vv);
    let s = clamped((uv * r + ut) / uu);
    let mut n = t;
    for k in 0..3 {
        n[k] = t[k] + r * v[k] - s * u[k];
    }
    let far = dot::<S>(n, n).sqrt();
    // Along n both segments extend equally far to both sides of their centres.
    let separated = (dot::<S>(n, t) - dot::<S>(n, u).abs() - dot::<S>(n, v).abs()) / far;
    let radii = ra + rb;
    let size = sum::<S>(t) + half_a + half_b + radii;
    let error = size * S::F32x8::splat(simd, ERROR);
    Verdict { apart: bits::<S>((radii + error).lt(separated)), meet: bits::<S>(far.lt(radii - error)) }
        .among(is_usual(simd, size))
}

/// Returns the y axis of a rotation, scaled to half a capsule's segment.
#[inline(always)]
fn half_axis<S: Simd>(simd: S, q: Quat8<S>, half: S::F32x8) -> Vec3x8<S> {
    let axis = columns(simd, normalized::<S>(q))[1];
    [axis[0] * half, axis[1] * half, axis[2] * half]
}
