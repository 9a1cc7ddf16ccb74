//! The step itself, and the messages about it.

use crate::convert::to_bevy;
use crate::messages::{ContactBegan, ContactEnded, ContactImpulse, JointBroke, StepRefused};
use crate::physics_world::PhysicsWorld;
use bevy_ecs::entity::Entity;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::system::{Res, ResMut};
use bevy_time::Time;
use carom_world::{ColliderId, EventKind};

/// Makes one step of the fixed time, and writes the messages about it.
pub(crate) fn step(
    mut physics: ResMut<PhysicsWorld>,
    time: Res<Time>,
    mut began: MessageWriter<ContactBegan>,
    mut ended: MessageWriter<ContactEnded>,
    mut impulses: MessageWriter<ContactImpulse>,
    mut broken: MessageWriter<JointBroke>,
    mut refused: MessageWriter<StepRefused>,
) {
    let physics = &mut *physics;
    if let Err(error) = physics.world.step(time.delta_secs()) {
        refused.write(StepRefused(error));
        return;
    }
    let pair = |a: ColliderId, b: ColliderId| -> Option<([Entity; 2], [Entity; 2])> {
        let colliders = [physics.entity_of_collider(a)?, physics.entity_of_collider(b)?];
        Some((colliders, [physics.entity_of(a.body())?, physics.entity_of(b.body())?]))
    };
    for event in physics.world.events() {
        let Some((colliders, bodies)) = pair(event.collider_a(), event.collider_b()) else { continue };
        let is_sensor = event.is_sensor;
        match event.kind {
            EventKind::Began => _ = began.write(ContactBegan { colliders, bodies, is_sensor }),
            EventKind::Ended => _ = ended.write(ContactEnded { colliders, bodies, is_sensor }),
            EventKind::Persisted => {}
        }
    }
    for event in physics.world.impulse_events() {
        let Some((colliders, bodies)) = pair(event.collider_a, event.collider_b) else { continue };
        impulses.write(ContactImpulse {
            colliders,
            bodies,
            total: event.total,
            point: to_bevy(event.point),
            normal: to_bevy(event.normal),
            approach_speed: event.approach_speed,
        });
    }
    for event in physics.world.broken_joints() {
        let joint = Entity::try_from_bits(event.user_data);
        let Some((joint, entry)) = joint.and_then(|joint| Some((joint, physics.joints.get_mut(&joint)?)))
        else {
            continue;
        };
        if entry.id == Some(event.joint) {
            entry.id = None;
            broken.write(JointBroke { joint, force: event.force, torque: event.torque });
        }
    }
    let (bodies, colliders) = std::mem::take(&mut physics.gone);
    for id in bodies {
        physics.entity_of_body.remove(&id);
    }
    for id in colliders {
        physics.entity_of_collider.remove(&id);
    }
}
