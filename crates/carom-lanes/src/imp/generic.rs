//! Lanes as plain arrays, for any machine. The other instruction sets are tested against them.
//!
//! Reference: none needed; each operation is its own definition.

use crate::lanes::{F32Lanes, MaskLanes, Simd, U32Lanes, sealed::Sealed};
use crate::level::Level;
use core::array;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The largest whole number of 31 bits that is a float, and the limit of
/// [`F32Lanes::trunc_to_u32`].
pub(crate) const TRUNC_LIMIT: f32 = 2_147_483_520.0;

/// The token of the generic level, which needs no feature of the processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generic;

/// N numbers side by side.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Lanes<T, const N: usize>([T; N]);

/// A mask: a lane that is set has all bits set.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Mask<const N: usize>([u32; N]);

impl Sealed for Generic {}

impl Simd for Generic {
    const LEVEL: Level = Level::Generic;
    type F32x4 = Lanes<f32, 4>;
    type F32x8 = Lanes<f32, 8>;
    type F32x16 = Lanes<f32, 16>;
    type U32x4 = Lanes<u32, 4>;
    type U32x8 = Lanes<u32, 8>;
    type U32x16 = Lanes<u32, 16>;
    type Mask4 = Mask<4>;
    type Mask8 = Mask<8>;
    type Mask16 = Mask<16>;

    #[inline(always)]
    fn transpose8(self, rows: [Lanes<f32, 8>; 8]) -> [Lanes<f32, 8>; 8] {
        array::from_fn(|j| Lanes(array::from_fn(|i| rows[i].0[j])))
    }

    #[inline(always)]
    fn prefetch<T>(self, _slice: &[T], _index: usize) {}
}

/// Combines the lanes of two arrays, one after the other.
#[inline(always)]
fn zip<A: Copy, B: Copy, C, const N: usize>(a: [A; N], b: [B; N], f: impl Fn(A, B) -> C) -> [C; N] {
    array::from_fn(|i| f(a[i], b[i]))
}

/// Returns all bits set, or none.
#[inline(always)]
fn wide(yes: bool) -> u32 {
    if yes { u32::MAX } else { 0 }
}

#[cfg(feature = "std")]
#[inline(always)]
fn sqrt(x: f32) -> f32 {
    x.sqrt()
}

#[cfg(not(feature = "std"))]
#[inline(always)]
fn sqrt(x: f32) -> f32 {
    libm::sqrtf(x)
}

impl<const N: usize> F32Lanes<N> for Lanes<f32, N> {
    type Token = Generic;
    type Mask = Mask<N>;
    type U32 = Lanes<u32, N>;

    #[inline(always)]
    fn splat(_: Generic, x: f32) -> Self {
        Lanes([x; N])
    }
    #[inline(always)]
    fn load(_: Generic, from: &[f32; N]) -> Self {
        Lanes(*from)
    }
    #[inline(always)]
    fn to_array(self) -> [f32; N] {
        self.0
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Lanes(zip(self.0, other.0, |a, b| if a < b { a } else { b }))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Lanes(zip(self.0, other.0, |a, b| if b < a { a } else { b }))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(self.0.map(sqrt))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask<N> {
        Mask(zip(self.0, other.0, |a, b| wide(a < b)))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Mask<N> {
        Mask(zip(self.0, other.0, |a, b| wide(a <= b)))
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask<N> {
        Mask(zip(self.0, other.0, |a, b| wide(a == b)))
    }
    #[inline(always)]
    fn select(mask: Mask<N>, yes: Self, no: Self) -> Self {
        Lanes(array::from_fn(|i| if mask.0[i] != 0 { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn to_bits(self) -> Lanes<u32, N> {
        Lanes(self.0.map(f32::to_bits))
    }
    #[inline(always)]
    fn trunc_to_u32(self) -> Lanes<u32, N> {
        // A cast saturates, and converts NaN to 0.
        Lanes(self.0.map(|x| if x < TRUNC_LIMIT { x as u32 } else { wide(!x.is_nan()) & TRUNC_LIMIT as u32 }))
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        Lanes(array::from_fn(|i| self.0[(i + N / 2) % N]))
    }
    #[inline(always)]
    fn gather(table: &[f32], index: Lanes<u32, N>) -> Self {
        Lanes(index.0.map(|i| table.get(i as usize).copied().unwrap_or(0.0)))
    }
}

impl<const N: usize> U32Lanes<N> for Lanes<u32, N> {
    type Token = Generic;
    type Mask = Mask<N>;
    type F32 = Lanes<f32, N>;

    #[inline(always)]
    fn splat(_: Generic, x: u32) -> Self {
        Lanes([x; N])
    }
    #[inline(always)]
    fn load(_: Generic, from: &[u32; N]) -> Self {
        Lanes(*from)
    }
    #[inline(always)]
    fn to_array(self) -> [u32; N] {
        self.0
    }
    #[inline(always)]
    fn replace(self, lanes: &[u32; N]) -> Self {
        Lanes(*lanes)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Mask<N> {
        Mask(zip(self.0, other.0, |a, b| wide(a == b)))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask<N> {
        Mask(zip(self.0, other.0, |a, b| wide(a < b)))
    }
    #[inline(always)]
    fn select(mask: Mask<N>, yes: Self, no: Self) -> Self {
        Lanes(array::from_fn(|i| (mask.0[i] & yes.0[i]) | (!mask.0[i] & no.0[i])))
    }
    #[inline(always)]
    fn shl<const COUNT: i32>(self) -> Self {
        Lanes(self.0.map(|x| x << COUNT))
    }
    #[inline(always)]
    fn shr<const COUNT: i32>(self) -> Self {
        Lanes(self.0.map(|x| x >> COUNT))
    }
    #[inline(always)]
    fn to_f32(self) -> Lanes<f32, N> {
        Lanes(self.0.map(|x| x as i32 as f32))
    }
    #[inline(always)]
    fn as_f32_bits(self) -> Lanes<f32, N> {
        Lanes(self.0.map(f32::from_bits))
    }
    #[inline(always)]
    fn compress(self, mask: Mask<N>) -> Self {
        let mut kept = [0; N];
        let mut n = 0;
        for i in 0..N {
            if mask.0[i] != 0 {
                kept[n] = self.0[i];
                n += 1;
            }
        }
        Lanes(kept)
    }
}

impl<const N: usize> MaskLanes<N> for Mask<N> {
    type Token = Generic;

    #[inline(always)]
    fn from_bits(_: Generic, bits: u32) -> Self {
        Mask(array::from_fn(|i| wide(bits >> i & 1 != 0)))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let mut bits = 0;
        for i in 0..N {
            bits |= (self.0[i] & 1) << i;
        }
        bits
    }
}

macro_rules! binary {
    ($($name:ident $method:ident $lane:ty, $f:expr;)*) => { $(
        impl<const N: usize> $name for Lanes<$lane, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes(zip(self.0, other.0, $f))
            }
        }
    )* };
}

binary! {
    Add add f32, |a, b| a + b;
    Sub sub f32, |a, b| a - b;
    Mul mul f32, |a, b| a * b;
    Div div f32, |a, b| a / b;
    Add add u32, u32::wrapping_add;
    Sub sub u32, u32::wrapping_sub;
    Mul mul u32, u32::wrapping_mul;
    BitAnd bitand u32, |a, b| a & b;
    BitOr bitor u32, |a, b| a | b;
    BitXor bitxor u32, |a, b| a ^ b;
}

impl<const N: usize> Neg for Lanes<f32, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(self.0.map(|x| -x))
    }
}

impl<const N: usize> BitAnd for Mask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Mask(zip(self.0, other.0, |a, b| a & b))
    }
}

impl<const N: usize> BitOr for Mask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Mask(zip(self.0, other.0, |a, b| a | b))
    }
}

impl<const N: usize> BitXor for Mask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Mask(zip(self.0, other.0, |a, b| a ^ b))
    }
}

impl<const N: usize> Not for Mask<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask(self.0.map(|x| !x))
    }
}
