//! The farthest of a few hundred points along a direction, eight at a time in `f32`.
//!
//! The points are stored about their centre and scaled to size 1, so what `f32` loses is relative to the size of the
//! hull alone, and nothing overflows.
//!
//! Reference: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.3 (support of polytopes).
//! Differs: every vertex is looked at, which up to some hundred is faster than climbing; with a proven bound on the loss.

use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
use carom_math::scaling::{balanced, scale_of};
use glam::DVec3;

/// How much nearer than the farthest point the answer may be, in units of the radius about the centre.
///
/// Coordinate and direction each round once, the product once, the sum twice: five units of 2^-24 of the products'
/// absolute sum, which is at most the radius. The best and the chosen may both be off: ten. Two more for what
/// subnormal coordinates and the subtraction of the centre lose.
pub(crate) const SLACK: f64 = 12.0 / (1_u64 << 24) as f64;

/// Points in blocks of eight: x, y, z.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    blocks: Vec<[[f32; 8]; 3]>,
    n_points: u32,
}

impl Scan {
    /// From at least one point; `radius` is the largest distance from the centre.
    pub(crate) fn new(points: impl ExactSizeIterator<Item = DVec3>, center: DVec3, radius: f64) -> Scan {
        let scale = scale_of(radius);
        let n = points.len();
        let mut blocks = Vec::with_capacity(n.div_ceil(8));
        for (i, p) in points.enumerate() {
            let p = ((p - center) * scale).as_vec3();
            if i % 8 == 0 {
                // Lanes past the end repeat the first point of the block, which comes before them.
                blocks.push([[p.x; 8], [p.y; 8], [p.z; 8]]);
            }
            let last = blocks.len() - 1;
            for axis in 0..3 {
                blocks[last][axis][i % 8] = p[axis];
            }
        }
        Scan { blocks, n_points: n as u32 }
    }

    /// The number of a nearly farthest point; the same on every machine.
    #[inline]
    pub(crate) fn farthest(&self, direction: DVec3) -> u32 {
        let d = balanced(direction).as_vec3();
        let best = dispatch(Farthest { blocks: &self.blocks, direction: d.to_array() });
        if best < self.n_points { best } else { best & !7 }
    }
}

struct Farthest<'a> {
    blocks: &'a [[[f32; 8]; 3]],
    direction: [f32; 3],
}

impl Kernel for Farthest<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        let dx = S::F32x8::splat(simd, self.direction[0]);
        let dy = S::F32x8::splat(simd, self.direction[1]);
        let dz = S::F32x8::splat(simd, self.direction[2]);
        let mut most = S::F32x8::splat(simd, f32::NEG_INFINITY);
        let mut at = S::U32x8::splat(simd, 0);
        let mut number = S::U32x8::iota(simd);
        let eight = S::U32x8::splat(simd, 8);
        for block in self.blocks {
            let x = S::F32x8::load(simd, &block[0]);
            let y = S::F32x8::load(simd, &block[1]);
            let z = S::F32x8::load(simd, &block[2]);
            let along = x * dx + y * dy + z * dz;
            let is_better = most.lt(along);
            most = S::F32x8::select(is_better, along, most);
            at = S::U32x8::select(is_better, number, at);
            number = number + eight;
        }
        // The lowest lane that has the maximum. NaN: vertex 0.
        let best = S::F32x8::splat(simd, most.reduce_max());
        let lane = most.eq(best).bits().trailing_zeros() & 7;
        at.to_array()[lane as usize]
    }
}
