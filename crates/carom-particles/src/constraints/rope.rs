//! Ropes: particles in a row, with stretching and bending.
//!
//! - Neighbours in the row are linked. The stiffness of a link is that of the rope over the link's
//!   length. So the stretch does not depend on the number of particles.
//! - All links are solved together, with the bodies that hold particles of the rope (`chain`). So
//!   a rope that does not stretch bears a load of many times its mass (test:
//!   `ropes::a_light_rope_bears_a_heavy_end`).
//! - Three consecutive particles resist bending, by the difference of their tangents.
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, XPBD, 2016; M. Bergou et al., Discrete Elastic
//! Rods, 2008, section 4.2 (the energy of bending of a chain). Differs: the difference of two
//! tangents replaces their angle about the binormal, which is the same for small angles. There is
//! no twist.

use super::bends::{Bend, Bends};
use super::chain::{Chain, ChainLink, LinkMemory};
use super::{ConstraintError, HeldParticle, ParticleBody, check_rest, check_setting, check_step};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// The stiffness and damping of a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RopeSettings {
    /// The force that would stretch the rope to twice its length: its modulus times its cross
    /// section, not negative. Infinite for a rope that does not stretch. Default: infinite.
    pub stretch_stiffness: f32,
    /// Flexural rigidity, a force times an area, not negative: the moment that bends the rope to a
    /// radius of 1. Default: 0.
    pub bend_stiffness: f32,
    /// The damping rate of stretching and bending, per second; not negative. Default: 0.
    pub damping: f32,
}

impl Default for RopeSettings {
    /// Returns settings for a rope that does not stretch and bends freely.
    fn default() -> RopeSettings {
        RopeSettings { stretch_stiffness: f32::INFINITY, bend_stiffness: 0.0, damping: 0.0 }
    }
}

impl RopeSettings {
    /// Returns these settings with another stiffness against stretching, a force.
    #[must_use]
    pub fn with_stretch_stiffness(self, stretch_stiffness: f32) -> RopeSettings {
        RopeSettings { stretch_stiffness, ..self }
    }

    /// Returns these settings with another stiffness against bending, a force times an area.
    #[must_use]
    pub fn with_bend_stiffness(self, bend_stiffness: f32) -> RopeSettings {
        RopeSettings { bend_stiffness, ..self }
    }

    /// Returns these settings with another rate of damping per second.
    #[must_use]
    pub fn with_damping(self, damping: f32) -> RopeSettings {
        RopeSettings { damping, ..self }
    }
}

/// A rope: particles in a row.
#[derive(Clone, Debug)]
pub struct Rope {
    chain: Chain,
    bends: Bends,
    damping: f32,
}

impl Rope {
    /// Returns a rope through particles in a row, at these rest positions. `first` is the index of
    /// the first one in the arrays of all particles.
    ///
    /// # Errors
    /// Names the first particle whose position is not finite, or the setting that is out of range.
    pub fn new(first: usize, rest: &[Vec3], settings: &RopeSettings) -> Result<Rope, ConstraintError> {
        check_rest(rest)?;
        check_setting("stretch_stiffness", settings.stretch_stiffness, true)?;
        check_setting("bend_stiffness", settings.bend_stiffness, true)?;
        check_setting("damping", settings.damping, true)?;
        let position_of = |i: u32| rest[i as usize].as_dvec3();
        let mut links = Vec::new();
        for i in 1..rest.len() as u32 {
            let length = carom_math::ops::sqrt((position_of(i) - position_of(i - 1)).length_squared());
            let compliance = (length / f64::from(settings.stretch_stiffness)) as f32;
            // Without stiffness there is no link.
            let compliance = if compliance.is_finite() { compliance } else { f32::INFINITY };
            links.push(ChainLink::new(length, compliance.into()));
        }
        let mut bends = Vec::new();
        if 0.0 < settings.bend_stiffness {
            for i in 2..rest.len() as u32 {
                let particles = [i - 2, i - 1, i];
                let stiffness = f64::from(settings.bend_stiffness);
                bends.extend(Bend::joint(particles, particles.map(position_of), stiffness));
            }
        }
        let particles = first..first + rest.len();
        Ok(Rope {
            chain: Chain::new(particles.clone(), links),
            bends: Bends::of(particles, &bends),
            damping: settings.damping,
        })
    }

    /// Returns the tension of each link at the end of the last substep, a force, from the first
    /// particle on. A positive force pulls. It is 0 for a rope without stiffness.
    pub fn tensions(&self) -> impl Iterator<Item = f32> {
        self.chain.tensions()
    }

    /// Returns what the next substep depends on besides the particles, for snapshots: for each link
    /// its tension, and its directions after the last two substeps.
    pub fn memory(&self) -> impl Iterator<Item = [f64; 7]> {
        self.chain.memories().map(LinkMemory::to_array)
    }

    /// Restores what [`Rope::memory`] returned. A number that is not finite counts as 0.
    ///
    /// # Errors
    /// If there is not one entry for each link. Nothing has changed then.
    pub fn set_memory(&mut self, memory: &[[f64; 7]]) -> Result<(), ConstraintError> {
        self.chain.set_memories(memory.iter().copied().map(LinkMemory::from_array))
    }
}

impl ParticleBody for Rope {
    fn particles(&self) -> Range<usize> {
        self.chain.particles()
    }

    fn move_to(&mut self, first: usize) {
        self.chain.move_to(first);
        self.bends.move_to(first);
    }

    fn begin_step(&mut self) {
        self.chain.begin_step();
        self.bends.begin_step();
    }

    fn project(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        self.project_held(positions, inverse_masses, &mut [], dt)
    }

    fn moves_holders(&self) -> bool {
        true
    }

    fn project_held(
        &mut self,
        positions: &mut [Vec3],
        inverse_masses: &[f32],
        held: &mut [HeldParticle],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles(), &[positions.len(), inverse_masses.len()], dt)?;
        self.bends.project(positions, inverse_masses, dt);
        // Links come last, because a wrong length is more visible than a wrong curvature.
        self.chain.project(positions, inverse_masses, held, dt);
        Ok(())
    }

    fn damp(
        &self,
        positions: &[Vec3],
        velocities: &mut [Vec3],
        inverse_masses: &[f32],
        dt: f32,
    ) -> Result<(), ConstraintError> {
        check_step(&self.particles(), &[positions.len(), velocities.len(), inverse_masses.len()], dt)?;
        self.chain.damp(positions, velocities, inverse_masses, self.damping, dt);
        self.bends.damp(positions, velocities, inverse_masses, self.damping, dt);
        Ok(())
    }
}
