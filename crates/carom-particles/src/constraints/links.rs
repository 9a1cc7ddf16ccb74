//! Distance constraints with compliance: pairs of particles that keep their distance.
//!
//! - A link is the constraint |x_a - x_b| = rest. Its multiplier is the sum of its corrections in
//!   the substep. So stiffness depends neither on the number of passes nor on the time step.
//! - Eight links of the same colour are solved at once.
//!
//! Degenerate: two pinned ends do not move. Coincident particles separate in a fixed direction that
//! follows from their indices. A correction that is not finite is skipped.
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, XPBD: Position-Based Simulation of Compliant
//! Constrained Dynamics, 2016, algorithm 1 and eq. 18.

use super::colouring::{Coloured, Solve, colour};
use super::{ConstraintError, ParticleBody, Points, check_elements, check_setting, check_step, damped_part};
use crate::parting::parting;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use core::ops::Range;
use glam::Vec3;

/// A squared length below this counts as 0, because its last digits are lost: the least normal
/// `f32`.
const LEAST_LENGTH_SQ: f32 = f32::MIN_POSITIVE;

/// A distance constraint between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The indices of the two particles, from 0 in their body.
    pub ends: [u32; 2],
    /// The distance at rest; not negative.
    pub rest: f32,
    /// Length per force, not negative: one over the stiffness. 0 for a rigid link.
    pub compliance: f32,
}

/// The links of a body.
#[derive(Clone, Debug)]
pub struct Links {
    particles: Range<usize>,
    batches: Coloured<LinkBatch>,
    damping: f32,
}

/// Up to eight links that have no particle in common.
#[derive(Clone, Debug)]
struct LinkBatch {
    n: usize,
    ends: [[u32; 8]; 2],
    rest: [f32; 8],
    compliance: [f32; 8],
    multiplier: [f32; 8],
}

impl Links {
    /// Returns the links of `n_particles` particles. `first` is the index of the first one in the
    /// arrays of all particles.
    ///
    /// # Errors
    /// Names the first link with ends that do not exist or are one particle, or with a number that
    /// is negative or not finite.
    pub fn new(first: usize, n_particles: usize, links: &[Link]) -> Result<Links, ConstraintError> {
        check_elements(n_particles, links.iter().map(|link| link.ends))?;
        let is_bad = |x: f32| !(0.0 <= x && x < f32::INFINITY);
        if let Some(link) = links.iter().position(|link| is_bad(link.rest) || is_bad(link.compliance)) {
            return Err(ConstraintError::BadLink { link });
        }
        Ok(Links::of(first..first + n_particles, links))
    }

    /// Returns links that were checked before.
    pub(super) fn of(particles: Range<usize>, links: &[Link]) -> Links {
        let mut batches = Coloured::empty();
        for of_colour in colour(particles.len(), links.len(), |link| links[link].ends) {
            for some in of_colour.chunks(8) {
                batches.push(LinkBatch::new(links, some));
            }
            batches.end_colour();
        }
        Links { particles, batches, damping: 0.0 }
    }

    /// Returns the links with damping: the rate per second at which the two ends lose their
    /// relative speed along the link.
    ///
    /// # Errors
    /// If the rate is negative or NaN.
    pub fn with_damping(self, damping: f32) -> Result<Links, ConstraintError> {
        check_setting("damping", damping, true)?;
        Ok(Links { damping, ..self })
    }

    /// Returns the tension of each link at the end of a substep, with the link's particles, in the
    /// order of the colours. A positive force pulls. `dt` is the time of the substep in seconds.
    pub fn tensions(&self, dt: f32) -> impl Iterator<Item = ([u32; 2], f32)> {
        self.batches.iter().flat_map(move |batch| {
            let ends = |i: usize| batch.ends.map(|of_lanes| of_lanes[i]);
            (0..batch.n).map(move |i| (ends(i), -batch.multiplier[i] / (dt * dt)))
        })
    }
}

impl ParticleBody for Links {
    fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    fn move_to(&mut self, first: usize) {
        self.particles = first..first + self.particles.len();
    }

    fn begin_step(&mut self) {
        self.batches.iter_mut().for_each(|batch| batch.multiplier = [0.0; 8]);
    }

    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles, &[positions.len(), inverse_masses.len()], dt)?;
        let particles = self.particles.clone();
        self.batches.solve(&mut positions[particles.clone()], &inverse_masses[particles], dt);
        Ok(())
    }

    fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles, &[positions.len(), velocities.len(), inverse_masses.len()], dt)?;
        let part = damped_part(self.damping, dt);
        if part == 0.0 {
            return Ok(());
        }
        let first = self.particles.start;
        for batch in self.batches.iter() {
            for i in 0..batch.n {
                let ends = batch.ends.map(|ends| first + ends[i] as usize);
                damp_link(ends, positions, velocities, inverse_masses, part);
            }
        }
        Ok(())
    }
}

/// Takes a part of the speed at which two particles move apart. Momentum is kept.
pub(super) fn damp_link(
    [a, b]: [usize; 2],
    positions: &[Vec3],
    velocities: &mut [Vec3],
    inverse_masses: &[f32],
    part: f32,
) {
    let masses = inverse_masses[a] + inverse_masses[b];
    let offset = positions[a] - positions[b];
    let length_sq = offset.length_squared();
    // Both ends are pinned, the ends coincide, or numbers are out of range.
    let is_good = 0.0 < masses && masses <= f32::MAX && LEAST_LENGTH_SQ <= length_sq;
    if !(is_good && length_sq <= f32::MAX) {
        return;
    }
    let speed = (velocities[a] - velocities[b]).dot(offset) / length_sq;
    let impulse = offset * (part * speed / masses);
    if impulse.is_finite() {
        velocities[a] -= impulse * inverse_masses[a];
        velocities[b] += impulse * inverse_masses[b];
    }
}

impl LinkBatch {
    /// Returns a batch of up to eight links.
    fn new(links: &[Link], some: &[u32]) -> LinkBatch {
        // The lanes after the last link repeat the first one, and are not written.
        let at = |i: usize| links[some[if i < some.len() { i } else { 0 }] as usize];
        LinkBatch {
            n: some.len(),
            ends: [0, 1].map(|end| core::array::from_fn(|i| at(i).ends[end])),
            rest: core::array::from_fn(|i| at(i).rest),
            compliance: core::array::from_fn(|i| at(i).compliance),
            multiplier: [0.0; 8],
        }
    }
}

impl Solve for LinkBatch {
    fn solve<P: Points + ?Sized>(
        batches: &mut [LinkBatch],
        points: &P,
        inverse_masses: &[f32],
        per_time_sq: f32,
    ) {
        dispatch(SolveLinks { batches, points, inverse_masses, per_time_sq });
    }
}

/// A pass over batches of one colour.
struct SolveLinks<'a, P: ?Sized> {
    batches: &'a mut [LinkBatch],
    points: &'a P,
    inverse_masses: &'a [f32],
    per_time_sq: f32,
}

impl<P: Points + ?Sized> Kernel for SolveLinks<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let SolveLinks { batches, points, inverse_masses, per_time_sq } = self;
        for batch in batches {
            solve_batch(simd, batch, points, inverse_masses, per_time_sq);
        }
    }
}

#[inline(always)]
fn solve_batch<S: Simd, P: Points + ?Sized>(
    simd: S,
    batch: &mut LinkBatch,
    points: &P,
    inverse_masses: &[f32],
    per_time_sq: f32,
) {
    let splat = S::F32x8::splat;
    let (mut offset, mut masses) = ([[0.0; 8]; 3], [[0.0; 8]; 2]);
    let mut i = 0;
    while i < 8 {
        let (a, b) = (batch.ends[0][i], batch.ends[1][i]);
        let along = points.get(a) - points.get(b);
        (offset[0][i], offset[1][i], offset[2][i]) = (along.x, along.y, along.z);
        (masses[0][i], masses[1][i]) = (inverse_masses[a as usize], inverse_masses[b as usize]);
        i += 1;
    }
    let load = |numbers: &[f32; 8]| S::F32x8::load(simd, numbers);
    let [mut x, mut y, mut z] = [load(&offset[0]), load(&offset[1]), load(&offset[2])];
    let [mass_a, mass_b] = [load(&masses[0]), load(&masses[1])];
    let length_sq = x * x + y * y + z * z;
    let (zero, most) = (splat(simd, 0.0), splat(simd, f32::MAX));
    let mut length = length_sq.sqrt();
    let inverse = splat(simd, 1.0) / length;
    (x, y, z) = (x * inverse, y * inverse, z * inverse);
    let is_coincident = length_sq.lt(splat(simd, LEAST_LENGTH_SQ));
    if is_coincident.any() {
        // They separate in a direction that follows from their indices.
        let mut unit = [x.to_array(), y.to_array(), z.to_array()];
        let bits = is_coincident.bits();
        let mut i = 0;
        while i < 8 {
            if bits >> i & 1 == 1 {
                let direction = parting(batch.ends[0][i], batch.ends[1][i]);
                (unit[0][i], unit[1][i], unit[2][i]) = (direction.x, direction.y, direction.z);
            }
            i += 1;
        }
        (x, y, z) = (load(&unit[0]), load(&unit[1]), load(&unit[2]));
        length = S::F32x8::select(is_coincident, zero, length);
    }
    let multiplier = load(&batch.multiplier);
    let softness = (load(&batch.compliance) * splat(simd, per_time_sq)).min(most);
    let masses = mass_a + mass_b;
    let give = masses + softness;
    let step = -(length - load(&batch.rest) + softness * multiplier) / give;
    // Excludes two pinned ends, and numbers that are out of range.
    let is_good = zero.lt(masses) & masses.le(most) & step.abs().le(most) & length_sq.le(most);
    let step = S::F32x8::select(is_good, step, zero);
    (multiplier + step).store(&mut batch.multiplier);
    // Lanes that are not good may hold anything.
    let moves = |mass: S::F32x8, along: S::F32x8| S::F32x8::select(is_good, along * step * mass, zero);
    let push_a = [moves(mass_a, x), moves(mass_a, y), moves(mass_a, z)];
    let push_b = [moves(mass_b, x), moves(mass_b, y), moves(mass_b, z)];
    let push_a = [push_a[0].to_array(), push_a[1].to_array(), push_a[2].to_array()];
    let push_b = [push_b[0].to_array(), push_b[1].to_array(), push_b[2].to_array()];
    let mut i = 0;
    while i < batch.n {
        let (a, b) = (batch.ends[0][i], batch.ends[1][i]);
        points.set(a, points.get(a) + Vec3::new(push_a[0][i], push_a[1][i], push_a[2][i]));
        points.set(b, points.get(b) - Vec3::new(push_b[0][i], push_b[1][i], push_b[2][i]));
        i += 1;
    }
}
