//! One tree seen from the other: the relative pose in `f32`, and a slack that covers its rounding.
//!
//! All tests between two trees use lengths scaled by a power of two. S is the sum of the largest
//! coordinates of both trees and of the translation. The scale puts S into [0.5, 1), so squares
//! neither overflow nor underflow. Data scaled by a power of two gives the same bits (test:
//! `invariance::a_power_of_two_changes_nothing`).
//!
//! With u = 2^-24, the error of a transformed centre is at most 5 u S in each coordinate. That of
//! a difference of centres is 7 u S, that of its projection 21 u S, that of the radii 7 u S.
//! `slack`, 64 u S, is larger than their sum. A test that reports "apart" only beyond the slack is
//! therefore conservative.
//!
//! An edge axis gives differences of two products. The offset is off by at most 33 u S, and the
//! rotated axis by at most 28 u. [`EDGES`] times the slack, 256 u S, covers them (110 u S) and the
//! radii (44).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., eq. 25.4; N. Higham, Accuracy
//! and Stability of Numerical Algorithms, 2nd ed., 3.1 (error of an inner product).

use crate::scale::{LARGEST_SCALE, UNIT, inverse_power_of_two, reach, size};
use crate::volumes::Volumes8;
use carom_bounds::Aabb;
use carom_lanes::{F32Lanes, Simd};
use carom_math::WidePose;

/// The slack of edge axes, relative to that of other axes; it covers their rounding.
pub(crate) const EDGES: f32 = 4.0;

/// A transform from one frame (the source) to another (the target), in scaled lengths. T holds the
/// data of a volume kind for the pose: [`Volumes8::Turn`].
#[derive(Clone, Copy, Debug)]
pub struct Relative<T = ()> {
    /// `columns[j]` is axis j of the source, in the target's frame.
    pub(crate) columns: [[f32; 3]; 3],
    /// The absolute values of the columns.
    pub(crate) abs_columns: [[f32; 3]; 3],
    /// A scaled vector, in the target's frame.
    pub(crate) translation: [f32; 3],
    /// The columns and the translation, for four lanes.
    columns4: [[f32; 4]; 4],
    /// A scaled length.
    pub(crate) slack: f32,
    /// The power of two by which lengths are multiplied.
    pub(crate) scale: f32,
    /// The scale in `f64`; it may be below the range of `f32`.
    pub(crate) wide_scale: f64,
    pub(crate) turn: T,
}

impl Relative {
    /// A in B's frame and B in A's frame, for two trees with these bounds, each in its own frame.
    /// Both have the same scale.
    pub(crate) fn both(b_in_a: &WidePose, bounds_a: &Aabb, bounds_b: &Aabb) -> (Relative, Relative) {
        let a_in_b = b_in_a.inverse();
        let size = size(b_in_a, bounds_a, bounds_b);
        (Relative::new(&a_in_b, size), Relative::new(b_in_a, size))
    }

    /// As `both`, for two trees of such volumes.
    pub fn both_of<W: Volumes8>(
        b_in_a: &WidePose,
        bounds_a: &Aabb,
        bounds_b: &Aabb,
    ) -> (Relative<W::Turn>, Relative<W::Turn>) {
        let (a_to_b, b_to_a) = Relative::both(b_in_a, bounds_a, bounds_b);
        (a_to_b.with(W::turn(&b_in_a.inverse().rotation)), b_to_a.with(W::turn(&b_in_a.rotation)))
    }

    /// The identity, for two objects in one frame with these bounds.
    pub(crate) fn identity(bounds: &Aabb, other: &Aabb) -> Relative {
        Relative::new(&WidePose::IDENTITY, reach(bounds) + reach(other))
    }

    fn new(source_in_target: &WidePose, size: f64) -> Relative {
        let mut columns = [[0.0; 3]; 3];
        let mut abs_columns = [[0.0; 3]; 3];
        for j in 0..3 {
            columns[j] = source_in_target.rotation.col(j).as_vec3().to_array();
            abs_columns[j] = columns[j].map(f32::abs);
        }
        let scale = inverse_power_of_two(size).min(LARGEST_SCALE);
        let translation = (source_in_target.translation * scale).as_vec3().to_array();
        let four = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
        Relative {
            columns,
            abs_columns,
            translation,
            columns4: [four(columns[0]), four(columns[1]), four(columns[2]), four(translation)],
            slack: (size * scale) as f32 * (64.0 * UNIT),
            // Coordinates of boxes are at most 2^100. With a scale below 2^-126 the boxes are
            // points, up to the slack.
            wide_scale: scale,
            scale: if scale < f64::from(f32::MIN_POSITIVE) { 0.0 } else { scale as f32 },
            turn: (),
        }
    }
}

impl<T> Relative<T> {
    /// The same transform with other data of the volume kind.
    #[inline]
    fn with<U>(self, turn: U) -> Relative<U> {
        let Relative { columns, abs_columns, translation, columns4, slack, scale, wide_scale, .. } = self;
        Relative { columns, abs_columns, translation, columns4, slack, scale, wide_scale, turn }
    }

    /// Transforms a scaled point of the source to the target's frame, scaled.
    #[inline(always)]
    pub(crate) fn point(&self, p: [f32; 3]) -> [f32; 3] {
        let d = self.direction(p);
        [d[0] + self.translation[0], d[1] + self.translation[1], d[2] + self.translation[2]]
    }

    /// Transforms a direction of the source to the target's frame.
    #[inline(always)]
    pub(crate) fn direction(&self, p: [f32; 3]) -> [f32; 3] {
        let c = &self.columns;
        let mut out = [0.0; 3];
        for k in 0..3 {
            out[k] = p[0] * c[0][k] + p[1] * c[1][k] + p[2] * c[2][k];
        }
        out
    }

    /// [`Relative::point`], by four lanes: the same bits.
    #[inline(always)]
    pub(crate) fn point4<S: Simd>(&self, simd: S, p: [f32; 3]) -> [f32; 4] {
        (self.turned(simd, p) + S::F32x4::load(simd, &self.columns4[3])).to_array()
    }

    /// [`Relative::direction`], by four lanes: the same bits.
    #[inline(always)]
    pub(crate) fn direction4<S: Simd>(&self, simd: S, p: [f32; 3]) -> [f32; 4] {
        self.turned(simd, p).to_array()
    }

    #[inline(always)]
    fn turned<S: Simd>(&self, simd: S, p: [f32; 3]) -> S::F32x4 {
        let c = &self.columns4;
        S::F32x4::load(simd, &c[0]) * S::F32x4::splat(simd, p[0])
            + S::F32x4::load(simd, &c[1]) * S::F32x4::splat(simd, p[1])
            + S::F32x4::load(simd, &c[2]) * S::F32x4::splat(simd, p[2])
    }

    /// Half extents along the target's axes, for a box with these half extents along the source's
    /// axes.
    #[inline(always)]
    pub(crate) fn half_extents(&self, h: [f32; 3]) -> [f32; 3] {
        let c = &self.abs_columns;
        let mut out = [0.0; 3];
        for k in 0..3 {
            out[k] = h[0] * c[0][k] + h[1] * c[1][k] + h[2] * c[2][k];
        }
        out
    }
}
