//! The density of liquids at each particle, and the corrections that keep it at its value at rest.
//!
//! - The constraint of a particle is C = density - 1 <= 0. A splash with C < 0 is not pulled
//!   together.
//! - The first pass computes the multiplier of each particle. The second pass sums the corrections
//!   from both sides of each pair. No pass reads what it writes, so particles may be processed in
//!   any order.
//! - The corrections of a pair are opposite, so momentum is conserved up to rounding.
//!
//! Reference: M. Macklin, M. Mueller, Position Based Fluids, ACM Transactions on Graphics 32(4),
//! 2013, 3; M. Macklin et al., Unified Particle Physics, 2014, 7.1 (masses, solids).
//! Differs: C is at least 0 instead of an artificial pressure. Density counts particles, not their
//! masses, so liquids of different densities may meet.

use crate::solver::group::Phase;
use crate::solver::rows::{LANES, Rows, load_eight};
use crate::solver::smoothing::Smoothing;
use crate::solver::store::{Row, vector};
use crate::solver::wall::Wall;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, U32Lanes};
use carom_math::tol;
use core::ops::Range;
use glam::Vec3;

/// The data that both passes read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Density<'a> {
    pub(crate) smoothing: Smoothing,
    /// Predicted places and inverse masses.
    pub(crate) predicted: &'a [Row],
    pub(crate) phases: &'a [Phase],
    pub(crate) rows: Rows<'a>,
    /// The boundaries' contribution to each slot.
    pub(crate) walls: &'a [Wall],
    /// The inverse mass of all particles, if it is one.
    pub(crate) inverse_mass: Option<f32>,
}

/// The first pass: multipliers of some slots.
pub(crate) struct Multipliers<'a> {
    pub(crate) density: Density<'a>,
    pub(crate) slots: Range<usize>,
    pub(crate) out: &'a mut [f32],
}

impl Kernel for Multipliers<'_> {
    /// Whether two particles are at one place, so that they have no direction to part.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        match self.density.inverse_mass {
            Some(w) => self.run_with::<S, true>(simd, w),
            None => self.run_with::<S, false>(simd, 0.0),
        }
    }
}

impl Multipliers<'_> {
    #[inline(always)]
    fn run_with<S: Simd, const IS_ONE_MASS: bool>(self, simd: S, w: f32) -> bool {
        let Multipliers { density, slots, out } = self;
        let Density { smoothing, predicted, phases, rows, walls, .. } = density;
        let table = predicted.as_flattened();
        let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
        let per_reach = S::F32x8::splat(simd, 1.0 / smoothing.reach);
        let per_reach_sq = per_reach * per_reach;
        let near = S::F32x8::splat(simd, smoothing.reach * tol::COINCIDENT_PARTICLES);
        let near_sq = near * near;
        let three = S::U32x8::splat(simd, 3);
        let gradient_sq = smoothing.gradient_scale * smoothing.gradient_scale;
        let mut coincident = 0;
        for (slot, out) in slots.zip(out) {
            *out = 0.0;
            if !phases[slot].is_fluid() {
                continue;
            }
            let own = predicted[slot];
            let position = [own[0], own[1], own[2]].map(|x| S::F32x8::splat(simd, x));
            let [start, end] = rows.ends[slot].map(|end| end as usize);
            let (mut sum, mut squares) = (zero, zero);
            let mut gradient = [zero; 3];
            let mut at = start;
            while at < end {
                let eight = load_eight(simd, rows.neighbours, at, end, table, position);
                let is_near = eight.is_in_row & eight.distance_sq.lt(near_sq);
                coincident |= is_near.bits();
                let distance = eight.distance_sq.max(near_sq).sqrt();
                let kernel = (one - eight.distance_sq * per_reach_sq).max(zero);
                let slope = (one - distance * per_reach).max(zero);
                let kernel = S::F32x8::select(eight.is_in_row, kernel, zero);
                let slope = S::F32x8::select(eight.is_in_row, slope, zero);
                sum = sum + kernel * kernel * kernel;
                let slope = slope * slope;
                let slope_sq = slope * slope;
                squares = squares
                    + if IS_ONE_MASS {
                        slope_sq
                    } else {
                        slope_sq * S::F32x8::gather(table, eight.index + three)
                    };
                let per_length = slope / distance;
                for axis in 0..3 {
                    gradient[axis] = gradient[axis] + eight.difference[axis] * per_length;
                }
                at += LANES;
            }
            let wall = &walls[slot];
            let by_walls = wall.density_at(Vec3::new(own[0], own[1], own[2]));
            let excess = smoothing.density_scale * (1.0 + sum.reduce_sum()) + by_walls - 1.0;
            if 0.0 < excess {
                let w_own = if IS_ONE_MASS { w } else { own[3] };
                let [x, y, z] = gradient.map(|sum| -smoothing.gradient_scale * sum.reduce_sum());
                let [x, y, z] = [x + wall.gradient.x, y + wall.gradient.y, z + wall.gradient.z];
                let squares = squares.reduce_sum() * if IS_ONE_MASS { w } else { 1.0 };
                let of_all = gradient_sq * squares + w_own * (x * x + y * y + z * z) + wall.softness;
                let softness = tol::DENSITY_SOFTNESS * smoothing.lattice_gradient_sq * w_own;
                // If the particle and all its neighbours are held, nothing can give way.
                if 0.0 < of_all + softness {
                    *out = -excess / (of_all + softness);
                }
            }
        }
        coincident != 0
    }
}

/// The second pass: corrections of some slots.
pub(crate) struct Corrections<'a> {
    pub(crate) density: Density<'a>,
    pub(crate) multipliers: &'a [f32],
    pub(crate) slots: Range<usize>,
    pub(crate) out: &'a mut [Row],
}

impl Kernel for Corrections<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Corrections { density, multipliers, slots, out } = self;
        let Density { smoothing, predicted, rows, walls, .. } = density;
        let table = predicted.as_flattened();
        let (zero, one) = (S::F32x8::splat(simd, 0.0), S::F32x8::splat(simd, 1.0));
        let per_reach = S::F32x8::splat(simd, 1.0 / smoothing.reach);
        let near = S::F32x8::splat(simd, smoothing.reach * tol::COINCIDENT_PARTICLES);
        let near_sq = near * near;
        for (slot, out) in slots.zip(out) {
            let own = predicted[slot];
            let position = [own[0], own[1], own[2]].map(|x| S::F32x8::splat(simd, x));
            let multiplier = S::F32x8::splat(simd, multipliers[slot]);
            let [start, end] = rows.ends[slot].map(|end| end as usize);
            let mut sum = [zero; 3];
            let mut at = start;
            while at < end {
                let eight = load_eight(simd, rows.neighbours, at, end, table, position);
                let other = S::F32x8::gather(multipliers, eight.index.shr::<2>());
                let distance = eight.distance_sq.max(near_sq).sqrt();
                let slope = (one - distance * per_reach).max(zero);
                let slope = S::F32x8::select(eight.is_in_row, slope, zero);
                let push = slope * slope * (multiplier + other) / distance;
                for axis in 0..3 {
                    sum[axis] = sum[axis] + eight.difference[axis] * push;
                }
                at += LANES;
            }
            let scale = -smoothing.gradient_scale * own[3];
            let [x, y, z] = sum.map(|sum| scale * sum.reduce_sum());
            let (wall, by_wall) = (walls[slot].gradient, own[3] * multipliers[slot]);
            *out = [x + by_wall * wall.x, y + by_wall * wall.y, z + by_wall * wall.z, 0.0];
        }
    }
}

/// Returns the densities of some slots from their neighbours alone, in units of the rest density. 0
/// for particles that are no liquid.
pub(crate) fn densities(
    smoothing: &Smoothing,
    positions: &[Row],
    phases: &[Phase],
    rows: Rows<'_>,
    slots: Range<usize>,
    out: &mut [f32],
) {
    for (slot, out) in slots.zip(out) {
        let own = vector(&positions[slot]);
        let mut sum = 1.0;
        for &other in rows.of(slot) {
            let distance_sq = own.distance_squared(vector(&positions[other as usize]));
            let kernel = (1.0 - distance_sq / (smoothing.reach * smoothing.reach)).max(0.0);
            sum += kernel * kernel * kernel;
        }
        *out = if phases[slot].is_fluid() { smoothing.density_scale * sum } else { 0.0 };
    }
}
