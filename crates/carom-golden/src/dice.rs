//! Random numbers for scenes and queries, the same on every machine.

use carom_math::{Vec3, splitmix};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Returns the stream of this seed.
    pub(crate) const fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Returns 64 random bits.
    fn bits(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    /// Returns a uniform number in `[min, max)`.
    pub(crate) fn range(&mut self, min: f32, max: f32) -> f32 {
        min + (max - min) * ((self.bits() >> 40) as f32 / (1u64 << 24) as f32)
    }

    /// Returns a uniform point in the cube `[-half, half)`.
    pub(crate) fn point(&mut self, half: f32) -> Vec3 {
        Vec3::new(self.range(-half, half), self.range(-half, half), self.range(-half, half))
    }
}
