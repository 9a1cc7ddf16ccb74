//! Depths by rays, against brute force, and push-outs by signed distances.

use crate::region::{ball, mesh};
use crate::scenes::{grid, waves};
use carom_deform::{DeformableMesh, PushOut, RayDepths};
use carom_geom::ray_mesh::{Placement, line_crosses, point_in_mesh};
use glam::{DVec3, Vec3};

fn corners(mesh: &DeformableMesh) -> Vec<[DVec3; 3]> {
    mesh.faces().iter().map(|t| t.map(|v| mesh.positions()[v as usize].as_dvec3())).collect()
}

/// Balls that wobble and pass through each other: the body, and the collider.
fn balls(step: u8) -> [DeformableMesh; 2] {
    let phase = 0.05 * f64::from(step);
    let wobble = |center: DVec3, radius: f64| {
        let round = ball(DVec3::ZERO, radius);
        let stretch = |p: &Vec3| {
            let p = p.as_dvec3();
            (center + p * (1.0 + 0.1 * (4.0 * p.y + phase).sin())).as_vec3()
        };
        mesh(&round.positions().iter().map(stretch).collect::<Vec<_>>(), round.faces().to_vec())
    };
    [wobble(DVec3::new(1.25 - phase, 0.1, 0.2), 0.75), wobble(DVec3::ZERO, 1.0)]
}

fn push_outs(rays: &mut RayDepths, body: &DeformableMesh, collider: &mut DeformableMesh) -> Vec<PushOut> {
    rays.update(body, collider).finish().push_outs.to_vec()
}

#[test]
fn vertices_are_those_inside_and_rays_end_where_they_leave() {
    let mut rays = RayDepths::new(1);
    let mut n_found = 0;
    for step in 0..6 {
        let [body, mut collider] = balls(step);
        let triangles = corners(&collider);
        let found = push_outs(&mut rays, &body, &mut collider);
        let inside: Vec<u32> = (0_u32..)
            .zip(body.positions())
            .filter(|(_, p)| point_in_mesh(p.as_dvec3(), triangles.iter().copied()) == Placement::Inside)
            .map(|(vertex, _)| vertex)
            .collect();
        assert_eq!(found.iter().map(|p| p.vertex).collect::<Vec<_>>(), inside);
        for p in &found {
            let origin = body.positions()[p.vertex as usize].as_dvec3();
            let first = triangles
                .iter()
                .filter_map(|t| line_crosses(origin, p.direction, t))
                .map(|hit| hit.t)
                .filter(|t| 0.0 <= *t)
                .fold(f64::INFINITY, f64::min);
            assert!((p.depth - first).abs() < 1e-12, "{p:?} {first}");
            // Into the body, which is round.
            let center = DVec3::new(1.25 - 0.05 * f64::from(step), 0.1, 0.2);
            assert!(0.8 < p.direction.dot((center - origin).normalize()));
        }
        n_found += found.len();
    }
    assert!(100 < n_found, "{n_found}");
}

/// A ray leaves a round collider through one face. So a kept face gives the hit of a new ray,
/// without the tree.
#[test]
fn kept_faces_spare_casts() {
    let (mut fresh, mut kept) = (RayDepths::new(1), RayDepths::new(10));
    let (mut n_fresh, mut n_kept) = (0, 0);
    let [body, mut collider] = balls(4);
    for step in 0..20_u8 {
        let mut body = body.clone();
        let moved: Vec<Vec3> =
            body.positions().iter().map(|p| *p - Vec3::X * (0.002 * f32::from(step))).collect();
        body.set_positions(&moved).unwrap();
        let expected = push_outs(&mut fresh, &body, &mut collider);
        n_fresh += expected.len();
        let found = kept.update(&body, &mut collider).finish();
        assert_eq!(found.push_outs, expected, "{step}");
        n_kept += found.counters.followed - found.counters.forgotten;
    }
    assert!(500 < n_fresh && n_fresh as u64 * 8 / 10 < n_kept, "{n_fresh} {n_kept}");
}

#[test]
fn any_split_gives_the_same_answer() {
    let (mut whole, mut split) = (RayDepths::new(3), RayDepths::new(3));
    for step in 0..6 {
        let [body, mut collider] = balls(step);
        let body = body.with_thickness(0.125).unwrap();
        let found = push_outs(&mut whole, &body, &mut collider);
        assert!(!split.update(&body, &mut collider).run(5));
        let mut update = split.update(&body, &mut collider);
        while !update.run(7) {
            assert!(found.starts_with(update.found_so_far()) && update.progress() < 1.0);
        }
        assert_eq!(update.finish().push_outs, found);
        assert!(!found.is_empty() && found.iter().all(|p| 0.0625 <= p.depth));
    }
}

/// A ball given by its signed distance, which is not known far away.
#[test]
fn push_outs_follow_a_signed_distance() {
    let (center, radius) = (DVec3::new(2.0, -0.5, 2.0), 1.0);
    let field = |p: DVec3| {
        let length = (p - center).length();
        (length < 1.5).then_some((length - radius, (p - center) / length))
    };
    let n = 20;
    let cloth = mesh(&waves(n, 0.2, 0.0), grid(n)).with_thickness(0.125).unwrap();
    let mut found = Vec::new();
    cloth.collect_push_outs(&field, &mut found);
    let inside: Vec<u32> = (0_u32..)
        .zip(cloth.positions())
        .filter(|(_, p)| (p.as_dvec3() - center).length() < radius + 0.0625)
        .map(|(vertex, _)| vertex)
        .collect();
    assert_eq!(found.iter().map(|p| p.vertex).collect::<Vec<_>>(), inside);
    assert!(20 < inside.len());
    for p in &found {
        let out = cloth.positions()[p.vertex as usize].as_dvec3() + p.direction * p.depth;
        assert!(((out - center).length() - radius - 0.0625).abs() < 1e-12 && p.face.is_none());
    }
    found.clear();
    cloth.collect_push_outs(&|_: DVec3| Some((f64::NAN, DVec3::Y)), &mut found);
    cloth.collect_push_outs(&|_: DVec3| Some((-1.0, DVec3::NAN)), &mut found);
    assert_eq!(found, []);
}

/// The rays of vertices that get the numbers of removed ones are cast anew.
#[test]
fn removed_vertices_pass_no_face_on() {
    let [body, mut collider] = balls(3);
    let mut rays = RayDepths::new(100);
    assert!(!push_outs(&mut rays, &body, &mut collider).is_empty());
    let mut left = body;
    left.remove_faces(&(0..left.faces().len() as u32 / 2).collect::<Vec<_>>()).unwrap();
    assert!(!left.remove_unused_vertices().is_empty());
    let expected = push_outs(&mut RayDepths::new(100), &left, &mut collider);
    let update = rays.update(&left, &mut collider).finish();
    assert_eq!((update.push_outs, update.counters.followed), (&expected[..], 0));
    assert!(!expected.is_empty());
}
