//! Operations on lanes, for any instruction set: three traits for the values, one for the set.
//!
//! Reference: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2 (the order of
//! operands that decides what MINPS and MAXPS give for NaN and for zeros of both signs is taken as
//! the definition).

use crate::dispatch::Level;
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
    /// Four yes or no.
    type Mask4: MaskLanes<4, Token = Self>;
    /// Eight yes or no.
    type Mask8: MaskLanes<8, Token = Self>;
    /// Sixteen yes or no.
    type Mask16: MaskLanes<16, Token = Self>;

    /// Transposes: lane j of result i is lane i of row j.
    fn transpose8(self, rows: [Self::F32x8; 8]) -> [Self::F32x8; 8];

    /// The front row of a line that several threads see: each two of its floats as they were
    /// written last, or at once, by a thread that is not known to be after this one.
    #[cfg(target_has_atomic = "64")]
    #[inline(always)]
    fn load_shared(self, line: &SharedLine) -> Self::F32x8 {
        Self::F32x8::load(self, &line.front())
    }

    /// Writes the front row of such a line.
    #[cfg(target_has_atomic = "64")]
    #[inline(always)]
    fn store_shared(self, line: &SharedLine, row: Self::F32x8) {
        line.set_front(&row.to_array());
    }

    /// Prefetches the cache lines of `slice[index]`; without such an element it does nothing.
    fn prefetch<T>(self, slice: &[T], index: usize);
}

/// N floats, handled at once.
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

    /// The same number in every lane.
    fn splat(simd: Self::Token, x: f32) -> Self;

    /// The lanes from an array; no alignment is needed.
    fn load(simd: Self::Token, from: &[f32; N]) -> Self;

    /// The lanes as an array.
    fn to_array(self) -> [f32; N];

    /// The smaller of each lane: `if self < other { self } else { other }`, so `other` where one is
    /// NaN.
    fn min(self, other: Self) -> Self;

    /// The larger of each lane: `if other < self { self } else { other }`, so `other` where one is
    /// NaN.
    fn max(self, other: Self) -> Self;

    /// The sign bit cleared.
    fn abs(self) -> Self;

    /// The correctly rounded square root; NaN below zero.
    fn sqrt(self) -> Self;

    /// `self < other`; false for NaN.
    fn lt(self, other: Self) -> Self::Mask;

    /// `self <= other`; false for NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// `self == other`; false for NaN.
    fn eq(self, other: Self) -> Self::Mask;

    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The bits, unchanged.
    fn to_bits(self) -> Self::U32;

    /// The whole part, for numbers in `[0, 2147483520]`; smaller ones and NaN give 0, larger ones
    /// that limit.
    fn trunc_to_u32(self) -> Self::U32;

    /// The upper half of the lanes before the lower half.
    fn swap_halves(self) -> Self;

    /// Returns the numbers of a table at these indices; 0 for an index past the end.
    fn gather(table: &[f32], index: Self::U32) -> Self;

    /// `from[at..at + N]`, lanes past the end filled with `fill`.
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

    /// `self > other`; false for NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }

    /// `self >= other`; false for NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }

    /// The smallest lane, by halves: lane i against lane i + N/2 with [`F32Lanes::min`], and again.
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

    /// The largest lane, by halves: lane i against lane i + N/2 with [`F32Lanes::max`], and again.
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

    /// The sum of the lanes, by halves: lane i plus lane i + N/2, and again.
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

    /// The same number in every lane.
    fn splat(simd: Self::Token, x: u32) -> Self;

    /// The lanes from an array; no alignment is needed.
    fn load(simd: Self::Token, from: &[u32; N]) -> Self;

    /// The lanes as an array.
    fn to_array(self) -> [u32; N];

    /// `self == other`.
    fn eq(self, other: Self) -> Self::Mask;

    /// `self < other`, unsigned.
    fn lt(self, other: Self) -> Self::Mask;

    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Shifted left by `COUNT` bits, which must be below 32.
    fn shl<const COUNT: i32>(self) -> Self;

    /// Shifted right by `COUNT` bits, which must be below 32; zeros come in.
    fn shr<const COUNT: i32>(self) -> Self;

    /// As a float, rounded to nearest; integers of 2^31 and more count as negative (two's
    /// complement).
    fn to_f32(self) -> Self::F32;

    /// The same bits as a float.
    fn as_f32_bits(self) -> Self::F32;

    /// The lanes whose mask is set, moved to the front in their order; the lanes behind them are
    /// unspecified.
    fn compress(self, mask: Self::Mask) -> Self;

    /// As [`U32Lanes::compress`], with lane i kept where bit i is set; higher bits do not count.
    #[inline(always)]
    fn compress_bits(self, simd: Self::Token, bits: u32) -> Self {
        self.compress(Self::Mask::from_bits(simd, bits))
    }

    /// Lanes of the same instruction set, made from a value instead of a token.
    fn replace(self, lanes: &[u32; N]) -> Self;

    /// 0, 1, 2, ...
    #[inline(always)]
    fn iota(simd: Self::Token) -> Self {
        let mut lanes = [0; N];
        for i in 0..N {
            lanes[i] = i as u32;
        }
        Self::load(simd, &lanes)
    }

    /// `from[at..at + N]`, lanes past the end filled with `fill`.
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

    /// The smaller of each lane, unsigned.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// The larger of each lane, unsigned.
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

    /// The lanes in descending order.
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
    /// number. Branchless: if `out` has room for N, all N elements are written, and those behind
    /// the kept lanes are unspecified.
    ///
    /// # Panics
    /// When the kept lanes do not fit, as indexing does.
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

/// N times yes or no.
pub trait MaskLanes<const N: usize>:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// The instruction set.
    type Token: Copy;

    /// Lane i from bit i; higher bits do not count.
    fn from_bits(simd: Self::Token, bits: u32) -> Self;

    /// Bit i from lane i; higher bits are 0.
    fn bits(self) -> u32;

    /// The first `n` lanes, or all when there are not as many.
    #[inline(always)]
    fn first(simd: Self::Token, n: usize) -> Self {
        Self::from_bits(simd, if n < N { (1 << n) - 1 } else { u32::MAX })
    }

    /// At least one lane is set.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    /// Every lane is set.
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == u32::MAX >> (32 - N)
    }

    /// How many lanes are set.
    #[inline(always)]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }
}

pub(crate) mod sealed {
    /// Keeps [`Simd`](super::Simd) to the instruction sets of this crate.
    pub trait Sealed {}
}
