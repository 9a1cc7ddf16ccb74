//! Planes between bodies: the nearest points and many others are on their sides, and convex bodies
//! that are apart have one.

use crate::zoo::{box_mesh, shapes};
use carom_geom::Cuboid;
use carom_math::{Pose, Vec3};
use carom_query::{
    Compound, CompoundPart, MeshShape, Shape, distance, intersects, project_point, separating_plane,
};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use std::sync::Arc;

fn pose(random: &mut Random, far: f64) -> Pose {
    let axis = random.cube_point() * 3.0;
    let rotation = DQuat::from_scaled_axis(axis).as_quat();
    Pose { rotation, translation: (random.cube_point() * far).as_vec3() }
}

#[test]
fn every_pair_that_is_apart_has_one_side_each() {
    let mut random = Random::new(71);
    let shapes = shapes();
    let (mut n_planes, mut n_convex) = (0, 0);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for k in 0..12 {
                let (pose_a, pose_b) = (pose(&mut random, 0.3), pose(&mut random, 2.0));
                let what = format!("{name_a}, {name_b}, {k}");
                let d = distance(a, &pose_a, b, &pose_b);
                let found = separating_plane(a, &pose_a, b, &pose_b);
                if a.is_convex() && b.is_convex() && 1e-4 < d.distance {
                    n_convex += 1;
                    assert!(found.is_some(), "{what}: {} apart without a plane", d.distance);
                }
                let Some(plane) = found else { continue };
                n_planes += 1;
                assert!(!intersects(a, &pose_a, b, &pose_b), "{what}: a plane between bodies that meet");
                assert!(
                    (plane.normal.length() - 1.0).abs() < 1e-12 && 0.0 < plane.gap(),
                    "{what}: {plane:?}"
                );
                // A lower bound of the distance; of convex bodies a good one.
                let apart = f64::from(d.distance);
                assert!(plane.gap() <= apart * (1.0 + 1e-6) + 1e-6, "{what}: {plane:?}, {apart}");
                if a.is_convex() && b.is_convex() {
                    assert!(apart * 0.999 - 1e-5 <= plane.gap(), "{what}: {plane:?}, {apart}");
                }
                // Points of each body are on its side.
                for _ in 0..20 {
                    let p = (random.cube_point() * 2.0).as_vec3();
                    for (shape, shape_pose, sign) in [(a, &pose_a, 1.0), (b, &pose_b, -1.0)] {
                        let Some(on) = project_point(shape, shape_pose, p) else { continue };
                        let at = on.point.as_dvec3().dot(plane.normal);
                        let end = if sign < 0.0 { plane.start_of_b } else { plane.end_of_a };
                        assert!(
                            sign * (at - end) <= 2e-6 * (1.0 + at.abs()),
                            "{what}: {at} beyond {plane:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(1000 < n_planes && 300 < n_convex, "{n_planes} planes, {n_convex} of convex pairs");
}

#[test]
fn a_bound_proves_what_is_apart_without_a_plane() {
    let mut random = Random::new(73);
    let shapes = shapes();
    let (mut n_bounds, mut n_without_plane) = (0, 0);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for k in 0..12 {
                let (pose_a, pose_b) = (pose(&mut random, 0.3), pose(&mut random, 1.5));
                let what = format!("{name_a}, {name_b}, {k}");
                let d = distance(a, &pose_a, b, &pose_b);
                let Some(at_least) = d.at_least() else { continue };
                assert!(0.0 <= at_least && at_least <= d.distance, "{what}: {d:?}");
                if at_least == 0.0 {
                    continue;
                }
                assert!(!intersects(a, &pose_a, b, &pose_b), "{what}: {d:?}");
                n_bounds += 1;
                n_without_plane += u32::from(separating_plane(a, &pose_a, b, &pose_b).is_none());
                // No point of A is nearer to B. Points on fields are off by the error of the field.
                if [name_a, name_b].iter().any(|name| ["field", "compound"].contains(*name)) {
                    continue;
                }
                for _ in 0..20 {
                    let p = pose_a.transform_point((random.cube_point() * 2.0).as_vec3());
                    let Some(on_a) = project_point(a, &pose_a, p) else { continue };
                    let Some(on_b) = project_point(b, &pose_b, on_a.point) else { continue };
                    let size = 1.0 + on_a.point.length() + on_b.point.length();
                    assert!(at_least <= on_b.point.distance(on_a.point) + 2e-6 * size, "{what}: {d:?}");
                }
            }
        }
    }
    assert!(500 < n_bounds && 5 < n_without_plane, "{n_bounds} bounds, {n_without_plane} without a plane");
}

#[test]
fn bodies_that_meet_and_bodies_in_each_others_hulls_have_none() {
    let half = Vec3::splat(0.5);
    let cube = Shape::Cuboid(Cuboid::new(half).unwrap());
    let at = |x: f32| Pose::from_translation(Vec3::new(x, 0.0, 0.0));
    for x in [0.0, 0.7, 1.0] {
        assert_eq!(separating_plane(&cube, &at(0.0), &cube, &at(x)), None, "{x}");
    }
    let plane = separating_plane(&cube, &at(0.0), &cube, &at(1.25)).unwrap();
    assert!((plane.normal - DVec3::X).length() < 1e-12, "{plane:?}");
    assert!((plane.end_of_a - 0.5).abs() < 1e-12 && (plane.start_of_b - 0.75).abs() < 1e-12, "{plane:?}");
    // A cube between two others does not touch them, and no plane parts it from both.
    let part = |x: f32| CompoundPart { shape: cube.clone(), pose: at(x) };
    let around = Shape::Compound(Arc::new(Compound::new(vec![part(-2.0), part(2.0)]).unwrap()));
    assert!(!intersects(&around, &at(0.0), &cube, &at(0.0)));
    assert_eq!(separating_plane(&around, &at(0.0), &cube, &at(0.0)), None);
    // The bound of the distance proves it.
    let at_least = distance(&around, &at(0.0), &cube, &at(0.0)).at_least().unwrap();
    assert!((at_least - 1.0).abs() < 1e-6, "{at_least}");
    assert_eq!(distance(&cube, &at(0.0), &cube, &at(0.5)).at_least(), Some(0.0));
    assert!(separating_plane(&around, &at(0.0), &cube, &at(4.0)).is_some());
    // A mesh is its vertices.
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(box_mesh(half)).unwrap()));
    assert!(separating_plane(&mesh, &at(0.0), &mesh, &at(1.5)).is_some());
}
