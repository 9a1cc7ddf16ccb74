//! The oracle of sweeps against an independent computation.

use carom_testkit::oracle::brush::{Body, BrushTruth, brush_distance, generated_level};
use carom_testkit::random::Random;
use glam::{DVec2, DVec3};

fn prism(radius: f64, height: f64, n: u32) -> Body {
    let rim = |i: u32| DVec2::from_angle(core::f64::consts::TAU * f64::from(i) / f64::from(n)) * radius;
    Body::Hull((0..2 * n).map(|i| rim(i).extend(if i < n { 0.0 } else { height })).collect())
}

#[test]
fn a_ball_touches_at_its_radius_and_a_cylinder_between_its_prisms() {
    let mut random = Random::new(41);
    for brush in generated_level(10, 60) {
        let brush = [brush];
        let radius = 0.7;
        let n = 32;
        let ball = BrushTruth::new(&brush, Body::Ball(radius));
        let upright = BrushTruth::new(&brush, Body::Upright { radius, height: 1.1 });
        let inner = BrushTruth::new(&brush, prism(radius, 1.1, n));
        let around = radius / (core::f64::consts::PI / f64::from(n)).cos();
        let outer = BrushTruth::new(&brush, prism(around, 1.1, n));
        let (mut n_hits, mut n_clear) = (0, 0);
        let center = brush[0].corners().sum::<DVec3>() / brush[0].corners().count() as f64;
        for _ in 0..60 {
            let from = center + random.cube_point() * 6.0;
            let offset = center + random.cube_point() * 4.0 - from;
            let gap = |t: f64| brush_distance(&brush[0], from + offset * t) - radius;
            match ball.entry(0.0, from, offset) {
                Some(0.0) => assert!(gap(0.0) <= 1e-9),
                Some(t) => {
                    n_hits += 1;
                    assert!(gap(t).abs() < 1e-9, "{}", gap(t));
                    // The distance is convex along the path, so it was greater at all earlier
                    // times.
                    assert!(gap(t * (1.0 - 1e-4)) > 0.0);
                }
                None => {
                    n_clear += 1;
                    assert!((0..=200).all(|i| gap(f64::from(i) / 200.0) > 0.0));
                }
            }
            let [earliest, exact, latest] = [&outer, &upright, &inner]
                .map(|truth| truth.entry(0.0, from, offset).unwrap_or(f64::INFINITY));
            assert!(earliest <= exact + 1e-9 && exact <= latest + 1e-9, "{earliest} {exact} {latest}");
        }
        assert!(n_hits > 3 && n_clear > 3, "{n_hits}, {n_clear}");
    }
}
