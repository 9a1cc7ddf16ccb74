//! Characters and a car on a terrain, and fast bodies at a thin wall.
//!
//! - `walk, FIGURE` is a step of 1/60 s of a character that walks over hills. rapier's controller
//!   has the same capsule, limits and wishes; it has no ellipsoids. The two treat slopes
//!   differently, so ends of walks may be a twentieth of the path apart.
//! - `slide` is one move of a ball along the hills, with sliding.
//! - `car` is a step of 1/60 s of a car on eight rays, in four parts. The peer casts that many rays
//!   from the same places, and drives nothing.
//! - `bullets` is a step in which fast bodies fly at a wall of a millimetre. rapier's are marked
//!   for its CCD. The number that passes is compared.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.4, 25.5 and 25.8.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_character::{
    Car, CarSettings, Character, CharacterSettings, Controls, Figure, ShapeWorld, move_and_slide,
};
use carom_geom::f64::TriMesh as WideMesh;
use carom_geom::{Cuboid, Sphere};
use carom_math::f64::Pose as WidePose;
use carom_query::f64::{MeshShape, Shape};
use carom_scenes::Rng;
use carom_scenes::mesh::{MeshData, terrain};
use carom_world::{BodyDesc, World};
use glam::{DQuat, DVec3, Vec3};
use parry3d::math::Pose as ParryPose;
use parry3d::query::{Ray as ParryRay, RayCast as _};
use rapier3d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SharedShape};
use std::hint::black_box;
use std::sync::Arc;

/// The time step, in seconds.
const STEP: f64 = 1.0 / 60.0;

/// Steps of a walk: two seconds.
const STEPS: usize = 120;

/// Walks of a row.
const N_WALKS: usize = 16;

/// The speed of a walk, in metres per second.
const SPEED: f64 = 2.0;

/// Metres: of a figure.
const HEIGHT: f64 = 1.8;
const RADIUS: f64 = 0.3;

fn main() {
    let mut runner = Runner::new("walk");
    let hills = Hills::new();
    for name in ["capsule", "cylinder", "box", "ellipsoid"] {
        walks(&mut runner, &hills, name);
    }
    slides(&mut runner, &hills);
    car(&mut runner, &hills);
    bullets(&mut runner);
}

/// A terrain of gentle hills, in the form of each program.
struct Hills {
    data: MeshData,
    world: ShapeWorld,
    peer: PhysicsWorld,
    mesh: parry3d::shape::TriMesh,
}

impl Hills {
    fn new() -> Hills {
        let data = terrain(60.0, 2.5, 96, 5);
        let mut world = ShapeWorld::new();
        let mesh = WideMesh::new(data.vertices.clone(), data.triangles.clone()).expect("a terrain is a mesh");
        let shape = Shape::Mesh(Arc::new(MeshShape::new(mesh).expect("a terrain has a tree")));
        world.insert(shape, WidePose::IDENTITY);
        let mesh = parry::mesh(&data.vertices_f32(), &data.triangles).expect("parry takes the mesh");
        let mut peer = PhysicsWorld::new();
        peer.insert(RigidBodyBuilder::fixed(), ColliderBuilder::new(SharedShape::new(mesh.clone())));
        // Its tree of colliders is made in a step.
        peer.step();
        Hills { data, world, peer, mesh }
    }

    /// Returns the height of the ground.
    fn height(&self, x: f64, z: f64) -> f64 {
        let ray =
            ParryRay::new(parry::vector(Vec3::new(x as f32, 50.0, z as f32)), parry::vector(Vec3::NEG_Y));
        50.0 - f64::from(self.mesh.cast_local_ray(&ray, f32::MAX, true).expect("the hills have no holes"))
    }

    /// Returns places in the middle part, and directions in the plane.
    fn starts(&self, n: usize) -> Vec<(DVec3, DVec3)> {
        let mut rng = Rng::new(3);
        (0..n)
            .map(|_| {
                let (x, z, angle) =
                    (rng.range(-15.0, 15.0), rng.range(-15.0, 15.0), rng.range(0.0, std::f64::consts::TAU));
                (DVec3::new(x, self.height(x, z), z), DVec3::new(angle.cos(), 0.0, angle.sin()))
            })
            .collect()
    }
}

fn walks(runner: &mut Runner, hills: &Hills, name: &str) {
    let workload = format!("walk, {name}");
    if !runner.wants(&workload) {
        return;
    }
    let figure = match name {
        "capsule" => Figure::capsule(HEIGHT, RADIUS),
        "cylinder" => Figure::cylinder(HEIGHT, RADIUS),
        "box" => Figure::cuboid(DVec3::new(2.0 * RADIUS, HEIGHT, 2.0 * RADIUS)),
        _ => Figure::ellipsoid(HEIGHT, RADIUS),
    }
    .expect("sizes");
    let (half, width) = ((0.5 * HEIGHT) as f32, RADIUS as f32);
    let peer = match name {
        "capsule" => Some(SharedShape::capsule_y(half - width, width)),
        "cylinder" => Some(SharedShape::cylinder(half, width)),
        "box" => Some(SharedShape::cuboid(width, half, width)),
        _ => None,
    };
    let starts = hills.starts(N_WALKS);
    let mut world = hills.world.clone();
    let mut ours = |(feet, direction): (DVec3, DVec3)| {
        let middle = feet + DVec3::Y * (0.5 * HEIGHT + 0.5);
        let mut character =
            Character::new(figure, CharacterSettings::default(), middle).expect("the settings are allowed");
        // In the air rapier's controller takes the wish at once, so this one is set to do the
        // same.
        character.set_velocity(direction * SPEED);
        for _ in 0..STEPS {
            character.walk(&mut world, direction * SPEED, STEP);
        }
        character.feet()
    };
    let controller = KinematicCharacterController {
        offset: CharacterLength::Absolute(0.005),
        autostep: Some(CharacterAutostep {
            max_height: CharacterLength::Absolute(0.4),
            min_width: CharacterLength::Absolute(0.1),
            include_dynamic_bodies: false,
        }),
        max_slope_climb_angle: 50.0_f32.to_radians(),
        min_slope_slide_angle: 50.0_f32.to_radians(),
        snap_to_ground: Some(CharacterLength::Absolute(0.4)),
        ..KinematicCharacterController::default()
    };
    let queries = hills.peer.query_pipeline();
    let theirs = |(feet, direction): (DVec3, DVec3), shape: &SharedShape| {
        let mut position = (feet + DVec3::Y * (0.5 * HEIGHT + 0.5)).as_vec3();
        let mut fall = 0.0_f32;
        for _ in 0..STEPS {
            fall -= (9.81 * STEP) as f32;
            let displacement = (direction * (SPEED * STEP)).as_vec3() + Vec3::Y * (fall * STEP as f32);
            let pose = ParryPose::from_translation(parry::vector(position));
            let moved = controller.move_shape(
                STEP as f32,
                &queries,
                &**shape,
                &pose,
                parry::vector(displacement),
                |_| {},
            );
            if moved.grounded {
                fall = 0.0;
            }
            position += Vec3::new(moved.translation.x, moved.translation.y, moved.translation.z);
        }
        position.as_dvec3() - DVec3::Y * (0.5 * HEIGHT)
    };
    let length = SPEED * STEP * STEPS as f64;
    let mut answers = Answers::new();
    for (i, &start) in starts.iter().enumerate() {
        let end = ours(start);
        // It stands on the ground: a figure touches a slope beside its middle.
        let gap = end.y - hills.height(end.x, end.z);
        answers.number(&format!("{workload} {i}: the ground"), gap, 0.0, 0.25);
        if let Some(shape) = &peer {
            let off = (end - theirs(start, shape)).length();
            answers.number(&format!("{workload} {i}: the end"), off, 0.0, 0.05 * length);
        }
    }
    let row = Row {
        workload: &workload,
        size: hills.data.triangles.len() as u64,
        unit: Unit::Us,
        per_call: (N_WALKS * STEPS) as u64,
    };
    let mut comparison = Comparison::new(answers).entry("carom", || {
        for &start in &starts {
            black_box(ours(start));
        }
    });
    if let Some(shape) = &peer {
        comparison = comparison.entry("rapier", || {
            for &start in &starts {
                black_box(theirs(start, shape));
            }
        });
    }
    runner.compare_slow(row, comparison);
}

fn slides(runner: &mut Runner, hills: &Hills) {
    let workload = "slide";
    if !runner.wants(workload) {
        return;
    }
    let starts = hills.starts(256);
    let figure = Figure::capsule(2.0 * RADIUS, RADIUS).expect("a ball");
    let mut world = hills.world.clone();
    let mut contacts = Vec::new();
    // Down at 45 degrees into the ground, and along it.
    let displacement_along = |direction: DVec3| (direction - DVec3::Y) * 0.5;
    let mut ours = |(feet, direction): (DVec3, DVec3)| {
        contacts.clear();
        let position = feet + DVec3::Y * (RADIUS + 0.2);
        move_and_slide(&mut world, &figure, position, displacement_along(direction), 0.005, &mut contacts)
            .position
    };
    let controller = KinematicCharacterController {
        offset: CharacterLength::Absolute(0.005),
        snap_to_ground: None,
        max_slope_climb_angle: 1.5,
        min_slope_slide_angle: 0.0,
        ..KinematicCharacterController::default()
    };
    let queries = hills.peer.query_pipeline();
    let shape = SharedShape::ball(RADIUS as f32);
    let theirs = |(feet, direction): (DVec3, DVec3)| {
        let position = (feet + DVec3::Y * (RADIUS + 0.2)).as_vec3();
        let pose = ParryPose::from_translation(parry::vector(position));
        let displacement = parry::vector(displacement_along(direction).as_vec3());
        let moved =
            controller.move_shape(STEP as f32, &queries, &*shape, &pose, displacement, |_| {}).translation;
        position.as_dvec3() + Vec3::new(moved.x, moved.y, moved.z).as_dvec3()
    };
    let mut answers = Answers::new();
    for (i, &start) in starts.iter().enumerate() {
        answers.number(&format!("{workload} {i}"), (ours(start) - theirs(start)).length(), 0.0, 0.05);
    }
    let row = Row {
        workload,
        size: hills.data.triangles.len() as u64,
        unit: Unit::Us,
        per_call: starts.len() as u64,
    };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for &start in &starts {
                black_box(ours(start));
            }
        })
        .entry("rapier", || {
            for &start in &starts {
                black_box(theirs(start));
            }
        });
    runner.compare(row, comparison);
}

fn car(runner: &mut Runner, hills: &Hills) {
    let workload = "car";
    if !runner.wants(workload) {
        return;
    }
    let starts = hills.starts(N_WALKS);
    let mut world = hills.world.clone();
    let controls = Controls { throttle: 0.5, ..Controls::default() };
    let mut drive = |(feet, direction): (DVec3, DVec3)| {
        let turn = DQuat::from_rotation_arc(DVec3::X, direction);
        let mut car =
            Car::new(CarSettings::default(), feet + DVec3::Y * 1.2, turn).expect("the settings are allowed");
        for _ in 0..STEPS {
            car.drive(&mut world, &controls, STEP);
        }
        car
    };
    let mut answers = Answers::new();
    for (i, &start) in starts.iter().enumerate() {
        let car = drive(start);
        for wheel in car.wheels() {
            // The peer's ray must find the ground at the height of the wheel's contact.
            let off =
                wheel.distance.map_or(0.0, |_| wheel.point.y - hills.height(wheel.point.x, wheel.point.z));
            answers.number(&format!("{workload} {i}: the road"), off, 0.0, 0.01);
        }
    }
    let rays: Vec<ParryRay> = starts
        .iter()
        .flat_map(|&start| {
            let car = drive(start);
            (0..4).flat_map(move |wheel| {
                let origin = car.origin(wheel) + DVec3::Y;
                [Vec3::NEG_Y, Vec3::Y].map(|displacement| {
                    ParryRay::new(parry::vector(origin.as_vec3()), parry::vector(displacement))
                })
            })
        })
        .collect();
    let row = Row {
        workload,
        size: hills.data.triangles.len() as u64,
        unit: Unit::Us,
        per_call: (N_WALKS * STEPS) as u64,
    };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for &start in &starts {
                black_box(drive(start));
            }
        })
        .entry("parry, the rays alone", || {
            // Four parts of a step.
            for _ in 0..4 * STEPS {
                for ray in &rays {
                    black_box(hills.mesh.cast_local_ray(ray, 10.0, true));
                }
            }
        });
    runner.compare_slow(row, comparison);
}

/// The second step of a world is timed, in which all bullets come to the wall. So each call needs a
/// world of its own.
fn bullets(runner: &mut Runner) {
    let workload = "bullets";
    if !runner.wants(workload) {
        return;
    }
    let n = if runner.is_quick() { 200 } else { 2000 };
    let positions: Vec<Vec3> = (0..n)
        .map(|i| {
            let (column, line) = (i % 50, i / 50);
            Vec3::new(-11.0 - 0.01 * (i % 97) as f32, 0.4 * line as f32 - 8.0, 0.4 * column as f32 - 10.0)
        })
        .collect();
    // Metres per second: 8.3 metres a step.
    let velocity = Vec3::X * 500.0;
    let wall = Vec3::new(0.0005, 50.0, 50.0);
    let ours = || {
        let mut world = World::new();
        let shape = |shape| carom_query::Shape::Cuboid(shape);
        world.insert(BodyDesc::fixed(shape(Cuboid::new(wall).expect("a size")))).expect("a body");
        let ball = carom_query::Shape::Sphere(Sphere::new(0.005).expect("a radius"));
        let ids: Vec<_> = positions
            .iter()
            .map(|&position| {
                let desc = BodyDesc::dynamic(ball.clone())
                    .with_position(position)
                    .with_linear_velocity(velocity)
                    .with_ccd(true);
                world.insert(desc).expect("a body")
            })
            .collect();
        (world, ids)
    };
    let theirs = || {
        let mut world = PhysicsWorld::new();
        world.integration_parameters.dt = STEP as f32;
        world.insert(
            RigidBodyBuilder::fixed(),
            ColliderBuilder::new(SharedShape::cuboid(wall.x, wall.y, wall.z)),
        );
        let ids: Vec<_> = positions
            .iter()
            .map(|&position| {
                let body = RigidBodyBuilder::dynamic()
                    .translation(parry::vector(position))
                    .linvel(parry::vector(velocity))
                    .ccd_enabled(true);
                world.insert(body, ColliderBuilder::new(SharedShape::ball(0.005))).0
            })
            .collect();
        (world, ids)
    };
    let passed = |steps: usize| {
        let ((mut one, ids), (mut two, others)) = (ours(), theirs());
        for _ in 0..steps {
            one.step(STEP as f32).expect("a good step");
            two.step();
        }
        let of_ours = ids.iter().filter(|&&id| 0.0 < one.body(id).expect("a body").position().x).count();
        let of_theirs = others.iter().filter(|&&id| 0.0 < two.bodies[id].translation().x).count();
        (of_ours, of_theirs)
    };
    let mut answers = Answers::new();
    for steps in [2, 5] {
        let (of_ours, of_theirs) = passed(steps);
        println!("    after {steps} steps {of_ours} of {n} are behind the wall, rapier {of_theirs}");
        assert_eq!(of_ours, 0, "carom lets bullets through");
        answers.equal(&format!("{workload}: behind the wall after {steps}"), &of_ours, &of_theirs);
    }
    let rounds = 12;
    let mut worlds: Vec<World> = (0..rounds).map(|_| ours().0).collect();
    let mut peers: Vec<PhysicsWorld> = (0..rounds).map(|_| theirs().0).collect();
    worlds.iter_mut().for_each(|world| _ = world.step(STEP as f32).expect("a good step"));
    peers.iter_mut().for_each(PhysicsWorld::step);
    // The worlds are kept, so that the time to drop them is not measured.
    let (mut done, mut peers_done) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    let row = Row { workload, size: n as u64, unit: Unit::Ms, per_call: 1 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            if let Some(mut world) = worlds.pop() {
                black_box(world.step(STEP as f32).expect("a good step").n_stopped);
                done.push(world);
            }
        })
        .entry("rapier", || {
            if let Some(mut world) = peers.pop() {
                world.step();
                peers_done.push(world);
            }
        })
        .all_frames();
    runner.frames(row, rounds - 3, comparison, || {});
}
