//! The view of a collider for writing: [`World::collider_mut`](crate::World::collider_mut).
//!
//! A setter wakes the body and, if the change affects them, the bodies that touch it. A setter that
//! returns an error has changed nothing. The handle stays.
//!
//! Reference: E. Catto, Box2D 3.1, shape.h, 2025 (which properties of a shape can be changed).

use crate::bodies::checks::{check_not_negative, unit_pose};
use crate::bodies::composites::{Collider, Composite, moved, parts_of};
use crate::bodies::id::ColliderSlot;
use crate::bodies::part_materials::{PartMaterial, check_parts};
use crate::bodies::solids::Part;
use crate::contacts::rules::set;
use crate::world::DefaultBroadPhase;
use crate::{ActiveHooks, ColliderId, Filter, Material, World, WorldError};
use alloc::sync::Arc;
use carom_broad::BroadPhase;
use carom_math::{Pose, Vec3};
use carom_query::Shape;

/// A view of a collider, for changes. Each setter returns the view, so calls can be chained.
pub struct ColliderMut<'a, B: BroadPhase = DefaultBroadPhase> {
    pub(crate) world: &'a mut World<B>,
    /// The handle of an existing collider.
    pub(crate) id: ColliderId,
}

impl<B: BroadPhase> core::fmt::Debug for ColliderMut<'_, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("ColliderMut").field(&self.id).finish()
    }
}

impl<B: BroadPhase> ColliderMut<'_, B> {
    /// Returns the handle of the collider.
    pub fn id(&self) -> ColliderId {
        self.id
    }

    /// Sets the shape of the collider, in the collider's frame. The mass of the body is updated,
    /// unless it was given: [`BodyRef::mass_source`](crate::BodyRef::mass_source).
    ///
    /// Errors: a dynamic body would have no mass, or [`ColliderMut::set_part_materials`] was given
    /// for another number of parts than the shape has.
    pub fn set_shape(&mut self, shape: Shape) -> Result<&mut Self, WorldError> {
        let index = usize::from(self.id.slot.index);
        self.world.bodies.part_materials.check_shape(self.id.body.index, self.id.slot.index, &shape)?;
        self.world.edit_composite(self.id.body, |slots, parts| {
            if let Some(collider) = &mut slots[index].collider {
                parts[index] = parts_of(&shape, &collider.pose);
                collider.n_parts = parts[index].len() as u32;
            }
        })?;
        Ok(self)
    }

    /// Sets the pose of the collider in the frame of its body. The mass of the body is updated,
    /// unless it was given.
    ///
    /// Errors: a pose that is not finite or not a rotation.
    pub fn set_local_pose(&mut self, pose: Pose) -> Result<&mut Self, WorldError> {
        let pose = unit_pose(&pose)?;
        let index = usize::from(self.id.slot.index);
        self.world.edit_composite(self.id.body, |slots, parts| {
            if let Some(collider) = &mut slots[index].collider {
                parts[index] = moved(&parts[index], &collider.pose, &pose);
                collider.pose = pose;
            }
        })?;
        Ok(self)
    }

    /// Sets the material of the collider. Parts with materials of their own keep them.
    ///
    /// Errors: a number out of its range.
    pub fn set_material(&mut self, material: Material) -> Result<&mut Self, WorldError> {
        material.check()?;
        self.change_traits(|collider| {
            collider.traits = collider.traits.with_material(&material);
            collider.surface = [material.surface_velocity, material.surface_spin];
        })
    }

    /// Sets the materials of its parts, one for each part. They replace that of the collider; an
    /// empty list removes them. Wakes the body and the bodies that touch it. See
    /// [`ColliderDesc::part_materials`](crate::ColliderDesc::part_materials).
    ///
    /// Errors: the number of materials differs from that of the parts, or a number is out of its
    /// range.
    pub fn set_part_materials(
        &mut self,
        part_materials: impl Into<Arc<[PartMaterial]>>,
    ) -> Result<&mut Self, WorldError> {
        let (part_materials, index) = (part_materials.into(), self.id.body.index as usize);
        let bodies = &self.world.bodies;
        let shape = bodies.solids([&[], &[]]).shape(index, Part::Slot(self.id.slot.index));
        shape.map_or(Ok(()), |shape| check_parts(shape, &part_materials))?;
        self.world.wake_around(self.id.body);
        let own = core::iter::once((self.id.slot, Some(part_materials)));
        self.world.put_part_materials(self.id.body, own)?;
        Ok(self)
    }

    /// Sets the filter of the collider: groups, mask and family. There are no errors.
    pub fn set_filter(&mut self, filter: Filter) -> Result<&mut Self, WorldError> {
        self.change_traits(|collider| {
            collider.traits.filter = collider.traits.filter.with_groups(filter.groups, filter.mask);
            collider.traits.family = filter.family;
        })
    }

    /// Makes the collider a sensor, which is reported and pushes nothing, or a solid one. The mass
    /// of the body is updated, unless it was given.
    ///
    /// Errors: a dynamic body would have no mass.
    pub fn set_sensor(&mut self, is_sensor: bool) -> Result<&mut Self, WorldError> {
        self.change(|collider| {
            (collider.traits.is_sensor, collider.traits.has_sensor) = (is_sensor, is_sensor);
        })
    }

    /// Sets the density of the collider, mass per volume. The mass of the body is updated, unless
    /// it was given; [`BodyMut::set_mass_source`](crate::BodyMut::set_mass_source) changes that.
    ///
    /// Errors: a number that is negative or not finite, or a dynamic body would have no mass.
    pub fn set_density(&mut self, density: f32) -> Result<&mut Self, WorldError> {
        check_not_negative(density, "density")?;
        self.change(|collider| collider.density = density)
    }

    /// Sets the hooks that are called for pairs of the collider. There are no errors.
    pub fn set_hooks(&mut self, hooks: ActiveHooks) -> Result<&mut Self, WorldError> {
        self.change_traits(|collider| collider.traits.hooks = hooks)
    }

    /// Sets the threshold of impulse events of the collider, mass times speed.
    ///
    /// Errors: a number that is negative or not finite.
    pub fn set_impulse_threshold(&mut self, threshold: f32) -> Result<&mut Self, WorldError> {
        check_not_negative(threshold, "impulse threshold")?;
        self.change_traits(|collider| collider.traits.impulse_threshold = threshold)
    }

    /// Sets the user data of the collider. Wakes nothing.
    pub fn set_user_data(&mut self, user_data: u64) -> &mut Self {
        let (body, slot) = (self.id.body.index, self.id.slot);
        let bodies = &mut self.world.bodies;
        if bodies.traits[body as usize].is_composite {
            if let Some(composite) = bodies.composites.get_mut(body) {
                composite.change(slot, |collider| collider.traits.user_data = user_data);
            }
        } else {
            set(&mut bodies.collider_data, body, (user_data != 0).then_some(user_data));
        }
        self
    }

    /// Changes the properties of the collider other than its shape, its density and whether it is a
    /// sensor.
    fn change_traits(&mut self, change: impl FnOnce(&mut Collider)) -> Result<&mut Self, WorldError> {
        if self.world.bodies.traits[self.id.body.index as usize].is_composite {
            self.world.put_collider_traits(self.id, change)?;
            return Ok(self);
        }
        self.change(change)
    }

    /// Changes the properties of the collider other than its shape.
    fn change(&mut self, change: impl FnOnce(&mut Collider)) -> Result<&mut Self, WorldError> {
        let (id, index) = (self.id.body, self.id.body.index as usize);
        if !self.world.bodies.traits[index].is_composite && self.id.slot == ColliderSlot::FIRST {
            let mut collider = self.world.single_collider(index);
            change(&mut collider);
            self.world.put_single(id, &collider)?;
            return Ok(self);
        }
        let place = usize::from(self.id.slot.index);
        self.world.edit_composite(id, |slots, _| {
            slots.get_mut(place).and_then(|slot| slot.collider.as_mut()).map(change);
        })?;
        Ok(self)
    }
}

impl<B: BroadPhase> World<B> {
    /// Changes the properties of a collider of a body with several, and wakes the body and the
    /// bodies that it touches. All shapes, the mass and the sensors stay.
    fn put_collider_traits(
        &mut self,
        id: ColliderId,
        change: impl FnOnce(&mut Collider),
    ) -> Result<(), WorldError> {
        let (body, index) = (id.body, id.body.index as usize);
        self.wake_around(body);
        let Some(composite) = self.bodies.composites.get_mut(body.index) else { return Ok(()) };
        let filter_and_hooks = |composite: &Composite| {
            composite.get(id.slot).map(|collider| (collider.traits.user_filter(), collider.traits.hooks))
        };
        let old = filter_and_hooks(composite);
        composite.change(id.slot, change);
        composite.renew();
        let new = filter_and_hooks(composite);
        let belt = composite.first_belt().map_or([Vec3::ZERO; 2], |collider| collider.surface);
        let traits = composite.summary(&self.bodies.traits[index]);
        self.contacts.belts.set(body.index, belt, self.bodies.part_materials.move_on(body.index));
        self.put_traits(index, traits)?;
        // Other pairs of its colliders may meet now.
        if old != new {
            self.forget_contacts_of(body);
            self.contacts.enable_all_of(body);
        }
        self.refilter_all(body);
        Ok(())
    }

    /// Replaces the properties of the only collider of a body, and wakes it and the bodies that it
    /// touches. Its shape stays.
    ///
    /// Errors: a dynamic body has no mass. Nothing is changed then.
    fn put_single(&mut self, id: crate::BodyId, collider: &Collider) -> Result<(), WorldError> {
        use crate::bodies::weight::Weight;
        let index = id.index as usize;
        match self.bodies.weights[index] {
            // The density counts when the mass comes from the collider again.
            Weight::Given(mass, _) => self.bodies.weights[index] = Weight::Given(mass, collider.density),
            known if known.density() == collider.density => {}
            _ => self.put_weight(id, Weight::Density(collider.density))?,
        }
        self.wake_around(id);
        let old = self.bodies.traits[index];
        let traits = crate::bodies::traits::Traits {
            user_data: old.user_data,
            is_fast: old.is_fast,
            records_pushes: old.records_pushes,
            ..collider.traits
        };
        self.put_traits(index, traits)?;
        self.contacts.belts.set(id.index, collider.surface, self.bodies.part_materials.move_on(id.index));
        if old.hooks != traits.hooks {
            self.contacts.enable_all_of(id);
        }
        if old.is_sensor != traits.is_sensor {
            self.note_new_rule(index);
        }
        self.refilter_all(id);
        Ok(())
    }
}
