//! The scenes of this crate: well formed, of the requested size, and with the same bits
//! everywhere.

#![allow(clippy::unwrap_used)]

mod bullets;
mod clocks;
mod crowds;
mod figures;
mod levels;
mod meshes;
mod piles;
mod scoreboard;
mod soft;

/// Returns a hash of a sequence of words, to compare a scene with that on another machine.
fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, w| (h ^ w).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
}
