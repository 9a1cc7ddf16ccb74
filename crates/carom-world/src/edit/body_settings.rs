//! The view of a body for writing, continued: mobility, mass, material, filter, hooks and
//! responses.
//!
//! Reference: E. Catto, Box2D 3.1, body.h and shape.h, 2025 (which properties of a body can be
//! changed).

use crate::bodies::active_hooks::ActiveHooks;
use crate::bodies::checks::{
    check_damping, check_mass, check_not_negative, check_number, check_response, check_surface,
};
use crate::bodies::id::ColliderSlot;
use crate::bodies::traits::Traits;
use crate::bodies::weight::Weight;
use crate::contacts::ContactSet;
use crate::contacts::belts::{Belt, in_collider};
use crate::contacts::narrow;
use crate::{BodyId, BodyMass, BodyMut, Filter, Material, World, WorldError};
use carom_broad::{BroadPhase, Groups, Mobility};
use carom_geom::MassProperties;
use carom_math::Vec3;
use carom_response::{Body, BodyKind, CombineRule, LockedAxes, Response};

impl<B: BroadPhase> BodyMut<'_, B> {
    /// Sets whether the body is fixed, kinematic or dynamic, and wakes it and the bodies that it
    /// touches.
    ///
    /// The points of the body keep their velocities, except that a body that becomes fixed stops.
    /// A body that becomes dynamic gets the mass that was set last, or that of its shapes and
    /// densities. If its shape changed while it was dynamic, it gets the mass of that time.
    ///
    /// A kinematic body that a target moved in the last step keeps the velocity of that step, so
    /// it can be thrown. Its next target is dropped.
    ///
    /// Errors: [`WorldError::NoMass`] if it cannot be dynamic. Nothing is changed then.
    pub fn set_mobility(&mut self, mobility: Mobility) -> Result<&mut Self, WorldError> {
        let index = self.index();
        if self.world.bodies.traits[index].filter.mobility == mobility {
            return Ok(self);
        }
        let old = self.world.bodies.motions[index];
        let new = match mobility {
            Mobility::Fixed => Body::fixed(old.pose),
            Mobility::Kinematic => {
                let velocity = old.velocity_at(old.pose.translation);
                Body::kinematic(old.pose, velocity, old.angular_velocity)
            }
            Mobility::Dynamic => {
                dynamic(&old, &self.world.bodies.mass_of(index, &self.world.bodies.weights[index])?)
            }
        };
        let new = with_settings_of(new, &old);
        self.world.wake_around(self.id);
        self.world.bodies.steering.forget(self.id.index);
        self.world.bodies.motions[index] = new;
        self.world.bodies.traits[index].filter.mobility = mobility;
        self.world.renew_proxy_filter(index)?;
        self.world.bodies.renew_shape(index);
        if mobility != Mobility::Fixed {
            self.world.bodies.active.add(index);
        }
        self.world.bodies.active.note_removal();
        // Joints connect dynamic bodies only.
        self.world.budget.round_robin.are_rings_known = false;
        self.world.refilter_all(self.id);
        self.world.refit(index);
        Ok(self)
    }

    /// Enables or disables the body. Wakes the bodies that it touches and those of its joints. Does
    /// nothing if it is so already.
    ///
    /// A disabled body keeps its handle, pose, velocities, colliders, joints and settings, and
    /// setters change them. Steps leave it where it is. It meets nothing: it has no contacts and
    /// no events, those that it had end, and queries do not find it. Its joints do not act. Soft
    /// things pass through it, and vertices that are attached to it are held in place.
    ///
    /// Forces for the next step and targets are dropped, and ignored until it is enabled. Then it
    /// goes on with its velocities, awake. A body that a target moved stands still, as after its
    /// arrival. A disabled body does not sleep, and has no energy: see [`World::energy`].
    ///
    /// There are no errors.
    #[doc(alias = "SetEnabled")]
    #[doc(alias = "b2Body_Disable")]
    #[doc(alias = "b2Body_Enable")]
    pub fn set_enabled(&mut self, is_enabled: bool) -> Result<&mut Self, WorldError> {
        let index = self.index();
        if self.world.bodies.is_enabled(index) == is_enabled {
            return Ok(self);
        }
        if is_enabled {
            self.world.bodies.active.enable(&self.world.bodies.motions, self.id.index);
            self.world.bodies.wake(index);
        } else {
            self.world.wake_around(self.id);
            self.world.bodies.stop_at_target(self.id.index);
            self.world.bodies.steering.forget(self.id.index);
            self.world.bodies.active.disable(self.id.index);
            #[cfg(feature = "soft")]
            self.world.drop_loads_of(self.id);
        }
        self.world.renew_proxy_filter(index)?;
        self.world.update_idle_joints_of(self.id.index);
        self.world.continuous.are_fast_known = false;
        // Pairs may begin although no body moved. The length of steps may have changed meanwhile.
        self.world.refit(index);
        self.world.budget.round_robin.are_rings_known = false;
        #[cfg(feature = "soft")]
        self.world.wake_soft_on(self.id);
        Ok(self)
    }

    /// Sets the mass of the body. Its centre of mass stays, and its inertia is scaled in
    /// proportion, whatever its shape is.
    ///
    /// Its velocities stay, so its momentum changes. A body that is not dynamic gets this mass when
    /// it becomes dynamic.
    ///
    /// Errors: a mass that is not positive and finite, or [`WorldError::NoMass`] if the shape gives
    /// no inertia: see [`BodyMut::set_mass_properties`].
    pub fn set_mass(&mut self, mass: f32) -> Result<&mut Self, WorldError> {
        check_mass(mass)?;
        let old = match self.world.bodies.weights[self.index()] {
            Weight::Given(given, _) | Weight::Kept(given, _) if 0.0 < given.mass => given,
            _ => self.world.bodies.proportions(self.index())?,
        };
        self.set_mass_properties(scaled_to(mass, &old))
    }

    /// Sets mass, centre of mass and inertia of the body, in its frame, and wakes it.
    ///
    /// The velocities of its points stay. A body that is not dynamic gets this mass when it becomes
    /// dynamic.
    ///
    /// Errors: a mass that is not positive and finite, or another number that is not finite.
    pub fn set_mass_properties(&mut self, mass: MassProperties) -> Result<&mut Self, WorldError> {
        let density = self.world.bodies.weights[self.index()].density();
        self.world.put_weight(self.id, Weight::Given(mass, density))?;
        Ok(self)
    }

    /// Sets the source of the mass of the body, as in a description: see [`BodyMass`]. Wakes the
    /// body and the bodies that touch it, unless nothing changes. The velocities of its points
    /// stay.
    ///
    /// With [`BodyMass::Colliders`] a mass that was given is forgotten. Mass, centre and inertia
    /// are those of the present shapes and densities, and follow them from now on.
    ///
    /// Errors: a number out of its range, or [`WorldError::NoMass`] if a dynamic body would have no
    /// mass. Nothing is changed then.
    #[doc(alias = "ApplyMassFromShapes")]
    #[doc(alias = "recompute_mass_properties_from_colliders")]
    pub fn set_mass_source(&mut self, source: BodyMass) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let density = self.world.bodies.weights[index].density();
        let is_dynamic = self.world.bodies.motions[index].kind == BodyKind::Dynamic;
        let given = match source {
            BodyMass::Colliders => None,
            BodyMass::Total(mass) => {
                check_mass(mass)?;
                match self.world.bodies.proportions(index) {
                    // Only a dynamic body needs a mass.
                    Err(WorldError::NoMass(_)) if !is_dynamic => None,
                    old => Some(scaled_to(mass, &old?)),
                }
            }
            BodyMass::Given(mass) => Some(mass),
        };
        let weight = match (given, self.world.composite(index)) {
            (Some(mass), _) => Weight::Given(mass, density),
            (None, Some(_)) => Weight::Colliders,
            (None, None) => Weight::Density(density),
        };
        if self.world.bodies.weights[index] != weight {
            self.world.put_weight(self.id, weight)?;
        }
        Ok(self)
    }

    /// Sets the density of all colliders of the body, mass per volume. The mass of the body is
    /// updated, unless it was given: [`BodyMut::set_mass_source`].
    ///
    /// Errors: a number that is negative or not finite, or a dynamic body would have no mass.
    /// Nothing is changed then.
    pub fn set_density(&mut self, density: f32) -> Result<&mut Self, WorldError> {
        check_not_negative(density, "density")?;
        if self.world.composite(self.index()).is_none() {
            self.world.collider_mut(ColliderSlot::FIRST.on(self.id))?.set_density(density)?;
            return Ok(self);
        }
        self.world.edit_composite(self.id, |slots, _| {
            for collider in slots.iter_mut().filter_map(|slot| slot.collider.as_mut()) {
                collider.density = density;
            }
        })?;
        Ok(self)
    }

    /// Sets the material of all colliders of the body, with friction, restitution, rolling and
    /// spinning friction, combine rules and surface velocity. Parts with materials of their own
    /// keep them. Wakes the body and the bodies that touch it.
    ///
    /// Errors: a number out of its range. Nothing is changed then.
    pub fn set_material(&mut self, material: Material) -> Result<&mut Self, WorldError> {
        let index = self.index();
        material.check()?;
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| *traits = traits.with_material(&material))?;
        let mut own = [material.surface_velocity, material.surface_spin];
        if let Some(composite) = self.world.bodies.composites.get_mut(index as u32) {
            composite.change_all(&mut |collider| collider.surface = own);
            own = composite.first_belt().map_or([Vec3::ZERO; 2], |collider| collider.surface);
        }
        self.put_belt(own);
        Ok(self)
    }

    /// Sets the surface velocity and spin of the first collider that has them.
    fn put_belt(&mut self, belt: [Vec3; 2]) {
        let body = self.id.index;
        let has_moving_parts = self.world.bodies.part_materials.move_on(body);
        self.world.contacts.belts.set(body, belt, has_moving_parts);
    }

    /// Sets the friction of all colliders of the body, Coulomb's coefficient. Wakes the body and
    /// the bodies that touch it.
    ///
    /// Errors: a number that is negative or not finite.
    pub fn set_friction(&mut self, friction: f32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_not_negative(friction, "friction")?;
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| traits.friction = friction)?;
        Ok(self)
    }

    /// Sets the restitution of all colliders of the body. Wakes the body and the bodies that touch
    /// it.
    ///
    /// Errors: a number that is negative or not finite.
    pub fn set_restitution(&mut self, restitution: f32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_not_negative(restitution, "restitution")?;
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| traits.restitution = restitution)?;
        Ok(self)
    }

    /// Sets how the friction and the restitution of all colliders of the body are combined with
    /// those of another body. Wakes the body and the bodies that touch it. There are no errors.
    pub fn set_combine_rules(
        &mut self,
        friction: CombineRule,
        restitution: CombineRule,
    ) -> Result<&mut Self, WorldError> {
        let index = self.index();
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| {
            (traits.friction_rule, traits.restitution_rule) = (friction, restitution);
        })?;
        Ok(self)
    }

    /// Sets the threshold of impulse events of all colliders of the body, mass times speed: see
    /// [`World::impulse_events`](crate::World::impulse_events). `f32::MAX` reports nothing. Wakes
    /// nothing.
    ///
    /// Errors: a number that is negative or not finite.
    pub fn set_impulse_threshold(&mut self, threshold: f32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_not_negative(threshold, "impulse threshold")?;
        self.world.change_colliders(index, |traits| traits.impulse_threshold = threshold)?;
        Ok(self)
    }

    /// Sets the linear and the angular damping of the body, and wakes it. They are rates per unit
    /// of time: see [`BodyDesc::linear_damping`](crate::BodyDesc::linear_damping).
    ///
    /// Errors: a number that is negative or not finite.
    pub fn set_damping(&mut self, linear: f32, angular: f32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_damping(linear, angular)?;
        self.world.bodies.wake(index);
        let body = &mut self.world.bodies.motions[index];
        (body.linear_damping, body.angular_damping) = (linear, angular);
        Ok(self)
    }

    /// Sets the factor of gravity on the body, and wakes it; 1 is full gravity.
    ///
    /// Errors: a number that is not finite.
    pub fn set_gravity_scale(&mut self, scale: f32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_number(scale, "gravity scale")?;
        self.world.bodies.wake(index);
        self.world.bodies.motions[index].gravity_scale = scale;
        Ok(self)
    }

    /// Locks axes of the world for a dynamic body. Wakes the body and the bodies that touch it.
    /// The next step removes velocities along locked axes. There are no errors.
    pub fn set_locked_axes(&mut self, locked_axes: LockedAxes) -> Result<&mut Self, WorldError> {
        let index = self.index();
        self.world.wake_around(self.id);
        self.world.bodies.motions[index].locked_axes = locked_axes;
        Ok(self)
    }

    /// Sets the largest speeds of a dynamic body, and wakes it: linear in length per time, angular
    /// in radians per time. `f32::MAX` is no bound.
    ///
    /// Errors: a number that is negative or not finite.
    pub fn set_max_speeds(&mut self, linear: f32, angular: f32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_not_negative(linear, "max linear speed")?;
        check_not_negative(angular, "max angular speed")?;
        self.world.bodies.wake(index);
        let body = &mut self.world.bodies.motions[index];
        (body.max_linear_speed, body.max_angular_speed) = (linear, angular);
        Ok(self)
    }

    /// Makes all colliders of the body sensors, which are reported and push nothing, or solid.
    /// Wakes the body and the bodies that touch it. The mass of a body of several colliders is
    /// updated, unless it was given.
    ///
    /// Errors: [`WorldError::NoMass`] if a dynamic body of several colliders would have no mass.
    /// Nothing is changed then.
    pub fn set_sensor(&mut self, is_sensor: bool) -> Result<&mut Self, WorldError> {
        let index = self.index();
        if self.world.composite(index).is_some() {
            self.world.edit_composite(self.id, |slots, _| {
                for collider in slots.iter_mut().filter_map(|slot| slot.collider.as_mut()) {
                    (collider.traits.is_sensor, collider.traits.has_sensor) = (is_sensor, is_sensor);
                }
            })?;
            return Ok(self);
        }
        if self.world.bodies.traits[index].is_sensor == is_sensor {
            return Ok(self);
        }
        self.world.change_colliders(index, |traits| {
            (traits.is_sensor, traits.has_sensor) = (is_sensor, is_sensor);
        })?;
        self.world.wake_around(self.id);
        self.world.note_new_rule(index);
        self.world.refilter_all(self.id);
        Ok(self)
    }

    /// Sets whether the body is swept in each step (continuous detection), and wakes it: see
    /// [`BodyDesc::ccd`](crate::BodyDesc::ccd). There are no errors.
    pub fn set_ccd(&mut self, is_fast: bool) -> Result<&mut Self, WorldError> {
        let index = self.index();
        self.world.bodies.wake(index);
        self.world.bodies.traits[index].is_fast = is_fast;
        self.world.continuous.are_fast_known = false;
        self.world.bodies.renew_shape(index);
        self.world.refit(index);
        Ok(self)
    }

    /// Sets whether the pushes on the body are recorded: see
    /// [`BodyDesc::records_pushes`](crate::BodyDesc::records_pushes). Wakes nothing. There are no
    /// errors.
    pub fn set_recorded_pushes(&mut self, records_pushes: bool) -> Result<&mut Self, WorldError> {
        let index = self.index();
        let traits = Traits { records_pushes, ..self.world.bodies.traits[index] };
        self.world.bodies.replace_traits(index, traits);
        Ok(self)
    }

    /// Sets the hooks of all colliders of the body. Wakes the body and the bodies that touch it.
    /// There are no errors.
    pub fn set_hooks(&mut self, hooks: ActiveHooks) -> Result<&mut Self, WorldError> {
        let index = self.index();
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| traits.hooks = hooks)?;
        let id = self.id;
        self.world.contacts.enable_all_of(id);
        self.world.refilter_all(id);
        Ok(self)
    }

    /// Sets whether the body may fall asleep. If it may not, it wakes. There are no errors.
    pub fn set_can_sleep(&mut self, can_sleep: bool) -> Result<&mut Self, WorldError> {
        let index = self.index();
        if !can_sleep {
            self.world.bodies.wake(index);
        }
        self.world.bodies.motions[index].can_sleep = can_sleep;
        Ok(self)
    }

    /// Sets the family of all colliders of the body. Wakes the body and the bodies that touch it.
    /// Colliders of one family, other than 0, do not collide. There are no errors.
    pub fn set_family(&mut self, family: u32) -> Result<&mut Self, WorldError> {
        let index = self.index();
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| traits.family = family)?;
        self.world.forget_filters_of(self.id);
        self.world.refilter_all(self.id);
        Ok(self)
    }

    /// Sets the filter of all colliders of the body: groups, mask and family. Wakes the body and
    /// the bodies that touch it. There are no errors.
    pub fn set_filter(&mut self, filter: Filter) -> Result<&mut Self, WorldError> {
        self.set_groups(filter.groups, filter.mask)?.set_family(filter.family)
    }

    /// Sets the groups of all colliders of the body, and the groups `mask` with which they
    /// collide. Wakes the body and the bodies that it touched. There are no errors.
    pub fn set_groups(&mut self, membership: Groups, mask: Groups) -> Result<&mut Self, WorldError> {
        let index = self.index();
        self.world.wake_around(self.id);
        self.world.change_colliders(index, |traits| {
            traits.filter = traits.filter.with_groups(membership, mask);
        })?;
        self.world.forget_filters_of(self.id);
        // Pairs may begin although no body moved.
        self.world.bodies.is_stale[index] = true;
        self.world.contacts.is_changed = true;
        Ok(self)
    }

    /// Sets the user data of the body. Wakes nothing.
    pub fn set_user_data(&mut self, user_data: u64) -> &mut Self {
        let index = self.index();
        self.world.bodies.traits[index].user_data = user_data;
        self
    }

    /// Sets the velocity of the surface of all colliders relative to the body, in the body's
    /// frame. Wakes the body and the bodies that it touches. Parts with materials of their own
    /// keep them.
    ///
    /// `velocity` is that at the body's origin, length per time. `spin` is the angular velocity
    /// about it, radians per time. A belt has the first, a turntable the second, and a curved belt
    /// both. At each contact, friction pulls the other body to the tangential part of this
    /// velocity; the normal part is ignored. A dynamic body gets the opposite impulse, like a
    /// tracked vehicle. Zero stops the surface.
    ///
    /// The surface may add energy, like a motor. Its power is at most friction times speed.
    ///
    /// A body that the surface carries does not fall asleep. A body that something holds in place,
    /// such as a wall, slips and may fall asleep. It wakes if the wall is removed, or if this
    /// setter is called.
    ///
    /// Errors: a number that is not finite, also at a collider far from the body's origin. Nothing
    /// is changed then.
    pub fn set_surface_velocity(&mut self, velocity: Vec3, spin: Vec3) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_surface(velocity, spin)?;
        let mut own = [velocity, spin];
        match self.world.composite(index) {
            Some(composite) => composite.colliders().try_for_each(|(_, collider)| {
                let [velocity, spin] = in_collider([velocity, spin], &collider.pose);
                check_surface(velocity, spin)
            })?,
            None if self.world.contacts.belts.of(index as u32) == Some(&Belt { velocity, spin }) => {
                return Ok(self);
            }
            None => {}
        }
        self.world.wake_around(self.id);
        if let Some(composite) = self.world.bodies.composites.get_mut(index as u32) {
            composite.change_all(&mut |collider| {
                collider.surface = in_collider([velocity, spin], &collider.pose);
            });
            own = composite.first_belt().map_or([Vec3::ZERO; 2], |collider| collider.surface);
        }
        self.put_belt(own);
        Ok(self)
    }

    /// Sets the response of the body to the bodies that it touches, and wakes it and the bodies
    /// that it touched.
    ///
    /// Bodies that stick are joined by a weld joint, which [`World::responses`] reports. They no
    /// longer collide, and the event of their contact is
    /// [`EventKind::Ended`](crate::EventKind::Ended). To part them, set the response to
    /// [`Response::Collide`] and remove the joint. While the joint is disabled, they collide, and
    /// do not stick again.
    ///
    /// Errors: [`WorldError::BadValue`] if the impulse of a [`Response::Knock`] is negative or not
    /// finite. Nothing is changed then.
    pub fn set_response(&mut self, response: Response) -> Result<&mut Self, WorldError> {
        let index = self.index();
        check_response(response)?;
        self.world.wake_around(self.id);
        self.world.contacts.rules.set_body(self.id.index, response);
        self.world.note_new_rule(index);
        Ok(self)
    }
}

impl<B: BroadPhase> World<B> {
    /// Sets the source of the mass of a body, and wakes it and the bodies that it touches. The
    /// velocities of its points stay.
    ///
    /// Errors: a number out of its range, or [`WorldError::NoMass`] if a dynamic body has no mass.
    /// Nothing is changed then.
    pub(crate) fn put_weight(&mut self, id: BodyId, weight: Weight) -> Result<(), WorldError> {
        let index = id.index as usize;
        let old = self.bodies.motions[index];
        if let (Weight::Given(..), _) | (_, BodyKind::Dynamic) = (weight, old.kind) {
            let mass = self.bodies.mass_of(index, &weight)?;
            if old.kind == BodyKind::Dynamic {
                self.wake_around(id);
                self.bodies.motions[index] = with_settings_of(dynamic(&old, &mass), &old);
                self.bodies.renew_shape(index);
                self.refit(index);
            }
        }
        self.bodies.weights[index] = weight;
        Ok(())
    }

    /// Passes the filter of a body to the broad phase.
    pub(crate) fn renew_proxy_filter(&mut self, index: usize) -> Result<(), WorldError> {
        if let Some(proxy) = self.bodies.proxies[index] {
            self.broad.set_filter(proxy, self.bodies.proxy_filter(index))?;
        }
        Ok(())
    }

    /// Makes the pairs of a body of several colliders due, after a filter changed.
    fn forget_filters_of(&mut self, id: BodyId) {
        if self.bodies.traits[id.index as usize].is_composite {
            self.forget_contacts_of(id);
        }
    }

    /// Updates which pairs of a body exist and are tested.
    pub(crate) fn refilter_all(&mut self, id: BodyId) {
        let World { joints, bodies, contacts, budget, .. } = self;
        let ContactSet { pairs_by_body, pairs, states, .. } = contacts;
        let is_live = |id: BodyId| bodies.id_at(id.index) == id;
        pairs_by_body.visit(pairs, id.index, |index| {
            let state = &mut states[index];
            if (state.a == id || state.b == id) && is_live(state.a) && is_live(state.b) {
                state.set_wanted(narrow::is_wanted(state.pair(), &bodies.traits, &bodies.motions, joints));
            }
        });
        // Pairs may begin although no body moved.
        bodies.is_stale[id.index as usize] = true;
        budget.round_robin.are_rings_known = false;
        contacts.is_changed = true;
    }
}

/// Returns a dynamic body with this mass at the same pose, whose points have the same velocities.
pub(crate) fn dynamic(old: &Body, mass: &MassProperties) -> Body {
    let mut body = Body::dynamic(old.pose, mass.mass, mass.center, mass.inertia);
    body.angular_velocity = old.angular_velocity;
    body.linear_velocity = old.velocity_at(body.world_center());
    body
}

/// Returns the body with the settings of another one that do not depend on the mass.
pub(crate) fn with_settings_of(mut new: Body, old: &Body) -> Body {
    (new.force, new.torque) = (old.force, old.torque);
    new.gravity_scale = old.gravity_scale;
    (new.linear_damping, new.angular_damping) = (old.linear_damping, old.angular_damping);
    new.locked_axes = old.locked_axes;
    (new.max_linear_speed, new.max_angular_speed) = (old.max_linear_speed, old.max_angular_speed);
    new.can_sleep = old.can_sleep;
    new
}

/// Returns a mass with the centre of `old`, and with its inertia scaled in proportion.
fn scaled_to(mass: f32, old: &MassProperties) -> MassProperties {
    MassProperties::new(mass, old.center, old.inertia * (mass / old.mass))
}
