//! After a step: poses and velocities are written to the components.

use crate::components::{AngularVelocity, LinearVelocity};
use crate::convert::{pose_of, to_bevy, transform_of};
use crate::physics_world::PhysicsWorld;
use crate::placement::{below, in_world};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::system::{Query, ResMut};
use bevy_transform::components::Transform;
use carom_world::Mobility;

/// Writes what changed. Entities above others come first.
pub(crate) fn write(
    mut physics: ResMut<PhysicsWorld>,
    mut transforms: Query<&mut Transform>,
    mut velocities: Query<(&mut LinearVelocity, &mut AngularVelocity)>,
    parents: Query<&ChildOf>,
) {
    let PhysicsWorld { world, bodies, .. } = &mut *physics;
    let depth = |entity: Entity| parents.iter_ancestors(entity).count();
    let mut order: Vec<(usize, Entity)> = bodies.keys().map(|&entity| (depth(entity), entity)).collect();
    order.sort_unstable();
    for (depth, entity) in order {
        let Some(entry) = bodies.get_mut(&entity) else { continue };
        let Ok(body) = world.body(entry.id) else { continue };
        if body.mobility() == Mobility::Fixed {
            continue;
        }
        let [linear, angular] = [body.linear_velocity(), body.angular_velocity()].map(to_bevy);
        if let Ok((mut linear_now, mut angular_now)) = velocities.get_mut(entity) {
            linear_now.set_if_neq(LinearVelocity(linear));
            angular_now.set_if_neq(AngularVelocity(angular));
        }
        entry.velocities = [linear, angular];
        let world_transform = transform_of(&body.pose());
        let Ok(scale) = transforms.get(entity).map(|transform| transform.scale) else { continue };
        let local = match parents.get(entity) {
            Ok(ChildOf(parent)) if 0 < depth => below(
                &in_world(*parent, &parents, |above| transforms.get(above).ok()),
                &world_transform,
                scale,
            ),
            _ => world_transform.with_scale(scale),
        };
        if let Ok(mut transform) = transforms.get_mut(entity) {
            transform.set_if_neq(local);
        }
        entry.local = local;
        // A kinematic body is where its transform says, to the last bit.
        entry.pose = pose_of(&in_world(entity, &parents, |above| transforms.get(above).ok()));
    }
}
