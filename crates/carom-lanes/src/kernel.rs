//! The trait of a loop over lanes.

use crate::lanes::Simd;

/// A loop that runs on any instruction set.
pub trait Kernel {
    /// The result of the loop.
    type Output;

    /// Runs the loop. Mark it, and everything that it calls, `#[inline(always)]`.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}
