//! Manifolds of boxes and hulls by separating axes, and of all convex shapes by their features,
//! compared with the distance search.

use crate::bytes::Bytes;
use crate::convex::shape;
use carom_geom::f64::{ConvexHull, Cuboid};
use carom_geom::{Manifold as ManifoldF32, SupportMap, f64::Manifold};
use carom_gjk::wide::{SignedDistance, signed_distance};
use carom_gjk::{GjkSettings, Outcome};
use carom_math::f64::Pose;
use carom_sat::f64::{Witness, box_box, hull_hull, manifold_from_normal};
use glam::DVec3;

/// The allowed error of answers in `f64` and in `f32`, relative to the size of the scene.
const ROUNDING: [f64; 2] = [1e-11, 4e-6];

/// A normal, and points on both bodies with their distances, in `f64` for either precision.
struct ManifoldPoints {
    normal: DVec3,
    contacts: Vec<(DVec3, DVec3, f64)>,
}

impl From<&Manifold> for ManifoldPoints {
    fn from(m: &Manifold) -> ManifoldPoints {
        let contacts = m.contacts().iter().map(|c| (c.point_a, c.point_b, c.distance));
        ManifoldPoints { normal: m.normal(), contacts: contacts.collect() }
    }
}

impl From<&ManifoldF32> for ManifoldPoints {
    fn from(m: &ManifoldF32) -> ManifoldPoints {
        let contacts = m.contacts().iter();
        let contacts = contacts.map(|c| (c.point_a.as_dvec3(), c.point_b.as_dvec3(), f64::from(c.distance)));
        ManifoldPoints { normal: m.normal().as_dvec3(), contacts: contacts.collect() }
    }
}

/// The separation agrees with distance and depth, and no contact is deeper or farther than
/// allowed.
pub fn manifolds(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let kind = bytes.byte();
    let pose = Pose { rotation: bytes.rotation(), translation: bytes.point() };
    let prediction = bytes.float();
    match kind % 3 {
        0 => boxes(&mut bytes, &pose, prediction),
        1 => hulls(&mut bytes, &pose, prediction),
        _ => {
            let (Some(a), Some(b)) = (shape(&mut bytes), shape(&mut bytes)) else { return };
            by_features(&*a, &*b, &pose, prediction);
        }
    }
}

fn boxes(bytes: &mut Bytes<'_>, pose: &Pose, prediction: f64) {
    let (half_a, half_b) = (bytes.sizes(), bytes.sizes());
    let separation = box_box::separation(half_a, half_b, &pose.wide());
    let manifold = box_box::manifold(half_a, half_b, pose, prediction);
    if let (Ok(a), Ok(b)) = (Cuboid::new(half_a), Cuboid::new(half_b)) {
        let found = separation.map(|s| (s.normal, s.distance));
        check(&a, &b, pose, prediction, found, manifold.as_ref().map(ManifoldPoints::from));
    }
    // The same, rounded.
    let (half_a, half_b, rounded) = (half_a.as_vec3(), half_b.as_vec3(), round(pose));
    if let (Ok(a), Ok(b)) = (carom_geom::Cuboid::new(half_a), carom_geom::Cuboid::new(half_b)) {
        let manifold = carom_sat::box_box::manifold(half_a, half_b, &rounded, prediction as f32);
        check_rounded(&a, &b, &rounded, prediction as f32, manifold.as_ref());
    }
}

fn hulls(bytes: &mut Bytes<'_>, pose: &Pose, prediction: f64) {
    let points = |bytes: &mut Bytes<'_>| -> Vec<DVec3> {
        (0..4 + bytes.below(10))
            .map(|_| match bytes.byte() {
                b @ 128.. => DVec3::new(f64::from(b % 3), f64::from(b / 4 % 3), f64::from(b / 16 % 3)),
                _ => bytes.point(),
            })
            .collect()
    };
    let (points_a, points_b) = (points(bytes), points(bytes));
    if let (Ok(a), Ok(b)) = (ConvexHull::from_points(&points_a), ConvexHull::from_points(&points_b)) {
        let separation = hull_hull::separation(&a, &b, &pose.wide());
        let mut cache = hull_hull::HullCache::default();
        let manifold = hull_hull::manifold(&a, &b, pose, prediction, Some(&mut cache));
        let again = hull_hull::manifold(&a, &b, pose, prediction, Some(&mut cache));
        assert_eq!(manifold.is_some(), again.is_some(), "{pose:?} {a:?} {b:?}");
        let found = separation.map(|s| (s.normal, s.distance));
        check(&a, &b, pose, prediction, found, manifold.as_ref().map(ManifoldPoints::from));
    }
    // The same, rounded.
    let hull = |points: &[DVec3]| {
        carom_geom::ConvexHull::from_points(&points.iter().map(|p| p.as_vec3()).collect::<Vec<_>>())
    };
    if let (Ok(a), Ok(b)) = (hull(&points_a), hull(&points_b)) {
        let rounded = round(pose);
        let manifold = carom_sat::hull_hull::manifold(&a, &b, &rounded, prediction as f32, None);
        check_rounded(&a, &b, &rounded, prediction as f32, manifold.as_ref());
    }
}

fn by_features(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose, prediction: f64) {
    let Some(truth) = query_distance(a, b, pose) else { return };
    let witness = Witness {
        normal: truth.normal,
        distance: truth.distance,
        point_a: truth.point_a,
        point_b: truth.point_b,
    };
    let manifold = manifold_from_normal(a, b, &pose.wide(), &witness, prediction);
    if manifold.is_empty() {
        assert!(!(truth.distance <= prediction), "none within {prediction}: {truth:?} {pose:?}");
        return;
    }
    check_contacts(a, b, pose, prediction, &truth, &ManifoldPoints::from(&manifold), ROUNDING[0]);
}

fn round(pose: &Pose) -> carom_math::Pose {
    carom_math::Pose::new(pose.rotation.as_quat(), pose.translation.as_vec3())
}

/// Returns the size of the scene.
fn size(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose) -> f64 {
    let extent = |s: &dyn SupportMap| s.center().length() + s.radius() + s.margin();
    extent(a) + extent(b) + pose.translation.length()
}

/// Returns the answer of the distance search, if it has converged and the size of the scene can be
/// compared.
fn query_distance(a: &dyn SupportMap, b: &dyn SupportMap, pose: &Pose) -> Option<SignedDistance> {
    let size = size(a, b, pose);
    if !(1e-60 < size && size < 1e60) {
        return None;
    }
    let truth = signed_distance(a, b, &pose.wide(), &GjkSettings::default(), None);
    (truth.outcome != Outcome::Undecided).then_some(truth)
}

fn check(
    a: &dyn SupportMap,
    b: &dyn SupportMap,
    pose: &Pose,
    prediction: f64,
    separation: Option<(DVec3, f64)>,
    manifold: Option<ManifoldPoints>,
) {
    let size = size(a, b, pose);
    let Some((normal, separation)) = separation else {
        let is_finite = pose.translation.is_finite() && pose.rotation.is_finite() && size.is_finite();
        assert!(!is_finite, "{pose:?}");
        assert!(manifold.is_none());
        return;
    };
    assert!(normal.is_finite() && !separation.is_nan());
    let Some(truth) = query_distance(a, b, pose) else { return };
    let tolerance = ROUNDING[0] * size;
    // The axes bound the distance from below. If the bodies overlap, they give the depth.
    assert!(separation <= truth.upper_bound + tolerance, "{separation} {truth:?} {pose:?}");
    if truth.upper_bound < -tolerance {
        assert!(truth.lower_bound - tolerance <= separation, "{separation} {truth:?} {pose:?}");
    }
    assert!(tolerance < truth.distance || separation <= tolerance, "{separation} {truth:?} {pose:?}");
    match manifold {
        None => assert!(
            !(truth.upper_bound <= prediction - tolerance),
            "none within {prediction}: {truth:?} {pose:?}"
        ),
        Some(found) => check_contacts(a, b, pose, prediction, &truth, &found, ROUNDING[0]),
    }
}

fn check_rounded(
    a: &dyn SupportMap,
    b: &dyn SupportMap,
    pose: &carom_math::Pose,
    prediction: f32,
    manifold: Option<&ManifoldF32>,
) {
    let wide = Pose { rotation: pose.rotation.as_dquat(), translation: pose.translation.as_dvec3() };
    // Other sizes are outside of the range of `f32`.
    if !(1e-30..1e30).contains(&size(a, b, &wide)) {
        return;
    }
    let Some(truth) = query_distance(a, b, &wide) else { return };
    let prediction = f64::from(prediction);
    match manifold {
        None => assert!(
            !(truth.upper_bound <= prediction - ROUNDING[1] * size(a, b, &wide)),
            "none within {prediction}: {truth:?} {pose:?}"
        ),
        Some(manifold) => {
            check_contacts(a, b, &wide, prediction, &truth, &ManifoldPoints::from(manifold), ROUNDING[1]);
        }
    }
}

/// Checks that no contact is deeper than the depth or nearer than the distance, none is farther
/// than the prediction, and one is as deep as the depth.
fn check_contacts(
    a: &dyn SupportMap,
    b: &dyn SupportMap,
    pose: &Pose,
    prediction: f64,
    truth: &SignedDistance,
    found: &ManifoldPoints,
    rounding: f64,
) {
    // For a curved shape the bounds may stay apart, and the outcome says so. Its points may have a
    // larger error.
    let points = (truth.point_b - truth.point_a).dot(truth.normal);
    let doubt = truth.upper_bound - truth.lower_bound + (points - truth.distance).abs();
    let tolerance = rounding * size(a, b, pose) + doubt;
    let context = || format!("{truth:?} {:?} {pose:?}", found.contacts);
    assert!((found.normal.length() - 1.0).abs() < 1e-6, "{} {}", found.normal, context());
    let mut deepest = f64::INFINITY;
    for &(point_a, point_b, distance) in &found.contacts {
        assert!(point_a.is_finite() && point_b.is_finite(), "{}", context());
        assert!(distance <= prediction.max(0.0) + tolerance, "{prediction} {}", context());
        assert!(truth.lower_bound - tolerance <= distance, "deeper: {distance} {}", context());
        let along = (point_b - point_a).dot(found.normal);
        assert!((along - distance).abs() <= tolerance, "{along} {distance} {}", context());
        deepest = deepest.min(distance);
    }
    let is_deep = 0.0 <= truth.upper_bound || deepest <= truth.upper_bound + tolerance;
    assert!(is_deep, "not as deep: {deepest} {}", context());
}
