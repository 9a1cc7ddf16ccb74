//! Meshes of `f64` whose corners lie far from the mesh's own origin: their trees hold `f32`.

use carom_geom::f64::TriMesh;
use carom_geom::tri_distance::closest_points;
use carom_geom::tri_tri;
use carom_math::f64::Pose;
use carom_query::f64::{AnytimeMeshes, MeshPair, MeshShape, Shape, distance, intersects, triangle_pairs};
use carom_query::{AnytimeSettings, Until};
use carom_scenes::mesh::icosphere;
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use std::sync::Arc;

#[test]
fn trees_in_f32_cover_corners_in_f64() {
    let mut random = Random::new(77);
    let (mut n_meet, mut n_apart) = (0, 0);
    for round in 0..72 {
        let far = [0.0, 1e3, 1e5, 1e7, 1e9, 1e12][round % 6];
        let shift = random.cube_point() * far;
        let data = icosphere(6);
        // Some of their triangles flat along the axes: such boxes have no other slack.
        let flat = |v: &DVec3| DVec3::new(v.x.clamp(-0.8, 0.8), v.y, v.z.clamp(-0.7, 0.9)) + shift;
        let vertices = data.vertices.iter().map(flat).collect();
        let mesh = TriMesh::new(vertices, data.triangles.clone()).unwrap();
        let shape = Arc::new(MeshShape::new(mesh).unwrap());
        let turn = if round % 4 < 2 {
            DQuat::IDENTITY
        } else {
            DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), random.range(-1.0, 1.0))
        };
        let gap = [-0.3, -1e-3, 1e-3, 0.2][round / 6 % 4];
        let apart = DVec3::new(1.6 + gap, 0.3, 0.1);
        // The turned copy comes to lie beside the other.
        let pose = Pose::new(turn, apart + shift - turn * shift);
        let wide = pose.wide();
        let moved: Vec<_> = shape.mesh().iter_corners().map(|t| t.map(|p| wide.transform_point(p))).collect();
        let (mut least, mut meet) = (f64::INFINITY, Vec::new());
        for (i, s) in shape.mesh().iter_corners().enumerate() {
            for (j, t) in moved.iter().enumerate() {
                least = least.min(closest_points(&s, t).distance);
                if tri_tri::intersects(&s, t) {
                    meet.push((i as u32, j as u32));
                }
            }
        }
        let here = Pose::IDENTITY;
        let mut pairs = Vec::new();
        triangle_pairs(&shape, &here, &shape, &pose, &mut pairs);
        assert_eq!(pairs, meet, "round {round}, {far}");
        let (a, b) = (Shape::Mesh(shape.clone()), Shape::Mesh(shape.clone()));
        assert_eq!(intersects(&a, &here, &b, &pose), !meet.is_empty(), "round {round}, {far}");
        let found = distance(&a, &here, &b, &pose);
        let room = 1e-15 * far + 1e-12;
        assert!((found.distance - least).abs() <= room, "round {round}, {far}: {found:?}, {least}");

        let mut search = AnytimeMeshes::default();
        search.start(1, &AnytimeSettings::distance());
        loop {
            let couple = [MeshPair::new(0, here, 0, pose)];
            let is_done = search
                .run(core::slice::from_ref(&shape), &couple, Until::done().with_steps(7))
                .unwrap()
                .is_done();
            let bounds = search.answer(0).bounds;
            assert!(
                bounds.min <= least + room && least - room <= bounds.max,
                "round {round}, {far}: {bounds:?}, {least}"
            );
            if is_done {
                let nearest = search.answer(0).nearest.unwrap();
                assert!(
                    (nearest.distance - least).abs() <= room,
                    "round {round}, {far}: {nearest:?}, {least}"
                );
                break;
            }
        }
        if meet.is_empty() {
            n_apart += 1;
        } else {
            n_meet += 1;
        }
    }
    assert!(20 < n_meet && 20 < n_apart, "{n_meet} {n_apart}");
}
