//! One pair against the oracles, and the invariants that hold for every pair.

use crate::cloud::Cloud;
use carom_gjk::wide::{self, SignedDistance};
use carom_gjk::{GjkSettings, Outcome};
use carom_math::WidePose;
use carom_testkit::oracle::convex::{BruteHull, surface_distance};
use carom_testkit::oracle::depth::depth;
use carom_testkit::oracle::sat::overlap_along;
use glam::DVec3;

/// Counts of the kinds of pairs in a test, so that the test can assert that the mix was fair.
#[derive(Debug, Default)]
pub(crate) struct Mix {
    pub(crate) apart: usize,
    pub(crate) overlap: usize,
    pub(crate) touching: usize,
    pub(crate) undecided: usize,
    /// Worst errors, relative to the size of the pair.
    pub(crate) distance: f64,
    pub(crate) depth: f64,
    pub(crate) witness: f64,
    pub(crate) iterations: u32,
    pub(crate) depth_iterations: u32,
}

/// Checks one pair; `tolerance` is relative to the size of the pair.
pub(crate) fn check(
    a: &Cloud,
    b: &Cloud,
    hull_a: &BruteHull,
    hull_b: &BruteHull,
    pose: &WidePose,
    tolerance: f64,
    mix: &mut Mix,
    name: &str,
) {
    let settings = GjkSettings::default();
    let placed = hull_b.map(|p| pose.transform_point(p), |v| pose.transform_vector(v));
    let size = hull_a.points.iter().chain(&placed.points).map(|p| p.length()).fold(0.0, f64::max);
    let (oracle_depth, _) = depth(hull_a, &placed);
    let truth = if 0.0 < oracle_depth { -oracle_depth } else { surface_distance(hull_a, &placed).0 };
    let r = wide::signed_distance(a, b, pose, &settings, None);
    let context = || format!("{name}: truth {truth:e} got {r:?} size {size:e}\na {a:?}\nb {b:?}\n{pose:?}");
    let sure = 1e-14 * size;
    if sure < truth {
        mix.apart += 1;
        assert!(0.0 < r.distance, "wrong sign: {}", context());
    } else if truth < -sure {
        mix.overlap += 1;
        assert!(r.distance <= 0.0, "wrong sign: {}", context());
    } else {
        mix.touching += 1;
    }
    if r.outcome == Outcome::Undecided {
        mix.undecided += 1;
    }
    let error = (r.distance - truth).abs() / size;
    assert!(error <= tolerance, "error {error:e}: {}", context());
    if truth < 0.0 {
        mix.depth = mix.depth.max(error);
    } else {
        mix.distance = mix.distance.max(error);
    }
    mix.iterations = mix.iterations.max(r.counters.iterations);
    mix.depth_iterations = mix.depth_iterations.max(r.counters.depth_iterations);
    // The bounds hold.
    assert!(
        r.lower_bound <= truth + tolerance * size && truth <= r.upper_bound + tolerance * size,
        "{}",
        context()
    );
    // Moving along the normal separates, and the plane proves the distance.
    assert!((r.normal.length() - 1.0).abs() < 1e-12, "{}", context());
    let overlap = overlap_along(&hull_a.points, &placed.points, r.normal);
    assert!(overlap <= -r.distance + tolerance * size, "normal {overlap:e}: {}", context());
    // The points say the same.
    let along = (r.point_b - r.point_a).dot(r.normal);
    let witness =
        (along - r.distance).abs().max((r.point_b - r.point_a - r.normal * r.distance).length()) / size;
    mix.witness = mix.witness.max(witness);
    assert!(witness <= 10.0 * tolerance, "witness {witness:e}: {}", context());
    invariants(a, b, pose, &r, size, tolerance, &context);
}

/// Queries that agree with each other, sides exchanged, and scale.
pub(crate) fn invariants(
    a: &Cloud,
    b: &Cloud,
    pose: &WidePose,
    r: &SignedDistance,
    size: f64,
    tolerance: f64,
    context: &dyn Fn() -> String,
) {
    let settings = GjkSettings::default();
    let d = wide::distance(a, b, pose, &settings, None);
    assert_eq!(d.distance, r.distance.max(0.0), "distance: {}", context());
    let i = wide::intersects(a, b, pose, &settings, None);
    assert_eq!(i.intersects, r.distance <= 0.0, "intersects {i:?}: {}", context());
    if !i.intersects {
        let above = |p: &DVec3| i.axis.dot(*p) - i.offset;
        let top = a.points.iter().map(above).fold(f64::NEG_INFINITY, f64::max);
        let bottom = b.placed(pose).iter().map(above).fold(f64::INFINITY, f64::min);
        assert!(
            top <= 4e-15 * size && i.gap - 4e-15 * size <= bottom,
            "plane {top:e} {bottom:e} {i:?}: {}",
            context()
        );
    }
    let swapped = wide::signed_distance(b, a, &pose.inverse(), &settings, None);
    assert!(
        (swapped.distance - r.distance).abs() <= 4.0 * tolerance * size,
        "swapped {swapped:?}: {}",
        context()
    );
    for exponent in [-40, 20] {
        let s = 2f64.powi(exponent);
        let far = WidePose { rotation: pose.rotation, translation: pose.translation * s };
        let scaled = wide::signed_distance(&a.scaled(s), &b.scaled(s), &far, &settings, None);
        assert_eq!(scaled.distance, r.distance * s, "scaled: {}", context());
        assert_eq!(scaled.normal, r.normal, "scaled: {}", context());
        assert_eq!(scaled.point_a, r.point_a * s, "scaled: {}", context());
    }
}

impl Cloud {
    pub(crate) fn radius_(&self) -> f64 {
        carom_geom::SupportMap::radius(self)
    }
}
