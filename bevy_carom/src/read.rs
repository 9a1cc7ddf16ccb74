//! Before a step: the values of components are brought into the world.
//!
//! - Entities are taken in the order of their indices, so that a world is the same in each run.
//!   `Entity`'s own order is the reverse.
//! - Values are compared with those of the step before. So components may also be removed, and
//!   fixed updates may be rarer than frames.

use crate::components::{
    AngularVelocity, AxisLocks, CanSleep, Ccd, Collider, CollisionFilter, ConstantForce, Damping, Density,
    GravityScale, ImpulseThreshold, LinearVelocity, Mass, RigidBody, Sensor, SurfaceMaterial,
};
use crate::convert::{pose_of, to_carom};
use crate::joint::Joint;
use crate::messages::{Refusal, RefusalCause};
use crate::physics_world::{
    BodyEntry, BodySettings, ColliderEntry, ColliderSettings, JointEntry, PhysicsWorld,
};
use crate::placement::{in_body, in_world};
use bevy_ecs::change_detection::{DetectChanges, Ref};
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::query::{Has, QueryData};
use bevy_ecs::system::{Query, ResMut};
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use carom_query::Shape;
use carom_world::{
    BodyDesc, BodyId, BodyMut, ColliderDesc, ColliderId, ColliderMut, LockedAxes, Mobility, WorldError,
};
use std::collections::BTreeMap;

/// The components of a body.
#[derive(QueryData)]
pub(crate) struct BodyParts {
    entity: Entity,
    kind: &'static RigidBody,
    transform: &'static Transform,
    linear: &'static LinearVelocity,
    angular: &'static AngularVelocity,
    mass: Option<&'static Mass>,
    gravity_scale: Option<&'static GravityScale>,
    damping: Option<&'static Damping>,
    locks: Option<&'static AxisLocks>,
    ccd: Has<Ccd>,
    can_sleep: Option<&'static CanSleep>,
    force: Option<&'static ConstantForce>,
}

impl BodyPartsItem<'_, '_> {
    fn settings(&self) -> BodySettings {
        let damping = self.damping.copied().unwrap_or_default();
        let force = self.force.copied().unwrap_or_default();
        BodySettings {
            mobility: self.kind.mobility(),
            mass: self.mass.map(|mass| mass.0),
            gravity_scale: self.gravity_scale.map_or(1.0, |scale| scale.0),
            damping: [damping.linear, damping.angular],
            locked_axes: self.locks.map_or(LockedAxes::empty(), |locks| locks.0),
            ccd: self.ccd,
            can_sleep: self.can_sleep.is_none_or(|flag| flag.0),
            force: [force.force, force.torque],
        }
    }
}

/// The components of a collider.
#[derive(QueryData)]
pub(crate) struct ColliderParts {
    entity: Entity,
    collider: Ref<'static, Collider>,
    material: Option<&'static SurfaceMaterial>,
    filter: Option<&'static CollisionFilter>,
    density: Option<&'static Density>,
    is_sensor: Has<Sensor>,
    threshold: Option<&'static ImpulseThreshold>,
}

/// A collider in its body.
struct FoundCollider<'w> {
    entity: Entity,
    shape: &'w Shape,
    is_changed: bool,
    settings: ColliderSettings,
}

impl FoundCollider<'_> {
    /// Returns the shape with the scale of the transforms.
    fn shape(&self) -> Result<Shape, RefusalCause> {
        let is_scaled = self.settings.scale != Vec3::ONE;
        Ok(if is_scaled { self.shape.scaled(to_carom(self.settings.scale))? } else { self.shape.clone() })
    }

    fn desc(&self) -> Result<ColliderDesc, RefusalCause> {
        let settings = &self.settings;
        Ok(ColliderDesc::new(self.shape()?)
            .with_pose(settings.pose)
            .with_material(settings.material)
            .with_filter(settings.filter)
            .with_density(settings.density)
            .with_sensor(settings.is_sensor)
            .with_impulse_threshold(settings.impulse_threshold)
            .with_user_data(self.entity.to_bits()))
    }
}

/// Brings bodies, colliders and joints into the world, or changes them there.
pub(crate) fn read(
    mut physics: ResMut<PhysicsWorld>,
    bodies: Query<BodyParts>,
    colliders: Query<ColliderParts>,
    joints: Query<(Entity, Ref<Joint>)>,
    parents: Query<&ChildOf>,
    transforms: Query<&Transform>,
    mut refusals: MessageWriter<Refusal>,
) {
    let physics = &mut *physics;
    let mut found: BTreeMap<Entity, Vec<FoundCollider>> = BTreeMap::new();
    for parts in &colliders {
        let transform = in_body(parts.entity, &parents, &transforms, |entity| bodies.contains(entity));
        match transform {
            Some((body, transform)) => found.entry(body).or_default().push(found_in(parts, &transform)),
            None => physics.remove_collider(parts.entity),
        }
    }
    for colliders in found.values_mut() {
        colliders.sort_unstable_by_key(|collider| collider.entity.index_u32());
    }
    let mut sorted: Vec<BodyPartsItem<'_, '_>> = bodies.iter().collect();
    sorted.sort_unstable_by_key(|parts| parts.entity.index_u32());
    for parts in &sorted {
        let transform = in_world(parts.entity, &parents, |entity| transforms.get(entity).ok());
        let on_it = found.remove(&parts.entity).unwrap_or_default();
        let done = match physics.body_id(parts.entity) {
            None => insert_body(physics, parts, &transform, &on_it),
            Some(id) => {
                let changed = change_body(physics, parts, &transform, id);
                update_colliders(physics, id, &on_it);
                changed.map_err(RefusalCause::from)
            }
        };
        match done {
            Ok(()) => physics.accept(parts.entity),
            Err(cause) => physics.refuse(parts.entity, cause),
        }
    }
    let mut sorted: Vec<(Entity, Ref<Joint>)> = joints.iter().collect();
    sorted.sort_unstable_by_key(|(entity, _)| entity.index_u32());
    for (entity, joint) in sorted {
        update_joint(physics, entity, &joint);
    }
    refusals.write_batch(physics.take_refusals());
}

fn found_in<'w>(parts: ColliderPartsItem<'w, '_>, transform: &Transform) -> FoundCollider<'w> {
    let settings = ColliderSettings {
        pose: pose_of(transform),
        scale: transform.scale,
        material: parts.material.copied().unwrap_or_default().0,
        filter: parts.filter.copied().unwrap_or_default().0,
        density: parts.density.map_or(ColliderDesc::DEFAULT_DENSITY, |density| density.0),
        is_sensor: parts.is_sensor,
        impulse_threshold: parts.threshold.map_or(f32::MAX, |threshold| threshold.0),
    };
    let is_changed = parts.collider.is_changed();
    FoundCollider { entity: parts.entity, shape: &parts.collider.into_inner().0, is_changed, settings }
}

/// Inserts a body with its colliders.
fn insert_body(
    physics: &mut PhysicsWorld,
    parts: &BodyPartsItem<'_, '_>,
    transform: &Transform,
    colliders: &[FoundCollider],
) -> Result<(), RefusalCause> {
    let settings = parts.settings();
    let mut desc = BodyDesc::empty(settings.mobility)
        .with_pose(pose_of(transform))
        .with_linear_velocity(to_carom(parts.linear.0))
        .with_angular_velocity(to_carom(parts.angular.0))
        .with_gravity_scale(settings.gravity_scale)
        .with_damping(settings.damping[0], settings.damping[1])
        .with_locked_axes(settings.locked_axes)
        .with_ccd(settings.ccd)
        .with_can_sleep(settings.can_sleep)
        .with_user_data(parts.entity.to_bits());
    if let Some(mass) = settings.mass {
        desc = desc.with_mass(mass);
    }
    for collider in colliders {
        desc = desc.with_collider(collider.desc()?);
    }
    let id = physics.world.insert(desc)?;
    if settings.force != [Vec3::ZERO; 2] {
        let [force, torque] = settings.force.map(to_carom);
        if let Err(error) =
            physics.world.body_mut(id).and_then(|mut b| b.set_constant_force(force, torque).map(|_| ()))
        {
            physics.world.remove(id)?;
            return Err(error.into());
        }
    }
    let ids: Vec<ColliderId> = physics.world.body(id)?.colliders().map(|collider| collider.id()).collect();
    for (collider, id) in colliders.iter().zip(ids) {
        // It may have been on another body until now.
        physics.remove_collider(collider.entity);
        note_collider(physics, collider, id);
    }
    let entry = BodyEntry {
        id,
        settings,
        local: *parts.transform,
        pose: pose_of(transform),
        velocities: [parts.linear.0, parts.angular.0],
    };
    physics.bodies.insert(parts.entity, entry);
    physics.entity_of_body.insert(id, parts.entity);
    Ok(())
}

fn note_collider(physics: &mut PhysicsWorld, collider: &FoundCollider, id: ColliderId) {
    let entry = ColliderEntry { id, settings: collider.settings };
    physics.colliders.insert(collider.entity, entry);
    physics.entity_of_collider.insert(id, collider.entity);
}

/// Sets what changed on a body. Values are noted before they are set, so that a refused one is not
/// tried again until it changes.
fn change_body(
    physics: &mut PhysicsWorld,
    parts: &BodyPartsItem<'_, '_>,
    transform: &Transform,
    id: BodyId,
) -> Result<(), WorldError> {
    let PhysicsWorld { world, bodies, .. } = physics;
    let Some(entry) = bodies.get_mut(&parts.entity) else { return Ok(()) };
    let mut body = world.body_mut(id)?;
    let (old, new) = (entry.settings, parts.settings());
    entry.settings = new;
    let (old_local, old_pose) = (entry.local, entry.pose);
    (entry.local, entry.pose) = (*parts.transform, pose_of(transform));
    let old_velocities = entry.velocities;
    entry.velocities = [parts.linear.0, parts.angular.0];

    if old != new {
        change_settings(&mut body, &old, &new)?;
    }
    let is_same = |a: &Transform, b: &Transform| a.translation == b.translation && a.rotation == b.rotation;
    match new.mobility {
        // The world alone moves it, whatever the entity above it does.
        Mobility::Dynamic if !is_same(&old_local, parts.transform) => {
            _ = body.set_pose(pose_of(transform))?
        }
        Mobility::Fixed if old_pose != pose_of(transform) => _ = body.set_pose(pose_of(transform))?,
        Mobility::Kinematic if old_pose != pose_of(transform) => _ = body.move_to(pose_of(transform))?,
        _ => {}
    }
    if old_velocities[0] != parts.linear.0 {
        body.set_linear_velocity(to_carom(parts.linear.0))?;
    }
    if old_velocities[1] != parts.angular.0 {
        body.set_angular_velocity(to_carom(parts.angular.0))?;
    }
    Ok(())
}

fn change_settings(body: &mut BodyMut<'_>, old: &BodySettings, new: &BodySettings) -> Result<(), WorldError> {
    if old.mobility != new.mobility {
        body.set_mobility(new.mobility)?;
    }
    if let Some(mass) = new.mass.filter(|_| old.mass != new.mass) {
        body.set_mass(mass)?;
    }
    if old.gravity_scale != new.gravity_scale {
        body.set_gravity_scale(new.gravity_scale)?;
    }
    if old.damping != new.damping {
        body.set_damping(new.damping[0], new.damping[1])?;
    }
    if old.locked_axes != new.locked_axes {
        body.set_locked_axes(new.locked_axes)?;
    }
    if old.ccd != new.ccd {
        body.set_ccd(new.ccd)?;
    }
    if old.can_sleep != new.can_sleep {
        body.set_can_sleep(new.can_sleep)?;
    }
    if old.force != new.force {
        let [force, torque] = new.force.map(to_carom);
        body.set_constant_force(force, torque)?;
    }
    Ok(())
}

/// Puts colliders on a body, or sets what changed on them.
fn update_colliders(physics: &mut PhysicsWorld, body: BodyId, colliders: &[FoundCollider]) {
    for collider in colliders {
        let kept = physics.collider_id(collider.entity).filter(|id| id.body() == body);
        let done = match kept {
            Some(id) => change_collider(physics, collider, id),
            None => {
                physics.remove_collider(collider.entity);
                insert_collider(physics, collider, body)
            }
        };
        match done {
            Ok(()) => physics.accept(collider.entity),
            Err(cause) => physics.refuse(collider.entity, cause),
        }
    }
}

fn insert_collider(
    physics: &mut PhysicsWorld,
    collider: &FoundCollider,
    body: BodyId,
) -> Result<(), RefusalCause> {
    let id = physics.world.insert_collider(body, collider.desc()?)?;
    note_collider(physics, collider, id);
    Ok(())
}

fn change_collider(
    physics: &mut PhysicsWorld,
    collider: &FoundCollider,
    id: ColliderId,
) -> Result<(), RefusalCause> {
    let PhysicsWorld { world, colliders, .. } = physics;
    let Some(entry) = colliders.get_mut(&collider.entity) else { return Ok(()) };
    let (old, new) = (entry.settings, collider.settings);
    if old == new && !collider.is_changed {
        return Ok(());
    }
    entry.settings = new;
    let mut slot: ColliderMut<'_> = world.collider_mut(id)?;
    if collider.is_changed || old.scale != new.scale {
        slot.set_shape(collider.shape()?)?;
    }
    if old.pose != new.pose {
        slot.set_local_pose(new.pose)?;
    }
    if old.material != new.material {
        slot.set_material(new.material)?;
    }
    if old.filter != new.filter {
        slot.set_filter(new.filter)?;
    }
    if old.density != new.density {
        slot.set_density(new.density)?;
    }
    if old.is_sensor != new.is_sensor {
        slot.set_sensor(new.is_sensor)?;
    }
    if old.impulse_threshold != new.impulse_threshold {
        slot.set_impulse_threshold(new.impulse_threshold)?;
    }
    Ok(())
}

/// Inserts a joint, once both bodies are there, or again if the component changed.
fn update_joint(physics: &mut PhysicsWorld, entity: Entity, joint: &Ref<Joint>) {
    if joint.is_changed() {
        physics.remove_joint(entity);
    }
    let ends = (physics.body_id(joint.body_a), physics.body_id(joint.body_b));
    let (Some(a), Some(b)) = ends else { return };
    if physics.joints.contains_key(&entity) {
        return;
    }
    match physics.world.insert_joint(joint.desc(a, b).with_user_data(entity.to_bits())) {
        Ok(id) => {
            physics.accept(entity);
            physics.joints.insert(entity, JointEntry { id: Some(id), bodies: [a, b] });
        }
        Err(error) => physics.refuse(entity, error.into()),
    }
}
