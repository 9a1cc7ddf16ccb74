//! Bodies that are meshes, on a floor that is one.

use crate::scenes::{CheckedStep, DT, thousand_triangles};
use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape};
use carom_scenes::mesh::{MeshData, icosphere, torus};
use carom_world::{BodyDesc, World};
use std::sync::Arc;

fn shape(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Shape {
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()))
}

fn made(data: &MeshData) -> Shape {
    shape(data.vertices_f32(), data.triangles.clone())
}

/// A closed box of twelve triangles.
fn box_mesh(half: Vec3) -> Shape {
    let corner = |i: u32| Vec3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] }));
    let sides: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]]).collect();
    shape((0..8).map(corner).collect(), triangles)
}

fn floor() -> BodyDesc {
    BodyDesc::fixed(Shape::Mesh(Arc::new(MeshShape::new(thousand_triangles()).unwrap())))
}

#[test]
fn a_mesh_cube_slides_over_a_mesh_floor_as_if_it_were_one_face() {
    for turn in [0.0, 0.3] {
        let mut world = World::new();
        world.insert(floor().with_friction(0.0)).unwrap();
        let pose = Pose::new(Quat::from_rotation_y(turn), Vec3::new(-1.0, 0.3, 0.1));
        let body = BodyDesc::dynamic(box_mesh(Vec3::splat(0.3))).with_pose(pose).with_friction(0.0);
        let cube = world.insert(body.with_linear_velocity(Vec3::X * 4.0)).unwrap();
        let mut last = pose.translation.x;
        for step in 0..200 {
            world.checked_step(DT).unwrap();
            let pose = world.body(cube).unwrap().pose();
            let speed = (pose.translation.x - last) / DT;
            last = pose.translation.x;
            assert!((speed - 4.0).abs() < 0.02, "step {step}: {speed}");
            assert!((pose.translation.y - 0.3).abs() < 0.006, "step {step}: {pose:?}");
            assert!(0.9999 < (pose.rotation * Vec3::Y).y, "step {step}: {pose:?}");
        }
        assert!(10.0 < last);
    }
}

/// Boxes stacked, a ring and a ball of triangles come to rest on it, and sleep.
#[test]
fn meshes_come_to_rest_on_a_mesh() {
    let mut world = World::new();
    world.insert(floor()).unwrap();
    let mut bodies = Vec::new();
    for level in 0..4 {
        let pose = Pose::new(
            Quat::from_rotation_y(0.2 * level as f32),
            Vec3::new(0.0, 0.31 + 0.61 * level as f32, 0.0),
        );
        bodies.push((
            world.insert(BodyDesc::dynamic(box_mesh(Vec3::splat(0.3))).with_pose(pose)).unwrap(),
            pose.translation,
        ));
    }
    let ring = BodyDesc::dynamic(made(&torus(0.4, 0.15, 600))).with_position(Vec3::new(3.0, 0.16, 0.0));
    bodies.push((world.insert(ring).unwrap(), Vec3::new(3.0, 0.15, 0.0)));
    let ball = BodyDesc::dynamic(made(&icosphere(320))).with_position(Vec3::new(6.0, 1.02, 0.0));
    bodies.push((world.insert(ball).unwrap(), Vec3::new(6.0, 1.0, 0.0)));
    for _ in 0..360 {
        world.checked_step(DT).unwrap();
    }
    for (id, position) in bodies {
        let now = world.body(id).unwrap().position();
        assert!((now - position).length() < 0.06, "{position} {now}");
        assert!(world.body(id).unwrap().is_sleeping(), "{position} {now}");
    }
}
