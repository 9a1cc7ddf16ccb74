//! Walks on features against proofs of the distance: any hulls, any places, and runs of places.

use carom_geom::ConvexHull;
use carom_math::{Vec3, WidePose};
use carom_sat::feature_walk::{FeatureIndex, FeaturePair, distance};
use carom_testkit::oracle::certificate;
use carom_testkit::oracle::solid::{Core, Difference, Solid};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};

/// A hull, and its corners as the proof takes them.
fn hull(random: &mut Random) -> (ConvexHull, Solid) {
    loop {
        let n = [4, 5, 6, 8, 12, 16, 32, 64, 200][random.below(9)];
        let half = DVec3::from_array([0; 3].map(|_| [1.0, 1.0, 0.3, 1e-3, 100.0][random.below(5)]));
        let style = random.below(4);
        let points: Vec<Vec3> = (0..n)
            .map(|i| {
                let p = match style {
                    // On a grid: faces of many corners, edges and faces that are parallel.
                    0 => random.grid_point(4) * 0.5 - 1.0,
                    // A prism, whose faces are planes but for rounding.
                    1 => {
                        let angle = core::f64::consts::TAU * (i / 2) as f64 / (n / 2) as f64;
                        DVec3::new(angle.cos(), if i % 2 == 0 { -1.0 } else { 1.0 }, angle.sin())
                    }
                    2 => random.cube_point(),
                    _ => random.cube_point().normalize_or_zero(),
                };
                (p * half).as_vec3()
            })
            .collect();
        if let Ok(hull) = ConvexHull::from_points(&points) {
            let corners = hull.vertices().iter().map(|v| v.as_dvec3()).collect();
            return (hull, Solid { core: Core::Points(corners), radius: 0.0 });
        }
    }
}

fn turn(random: &mut Random) -> DQuat {
    if random.below(4) == 0 {
        return DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2 * random.below(4) as f64);
    }
    DQuat::from_scaled_axis(random.cube_point() * 3.0)
}

#[derive(Default)]
struct WalkTally {
    n_walked: u32,
    n_left: u32,
    worst: f64,
}

impl WalkTally {
    /// A walk from these places, against the proof.
    fn test(
        &mut self,
        a: &(ConvexHull, Solid),
        b: &(ConvexHull, Solid),
        pose: &WidePose,
        features: &mut FeaturePair,
    ) {
        let pair = Difference::new(&a.1, &b.1, *pose);
        let Some(found) = distance(&a.0, &b.0, pose, features) else {
            self.n_left += 1;
            return;
        };
        self.n_walked += 1;
        let context = || format!("{found:?} {features:?} {pose:?} {:?} {:?}", a.1, b.1);
        // Both bounds by what the answer says itself: room along the normal, and two points of the
        // bodies.
        let off = (found.distance - pair.room(found.normal)).abs() / pair.size;
        assert!(off < 1e-13, "{off:e} {}", context());
        self.worst = self.worst.max(off);
        let offset = found.point_b - found.point_a;
        assert!((offset - found.normal * found.distance).length() < 1e-13 * pair.size, "{}", context());
        assert!((found.normal.length() - 1.0).abs() < 1e-14, "{}", context());
        for (hull, p) in [(&a.0, found.point_a), (&b.0, pose.inverse_transform_point(found.point_b))] {
            for face in 0..hull.n_faces() as u32 {
                let above = hull.face_normal(face).dot(p) - hull.face_offset(face);
                assert!(above < 1e-13 * pair.size, "{above:e} over face {face}: {}", context());
            }
        }
    }
}

#[test]
fn distances_are_proved() {
    let rounds = if std::env::var_os("CAROM_SLOW").is_some() { 300_000 } else { 6_000 };
    let mut random = Random::new(5);
    let (mut tally, mut n_apart, mut n_certain) = (WalkTally::default(), 0, 0);
    for round in 0..rounds {
        let (a, b) = (hull(&mut random), hull(&mut random));
        let rotation = turn(&mut random);
        let direction = random.cube_point().normalize_or_zero();
        let gap = [1e-9, 1e-6, 1e-3, 0.1, 10.0, -0.01][random.below(6)];
        let aside = WidePose::from_quat(rotation, random.cube_point());
        let room = Difference::new(&a.1, &b.1, aside).room(direction);
        let pose = WidePose::from_quat(rotation, aside.translation + direction * (gap - room));
        let start = FeaturePair::apart(&a.0, &b.0, &pose);
        n_apart += u32::from(start.is_some());
        let anywhere = FeaturePair {
            a: FeatureIndex::Vertex(random.below(a.0.vertices().len()) as u32),
            b: FeatureIndex::Face(random.below(b.0.n_faces()) as u32),
        };
        for mut features in start.into_iter().chain([anywhere]) {
            tally.test(&a, &b, &pose, &mut features);
            tally.test(&a, &b, &pose, &mut features);
        }
        if round % 64 == 0 {
            // That what is called a proof is one.
            let pair = Difference::new(&a.1, &b.1, pose);
            let mut features = anywhere;
            if let Some(found) = distance(&a.0, &b.0, &pose, &mut features) {
                let truth = certificate::signed_distance(&pair, &[found.normal]);
                assert!((found.distance - truth.lower).abs() <= 1e-13 * pair.size, "{found:?} {truth:?}");
                assert!(truth.upper - truth.lower <= 1e-9 * pair.size, "{truth:?}");
                n_certain += 1;
            }
        }
    }
    println!("{} walked, {} left, worst {:e}", tally.n_walked, tally.n_left, tally.worst);
    assert!(rounds / 4 < n_apart && 2 * rounds < tally.n_walked && rounds / 10 < tally.n_left);
    assert!(rounds / 200 < n_certain);
}

#[test]
fn a_body_that_moves_little_takes_a_test_or_two() {
    let mut random = Random::new(6);
    let (mut n_tests, mut n_left, mut n_steps) = (0, 0, 0);
    for _ in 0..60 {
        let points: Vec<Vec3> = (0..60).map(|_| random.cube_point().normalize_or_zero().as_vec3()).collect();
        let a = ConvexHull::from_points(&points).unwrap();
        let axis = random.cube_point().normalize_or_zero();
        let mut features = None;
        for step in 0..100 {
            let rotation = DQuat::from_axis_angle(axis, (0.5 * f64::from(step)).to_radians());
            let pose = WidePose::from_quat(rotation, DVec3::new(1.3, 1.3, 1.3));
            let mut at = features.or(FeaturePair::apart(&a, &a, &pose)).unwrap();
            let found = distance(&a, &a, &pose, &mut at);
            n_left += u32::from(found.is_none());
            features = found.map(|_| at);
            n_tests += found.map_or(0, |found| found.n_tests);
            n_steps += 1;
        }
    }
    println!("{n_tests} tests in {n_steps} steps, {n_left} left");
    assert!(n_tests < n_steps + n_steps / 4 && 100 * n_left <= n_steps);
}

#[test]
fn what_is_in_doubt_has_no_answer() {
    let cube: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - Vec3::ONE)
        .collect();
    let cube = ConvexHull::from_points(&cube).unwrap();
    let start = FeaturePair { a: FeatureIndex::Vertex(0), b: FeatureIndex::Vertex(0) };
    let at = |x: f64, y: f64, z: f64| WidePose::from_quat(DQuat::IDENTITY, DVec3::new(x, y, z));
    // Overlapping, concentric, touching by a face, an edge and a corner, far too far, and no number
    // at all.
    let apart = [f64::MAX, f64::NAN, f64::INFINITY];
    for pose in
        [at(1.5, 0.2, 0.1), at(0.0, 0.0, 0.0), at(2.0, 0.3, 0.0), at(2.0, 2.0, 0.5), at(2.0, 2.0, 2.0)]
            .into_iter()
            .chain(apart.map(|x| at(x, 0.0, 0.0)))
    {
        for first in [start, FeaturePair { a: FeatureIndex::Face(0), b: FeatureIndex::Face(1) }] {
            assert_eq!(distance(&cube, &cube, &pose, &mut first.clone()), None, "{pose:?}");
        }
    }
    assert_eq!(FeaturePair::apart(&cube, &cube, &at(1.5, 0.2, 0.1)), None);
    assert!(FeaturePair::apart(&cube, &cube, &at(2.5, 0.2, 0.1)).is_some());
    // Numbers that there are not.
    let tilted =
        WidePose::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, 0.4, 0.5)), DVec3::new(4.0, 0.3, 0.1));
    let right = distance(&cube, &cube, &tilted, &mut start.clone()).unwrap();
    for feature in [FeatureIndex::Vertex(900), FeatureIndex::Edge(u32::MAX), FeatureIndex::Face(77)] {
        let found = distance(&cube, &cube, &tilted, &mut FeaturePair { a: feature, b: feature }).unwrap();
        assert!((found.distance - right.distance).abs() < 1e-14);
    }
}
