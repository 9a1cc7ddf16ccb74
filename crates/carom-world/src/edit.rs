//! Bodies: inserted, removed, queried and changed. All input is checked here.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., figure 25.2 (what precedes the
//! pipeline).

use crate::bodies::body::{self, BodyDesc, Traits};
use crate::bodies::girth::Girth;
use crate::bodies::id::BodyId;
use crate::bodies::size::Size;
use crate::bodies::weight::Weight;
use crate::contacts::ContactSet;
use crate::{World, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Groups};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::{Body, BodyKind, Energy};

impl<B: BroadPhase> World<B> {
    /// Adds a body. Numbers of removed bodies are used again, the last one first.
    ///
    /// Errors: a number out of range, a dynamic body without mass, or no number left.
    pub fn insert(&mut self, desc: BodyDesc) -> Result<BodyId, WorldError> {
        let (traits, body) = body::admit(&desc)?;
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
            self.bodies.girths.push(Girth::NONE);
            self.bodies.traits.push(Traits::NONE);
            self.bodies.weights.push(Weight::NONE);
            self.bodies.motions.push(Body::fixed(Pose::IDENTITY));
            self.bodies.proxies.push(None);
            self.bodies.is_stale.push(false);
            self.bodies.free.push(index as u32);
        }
        self.bodies.traits[index] = traits;
        self.bodies.weights[index] = desc.weight();
        self.bodies.motions[index] = body;
        self.bodies.girths[index] = Girth::of(&desc.shape, self.bodies.motions[index].center_of_mass);
        let aabb = self.box_of(index, &desc.shape);
        let proxy = match self.broad.insert(aabb, traits.filter) {
            Ok(proxy) if proxy.index() as usize == index => proxy,
            // The numbers of the broad phase ran out before those of the world.
            refused => {
                self.bodies.traits[index] = Traits::NONE;
                self.bodies.motions[index] = Body::fixed(Pose::IDENTITY);
                self.bodies.girths[index] = Girth::NONE;
                self.broad.remove(refused?)?;
                return Err(WorldError::Full);
            }
        };
        self.bodies.free.pop();
        self.bodies.generations[index] = self.bodies.generations[index].wrapping_add(1);
        self.bodies.put_shape(index, Some(desc.shape));
        self.bodies.proxies[index] = Some(proxy);
        self.bodies.is_stale[index] = true;
        self.contacts.is_changed = true;
        self.continuous.are_fast_known &= !self.bodies.traits[index].is_fast;
        if self.bodies.motions[index].kind != BodyKind::Fixed {
            self.bodies.active.add(index);
        }
        self.bodies.n_live += 1;
        self.bodies.n_sensors += usize::from(desc.is_sensor);
        self.bodies.n_hooked += usize::from(traits.has_hooks());
        self.bodies.n_with_threshold += usize::from(traits.has_threshold());
        self.contacts.rules.set_body(index as u32, desc.response);
        self.contacts.belts.set(index as u32, desc.surface_velocity, desc.surface_spin);
        Ok(self.bodies.id_at(index as u32))
    }

    /// Removes a body and its joints, and wakes the bodies that it touched.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        if let Some(proxy) = self.bodies.proxies[index].take() {
            self.broad.remove(proxy)?;
        }
        self.budget.round_robin.are_rings_known &= !self.joints.remove_of(id.index);
        self.solver.forget(index);
        self.contacts.rules.forget(id.index);
        self.contacts.belts.set(id.index, Vec3::ZERO, Vec3::ZERO);
        self.bodies.deforming.forget(id.index);
        self.bodies.active.note_removal();
        self.bodies.steering.forget(id.index);
        self.bodies.weights[index] = Weight::NONE;
        self.continuous.are_fast_known &= !self.bodies.traits[index].is_fast;
        self.bodies.put_shape(index, None);
        self.bodies.n_sensors -= usize::from(self.bodies.traits[index].is_sensor);
        self.bodies.n_hooked -= usize::from(self.bodies.traits[index].has_hooks());
        self.bodies.n_with_threshold -= usize::from(self.bodies.traits[index].has_threshold());
        self.contacts.hooked.memory.retain(|(pair, _)| !pair.contains(&id.index));
        self.bodies.traits[index] = Traits::NONE;
        self.bodies.motions[index] = Body::fixed(Pose::IDENTITY);
        self.bodies.generations[index] = self.bodies.generations[index].wrapping_add(1);
        self.contacts.is_renumbered = true;
        self.bodies.free.push(id.index);
        self.contacts.is_changed = true;
        self.bodies.n_live -= 1;
        Ok(())
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.n_live
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.n_live == 0
    }

    /// All bodies, in the order of their numbers.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let is_live = |id: &BodyId| self.bodies.shapes[id.index as usize].is_some();
        (0..self.bodies.motions.len() as u32).map(|index| self.bodies.id_at(index)).filter(is_live)
    }

    /// Returns the energy of all bodies after a step with substeps of `substep`: see
    /// [`Body::energy`]. The potential energy counts springs too: see
    /// [`Joint::spring_energy`](crate::Joint::spring_energy).
    pub fn energy(&self, substep: f32) -> Energy {
        let gravity = self.settings.solver.gravity;
        let motions = &self.bodies.motions;
        let energies = self.body_ids().map(|id| motions[id.index as usize].energy(gravity, substep));
        let mut sum = energies.fold(Energy::default(), |sum, energy| sum + energy);
        for (_, joint) in self.joints.iter() {
            let [a, b] = [joint.body_a, joint.body_b].map(|body| &motions[body as usize]);
            sum.potential += joint.spring_energy(a, b, substep);
        }
        sum
    }

    /// Returns the pose of a body.
    pub fn pose(&self, id: BodyId) -> Result<Pose, WorldError> {
        self.motion(id).map(|body| body.pose)
    }

    /// Returns a body as the solver sees it: mass, pose and motion.
    pub fn motion(&self, id: BodyId) -> Result<&Body, WorldError> {
        self.bodies.index_of(id).map(|index| &self.bodies.motions[index])
    }

    /// The shape of a body.
    pub fn shape(&self, id: BodyId) -> Result<&Shape, WorldError> {
        let index = self.bodies.index_of(id)?;
        self.bodies.shapes[index].as_ref().ok_or(WorldError::StaleBody(id))
    }

    /// Returns the box of a body in the broad phase: that of its shape with half the prediction
    /// around. For a body that goes far in a step it is the box of its path.
    pub fn aabb(&self, id: BodyId) -> Result<Aabb, WorldError> {
        let index = self.bodies.index_of(id)?;
        let proxy = self.bodies.proxies[index].ok_or(WorldError::StaleBody(id))?;
        Ok(self.broad.aabb(proxy)?)
    }

    /// Returns the number that the caller gave to a body.
    pub fn user_data(&self, id: BodyId) -> Result<u64, WorldError> {
        self.bodies.index_of(id).map(|index| self.bodies.traits[index].user_data)
    }

    /// The body that has a number, [`BodyId::index`]; `None` if no living body has it.
    pub fn body_at(&self, index: u32) -> Option<BodyId> {
        self.bodies.solid_at(index).map(|(id, ..)| id)
    }

    /// Returns the groups that a body is in, and those that it collides with.
    ///
    /// Errors: a stale handle.
    pub fn groups(&self, id: BodyId) -> Result<(Groups, Groups), WorldError> {
        let filter = self.bodies.index_of(id).map(|index| self.bodies.traits[index].filter)?;
        Ok((filter.membership, filter.mask))
    }

    /// Returns the family of a body; 0 is none.
    ///
    /// Errors: a stale handle.
    pub fn family(&self, id: BodyId) -> Result<u32, WorldError> {
        self.bodies.index_of(id).map(|index| self.bodies.traits[index].family)
    }

    /// Whether a body is a sensor.
    ///
    /// Errors: a stale handle.
    pub fn is_sensor(&self, id: BodyId) -> Result<bool, WorldError> {
        self.bodies.index_of(id).map(|index| self.bodies.traits[index].is_sensor)
    }

    /// Whether the body sleeps: steps do not move it until something wakes it.
    pub fn is_sleeping(&self, id: BodyId) -> Result<bool, WorldError> {
        self.motion(id).map(|body| body.is_sleeping)
    }

    /// Whether a budget left a body out of the last step. It keeps its pose and its velocity: see
    /// [`Undone::n_halted`](crate::Undone::n_halted).
    pub fn is_halted(&self, id: BodyId) -> Result<bool, WorldError> {
        self.bodies.index_of(id).map(|index| self.bodies.is_halted(index))
    }

    /// Moves a body to a pose, and wakes it and the bodies that it touched.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        let pose = Pose::try_new(pose.rotation, pose.translation)?;
        self.wake_around(id);
        self.bodies.motions[index].pose = pose;
        // Its contacts are not carried along.
        if let Some(seen) = self.bodies.detected_poses.get_mut(index) {
            *seen = None;
        }
        self.refit(index);
        Ok(())
    }

    /// Gives a body another shape, and wakes it and the bodies that it touched. Mass and inertia
    /// stay.
    pub fn set_shape(&mut self, id: BodyId, shape: Shape) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        self.bodies.deforming.forget(id.index);
        self.bodies.put_shape(index, Some(shape));
        // Caches of the old shape are dropped.
        let ContactSet { pairs_by_body, pairs, records, .. } = &mut self.contacts;
        pairs_by_body.visit(pairs, id.index, |place| {
            if records[place].a == id || records[place].b == id {
                records[place].forget();
            }
        });
        self.refit(index);
        Ok(())
    }

    /// Sets the velocities of a body, and wakes it.
    pub fn set_velocity(&mut self, id: BodyId, linear: Vec3, angular: Vec3) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        body::check_velocity(linear, angular)?;
        self.bodies.wake(index);
        let body = &mut self.bodies.motions[index];
        body.linear_velocity = linear;
        body.angular_velocity = angular;
        self.bodies.steering.stop(id.index);
        self.bodies.is_stale[index] |= self.bodies.is_halted(index);
        self.expand_bounds_of(index);
        Ok(())
    }

    /// Sets the force and the torque that act on a body in each step from now on, and wakes it.
    pub fn set_force(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        if !(force.is_finite() && torque.is_finite()) {
            return Err(WorldError::BadNumber("force"));
        }
        self.bodies.wake(index);
        let body = &mut self.bodies.motions[index];
        (body.force, body.torque) = (force, torque);
        Ok(())
    }

    /// Changes the motion of a dynamic body by an impulse at a point of the world, and wakes it.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, point: Vec3) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        if !(impulse.is_finite() && point.is_finite()) {
            return Err(WorldError::BadNumber("impulse"));
        }
        let mut pushed = self.bodies.motions[index];
        pushed.apply_impulse(impulse, point);
        body::check_velocity(pushed.linear_velocity, pushed.angular_velocity)?;
        self.bodies.wake(index);
        self.bodies.motions[index] = pushed;
        self.bodies.is_stale[index] |= self.bodies.is_halted(index);
        self.expand_bounds_of(index);
        Ok(())
    }

    /// Changes the groups of a body, and wakes it and the bodies that it touched.
    pub fn set_groups(&mut self, id: BodyId, membership: Groups, mask: Groups) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        let filter = self.bodies.traits[index].filter.with_groups(membership, mask);
        self.bodies.traits[index].filter = filter;
        if let Some(proxy) = self.bodies.proxies[index] {
            self.broad.set_filter(proxy, filter)?;
        }
        // Pairs may begin although nothing moved.
        self.bodies.is_stale[index] = true;
        self.contacts.is_changed = true;
        Ok(())
    }

    /// Wakes a body and the bodies that it fell asleep with.
    pub fn wake(&mut self, id: BodyId) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.bodies.wake(index);
        Ok(())
    }

    /// Replaces all settings. The next step wakes the bodies that a change concerns, as after
    /// [`World::solver_settings_mut`].
    ///
    /// Errors: a setting out of its bounds; nothing is changed.
    pub fn set_settings(&mut self, settings: WorldSettings) -> Result<(), WorldError> {
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// Wakes all bodies. For each one the time at rest starts from zero, also if it was awake.
    pub fn wake_all(&mut self) {
        for body in 0..self.bodies.motions.len() {
            self.bodies.wake(body);
        }
    }

    /// Wakes the body, all bodies that touch it, and all bodies that are joined to it.
    pub(crate) fn wake_around(&mut self, id: BodyId) {
        let mut others = Vec::new();
        let ContactSet { pairs_by_body, pairs, records, .. } = &mut self.contacts;
        pairs_by_body.visit(pairs, id.index, |place| {
            let record = &records[place];
            if record.is_touching && !record.is_sensor && (record.a == id || record.b == id) {
                others.push(if record.a == id { record.b } else { record.a });
            }
        });
        let joined = self.joints.of(id.index).iter().map(|&(other, _)| other);
        for body in others.into_iter().map(|other| other.index).chain(joined).chain([id.index]) {
            self.bodies.wake(body as usize);
        }
    }
}
