//! The proofs of lanes of `f32` about up to eight pairs: apart, touching, or nothing.

use carom_lanes::{F32Lanes, MaskLanes, Simd};

/// The results that lanes prove, one bit for each lane.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    pub(super) apart: u32,
    pub(super) meet: u32,
}

impl Verdict {
    #[inline(always)]
    pub(super) fn among(self, lanes: u32) -> Verdict {
        Verdict { apart: self.apart & lanes, meet: self.meet & lanes }
    }
}

/// A gap or an overlap above this part of the size is not rounding: 128 u, with u = 2^-24. A matrix
/// from two normalised quaternions is off by less than 24 u in each entry. A length along an axis
/// is off by 3 times that, plus 8 u of its own.
pub(super) const ERROR: f32 = 128.0 * 0.5 * f32::EPSILON;

/// Smallest and largest size for which products neither overflow nor lose digits to underflow.
const LEAST_SIZE: f32 = 1e-8;
const GREATEST_SIZE: f32 = 1e8;

/// Returns what `gap` proves, if its error is at most `ERROR` times `size`.
#[inline(always)]
pub(super) fn decide<S: Simd>(simd: S, gap: S::F32x8, size: S::F32x8) -> Verdict {
    let error = size * S::F32x8::splat(simd, ERROR);
    Verdict { apart: bits::<S>(error.lt(gap)), meet: bits::<S>(gap.lt(-error)) }.among(is_usual(simd, size))
}

/// Returns the lanes of usual size, without NaN.
#[inline(always)]
pub(super) fn is_usual<S: Simd>(simd: S, size: S::F32x8) -> u32 {
    let [least, greatest] = [LEAST_SIZE, GREATEST_SIZE].map(|x| S::F32x8::splat(simd, x));
    bits::<S>(least.lt(size)) & bits::<S>(size.lt(greatest))
}

#[inline(always)]
pub(super) fn bits<S: Simd>(mask: S::Mask8) -> u32 {
    mask.bits()
}
