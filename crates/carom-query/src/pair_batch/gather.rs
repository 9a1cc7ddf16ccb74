//! Data of up to eight pairs in SIMD lanes. Lanes without a pair hold NaN, which proves nothing.
//!
//! Reference: K. Shoemake, Animating Rotation with Quaternion Curves, SIGGRAPH 1985 (matrix and
//! product).

use crate::kernel::Shape;
use carom_lanes::{F32Lanes, Simd};
use carom_math::Pose;

/// Two shapes with their poses in the world.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPair<'a> {
    /// The first shape.
    pub a: &'a Shape,
    /// Its pose.
    pub pose_a: &'a Pose,
    /// The second shape.
    pub b: &'a Shape,
    /// Its pose.
    pub pose_b: &'a Pose,
}

pub(super) type Vec3x8<S> = [<S as Simd>::F32x8; 3];
/// A quaternion: x, y, z, w.
pub(super) type Quat8<S> = [<S as Simd>::F32x8; 4];

/// Returns `N` numbers of each pair, loaded as `N` rows of lanes.
#[inline(always)]
pub(super) fn rows<S: Simd, const N: usize>(
    simd: S,
    pairs: &[PlacedPair<'_>],
    numbers: &[u32],
    of: impl Fn(&PlacedPair<'_>) -> [f32; N],
) -> [S::F32x8; N] {
    let mut table = [[f32::NAN; 8]; N];
    let n = if numbers.len() < 8 { numbers.len() } else { 8 };
    for lane in 0..n {
        let values = of(&pairs[numbers[lane] as usize]);
        for row in 0..N {
            table[row][lane] = values[row];
        }
    }
    let mut rows = [S::F32x8::splat(simd, 0.0); N];
    for row in 0..N {
        rows[row] = S::F32x8::load(simd, &table[row]);
    }
    rows
}

/// Returns the translation from A to B, subtracted in `f64`, so nothing is lost far from the
/// origin.
#[inline(always)]
pub(super) fn between(a: &Pose, b: &Pose) -> [f32; 3] {
    let mut t = [0.0; 3];
    for k in 0..3 {
        t[k] = (f64::from(b.translation[k]) - f64::from(a.translation[k])) as f32;
    }
    t
}

#[inline(always)]
pub(super) fn radius(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(s) => s.radius(),
        Shape::Capsule(s) => s.radius(),
        _ => f32::NAN,
    }
}

#[inline(always)]
pub(super) fn half_height(shape: &Shape) -> f32 {
    match shape {
        Shape::Capsule(s) => s.half_height(),
        Shape::Sphere(_) => 0.0,
        _ => f32::NAN,
    }
}

#[inline(always)]
pub(super) fn half_extents(shape: &Shape) -> [f32; 3] {
    if let Shape::Cuboid(s) = shape { s.half_extents().to_array() } else { [f32::NAN; 3] }
}

/// Returns the quaternion at length one.
#[inline(always)]
pub(super) fn normalized<S: Simd>(q: Quat8<S>) -> Quat8<S> {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    [q[0] / length, q[1] / length, q[2] / length, q[3] / length]
}

#[inline(always)]
pub(super) fn dot<S: Simd>(p: Vec3x8<S>, q: Vec3x8<S>) -> S::F32x8 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

/// Returns the sum of the absolute coordinates, an upper bound of the length.
#[inline(always)]
pub(super) fn sum<S: Simd>(p: Vec3x8<S>) -> S::F32x8 {
    p[0].abs() + p[1].abs() + p[2].abs()
}

/// Returns the columns of the rotation matrix of a unit quaternion.
#[inline(always)]
pub(super) fn columns<S: Simd>(simd: S, q: Quat8<S>) -> [Vec3x8<S>; 3] {
    let [x, y, z, w] = q;
    let (one, two) = (S::F32x8::splat(simd, 1.0), S::F32x8::splat(simd, 2.0));
    [
        [one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)],
        [two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)],
        [two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)],
    ]
}

/// Returns the second rotation in the frame of the first: conj(a) b.
#[inline(always)]
pub(super) fn relative<S: Simd>(a: Quat8<S>, b: Quat8<S>) -> Quat8<S> {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx - ax * bw - ay * bz + az * by,
        aw * by + ax * bz - ay * bw - az * bx,
        aw * bz - ax * by + ay * bx - az * bw,
        aw * bw + ax * bx + ay * by + az * bz,
    ]
}
