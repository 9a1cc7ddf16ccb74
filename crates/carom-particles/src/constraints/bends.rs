//! Bending constraints: a weighted sum of the positions of three or four particles is a curvature
//! vector.
//!
//! - For two triangles with a common edge the weights are cotangents. The square of the sum is the
//!   bending energy of a surface that keeps its lengths. For three particles of a rope the sum is
//!   the difference of two tangents.
//! - The sum c is linear in the positions, so the constraint |c| = rest has a gradient unless c is
//!   zero. A correction along c causes no rotation, so angular momentum is conserved.
//! - For two triangles |c| gets the sign of the side to which they bend, so that a crease at rest
//!   does not flip. A rope has no sides.
//! - The multiplier is a vector. Only its component along the present c acts.
//!
//! Degenerate: triangles without area have no cotangents, so their edge bends freely. If c is
//! zero, the direction is that of the normal, or a fixed one that follows from the particle
//! indices.
//!
//! Reference: M. Bergou et al., A Quadratic Bending Model for Inextensible Surfaces, 2006,
//! section 3; H. S. Seung, D. R. Nelson, Defects in Flexible Membranes, 1988 (the plate that
//! hinges stand for); M. Macklin, M. Mueller, N. Chentanez, XPBD, 2016. Differs: a rest curvature,
//! as a length; one constraint per edge with compliance.

use super::colouring::{Coloured, Solve, colour};
use super::edges::Edge;
use super::{Points, damped_part};
use crate::parting::parting;
use alloc::vec::Vec;
use carom_lanes::{F32Lanes, Kernel, MaskLanes, Simd, dispatch};
use core::ops::Range;
use glam::{DVec3, Vec3};

/// A squared curvature below this counts as 0, because its last digits are lost: the least normal
/// `f32`.
const LEAST_SQ: f32 = f32::MIN_POSITIVE;

/// A constraint on the length of a weighted sum of particles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    /// A rope repeats its last particle, with the weight 0.
    pub(super) particles: [u32; 4],
    /// The weights sum to 0.
    weights: [f32; 4],
    /// The rest length of the sum; negative if it points against the normal.
    rest: f32,
    compliance: f32,
    /// 1 for triangles, which have a normal; 0 for ropes.
    has_sides: f32,
}

/// The bends of a body.
#[derive(Clone, Debug)]
pub(super) struct Bends {
    particles: Range<usize>,
    batches: Coloured<BendBatch>,
}

/// Up to eight bends that have no particle in common.
#[derive(Clone, Debug)]
struct BendBatch {
    n: usize,
    particles: [[u32; 8]; 4],
    weights: [[f32; 8]; 4],
    rest: [f32; 8],
    compliance: [f32; 8],
    has_sides: [f32; 8],
    multiplier: [[f32; 8]; 3],
}

impl Bend {
    /// Returns the bend of two triangles: the ends of their edge, then the opposite corner of each.
    /// `stiffness` is the flexural rigidity, a force times a length. `None` if a triangle has no
    /// area.
    ///
    /// The energy per squared curvature is a third of that in the paper. It is right for a surface
    /// that bends about one axis, and three times too small for a sphere.
    pub(super) fn hinge(particles: [u32; 4], rest: [DVec3; 4], stiffness: f64) -> Option<Bend> {
        let [a, b, c, d] = rest;
        let (edge, to_c, to_d, c_from_b, d_from_b) = (b - a, c - a, d - a, c - b, d - b);
        let area_twice = |u: DVec3, v: DVec3| carom_math::ops::sqrt(u.cross(v).length_squared());
        let cotangent = |u: DVec3, v: DVec3| u.dot(v) / area_twice(u, v);
        let (a_c, a_d) = (cotangent(edge, to_c), cotangent(edge, to_d));
        let (b_c, b_d) = (cotangent(-edge, c_from_b), cotangent(-edge, d_from_b));
        let weights = [b_c + b_d, a_c + a_d, -a_c - b_c, -a_d - b_d];
        let areas = 0.5 * (area_twice(edge, to_c) + area_twice(edge, to_d));
        Bend::new(particles, weights, rest, areas / stiffness)
    }

    /// Returns the bend of three particles of a rope. `stiffness` is the flexural rigidity, a force
    /// times an area. `None` if two coincide.
    pub(super) fn joint(particles: [u32; 3], rest: [DVec3; 3], stiffness: f64) -> Option<Bend> {
        let [p, q, r] = rest;
        let length = |v: DVec3| carom_math::ops::sqrt(v.length_squared());
        let (before, after) = (length(q - p), length(r - q));
        let weights = [1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after, 0.0];
        let [i, j, k] = particles;
        Bend::new([i, j, k, k], weights, [p, q, r, r], 0.5 * (before + after) / stiffness)
    }

    fn new(particles: [u32; 4], weights: [f64; 4], rest: [DVec3; 4], compliance: f64) -> Option<Bend> {
        let [_, b, c, d] = weights.map(|weight| weight as f32);
        // The rounded weights sum to 0 too.
        let weights = [-(b + c + d), b, c, d];
        let sum = (rest[1] - rest[0]) * f64::from(b)
            + (rest[2] - rest[0]) * f64::from(c)
            + (rest[3] - rest[0]) * f64::from(d);
        let length = carom_math::ops::sqrt(sum.length_squared());
        let has_sides = particles[2] != particles[3];
        let normal = (rest[1] - rest[0]).cross(rest[2] - rest[3]);
        let rest = if has_sides && sum.dot(normal) < 0.0 { -length } else { length } as f32;
        let (compliance, has_sides) = (compliance as f32, f32::from(u8::from(has_sides)));
        let is_good = weights.iter().all(|weight| weight.is_finite()) && rest.is_finite();
        (is_good && compliance.is_finite()).then_some(Bend {
            particles,
            weights,
            rest,
            compliance,
            has_sides,
        })
    }
}

impl Bends {
    pub(super) fn of(particles: Range<usize>, bends: &[Bend]) -> Bends {
        let mut batches = Coloured::empty();
        for of_colour in colour(particles.len(), bends.len(), |bend| bends[bend].particles) {
            for some in of_colour.chunks(8) {
                batches.push(BendBatch::new(bends, some));
            }
            batches.end_colour();
        }
        Bends { particles, batches }
    }

    pub(super) fn move_to(&mut self, first: usize) {
        self.particles = first..first + self.particles.len();
    }

    pub(super) fn begin_step(&mut self) {
        self.batches.iter_mut().for_each(|batch| batch.multiplier = [[0.0; 8]; 3]);
    }

    /// Makes one pass. The caller has checked the numbers of positions and masses.
    pub(super) fn project(&mut self, positions: &mut [Vec3], inverse_masses: &[f32], dt: f32) {
        let particles = self.particles.clone();
        self.batches.solve(&mut positions[particles.clone()], &inverse_masses[particles], dt);
    }

    /// Damps the speed along each curvature vector by a fraction that follows from the rate and the
    /// time.
    pub(super) fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        rate: f32,
        dt: f32,
    ) {
        let part = damped_part(rate, dt);
        if part == 0.0 {
            return;
        }
        let first = self.particles.start;
        for batch in self.batches.iter() {
            for i in 0..batch.n {
                let particles = batch.particles.map(|of_lanes| first + of_lanes[i] as usize);
                let weights = batch.weights.map(|of_lanes| of_lanes[i]);
                let sum = |all: &[Vec3]| {
                    let from = all[particles[0]];
                    let along = |k: usize| (all[particles[k]] - from) * weights[k];
                    along(1) + along(2) + along(3)
                };
                let direction = sum(positions).normalize_or_zero();
                let give: f32 = (0..4).map(|k| inverse_masses[particles[k]] * weights[k] * weights[k]).sum();
                let impulse = direction * (part * sum(velocities).dot(direction) / give);
                if give <= f32::MAX && impulse.is_finite() {
                    for k in 0..4 {
                        velocities[particles[k]] -= impulse * (inverse_masses[particles[k]] * weights[k]);
                    }
                }
            }
        }
    }
}

impl BendBatch {
    fn new(bends: &[Bend], some: &[u32]) -> BendBatch {
        // The lanes after the last bend repeat the first one, and are not written.
        let at = |i: usize| bends[some[if i < some.len() { i } else { 0 }] as usize];
        BendBatch {
            n: some.len(),
            particles: [0, 1, 2, 3].map(|k| core::array::from_fn(|i| at(i).particles[k])),
            weights: [0, 1, 2, 3].map(|k| core::array::from_fn(|i| at(i).weights[k])),
            rest: core::array::from_fn(|i| at(i).rest),
            compliance: core::array::from_fn(|i| at(i).compliance),
            has_sides: core::array::from_fn(|i| at(i).has_sides),
            multiplier: [[0.0; 8]; 3],
        }
    }
}

impl Solve for BendBatch {
    fn solve<P: Points + ?Sized>(
        batches: &mut [BendBatch],
        points: &P,
        inverse_masses: &[f32],
        per_time_sq: f32,
    ) {
        dispatch(SolveBends { batches, points, inverse_masses, per_time_sq });
    }
}

/// A pass over batches of one colour.
struct SolveBends<'a, P: ?Sized> {
    batches: &'a mut [BendBatch],
    points: &'a P,
    inverse_masses: &'a [f32],
    per_time_sq: f32,
}

impl<P: Points + ?Sized> Kernel for SolveBends<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let SolveBends { batches, points, inverse_masses, per_time_sq } = self;
        for batch in batches {
            solve_batch(simd, batch, points, inverse_masses, per_time_sq);
        }
    }
}

#[inline(always)]
fn solve_batch<S: Simd, P: Points + ?Sized>(
    simd: S,
    batch: &mut BendBatch,
    points: &P,
    inverse_masses: &[f32],
    per_time_sq: f32,
) {
    let splat = |number: f32| S::F32x8::splat(simd, number);
    let load = |numbers: &[f32; 8]| S::F32x8::load(simd, numbers);
    let (zero, most) = (splat(0.0), splat(f32::MAX));
    let mut starts = [[0.0; 8]; 3];
    let mut i = 0;
    while i < 8 {
        let from = points.get(batch.particles[0][i]);
        (starts[0][i], starts[1][i], starts[2][i]) = (from.x, from.y, from.z);
        i += 1;
    }
    let starts = [load(&starts[0]), load(&starts[1]), load(&starts[2])];
    // The curvature, from differences to the first particle: the sum of the weights is 0.
    let (mut sum, mut offsets) = ([zero; 3], [[zero; 3]; 4]);
    let (mut give, mut pulls) = (zero, [zero; 4]);
    let mut k = 0;
    while k < 4 {
        let (mut position, mut masses) = ([[0.0; 8]; 3], [0.0; 8]);
        let mut i = 0;
        while i < 8 {
            let particle = batch.particles[k][i];
            let p = points.get(particle);
            (position[0][i], position[1][i], position[2][i]) = (p.x, p.y, p.z);
            masses[i] = inverse_masses[particle as usize];
            i += 1;
        }
        let weight = load(&batch.weights[k]);
        let pull = load(&masses) * weight;
        give = give + pull * weight;
        pulls[k] = pull;
        if 0 < k {
            let mut axis = 0;
            while axis < 3 {
                offsets[k][axis] = load(&position[axis]) - starts[axis];
                sum[axis] = sum[axis] + offsets[k][axis] * weight;
                axis += 1;
            }
        }
        k += 1;
    }
    let length_sq = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    let mut length = length_sq.sqrt();
    let inverse = splat(1.0) / length;
    let mut unit = [sum[0] * inverse, sum[1] * inverse, sum[2] * inverse];
    // The normal of both triangles, as long as their areas.
    let edge = offsets[1];
    let apart = [offsets[2][0] - offsets[3][0], offsets[2][1] - offsets[3][1], offsets[2][2] - offsets[3][2]];
    let has_sides = load(&batch.has_sides);
    let normal = [
        (edge[1] * apart[2] - edge[2] * apart[1]) * has_sides,
        (edge[2] * apart[0] - edge[0] * apart[2]) * has_sides,
        (edge[0] * apart[1] - edge[1] * apart[0]) * has_sides,
    ];
    let is_straight = length_sq.lt(splat(LEAST_SQ));
    if is_straight.any() {
        let mut arrays = [unit[0].to_array(), unit[1].to_array(), unit[2].to_array()];
        let normals = [normal[0].to_array(), normal[1].to_array(), normal[2].to_array()];
        let bits = is_straight.bits();
        let mut i = 0;
        while i < 8 {
            if bits >> i & 1 == 1 {
                let of_ids = parting(batch.particles[0][i], batch.particles[2][i]);
                let direction = Vec3::new(normals[0][i], normals[1][i], normals[2][i]).normalize_or(of_ids);
                (arrays[0][i], arrays[1][i], arrays[2][i]) = (direction.x, direction.y, direction.z);
            }
            i += 1;
        }
        unit = [load(&arrays[0]), load(&arrays[1]), load(&arrays[2])];
        length = S::F32x8::select(is_straight, zero, length);
    }
    let side = normal[0] * unit[0] + normal[1] * unit[1] + normal[2] * unit[2];
    let is_away = side.lt(zero);
    length = S::F32x8::select(is_away, -length, length);
    let mut axis = 0;
    while axis < 3 {
        unit[axis] = S::F32x8::select(is_away, -unit[axis], unit[axis]);
        axis += 1;
    }
    let multiplier = [load(&batch.multiplier[0]), load(&batch.multiplier[1]), load(&batch.multiplier[2])];
    let pulled = multiplier[0] * unit[0] + multiplier[1] * unit[1] + multiplier[2] * unit[2];
    let softness = (load(&batch.compliance) * splat(per_time_sq)).min(most);
    let step = -(length - load(&batch.rest) + softness * pulled) / (give + softness);
    // All particles are pinned, or numbers are out of range.
    let is_good = zero.lt(give) & give.le(most) & step.abs().le(most) & length_sq.le(most);
    let mut push = [zero; 3];
    let mut axis = 0;
    while axis < 3 {
        push[axis] = S::F32x8::select(is_good, unit[axis] * step, zero);
        (multiplier[axis] + push[axis]).store(&mut batch.multiplier[axis]);
        axis += 1;
    }
    let mut k = 0;
    while k < 4 {
        let pull = S::F32x8::select(is_good, pulls[k], zero);
        let moves = [push[0] * pull, push[1] * pull, push[2] * pull];
        let moves = [moves[0].to_array(), moves[1].to_array(), moves[2].to_array()];
        let mut i = 0;
        while i < batch.n {
            let particle = batch.particles[k][i];
            let moved = points.get(particle) + Vec3::new(moves[0][i], moves[1][i], moves[2][i]);
            points.set(particle, moved);
            i += 1;
        }
        k += 1;
    }
}

/// Returns the bends of a mesh: one for each two consecutive triangles at an edge.
pub(super) fn hinges(rest: &[Vec3], triangles: &[[u32; 3]], edges: &[Edge], stiffness: f64) -> Vec<Bend> {
    let mut bends = Vec::new();
    for edge in edges {
        // At an edge with three or more triangles, each one and the next form a hinge.
        for pair in edge.triangles.windows(2) {
            let opposite = [pair[0], pair[1]].map(|triangle| {
                triangles[triangle as usize].into_iter().find(|corner| !edge.ends.contains(corner))
            });
            let ([a, b], [Some(c), Some(d)]) = (edge.ends, opposite) else { continue };
            // Two triangles on the same three particles do not bend.
            if c == d {
                continue;
            }
            let particles = [a, b, c, d];
            let rest = particles.map(|particle| rest[particle as usize].as_dvec3());
            bends.extend(Bend::hinge(particles, rest, stiffness));
        }
    }
    bends
}
