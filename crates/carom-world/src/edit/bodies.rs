//! Insertion and removal of bodies, access to them, and settings of the world.

use crate::bodies::body::{self, BodyDesc, BodyMass};
use crate::bodies::checks::check_mass;
use crate::bodies::collider::ColliderDesc;
use crate::bodies::composites::Composite;
use crate::bodies::girth::Girth;
use crate::bodies::girth_of;
use crate::bodies::id::BodyId;
use crate::bodies::roundness::Roundness;
use crate::bodies::size::Size;
use crate::bodies::traits::Traits;
use crate::bodies::weight::{self, Weight};
use crate::contacts::ContactSet;
use crate::contacts::rules::set;
use crate::{BodyMut, BodyRef, MassFault, World, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Mobility};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::{Body, BodyKind, Energy};

impl<B: BroadPhase> World<B> {
    /// Adds a body. Numbers of removed bodies are reused, the last one first.
    ///
    /// Errors: a number out of its range, a dynamic body without mass, or [`WorldError::Full`].
    pub fn insert(&mut self, mut desc: BodyDesc) -> Result<BodyId, WorldError> {
        desc.colliders.iter_mut().try_for_each(ColliderDesc::normalize_pose)?;
        let Admitted { traits, body, weight, composite, shape, collider_data, belt } =
            admit(&desc, self.origin())?;
        let index = match self.bodies.free.last() {
            Some(&index) => index as usize,
            None => self.bodies.motions.len(),
        };
        if u32::MAX as usize <= index {
            return Err(WorldError::Full);
        }
        if index == self.bodies.motions.len() {
            self.bodies.generations.push(0);
            self.bodies.shapes.push(None);
            self.bodies.sizes.push(Size::Other);
            self.bodies.roundness.push(Roundness::Sharp);
            self.bodies.girths.push(Girth::NONE);
            self.bodies.traits.push(Traits::NONE);
            self.bodies.weights.push(Weight::NONE);
            self.bodies.motions.push(Body::fixed(Pose::IDENTITY));
            self.bodies.proxies.push(None);
            self.bodies.is_stale.push(false);
            self.bodies.free.push(index as u32);
        }
        self.bodies.replace_traits(index, traits);
        self.bodies.weights[index] = weight;
        self.bodies.motions[index] = body;
        self.bodies.exact_positions.forget(index);
        if let Some(position) = desc.wide_position {
            self.bodies.exact_positions.set(index, body.pose.translation, position - self.origin());
        }
        let center = self.bodies.motions[index].center_of_mass;
        self.bodies.girths[index] = girth_of(composite.as_ref(), &shape, center);
        let aabb = self.box_of(index, &shape);
        let proxy = match self.broad.insert(aabb, traits.filter) {
            Ok(proxy) if proxy.index() as usize == index => proxy,
            // The numbers of the broad phase ran out before those of the world.
            refused => {
                self.bodies.replace_traits(index, Traits::NONE);
                self.bodies.motions[index] = Body::fixed(Pose::IDENTITY);
                self.bodies.girths[index] = Girth::NONE;
                self.broad.remove(refused?)?;
                return Err(WorldError::Full);
            }
        };
        self.bodies.free.pop();
        self.bodies.generations[index] = self.bodies.generations[index].wrapping_add(1);
        self.bodies.composites.set(index as u32, composite);
        self.bodies.put_shape(index, Some(shape));
        set(&mut self.bodies.collider_data, index as u32, (collider_data != 0).then_some(collider_data));
        for (slot, collider) in (0..).zip(desc.colliders) {
            self.bodies.part_materials.put(index as u32, slot, collider.part_materials);
        }
        self.bodies.proxies[index] = Some(proxy);
        self.bodies.is_stale[index] = true;
        self.contacts.is_changed = true;
        self.continuous.are_fast_known &= !self.bodies.traits[index].is_fast;
        if self.bodies.motions[index].kind != BodyKind::Fixed {
            self.bodies.active.add(index);
        }
        self.bodies.n_live += 1;
        self.contacts.rules.set_body(index as u32, desc.response);
        let has_moving_parts = self.bodies.part_materials.move_on(index as u32);
        self.contacts.belts.set(index as u32, belt, has_moving_parts);
        let id = self.bodies.id_at(index as u32);
        if !desc.is_enabled {
            self.body_mut(id)?.set_enabled(false)?;
        }
        if desc.is_sleeping {
            self.put_to_sleep(id);
        }
        Ok(id)
    }

    /// Removes a body with its joints and the gears that couple them. Wakes the bodies that it
    /// touched, and those that the joints and gears connected.
    ///
    /// Errors: the body was removed before.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        #[cfg(feature = "soft")]
        if let Some(soft) = &mut self.soft.set {
            soft.release_from(id);
        }
        if let Some(proxy) = self.bodies.proxies[index].take() {
            self.broad.remove(proxy)?;
        }
        self.remove_joints_of(id.index);
        self.bodies.active.enable(&self.bodies.motions, id.index);
        self.solver.forget(index);
        self.contacts.rules.forget(id.index);
        self.contacts.belts.set(id.index, [Vec3::ZERO; 2], false);
        self.bodies.part_materials.forget(id.index);
        self.bodies.deforming.forget(id.index);
        self.bodies.active.note_removal();
        self.bodies.steering.forget(id.index);
        self.bodies.weights[index] = Weight::NONE;
        self.continuous.are_fast_known &= !self.bodies.traits[index].is_fast;
        self.bodies.put_shape(index, None);
        self.contacts.hooked.forget(id.index);
        self.bodies.composites.set(id.index, None);
        set(&mut self.bodies.collider_data, id.index, None);
        self.bodies.replace_traits(index, Traits::NONE);
        self.bodies.motions[index] = Body::fixed(Pose::IDENTITY);
        self.bodies.generations[index] = self.bodies.generations[index].wrapping_add(1);
        self.contacts.is_renumbered = true;
        self.bodies.free.push(id.index);
        self.contacts.is_changed = true;
        self.bodies.n_live -= 1;
        Ok(())
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.n_live
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.n_live == 0
    }

    /// Returns a view of a body, for reading.
    ///
    /// Errors: the body was removed.
    pub fn body(&self, id: BodyId) -> Result<BodyRef<'_, B>, WorldError> {
        let index = self.bodies.index_of(id)?;
        let proxy = self.bodies.proxies[index].ok_or(WorldError::StaleBody(id))?;
        let shape = self.bodies.shapes[index].as_ref().ok_or(WorldError::StaleBody(id))?;
        Ok(BodyRef { world: self, id, shape, aabb: self.broad.aabb(proxy)? })
    }

    /// Returns a view of a body, for changes. The view itself wakes nothing; its setters wake the
    /// bodies that a change affects.
    ///
    /// Errors: the body was removed.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_, B>, WorldError> {
        self.bodies.index_of(id)?;
        Ok(BodyMut { world: self, id })
    }

    /// Returns views of all bodies, in the order of their numbers.
    pub fn bodies(&self) -> impl Iterator<Item = BodyRef<'_, B>> {
        self.body_ids().filter_map(|id| self.body(id).ok())
    }

    /// Returns the handles of all bodies, in the order of their numbers.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let is_live = |id: &BodyId| self.bodies.shapes[id.index as usize].is_some();
        (0..self.bodies.motions.len() as u32).map(|index| self.bodies.id_at(index)).filter(is_live)
    }

    /// Returns the handles of the bodies that are awake, in the order of their numbers. These are
    /// the dynamic ones that do not sleep, suspended or not, and all kinematic ones. The cost
    /// grows with their number, not with that of all bodies.
    pub fn active_bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        let awake = self.bodies.active.awake_now(&self.bodies.motions);
        awake.into_iter().map(|index| self.bodies.id_at(index))
    }

    /// Returns the energy of all bodies that are enabled. The potential energy includes that of
    /// the springs of joints that act: see [`Joint::spring_energy`](crate::Joint::spring_energy).
    ///
    /// After a step, velocities lag half a substep behind positions, and [`Body::energy`] takes
    /// that into account, with the substeps of the last step. Before the first one, the energy is
    /// that of the velocities as they are.
    pub fn energy(&self) -> Energy {
        let (gravity, substep) = (self.settings.solver.gravity, self.solver.substep_length());
        let motions = &self.bodies.motions;
        let enabled =
            self.body_ids().map(|id| id.index as usize).filter(|body| self.bodies.is_enabled(*body));
        let energies = enabled.map(|body| motions[body].energy(gravity, substep));
        let mut sum = energies.fold(Energy::default(), |sum, energy| sum + energy);
        for (_, joint) in self.joints.iter().filter(|(id, _)| self.joints.acts(*id)) {
            let [a, b] = [joint.body_a, joint.body_b].map(|body| &motions[body as usize]);
            sum.potential += joint.spring_energy(a, b, substep);
        }
        sum
    }

    /// Returns the body with a number, [`BodyId::index`]; `None` if no living body has it.
    pub fn body_at(&self, index: u32) -> Option<BodyId> {
        let is_live = self.bodies.shapes.get(index as usize).is_some_and(Option::is_some);
        is_live.then(|| self.bodies.id_at(index))
    }

    /// Replaces all settings. The next step wakes the bodies on which a change acts, as after
    /// [`World::solver_settings_mut`].
    ///
    /// Errors: a setting out of its bounds; nothing is changed.
    pub fn set_settings(&mut self, settings: WorldSettings) -> Result<(), WorldError> {
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Wakes all bodies and soft things. Restarts their rest times, also those of awake ones.
    pub fn wake_all(&mut self) {
        #[cfg(feature = "soft")]
        self.wake_soft();
        for body in 0..self.bodies.motions.len() {
            self.bodies.wake(body);
        }
    }

    /// Puts a body to sleep if it is dynamic and may sleep. Drops its forces for the next step.
    pub(crate) fn put_to_sleep(&mut self, id: BodyId) {
        let index = id.index as usize;
        if self.settings.solver.sleep && self.bodies.motions[index].can_sleep && self.bodies.is_enabled(index)
        {
            set(&mut self.bodies.steering.forces, id.index, None);
            self.bodies.active.put_to_sleep(&mut self.bodies.motions, index);
            // The velocity is zero now.
            self.expand_bounds_of(index);
        }
    }

    /// Wakes the body, all bodies that touch it, and all bodies that are joined to it. If a soft
    /// thing touches it, soft things wake.
    pub(crate) fn wake_around(&mut self, id: BodyId) {
        #[cfg(feature = "soft")]
        self.wake_soft_on(id);
        let mut others = Vec::new();
        let ContactSet { pairs_by_body, pairs, states, .. } = &mut self.contacts;
        pairs_by_body.visit(pairs, id.index, |index| {
            let state = &states[index];
            if state.is_touching && !state.is_sensor && (state.a == id || state.b == id) {
                others.push(if state.a == id { state.b } else { state.a });
            }
        });
        let joined = self.joints.of(id.index).iter().map(|&(other, _)| other);
        for body in others.into_iter().map(|other| other.index).chain(joined).chain([id.index]) {
            self.bodies.wake(body as usize);
        }
    }
}

/// A checked description, in the form in which the world stores it.
struct Admitted {
    traits: Traits,
    body: Body,
    weight: Weight,
    composite: Option<Composite>,
    shape: Shape,
    /// User data of the collider, if it is the only one.
    collider_data: u64,
    /// The surface velocity and spin of the first collider that has them.
    belt: [Vec3; 2],
}

/// Returns mass, centre and inertia of the solid colliders, scaled to a total mass. If all
/// colliders are sensors, they all count.
///
/// Errors: a mass that is not positive and finite, or [`WorldError::NoMass`] if the colliders give
/// no inertia.
fn scaled_to(total: f32, colliders: &[ColliderDesc]) -> Result<MassProperties, WorldError> {
    check_mass(total)?;
    let all_sense = colliders.iter().all(|collider| collider.is_sensor);
    let counted = colliders.iter().filter(|collider| all_sense || !collider.is_sensor);
    let is_light = counted.clone().all(|collider| collider.density == 0.0);
    let density_of = |collider: &ColliderDesc| if is_light { 1.0 } else { collider.density };
    let mass_of =
        |collider: &ColliderDesc| collider.shape.mass_properties(density_of(collider)).placed(&collider.pose);
    let masses: Vec<MassProperties> = counted.clone().map(mass_of).collect();
    let shapes: Vec<(&Shape, f32)> =
        counted.map(|collider| (&collider.shape, density_of(collider))).collect();
    let own = weight::checked(MassProperties::combined(&masses), &shapes)?;
    let inertia = own.inertia * (total / own.mass);
    weight::checked(MassProperties::new(total, own.center, inertia), &shapes)
}

/// Checks a description.
fn admit(desc: &BodyDesc, origin: DVec3) -> Result<Admitted, WorldError> {
    let found = Composite::of(&desc.colliders, desc.mobility)?;
    let has_parts =
        |collider: &ColliderDesc| collider.part_materials.as_ref().is_some_and(|parts| !parts.is_empty());
    let base = Traits {
        filter: carom_broad::Filter::new(desc.mobility),
        is_fast: desc.ccd,
        records_pushes: desc.records_pushes,
        user_data: desc.user_data,
        has_part_materials: desc.colliders.iter().any(has_parts),
        ..Traits::NONE
    };
    let given = match desc.mass {
        BodyMass::Colliders => None,
        BodyMass::Total(mass) => match scaled_to(mass, &desc.colliders) {
            // Only a dynamic body needs a mass.
            Err(WorldError::NoMass(_)) if desc.mobility != Mobility::Dynamic => None,
            mass => Some(mass?),
        },
        BodyMass::Given(mass) => Some(mass),
    };
    let (traits, weight, composite, shape, collider_data) = match (found, &desc.colliders[..]) {
        (Some((composite, shape)), _) => {
            let weight =
                given.map_or(Weight::Colliders, |mass| Weight::Given(mass, Weight::Colliders.density()));
            (composite.summary(&base), weight, Some(composite), shape, 0)
        }
        (None, [only, ..]) => {
            let own = only.traits(desc.mobility);
            let traits = Traits {
                is_fast: base.is_fast,
                records_pushes: base.records_pushes,
                has_part_materials: base.has_part_materials,
                user_data: base.user_data,
                ..own
            };
            let weight =
                given.map_or(Weight::Density(only.density), |mass| Weight::Given(mass, only.density));
            (traits, weight, None, only.shape.clone(), only.user_data)
        }
        (None, []) => return Err(WorldError::NoMass(MassFault::NoCollider)),
    };
    let body = body::admit(desc, weight, origin, |weight| match (&composite, weight) {
        (Some(composite), Weight::Colliders) => composite.mass(),
        _ => weight.of(&shape),
    })?;
    let belts = desc
        .colliders
        .iter()
        .map(|collider| [collider.material.surface_velocity, collider.material.surface_spin]);
    let belt = belts.into_iter().find(|belt| *belt != [Vec3::ZERO; 2]).unwrap_or([Vec3::ZERO; 2]);
    Ok(Admitted { traits, body, weight, composite, shape, collider_data, belt })
}
