//! Rays in world space at the edges and corners of closed meshes, through poses: none escapes,
//! every number is right. The same by the ten million: `cargo xtask truth rays`.

use carom_geom::f64::TriMesh as WideMesh;
use carom_geom::ray_mesh::{self, Placement};
use carom_geom::{FeatureId, RayHit, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{MeshShape, Shape, cast_ray, cast_ray_all, placement, ray_crossings};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A closed star-shaped surface around the origin, facing outwards, of 12 n^2 triangles; far from
/// round.
fn star(n: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut indices): (Vec<DVec3>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    let half = n as f64 * 0.5;
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            for i in 0..n {
                for j in 0..n {
                    let mut at = |u: usize, v: usize| {
                        let mut p = [0.0; 3];
                        p[axis] = side * half;
                        p[(axis + 1) % 3] = u as f64 - half;
                        p[(axis + 2) % 3] = v as f64 - half;
                        let d = DVec3::from_array(p).normalize();
                        let reach =
                            1.0 + 0.3 * (5.0 * d.x).sin() * (4.0 * d.y).cos() + 0.2 * (7.0 * d.z).sin();
                        vertices.push((d * reach).as_vec3().as_dvec3());
                        vertices.len() as u32 - 1
                    };
                    let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                    let halves = [[a, b, c], [a, c, d]];
                    indices.extend(halves.map(|[a, b, c]| if side > 0.0 { [a, b, c] } else { [a, c, b] }));
                }
            }
        }
    }
    (vertices, indices)
}

fn pose(random: &mut Random, round: usize) -> (DQuat, DVec3) {
    let mut x = || random.range(-1.0, 1.0);
    let turn = DQuat::from_xyzw(x(), x(), x(), x() + 0.01).normalize();
    let turn = if round.is_multiple_of(5) { DQuat::IDENTITY } else { turn };
    (turn, random.cube_point() * [0.0, 1.0, 100.0][round % 3])
}

/// Outwards less inwards.
fn signed(hits: &[RayHit]) -> i32 {
    hits.iter().map(|hit| if hit.is_back_face { 1 } else { -1 }).sum()
}

#[test]
fn no_ray_escapes_in_f32() {
    let (vertices, indices) = star(7);
    let mesh = TriMesh::new(vertices.iter().map(|p| p.as_vec3()).collect(), indices).unwrap();
    let corners: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
    let mesh = MeshShape::new(mesh).unwrap();
    assert!(mesh.is_solid());
    let shape = Shape::Mesh(Arc::new(mesh.clone()));
    let mut random = Random::new(41);
    let (mut hits, mut n_double) = (Vec::new(), 0);
    for round in 0..20_000 {
        let (turn, shift) = pose(&mut random, round);
        let pose = Pose::new(turn.as_quat(), shift.as_vec3());
        let t = corners[round / 4 % corners.len()];
        let aim = if round % 4 < 2 { t[0] } else { t[0] + (t[1] - t[0]) * random.unit() };
        let is_inside = round % 2 == 0;
        let start =
            if is_inside { random.cube_point() * 0.2 } else { (random.cube_point() + DVec3::Z * 2.0) * 2.0 };
        let at = |p: DVec3| pose.wide().transform_point(p).as_vec3();
        let ray = Ray::new(at(start), at(aim) - at(start));

        hits.clear();
        ray_crossings(&mesh, &pose, &ray, Interval::FORWARD, &mut hits);
        assert_eq!(signed(&hits), i32::from(is_inside), "{pose:?} {ray:?}");
        let n_crossings = hits.len();
        hits.clear();
        ray_crossings(&mesh, &pose, &ray, Interval::BOTH, &mut hits);
        assert_eq!(signed(&hits), 0, "{pose:?} {ray:?}");

        hits.clear();
        cast_ray_all(&shape, &pose, &ray, Interval::FORWARD, &mut hits);
        let first = cast_ray(&shape, &pose, &ray, Interval::FORWARD);
        assert_eq!(first, hits.first().copied());
        assert!(first.is_some() || !is_inside, "{pose:?} {ray:?}");
        assert!(n_crossings <= hits.len());
        n_double += usize::from(n_crossings < hits.len());
        let expected = if is_inside { Placement::Inside } else { Placement::Outside };
        assert_eq!(placement(&mesh, &pose, ray.origin), expected);
        if round % 50 == 0 {
            // All triangles, asked about the same line.
            let o = pose.wide().inverse_transform_point(ray.origin.as_dvec3());
            let d = pose.wide().inverse_transform_vector(ray.direction.as_dvec3());
            let n =
                corners.iter().filter_map(|t| ray_mesh::line_touches(o, d, t)).filter(|h| 0.0 <= h.t).count();
            assert_eq!(n, hits.len());
        }
    }
    // If nothing is rounded, a ray runs exactly through a corner.
    assert!(20 < n_double, "{n_double}");
}

#[test]
fn no_ray_escapes_in_f64() {
    use carom_math::f64::{Interval, Pose, Ray};
    use carom_query::f64::{MeshShape, Shape, cast_ray, ray_crossings};
    let (vertices, indices) = star(7);
    let mesh = WideMesh::new(vertices, indices).unwrap();
    let corners: Vec<[DVec3; 3]> = mesh.iter_corners().collect();
    let mesh = MeshShape::new(mesh).unwrap();
    let shape = Shape::Mesh(Arc::new(mesh.clone()));
    let mut random = Random::new(42);
    let mut hits = Vec::new();
    for round in 0..20_000 {
        let (turn, shift) = pose(&mut random, round);
        let pose = Pose::new(turn, shift);
        let t = corners[round / 4 % corners.len()];
        let aim = if round % 4 < 2 { t[0] } else { t[0] + (t[1] - t[0]) * random.unit() };
        let is_inside = round % 2 == 0;
        let start =
            if is_inside { random.cube_point() * 0.2 } else { (random.cube_point() + DVec3::Z * 2.0) * 2.0 };
        let at = |p: DVec3| pose.wide().transform_point(p);
        let ray = Ray::new(at(start), at(aim) - at(start));
        hits.clear();
        ray_crossings(&mesh, &pose, &ray, Interval::FORWARD, &mut hits);
        let sum: i32 = hits.iter().map(|hit| if hit.is_back_face { 1 } else { -1 }).sum();
        assert_eq!(sum, i32::from(is_inside), "{pose:?} {ray:?}");
        let first = cast_ray(&shape, &pose, &ray, Interval::FORWARD);
        assert!(first.is_some() || !is_inside, "{pose:?} {ray:?}");
        // A segment from there to far outside.
        let segment = Ray::new(ray.origin, DVec3::new(500.0, 40.0, 3.0));
        hits.clear();
        ray_crossings(&mesh, &pose, &segment, Interval::new(0.0, 1.0), &mut hits);
        assert_eq!(hits.len() % 2 == 1, is_inside);
    }
}

/// A ray along a straight row of triangles, and one through a corner of four.
#[test]
fn a_box_of_two_triangles_a_side() {
    let mesh = MeshShape::new(crate::zoo::box_mesh(Vec3::ONE)).unwrap();
    let shape = Shape::Mesh(Arc::new(mesh.clone()));
    for (origin, direction, n_touch, n_cross) in [
        // Through the diagonals of two sides.
        (Vec3::new(0.0, 0.0, 5.0), -Vec3::Z, 4, 2),
        // Through two corners.
        (Vec3::splat(3.0), -Vec3::ONE, 8, 2),
        // Through nothing.
        (Vec3::new(2.0, 0.0, 5.0), -Vec3::Z, 0, 0),
    ] {
        let ray = Ray::new(origin, direction);
        let (mut touches, mut crossings) = (Vec::new(), Vec::new());
        let here = Pose::from_rotation(Quat::IDENTITY);
        cast_ray_all(&shape, &here, &ray, Interval::FORWARD, &mut touches);
        ray_crossings(&mesh, &here, &ray, Interval::FORWARD, &mut crossings);
        assert!(n_touch <= touches.len(), "{touches:?}");
        assert_eq!(crossings.len(), n_cross, "{crossings:?}");
        assert!(crossings.iter().all(|hit| hit.feature == FeatureId::UNKNOWN));
    }
    // Along a side: the symbolic shift takes it in or out, but in and out alike.
    let graze = Ray::new(Vec3::new(1.0, 0.0, 5.0), -Vec3::Z);
    let mut crossings = Vec::new();
    ray_crossings(&mesh, &Pose::IDENTITY, &graze, Interval::FORWARD, &mut crossings);
    assert!(crossings.len() % 2 == 0 && signed(&crossings) == 0);
}
