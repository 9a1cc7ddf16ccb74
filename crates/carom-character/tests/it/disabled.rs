//! Disabled bodies under, in and beside characters and vehicles.

use crate::figures_and_bodies::{DT, go};
use crate::in_world::{box_of, capsule, cuboid, floor, hero};
use crate::vehicles::{BRAKED, STANDING, car, run};
use carom_math::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_world::{BodyDesc, BodyId, World};

fn height(world: &World, body: BodyId) -> f32 {
    world.body(body).unwrap().position().y
}

/// A raft hangs in the air, and falls under a load.
fn raft(world: &mut World) -> BodyId {
    let raft = box_of(2000.0, Vec3::new(4.0, 0.1, 4.0)).with_gravity_scale(0.0);
    world.insert(raft.with_position(Vec3::new(0.0, -0.1, 0.0))).unwrap()
}

#[test]
fn a_disabled_car_does_not_press_on_its_ground() {
    let mut world = World::new();
    let raft = raft(&mut world);
    let mut car = car(&mut world, Pose::from_translation(Vec3::new(0.0, STANDING, 0.0)));
    world.body_mut(car.chassis()).unwrap().set_enabled(false).unwrap();
    run(&mut world, &mut car, &BRAKED, 1.0, 60.0);
    assert_eq!(height(&world, raft), -0.1);
    assert!(car.wheels().iter().all(|wheel| wheel.load == 0.0 && wheel.ground.is_none()));
    world.body_mut(car.chassis()).unwrap().set_enabled(true).unwrap();
    run(&mut world, &mut car, &BRAKED, 1.0, 60.0);
    assert!(height(&world, raft) < -0.2);
}

#[test]
fn a_disabled_character_stays_and_does_not_press_on_its_ground() {
    let mut world = World::new();
    let raft = raft(&mut world);
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    go(&mut world, &mut hero, DVec3::ZERO, 12);
    let (at, sunk) = (hero.character().position(), height(&world, raft));
    assert!(sunk < -0.1 && hero.ground() == Some(raft));
    world.body_mut(hero.body()).unwrap().set_enabled(false).unwrap();
    world.body_mut(raft).unwrap().set_linear_velocity(Vec3::ZERO).unwrap();
    let before = height(&world, raft);
    for _ in 0..60 {
        // The weight of the last call acts in the first step.
        world.step(1.0 / 60.0).unwrap();
        hero.walk(&mut world, DVec3::X, DT).unwrap();
    }
    assert!(before - 0.5 < height(&world, raft), "{}", height(&world, raft));
    let speed = world.body(raft).unwrap().linear_velocity().length();
    assert!(speed < 0.5, "{speed}");
    assert_eq!((hero.character().position(), hero.ground()), (at, None));
    assert!(hero.contacts().is_empty());
    world.body_mut(hero.body()).unwrap().set_enabled(true).unwrap();
    go(&mut world, &mut hero, DVec3::ZERO, 60);
    assert!(hero.character().position().y < at.y - 0.05 && hero.ground() == Some(raft));
}

/// A platform is disabled, and parked elsewhere: the character on it falls where it was.
#[test]
fn disabled_ground_does_not_carry_a_character() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let platform = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0)));
    let platform = world.insert(platform.with_position(Vec3::new(0.0, 1.5, 0.0))).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 2.0);
    go(&mut world, &mut hero, DVec3::ZERO, 30);
    assert_eq!(hero.ground(), Some(platform));
    world.body_mut(platform).unwrap().set_enabled(false).unwrap().set_position(Vec3::X * 100.0).unwrap();
    go(&mut world, &mut hero, DVec3::ZERO, 60);
    let at = hero.character().position();
    assert!(at.x.abs() < 1e-3 && (at.y - 0.9).abs() < 0.05, "{at}");
}
