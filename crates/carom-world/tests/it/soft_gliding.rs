//! Soft things that glide over bodies of every kind: without friction they keep their velocity,
//! with friction they are slowed as Coulomb says.

use crate::scenes::{CheckedStep, DT, ball, cuboid};
use crate::soft::tetrahedra;
use carom_geom::{HalfSpace, HeightField, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{HeightFieldShape, MeshShape, Shape};
use carom_world::{
    BodyDesc, ClothSettings, Grains, Liquid, ParticlePhase, ParticlesDesc, RopeSettings, SoftBodyDesc,
    SoftBodySettings, SoftThing, World,
};
use std::sync::Arc;

const GRAVITY: f32 = 9.81;

/// Half the length and width of the floors, which are made of cells of 2 m.
const HALF: f32 = 30.0;

/// Floors of several kinds of shape at height 0.
fn floors() -> Vec<(&'static str, Shape, f32)> {
    let n = 31_u32;
    let at = |k: u32| 2.0 * HALF * k as f32 / (n - 1) as f32 - HALF;
    let vertices = (0..n * n).map(|k| Vec3::new(at(k % n), 0.0, at(k / n))).collect();
    let cells = (0..n * n).filter(|k| k % n + 1 < n && k / n + 1 < n);
    let triangles = cells.flat_map(|k| [[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]).collect();
    let mesh = MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
    let field = HeightField::new([31, 31], [2.0, 2.0], vec![0.0; 31 * 31]).unwrap();
    vec![
        ("half-space", Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()), 0.0),
        ("cuboid", cuboid(Vec3::new(HALF, 0.5, HALF)), -0.5),
        ("mesh", Shape::Mesh(Arc::new(mesh)), 0.0),
        ("height field", Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap())), 0.0),
    ]
}

/// The kinds of soft things.
const KINDS: [&str; 5] = ["grains", "water", "rope", "cloth", "jelly"];

/// Adds a soft thing of a kind, with its lowest points at this height.
fn add(world: &mut World, kind: &str, radius: f32, friction: f32, at: Vec3, velocity: Vec3) -> SoftThing {
    let at = at + Vec3::Y * radius;
    let particles = |phase: ParticlePhase| {
        let place = |k: u32| at + 3.0 * radius * Vec3::new((k % 3) as f32, 0.0, (k / 3) as f32);
        let points: Vec<Vec3> = (0..9).map(place).collect();
        ParticlesDesc::new(phase, radius).with_positions(&points).with_velocity(velocity)
    };
    let points: Vec<Vec3> = (0..8).map(|k| Vec3::Z * (0.1 * k as f32)).collect();
    let (vertices, cells) = tetrahedra([2, 2, 2], 0.1);
    let body = match kind {
        "grains" => {
            let grains = ParticlePhase::Grains(Grains::default().with_friction(friction));
            return SoftThing::Particles(world.insert_particles(particles(grains)).unwrap());
        }
        "water" => {
            let water = ParticlePhase::Liquid(Liquid::default());
            return SoftThing::Particles(world.insert_particles(particles(water)).unwrap());
        }
        "rope" => SoftBodyDesc::rope(&points, RopeSettings::default()),
        "cloth" => SoftBodyDesc::grid([0.5, 0.5], [6, 6], ClothSettings::default()),
        _ => {
            let stiff = SoftBodySettings::default().with_youngs_modulus(1e5);
            SoftBodyDesc::volume(&vertices, &cells, stiff).with_density(1000.0)
        }
    };
    let body = body.with_thickness(2.0 * radius).with_friction(friction);
    SoftThing::Body(world.insert_soft_body(body.with_position(at).with_velocity(velocity)).unwrap())
}

/// The velocities and positions of the particles of a thing.
fn state_of(world: &World, thing: SoftThing) -> [&[Vec3]; 2] {
    match thing {
        SoftThing::Body(id) => {
            let body = world.soft_body(id).unwrap();
            [body.velocities(), body.positions()]
        }
        SoftThing::Particles(id) => {
            let particles = world.particles(id).unwrap();
            [particles.velocities(), particles.positions()]
        }
    }
}

/// The mean velocity and position of the particles of a thing.
fn mean(world: &World, thing: SoftThing) -> [Vec3; 2] {
    state_of(world, thing).map(|all| all.iter().sum::<Vec3>() / all.len() as f32)
}

/// Thrown along a floor without friction, a soft thing keeps its velocity, at every size and speed.
#[test]
fn r_soft_things_glide_over_smooth_floors() {
    for (name, shape, height) in floors() {
        for kind in KINDS {
            for (radius, speed) in [(0.05, 10.0), (0.01, 1.3), (0.01, 20.0)] {
                let mut world = World::new();
                let floor = BodyDesc::fixed(shape.clone()).with_position(Vec3::Y * height);
                world.insert(floor.with_friction(0.0)).unwrap();
                let at = Vec3::new(-15.0, 0.2 * radius, 0.1);
                let thing = add(&mut world, kind, radius, 0.0, at, Vec3::new(speed, -0.1, 0.0));
                (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
                let [velocity, position] = mean(&world, thing);
                println!("{name}, {kind}, {radius}, {speed}: {velocity} at {position}");
                assert!((velocity.x - speed).abs() < 0.01 * speed, "{name}, {kind}, {radius}: {velocity}");
                assert!(velocity.z.abs() < 0.01 * speed && 0.0 < position.y, "{name}, {kind}: {velocity}");
            }
        }
    }
}

/// With friction grains, ropes, cloth and soft bodies are slowed by the coefficient times gravity.
#[test]
fn r_soft_things_are_slowed_by_friction() {
    for (name, shape, height) in floors() {
        for kind in KINDS.into_iter().filter(|kind| *kind != "water") {
            for (radius, speed, friction) in [(0.05, 12.0, 0.3), (0.01, 6.0, 0.3)] {
                let mut world = World::new();
                let floor = BodyDesc::fixed(shape.clone()).with_position(Vec3::Y * height);
                world.insert(floor.with_friction(friction)).unwrap();
                let thing = add(&mut world, kind, radius, friction, Vec3::X * -15.0, Vec3::X * speed);
                let n = 60;
                (0..n).for_each(|_| _ = world.checked_step(DT).unwrap());
                let [velocity, position] = mean(&world, thing);
                let expected = speed - friction * GRAVITY * n as f32 * DT;
                println!("{name}, {kind}, {radius}: {velocity}, expected {expected}, at {position}");
                assert!((velocity.x - expected).abs() < 0.03 * speed, "{name}, {kind}, {radius}: {velocity}");
            }
        }
    }
}

/// Grains that pass a dynamic ball without touching it leave it at rest, and keep their velocity.
#[test]
fn r_grains_that_pass_a_body_do_not_push_it() {
    for radius in [0.05, 0.01] {
        let mut world = World::new();
        world.solver_settings_mut().gravity = Vec3::ZERO;
        let stone = world.insert(BodyDesc::dynamic(ball(0.3)).with_mass(1.0)).unwrap();
        let points: Vec<Vec3> =
            (0..10).map(|k| Vec3::new(-0.2 * k as f32, 0.3 + 1.1 * radius, 0.0)).collect();
        let grains = ParticlesDesc::new(ParticlePhase::Grains(Grains::default()), radius);
        let grains = grains.with_positions(&points).with_velocity(Vec3::X * 10.0);
        let grains = world.insert_particles(grains).unwrap();
        (0..30).for_each(|_| _ = world.checked_step(DT).unwrap());
        assert_eq!(world.body(stone).unwrap().linear_velocity(), Vec3::ZERO);
        let grains = world.particles(grains).unwrap();
        assert!(grains.velocities().iter().all(|v| *v == Vec3::X * 10.0), "{:?}", grains.velocities());
    }
}

/// A rope that is pulled fast over a smooth bar does not stick to it.
#[test]
fn r_a_rope_is_pulled_over_a_smooth_bar() {
    let mut world = World::new();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let bar = carom_geom::Capsule::new(0.5, 0.1).unwrap();
    let bar = BodyDesc::fixed(Shape::Capsule(bar)).with_friction(0.0);
    let lying = carom_math::Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    world.insert(bar.with_pose(Pose::new(lying, Vec3::ZERO))).unwrap();
    let radius = 0.01;
    let points: Vec<Vec3> = (0..60).map(|k| Vec3::new(-0.02 * k as f32, 0.1 + 1.2 * radius, 0.0)).collect();
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default()).with_thickness(2.0 * radius);
    let rope = rope.with_friction(0.0).with_velocity(Vec3::new(8.0, -0.05, 0.0));
    let rope = world.insert_soft_body(rope).unwrap();
    (0..12).for_each(|_| _ = world.checked_step(DT).unwrap());
    let [velocity, _] = mean(&world, SoftThing::Body(rope));
    assert!((velocity.x - 8.0).abs() < 0.02, "{velocity}");
}

/// A fast thing that falls into a V of two steep plates stays in it, in any order of the plates. In
/// a very steep one the rest of a cloth or a soft body may press its lowest vertices out.
#[test]
fn r_fast_soft_things_stay_in_a_v() {
    for slope in [60.0_f32, 75.0] {
        let slope = slope.to_radians();
        for sides in [[-1.0, 1.0], [1.0, -1.0]] {
            let n_kinds = if 1.2 < slope { 3 } else { KINDS.len() };
            for kind in &KINDS[..n_kinds] {
                for (radius, speed) in [(0.02, 20.0), (0.02, 40.0), (0.01, 20.0)] {
                    let mut world = World::new();
                    for side in sides {
                        let turn = Quat::from_rotation_z(side * slope);
                        let middle = turn * Vec3::new(side, -0.02, 0.0);
                        let plate = BodyDesc::fixed(cuboid(Vec3::new(1.0, 0.02, 1.0))).with_friction(0.0);
                        world.insert(plate.with_pose(Pose::new(turn, middle))).unwrap();
                    }
                    let at = Vec3::new(-0.02, 0.9, -0.1);
                    let thing = add(&mut world, kind, radius, 0.0, at, Vec3::new(1.0, -speed, 0.3));
                    (0..20).for_each(|_| _ = world.checked_step(DT).unwrap());
                    let [_, positions] = state_of(&world, thing);
                    // Grains may roll out at the ends of the plates.
                    let is_in = |p: &&Vec3| 1.0 < p.z.abs() || p.x.abs() * slope.tan() < p.y + 0.5 * radius;
                    let n = positions.iter().filter(is_in).count();
                    let name = format!("{slope}, {sides:?}, {kind}, {radius}, {speed}");
                    assert_eq!(n, positions.len(), "{name}: {positions:?}");
                }
            }
        }
    }
}
