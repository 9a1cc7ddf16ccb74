//! The conservative test of one line against eight triangles.

use carom_geom::line_lanes::{BlockLine, LineBlock8};
use carom_geom::ray_mesh::{line_crosses, line_touches, sure_hit};
use carom_testkit::random::Random;
use glam::DVec3;

#[test]
fn never_refutes_a_hit_and_rarely_keeps_a_miss() {
    let mut random = Random::new(31);
    let (mut n_hits, mut n_sure, mut n_kept, mut n_misses) = (0usize, 0usize, 0usize, 0usize);
    for round in 0..30_000 {
        // Blocks of triangles around one place, small or large, near the middle or far from it.
        let about = [DVec3::ZERO, random.cube_point(), random.cube_point() * 100.0][round % 3];
        let size = if round % 4 == 0 { 10f64.powf(random.range(-9.0, 2.0)) } else { 0.2 };
        let is_single = round / 4 % 2 == 0;
        let n = 1 + random.below(8);
        let block: Vec<[DVec3; 3]> = (0..n)
            .map(|_| {
                let middle = about + random.cube_point() * size;
                let mut t = [0; 3].map(|_| middle + random.cube_point() * size * 0.5);
                if random.below(10) == 0 {
                    // Without area.
                    t[2] = t[1];
                }
                // One of two blocks has corners that are no `f32`.
                if is_single { t.map(|p| p.as_vec3().as_dvec3()) } else { t }
            })
            .collect();
        // Lines through corners, edges and insides, others past everything; from near, from far,
        // from very far.
        let target = block[random.below(n)];
        let (u, v) = (random.unit(), random.unit());
        let aim = match round % 5 {
            0 => target[random.below(3)],
            1 => target[0] + (target[1] - target[0]) * u,
            2 => target[0] + (target[1] - target[0]) * (u * (1.0 - v)) + (target[2] - target[0]) * (u * v),
            _ => about + random.cube_point() * size * 1.5,
        };
        let away = [1.0, 3.0, 1e3, 1e9, 0.0][random.below(5)];
        let mut direction = random.cube_point() * [1.0, 1e-30, 1e30][random.below(3)];
        if random.below(4) == 0 {
            direction[random.below(3)] = 0.0;
        }
        let origin = aim - random.cube_point().lerp(direction.normalize_or_zero(), 0.999_999) * away;
        let origin = if round % 2 == 0 { aim - direction.normalize_or_zero() * away } else { origin };
        for scale in [1.0, 2f64.powi(100), 2f64.powi(-100)] {
            let scaled: Vec<_> = block.iter().map(|t| t.map(|p| p * scale)).collect();
            let origin = origin * scale;
            let numbers: Vec<u32> = (0..n as u32).map(|i| i * 3 + round as u32).collect();
            let block = LineBlock8::new(&scaled, &numbers, 1.0 / scale);
            for (lane, t) in scaled.iter().enumerate() {
                assert_eq!(block.number(lane), numbers[lane]);
                assert_eq!(block.corners(lane, scale), is_single.then_some(*t));
            }
            let lanes = block.touched(&BlockLine::new(origin / scale, direction));
            assert_eq!(lanes.may >> n, 0);
            assert_eq!((lanes.from_front | lanes.from_back) & !lanes.may, 0);
            assert_eq!(lanes.from_front & lanes.from_back, 0);
            for (lane, t) in scaled.iter().enumerate() {
                let is_kept = lanes.may >> lane & 1 == 1;
                let touch = line_touches(origin, direction, t);
                for (lanes, is_back_face) in [(lanes.from_front, false), (lanes.from_back, true)] {
                    if lanes >> lane & 1 == 1 {
                        n_sure += 1;
                        let sure = sure_hit(origin, direction, t, is_back_face);
                        assert_eq!(Some(sure), touch, "{round}: {t:?} {origin} {direction}");
                        assert_eq!(touch, line_crosses(origin, direction, t));
                    }
                }
                if touch.is_some() {
                    n_hits += 1;
                    assert!(is_kept, "{round}: {t:?} {origin} {direction}");
                } else if away < 1e4 && is_single && has_area(t) {
                    n_misses += 1;
                    n_kept += usize::from(is_kept);
                }
            }
        }
    }
    println!("{n_hits} hits, {n_sure} for certain, {n_kept} of {n_misses} misses kept");
    assert!(10_000 < n_hits && 50_000 < n_misses);
    // A third of the lines are aimed at corners or edges.
    assert!(n_hits < n_sure * 3, "{n_sure} of {n_hits} hits for certain");
    // Those aimed at corners and edges, and those seen edge-on.
    assert!(n_kept * 8 < n_misses, "{n_kept} of {n_misses} misses kept");
}

#[test]
fn of_what_is_no_line_nothing_is_refuted() {
    let block = LineBlock8::new(&[[DVec3::ZERO, DVec3::X, DVec3::Y]], &[3], 1.0);
    for (origin, direction) in [
        (DVec3::ONE, DVec3::ZERO),
        (DVec3::NAN, DVec3::Z),
        (DVec3::ONE, DVec3::new(f64::INFINITY, 1.0, 0.0)),
        (DVec3::splat(1e300), DVec3::Z),
        (DVec3::splat(f64::INFINITY), DVec3::X),
    ] {
        let lanes = block.touched(&BlockLine::new(origin, direction));
        assert_eq!((lanes.may, lanes.from_front, lanes.from_back), (1, 0, 0), "{origin} {direction}");
    }
    assert_eq!(block.touched(&BlockLine::new(DVec3::new(5.0, 5.0, 1.0), DVec3::Z)).may, 0);
}

fn has_area(t: &[DVec3; 3]) -> bool {
    (t[1] - t[0]).cross(t[2] - t[0]) != DVec3::ZERO
}
