//! Reproducible random inputs, including degenerate ones.

use carom_math::splitmix;
use glam::DVec3;

/// A small random generator. Equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    /// Returns an integer in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns a number, uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Returns a number, uniform in `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// Returns a point with integer coordinates in `0..=n`. Such points are often equal, collinear
    /// or coplanar.
    pub fn grid_point(&mut self, n: usize) -> DVec3 {
        DVec3::new(self.below(n + 1) as f64, self.below(n + 1) as f64, self.below(n + 1) as f64)
    }

    /// Returns a point of the cube from -1 to 1.
    pub fn cube_point(&mut self) -> DVec3 {
        DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }
}
