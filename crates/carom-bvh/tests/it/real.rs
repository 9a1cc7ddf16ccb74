//! Every builder over real meshes, compared with a test of all triangles: those that meet, the
//! nearest ones, and the hits of rays and points. Every builder over very many boxes that make
//! trees deep.

use carom_bounds::{Aabb, BoundingVolume as _};
use carom_bvh::{BuildMethod, BuildSettings, Bvh, closest_pair, visit_pairs};
use carom_geom::ray_mesh::line_touches;
use carom_geom::tri_distance::{closest_points, point_triangle};
use carom_geom::tri_tri::intersects;
use carom_math::WidePose;
use carom_testkit::conform::bvh::many;
use carom_testkit::meshes::mesh;
use carom_testkit::random::Random;
use core::ops::ControlFlow;
use glam::{DQuat, DVec3};
use std::collections::BTreeSet;
use std::time::Instant;

/// Every method, with leaves of several sizes, two thirds of them with a pass of improvement.
fn settings() -> impl Iterator<Item = BuildSettings> {
    BuildMethod::ALL.into_iter().enumerate().map(|(i, method)| {
        let settings = BuildSettings::default().with_method(method).with_max_leaf([1, 4, 2][i % 3]);
        settings.with_reinsertion_rounds([0, 2][i / 2 % 2]).with_treelet_rounds([0, 2][i % 2])
    })
}

/// Queries of a mesh, and their results from all triangles.
struct Truth {
    triangles: Vec<[DVec3; 3]>,
    /// Poses of a second copy of the mesh, and the pairs of triangles that meet.
    overlapping: Vec<(WidePose, BTreeSet<(u32, u32)>)>,
    /// The pose of a copy that is apart, and the nearest pair with its distance.
    apart: (WidePose, (u32, u32, f64)),
    /// The origin and the direction of a ray, and the t of its first hit.
    rays: Vec<(DVec3, DVec3, f64)>,
    /// A point, and the triangle nearest to it with its distance.
    points: Vec<(DVec3, (u32, f64))>,
}

impl Truth {
    fn new(triangles: Vec<[DVec3; 3]>) -> Truth {
        let mut random = Random::new(17);
        let corners = || triangles.iter().flatten();
        let low = corners().fold(DVec3::INFINITY, |low, p| low.min(*p));
        let high = corners().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
        let (middle, size) = ((low + high) * 0.5, (high - low).max_element());
        let numbered = || (0_u32..).zip(&triangles);
        let turn = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize();
        let pose_at = |share: f64| {
            let turned = WidePose::from_quat(turn, DVec3::ZERO);
            let by = middle - turned.transform_point(middle) + DVec3::new(0.7, 0.6, 0.4) * size * share;
            WidePose { translation: by, ..turned }
        };
        let overlapping = [0.0, 0.15].map(|share| {
            let pose = pose_at(share);
            let mut pairs = BTreeSet::new();
            for (j, b) in numbered() {
                let placed = b.map(|p| pose.transform_point(p));
                pairs.extend(numbered().filter(|(_, a)| intersects(a, &placed)).map(|(i, _)| (i, j)));
            }
            (pose, pairs)
        });
        let pose = pose_at(3.0);
        let mut nearest = (u32::MAX, u32::MAX, f64::INFINITY);
        for (j, b) in numbered() {
            let placed = b.map(|p| pose.transform_point(p));
            for (i, a) in numbered() {
                let d = closest_points(a, &placed).distance;
                if d < nearest.2 || (d == nearest.2 && (i, j) < (nearest.0, nearest.1)) {
                    nearest = (i, j, d);
                }
            }
        }
        let rays = (0..60)
            .map(|i| {
                let origin = middle + random.cube_point() * size;
                let target = triangles[i * 7 % triangles.len()];
                let direction = (target[0] + target[1] + target[2]) / 3.0 - origin;
                let hits = triangles.iter().filter_map(|t| line_touches(origin, direction, t));
                (origin, direction, hits.map(|hit| hit.t).filter(|t| 0.0 <= *t).fold(f64::INFINITY, f64::min))
            })
            .collect();
        let points = (0..30)
            .map(|_| {
                let point = middle + random.cube_point() * size;
                let distances = numbered().map(|(i, t)| (i, point_triangle(point, t).distance));
                (
                    point,
                    distances
                        .fold((u32::MAX, f64::INFINITY), |best, one| if one.1 < best.1 { one } else { best }),
                )
            })
            .collect();
        Truth { overlapping: overlapping.into(), apart: (pose, nearest), rays, points, triangles }
    }

    fn check(&self, what: &str, tree: &Bvh) {
        let triangle = |i: u32| &self.triangles[i as usize];
        for (pose, expected) in &self.overlapping {
            let mut found = BTreeSet::new();
            visit_pairs(tree, tree, pose, |i, j| {
                if intersects(triangle(i), &triangle(j).map(|p| pose.transform_point(p))) {
                    found.insert((i, j));
                }
                ControlFlow::Continue(())
            });
            assert_eq!(found, *expected, "{what}");
        }
        let (pose, nearest) = &self.apart;
        let gap = |i: u32, j: u32, _: f64| {
            let placed = triangle(j).map(|p| pose.transform_point(p));
            Some(closest_points(triangle(i), &placed).distance)
        };
        assert_eq!(closest_pair(tree, tree, pose, f64::INFINITY, gap).pair, Some(*nearest), "{what}");
        for &(origin, direction, expected) in &self.rays {
            let mut first = f64::INFINITY;
            tree.visit_ray(origin, direction, 0.0, f64::INFINITY, |leaf, _| {
                for &i in leaf.primitives {
                    let hit = line_touches(origin, direction, triangle(i)).filter(|hit| 0.0 <= hit.t);
                    first = hit.map_or(first, |hit| first.min(hit.t));
                }
                ControlFlow::Continue(first)
            });
            assert_eq!(first, expected, "{what}: ray from {origin} along {direction}");
        }
        for &(point, expected) in &self.points {
            let away = |i: u32, _: f64| Some(point_triangle(point, triangle(i)).distance);
            assert_eq!(tree.nearest(point, f64::INFINITY, away).0, Some(expected), "{what}: {point}");
        }
    }
}

#[test]
fn every_builder_over_real_meshes() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 2000 } else { 160 };
    let (mut n_meshes, mut n_overlapping, mut n_hits) = (0, 0, 0);
    for name in ["spot", "ycb_power_drill", "lego", "screw_big", "oloid"] {
        let Some(mesh) = mesh(name) else {
            println!("{name}: not present, skipped");
            continue;
        };
        let step = mesh.indices.len().div_ceil(n);
        let narrow = |t: [DVec3; 3]| t.map(|p| p.as_vec3().as_dvec3());
        let truth = Truth::new(mesh.corners().into_iter().step_by(step).map(narrow).collect());
        let boxes: Vec<Aabb> =
            truth.triangles.iter().map(|t| Aabb::from_points(&t.map(|p| p.as_vec3()))).collect();
        for settings in settings() {
            let tree = Bvh::<Aabb>::build(&boxes, &settings).unwrap();
            truth.check(&format!("{name}, {settings:?}"), &tree);
        }
        n_meshes += 1;
        n_overlapping += truth.overlapping.iter().map(|(_, pairs)| pairs.len()).sum::<usize>();
        n_hits += truth.rays.iter().filter(|ray| ray.2.is_finite()).count();
    }
    println!("{n_meshes} meshes, {n_overlapping} pairs of triangles met, {n_hits} rays hit");
    assert!(20 * n_meshes <= n_overlapping && 30 * n_meshes <= n_hits, "{n_overlapping}, {n_hits}");
}

#[test]
fn every_builder_over_very_many() {
    let n = if std::env::var_os("CAROM_SLOW").is_some() { 1_000_000 } else { 4_000 };
    for (name, boxes) in many(n) {
        for method in BuildMethod::ALL {
            let begun = Instant::now();
            let tree = Bvh::<Aabb>::build(&boxes, &BuildSettings::default().with_method(method)).unwrap();
            let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
            let quality = tree.quality();
            println!(
                "{name:24} {method:18?} {milliseconds:8.1} ms, depth {:2}, SAH cost {:.1}",
                quality.depth, quality.sah_cost
            );
            assert_eq!(tree.validate(&boxes), Ok(()), "{name}, {method:?}");
            assert!(quality.depth <= 80, "{name}, {method:?}: depth {}", quality.depth);
        }
    }
}
