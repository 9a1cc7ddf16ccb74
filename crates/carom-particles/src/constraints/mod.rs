//! Bodies of connected particles: ropes, cloth, soft and rigid bodies, inflatables.

mod bends;
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

use core::ops::Range;
use glam::Vec3;

/// The largest coordinate of a rest position: 2^40. Volumes and their squares then fit in `f64`,
/// and lengths squared in `f32`.
pub const MAX_REST: f32 = f32::from_bits((127 + 40) << 23);

/// The most particles or elements of a body.
const MAX_COUNT: usize = 1 << 31;

/// A body of connected particles, which are neighbours in an array that it may share with others.
///
/// In each substep of `dt` seconds: predict positions by velocities and forces, call
/// [`begin_step`](ParticleBody::begin_step), then [`project`](ParticleBody::project) once or more
/// often, with contacts in between. Then change velocities by the corrections over `dt`. Many small
/// substeps with one projection each beat few with many projections. But positions are `f32`: a
/// correction below the rounding of a position is lost, so substeps should be longer than about
/// 1/2000 of a second.
///
/// Reference: M. Macklin, M. Mueller, N. Chentanez, XPBD: Position-Based Simulation of Compliant
/// Constrained Dynamics, 2016; M. Macklin et al., Small Steps in Physics Simulation, 2019.
pub trait ParticleBody {
    /// The particles of the body, in the arrays of all particles.
    fn particles(&self) -> Range<usize>;

    /// Gives the first particle another place in the arrays of all particles; the others follow it.
    fn move_to(&mut self, first: usize);

    /// Begins a substep: no constraint has pulled yet.
    fn begin_step(&mut self);

    /// Moves the particles of the body toward what its constraints want, in one pass.
    /// `positions` and `inverse_masses` are those of all particles; 0 is the inverse mass of a
    /// pinned particle. `dt` is the time of the substep in seconds.
    ///
    /// # Errors
    /// If there are fewer positions or inverse masses than particles, or if `dt` is not positive.
    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError>;

    /// Damps the velocities with which the body changes its shape. Momentum is kept.
    ///
    /// # Errors
    /// As [`ParticleBody::project`].
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

/// Checks what a step takes: the numbers of positions and the like, and the time.
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

/// Checks that elements have different particles, all of which exist.
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

/// Checks a setting from 0 on; `may_be_infinite` lets infinity in.
fn check_setting(name: &'static str, value: f32, may_be_infinite: bool) -> Result<(), ConstraintError> {
    if 0.0 <= value && (value < f32::INFINITY || may_be_infinite) {
        return Ok(());
    }
    Err(ConstraintError::BadSetting { name, value })
}

/// The part of a velocity that damping at this rate takes in `dt` seconds, without a step that
/// would be too long for it.
fn damped_part(rate: f32, dt: f32) -> f32 {
    let product = rate * dt;
    if product < f32::MAX { product / (1.0 + product) } else { 1.0 }
}
