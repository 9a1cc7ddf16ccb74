//! The places of a body and its colliders, from the transforms of the hierarchy.
//!
//! `GlobalTransform` is of the last frame, and rounds rotations. So transforms are multiplied here.

use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::system::Query;
use bevy_transform::components::Transform;

/// Returns the transform of an entity in the world. Entities above it without one count as the
/// identity.
pub(crate) fn in_world<'a>(
    entity: Entity,
    parents: &Query<&ChildOf>,
    transform: impl Fn(Entity) -> Option<&'a Transform>,
) -> Transform {
    let mut composed = transform(entity).copied().unwrap_or_default();
    for above in parents.iter_ancestors(entity) {
        composed = transform(above).copied().unwrap_or_default() * composed;
    }
    composed
}

/// Returns the body of a collider, and the transform of the collider in it. `None` if there is no
/// body.
pub(crate) fn in_body(
    collider: Entity,
    parents: &Query<&ChildOf>,
    transforms: &Query<&Transform>,
    is_body: impl Fn(Entity) -> bool,
) -> Option<(Entity, Transform)> {
    let scale_of = |body: Entity| {
        let scale = in_world(body, parents, |entity| transforms.get(entity).ok()).scale;
        Transform::from_scale(scale)
    };
    if is_body(collider) {
        return Some((collider, scale_of(collider)));
    }
    let mut composed = transforms.get(collider).copied().unwrap_or_default();
    for above in parents.iter_ancestors(collider) {
        if is_body(above) {
            return Some((above, scale_of(above) * composed));
        }
        composed = transforms.get(above).copied().unwrap_or_default() * composed;
    }
    None
}

/// Returns a transform of the world in the frame of an entity: the one below `frame` that is at
/// `global`. Its scale is `scale`.
pub(crate) fn below(frame: &Transform, global: &Transform, scale: bevy_math::Vec3) -> Transform {
    let back = frame.rotation.inverse();
    Transform {
        translation: back * (global.translation - frame.translation) / frame.scale,
        rotation: (back * global.rotation).normalize(),
        scale,
    }
}
