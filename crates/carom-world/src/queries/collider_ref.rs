//! The view of a collider for reading: [`World::collider`](crate::World::collider).
//!
//! Reference: E. Catto, Box2D 3.1, shape.h, 2025 (which properties of a shape can be read).

use crate::bodies::composites::Collider;
use crate::bodies::id::ColliderSlot;
use crate::bodies::traits::Traits;
use crate::world::DefaultBroadPhase;
use crate::{ActiveHooks, BodyRef, ColliderId, Filter, Material, PartMaterial};
use alloc::vec::Vec;
use carom_bounds::Aabb;
use carom_broad::BroadPhase;
use carom_math::Pose;
use carom_query::Shape;

/// A view of a collider, for reading. It consists of references, so copies are cheap.
pub struct ColliderRef<'a, B: BroadPhase = DefaultBroadPhase> {
    pub(crate) body: BodyRef<'a, B>,
    /// The handle of an existing collider.
    pub(crate) id: ColliderId,
}

impl<B: BroadPhase> Clone for ColliderRef<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: BroadPhase> Copy for ColliderRef<'_, B> {}

impl<B: BroadPhase> core::fmt::Debug for ColliderRef<'_, B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ColliderRef").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<'a, B: BroadPhase> ColliderRef<'a, B> {
    fn index(&self) -> usize {
        self.id.body.index as usize
    }

    fn collider(&self) -> Option<&'a Collider> {
        self.body.world.composite(self.index())?.at(self.id.slot.index)
    }

    pub(crate) fn traits(&self) -> &'a Traits {
        self.collider().map_or(&self.body.world.bodies.traits[self.index()], |collider| &collider.traits)
    }

    /// Returns the handle of the collider.
    pub fn id(&self) -> ColliderId {
        self.id
    }

    /// Returns the body of the collider.
    pub fn body(&self) -> BodyRef<'a, B> {
        self.body
    }

    /// Returns the shape, in the collider's frame.
    pub fn shape(&self) -> Shape {
        let own = self.body.world.composite(self.index()).and_then(|all| all.own_shape(self.id.slot.index));
        own.unwrap_or_else(|| self.body.shape().clone())
    }

    /// Returns the shape in the frame of the body. On a body of several colliders it is a
    /// compound, even if the collider has one part.
    pub fn shape_in_body(&self) -> &'a Shape {
        let placed = self.body.world.composite(self.index()).and_then(|all| all.placed(self.id.slot.index));
        placed.unwrap_or_else(|| self.body.shape())
    }

    /// Returns the index of its first part among the parts of the body. Contacts number the parts
    /// of the body, and queries those of the collider.
    pub fn first_part(&self) -> u32 {
        let composite = self.body.world.composite(self.index());
        composite.map_or(0, |all| all.first_number(self.body.shape(), self.id.slot.index))
    }

    /// Returns the pose of the collider in the frame of the body.
    pub fn local_pose(&self) -> Pose {
        self.collider().map_or(Pose::IDENTITY, |collider| collider.pose)
    }

    /// Returns the pose of the collider in the world.
    pub fn pose(&self) -> Pose {
        match self.collider() {
            None => self.body.pose(),
            Some(collider) => self.body.pose() * collider.pose,
        }
    }

    /// Returns a box around the collider at its present pose, in the world frame.
    pub fn aabb(&self) -> Aabb {
        self.shape_in_body().aabb(&self.body.pose())
    }

    /// Returns the material of the collider.
    pub fn material(&self) -> Material {
        let traits = self.traits();
        let single = || self.body.world.single_collider(self.index()).surface;
        let [velocity, spin] = self.collider().map_or_else(single, |collider| collider.surface);
        Material::new(traits.friction, traits.restitution)
            .with_rolling_friction(traits.rolling_friction)
            .with_spinning_friction(traits.spinning_friction)
            .with_rules(traits.friction_rule, traits.restitution_rule)
            .with_surface_velocity(velocity, spin)
    }

    /// Returns the materials of its parts; empty if all have the material of the collider.
    pub fn part_materials(&self) -> &'a [PartMaterial] {
        let own = self.body.world.bodies.part_materials.of(self.id.body.index, self.id.slot.index);
        own.map_or(&[], |parts| parts)
    }

    /// Returns the material of a part of the collider, by its index in a hit of a query. For the
    /// part of a contact, subtract [`ColliderRef::first_part`]. `None` if its parts have no
    /// materials of their own, or there is no such part.
    pub fn part_material(&self, part: u32) -> Option<&'a PartMaterial> {
        self.part_materials().get(part as usize)
    }

    /// Returns the density of the collider, mass per volume. It counts for the mass of the body
    /// unless that was given: [`BodyRef::mass_source`].
    pub fn density(&self) -> f32 {
        let single = || self.body.world.bodies.weights[self.index()].density();
        self.collider().map_or_else(single, |collider| collider.density)
    }

    /// Returns the filter of the collider.
    pub fn filter(&self) -> Filter {
        self.traits().user_filter()
    }

    /// Whether the collider is a sensor.
    pub fn is_sensor(&self) -> bool {
        self.traits().is_sensor
    }

    /// Returns the hooks that are called for pairs of the collider.
    pub fn hooks(&self) -> ActiveHooks {
        self.traits().hooks
    }

    /// Returns the threshold of its impulse events, mass times speed.
    pub fn impulse_threshold(&self) -> f32 {
        self.traits().impulse_threshold
    }

    /// Returns the user data of the collider.
    pub fn user_data(&self) -> u64 {
        self.body.world.bodies.data_of(self.index(), self.id.slot)
    }

    /// Returns the colliders that this one touched at the last detection, sensors included, each
    /// once and sorted. The cost is that of [`BodyRef::contacts`].
    pub fn overlapping(&self) -> Vec<ColliderId> {
        let id = self.id;
        let other = |[a, b]: [ColliderId; 2]| match id {
            _ if id == a => Some(b),
            _ if id == b => Some(a),
            _ => None,
        };
        let contacts = self.body.contacts().filter(|view| view.is_touching);
        let mut found: Vec<ColliderId> =
            contacts.filter_map(|view| other([view.collider_a, view.collider_b])).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl<'a, B: BroadPhase> BodyRef<'a, B> {
    /// Returns the colliders of the body, in the order of their numbers.
    pub fn colliders(&self) -> impl Iterator<Item = ColliderRef<'a, B>> + use<'a, B> {
        let (body, id) = (*self, self.id);
        let composite = self.world.composite(id.index as usize);
        let single = composite.is_none().then_some(ColliderSlot::FIRST);
        let several = composite.into_iter().flat_map(|all| all.colliders().map(|(slot, _)| slot));
        single.into_iter().chain(several).map(move |slot| ColliderRef { body, id: slot.on(id) })
    }
}
