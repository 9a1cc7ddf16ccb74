//! A world in which bodies with any numbers are inserted, moved, pushed and removed.

use crate::bytes::Bytes;
use carom_audit::{Audit, AuditSettings, FaultKind};
use carom_broad::BroadPhase;
use carom_ccd::{TimeOfImpact, Why};
use carom_geom::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, HalfSpace, Sphere, TriMesh};
use carom_math::{Interval, Pose, Ray, Vec3};
use carom_query::{ImpactSettings, MeshShape, Motion, Shape, cast, motion_of};
use carom_world::{BodyDesc, BodyId, QueryFilter, World};
use std::sync::Arc;

pub(crate) fn shape(bytes: &mut Bytes<'_>) -> Option<Shape> {
    let size = |bytes: &mut Bytes<'_>| bytes.size() as f32;
    Some(match bytes.below(9) {
        0 => Shape::Sphere(Sphere::new(size(bytes)).ok()?),
        1 => Shape::Capsule(Capsule::new(size(bytes), size(bytes)).ok()?),
        2 | 3 => Shape::Cuboid(Cuboid::new(bytes.sizes().as_vec3()).ok()?),
        4 => Shape::Cylinder(Cylinder::new(size(bytes), size(bytes)).ok()?),
        5 => Shape::Cone(Cone::new(size(bytes), size(bytes)).ok()?),
        6 => Shape::Ellipsoid(Ellipsoid::new(bytes.sizes().as_vec3()).ok()?),
        7 => {
            let points: Vec<Vec3> = (0..4 + bytes.below(5)).map(|_| bytes.point_f32()).collect();
            match ConvexHull::from_points(&points) {
                Ok(hull) => Shape::Hull(Arc::new(hull)),
                Err(_) => {
                    let mesh = TriMesh::new(points, vec![[0, 1, 2], [0, 2, 3]]).ok()?;
                    Shape::Mesh(Arc::new(MeshShape::new(mesh).ok()?))
                }
            }
        }
        _ => Shape::HalfSpace(HalfSpace::new(bytes.point_f32()).ok()?),
    })
}

/// Inserts a body with any numbers. A refusal names its reason, and changes nothing.
pub(crate) fn insert<B: BroadPhase>(world: &mut World<B>, bytes: &mut Bytes<'_>) -> Option<BodyId> {
    let shape = shape(bytes)?;
    let desc = match bytes.byte() % 4 {
        0 => BodyDesc::fixed(shape),
        1 => BodyDesc::kinematic(shape),
        _ => BodyDesc::dynamic(shape).with_density(1.0),
    };
    let mut desc = desc.with_pose(Pose::new(bytes.rotation_f32(), bytes.point_f32()));
    if bytes.byte().is_multiple_of(2) {
        desc = desc.with_linear_velocity(bytes.point_f32()).with_angular_velocity(bytes.point_f32());
    }
    if bytes.byte().is_multiple_of(4) {
        desc = desc.with_density(bytes.size() as f32).with_friction(bytes.size() as f32);
        desc = desc.with_restitution(bytes.size() as f32).with_gravity_scale(bytes.float() as f32);
        desc = desc.with_damping(bytes.size() as f32, bytes.size() as f32);
    }
    let n = world.len();
    match world.insert(desc) {
        Ok(id) => Some(id),
        Err(error) => {
            assert!(!error.to_string().is_empty() && world.len() == n);
            None
        }
    }
}

/// A refusal has a reason. All bodies have finite poses and velocities after every step.
pub fn world(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut world = World::new();
    let mut ids = Vec::new();
    let mut audit = Audit::new(AuditSettings::default().with_sides(false));
    let mut n_calls = 0;
    while !bytes.is_empty() && n_calls < 40 {
        n_calls += 1;
        // The handle may be of a removed body.
        let id: Option<BodyId> = ids.get(bytes.below(ids.len().max(1))).copied();
        match (bytes.byte() % 16, id) {
            (0, Some(id)) => {
                let was = world.body(id).is_ok();
                assert_eq!(world.remove(id).is_ok(), was);
                assert!(world.body(id).is_err());
            }
            (call @ 1..=4, Some(id)) => {
                let (rotation, a, b) = (bytes.rotation_f32(), bytes.point_f32(), bytes.point_f32());
                if let Ok(mut body) = world.body_mut(id) {
                    drop(match call {
                        1 => body.set_pose(Pose::new(rotation, a)),
                        2 => body.set_linear_velocity(a).and_then(|body| body.set_angular_velocity(b)),
                        3 => body.apply_impulse_at(a, b),
                        _ => body.set_constant_force(a, b),
                    });
                }
            }
            (5, _) => {
                let ray = Ray::new(bytes.point_f32(), bytes.point_f32());
                let hit = world.query(&QueryFilter::ALL).cast_ray(&ray, Interval::FORWARD);
                assert!(hit.is_none_or(|hit| 0.0 <= hit.hit.t && world.body(hit.body).is_ok()), "{hit:?}");
                let _ = world.query(&QueryFilter::ALL).nearest(bytes.point_f32(), bytes.float() as f32);
                if let Some(shape) = shape(&mut bytes) {
                    cast_through(&world, &shape, &mut bytes);
                }
            }
            (6, Some(id)) => {
                if let Some(shape) = shape(&mut bytes)
                    && let Ok(mut body) = world.body_mut(id)
                {
                    let _ = body.set_shape(shape);
                }
            }
            (7..=10, _) => {
                let dt = if bytes.byte().is_multiple_of(8) { bytes.float() as f32 } else { 1.0 / 60.0 };
                step(&mut world, &mut audit, dt);
            }
            _ => ids.extend(insert(&mut world, &mut bytes)),
        }
    }
    step(&mut world, &mut audit, 1.0 / 60.0);
    step(&mut world, &mut audit, 1.0 / 60.0);
}

/// Checks that a cast through the world equals the first one of the casts against its bodies.
fn cast_through(world: &World, shape: &Shape, bytes: &mut Bytes<'_>) {
    let start = Pose::new(bytes.rotation_f32(), bytes.point_f32());
    let (center, by, turn) = (bytes.point_f32(), bytes.point_f32(), bytes.point_f32());
    let Ok(motion) = motion_of(&start, center, by, turn) else { return };
    let target = bytes.size();
    let settings = ImpactSettings::default().with_target_distance(if target < 1.0 { target } else { 0.0 });
    let found = world
        .query(&QueryFilter::ALL)
        .cast_motion(shape, &motion, &settings)
        .map(|met| (met.safe_until(), met.body));
    let (mut first, mut is_far, mut is_spent): (Option<(f64, BodyId)>, bool, bool) = (None, false, false);
    for id in world.body_ids() {
        let pose = world.body(id).unwrap().pose();
        let still = Motion::fixed(pose.rotation.as_dquat(), pose.translation.as_dvec3()).unwrap();
        let time = cast(shape, &motion, world.body(id).unwrap().shape(), &still, &settings);
        if let Some(hit) = time.hit() {
            assert!(
                found.is_some_and(|(t, _)| t <= hit.t_hi),
                "{found:?}, but {hit:?}: {shape:?} on {motion:?}"
            );
        }
        let known = (time.safe_until(f64::INFINITY), id);
        if known.0 < f64::INFINITY && first.is_none_or(|first| known < first) {
            first = Some(known);
        }
        // A search that spent its steps on a fast rotation may know less than the boxes of the
        // world.
        is_spent |= matches!(time, TimeOfImpact::Undecided(undecided) if undecided.why == Why::StepsSpent);
        is_far |=
            world.body(id).map(|body| body.aabb()).is_ok_and(|aabb| !(aabb.max.abs().max_element() < 1e6));
    }
    // For huge numbers, a search may be undecided even for bodies far from the path.
    let is_moderate = shape.aabb(&start).max.abs().max_element() < 1e6
        && by.length() < 1e6
        && (center.length() + 1.0) * turn.length() < 1e6;
    if is_moderate && !is_far && !is_spent {
        assert_eq!(found, first, "{shape:?} on {motion:?} with {settings:?}");
    }
}

/// Steps the world, and audits the step.
///
/// Bodies from arbitrary bytes overlap at the start. Pushing them apart adds energy and passes
/// surfaces. Events and the range of numbers are right for all bytes.
fn step(world: &mut World, audit: &mut Audit, dt: f32) {
    audit.begin(world);
    let before: Vec<Pose> = world.body_ids().map(|id| world.body(id).unwrap().pose()).collect();
    let is_done = match world.step(dt) {
        Ok(_) => true,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    };
    if is_done {
        audit.end(world, dt);
        let is_law = |kind| matches!(kind, FaultKind::Events | FaultKind::Range | FaultKind::Sleep);
        let fault = audit.faults().iter().find(|fault| is_law(fault.kind));
        assert!(fault.is_none(), "{fault:?}");
    }
    for (id, old) in world.body_ids().zip(before) {
        let pose = world.body(id).unwrap().pose();
        assert!(is_done || pose == old, "{id:?} was moved by a refused step");
    }
    check_finite(world);
}

/// Checks that poses, velocities and contacts are finite.
pub(crate) fn check_finite<B: BroadPhase>(world: &World<B>) {
    for id in world.body_ids() {
        let motion = *world.body(id).unwrap().motion();
        let pose = motion.pose;
        assert!(pose.translation.is_finite() && pose.rotation.is_finite(), "{id:?} {motion:?}");
        assert!(
            motion.linear_velocity.is_finite() && motion.angular_velocity.is_finite(),
            "{id:?} {motion:?}"
        );
    }
    for view in world.contacts() {
        for contact in view.manifolds.iter().flat_map(|manifold| manifold.contacts()) {
            assert!(contact.point_a.is_finite() && !contact.distance.is_nan(), "{contact:?}");
        }
    }
}
