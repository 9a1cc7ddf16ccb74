//! Light fast bodies that a heavy one presses into a corner stay in the room.

use crate::scenes::CheckedStep;
use carom_geom::{Capsule, ConvexHull, Cuboid, Sphere, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_testkit::random::Random;
use carom_world::{BodyDesc, SolverSettings, World, WorldSettings};
use std::sync::Arc;

/// Half a side of the room.
const HALF: f32 = 0.5;

fn cuboid(half: Vec3) -> Shape {
    Shape::Cuboid(Cuboid::new(half).unwrap())
}

/// A light body of about this half thickness.
fn light(kind: usize, size: f32) -> Shape {
    match kind {
        0 => cuboid(Vec3::new(3.0, 1.0, 2.0) * size),
        1 => Shape::Sphere(Sphere::new(1.5 * size).unwrap()),
        2 => Shape::Capsule(Capsule::new(2.0 * size, size).unwrap()),
        3 => {
            let corners = [[0.0, 3.0, 0.0], [2.0, -1.0, 0.0], [-1.0, -1.0, 2.0], [-1.0, -1.0, -2.0]];
            let points = corners.map(|corner| Vec3::from(corner) * size);
            Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()))
        }
        _ => {
            let part = |x: f32| CompoundPart {
                shape: cuboid(Vec3::splat(size)),
                pose: Pose::from_translation(Vec3::X * (x * size)),
            };
            Shape::Compound(Arc::new(Compound::new(vec![part(-1.0), part(1.0)]).unwrap()))
        }
    }
}

/// A closed room of twelve triangles, which has no thickness.
fn room() -> Shape {
    let vertices: Vec<Vec3> =
        (0..8).map(|i| Vec3::from([1, 2, 4].map(|bit| if i & bit == 0 { -HALF } else { HALF }))).collect();
    let quads = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
    let indices = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(vertices, indices).unwrap()).unwrap()))
}

/// Presses one light body into a corner, where the room is turned. Returns how far its middle came
/// beyond the room.
fn pressed(kind: usize, seed: u64, fast: [bool; 2]) -> f32 {
    let mut random = Random::new(seed);
    let turn = random.cube_point().as_vec3() * 3.0;
    let frame = Pose::new(Quat::from_scaled_axis(turn), random.cube_point().as_vec3() * 3.0);
    let corner = Vec3::from([1, 2, 4].map(|bit| if seed & bit == 0 { -1.0f32 } else { 1.0 }));
    let gravity = frame.transform_vector((corner + random.cube_point().as_vec3()).normalize() * 9.81);
    let solver = SolverSettings::default().with_gravity(gravity);
    let mut world = World::with_settings(WorldSettings::default().with_solver(solver));
    let pose_at = |local: Vec3| Pose::new(Quat::from_scaled_axis(turn), frame.transform_point(local));
    world.insert(BodyDesc::fixed(room()).with_pose(frame)).unwrap();
    let size = 0.001 * 10.0f32.powf(random.range(0.0, 1.0) as f32);
    let speed = 0.1 * 100.0f32.powf(random.range(0.0, 1.0) as f32);
    let velocity = gravity * (speed / 9.81);
    let shape = light(kind, size);
    let center = shape.mass_properties(1.0).center;
    let small = BodyDesc::dynamic(shape)
        .with_pose(pose_at(corner * (HALF - 4.0 * size)))
        .with_angular_velocity(random.cube_point().as_vec3() * 20.0)
        .with_restitution(0.0)
        .with_friction(0.0)
        .with_ccd(fast[0]);
    let small = world.insert(small).unwrap();
    let sides = Vec3::new(0.12, 0.07, 0.04);
    let heavy = BodyDesc::dynamic(cuboid(sides))
        .with_pose(pose_at(corner * (HALF - 0.2)))
        .with_linear_velocity(velocity)
        .with_angular_velocity(random.cube_point().as_vec3() * 10.0)
        .with_restitution(0.0)
        .with_friction(0.0)
        .with_ccd(fast[1]);
    world.insert(heavy).unwrap();
    let dt = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0][random.below(3)];
    let mut beyond = f32::NEG_INFINITY;
    for _ in 0..120 {
        world.checked_step(dt).unwrap();
        let middle = world.body(small).unwrap().pose().transform_point(center);
        beyond = beyond.max(frame.inverse_transform_point(middle).abs().max_element() - HALF);
    }
    beyond
}

/// Metres. The guard holds the middle of a body on the surface itself.
const ROUNDING: f32 = 1e-6;

/// Bodies lost, where the light one and the heavy one are marked fast or not.
fn assert_none_lost(fast: [bool; 2], seeds: core::ops::Range<u64>) {
    let lost: Vec<(usize, u64, f32)> = (0..5)
        .flat_map(|kind| seeds.clone().map(move |seed| (kind, seed)))
        .map(|(kind, seed)| (kind, seed, pressed(kind, seed, fast)))
        .filter(|(.., beyond)| !(*beyond < ROUNDING))
        .collect();
    assert!(lost.is_empty(), "{fast:?}: {} lost: {lost:?}", lost.len());
}

#[test]
fn r_a_fast_body_that_is_pressed_into_a_corner_stays_in_the_room() {
    assert_none_lost([true, true], 0..90);
    assert_none_lost([true, false], 0..20);
}

#[test]
fn r_a_body_that_is_pressed_into_a_corner_stays_in_the_room() {
    assert_none_lost([false, true], 0..300);
    assert_none_lost([false, false], 240..300);
}

/// Returns how fast a box leaves, in speeds of the platform or metres per second, whichever is
/// more, if a platform presses it against a wall.
fn thrown(seed: u64, dt: f32) -> f32 {
    let mut random = Random::new(seed);
    let mut number = |low: f32, high: f32| random.range(f64::from(low), f64::from(high)) as f32;
    let mut world = World::new();
    world.insert(BodyDesc::fixed(cuboid(Vec3::new(20.0, 0.5, 20.0))).with_position(Vec3::Y * -0.5)).unwrap();
    let half = Vec3::new(number(0.15, 0.6), number(0.15, 0.6), number(0.15, 0.6));
    let pose = Pose::new(Quat::from_rotation_y(number(-0.6, 0.6)), Vec3::Y * half.y);
    let pressed = BodyDesc::dynamic(cuboid(half)).with_mass(number(4.0, 150.0)).with_pose(pose);
    let pressed = world.insert(pressed).unwrap();
    let wall = cuboid(Vec3::new(0.3, number(0.3, 1.5), number(0.3, 2.0)));
    let position = Vec3::new(-1.4, number(0.2, 1.0), number(-0.3, 0.3));
    world.insert(BodyDesc::fixed(wall).with_position(position)).unwrap();
    let speed = number(0.5, 4.0);
    let mut position = Vec3::new(2.2, number(0.0, 1.0), number(-0.4, 0.4));
    let platform = BodyDesc::kinematic(cuboid(Vec3::new(1.2, 1.0, 0.8))).with_position(position);
    let platform = world.insert(platform).unwrap();
    let mut fastest = 0.0_f32;
    for _ in 0..(3.0 / dt) as usize {
        position.x = if 0.2 < position.x { position.x - speed * dt } else { position.x };
        world.body_mut(platform).unwrap().move_to(Pose::from_translation(position)).unwrap();
        world.checked_step(dt).unwrap();
        fastest = fastest.max(world.body(pressed).unwrap().linear_velocity().length());
    }
    fastest / speed.max(1.0)
}

/// Its contacts hold large impulses, which cancel. When one of them ended, the others threw it: 11
/// of these 400 boxes at more than four times the speed of the platform.
#[test]
fn r_no_box_between_a_platform_and_a_wall_is_thrown() {
    for dt in [1.0 / 60.0, 1.0 / 30.0] {
        let thrown = (0..200).map(|seed| (thrown(seed, dt), seed)).filter(|(speed, _)| 4.0 < *speed);
        assert_eq!(thrown.collect::<Vec<_>>(), [], "dt {dt}");
    }
}
