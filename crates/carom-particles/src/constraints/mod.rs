//! Bodies of connected particles: ropes, cloth, soft and rigid bodies, inflatables.

mod bends;
mod chain;
mod cloth;
mod colouring;
mod edges;
mod error;
mod feature_contacts;
mod inflatable;
mod links;
#[cfg(feature = "parallel")]
mod par;
mod points;
mod rope;
mod rotation;
mod shape_matching;
mod small_steps;
mod soft_body;
mod tethers;

use points::Points;

pub use cloth::{Cloth, ClothSettings, Torn};
pub use error::ConstraintError;
pub use feature_contacts::{FeatureContacts, NearFeatures};
pub use inflatable::{Filling, Inflatable, InflatableSettings};
pub use links::{Link, Links};
pub use rope::{Rope, RopeSettings};
pub use shape_matching::ShapeMatching;
pub use small_steps::{SmallSteps, StepMemory};
pub use soft_body::{SoftBody, SoftBodySettings};
pub use tethers::TautParticle;

use core::ops::Range;
use glam::{Mat3, Vec3};

/// The largest coordinate of a rest position: 2^40. Volumes and their squares then fit in `f64`,
/// and lengths squared in `f32`.
pub const MAX_REST: f32 = f32::from_bits((127 + 40) << 23);

/// The maximum number of particles or elements of a body.
const MAX_COUNT: usize = 1 << 31;

/// A body of connected particles. They are consecutive in arrays that it may share with others.
///
/// In each substep of `dt` seconds, predict positions from velocities and forces, and call
/// [`begin_step`](ParticleBody::begin_step). Then call [`project`](ParticleBody::project) once or
/// more often, with contacts in between. Then add the corrections over `dt` to the velocities.
///
/// Many small substeps with one projection each are better than few with many projections. But
/// positions are `f32`, and a correction below the rounding of a position is lost. So substeps
/// should not be much shorter than a thousandth of a second.
///
/// Reference: M. Macklin, M. Mueller, N. Chentanez, XPBD: Position-Based Simulation of Compliant
/// Constrained Dynamics, 2016; M. Macklin et al., Small Steps in Physics Simulation, 2019.
pub trait ParticleBody {
    /// Returns the range of the body's particles in the arrays of all particles.
    fn particles(&self) -> Range<usize>;

    /// Moves the body's particles in the arrays of all particles: the first one to index `first`,
    /// the others after it.
    fn move_to(&mut self, first: usize);

    /// Begins a substep: clears the multipliers of all constraints.
    fn begin_step(&mut self);

    /// Projects the constraints once: moves the particles of the body to satisfy them. `positions`
    /// and `inverse_masses` are those of all particles; an inverse mass of 0 pins a particle. `dt`
    /// is the time of the substep in seconds.
    ///
    /// # Errors
    /// If there are fewer positions or inverse masses than particles, or if `dt` is not positive.
    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError>;

    /// Whether [`project_held`](ParticleBody::project_held) counts the masses of rigid bodies that
    /// hold particles. If not, these bodies must be made to follow afterwards.
    fn moves_holders(&self) -> bool {
        false
    }

    /// Does the same as [`project`](ParticleBody::project), with rigid bodies that hold some of the
    /// particles. Each particle must be where its body holds it.
    ///
    /// # Errors
    /// Those of [`ParticleBody::project`].
    ///
    /// # Panics
    /// If a held particle is none of the body's.
    fn project_held(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        _: &mut [HeldParticle],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        self.project(positions, inverse_masses, dt)
    }

    /// Returns the particles that the last projection kept from getting farther from pins. Pushes
    /// outward on them reach the pins.
    fn taut(&self) -> &[TautParticle] {
        &[]
    }

    /// Damps the velocities that change the shape of the body. Momentum is kept.
    ///
    /// # Errors
    /// Those of [`ParticleBody::project`].
    fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles(), &[positions.len(), velocities.len(), inverse_masses.len()], dt)
    }
}

/// A particle that moves as one with the point of a rigid body that holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldParticle {
    /// The index of the particle in the arrays of all particles.
    pub particle: usize,
    /// Maps a push on both to their displacement: the inverse of their mass together, in one over
    /// mass. It is symmetric.
    pub inverse_mass: Mat3,
    /// The sum of the pushes on both in this pass, in mass times length. Set by the projection.
    pub push: Vec3,
}

/// Checks the input of a step: the lengths of the arrays, and the time step.
fn check_step(particles: &Range<usize>, given: &[usize], dt: f32) -> Result<(), ConstraintError> {
    if let Some(&given) = given.iter().find(|&&given| given < particles.end) {
        return Err(ConstraintError::WrongCount { expected: particles.end, given });
    }
    if !(0.0 < dt && dt < f32::INFINITY) {
        return Err(ConstraintError::BadTimeStep { dt });
    }
    Ok(())
}

/// Checks rest positions.
fn check_rest(rest: &[Vec3]) -> Result<(), ConstraintError> {
    if MAX_COUNT < rest.len() {
        return Err(ConstraintError::TooMany);
    }
    // NaN is not below either.
    match rest.iter().position(|p| !(p.abs().max_element() <= MAX_REST && p.is_finite())) {
        Some(particle) => Err(ConstraintError::BadParticle { particle }),
        None => Ok(()),
    }
}

/// Checks that the particles of each element exist and differ.
fn check_elements<const N: usize>(
    n_particles: usize,
    elements: impl ExactSizeIterator<Item = [u32; N]>,
) -> Result<(), ConstraintError> {
    if MAX_COUNT < elements.len() {
        return Err(ConstraintError::TooMany);
    }
    for (element, particles) in elements.enumerate() {
        if particles.iter().any(|&particle| n_particles <= particle as usize) {
            return Err(ConstraintError::NoSuchParticle { element });
        }
        if (1..N).any(|i| particles[..i].contains(&particles[i])) {
            return Err(ConstraintError::RepeatedParticle { element });
        }
    }
    Ok(())
}

/// Checks that a setting is not negative; `may_be_infinite` allows infinity.
fn check_setting(name: &'static str, value: f32, may_be_infinite: bool) -> Result<(), ConstraintError> {
    if 0.0 <= value && (value < f32::INFINITY || may_be_infinite) {
        return Ok(());
    }
    Err(ConstraintError::BadSetting { name, value })
}

/// Returns the fraction of a velocity that damping at this rate removes in `dt` seconds. It is
/// below 1 for any time step, or 1 if the product overflows.
fn damped_part(rate: f32, dt: f32) -> f32 {
    let product = rate * dt;
    if product < f32::MAX { product / (1.0 + product) } else { 1.0 }
}
