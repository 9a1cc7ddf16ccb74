//! Two oriented boxes by fifteen axes, eight pairs at a time.
//!
//! A gap along any axis proves that the boxes are apart. If they overlap along all fifteen, they
//! touch.
//!
//! The cross product of nearly parallel edges is nearly zero, and only rounding remains. For these
//! the face axes decide. With angle d between two edges, one box is rotated by d to make them
//! parallel. Its points move by at most 1.42 sin(d) times the size. The fifteen axes of the new
//! pair are the face axes alone. So an overlap of more than twice that on each of them remains
//! after rotating back.
//!
//! Reference: S. Gottschalk, M. Lin, D. Manocha, OBBTree, SIGGRAPH 1996, 5 (the axes); C. Ericson,
//! Real-Time Collision Detection, 2005, 4.4.1.
//! Differs: both answers are proved; nearly parallel edges are handled by the angle between them.

use super::gather::{
    PlacedPair, Vec3x8, between, columns, dot, half_extents, normalized, relative, rows, sum,
};
use super::verdict::{ERROR, Verdict, bits, is_usual};
use carom_lanes::{F32Lanes, Simd};

/// Required overlap on the face axes for edges at an angle, divided by its sine and the size.
const PER_SINE: f32 = 3.0;

#[inline(always)]
pub(super) fn two_cuboids<S: Simd>(simd: S, pairs: &[PlacedPair<'_>], numbers: &[u32]) -> Verdict {
    let world: Vec3x8<S> = rows(simd, pairs, numbers, |pair| between(pair.pose_a, pair.pose_b));
    let a: Vec3x8<S> = rows(simd, pairs, numbers, |pair| half_extents(pair.a));
    let b: Vec3x8<S> = rows(simd, pairs, numbers, |pair| half_extents(pair.b));
    let turn_a = normalized::<S>(rows(simd, pairs, numbers, |pair| pair.pose_a.rotation.to_array()));
    let turn_b = normalized::<S>(rows(simd, pairs, numbers, |pair| pair.pose_b.rotation.to_array()));
    // All in the frame of A: t is the centre of B, r[j] its axis j.
    let axes = columns(simd, turn_a);
    let t = [dot::<S>(axes[0], world), dot::<S>(axes[1], world), dot::<S>(axes[2], world)];
    let r = columns(simd, relative::<S>(turn_a, turn_b));
    let mut reach = r;
    for j in 0..3 {
        for i in 0..3 {
            reach[j][i] = r[j][i].abs();
        }
    }
    let mut faces = S::F32x8::splat(simd, f32::NEG_INFINITY);
    for i in 0..3 {
        let of_b = reach[0][i] * b[0] + reach[1][i] * b[1] + reach[2][i] * b[2];
        faces = faces.max(t[i].abs() - (a[i] + of_b));
    }
    for j in 0..3 {
        faces = faces.max(dot::<S>(t, r[j]).abs() - (dot::<S>(a, reach[j]) + b[j]));
    }
    let mut edges = faces;
    let mut least_sine_sq = S::F32x8::splat(simd, f32::INFINITY);
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let along = (t[i2] * r[j][i1] - t[i1] * r[j][i2]).abs();
            let of_a = a[i1] * reach[j][i2] + a[i2] * reach[j][i1];
            let of_b = b[j1] * reach[j2][i] + b[j2] * reach[j1][i];
            edges = edges.max(along - (of_a + of_b));
            least_sine_sq = least_sine_sq.min(r[j][i1] * r[j][i1] + r[j][i2] * r[j][i2]);
        }
    }
    let size = sum::<S>(t) + sum::<S>(a) + sum::<S>(b);
    let error = size * S::F32x8::splat(simd, ERROR);
    let by_angle = least_sine_sq.sqrt() * (size * S::F32x8::splat(simd, PER_SINE)) + error;
    let meet = bits::<S>(edges.lt(-error)) | bits::<S>(faces.lt(-(by_angle + error)));
    Verdict { apart: bits::<S>(error.lt(edges)), meet }.among(is_usual(simd, size))
}
