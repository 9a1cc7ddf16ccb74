//! Meshes that change their shape in place, against meshes built anew.

use crate::zoo::shapes as zoo;
use carom_geom::{MeshError, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    MeshShape, Shape, cast_ray, contact, distance, intersects, placement, project_point, triangle_pairs,
    winding_number,
};
use carom_testkit::random::Random;
use std::sync::Arc;

/// A ball of `n` rings, and its triangles; without its last ring it is open.
fn ball(n: u32, is_open: bool) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut vertices = vec![Vec3::Y, -Vec3::Y];
    for ring in 1..n {
        for i in 0..2 * n {
            let (a, b) =
                (std::f32::consts::PI * ring as f32 / n as f32, std::f32::consts::PI * i as f32 / n as f32);
            vertices.push(Vec3::new(a.sin() * b.cos(), a.cos(), a.sin() * b.sin()));
        }
    }
    let at = |ring: u32, i: u32| 2 + (ring - 1) * 2 * n + i % (2 * n);
    let mut triangles = Vec::new();
    for i in 0..2 * n {
        triangles.push([0, at(1, i + 1), at(1, i)]);
        if !is_open {
            triangles.push([1, at(n - 1, i), at(n - 1, i + 1)]);
        }
        for ring in 1..n - 1 {
            triangles.push([at(ring, i), at(ring, i + 1), at(ring + 1, i)]);
            triangles.push([at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
    }
    (vertices, triangles)
}

fn bent(vertices: &[Vec3], phase: f32, size: f32) -> Vec<Vec3> {
    let bend = |p: &Vec3| {
        let (y, turn) = (p.y + 0.2 * (3.0 * p.x + phase).sin(), Quat::from_rotation_y(0.5 * phase * p.y));
        turn * Vec3::new(p.x * (1.0 + 0.3 * (2.0 * p.y - phase).cos()), y, p.z) * size
    };
    vertices.iter().map(bend).collect()
}

fn is_near(a: f32, b: f32, size: f32) -> bool {
    (a - b).abs() <= 1e-5 * size
}

#[test]
fn a_moved_mesh_answers_as_one_built_anew() {
    let mut random = Random::new(3);
    let (mut n_touch, mut n_apart, mut n_inside, mut n_hits) = (0, 0, 0, 0);
    for is_open in [false, true] {
        let (vertices, triangles) = ball(8, is_open);
        let mesh = TriMesh::new(vertices.clone(), triangles.clone()).unwrap();
        let mut moved = Arc::new(MeshShape::new(mesh).unwrap());
        // The last is beyond what a tree holds without a scale, and back.
        for (phase, size) in [(0.5, 1.0), (1.5, 2.0), (3.0, 1e12), (4.0, 0.5)] {
            let positions = bent(&vertices, phase, size);
            Arc::make_mut(&mut moved).set_vertices(&positions).unwrap();
            let fresh = TriMesh::new(positions, triangles.clone()).unwrap();
            let fresh = Arc::new(MeshShape::new(fresh).unwrap());
            assert_eq!((moved.scale(), moved.is_solid()), (fresh.scale(), fresh.is_solid()));
            let shapes = [Shape::Mesh(moved.clone()), Shape::Mesh(fresh.clone())];
            let here = Pose::IDENTITY;
            // The result of a search in a field depends on the order of the triangles.
            let exact = zoo().into_iter().filter(|(name, _)| *name != "field");
            for (name, other) in exact.chain([("a copy", shapes[1].clone())]) {
                for _ in 0..4 {
                    let at = random.cube_point().as_vec3() * (2.5 * size);
                    let pose = Pose::new(Quat::from_rotation_z(random.unit() as f32), at);
                    let [yes, same] = [0, 1].map(|i| intersects(&shapes[i], &here, &other, &pose));
                    assert_eq!(yes, same, "{name}");
                    let [d, e] = [0, 1].map(|i| distance(&shapes[i], &here, &other, &pose).distance);
                    assert!(is_near(d, e, size) || d == e, "{name} {d} {e}");
                    let near = |i: usize| contact(&shapes[i], &here, &other, &pose, 0.25 * size);
                    let [c, f] = [0, 1].map(|i| near(i).map(|c| c.contact.distance));
                    assert_eq!(c.is_some(), f.is_some(), "{name}");
                    n_touch += usize::from(yes);
                    n_apart += usize::from(!yes);
                    let Shape::Mesh(other) = &other else { continue };
                    let (mut pairs, mut expected) = (Vec::new(), Vec::new());
                    triangle_pairs(&moved, &here, other, &pose, &mut pairs);
                    triangle_pairs(&fresh, &here, other, &pose, &mut expected);
                    assert_eq!(pairs, expected);
                }
            }
            for _ in 0..100 {
                let p = random.cube_point().as_vec3() * (1.5 * size);
                assert_eq!(placement(&moved, &here, p), placement(&fresh, &here, p));
                let [w, v] = [&moved, &fresh].map(|mesh| winding_number(mesh, &here, p, 1e-3));
                assert!((w.value - v.value).abs() <= w.error + v.error + 1e-6);
                n_inside += usize::from(0.5 < w.value);
                let [near, same] = [0, 1].map(|i| project_point(&shapes[i], &here, p).unwrap().distance);
                assert!(is_near(near, same, size), "{near} {same}");
                let ray = Ray::new(p, random.cube_point().as_vec3());
                let [hit, same] =
                    [0, 1].map(|i| cast_ray(&shapes[i], &here, &ray, Interval::FORWARD).map(|hit| hit.t));
                assert_eq!(hit, same);
                n_hits += usize::from(hit.is_some());
            }
        }
    }
    assert!(
        50 < n_touch && 50 < n_apart && 50 < n_inside && 100 < n_hits,
        "{n_touch} {n_apart} {n_inside} {n_hits}"
    );
}

#[test]
fn refused_positions_change_nothing() {
    let (vertices, triangles) = ball(4, false);
    let mut mesh = MeshShape::new(TriMesh::new(vertices.clone(), triangles).unwrap()).unwrap();
    let (expected, given) = (vertices.len(), 3);
    assert_eq!(mesh.set_vertices(&vertices[..3]), Err(MeshError::WrongCount { expected, given }));
    let mut bad = vertices.clone();
    bad[7].y = f32::NAN;
    assert_eq!(mesh.set_vertices(&bad), Err(MeshError::NotFinite { vertex: 7 }));
    assert_eq!(mesh.mesh().vertices(), vertices);
}
