//! Settings of the particle solver.

use crate::ParticleError;
use glam::Vec3;

/// The maximum number of substeps of a step, and of iterations of a substep.
const MAX_ROUNDS: u32 = 256;

/// Settings for the steps of a [`ParticleSolver`](crate::ParticleSolver).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParticleSettings {
    /// The radius of a particle: half of the distance at which particles rest beside each other.
    /// A length, greater than 0.
    pub radius: f32,
    /// Acceleration of all particles, in lengths per second squared. Default: (0, -9.81, 0).
    pub gravity: Vec3,
    /// The number of substeps of a step, from 1 to 256. Neighbours are searched once in each.
    /// Default: 4.
    pub substeps: u32,
    /// The number of constraint projections in a substep, from 1 to 256. Default: 4.
    pub iterations: u32,
    /// The over-relaxation of density corrections, greater than 0 and less than 2. Values above 1
    /// converge faster, and are stable with 4 or more iterations. With 1 or 2 iterations use 1.
    /// Default: 1.2.
    pub relaxation: f32,
    /// The fraction by which velocities in a liquid are smoothed in each substep, from 0 to 0.5.
    /// It removes the noise of corrections, and slows swirls as small as the reach. Default: 0.05.
    pub smoothing: f32,
    /// The maximum mean number of neighbours of a particle, at least 1. A step with more is
    /// [`TooDense`](ParticleError::TooDense). Default: 128.
    pub max_neighbours: u32,
    /// A speed, in lengths per second; 0 for none. A grain or a particle of a solid that is slower
    /// after a substep returns to its position before it. So heaps come to rest. The speed must be
    /// less than gravity times a substep, or nothing begins to fall: 0.02 m/s suits steps of a
    /// sixtieth of a second. Liquids do not sleep, because a particle that stays in place
    /// transmits no pressure. Default: 0.
    pub sleep_speed: f32,
    /// Whether each step collects contacts, their events, and the impulses on bodies. Default:
    /// false.
    pub collects_contacts: bool,
}

impl ParticleSettings {
    /// Returns settings for particles of this radius, with gravity of 9.81 along -Y, and 4 substeps
    /// of 4 iterations: for steps of a sixtieth of a second.
    pub fn new(radius: f32) -> ParticleSettings {
        ParticleSettings {
            radius,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            substeps: 4,
            iterations: 4,
            relaxation: 1.2,
            smoothing: 0.05,
            max_neighbours: 128,
            sleep_speed: 0.0,
            collects_contacts: false,
        }
    }

    /// Returns these settings with another gravity, in lengths per second squared.
    #[must_use]
    pub fn with_gravity(self, gravity: Vec3) -> ParticleSettings {
        ParticleSettings { gravity, ..self }
    }

    /// Returns these settings with another number of substeps, from 1 to 256.
    #[must_use]
    pub fn with_substeps(self, substeps: u32) -> ParticleSettings {
        ParticleSettings { substeps, ..self }
    }

    /// Returns these settings with another number of iterations in a substep, from 1 to 256.
    #[must_use]
    pub fn with_iterations(self, iterations: u32) -> ParticleSettings {
        ParticleSettings { iterations, ..self }
    }

    /// Returns these settings with another relaxation, greater than 0 and less than 2.
    #[must_use]
    pub fn with_relaxation(self, relaxation: f32) -> ParticleSettings {
        ParticleSettings { relaxation, ..self }
    }

    /// Returns these settings with another smoothing of velocities, from 0 to 0.5.
    #[must_use]
    pub fn with_smoothing(self, smoothing: f32) -> ParticleSettings {
        ParticleSettings { smoothing, ..self }
    }

    /// Returns these settings with another sleep speed of grains and solids, in lengths per
    /// second.
    #[must_use]
    pub fn with_sleep_speed(self, sleep_speed: f32) -> ParticleSettings {
        ParticleSettings { sleep_speed, ..self }
    }

    /// Returns these settings with or without collecting contacts in each step.
    #[must_use]
    pub fn with_contacts(self, collects_contacts: bool) -> ParticleSettings {
        ParticleSettings { collects_contacts, ..self }
    }

    /// Checks all settings. The error names the first one out of its range.
    pub(crate) fn check(&self) -> Result<(), ParticleError> {
        let is_count = |n: u32| 1 <= n && n <= MAX_ROUNDS;
        let speed = self.sleep_speed;
        let all = [
            ("radius", self.radius, is_length(self.radius)),
            ("gravity", self.gravity.length(), self.gravity.is_finite()),
            ("substeps", self.substeps as f32, is_count(self.substeps)),
            ("iterations", self.iterations as f32, is_count(self.iterations)),
            ("relaxation", self.relaxation, 0.0 < self.relaxation && self.relaxation < 2.0),
            ("smoothing", self.smoothing, 0.0 <= self.smoothing && self.smoothing <= 0.5),
            ("max_neighbours", self.max_neighbours as f32, 1 <= self.max_neighbours),
            ("sleep_speed", speed, 0.0 <= speed && speed < f32::INFINITY),
        ];
        match all.into_iter().find(|&(_, _, is_good)| !is_good) {
            Some((name, value, _)) => Err(ParticleError::BadSetting { name, value }),
            None => Ok(()),
        }
    }
}

/// Whether the square and the cube of a length, and those of its inverse, are normal numbers.
fn is_length(radius: f32) -> bool {
    let bound = f32::from_bits((127 + 20) << 23); // 2^20
    1.0 / bound <= radius && radius <= bound
}
