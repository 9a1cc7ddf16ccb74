//! Balls of a way whose places are known to within a length, against triangles: brackets in
//! fractions, for every place that may be meant.

use crate::sphere_triangle::ugly;
use carom_ccd::{Motion, Proof, Sweep, TimeOfImpact};
use carom_geom::f64::Sphere;
use carom_testkit::oracle::moving::{Vector, moved, point_triangle_sq};
use carom_testkit::oracle::rational::{exact, exact3};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use num_traits::Signed;

#[test]
fn brackets_hold_for_all_positions_within_rounding() {
    let mut random = Random::new(71);
    let (mut n, mut n_within) = ([0; 3], 0);
    for case in 0..600 {
        let scale = [1.0, 1e-6, 1e6][case % 3];
        let offset = if case % 7 == 0 { random.cube_point() * 1e3 } else { DVec3::ZERO };
        let t = ugly(&mut random, case).map(|p| (p + offset) * scale);
        let radius = scale * [0.5, 0.05, 0.3][case % 3];
        let target = scale * [0.0, 0.02][case / 3 % 2];
        let mut velocity = random.cube_point() * (6.0 * scale);
        let aim = t[0] + ((t[1] - t[0]) * random.unit() + (t[2] - t[0]) * random.unit()) * 0.6;
        // At it, beside it by nearly the radius, or somewhere near.
        let beside = match case % 4 {
            0 => {
                let by = (radius + target) * (1.0 + [0.0, 1e-6, -1e-6, 1e-10][random.below(4)]);
                velocity.any_orthogonal_vector().normalize_or_zero() * by
            }
            1 => DVec3::ZERO,
            _ => random.cube_point() * scale,
        };
        if case % 31 == 0 {
            velocity = (t[1] - t[0]) * 2.0;
        }
        let (from, until) = ([0.0, 0.25][case / 6 % 2], 1.0);
        let start = aim + beside - velocity * random.range(0.0, 0.9);
        let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
        let motion = Motion::new(DQuat::IDENTITY, start, DVec3::ZERO, velocity, DVec3::ZERO).unwrap();
        let sweep = Sweep::new(&still, &motion, from, until);
        let Some(straight) = sweep.straight(&Sphere::new(radius).unwrap()) else { continue };
        let corners: [Vector; 3] = t.map(exact3);
        // How much farther than the radius and more, squared, when the ball is where the motion
        // says.
        let gap = |time: f64, more: f64| {
            let reach = exact(radius) + exact(more);
            point_triangle_sq(&moved(start, velocity, time), &corners) - &reach * &reach
        };
        match straight.ball_meets(radius, target, &t, [from, until]) {
            Some(TimeOfImpact::Hit(hit)) => {
                n[0] += 1;
                assert!(from <= hit.t_lo && hit.t_lo <= hit.t_hi && hit.t_hi <= until, "{case}: {hit:?}");
                // Proved with room for what places are off by.
                assert!(!gap(hit.t_hi, target - straight.rounding).is_positive(), "{case}: {hit:?}");
                assert!(gap(hit.t_lo, target + straight.rounding).is_positive(), "{case}: {hit:?}");
                if let Proof::Within(distance) = hit.proof {
                    n_within += 1;
                    assert!(distance <= target && !gap(hit.t_hi, distance).is_positive(), "{case}: {hit:?}");
                }
                assert!((hit.normal.length() - 1.0).abs() < 1e-14);
                let along = (hit.point_b - hit.point_a).dot(hit.normal);
                assert!(along <= target + 1e-9 * scale * (1.0 + offset.length()), "{case}: {along} {hit:?}");
            }
            Some(TimeOfImpact::Clear(clear)) => {
                n[1] += 1;
                assert!(target <= clear.distance);
                for k in 0..=12 {
                    let time = from + (until - from) * f64::from(k) / 12.0;
                    assert!(!gap(time, clear.distance).is_negative(), "{case}: {clear:?} at {time}");
                }
            }
            Some(TimeOfImpact::Undecided(undecided)) => panic!("{case}: {undecided:?}"),
            None => n[2] += 1,
        }
    }
    println!("balls on their ways: {} hits, {} within, {} clear, {} left", n[0], n_within, n[1], n[2]);
    assert!(120 < n[0] && 40 < n_within && 40 < n[1] && n[2] < 280, "{n:?} {n_within}");
}
