//! Messages about a step: contacts, impulses, broken joints, and what the world refused.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::Message;
use bevy_math::Vec3;
use carom_query::ScaleError;
use carom_world::WorldError;
use std::fmt;

/// Two colliders that touch, and did not before the step.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactBegan {
    /// The entities of the colliders.
    pub colliders: [Entity; 2],
    /// The entities of their bodies.
    pub bodies: [Entity; 2],
    /// Whether one of them is a sensor.
    pub is_sensor: bool,
}

/// Two colliders that touched before the step, and do not any more, or of which one was removed.
/// Its entity may be despawned.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEnded {
    /// The entities of the colliders.
    pub colliders: [Entity; 2],
    /// The entities of their bodies.
    pub bodies: [Entity; 2],
    /// Whether one of them is a sensor.
    pub is_sensor: bool,
}

/// Two colliders that pushed each other in the step by more than the lower one of their thresholds:
/// [`ImpulseThreshold`](crate::ImpulseThreshold).
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse {
    /// The entities of the colliders.
    pub colliders: [Entity; 2],
    /// The entities of their bodies.
    pub bodies: [Entity; 2],
    /// The sum of the normal impulses in the step, in mass times speed.
    pub total: f32,
    /// The place of the largest one, in the world.
    pub point: Vec3,
    /// The unit normal there, from the first to the second.
    pub normal: Vec3,
    /// The largest speed at which they came together; 0 if they did not.
    pub approach_speed: f32,
}

/// A joint whose load in the step was more than it bears. It is gone from the world; the component
/// stays until it is removed.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct JointBroke {
    /// The entity of the joint.
    pub joint: Entity,
    /// The force at which it broke, the mean over the step.
    pub force: f32,
    /// The torque at which it broke, the mean over the step.
    pub torque: f32,
}

/// A body, collider or joint that the world refused, or a change of one. It is tried again in each
/// step, and reported again if the cause changes.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The entity whose components were refused.
    pub entity: Entity,
    /// The cause.
    pub cause: RefusalCause,
}

/// A step that the world refused; nothing moved in it.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct StepRefused(pub WorldError);

/// The cause of a [`Refusal`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RefusalCause {
    /// The world refused a value.
    World(WorldError),
    /// A shape that cannot have the scale of its transform.
    Scale(ScaleError),
}

impl From<WorldError> for RefusalCause {
    fn from(error: WorldError) -> RefusalCause {
        RefusalCause::World(error)
    }
}

impl From<ScaleError> for RefusalCause {
    fn from(error: ScaleError) -> RefusalCause {
        RefusalCause::Scale(error)
    }
}

impl fmt::Display for RefusalCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalCause::World(error) => error.fmt(f),
            RefusalCause::Scale(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RefusalCause {}
