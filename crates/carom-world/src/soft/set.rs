//! The soft things of a world: one particle solver, and the things that own its particles.
//!
//! Reference: M. Macklin et al., Unified Particle Physics for Real-Time Applications, 2014.

use crate::BodyId;
use crate::bodies::shift::Shift;
use crate::soft::desc::{CollisionRules, ParticlePhase, SoftSettings};
use crate::soft::error::SoftError;
use crate::soft::id::{ParticlesId, SoftBodyId, SoftThing};
use crate::soft::resting::{Push, Resting};
use crate::soft::soft_body::SoftPart;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_math::Vec3;
use carom_particles::{ParticleGroup, ParticleSettings, ParticleSolver, Renumbering, Solid, SolidParticles};
use core::ops::Range;

/// The soft things of a world. Most worlds have none.
#[derive(Debug, Default)]
pub(crate) struct Soft {
    pub(crate) settings: SoftSettings,
    pub(crate) set: Option<Box<SoftSet>>,
}

/// An event: a soft thing began or ceased to touch a body in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SoftEvent {
    /// The soft thing.
    pub thing: SoftThing,
    /// The body.
    pub body: BodyId,
    /// Whether the contact began; otherwise it ended.
    pub began: bool,
}

/// The existing soft things.
#[derive(Clone, Debug)]
pub(crate) struct SoftSet {
    pub(crate) solver: ParticleSolver,
    pub(crate) slots: Vec<Slot>,
    /// Free slots; the last one is reused first.
    pub(crate) free: Vec<u32>,
    /// The index of the thing of each particle.
    pub(crate) owners: Arc<[u32]>,
    /// Pairs of a thing and a body that touched in the last step, sorted. Either may have been
    /// removed since.
    pub(crate) touching: Vec<(SoftThing, BodyId)>,
    pub(crate) events: Vec<SoftEvent>,
    pub(crate) resting: Resting,
    /// Whether bodies may have changed since they were last compared with [`Resting::near`]. It is
    /// not in a snapshot, because the first step after a restore compares them anyway.
    pub(crate) are_bodies_changed: bool,
    /// Pushes on bodies, sorted by body.
    pub(crate) pushes: Vec<Push>,
}

/// A slot for a thing.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// Odd if it has a thing.
    pub(crate) generation: u32,
    pub(crate) thing: Option<Thing>,
}

/// A soft body or particles.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub(crate) kind: ThingKind,
    pub(crate) radius: f32,
    pub(crate) collision: CollisionRules,
    /// Its particles in the solver. Those of a soft body are one range.
    pub(crate) ids: Vec<Range<u32>>,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
}

#[derive(Clone, Debug)]
pub(crate) enum ThingKind {
    Body(Box<SoftPart>),
    /// The group is `None` until there is a particle.
    Particles(ParticlePhase, Option<ParticleGroup>),
}

impl Thing {
    /// Returns the box around all particles, grown by a length; `None` without any.
    pub(crate) fn aabb(&self, margin: f32) -> Option<Aabb> {
        let first = *self.positions.first()?;
        let (min, max) =
            self.positions.iter().fold((first, first), |(min, max), p| (min.min(*p), max.max(*p)));
        Some(Aabb { min: min - margin, max: max + margin })
    }

    pub(crate) fn soft_part(&self) -> Option<&SoftPart> {
        match &self.kind {
            ThingKind::Body(part) => Some(part),
            ThingKind::Particles(..) => None,
        }
    }

    pub(crate) fn soft_part_mut(&mut self) -> Option<&mut SoftPart> {
        match &mut self.kind {
            ThingKind::Body(part) => Some(part),
            ThingKind::Particles(..) => None,
        }
    }

    /// Returns the id in the solver of the particle at an index of `positions`.
    pub(crate) fn particle(&self, index: usize) -> Option<u32> {
        let mut left = index;
        for range in &self.ids {
            if left < range.len() {
                return Some(range.start + left as u32);
            }
            left -= range.len();
        }
        None
    }
}

impl SoftSet {
    /// Returns an empty set, with particles of this radius.
    pub(crate) fn new(radius: f32, settings: &SoftSettings, gravity: Vec3) -> Result<SoftSet, SoftError> {
        Ok(SoftSet {
            solver: ParticleSolver::new(particle_settings(radius, settings, gravity))?,
            slots: Vec::new(),
            free: Vec::new(),
            owners: Arc::default(),
            touching: Vec::new(),
            events: Vec::new(),
            resting: Resting::default(),
            are_bodies_changed: false,
            pushes: Vec::new(),
        })
    }

    /// Moves all things along with the frame of the world.
    ///
    /// Errors: a vertex beyond the range of meshes.
    pub(crate) fn shift(&mut self, shift: Shift) -> Result<(), SoftError> {
        for id in 0..self.solver.n_particles() as u32 {
            let (Some(mut position), Some(velocity)) = (self.solver.position(id), self.solver.velocity(id))
            else {
                continue;
            };
            shift.apply(&mut position);
            self.solver.set_particle(id, position, velocity)?;
        }
        self.read_particles();
        for thing in self.slots.iter_mut().filter_map(|slot| slot.thing.as_mut()) {
            let Thing { positions, kind: ThingKind::Body(part), .. } = thing else { continue };
            part.pins.iter_mut().for_each(|(_, target)| shift.apply(target));
            let loads = part.loads.iter_mut().chain(&mut part.last_loads);
            loads.for_each(|load| shift.apply(&mut load.point));
            part.follow(positions, false)?;
        }
        self.resting.positions.iter_mut().for_each(|point| shift.apply(point));
        Ok(())
    }

    /// Returns all things, by ascending index.
    pub(crate) fn things(&self) -> impl Iterator<Item = &Thing> {
        self.slots.iter().filter_map(|slot| slot.thing.as_ref())
    }

    /// Returns all things with their handles.
    pub(crate) fn things_with_ids(&self) -> impl Iterator<Item = (SoftThing, &Thing)> {
        let slots = (0..).zip(&self.slots);
        slots.filter_map(|(index, slot)| Some((self.id_at(index), slot.thing.as_ref()?)))
    }

    /// Returns all things for changes.
    pub(crate) fn things_mut(&mut self) -> impl Iterator<Item = &mut Thing> {
        self.slots.iter_mut().filter_map(|slot| slot.thing.as_mut())
    }

    /// Returns the handle of the thing with an index.
    pub(crate) fn id_at(&self, index: u32) -> SoftThing {
        let slot = &self.slots[index as usize];
        let generation = slot.generation;
        match slot.thing.as_ref().map(|thing| &thing.kind) {
            Some(ThingKind::Particles(..)) => SoftThing::Particles(ParticlesId { index, generation }),
            _ => SoftThing::Body(SoftBodyId { index, generation }),
        }
    }

    /// Returns the thing of a handle; `None` if it was removed.
    pub(crate) fn thing(&self, id: SoftThing) -> Option<&Thing> {
        let thing = self.slots.get(id.index() as usize)?.thing.as_ref()?;
        (self.id_at(id.index()) == id).then_some(thing)
    }

    /// Does the same as [`SoftSet::thing`], for changes.
    pub(crate) fn thing_mut(&mut self, id: SoftThing) -> Option<&mut Thing> {
        self.thing(id)?;
        self.slots[id.index() as usize].thing.as_mut()
    }

    /// Adds a thing to a free slot.
    pub(crate) fn add(&mut self, thing: Thing) -> SoftThing {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, thing: None });
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.generation = slot.generation.wrapping_add(1);
        slot.thing = Some(thing);
        self.find_owners();
        self.wake();
        self.id_at(index)
    }

    /// Removes a thing with its particles. The next step reports the end of its contacts.
    pub(crate) fn remove(&mut self, id: SoftThing) -> Result<(), SoftError> {
        let index = id.index();
        let removed = match self.thing(id).map(|thing| &thing.kind) {
            Some(&ThingKind::Particles(_, Some(group))) => self.solver.remove_group(group)?,
            _ => {
                let owners = &self.owners;
                self.solver.remove_where(|particle| owners[particle as usize] == index)?
            }
        };
        let slot = &mut self.slots[index as usize];
        (slot.thing, slot.generation) = (None, slot.generation.wrapping_add(1));
        self.free.push(index);
        self.renumber(&removed);
        Ok(())
    }

    /// Applies the new ids of the particles after a removal.
    pub(crate) fn renumber(&mut self, removed: &Renumbering) {
        for thing in self.things_mut() {
            if let Some(part) = thing.soft_part_mut() {
                let constraint = part.constraint_mut();
                let first = constraint.particles().start;
                if let Some(Some(first)) = removed.indices.get(first) {
                    constraint.move_to(*first as usize);
                }
            }
            thing.ids.retain_mut(|range| {
                // The remaining particles of a range have consecutive ids.
                let mut left = range.clone().filter_map(|id| removed.ids[id as usize]);
                let first = left.next();
                let n = left.count() as u32;
                first.map(|first| *range = first..first + 1 + n).is_some()
            });
        }
        self.find_owners();
        self.wake();
    }

    /// Finds the thing of each particle, and reads all positions and velocities.
    pub(crate) fn find_owners(&mut self) {
        let mut owners = alloc::vec![u32::MAX; self.solver.n_particles()];
        for (index, slot) in (0..).zip(&self.slots) {
            for range in slot.thing.iter().flat_map(|thing| &thing.ids) {
                owners[range.start as usize..range.end as usize].fill(index);
            }
        }
        self.owners = owners.into();
        self.read_particles();
    }

    /// Changes how a thing meets bodies, and wakes all things.
    pub(crate) fn change_collision(&mut self, id: SoftThing, change: impl FnOnce(&mut CollisionRules)) {
        if let Some(thing) = self.thing_mut(id) {
            change(&mut thing.collision);
        }
        self.wake();
    }

    /// Reads positions and velocities of all things from the solver.
    pub(crate) fn read_particles(&mut self) {
        let solver = &self.solver;
        for thing in self.slots.iter_mut().filter_map(|slot| slot.thing.as_mut()) {
            let Thing { ids, positions, velocities, .. } = thing;
            positions.clear();
            velocities.clear();
            let all = || ids.iter().cloned().flatten();
            positions.extend(all().filter_map(|id| solver.position(id)));
            velocities.extend(all().filter_map(|id| solver.velocity(id)));
        }
    }

    /// Whether the last step had other settings. The number of substeps does not count: it depends
    /// on the length of the step.
    pub(crate) fn has_other_settings(&self, settings: &SoftSettings, gravity: Vec3) -> bool {
        let now = *self.solver.settings();
        particle_settings(now.radius, settings, gravity).with_substeps(now.substeps) != now
    }

    /// Applies settings that changed since the last step, and wakes all things if one did. A step
    /// of `dt` seconds follows.
    pub(crate) fn apply_settings(
        &mut self,
        settings: &SoftSettings,
        gravity: Vec3,
        dt: f32,
    ) -> Result<(), SoftError> {
        if self.has_other_settings(settings, gravity) {
            self.wake();
        }
        let new = particle_settings(self.solver.settings().radius, settings, gravity);
        Ok(self.solver.set_settings(new.with_substeps(settings.substeps_of(dt)))?)
    }

    /// Returns the same things in a solver with another radius.
    pub(crate) fn with_radius(&self, radius: f32) -> Result<SoftSet, SoftError> {
        let mut made = self.clone();
        let settings = *self.solver.settings();
        let mut new = settings;
        new.radius = radius;
        made.solver = ParticleSolver::new(new)?;
        for thing in made.slots.iter_mut().filter_map(|slot| slot.thing.as_mut()) {
            let first = made.solver.n_particles() as u32;
            match &mut thing.kind {
                ThingKind::Particles(phase, group) => {
                    *group = add_particles(&mut made.solver, phase, &thing.positions)?;
                }
                ThingKind::Body(part) => {
                    let added = add_solid(&mut made.solver, part, thing.radius)?;
                    part.constraint_mut().move_to(added.indices.start as usize);
                }
            }
            let n = thing.positions.len() as u32;
            thing.ids = if n == 0 { Vec::new() } else { alloc::vec![first..first + n] };
            for (id, (position, velocity)) in (first..).zip(thing.positions.iter().zip(&thing.velocities)) {
                made.solver.set_particle(id, *position, *velocity)?;
            }
        }
        made.find_owners();
        Ok(made)
    }
}

/// Adds the particles of a soft body to a solver, at rest.
pub(crate) fn add_solid(
    solver: &mut ParticleSolver,
    part: &SoftPart,
    radius: f32,
) -> Result<SolidParticles, SoftError> {
    let inverse_masses: Vec<f32> = (0..part.rest.len() as u32).map(|v| part.inverse_mass(v)).collect();
    let solid =
        Solid::default().with_friction(part.friction).with_restitution(part.restitution).with_radius(radius);
    Ok(solver.add_solid(&solid, &part.rest, &inverse_masses)?)
}

/// Adds particles to a solver.
pub(crate) fn add_particles(
    solver: &mut ParticleSolver,
    phase: &ParticlePhase,
    positions: &[Vec3],
) -> Result<Option<ParticleGroup>, SoftError> {
    if positions.is_empty() {
        return Ok(None);
    }
    let ids = match phase {
        ParticlePhase::Liquid(liquid) => solver.add_liquid(liquid, positions)?,
        ParticlePhase::Gas(gas) => solver.add_gas(gas, positions)?,
        ParticlePhase::Grains(grains) => solver.add_grains(grains, positions)?,
    };
    Ok(ids.clone().next().and_then(|id| solver.group_of(id)))
}

/// Returns the settings of the solver.
pub(crate) fn particle_settings(radius: f32, settings: &SoftSettings, gravity: Vec3) -> ParticleSettings {
    ParticleSettings::new(radius)
        .with_gravity(gravity)
        .with_substeps(settings.substeps)
        .with_iterations(settings.iterations)
        .with_sleep_speed(settings.rest_speed)
        .with_contacts(true)
}
