//! Moving boxes, judged in fractions.

use carom_ccd::{MovingAabb, TimeOfImpact};
use carom_testkit::oracle::rational::exact;
use carom_testkit::random::Random;
use glam::DVec3;
use num_rational::BigRational;
use num_traits::Zero;

#[test]
fn boxes_half_apart_at_a_speed_of_three_meet_after_a_sixth() {
    let still = MovingAabb::new(DVec3::ZERO, DVec3::ONE, DVec3::ZERO).unwrap();
    let moving =
        MovingAabb::new(DVec3::new(-1.5, 0.0, 0.0), DVec3::new(-0.5, 1.0, 1.0), DVec3::X * 3.0).unwrap();
    let found = moving.time_of_impact(&still, 1.0);
    let hit = found.hit().unwrap();
    assert!((hit.t_lo - 0.16667).abs() < 1e-5 && hit.t_lo <= 1.0 / 6.0 && 1.0 / 6.0 <= hit.t_hi);
    assert!(hit.t_hi - hit.t_lo < 1e-15 && hit.normal == DVec3::X);
    // Sides that slide along each other touch; a step later they would have passed.
    let beside =
        MovingAabb::new(DVec3::new(-3.0, 1.0, 0.0), DVec3::new(-2.0, 2.0, 1.0), DVec3::X * 2.0).unwrap();
    assert_eq!(beside.time_of_impact(&still, 2.0).hit().map(|hit| (hit.t_lo, hit.t_hi).0 <= 1.0), Some(true));
    assert!(MovingAabb::new(DVec3::ONE, DVec3::ZERO, DVec3::ZERO).is_err());
    assert!(MovingAabb::new(DVec3::NAN, DVec3::ZERO, DVec3::ZERO).is_err());
    assert!(MovingAabb::around(&[], &[]).is_err());
}

/// The exact interval of time, from 0 to `end`, in which the boxes overlap.
fn overlap(a: &MovingAabb, b: &MovingAabb, velocities: [DVec3; 2], end: f64) -> Option<[BigRational; 2]> {
    let (mut first, mut last) = (BigRational::zero(), exact(end));
    let ([a_min, a_max], [b_min, b_max]) = (a.at(0.0), b.at(0.0));
    for k in 0..3 {
        let rate = exact(velocities[1][k]) - exact(velocities[0][k]);
        for (gap, rate) in [
            (exact(b_min[k]) - exact(a_max[k]), rate.clone()),
            (exact(a_min[k]) - exact(b_max[k]), -rate.clone()),
        ] {
            // gap + rate t <= 0.
            if rate.is_zero() {
                if BigRational::zero() < gap {
                    return None;
                }
            } else if rate < BigRational::zero() {
                first = first.max(-gap / rate);
            } else {
                last = last.min(-gap / rate);
            }
        }
    }
    (first <= last).then_some([first, last])
}

#[test]
fn brackets_of_boxes_are_right_in_fractions() {
    let mut random = Random::new(3);
    let mut n = [0; 3];
    for i in 0..6_000 {
        let is_grid = i % 2 == 0;
        let scale = [1.0, 1e-100, 1e-6, 1e6, 1e40][i % 5];
        let point =
            |random: &mut Random| if is_grid { random.grid_point(6) } else { random.cube_point() * 3.0 };
        let mut make = || {
            let (p, q) = (point(&mut random) * scale, point(&mut random) * scale);
            let velocity = if is_grid {
                (random.grid_point(4) - DVec3::splat(2.0)) * 3.0
            } else {
                random.cube_point() * 9.0
            } * scale;
            (MovingAabb::new(p.min(q), p.max(q), velocity).unwrap(), velocity)
        };
        let ((a, v), (b, w)) = (make(), make());
        let (found, truth) = (a.time_of_impact(&b, 1.0), overlap(&a, &b, [v, w], 1.0));
        let may = a.may_meet(&b, 1.0);
        assert!(truth.is_none() || may.is_some(), "{a:?} {b:?}");
        match (found, truth) {
            (TimeOfImpact::Hit(hit), Some([first, last])) => {
                n[0] += 1;
                assert!(exact(hit.t_lo) <= first && first <= exact(hit.t_hi) && exact(hit.t_hi) <= last);
                assert!(hit.t_hi - hit.t_lo <= 1e-15);
                let [from, to] = may.unwrap();
                assert!(exact(from) <= first && last <= exact(to));
            }
            (TimeOfImpact::Clear(clear), None) => {
                n[1] += 1;
                for k in 0..=16 {
                    let t = f64::from(k) / 16.0;
                    let ([a_min, a_max], [b_min, b_max]) = (a.at(t), b.at(t));
                    let apart = (b_min - a_max).max(a_min - b_max).max(DVec3::ZERO).length();
                    assert!(clear.distance <= apart + 1e-14 * scale, "{a:?} {b:?} {clear:?} at {t}: {apart}");
                }
            }
            (TimeOfImpact::Undecided(undecided), truth) => {
                n[2] += 1;
                assert!(undecided.distance <= 1e-14 * scale, "{undecided:?} {truth:?}");
                assert!(truth.is_none_or(|[first, _]| exact(undecided.t_safe) <= first));
            }
            (found, truth) => panic!("{a:?} {b:?}: {found:?}, in truth {truth:?}"),
        }
    }
    println!("boxes: {} hits, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(1200 < n[0] && 1200 < n[1] && n[2] < 200, "{n:?}");
}

#[test]
fn swept_volumes_in_space_and_time_contain_their_points() {
    let mut random = Random::new(4);
    let (mut n_apart, mut n_near) = (0, 0);
    for i in 0..3000 {
        let mut cloud =
            |center: DVec3| -> Vec<DVec3> { (0..4).map(|_| center + random.cube_point()).collect() };
        let clouds = [
            cloud(DVec3::ZERO),
            cloud(DVec3::X * 6.0),
            cloud(DVec3::X * 3.0),
            cloud(DVec3::Y * if i % 2 == 0 { 3.0 } else { 0.5 }),
        ];
        let a = MovingAabb::around(&clouds[0], &clouds[1]).unwrap();
        let b = MovingAabb::around(&clouds[2], &clouds[3]).unwrap();
        let window = a.may_meet(&b, 1.0);
        n_apart += usize::from(window.is_none());
        for k in 0..=64 {
            let t = f64::from(k) / 64.0;
            let bounds_at = |start: &[DVec3], end: &[DVec3]| -> (DVec3, DVec3) {
                start
                    .iter()
                    .zip(end)
                    .map(|(p, q)| *p + (*q - *p) * t)
                    .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)))
            };
            let (p, q) = (bounds_at(&clouds[0], &clouds[1]), bounds_at(&clouds[2], &clouds[3]));
            if p.0.cmple(q.1).all() && q.0.cmple(p.1).all() {
                n_near += 1;
                assert!(window.is_some_and(|[from, to]| from <= t && t <= to), "{i}");
            }
        }
    }
    assert!(100 < n_apart && 1000 < n_near, "{n_apart} {n_near}");
}

/// The velocities rounded to the same number, and points that meet at the end never met.
#[test]
fn r_points_whose_velocities_round_may_meet() {
    let around = |start: f64, end: f64| MovingAabb::around(&[DVec3::X * start], &[DVec3::X * end]).unwrap();
    for [p, q, end] in [[0.3, 0.9, 1e16], [0.3, 0.9, -1e16], [0.1, 0.7, 0.3], [-0.1, 1e-17, 0.2]] {
        let (a, b) = (around(p, end), around(q, end));
        let meets = a.may_meet(&b, 1.0);
        assert!(meets.is_some_and(|[_, last]| 1.0 <= last), "{p} {q} {end}: {meets:?}");
        let found = a.time_of_impact(&b, 1.0);
        assert!(!matches!(found, TimeOfImpact::Clear(_)), "{p} {q} {end}: {found:?}");
        assert!(found.safe_until(1.0) <= 1.0, "{p} {q} {end}: {found:?}");
    }
    // Without rounding, as before.
    assert_eq!(around(0.25, 1.0).may_meet(&around(0.75, 1.5), 1.0), None);
    let met = around(0.25, 1.0).time_of_impact(&around(0.75, 1.25), 1.0);
    let TimeOfImpact::Clear(clear) = met else { panic!("{met:?}") };
    assert!(0.25 - 1e-15 < clear.distance && clear.distance <= 0.25, "{clear:?}");
    let pair = |p: f64, q: f64| [DVec3::X * p, DVec3::X * q];
    let fast = MovingAabb::around(&pair(0.0, 0.25), &pair(0.75, 1.0)).unwrap();
    let slow = MovingAabb::around(&pair(0.75, 1.0), &pair(0.875, 1.125)).unwrap();
    let met = fast.time_of_impact(&slow, 1.0);
    assert!(met.hit().is_some_and(|hit| hit.t_lo <= 0.8 && hit.t_hi - hit.t_lo < 1e-15), "{met:?}");
}
