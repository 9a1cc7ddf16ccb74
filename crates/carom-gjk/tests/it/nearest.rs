//! The simplex that a search ends with: its weighted points are the nearest ones, its axis
//! separates the cores.

use crate::rng::Rng;
use carom_geom::SupportMap;
use carom_geom::f64::{Capsule, Cuboid, Cylinder};
use carom_gjk::wide::distance;
use carom_gjk::{GjkCache, GjkSettings, nearest_simplex};
use carom_math::WidePose;
use glam::DVec3;

#[test]
fn weighted_corners_are_the_nearest_points_of_the_cores() {
    let cuboid = Cuboid::new(DVec3::new(0.5, 0.4, 0.3)).unwrap();
    let cylinder = Cylinder::new(0.4, 0.3).unwrap();
    let capsule = Capsule::new(0.5, 0.25).unwrap();
    let shapes: [&dyn SupportMap; 3] = [&cuboid, &cylinder, &capsule];
    let settings = GjkSettings::default();
    let mut rng = Rng(5);
    let (mut n_apart, mut n_meet) = (0, 0);
    for case in 0..900 {
        let (a, b) = (shapes[case % 3], shapes[case / 3 % 3]);
        let pose = WidePose::from_quat(rng.rotation(), rng.unit() * rng.range(0.2, 2.0));
        let mut cache = GjkCache::new();
        let near = nearest_simplex(a, b, &pose, &settings, Some(&mut cache));
        let truth = distance(a, b, &pose, &settings, None).distance + a.margin() + b.margin();
        assert!(1 <= near.n_points && near.n_points <= 4);
        if near.axis == DVec3::ZERO {
            n_meet += 1;
            assert!(distance(a, b, &pose, &settings, None).distance == 0.0, "{near:?}");
            continue;
        }
        n_apart += 1;
        let sum: f64 = near.weights.iter().sum();
        assert!((sum - 1.0).abs() < 1e-14 && near.weights.iter().all(|&w| 0.0 <= w), "{near:?}");
        let at = |points: &[DVec3; 4]| points.iter().zip(near.weights).map(|(&p, w)| p * w).sum::<DVec3>();
        let (on_a, on_b) = (at(&near.points_a), pose.transform_point(at(&near.points_b)));
        let measured = on_a.distance(on_b);
        let top = a.support(near.axis).point.dot(near.axis);
        let bottom = pose.transform_point(b.support(-pose.inverse_transform_vector(near.axis)).point);
        assert!((near.axis.length() - 1.0).abs() < 1e-14);
        // The axis says nearly as much as the points.
        assert!(bottom.dot(near.axis) - top > measured - 1e-6, "{measured}: {near:?}");
        if 0.0 < truth - a.margin() - b.margin() {
            assert!((measured - truth).abs() < 1e-9, "{measured} {truth}");
        }
    }
    assert!(100 < n_apart && 100 < n_meet, "{n_apart} {n_meet}");
}

/// Numbers that are none give an answer that says nothing.
#[test]
fn without_finite_numbers_there_is_no_simplex() {
    let cuboid = Cuboid::new(DVec3::ONE).unwrap();
    let pose = WidePose { translation: DVec3::NAN, ..WidePose::IDENTITY };
    let near = nearest_simplex(&cuboid, &cuboid, &pose, &GjkSettings::default(), None);
    assert_eq!((near.n_points, near.axis), (0, DVec3::ZERO));
}
