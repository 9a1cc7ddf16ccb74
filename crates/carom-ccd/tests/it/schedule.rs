//! Lower bounds of the time until bodies can touch.

use carom_ccd::{approach_speed, contact_time_bound};
use carom_testkit::oracle::rational::{exact, sign};
use carom_testkit::random::Random;
use glam::DVec3;

#[test]
fn a_stone_falls_twenty_metres_in_two_seconds() {
    let found = contact_time_bound(20.0, 0.0, 10.0);
    assert!(found <= 2.0 && 2.0 - 1e-14 < found);
    assert!((contact_time_bound(6.0, 3.0, 0.0) - 2.0).abs() < 1e-14);
    // Thrown upwards at 10, from the ground plus nothing: up and down again.
    assert!((contact_time_bound(15.0, -10.0, 10.0) - 3.0).abs() < 1e-14);
}

#[test]
fn what_never_meets_and_what_is_no_number() {
    assert_eq!(contact_time_bound(1.0, 0.0, 0.0), f64::INFINITY);
    assert_eq!(contact_time_bound(1.0, -1.0, -5.0), f64::INFINITY);
    assert_eq!(contact_time_bound(0.0, -1.0, 0.0), 0.0);
    assert_eq!(contact_time_bound(-1.0, 1.0, 1.0), 0.0);
    for bad in [[f64::NAN, 1.0, 1.0], [1.0, f64::NAN, 1.0], [1.0, 1.0, f64::NAN], [1.0, f64::INFINITY, 0.0]] {
        assert_eq!(contact_time_bound(bad[0], bad[1], bad[2]), 0.0, "{bad:?}");
    }
    assert_eq!(contact_time_bound(f64::INFINITY, 1.0, 1.0), f64::INFINITY);
}

/// At the bound the distance covered is not more than the distance, in fractions, and nearly as
/// much.
#[test]
fn bounds_are_below_and_near() {
    let mut random = Random::new(11);
    for i in 0..4000 {
        let scale = [1.0, 1e-30, 1e30, 1e-6][i % 4];
        let (d, a) = (random.unit() * scale, if i % 3 == 0 { 0.0 } else { random.unit() * scale });
        let v = random.range(if a == 0.0 { 0.0 } else { -1.0 }, 1.0) * scale * [1.0, 1e-9, 1e9][i % 5 % 3];
        let t = contact_time_bound(d, v, a);
        let covered = |t: f64| exact(v) * exact(t) + exact(0.5) * exact(a) * exact(t) * exact(t) - exact(d);
        if t == f64::INFINITY {
            assert!(a == 0.0 && v <= 0.0);
            continue;
        }
        assert!(sign(&covered(t)) <= 0, "{d:e} {v:e} {a:e}: {t:e} is late");
        assert!(
            0 <= sign(&covered(t * (1.0 + 1e-13))) || t == 0.0,
            "{d:e} {v:e} {a:e}: {t:e} is far from the truth"
        );
        let big = 2.0_f64.powi(40);
        assert_eq!(contact_time_bound(d * big, v * big, a * big), t, "sizes do not matter");
    }
}

#[test]
fn turning_counts_against_the_distance() {
    let speed = approach_speed(DVec3::new(-2.0, 5.0, 0.0), DVec3::X, [0.5, 0.25]);
    assert_eq!(speed, 2.75);
    assert_eq!(approach_speed(DVec3::X, DVec3::X, [0.0; 2]), -1.0);
}
