//! Distances of pairs that are asked about again, from what the last query left.

use carom_geom::{Capsule, ConvexHull, Cuboid};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ManifoldCache, Shape, Workspace, distance, distance_cached};
use carom_testkit::conform::dice::Dice;
use std::sync::Arc;

/// A walk on features or GJK, from what the last query left or from nothing: one distance.
#[test]
fn a_cache_changes_the_search_and_not_the_distance() {
    let mut dice = Dice::new(12);
    let mut hull = |n: usize| {
        let points: Vec<Vec3> = (0..n).map(|_| dice.point(0.5)).collect();
        Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()))
    };
    let mut shapes = vec![hull(8), hull(40), hull(200)];
    shapes.push(Shape::Cuboid(Cuboid::new(Vec3::new(0.5, 0.3, 0.4)).unwrap()));
    shapes.push(Shape::Capsule(Capsule::new(0.5, 0.2).unwrap()));
    let mut memory = Workspace::default();
    let (mut n_apart, mut n_together) = (0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            let mut cache = ManifoldCache::new();
            for step in 0..300 {
                // In, through and out again, and past.
                let along = 2.0 - 0.02 * step as f32;
                let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2) * (0.02 * step as f32));
                let (pose_a, pose_b) =
                    (Pose::from_translation(Vec3::Y), Pose::new(turn, Vec3::new(along, 1.2, 0.1)));
                let cached = distance_cached(a, &pose_a, b, &pose_b, &mut cache, &mut memory);
                let cold = distance(a, &pose_a, b, &pose_b);
                assert!((cached.distance - cold.distance).abs() < 1e-6, "{cached:?} {cold:?}");
                assert!((cached.normal - cold.normal).length() < 1e-3, "{cached:?} {cold:?}");
                let between = (cached.point_b - cached.point_a).length();
                assert!((between - cached.distance).abs() < 1e-6, "{cached:?}");
                n_apart += usize::from(0.0 < cold.distance);
                n_together += usize::from(cold.distance == 0.0);
            }
        }
    }
    assert!(1000 < n_apart && 500 < n_together, "{n_apart} {n_together}");
}

/// One that was stored goes on as the one that was kept; one without GJK's part is refused.
#[cfg(feature = "serde")]
#[test]
fn a_stored_cache_is_read_or_refused() {
    let mut dice = Dice::new(13);
    let points: Vec<Vec3> = (0..30).map(|_| dice.point(0.5)).collect();
    let hull = Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()));
    let pose_at = |step: i32| {
        let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2) * (0.01 * step as f32));
        Pose::new(turn, Vec3::new(1.3, 0.2, 0.1))
    };
    let mut memory = Workspace::default();
    let mut query = |step, cache: &mut _| {
        distance_cached(&hull, &Pose::IDENTITY, &hull, &pose_at(step), cache, &mut memory)
    };
    let mut cache = ManifoldCache::new();
    assert!(0.0 < query(0, &mut cache).distance);
    let stored = serde_json::to_value(cache).unwrap();
    let mut again: ManifoldCache = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(again, cache);
    assert_ne!(again, ManifoldCache::new());
    for step in 1..20 {
        assert_eq!(query(step, &mut cache), query(step, &mut again));
    }
    let mut part = stored;
    part.as_object_mut().unwrap().remove("gjk").unwrap();
    assert!(serde_json::from_value::<ManifoldCache>(part).unwrap_err().to_string().contains("gjk"));
}
