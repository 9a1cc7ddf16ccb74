//! Before a step: the values of components are brought into the world.
//!
//! - Entities are taken in the order of their indices, so that a world is the same in each run.
//!   `Entity`'s own order is the reverse.
//! - Values are compared with those that were set last. So components may also be removed, and
//!   fixed updates may be rarer than frames.
//! - A value is noted once the world has taken it. So a refused one is set again in each step, and
//!   does not hold up the others.

use crate::components::{
    AngularVelocity, AxisLocks, CanSleep, Ccd, Collider, CollisionFilter, ConstantForce, Damping, Density,
    GravityScale, ImpulseThreshold, LinearVelocity, Mass, RigidBody, Sensor, SurfaceMaterial,
};
use crate::convert::{pose_of, to_carom};
use crate::joint::Joint;
use crate::messages::{Refusal, RefusalCause};
use crate::physics_world::{
    BodyEntry, BodySettings, ColliderEntry, ColliderSettings, JointEntry, Part, PhysicsWorld, ShapeVersion,
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
use carom_world::{BodyDesc, BodyId, BodyMut, ColliderDesc, ColliderId, LockedAxes, Mobility};
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
    settings: ColliderSettings,
}

impl FoundCollider<'_> {
    /// Returns the shape with the scale of the transforms.
    fn shape(&self) -> Result<Shape, RefusalCause> {
        let scale = self.settings.shape.scale;
        Ok(if scale == Vec3::ONE { self.shape.clone() } else { self.shape.scaled(to_carom(scale))? })
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
        let Some(id) = physics.body_id(parts.entity) else {
            let inserted = insert_body(physics, parts, &transform, &on_it);
            physics.note(parts.entity, Part::Body, inserted);
            continue;
        };
        let mut refused = change(physics, parts, &transform, id, &on_it);
        if !refused.is_empty() {
            // A value that was set may allow one that was refused before it.
            refused = change(physics, parts, &transform, id, &on_it);
        }
        let all = on_it.iter().map(|collider| (collider.entity, Part::Collider));
        for key in all.chain([(parts.entity, Part::Body)]) {
            let first = refused.iter().find(|(entity, part, _)| (*entity, *part) == key);
            physics.note(key.0, key.1, first.map_or(Ok(()), |(.., cause)| Err(cause.clone())));
        }
    }
    let mut sorted: Vec<(Entity, Ref<Joint>)> = joints.iter().collect();
    sorted.sort_unstable_by_key(|(entity, _)| entity.index_u32());
    for (entity, joint) in sorted {
        place_joint(physics, entity, &joint);
    }
    refusals.write_batch(physics.take_refusals());
}

fn found_in<'w>(parts: ColliderPartsItem<'w, '_>, transform: &Transform) -> FoundCollider<'w> {
    let settings = ColliderSettings {
        pose: pose_of(transform),
        shape: ShapeVersion { changed: parts.collider.last_changed(), scale: transform.scale },
        material: parts.material.copied().unwrap_or_default().0,
        filter: parts.filter.copied().unwrap_or_default().0,
        density: parts.density.map_or(ColliderDesc::DEFAULT_DENSITY, |density| density.0),
        is_sensor: parts.is_sensor,
        impulse_threshold: parts.threshold.map_or(f32::MAX, |threshold| threshold.0),
    };
    FoundCollider { entity: parts.entity, shape: &parts.collider.into_inner().0, settings }
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

/// The refused parts, with their causes.
type Refused = Vec<(Entity, Part, RefusalCause)>;

/// Brings a body and its colliders to the values of their components. Returns what was refused.
fn change(
    physics: &mut PhysicsWorld,
    parts: &BodyPartsItem<'_, '_>,
    transform: &Transform,
    id: BodyId,
    colliders: &[FoundCollider],
) -> Refused {
    let mut refused = Vec::new();
    let mut note = |done: Result<(), RefusalCause>| {
        refused.extend(done.err().map(|cause| (parts.entity, Part::Body, cause)));
    };
    // A dynamic body needs mass. So a body becomes another kind before its colliders change, and
    // dynamic after them.
    if parts.kind.mobility() != Mobility::Dynamic {
        note(change_mobility(physics, parts, id));
    }
    let of_colliders = update_colliders(physics, id, colliders);
    note(physics.remove_leftovers(id));
    note(change_body(physics, parts, transform, id));
    refused.extend(of_colliders);
    refused
}

/// The changes of one entity, and the first cause for which one was refused.
#[derive(Default)]
struct Changes {
    refused: Option<RefusalCause>,
}

impl Changes {
    /// Sets a value that is not the noted one, and notes it if it is not refused.
    fn put<T: Copy + PartialEq, E: Into<RefusalCause>>(
        &mut self,
        noted: &mut T,
        wanted: T,
        set: impl FnOnce(T) -> Result<(), E>,
    ) {
        if *noted != wanted {
            match set(wanted) {
                Ok(()) => *noted = wanted,
                Err(error) => self.refuse(error),
            }
        }
    }

    fn refuse(&mut self, cause: impl Into<RefusalCause>) {
        self.refused.get_or_insert(cause.into());
    }

    fn done(self) -> Result<(), RefusalCause> {
        self.refused.map_or(Ok(()), Err)
    }
}

fn change_mobility(
    physics: &mut PhysicsWorld,
    parts: &BodyPartsItem<'_, '_>,
    id: BodyId,
) -> Result<(), RefusalCause> {
    let PhysicsWorld { world, bodies, .. } = physics;
    let Some(entry) = bodies.get_mut(&parts.entity) else { return Ok(()) };
    let (mut changes, mut body) = (Changes::default(), world.body_mut(id)?);
    changes
        .put(&mut entry.settings.mobility, parts.kind.mobility(), |kind| body.set_mobility(kind).map(|_| ()));
    changes.done()
}

/// Sets what changed on a body.
fn change_body(
    physics: &mut PhysicsWorld,
    parts: &BodyPartsItem<'_, '_>,
    transform: &Transform,
    id: BodyId,
) -> Result<(), RefusalCause> {
    let PhysicsWorld { world, bodies, .. } = physics;
    let Some(entry) = bodies.get_mut(&parts.entity) else { return Ok(()) };
    let (mut changes, mut body) = (Changes::default(), world.body_mut(id)?);
    let wanted = parts.settings();
    if entry.settings != wanted {
        change_settings(&mut changes, &mut body, &mut entry.settings, &wanted);
    }
    let pose = pose_of(transform);
    let is_same = |a: &Transform, b: &Transform| a.translation == b.translation && a.rotation == b.rotation;
    let is_moved = match wanted.mobility {
        // The world alone moves it, whatever the entity above it does.
        Mobility::Dynamic => !is_same(&entry.local, parts.transform),
        _ => entry.pose != pose,
    };
    let moved = match wanted.mobility {
        _ if !is_moved => Ok(()),
        Mobility::Kinematic => body.move_to(pose).map(|_| ()),
        _ => body.set_pose(pose).map(|_| ()),
    };
    match moved {
        Ok(()) => (entry.local, entry.pose) = (*parts.transform, pose),
        Err(error) => changes.refuse(error),
    }
    // A fixed body that is to move would ignore them.
    if wanted.mobility == Mobility::Fixed || entry.settings.mobility != Mobility::Fixed {
        let [linear, angular] = &mut entry.velocities;
        changes.put(linear, parts.linear.0, |v| body.set_linear_velocity(to_carom(v)).map(|_| ()));
        changes.put(angular, parts.angular.0, |v| body.set_angular_velocity(to_carom(v)).map(|_| ()));
    }
    changes.done()
}

fn change_settings(
    changes: &mut Changes,
    body: &mut BodyMut<'_>,
    noted: &mut BodySettings,
    wanted: &BodySettings,
) {
    // Without the component it keeps the mass that it has.
    changes.put(&mut noted.mass, wanted.mass, |mass| {
        mass.map_or(Ok(()), |mass| body.set_mass(mass).map(|_| ()))
    });
    changes.put(&mut noted.mobility, wanted.mobility, |kind| body.set_mobility(kind).map(|_| ()));
    changes.put(&mut noted.gravity_scale, wanted.gravity_scale, |scale| {
        body.set_gravity_scale(scale).map(|_| ())
    });
    changes.put(&mut noted.damping, wanted.damping, |[linear, angular]| {
        body.set_damping(linear, angular).map(|_| ())
    });
    changes.put(&mut noted.locked_axes, wanted.locked_axes, |axes| body.set_locked_axes(axes).map(|_| ()));
    changes.put(&mut noted.ccd, wanted.ccd, |flag| body.set_ccd(flag).map(|_| ()));
    changes.put(&mut noted.can_sleep, wanted.can_sleep, |flag| body.set_can_sleep(flag).map(|_| ()));
    changes.put(&mut noted.force, wanted.force, |force| {
        let [force, torque] = force.map(to_carom);
        body.set_constant_force(force, torque).map(|_| ())
    });
}

/// Puts colliders on a body, or sets what changed on them. Returns what was refused.
fn update_colliders(physics: &mut PhysicsWorld, body: BodyId, colliders: &[FoundCollider]) -> Refused {
    let mut refused = Vec::new();
    for collider in colliders {
        let kept = physics.collider_id(collider.entity).filter(|id| id.body() == body);
        let done = match kept {
            Some(id) => change_collider(physics, collider, id),
            None => {
                physics.remove_collider(collider.entity);
                insert_collider(physics, collider, body)
            }
        };
        refused.extend(done.err().map(|cause| (collider.entity, Part::Collider, cause)));
    }
    refused
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
    let (noted, wanted) = (&mut entry.settings, &collider.settings);
    if noted == wanted {
        return Ok(());
    }
    let (mut changes, mut slot) = (Changes::default(), world.collider_mut(id)?);
    changes.put(&mut noted.shape, wanted.shape, |_| -> Result<(), RefusalCause> {
        slot.set_shape(collider.shape()?)?;
        Ok(())
    });
    changes.put(&mut noted.pose, wanted.pose, |pose| slot.set_local_pose(pose).map(|_| ()));
    changes.put(&mut noted.material, wanted.material, |material| slot.set_material(material).map(|_| ()));
    changes.put(&mut noted.filter, wanted.filter, |filter| slot.set_filter(filter).map(|_| ()));
    changes.put(&mut noted.density, wanted.density, |density| slot.set_density(density).map(|_| ()));
    changes.put(&mut noted.is_sensor, wanted.is_sensor, |flag| slot.set_sensor(flag).map(|_| ()));
    changes.put(&mut noted.impulse_threshold, wanted.impulse_threshold, |threshold| {
        slot.set_impulse_threshold(threshold).map(|_| ())
    });
    changes.done()
}

/// Inserts a joint, once both bodies are there, or again if the component changed.
fn place_joint(physics: &mut PhysicsWorld, entity: Entity, joint: &Ref<Joint>) {
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
            physics.accept(entity, Part::Joint);
            physics.joints.insert(entity, JointEntry { id: Some(id), bodies: [a, b] });
        }
        Err(error) => physics.note(entity, Part::Joint, Err(error.into())),
    }
}
