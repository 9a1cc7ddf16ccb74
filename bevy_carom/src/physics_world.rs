//! The world of carom as a resource, and which entity each body, collider and joint belongs to.

use crate::messages::{Refusal, RefusalCause};
use bevy_ecs::change_detection::Tick;
use bevy_ecs::entity::{Entity, EntityHashMap};
use bevy_ecs::resource::Resource;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use carom_math::Pose;
use carom_world::{
    BodyId, BodyMut, BodyRef, ColliderId, Filter, JointId, LockedAxes, Material, Mobility, World, WorldError,
    WorldSettings,
};
use std::collections::{BTreeMap, HashMap};

/// The world of carom. Systems read it to query, and write it to push.
///
/// Bodies are named by their entities. A body is in it from the first fixed update after its
/// components are inserted.
#[derive(Resource, Default)]
pub struct PhysicsWorld {
    pub(crate) world: World,
    pub(crate) bodies: EntityHashMap<BodyEntry>,
    pub(crate) colliders: EntityHashMap<ColliderEntry>,
    pub(crate) joints: EntityHashMap<JointEntry>,
    /// The entities of all bodies, and of those removed since the last step.
    pub(crate) entity_of_body: BTreeMap<BodyId, Entity>,
    pub(crate) entity_of_collider: BTreeMap<ColliderId, Entity>,
    /// Handles to be forgotten after the next step, which ends their contacts.
    pub(crate) gone: (Vec<BodyId>, Vec<ColliderId>),
    /// Colliders without a component, whose removal the world refused.
    pub(crate) leftovers: Vec<ColliderId>,
    /// The text of each cause: a number that is NaN does not equal itself.
    refusals: HashMap<(Entity, Part), String>,
    new_refusals: Vec<Refusal>,
}

/// The kinds of parts of an entity in the world. It may have all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Body,
    Collider,
    Joint,
}

/// A body, and what it was last set to.
pub(crate) struct BodyEntry {
    pub(crate) id: BodyId,
    pub(crate) settings: BodySettings,
    /// The transform of the entity as it was last read or written.
    pub(crate) local: Transform,
    /// Its pose in the world then.
    pub(crate) pose: Pose,
    pub(crate) velocities: [Vec3; 2],
}

/// The values of the optional components of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodySettings {
    pub(crate) mobility: Mobility,
    pub(crate) mass: Option<f32>,
    pub(crate) gravity_scale: f32,
    pub(crate) damping: [f32; 2],
    pub(crate) locked_axes: LockedAxes,
    pub(crate) ccd: bool,
    pub(crate) can_sleep: bool,
    pub(crate) force: [Vec3; 2],
}

/// A collider, and what it was last set to.
pub(crate) struct ColliderEntry {
    pub(crate) id: ColliderId,
    pub(crate) settings: ColliderSettings,
}

/// The place of a collider in its body, and the values of its optional components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ColliderSettings {
    pub(crate) pose: Pose,
    pub(crate) shape: ShapeVersion,
    pub(crate) material: Material,
    pub(crate) filter: Filter,
    pub(crate) density: f32,
    pub(crate) is_sensor: bool,
    pub(crate) impulse_threshold: f32,
}

/// The shape of a collider, for comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShapeVersion {
    /// When the component last changed.
    pub(crate) changed: Tick,
    /// The scale of the transforms.
    pub(crate) scale: Vec3,
}

/// A joint; `None` once it broke.
pub(crate) struct JointEntry {
    pub(crate) id: Option<JointId>,
    pub(crate) bodies: [BodyId; 2],
}

impl PhysicsWorld {
    /// An empty world.
    ///
    /// Errors: a setting out of its range.
    pub fn new(settings: WorldSettings) -> Result<PhysicsWorld, WorldError> {
        settings.check()?;
        Ok(PhysicsWorld { world: World::with_settings(settings), ..PhysicsWorld::default() })
    }

    /// The world of carom, to be read.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world of carom, to be changed. Bodies and joints that are inserted here belong to no
    /// entity; those of entities are not to be removed here.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The handle of the body of an entity. `None` if it has none in the world.
    pub fn body_id(&self, entity: Entity) -> Option<BodyId> {
        self.bodies.get(&entity).map(|entry| entry.id)
    }

    /// The handle of the collider of an entity. `None` if it has none in the world.
    pub fn collider_id(&self, entity: Entity) -> Option<ColliderId> {
        self.colliders.get(&entity).map(|entry| entry.id)
    }

    /// The handle of the joint of an entity. `None` if it has none in the world, or it broke.
    pub fn joint_id(&self, entity: Entity) -> Option<JointId> {
        self.joints.get(&entity).and_then(|entry| entry.id)
    }

    /// The entity of a body. `None` for a body that no entity has.
    pub fn entity_of(&self, body: BodyId) -> Option<Entity> {
        self.entity_of_body.get(&body).copied()
    }

    /// The entity of a collider. `None` for a collider that no entity has.
    pub fn entity_of_collider(&self, collider: ColliderId) -> Option<Entity> {
        self.entity_of_collider.get(&collider).copied()
    }

    /// The body of an entity, to be read. `None` if it has none in the world.
    pub fn body(&self, entity: Entity) -> Option<BodyRef<'_>> {
        self.world.body(self.body_id(entity)?).ok()
    }

    /// The body of an entity, to be pushed: `apply_impulse`, `apply_force` for the next step, and
    /// more. `None` if it has none in the world.
    pub fn body_mut(&mut self, entity: Entity) -> Option<BodyMut<'_>> {
        let id = self.body_id(entity)?;
        self.world.body_mut(id).ok()
    }

    /// Notes whether a part of an entity was refused, to be reported if the cause is new.
    pub(crate) fn note(&mut self, entity: Entity, part: Part, outcome: Result<(), RefusalCause>) {
        let Err(cause) = outcome else { return self.accept(entity, part) };
        let text = format!("{cause:?}");
        if self.refusals.get(&(entity, part)) != Some(&text) {
            self.refusals.insert((entity, part), text);
            self.new_refusals.push(Refusal { entity, cause });
        }
    }

    /// Forgets why a part of an entity was refused.
    pub(crate) fn accept(&mut self, entity: Entity, part: Part) {
        self.refusals.remove(&(entity, part));
    }

    pub(crate) fn take_refusals(&mut self) -> Vec<Refusal> {
        std::mem::take(&mut self.new_refusals)
    }
}
