//! Eight triangles and a body that moves, against looking often: no touch is refuted, none is
//! before it is said to be possible.

use carom_geom::line_lanes::LineBlock8;
use carom_geom::sweep_lanes::BlockSweep;
use carom_geom::tri_distance::point_triangle;
use carom_testkit::random::Random;
use glam::DVec3;

#[test]
fn never_refutes_a_touch_and_seldom_keeps_a_miss() {
    let mut random = Random::new(41);
    let (mut n_touched, mut n_kept, mut n_kept_for_nothing, mut n_refuted, mut n_late) = (0, 0, 0, 0, 0);
    for case in 0..4000 {
        let size = [1.0, 0.1, 0.01, 10.0][case % 4];
        let far = [0.0, 0.0, 100.0, 1e5][case / 4 % 4];
        let position = random.cube_point() * far;
        let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 1e-7, 1e-7)][case / 16 % 3];
        let n = 1 + random.below(8);
        let is_single = random.below(2) == 0;
        let triangles: Vec<[DVec3; 3]> = (0..n)
            .map(|_| {
                let middle = position + random.cube_point() * 0.3;
                [0, 1, 2].map(|_| {
                    let p = middle + random.cube_point() * flat * size;
                    if is_single { p.as_vec3().as_dvec3() } else { p }
                })
            })
            .collect();
        let numbers: Vec<u32> = (0..n as u32).collect();
        let block = LineBlock8::new(&triangles, &numbers, 1.0);
        let radius = [0.0, 0.05, 0.5][random.below(3)];
        let center = position + random.cube_point() * 2.0;
        let offset = (position + random.cube_point() * 0.3 - center) * random.range(0.5, 2.0);
        // A ball, or a box in a ball.
        let is_box = random.below(2) == 0;
        let half = if is_box { DVec3::splat(radius / 3.0_f64.sqrt()) } else { DVec3::splat(radius) };
        let sweep = BlockSweep::new(center, half, radius, offset).unwrap();
        let until = random.range(0.3, 1.0);
        let swept = block.swept(&sweep, until);
        assert_eq!(swept.may >> n, 0);
        for (lane, corners) in triangles.iter().enumerate() {
            let touches = |t: f64| {
                let at = center + offset * t;
                let distance = point_triangle(at, corners).distance;
                if !is_box {
                    return distance <= radius;
                }
                // A ball inside the box: what it touches the box does.
                distance <= half.x
            };
            let first = (0..=200).map(|i| until * f64::from(i) / 200.0).find(|&t| touches(t));
            let may = swept.may & 1 << lane != 0;
            if let Some(t) = first {
                n_touched += 1;
                assert!(may, "case {case}, lane {lane}: touched at {t}");
                assert!(
                    swept.enters[lane] <= t,
                    "case {case}, lane {lane}: {} after {t}",
                    swept.enters[lane]
                );
                n_late += u32::from(t - swept.enters[lane] < 0.1);
            } else if may {
                n_kept_for_nothing += 1;
            } else {
                n_refuted += 1;
            }
            n_kept += u32::from(may);
        }
    }
    assert!(2000 < n_touched && 4000 < n_refuted, "{n_touched} {n_refuted}");
    assert!(2 * n_kept_for_nothing < n_kept, "{n_kept_for_nothing} of {n_kept}");
    assert!(n_touched < 2 * n_late, "{n_late} of {n_touched}");
}

#[test]
fn what_does_not_move_has_no_sweep() {
    assert!(BlockSweep::new(DVec3::ZERO, DVec3::ONE, 1.0, DVec3::ZERO).is_none());
    assert!(BlockSweep::new(DVec3::NAN, DVec3::ONE, 1.0, DVec3::X).is_none());
    assert!(BlockSweep::new(DVec3::ZERO, DVec3::ONE, 1.0, DVec3::splat(f64::INFINITY)).is_none());
}
