//! Shape matching: clusters of particles that return to their shape at rest, rotated and
//! translated.
//!
//! - Each cluster has an optimal rotation and a centre of mass, which give a goal position for
//!   each of its particles.
//! - One cluster with an infinite rate is a rigid body. Overlapping clusters make a soft body.
//! - A particle in n clusters has an n-th of its mass in each of them, and moves to the mean of its
//!   goals. So momentum and angular momentum are kept.
//! - The rate is that of springs to the goals. The displacements by the springs are summed over
//!   the substep, so stiffness depends neither on the number of passes nor on the time step.
//!
//! On several threads each cluster is one task, and the bits are the same.
//!
//! Degenerate: particles in a plane have one optimal rotation. On a line or at one point, the last
//! rotation decides the rest. A mirrored cluster is rotated, not mirrored back. Pinned particles
//! count as very heavy ones.
//!
//! Reference: M. Mueller, B. Heidelberger, M. Teschner, M. Gross, Meshless Deformations Based on
//! Shape Matching, 2005; A. Rivers, D. James, FastLSM: Fast Lattice Shape Matching for Robust
//! Real-Time Deformation, 2007 (overlapping clusters, masses divided). Differs: rotations by
//! quaternions; rates as in XPBD.

use super::rotation::nearest_rotation;
use super::{ConstraintError, ParticleBody, check_rest, check_setting, check_step};
use alloc::vec::Vec;
use carom_math::ops::{floor, sqrt};
use core::ops::Range;
use glam::{DMat3, DQuat, DVec3, Vec3};

/// The mass of a pinned particle, in masses of the heaviest free one.
const PINNED_MASS: f64 = 1e6;

/// A body that returns to its shape.
#[derive(Clone, Debug)]
pub struct ShapeMatching {
    first: usize,
    /// The rest positions.
    rest: Vec<DVec3>,
    /// The particles of all clusters, cluster after cluster.
    members: Vec<u32>,
    /// The end of each cluster in the members.
    ends: Vec<usize>,
    /// The members of each particle, as indices in `members`, and the end of each particle's range.
    of_particles: Vec<u32>,
    ends_of_particles: Vec<usize>,
    /// One over the rate squared: seconds squared.
    softness: f64,
    rotations: Vec<DQuat>,
    /// The displacement of each member by its cluster in the substep.
    moved: Vec<DVec3>,
    /// The goal of each member; reused memory.
    goals: Vec<DVec3>,
    /// An n-th of the mass of each particle; reused memory.
    masses: Vec<f64>,
}

impl ShapeMatching {
    /// Returns a rigid body: one cluster of all particles, at these rest positions. `first` is the
    /// index of the first particle in the arrays of all particles.
    ///
    /// # Errors
    /// Names the first particle whose position is not finite.
    pub fn rigid(first: usize, rest: &[Vec3]) -> Result<ShapeMatching, ConstraintError> {
        let all: Vec<u32> = (0..rest.len() as u32).collect();
        let clusters: &[&[u32]] = if all.is_empty() { &[] } else { &[&all] };
        ShapeMatching::new(first, rest, clusters, f32::INFINITY)
    }

    /// Returns a soft body of overlapping clusters. Each occupied cell of a grid with this side,
    /// with its 26 neighbours, is a cluster. `rate` is as in [`ShapeMatching::new`].
    ///
    /// # Errors
    /// Those of [`ShapeMatching::new`], and a side that is not positive and finite.
    pub fn soft(first: usize, rest: &[Vec3], side: f32, rate: f32) -> Result<ShapeMatching, ConstraintError> {
        check_rest(rest)?;
        if !(0.0 < side && side < f32::INFINITY) {
            return Err(ConstraintError::BadSetting { name: "side", value: side });
        }
        let cell = |p: &Vec3| {
            let cell = p.as_dvec3() / f64::from(side);
            // Particles beyond the range of cells are in the outermost cells.
            [cell.x, cell.y, cell.z].map(|x| floor(x).clamp(-1e18, 1e18) as i64)
        };
        let mut cells: Vec<([i64; 3], u32)> = rest.iter().map(cell).zip(0..).collect();
        cells.sort_unstable();
        let mut clusters: Vec<Vec<u32>> = Vec::new();
        for of_cell in cells.chunk_by(|a, b| a.0 == b.0) {
            let [x, y, z] = of_cell[0].0;
            let mut cluster = Vec::new();
            for i in 0..9 {
                // Three cells along z are consecutive.
                let row = [x - 1 + i / 3, y - 1 + i % 3];
                let start = cells.partition_point(|&(cell, _)| cell < [row[0], row[1], z - 1]);
                let end = cells.partition_point(|&(cell, _)| cell <= [row[0], row[1], z + 1]);
                cluster.extend(cells[start..end].iter().map(|&(_, particle)| particle));
            }
            cluster.sort_unstable();
            clusters.push(cluster);
        }
        let clusters: Vec<&[u32]> = clusters.iter().map(Vec::as_slice).collect();
        ShapeMatching::new(first, rest, &clusters, rate)
    }

    /// Returns a body of clusters, given by particle indices from 0. `first` is the index of the
    /// first particle in the arrays of all particles. `rate` is the angular frequency of the
    /// springs to the goals, in radians per second; infinite for rigid clusters.
    ///
    /// # Errors
    /// Names the first particle whose position is not finite, the first cluster that is empty, or
    /// has a particle that does not exist or is repeated. The rate must not be negative.
    pub fn new(
        first: usize,
        rest: &[Vec3],
        clusters: &[&[u32]],
        rate: f32,
    ) -> Result<ShapeMatching, ConstraintError> {
        check_rest(rest)?;
        check_setting("rate", rate, true)?;
        let n = rest.len();
        let mut last_seen = alloc::vec![usize::MAX; n];
        let (mut members, mut ends) = (Vec::new(), Vec::new());
        for (element, cluster) in clusters.iter().enumerate() {
            if cluster.is_empty() {
                return Err(ConstraintError::EmptyCluster { cluster: element });
            }
            for &particle in *cluster {
                let Some(seen) = last_seen.get_mut(particle as usize) else {
                    return Err(ConstraintError::NoSuchParticle { element });
                };
                if *seen == element {
                    return Err(ConstraintError::RepeatedParticle { element });
                }
                *seen = element;
            }
            members.extend_from_slice(cluster);
            ends.push(members.len());
        }
        let mut of_particles: Vec<(u32, u32)> = members.iter().copied().zip(0..).collect();
        of_particles.sort_unstable();
        let ends_of_particles = (0..n as u32)
            .map(|particle| of_particles.partition_point(|&(other, _)| other <= particle))
            .collect();
        let softness = 1.0 / (f64::from(rate) * f64::from(rate));
        Ok(ShapeMatching {
            first,
            rest: rest.iter().map(|p| p.as_dvec3()).collect(),
            rotations: alloc::vec![DQuat::IDENTITY; ends.len()],
            moved: alloc::vec![DVec3::ZERO; members.len()],
            goals: alloc::vec![DVec3::ZERO; members.len()],
            masses: alloc::vec![0.0; n],
            of_particles: of_particles.into_iter().map(|(_, member)| member).collect(),
            ends_of_particles,
            softness: softness.min(f64::MAX),
            members,
            ends,
        })
    }

    /// Returns the number of clusters.
    pub fn n_clusters(&self) -> usize {
        self.ends.len()
    }

    /// Returns the rotation of a cluster from its shape at rest, in the last pass. `None` if there
    /// is no such cluster.
    pub fn rotation(&self, cluster: usize) -> Option<DQuat> {
        self.rotations.get(cluster).copied()
    }

    /// Sets the mass of each particle over the number of its clusters.
    fn divide_masses(&mut self, inverse_masses: &[f32]) {
        let heaviest = inverse_masses.iter().filter(|&&w| 0.0 < w).fold(0.0, |heaviest, &w| {
            let mass = 1.0 / f64::from(w);
            if heaviest < mass { mass } else { heaviest }
        });
        let pinned = if 0.0 < heaviest { PINNED_MASS * heaviest } else { 1.0 };
        let mut start = 0;
        for ((mass, &end), &w) in self.masses.iter_mut().zip(&self.ends_of_particles).zip(inverse_masses) {
            let whole = if 0.0 < w { 1.0 / f64::from(w) } else { pinned };
            *mass = whole / (end - start).max(1) as f64;
            start = end;
        }
    }

    /// Sets the goals of all members and the rotations of the clusters.
    fn set_goals(&mut self, positions: &[Vec3]) {
        let ShapeMatching { rest, members, ends, rotations, goals, masses, .. } = self;
        #[cfg(feature = "parallel")]
        if super::par::pays_to_share(members.len()) && 1 < ends.len() {
            return super::par::for_clusters(ends, rotations, goals, |range, rotation, goals| {
                *rotation = match_cluster(&members[range], positions, rest, masses, *rotation, goals);
            });
        }
        let mut start = 0;
        for (&end, rotation) in ends.iter().zip(rotations) {
            let particles = &members[start..end];
            *rotation = match_cluster(particles, positions, rest, masses, *rotation, &mut goals[start..end]);
            start = end;
        }
    }
}

/// Writes the goals of a cluster, and returns its rotation.
fn match_cluster(
    particles: &[u32],
    positions: &[Vec3],
    rest: &[DVec3],
    masses: &[f64],
    last: DQuat,
    goals: &mut [DVec3],
) -> DQuat {
    let (mut mass, mut centre, mut rest_centre) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for &particle in particles {
        let i = particle as usize;
        mass += masses[i];
        centre += positions[i].as_dvec3() * masses[i];
        rest_centre += rest[i] * masses[i];
    }
    (centre, rest_centre) = (centre / mass, rest_centre / mass);
    let (mut moments, mut size) = (DMat3::ZERO, 0.0);
    for &particle in particles {
        let i = particle as usize;
        let (p, r) = (positions[i].as_dvec3() - centre, rest[i] - rest_centre);
        let weighted = p * masses[i];
        moments += DMat3::from_cols(weighted * r.x, weighted * r.y, weighted * r.z);
        // At least the size of the shape at rest, so that a collapsed cluster keeps its rotation.
        let (far, rest_far) = (p.length_squared(), r.length_squared());
        size += masses[i] * (sqrt(rest_far) * sqrt(if far < rest_far { rest_far } else { far }));
    }
    let rotation = nearest_rotation(&moments, size, last);
    for (goal, &particle) in goals.iter_mut().zip(particles) {
        *goal = centre + rotation * (rest[particle as usize] - rest_centre);
    }
    rotation
}

impl ParticleBody for ShapeMatching {
    fn particles(&self) -> Range<usize> {
        self.first..self.first + self.rest.len()
    }

    fn move_to(&mut self, first: usize) {
        self.first = first;
    }

    fn begin_step(&mut self) {
        self.moved.fill(DVec3::ZERO);
    }

    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        let particles = self.particles();
        check_step(&particles, &[positions.len(), inverse_masses.len()], dt)?;
        let positions = &mut positions[particles.clone()];
        let inverse_masses = &inverse_masses[particles];
        self.divide_masses(inverse_masses);
        self.set_goals(positions);
        let softness = (self.softness / (f64::from(dt) * f64::from(dt))).min(f64::MAX);
        let mut start = 0;
        for (i, &end) in self.ends_of_particles.iter().enumerate() {
            let members = &self.of_particles[start..end];
            start = end;
            if inverse_masses[i] == 0.0 || members.is_empty() {
                continue;
            }
            let position = positions[i].as_dvec3();
            let mut sum = DVec3::ZERO;
            for &member in members {
                let member = member as usize;
                let offset = self.goals[member] - position - self.moved[member] * softness;
                let step = offset / (1.0 + softness);
                self.moved[member] += step;
                sum += step;
            }
            let moved = (position + sum / members.len() as f64).as_vec3();
            // A position that would be out of range does not move.
            if moved.is_finite() {
                positions[i] = moved;
            }
        }
        Ok(())
    }
}
