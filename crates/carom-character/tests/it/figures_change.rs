//! Characters that get another figure: they crouch under a beam, stand up only where there is
//! room, and their bodies follow.

use crate::in_world::{capsule, cuboid, floor, hero};
use carom_character::{Character, CharacterBody, CharacterSettings, Figure, GroundKind, ShapeWorld};
use carom_math::Ray;
use carom_math::glam::{DVec3, Vec3};
use carom_world::{BodyDesc, ColliderDesc, QueryFilter, World};

const DT: f64 = 1.0 / 60.0;

/// Half as tall, as wide.
fn crouched() -> Figure {
    Figure::capsule(0.9, 0.3).unwrap()
}

/// A floor with a beam from x = 2 to 4 m whose lower side is 1 m above it.
fn world_with_beam() -> World {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let beam = BodyDesc::fixed(cuboid(Vec3::new(1.0, 0.5, 2.0)));
    world.insert(beam.with_position(Vec3::new(3.0, 1.5, 0.0))).unwrap();
    world
}

fn top_of_body(world: &World, hero: &CharacterBody) -> f32 {
    world.body(hero.body()).unwrap().colliders().next().unwrap().aabb().max.y
}

#[test]
fn a_character_crouches_under_a_beam_and_stands_up_behind_it() {
    let mut world = world_with_beam();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    let walk = |world: &mut World, hero: &mut CharacterBody, steps: usize| {
        for _ in 0..steps {
            world.step(DT as f32).unwrap();
            hero.walk(world, DVec3::X * 1.5, DT).unwrap();
            assert!(!hero.character().walked().is_stuck);
            assert!(hero.ground().is_some() && hero.character().feet().y.abs() < 0.01);
        }
    };
    // It begins in the air.
    world.step(DT as f32).unwrap();
    while hero.ground().is_none() {
        hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    }
    walk(&mut world, &mut hero, 120);
    let stopped = hero.character().position().x;
    assert!((stopped - 1.7).abs() < 0.01, "the beam stops it: {stopped}");
    assert!((top_of_body(&world, &hero) - 1.81).abs() < 0.01);

    assert_eq!(hero.set_figure(&mut world, crouched()), Ok(true));
    world.validate().unwrap();
    assert!(hero.ground().is_some() && hero.character().feet().y.abs() < 0.01);
    assert!((top_of_body(&world, &hero) - 0.91).abs() < 0.01, "its body is as low");
    walk(&mut world, &mut hero, 60);
    let under = hero.character().position();
    assert!((under.x - stopped - 1.5).abs() < 0.01);
    assert_eq!(hero.set_figure(&mut world, capsule()), Ok(false), "no room to stand up");
    assert_eq!((hero.character().position(), hero.character().figure()), (under, &crouched()));
    assert!((top_of_body(&world, &hero) - 0.91).abs() < 0.01);

    walk(&mut world, &mut hero, 60);
    assert!(4.3 < hero.character().position().x);
    assert_eq!(hero.set_figure(&mut world, capsule()), Ok(true));
    walk(&mut world, &mut hero, 10);
    assert!((top_of_body(&world, &hero) - 1.81).abs() < 0.01);
}

/// A light board on the head is no room: to lift it is the task of forces.
#[test]
fn dynamic_bodies_leave_no_room_to_stand_up() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    for z in [-1.0, 1.0] {
        let post = BodyDesc::fixed(cuboid(Vec3::new(0.2, 0.5, 0.2)));
        world.insert(post.with_position(Vec3::new(0.0, 0.5, z))).unwrap();
    }
    let board = BodyDesc::dynamic(cuboid(Vec3::new(0.5, 0.05, 1.2))).with_density(10.0);
    let board = world.insert(board.with_position(Vec3::new(0.0, 1.05, 0.0))).unwrap();
    let mut hero = hero(&mut world, crouched(), DVec3::ZERO);
    for _ in 0..60 {
        world.step(DT as f32).unwrap();
        hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    }
    assert_eq!(hero.set_figure(&mut world, capsule()), Ok(false));
    world.remove(board).unwrap();
    assert_eq!(hero.set_figure(&mut world, capsule()), Ok(true));
}

#[test]
fn a_change_keeps_what_was_known() {
    let mut world = World::new();
    let lift = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0)));
    let lift = world.insert(lift.with_position(Vec3::Y * -0.5)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    let sensor = ColliderDesc::new(cuboid(Vec3::splat(1.0))).with_sensor(true);
    world.insert_collider(hero.body(), sensor).unwrap();
    world.body_mut(lift).unwrap().set_linear_velocity(Vec3::new(0.5, 1.0, 0.0)).unwrap();
    let mut place = DVec3::ZERO;
    for k in 0..120 {
        world.step(DT as f32).unwrap();
        hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
        if k == 20 {
            place = hero.character().feet() - world.body(lift).unwrap().position().as_dvec3();
        }
        if 20 < k && k % 10 == 0 {
            let figure = if k % 20 == 0 { crouched() } else { capsule() };
            assert_eq!(hero.set_figure(&mut world, figure), Ok(true));
            assert_eq!(hero.ground(), Some(lift));
        }
    }
    let now = hero.character().feet() - world.body(lift).unwrap().position().as_dvec3();
    assert!((now - place).length() < 1e-4, "carried exactly: {:?}", now - place);
    assert_eq!(hero.character().ground().unwrap().kind, GroundKind::Slope);
    assert_eq!(world.body(hero.body()).unwrap().colliders().count(), 2, "the sensor stays");
    world.validate().unwrap();
    // Rays meet the figure that it has now.
    assert_eq!(hero.set_figure(&mut world, crouched()), Ok(true));
    let above = hero.character().feet() + DVec3::new(-3.0, 1.4, 0.0);
    let mut query = world.query(&QueryFilter::SOLID);
    let hit = query.cast_ray(&Ray::new(above.as_vec3(), Vec3::X * 6.0), 1.0);
    assert!(hit.is_none());
}

#[test]
fn a_planet_dweller_crouches_toward_its_feet() {
    let mut world = World::new();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    hero.character_mut().set_up(DVec3::new(1.0, 1.0, 0.0));
    let feet = hero.character().feet();
    assert_eq!(hero.set_figure(&mut world, crouched()), Ok(true));
    assert!((hero.character().feet() - feet).length() < 1e-12);
    assert!(
        (hero.character().figure().up() - DVec3::new(0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0)).length() < 1e-12
    );
    world.remove(hero.body()).unwrap();
    assert!(hero.set_figure(&mut world, capsule()).is_err());
}

#[test]
fn settings_change_while_it_walks() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let step = BodyDesc::fixed(cuboid(Vec3::new(2.0, 0.25, 2.0)));
    world.insert(step.with_position(Vec3::new(4.0, 0.25, 0.0))).unwrap();
    let mut hero = hero(&mut world, Figure::cylinder(1.8, 0.3).unwrap(), DVec3::ZERO);
    let height_after = |world: &mut World, hero: &mut CharacterBody| {
        for _ in 0..120 {
            world.step(DT as f32).unwrap();
            hero.walk(world, DVec3::X * 1.5, DT).unwrap();
        }
        hero.character().feet().y
    };
    assert!(height_after(&mut world, &mut hero) < 0.01, "the step of 0.5 m is a wall");
    let higher =
        hero.character().settings().with_step_height(0.6).with_max_fall_speed(3.0).with_max_push_out(1.0);
    hero.character_mut().set_settings(higher).unwrap();
    assert!((height_after(&mut world, &mut hero) - 0.5).abs() < 0.01, "now it is a step");
    let bad = CharacterSettings::default().with_step_height(-1.0);
    assert_eq!(hero.character_mut().set_settings(bad).unwrap_err().0, "step_height");
    assert_eq!(hero.character().settings(), &higher);
    // It falls at 3 m/s at most.
    let mut faller = Character::new(capsule(), higher, DVec3::Y * 1000.0).unwrap();
    let mut empty = ShapeWorld::new();
    for _ in 0..120 {
        faller.walk(&mut empty, DVec3::ZERO, DT);
    }
    assert_eq!(faller.velocity().y, -3.0);
}

/// The ground has moved since the last walk, and reaches into the feet. That is no reason to
/// refuse a figure: the ground carries the character first.
#[test]
fn r_a_moving_ground_does_not_refuse_a_figure() {
    let small = [Figure::capsule(0.9, 0.3).unwrap(), Figure::cuboid(DVec3::new(0.5, 0.9, 0.5)).unwrap()];
    let large = [capsule(), Figure::cuboid(DVec3::new(0.6, 1.8, 0.6)).unwrap()];
    for (small, large) in small.into_iter().zip(large) {
        for velocity in [Vec3::Y * 0.2, Vec3::Y * 2.0, Vec3::new(1.0, 3.0, 0.5), Vec3::new(2.0, -1.0, 0.0)] {
            let mut world = World::new();
            let lift = BodyDesc::kinematic(cuboid(Vec3::new(3.0, 0.1, 3.0))).with_position(Vec3::Y * -0.1);
            world.insert(lift.with_linear_velocity(velocity)).unwrap();
            let mut hero = hero(&mut world, large, DVec3::ZERO);
            (0..5).for_each(|_| _ = hero.walk(&mut world, DVec3::ZERO, DT).unwrap());
            for step in 0..60 {
                world.step(DT as f32).unwrap();
                let next = if step % 2 == 0 { small } else { large };
                assert_eq!(hero.set_figure(&mut world, next), Ok(true), "{velocity}, step {step}");
                hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
                assert!(hero.ground().is_some(), "{velocity}, step {step}");
            }
            let feet = hero.character().feet();
            assert!((feet - velocity.as_dvec3()).length() < 0.02, "{velocity}: {feet}");
        }
    }
}

/// On a deck that turns, a lower figure lies within the present one. A ceiling that comes down
/// with the lift still leaves no room for a taller one.
#[test]
fn r_a_turning_ground_does_not_refuse_a_lower_figure() {
    let mut world = World::new();
    let deck = BodyDesc::kinematic(cuboid(Vec3::new(5.0, 0.1, 5.0))).with_position(Vec3::Y * -0.1);
    world.insert(deck.with_angular_velocity(Vec3::Z * 0.4)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::X * 2.0);
    (0..5).for_each(|_| _ = hero.walk(&mut world, DVec3::ZERO, DT).unwrap());
    let mut height = 1.8;
    for step in 0..40 {
        world.step(DT as f32).unwrap();
        height -= 0.02;
        let lower = Figure::capsule(height, 0.3).unwrap();
        assert_eq!(hero.set_figure(&mut world, lower), Ok(true), "step {step}");
        hero.walk(&mut world, DVec3::ZERO, DT).unwrap();
    }
    let ceiling = BodyDesc::fixed(cuboid(Vec3::new(5.0, 0.1, 5.0)));
    let top = hero.character().feet().y as f32 + 1.5;
    world.insert(ceiling.with_position(Vec3::Y * top)).unwrap();
    world.step(DT as f32).unwrap();
    assert_eq!(hero.set_figure(&mut world, capsule()), Ok(false));
}
