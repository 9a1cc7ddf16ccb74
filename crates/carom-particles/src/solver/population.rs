//! Adds and removes particles while a solver runs.
//!
//! - New particles join an existing group, so a spray is one liquid, not thousands.
//! - Removed particles leave no gaps. The others keep their order, and the caller gets their new
//!   numbers.
//! - A solid is removed as a whole, because its constraints need all of its particles, and belong
//!   to the caller. Its group goes with it. Other groups stay until they are removed, because more
//!   particles may join them.
//! - Groups keep their numbers. The next group takes the slot of a removed one.
//!
//! Reference: none; a stable compaction.

use crate::solver::group::{Group, Phase, Solid};
use crate::solver::rows::contact_reach;
use crate::solver::store::NO_SOLID;
use crate::solver::touch::ContactTarget;
use crate::{MAX_PARTICLES, ParticleError, ParticleSolver};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// A liquid, a gas, or grains that a solver has. More particles of it can be added, even if the
/// first ones were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParticleGroup(u32);

impl ParticleGroup {
    /// Returns its number in the solver, for a caller that saves it beside
    /// [`ParticleSolver::save`]: see [`ParticleSolver::group`].
    pub fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The new numbers of particles after a removal, by the old ones; `None` for those that were
/// removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renumbering {
    /// For all particles.
    pub ids: Vec<Option<u32>>,
    /// For the indices among the particles of all solids, in constraints: see
    /// [`ParticleBody::move_to`](crate::ParticleBody::move_to).
    pub indices: Vec<Option<u32>>,
}

impl ParticleSolver {
    /// Returns the group of a particle; `None` for particles of solids, and for numbers without a
    /// particle.
    pub fn group_of(&self, particle: u32) -> Option<ParticleGroup> {
        let phase = self.store.phases[self.store.slot(particle)?];
        (phase.0 & Phase::RESTS == 0).then_some(ParticleGroup(phase.group() as u32))
    }

    /// Returns the group with this number, even if it has no particles; `None` if that is the
    /// number of a solid, or of nothing.
    pub fn group(&self, number: u32) -> Option<ParticleGroup> {
        let group = self.store.groups.get(number as usize)?;
        (group.flags & Phase::RESTS == 0).then_some(ParticleGroup(number))
    }

    /// Adds particles to a group, at these positions, with these velocities. Returns their
    /// numbers, which are the next ones. Leave room for them: those inside of others are pushed
    /// out, which makes them fast.
    ///
    /// # Errors
    /// If there is no such group, there are not as many velocities as positions, a number is not
    /// finite, or there would be too many particles. Nothing changes then.
    pub fn emit(
        &mut self,
        group: ParticleGroup,
        positions: &[Vec3],
        velocities: &[Vec3],
    ) -> Result<Range<u32>, ParticleError> {
        let group = self.group(group.0).ok_or(ParticleError::NoSuchGroup)?;
        let known = &self.store.groups[group.index()];
        let (flags, spacing) = (known.flags, 2.0 * known.radius);
        let inverse_mass = 1.0 / (known.density * spacing * spacing * spacing);
        if positions.len() != velocities.len() {
            return Err(ParticleError::WrongCount { expected: positions.len(), given: velocities.len() });
        }
        let mut all = positions.iter().zip(velocities);
        if let Some(particle) =
            all.position(|(position, velocity)| !(position.is_finite() && velocity.is_finite()))
        {
            return Err(ParticleError::BadParticle { particle });
        }
        if MAX_PARTICLES < self.store.len() + positions.len() {
            return Err(ParticleError::TooMany);
        }
        let first = self.store.len();
        self.store.push(Phase(flags | group.0), inverse_mass, positions);
        for (row, velocity) in self.store.velocities[first..].iter_mut().zip(velocities) {
            *row = velocity.extend(0.0).to_array();
        }
        Ok(first as u32..self.store.len() as u32)
    }

    /// Removes the particles for whose numbers `is_removed` holds. The others keep their order, and
    /// get numbers without gaps. A solid is removed as a whole: drop its constraints, and move
    /// those of the solids behind it by [`Renumbering::indices`].
    ///
    /// Contacts of removed particles are gone without an event. Groups of liquids, gas and grains
    /// stay: see [`ParticleSolver::remove_group`].
    ///
    /// # Errors
    /// [`ParticleError::PartOfSolid`] names the first particle that was to be removed without all
    /// of its solid. Nothing changes then.
    pub fn remove_where(
        &mut self,
        mut is_removed: impl FnMut(u32) -> bool,
    ) -> Result<Renumbering, ParticleError> {
        let store = &mut self.store;
        let ids = number((0..store.len() as u32).map(|id| !is_removed(id)));
        let of_index = |&slot: &u32| ids[store.ids[slot as usize] as usize];
        let indices = number(store.solid_slots.iter().map(|slot| of_index(slot).is_some()));
        // The particles of a solid have neighbouring indices.
        for (of_pair, slots) in indices.windows(2).zip(store.solid_slots.windows(2)) {
            let [a, b] = [slots[0], slots[1]].map(|slot| slot as usize);
            let is_one_solid = store.phases[a].group() == store.phases[b].group();
            if is_one_solid && of_pair[0].is_some() != of_pair[1].is_some() {
                let removed = if of_pair[0].is_none() { a } else { b };
                return Err(ParticleError::PartOfSolid { particle: store.ids[removed] });
            }
        }
        store.retain(&ids, &indices);
        self.touches.renumber(&ids);
        self.drop_groups()?;
        Ok(Renumbering { ids, indices })
    }

    /// Removes a liquid, a gas, or grains: the group and all of its particles, as
    /// [`ParticleSolver::remove_where`] does. A later group may get its number.
    ///
    /// # Errors
    /// If there is no such group. Nothing changes then.
    pub fn remove_group(&mut self, group: ParticleGroup) -> Result<Renumbering, ParticleError> {
        let index = self.group(group.0).ok_or(ParticleError::NoSuchGroup)?.index();
        let slots = self.store.slots.iter();
        let is_removed: Vec<bool> =
            slots.map(|&slot| self.store.phases[slot as usize].group() == index).collect();
        self.store.groups[index] = self.free_place();
        self.remove_where(|id| is_removed[id as usize])
    }

    /// A group in the slot of one that was removed: a solid without particles.
    fn free_place(&self) -> Group {
        Group { radius: self.settings.radius, ..(&Solid::default()).into() }
    }

    /// Drops the groups that no particle can have again.
    fn drop_groups(&mut self) -> Result<(), ParticleError> {
        let is_used = self.store.used_groups();
        let free = self.free_place();
        let groups = &mut self.store.groups;
        groups.truncate(is_used.iter().rposition(|is_used| *is_used).map_or(0, |last| last + 1));
        for (group, _) in groups.iter_mut().zip(is_used).filter(|(_, is_used)| !is_used) {
            *group = free;
        }
        let radius = self.settings.radius;
        self.store.has_several_radii = groups.iter().any(|group| group.radius != radius);
        let has_fluid = groups.iter().any(Group::is_fluid);
        self.set_reach(if has_fluid { self.smoothing.reach } else { contact_reach(radius) })
    }
}

/// Returns consecutive numbers for the kept items.
fn number(is_kept: impl Iterator<Item = bool>) -> Vec<Option<u32>> {
    let mut next = 0;
    let numbers = is_kept.map(|is_kept| {
        next += u32::from(is_kept);
        is_kept.then(|| next - 1)
    });
    numbers.collect()
}

impl crate::solver::store::Store {
    /// Returns the slot of a group that was removed; `None` if there is none.
    pub(crate) fn free_group(&self) -> Option<usize> {
        self.used_groups().iter().position(|is_used| !is_used)
    }

    /// Whether each group has particles or may get some: a solid gets none later.
    fn used_groups(&self) -> Vec<bool> {
        let mut is_used: Vec<bool> =
            self.groups.iter().map(|group| group.flags & Phase::RESTS == 0).collect();
        self.phases.iter().for_each(|phase| is_used[phase.group()] = true);
        is_used
    }

    /// Keeps the particles that have a new number, in the order of slots.
    fn retain(&mut self, ids: &[Option<u32>], indices: &[Option<u32>]) {
        let slots = 0..self.len() as u32;
        let kept: Vec<u32> = slots.filter(|&slot| ids[self.ids[slot as usize] as usize].is_some()).collect();
        let mut at = 0;
        self.rest.retain(|_| {
            at += 1;
            indices[at - 1].is_some()
        });
        let renumber = |old: u32, new: &[Option<u32>]| new.get(old as usize).copied().flatten();
        for id in &mut self.ids {
            *id = renumber(*id, ids).unwrap_or(u32::MAX);
        }
        for solid in &mut self.solids {
            *solid = renumber(*solid, indices).unwrap_or(NO_SOLID);
        }
        self.slots.truncate(kept.len());
        self.solid_slots.truncate(self.rest.len());
        self.predicted.truncate(kept.len());
        self.reorder(&kept);
    }
}

impl crate::solver::touch::Touches {
    /// Takes new numbers of particles; contacts of those that have none are gone.
    fn renumber(&mut self, ids: &[Option<u32>]) {
        self.now.retain_mut(|contact| {
            let touched = match contact.touched {
                ContactTarget::Particle(other) => ids[other as usize].map(ContactTarget::Particle),
                same => Some(same),
            };
            let (Some(particle), Some(touched)) = (ids[contact.particle as usize], touched) else {
                return false;
            };
            (contact.particle, contact.touched) = (particle, touched);
            true
        });
        self.impulses.retain_mut(|impulse| match ids[impulse.particle as usize] {
            Some(particle) => {
                impulse.particle = particle;
                true
            }
            None => false,
        });
        self.events.clear();
    }
}
