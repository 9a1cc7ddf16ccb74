//! Four lanes in an SSE2 register, which every x86-64 has.
//!
//! Reference: Intel Intrinsics Guide; A. Fog, Optimizing subroutines in assembly language, 13 (the
//! 32-bit product from two 64-bit ones).

use super::generic::TRUNC_LIMIT;
use super::pair::Pair;
use crate::lanes::{F32Lanes, MaskLanes, Simd, U32Lanes, sealed::Sealed};
use crate::level::Level;
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// SSE2 is part of x86-64, so the token needs no check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse2;

/// Four floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x4<T>(pub(super) __m128, pub(super) T);

/// Four unsigned integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct U32x4<T>(pub(super) __m128i, pub(super) T);

/// Four masks of all bits or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask4<T>(pub(super) __m128, pub(super) T);

impl Sealed for Sse2 {}

impl Simd for Sse2 {
    const LEVEL: Level = Level::Sse2;
    type F32x4 = F32x4<Sse2>;
    type F32x8 = Pair<F32x4<Sse2>>;
    type F32x16 = Pair<Pair<F32x4<Sse2>>>;
    type U32x4 = U32x4<Sse2>;
    type U32x8 = Pair<U32x4<Sse2>>;
    type U32x16 = Pair<Pair<U32x4<Sse2>>>;
    type Mask4 = Mask4<Sse2>;
    type Mask8 = Pair<Mask4<Sse2>>;
    type Mask16 = Pair<Pair<Mask4<Sse2>>>;

    #[inline(always)]
    fn transpose8(self, rows: [Self::F32x8; 8]) -> [Self::F32x8; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        let [p0, p1, p2, p3] = transpose4(self, [a.0, b.0, c.0, d.0]);
        let [p4, p5, p6, p7] = transpose4(self, [a.1, b.1, c.1, d.1]);
        let [q0, q1, q2, q3] = transpose4(self, [e.0, f.0, g.0, h.0]);
        let [q4, q5, q6, q7] = transpose4(self, [e.1, f.1, g.1, h.1]);
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
    fn prefetch<T>(self, slice: &[T], index: usize) {
        prefetch(slice, index);
    }
}

/// Prefetches every cache line of the element, at most eight.
#[inline(always)]
pub(super) fn prefetch<T>(slice: &[T], index: usize) {
    if let Some(element) = slice.get(index) {
        let start = core::ptr::from_ref(element).cast::<i8>();
        let mut at = 0;
        while at < size_of::<T>() && at < 512 {
            // SAFETY: SSE is part of x86-64; a prefetch reads nothing and may be given any
            // address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(at)) };
            at += 64;
        }
    }
}

#[inline(always)]
fn transpose4<T: Copy>(t: T, rows: [F32x4<T>; 4]) -> [F32x4<T>; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let (ab_low, ab_high) = (_mm_unpacklo_ps(a.0, b.0), _mm_unpackhi_ps(a.0, b.0));
        let (cd_low, cd_high) = (_mm_unpacklo_ps(c.0, d.0), _mm_unpackhi_ps(c.0, d.0));
        [
            F32x4(_mm_movelh_ps(ab_low, cd_low), t),
            F32x4(_mm_movehl_ps(cd_low, ab_low), t),
            F32x4(_mm_movelh_ps(ab_high, cd_high), t),
            F32x4(_mm_movehl_ps(cd_high, ab_high), t),
        ]
    }
}

impl<T: Copy + core::fmt::Debug> F32Lanes<4> for F32x4<T> {
    type Token = T;
    type Mask = Mask4<T>;
    type U32 = U32x4<T>;

    #[inline(always)]
    fn splat(simd: T, x: f32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_set1_ps(x) }, simd)
    }
    #[inline(always)]
    fn load(simd: T, from: &[f32; 4]) -> Self {
        // SAFETY: the array holds four floats; the load needs no alignment.
        F32x4(unsafe { _mm_loadu_ps(from.as_ptr()) }, simd)
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 4] {
        let mut array = [0.0; 4];
        // SAFETY: the array holds four floats; the store needs no alignment.
        unsafe { _mm_storeu_ps(array.as_mut_ptr(), self.0) };
        array
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_min_ps(self.0, other.0) }, self.1)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_max_ps(self.0, other.0) }, self.1)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_andnot_ps(_mm_set1_ps(-0.0), self.0) }, self.1)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_sqrt_ps(self.0) }, self.1)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4<T> {
        // SAFETY: SSE2 is part of x86-64.
        Mask4(unsafe { _mm_cmplt_ps(self.0, other.0) }, self.1)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask4<T> {
        // SAFETY: SSE2 is part of x86-64.
        Mask4(unsafe { _mm_cmple_ps(self.0, other.0) }, self.1)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4<T> {
        // SAFETY: SSE2 is part of x86-64.
        Mask4(unsafe { _mm_cmpeq_ps(self.0, other.0) }, self.1)
    }
    #[inline(always)]
    fn select(mask: Mask4<T>, yes: Self, no: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_or_ps(_mm_and_ps(mask.0, yes.0), _mm_andnot_ps(mask.0, no.0)) }, yes.1)
    }
    #[inline(always)]
    fn to_bits(self) -> U32x4<T> {
        // SAFETY: SSE2 is part of x86-64.
        U32x4(unsafe { _mm_castps_si128(self.0) }, self.1)
    }
    #[inline(always)]
    fn trunc_to_u32(self) -> U32x4<T> {
        // SAFETY: SSE2 is part of x86-64. After the two clamps, of which the first makes NaN 0,
        // the conversion is defined.
        let whole = unsafe {
            let not_negative = _mm_max_ps(self.0, _mm_setzero_ps());
            _mm_cvttps_epi32(_mm_min_ps(not_negative, _mm_set1_ps(TRUNC_LIMIT)))
        };
        U32x4(whole, self.1)
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_shuffle_ps::<0b01_00_11_10>(self.0, self.0) }, self.1)
    }
    #[inline(always)]
    fn gather(table: &[f32], index: U32x4<T>) -> Self {
        let i = index.to_array();
        let mut lanes = [0.0; 4];
        for k in 0..4 {
            if let Some(&x) = table.get(i[k] as usize) {
                lanes[k] = x;
            }
        }
        F32x4::load(index.1, &lanes)
    }
}

impl<T: Copy + core::fmt::Debug> U32Lanes<4> for U32x4<T> {
    type Token = T;
    type Mask = Mask4<T>;
    type F32 = F32x4<T>;

    #[inline(always)]
    fn splat(simd: T, x: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        U32x4(unsafe { _mm_set1_epi32(x as i32) }, simd)
    }
    #[inline(always)]
    fn load(simd: T, from: &[u32; 4]) -> Self {
        // SAFETY: the array holds four integers; the load needs no alignment.
        U32x4(unsafe { _mm_loadu_si128(from.as_ptr().cast()) }, simd)
    }
    #[inline(always)]
    fn to_array(self) -> [u32; 4] {
        let mut array = [0; 4];
        // SAFETY: the array holds four integers; the store needs no alignment.
        unsafe { _mm_storeu_si128(array.as_mut_ptr().cast(), self.0) };
        array
    }
    #[inline(always)]
    fn replace(self, lanes: &[u32; 4]) -> Self {
        U32x4::load(self.1, lanes)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask4<T> {
        // SAFETY: SSE2 is part of x86-64.
        Mask4(unsafe { _mm_castsi128_ps(_mm_cmpeq_epi32(self.0, other.0)) }, self.1)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4<T> {
        // SAFETY: SSE2 is part of x86-64. The sign bits are flipped, because the comparison is
        // signed.
        let less = unsafe {
            let sign = _mm_set1_epi32(i32::MIN);
            _mm_cmplt_epi32(_mm_xor_si128(self.0, sign), _mm_xor_si128(other.0, sign))
        };
        // SAFETY: as above.
        Mask4(unsafe { _mm_castsi128_ps(less) }, self.1)
    }
    #[inline(always)]
    fn select(mask: Mask4<T>, yes: Self, no: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        let chosen = unsafe {
            let mask = _mm_castps_si128(mask.0);
            _mm_or_si128(_mm_and_si128(mask, yes.0), _mm_andnot_si128(mask, no.0))
        };
        U32x4(chosen, yes.1)
    }
    #[inline(always)]
    fn shl<const COUNT: i32>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        U32x4(unsafe { _mm_slli_epi32::<COUNT>(self.0) }, self.1)
    }
    #[inline(always)]
    fn shr<const COUNT: i32>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        U32x4(unsafe { _mm_srli_epi32::<COUNT>(self.0) }, self.1)
    }
    #[inline(always)]
    fn to_f32(self) -> F32x4<T> {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_cvtepi32_ps(self.0) }, self.1)
    }
    #[inline(always)]
    fn as_f32_bits(self) -> F32x4<T> {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_castsi128_ps(self.0) }, self.1)
    }
    #[inline(always)]
    fn compress(self, mask: Mask4<T>) -> Self {
        let (lanes, bits) = (self.to_array(), mask.bits() as usize);
        // Lane i is moved to the index that is the number of set lanes before it. A spare entry
        // receives the dropped lanes.
        let (b0, b1, b2) = (bits & 1, bits >> 1 & 1, bits >> 2 & 1);
        let mut kept = [0; 4];
        kept[0] = lanes[0];
        kept[b0] = lanes[1];
        kept[b0 + b1] = lanes[2];
        if bits & 8 != 0 {
            kept[b0 + b1 + b2] = lanes[3];
        }
        U32x4::load(self.1, &kept)
    }
}

impl<T: Copy + core::fmt::Debug> MaskLanes<4> for Mask4<T> {
    type Token = T;

    #[inline(always)]
    fn from_bits(simd: T, bits: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        let mask = unsafe {
            let each = _mm_set_epi32(8, 4, 2, 1);
            _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(bits as i32), each), each))
        };
        Mask4(mask, simd)
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_movemask_ps(self.0) as u32 }
    }
}

macro_rules! binary {
    ($($name:ident $method:ident $lanes:ident, $intrinsic:ident;)*) => { $(
        impl<T> $name for $lanes<T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: SSE2 is part of x86-64.
                $lanes(unsafe { $intrinsic(self.0, other.0) }, self.1)
            }
        }
    )* };
}

binary! {
    Add add F32x4, _mm_add_ps;
    Sub sub F32x4, _mm_sub_ps;
    Mul mul F32x4, _mm_mul_ps;
    Div div F32x4, _mm_div_ps;
    Add add U32x4, _mm_add_epi32;
    Sub sub U32x4, _mm_sub_epi32;
    BitAnd bitand U32x4, _mm_and_si128;
    BitOr bitor U32x4, _mm_or_si128;
    BitXor bitxor U32x4, _mm_xor_si128;
    BitAnd bitand Mask4, _mm_and_ps;
    BitOr bitor Mask4, _mm_or_ps;
    BitXor bitxor Mask4, _mm_xor_ps;
}

impl<T> Mul for U32x4<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64. The even lanes and the odd lanes each give 64-bit
        // products.
        let product = unsafe {
            let even = _mm_mul_epu32(self.0, other.0);
            let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(self.0), _mm_srli_epi64::<32>(other.0));
            _mm_unpacklo_epi32(
                _mm_shuffle_epi32::<0b00_00_10_00>(even),
                _mm_shuffle_epi32::<0b00_00_10_00>(odd),
            )
        };
        U32x4(product, self.1)
    }
}

impl<T> Neg for F32x4<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        F32x4(unsafe { _mm_xor_ps(self.0, _mm_set1_ps(-0.0)) }, self.1)
    }
}

impl<T> Not for Mask4<T> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Mask4(unsafe { _mm_xor_ps(self.0, _mm_castsi128_ps(_mm_set1_epi32(-1))) }, self.1)
    }
}
