//! One line against eight triangles at once: which of them it may touch.
//!
//! The line is moved along itself to the middle of the block, in `f64`, and the corners are projected along it onto a plane
//! across its largest component, in `f32` and in units of the block. A line passes a triangle on the same side of all
//! three edges; where two sides differ by more than their errors, it does not. The exact test decides about the rest.
//!
//! With u = 2^-24, R at least 2 and the largest coordinate of the line's point, e the error of that point: a projected
//! coordinate is below 3 R and off by c = 8 u R + 2 e, a side by 12 R c + 36 u R^2. A third more is asked for.
//!
//! Reference: S. Woop, C. Benthin, I. Wald, Watertight Ray/Triangle Intersection, JCGT 2(1), 2013 (the shear).
//! Differs: it only refutes, with a bound.

use crate::tri_tri_lanes::{FAR, TriBlock8, UNDERFLOW};
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::rounding;
use glam::DVec3;

/// u.
const UNIT: f64 = 0.5 * f32::EPSILON as f64;

/// A line, ready to be held against many blocks.
#[derive(Clone, Copy, Debug)]
pub struct BlockLine {
    origin: DVec3,
    /// With a largest component of size 1.
    direction: DVec3,
    /// One over its square.
    inverse_sq: f64,
    /// The axis of the largest component last.
    axes: [usize; 3],
    /// How far the line moves along the first two axes for one step along the last.
    slopes: [f64; 2],
    /// The largest coordinate of the origin.
    reach: f64,
}

impl BlockLine {
    /// The line through `origin` along `direction`, of any length. Of a line with numbers that are not finite, or without a
    /// direction, nothing is refuted.
    pub fn new(origin: DVec3, direction: DVec3) -> BlockLine {
        let size = direction.abs();
        let last = if size.y <= size.x && size.z <= size.x {
            0
        } else if size.z <= size.y {
            1
        } else {
            2
        };
        // Zero gives NaN, by which nothing is refuted.
        let direction = direction / size[last];
        let (first, second) = ((last + 1) % 3, (last + 2) % 3);
        let slopes = [direction[first] / direction[last], direction[second] / direction[last]];
        let (axes, reach) = ([first, second, last], origin.abs().max_element());
        BlockLine { origin, direction, inverse_sq: 1.0 / direction.length_squared(), axes, slopes, reach }
    }
}

impl TriBlock8 {
    /// The lanes, as bits, of the triangles that the line may touch. A bit that is not set is a proof that it does not.
    #[inline]
    pub fn may_touch(&self, line: &BlockLine) -> u32 {
        dispatch(MayTouch { block: self, line })
    }
}

struct MayTouch<'a> {
    block: &'a TriBlock8,
    line: &'a BlockLine,
}

impl Kernel for MayTouch<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        let MayTouch { block, line } = self;
        let used = (1_u32 << block.n_triangles) - 1;
        let t = (block.center - line.origin).dot(line.direction) * line.inverse_sq;
        // The point of the line nearest to the middle of the block.
        let point = (line.origin + line.direction * t - block.center) * block.scale;
        let far = line.reach + t.abs() + block.center.abs().max_element();
        let point_error = 8.0 * f64::EPSILON * far * block.scale;
        let reach = 2.0 + point.abs().max_element();
        let coordinate_error = 8.0 * UNIT * reach + 2.0 * point_error;
        let error = 16.0 * reach * coordinate_error + 48.0 * UNIT * reach * reach;
        // Not so for a NaN.
        if !(reach <= f64::from(FAR) && error <= f64::from(FAR)) {
            return used;
        }
        let [first, second, last] = line.axes;
        let mut across = [[S::F32x8::splat(simd, 0.0); 2]; 3];
        for (k, axis) in [first, second].into_iter().enumerate() {
            let slope = S::F32x8::splat(simd, line.slopes[k] as f32);
            let own = S::F32x8::splat(simd, (point[axis] - line.slopes[k] * point[last]) as f32);
            for corner in 0..3 {
                let x = S::F32x8::load(simd, &block.corners[corner][axis]);
                let z = S::F32x8::load(simd, &block.corners[corner][last]);
                across[corner][k] = x - slope * z - own;
            }
        }
        let [a, b, c] = across;
        let (first, second, third) = (side::<S>(a, b), side::<S>(b, c), side::<S>(c, a));
        let error = S::F32x8::splat(simd, rounding::up(error) + UNDERFLOW);
        let zero = S::F32x8::splat(simd, 0.0);
        let is_below = first.min(second).min(third).lt(zero - error);
        let is_above = error.lt(first.max(second).max(third));
        used & !(is_below & is_above).bits()
    }
}

/// Twice the area of the triangle of the two points and the line, which is at the origin.
#[inline(always)]
fn side<S: Simd>(p: [S::F32x8; 2], q: [S::F32x8; 2]) -> S::F32x8 {
    p[0] * q[1] - p[1] * q[0]
}
