//! Balls in valleys of triangles: half pipes and troughs. The facets ahead of a ball slow it down
//! no more than half-spaces along the same facets do.

use crate::scenes::{CheckedStep, DT, ball, cuboid};
use carom_geom::HeightField;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{HeightFieldShape, Shape};
use carom_world::{BodyDesc, World};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
enum Ground {
    /// Half-spaces have no edges: the reference.
    HalfSpaces,
    Mesh,
    /// The facets are equally wide.
    HeightField,
}

/// Inserts a valley along z whose cross-section has these corners, from left to right.
fn insert_valley(world: &mut World, ground: Ground, corners: &[[f32; 2]], friction: f32) {
    let n = corners.len();
    let mut insert = |desc: BodyDesc| {
        world.insert(desc.with_friction(friction)).unwrap();
    };
    match ground {
        Ground::HalfSpaces => {
            for pair in corners.windows(2) {
                let [[x, y], [next_x, next_y]] = [pair[0], pair[1]];
                let normal = Vec3::new(y - next_y, next_x - x, 0.0);
                insert(
                    BodyDesc::fixed(Shape::half_space(normal).unwrap()).with_position(Vec3::new(x, y, 0.0)),
                );
            }
        }
        Ground::Mesh => {
            let at = |&[x, y]: &[f32; 2]| [-1.0, 1.0].map(|z| Vec3::new(x, y, z));
            let vertices = corners.iter().flat_map(at).collect();
            let quads = (0..n as u32 - 1).map(|k| 2 * k);
            let triangles = quads.flat_map(|k| [[k, k + 1, k + 2], [k + 1, k + 3, k + 2]]).collect();
            insert(BodyDesc::fixed(Shape::mesh(vertices, triangles).unwrap()));
        }
        Ground::HeightField => {
            let n_across = 9;
            let heights = (0..n_across).flat_map(|_| corners.iter().map(|corner| corner[1])).collect();
            let spacing = (corners[n - 1][0] - corners[0][0]) / (n - 1) as f32;
            let field = HeightField::new([n as u32, n_across], [spacing, 0.25], heights).unwrap();
            insert(BodyDesc::fixed(Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap()))));
        }
    }
}

/// Releases a ball on the facet with this number, left of the middle.
fn regained(ground: Ground, corners: &[[f32; 2]], facet: usize, radius: f32, friction: f32) -> f32 {
    regained_by((ball(radius), Quat::IDENTITY, radius + 5e-4), ground, corners, facet, friction)
}

/// Releases a body on the facet with this number, left of the middle: its shape, its turn relative
/// to the facet, and the height of its middle. Returns the part of its height above its lowest
/// place that it regains on the other side.
fn regained_by(
    (shape, turn, height): (Shape, Quat, f32),
    ground: Ground,
    corners: &[[f32; 2]],
    facet: usize,
    friction: f32,
) -> f32 {
    let mut world = World::new();
    insert_valley(&mut world, ground, corners, friction);
    let [[x, y], [next_x, next_y]] = [corners[facet], corners[facet + 1]];
    let normal = Vec3::new(y - next_y, next_x - x, 0.0).normalize();
    let start = Vec3::new(0.5 * (x + next_x), 0.5 * (y + next_y), 0.03) + normal * height;
    let pose = Pose::new(Quat::from_rotation_arc(Vec3::Y, normal) * turn, start);
    let desc = BodyDesc::dynamic(shape).with_pose(pose).with_friction(friction);
    let body = world.insert(desc.with_damping(0.0, 0.0).with_can_sleep(false)).unwrap();
    let (mut lowest, mut highest) = (start.y, f32::NEG_INFINITY);
    for _ in 0..600 {
        world.checked_step(DT).unwrap();
        let at = world.body(body).unwrap().position();
        lowest = lowest.min(at.y);
        if 0.0 < at.x {
            highest = highest.max(at.y);
            if world.body(body).unwrap().linear_velocity().x < 0.0 {
                break;
            }
        }
    }
    (highest - lowest) / (start.y - lowest)
}

/// The corners of a half pipe of radius 1 m around the origin.
fn half_pipe(n_facets: usize) -> Vec<[f32; 2]> {
    let angle = |k: usize| core::f32::consts::PI * k as f32 / n_facets as f32;
    (0..=n_facets).map(|k| [-angle(k).cos(), -angle(k).sin()]).collect()
}

/// The corners of the trough `y = x^2 / 10`, 10 m wide.
fn trough(grid: f32) -> Vec<[f32; 2]> {
    let n = (10.0 / grid).round() as usize;
    let x = |k: usize| 10.0 * (k as f32 / n as f32 - 0.5);
    (0..=n).map(|k| [x(k), 0.1 * x(k) * x(k)]).collect()
}

/// A ball lost two thirds of its energy to the facets ahead: the contact with the near edge of a
/// facet leans back.
#[test]
fn a_ball_rises_in_a_half_pipe_as_between_half_spaces() {
    // From 60 degrees, or nearly. The last facets rise by less than the tolerance of seams over
    // centimetres, so only those farther ahead turn the ball.
    for (n_facets, radius, least) in [(72, 0.1, 0.95), (72, 0.02, 0.95), (24, 0.1, 0.95), (400, 0.1, 0.85)] {
        let corners = half_pipe(n_facets);
        for friction in [0.0, 1.0] {
            let of = |ground| regained(ground, &corners, n_facets / 6, radius, friction);
            let [expected, found] = [Ground::HalfSpaces, Ground::Mesh].map(of);
            println!("{n_facets} facets, radius {radius}, friction {friction}: {found:.3} of {expected:.3}");
            assert!(0.8 < expected, "{n_facets} {radius} {friction}: {expected}");
            assert!(least * expected < found && found < 1.01, "{n_facets} {radius} {friction}: {found}");
        }
    }
}

#[test]
fn a_ball_rises_on_a_height_field_as_between_half_spaces() {
    for grid in [0.5, 0.25, 0.1] {
        let corners = trough(grid);
        for radius in [0.25, 0.1] {
            for friction in [0.0, 1.0] {
                let of = |ground| regained(ground, &corners, (1.0 / grid) as usize, radius, friction);
                let [expected, field, mesh] = [Ground::HalfSpaces, Ground::HeightField, Ground::Mesh].map(of);
                println!(
                    "grid {grid}, radius {radius}, friction {friction}: {field:.3} and {mesh:.3} of {expected:.3}"
                );
                assert!(0.8 < expected, "{grid} {radius} {friction}: {expected}");
                for found in [field, mesh] {
                    assert!(0.95 * expected < found && found < 1.01, "{grid} {radius} {friction}: {found}");
                }
            }
        }
    }
}

/// Capsules and boxes slide through the half pipe as between half-spaces.
#[test]
fn capsules_and_boxes_slide_through_a_half_pipe() {
    let across = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    let along = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    let capsule = || Shape::capsule(0.05, 0.1).unwrap();
    let bodies = [
        ("capsule across", (capsule(), across, 0.1005)),
        ("capsule along", (capsule(), along, 0.103)),
        ("box", (cuboid(Vec3::new(0.08, 0.05, 0.1)), Quat::IDENTITY, 0.055)),
    ];
    for (name, body) in bodies {
        let corners = half_pipe(72);
        let of = |ground| regained_by(body.clone(), ground, &corners, 12, 0.0);
        let [expected, found] = [Ground::HalfSpaces, Ground::Mesh].map(of);
        println!("{name}: {found:.3} of {expected:.3}");
        assert!(0.9 * expected < found && found < 1.01, "{name}: {found} of {expected}");
    }
}

/// A ball that rolls past the end of a ramp, or past a bump of a height field, stays on the floor:
/// the planes of what it passes end beside it.
#[test]
fn r_a_ball_passes_a_ramp_and_a_bump() {
    let mut n_passed = 0;
    for speed in [3.0, 10.0, 20.0] {
        for aside in 0..30 {
            // So far aside that the corner itself is no contact ahead within a step.
            let z = 0.01 * speed + 0.02 * aside as f32;
            for is_field in [false, true] {
                let ground = if is_field {
                    // A raised sample at the origin.
                    let heights = (0..41 * 41).map(|k| if k == 20 * 41 + 20 { 0.3 } else { 0.0 }).collect();
                    let field = HeightField::new([41, 41], [0.5, 0.5], heights).unwrap();
                    Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap()))
                } else {
                    // A ramp of 30 degrees on the side of positive z, in one mesh with the floor.
                    let rows = [-10.0, 0.0, 1.0, 2.0];
                    let floor = rows.iter().flat_map(|&x| [-8.0, 0.0].map(|z| Vec3::new(x, 0.0, z)));
                    let top = [[0.0, 0.0, 1.0], [1.0, 0.577, 0.0], [1.0, 0.577, 1.0], [-10.0, 0.0, 1.0]];
                    let vertices = floor.chain(top.map(Vec3::from)).collect();
                    let floor =
                        [0, 2, 4].into_iter().flat_map(|k| [[k, k + 1, k + 2], [k + 1, k + 3, k + 2]]);
                    let others = [[1, 11, 3], [11, 8, 3], [3, 8, 9], [8, 10, 9]];
                    Shape::mesh(vertices, floor.chain(others).collect()).unwrap()
                };
                let radius = 0.1;
                // Beside the foot of the bump, or beside the ramp.
                let beside = if is_field { -0.5 - radius - 0.005 - z } else { -radius - 0.005 - z };
                let mut world = World::new();
                world.insert(BodyDesc::fixed(ground).with_friction(0.0)).unwrap();
                let start = Vec3::new(-2.0 - 0.37 * z, radius, beside);
                let desc = BodyDesc::dynamic(ball(radius)).with_friction(0.0).with_position(start);
                let body = world.insert(desc.with_linear_velocity(Vec3::X * speed)).unwrap();
                for _ in 0..(3.5 / speed * 60.0) as usize {
                    world.checked_step(DT).unwrap();
                }
                let body = world.body(body).unwrap();
                let (at, velocity) = (body.position(), body.linear_velocity());
                let context = format!("{speed} m/s, {z}, {is_field}: {at} {velocity}");
                assert!((at.y - radius).abs() < 0.006 && velocity.y.abs() < 0.05, "{context}");
                assert!((velocity.x - speed).abs() < 0.01 * speed, "{context}");
                n_passed += 1;
            }
        }
    }
    assert_eq!(n_passed, 180);
}
