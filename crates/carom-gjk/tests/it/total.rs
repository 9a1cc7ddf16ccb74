//! Total functions: any input gives an answer without NaN, and a limit of rounds gives bounds that
//! hold.

use crate::cloud::Cloud;
use crate::rng::Rng;
use carom_geom::SupportMap;
use carom_geom::f64::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Ellipsoid, Sphere};
use carom_gjk::wide::{distance, intersects, signed_distance};
use carom_gjk::{GjkCache, GjkSettings, Outcome};
use carom_math::WidePose;
use carom_math::f64::Pose;
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn shape(kind: usize, s: DVec3) -> Option<Box<dyn SupportMap>> {
    Some(match kind % 7 {
        0 => Box::new(Sphere::new(s.x).ok()?),
        1 => Box::new(Capsule::new(s.x, s.y).ok()?),
        2 => Box::new(Cuboid::new(s).ok()?),
        3 => Box::new(Cylinder::new(s.x, s.y).ok()?),
        4 => Box::new(Cone::new(s.x, s.y).ok()?),
        5 => Box::new(Ellipsoid::new(s).ok()?),
        _ => {
            let corners =
                [s, DVec3::new(-s.x, -s.y, s.z), DVec3::new(-s.x, s.y, -s.z), DVec3::new(s.x, -s.y, -s.z)];
            Box::new(ConvexHull::from_points(&corners).ok()?)
        }
    })
}

/// A number of any size that a shape or a pose may come with, and now and then one that none
/// should.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -4.0..4.0f64,
        2 => Just(0.0),
        2 => (-40.0..38.0f64, prop::bool::ANY).prop_map(|(e, s)| if s { 10f64.powf(e) } else { -(10f64.powf(e)) }),
        1 => (-300.0..150.0f64).prop_map(|e| 10f64.powf(e)),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::MAX)],
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_gives_nan(
        (ka, sa) in (0usize..7, vector()),
        (kb, sb) in (0usize..7, vector()),
        turn in (number(), number(), number(), number()),
        position in vector(),
    ) {
        let (Some(a), Some(b)) = (shape(ka, sa.abs()), shape(kb, sb.abs())) else { return Ok(()) };
        let pose = Pose::new(DQuat::from_xyzw(turn.0, turn.1, turn.2, turn.3), position).wide();
        let mut cache = GjkCache::new();
        for _ in 0..2 {
            let r = signed_distance(&*a, &*b, &pose, &GjkSettings::default(), Some(&mut cache));
            prop_assert!(!r.distance.is_nan() && !r.lower_bound.is_nan() && !r.upper_bound.is_nan(), "{:?}", r);
            prop_assert!(r.lower_bound <= r.upper_bound, "{:?}", r);
            if r.upper_bound.is_finite() && pose.rotation.determinant() > 0.5 {
                prop_assert!((r.normal.length() - 1.0).abs() < 1e-9, "{:?}", r);
                prop_assert!(r.point_a.is_finite() && r.point_b.is_finite(), "{:?}", r);
            } else if !r.upper_bound.is_finite() {
                prop_assert_eq!(r.outcome, Outcome::Undecided);
            }
            let d = distance(&*a, &*b, &pose, &GjkSettings::default(), Some(&mut cache));
            prop_assert!(0.0 <= d.distance && 0.0 <= d.lower_bound, "{:?}", d);
            let i = intersects(&*a, &*b, &pose, &GjkSettings::default(), Some(&mut cache));
            prop_assert!(0.0 <= i.gap && !i.axis.is_nan(), "{:?}", i);
        }
    }
}

#[test]
fn a_limit_of_rounds_gives_bounds_that_hold() {
    let mut rng = Rng(21);
    let mut n_limited = 0;
    for _ in 0..400 {
        let (n, m) = (4 + rng.below(60), 4 + rng.below(60));
        let a = Cloud::random(&mut rng, n, DVec3::ONE);
        let b = Cloud::random(&mut rng, m, DVec3::ONE);
        let pose = WidePose::from_quat(rng.rotation(), rng.unit() * rng.range(0.0, 2.5));
        let truth = signed_distance(&a, &b, &pose, &GjkSettings::default(), None);
        for rounds in [0, 1, 2, 3, 5, 8] {
            let settings = GjkSettings::default().with_max_iterations(rounds, rounds);
            let r = signed_distance(&a, &b, &pose, &settings, None);
            let holds = r.lower_bound <= truth.distance + 1e-14 && truth.distance <= r.upper_bound + 1e-14;
            assert!(holds, "{rounds} {r:?} {truth:?}");
            if let Outcome::Within(length) = r.outcome {
                assert!((r.distance - truth.distance).abs() <= length + 1e-14, "{rounds} {r:?} {truth:?}");
            }
            n_limited += usize::from(r.outcome != Outcome::Exact);
            // A "yes" or a "no" is a proof, unless it says that it is none.
            let i = intersects(&a, &b, &pose, &settings, None);
            if i.outcome == Outcome::Exact {
                assert_eq!(i.intersects, truth.distance <= 0.0, "{rounds} {i:?} {truth:?}");
            }
        }
    }
    assert!(n_limited > 400);
}
