//! Positions that several constraints write in one pass: cells on one thread, atomic words on
//! several.
//!
//! The constraints of a colour have no particle in common, so each position has one writer. The
//! compiler cannot check that. Cells and relaxed atomic words do not rely on it, and both compile
//! to plain loads and stores.
//!
//! Reference: M. Fratarcangeli, V. Tibaldo, F. Pellacini, Vivace: a Practical Gauss-Seidel Method
//! for Stable Soft Body Dynamics, 2016 (colours in parallel).

use core::cell::Cell;
#[cfg(feature = "parallel")]
use core::sync::atomic::{AtomicU32, Ordering};
use glam::Vec3;

/// Positions by the index of a particle.
pub(crate) trait Points {
    /// Returns the position of a particle.
    fn get(&self, particle: u32) -> Vec3;
    /// Moves a particle.
    fn set(&self, particle: u32, position: Vec3);
}

impl Points for [Cell<Vec3>] {
    #[inline(always)]
    fn get(&self, particle: u32) -> Vec3 {
        self[particle as usize].get()
    }

    #[inline(always)]
    fn set(&self, particle: u32, position: Vec3) {
        self[particle as usize].set(position);
    }
}

/// A position that threads share.
#[cfg(feature = "parallel")]
#[derive(Debug, Default)]
pub(crate) struct SharedPoint([AtomicU32; 3]);

#[cfg(feature = "parallel")]
impl SharedPoint {
    pub(crate) fn load(&self) -> Vec3 {
        let [x, y, z] = &self.0;
        let number = |word: &AtomicU32| f32::from_bits(word.load(Ordering::Relaxed));
        Vec3::new(number(x), number(y), number(z))
    }

    pub(crate) fn store(&self, position: Vec3) {
        for (word, number) in self.0.iter().zip(position.to_array()) {
            word.store(number.to_bits(), Ordering::Relaxed);
        }
    }
}

#[cfg(feature = "parallel")]
impl Points for [SharedPoint] {
    #[inline(always)]
    fn get(&self, particle: u32) -> Vec3 {
        self[particle as usize].load()
    }

    #[inline(always)]
    fn set(&self, particle: u32, position: Vec3) {
        self[particle as usize].store(position);
    }
}
