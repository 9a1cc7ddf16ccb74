//! The force between two bodies, of [`World::contact_force`](carom_world::World::contact_force).

use crate::scenes::{CheckedStep, DT, cuboid, ground};
use carom_math::{Pose, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, ColliderDesc, World, WorldError};

const GRAVITY: f32 = 9.81;

/// The error of a force of contacts at rest, as a fraction of the weight above.
const MAX_ERROR: f32 = 2e-3;

fn force(world: &World, a: BodyId, b: BodyId) -> Vec3 {
    world.contact_force(a, b).unwrap()
}

fn mass(world: &World, body: BodyId) -> f32 {
    1.0 / world.body(body).unwrap().motion().inverse_mass
}

fn sleeps(world: &World, body: BodyId) -> bool {
    world.body(body).unwrap().is_sleeping()
}

/// Steps until the body sleeps, and ten times more.
fn settle(world: &mut World, body: BodyId) {
    for _ in 0..1200 {
        if sleeps(world, body) {
            break;
        }
        world.checked_step(DT).unwrap();
    }
    for _ in 0..10 {
        world.checked_step(DT).unwrap();
    }
    assert!(sleeps(world, body));
}

fn assert_bears(world: &World, below: BodyId, above: BodyId, mass: f32) {
    let (up, down) = (force(world, below, above), force(world, above, below));
    let weight = mass * GRAVITY;
    assert_eq!(up, -down);
    assert!((up - Vec3::Y * weight).length() < MAX_ERROR * weight, "{up} bears {weight}");
}

/// Bodies that sleep have the force of their weight between them, and no impulse events: on level
/// ground, in a stack, on a slope where friction bears a part, and with several colliders.
#[test]
fn sleeping_bodies_have_the_force_of_their_rest() {
    let brick = || BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.25, 0.5))).with_impulse_threshold(0.0);
    let tilt = Quat::from_rotation_z(0.3);
    for slope in [Quat::IDENTITY, tilt] {
        let mut world = World::new();
        let floor = world.insert(ground().with_pose(Pose::from_rotation(slope)).with_friction(1.0)).unwrap();
        let at = |height: f32| Pose::new(slope, slope * (Vec3::Y * height));
        let low = world.insert(brick().with_pose(at(0.25)).with_friction(1.0)).unwrap();
        let high = brick().with_pose(at(0.75)).with_friction(1.0).with_density(3000.0);
        let high = world.insert(high).unwrap();
        settle(&mut world, high);
        assert!(world.impulse_events().is_empty());
        let masses = [low, high].map(|body| mass(&world, body));
        assert_bears(&world, floor, low, masses[0] + masses[1]);
        assert_bears(&world, low, high, masses[1]);
        assert_eq!(force(&world, floor, high), Vec3::ZERO);
        // A snapshot has them too.
        let mut again = World::new();
        again.restore(&world.snapshot()).unwrap();
        assert_eq!(force(&again, floor, low), force(&world, floor, low));
    }
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let table =
        world.insert(BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.05, 0.5))).with_position(Vec3::Y)).unwrap();
    for x in [-0.4, 0.4] {
        let leg = ColliderDesc::from(cuboid(Vec3::new(0.05, 0.45, 0.45)));
        let leg = leg.with_pose(Pose::from_translation(Vec3::new(x, -0.5, 0.0)));
        world.insert_collider(table, leg).unwrap();
    }
    settle(&mut world, table);
    let mass = mass(&world, table);
    assert_bears(&world, floor, table, mass);
}

/// A body that a constant force presses on a wall, and that sleeps there.
#[test]
fn a_wall_has_the_force_of_what_leans_on_it() {
    let mut world = World::new();
    let floor = world.insert(ground().with_friction(0.0)).unwrap();
    let wall = BodyDesc::fixed(cuboid(Vec3::ONE)).with_position(Vec3::new(1.5, 1.0, 0.0));
    let wall = world.insert(wall.with_friction(0.0)).unwrap();
    let crate_ = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5).with_friction(0.0);
    let crate_ = world.insert(crate_).unwrap();
    let weight = mass(&world, crate_) * GRAVITY;
    world.body_mut(crate_).unwrap().set_constant_force(Vec3::X * (0.1 * weight), Vec3::ZERO).unwrap();
    settle(&mut world, crate_);
    let pressed = force(&world, crate_, wall);
    assert!((pressed - Vec3::X * (0.1 * weight)).length() < MAX_ERROR * weight, "{pressed} of {weight}");
    assert_bears(&world, floor, crate_, mass(&world, crate_));
}

/// While bodies move, it is the force of the last substep. In the air it is zero. A stale handle is
/// an error, and a new body with the index of a removed one has no force of that one.
#[test]
fn a_force_ends_with_its_contact() {
    let mut world = World::new();
    let floor = world.insert(ground()).unwrap();
    let brick = || BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
    let first = world.insert(brick().with_can_sleep(false)).unwrap();
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    assert!(!sleeps(&world, first));
    assert_bears(&world, floor, first, mass(&world, first));
    world.body_mut(first).unwrap().set_linear_velocity(Vec3::Y * 5.0).unwrap();
    for _ in 0..5 {
        world.checked_step(DT).unwrap();
    }
    assert_eq!(force(&world, floor, first), Vec3::ZERO);
    let second = world.insert(brick().with_position(Vec3::new(3.0, 0.5, 0.0))).unwrap();
    settle(&mut world, second);
    world.remove(second).unwrap();
    assert!(matches!(world.contact_force(floor, second), Err(WorldError::StaleBody(_))));
    let third = world.insert(brick().with_position(Vec3::new(3.0, 0.5, 0.0))).unwrap();
    assert_eq!(third.index(), second.index());
    assert_eq!(force(&world, floor, third), Vec3::ZERO);
    world.detect();
    assert_eq!(force(&world, floor, third), Vec3::ZERO);
}
