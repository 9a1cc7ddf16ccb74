//! One triangle against eight at once: which of them it may meet, or be near.
//!
//! Separating axes in `f32`: the coordinate axes, the normals of the planes, the cross products of
//! the edges. Any axis that separates is a proof, whatever its rounding. Only the error of the
//! projections matters; "apart" needs a gap above a bound of it. The eight triangles are stored
//! about their middle and scaled to size one. The bound is then relative to their size, not to
//! their position.
//!
//! Rounding, with u = 2^-24. S is the largest coordinate of both, relative to that middle. |n| is
//! the sum of an axis's absolute coordinates. A coordinate rounded to `f32` has error u S; the
//! projection on n adds 3 u S |n|. Intervals more than 8 u S |n| apart are therefore apart. The
//! bound used is 10 u S |n|, which also covers its own rounding and that of the difference.
//!
//! Reference: S. Gottschalk, Separating Axis Theorem, UNC technical report TR96-024, 1996; N.
//! Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1 (error of an inner
//! product).
//! Differs: eight at a time; a certified bound; optionally a distance instead of 0.

use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use carom_math::rounding;
use carom_math::scaling::scale_of;
use glam::DVec3;

/// Error bound of a gap, 10 u, from rounding.
const ERROR: f32 = 10.0 * f32::EPSILON * 0.5;

/// Far above the underflow of a projection: about 2^-149 per product.
pub(crate) const UNDERFLOW: f32 = 2.0 * f32::MIN_POSITIVE;

/// 2^-100: a sum of squares below it may have lost digits to underflow.
const SHORT_SQ: f32 = f32::from_bits((127 - 100) << 23);

/// In units of the block. Coordinates beyond it refute nothing, so no product overflows.
pub(crate) const MAX_COORDINATE: f32 = 1.0e8;

/// Up to eight triangles, by component, in units of their own size.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct TriBlock8 {
    pub(crate) corners: [[[f32; 8]; 3]; 3],
    /// The least and the largest coordinates of the stored corners.
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
    pub(crate) center: DVec3,
    pub(crate) scale: f64,
    pub(crate) n_triangles: u32,
}

impl TriBlock8 {
    /// Creates a block of the first eight of these triangles.
    pub fn new(triangles: &[[DVec3; 3]]) -> TriBlock8 {
        let triangles = &triangles[..triangles.len().min(8)];
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in triangles.iter().flatten() {
            (low, high) = (low.min(*p), high.max(*p));
        }
        // Halved before the sum, because a sum near the end of the range would overflow.
        let center = if triangles.is_empty() { DVec3::ZERO } else { low * 0.5 + high * 0.5 };
        let reach = (high * 0.5 - low * 0.5).max_element();
        let scale = if 0.0 < reach { scale_of(reach) } else { 1.0 };
        let mut block = TriBlock8 {
            corners: [[[0.0; 8]; 3]; 3],
            low: [0.0; 3],
            high: [0.0; 3],
            center,
            scale,
            n_triangles: triangles.len() as u32,
        };
        for lane in 0..8 {
            let Some(t) = triangles.get(lane).or(triangles.last()) else { continue };
            for (corner, p) in t.iter().enumerate() {
                let p = ((*p - center) * scale).as_vec3();
                for axis in 0..3 {
                    block.corners[corner][axis][lane] = p[axis];
                    // Zero, the middle, is included.
                    block.low[axis] = block.low[axis].min(p[axis]);
                    block.high[axis] = block.high[axis].max(p[axis]);
                }
            }
        }
        block
    }

    /// Prefetches a block. Use it if the block is needed soon and other work comes first.
    #[inline]
    pub fn prefetch(blocks: &[TriBlock8], index: usize) {
        carom_lanes::prefetch(blocks, index);
    }

    /// Returns the number of triangles in the block.
    pub fn n_triangles(&self) -> usize {
        self.n_triangles as usize
    }

    /// For each of these triangles, returns the lanes of the block that may be within this distance
    /// of it, as bits. A bit that is not set is a proof that they are farther apart; with 0, that
    /// they do not meet. The shorter slice gives the count.
    pub fn may_be_near(&self, triangles: &[[DVec3; 3]], within: f64, lanes: &mut [u32]) {
        dispatch(MayBeNear { block: self, triangles, within, lanes });
    }
}

struct MayBeNear<'a> {
    block: &'a TriBlock8,
    triangles: &'a [[DVec3; 3]],
    within: f64,
    lanes: &'a mut [u32],
}

impl Kernel for MayBeNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let block = self.block;
        let mut b = [[S::F32x8::splat(simd, 0.0); 3]; 3];
        for corner in 0..3 {
            for axis in 0..3 {
                b[corner][axis] = S::F32x8::load(simd, &block.corners[corner][axis]);
            }
        }
        let within = rounding::up(self.within * block.scale);
        let used = (1_u32 << block.n_triangles) - 1;
        let n = if self.triangles.len() < self.lanes.len() { self.triangles.len() } else { self.lanes.len() };
        for i in 0..n {
            let mut a = [[0.0_f32; 3]; 3];
            let mut size = 2.0_f32;
            let mut is_computable = within <= MAX_COORDINATE;
            for corner in 0..3 {
                let p = (self.triangles[i][corner] - block.center) * block.scale;
                for axis in 0..3 {
                    let x = p[axis] as f32;
                    a[corner][axis] = x;
                    // False for NaN.
                    is_computable &= x.abs() <= MAX_COORDINATE;
                    size = if size < x.abs() { x.abs() } else { size };
                }
            }
            self.lanes[i] =
                if is_computable { near::<S, true>(simd, &a, &b, size * ERROR, within) & used } else { used };
        }
    }
}

pub(crate) type Vec3x8<S> = [<S as Simd>::F32x8; 3];

/// Returns the lanes that no axis separates by more than `within` (if `WITHIN`), or by any gap.
/// `error` times the sum of an axis's absolute coordinates bounds the error of a gap.
#[inline(always)]
pub(crate) fn near<S: Simd, const WITHIN: bool>(
    simd: S,
    a: &[[f32; 3]; 3],
    b: &[Vec3x8<S>; 3],
    error: f32,
    within: f32,
) -> u32 {
    let margin = Margin::<S>::new(simd, error, within);
    let (at, mut is_near) = margin.boxes::<WITHIN>(simd, a, b);
    if !is_near.any() {
        return 0;
    }
    let edges_a = [sub::<S>(at[1], at[0]), sub::<S>(at[2], at[1]), sub::<S>(at[0], at[2])];
    is_near = is_near & margin.near::<WITHIN>(cross::<S>(edges_a[0], edges_a[1]), &at, b);
    if !is_near.any() {
        return 0;
    }
    let edges_b = [sub::<S>(b[1], b[0]), sub::<S>(b[2], b[1]), sub::<S>(b[0], b[2])];
    is_near = is_near & margin.near::<WITHIN>(cross::<S>(edges_b[0], edges_b[1]), &at, b);
    for i in 0..3 {
        for j in 0..3 {
            if !is_near.any() {
                return 0;
            }
            is_near = is_near & margin.near::<WITHIN>(cross::<S>(edges_a[i], edges_b[j]), &at, b);
        }
    }
    is_near.bits()
}

/// The gap above which an axis is a proof.
pub(crate) struct Margin<S: Simd> {
    error: S::F32x8,
    /// The error of the gap and of its axis's length together, if a distance is given.
    error_within: S::F32x8,
    underflow: S::F32x8,
    within: S::F32x8,
    short_sq: S::F32x8,
    /// The square of the query distance, rounded up.
    limit_sq: S::F32x8,
}

impl<S: Simd> Margin<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, error: f32, within: f32) -> Margin<S> {
        Margin {
            error: S::F32x8::splat(simd, error),
            error_within: S::F32x8::splat(simd, error + within * error),
            underflow: S::F32x8::splat(simd, UNDERFLOW),
            within: S::F32x8::splat(simd, within),
            short_sq: S::F32x8::splat(simd, SHORT_SQ),
            // The distance of the boxes. Three squares and two sums round by less than 4 u;
            // underflow is negligible.
            limit_sq: S::F32x8::splat(
                simd,
                (within * within) * (1.0 + 8.0 * f32::EPSILON) + UNDERFLOW * UNDERFLOW,
            ),
        }
    }

    /// Returns the corners of the one triangle in all lanes, and the lanes whose boxes do not
    /// separate the triangles.
    #[inline(always)]
    pub(crate) fn boxes<const WITHIN: bool>(
        &self,
        simd: S,
        a: &[[f32; 3]; 3],
        b: &[Vec3x8<S>; 3],
    ) -> ([Vec3x8<S>; 3], <S::F32x8 as F32Lanes<8>>::Mask) {
        let zero = S::F32x8::splat(simd, 0.0);
        let mut at = [[zero; 3]; 3];
        let mut gap_sq = zero;
        let mut is_near = S::Mask8::from_bits(simd, 255);
        let needed = self.error + self.underflow;
        for k in 0..3 {
            let (mut low, mut high) = (a[0][k], a[0][k]);
            for corner in 0..3 {
                let x = a[corner][k];
                at[corner][k] = S::F32x8::splat(simd, x);
                low = if x < low { x } else { low };
                high = if high < x { x } else { high };
            }
            let low_b = b[0][k].min(b[1][k]).min(b[2][k]);
            let high_b = b[0][k].max(b[1][k]).max(b[2][k]);
            let gap = (low_b - S::F32x8::splat(simd, high)).max(S::F32x8::splat(simd, low) - high_b);
            if WITHIN {
                let gap = (gap - self.error - self.underflow).max(zero);
                gap_sq = gap_sq + gap * gap;
            } else {
                is_near = is_near & gap.le(needed);
            }
        }
        (at, if WITHIN { gap_sq.le(self.limit_sq) } else { is_near })
    }

    /// Returns the lanes that the axis does not separate.
    #[inline(always)]
    pub(crate) fn near<const WITHIN: bool>(
        &self,
        n: Vec3x8<S>,
        a: &[Vec3x8<S>; 3],
        b: &[Vec3x8<S>; 3],
    ) -> <S::F32x8 as F32Lanes<8>>::Mask {
        // A triangle without area at infinite distance gives NaN, which proves nothing.
        !self.needed::<WITHIN>(n).lt(gap::<S>(n, a, b))
    }

    /// Returns the gap along this axis above which the triangles are apart.
    #[inline(always)]
    pub(crate) fn needed<const WITHIN: bool>(&self, n: Vec3x8<S>) -> S::F32x8 {
        let sum = n[0].abs() + n[1].abs() + n[2].abs();
        if !WITHIN {
            return self.error * sum + self.underflow;
        }
        // The length rounds by less than 4 u of itself, and |n| is not less. If squares underflow,
        // the sum |n| replaces the length.
        let length_sq = dot::<S>(n, n);
        let is_short = length_sq.lt(self.short_sq);
        let length = S::F32x8::select(is_short, sum, length_sq.sqrt());
        self.error_within * sum + self.within * length + self.underflow
    }
}

/// Returns the gap of the triangles' projections on an axis, times its length; at most 0 if they
/// overlap.
#[inline(always)]
pub(crate) fn gap<S: Simd>(n: Vec3x8<S>, a: &[Vec3x8<S>; 3], b: &[Vec3x8<S>; 3]) -> S::F32x8 {
    let (a0, a1, a2) = (dot::<S>(n, a[0]), dot::<S>(n, a[1]), dot::<S>(n, a[2]));
    let (b0, b1, b2) = (dot::<S>(n, b[0]), dot::<S>(n, b[1]), dot::<S>(n, b[2]));
    (b0.min(b1).min(b2) - a0.max(a1).max(a2)).max(a0.min(a1).min(a2) - b0.max(b1).max(b2))
}

#[inline(always)]
pub(crate) fn sub<S: Simd>(p: Vec3x8<S>, q: Vec3x8<S>) -> Vec3x8<S> {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

#[inline(always)]
pub(crate) fn cross<S: Simd>(p: Vec3x8<S>, q: Vec3x8<S>) -> Vec3x8<S> {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

#[inline(always)]
pub(crate) fn dot<S: Simd>(p: Vec3x8<S>, q: Vec3x8<S>) -> S::F32x8 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}
