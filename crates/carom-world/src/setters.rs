//! Changes of a body after it was inserted: how it moves, its mass, its material, and whom it
//! meets.
//!
//! The handle, joints and contacts stay. A change wakes the body; if it matters to the bodies that
//! touch it, these too.
//!
//! Reference: E. Catto, Box2D 3.1, body.h and shape.h, 2025 (which properties of a body can be
//! changed).

use crate::bodies::body::{check_damping, check_not_negative};
use crate::bodies::weight::Weight;
use crate::contacts::ContactSet;
use crate::hooks::ActiveHooks;
use crate::{BodyId, World, WorldError};
use alloc::vec::Vec;
use carom_broad::{BroadPhase, Mobility};
use carom_geom::MassProperties;
use carom_response::{Body, BodyKind, CombineRule, LockedAxes};

impl<B: BroadPhase> World<B> {
    /// How a body moves.
    pub fn mobility(&self, id: BodyId) -> Result<Mobility, WorldError> {
        self.bodies.index_of(id).map(|index| self.bodies.traits[index].filter.mobility)
    }

    /// Makes a body move in another way, and wakes it and what touches it.
    ///
    /// Its points keep their velocities; what becomes static stops. A body that becomes dynamic
    /// gets the mass that it was inserted with or given since, or that of its shape and density.
    ///
    /// Errors: a stale handle; [`WorldError::NoMass`] if it cannot be dynamic. Nothing is changed
    /// then.
    pub fn set_mobility(&mut self, id: BodyId, mobility: Mobility) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        if self.bodies.traits[index].filter.mobility == mobility {
            return Ok(());
        }
        let Some(shape) = &self.bodies.shapes[index] else { return Ok(()) };
        let old = self.bodies.motions[index];
        let new = match mobility {
            Mobility::Static => Body::fixed(old.pose),
            Mobility::Kinematic => {
                let velocity = old.velocity_at(old.pose.translation);
                Body::kinematic(old.pose, velocity, old.angular_velocity)
            }
            Mobility::Dynamic => dynamic(&old, &self.bodies.weights[index].of(shape)?),
        };
        let new = with_settings_of(new, &old);
        self.wake_around(id);
        self.bodies.steering.forget(id.index);
        self.bodies.motions[index] = new;
        let filter = &mut self.bodies.traits[index].filter;
        filter.mobility = mobility;
        if let Some(proxy) = self.bodies.proxies[index] {
            self.broad.set_filter(proxy, *filter)?;
        }
        self.bodies.renew_shape(index);
        if mobility != Mobility::Static {
            self.bodies.active.add(index);
        }
        self.bodies.active.note_removal();
        self.refilter_all(id);
        self.refit(index);
        Ok(())
    }

    /// Gives a body another mass, in the unit of mass. Its centre stays, and its inertia grows in
    /// proportion.
    ///
    /// Its velocities stay, so its momentum changes. A body that is not dynamic has this mass when
    /// it becomes so.
    ///
    /// Errors: a stale handle; [`WorldError::NoMass`] if the mass is not positive and finite, or
    /// the shape gives no inertia: see [`World::set_mass_properties`].
    pub fn set_mass(&mut self, id: BodyId, mass: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        let Some(shape) = &self.bodies.shapes[index] else { return Ok(()) };
        let weight = match self.bodies.weights[index] {
            // Only the proportions count, so any density will do.
            Weight::Density(0.0) => Weight::Density(1.0),
            weight => weight,
        };
        let old = weight.of(shape)?;
        let inertia = old.inertia * (mass / old.mass);
        self.set_mass_properties(id, MassProperties::new(mass, old.center, inertia))
    }

    /// Gives a body another mass, centre of mass and inertia, in its frame, and wakes it.
    ///
    /// The velocities of its points stay. A body that is not dynamic has this mass when it becomes
    /// so.
    ///
    /// Errors: a stale handle; [`WorldError::NoMass`] if a number is out of its range.
    pub fn set_mass_properties(&mut self, id: BodyId, mass: MassProperties) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        let Some(shape) = &self.bodies.shapes[index] else { return Ok(()) };
        let weight = Weight::Given(mass);
        let mass = weight.of(shape)?;
        self.bodies.weights[index] = weight;
        let old = self.bodies.motions[index];
        if old.kind == BodyKind::Dynamic {
            self.wake_around(id);
            self.bodies.motions[index] = with_settings_of(dynamic(&old, &mass), &old);
            self.bodies.renew_shape(index);
            self.refit(index);
        }
        Ok(())
    }

    /// Sets the friction of a body, Coulomb's coefficient, and wakes it and what touches it.
    ///
    /// Errors: a stale handle, or a number that is negative or not finite.
    pub fn set_friction(&mut self, id: BodyId, friction: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        check_not_negative(friction, "friction")?;
        self.wake_around(id);
        self.bodies.traits[index].friction = friction;
        Ok(())
    }

    /// Sets the restitution of a body, and wakes it and what touches it.
    ///
    /// Errors: a stale handle, or a number that is negative or not finite.
    pub fn set_restitution(&mut self, id: BodyId, restitution: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        check_not_negative(restitution, "restitution")?;
        self.wake_around(id);
        self.bodies.traits[index].restitution = restitution;
        Ok(())
    }

    /// Sets how the friction and the restitution of a body are combined with those of another one,
    /// and wakes it and what touches it.
    ///
    /// Errors: a stale handle.
    pub fn set_combine_rules(
        &mut self,
        id: BodyId,
        friction: CombineRule,
        restitution: CombineRule,
    ) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        let traits = &mut self.bodies.traits[index];
        (traits.friction_rule, traits.restitution_rule) = (friction, restitution);
        Ok(())
    }

    /// Sets the impulse above which contacts of a body are reported:
    /// [`World::impulse_events`](crate::World::impulse_events). `f32::MAX` reports nothing. Wakes
    /// nothing.
    ///
    /// Errors: a stale handle, or a number that is negative or not finite.
    pub fn set_impulse_threshold(&mut self, id: BodyId, threshold: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        check_not_negative(threshold, "impulse threshold")?;
        let traits = &mut self.bodies.traits[index];
        self.bodies.n_with_threshold -= usize::from(traits.has_threshold());
        traits.impulse_threshold = threshold;
        self.bodies.n_with_threshold += usize::from(traits.has_threshold());
        Ok(())
    }

    /// Sets which part of its velocities a body loses per unit of time, linear and angular, and
    /// wakes it.
    ///
    /// Errors: a stale handle, or a number that is negative or not finite.
    pub fn set_damping(&mut self, id: BodyId, linear: f32, angular: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        check_damping(linear, angular)?;
        self.bodies.wake(index);
        let body = &mut self.bodies.motions[index];
        (body.linear_damping, body.angular_damping) = (linear, angular);
        Ok(())
    }

    /// Sets how much of gravity a body feels, and wakes it. 1 is all of it.
    ///
    /// Errors: a stale handle, or a number that is not finite.
    pub fn set_gravity_scale(&mut self, id: BodyId, scale: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        if !scale.is_finite() {
            return Err(WorldError::BadNumber("gravity scale"));
        }
        self.bodies.wake(index);
        self.bodies.motions[index].gravity_scale = scale;
        Ok(())
    }

    /// Locks axes of the world for a dynamic body, and wakes it and what touches it. Velocities
    /// along locked axes end with the next step.
    ///
    /// Errors: a stale handle.
    pub fn set_locked_axes(&mut self, id: BodyId, locked_axes: LockedAxes) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        self.bodies.motions[index].locked_axes = locked_axes;
        Ok(())
    }

    /// Sets the largest speeds of a dynamic body, linear and angular, and wakes it. `f32::MAX` is
    /// no bound.
    ///
    /// Errors: a stale handle, or a number that is negative or not finite.
    pub fn set_max_speeds(&mut self, id: BodyId, linear: f32, angular: f32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        check_not_negative(linear, "max linear speed")?;
        check_not_negative(angular, "max angular speed")?;
        self.bodies.wake(index);
        let body = &mut self.bodies.motions[index];
        (body.max_linear_speed, body.max_angular_speed) = (linear, angular);
        Ok(())
    }

    /// Makes a body a sensor, which is reported and pushes nothing, or a solid one. Wakes it and
    /// what touches it.
    ///
    /// Errors: a stale handle.
    pub fn set_sensor(&mut self, id: BodyId, is_sensor: bool) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        let traits = &mut self.bodies.traits[index];
        if traits.is_sensor == is_sensor {
            return Ok(());
        }
        traits.is_sensor = is_sensor;
        self.bodies.n_sensors = if is_sensor { self.bodies.n_sensors + 1 } else { self.bodies.n_sensors - 1 };
        self.wake_around(id);
        self.note_new_rule(index);
        self.refilter_all(id);
        Ok(())
    }

    /// Marks a body as fast for its size, or not, and wakes it: see
    /// [`BodyDesc::is_fast`](crate::BodyDesc::is_fast).
    ///
    /// Errors: a stale handle.
    pub fn set_fast(&mut self, id: BodyId, is_fast: bool) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.bodies.wake(index);
        self.bodies.traits[index].is_fast = is_fast;
        self.continuous.are_fast_known = false;
        self.bodies.renew_shape(index);
        self.refit(index);
        Ok(())
    }

    /// Sets the hooks that are called for the pairs of a body, and wakes it and what touches it.
    ///
    /// Errors: a stale handle.
    pub fn set_hooks(&mut self, id: BodyId, hooks: ActiveHooks) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        let traits = &mut self.bodies.traits[index];
        self.bodies.n_hooked -= usize::from(traits.has_hooks());
        self.bodies.n_hooked += usize::from(!hooks.is_empty());
        traits.hooks = hooks;
        // What was left out in the last step counts again.
        self.contacts
            .records
            .iter_mut()
            .for_each(|record| record.is_disabled &= record.a != id && record.b != id);
        self.refilter_all(id);
        Ok(())
    }

    /// Allows a body to fall asleep, or keeps it awake.
    ///
    /// Errors: a stale handle.
    pub fn set_can_sleep(&mut self, id: BodyId, can_sleep: bool) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        if !can_sleep {
            self.bodies.wake(index);
        }
        self.bodies.motions[index].can_sleep = can_sleep;
        Ok(())
    }

    /// Puts a body into another family, and wakes it and what touches it. Bodies of one family,
    /// other than 0, do not meet.
    ///
    /// Errors: a stale handle.
    pub fn set_family(&mut self, id: BodyId, family: u32) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.wake_around(id);
        self.bodies.traits[index].family = family;
        self.refilter_all(id);
        Ok(())
    }

    /// Sets the caller's own number of a body. Wakes nothing.
    ///
    /// Errors: a stale handle.
    pub fn set_user_data(&mut self, id: BodyId, user_data: u64) -> Result<(), WorldError> {
        let index = self.bodies.index_of(id)?;
        self.bodies.traits[index].user_data = user_data;
        Ok(())
    }

    /// Finds anew which pairs of a body are wanted, and which there are.
    fn refilter_all(&mut self, id: BodyId) {
        let mut others = Vec::new();
        let ContactSet { pairs_by_body, pairs, records, .. } = &mut self.contacts;
        pairs_by_body.visit(pairs, id.index, |place| {
            let record = &records[place];
            if record.a == id || record.b == id {
                others.push(if record.a == id { record.b.index } else { record.a.index });
            }
        });
        for other in others {
            self.refilter(id.index, other);
        }
        // Pairs may come though nothing moved.
        self.bodies.is_stale[id.index as usize] = true;
        self.contacts.is_changed = true;
    }
}

/// A dynamic body with this mass at the same pose, whose points have the same velocities.
fn dynamic(old: &Body, mass: &MassProperties) -> Body {
    let mut body = Body::dynamic(old.pose, mass.mass, mass.center, mass.inertia);
    body.angular_velocity = old.angular_velocity;
    body.linear_velocity = old.velocity_at(body.world_center());
    body
}

/// The body with those settings of another one that do not depend on the mass.
fn with_settings_of(mut new: Body, old: &Body) -> Body {
    (new.force, new.torque) = (old.force, old.torque);
    new.gravity_scale = old.gravity_scale;
    (new.linear_damping, new.angular_damping) = (old.linear_damping, old.angular_damping);
    new.locked_axes = old.locked_axes;
    (new.max_linear_speed, new.max_angular_speed) = (old.max_linear_speed, old.max_angular_speed);
    new.can_sleep = old.can_sleep;
    new
}
