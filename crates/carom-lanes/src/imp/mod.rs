//! The instruction sets, one file each. `pair` makes twice as many lanes from two halves.

pub(crate) mod generic;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod pair;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;

use crate::level::Level;

/// The instruction set that every machine of the build has.
#[cfg(target_arch = "x86_64")]
pub(crate) const BASELINE: sse2::Sse2 = sse2::Sse2;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) const BASELINE: neon::Neon = neon::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) const BASELINE: simd128::Simd128 = simd128::Simd128;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) const BASELINE: generic::Generic = generic::Generic;

/// Returns the best instruction set of this machine.
pub(crate) fn best() -> Level {
    #[cfg(target_arch = "x86_64")]
    return if avx2::Avx2::new().is_some() { Level::Avx2 } else { Level::Sse2 };
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    return Level::Neon;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return Level::Simd128;
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    return Level::Generic;
}

/// Prefetches the cache lines of `slice[index]`, outside of a kernel. It does nothing except on
/// x86-64. See [`Simd::prefetch`](crate::Simd::prefetch).
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    sse2::prefetch(slice, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
