//! `ConvexHull` in both precisions: supports chosen in `f32`, climbed, warm; and real hulls.

use crate::cloud::Cloud;
use crate::rng::Rng;
use carom_geom::{ConvexHull, f64 as wide_geom};
use carom_gjk::wide::{distance, intersects, signed_distance};
use carom_gjk::{GjkCache, GjkSettings, Outcome};
use carom_math::{Pose, Quat, Vec3, WidePose};
use carom_testkit::oracle::convex::{BruteHull, surface_distance};
use carom_testkit::oracle::depth::depth;
use glam::{DMat3, DVec3};

/// Points on an ellipsoid, so that all of them are vertices.
fn ellipsoid_points(rng: &mut Rng, n: usize) -> Vec<DVec3> {
    (0..n).map(|_| rng.unit() * DVec3::new(1.0, 0.8, 0.6)).collect()
}

fn narrow(points: &[DVec3]) -> Vec<Vec3> {
    points.iter().map(|p| p.as_vec3()).collect()
}

#[test]
fn hulls_of_4_to_64_vertices() {
    let mut rng = Rng(11);
    let rounds = if std::env::var_os("CAROM_SLOW").is_some() { 40 } else { 3 };
    let (mut worst, mut worst_narrow, mut overlaps) = (0.0f64, 0.0f64, 0);
    for n in [4, 5, 6, 8, 12, 16, 24, 32, 64] {
        for _ in 0..rounds {
            let (pa, pb) = (narrow(&ellipsoid_points(&mut rng, n)), narrow(&ellipsoid_points(&mut rng, n)));
            let (Ok(a), Ok(b)) = (ConvexHull::from_points(&pa), ConvexHull::from_points(&pb)) else {
                continue;
            };
            let widen = |p: &[Vec3]| p.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>();
            let (wa, wb) = (widen(&pa), widen(&pb));
            let (a64, b64) = (
                wide_geom::ConvexHull::from_points(&wa).unwrap(),
                wide_geom::ConvexHull::from_points(&wb).unwrap(),
            );
            let (hull_a, hull_b) = (BruteHull::new(&wa), BruteHull::new(&wb));
            for reach in [0.3, 0.8, 1.4, 1.7, 3.0] {
                let (rotation, translation) = (rng.rotation().as_quat(), (rng.unit() * reach).as_vec3());
                let pose = Pose::new(rotation, translation);
                let frame = pose.wide();
                let placed = hull_b.map(|p| frame.transform_point(p), |v| frame.transform_vector(v));
                let (oracle_depth, _) = depth(&hull_a, &placed);
                let truth =
                    if 0.0 < oracle_depth { -oracle_depth } else { surface_distance(&hull_a, &placed).0 };
                overlaps += usize::from(truth < 0.0);
                let settings = GjkSettings::default();
                let r = carom_gjk::signed_distance(&a, &b, &pose, &settings, None);
                let r64 = signed_distance(&a64, &b64, &frame, &settings, None);
                assert_eq!(r.outcome, Outcome::Exact);
                worst = worst.max((r64.distance - truth).abs());
                worst_narrow = worst_narrow.max((f64::from(r.distance) - truth).abs());
                assert!((r64.distance - truth).abs() < 1e-13, "{n} {truth} {r64:?}");
                assert!((f64::from(r.distance) - truth).abs() < 1e-6, "{n} {truth} {r:?}");
                assert_eq!(r.distance > 0.0, truth > 0.0);
                assert!(
                    f64::from(r.lower_bound) <= truth + 1e-13 && truth <= f64::from(r.upper_bound) + 1e-13
                );
                // The f32 shape with answers in f64 is exact too.
                let mixed = signed_distance(&a, &b, &frame, &settings, None);
                assert!((mixed.distance - truth).abs() < 1e-13, "{n} {truth} {mixed:?}");
                let yes = intersects(&a, &b, &frame, &settings, None);
                assert_eq!(yes.intersects, truth < 0.0);
                let near = distance(&a, &b, &frame, &settings, None);
                assert_eq!(near.distance, mixed.distance.max(0.0));
            }
        }
    }
    println!("hulls: worst {worst:e}, f32 {worst_narrow:e}, {overlaps} overlaps");
    assert!(overlaps > 10);
}

#[test]
fn warm_queries_give_the_same_answers_and_cost_less() {
    let mut rng = Rng(12);
    for n in [8, 32, 128, 300] {
        let (mut warm_supports, mut cold_supports) = (0, 0);
        for sequence in 0..4 {
            let points = [narrow(&ellipsoid_points(&mut rng, n)), narrow(&ellipsoid_points(&mut rng, n))];
            let [a, b] = points.map(|p| ConvexHull::from_points(&p).unwrap());
            let axis = rng.unit().as_vec3();
            let start = rng.rotation().as_quat();
            let reach = [0.3, 2.2, 1.4, 1.7][sequence];
            let mut cache = GjkCache::new();
            for step in 0..100 {
                let turn = Quat::from_axis_angle(axis, 0.0087 * step as f32);
                let pose = Pose::new(turn * start, Vec3::new(0.1, reach, 0.2)).wide();
                let warm = signed_distance(&a, &b, &pose, &GjkSettings::default(), Some(&mut cache));
                let cold = signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
                assert!((warm.distance - cold.distance).abs() < 1e-14, "{n} {step} {warm:?} {cold:?}");
                assert_eq!(warm.outcome, Outcome::Exact);
                if 0.0 < cold.distance {
                    warm_supports += warm.counters.supports;
                    cold_supports += cold.counters.supports;
                }
                let yes = intersects(&a, &b, &pose, &GjkSettings::default(), Some(&mut cache));
                assert_eq!(yes.intersects, cold.distance <= 0.0);
            }
        }
        println!("{n}: supports warm {warm_supports} cold {cold_supports}");
        assert!(2 * warm_supports < cold_supports);
    }
}

#[test]
fn a_cache_of_another_pair_does_no_harm() {
    let mut rng = Rng(13);
    let mut cache = GjkCache::new();
    for round in 0..200 {
        let (n, m) = (4 + rng.below(40), 4 + rng.below(40));
        let (a, b) = (Cloud::random(&mut rng, n, DVec3::ONE), Cloud::random(&mut rng, m, DVec3::ONE));
        let pose = WidePose::from_quat(rng.rotation(), rng.unit() * rng.range(0.0, 3.0));
        let warm = signed_distance(&a, &b, &pose, &GjkSettings::default(), Some(&mut cache));
        let cold = signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
        assert!((warm.distance - cold.distance).abs() < 1e-14, "{round} {warm:?} {cold:?}");
    }
}

#[test]
fn max_distance_stops_early_and_never_lies() {
    let mut rng = Rng(14);
    let mut n_early = 0;
    for _ in 0..500 {
        let (n, m) = (4 + rng.below(40), 4 + rng.below(40));
        let (a, b) = (Cloud::random(&mut rng, n, DVec3::ONE), Cloud::random(&mut rng, m, DVec3::ONE));
        let pose = WidePose::from_quat(rng.rotation(), rng.unit() * rng.range(1.0, 4.0));
        let full = signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
        let max = rng.range(0.0, 2.0);
        let r = signed_distance(&a, &b, &pose, &GjkSettings::default().with_max_distance(max), None);
        assert!(r.lower_bound <= full.distance + 1e-14 && full.distance <= r.upper_bound + 1e-14);
        if full.distance <= max {
            assert_eq!(r.distance, full.distance);
        } else {
            assert!(max < r.distance && max <= r.lower_bound, "{max} {r:?} {full:?}");
            n_early += usize::from(r.counters.supports < full.counters.supports);
        }
    }
    assert!(n_early > 100);
}

/// 300 pairs of real hulls with answers from the explicit Minkowski difference.
#[test]
fn real_hulls() {
    let (Some(hulls), Some(cases)) = (
        carom_testkit::data::find("hulls/jolt_hulls.bin"),
        carom_testkit::data::find("hulls/hull_cases.json"),
    ) else {
        return;
    };
    let bytes = std::fs::read(hulls).unwrap();
    let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    let mut sets: Vec<Vec<Vec3>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let n = u32::from_le_bytes(word(at)) as usize;
        let coordinate = |i: usize| f32::from_le_bytes(word(at + 4 + 4 * i));
        sets.push(
            (0..n)
                .map(|i| Vec3::new(coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2)))
                .collect(),
        );
        at += 4 + 12 * n;
    }
    let cases: serde_json::Value = serde_json::from_slice(&std::fs::read(cases).unwrap()).unwrap();
    let (mut worst, mut worst_hull, mut n_overlap, mut n) = (0.0f64, 0.0f64, 0, 0);
    for case in cases["cases"].as_array().unwrap() {
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let index = |name: &str| case[name].as_u64().unwrap() as usize;
        let m: Vec<f64> = case["pose_b"].as_array().unwrap().iter().map(number).collect();
        let pose = WidePose {
            rotation: DMat3::from_cols(
                DVec3::new(m[0], m[4], m[8]),
                DVec3::new(m[1], m[5], m[9]),
                DVec3::new(m[2], m[6], m[10]),
            ),
            translation: DVec3::new(m[3], m[7], m[11]),
        };
        let size = number(&case["size"]);
        let expected =
            number(&case["expected"]["distance_minkowski"]) - number(&case["expected"]["depth_minkowski"]);
        let (pa, pb) = (&sets[index("hull_a")], &sets[index("hull_b")]);
        let widen = |p: &[Vec3]| p.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>();
        let cloud = signed_distance(
            &Cloud::new(widen(pa)),
            &Cloud::new(widen(pb)),
            &pose,
            &GjkSettings::default(),
            None,
        );
        let error = (cloud.distance - expected).abs() / size;
        assert!(error < 1e-9, "{} {error:e} {cloud:?}", case["id"]);
        worst = worst.max(error);
        assert_eq!(cloud.distance <= 0.0, case["expected"]["intersect"].as_bool().unwrap());
        n_overlap += usize::from(cloud.distance <= 0.0);
        n += 1;
        // The hulls built from the points leave out what stands out by less than the merging
        // tolerance.
        let (Ok(a), Ok(b)) = (ConvexHull::from_points(pa), ConvexHull::from_points(pb)) else { continue };
        let hull = signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
        let error = (hull.distance - expected).abs() / size;
        assert!(error < 1e-6, "{} {error:e} {hull:?}", case["id"]);
        worst_hull = worst_hull.max(error);
    }
    println!("real hulls: {n}, {n_overlap} overlap, worst {worst:e} of points, {worst_hull:e} of hulls");
    assert!(n == 300 && n_overlap == 75);
}
