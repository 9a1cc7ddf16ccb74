//! A step of ropes, cloth and other bodies of particles, in small substeps, without a particle
//! solver.
//!
//! Each substep predicts positions, projects the constraints of the bodies, and lets the caller
//! resolve collisions. A velocity then changes by the correction of the predicted position,
//! divided by the time of the substep.
//!
//! Reference: M. Macklin et al., Small Steps in Physics Simulation, 2019, algorithm 1. Differs:
//! velocities are not computed from displacements, because they would have the rounding of
//! positions.

use super::{ConstraintError, ParticleBody, check_setting, check_step};
use alloc::vec::Vec;
use glam::Vec3;

/// Positions at the start of a substep, and predicted positions; reused memory.
#[derive(Clone, Debug, Default)]
pub struct StepMemory {
    before: Vec<Vec3>,
    predicted: Vec<Vec3>,
}

/// The division of a step, and the forces on all particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SmallSteps {
    /// The number of substeps in a step, at least 1. Each takes about as long as a step of one
    /// substep. Default: 8.
    pub substeps: u32,
    /// The number of passes over the bodies in a substep, at least 1. More substeps are better
    /// than more passes. Default: 1.
    pub iterations: u32,
    /// The acceleration of all particles, in lengths per second squared. Default: (0, -9.81, 0).
    pub gravity: Vec3,
    /// The damping rate of velocities, per second; not negative. Default: 0.
    pub drag: f32,
}

impl Default for SmallSteps {
    fn default() -> SmallSteps {
        SmallSteps { substeps: 8, iterations: 1, gravity: Vec3::new(0.0, -9.81, 0.0), drag: 0.0 }
    }
}

impl SmallSteps {
    /// Returns these settings with another number of substeps in a step.
    #[must_use]
    pub fn with_substeps(self, substeps: u32) -> SmallSteps {
        SmallSteps { substeps, ..self }
    }

    /// Returns these settings with another number of passes in a substep.
    #[must_use]
    pub fn with_iterations(self, iterations: u32) -> SmallSteps {
        SmallSteps { iterations, ..self }
    }

    /// Returns these settings with another gravity.
    #[must_use]
    pub fn with_gravity(self, gravity: Vec3) -> SmallSteps {
        SmallSteps { gravity, ..self }
    }

    /// Returns these settings with another drag.
    #[must_use]
    pub fn with_drag(self, drag: f32) -> SmallSteps {
        SmallSteps { drag, ..self }
    }

    /// Moves all particles for `dt` seconds. `collide` is called after each pass with the positions
    /// before the substep and the present ones, which it may change.
    ///
    /// # Errors
    /// If the arrays have different lengths or are too short for a body, if the time step is not
    /// positive, or if a setting is out of range. [`ConstraintError::BadParticle`] names the first
    /// position or velocity that is not finite, or inverse mass that is not from 0 and finite.
    /// Nothing has moved then.
    pub fn advance(
        &self,
        positions: &mut [Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
        bodies: &mut [&mut dyn ParticleBody],
        memory: &mut StepMemory,
        mut collide: impl FnMut(&[Vec3], &mut [Vec3]),
    ) -> Result<(), ConstraintError> {
        let n = positions.len();
        let end = bodies.iter().fold(n, |end, body| end.max(body.particles().end));
        let h = dt / self.substeps.max(1) as f32;
        check_step(&(0..end), &[n, velocities.len(), inverse_masses.len()], h)?;
        check_setting("drag", self.drag, false)?;
        if !self.gravity.is_finite() {
            return Err(ConstraintError::BadSetting { name: "gravity", value: self.gravity.length() });
        }
        let is_good = |((position, velocity), w): ((&Vec3, &Vec3), &f32)| {
            position.is_finite() && velocity.is_finite() && (0.0..f32::INFINITY).contains(w)
        };
        let mut all = positions.iter().zip(&*velocities).zip(inverse_masses);
        if let Some(particle) = all.position(|each| !is_good(each)) {
            return Err(ConstraintError::BadParticle { particle });
        }
        for (name, value) in [("substeps", self.substeps), ("iterations", self.iterations)] {
            if value == 0 {
                return Err(ConstraintError::BadSetting { name, value: 0.0 });
            }
        }
        let kept = 1.0 / (1.0 + self.drag * h);
        let StepMemory { before, predicted } = memory;
        for _ in 0..self.substeps {
            before.clear();
            before.extend_from_slice(positions);
            for ((position, velocity), &inverse_mass) in
                positions.iter_mut().zip(velocities.iter_mut()).zip(inverse_masses)
            {
                if inverse_mass == 0.0 {
                    *velocity = Vec3::ZERO;
                } else {
                    *velocity = (*velocity + self.gravity * h) * kept;
                    *position += *velocity * h;
                }
            }
            predicted.clear();
            predicted.extend_from_slice(positions);
            bodies.iter_mut().for_each(|body| body.begin_step());
            for _ in 0..self.iterations {
                for body in bodies.iter_mut() {
                    body.project(positions, inverse_masses, h)?;
                }
                collide(before, positions);
            }
            let moved = positions.iter().zip(&*predicted);
            for (velocity, (position, predicted)) in velocities.iter_mut().zip(moved) {
                *velocity += (*position - *predicted) / h;
            }
            for body in bodies.iter() {
                body.damp(positions, velocities, inverse_masses, h)?;
            }
        }
        Ok(())
    }
}
