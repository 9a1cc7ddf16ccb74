//! One solver for particles of all kinds: liquids, gas, grains, and the particles of solids.
//!
//! - All matter is particles with a radius, and all forces between them are constraints on
//!   positions. So each kind pushes every other.
//! - A step has substeps, which move all particles, project constraints, and add the corrections
//!   to the velocities.
//! - Except for those of solids, constraints are solved at once: each particle gathers its
//!   corrections (Jacobi). So the bits are the same on any number of threads (test:
//!   `mixed::any_number_of_threads_gives_the_same`).
//!
//! Reference: M. Macklin, M. Mueller, N. Chentanez, T.-Y. Kim, Unified Particle Physics for
//! Real-Time Applications, ACM Transactions on Graphics 33(4), 2014.

pub(crate) mod body_state;
pub(crate) mod boundary;
pub(crate) mod chunks;
mod clusters;
pub(crate) mod contact;
pub(crate) mod density;
pub(crate) mod group;
pub(crate) mod holders;
pub(crate) mod paths;
pub(crate) mod population;
pub(crate) mod ray;
pub(crate) mod restitution;
pub(crate) mod rows;
pub(crate) mod settings;
pub(crate) mod smoothing;
pub(crate) mod snapshot;
pub(crate) mod step;
pub(crate) mod store;
pub(crate) mod supports;
pub(crate) mod surroundings;
pub(crate) mod touch;
pub(crate) mod trace;
pub(crate) mod velocity;
pub(crate) mod wall;

use crate::solver::chunks::for_slots;
use crate::solver::density::densities;
use crate::solver::group::{Gas, Grains, Group, Liquid, MAX_GROUPS, Phase, Solid};
use crate::solver::population::ParticleGroup;
use crate::solver::rows::{Neighbours, contact_reach};
use crate::solver::settings::ParticleSettings;
use crate::solver::smoothing::Smoothing;
use crate::solver::step::{Step, Workspace};
use crate::solver::store::{Store, vector};
use crate::solver::surroundings::{Plane, Surface, Surroundings};
use crate::solver::touch::{BodyImpulse, ParticleContact, ParticleEvent, Touches};
use crate::{ParticleError, SurfaceMesh, liquid_surface};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// The most particles of a solver: 2^28, so that rows of four numbers have places below 2^31.
pub const MAX_PARTICLES: usize = 1 << 28;

/// Very many particles of all kinds, and the planes around them.
///
/// Particles have numbers from 0 on, in the order in which they were added. They keep them until
/// some are removed.
#[derive(Clone, Debug)]
pub struct ParticleSolver {
    settings: ParticleSettings,
    smoothing: Smoothing,
    store: Store,
    planes: Vec<Plane>,
    neighbours: Neighbours,
    touches: Touches,
    work: Workspace,
}

/// The particles of a solid that was added.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SolidParticles {
    /// Their numbers.
    pub ids: Range<u32>,
    /// Their indices among the particles of all solids, for constraints: see
    /// [`SolidPass`](crate::SolidPass).
    pub indices: Range<u32>,
}

/// The compression of a liquid, relative to its rest density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Compression {
    /// The mean over all particles of liquids and gases: 0.01 is 1 %. A lower density counts
    /// as 0.
    pub mean: f32,
    /// The greatest.
    pub worst: f32,
}

impl ParticleSolver {
    /// Makes a solver without particles.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: ParticleSettings) -> Result<ParticleSolver, ParticleError> {
        settings.check()?;
        Ok(ParticleSolver {
            settings,
            smoothing: Smoothing::new(settings.radius),
            store: Store::default(),
            planes: Vec::new(),
            neighbours: Neighbours::new(contact_reach(settings.radius))?,
            touches: Touches::default(),
            work: Workspace::default(),
        })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &ParticleSettings {
        &self.settings
    }

    /// Takes other settings from the next step on. The radius stays as it is.
    ///
    /// # Errors
    /// If a setting is out of its range, or the radius is another one. Nothing changes then.
    pub fn set_settings(&mut self, settings: ParticleSettings) -> Result<(), ParticleError> {
        settings.check()?;
        if settings.radius != self.settings.radius {
            return Err(ParticleError::BadSetting { name: "radius", value: settings.radius });
        }
        self.settings = settings;
        Ok(())
    }

    /// Returns the distance at which particles rest beside each other: twice the radius. Fill
    /// volumes with particles on a lattice of this spacing.
    pub fn spacing(&self) -> f32 {
        2.0 * self.settings.radius
    }

    /// Adds a liquid of particles at rest at these positions. Returns their numbers. Each has the
    /// mass of a cube of the [spacing](ParticleSolver::spacing).
    ///
    /// # Errors
    /// If a number of the liquid is out of its range, or a position is not finite, or there would
    /// be too many. Nothing changes then.
    pub fn add_liquid(&mut self, liquid: &Liquid, positions: &[Vec3]) -> Result<Range<u32>, ParticleError> {
        self.add(liquid.into(), positions)
    }

    /// Adds a gas, as [`ParticleSolver::add_liquid`] does.
    ///
    /// # Errors
    /// As there.
    pub fn add_gas(&mut self, gas: &Gas, positions: &[Vec3]) -> Result<Range<u32>, ParticleError> {
        self.add(gas.into(), positions)
    }

    /// Adds grains, as [`ParticleSolver::add_liquid`] does.
    ///
    /// # Errors
    /// As there.
    pub fn add_grains(&mut self, grains: &Grains, positions: &[Vec3]) -> Result<Range<u32>, ParticleError> {
        self.add(grains.into(), positions)
    }

    /// Adds the particles of a solid, at rest at these positions, with their inverse masses; 0
    /// holds a particle, which then only moves by the velocity that it is given.
    /// [`Surroundings::constraints`] projects the constraints between them in each step.
    ///
    /// # Errors
    /// As [`ParticleSolver::add_liquid`], and if there are not as many inverse masses as
    /// positions, or one is negative or not finite.
    pub fn add_solid(
        &mut self,
        solid: &Solid,
        positions: &[Vec3],
        inverse_masses: &[f32],
    ) -> Result<SolidParticles, ParticleError> {
        if inverse_masses.len() != positions.len() {
            return Err(ParticleError::WrongCount { expected: positions.len(), given: inverse_masses.len() });
        }
        let is_bad = |&w: &f32| !(0.0 <= w && w < f32::INFINITY);
        if let Some(particle) = inverse_masses.iter().position(is_bad) {
            return Err(ParticleError::BadMass { particle });
        }
        let phase = self.add_group(solid.into(), positions)?;
        let [id, index] = [self.store.len(), self.store.n_solid()].map(|n| n as u32);
        let n = positions.len() as u32;
        self.store.push_solid(phase, inverse_masses, positions);
        Ok(SolidParticles { ids: id..id + n, indices: index..index + n })
    }

    fn add(&mut self, group: Group, positions: &[Vec3]) -> Result<Range<u32>, ParticleError> {
        let group = self.with_radius(group);
        let spacing = 2.0 * group.radius;
        let inverse_mass = 1.0 / (group.density * spacing * spacing * spacing);
        group.check(self.settings.radius)?;
        if !(0.0 < inverse_mass && inverse_mass < f32::INFINITY) {
            return Err(ParticleError::BadSetting { name: "density", value: group.density });
        }
        let phase = self.add_group(group, positions)?;
        let first = self.store.len() as u32;
        self.store.push(phase, inverse_mass, positions);
        Ok(first..self.store.len() as u32)
    }

    /// A group with the radius of the solver, if it has none of its own.
    fn with_radius(&self, group: Group) -> Group {
        Group { radius: if group.radius == 0.0 { self.settings.radius } else { group.radius }, ..group }
    }

    /// Checks positions and a group, and adds the group, in the slot of a removed one if there is
    /// any.
    fn add_group(&mut self, group: Group, positions: &[Vec3]) -> Result<Phase, ParticleError> {
        let group = self.with_radius(group);
        group.check(self.settings.radius)?;
        let index = self.store.free_group().unwrap_or(self.store.groups.len());
        if MAX_PARTICLES < self.store.len() + positions.len() || MAX_GROUPS <= index {
            return Err(ParticleError::TooMany);
        }
        if let Some(particle) = positions.iter().position(|position| !position.is_finite()) {
            return Err(ParticleError::BadParticle { particle });
        }
        self.put_group(index, group)?;
        Ok(Phase(group.flags | index as u32))
    }

    /// Puts a group that was checked into a slot, at most behind the last one.
    fn put_group(&mut self, index: usize, group: Group) -> Result<(), ParticleError> {
        if group.is_fluid() {
            self.set_reach(self.smoothing.reach)?;
        }
        self.store.has_several_radii |= group.radius != self.settings.radius;
        match self.store.groups.get_mut(index) {
            Some(free) => *free = group,
            None => self.store.groups.push(group),
        }
        Ok(())
    }

    /// Finds neighbours up to this distance from now on.
    fn set_reach(&mut self, reach: f32) -> Result<(), ParticleError> {
        if self.neighbours.reach() != reach {
            self.neighbours = Neighbours::new(reach)?;
        }
        Ok(())
    }

    /// Adds a plane that particles stay in front of: the points whose product with the unit normal
    /// is the offset. Returns its number.
    ///
    /// # Errors
    /// If the normal is not a unit vector to 1 %, or a number is not finite or out of its range.
    pub fn add_plane(
        &mut self,
        normal: Vec3,
        offset: f32,
        surface: &Surface,
    ) -> Result<usize, ParticleError> {
        surface.check()?;
        let length = normal.length();
        let plane = Plane { normal: normal / length, offset: offset / length, surface: *surface };
        if !(0.99 < length && length < 1.01 && plane.offset.is_finite()) {
            return Err(ParticleError::BadPlane);
        }
        self.planes.push(plane);
        Ok(self.planes.len() - 1)
    }

    /// Returns the number of particles.
    pub fn n_particles(&self) -> usize {
        self.store.len()
    }

    /// Returns where a particle is; nothing for a number that is not one of a particle.
    pub fn position(&self, particle: u32) -> Option<Vec3> {
        self.store.slot(particle).map(|slot| vector(&self.store.positions[slot]))
    }

    /// Returns the velocity of a particle.
    pub fn velocity(&self, particle: u32) -> Option<Vec3> {
        self.store.slot(particle).map(|slot| vector(&self.store.velocities[slot]))
    }

    /// Returns one over the mass of a particle; 0 if it is held.
    pub fn inverse_mass(&self, particle: u32) -> Option<f32> {
        self.store.slot(particle).map(|slot| self.store.positions[slot][3])
    }

    /// Puts the positions of all particles into a vector, by number. Its memory is reused.
    pub fn collect_positions(&self, positions: &mut Vec<Vec3>) {
        positions.clear();
        positions.extend(self.store.slots.iter().map(|&slot| vector(&self.store.positions[slot as usize])));
    }

    /// Puts the velocities of all particles into a vector, by number. Its memory is reused.
    pub fn collect_velocities(&self, velocities: &mut Vec<Vec3>) {
        velocities.clear();
        velocities.extend(self.store.slots.iter().map(|&slot| vector(&self.store.velocities[slot as usize])));
    }

    /// Returns the surface of a liquid for drawing, as [`liquid_surface`] does, with cells of this
    /// size.
    ///
    /// # Errors
    /// As there, and if there is no such group.
    pub fn surface(&self, group: ParticleGroup, cell: f32) -> Result<SurfaceMesh, ParticleError> {
        let index = group.index();
        let radius = self.store.groups.get(index).ok_or(ParticleError::NoSuchGroup)?.radius;
        let all = self.store.phases.iter().zip(&self.store.positions);
        let of_group = all.filter(|(phase, _)| phase.group() == index);
        let positions: Vec<Vec3> = of_group.map(|(_, row)| vector(row)).collect();
        liquid_surface(&positions, radius, cell)
    }

    /// Gives a particle another position and velocity, which must be finite.
    ///
    /// # Errors
    /// If they are not, or there is no such particle.
    pub fn set_particle(
        &mut self,
        particle: u32,
        position: Vec3,
        velocity: Vec3,
    ) -> Result<(), ParticleError> {
        let bad = ParticleError::BadParticle { particle: particle as usize };
        let slot = self.store.slot(particle).ok_or(bad)?;
        if !(position.is_finite() && velocity.is_finite()) {
            return Err(bad);
        }
        let inverse_mass = self.store.positions[slot][3];
        self.store.positions[slot] = position.extend(inverse_mass).to_array();
        self.store.velocities[slot] = velocity.extend(0.0).to_array();
        Ok(())
    }

    /// Gives a particle another inverse mass, at least 0; 0 holds it: see
    /// [`ParticleSolver::add_solid`].
    ///
    /// # Errors
    /// If it is negative or not finite, or there is no such particle.
    pub fn set_inverse_mass(&mut self, particle: u32, inverse_mass: f32) -> Result<(), ParticleError> {
        let number = particle as usize;
        let slot = self.store.slot(particle).ok_or(ParticleError::BadParticle { particle: number })?;
        if !(0.0 <= inverse_mass && inverse_mass < f32::INFINITY) {
            return Err(ParticleError::BadMass { particle: number });
        }
        self.store.positions[slot][3] = inverse_mass;
        Ok(())
    }

    /// Makes a step of `dt` seconds among the planes.
    ///
    /// # Errors
    /// As [`ParticleSolver::step_in`].
    pub fn step(&mut self, dt: f32) -> Result<(), ParticleError> {
        self.step_in(dt, &mut Surroundings::default())
    }

    /// Makes a step of `dt` seconds among the planes, and what is lent in `surroundings`.
    ///
    /// # Errors
    /// [`ParticleError::TooDense`] and [`ParticleError::Exploded`] if the motion is unstable, or
    /// many particles are at one position. Others for a bad time step and bad surroundings. On an
    /// error nothing has moved; but particles of solids may have been given to `constraints`.
    pub fn step_in(&mut self, dt: f32, surroundings: &mut Surroundings<'_, '_>) -> Result<(), ParticleError> {
        if !(0.0 <= dt && dt < f32::INFINITY) {
            return Err(ParticleError::BadTimeStep { dt });
        }
        surroundings.check(self.store.len())?;
        if !self.has_time(dt) {
            return Ok(());
        }
        let ParticleSolver { settings, smoothing, store, planes, neighbours, touches, work } = self;
        Step { settings, smoothing: *smoothing, store, planes, neighbours, touches, work }
            .run(dt, surroundings)
    }

    /// Whether time passes in a step of `dt` seconds: its substeps are longer than 0. A step
    /// without time changes nothing, and keeps the contacts of the one before.
    pub fn has_time(&self, dt: f32) -> bool {
        0.0 < dt / self.settings.substeps as f32
    }

    /// Returns the contacts of the last step, sorted by particle, if
    /// [`ParticleSettings::collects_contacts`] is set.
    pub fn contacts(&self) -> &[ParticleContact] {
        &self.touches.now
    }

    /// Returns what particles did to bodies in the last step, and where, if
    /// [`ParticleSettings::collects_contacts`] is set: substep by substep, and in each one body by
    /// body. Their sums are those of [`BodyBoundary`](crate::BodyBoundary). Angular sums differ
    /// slightly, because points move within a substep.
    pub fn body_impulses(&self) -> &[BodyImpulse] {
        &self.touches.impulses
    }

    /// Returns which contacts began or ended in the last step, sorted by particle.
    pub fn events(&self) -> &[ParticleEvent] {
        &self.touches.events
    }

    /// Returns how much denser than at rest the liquids are now. This takes about as long as a
    /// substep of one iteration.
    ///
    /// # Errors
    /// [`ParticleError::TooDense`], as of a step.
    pub fn compression(&mut self) -> Result<Compression, ParticleError> {
        let mut all = Vec::new();
        self.collect_densities(&mut all)?;
        let (mut sum, mut worst, mut n) = (0.0, 0.0_f32, 0);
        for density in all.into_iter().filter(|&density| 0.0 < density) {
            let excess = (density - 1.0).max(0.0);
            sum += f64::from(excess);
            worst = worst.max(excess);
            n += 1;
        }
        Ok(Compression { mean: (sum / f64::from(n.max(1))) as f32, worst })
    }

    /// Puts the densities of all particles into a vector, by number: 1 is the density at rest, and
    /// 0 that of what is no liquid.
    ///
    /// # Errors
    /// [`ParticleError::TooDense`], as of a step.
    pub fn collect_densities(&mut self, out: &mut Vec<f32>) -> Result<(), ParticleError> {
        let store = &self.store;
        let max_pairs = store.len().saturating_mul(self.settings.max_neighbours as usize).div_ceil(2);
        self.neighbours.find(store, &store.positions, max_pairs)?;
        let mut by_slot = alloc::vec![0.0; store.len()];
        let rows = self.neighbours.rows();
        for_slots(&mut by_slot, |slots, out| {
            densities(&self.smoothing, &store.positions, &store.phases, rows, slots, out);
        });
        out.clear();
        out.extend(store.slots.iter().map(|&slot| by_slot[slot as usize]));
        Ok(())
    }
}
