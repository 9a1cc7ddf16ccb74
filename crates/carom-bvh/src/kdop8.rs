//! Eight k-DOPs side by side: one exact comparison for each direction.
//!
//! A k-DOP is transformed to the other tree's frame by its half-spaces, not by its vertices. The
//! weights are computed once for each pose. The result is nearly as tight as that by vertices, and
//! takes no longer than rotating an oriented box.
//!
//! Reference: J. Klosowski, M. Held, J. Mitchell, H. Sowizral, K. Zikan, Efficient Collision
//! Detection Using Bounding Volume Hierarchies of k-DOPs, 1998.
//! Differs: the placed volume is found once for eight tests, by weak duality.

use crate::ray_lanes::RayLanes;
use crate::relative::Relative;
use crate::scale::UNIT;
use crate::tree::TreeVolume;
use crate::volumes::{Volumes8, sealed::Sealed};
use carom_bounds::{Aabb, BoundingVolume, KDop, KDopRotation, Slabs};
use carom_lanes::{F32Lanes, MaskLanes, Simd};
use carom_math::WidePose;
use glam::{DMat3, DVec3, Vec3};

/// Eight k-DOPs by component.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KDop8<const K: usize> {
    pub(crate) offsets: [[f32; 8]; K],
}

/// A k-DOP in the frame of another tree, in scaled lengths, grown by the slack.
#[derive(Clone, Copy, Debug)]
pub struct PlacedKDop<const K: usize> {
    offsets: [f32; K],
}

impl<const K: usize> TreeVolume for KDop<K>
where
    KDop<K>: Slabs,
{
    type Volumes8 = KDop8<K>;
}

impl<const K: usize> Sealed for KDop8<K> {}

/// Lowers a sum of three squares by what rounding may have added.
const SQUARES: f32 = 1.0 - 32.0 * UNIT;

/// The least component of a ray along a direction of the k-DOP; smaller ones are replaced by it.
/// So no quotient is 0 by 0. It is far above underflow.
const PARALLEL: f32 = 1e-30;

/// Times the slack, 64 u S, this is 2 S: a bound on the offsets of volumes inside a tree, which
/// are at most S.
const MAX_OFFSET: f32 = 1.0 / (32.0 * UNIT);

/// The squared distance over the squared gap along a direction, by the number of the direction's
/// components that are not 0. Rounded down.
const SHARES: [f32; 4] = [1.0, 1.0, 0.5, 0.333_333_3];

impl<const K: usize> Volumes8 for KDop8<K>
where
    KDop<K>: Slabs,
{
    type Volume = KDop<K>;
    type Placed = PlacedKDop<K>;
    type Turn = KDopRotation<K>;

    const EMPTY: KDop8<K> = KDop8 { offsets: [[f32::NEG_INFINITY; 8]; K] };

    #[inline(always)]
    fn set(&mut self, lane: usize, volume: &KDop<K>) {
        for i in 0..K {
            self.offsets[i][lane & 7] = volume.offsets[i];
        }
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> KDop<K> {
        let mut offsets = [0.0; K];
        for i in 0..K {
            offsets[i] = self.offsets[i][lane & 7];
        }
        KDop { offsets }
    }

    #[inline(always)]
    fn size(&self, lane: usize) -> f32 {
        // The widths along the axes.
        let (i, half) = (lane & 7, K / 2);
        let mut sum = 0.0;
        for k in 0..3 {
            sum += self.offsets[k][i] + self.offsets[half + k][i];
        }
        sum
    }

    fn turn(rotation: &DMat3) -> KDopRotation<K> {
        KDopRotation::new(rotation)
    }

    #[inline(always)]
    fn to_frame<T>(volume: &KDop<K>, relative: &Relative<T>) -> PlacedKDop<K> {
        let mut scaled = *volume;
        for offset in &mut scaled.offsets {
            *offset *= relative.scale;
        }
        let column = |j: usize| DVec3::from(relative.columns[j].map(f64::from));
        let pose = WidePose {
            rotation: DMat3::from_cols(column(0), column(1), column(2)),
            translation: DVec3::from(relative.translation.map(f64::from)),
        };
        // An offset is at most 3 S, so its rounding is 3 u S. The columns, each within u / 2, and
        // the translation shift it by 6 u S.
        let mut offsets = scaled.placed_loosely(&pose).offsets;
        for offset in &mut offsets {
            *offset += relative.slack;
        }
        PlacedKDop { offsets }
    }

    #[inline(always)]
    fn placed<S: Simd>(&self, simd: S, lane: usize, relative: &Relative<KDopRotation<K>>) -> PlacedKDop<K> {
        let (i, limit) = (lane & 7, relative.slack * MAX_OFFSET);
        let (mut scaled, mut is_within) = ([0.0; 32], true);
        for k in 0..K {
            scaled[k] = self.offsets[k][i] * relative.scale;
            is_within &= scaled[k].abs() <= limit;
        }
        if !is_within {
            // The k-DOP is empty or infinite, or a fit of the caller made it larger than the tree.
            return placed_slowly(self, lane, relative);
        }
        // With offsets A of at most 2 S, the rounding of a bound is 18 u A + 4 u S. Adding the
        // slack rounds by u S. The sum, 41 u S, is below the slack.
        let reaches = relative.turn.reaches(simd, &scaled, relative.translation);
        let slack = S::F32x8::splat(simd, relative.slack);
        let mut eights = [[0.0; 8]; 4];
        for c in 0..4 {
            (reaches[c] + slack).store(&mut eights[c]);
        }
        let mut offsets = [0.0; K];
        for k in 0..K {
            offsets[k] = eights[k / 8 % 4][k % 8];
        }
        PlacedKDop { offsets }
    }

    #[inline(always)]
    fn meets<S: Simd, T>(&self, simd: S, placed: &PlacedKDop<K>, relative: &Relative<T>) -> u32 {
        let scale = S::F32x8::splat(simd, relative.scale);
        meets(simd, self, &placed.offsets, scale)
    }

    #[inline(always)]
    fn meets_here<S: Simd>(&self, simd: S, volume: &KDop<K>, _: &Relative) -> u32 {
        meets(simd, self, &volume.offsets, S::F32x8::splat(simd, 1.0))
    }

    #[inline(always)]
    fn meets_box<S: Simd>(&self, simd: S, aabb: &Aabb, _: &Relative) -> u32 {
        meets(simd, self, &KDop::<K>::from_aabb(aabb).offsets, S::F32x8::splat(simd, 1.0))
    }

    #[inline(always)]
    fn gap_sq<S: Simd, T>(&self, simd: S, placed: &PlacedKDop<K>, relative: &Relative<T>) -> S::F32x8 {
        let scale = S::F32x8::splat(simd, relative.scale);
        gap_sq(simd, self, &placed.offsets, scale)
    }

    #[inline(always)]
    fn gap_sq_point<S: Simd>(&self, simd: S, point: Vec3, scale: f32, slack: f32) -> S::F32x8 {
        // Twice the slack, because a direction is at most 1.74 long. The sum also covers the
        // rounding of an offset, which is at most 3 in scaled lengths.
        let slack = slack * 2.0 + 16.0 * UNIT;
        let mut offsets = KDop::<K>::from_points(&[point]).offsets;
        for offset in &mut offsets {
            *offset = *offset * scale + slack;
        }
        gap_sq(simd, self, &offsets, S::F32x8::splat(simd, scale))
    }

    #[inline(always)]
    fn enters<S: Simd>(&self, simd: S, ray: &RayLanes<S>, t_max: f32) -> (u32, S::F32x8) {
        let half = K / 2;
        let load = |i: usize| S::F32x8::load(simd, &self.offsets[i]);
        let low = [-load(half), -load(half + 1), -load(half + 2)];
        let (mut near, mut far) = ray.slabs(simd, &low, &[load(0), load(1), load(2)], t_max);
        // The room is that of oriented boxes times 4. The components of a direction add up to at
        // most 3.
        let room = S::F32x8::splat(simd, ray.size * (256.0 * UNIT));
        let (parallel, one) = (S::F32x8::splat(simd, PARALLEL), S::F32x8::splat(simd, 1.0));
        for i in 3..half {
            let d = KDop::<K>::DIRECTIONS[i];
            let (mut origin, mut direction) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 0.0));
            for k in 0..3 {
                let share = S::F32x8::splat(simd, f32::from(d[k]));
                origin = origin + ray.origin[k] * share;
                direction = direction + ray.direction[k] * share;
            }
            let direction = S::F32x8::select(direction.abs().lt(parallel), parallel, direction);
            let inverse = one / direction;
            let first = (-load(half + i) - room - origin) * inverse;
            let second = (load(i) + room - origin) * inverse;
            near = first.min(second).max(near);
            far = first.max(second).min(far);
        }
        RayLanes::meets(simd, near, far)
    }
}

#[cold]
fn placed_slowly<const K: usize>(
    all: &KDop8<K>,
    lane: usize,
    relative: &Relative<KDopRotation<K>>,
) -> PlacedKDop<K>
where
    KDop<K>: Slabs,
{
    KDop8::<K>::to_frame(&all.get(lane), relative)
}

/// Bit i: no pair of parallel planes separates volume i from the given offsets. The sign of a sum
/// of two numbers is exact.
#[inline(always)]
fn meets<S: Simd, const K: usize>(simd: S, all: &KDop8<K>, offsets: &[f32; K], scale: S::F32x8) -> u32 {
    let half = K / 2;
    let zero = S::F32x8::splat(simd, 0.0);
    let mut meets = S::Mask8::from_bits(simd, 255);
    for i in 0..half {
        let over = S::F32x8::load(simd, &all.offsets[i]) * scale + S::F32x8::splat(simd, offsets[half + i]);
        let under = S::F32x8::load(simd, &all.offsets[half + i]) * scale + S::F32x8::splat(simd, offsets[i]);
        meets = meets & over.ge(zero) & under.ge(zero);
    }
    meets.bits()
}

/// The larger of the squared distance of the axis-aligned boxes and the largest squared gap along
/// the other directions.
#[inline(always)]
fn gap_sq<S: Simd, const K: usize>(simd: S, all: &KDop8<K>, offsets: &[f32; K], scale: S::F32x8) -> S::F32x8
where
    KDop<K>: Slabs,
{
    let half = K / 2;
    let zero = S::F32x8::splat(simd, 0.0);
    let (mut along_axes, mut most) = (zero, zero);
    for i in 0..half {
        let over = S::F32x8::load(simd, &all.offsets[i]) * scale + S::F32x8::splat(simd, offsets[half + i]);
        let under = S::F32x8::load(simd, &all.offsets[half + i]) * scale + S::F32x8::splat(simd, offsets[i]);
        let gap = (-over).max(-under).max(zero);
        let d = KDop::<K>::DIRECTIONS[i];
        let share = SHARES[(d[0] & 1) as usize + (d[1] & 1) as usize + (d[2] & 1) as usize];
        let squared = gap * gap * S::F32x8::splat(simd, share);
        if i < 3 {
            along_axes = along_axes + squared;
        } else {
            most = most.max(squared);
        }
    }
    along_axes.max(most) * S::F32x8::splat(simd, SQUARES)
}
