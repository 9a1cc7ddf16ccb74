//! Operations on lanes, for any instruction set: three traits for the values, one for the set.
//!
//! Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2 (the results of
//! MINPS and MAXPS for NaN and for zeros of both signs are the definition).

use crate::level::Level;
#[cfg(target_has_atomic = "64")]
use crate::line::SharedLine;
use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// An instruction set: a proof that the processor has it, and the names of its lanes.
///
/// Kernels get a token from [`dispatch`](crate::dispatch()). It cannot be created or implemented
/// elsewhere.
pub trait Simd: Copy + Debug + Send + Sync + sealed::Sealed + 'static {
    /// The level of this instruction set.
    const LEVEL: Level;
    /// Four floats.
    type F32x4: F32Lanes<4, Token = Self, Mask = Self::Mask4, U32 = Self::U32x4>;
    /// Eight floats.
    type F32x8: F32Lanes<8, Token = Self, Mask = Self::Mask8, U32 = Self::U32x8>;
    /// Sixteen floats.
    type F32x16: F32Lanes<16, Token = Self, Mask = Self::Mask16, U32 = Self::U32x16>;
    /// Four unsigned integers.
    type U32x4: U32Lanes<4, Token = Self, Mask = Self::Mask4, F32 = Self::F32x4>;
    /// Eight unsigned integers.
    type U32x8: U32Lanes<8, Token = Self, Mask = Self::Mask8, F32 = Self::F32x8>;
    /// Sixteen unsigned integers.
    type U32x16: U32Lanes<16, Token = Self, Mask = Self::Mask16, F32 = Self::F32x16>;
    /// A mask of four lanes.
    type Mask4: MaskLanes<4, Token = Self>;
    /// A mask of eight lanes.
    type Mask8: MaskLanes<8, Token = Self>;
    /// A mask of sixteen lanes.
    type Mask16: MaskLanes<16, Token = Self>;

    /// Transposes: lane j of result i is lane i of row j.
    fn transpose8(self, rows: [Self::F32x8; 8]) -> [Self::F32x8; 8];

    /// Returns the front row of a line that several threads see. Each two floats are from one
    /// write. It is the last one, or one of another thread at the same time.
    #[cfg(target_has_atomic = "64")]
    #[inline(always)]
    fn load_shared(self, line: &SharedLine) -> Self::F32x8 {
        Self::F32x8::load(self, &line.front())
    }

    /// Writes the front row of a line that several threads see.
    #[cfg(target_has_atomic = "64")]
    #[inline(always)]
    fn store_shared(self, line: &SharedLine, row: Self::F32x8) {
        line.set_front(&row.to_array());
    }

    /// Prefetches the cache lines of `slice[index]`; without such an element it does nothing.
    fn prefetch<T>(self, slice: &[T], index: usize);
}

/// N floats with the same operation on each.
pub trait F32Lanes<const N: usize>:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The instruction set.
    type Token: Copy;
    /// The result of comparisons.
    type Mask: MaskLanes<N, Token = Self::Token>;
    /// Integers of the same number of lanes.
    type U32: U32Lanes<N, Token = Self::Token, Mask = Self::Mask, F32 = Self>;

    /// Returns the same number in every lane.
    fn splat(simd: Self::Token, x: f32) -> Self;

    /// Returns the lanes from an array; no alignment is needed.
    fn load(simd: Self::Token, from: &[f32; N]) -> Self;

    /// Returns the lanes as an array.
    fn to_array(self) -> [f32; N];

    /// Returns the smaller of each lane: `if self < other { self } else { other }`, so `other` if
    /// one is NaN.
    fn min(self, other: Self) -> Self;

    /// Returns the larger of each lane: `if other < self { self } else { other }`, so `other` if
    /// one is NaN.
    fn max(self, other: Self) -> Self;

    /// Returns the absolute values, by clearing the sign bits.
    fn abs(self) -> Self;

    /// Returns the correctly rounded square roots; NaN below zero.
    fn sqrt(self) -> Self;

    /// Returns `self < other`; false for NaN.
    fn lt(self, other: Self) -> Self::Mask;

    /// Returns `self <= other`; false for NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// Returns `self == other`; false for NaN.
    fn eq(self, other: Self) -> Self::Mask;

    /// Returns `yes` in lanes in which the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Returns the bits, unchanged.
    fn to_bits(self) -> Self::U32;

    /// Returns the whole parts, for numbers in `[0, 2147483520]`. Smaller numbers and NaN give 0,
    /// larger ones that limit.
    fn trunc_to_u32(self) -> Self::U32;

    /// Returns the upper half of the lanes before the lower half.
    fn swap_halves(self) -> Self;

    /// Returns the numbers of a table at these indices; 0 for an index past the end.
    fn gather(table: &[f32], index: Self::U32) -> Self;

    /// Returns `from[at..at + N]`, lanes past the end filled with `fill`.
    #[inline(always)]
    fn load_or(simd: Self::Token, from: &[f32], at: usize, fill: f32) -> Self {
        if let Some(chunk) = from.get(at..).and_then(<[f32]>::first_chunk::<N>) {
            return Self::load(simd, chunk);
        }
        let mut tail = [fill; N];
        let mut i = 0;
        while i < N && at.saturating_add(i) < from.len() {
            tail[i] = from[at + i];
            i += 1;
        }
        Self::load(simd, &tail)
    }

    /// Writes the lanes into an array.
    #[inline(always)]
    fn store(self, to: &mut [f32; N]) {
        *to = self.to_array();
    }

    /// Returns `self > other`; false for NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }

    /// Returns `self >= other`; false for NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }

    /// Returns the smallest lane. Lane i is compared with lane i + N/2 by [`F32Lanes::min`], and
    /// the halves likewise.
    #[inline(always)]
    fn reduce_min(self) -> f32 {
        let mut x = self.to_array();
        let mut half = N / 2;
        while half > 0 {
            for i in 0..half {
                x[i] = if x[i] < x[i + half] { x[i] } else { x[i + half] };
            }
            half /= 2;
        }
        x[0]
    }

    /// Returns the largest lane. Lane i is compared with lane i + N/2 by [`F32Lanes::max`], and
    /// the halves likewise.
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        let mut x = self.to_array();
        let mut half = N / 2;
        while half > 0 {
            for i in 0..half {
                x[i] = if x[i + half] < x[i] { x[i] } else { x[i + half] };
            }
            half /= 2;
        }
        x[0]
    }

    /// Returns the sum of the lanes. Lane i is added to lane i + N/2, and the halves likewise.
    #[inline(always)]
    fn reduce_sum(self) -> f32 {
        let mut x = self.to_array();
        let mut half = N / 2;
        while half > 0 {
            for i in 0..half {
                x[i] += x[i + half];
            }
            half /= 2;
        }
        x[0]
    }
}

/// N unsigned integers; sums, differences and products wrap.
pub trait U32Lanes<const N: usize>:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// The instruction set.
    type Token: Copy;
    /// The result of comparisons.
    type Mask: MaskLanes<N, Token = Self::Token>;
    /// Floats of the same number of lanes.
    type F32;

    /// Returns the same number in every lane.
    fn splat(simd: Self::Token, x: u32) -> Self;

    /// Returns the lanes from an array; no alignment is needed.
    fn load(simd: Self::Token, from: &[u32; N]) -> Self;

    /// Returns the lanes as an array.
    fn to_array(self) -> [u32; N];

    /// Returns `self == other`.
    fn eq(self, other: Self) -> Self::Mask;

    /// Returns `self < other`, unsigned.
    fn lt(self, other: Self) -> Self::Mask;

    /// Returns `yes` in lanes in which the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Shifts left by `COUNT` bits, which must be below 32.
    fn shl<const COUNT: i32>(self) -> Self;

    /// Shifts right by `COUNT` bits, which must be below 32; zeros are shifted in.
    fn shr<const COUNT: i32>(self) -> Self;

    /// Converts to floats, rounded to nearest. Integers from 2^31 on count as negative (two's
    /// complement).
    fn to_f32(self) -> Self::F32;

    /// Returns the same bits as floats.
    fn as_f32_bits(self) -> Self::F32;

    /// Moves the lanes whose mask is set to the front, in order. The lanes after them are
    /// unspecified.
    fn compress(self, mask: Self::Mask) -> Self;

    /// Like [`U32Lanes::compress`], with lane i kept if bit i is set; higher bits are ignored.
    #[inline(always)]
    fn compress_bits(self, simd: Self::Token, bits: u32) -> Self {
        self.compress(Self::Mask::from_bits(simd, bits))
    }

    /// Returns these lanes. The instruction set is proved by a value instead of a token.
    fn replace(self, lanes: &[u32; N]) -> Self;

    /// Returns the lanes 0, 1, 2, ...
    #[inline(always)]
    fn iota(simd: Self::Token) -> Self {
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = i as u32;
        }
        Self::load(simd, &lanes)
    }

    /// Returns `from[at..at + N]`, lanes past the end filled with `fill`.
    #[inline(always)]
    fn load_or(simd: Self::Token, from: &[u32], at: usize, fill: u32) -> Self {
        if let Some(chunk) = from.get(at..).and_then(<[u32]>::first_chunk::<N>) {
            return Self::load(simd, chunk);
        }
        let mut tail = [fill; N];
        let mut i = 0;
        while i < N && at.saturating_add(i) < from.len() {
            tail[i] = from[at + i];
            i += 1;
        }
        Self::load(simd, &tail)
    }

    /// Writes the lanes into an array.
    #[inline(always)]
    fn store(self, to: &mut [u32; N]) {
        *to = self.to_array();
    }

    /// Returns the smaller of each lane, unsigned.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// Returns the larger of each lane, unsigned.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// Lane i becomes lane `order[i]` modulo N.
    #[inline(always)]
    fn permute(self, order: Self) -> Self {
        let (lanes, order) = (self.to_array(), order.to_array());
        let mut out = [0; N];
        for i in 0..N {
            out[i] = lanes[order[i] as usize % N];
        }
        self.replace(&out)
    }

    /// Returns the lanes in descending order.
    #[inline(always)]
    fn sorted_down(self) -> Self {
        let mut lanes = self.to_array();
        for i in 1..N {
            for j in (0..i).rev() {
                let (a, b) = (lanes[j], lanes[j + 1]);
                (lanes[j], lanes[j + 1]) = if a < b { (b, a) } else { (a, b) };
            }
        }
        self.replace(&lanes)
    }

    /// Writes the lanes whose mask is set to the front of `out`, in order, and returns their
    /// number. Branchless: if `out` has room for N, all N elements are written, and those after
    /// the kept lanes are unspecified.
    ///
    /// # Panics
    /// If the kept lanes do not fit.
    #[inline(always)]
    fn compress_store(self, mask: Self::Mask, out: &mut [u32]) -> usize {
        let n = mask.count();
        if let Some(room) = out.first_chunk_mut::<N>() {
            self.compress(mask).store(room);
        } else {
            let kept = self.compress(mask).to_array();
            out[..n].copy_from_slice(&kept[..n]);
        }
        n
    }
}

/// A mask: a boolean for each of N lanes.
pub trait MaskLanes<const N: usize>:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// The instruction set.
    type Token: Copy;

    /// Sets lane i if bit i is set; higher bits are ignored.
    fn from_bits(simd: Self::Token, bits: u32) -> Self;

    /// Returns bit i for lane i; higher bits are 0.
    fn bits(self) -> u32;

    /// Sets the first `n` lanes, or all if there are fewer.
    #[inline(always)]
    fn first(simd: Self::Token, n: usize) -> Self {
        Self::from_bits(simd, if n < N { (1 << n) - 1 } else { u32::MAX })
    }

    /// Whether at least one lane is set.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    /// Whether all lanes are set.
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == u32::MAX >> (32 - N)
    }

    /// Returns the number of set lanes.
    #[inline(always)]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }
}

pub(crate) mod sealed {
    /// Restricts [`Simd`](super::Simd) to the instruction sets of this crate.
    pub trait Sealed {}
}
