//! Eight lanes in an AVX2 register; four lanes are those of SSE2, sixteen are two registers.
//!
//! Reference: Intel Intrinsics Guide; D. Lemire's and others' table of permutations for stream
//! compaction.

use super::generic::TRUNC_LIMIT;
use super::pair::Pair;
use super::sse2::{self, prefetch};
use crate::kernel::Kernel;
use crate::lanes::{F32Lanes, MaskLanes, Simd, U32Lanes, sealed::Sealed};
use crate::level::Level;
use crate::line::SharedLine;
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// A token: the proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT. Lanes of this
/// file are made with the token, or from other such lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// Eight floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x8(__m256);

/// Eight unsigned integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct U32x8(__m256i);

/// Eight masks of all bits or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask8(__m256);

impl Avx2 {
    /// Returns the token if the processor has these features.
    #[cfg(feature = "std")]
    pub(crate) fn new() -> Option<Avx2> {
        let has = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("popcnt");
        has.then_some(Avx2(()))
    }

    /// Returns the token if the build is only for processors with these features.
    #[cfg(not(feature = "std"))]
    pub(crate) fn new() -> Option<Avx2> {
        let has = cfg!(all(
            target_feature = "avx2",
            target_feature = "bmi1",
            target_feature = "bmi2",
            target_feature = "lzcnt",
            target_feature = "popcnt"
        ));
        has.then_some(Avx2(()))
    }
}

/// Runs the kernel inside a function that is compiled for AVX2.
///
/// # Safety
/// `Avx2::new` has returned a token on this machine.
#[inline]
pub(crate) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: the caller has seen the token.
    unsafe { run_inside(kernel) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_inside<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

impl Sealed for Avx2 {}

impl Simd for Avx2 {
    const LEVEL: Level = Level::Avx2;
    type F32x4 = sse2::F32x4<Avx2>;
    type F32x8 = F32x8;
    type F32x16 = Pair<F32x8>;
    type U32x4 = sse2::U32x4<Avx2>;
    type U32x8 = U32x8;
    type U32x16 = Pair<U32x8>;
    type Mask4 = sse2::Mask4<Avx2>;
    type Mask8 = Mask8;
    type Mask16 = Pair<Mask8>;

    #[inline(always)]
    fn transpose8(self, rows: [F32x8; 8]) -> [F32x8; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        // SAFETY: the values prove the token.
        unsafe {
            let (ab0, ab1) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
            let (cd0, cd1) = (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
            let (ef0, ef1) = (_mm256_unpacklo_ps(e.0, f.0), _mm256_unpackhi_ps(e.0, f.0));
            let (gh0, gh1) = (_mm256_unpacklo_ps(g.0, h.0), _mm256_unpackhi_ps(g.0, h.0));
            let p0 = _mm256_shuffle_ps::<0b01_00_01_00>(ab0, cd0);
            let p1 = _mm256_shuffle_ps::<0b11_10_11_10>(ab0, cd0);
            let p2 = _mm256_shuffle_ps::<0b01_00_01_00>(ab1, cd1);
            let p3 = _mm256_shuffle_ps::<0b11_10_11_10>(ab1, cd1);
            let q0 = _mm256_shuffle_ps::<0b01_00_01_00>(ef0, gh0);
            let q1 = _mm256_shuffle_ps::<0b11_10_11_10>(ef0, gh0);
            let q2 = _mm256_shuffle_ps::<0b01_00_01_00>(ef1, gh1);
            let q3 = _mm256_shuffle_ps::<0b11_10_11_10>(ef1, gh1);
            [
                F32x8(_mm256_permute2f128_ps::<0x20>(p0, q0)),
                F32x8(_mm256_permute2f128_ps::<0x20>(p1, q1)),
                F32x8(_mm256_permute2f128_ps::<0x20>(p2, q2)),
                F32x8(_mm256_permute2f128_ps::<0x20>(p3, q3)),
                F32x8(_mm256_permute2f128_ps::<0x31>(p0, q0)),
                F32x8(_mm256_permute2f128_ps::<0x31>(p1, q1)),
                F32x8(_mm256_permute2f128_ps::<0x31>(p2, q2)),
                F32x8(_mm256_permute2f128_ps::<0x31>(p3, q3)),
            ]
        }
    }

    #[inline(always)]
    fn load_shared(self, line: &SharedLine) -> F32x8 {
        // SAFETY: the token.
        F32x8(unsafe { load_words(line) })
    }

    #[inline(always)]
    fn store_shared(self, line: &SharedLine, row: F32x8) {
        // SAFETY: the token.
        unsafe { store_words(line, row.0) }
    }

    #[inline(always)]
    fn prefetch<T>(self, slice: &[T], index: usize) {
        prefetch(slice, index);
    }
}

/// Four relaxed loads of words at once. A processor with AVX moves each half of an aligned vector
/// atomically (Intel's manual, vol. 3A, 9.1.1; AMD's, vol. 2, 7.3.2). So no word is torn, and more
/// is not needed. Four separate loads of words would go through general registers and the stack,
/// which is slower.
///
/// # Safety
/// The processor has AVX.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn load_words(line: &SharedLine) -> __m256 {
    let row: __m256;
    // SAFETY: the row is aligned to a cache line. The reference is to atomic words, which may
    // change while they are read.
    unsafe {
        core::arch::asm!(
            "vmovaps {row}, ymmword ptr [{line}]",
            row = lateout(ymm_reg) row,
            line = in(reg) line.front_address(),
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    row
}

/// Four relaxed stores of words at once, as in [`load_words`].
///
/// # Safety
/// The processor has AVX.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn store_words(line: &SharedLine, row: __m256) {
    // SAFETY: as in `load_words`. Atomic words may be written through a shared reference.
    unsafe {
        core::arch::asm!(
            "vmovaps ymmword ptr [{line}], {row}",
            line = in(reg) line.front_address(),
            row = in(ymm_reg) row,
            options(nostack, preserves_flags)
        );
    }
}

/// For each mask, the lanes that it keeps, in order, one byte each.
static KEPT: [[u8; 8]; 256] = kept();

const fn kept() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut n, mut lane) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 != 0 {
                table[bits][n] = lane as u8;
                n += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
}

impl F32Lanes<8> for F32x8 {
    type Token = Avx2;
    type Mask = Mask8;
    type U32 = U32x8;

    #[inline(always)]
    fn splat(_: Avx2, x: f32) -> Self {
        // SAFETY: the token.
        F32x8(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(_: Avx2, from: &[f32; 8]) -> Self {
        // SAFETY: the token; the array holds eight floats and the load needs no alignment.
        F32x8(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 8] {
        let mut array = [0.0; 8];
        self.store(&mut array);
        array
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        // SAFETY: the value proves the token; the array holds eight floats and the store needs no
        // alignment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_min_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_max_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask8 {
        // SAFETY: the value proves the token.
        Mask8(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask8 {
        // SAFETY: the value proves the token.
        Mask8(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
    }
    // A separate method, so that `other` can be a memory operand of the comparison.
    #[inline(always)]
    fn ge(self, other: Self) -> Mask8 {
        // SAFETY: the value proves the token.
        Mask8(unsafe { _mm256_cmp_ps::<_CMP_GE_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask8 {
        // SAFETY: the value proves the token.
        Mask8(unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn select(mask: Mask8, yes: Self, no: Self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_blendv_ps(no.0, yes.0, mask.0) })
    }
    #[inline(always)]
    fn to_bits(self) -> U32x8 {
        // SAFETY: the value proves the token.
        U32x8(unsafe { _mm256_castps_si256(self.0) })
    }
    #[inline(always)]
    fn trunc_to_u32(self) -> U32x8 {
        // SAFETY: the value proves the token. After the two clamps, of which the first makes NaN
        // 0, the conversion is defined.
        U32x8(unsafe {
            let not_negative = _mm256_max_ps(self.0, _mm256_setzero_ps());
            _mm256_cvttps_epi32(_mm256_min_ps(not_negative, _mm256_set1_ps(TRUNC_LIMIT)))
        })
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_permute2f128_ps::<0x01>(self.0, self.0) })
    }
    #[inline(always)]
    fn gather(table: &[f32], index: U32x8) -> Self {
        // The instruction takes signed indices.
        if (i32::MAX as usize) < table.len() {
            let i = index.to_array();
            let mut lanes = [0.0; 8];
            for k in 0..8 {
                if let Some(&x) = table.get(i[k] as usize) {
                    lanes[k] = x;
                }
            }
            // SAFETY: the value proves the token; the array holds eight floats.
            return F32x8(unsafe { _mm256_loadu_ps(lanes.as_ptr()) });
        }
        // SAFETY: the value proves the token. Only lanes whose index is in the table, and so below
        // 2^31, are read.
        F32x8(unsafe {
            let sign = _mm256_set1_epi32(i32::MIN);
            let length = _mm256_set1_epi32(table.len() as i32 ^ i32::MIN);
            let inside = _mm256_cmpgt_epi32(length, _mm256_xor_si256(index.0, sign));
            _mm256_mask_i32gather_ps::<4>(
                _mm256_setzero_ps(),
                table.as_ptr(),
                index.0,
                _mm256_castsi256_ps(inside),
            )
        })
    }
}

impl U32Lanes<8> for U32x8 {
    type Token = Avx2;
    type Mask = Mask8;
    type F32 = F32x8;

    #[inline(always)]
    fn splat(_: Avx2, x: u32) -> Self {
        // SAFETY: the token.
        U32x8(unsafe { _mm256_set1_epi32(x as i32) })
    }
    #[inline(always)]
    fn load(_: Avx2, from: &[u32; 8]) -> Self {
        // SAFETY: the token; the array holds eight integers and the load needs no alignment.
        U32x8(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }
    #[inline(always)]
    fn to_array(self) -> [u32; 8] {
        let mut array = [0; 8];
        self.store(&mut array);
        array
    }
    #[inline(always)]
    fn store(self, to: &mut [u32; 8]) {
        // SAFETY: the value proves the token; the array holds eight integers and the store needs
        // no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) };
    }
    #[inline(always)]
    fn replace(self, lanes: &[u32; 8]) -> Self {
        // SAFETY: the value proves the token; the array holds eight integers.
        U32x8(unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) })
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask8 {
        // SAFETY: the value proves the token.
        Mask8(unsafe { _mm256_castsi256_ps(_mm256_cmpeq_epi32(self.0, other.0)) })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask8 {
        // SAFETY: the value proves the token. The sign bits are flipped, because the comparison is
        // signed.
        Mask8(unsafe {
            let sign = _mm256_set1_epi32(i32::MIN);
            _mm256_castsi256_ps(_mm256_cmpgt_epi32(
                _mm256_xor_si256(other.0, sign),
                _mm256_xor_si256(self.0, sign),
            ))
        })
    }
    #[inline(always)]
    fn select(mask: Mask8, yes: Self, no: Self) -> Self {
        // SAFETY: the value proves the token.
        U32x8(unsafe { _mm256_blendv_epi8(no.0, yes.0, _mm256_castps_si256(mask.0)) })
    }
    #[inline(always)]
    fn shl<const COUNT: i32>(self) -> Self {
        // SAFETY: the value proves the token.
        U32x8(unsafe { _mm256_slli_epi32::<COUNT>(self.0) })
    }
    #[inline(always)]
    fn shr<const COUNT: i32>(self) -> Self {
        // SAFETY: the value proves the token.
        U32x8(unsafe { _mm256_srli_epi32::<COUNT>(self.0) })
    }
    #[inline(always)]
    fn to_f32(self) -> F32x8 {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_cvtepi32_ps(self.0) })
    }
    #[inline(always)]
    fn as_f32_bits(self) -> F32x8 {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_castsi256_ps(self.0) })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the value proves the token.
        U32x8(unsafe { _mm256_min_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the value proves the token.
        U32x8(unsafe { _mm256_max_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn compress(self, mask: Mask8) -> Self {
        self.compress_bits(Avx2(()), mask.bits())
    }
    #[inline(always)]
    fn compress_bits(self, _: Avx2, bits: u32) -> Self {
        let order = &KEPT[(bits & 255) as usize];
        // SAFETY: the value proves the token; the row holds the eight bytes that are loaded.
        U32x8(unsafe {
            let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast()));
            _mm256_permutevar8x32_epi32(self.0, order)
        })
    }
    #[inline(always)]
    fn permute(self, order: Self) -> Self {
        // SAFETY: the values prove the token.
        U32x8(unsafe { _mm256_permutevar8x32_epi32(self.0, order.0) })
    }
    /// Sorts by a bitonic network. In each of six steps a lane is compared with a partner, and
    /// keeps the larger number if its bit is set.
    #[inline(always)]
    fn sorted_down(self) -> Self {
        // SAFETY: the value proves the token.
        unsafe {
            let x = step::<0x99>(self.0, _mm256_shuffle_epi32::<0xb1>(self.0));
            let x = step::<0xc3>(x, _mm256_shuffle_epi32::<0x4e>(x));
            let x = step::<0xa5>(x, _mm256_shuffle_epi32::<0xb1>(x));
            let x = step::<0x0f>(x, _mm256_permute2x128_si256::<0x01>(x, x));
            let x = step::<0x33>(x, _mm256_shuffle_epi32::<0x4e>(x));
            U32x8(step::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x)))
        }
    }
}

/// Returns for each lane the larger of the two numbers if its bit in `LARGER` is set, else the
/// smaller.
#[inline]
#[target_feature(enable = "avx2")]
fn step<const LARGER: i32>(a: __m256i, b: __m256i) -> __m256i {
    _mm256_blend_epi32::<LARGER>(_mm256_min_epu32(a, b), _mm256_max_epu32(a, b))
}

impl MaskLanes<8> for Mask8 {
    type Token = Avx2;

    #[inline(always)]
    fn from_bits(_: Avx2, bits: u32) -> Self {
        // SAFETY: the token.
        Mask8(unsafe {
            let each = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
            let here = _mm256_and_si256(_mm256_set1_epi32(bits as i32), each);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(here, each))
        })
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: the value proves the token.
        unsafe { _mm256_movemask_ps(self.0) as u32 }
    }
    #[inline(always)]
    fn first(_: Avx2, n: usize) -> Self {
        // SAFETY: the token.
        Mask8(unsafe {
            let number = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
            _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n.min(8) as i32), number))
        })
    }
}

macro_rules! binary {
    ($($name:ident $method:ident $lanes:ident, $intrinsic:ident;)*) => { $(
        impl $name for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the value proves the token.
                $lanes(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )* };
}

binary! {
    Add add F32x8, _mm256_add_ps;
    Sub sub F32x8, _mm256_sub_ps;
    Mul mul F32x8, _mm256_mul_ps;
    Div div F32x8, _mm256_div_ps;
    Add add U32x8, _mm256_add_epi32;
    Sub sub U32x8, _mm256_sub_epi32;
    Mul mul U32x8, _mm256_mullo_epi32;
    BitAnd bitand U32x8, _mm256_and_si256;
    BitOr bitor U32x8, _mm256_or_si256;
    BitXor bitxor U32x8, _mm256_xor_si256;
    BitAnd bitand Mask8, _mm256_and_ps;
    BitOr bitor Mask8, _mm256_or_ps;
    BitXor bitxor Mask8, _mm256_xor_ps;
}

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the value proves the token.
        F32x8(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

impl Not for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: the value proves the token.
        Mask8(unsafe { _mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) })
    }
}
