//! Eight axis-aligned boxes side by side: one box against eight at once.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.1, eight lanes wide.

use crate::Aabb;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use glam::Vec3;

/// Eight boxes by component. Empty places hold the empty box, which overlaps nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Aabb8 {
    /// Least coordinates: x of all eight, then y, then z.
    pub min: [[f32; 8]; 3],
    /// Greatest coordinates.
    pub max: [[f32; 8]; 3],
}

impl Aabb8 {
    /// Eight empty boxes.
    pub const EMPTY: Aabb8 = Aabb8 { min: [[f32::INFINITY; 8]; 3], max: [[f32::NEG_INFINITY; 8]; 3] };

    /// The first eight boxes, or as many as there are.
    pub fn from_boxes(boxes: &[Aabb]) -> Aabb8 {
        let mut all = Aabb8::EMPTY;
        for (lane, aabb) in boxes.iter().take(8).enumerate() {
            all.set(lane, aabb);
        }
        all
    }

    /// Puts a box in a place, 0 to 7 (a larger number is taken modulo 8).
    #[inline(always)]
    pub fn set(&mut self, lane: usize, aabb: &Aabb) {
        for k in 0..3 {
            self.min[k][lane & 7] = aabb.min[k];
            self.max[k][lane & 7] = aabb.max[k];
        }
    }

    /// The box in a place, 0 to 7 (a larger number is taken modulo 8).
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Aabb {
        let i = lane & 7;
        Aabb {
            min: Vec3::new(self.min[0][i], self.min[1][i], self.min[2][i]),
            max: Vec3::new(self.max[0][i], self.max[1][i], self.max[2][i]),
        }
    }

    /// Bit i: the box overlaps box i, touching included. For use inside a kernel.
    #[inline(always)]
    pub fn overlaps_lanes<S: Simd>(&self, simd: S, aabb: &Aabb) -> u32 {
        let mut mask = S::F32x8::load(simd, &self.min[0]).le(S::F32x8::splat(simd, aabb.max.x));
        mask = mask & S::F32x8::load(simd, &self.max[0]).ge(S::F32x8::splat(simd, aabb.min.x));
        mask = mask & S::F32x8::load(simd, &self.min[1]).le(S::F32x8::splat(simd, aabb.max.y));
        mask = mask & S::F32x8::load(simd, &self.max[1]).ge(S::F32x8::splat(simd, aabb.min.y));
        mask = mask & S::F32x8::load(simd, &self.min[2]).le(S::F32x8::splat(simd, aabb.max.z));
        mask = mask & S::F32x8::load(simd, &self.max[2]).ge(S::F32x8::splat(simd, aabb.min.z));
        mask.bits()
    }

    /// The box around all eight. For use inside a kernel.
    #[inline(always)]
    pub fn union_lanes<S: Simd>(&self, simd: S) -> Aabb {
        // Eight rows of negated minimum and maximum: one transposition, then seven maxima for all six coordinates.
        let (low, high) = (&self.min, &self.max);
        let z = -S::F32x8::load(simd, &low[2]);
        let top = S::F32x8::load(simd, &high[2]);
        let rows = simd.transpose8([
            -S::F32x8::load(simd, &low[0]),
            -S::F32x8::load(simd, &low[1]),
            z,
            z,
            S::F32x8::load(simd, &high[0]),
            S::F32x8::load(simd, &high[1]),
            top,
            top,
        ]);
        let pairs = [rows[0].max(rows[1]), rows[2].max(rows[3]), rows[4].max(rows[5]), rows[6].max(rows[7])];
        let [x, y, z, _, right, upper, top, _] =
            pairs[0].max(pairs[1]).max(pairs[2].max(pairs[3])).to_array();
        Aabb { min: Vec3::new(-x, -y, -z), max: Vec3::new(right, upper, top) }
    }
}

struct Overlaps<'a> {
    packets: &'a [Aabb8],
    aabb: &'a Aabb,
    found: &'a mut [u32],
}

impl Kernel for Overlaps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let n = self.packets.len().min(self.found.len());
        for i in 0..n {
            self.found[i] = self.packets[i].overlaps_lanes(simd, self.aabb);
        }
    }
}

/// One box against many, eight at a time: bit i of `found[p]` says that it overlaps box i of packet p, touching included.
/// As many packets are tested as there are places in `found`.
pub fn overlaps_packets(packets: &[Aabb8], aabb: &Aabb, found: &mut [u32]) {
    dispatch(Overlaps { packets, aabb, found });
}
