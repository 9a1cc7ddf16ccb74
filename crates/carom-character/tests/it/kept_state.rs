//! The state that a character keeps between calls: its filter, its momentum, its place, and a copy
//! of all of it.

use crate::figures_and_bodies::{DT, go};
use crate::in_world::{box_of, capsule, cuboid, floor, hero};
use carom_character::{Character, CharacterBody, CharacterSettings, ShapeWorld, Sweep, WorldSweep};
use carom_geom::{self as near, f64::Cuboid};
use carom_math::Pose;
use carom_math::glam::{DVec3, Vec3};
use carom_query::{self as near_query, f64::Shape};
use carom_world::{BodyDesc, Groups, LockedAxes, QueryFilter, World};
use std::cell::Cell;

/// The character obeys the present filter of its body: a ghost walks through a wall, and stops at
/// the next when it is solid again.
#[test]
fn the_filter_of_the_body_counts() {
    let ghosts = Groups::from_bits_retain(4);
    let mut world = World::new();
    world.insert(floor().with_groups(Groups::all(), Groups::all())).unwrap();
    let wall = |x: f32| BodyDesc::fixed(cuboid(Vec3::new(0.1, 2.0, 5.0))).with_position(Vec3::X * x);
    world.insert(wall(1.0)).unwrap();
    world.insert(wall(4.0)).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    go(&mut world, &mut hero, DVec3::X * 2.0, 60);
    assert!(hero.character().position().x < 0.6);
    world.body_mut(hero.body()).unwrap().set_groups(Groups::DEFAULT, ghosts).unwrap();
    go(&mut world, &mut hero, DVec3::X * 2.0, 60);
    let x = hero.character().position().x;
    assert!(2.0 < x && hero.ground().is_some(), "{x}");
    world.body_mut(hero.body()).unwrap().set_groups(Groups::DEFAULT, Groups::all()).unwrap();
    go(&mut world, &mut hero, DVec3::X * 2.0, 120);
    let x = hero.character().position().x;
    assert!((x - 3.595).abs() < 0.01, "{x}");
}

/// A character jumps from a train of 20 m/s, loses its speed in the air, and lands on a raft at
/// rest. Returns the velocities of both along the train.
fn jump_off(is_at_wall: bool) -> (f64, f64) {
    let mut world = World::new();
    let train = BodyDesc::kinematic(cuboid(Vec3::new(3.0, 0.25, 2.0)));
    let train = train.with_position(Vec3::Y * -0.25).with_linear_velocity(Vec3::X * 20.0);
    world.insert(train).unwrap();
    let raft = box_of(100.0, Vec3::new(8.0, 0.2, 4.0)).with_gravity_scale(0.0);
    let raft = raft.with_position(Vec3::new(8.0, -3.0, 0.0)).with_locked_axes(LockedAxes::ROTATION);
    let raft = world.insert(raft).unwrap();
    if is_at_wall {
        let wall = BodyDesc::fixed(cuboid(Vec3::new(0.5, 2.0, 4.0)));
        world.insert(wall.with_position(Vec3::new(10.0, 2.2, 0.0))).unwrap();
    }
    let mut hero = hero(&mut world, capsule(), DVec3::X * -1.0);
    go(&mut world, &mut hero, DVec3::ZERO, 20);
    assert!((hero.character().velocity().x - 20.0).abs() < 1e-6);
    assert!(hero.character_mut().jump(3.0));
    go(&mut world, &mut hero, DVec3::ZERO, 12);
    if !is_at_wall {
        let velocity = hero.character().velocity();
        hero.character_mut().set_velocity(velocity.with_x(0.0));
    }
    let mut n = 0;
    while hero.ground() != Some(raft) {
        go(&mut world, &mut hero, DVec3::ZERO, 1);
        n += 1;
        assert!(n < 200, "{:?}", hero.character().position());
    }
    go(&mut world, &mut hero, DVec3::ZERO, 2);
    (hero.character().velocity().x, f64::from(world.body(raft).unwrap().linear_velocity().x))
}

/// A raft gets no momentum that its passenger lost in the air, to a wall or to the caller.
#[test]
fn momentum_lost_in_the_air_is_lost() {
    for is_at_wall in [false, true] {
        let (hero, raft) = jump_off(is_at_wall);
        assert!(hero.abs() < 0.01 && raft.abs() < 0.01, "{is_at_wall}: {hero} {raft}");
    }
}

/// Hops on a raft in motion, along it and against it, leave its speed as it is.
#[test]
fn hops_on_a_raft_keep_its_momentum() {
    for wish in [DVec3::ZERO, DVec3::X * 3.0, DVec3::X * -3.0] {
        let mut world = World::new();
        let raft = box_of(1000.0, Vec3::new(30.0, 0.2, 2.0)).with_gravity_scale(0.0);
        let raft = raft.with_linear_velocity(Vec3::X * 5.0).with_locked_axes(LockedAxes::ROTATION);
        let raft = world.insert(raft).unwrap();
        // Its weight does not move the raft.
        let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.2);
        let hold = |world: &mut World| {
            let velocity = world.body(raft).unwrap().linear_velocity();
            world.body_mut(raft).unwrap().set_linear_velocity(velocity.with_y(0.0)).unwrap();
        };
        let mut speed = 0.0;
        for frame in 0..240 {
            hold(&mut world);
            if frame % 60 == 59 {
                assert!(hero.character_mut().jump(2.0));
            }
            // In the air a wish would steer, and change the momentum.
            let wish = hero.ground().map_or(DVec3::ZERO, |_| wish);
            go(&mut world, &mut hero, wish, 1);
            let now = world.body(raft).unwrap().linear_velocity().x;
            if frame == 30 {
                speed = now;
            }
            assert!(frame < 30 || (now - speed).abs() < 0.02, "{wish}, {frame}: {now} {speed}");
        }
    }
}

/// Within no time the body follows its character too, and the ground is a contact without a force.
#[test]
fn the_body_follows_within_no_time() {
    let mut world = World::new();
    let lift = world.insert(BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.5, 2.0)))).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.5);
    go(&mut world, &mut hero, DVec3::ZERO, 20);
    let before = world.body(hero.body()).unwrap().position();
    let at = Pose::from_translation(Vec3::new(0.3, 0.2, 0.0));
    world.body_mut(lift).unwrap().set_pose(at).unwrap();
    world.step(DT as f32).unwrap();
    let walked = hero.walk(&mut world, DVec3::X, 0.0).unwrap();
    assert!((walked.carried - DVec3::new(0.3, 0.2, 0.0)).length() < 1e-6, "{walked:?}");
    let moved = world.body(hero.body()).unwrap().position() - before;
    assert!((moved - at.translation).length() < 1e-5, "{moved}");
    assert_eq!((hero.contacts().len(), hero.contacts()[0].body), (1, lift));
    // A dynamic ground gets no force.
    let mut world = World::new();
    let raft = world.insert(box_of(100.0, Vec3::new(2.0, 0.5, 2.0)).with_gravity_scale(0.0)).unwrap();
    let mut hero = self::hero(&mut world, capsule(), DVec3::Y * 0.5);
    go(&mut world, &mut hero, DVec3::ZERO, 20);
    world.step(DT as f32).unwrap();
    let speed = world.body(raft).unwrap().linear_velocity();
    hero.walk(&mut world, DVec3::ZERO, 0.0).unwrap();
    assert_eq!((hero.contacts().len(), hero.contacts()[0].force), (1, DVec3::ZERO));
    world.step(DT as f32).unwrap();
    assert_eq!(world.body(raft).unwrap().linear_velocity(), speed);
}

/// A clone of the character and a snapshot of the world continue with the same bits.
#[test]
fn a_clone_and_a_snapshot_go_on_alike() {
    check_copies(&CharacterBody::clone);
}

/// So does a character that was stored and read.
#[test]
fn a_stored_character_goes_on_alike() {
    check_copies(&|hero| serde_json::from_str(&serde_json::to_string(hero).unwrap()).unwrap());
}

/// A stored state with a number out of its range is refused when it is read, with its reason.
#[test]
fn a_stored_character_is_checked() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let figure = capsule().with_up(DVec3::new(0.1, 1.0, 0.2));
    let mut hero = hero(&mut world, figure, DVec3::ZERO);
    go(&mut world, &mut hero, DVec3::X, 20);
    assert!(hero.ground().is_some());
    let good = serde_json::to_value(&hero).unwrap();
    let read = |value: &serde_json::Value| serde_json::from_value::<CharacterBody>(value.clone());
    assert_eq!(*read(&good).unwrap().character().figure(), figure);
    for (path, value, reason) in [
        ("/character/settings/skin", 0.0, "skin is out of its range"),
        ("/character/settings/slope_limit", 2.0, "slope_limit is out of its range"),
        ("/character/figure/up/0", 0.5, "length 1"),
        ("/character/figure/form/Capsule/radius", -1.0, "radius"),
        ("/character/ground/normal/0", 3.0, "length 1"),
        ("/character/stand/normal/1", 0.0, "length 1"),
        ("/character/stand/pose/rotation/4", 0.5, "no rotation matrix"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap_or_else(|| panic!("{path} in {good}")) = value.into();
        let error = read(&bad).unwrap_err().to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
}

/// A jump is as high above a moving lift as above a floor at rest, but for the motion of one step.
#[test]
fn jumps_are_relative_to_the_ground() {
    for speed in [-3.0_f32, 0.0, 1.0, 3.0, 5.0] {
        let mut world = World::new();
        let lift =
            BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.1, 2.0))).with_linear_velocity(Vec3::Y * speed);
        let lift = world.insert(lift).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.1);
        // It has to fall onto a lift that goes down.
        go(&mut world, &mut hero, DVec3::ZERO, 90);
        let above = |world: &World, hero: &CharacterBody| {
            hero.character().feet().y - f64::from(world.body(lift).unwrap().position().y)
        };
        let before = above(&world, &hero);
        assert!(hero.character_mut().jump(4.0));
        let mut highest = 0.0_f64;
        for _ in 0..40 {
            go(&mut world, &mut hero, DVec3::ZERO, 1);
            highest = highest.max(above(&world, &hero) - before);
        }
        // 4^2 / (2 * 9.81), and at most the travel of the lift in the step of the jump, which lifts
        // the figure first.
        let travel = f64::from(speed.max(0.0)) * DT;
        assert!(0.81 < highest && highest < 0.82 + travel, "{speed}: {highest}");
    }
}

fn check_copies(copy: &dyn Fn(&CharacterBody) -> CharacterBody) {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let lift = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.1, 2.0)));
    world.insert(lift.with_linear_velocity(Vec3::new(0.3, 0.4, 0.1))).unwrap();
    let crates = box_of(20.0, Vec3::splat(0.25));
    world.insert(crates.with_position(Vec3::new(1.0, 0.35, 0.0))).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::Y * 0.1);
    let wish = |frame: usize| DVec3::new(2.0, 0.0, 0.3 * (frame % 7) as f64);
    let run = |world: &mut World, hero: &mut CharacterBody, frames: std::ops::Range<usize>| {
        let mut states = Vec::new();
        for frame in frames {
            if frame % 40 == 39 {
                hero.character_mut().jump(3.0);
            }
            go(world, hero, wish(frame), 1);
            states.push((world.state_hash(), hero.character().position(), hero.character().velocity()));
        }
        states
    };
    for start in [0, 30, 45, 80] {
        run(&mut world, &mut hero, start..start + 15);
        let (snapshot, copied) = (world.snapshot(), copy(&hero));
        let truth = run(&mut world, &mut hero, 0..60);
        world.restore(&snapshot).unwrap();
        hero = copied;
        assert_eq!(run(&mut world, &mut hero, 0..60), truth);
    }
}

/// With a slope limit of a right angle a vertical wall is still a wall: a fall along it is free.
#[test]
fn a_fall_along_a_wall_is_free_at_each_slope_limit() {
    for limit in [50.0_f64, 89.0, 90.0] {
        let mut world = ShapeWorld::new();
        let wall = Shape::Cuboid(Cuboid::new(DVec3::new(1.0, 50.0, 5.0)).unwrap());
        world.insert(wall, carom_math::f64::Pose::IDENTITY);
        let settings = CharacterSettings::default()
            .with_slope_limit(limit.to_radians().min(std::f64::consts::FRAC_PI_2));
        let mut hero = Character::new(capsule(), settings, DVec3::new(-1.35, 40.0, 0.0)).unwrap();
        for _ in 0..60 {
            hero.walk(&mut world, DVec3::X * 2.0, DT);
            assert!(hero.ground().is_none() && !hero.jump(1.0), "{limit}");
        }
        let fallen = 40.0 - hero.position().y;
        assert!((fallen - 0.5 * 9.81).abs() < 0.01, "{limit}: {fallen}");
    }
}

/// The search for a free position looks at near bodies alone, in a world of many.
#[test]
fn a_push_out_looks_at_near_bodies_alone() {
    let mut world = World::new();
    let near = BodyDesc::fixed(cuboid(Vec3::splat(0.5)));
    world.insert(near).unwrap();
    for k in 0..2000 {
        let at = Vec3::new(10.0 + (k % 50) as f32, 0.0, (k / 50) as f32);
        world.insert(BodyDesc::fixed(cuboid(Vec3::splat(0.3))).with_position(at)).unwrap();
    }
    world.step(DT as f32).unwrap();
    let n = Cell::new(0);
    let count = |_: &carom_world::ColliderRef<'_, _>| {
        n.set(n.get() + 1);
        true
    };
    let mut sweep = WorldSweep::new(&world, QueryFilter::SOLID).with_predicate(&count);
    let free = sweep.nearest_free(&capsule(), DVec3::new(0.6, 0.3, 0.0)).unwrap();
    assert!(sweep.is_free(&capsule(), free));
    assert!(n.get() < 50, "{}", n.get());
}

/// A jump from a lift rises as high above it as one from the floor, at each speed and rate.
#[test]
fn r_a_jump_from_a_rising_lift_is_as_high_as_from_the_floor() {
    for hertz in [30.0, 60.0, 144.0] {
        for speed in [-3.0, 0.0, 1.0, 3.0, 5.0] {
            let mut world = World::new();
            let lift = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.25, 2.0))).with_position(Vec3::Y * -0.25);
            let lift = world.insert(lift.with_linear_velocity(Vec3::Y * speed)).unwrap();
            let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
            let dt = 1.0 / hertz;
            let step = |world: &mut World, hero: &mut CharacterBody| {
                world.step(dt as f32).unwrap();
                hero.walk(world, DVec3::ZERO, dt).unwrap();
                hero.character().feet().y - f64::from(world.body(lift).unwrap().position().y) - 0.25
            };
            let height = (0..(hertz as usize)).map(|_| step(&mut world, &mut hero)).last().unwrap();
            assert!((height - 0.005).abs() < 3e-3 && hero.character_mut().jump(4.0), "{speed}: {height}");
            let most = (0..(hertz as usize)).map(|_| step(&mut world, &mut hero)).fold(0.0, f64::max);
            let exact = 16.0 / 19.62;
            assert!((most - height - exact).abs() < 2e-3, "{hertz} Hz, {speed} m/s: {most} of {exact}");
        }
    }
}

/// A character walks round a planet: `up` turns with it, and it keeps its ground and its state.
#[test]
fn up_turns_on_a_planet() {
    let figures = [capsule(), carom_character::Figure::cylinder(1.8, 0.3).unwrap()];
    for figure in figures {
        let mut world = World::new();
        let planet = BodyDesc::fixed(near_query::Shape::Sphere(near::Sphere::new(20.0).unwrap()));
        let planet = world.insert(planet).unwrap();
        let mut hero = hero(&mut world, figure, DVec3::Y * 20.0);
        go(&mut world, &mut hero, DVec3::ZERO, 10);
        assert_eq!(hero.ground(), Some(planet));
        let (mut angle, mut last) = (0.0, DVec3::Y);
        let n_steps = (core::f64::consts::TAU * 20.0 / 4.0 * 60.0) as usize;
        for n in 0..n_steps {
            let up = hero.character().feet().normalize();
            hero.character_mut().set_up(up);
            let ahead = up.cross(DVec3::new(0.3, 0.0, 1.0).normalize()).normalize();
            go(&mut world, &mut hero, ahead * 4.0, 1);
            let feet = hero.character().feet();
            assert!((feet.length() - 20.0).abs() < 0.02 && hero.ground() == Some(planet), "{n}: {feet}");
            assert_eq!(hero.character().walked().freed, DVec3::ZERO, "{n}");
            let body = world.body(hero.body()).unwrap();
            assert!((body.rotation() * Vec3::Y).as_dvec3().dot(up) > 0.999_99, "its body turns with it");
            angle += last.angle_between(feet.normalize());
            last = feet.normalize();
        }
        println!("{angle} rad");
        assert!((angle / core::f64::consts::TAU - 1.0).abs() < 0.02, "{angle}");
        // Upside down at once, in the air: it falls to its new ground.
        let there = hero.character().feet().normalize() * -22.0;
        hero.set_position(&mut world, there).unwrap();
        hero.character_mut().set_up(there);
        hero.character_mut().set_velocity(DVec3::ZERO);
        go(&mut world, &mut hero, DVec3::ZERO, 120);
        assert_eq!(hero.ground(), Some(planet));
        assert!(hero.character_mut().set_gravity(-1.0).is_err());
        hero.character_mut().set_gravity(1.6).unwrap();
        assert_eq!(hero.character().settings().gravity, 1.6);
        // A vector without a direction changes nothing.
        let before = *hero.character().figure();
        hero.character_mut().set_up(DVec3::ZERO);
        hero.character_mut().set_up(DVec3::NAN);
        assert_eq!(*hero.character().figure(), before);
    }
}

/// A character on a lift that turns its up by a little stays on its place of the lift.
#[test]
fn turning_up_moves_no_feet() {
    let mut world = World::new();
    let lift = BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.25, 2.0))).with_position(Vec3::Y * -0.25);
    world.insert(lift.with_linear_velocity(Vec3::new(1.0, 0.5, 0.0))).unwrap();
    let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
    go(&mut world, &mut hero, DVec3::ZERO, 10);
    let start = hero.character().feet();
    for n in 0..60 {
        hero.character_mut().set_up(DVec3::new(0.001 * f64::from(n), 1.0, 0.0));
        go(&mut world, &mut hero, DVec3::ZERO, 1);
    }
    let moved = hero.character().feet() - start;
    assert!((moved - DVec3::new(1.0, 0.5, 0.0)).length() < 0.02, "{moved}");
}

/// A character that is knocked goes on with the same bits from a clone or its data and a snapshot,
/// and so do two that push each other.
#[test]
fn knocks_are_kept() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let truck = box_of(2000.0, Vec3::ONE).with_friction(0.0).with_position(Vec3::new(-2.0, 1.0, 0.0));
    world.insert(truck.with_linear_velocity(Vec3::X * 6.0)).unwrap();
    let mut heroes = [0.0, 0.8].map(|x| hero(&mut world, capsule(), DVec3::X * x));
    let run = |world: &mut World, heroes: &mut [CharacterBody; 2], n: usize| {
        for _ in 0..n {
            world.step(DT as f32).unwrap();
            for (hero, wish) in heroes.iter_mut().zip([0.5, -1.0]) {
                hero.walk(world, DVec3::X * wish, DT).unwrap();
            }
        }
        heroes.each_ref().map(|hero| (hero.character().position(), hero.knock()))
    };
    let knocked = run(&mut world, &mut heroes, 20);
    assert!(0.1 < knocked[1].1.x, "{knocked:?}");
    let (snapshot, text) = (world.snapshot(), serde_json::to_string(&heroes.to_vec()).unwrap());
    let truth = run(&mut world, &mut heroes, 40);
    world.restore(&snapshot).unwrap();
    let stored: Vec<CharacterBody> = serde_json::from_str(&text).unwrap();
    let mut heroes: [CharacterBody; 2] = stored.try_into().unwrap();
    assert_eq!(run(&mut world, &mut heroes, 40), truth);
}

/// A snapshot between a step and the walk after it has the pushes of the step, also as text.
#[test]
fn r_pushes_are_kept() {
    for n_steps in 1..4 {
        let mut world = World::new();
        world.insert(floor()).unwrap();
        let ball =
            box_of(500.0, Vec3::splat(0.5)).with_friction(0.0).with_position(Vec3::new(-1.0, 0.6, 0.0));
        world.insert(ball.with_linear_velocity(Vec3::X * 10.0)).unwrap();
        let mut hero = hero(&mut world, capsule(), DVec3::ZERO);
        let run = |world: &mut World, hero: &mut CharacterBody| {
            for _ in 0..10 {
                hero.walk(world, DVec3::ZERO, f64::from(n_steps) * DT).unwrap();
                (0..n_steps).for_each(|_| _ = world.step(DT as f32).unwrap());
            }
            (hero.character().position(), hero.knock(), world.state_hash())
        };
        (0..n_steps).for_each(|_| _ = world.step(DT as f32).unwrap());
        let (mut copied, text) = (hero.clone(), serde_json::to_string(&world.snapshot()).unwrap());
        let truth = run(&mut world, &mut hero);
        assert!(1.0 < truth.0.x, "{truth:?}");
        let shapes: Vec<_> = world.shapes().map(|(id, shape)| (id, shape.clone())).collect();
        let mut loaded = World::new();
        let shape_of = |id| shapes.iter().find(|(known, _)| *known == id).map(|(_, shape)| shape.clone());
        loaded.restore_with(&serde_json::from_str(&text).unwrap(), |saved| shape_of(saved.body)).unwrap();
        assert_eq!(run(&mut loaded, &mut copied), truth);
    }
}
