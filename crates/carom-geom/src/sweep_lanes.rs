//! A body in linear motion against eight triangles at once: which it may touch, and the earliest
//! time.
//!
//! A ball and an axis-aligned box contain the body. Its centre is moved along the line to a point
//! before the block, in `f64`; triangles are relative to that point. Three lower bounds limit the
//! distance to a triangle; the latest counts. The box meets the box of the triangle; the ball meets
//! its plane; the ball meets its bounding ball.
//!
//! Rounding, with u = 2^-24 and R the sum of all lengths involved. A relative coordinate has error
//! 8 u R, its product with a unit vector 16 u R. The difference of two such squares has error 64 u
//! R^2. An edge has relative error u, so a normal has error 16 u E^2, with E the longest edge. The
//! bound is four times that, and R times that for a height over the plane.
//!
//! Reference: T. Kay, J. Kajiya, Ray Tracing Complex Scenes, 1986 (slabs); Akenine-Moller et al.,
//! Real-Time Rendering, 4th ed., 25.11 (moving bodies against inflated ones).
//! Differs: bounds of times only, with their rounding; the caller decides.

use crate::line_lanes::{FARTHEST, LineBlock8, UNIT};
use crate::tri_tri_lanes::UNDERFLOW;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::ops::sqrt;
use carom_math::rounding;
use glam::DVec3;

/// A ball and a box with the same centre in linear motion, in the scaled coordinates of blocks.
#[derive(Clone, Copy, Debug)]
pub struct BlockSweep {
    center: DVec3,
    half: DVec3,
    radius: f64,
    /// Unit vector.
    direction: DVec3,
    speed: f64,
}

/// The earliest times at which a body may touch eight triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SweptLanes {
    /// Triangles that it may touch in the time; a bit that is not set is a proof that it does not.
    pub may: u32,
    /// Lower bounds of the times of contact.
    pub enters: [f64; 8],
}

impl BlockSweep {
    /// Creates the motion of a body inside the ball and inside the box; its centre is `center +
    /// way * t` at the time t. `None` if it does not move, or numbers are out of range.
    pub fn new(center: DVec3, half: DVec3, radius: f64, displacement: DVec3) -> Option<BlockSweep> {
        let speed_sq = displacement.length_squared();
        let sum = center.abs().element_sum() + half.abs().element_sum() + radius;
        (speed_sq.is_normal() && sum <= FARTHEST).then(|| {
            let speed = sqrt(speed_sq);
            BlockSweep { center, half, radius, direction: displacement * (1.0 / speed), speed }
        })
    }
}

impl LineBlock8 {
    /// Returns which triangles the body may touch from time 0 to `until`, and lower bounds of the
    /// times.
    #[inline]
    pub fn swept(&self, sweep: &BlockSweep, until: f64) -> SweptLanes {
        dispatch(Swept { block: self, sweep, until })
    }
}

struct Swept<'a> {
    block: &'a LineBlock8,
    sweep: &'a BlockSweep,
    until: f64,
}

/// Farther than anything.
const NEVER: f32 = 1e30; // exact: no length, a mark that stays finite in products with lengths

impl Kernel for Swept<'_> {
    type Output = SweptLanes;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> SweptLanes {
        let Swept { block, sweep, until } = self;
        let (first, used, reach) = (block.first(), block.used(), block.reach());
        let all = SweptLanes { may: used, enters: [0.0; 8] };
        // All coordinates of a corner are within twice the reach of the first corner.
        let room = sweep.radius + sweep.half.max_element() + 2.0 * reach;
        let along = (first - sweep.center).dot(sweep.direction) - room;
        let along = if 0.0 < along { along } else { 0.0 };
        let point = sweep.center + sweep.direction * along;
        let rest = first - point;
        let size = rest.abs().element_sum() + room;
        let far = point.abs().max_element() + first.abs().max_element() + along;
        // Errors of the stored corners, and of the relative corners.
        let stored = if block.is_exact() { 0.0 } else { UNIT * (far + size) };
        let error = 8.0 * UNIT * size + 2.0 * (stored + lost_in(far));
        // False for NaN.
        if !(size <= FARTHEST && error <= FARTHEST) {
            return all;
        }
        let splat = |x: f64| S::F32x8::splat(simd, x as f32);
        let zero = S::F32x8::splat(simd, 0.0);
        let (mut corners, mut edges) = ([[zero; 3]; 3], [[zero; 3]; 2]);
        for axis in 0..3 {
            let at = block.corners_of(axis).map(|stored| S::F32x8::load(simd, stored));
            let (from, rest) = (splat(first[axis]), splat(rest[axis]));
            for (corner, at) in corners.iter_mut().zip(at) {
                corner[axis] = (at - from) + rest;
            }
            // Differences of stored corners keep their digits.
            [edges[0][axis], edges[1][axis]] = [at[1] - at[0], at[2] - at[0]];
        }
        let [a, b, c] = corners;
        // The boxes.
        let mut enters = zero;
        let (mut low, mut high) = ([zero; 3], [zero; 3]);
        for axis in 0..3 {
            low[axis] = a[axis].min(b[axis]).min(c[axis]);
            high[axis] = a[axis].max(b[axis]).max(c[axis]);
            let half = rounding::up(sweep.half[axis] + error);
            let d = sweep.direction[axis];
            // The distance ahead, if the body moves in that direction.
            let inverse = |d: f64| if d + UNIT <= 0.0 { NEVER } else { (1.0 / (d + UNIT)) as f32 };
            let up = low[axis] - S::F32x8::splat(simd, half);
            let down = zero - high[axis] - S::F32x8::splat(simd, half);
            enters = enters.max(up.max(zero) * S::F32x8::splat(simd, inverse(d)));
            enters = enters.max(down.max(zero) * S::F32x8::splat(simd, inverse(-d)));
        }
        let d = [splat(sweep.direction.x), splat(sweep.direction.y), splat(sweep.direction.z)];
        let dot = |p: [S::F32x8; 3], q: [S::F32x8; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        // The plane: heights are scaled by the length of the normal.
        let [e, f] = edges;
        let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        let height = dot(n, a);
        let edge_sq = dot(e, e).max(dot(f, f));
        let length = dot(n, n).sqrt();
        let normal_error = edge_sq * splat(64.0 * UNIT) + edge_sq.sqrt() * splat(8.0 * stored);
        let lost = normal_error * splat(size) + S::F32x8::splat(simd, UNDERFLOW);
        let gap = height.abs() - length * splat((sweep.radius + error) * (1.0 + 8.0 * UNIT)) - lost;
        let speed = dot(n, d);
        let towards = S::F32x8::select(height.lt(zero), zero - speed, speed);
        let towards = towards + normal_error + S::F32x8::splat(simd, UNDERFLOW);
        let never = S::F32x8::splat(simd, NEVER);
        let at_plane = S::F32x8::select(zero.lt(towards), gap.max(zero) / towards, never);
        enters = enters.max(S::F32x8::select(zero.lt(gap), at_plane, zero));
        // The balls.
        let half = S::F32x8::splat(simd, 0.5);
        let mut out = [zero; 3];
        let mut middle = [zero; 3];
        for axis in 0..3 {
            middle[axis] = (low[axis] + high[axis]) * half;
            out[axis] = (high[axis] - low[axis]) * half;
        }
        let around = dot(out, out).sqrt() + splat(sweep.radius + 4.0 * error);
        let apart = dot(middle, middle) - around * around - splat(64.0 * UNIT * size * size);
        let ahead = dot(middle, d) + splat(16.0 * UNIT * size);
        let root = (ahead * ahead - apart).max(zero) + splat(128.0 * UNIT * size * size);
        let misses = (ahead * ahead + splat(128.0 * UNIT * size * size)).lt(apart) | ahead.lt(zero);
        let at_ball = S::F32x8::select(misses, never, apart.max(zero) / (ahead + root.sqrt()));
        enters = enters.max(S::F32x8::select(zero.lt(apart), at_ball, zero));
        // About eight roundings of quotients and products.
        let enters = enters * S::F32x8::splat(simd, 1.0 - 16.0 * UNIT as f32);
        let last =
            rounding::up((until * sweep.speed - along).max(0.0) * (1.0 + 8.0 * f64::EPSILON) + lost_in(far));
        let may = used & enters.le(S::F32x8::splat(simd, last)).bits();
        let mut swept = SweptLanes { may, enters: [0.0; 8] };
        if may != 0 {
            let inverse = (1.0 - 8.0 * f64::EPSILON) / sweep.speed;
            for (to, travel) in swept.enters.iter_mut().zip(enters.to_array()) {
                *to = ((along + f64::from(travel)) - lost_in(far)).max(0.0) * inverse;
            }
        }
        swept
    }
}

/// Returns the rounding of sums of lengths along the path, in `f64`.
#[inline(always)]
fn lost_in(far: f64) -> f64 {
    16.0 * f64::EPSILON * far
}
