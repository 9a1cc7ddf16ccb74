//! Joints between two bodies.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use carom_world::{BodyId, JointDesc};
use std::fmt;
use std::sync::Arc;

/// A joint of two bodies, on an entity of its own. It goes with the component, the entity, or one
/// of the bodies.
///
/// ```
/// # use bevy_carom::{Joint, JointDesc};
/// # use bevy_ecs::entity::Entity;
/// # let (door, frame) = (Entity::PLACEHOLDER, Entity::PLACEHOLDER);
/// // With limits in radians, about y through the place of the door.
/// let hinge = Joint::new(frame, door, |a, b| JointDesc::revolute(a, b).with_limits(0.0, 1.5));
/// # let _ = hinge;
/// ```
#[derive(Component, Clone)]
pub struct Joint {
    /// The first body.
    pub body_a: Entity,
    /// The second body.
    pub body_b: Entity,
    describe: Arc<dyn Fn(BodyId, BodyId) -> JointDesc + Send + Sync>,
}

impl Joint {
    /// A joint that `describe` describes, once both bodies are in the world. Anchors in the world
    /// are those of the bodies' places at that time.
    pub fn new(
        body_a: Entity,
        body_b: Entity,
        describe: impl Fn(BodyId, BodyId) -> JointDesc + Send + Sync + 'static,
    ) -> Joint {
        Joint { body_a, body_b, describe: Arc::new(describe) }
    }

    pub(crate) fn desc(&self, a: BodyId, b: BodyId) -> JointDesc {
        (self.describe)(a, b)
    }
}

impl fmt::Debug for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joint").field("body_a", &self.body_a).field("body_b", &self.body_b).finish()
    }
}
