//! A mesh and a convex shape: what the mesh is told is what each of its triangles is told by
//! itself.

use crate::zoo;
use carom_geom::TriMesh;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ManifoldCache, MeshShape, Shape, contact, intersects, manifolds};
use carom_scenes::mesh::{icosphere, terrain};
use carom_testkit::random::Random;
use std::collections::BTreeMap;
use std::sync::Arc;

fn point(random: &mut Random, half: f32) -> Vec3 {
    random.cube_point().as_vec3() * half
}

/// Slivers, triangles of all sizes, one without area, and one that is far away.
fn crooked(random: &mut Random) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for k in 0..60 {
        let size = [0.01, 0.3, 5.0][k % 3];
        let middle = point(random, 1.5);
        let first = vertices.len() as u32;
        vertices.extend([middle, middle + point(random, size), middle + point(random, size)]);
        if k % 10 == 0 {
            // The third corner nearly on the edge.
            vertices[first as usize + 2] =
                middle.lerp(vertices[first as usize + 1], 0.3) + point(random, 1e-6);
        }
        triangles.push([first, first + 1, first + 2]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// The least distance of each triangle's contacts, by the triangle.
fn of_mesh(mesh: &Shape, shape: &Shape, pose: &Pose, prediction: f32) -> BTreeMap<u32, f32> {
    let mut found = Vec::new();
    manifolds(mesh, &Pose::IDENTITY, shape, pose, prediction, &mut ManifoldCache::new(), &mut found);
    let mut least = BTreeMap::new();
    for contact in found.iter().flat_map(|manifold| manifold.contacts()) {
        let known = least.entry(contact.part_a).or_insert(contact.distance);
        *known = known.min(contact.distance);
    }
    least
}

/// The triangles that GJK is not asked about are those that it would call too far away: with a tree
/// that knows only one triangle at a time the answers are the same, and so is what touches.
#[test]
fn each_triangle_by_itself() {
    let mut random = Random::new(31);
    let hills = terrain(6.0, 1.0, 16, 3);
    let ball = icosphere(320);
    let meshes = [
        TriMesh::new(hills.vertices_f32(), hills.triangles).unwrap(),
        TriMesh::new(ball.vertices_f32(), ball.triangles).unwrap(),
        crooked(&mut random),
    ];
    let (mut n_touching, mut n_near) = (0, 0);
    for mesh in &meshes {
        let whole = Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).unwrap()));
        let singles: Vec<Shape> =
            (0..mesh.n_triangles() as u32).map(|t| Shape::User(Arc::new(mesh.triangle(t)))).collect();
        for (_, shape) in zoo::shapes().into_iter().filter(|(_, shape)| shape.is_convex()) {
            for round in 0..6 {
                let at = point(&mut random, if round % 2 == 0 { 1.0 } else { 2.0 });
                let pose = Pose::new(Quat::from_scaled_axis(point(&mut random, 3.0)), at);
                let prediction = [0.0, 0.02, 0.3][round % 3];
                let reported = of_mesh(&whole, &shape, &pose, prediction);
                let mut touches = false;
                let mut deepest = f32::INFINITY;
                for (t, single) in singles.iter().enumerate() {
                    touches |= intersects(single, &Pose::IDENTITY, &shape, &pose);
                    let near = contact(single, &Pose::IDENTITY, &shape, &pose, prediction);
                    if let Some(near) = near {
                        deepest = deepest.min(near.contact.distance);
                        n_near += 1;
                    }
                    // At the largest distance, rounding decides whether a contact is reported.
                    let slack = 1e-5;
                    let own = near.map(|near| near.contact.distance);
                    if own.is_some_and(|own| own < prediction - slack) {
                        assert!(
                            reported.contains_key(&(t as u32)),
                            "triangle {t} at {own:?}: {shape:?} at {pose:?}"
                        );
                    }
                    if let Some(reported) = reported.get(&(t as u32)) {
                        assert!(own.is_some(), "triangle {t} is told at {reported}: {shape:?} at {pose:?}");
                    }
                }
                n_touching += usize::from(touches);
                assert_eq!(
                    intersects(&whole, &Pose::IDENTITY, &shape, &pose),
                    touches,
                    "{shape:?} at {pose:?}"
                );
                let found = contact(&whole, &Pose::IDENTITY, &shape, &pose, prediction);
                let distance = found.map_or(f32::INFINITY, |found| found.contact.distance);
                assert!(distance == deepest || (distance - deepest).abs() < 1e-5, "{distance} {deepest}");
            }
        }
    }
    println!("{n_near} triangles near a shape, {n_touching} meshes touched");
    assert!(500 < n_near && 60 < n_touching);
}
