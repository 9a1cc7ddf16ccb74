//! Velocity changes of liquids after a substep: viscosity, cohesion, and vorticity confinement.
//!
//! - Viscosity moves each velocity toward those of the neighbours. The second moment of the kernel
//!   converts the coefficient.
//! - Cohesion pulls neighbours together.
//! - Vorticity confinement pushes along swirls, which the other passes weaken.
//! - For a pair of different liquids the smaller coefficient counts. Viscosity and cohesion
//!   conserve momentum up to rounding; confinement does not.
//!
//! Reference: M. Macklin, M. Mueller, Position Based Fluids, 2013, 5; H. Schechter, R. Bridson,
//! Ghost SPH for Animating Water, 2012 (XSPH); M. Becker, M. Teschner, Weakly Compressible SPH for
//! Free Surface Flows, SCA 2007 (cohesion).
//! Differs: the viscosity is physical, by the second moment of the kernel.

use crate::solver::rows::{LANES, Rows, load_eight};
use crate::solver::smoothing::Smoothing;
use crate::solver::store::Row;
use carom_lanes::{F32Lanes, Kernel, Simd, U32Lanes};
use carom_math::ops::sqrt;
use carom_math::tol;
use core::ops::Range;

/// The data that both passes read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow<'a> {
    pub(crate) smoothing: Smoothing,
    /// Places and inverse masses.
    pub(crate) positions: &'a [Row],
    pub(crate) velocities: &'a [Row],
    /// For each slot: viscosity (negative if the slot is not a liquid), cohesion, vorticity.
    pub(crate) coefficients: &'a [Row],
    pub(crate) rows: Rows<'a>,
    pub(crate) dt: f32,
    /// The fraction by which velocities are moved toward each other even without viscosity.
    pub(crate) min_mixing: f32,
    /// Whether all are of one liquid, which has no cohesion and no vorticity.
    pub(crate) is_plain: bool,
}

/// The first pass: changes of velocity by viscosity and cohesion, and the curl of the velocity.
pub(crate) struct Mixing<'a> {
    pub(crate) flow: Flow<'a>,
    pub(crate) slots: Range<usize>,
    /// Gets for each slot the change, and the curl.
    pub(crate) out: &'a mut [[Row; 2]],
}

impl Kernel for Mixing<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if self.flow.is_plain { self.run_with::<S, true>(simd) } else { self.run_with::<S, false>(simd) }
    }
}

impl Mixing<'_> {
    #[inline(always)]
    fn run_with<S: Simd, const IS_PLAIN: bool>(self, simd: S) {
        let Mixing { flow, slots, out } = self;
        let Flow { smoothing, positions, velocities, coefficients, rows, dt, min_mixing: least, .. } = flow;
        let (table, speeds) = (positions.as_flattened(), velocities.as_flattened());
        let all_coefficients = coefficients.as_flattened();
        let splat = |x: f32| S::F32x8::splat(simd, x);
        let (zero, one, half) = (splat(0.0), splat(1.0), splat(0.5));
        let least = splat(least);
        let step = S::U32x8::splat(simd, 1);
        let per_reach = splat(1.0 / smoothing.reach);
        let per_reach_sq = per_reach * per_reach;
        let near = splat(smoothing.reach * tol::COINCIDENT_PARTICLES);
        let near_sq = near * near;
        let density_scale = splat(smoothing.density_scale);
        // The sum of kernel times difference of velocity is a sixth of the spread times its
        // Laplacian.
        let mixing = splat(6.0 * dt / smoothing.lattice_spread);
        let pull = splat(dt / smoothing.reach);
        for (slot, out) in slots.zip(out) {
            *out = [[0.0; 4]; 2];
            let [viscosity, cohesion, ..] = coefficients[slot];
            let [x, y, z, w] = positions[slot];
            if viscosity < 0.0 || w == 0.0 {
                continue;
            }
            let position = [splat(x), splat(y), splat(z)];
            let own_speed = [0, 1, 2].map(|axis| splat(velocities[slot][axis]));
            let (viscosity, cohesion, w) = (splat(viscosity), splat(cohesion), splat(w));
            let plain = (least + mixing * viscosity).min(half);
            let [start, end] = rows.ends[slot].map(|end| end as usize);
            let (mut change, mut curl) = ([zero; 3], [zero; 3]);
            let mut at = start;
            while at < end {
                let eight = load_eight(simd, rows.neighbours, at, end, table, position);
                let kernel = (one - eight.distance_sq * per_reach_sq).max(zero);
                let kernel = S::F32x8::select(eight.is_in_row, kernel, zero);
                let kernel = kernel * kernel * kernel * density_scale;
                let (second, third) = (eight.index + step, eight.index + step + step);
                let indices = [eight.index, second, third];
                let mut speed = [zero; 3];
                for axis in 0..3 {
                    speed[axis] = S::F32x8::gather(speeds, indices[axis]) - own_speed[axis];
                }
                if IS_PLAIN {
                    let mixed = plain * kernel;
                    for axis in 0..3 {
                        change[axis] = change[axis] + speed[axis] * mixed;
                    }
                    at += LANES;
                    continue;
                }
                // Equal masses get 1.
                let other_w = S::F32x8::gather(table, third + step);
                let part = kernel * w / ((w + other_w) * half);
                let both = viscosity.min(S::F32x8::gather(all_coefficients, eight.index));
                // The viscosity of particles that are no liquid is negative.
                let mixed = S::F32x8::select(both.lt(zero), zero, (least + mixing * both).min(half) * part);
                let pulled = pull * cohesion.min(S::F32x8::gather(all_coefficients, second)) * part;
                let difference = eight.difference;
                for axis in 0..3 {
                    change[axis] = change[axis] + speed[axis] * mixed - difference[axis] * pulled;
                }
                let distance = eight.distance_sq.max(near_sq).sqrt();
                let slope = (one - distance * per_reach).max(zero);
                let slope = S::F32x8::select(eight.is_in_row, slope, zero);
                let slope = slope * slope / distance;
                curl[0] = curl[0] + (speed[1] * difference[2] - speed[2] * difference[1]) * slope;
                curl[1] = curl[1] + (speed[2] * difference[0] - speed[0] * difference[2]) * slope;
                curl[2] = curl[2] + (speed[0] * difference[1] - speed[1] * difference[0]) * slope;
                at += LANES;
            }
            let [x, y, z] = change.map(|sum| sum.reduce_sum());
            let [a, b, c] = curl.map(|sum| smoothing.gradient_scale * sum.reduce_sum());
            *out = [[x, y, z, 0.0], [a, b, c, sqrt(a * a + b * b + c * c)]];
        }
    }
}

/// The second pass: the change of a velocity by confinement, from the curls of all.
pub(crate) fn confine(flow: &Flow<'_>, curls: &[[Row; 2]], slot: usize) -> glam::Vec3 {
    use crate::solver::store::vector;
    let vorticity = flow.coefficients[slot][2];
    if vorticity == 0.0 {
        return glam::Vec3::ZERO;
    }
    let (position, reach) = (vector(&flow.positions[slot]), flow.smoothing.reach);
    let mut rise = glam::Vec3::ZERO;
    for &other in flow.rows.of(slot) {
        let difference = vector(&flow.positions[other as usize]) - position;
        let distance = difference.length().max(reach * tol::COINCIDENT_PARTICLES);
        let slope = (1.0 - distance / reach).max(0.0);
        let curl = curls[other as usize][1][3] - curls[slot][1][3];
        rise += difference * (slope * slope * curl / distance);
    }
    let toward = rise.normalize_or_zero();
    toward.cross(vector(&curls[slot][1])) * (vorticity * reach * flow.dt)
}
