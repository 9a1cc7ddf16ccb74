//! Insertion and removal of colliders, and access to them.
//!
//! A body with a single collider at its frame has no list of colliders. It gets one, a `Composite`,
//! when a second collider is inserted or the pose of the first is changed, and keeps it. All
//! changes of a composite go through [`World::put_composite`].
//!
//! Reference: rapier 0.36, `ColliderSet` (colliders that come and go on a body).

use crate::bodies::collider::ColliderDesc;
use crate::bodies::composites::{Collider, Composite, PartsBySlot, Slot, parts_of};
use crate::bodies::id::ColliderSlot;
use crate::bodies::part_materials::PartMaterial;
use crate::bodies::traits::Traits;
use crate::bodies::weight::Weight;
use crate::contacts::ContactSet;
use crate::contacts::touches::Touch;
use crate::edit::body_settings::{dynamic, with_settings_of};
use crate::{BodyId, ColliderId, ColliderMut, ColliderRef, MassFault, World, WorldError};
use alloc::sync::Arc;
use alloc::vec::Vec;
use carom_broad::BroadPhase;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::BodyKind;

impl<B: BroadPhase> World<B> {
    /// Adds a collider to a body, and wakes it and the bodies that it touches.
    ///
    /// The mass is updated, unless it was given ([`BodyRef::mass_source`]): it is the sum over all
    /// colliders that are not sensors, each with its own density. If all are sensors, it is the sum
    /// over these. The body's frame and the velocities of its points stay.
    ///
    /// [`BodyRef::mass_source`]: crate::BodyRef::mass_source
    ///
    /// The common shape of all colliders is built anew: use [`World::insert_colliders`] for many.
    ///
    /// Errors: a stale body, a number out of its range, [`WorldError::Full`], or a dynamic body
    /// would have no mass, for instance with a half-space. Nothing is changed then.
    pub fn insert_collider(
        &mut self,
        body: BodyId,
        collider: impl Into<ColliderDesc>,
    ) -> Result<ColliderId, WorldError> {
        let slots = self.insert_all(body, alloc::vec![collider.into()])?;
        Ok(slots[0].on(body))
    }

    /// Adds colliders to a body at once, in this order. It does the same as
    /// [`World::insert_collider`] for each, in time proportional to the number of colliders.
    ///
    /// Errors: those of [`World::insert_collider`], for the first collider that has one. Nothing
    /// is changed then.
    pub fn insert_colliders(
        &mut self,
        body: BodyId,
        colliders: impl IntoIterator<Item = ColliderDesc>,
    ) -> Result<Vec<ColliderId>, WorldError> {
        let colliders: Vec<ColliderDesc> = colliders.into_iter().collect();
        if colliders.is_empty() {
            return self.bodies.index_of(body).map(|_| Vec::new());
        }
        let slots = self.insert_all(body, colliders)?;
        Ok(slots.into_iter().map(|slot| slot.on(body)).collect())
    }

    fn insert_all(
        &mut self,
        body: BodyId,
        mut colliders: Vec<ColliderDesc>,
    ) -> Result<Vec<ColliderSlot>, WorldError> {
        let index = self.bodies.index_of(body)?;
        for desc in &mut colliders {
            desc.normalize_pose()?;
            desc.check()?;
        }
        let mobility = self.bodies.traits[index].filter.mobility;
        let inserted = self.edit_composite(body, |slots, parts| {
            // A number whose generations are used up is not reused.
            let is_free = |slot: &Slot| slot.collider.is_none() && slot.generation < u16::MAX - 1;
            let mut place = 0;
            let mut insert = |desc: &ColliderDesc| {
                let free = slots[place..].iter().position(is_free);
                place = free.map_or(slots.len(), |next| place + next);
                if place == slots.len() {
                    slots.push(Slot { generation: 0, collider: None });
                    parts.push(Vec::new());
                }
                parts[place] = parts_of(&desc.shape, &desc.pose);
                slots[place].generation += 1;
                slots[place].collider = Some(Collider::of(desc, mobility, parts[place].len()));
                ColliderSlot { index: place as u16, generation: slots[place].generation }
            };
            colliders.iter().map(&mut insert).collect::<Vec<_>>()
        })?;
        let part_materials = colliders.into_iter().map(|desc| desc.part_materials);
        self.put_part_materials(body, inserted.iter().copied().zip(part_materials))?;
        Ok(inserted)
    }

    /// Removes a collider from its body, and wakes the body and the bodies that it touched. The
    /// mass is updated: see [`World::insert_collider`]. A body without a collider keeps its mass,
    /// and touches nothing.
    ///
    /// The common shape of the others is built anew: use [`World::remove_colliders`] for many.
    ///
    /// Errors: a stale collider, or a dynamic body whose other colliders have no mass. Nothing is
    /// changed then.
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<(), WorldError> {
        self.remove_colliders(&[id])
    }

    /// Removes colliders at once: see [`World::remove_collider`]. The time for each of their
    /// bodies is proportional to the number of its colliders. A collider may be listed twice.
    ///
    /// Errors: those of [`World::remove_collider`]. Nothing is changed by a stale collider. If a
    /// body would have no mass, the colliders of this body and of those after it stay.
    pub fn remove_colliders(&mut self, ids: &[ColliderId]) -> Result<(), WorldError> {
        for &id in ids {
            self.index_of_collider(id)?;
        }
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for of_body in sorted.chunk_by(|x, y| x.body == y.body) {
            self.edit_composite(of_body[0].body, |slots, parts| {
                for index in of_body.iter().map(|id| usize::from(id.slot.index)) {
                    slots[index].collider = None;
                    slots[index].generation += 1;
                    parts[index].clear();
                }
            })?;
            self.put_part_materials(of_body[0].body, of_body.iter().map(|id| (id.slot, None)))?;
        }
        Ok(())
    }

    /// Sets the materials of the parts of colliders, which must have been checked, and updates the
    /// properties of their body.
    pub(crate) fn put_part_materials(
        &mut self,
        id: BodyId,
        of_colliders: impl Iterator<Item = (ColliderSlot, Option<Arc<[PartMaterial]>>)>,
    ) -> Result<(), WorldError> {
        let (index, part_materials) = (id.index as usize, &mut self.bodies.part_materials);
        let mut is_changed = false;
        for (slot, parts) in of_colliders {
            if parts.is_some() || !part_materials.is_empty() {
                part_materials.put(id.index, slot.index, parts);
                is_changed = true;
            }
        }
        if !is_changed {
            return Ok(());
        }
        let own = self.contacts.belts.of(id.index).map_or([Vec3::ZERO; 2], |belt| [belt.velocity, belt.spin]);
        self.contacts.belts.set(id.index, own, part_materials.move_on(id.index));
        let traits =
            Traits { has_part_materials: part_materials.are_on(id.index), ..self.bodies.traits[index] };
        self.put_traits(index, traits)
    }

    /// Returns a view of a collider, for reading.
    ///
    /// Errors: the collider or its body was removed.
    pub fn collider(&self, id: ColliderId) -> Result<ColliderRef<'_, B>, WorldError> {
        self.index_of_collider(id)?;
        Ok(ColliderRef { body: self.body(id.body)?, id })
    }

    /// Returns a view of a collider, for changes. The view itself wakes nothing; its setters wake
    /// the bodies that a change affects.
    ///
    /// Errors: the collider or its body was removed.
    pub fn collider_mut(&mut self, id: ColliderId) -> Result<ColliderMut<'_, B>, WorldError> {
        self.index_of_collider(id)?;
        Ok(ColliderMut { world: self, id })
    }

    /// Returns the number of the body of a collider.
    pub(crate) fn index_of_collider(&self, id: ColliderId) -> Result<usize, WorldError> {
        let stale = WorldError::StaleCollider(id);
        let index = self.bodies.index_of(id.body).map_err(|_| stale)?;
        let is_live = match self.composite(index) {
            Some(composite) => composite.get(id.slot).is_some(),
            None => id.slot == ColliderSlot::FIRST,
        };
        if is_live { Ok(index) } else { Err(stale) }
    }

    pub(crate) fn composite(&self, index: usize) -> Option<&Composite> {
        self.bodies.composite(index)
    }

    /// Returns the only collider of a body that has no composite.
    pub(crate) fn single_collider(&self, index: usize) -> Collider {
        let belt = self.contacts.belts.of(index as u32);
        Collider {
            traits: Traits {
                user_data: self.bodies.data_of(index, ColliderSlot::FIRST),
                is_fast: false,
                records_pushes: false,
                ..self.bodies.traits[index]
            },
            density: self.bodies.weights[index].density(),
            pose: Pose::IDENTITY,
            surface: belt.map_or([Vec3::ZERO; 2], |belt| [belt.velocity, belt.spin]),
            n_parts: 1,
        }
    }

    /// Changes the colliders of a body and their parts: see [`World::put_composite`].
    ///
    /// Errors: a dynamic body without mass. Nothing is changed then.
    pub(crate) fn edit_composite<R>(
        &mut self,
        id: BodyId,
        edit: impl FnOnce(&mut Vec<Slot>, &mut PartsBySlot) -> R,
    ) -> Result<R, WorldError> {
        let (mut slots, mut parts) = self.parts_of_body(id.index as usize)?;
        let result = edit(&mut slots, &mut parts);
        let (composite, shape) = Composite::assemble(slots, parts)?;
        self.put_composite(id, composite, shape)?;
        Ok(result)
    }

    /// Returns the colliders of a body and their parts, to be changed.
    fn parts_of_body(&self, index: usize) -> Result<(Vec<Slot>, PartsBySlot), WorldError> {
        if let Some(composite) = self.composite(index) {
            return Ok((composite.slots().to_vec(), composite.parts()));
        }
        let shape = self.bodies.shapes[index].as_ref().ok_or(WorldError::NoMass(MassFault::NoCollider))?;
        let (composite, _) = Composite::of_single(shape, self.single_collider(index))?;
        Ok((composite.slots().to_vec(), composite.parts()))
    }

    /// Replaces the colliders of a body, and wakes it and the bodies that it touches. The mass is
    /// updated.
    ///
    /// Errors: a dynamic body has no mass. Nothing is changed then.
    fn put_composite(&mut self, id: BodyId, composite: Composite, shape: Shape) -> Result<(), WorldError> {
        let index = id.index as usize;
        let is_empty = composite.colliders().next().is_none();
        if is_empty {
            self.bodies.keep_mass(index);
        }
        let weight = match self.bodies.weights[index] {
            given @ Weight::Given(..) => given,
            Weight::Kept(mass, density) if is_empty => Weight::Kept(mass, density),
            Weight::Density(_) | Weight::Colliders | Weight::Kept(..) => Weight::Colliders,
        };
        let old = self.bodies.motions[index];
        let mut new = old;
        if old.kind == BodyKind::Dynamic && weight == Weight::Colliders {
            new = with_settings_of(dynamic(&old, &composite.mass()?), &old);
        }
        self.wake_around(id);
        self.begin_touches_of(id);
        // A body that was woken keeps its flags.
        if new != old {
            let woken = self.bodies.motions[index];
            self.bodies.motions[index] = with_settings_of(new, &woken);
        }
        self.bodies.deforming.forget(id.index);
        self.bodies.weights[index] = weight;
        let belt = composite.first_belt().map_or([Vec3::ZERO; 2], |collider| collider.surface);
        self.contacts.belts.set(id.index, belt, self.bodies.part_materials.move_on(id.index));
        self.bodies.collider_data.retain(|&(body, _)| body != id.index);
        let traits = composite.summary(&self.bodies.traits[index]);
        let single = self.bodies.shapes[index].as_ref();
        let is_renumbered = !composite.has_numbers_of(self.composite(index), single);
        self.bodies.composites.set(id.index, Some(composite));
        self.put_traits(index, traits)?;
        self.bodies.put_shape(index, Some(shape));
        self.forget_contacts_of(id);
        if is_renumbered {
            self.contacts.drop_contacts_of(id);
        }
        self.contacts.enable_all_of(id);
        self.note_new_rule(index);
        self.refilter_all(id);
        self.refit(index);
        Ok(())
    }

    /// Before a body gets a list of colliders: its touching pairs become those of its first
    /// collider.
    fn begin_touches_of(&mut self, id: BodyId) {
        if self.bodies.traits[id.index as usize].is_composite {
            return;
        }
        let mut touches = core::mem::take(&mut self.contacts.touches);
        let contacts = &mut self.contacts;
        let (traits, states) = (&self.bodies.traits, &contacts.states);
        contacts.pairs_by_body.visit(&contacts.pairs, id.index, |index| {
            let state = &states[index];
            let other = if state.a == id { state.b } else { state.a };
            let is_of_single = !traits[other.index as usize].is_composite;
            if state.is_touching && [state.a, state.b].contains(&id) && is_of_single {
                let slots = [ColliderSlot::FIRST; 2];
                touches.push(Touch { a: state.a, b: state.b, slots, is_sensor: state.is_sensor });
            }
        });
        touches.sort_unstable();
        self.contacts.touches = touches;
    }

    /// Replaces the properties of a body, and updates the counts.
    pub(crate) fn put_traits(&mut self, index: usize, traits: Traits) -> Result<(), WorldError> {
        let old = self.bodies.replace_traits(index, traits);
        if let Some(proxy) = self.bodies.proxies[index].filter(|_| old.filter != traits.filter) {
            self.broad.set_filter(proxy, self.bodies.proxy_filter(index))?;
        }
        Ok(())
    }

    /// Drops the caches of the pairs of a body, after its shape changed.
    pub(crate) fn forget_contacts_of(&mut self, id: BodyId) {
        let ContactSet { pairs_by_body, pairs, states, .. } = &mut self.contacts;
        pairs_by_body.visit(pairs, id.index, |index| {
            if states[index].a == id || states[index].b == id {
                states[index].forget();
            }
        });
    }

    /// Applies the same change to all colliders of a body, and updates the properties of the body.
    pub(crate) fn change_colliders(
        &mut self,
        index: usize,
        mut change: impl FnMut(&mut Traits),
    ) -> Result<(), WorldError> {
        let mut traits = self.bodies.traits[index];
        change(&mut traits);
        if traits.is_composite
            && let Some(composite) = self.bodies.composites.get_mut(index as u32)
        {
            composite.change_all(&mut |collider| change(&mut collider.traits));
            composite.renew();
            traits = composite.summary(&traits);
        }
        self.put_traits(index, traits)
    }
}
