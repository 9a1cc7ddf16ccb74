//! One line against eight triangles at once: which of them it may touch, and which it certainly
//! crosses.
//!
//! The line's origin is moved along the line to the block, in `f64`. The corners are projected
//! along the line onto a plane across its largest component, in `f32`, relative to that origin. A
//! line passes a triangle on the same side of all three edges. If two sides differ by more than
//! their errors, the line misses. The exact test decides the rest.
//!
//! Rounding, with u = 2^-24. R is the largest coordinate of a corner relative to the line's point;
//! e is the error of that point and of the corners. A projected coordinate is below 3 R, with error
//! c = 8 u R + 2 e. A side has error 12 R c + 36 u R^2. The bound used is a third larger.
//!
//! Reference: S. Woop, C. Benthin, I. Wald, Watertight Ray/Triangle Intersection, JCGT 2(1), 2013
//! (the shear).
//! Differs: results are certain within an error bound; the rest is left to the exact test.

use crate::tri_tri_lanes::UNDERFLOW;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::rounding;
use glam::DVec3;

/// The rounding unit u.
pub(crate) const UNIT: f64 = 0.5 * f32::EPSILON as f64;

/// A line, prepared for tests against many blocks.
#[derive(Clone, Copy, Debug)]
pub struct BlockLine {
    origin: DVec3,
    /// Scaled so that the largest component has size 1.
    direction: DVec3,
    /// One over the squared length of the direction.
    inverse_sq: f64,
    /// The axes, that of the largest component last.
    axes: [usize; 3],
    /// Displacement along the first two axes per unit of the last.
    slopes: [f64; 2],
    /// The largest coordinate of the origin.
    reach: f64,
}

impl BlockLine {
    /// Creates the line through `origin` along `direction`, of any length. A line with non-finite
    /// numbers, or of zero direction, refutes no triangle.
    #[inline]
    pub fn new(origin: DVec3, direction: DVec3) -> BlockLine {
        let size = direction.abs();
        let last = if size.y <= size.x && size.z <= size.x {
            0
        } else if size.z <= size.y {
            1
        } else {
            2
        };
        // A zero direction gives NaN, which refutes nothing.
        let direction = direction / size[last];
        let (first, second) = ((last + 1) % 3, (last + 2) % 3);
        // The last component is 1 or -1: a product equals the quotient.
        let slopes = [direction[first] * direction[last], direction[second] * direction[last]];
        let (axes, reach) = ([first, second, last], origin.abs().max_element());
        BlockLine { origin, direction, inverse_sq: 1.0 / direction.length_squared(), axes, slopes, reach }
    }
}

/// How a line meets up to eight triangles: lanes as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineLanes {
    /// Triangles that it may touch. A bit that is not set is a proof that it does not.
    pub may: u32,
    /// Triangles that it certainly crosses, off their edges, from the side from which the corners
    /// appear counter-clockwise.
    pub from_front: u32,
    /// Triangles that it certainly crosses, off their edges, from the other side.
    pub from_back: u32,
}

/// Up to eight triangles for line tests; the data take five cache lines.
///
/// The corners are `f32`, in coordinates times a power of two. Corners that were `f32` are stored
/// without rounding.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct LineBlock8 {
    corners: [[[f32; 8]; 3]; 3],
    /// The triangle numbers, below 2^28, with other data in the bits above. Lane 0 holds the count
    /// of triangles less one, and [`EXACT`]. Lanes 1 and 2 hold the exponent of a power of two. It
    /// bounds the differences of all coordinates from those of the first corner.
    words: [u32; 8],
}

/// Mask of the triangle number.
const NUMBER: u32 = (1 << 28) - 1;

/// Set if the corners are stored exactly.
const EXACT: u32 = 1 << 31;

impl LineBlock8 {
    /// Creates a block of the first eight of these triangles with these numbers, below 2^28. The
    /// shorter slice gives the count. The scale is a power of two.
    pub fn new(triangles: &[[DVec3; 3]], numbers: &[u32], scale: f64) -> LineBlock8 {
        let n = triangles.len().min(numbers.len()).min(8);
        let mut block = LineBlock8 { corners: [[[0.0; 8]; 3]; 3], words: [0; 8] };
        let Some(last) = n.checked_sub(1) else { return block };
        let mut is_exact = true;
        for lane in 0..8 {
            let t = &triangles[lane.min(last)];
            block.words[lane] = numbers[lane.min(last)] & NUMBER;
            for (corner, p) in t.iter().enumerate() {
                let stored = (*p * scale).as_vec3();
                is_exact &= stored.as_dvec3() * (1.0 / scale) == *p;
                for axis in 0..3 {
                    block.corners[corner][axis][lane] = stored[axis];
                }
            }
        }
        let first = block.first();
        let mut reach = 0.0_f64;
        for (axis, from) in first.to_array().into_iter().enumerate() {
            for x in block.corners.iter().flat_map(|corner| corner[axis]) {
                reach = reach.max((f64::from(x) - from).abs());
            }
        }
        let bits = rounding::up(reach).to_bits();
        // The next power of two, and a normal one.
        let exponent = ((bits >> 23) + u32::from(bits & 0x007f_ffff != 0)).clamp(1, 254);
        block.words[0] |= (last as u32) << 28 | if is_exact { EXACT } else { 0 };
        block.words[1] |= exponent << 28;
        block.words[2] |= exponent >> 4 << 28;
        block
    }

    /// Returns the first corner of the first triangle, as stored.
    #[inline(always)]
    pub(crate) fn first(&self) -> DVec3 {
        let [x, y, z] = self.corners[0];
        DVec3::new(f64::from(x[0]), f64::from(y[0]), f64::from(z[0]))
    }

    /// Returns a bound of all coordinate differences from the first corner.
    #[inline(always)]
    pub(crate) fn reach(&self) -> f64 {
        let exponent = self.words[1] >> 28 | self.words[2] >> 28 << 4;
        f64::from(f32::from_bits(exponent << 23))
    }

    /// Returns the lanes that hold triangles, as bits.
    #[inline(always)]
    pub(crate) fn used(&self) -> u32 {
        255 >> (7 - (self.words[0] >> 28 & 7))
    }

    /// Returns one coordinate of each corner.
    #[inline(always)]
    pub(crate) fn corners_of(&self, axis: usize) -> [&[f32; 8]; 3] {
        let [a, b, c] = &self.corners;
        [&a[axis], &b[axis], &c[axis]]
    }

    /// Returns whether `f32` stores the corners exactly.
    #[inline(always)]
    pub(crate) fn is_exact(&self) -> bool {
        self.words[0] & EXACT != 0
    }

    /// Returns the number of the triangle in a lane, 0 to 7. An empty lane gives an arbitrary
    /// number.
    #[inline]
    pub fn number(&self, lane: usize) -> u32 {
        self.words[lane & 7] & NUMBER
    }

    /// Returns the corners of the triangle in a lane, 0 to 7, in its own coordinates; takes one
    /// over the scale. `None` if `f32` did not store them exactly.
    #[inline]
    pub fn corners(&self, lane: usize, unscale: f64) -> Option<[DVec3; 3]> {
        let at = |[x, y, z]: &[[f32; 8]; 3]| {
            let i = lane & 7;
            DVec3::new(f64::from(x[i]), f64::from(y[i]), f64::from(z[i])) * unscale
        };
        let [a, b, c] = &self.corners;
        (self.words[0] & EXACT != 0).then(|| [at(a), at(b), at(c)])
    }

    /// Prefetches a block. Use it if the block is needed soon and other work comes first.
    #[inline]
    pub fn prefetch(blocks: &[LineBlock8], index: usize) {
        carom_lanes::prefetch(blocks, index);
    }

    /// Returns which triangles the line touches, to the precision of `f32`. The line is in the
    /// scaled coordinates.
    #[inline]
    pub fn touched(&self, line: &BlockLine) -> LineLanes {
        dispatch(Touched { block: self, line })
    }
}

struct Touched<'a> {
    block: &'a LineBlock8,
    line: &'a BlockLine,
}

/// Coordinates beyond this, 2^50, refute nothing, so no product overflows.
pub(crate) const FARTHEST: f64 = (1_u64 << 50) as f64;

impl Kernel for Touched<'_> {
    type Output = LineLanes;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> LineLanes {
        let Touched { block, line } = self;
        let (first, used) = (block.first(), block.used());
        let t = (first - line.origin).dot(line.direction) * line.inverse_sq;
        // The point of the line nearest to the first corner, each coordinate as a sum of two
        // numbers.
        let point = line.origin + line.direction * t;
        let near = point.as_vec3();
        let rest = point - near.as_dvec3();
        let far = line.reach + t.abs() + first.abs().max_element();
        let reach = block.reach() + (point - first).abs().max_element() + UNIT * far;
        // The rounding of the low part is below u^2 times the point.
        let point_error = 16.0 * f64::EPSILON * far;
        let corner_error = if block.words[0] & EXACT != 0 { 0.0 } else { UNIT * (far + reach) };
        let coordinate_error = 8.0 * UNIT * reach + 2.0 * (point_error + corner_error);
        let error = 16.0 * reach * coordinate_error + 48.0 * UNIT * reach * reach;
        // False for NaN.
        if !(reach <= FARTHEST && coordinate_error <= FARTHEST) {
            return LineLanes { may: used, ..LineLanes::default() };
        }
        let [first, second, last] = line.axes;
        let from_last = S::F32x8::splat(simd, near[last]);
        let mut across = [[S::F32x8::splat(simd, 0.0); 2]; 3];
        for (k, axis) in [first, second].into_iter().enumerate() {
            let slope = S::F32x8::splat(simd, line.slopes[k] as f32);
            let from = S::F32x8::splat(simd, near[axis]);
            let rest = S::F32x8::splat(simd, (rest[axis] - line.slopes[k] * rest[last]) as f32);
            for corner in 0..3 {
                let x = S::F32x8::load(simd, &block.corners[corner][axis]);
                let z = S::F32x8::load(simd, &block.corners[corner][last]);
                across[corner][k] = (x - from) - slope * (z - from_last) - rest;
            }
        }
        let [a, b, c] = across;
        let (first, second, third) = (side::<S>(a, b), side::<S>(b, c), side::<S>(c, a));
        let error = S::F32x8::splat(simd, rounding::up(error) + UNDERFLOW);
        let zero = S::F32x8::splat(simd, 0.0);
        let least = first.min(second).min(third);
        let most = first.max(second).max(third);
        let below = least.lt(zero - error);
        let above = error.lt(most);
        let may = used & !(below & above).bits();
        if may == 0 {
            return LineLanes::default();
        }
        // A line from behind has all sides positive, if the last axis runs with it.
        let (all_above, all_below) = (may & error.lt(least).bits(), may & most.lt(zero - error).bits());
        let (from_back, from_front) =
            if 0.0 < line.direction[last] { (all_above, all_below) } else { (all_below, all_above) };
        LineLanes { may, from_front, from_back }
    }
}

/// Returns twice the area of the triangle of the two points and the line; the line is at the
/// origin.
#[inline(always)]
fn side<S: Simd>(p: [S::F32x8; 2], q: [S::F32x8; 2]) -> S::F32x8 {
    p[0] * q[1] - p[1] * q[0]
}
