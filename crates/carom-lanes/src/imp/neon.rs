//! Four lanes in a NEON register, which every AArch64 has.
//!
//! Reference: Arm Neon Intrinsics Reference.
//! Differs: `min` and `max` are a comparison and a selection, because the instructions treat NaN
//! and zeros differently from the definition.

use super::generic::TRUNC_LIMIT;
use super::pair::Pair;
use crate::lanes::{F32Lanes, MaskLanes, Simd, U32Lanes, sealed::Sealed};
use crate::level::Level;
use core::arch::aarch64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// NEON is part of the targets that this file is compiled for, so the token needs no check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon;

/// Four floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x4(float32x4_t);

/// Four unsigned integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct U32x4(uint32x4_t);

/// Four masks of all bits or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask4(uint32x4_t);

impl Sealed for Neon {}

impl Simd for Neon {
    const LEVEL: Level = Level::Neon;
    type F32x4 = F32x4;
    type F32x8 = Pair<F32x4>;
    type F32x16 = Pair<Pair<F32x4>>;
    type U32x4 = U32x4;
    type U32x8 = Pair<U32x4>;
    type U32x16 = Pair<Pair<U32x4>>;
    type Mask4 = Mask4;
    type Mask8 = Pair<Mask4>;
    type Mask16 = Pair<Pair<Mask4>>;

    #[inline(always)]
    fn transpose8(self, rows: [Self::F32x8; 8]) -> [Self::F32x8; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        let [p0, p1, p2, p3] = transpose4([a.0, b.0, c.0, d.0]);
        let [p4, p5, p6, p7] = transpose4([a.1, b.1, c.1, d.1]);
        let [q0, q1, q2, q3] = transpose4([e.0, f.0, g.0, h.0]);
        let [q4, q5, q6, q7] = transpose4([e.1, f.1, g.1, h.1]);
        [
            Pair(p0, q0),
            Pair(p1, q1),
            Pair(p2, q2),
            Pair(p3, q3),
            Pair(p4, q4),
            Pair(p5, q5),
            Pair(p6, q6),
            Pair(p7, q7),
        ]
    }

    #[inline(always)]
    fn prefetch<T>(self, _slice: &[T], _index: usize) {
        // There is no stable intrinsic for prefetching.
    }
}

#[inline(always)]
fn transpose4(rows: [F32x4; 4]) -> [F32x4; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: NEON is part of the target.
    unsafe {
        // a0 b0 a2 b2 and a1 b1 a3 b3, then whole halves.
        let (ab_even, ab_odd) = (vtrn1q_f32(a.0, b.0), vtrn2q_f32(a.0, b.0));
        let (cd_even, cd_odd) = (vtrn1q_f32(c.0, d.0), vtrn2q_f32(c.0, d.0));
        [
            F32x4(vcombine_f32(vget_low_f32(ab_even), vget_low_f32(cd_even))),
            F32x4(vcombine_f32(vget_low_f32(ab_odd), vget_low_f32(cd_odd))),
            F32x4(vcombine_f32(vget_high_f32(ab_even), vget_high_f32(cd_even))),
            F32x4(vcombine_f32(vget_high_f32(ab_odd), vget_high_f32(cd_odd))),
        ]
    }
}

impl F32Lanes<4> for F32x4 {
    type Token = Neon;
    type Mask = Mask4;
    type U32 = U32x4;

    #[inline(always)]
    fn splat(_: Neon, x: f32) -> Self {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vdupq_n_f32(x) })
    }
    #[inline(always)]
    fn load(_: Neon, from: &[f32; 4]) -> Self {
        // SAFETY: the array holds four floats; the load needs no alignment beyond theirs.
        F32x4(unsafe { vld1q_f32(from.as_ptr()) })
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 4] {
        let mut array = [0.0; 4];
        // SAFETY: the array holds four floats.
        unsafe { vst1q_f32(array.as_mut_ptr(), self.0) };
        array
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        F32x4::select(self.lt(other), self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        F32x4::select(other.lt(self), self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vabsq_f32(self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vsqrtq_f32(self.0) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4 {
        // SAFETY: NEON is part of the target.
        Mask4(unsafe { vcltq_f32(self.0, other.0) })
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask4 {
        // SAFETY: NEON is part of the target.
        Mask4(unsafe { vcleq_f32(self.0, other.0) })
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4 {
        // SAFETY: NEON is part of the target.
        Mask4(unsafe { vceqq_f32(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: Mask4, yes: Self, no: Self) -> Self {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vbslq_f32(mask.0, yes.0, no.0) })
    }
    #[inline(always)]
    fn to_bits(self) -> U32x4 {
        // SAFETY: NEON is part of the target.
        U32x4(unsafe { vreinterpretq_u32_f32(self.0) })
    }
    #[inline(always)]
    fn trunc_to_u32(self) -> U32x4 {
        // The conversion saturates below, and converts NaN to 0. The upper limit is that of the
        // definition. SAFETY: NEON is part of the target.
        U32x4(unsafe { vcvtq_u32_f32(F32x4(vdupq_n_f32(TRUNC_LIMIT)).min_keeping_nan(self).0) })
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vextq_f32::<2>(self.0, self.0) })
    }
    #[inline(always)]
    fn gather(table: &[f32], index: U32x4) -> Self {
        let i = index.to_array();
        let mut lanes = [0.0; 4];
        for k in 0..4 {
            if let Some(&x) = table.get(i[k] as usize) {
                lanes[k] = x;
            }
        }
        F32x4::load(Neon, &lanes)
    }
}

impl F32x4 {
    /// Returns `self` in lanes in which it is smaller, else `other`, which may be NaN.
    #[inline(always)]
    fn min_keeping_nan(self, other: Self) -> Self {
        F32x4::select(self.lt(other), self, other)
    }
}

impl U32Lanes<4> for U32x4 {
    type Token = Neon;
    type Mask = Mask4;
    type F32 = F32x4;

    #[inline(always)]
    fn splat(_: Neon, x: u32) -> Self {
        // SAFETY: NEON is part of the target.
        U32x4(unsafe { vdupq_n_u32(x) })
    }
    #[inline(always)]
    fn load(_: Neon, from: &[u32; 4]) -> Self {
        // SAFETY: the array holds four integers; the load needs no alignment beyond theirs.
        U32x4(unsafe { vld1q_u32(from.as_ptr()) })
    }
    #[inline(always)]
    fn to_array(self) -> [u32; 4] {
        let mut array = [0; 4];
        // SAFETY: the array holds four integers.
        unsafe { vst1q_u32(array.as_mut_ptr(), self.0) };
        array
    }
    #[inline(always)]
    fn replace(self, lanes: &[u32; 4]) -> Self {
        U32x4::load(Neon, lanes)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4 {
        // SAFETY: NEON is part of the target.
        Mask4(unsafe { vceqq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4 {
        // SAFETY: NEON is part of the target.
        Mask4(unsafe { vcltq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: Mask4, yes: Self, no: Self) -> Self {
        // SAFETY: NEON is part of the target.
        U32x4(unsafe { vbslq_u32(mask.0, yes.0, no.0) })
    }
    #[inline(always)]
    fn shl<const COUNT: i32>(self) -> Self {
        // SAFETY: NEON is part of the target.
        U32x4(unsafe { vshlq_u32(self.0, vdupq_n_s32(COUNT)) })
    }
    #[inline(always)]
    fn shr<const COUNT: i32>(self) -> Self {
        // A left shift by a negative count is a right shift. SAFETY: NEON is part of the target.
        U32x4(unsafe { vshlq_u32(self.0, vdupq_n_s32(-COUNT)) })
    }
    #[inline(always)]
    fn to_f32(self) -> F32x4 {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vcvtq_f32_s32(vreinterpretq_s32_u32(self.0)) })
    }
    #[inline(always)]
    fn as_f32_bits(self) -> F32x4 {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vreinterpretq_f32_u32(self.0) })
    }
    #[inline(always)]
    fn compress(self, mask: Mask4) -> Self {
        let (lanes, bits) = (self.to_array(), mask.bits() as usize);
        // Lane i is moved to the index that is the number of set lanes before it.
        let (b0, b1, b2) = (bits & 1, bits >> 1 & 1, bits >> 2 & 1);
        let mut kept = [0; 4];
        kept[0] = lanes[0];
        kept[b0] = lanes[1];
        kept[b0 + b1] = lanes[2];
        if bits & 8 != 0 {
            kept[b0 + b1 + b2] = lanes[3];
        }
        U32x4::load(Neon, &kept)
    }
}

impl MaskLanes<4> for Mask4 {
    type Token = Neon;

    #[inline(always)]
    fn from_bits(_: Neon, bits: u32) -> Self {
        let each = [1, 2, 4, 8];
        // SAFETY: NEON is part of the target; the array holds four integers.
        Mask4(unsafe { vtstq_u32(vdupq_n_u32(bits), vld1q_u32(each.as_ptr())) })
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let each = [1, 2, 4, 8];
        // SAFETY: NEON is part of the target; the array holds four integers.
        unsafe { vaddvq_u32(vandq_u32(self.0, vld1q_u32(each.as_ptr()))) }
    }
}

macro_rules! binary {
    ($($name:ident $method:ident $lanes:ident, $intrinsic:ident;)*) => { $(
        impl $name for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: NEON is part of the target.
                $lanes(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )* };
}

binary! {
    Add add F32x4, vaddq_f32;
    Sub sub F32x4, vsubq_f32;
    Mul mul F32x4, vmulq_f32;
    Div div F32x4, vdivq_f32;
    Add add U32x4, vaddq_u32;
    Sub sub U32x4, vsubq_u32;
    Mul mul U32x4, vmulq_u32;
    BitAnd bitand U32x4, vandq_u32;
    BitOr bitor U32x4, vorrq_u32;
    BitXor bitxor U32x4, veorq_u32;
    BitAnd bitand Mask4, vandq_u32;
    BitOr bitor Mask4, vorrq_u32;
    BitXor bitxor Mask4, veorq_u32;
}

impl Neg for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: NEON is part of the target.
        F32x4(unsafe { vnegq_f32(self.0) })
    }
}

impl Not for Mask4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: NEON is part of the target.
        Mask4(unsafe { vmvnq_u32(self.0) })
    }
}
