//! Removal of bodies, colliders and joints, at once when a component or its entity goes.

use crate::components::{Collider, RigidBody};
use crate::joint::Joint;
use crate::physics_world::PhysicsWorld;
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::system::ResMut;

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
        self.accept(entity);
        let Some(entry) = self.bodies.remove(&entity) else { return };
        let orphans = self.colliders.iter().filter(|(_, entry_on)| entry_on.id.body() == entry.id);
        let orphans: Vec<Entity> = orphans.map(|(entity, _)| *entity).collect();
        for collider in orphans {
            self.forget_collider(collider);
        }
        self.joints.retain(|_, joint| !joint.bodies.contains(&entry.id));
        // A handle of an entity is not stale.
        let _ = self.world.remove(entry.id);
        self.gone.0.push(entry.id);
    }

    /// Removes the collider of an entity.
    pub(crate) fn remove_collider(&mut self, entity: Entity) {
        self.accept(entity);
        let Some(id) = self.forget_collider(entity) else { return };
        if let Err(error) = self.world.remove_collider(id) {
            // The last collider with mass stays in the world if others are left without.
            if let Some(body) = self.entity_of(id.body()) {
                self.refuse(body, error.into());
            }
        }
    }

    fn forget_collider(&mut self, entity: Entity) -> Option<carom_world::ColliderId> {
        let id = self.colliders.remove(&entity)?.id;
        self.gone.1.push(id);
        Some(id)
    }

    /// Removes the joint of an entity.
    pub(crate) fn remove_joint(&mut self, entity: Entity) {
        self.accept(entity);
        if let Some(id) = self.joints.remove(&entity).and_then(|entry| entry.id) {
            // It went with one of its bodies, or broke.
            let _ = self.world.remove_joint(id);
        }
    }
}
