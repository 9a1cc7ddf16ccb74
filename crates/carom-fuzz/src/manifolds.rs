//! Manifolds of boxes and hulls by separating axes, held against the distance search.

use crate::bytes::Bytes;
use carom_geom::SupportMap;
use carom_geom::f64::{ConvexHull, Cuboid, Manifold};
use carom_gjk::{GjkSettings, Outcome, wide};
use carom_math::f64::Pose;
use carom_sat::f64::{box_box, hull_hull};
use glam::DVec3;

/// The separation agrees with distance and depth, and no contact is deeper or farther than it may be.
pub fn manifolds(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let kind = bytes.byte();
    let pose = Pose { rotation: bytes.rotation(), translation: bytes.point() };
    let prediction = bytes.float();
    if kind.is_multiple_of(2) {
        let (half_a, half_b) = (bytes.sizes(), bytes.sizes());
        let separation = box_box::separation(half_a, half_b, &pose.wide());
        let manifold = box_box::manifold(half_a, half_b, &pose, prediction);
        let (Ok(a), Ok(b)) = (Cuboid::new(half_a), Cuboid::new(half_b)) else { return };
        let found = separation.map(|s| (s.normal, s.distance));
        check(&a, &b, &pose, prediction, found, manifold.as_ref());
    } else {
        let points = |bytes: &mut Bytes<'_>| -> Vec<DVec3> {
            (0..4 + bytes.below(10))
                .map(|_| match bytes.byte() {
                    b @ 128.. => DVec3::new(f64::from(b % 3), f64::from(b / 4 % 3), f64::from(b / 16 % 3)),
                    _ => bytes.point(),
                })
                .collect()
        };
        let (a, b) = (points(&mut bytes), points(&mut bytes));
        let (Ok(a), Ok(b)) = (ConvexHull::from_points(&a), ConvexHull::from_points(&b)) else { return };
        let separation = hull_hull::separation(&a, &b, &pose.wide());
        let mut cache = hull_hull::HullCache::default();
        let manifold = hull_hull::manifold(&a, &b, &pose, prediction, Some(&mut cache));
        let again = hull_hull::manifold(&a, &b, &pose, prediction, Some(&mut cache));
        assert_eq!(manifold.is_some(), again.is_some(), "{pose:?} {a:?} {b:?}");
        let found = separation.map(|s| (s.normal, s.distance));
        check(&a, &b, &pose, prediction, found, manifold.as_ref());
    }
}

fn check(
    a: &dyn SupportMap,
    b: &dyn SupportMap,
    pose: &Pose,
    prediction: f64,
    separation: Option<(DVec3, f64)>,
    manifold: Option<&Manifold>,
) {
    let size = a.radius() + b.radius() + pose.translation.length();
    let Some((normal, separation)) = separation else {
        let is_finite = pose.translation.is_finite() && pose.rotation.is_finite() && size.is_finite();
        assert!(!is_finite, "{pose:?}");
        assert!(manifold.is_none());
        return;
    };
    assert!(normal.is_finite() && !separation.is_nan());
    if !(1e-60 < size && size < 1e60) {
        return;
    }
    let tolerance = 1e-11 * size;
    let truth = wide::signed_distance(a, b, &pose.wide(), &GjkSettings::default(), None);
    if truth.outcome == Outcome::Undecided {
        return;
    }
    // The axes bound the distance from below, and are the depth where there is one.
    assert!(separation <= truth.upper_bound + tolerance, "{separation} {truth:?} {pose:?}");
    if truth.upper_bound < -tolerance {
        assert!(truth.lower_bound - tolerance <= separation, "{separation} {truth:?} {pose:?}");
    }
    assert!(tolerance < truth.distance || separation <= tolerance, "{separation} {truth:?} {pose:?}");
    let Some(manifold) = manifold else {
        assert!(
            !(truth.upper_bound <= prediction - tolerance),
            "none within {prediction}: {truth:?} {pose:?}"
        );
        return;
    };
    assert!(!manifold.is_empty() && (manifold.normal().length() - 1.0).abs() < 1e-9, "{manifold:?}");
    for contact in manifold.contacts() {
        assert!(contact.distance <= prediction.max(0.0) + tolerance, "{prediction} {contact:?}");
        // Of bodies far apart the features of the axis meet beyond their ends: no contact that a solver would see. Nor
        // has a body that is next to nothing beside the other features to speak of.
        let smaller = a.radius().min(b.radius());
        if 0.1 * smaller < truth.distance || smaller < 1e-6 * size {
            continue;
        }
        assert!(
            truth.lower_bound - tolerance <= contact.distance,
            "deeper than {truth:?}: {contact:?} {pose:?}"
        );
        let along = (contact.point_b - contact.point_a).dot(contact.normal);
        assert!((along - contact.distance).abs() <= 1e-6 * size, "{contact:?} {pose:?}");
    }
}
