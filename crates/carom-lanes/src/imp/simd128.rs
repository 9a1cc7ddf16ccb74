//! Four lanes in a 128-bit vector of WebAssembly, if the build has the feature `simd128`.
//!
//! A machine without these instructions cannot load the module, so there is no choice at run time.
//!
//! Reference: WebAssembly Core Specification 2.0, 4.3 (`pmin` and `pmax` are a comparison and a
//! selection).

use super::generic::TRUNC_LIMIT;
use super::pair::Pair;
use crate::lanes::{F32Lanes, MaskLanes, Simd, U32Lanes, sealed::Sealed};
use crate::level::Level;
use core::arch::wasm32::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The builds that this file is compiled for have the feature, so the token needs no check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// Four floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x4(v128);

/// Four unsigned integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct U32x4(v128);

/// Four masks of all bits or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask4(v128);

impl Sealed for Simd128 {}

impl Simd for Simd128 {
    const LEVEL: Level = Level::Simd128;
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
        // There is no instruction for prefetching.
    }
}

#[inline(always)]
fn transpose4(rows: [F32x4; 4]) -> [F32x4; 4] {
    let [a, b, c, d] = rows;
    // a0 b0 a1 b1 and a2 b2 a3 b3, then whole halves.
    let (ab_low, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0));
    let (cd_low, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0), i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
    [
        F32x4(i64x2_shuffle::<0, 2>(ab_low, cd_low)),
        F32x4(i64x2_shuffle::<1, 3>(ab_low, cd_low)),
        F32x4(i64x2_shuffle::<0, 2>(ab_high, cd_high)),
        F32x4(i64x2_shuffle::<1, 3>(ab_high, cd_high)),
    ]
}

impl F32Lanes<4> for F32x4 {
    type Token = Simd128;
    type Mask = Mask4;
    type U32 = U32x4;

    #[inline(always)]
    fn splat(_: Simd128, x: f32) -> Self {
        F32x4(f32x4_splat(x))
    }
    #[inline(always)]
    fn load(_: Simd128, from: &[f32; 4]) -> Self {
        // SAFETY: the array holds four floats; the load needs no alignment.
        F32x4(unsafe { v128_load(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 4] {
        let mut array = [0.0_f32; 4];
        // SAFETY: the array holds four floats; the store needs no alignment.
        unsafe { v128_store(array.as_mut_ptr().cast(), self.0) };
        array
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // Gives `other`, unless `self` is smaller.
        F32x4(f32x4_pmin(other.0, self.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // Gives `other`, unless `self` is larger.
        F32x4(f32x4_pmax(other.0, self.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        F32x4(f32x4_abs(self.0))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x4(f32x4_sqrt(self.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4 {
        Mask4(f32x4_lt(self.0, other.0))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask4 {
        Mask4(f32x4_le(self.0, other.0))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4 {
        Mask4(f32x4_eq(self.0, other.0))
    }
    #[inline(always)]
    fn select(mask: Mask4, yes: Self, no: Self) -> Self {
        F32x4(v128_bitselect(yes.0, no.0, mask.0))
    }
    #[inline(always)]
    fn to_bits(self) -> U32x4 {
        U32x4(self.0)
    }
    #[inline(always)]
    fn trunc_to_u32(self) -> U32x4 {
        // Larger numbers become the limit. NaN stays, and the conversion gives 0 for it and for
        // numbers below zero.
        U32x4(u32x4_trunc_sat_f32x4(f32x4_pmin(self.0, f32x4_splat(TRUNC_LIMIT))))
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        F32x4(i64x2_shuffle::<1, 0>(self.0, self.0))
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
        F32x4::load(Simd128, &lanes)
    }
}

impl U32Lanes<4> for U32x4 {
    type Token = Simd128;
    type Mask = Mask4;
    type F32 = F32x4;

    #[inline(always)]
    fn splat(_: Simd128, x: u32) -> Self {
        U32x4(u32x4_splat(x))
    }
    #[inline(always)]
    fn load(_: Simd128, from: &[u32; 4]) -> Self {
        // SAFETY: the array holds four integers; the load needs no alignment.
        U32x4(unsafe { v128_load(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn to_array(self) -> [u32; 4] {
        let mut array = [0_u32; 4];
        // SAFETY: the array holds four integers; the store needs no alignment.
        unsafe { v128_store(array.as_mut_ptr().cast(), self.0) };
        array
    }
    #[inline(always)]
    fn replace(self, lanes: &[u32; 4]) -> Self {
        U32x4::load(Simd128, lanes)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4 {
        Mask4(u32x4_eq(self.0, other.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4 {
        Mask4(u32x4_lt(self.0, other.0))
    }
    #[inline(always)]
    fn select(mask: Mask4, yes: Self, no: Self) -> Self {
        U32x4(v128_bitselect(yes.0, no.0, mask.0))
    }
    #[inline(always)]
    fn shl<const COUNT: i32>(self) -> Self {
        U32x4(u32x4_shl(self.0, COUNT as u32))
    }
    #[inline(always)]
    fn shr<const COUNT: i32>(self) -> Self {
        U32x4(u32x4_shr(self.0, COUNT as u32))
    }
    #[inline(always)]
    fn to_f32(self) -> F32x4 {
        F32x4(f32x4_convert_i32x4(self.0))
    }
    #[inline(always)]
    fn as_f32_bits(self) -> F32x4 {
        F32x4(self.0)
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
        U32x4::load(Simd128, &kept)
    }
}

impl MaskLanes<4> for Mask4 {
    type Token = Simd128;

    #[inline(always)]
    fn from_bits(_: Simd128, bits: u32) -> Self {
        let each = u32x4(1, 2, 4, 8);
        Mask4(u32x4_eq(v128_and(u32x4_splat(bits), each), each))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(u32x4_bitmask(self.0))
    }
}

macro_rules! binary {
    ($($name:ident $method:ident $lanes:ident, $intrinsic:ident;)*) => { $(
        impl $name for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                $lanes($intrinsic(self.0, other.0))
            }
        }
    )* };
}

binary! {
    Add add F32x4, f32x4_add;
    Sub sub F32x4, f32x4_sub;
    Mul mul F32x4, f32x4_mul;
    Div div F32x4, f32x4_div;
    Add add U32x4, u32x4_add;
    Sub sub U32x4, u32x4_sub;
    Mul mul U32x4, u32x4_mul;
    BitAnd bitand U32x4, v128_and;
    BitOr bitor U32x4, v128_or;
    BitXor bitxor U32x4, v128_xor;
    BitAnd bitand Mask4, v128_and;
    BitOr bitor Mask4, v128_or;
    BitXor bitxor Mask4, v128_xor;
}

impl Neg for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        F32x4(f32x4_neg(self.0))
    }
}

impl Not for Mask4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask4(v128_not(self.0))
    }
}
