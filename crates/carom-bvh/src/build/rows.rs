//! Boxes as rows of eight floats, such that a union is one maximum.
//!
//! A row is the negated minimum, a number, the maximum, a number.
//!
//! Reference: I. Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, 2007 (the
//! layout of the bins, here for eight lanes).

use crate::tree::{BvhError, check_boxes};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use glam::Vec3;

/// A bit that is set in both numbers, so that they are normal floats. Otherwise arithmetic on
/// whole rows would meet subnormal floats, which are slow on some processors: the build took four
/// times as long.
const NORMAL: u32 = 0x4000_0000;

/// The bits of a number.
const NUMBER: u32 = NORMAL - 1;

/// A box with two numbers, each below 2^29.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Row(pub(crate) [f32; 8]);

impl Row {
    pub(crate) const EMPTY: Row = Row([f32::NEG_INFINITY; 8]);

    #[inline(always)]
    pub(crate) fn new(aabb: &Aabb, tag: u32, count: u32) -> Row {
        let (low, high) = (-aabb.min, aabb.max);
        let mut row = Row([low.x, low.y, low.z, 0.0, high.x, high.y, high.z, 0.0]);
        row.set_numbers(tag, count);
        row
    }

    /// The first number: a primitive, a first primitive, or a left child.
    #[inline(always)]
    pub(crate) fn tag(&self) -> u32 {
        self.0[3].to_bits() & NUMBER
    }

    /// The second number: how many primitives.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.0[7].to_bits() & NUMBER
    }

    #[inline(always)]
    pub(crate) fn set_numbers(&mut self, tag: u32, count: u32) {
        self.0[3] = f32::from_bits(NORMAL | tag);
        self.0[7] = f32::from_bits(NORMAL | count);
    }

    #[inline(always)]
    pub(crate) fn aabb(&self) -> Aabb {
        let r = &self.0;
        Aabb { min: Vec3::new(-r[0], -r[1], -r[2]), max: Vec3::new(r[4], r[5], r[6]) }
    }

    /// The row around both; its numbers have no meaning.
    #[inline(always)]
    pub(crate) fn merged(&self, other: &Row) -> Row {
        let mut out = *self;
        for (a, &b) in out.0.iter_mut().zip(&other.0) {
            // This comparison is a maximum on every processor, so zeros of both signs give the
            // same result.
            *a = if *a < b { b } else { *a };
        }
        out
    }

    /// Twice the centre on an axis.
    #[inline(always)]
    pub(crate) fn center2(&self, axis: usize) -> f32 {
        self.0[axis + 4] - self.0[axis]
    }

    /// Half the surface area of the box, its lengths multiplied by `scale`.
    #[inline(always)]
    pub(crate) fn half_area(&self, scale: f32) -> f32 {
        half_area(&self.0, scale)
    }
}

/// Half the surface area of a row, its lengths multiplied by `scale`.
#[inline(always)]
pub(crate) fn half_area(r: &[f32; 8], scale: f32) -> f32 {
    let (x, y, z) = ((r[0] + r[4]) * scale, (r[1] + r[5]) * scale, (r[2] + r[6]) * scale);
    x * y + y * z + z * x
}

/// Writes one row for each box, with the number of the box as the tag. The error names the first
/// box that is not allowed in a tree.
pub(crate) fn fill(rows: &mut Vec<Row>, boxes: &[Aabb]) -> Result<(), BvhError> {
    check_boxes(boxes)?;
    rows.clear();
    rows.extend(boxes.iter().enumerate().map(|(i, aabb)| Row::new(aabb, i as u32, 1)));
    Ok(())
}

/// Writes one row for each box in the order of the sorted keys, with the number of the box as the
/// tag. The low half of a key is the number of a box.
pub(crate) fn reorder(boxes: &[Aabb], keys: &[u64], out: &mut Vec<Row>) {
    out.clear();
    out.reserve(keys.len());
    for (index, &key) in keys.iter().enumerate() {
        if let Some(&after) = keys.get(index + AHEAD) {
            carom_lanes::prefetch(boxes, after as u32 as usize);
        }
        let number = key as u32;
        out.extend(boxes.get(number as usize).map(|aabb| Row::new(aabb, number, 1)));
    }
}

/// The prefetch distance, in boxes.
const AHEAD: usize = 16;

/// Expands clusters to their primitives. A cluster's tag is the index of its first primitive in
/// `sorted`.
pub(crate) fn expand(clusters: &[Row], sorted: &[Row], order: &mut Vec<u32>) {
    for cluster in clusters {
        let first = cluster.tag() as usize;
        for index in first..first + cluster.count() as usize {
            order.extend(sorted.get(index).map(Row::tag));
        }
    }
}
