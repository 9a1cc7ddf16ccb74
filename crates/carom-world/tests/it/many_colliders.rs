//! Colliders that come and go many at once do what they do one by one.

use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, world_on};
use carom_broad_tree::DynamicBvh;
use carom_math::{Pose, Vec3};
use carom_world::{BodyDesc, BodyId, ColliderDesc, ColliderId, Mobility, World, WorldError};

type Tree = DynamicBvh;

/// Boxes and balls of several densities, in a row along x. Every seventh is a sensor.
fn row(n: usize) -> Vec<ColliderDesc> {
    let one = |k: usize| {
        let shape = if k.is_multiple_of(2) { ball(0.1) } else { cuboid(Vec3::splat(0.1)) };
        let pose = Pose::from_translation(Vec3::new(0.2 * k as f32, 0.01 * (k % 3) as f32, 0.0));
        ColliderDesc::new(shape).with_pose(pose).with_density(1.0 + k as f32).with_sensor(k % 7 == 3)
    };
    (0..n).map(one).collect()
}

fn scene() -> (World<Tree>, BodyId) {
    let mut world = world_on();
    world.insert(ground()).unwrap();
    let body = world.insert(BodyDesc::dynamic(ball(0.1)).with_position(Vec3::Y * 0.3)).unwrap();
    (world, body)
}

fn run(world: &mut World<Tree>) -> u64 {
    (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
    world.state_hash()
}

#[test]
fn r_many_at_once_are_as_one_by_one() {
    let ((mut one, body), (mut other, same_body)) = (scene(), scene());
    let ids: Vec<ColliderId> =
        row(40).into_iter().map(|desc| one.insert_collider(body, desc).unwrap()).collect();
    assert_eq!(other.insert_colliders(same_body, row(40)).unwrap(), ids);
    assert_eq!(run(&mut one), run(&mut other));
    // Removed slots are used again, in both worlds in the same order.
    let gone: Vec<ColliderId> = ids.iter().copied().step_by(3).collect();
    gone.iter().for_each(|id| one.remove_collider(*id).unwrap());
    let backwards: Vec<ColliderId> = gone.iter().rev().chain(&gone).copied().collect();
    other.remove_colliders(&backwards).unwrap();
    assert!(gone.iter().all(|id| other.collider(*id).is_err()));
    assert_eq!(run(&mut one), run(&mut other));
    let added: Vec<ColliderId> =
        row(20).into_iter().map(|desc| one.insert_collider(body, desc).unwrap()).collect();
    assert_eq!(other.insert_colliders(same_body, row(20)).unwrap(), added);
    assert_eq!(run(&mut one), run(&mut other));
}

/// One by one, this took the square of their number.
#[test]
fn thousands_come_and_go() {
    let (mut world, body) = scene();
    let ids = world.insert_colliders(body, row(4000)).unwrap();
    assert_eq!(world.body(body).unwrap().colliders().count(), 4001);
    world.checked_step(DT).unwrap();
    world.remove_colliders(&ids).unwrap();
    assert_eq!(world.body(body).unwrap().colliders().count(), 1);
    world.checked_step(DT).unwrap();
}

#[test]
fn an_error_changes_nothing() {
    let (mut world, body) = scene();
    let ids = world.insert_colliders(body, row(5)).unwrap();
    let state = |world: &World<Tree>| {
        let body = world.body(body).unwrap();
        (body.mass(), body.colliders().map(|collider| collider.id()).collect::<Vec<_>>())
    };
    let before = state(&world);
    let mut bad = row(4);
    bad[2] = bad[2].clone().with_density(-1.0);
    assert!(world.insert_colliders(body, bad).is_err());
    assert_eq!(world.insert_colliders(body, []).unwrap(), []);
    assert_eq!(state(&world), before);
    world.remove_collider(ids[4]).unwrap();
    let removed = state(&world);
    assert_ne!(removed, before);
    assert_eq!(world.remove_colliders(&ids), Err(WorldError::StaleCollider(ids[4])));
    assert_eq!(state(&world), removed);
    let empty = world.insert(BodyDesc::empty(Mobility::Fixed)).unwrap();
    world.remove(empty).unwrap();
    assert_eq!(world.insert_colliders(empty, []), Err(WorldError::StaleBody(empty)));
}
