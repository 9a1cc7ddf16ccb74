//! Fast bodies and thin walls: nothing passes through.

use crate::scenes::{CheckedStep, ball, cuboid};
use carom_geom::{Capsule, Cuboid, Ellipsoid, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, EventKind, World, WorldSettings};
use std::collections::HashSet;
use std::time::Instant;

/// Thickness of the wall: a millimetre.
const WALL: f32 = 0.001;

const SPEED: f32 = 1000.0;

const DT: f32 = 1.0 / 60.0;

/// A large thin wall across x, whose ends no body reaches in the time, and small bodies that fly at
/// it, most of them spinning.
fn range(n: usize, is_fast: bool, seed: u64) -> (World, Vec<BodyId>) {
    let mut random = Random::new(seed);
    let mut world = World::new();
    let wall = Cuboid::new(Vec3::new(0.5 * WALL, 500.0, 500.0)).unwrap();
    world.insert(BodyDesc::fixed(Shape::Cuboid(wall))).unwrap();
    let bodies = (0..n)
        .map(|i| {
            let shape = match i % 3 {
                0 => Shape::Sphere(Sphere::new(0.005).unwrap()),
                1 => Shape::Cuboid(Cuboid::new(Vec3::new(0.02, 0.004, 0.006)).unwrap()),
                _ => Shape::Capsule(Capsule::new(0.015, 0.004).unwrap()),
            };
            // On a grid, so that they meet the wall and not each other.
            let row = (i / 200) as f32;
            let position =
                Vec3::new(random.range(-30.0, -1.0) as f32, row * 0.4 - 10.0, (i % 200) as f32 * 0.4 - 40.0);
            let spin = if i % 4 == 0 { Vec3::ZERO } else { random.cube_point().as_vec3() * 200.0 };
            let aside = random.cube_point().as_vec3() * 30.0;
            let desc = BodyDesc::dynamic(shape)
                .with_pose(Pose::from_translation(position))
                .with_linear_velocity(Vec3::new(SPEED, aside.y, aside.z))
                .with_angular_velocity(spin)
                .with_density(8000.0)
                .with_ccd(is_fast);
            world.insert(desc).unwrap()
        })
        .collect();
    (world, bodies)
}

/// How many bodies are behind the wall after this many steps.
fn tunnelled(world: &mut World, bodies: &[BodyId], n_steps: usize) -> usize {
    for _ in 0..n_steps {
        world.checked_step(DT).unwrap();
    }
    bodies.iter().filter(|&&id| 0.0 < world.body(id).unwrap().position().x).count()
}

#[test]
fn no_bullet_passes_a_wall_of_a_millimetre() {
    // This many are needed: only one of them passed when impulses within the step were bounded.
    let n = 10_000;
    let (mut world, bodies) = range(n, true, 31);
    let (mut n_stopped, start) = (0, Instant::now());
    let n_steps = 5;
    for step in 0..n_steps {
        n_stopped += world.checked_step(DT).unwrap().n_stopped;
        let beyond: Vec<_> = bodies
            .iter()
            .enumerate()
            .filter(|&(_, &id)| 0.0 < world.body(id).unwrap().position().x)
            .map(|(i, &id)| (i, world.body(id).unwrap().pose(), *world.body(id).unwrap().motion()))
            .collect();
        assert!(
            beyond.is_empty(),
            "step {step}: {} of {n} tunnelled: {:?}",
            beyond.len(),
            &beyond[..beyond.len().min(3)]
        );
    }
    let per_step = start.elapsed().as_secs_f64() * 1e3 / f64::from(n_steps);
    println!("{n} bullets: 0 tunnelled, {n_stopped} stops, {per_step:.2} ms a step");
    assert!(0 < n_stopped);
    // All have come to the wall and not stopped short in the air.
    let near = bodies.iter().filter(|&&id| -31.0 < world.body(id).unwrap().position().x).count();
    assert!(n / 2 < near, "{near} of {n}");
    // Bodies that are not marked are guarded against fixed walls too: their middles stay in front.
    let (mut world, bodies) = range(200, false, 31);
    assert_eq!(tunnelled(&mut world, &bodies, 8), 0);
}

#[test]
fn a_spinning_plank_does_not_reach_through() {
    // Its middle stays in front of the wall; its end, a metre away, goes through it within a step.
    let mut world = World::new();
    let wall = Cuboid::new(Vec3::new(0.5 * WALL, 5.0, 5.0)).unwrap();
    world.insert(BodyDesc::fixed(Shape::Cuboid(wall))).unwrap();
    let plank = Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 1.0, 0.05)).unwrap());
    let desc = BodyDesc::dynamic(plank)
        .with_position(Vec3::new(-0.5, 0.0, 0.0))
        .with_angular_velocity(Vec3::Z * 60.0)
        .with_gravity_scale(0.0)
        .with_ccd(true);
    let id = world.insert(desc).unwrap();
    let stats = *world.checked_step(DT).unwrap();
    let pose = world.body(id).unwrap().pose();
    assert_eq!(stats.n_stopped, 1, "{pose:?}");
    for end in [-1.0, 1.0] {
        assert!(pose.transform_point(Vec3::Y * end).x < 0.0, "{pose:?}");
    }
}

#[test]
fn a_fast_body_flies_freely_and_slides_where_it_touches() {
    let mut world = World::new();
    let floor = Cuboid::new(Vec3::new(100.0, 0.5, 10.0)).unwrap();
    world.insert(BodyDesc::fixed(Shape::Cuboid(floor)).with_position(Vec3::Y * -0.5)).unwrap();
    let ball = |y: f32| {
        BodyDesc::dynamic(Shape::Sphere(Sphere::new(0.1).unwrap()))
            .with_position(Vec3::new(-50.0, y, 0.0))
            .with_linear_velocity(Vec3::X * 60.0)
            .with_friction(0.0)
            .with_ccd(true)
    };
    let free = world.insert(ball(5.0).with_gravity_scale(0.0)).unwrap();
    let sliding = world.insert(ball(0.1)).unwrap();
    for _ in 0..30 {
        world.checked_step(DT).unwrap();
    }
    let x = |id| world.body(id).unwrap().position().x;
    assert!((x(free) - -20.0).abs() < 1e-3, "{}", x(free));
    assert!((x(sliding) - -20.0).abs() < 3.0, "it slides on: {}", x(sliding));
    assert!(0.0 < world.body(sliding).unwrap().position().y);
}

#[test]
fn r_a_struck_body_is_reported() {
    // Bullets stopped slightly farther away than the touching distance, and bounced off without an
    // event.
    let (mut world, bodies) = range(90, true, 5);
    let (mut told, mut n_seen) = (HashSet::new(), 0);
    for _ in 0..8 {
        world.checked_step(DT).unwrap();
        let began = world.events().iter().filter(|event| event.kind == EventKind::Began);
        told.extend(began.flat_map(|event| [event.a, event.b]));
        n_seen += world.contacts().filter(|view| view.is_touching && !view.manifolds.is_empty()).count();
    }
    let turned: Vec<_> =
        bodies.iter().filter(|&&id| world.body(id).unwrap().linear_velocity().x < 0.5 * SPEED).collect();
    assert!(80 < turned.len() && 80 < n_seen, "{} {n_seen}", turned.len());
    for id in turned {
        assert!(told.contains(id), "{id:?} {:?}", world.body(*id).map(|body| body.motion()));
    }
}

#[test]
fn the_first_of_many_obstacles_stops_in_any_order() {
    // A plank that turns by one radian within the step, and posts in the paths of both its ends.
    let posts = [(1.0, 0.3), (1.0, 0.5), (-1.0, 0.6), (1.0, 0.8), (-1.0, 0.9)];
    let turn = |order: [usize; 5]| {
        let mut world = World::new();
        for (end, angle) in order.map(|k| posts[k]) {
            let at = Vec3::new(-f32::sin(angle), f32::cos(angle), 0.0) * (0.9 * end);
            let post = BodyDesc::fixed(Shape::Sphere(Sphere::new(0.05).unwrap()));
            world.insert(post.with_position(at)).unwrap();
        }
        let desc = BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 1.0, 0.05)).unwrap()))
            .with_angular_velocity(Vec3::Z * 60.0)
            .with_gravity_scale(0.0)
            .with_ccd(true);
        let id = world.insert(desc).unwrap();
        let stats = *world.checked_step(DT).unwrap();
        assert_eq!((stats.n_swept, stats.n_stopped), (5, 1));
        let (axis, angle) = world.body(id).unwrap().rotation().to_axis_angle();
        assert!(0.99 < axis.z);
        angle
    };
    let angles = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]].map(turn);
    for angle in angles {
        // Before the first, by half the thickness of both and the distance kept.
        assert!(0.17 < angle && angle < 0.3 - 0.1 / 0.9, "{angles:?}");
        assert!((angle - angles[0]).abs() < 1e-4, "{angles:?}");
    }
}

#[test]
fn a_kinematic_paddle_meets_what_it_turns_into_marked_fast_or_not() {
    let struck = |is_fast: bool| {
        let mut world = World::new();
        let paddle = BodyDesc::kinematic(cuboid(Vec3::new(1.0, 0.1, 0.1)));
        world.insert(paddle.with_angular_velocity(Vec3::Z * 40.0).with_ccd(is_fast)).unwrap();
        // Ahead by 0.5 radians; the paddle turns by 0.67 in a step.
        let at = Vec3::new(f32::cos(0.5), f32::sin(0.5), 0.0) * 0.8;
        let ball = BodyDesc::dynamic(ball(0.1)).with_position(at).with_gravity_scale(0.0);
        let ball = world.insert(ball).unwrap();
        world.checked_step(DT).unwrap();
        world.body(ball).unwrap().linear_velocity()
    };
    assert!(5.0 < struck(false).length(), "{}", struck(false));
    assert_eq!(struck(true), struck(false));
}

#[test]
fn the_same_bits_come_again() {
    let run = || {
        let (mut world, bodies) = range(60, true, 5);
        tunnelled(&mut world, &bodies, 6);
        world.state_hash()
    };
    assert_eq!(run(), run());
}

/// Bodies that slide beside a floor. Returns for each the distance travelled relative to its
/// velocity, and the largest gain of its energy across the direction of sliding.
fn slid(shape: &Shape, unit: f32, speed: f32, gravity: f32) -> Vec<(f32, f32)> {
    let mut random = Random::new(5);
    let mut settings = WorldSettings::default();
    settings.solver.length_unit = unit;
    settings.solver.gravity = Vec3::NEG_Y * gravity * unit;
    let mut world = World::with_settings(settings);
    let floor = Shape::Cuboid(Cuboid::new(Vec3::new(1200.0, 0.5, 60.0) * unit).unwrap());
    world.insert(BodyDesc::fixed(floor).with_position(Vec3::Y * -0.5 * unit)).unwrap();
    let bodies: Vec<BodyId> = (0..40)
        .map(|i| {
            let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 2.0);
            let low = -shape.aabb(&Pose::from_rotation(turn)).min.y;
            let gap = 0.005 * unit * (0.9 + 5e-3 * i as f32);
            let at = Vec3::new(0.0, low + gap, (i as f32 - 20.0) * 2.0 * unit);
            let spin = random.cube_point().as_vec3() * if i % 4 == 0 { 0.0 } else { 10.0 };
            let desc = BodyDesc::dynamic(shape.clone())
                .with_pose(Pose::new(turn, at))
                .with_linear_velocity(Vec3::new(speed, -0.1, 0.0) * unit)
                .with_angular_velocity(spin)
                .with_friction(0.0)
                .with_ccd(true);
            world.insert(desc).unwrap()
        })
        .collect();
    let energy = |world: &World, id: BodyId| {
        let body = world.body(id).unwrap().motion();
        let mut still = *body;
        still.linear_velocity.x = 0.0;
        let moving = still.kinetic_energy() * body.inverse_mass / (unit * unit);
        moving + gravity * body.pose.translation.y / unit
    };
    let n_steps = 120;
    let first: Vec<f32> = bodies.iter().map(|&id| energy(&world, id)).collect();
    let mut found = vec![(0.0, f32::NEG_INFINITY); bodies.len()];
    for _ in 0..n_steps {
        let before: Vec<f32> = bodies.iter().map(|&id| world.body(id).unwrap().position().x).collect();
        world.checked_step(DT).unwrap();
        for (k, &id) in bodies.iter().enumerate() {
            let at = world.body(id).unwrap().position();
            assert!(0.0 < at.y);
            found[k].0 += (at.x - before[k]) / (speed * unit * n_steps as f32 * DT);
            found[k].1 = found[k].1.max(energy(&world, id) - first[k]);
        }
    }
    found
}

/// A body nearer than the stopping distance was stopped in every step, and lost its motion along
/// the wall.
#[test]
fn r_a_body_stopped_beside_a_wall_slides_along_it() {
    for (u, unit) in [1.0, 100.0].into_iter().enumerate() {
        let shapes = [
            Shape::Ellipsoid(Ellipsoid::new(Vec3::new(0.04, 0.2, 0.12) * unit).unwrap()),
            Shape::Sphere(Sphere::new(0.1 * unit).unwrap()),
            Shape::Cuboid(Cuboid::new(Vec3::new(0.2, 0.05, 0.1) * unit).unwrap()),
            Shape::Capsule(Capsule::new(0.2 * unit, 0.05 * unit).unwrap()),
        ];
        for (k, shape) in shapes.iter().enumerate() {
            // Each two of shape, unit, gravity and speed meet; all combinations take long.
            for (s, speed) in [0.5, 5.0, 50.0, 500.0].into_iter().enumerate() {
                if (k + s + u) % 2 == 1 {
                    continue;
                }
                let gravity = if (k + s / 2) % 2 == 0 { 0.0 } else { 9.81 };
                let found = slid(shape, unit, speed, gravity);
                let least = found.iter().map(|found| found.0).fold(f32::INFINITY, f32::min);
                let grown = found.iter().map(|found| found.1).fold(f32::NEG_INFINITY, f32::max);
                assert!(
                    0.9 < least && grown < 0.01,
                    "shape {k}, unit {unit}, gravity {gravity}, speed {speed}: {least} {grown}"
                );
            }
        }
    }
}

#[test]
fn a_fast_body_in_a_corner_stays_in_it() {
    let mut random = Random::new(9);
    for (half, speed) in [(1.0, 30.0), (1.0, 300.0), (1.0, 1000.0)] {
        let mut world = World::new();
        // A box of six thin walls, and bodies that fly at its corners and edges.
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for side in [-1.0, 1.0] {
                let wall = Cuboid::new((Vec3::ONE - axis) * (half + WALL) + axis * (0.5 * WALL)).unwrap();
                let at = axis * (side * (half + 0.5 * WALL));
                world.insert(BodyDesc::fixed(Shape::Cuboid(wall)).with_position(at)).unwrap();
            }
        }
        let bodies: Vec<BodyId> = (0..60)
            .map(|i| {
                let size = 0.01 * half;
                let shape = match i % 4 {
                    0 => Shape::Sphere(Sphere::new(size).unwrap()),
                    1 => Shape::Cuboid(Cuboid::new(Vec3::new(8.0, 1.0, 1.5) * size).unwrap()),
                    2 => Shape::Capsule(Capsule::new(6.0 * size, size).unwrap()),
                    _ => Shape::Ellipsoid(Ellipsoid::new(Vec3::new(5.0, 1.0, 2.0) * size).unwrap()),
                };
                let signs = Vec3::from([0, 1, 2].map(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 }));
                let flat = Vec3::from([0, 1, 2].map(|k| if i % 5 == k { 0.0 } else { 1.0 }));
                let desc = BodyDesc::dynamic(shape)
                    .with_position(random.cube_point().as_vec3() * (0.8 * half))
                    .with_linear_velocity(signs * flat * speed)
                    .with_angular_velocity(random.cube_point().as_vec3() * 200.0)
                    .with_density(8000.0)
                    .with_restitution(if i % 3 == 0 { 0.0 } else { 0.5 })
                    .with_friction(if i % 2 == 0 { 0.0 } else { 0.5 })
                    .with_ccd(true);
                world.insert(desc).unwrap()
            })
            .collect();
        for step in 0..80 {
            world.checked_step(DT).unwrap();
            for &id in &bodies {
                let at = world.body(id).unwrap().position();
                assert!(at.abs().max_element() < half, "{half} {speed} step {step}: {id:?} {at:?}");
            }
        }
    }
}

/// Bodies that tumble beside thin walls, corners and edges, and that meet each other.
#[test]
fn sliding_bodies_pass_through_nothing() {
    let (mut random, mut n_stopped, mut n_bodies) = (Random::new(77), 0, 0);
    for trial in 0..16 {
        let mut settings = WorldSettings::default();
        settings.solver.gravity = Vec3::NEG_Y * if trial % 2 == 0 { 9.81 } else { 0.0 };
        let mut world = World::with_settings(settings);
        // A floor of a millimetre, with ridges on it, and a wall.
        let floor = Shape::Cuboid(Cuboid::new(Vec3::new(60.0, 0.5 * WALL, 30.0)).unwrap());
        world.insert(BodyDesc::fixed(floor)).unwrap();
        let wall = Shape::Cuboid(Cuboid::new(Vec3::new(0.5 * WALL, 30.0, 30.0)).unwrap());
        world.insert(BodyDesc::fixed(wall).with_position(Vec3::X * 50.0)).unwrap();
        for i in 0..10 {
            let ridge = Shape::Cuboid(Cuboid::new(Vec3::new(0.3, 0.3, 30.0)).unwrap());
            let turn = Quat::from_rotation_z(random.range(0.0, 1.5) as f32);
            let at = Vec3::new(8.0 * (i as f32 - 5.0), -0.2, 0.0);
            world.insert(BodyDesc::fixed(ridge).with_pose(Pose::new(turn, at))).unwrap();
        }
        let mut bodies: Vec<BodyId> = (0..25)
            .map(|i| {
                let shape = match i % 4 {
                    0 => Shape::Cuboid(Cuboid::new(Vec3::new(0.8, 0.03, 0.05)).unwrap()),
                    1 => Shape::Capsule(Capsule::new(0.5, 0.02).unwrap()),
                    2 => Shape::Ellipsoid(Ellipsoid::new(Vec3::new(0.05, 0.3, 0.15)).unwrap()),
                    _ => Shape::Sphere(Sphere::new(0.05).unwrap()),
                };
                let speed = [0.5, 5.0, 50.0, 500.0][(trial / 2) % 4];
                let velocity = Vec3::new(speed, random.range(-1.0, 0.0) as f32 * speed, 0.0);
                let desc = BodyDesc::dynamic(shape)
                    .with_pose(Pose::new(
                        Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0),
                        Vec3::new(random.range(-40.0, 40.0) as f32, 1.5, 2.0 * (i as f32 - 12.0)),
                    ))
                    .with_linear_velocity(velocity)
                    .with_angular_velocity(random.cube_point().as_vec3() * 60.0)
                    .with_friction(if i % 3 == 0 { 0.5 } else { 0.0 })
                    .with_ccd(true);
                world.insert(desc).unwrap()
            })
            .collect();
        n_bodies += bodies.len();
        for step in 0..90 {
            n_stopped += world.checked_step(DT).unwrap().n_stopped;
            // Bodies that passed around the ends of the walls are not counted.
            bodies.retain(|&id| {
                let at = world.body(id).unwrap().position();
                let is_through = at.y < 0.0 || 50.0 < at.x;
                let is_inside = -59.0 < at.x && at.y < 29.0 && at.z.abs() < 29.0;
                assert!(!(is_inside && is_through), "trial {trial} step {step}: {id:?} {at:?}");
                is_inside
            });
        }
    }
    println!("{n_bodies} bodies, {n_stopped} stops");
    assert!(n_bodies < n_stopped);
}

/// Fast bodies in a row push each other along a floor: none passes another.
#[test]
fn fast_bodies_in_a_row_keep_their_order() {
    for speed in [1.0, 30.0, 600.0] {
        let mut world = World::new();
        let floor = Shape::Cuboid(Cuboid::new(Vec3::new(500.0, 0.5, 5.0)).unwrap());
        world.insert(BodyDesc::fixed(floor).with_position(Vec3::Y * -0.5)).unwrap();
        // In a tube, so that none goes around.
        let roof = Shape::Cuboid(Cuboid::new(Vec3::new(500.0, 0.5, 5.0)).unwrap());
        world.insert(BodyDesc::fixed(roof).with_position(Vec3::Y * 0.71)).unwrap();
        for side in [-1.0, 1.0] {
            let wall = Shape::Cuboid(Cuboid::new(Vec3::new(500.0, 1.0, 0.1)).unwrap());
            world.insert(BodyDesc::fixed(wall).with_position(Vec3::Z * (0.205 * side))).unwrap();
        }
        let bodies: Vec<BodyId> = (0..6)
            .map(|i| {
                let desc = BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::splat(0.1)).unwrap()))
                    .with_position(Vec3::new(i as f32 * 0.5, 0.1025, 0.0))
                    .with_linear_velocity(Vec3::X * if i < 3 { speed } else { -speed })
                    .with_friction(0.0)
                    .with_ccd(true);
                world.insert(desc).unwrap()
            })
            .collect();
        for step in 0..60 {
            world.checked_step(DT).unwrap();
            let ways: Vec<f32> = bodies.iter().map(|&id| world.body(id).unwrap().position().x).collect();
            assert!(ways.is_sorted(), "{speed}, step {step}: {ways:?}");
        }
    }
}

/// If the path of a step is shorter than the slop, the sweep stops above the floor, where no
/// contact acts yet.
#[test]
fn fast_bodies_land_however_short_the_steps() {
    let shapes = [
        crate::scenes::ball(0.1),
        Shape::Cuboid(Cuboid::new(Vec3::splat(0.05)).unwrap()),
        Shape::Capsule(Capsule::new(0.1, 0.03).unwrap()),
        Shape::Cylinder(carom_geom::Cylinder::new(0.02, 0.1).unwrap()),
    ];
    let slab = BodyDesc::fixed(Shape::Cuboid(Cuboid::new(Vec3::new(2.0, 0.5, 2.0)).unwrap()));
    for n in [60, 240, 1000_u16] {
        for (k, shape) in shapes.iter().enumerate() {
            let mut worlds = [false, true].map(|is_fast| {
                let mut world = World::new();
                world.insert(slab.clone().with_position(Vec3::Y * -0.5)).unwrap();
                let desc = BodyDesc::dynamic(shape.clone()).with_position(Vec3::Y * 0.2).with_ccd(is_fast);
                let body = world.insert(desc).unwrap();
                (world, body)
            });
            // 20 cm take 0.2 s.
            let heights = worlds.each_mut().map(|(world, body)| {
                for _ in 0..n {
                    world.checked_step(1.0 / f32::from(n)).unwrap();
                }
                world.body(*body).unwrap().pose().translation.y
            });
            assert!((heights[0] - heights[1]).abs() < 0.004, "shape {k}, 1/{n} s: {heights:?}");
        }
    }
}
