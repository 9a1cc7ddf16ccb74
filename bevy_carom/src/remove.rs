//! Removal of bodies, colliders and joints, at once when a component or its entity goes.

use crate::components::{Collider, RigidBody};
use crate::joint::Joint;
use crate::messages::RefusalCause;
use crate::physics_world::{Part, PhysicsWorld};
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::system::ResMut;
use carom_world::{BodyId, WorldError};

pub(crate) fn body(event: On<Remove<RigidBody>>, mut physics: ResMut<PhysicsWorld>) {
    physics.remove_body(event.entity);
}

pub(crate) fn collider(event: On<Remove<Collider>>, mut physics: ResMut<PhysicsWorld>) {
    physics.remove_collider(event.entity);
}

pub(crate) fn joint(event: On<Remove<Joint>>, mut physics: ResMut<PhysicsWorld>) {
    physics.remove_joint(event.entity);
}

impl PhysicsWorld {
    /// Removes the body of an entity with its joints. Colliders on it are inserted again if there
    /// is another body above them.
    pub(crate) fn remove_body(&mut self, entity: Entity) {
        self.accept(entity, Part::Body);
        let Some(entry) = self.bodies.remove(&entity) else { return };
        let orphans = self.colliders.iter().filter(|(_, entry_on)| entry_on.id.body() == entry.id);
        let orphans: Vec<Entity> = orphans.map(|(entity, _)| *entity).collect();
        for collider in orphans {
            self.gone.1.extend(self.colliders.remove(&collider).map(|entry| entry.id));
        }
        self.gone.1.extend(self.leftovers.extract_if(.., |id| id.body() == entry.id));
        self.joints.retain(|_, joint| !joint.bodies.contains(&entry.id));
        // A handle of an entity is not stale.
        let _ = self.world.remove(entry.id);
        self.gone.0.push(entry.id);
    }

    /// Removes the collider of an entity. If the world refuses, it stays there under the name of
    /// the entity until a step can remove it. The steps before report why they cannot.
    pub(crate) fn remove_collider(&mut self, entity: Entity) {
        self.accept(entity, Part::Collider);
        let Some(entry) = self.colliders.remove(&entity) else { return };
        self.leftovers.push(entry.id);
        let _ = self.remove_leftovers(entry.id.body());
    }

    /// Removes the colliders of a body that have no component any more.
    ///
    /// Errors: the last collider with mass stays if others are left without.
    pub(crate) fn remove_leftovers(&mut self, body: BodyId) -> Result<(), RefusalCause> {
        let mut outcome = Ok(());
        let PhysicsWorld { world, leftovers, gone, .. } = self;
        gone.1.extend(leftovers.extract_if(.., |id| {
            if id.body() != body {
                return false;
            }
            match world.remove_collider(*id) {
                Err(error @ WorldError::NoMass(_)) => outcome = Err(error.into()),
                // Others are stale: the collider is gone.
                _ => return true,
            }
            false
        }));
        outcome
    }

    /// Removes the joint of an entity.
    pub(crate) fn remove_joint(&mut self, entity: Entity) {
        self.accept(entity, Part::Joint);
        if let Some(id) = self.joints.remove(&entity).and_then(|entry| entry.id) {
            // It went with one of its bodies, or broke.
            let _ = self.world.remove_joint(id);
        }
    }
}
