//! A bounce of a particle: restitution along the normal, and friction in the plane of the surface.
//!
//! Reference: E. Guendelman, R. Bridson, R. Fedkiw, Nonconvex Rigid Bodies with Stacking, 2003,
//! section 5 (friction from the change of the speed along the normal).

use crate::ParticleError;
use alloc::vec::Vec;
use glam::Vec3;

/// The most samples along the path of a step.
const MAX_SAMPLES: u32 = 64;

/// Settings for bounces, and the thickness of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bounce {
    /// The part of the speed along the normal that is kept, from 0 to 1. Default: 0.4.
    pub restitution: f32,
    /// Coefficient of friction, at least 0: a bounce reduces the tangential speed by this
    /// coefficient times the change of the normal speed. Default: 0.2.
    pub friction: f32,
    /// The thickness of the surfaces that the camera sees, a length greater than 0. A particle
    /// farther behind a surface is hidden, and moves freely. A surface is at least as thick as the
    /// depth that a particle covers between two samples. Default: 0.25.
    pub thickness: f32,
    /// The number of comparisons of a particle with the depth buffer along its path, from 1 to 64.
    /// More samples find thin objects that a fast particle crosses. Default: 1.
    pub samples: u32,
}

impl Default for Bounce {
    fn default() -> Bounce {
        Bounce { restitution: 0.4, friction: 0.2, thickness: 0.25, samples: 1 }
    }
}

impl Bounce {
    /// Returns these settings with another restitution, from 0 to 1.
    #[must_use]
    pub fn with_restitution(self, restitution: f32) -> Bounce {
        Bounce { restitution, ..self }
    }

    /// Returns these settings with another coefficient of friction, at least 0.
    #[must_use]
    pub fn with_friction(self, friction: f32) -> Bounce {
        Bounce { friction, ..self }
    }

    /// Returns these settings with another thickness of surfaces, in units of length, greater than
    /// 0.
    #[must_use]
    pub fn with_thickness(self, thickness: f32) -> Bounce {
        Bounce { thickness, ..self }
    }

    /// Returns these settings with another number of samples along the path, from 1 to 64.
    #[must_use]
    pub fn with_samples(self, samples: u32) -> Bounce {
        Bounce { samples, ..self }
    }

    pub(crate) fn check(&self) -> Result<(), ParticleError> {
        let bad = |name, value| Err(ParticleError::BadSetting { name, value });
        if !(0.0 <= self.restitution && self.restitution <= 1.0) {
            return bad("restitution", self.restitution);
        }
        if !(0.0 <= self.friction && self.friction < f32::INFINITY) {
            return bad("friction", self.friction);
        }
        if !(0.0 < self.thickness && self.thickness < f32::INFINITY) {
            return bad("thickness", self.thickness);
        }
        if !(1 <= self.samples && self.samples <= MAX_SAMPLES) {
            return bad("samples", self.samples as f32);
        }
        Ok(())
    }

    /// The velocity after a bounce off a surface with this normal, a unit vector toward which the
    /// velocity does not go.
    pub(crate) fn reflect(&self, velocity: Vec3, normal: Vec3) -> Vec3 {
        let inward = velocity.dot(normal);
        let along = velocity - normal * inward;
        let lost = self.friction * (1.0 + self.restitution) * -inward;
        let speed = along.length();
        let kept = if lost < speed { 1.0 - lost / speed } else { 0.0 };
        along * kept - normal * (self.restitution * inward)
    }
}

/// The outcome of a step for a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepOutcome {
    /// The particle met nothing.
    #[default]
    Free,
    /// The particle bounced off a surface.
    Bounced,
    /// The particle came out of a surface from behind. It lies in the surface and should be
    /// removed.
    Killed,
    /// The particle is behind a visible surface by more than its thickness, and met nothing that is
    /// known.
    Hidden,
    /// The particle is out of the camera's view, and met nothing that is known.
    Outside,
}

/// The number of particles by outcome. The rest were free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeCounts {
    /// Particles that bounced.
    pub n_bounced: usize,
    /// Particles that should be removed.
    pub n_killed: usize,
    /// Particles behind a visible surface.
    pub n_hidden: usize,
    /// Particles out of the camera's view.
    pub n_outside: usize,
}

impl OutcomeCounts {
    pub(crate) fn of(outcomes: &[StepOutcome]) -> OutcomeCounts {
        let mut counts = [0; 5];
        outcomes.iter().for_each(|&outcome| counts[outcome as usize] += 1);
        let [_, n_bounced, n_killed, n_hidden, n_outside] = counts;
        OutcomeCounts { n_bounced, n_killed, n_hidden, n_outside }
    }
}

/// Checks particles, moves all of them by `step`, which takes positions, velocities and outcomes
/// of some, and counts the outcomes.
pub(crate) fn advance_all(
    positions: &mut [Vec3],
    velocities: &mut [Vec3],
    dt: f32,
    bounce: &Bounce,
    outcomes: &mut Vec<StepOutcome>,
    step: impl Fn(&mut [Vec3], &mut [Vec3], &mut [StepOutcome]) + Sync,
) -> Result<OutcomeCounts, ParticleError> {
    check_particles(positions, velocities, dt, bounce)?;
    outcomes.clear();
    outcomes.resize(positions.len(), StepOutcome::Free);
    #[cfg(feature = "parallel")]
    if crate::par::pays(positions.len()) {
        crate::par::advance_all(positions, velocities, outcomes, step);
        return Ok(OutcomeCounts::of(outcomes));
    }
    step(positions, velocities, outcomes);
    Ok(OutcomeCounts::of(outcomes))
}

/// Checks the input that both kinds of steps share.
fn check_particles(
    positions: &[Vec3],
    velocities: &[Vec3],
    dt: f32,
    bounce: &Bounce,
) -> Result<(), ParticleError> {
    bounce.check()?;
    if !(0.0 <= dt && dt < f32::INFINITY) {
        return Err(ParticleError::BadTimeStep { dt });
    }
    if velocities.len() != positions.len() {
        return Err(ParticleError::WrongCount { expected: positions.len(), given: velocities.len() });
    }
    // Without an early end this is a loop over many at a time.
    let are_finite = |all: &[Vec3]| all.iter().fold(true, |are_finite, v| are_finite & v.is_finite());
    if are_finite(positions) && are_finite(velocities) {
        return Ok(());
    }
    let is_bad = |(p, v): (&Vec3, &Vec3)| !(p.is_finite() && v.is_finite());
    match positions.iter().zip(velocities).position(is_bad) {
        Some(particle) => Err(ParticleError::BadParticle { particle }),
        None => Ok(()),
    }
}
