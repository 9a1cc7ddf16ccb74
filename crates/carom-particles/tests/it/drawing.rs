//! Drawn pictures against rays through the middle of each pixel and all triangles.

use crate::scenes::{buffer_of, camera, from_above, point, square};
use carom_math::{Pose, Quat, Vec3};
use carom_particles::{Camera, DepthBuffer};
use carom_scenes::Rng;
use carom_scenes::mesh::{bumpy_icosphere, icosphere, terrain, torus};
use glam::DVec3;

/// How far along a ray it meets a triangle, by Moller and Trumbore, and how near it passes to an
/// edge: the least of the barycentric coordinates.
fn ray_triangle(origin: DVec3, direction: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, f64)> {
    let (e, f) = (b - a, c - a);
    let p = direction.cross(f);
    let determinant = e.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let s = origin - a;
    let q = s.cross(e);
    let (u, v) = (s.dot(p) / determinant, direction.dot(q) / determinant);
    Some((f.dot(q) / determinant, u.min(v).min(1.0 - u - v)))
}

/// Compares a picture with rays; returns how many pixels see something.
fn compare(camera: Camera, n: u32, vertices: &[Vec3], triangles: &[[u32; 3]], pose: &Pose) -> usize {
    let mut buffer = DepthBuffer::new(camera, n, n).unwrap();
    buffer.draw(vertices, triangles, pose).unwrap();
    let placed: Vec<DVec3> = vertices.iter().map(|v| pose.transform_point(*v).as_dvec3()).collect();
    let mut n_seen = 0;
    for row in 0..n {
        for column in 0..n {
            let depth = buffer.depths()[(row * n + column) as usize];
            let normal = buffer.normals()[(row * n + column) as usize];
            // The ray, from two points of it.
            let mut probe = buffer.clone();
            let at = |probe: &mut DepthBuffer, depth: f32| {
                let all = vec![depth; (n * n) as usize];
                probe.set_depths(&all).unwrap();
                probe.surface(column, row).unwrap().as_dvec3()
            };
            let (p, q) = (at(&mut probe, 1.0), at(&mut probe, 2.0));
            let (direction, origin) = (q - p, p - (q - p));
            let mut nearest = f64::INFINITY;
            let mut is_clear = true;
            for t in triangles {
                let corners = t.map(|v| placed[v as usize]);
                if let Some((along, inside)) = ray_triangle(origin, direction, corners) {
                    is_clear &= 1e-5 < inside.abs();
                    if 0.0 <= inside && 0.1 <= along {
                        nearest = nearest.min(along);
                    }
                }
            }
            // Near an edge rounding may decide otherwise.
            if !is_clear {
                continue;
            }
            assert_eq!(depth < f32::INFINITY, nearest < f64::INFINITY, "{column} {row}: {depth} {nearest}");
            if nearest < f64::INFINITY {
                n_seen += 1;
                assert!(
                    (f64::from(depth) - nearest).abs() < 1e-5 * nearest,
                    "{column} {row}: {depth} {nearest}"
                );
                assert!((normal.length() - 1.0).abs() < 1e-5 && normal.as_dvec3().dot(direction) <= 1e-6);
            } else {
                assert_eq!(normal, Vec3::ZERO);
            }
        }
    }
    n_seen
}

#[test]
fn pictures_are_those_of_rays() {
    let pose = Pose::new(Quat::from_xyzw(0.3, 0.1, 0.2, 0.9).normalize(), Vec3::new(0.2, -0.3, -4.0));
    let mesh = torus(1.0, 0.4, 300);
    assert!(50 < compare(camera(), 24, &mesh.vertices_f32(), &mesh.triangles, &pose));
    let mesh = bumpy_icosphere(320, 0.2, 3);
    assert!(50 < compare(camera(), 24, &mesh.vertices_f32(), &mesh.triangles, &pose));
    let mesh = terrain(10.0, 2.0, 11, 5);
    assert!(300 < compare(from_above(5.0, 8.0), 24, &mesh.vertices_f32(), &mesh.triangles, &Pose::IDENTITY));
}

/// Triangles around, through and behind the camera.
#[test]
fn triangles_that_reach_behind_the_camera_are_drawn_in_front_of_it() {
    let mut rng = Rng::new(11);
    let mut n_seen = 0;
    for _ in 0..60 {
        let vertices: Vec<Vec3> = (0..9).map(|_| point(&mut rng, 3.0)).collect();
        n_seen += compare(camera(), 8, &vertices, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]], &Pose::IDENTITY);
    }
    assert!(500 < n_seen, "{n_seen}");
    // A floor that goes on under and behind the camera.
    let floor = square(Vec3::Y * -1.0, Vec3::X * 50.0, Vec3::Z * 50.0);
    let buffer = buffer_of(camera(), 32, &floor);
    let n_floor = buffer.depths().iter().filter(|depth| depth.is_finite()).count();
    assert_eq!(n_floor, 32 * 16, "all below the horizon");
}

/// A closed surface that fills the picture has no hole, and none of a fan of slivers.
#[test]
fn no_ray_passes_between_triangles() {
    let ball = icosphere(5000);
    let vertices: Vec<Vec3> = ball.vertices_f32().iter().map(|v| *v * 10.0).collect();
    for turn in 0..5 {
        let rotation = Quat::from_xyzw(0.1 * turn as f32, 0.2, 0.3, 1.0).normalize();
        let mut buffer = DepthBuffer::new(camera(), 200, 200).unwrap();
        buffer.draw(&vertices, &ball.triangles, &Pose::new(rotation, Vec3::ZERO)).unwrap();
        assert!(
            buffer
                .depths()
                .iter()
                .all(|depth| (9.0..10.1).contains(&(depth / 1.0).max(9.0)) && depth.is_finite())
        );
    }
    // The picture's own middle is a vertex, and rows of pixels run along the edges.
    let n = 64;
    let mut fan = vec![Vec3::new(0.0, 0.0, -5.0)];
    fan.extend((0..360).map(|i| {
        let (sine, cosine) = (i as f32).to_radians().sin_cos();
        Vec3::new(20.0 * cosine, 20.0 * sine, -5.0)
    }));
    let triangles: Vec<[u32; 3]> = (0..360).map(|i| [0, 1 + i, 1 + (i + 1) % 360]).collect();
    for n in [n, n + 1] {
        let mut buffer = DepthBuffer::new(camera(), n, n).unwrap();
        buffer.draw(&fan, &triangles, &Pose::IDENTITY).unwrap();
        assert!(buffer.depths().iter().all(|depth| (depth - 5.0).abs() < 1e-5));
    }
}

/// Normals that are estimated from depths are those that were drawn, also beside the edge of an
/// object.
#[test]
fn estimated_normals_are_those_of_surfaces() {
    let back = square(Vec3::new(0.0, 0.0, -8.0), Vec3::new(20.0, 0.0, 6.0), Vec3::Y * 20.0);
    let front = square(Vec3::new(0.3, 0.1, -4.0), Vec3::new(0.8, 0.2, 0.5), Vec3::new(0.0, 0.9, 0.3));
    let mut drawn = buffer_of(camera(), 64, &back);
    drawn.draw(&front.0, &front.1, &Pose::IDENTITY).unwrap();
    let mut taken = DepthBuffer::new(camera(), 64, 64).unwrap();
    taken.set_depths(drawn.depths()).unwrap();
    assert_eq!(taken.depths(), drawn.depths());
    let worst =
        taken.normals().iter().zip(drawn.normals()).map(|(p, q)| (*p - *q).length()).fold(0.0, f32::max);
    assert!(worst < 0.01, "{worst}");
    taken.set_depths_and_normals(drawn.depths(), drawn.normals()).unwrap();
    assert_eq!(taken.normals(), drawn.normals());
}

/// Nothing is drawn of triangles without area, and of those before the near plane or beyond the far
/// one.
#[test]
fn what_cannot_be_seen_is_not_drawn() {
    let mut buffer = DepthBuffer::new(camera(), 16, 16).unwrap();
    let line = [Vec3::new(-1.0, 0.0, -2.0), Vec3::new(1.0, 0.0, -2.0), Vec3::new(0.0, 0.0, -2.0)];
    buffer.draw(&line, &[[0, 1, 2], [0, 0, 1], [2, 2, 2]], &Pose::IDENTITY).unwrap();
    for z in [0.05, -0.05, -100.5, 3.0] {
        let (vertices, triangles) = square(Vec3::Z * z, Vec3::X * 900.0, Vec3::Y * 900.0);
        buffer.draw(&vertices, &triangles, &Pose::IDENTITY).unwrap();
    }
    let huge = [Vec3::new(-1e30, -1e30, 1.0), Vec3::new(1e30, -1e30, 1.0), Vec3::new(0.0, 1e30, 1e30)];
    buffer.draw(&huge, &[[0, 1, 2]], &Pose::IDENTITY).unwrap();
    assert!(buffer.depths().iter().all(|depth| *depth == f32::INFINITY));
    buffer.draw(&[], &[], &Pose::IDENTITY).unwrap();
    // An edge-on square has no pixels, and no NaN.
    let (vertices, triangles) = square(Vec3::Z * -3.0, Vec3::X, Vec3::Z);
    buffer.draw(&vertices, &triangles, &Pose::IDENTITY).unwrap();
    assert!(buffer.depths().iter().all(|depth| !depth.is_nan()));
}
