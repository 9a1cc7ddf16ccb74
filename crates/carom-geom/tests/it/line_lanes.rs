//! The conservative test of one line against eight triangles.

use carom_geom::line_lanes::BlockLine;
use carom_geom::ray_mesh::line_touches;
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_testkit::random::Random;
use glam::DVec3;

#[test]
fn never_refutes_a_hit_and_rarely_keeps_a_miss() {
    let mut random = Random::new(31);
    let (mut n_hits, mut n_kept, mut n_misses) = (0usize, 0usize, 0usize);
    for round in 0..30_000 {
        // Blocks of triangles around one place, small or large, near the middle or far from it.
        let about = [DVec3::ZERO, random.cube_point(), random.cube_point() * 100.0][round % 3];
        let size = if round % 4 == 0 { 10f64.powf(random.range(-9.0, 2.0)) } else { 0.2 };
        let n = 1 + random.below(8);
        let block: Vec<[DVec3; 3]> = (0..n)
            .map(|_| {
                let middle = about + random.cube_point() * size;
                let mut t = [0; 3].map(|_| middle + random.cube_point() * size * 0.5);
                if random.below(10) == 0 {
                    // Without area.
                    t[2] = t[1];
                }
                t
            })
            .collect();
        // Lines through corners, edges and insides, others past everything; from near, from far, from very far.
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
            let lanes = TriBlock8::new(&scaled).may_touch(&BlockLine::new(origin * scale, direction));
            assert_eq!(lanes >> n, 0);
            for (lane, t) in scaled.iter().enumerate() {
                let is_kept = lanes >> lane & 1 == 1;
                if line_touches(origin * scale, direction, t).is_some() {
                    n_hits += 1;
                    assert!(is_kept, "{round}: {t:?} {origin} {direction}");
                } else if away < 1e4 {
                    n_misses += 1;
                    n_kept += usize::from(is_kept);
                }
            }
        }
    }
    println!("{n_hits} hits, {n_kept} of {n_misses} misses kept");
    assert!(10_000 < n_hits && 100_000 < n_misses);
    // Those aimed at corners and edges, those seen edge-on, and those without area.
    assert!(n_kept * 8 < n_misses, "{n_kept} of {n_misses} misses kept");
}

#[test]
fn of_what_is_no_line_nothing_is_refuted() {
    let block = TriBlock8::new(&[[DVec3::ZERO, DVec3::X, DVec3::Y]]);
    for (origin, direction) in [
        (DVec3::ONE, DVec3::ZERO),
        (DVec3::NAN, DVec3::Z),
        (DVec3::ONE, DVec3::new(f64::INFINITY, 1.0, 0.0)),
        (DVec3::splat(1e300), DVec3::Z),
        (DVec3::splat(f64::INFINITY), DVec3::X),
    ] {
        assert_eq!(block.may_touch(&BlockLine::new(origin, direction)), 1, "{origin} {direction}");
    }
    assert_eq!(block.may_touch(&BlockLine::new(DVec3::new(5.0, 5.0, 1.0), DVec3::Z)), 0);
}
