//! Twice as many lanes from two halves: 8 and 16 lanes if a register holds fewer.
//!
//! Reference: none needed; every operation is that of the halves.

use crate::lanes::{F32Lanes, MaskLanes, U32Lanes};
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The lower half of the lanes and the upper half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<H>(pub(super) H, pub(super) H);

macro_rules! binary {
    ($($name:ident $method:ident;)*) => { $(
        impl<H: $name<Output = H>> $name for Pair<H> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Pair(self.0.$method(other.0), self.1.$method(other.1))
            }
        }
    )* };
}

binary! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
    BitAnd bitand;
    BitOr bitor;
    BitXor bitxor;
}

impl<H: Neg<Output = H>> Neg for Pair<H> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Pair(-self.0, -self.1)
    }
}

impl<H: Not<Output = H>> Not for Pair<H> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Pair(!self.0, !self.1)
    }
}

macro_rules! double {
    ($half:literal $full:literal) => {
        impl<H: F32Lanes<$half>> F32Lanes<$full> for Pair<H> {
            type Token = H::Token;
            type Mask = Pair<H::Mask>;
            type U32 = Pair<H::U32>;

            #[inline(always)]
            fn splat(simd: H::Token, x: f32) -> Self {
                Pair(H::splat(simd, x), H::splat(simd, x))
            }
            #[inline(always)]
            fn load(simd: H::Token, from: &[f32; $full]) -> Self {
                let halves = from.as_chunks::<$half>().0;
                Pair(H::load(simd, &halves[0]), H::load(simd, &halves[1]))
            }
            #[inline(always)]
            fn to_array(self) -> [f32; $full] {
                let mut whole = [0.0; $full];
                let halves = whole.as_chunks_mut::<$half>().0;
                self.0.store(&mut halves[0]);
                self.1.store(&mut halves[1]);
                whole
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Pair(self.0.min(other.0), self.1.min(other.1))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Pair(self.0.max(other.0), self.1.max(other.1))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Pair(self.0.abs(), self.1.abs())
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Pair(self.0.sqrt(), self.1.sqrt())
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                Pair(self.0.lt(other.0), self.1.lt(other.1))
            }
            #[inline(always)]
            fn le(self, other: Self) -> Self::Mask {
                Pair(self.0.le(other.0), self.1.le(other.1))
            }
            #[inline(always)]
            fn eq(self, other: Self) -> Self::Mask {
                Pair(self.0.eq(other.0), self.1.eq(other.1))
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Pair(H::select(mask.0, yes.0, no.0), H::select(mask.1, yes.1, no.1))
            }
            #[inline(always)]
            fn to_bits(self) -> Self::U32 {
                Pair(self.0.to_bits(), self.1.to_bits())
            }
            #[inline(always)]
            fn trunc_to_u32(self) -> Self::U32 {
                Pair(self.0.trunc_to_u32(), self.1.trunc_to_u32())
            }
            #[inline(always)]
            fn swap_halves(self) -> Self {
                Pair(self.1, self.0)
            }
            #[inline(always)]
            fn gather(table: &[f32], index: Self::U32) -> Self {
                Pair(H::gather(table, index.0), H::gather(table, index.1))
            }
        }

        impl<H: U32Lanes<$half>> U32Lanes<$full> for Pair<H> {
            type Token = H::Token;
            type Mask = Pair<H::Mask>;
            type F32 = Pair<H::F32>;

            #[inline(always)]
            fn splat(simd: H::Token, x: u32) -> Self {
                Pair(H::splat(simd, x), H::splat(simd, x))
            }
            #[inline(always)]
            fn load(simd: H::Token, from: &[u32; $full]) -> Self {
                let halves = from.as_chunks::<$half>().0;
                Pair(H::load(simd, &halves[0]), H::load(simd, &halves[1]))
            }
            #[inline(always)]
            fn to_array(self) -> [u32; $full] {
                let mut whole = [0; $full];
                let halves = whole.as_chunks_mut::<$half>().0;
                self.0.store(&mut halves[0]);
                self.1.store(&mut halves[1]);
                whole
            }
            #[inline(always)]
            fn eq(self, other: Self) -> Self::Mask {
                Pair(self.0.eq(other.0), self.1.eq(other.1))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                Pair(self.0.lt(other.0), self.1.lt(other.1))
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Pair(H::select(mask.0, yes.0, no.0), H::select(mask.1, yes.1, no.1))
            }
            #[inline(always)]
            fn shl<const COUNT: i32>(self) -> Self {
                Pair(self.0.shl::<COUNT>(), self.1.shl::<COUNT>())
            }
            #[inline(always)]
            fn shr<const COUNT: i32>(self) -> Self {
                Pair(self.0.shr::<COUNT>(), self.1.shr::<COUNT>())
            }
            #[inline(always)]
            fn to_f32(self) -> Self::F32 {
                Pair(self.0.to_f32(), self.1.to_f32())
            }
            #[inline(always)]
            fn as_f32_bits(self) -> Self::F32 {
                Pair(self.0.as_f32_bits(), self.1.as_f32_bits())
            }
            #[inline(always)]
            fn compress(self, mask: Self::Mask) -> Self {
                let lower = self.0.compress(mask.0).to_array();
                let upper = self.1.compress(mask.1).to_array();
                let mut whole = [0; $full];
                whole[..$half].copy_from_slice(&lower);
                let n = mask.0.count().min($half);
                whole[n..n + $half].copy_from_slice(&upper);
                // There is no token here, so `replace` makes the halves from a value.
                Self::replace(self, &whole)
            }
            #[inline(always)]
            fn replace(self, lanes: &[u32; $full]) -> Self {
                let halves = lanes.as_chunks::<$half>().0;
                Pair(self.0.replace(&halves[0]), self.1.replace(&halves[1]))
            }
        }

        impl<M: MaskLanes<$half>> MaskLanes<$full> for Pair<M> {
            type Token = M::Token;

            #[inline(always)]
            fn from_bits(simd: M::Token, bits: u32) -> Self {
                Pair(M::from_bits(simd, bits), M::from_bits(simd, bits >> $half))
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                self.0.bits() | self.1.bits() << $half
            }
        }
    };
}

double!(4 8);
double!(8 16);
