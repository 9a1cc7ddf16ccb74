//! Lanes of 4, 8 or 16 numbers, masks, and the instruction set chosen at run time.
//!
//! A [`Kernel`] is a whole loop, written once for any instruction set. [`dispatch`] runs it with
//! the best set of the machine. The choice is made outside of the loop, so it costs nothing
//! inside.
//!
//! ```
//! use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes, dispatch};
//!
//! /// The positions of all numbers below a limit.
//! struct Below<'a> {
//!     numbers: &'a [f32],
//!     limit: f32,
//!     out: &'a mut Vec<u32>,
//! }
//!
//! impl Kernel for Below<'_> {
//!     type Output = ();
//!
//!     #[inline(always)]
//!     fn run<S: Simd>(self, simd: S) {
//!         self.out.resize(self.numbers.len() + 8, 0);
//!         let limit = S::F32x8::splat(simd, self.limit);
//!         let (mut n, mut at) = (0, 0);
//!         while at < self.numbers.len() {
//!             // The tail is filled with NaN, which compares false.
//!             let block = S::F32x8::load_or(simd, self.numbers, at, f32::NAN);
//!             let ids = S::U32x8::splat(simd, at as u32) + S::U32x8::iota(simd);
//!             n += ids.compress_store(block.lt(limit), &mut self.out[n..]);
//!             at += 8;
//!         }
//!         self.out.truncate(n);
//!     }
//! }
//!
//! let numbers: Vec<f32> = (0..100).map(|i| (i * 37 % 100) as f32).collect();
//! let mut out = Vec::new();
//! dispatch(Below { numbers: &numbers, limit: 3.0, out: &mut out });
//! assert_eq!(out, [0, 46, 73]);
//! ```
//!
//! # The same bits everywhere
//! Every operation is defined to the bit, and gives those bits on every instruction set (test:
//! `backends::any_numbers_give_the_same_bits_everywhere`). There is no fused multiply-add and no
//! approximate reciprocal. Only the sign and payload of a NaN are unspecified, as in IEEE 754.
//!
//! # Inside a kernel
//! Functions called from a kernel must be `#[inline(always)]`, and loops plain. A closure or an
//! iterator adaptor is a function of its own, compiled without the instruction set. If it is not
//! inlined, the loop is correct but many times slower.
//!
//! # Safety
//! This crate is the only one of carom with `unsafe` (`cargo xtask tidy`). Values of an
//! instruction set need its token, and the token needs a check of the processor. So safe uses are
//! sound. Memory that several threads share is accessed as atomic words: [`SharedLine`].
#![cfg_attr(not(feature = "std"), no_std)]

mod dispatch;
mod imp;
mod kernel;
mod lanes;
mod level;
mod line;

pub use dispatch::{detected, dispatch, dispatch_on, force_level, level};
pub use imp::prefetch;
pub use kernel::Kernel;
pub use lanes::{F32Lanes, MaskLanes, Simd, U32Lanes};
pub use level::Level;
pub use line::Line;
#[cfg(target_has_atomic = "64")]
pub use line::SharedLine;
