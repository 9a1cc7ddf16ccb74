//! Random numbers for scenes and queries, the same on every machine.
//!
//! Reference: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA
//! 2014 (splitmix64).

use carom_math::Vec3;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The stream of this seed.
    pub(crate) const fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// 64 random bits.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[min, max)`.
    pub(crate) fn range(&mut self, min: f32, max: f32) -> f32 {
        min + (max - min) * ((self.bits() >> 40) as f32 / (1u64 << 24) as f32)
    }

    /// Uniform in the cube `[-half, half)`.
    pub(crate) fn point(&mut self, half: f32) -> Vec3 {
        Vec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }
}
