//! Random numbers for the suites; the same on every machine.

use carom_bounds::Aabb;
use carom_math::splitmix;
use glam::Vec3;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts the stream of this seed.
    pub const fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    /// Returns an integer, uniform in `0..n`; 0 for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.bits() % n as u64) as usize }
    }

    /// Returns true with probability 1 / `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns a number, uniform in `[min, max)`.
    pub fn range(&mut self, min: f32, max: f32) -> f32 {
        min + (max - min) * ((self.bits() >> 40) as f32 / (1u64 << 24) as f32)
    }

    /// Returns a point, uniform in the cube `[-half, half)`.
    pub fn point(&mut self, half: f32) -> Vec3 {
        Vec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }

    /// Returns a box with its centre in the cube and extents up to `size`.
    pub fn aabb(&mut self, half: f32, size: f32) -> Aabb {
        let center = self.point(half);
        let extents = Vec3::new(self.range(0.0, size), self.range(0.0, size), self.range(0.0, size));
        Aabb { min: center - extents * 0.5, max: center + extents * 0.5 }
    }
}
