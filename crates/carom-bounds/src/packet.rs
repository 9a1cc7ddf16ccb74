//! Eight or sixteen axis-aligned boxes side by side: one box against all of them, and many against
//! many.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 22.13.1, eight and sixteen
//! lanes wide.

use crate::Aabb;
use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use glam::Vec3;

/// Boxes by component. Empty slots hold the empty box, which overlaps nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct AabbPacket<const N: usize> {
    /// Least coordinates: x of all boxes, then y, then z.
    pub min: [[f32; N]; 3],
    /// Greatest coordinates.
    pub max: [[f32; N]; 3],
}

/// Eight boxes.
pub type Aabb8 = AabbPacket<8>;

/// Sixteen boxes.
pub type Aabb16 = AabbPacket<16>;

impl<const N: usize> AabbPacket<N> {
    /// A packet of empty boxes.
    pub const EMPTY: AabbPacket<N> =
        AabbPacket { min: [[f32::INFINITY; N]; 3], max: [[f32::NEG_INFINITY; N]; 3] };

    /// Returns a packet of the first N boxes, or of fewer.
    pub fn from_boxes(boxes: &[Aabb]) -> AabbPacket<N> {
        let mut all = AabbPacket::EMPTY;
        for (lane, aabb) in boxes.iter().take(N).enumerate() {
            all.set(lane, aabb);
        }
        all
    }

    /// Sets the box in a slot below N (a larger number is taken modulo N).
    #[inline(always)]
    pub fn set(&mut self, lane: usize, aabb: &Aabb) {
        for k in 0..3 {
            self.min[k][lane % N] = aabb.min[k];
            self.max[k][lane % N] = aabb.max[k];
        }
    }

    /// Returns the box in a slot below N (a larger number is taken modulo N).
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Aabb {
        let i = lane % N;
        Aabb {
            min: Vec3::new(self.min[0][i], self.min[1][i], self.min[2][i]),
            max: Vec3::new(self.max[0][i], self.max[1][i], self.max[2][i]),
        }
    }

    #[inline(always)]
    fn one_against_all<S: Copy, L: F32Lanes<N, Token = S>>(&self, simd: S, aabb: &Aabb) -> u32 {
        let mut mask = L::load(simd, &self.min[0]).le(L::splat(simd, aabb.max.x));
        mask = mask & L::load(simd, &self.max[0]).ge(L::splat(simd, aabb.min.x));
        mask = mask & L::load(simd, &self.min[1]).le(L::splat(simd, aabb.max.y));
        mask = mask & L::load(simd, &self.max[1]).ge(L::splat(simd, aabb.min.y));
        mask = mask & L::load(simd, &self.min[2]).le(L::splat(simd, aabb.max.z));
        mask = mask & L::load(simd, &self.max[2]).ge(L::splat(simd, aabb.min.z));
        mask.bits()
    }

    #[inline(always)]
    fn each_against_its_own<S: Copy, L: F32Lanes<N, Token = S>>(
        &self,
        simd: S,
        other: &AabbPacket<N>,
    ) -> u32 {
        let mut mask = L::load(simd, &self.min[0]).le(L::load(simd, &other.max[0]));
        mask = mask & L::load(simd, &other.min[0]).le(L::load(simd, &self.max[0]));
        for k in 1..3 {
            mask = mask & L::load(simd, &self.min[k]).le(L::load(simd, &other.max[k]));
            mask = mask & L::load(simd, &other.min[k]).le(L::load(simd, &self.max[k]));
        }
        mask.bits()
    }
}

impl Aabb8 {
    /// Returns a mask: bit i is set if the box overlaps box i, touching included. For use inside a
    /// kernel.
    #[inline(always)]
    pub fn overlaps_lanes<S: Simd>(&self, simd: S, aabb: &Aabb) -> u32 {
        self.one_against_all::<S, S::F32x8>(simd, aabb)
    }
}

impl Aabb16 {
    /// Returns a mask: bit i is set if the box overlaps box i, touching included. For use inside a
    /// kernel.
    #[inline(always)]
    pub fn overlaps_lanes<S: Simd>(&self, simd: S, aabb: &Aabb) -> u32 {
        self.one_against_all::<S, S::F32x16>(simd, aabb)
    }
}

struct OneAgainstMany<'a, const N: usize> {
    packets: &'a [AabbPacket<N>],
    aabb: &'a Aabb,
    found: &'a mut [u32],
}

impl Kernel for OneAgainstMany<'_, 8> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let n = self.packets.len().min(self.found.len());
        for i in 0..n {
            self.found[i] = self.packets[i].overlaps_lanes(simd, self.aabb);
        }
    }
}

impl Kernel for OneAgainstMany<'_, 16> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let n = self.packets.len().min(self.found.len());
        for i in 0..n {
            self.found[i] = self.packets[i].overlaps_lanes(simd, self.aabb);
        }
    }
}

struct EachAgainstItsOwn<'a> {
    a: &'a [Aabb8],
    b: &'a [Aabb8],
    found: &'a mut [u32],
}

impl Kernel for EachAgainstItsOwn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let n = self.a.len().min(self.b.len()).min(self.found.len());
        for i in 0..n {
            self.found[i] = self.a[i].each_against_its_own::<S, S::F32x8>(simd, &self.b[i]);
        }
    }
}

struct ManyAgainstMany<'a> {
    a: &'a [Aabb],
    b: &'a [Aabb8],
    pairs: &'a mut Vec<(u32, u32)>,
}

/// The block size in packets, 24 KiB. All boxes are tested against one block before the next.
const BLOCK: usize = 128;

impl Kernel for ManyAgainstMany<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut first = 0;
        while first < self.b.len() {
            let end = self.b.len().min(first + BLOCK);
            for i in 0..self.a.len() {
                for p in first..end {
                    let mut met = self.b[p].overlaps_lanes(simd, &self.a[i]);
                    while met != 0 {
                        self.pairs.push((i as u32, p as u32 * 8 + met.trailing_zeros()));
                        met &= met - 1;
                    }
                }
            }
            first = end;
        }
    }
}

/// Tests one box against many, eight at a time. Bit i of `found[p]` says that it overlaps box i of
/// packet p, touching included. The shorter of the two slices limits the number of packets.
pub fn overlaps_packets(packets: &[Aabb8], aabb: &Aabb, found: &mut [u32]) {
    dispatch(OneAgainstMany { packets, aabb, found });
}

/// Like [`overlaps_packets`], sixteen at a time.
pub fn overlaps_packets_16(packets: &[Aabb16], aabb: &Aabb, found: &mut [u32]) {
    dispatch(OneAgainstMany { packets, aabb, found });
}

/// Tests pairs of boxes at equal indices. Bit i of `found[p]` says that box i of `a[p]` overlaps
/// box i of `b[p]`, touching included. The shortest of the three slices limits the number of
/// packets.
pub fn overlaps_each(a: &[Aabb8], b: &[Aabb8], found: &mut [u32]) {
    dispatch(EachAgainstItsOwn { a, b, found });
}

/// Tests all boxes of `a` against all boxes of `b`. Appends the overlapping pairs to `pairs`,
/// touching included, as indices in `a` and `b`. Indices count through the packets. Each pair is
/// given once, in no particular order.
pub fn overlapping_pairs(a: &[Aabb], b: &[Aabb8], pairs: &mut Vec<(u32, u32)>) {
    dispatch(ManyAgainstMany { a, b, pairs });
}
