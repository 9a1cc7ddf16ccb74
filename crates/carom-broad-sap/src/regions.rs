//! Regions of the world, which may overlap and need not cover it, and the regions that a box
//! touches.
//!
//! Two boxes that touch share a point. If a region contains it, both touch that region. If none
//! does, both stick out of the union of all regions. So all pairs are found by searching each
//! region, and the boxes that stick out.
//!
//! Reference: P. Terdiman, Sweep-and-prune, 2007 (multi-SAP); Box pruning revisited, 2017.
//! Differs: boxes outside all regions are not lost.

use alloc::vec::Vec;
use carom_bounds::{Aabb, Aabb8, BoundsError, overlaps_packets};
use glam::Vec3;

/// The most regions that a [`Regions::grid`] has.
const MAX_REGIONS: u64 = 1 << 16;

/// A box is cut into at most this many parts to test whether regions cover it. If that is not
/// enough, it counts as sticking out.
const MAX_PIECES: usize = 64;

/// Parts of the world.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    boxes: Vec<Aabb>,
    packets: Vec<Aabb8>,
}

/// Workspace of [`Regions::touched`].
#[derive(Clone, Debug, Default)]
pub(crate) struct TouchScratch {
    bits: Vec<u32>,
    pieces: Vec<Aabb>,
}

impl TouchScratch {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.bits.capacity() + self.pieces.capacity() * size_of::<Aabb>()
    }
}

impl Regions {
    /// Returns the bytes in use or kept.
    pub(crate) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb>() + self.packets.capacity() * size_of::<Aabb8>()
    }

    /// Creates regions from these boxes. Error: the first that is NaN, infinite or inverted.
    pub fn new(boxes: &[Aabb]) -> Result<Regions, BoundsError> {
        boxes.iter().try_for_each(Aabb::check)?;
        Ok(Regions { boxes: boxes.to_vec(), packets: boxes.chunks(8).map(Aabb8::from_boxes).collect() })
    }

    /// Creates the cells of a grid over `bounds` with these counts per axis. Counts are at least
    /// 1, and are reduced until there are at most 65,536 cells. Error: bounds that are NaN,
    /// infinite or inverted.
    pub fn grid(bounds: &Aabb, counts: [u32; 3]) -> Result<Regions, BoundsError> {
        bounds.check()?;
        let mut counts = counts.map(|count| u64::from(count.max(1)));
        while MAX_REGIONS < counts.iter().fold(1, |n: u64, &count| n.saturating_mul(count)) {
            let largest = (0..3).fold(0, |best, axis| if counts[best] < counts[axis] { axis } else { best });
            counts[largest] = counts[largest].div_ceil(2);
        }
        let cut = |axis: usize, i: u64| {
            let share = i as f64 / counts[axis] as f64;
            let (low, high) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            (low * (1.0 - share) + high * share) as f32
        };
        let mut boxes = Vec::new();
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    boxes.push(Aabb {
                        min: Vec3::new(cut(0, x), cut(1, y), cut(2, z)),
                        max: Vec3::new(cut(0, x + 1), cut(1, y + 1), cut(2, z + 1)),
                    });
                }
            }
        }
        Regions::new(&boxes)
    }

    /// Returns the number of regions.
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Whether there are no regions.
    pub fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Returns the regions.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Calls `visit` with every region that the box touches, and with the number of regions if it
    /// may stick out of all.
    #[inline]
    pub(crate) fn touched(&self, aabb: &Aabb, work: &mut TouchScratch, mut visit: impl FnMut(u32)) {
        let TouchScratch { bits, pieces } = work;
        bits.clear();
        bits.resize(self.packets.len(), 0);
        overlaps_packets(&self.packets, aabb, bits);
        let mut is_held = false;
        for (packet, bits) in bits.iter_mut().enumerate() {
            let mut rest = *bits;
            while rest != 0 {
                let region = packet * 8 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                is_held |= self.boxes[region].contains(aabb);
                visit(region as u32);
            }
        }
        if !is_held && !self.cover(aabb, bits, pieces) {
            visit(self.boxes.len() as u32);
        }
    }

    /// Whether the regions with set bits surely cover the box. A region that contains the lower
    /// corner of a part is cut off from it, until nothing is left.
    fn cover(&self, aabb: &Aabb, bits: &[u32], pieces: &mut Vec<Aabb>) -> bool {
        pieces.clear();
        pieces.push(*aabb);
        for _ in 0..MAX_PIECES {
            let Some(piece) = pieces.pop() else { return true };
            // A region that only touches the part with its corner cuts nothing off.
            let cuts = |region: &Aabb| {
                (0..3).all(|k| {
                    region.min[k] <= piece.min[k]
                        && (piece.min[k] < region.max[k]
                            || (piece.min[k] == piece.max[k] && piece.min[k] == region.max[k]))
                })
            };
            let holder = bits.iter().enumerate().find_map(|(packet, &bits)| {
                (0..8)
                    .filter(|lane| bits >> lane & 1 == 1)
                    .map(|lane| &self.boxes[packet * 8 + lane])
                    .find(|&r| cuts(r))
            });
            let Some(region) = holder else { return false };
            let mut rest = piece;
            for k in 0..3 {
                if region.max[k] < rest.max[k] {
                    let mut beyond = rest;
                    beyond.min[k] = region.max[k];
                    pieces.push(beyond);
                    rest.max[k] = region.max[k];
                }
            }
        }
        pieces.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(regions: &Regions, aabb: &Aabb) -> Vec<u32> {
        let mut all = Vec::new();
        regions.touched(aabb, &mut TouchScratch::default(), |region| all.push(region));
        all
    }

    fn cube(min: f32, max: f32) -> Aabb {
        Aabb { min: Vec3::splat(min), max: Vec3::splat(max) }
    }

    #[test]
    fn boxes_touch_the_right_regions() {
        let regions = Regions::grid(&cube(0.0, 2.0), [2, 2, 2]).unwrap();
        assert_eq!(regions.len(), 8);
        assert_eq!(touched(&regions, &cube(0.25, 0.75)), [0]);
        assert_eq!(touched(&regions, &cube(0.25, 1.0)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(touched(&regions, &cube(0.5, 1.5)), [0, 1, 2, 3, 4, 5, 6, 7], "covered by all together");
        assert_eq!(touched(&regions, &cube(1.5, 2.5)), [7, 8]);
        assert_eq!(touched(&regions, &cube(5.0, 6.0)), [8]);
        assert_eq!(touched(&regions, &cube(2.0, 2.0)), [7], "a point on the rim");
        assert_eq!(touched(&Regions::default(), &cube(0.0, 1.0)), [0]);
    }

    #[test]
    fn a_gap_is_detected() {
        let gap = Regions::new(&[
            cube(0.0, 1.0),
            Aabb { min: Vec3::new(1.5, 0.0, 0.0), max: Vec3::new(2.0, 1.0, 1.0) },
        ])
        .unwrap();
        let over = Aabb { min: Vec3::new(0.5, 0.25, 0.25), max: Vec3::new(1.75, 0.5, 0.5) };
        assert_eq!(touched(&gap, &over), [0, 1, 2]);
    }

    #[test]
    fn wild_counts_and_bounds() {
        assert!(Regions::grid(&cube(0.0, 1.0), [u32::MAX; 3]).unwrap().len() <= MAX_REGIONS as usize);
        assert_eq!(Regions::grid(&cube(0.0, 0.0), [0, 1, 2]).unwrap().len(), 2);
        assert!(Regions::grid(&cube(1.0, 0.0), [1; 3]).is_err());
        assert!(Regions::new(&[cube(f32::NAN, 1.0)]).is_err());
    }
}
