//! Random numbers that are the same on every machine.
//!
//! The generator is [`carom_math::splitmix`]. The distributions use only sums, products and
//! correctly rounded square roots, no sine and no logarithm. So every number is the same to the
//! bit on any machine with IEEE arithmetic.
//!
//! Reference: G. Marsaglia, Choosing a Point from the Surface of a Sphere, 1972 (by rejection of
//! points outside).

use carom_math::ops::sqrt;
use carom_math::splitmix;
use glam::{DQuat, DVec3};

/// A stream of random numbers, determined by its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Returns the stream of this seed. Every seed is valid.
    pub const fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        splitmix::next(&mut self.state)
    }

    /// Returns a uniform number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Returns a uniform number in `[min, max)`.
    pub fn range(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.unit()
    }

    /// Returns a uniform integer in `0..n`, or 0 for an empty range. The bias is less than n /
    /// 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// Returns a point whose coordinates are uniform between those of `min` and `max`.
    pub fn in_box(&mut self, min: DVec3, max: DVec3) -> DVec3 {
        let x = self.range(min.x, max.x);
        let y = self.range(min.y, max.y);
        let z = self.range(min.z, max.z);
        DVec3::new(x, y, z)
    }

    /// Returns a uniform point in the ball of radius 1.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let p = self.in_box(DVec3::NEG_ONE, DVec3::ONE);
            if p.length_squared() <= 1.0 {
                return p;
            }
        }
    }

    /// Returns a uniform direction, of length 1 to within rounding.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let p = self.in_ball();
            let length_sq = p.length_squared();
            // Very short ones have few random bits in their direction.
            if 1e-4 < length_sq {
                return p / sqrt(length_sq);
            }
        }
    }

    /// Returns a uniform rotation.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let (x, y) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let (z, w) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let length_sq = x * x + y * y + z * z + w * w;
            if 1e-4 < length_sq && length_sq <= 1.0 {
                let s = 1.0 / sqrt(length_sq);
                return DQuat::from_xyzw(x * s, y * s, z * s, w * s);
            }
        }
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
