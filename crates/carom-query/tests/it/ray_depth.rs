//! Rays from the vertices of meshes that overlap: balls of known depth, what is dropped, last
//! frame's triangles.

use carom_geom::TriMesh;
use carom_geom::ray_mesh::line_touches;
use carom_math::{Pose, Quat, Vec3};
use carom_query::{MeshShape, RayContact, RayDepthCache, RayDepthSettings, RayMesh, ray_depth};
use carom_testkit::random::Random;
use glam::DVec3;
use std::sync::Arc;

use crate::zoo::box_mesh;

fn ray_mesh(mesh: TriMesh) -> RayMesh {
    RayMesh::new(Arc::new(MeshShape::new(mesh).unwrap()))
}

/// A ball of radius 1, its vertices on it, by halving the edges of an octahedron.
fn ball(n_halvings: u32) -> RayMesh {
    let axes = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let mut vertices = axes.to_vec();
    let mut triangles: Vec<[u32; 3]> =
        (0..4).flat_map(|k| [[k, (k + 1) % 4, 4], [(k + 1) % 4, k, 5]]).collect();
    for _ in 0..n_halvings {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[i, j]| {
                *middles.entry([i.min(j), i.max(j)]).or_insert_with(|| {
                    vertices.push((vertices[i as usize] + vertices[j as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            });
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    ray_mesh(TriMesh::new(vertices, triangles).unwrap())
}

fn ray_contacts(a: &RayMesh, pose_a: &Pose, b: &RayMesh, pose_b: &Pose) -> Vec<RayContact> {
    let mut out = Vec::new();
    ray_depth(a, pose_a, b, pose_b, &RayDepthSettings::default(), &mut RayDepthCache::default(), &mut out);
    out
}

#[test]
fn balls_of_known_depth() {
    let ball = ball(4);
    // The facets lie so deep in the ball: an edge is about 0.1 long.
    let off = 8e-3;
    for (k, depth) in [0.02, 0.1, 0.3, 0.7].into_iter().enumerate() {
        let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, -0.2) * k as f32);
        let away = Vec3::new(0.36, 0.48, 0.8);
        let pose_a = Pose::new(turn, Vec3::new(1.0, -2.0, 0.5));
        let pose_b = Pose::new(turn.inverse(), pose_a.translation + away * (2.0 - depth));
        let contacts = ray_contacts(&ball, &pose_a, &ball, &pose_b);
        let (mut deepest, mut n_of_a) = (0.0_f32, 0);
        for found in &contacts {
            let c = &found.contact;
            // The vertex is on its ball; the place that the ray leads to, towards the middle of its
            // ball, is on the other.
            let (own, other) = if found.is_vertex_of_a { (pose_a, pose_b) } else { (pose_b, pose_a) };
            let (vertex, end) =
                if found.is_vertex_of_a { (c.point_a, c.point_b) } else { (c.point_b, c.point_a) };
            let (v, m, o) = (vertex.as_dvec3(), own.translation.as_dvec3(), other.translation.as_dvec3());
            assert!((v.distance(m) - 1.0).abs() < 1e-6);
            let inward: DVec3 = (m - v).normalize();
            // By the sphere itself.
            let w = v - o;
            let truth = -w.dot(inward) + (w.dot(inward).powi(2) - w.length_squared() + 1.0).max(0.0).sqrt();
            let got = f64::from(-c.distance);
            // A ray that grazes the ball magnifies what the facets are off.
            let slope = ((v + inward * truth) - o).dot(inward);
            assert!((got - truth).abs() < 2.0 * off / slope.max(0.1), "{depth}: {got} {truth} {found:?}");
            assert!((end.as_dvec3() - (v + inward * got)).length() < 1e-3 + 0.1 * got, "{found:?}");
            assert!((c.point_a - c.point_b).distance(c.normal * -c.distance) < 1e-5 && 0.0 < got);
            assert!((found.penalty() - c.normal * -c.distance).length() == 0.0);
            assert!(0.2 < c.normal.dot(away), "from A to B: {found:?}");
            deepest = deepest.max(-c.distance);
            n_of_a += usize::from(found.is_vertex_of_a);
        }
        println!("{depth}: {} contacts, deepest {deepest}", contacts.len());
        assert!(0 < n_of_a && n_of_a < contacts.len());
        assert!(depth - 0.1 * depth - off as f32 <= deepest && deepest <= depth + 1e-5, "{depth} {deepest}");
    }
    // Apart: nothing, though the boxes overlap.
    assert!(
        ray_contacts(&ball, &Pose::IDENTITY, &ball, &Pose::from_translation(Vec3::splat(1.2))).is_empty()
    );
}

/// Number and depth of the vertices, A's and then B's: each triangle of both meshes is held against
/// each ray.
fn by_all_triangles(bodies: [&RayMesh; 2], poses: [&Pose; 2]) -> Vec<(bool, u32, f64)> {
    let wide = poses.map(Pose::wide);
    let b_in_a = wide[1].relative_to(&wide[0]);
    let mut found = Vec::new();
    for (own, other, to_other) in [(bodies[0], bodies[1], b_in_a.inverse()), (bodies[1], bodies[0], b_in_a)] {
        let is_of_a = core::ptr::eq(own, bodies[0]);
        for (number, vertex) in own.mesh().mesh().vertices().iter().enumerate() {
            let start = vertex.as_dvec3();
            let inward = -own.vertex_normal(number as u32).unwrap().as_dvec3();
            let (origin, direction) = (to_other.transform_point(start), to_other.transform_vector(inward));
            let mut first: Option<(f64, bool)> = None;
            for corners in other.mesh().mesh().iter_corners() {
                if let Some(hit) = line_touches(origin, direction, &corners)
                    && 0.0 < hit.t
                    && first.is_none_or(|(t, _)| hit.t < t)
                {
                    first = Some((hit.t, hit.is_back_face));
                }
            }
            let Some((t, true)) = first else { continue };
            let leaves_own = own.mesh().mesh().iter_corners().any(|corners| {
                let hit = line_touches(start, inward, &corners);
                !corners.contains(&start) && hit.is_some_and(|hit| 0.0 < hit.t && hit.t < t)
            });
            if !leaves_own {
                found.push((is_of_a, number as u32, t));
            }
        }
    }
    found
}

/// Balls, and balls flattened to plates and needles, near each other or deep in each other, of all
/// sizes.
#[test]
fn contacts_are_those_of_all_triangles() {
    let mut random = Random::new(61);
    let data = ball(2);
    let (mut n_found, mut n_differ, mut n_apart) = (0, 0, 0);
    for round in 0..120 {
        let size = [1.0, 1.0, 1e-3, 1e5][round % 4];
        let bodies = [0, 1].map(|_| {
            let flat = [Vec3::ONE, Vec3::new(1.0, 0.1, 1.0), Vec3::new(0.05, 0.05, 1.0)][random.below(3)];
            let vertices = data.mesh().mesh().vertices().iter().map(|v| *v * flat * size).collect();
            ray_mesh(TriMesh::new(vertices, data.mesh().mesh().indices().to_vec()).unwrap())
        });
        let pose = |random: &mut Random, far: f64| {
            let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0);
            Pose::new(turn, (random.cube_point() * far).as_vec3() * size)
        };
        let poses = [pose(&mut random, 3.0), pose(&mut random, 0.0)];
        // Every fourth pair at the same place.
        let away = [0.0, 0.4, 0.8, 1.2][random.below(4)];
        let position = poses[0].translation + (random.cube_point() * away).as_vec3() * size;
        let poses = [poses[0], Pose::new(poses[1].rotation, position)];
        let found = ray_contacts(&bodies[0], &poses[0], &bodies[1], &poses[1]);
        let expected = by_all_triangles([&bodies[0], &bodies[1]], [&poses[0], &poses[1]]);
        n_found += found.len();
        n_apart += usize::from(found.is_empty());
        let found: Vec<_> =
            found.iter().map(|c| (c.is_vertex_of_a, c.vertex, -f64::from(c.contact.distance))).collect();
        let is_same = |x: &(bool, u32, f64), y: &(bool, u32, f64)| {
            (x.0, x.1) == (y.0, y.1) && (x.2 - y.2).abs() < 1e-4 * f64::from(size)
        };
        // Normals are rounded to `f32` for the brute force: a ray that grazes an edge may differ.
        n_differ += found.iter().filter(|x| !expected.iter().any(|y| is_same(x, y))).count();
        n_differ += expected.iter().filter(|x| !found.iter().any(|y| is_same(x, y))).count();
    }
    println!("{n_found} contacts, {n_differ} differ, {n_apart} pairs without any");
    assert!(800 < n_found && n_apart < 80 && 100 * n_differ < n_found);
}

/// A thin plate deep in a block: the rays of the corners that are in the block leave the plate
/// first. Those of the block do not meet the plate from within.
#[test]
fn rays_that_leave_their_own_body_first_are_dropped() {
    let (plate, block) =
        (ray_mesh(box_mesh(Vec3::new(0.5, 0.02, 0.5))), ray_mesh(box_mesh(Vec3::splat(1.0))));
    // A corner's ray runs along the diagonal, and ends in the middle of the block only if it is not
    // the plate's own.
    let inside = ray_contacts(&plate, &Pose::IDENTITY, &block, &Pose::IDENTITY);
    assert!(inside.is_empty(), "{inside:?}");
    // A corner of one cube in another: both bodies have one vertex in the other.
    let cube = ray_mesh(box_mesh(Vec3::splat(0.5)));
    let corner = ray_contacts(&cube, &Pose::IDENTITY, &cube, &Pose::from_translation(Vec3::splat(0.9)));
    assert_eq!(corner.len(), 2, "{corner:?}");
    for found in &corner {
        // Along the diagonal, from corner to corner.
        assert!((found.contact.distance + 0.1 * 3.0_f32.sqrt()).abs() < 1e-5, "{found:?}");
        assert!((found.contact.normal - Vec3::splat(3.0_f32.sqrt().recip())).length() < 1e-5, "{found:?}");
    }
}

#[test]
fn last_frames_triangles_save_the_tree() {
    let ball = ball(4);
    let (full, followed) = (RayDepthSettings::default(), RayDepthSettings::default().with_full_every(8));
    let (mut kept, mut warm) = (RayDepthCache::default(), RayDepthCache::default());
    let (mut cold, mut out) = (Vec::new(), Vec::new());
    let (mut n_full, mut n_followed, mut walked, mut n_left) = (0, 0, 0, 0);
    let mut n_before = 0;
    for frame in 0..120 {
        let t = frame as f32 / 60.0;
        let pose_b = Pose::new(
            Quat::from_scaled_axis(Vec3::new(0.3 * t, 0.1, 0.4 * t)),
            Vec3::new(1.75 + 0.1 * (6.0 * t).cos(), 0.1 * t, 0.2 * t),
        );
        cold.clear();
        ray_depth(&ball, &Pose::IDENTITY, &ball, &pose_b, &full, &mut kept, &mut cold);
        // The exact variant does not depend on what was before.
        assert_eq!(cold, ray_contacts(&ball, &Pose::IDENTITY, &ball, &pose_b));
        out.clear();
        ray_depth(&ball, &Pose::IDENTITY, &ball, &pose_b, &followed, &mut warm, &mut out);
        let names = |list: &[RayContact]| -> Vec<_> {
            list.iter().map(|c| (c.is_vertex_of_a, c.vertex, c.contact.distance)).collect()
        };
        assert_eq!(names(&out), names(&cold), "balls hide nothing from those that follow: frame {frame}");
        n_left += u32::from(out.len() < n_before);
        n_before = out.len();
        if 0 < frame {
            n_full += kept.counters().nodes;
            n_followed += warm.counters().nodes;
            walked += warm.counters().walked;
        }
        assert_eq!(kept.counters().walked, 0);
        assert_eq!(kept.counters().rays, warm.counters().rays);
    }
    println!(
        "nodes: in full {n_full}, followed {n_followed}; {walked} walked; fewer contacts in {n_left} frames"
    );
    assert!(4 * n_followed < 3 * n_full && 1000 < walked && 5 < n_left);
    // A cache of other meshes does no harm, and warm queries allocate nothing.
    let pose_b = Pose::from_translation(Vec3::new(1.8, 0.0, 0.1));
    let cube = ray_mesh(box_mesh(Vec3::splat(0.5)));
    for settings in [full, followed] {
        out.clear();
        ray_depth(
            &cube,
            &Pose::IDENTITY,
            &ball,
            &Pose::from_translation(Vec3::X),
            &settings,
            &mut warm,
            &mut out,
        );
        out.clear();
        ray_depth(&ball, &Pose::IDENTITY, &ball, &pose_b, &settings, &mut warm, &mut out);
        assert_eq!(out, ray_contacts(&ball, &Pose::IDENTITY, &ball, &pose_b));
        let measured = allocation_counter::measure(|| {
            out.clear();
            ray_depth(&ball, &Pose::IDENTITY, &ball, &pose_b, &settings, &mut warm, &mut out);
        });
        assert_eq!(measured.count_total, 0, "{measured:?}");
    }
}
