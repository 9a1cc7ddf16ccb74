//! Mesh against mesh, against every pair of triangles one by one.

use carom_geom::tri_distance::closest_points;
use carom_geom::{TriMesh, tri_tri};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, Shape, distance, intersects, triangle_pairs};
use carom_testkit::random::Random;
use glam::DVec3;
use std::sync::Arc;

/// A surface over a grid: bumpy, flat, or folded onto itself; now and then torn into a soup or with
/// degenerate triangles.
fn surface(random: &mut Random, kind: usize, n: usize, scale: f32) -> MeshShape {
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let (x, y) = (i as f32 / n as f32 - 0.5, j as f32 / n as f32 - 0.5);
            let z = match kind % 4 {
                0 => 0.0,
                1 => 0.2 * (x * 9.0).sin() * (y * 7.0).cos(),
                2 => (random.below(3) as f32 - 1.0) * 0.125,
                _ => random.range(-0.1, 0.1) as f32,
            };
            vertices.push(Vec3::new(x, y, z) * scale);
        }
    }
    let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let mut indices = Vec::new();
    for i in 0..n {
        for j in 0..n {
            indices.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            indices.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    if kind % 3 == 2 {
        indices.push([0, 0, 1]);
        indices.push([1, 1, 1]);
        let last = vertices.len() - 1;
        indices.push([0, last as u32 / 2, last as u32]);
    }
    MeshShape::new(TriMesh::new(vertices, indices).unwrap()).unwrap()
}

/// The corners of B in A's frame, by the rule of exactness.
fn moved(b: &MeshShape, pose_a: &Pose, pose_b: &Pose) -> Vec<[DVec3; 3]> {
    let m = pose_b.wide_relative_to(pose_a);
    let r = m.rotation;
    let position_of = |p: DVec3| {
        if pose_a == pose_b {
            return p;
        }
        ((r.x_axis * p.x + r.y_axis * p.y) + r.z_axis * p.z) + m.translation
    };
    b.mesh().iter_corners().map(|t| t.map(position_of)).collect()
}

#[test]
fn every_pair_and_the_least_distance() {
    let mut random = Random::new(31);
    let (mut n_meet, mut n_apart) = (0, 0);
    for round in 0..160 {
        let scale = [1.0, 1.0e-3, 2.0e4, 1.0e-36, 1.0e37][round % 5];
        let n = 3 + random.below(8);
        let a = Arc::new(surface(&mut random, round, n, scale));
        let b = if round % 8 == 7 { a.clone() } else { Arc::new(surface(&mut random, round / 3, 5, scale)) };
        let pose = |random: &mut Random, far: f64| {
            let q = Quat::from_xyzw(
                random.range(-1.0, 1.0) as f32,
                random.range(-1.0, 1.0) as f32,
                random.range(-1.0, 1.0) as f32,
                2.0,
            );
            let turn = if round % 7 < 2 { Quat::IDENTITY } else { q.normalize() };
            Pose::new(turn, (random.cube_point() * far).as_vec3() * scale)
        };
        let (far_a, far_b) = if round % 6 == 5 && scale < 1e30 { (1e5, 1.0) } else { (0.0, 0.45) };
        let pose_a = if round % 7 == 0 { Pose::IDENTITY } else { pose(&mut random, far_a) };
        let mut pose_b = if round % 16 == 15 { pose_a } else { pose(&mut random, far_b) };
        if 1.0 < far_a {
            pose_b.translation += pose_a.translation;
        }
        let corners_b = moved(&b, &pose_a, &pose_b);
        let mut expected = Vec::new();
        let mut least = (f64::INFINITY, 0, 0);
        for (i, s) in a.mesh().iter_corners().enumerate() {
            for (j, t) in corners_b.iter().enumerate() {
                if tri_tri::intersects(&s, t) {
                    expected.push((i as u32, j as u32));
                }
                let d = closest_points(&s, t).distance;
                if d < least.0 {
                    least = (d, i as u32, j as u32);
                }
            }
        }
        let mut pairs = Vec::new();
        triangle_pairs(&a, &pose_a, &b, &pose_b, &mut pairs);
        assert_eq!(pairs, expected, "round {round}");
        let (shape_a, shape_b) = (Shape::Mesh(a.clone()), Shape::Mesh(b.clone()));
        assert_eq!(intersects(&shape_a, &pose_a, &shape_b, &pose_b), !expected.is_empty(), "round {round}");
        let found = distance(&shape_a, &pose_a, &shape_b, &pose_b);
        assert_eq!(found.distance, least.0 as f32, "round {round}");
        if expected.is_empty() {
            assert_eq!((found.part_a, found.part_b), (least.1, least.2), "round {round}");
            n_apart += 1;
        } else {
            n_meet += 1;
        }
    }
    assert!(30 < n_meet && 30 < n_apart, "{n_meet} {n_apart}");
}

/// Scaling by a power of two changes no answer but by that factor, bit for bit.
#[test]
fn powers_of_two_change_nothing() {
    let mut random = Random::new(32);
    let make = |mesh: &MeshShape, scale: f32| {
        let vertices = mesh.mesh().vertices().iter().map(|v| *v * scale).collect();
        Arc::new(MeshShape::new(TriMesh::new(vertices, mesh.mesh().indices().to_vec()).unwrap()).unwrap())
    };
    for round in 0..12 {
        let (a, b) = (surface(&mut random, round, 6, 1.0), surface(&mut random, round + 1, 5, 1.0));
        let turn = Quat::from_rotation_x(0.3 * round as f32);
        let position = (random.cube_point() * 0.8).as_vec3();
        let query = |scale: f32| {
            let (a, b) = (make(&a, scale), make(&b, scale));
            let pose = Pose::new(turn, position * scale);
            let mut pairs = Vec::new();
            triangle_pairs(&a, &Pose::IDENTITY, &b, &pose, &mut pairs);
            let d = distance(&Shape::Mesh(a), &Pose::IDENTITY, &Shape::Mesh(b), &pose);
            (pairs, d.distance / scale, d.part_a, d.part_b)
        };
        let one = query(1.0);
        for scale in [2f32.powi(60), 2f32.powi(-60)] {
            assert_eq!(query(scale), one, "round {round}");
        }
    }
}

/// A mesh of planets against one of marbles.
#[test]
fn sizes_far_apart() {
    let mut random = Random::new(33);
    let large = Arc::new(surface(&mut random, 0, 4, 1.0e37));
    let small = Arc::new(surface(&mut random, 1, 4, 1.0e-3));
    let mut pairs = Vec::new();
    triangle_pairs(&large, &Pose::IDENTITY, &small, &Pose::IDENTITY, &mut pairs);
    let corners_b = moved(&small, &Pose::IDENTITY, &Pose::IDENTITY);
    let mut expected = Vec::new();
    for (i, s) in large.mesh().iter_corners().enumerate() {
        let meets = |(j, t): (usize, &[DVec3; 3])| tri_tri::intersects(&s, t).then_some((i as u32, j as u32));
        expected.extend(corners_b.iter().enumerate().filter_map(meets));
    }
    assert!(!expected.is_empty());
    assert_eq!(pairs, expected);
}

/// A ribbon 4e-34 wide over a floor: the squares of its normals vanished in `f32`, and the
/// triangles under it were taken to be farther away than others.
#[test]
fn a_ribbon_of_next_to_no_width_is_as_near_as_it_is() {
    let ribbon = |width: f32| {
        let corner = |x: f32, z: f32| Vec3::new(x, 8.0, z);
        let vertices = vec![corner(-width, -1.5), corner(0.0, -1.5), corner(-width, 1.5), corner(0.0, 1.5)];
        let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [3, 1, 2]]).unwrap();
        Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
    };
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..4 {
        for j in 0..4 {
            vertices.push(Vec3::new(
                8.0 * j as f32 - 12.0,
                if i == 0 && j == 1 { 5.0 } else { 0.0 },
                8.0 * i as f32 - 12.0,
            ));
            if i < 3 && j < 3 {
                let first = 4 * i + j;
                triangles.extend([[first, first + 4, first + 1], [first + 5, first + 1, first + 4]]);
            }
        }
    }
    let floor = Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()));
    for width in [1e-45, 3.85186e-34, 1e-25, 1e-20, 1e-19, 1e-18, 1e-10, 0.1] {
        let ribbon = ribbon(width);
        for (a, b) in [(&ribbon, &floor), (&floor, &ribbon)] {
            let found = distance(a, &Pose::IDENTITY, b, &Pose::IDENTITY).distance;
            assert_eq!(found, 8.0, "{width:e}");
        }
    }
}
