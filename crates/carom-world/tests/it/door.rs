//! What is wrong is refused at the door, and the world is unharmed.

use crate::scenes::{DT, ball, cuboid, ground};
use carom_geom::{HalfSpace, MassProperties};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, JointKind, World, WorldError};

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn refused(desc: BodyDesc) -> WorldError {
    let mut world = World::new();
    let error = world.insert(desc).unwrap_err();
    assert!(world.is_empty() && world.step(DT).is_ok());
    world.insert(BodyDesc::new(ball(0.5))).unwrap();
    world.step(DT).unwrap();
    error
}

#[test]
fn bad_bodies() {
    let good = || BodyDesc::new(ball(0.5));
    for bad in BAD {
        let v = Vec3::new(0.0, bad, 0.0);
        assert!(matches!(refused(good().with_position(v)), WorldError::Pose(_)));
        let turned = Pose::new(Quat::from_xyzw(bad, 0.0, 0.0, 1.0), Vec3::ZERO);
        assert!(matches!(refused(good().with_pose(turned)), WorldError::Pose(_)));
        assert_eq!(refused(good().with_velocity(v, Vec3::ZERO)), WorldError::BadNumber("velocity"));
        assert_eq!(refused(good().with_velocity(Vec3::ZERO, v)), WorldError::BadNumber("velocity"));
        assert_eq!(refused(good().with_friction(bad)), WorldError::BadNumber("friction"));
        assert_eq!(refused(good().with_restitution(bad)), WorldError::BadNumber("restitution"));
        assert_eq!(refused(good().with_density(bad)), WorldError::BadNumber("density"));
        assert_eq!(refused(good().with_gravity_scale(bad)), WorldError::BadNumber("gravity scale"));
        assert_eq!(refused(good().with_damping(bad, 0.0)), WorldError::BadNumber("linear damping"));
        let mass = MassProperties::new(bad, Vec3::ZERO, Mat3::IDENTITY);
        assert_eq!(refused(good().with_mass(mass)), WorldError::NoMass);
    }
    let scaled = Pose::new(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), Vec3::ZERO);
    assert!(matches!(refused(good().with_pose(scaled)), WorldError::Pose(_)));
    assert_eq!(refused(good().with_friction(-0.1)), WorldError::BadNumber("friction"));
    assert_eq!(refused(good().with_density(0.0)), WorldError::NoMass);
    let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
    assert_eq!(refused(BodyDesc::new(plane)), WorldError::NoMass);
}

#[test]
fn stale_handles() {
    let mut world = World::new();
    let a = world.insert(BodyDesc::new(ball(0.5))).unwrap();
    let b = world.insert(BodyDesc::new(ball(0.5)).with_position(Vec3::X * 2.0)).unwrap();
    let joint = world.insert_joint_at(a, b, JointKind::Fixed, Vec3::X, Vec3::X).unwrap();
    world.remove(a).unwrap();
    let stale = WorldError::StaleBody(a);
    assert_eq!(world.remove(a), Err(stale));
    assert_eq!(world.pose(a), Err(stale));
    assert_eq!(world.set_pose(a, Pose::IDENTITY), Err(stale));
    assert_eq!(world.set_velocity(a, Vec3::ZERO, Vec3::ZERO), Err(stale));
    assert_eq!(world.wake(a), Err(stale));
    assert_eq!(world.joint(joint).copied(), Err(WorldError::StaleJoint(joint)), "it went with its body");
    assert_eq!(world.remove_joint(joint), Err(WorldError::StaleJoint(joint)));
    let c = world.insert(BodyDesc::new(ball(0.5))).unwrap();
    assert!(c.index() == a.index() && c != a && world.pose(a).is_err());
    assert_eq!(world.insert_joint_at(a, b, JointKind::Fixed, Vec3::X, Vec3::X), Err(stale));
    assert_eq!(world.insert_joint_at(b, b, JointKind::Fixed, Vec3::X, Vec3::X), Err(WorldError::BadJoint));
    assert_eq!(world.insert_joint_at(b, c, JointKind::Fixed, Vec3::X, Vec3::ZERO), Err(WorldError::BadJoint));
    let bounds = JointKind::Distance { min: 2.0, max: 1.0 };
    assert_eq!(world.insert_joint_at(b, c, bounds, Vec3::X, Vec3::X), Err(WorldError::BadJoint));
    world.step(DT).unwrap();
}

#[test]
fn bad_steps_and_changes() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let body = world.insert(BodyDesc::new(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y)).unwrap();
    let hash = world.state_hash();
    for bad in BAD.into_iter().chain([-1.0]) {
        assert!(matches!(world.step(bad), Err(WorldError::Solver(_))));
        assert_eq!(world.state_hash(), hash);
    }
    for bad in BAD {
        let v = Vec3::new(bad, 0.0, 0.0);
        assert!(world.set_pose(body, Pose::from_translation(v)).is_err());
        assert!(world.set_velocity(body, v, Vec3::ZERO).is_err());
        assert!(world.set_force(body, v, Vec3::ZERO).is_err());
        assert!(world.apply_impulse(body, v, Vec3::ZERO).is_err());
        assert!(world.apply_impulse(body, Vec3::X, v).is_err());
    }
    assert!(world.apply_impulse(body, Vec3::splat(f32::MAX), Vec3::splat(f32::MAX)).is_err());
    assert_eq!(world.state_hash(), hash);
    world.step(DT).unwrap();
}

#[test]
fn far_and_large_bodies_do_no_harm() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    world.insert(BodyDesc::fixed(cuboid(Vec3::splat(1e30)))).unwrap();
    for far in [1e6, 1e12, 1e30, 3e38] {
        let body = BodyDesc::new(ball(0.5)).with_position(Vec3::new(far, far, -far));
        world.insert(body.with_velocity(Vec3::new(far, 0.0, 0.0), Vec3::splat(1e6))).unwrap();
    }
    for _ in 0..20 {
        world.step(DT).unwrap();
    }
    for id in world.body_ids() {
        assert!(world.pose(id).unwrap().is_finite());
    }
}
