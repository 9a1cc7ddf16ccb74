//! Soft bodies of tetrahedra: an elastic material with any rotation.
//!
//! - The deformation gradient F maps the edges at rest to the present ones, and R is the rotation
//!   nearest to it. Each tetrahedron has two constraints: F = R, and det F = 1.
//! - Their compliances follow from Young's modulus, Poisson's ratio and the volume. With a ratio of
//!   1/2 the second constraint is hard, and the body keeps its volume.
//! - The first is a spring of length 0 between matrices, and its multiplier is a matrix. Only its
//!   part along F - R acts, which causes no rotation.
//! - From pass to pass, a few steps of an iteration update R from F.
//!
//! Degenerate: flat, collapsed and inverted tetrahedra also have a rotation, the nearest one or
//! the last one. They return to their shape at rest, turned by it. A correction is at most half of
//! the size at rest, because the gradient of the volume vanishes on a line.
//!
//! Reference: A. Stomakhin et al., Energetically Consistent Invertible Elasticity, 2012, section 3
//! (the fixed corotated energy); M. Macklin, M. Mueller, A Constraint-based Formulation of Stable
//! Neo-Hookean Materials, 2021 (the determinant as a constraint); M. Mueller et al., A Robust
//! Method to Extract the Rotational Part of Deformations, 2016. Differs: the rotation is
//! subtracted from F, so no constraint pulls at rest.
//!
//! Tried: the norm of F as the first constraint, as in the neo-Hookean material. Its shear is
//! explicit in time: a column of E = 2e5 collapsed at substeps of 1/240 s.

use super::colouring::{Coloured, Solve, colour};
use super::links::{Link, Links};
use super::{ConstraintError, ParticleBody, Points, check_elements, check_rest, check_setting, check_step};
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::rotation;
use carom_math::tol::TETRAHEDRON_FLAT;
use core::ops::Range;
use glam::{DMat3, Mat3, Quat, Vec3};

/// The maximum number of iterations for a rotation in a pass.
const MAX_TURNS: u32 = 8;

/// rounding: a rotation by less than this, squared, does not change a rotation in `f32`.
const LEAST_TURN_SQ: f32 = f32::EPSILON * f32::EPSILON;

/// The material of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoftBodySettings {
    /// Young's modulus, a force over an area, above 0 and finite. Default: 1e5.
    pub youngs_modulus: f32,
    /// Poisson's ratio, from 0 to 1/2; a body with 1/2 keeps its volume. Default: 0.45.
    pub poisson_ratio: f32,
    /// The damping rate of length changes of the edges, per second; not negative. Default: 0.
    pub damping: f32,
}

impl Default for SoftBodySettings {
    /// Soft rubber, if lengths are metres and masses kilograms.
    fn default() -> SoftBodySettings {
        SoftBodySettings { youngs_modulus: 1e5, poisson_ratio: 0.45, damping: 0.0 }
    }
}

impl SoftBodySettings {
    /// Returns these settings with another Young's modulus, a force over an area.
    #[must_use]
    pub fn with_youngs_modulus(self, youngs_modulus: f32) -> SoftBodySettings {
        SoftBodySettings { youngs_modulus, ..self }
    }

    /// Returns these settings with another Poisson's ratio, from 0 to 1/2.
    #[must_use]
    pub fn with_poisson_ratio(self, poisson_ratio: f32) -> SoftBodySettings {
        SoftBodySettings { poisson_ratio, ..self }
    }

    /// Returns these settings with another rate of damping per second.
    #[must_use]
    pub fn with_damping(self, damping: f32) -> SoftBodySettings {
        SoftBodySettings { damping, ..self }
    }

    fn check(&self) -> Result<(), ConstraintError> {
        check_setting("damping", self.damping, true)?;
        if !(0.0 < self.youngs_modulus && self.youngs_modulus < f32::INFINITY) {
            let value = self.youngs_modulus;
            return Err(ConstraintError::BadSetting { name: "youngs_modulus", value });
        }
        if !(0.0 <= self.poisson_ratio && self.poisson_ratio <= 0.5) {
            let value = self.poisson_ratio;
            return Err(ConstraintError::BadSetting { name: "poisson_ratio", value });
        }
        Ok(())
    }
}

/// A body of tetrahedra.
#[derive(Clone, Debug)]
pub struct SoftBody {
    particles: Range<usize>,
    cells: Coloured<Cell>,
    /// The edges, which are used for damping alone.
    edges: Links,
}

/// A tetrahedron with its two constraints.
#[derive(Clone, Debug)]
struct Cell {
    corners: [u32; 4],
    /// The inverse of the matrix of edges at rest; the present edges times this give F.
    inverse_rest: Mat3,
    /// The longest edge.
    size: f32,
    /// The rotation nearest to F in the last pass.
    rotation: Quat,
    /// The compliances of F - R and of the determinant: one over an energy.
    compliance: [f32; 2],
    shape_multiplier: Mat3,
    volume_multiplier: f32,
}

impl SoftBody {
    /// Returns a body of tetrahedra, given by particle indices from 0, at these rest positions.
    /// `first` is the index of the first particle in the arrays of all particles. The corners of a
    /// tetrahedron may have any order.
    ///
    /// # Errors
    /// Names the first particle whose position is not finite, the first tetrahedron that is flat or
    /// has particles that do not exist or are repeated, or the setting that is out of range.
    pub fn new(
        first: usize,
        rest: &[Vec3],
        tetrahedra: &[[u32; 4]],
        settings: &SoftBodySettings,
    ) -> Result<SoftBody, ConstraintError> {
        check_rest(rest)?;
        check_elements(rest.len(), tetrahedra.iter().copied())?;
        settings.check()?;
        let mut all = Vec::with_capacity(tetrahedra.len());
        for (tetrahedron, corners) in tetrahedra.iter().enumerate() {
            let Some(cell) = Cell::new(*corners, rest, settings) else {
                return Err(ConstraintError::FlatTetrahedron { tetrahedron });
            };
            all.push(cell);
        }
        let mut cells = Coloured::empty();
        for of_colour in colour(rest.len(), all.len(), |cell| all[cell].corners) {
            of_colour.iter().for_each(|&cell| cells.push(all[cell as usize].clone()));
            cells.end_colour();
        }
        let particles = first..first + rest.len();
        let edges = if 0.0 < settings.damping { edges_of(tetrahedra) } else { Vec::new() };
        let edges = Links::of(particles.clone(), &edges).with_damping(settings.damping)?;
        Ok(SoftBody { particles, cells, edges })
    }
}

/// Returns the edges of tetrahedra, each once. Their rest lengths are not set.
fn edges_of(tetrahedra: &[[u32; 4]]) -> Vec<Link> {
    let sides = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let mut edges: Vec<[u32; 2]> = tetrahedra
        .iter()
        .flat_map(|corners| sides.map(|[i, j]| [corners[i].min(corners[j]), corners[i].max(corners[j])]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|ends| Link { ends, rest: 0.0, compliance: 0.0 }).collect()
}

impl Cell {
    /// `None` if the tetrahedron is flat.
    fn new(corners: [u32; 4], rest: &[Vec3], settings: &SoftBodySettings) -> Option<Cell> {
        let positions = corners.map(|corner| rest[corner as usize].as_dvec3());
        let [a, b, c, d] = positions;
        let volume_six = (b - a).cross(c - a).dot(d - a);
        let longest_sq = [b - a, c - a, d - a, c - b, d - b, d - c].iter().fold(0.0, |longest, edge| {
            if longest < edge.length_squared() { edge.length_squared() } else { longest }
        });
        let volume = volume_six.abs() / 6.0;
        if !(TETRAHEDRON_FLAT * longest_sq * sqrt(longest_sq) < volume) {
            return None;
        }
        let inverse = DMat3::from_cols(b - a, c - a, d - a).inverse().as_mat3();
        let young = f64::from(settings.youngs_modulus);
        let poisson = f64::from(settings.poisson_ratio);
        let shear = young / (2.0 * (1.0 + poisson));
        // Infinite for a ratio of 1/2.
        let bulk = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let compliance = [2.0 * shear, bulk].map(|modulus| ((1.0 / (modulus * volume)) as f32).min(f32::MAX));
        let size = sqrt(longest_sq) as f32;
        let is_good = inverse.is_finite() && 0.0 < size;
        is_good.then_some(Cell {
            corners,
            inverse_rest: inverse,
            size,
            rotation: Quat::IDENTITY,
            compliance,
            shape_multiplier: Mat3::ZERO,
            volume_multiplier: 0.0,
        })
    }

    /// Returns F for the present corners.
    #[inline(always)]
    fn deformation(&self, [a, b, c, d]: [Vec3; 4]) -> Mat3 {
        Mat3::from_cols(b - a, c - a, d - a) * self.inverse_rest
    }

    /// Updates the rotation toward the one nearest to F, and returns it.
    #[inline(always)]
    fn follow(&mut self, f: &Mat3) -> Mat3 {
        let mut r = Mat3::from_quat(self.rotation);
        for _ in 0..MAX_TURNS {
            let torque = r.x_axis.cross(f.x_axis) + r.y_axis.cross(f.y_axis) + r.z_axis.cross(f.z_axis);
            let along = r.x_axis.dot(f.x_axis) + r.y_axis.dot(f.y_axis) + r.z_axis.dot(f.z_axis);
            // Half of the rotation vector. It is clamped for inverted tetrahedra.
            let half = torque * (0.5 / (along.abs() + f32::MIN_POSITIVE));
            let half = half.clamp_length_max(1.0);
            let turned = rotation::mul(Quat::from_xyzw(half.x, half.y, half.z, 1.0), self.rotation);
            let length_sq = rotation::length_squared(turned);
            if !(LEAST_TURN_SQ < half.length_squared() && length_sq <= f32::MAX) {
                break;
            }
            self.rotation = rotation::normalize(turned);
            r = Mat3::from_quat(self.rotation);
        }
        r
    }

    /// Moves the corners along a constraint with error `value` and derivative `slope` by F.
    /// `pulled` is its multiplier so far. Returns the change of the multiplier.
    #[inline(always)]
    fn pull(
        &self,
        positions: &mut [Vec3; 4],
        masses: [f32; 4],
        value: f32,
        slope: &Mat3,
        pulled: f32,
        softness: f32,
    ) -> f32 {
        let by_edges = *slope * self.inverse_rest.transpose();
        let (b, c, d) = (by_edges.x_axis, by_edges.y_axis, by_edges.z_axis);
        let gradients = [-(b + c + d), b, c, d];
        let (mut give, mut longest_sq) = (0.0, 0.0_f32);
        for (gradient, mass) in gradients.iter().zip(masses) {
            let length_sq = gradient.length_squared();
            give += mass * length_sq;
            longest_sq = longest_sq.max(mass * mass * length_sq);
        }
        let step = -(value + softness * pulled) / (give + softness);
        // No corner moves farther than half of the size.
        let most = 0.5 * self.size / sqrt(longest_sq);
        let step = if step.abs() <= most { step } else { most.copysign(step) };
        let moved = [0, 1, 2, 3].map(|i| positions[i] + gradients[i] * (step * masses[i]));
        // All corners are pinned, there is no gradient, or numbers are out of range.
        if !(0.0 < give && step.is_finite() && moved.iter().all(|position| position.is_finite())) {
            return 0.0;
        }
        *positions = moved;
        step
    }

    /// Solves both constraints.
    #[inline(always)]
    fn solve(&mut self, positions: &mut [Vec3; 4], masses: [f32; 4], per_time_sq: f32) {
        let f = self.deformation(*positions);
        let off = f - self.follow(&f);
        let norm = sqrt(norm_sq(&off));
        let [shape, volume] = self.compliance.map(|compliance| (compliance * per_time_sq).min(f32::MAX));
        // rounding: below the rounding of F, the error has no direction.
        if f32::EPSILON * f32::EPSILON < norm {
            let slope = off * (1.0 / norm);
            let m = &self.shape_multiplier;
            let pulled = m.x_axis.dot(slope.x_axis) + m.y_axis.dot(slope.y_axis) + m.z_axis.dot(slope.z_axis);
            let step = self.pull(positions, masses, norm, &slope, pulled, shape);
            self.shape_multiplier += slope * step;
        }
        let f = self.deformation(*positions);
        let (x, y, z) = (f.x_axis, f.y_axis, f.z_axis);
        let cofactors = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let off = x.dot(cofactors.x_axis) - 1.0;
        self.volume_multiplier +=
            self.pull(positions, masses, off, &cofactors, self.volume_multiplier, volume);
    }
}

/// Returns the sum of the squares of the entries.
#[inline(always)]
fn norm_sq(m: &Mat3) -> f32 {
    m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()
}

impl Solve for Cell {
    fn solve<P: Points + ?Sized>(cells: &mut [Cell], points: &P, inverse_masses: &[f32], per_time_sq: f32) {
        for cell in cells {
            let masses = cell.corners.map(|corner| inverse_masses[corner as usize]);
            let mut positions = cell.corners.map(|corner| points.get(corner));
            Cell::solve(cell, &mut positions, masses, per_time_sq);
            for (corner, position) in cell.corners.into_iter().zip(positions) {
                points.set(corner, position);
            }
        }
    }
}

impl SoftBody {
    /// Returns the rotation of each tetrahedron after the last pass, in the order of solving. The
    /// next pass starts from it, so it belongs to the state of the body.
    pub fn rotations(&self) -> impl Iterator<Item = Quat> {
        self.cells.iter().map(|cell| cell.rotation)
    }

    /// Restores the rotations that [`SoftBody::rotations`] returned. A rotation that is not finite,
    /// or whose length is not 1 within 1 %, becomes the identity.
    ///
    /// # Errors
    /// If there is not one for each tetrahedron. Nothing changes then.
    pub fn set_rotations(&mut self, rotations: &[Quat]) -> Result<(), ConstraintError> {
        let (expected, given) = (self.cells.iter().count(), rotations.len());
        if expected != given {
            return Err(ConstraintError::WrongCount { expected, given });
        }
        for (cell, rotation) in self.cells.iter_mut().zip(rotations) {
            let is_rotation = (rotation::length_squared(*rotation) - 1.0).abs() < 0.02;
            cell.rotation = if is_rotation { *rotation } else { Quat::IDENTITY };
        }
        Ok(())
    }
}

impl ParticleBody for SoftBody {
    fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    fn move_to(&mut self, first: usize) {
        self.particles = first..first + self.particles.len();
        self.edges.move_to(first);
    }

    fn begin_step(&mut self) {
        for cell in self.cells.iter_mut() {
            (cell.shape_multiplier, cell.volume_multiplier) = (Mat3::ZERO, 0.0);
        }
    }

    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles, &[positions.len(), inverse_masses.len()], dt)?;
        let particles = self.particles.clone();
        self.cells.solve(&mut positions[particles.clone()], &inverse_masses[particles], dt);
        Ok(())
    }

    fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        self.edges.damp(positions, velocities, inverse_masses, dt)
    }
}
