//! Bilateral advancement as engines have it, beside the certified search: how many searches for
//! nearest points either takes, and what it misses.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference 2013: an axis of the
//! nearest features at the safe time, turning with the body whose face it is; the end of the time
//! is pulled back to the root of the pair of corners deepest there, until nothing is deeper; then
//! the safe time moves up to it.

use crate::cast::{Body, cast, proposer};
use crate::sweeps::random_box;
use carom_ccd::{ImpactSettings, TimeOfImpact};
use carom_math::WidePose;
use carom_testkit::oracle::impact::{first_contact, gap};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};

/// Bodies are in contact this near; the slop of the engines.
const TARGET: f64 = 0.005;
/// A quarter of it, as there.
const TOLERANCE: f64 = 0.00125;
const MAX_ROUNDS: u32 = 20;
const MAX_PULLS: usize = 8;

#[derive(Debug, PartialEq)]
enum Verdict {
    Hit,
    Separated,
    Failed,
}

/// An axis from A to B in the frame of whose face it is.
enum Axis {
    Fixed(DVec3),
    OfA(DVec3),
    OfB(DVec3),
}

fn bilateral(a: &Body, b: &Body) -> (Verdict, u32) {
    let mut n_searches = 0;
    let mut propose = proposer(&a.shape, &b.shape, &mut n_searches);
    let mut safe = 0.0;
    let mut verdict = Verdict::Failed;
    'rounds: for _ in 0..MAX_ROUNDS {
        let ((turn_a, at_a), (turn_b, at_b)) = (a.path.at(safe), b.path.at(safe));
        let b_in_a = WidePose::from_quat(turn_b, at_b).relative_to(&WidePose::from_quat(turn_a, at_a));
        let near = propose(&b_in_a, 1e-6);
        let n_of =
            |points: &[DVec3]| (0..points.len()).filter(|&i| !points[..i].contains(&points[i])).count();
        let (n_a, n_b) = (n_of(&near.points_a[..near.n_points]), n_of(&near.points_b[..near.n_points]));
        let Some(n) = (turn_a * near.axis).try_normalize() else {
            verdict = Verdict::Hit;
            break;
        };
        let axis = match (n_a, n_b) {
            (3.., ..3) => Axis::OfA(turn_a.inverse() * n),
            (_, 3..) => Axis::OfB(turn_b.inverse() * n),
            _ => Axis::Fixed(n),
        };
        let poses = |t: f64| (a.path.at(t), b.path.at(t));
        let axis_at = |t: f64| match axis {
            Axis::Fixed(n) => n,
            Axis::OfA(n) => a.path.at(t).0 * n,
            Axis::OfB(n) => b.path.at(t).0 * n,
        };
        // The distance of a pair of corners, and that of the deepest pair.
        let of_pair = |t: f64, (p, q): (DVec3, DVec3)| {
            let ((turn_a, at_a), (turn_b, at_b)) = poses(t);
            axis_at(t).dot(turn_b * q + at_b - turn_a * p - at_a)
        };
        let deepest = |t: f64| {
            let ((turn_a, _), (turn_b, _)) = poses(t);
            let n = axis_at(t);
            let farthest = |points: &[DVec3], turn: DQuat, n: DVec3| {
                let local = turn.inverse() * n;
                points.iter().copied().max_by(|p, q| p.dot(local).total_cmp(&q.dot(local))).unwrap()
            };
            (farthest(&a.shape.points, turn_a, n), farthest(&b.shape.points, turn_b, -n))
        };
        if of_pair(safe, deepest(safe)) < TARGET + TOLERANCE {
            verdict = Verdict::Hit;
            break;
        }
        let mut late = 1.0;
        for _ in 0..MAX_PULLS {
            let pair = deepest(late);
            let there = of_pair(late, pair);
            if TARGET + TOLERANCE < there {
                verdict = Verdict::Separated;
                break 'rounds;
            }
            if TARGET - TOLERANCE < there {
                safe = late;
                continue 'rounds;
            }
            if of_pair(safe, pair) < TARGET - TOLERANCE {
                break 'rounds;
            }
            let (mut low, mut high) = (safe, late);
            for _ in 0..50 {
                late = 0.5 * (low + high);
                let value = of_pair(late, pair);
                if (value - TARGET).abs() < TOLERANCE {
                    break;
                }
                if TARGET < value { low = late } else { high = late }
            }
        }
        safe = late;
    }
    drop(propose);
    (verdict, n_searches)
}

#[test]
fn bilateral_advancement_takes_more_searches_and_misses() {
    let settings = ImpactSettings::default().with_target_distance(TARGET);
    for (row, angle) in [0.2, 1.5, 3.0].into_iter().enumerate() {
        let mut random = Random::new(60 + row as u64);
        let (mut n_deep, mut n_missed, mut n_failed) = (0, 0, 0);
        let mut n_searches = [0; 2];
        for _ in 0..1500 {
            let a = random_box(&mut random, angle, 1.0, 0.0);
            let b = random_box(&mut random, angle, 4.0, 2.5);
            let between = |t: f64| gap((&a.figure, &a.path), (&b.figure, &b.path), t);
            if between(0.0) < 0.05 || (0..=100).all(|i| -0.01 < between(f64::from(i) / 100.0)) {
                continue;
            }
            n_deep += 1;
            let (answer, n) = cast(&a, &b, &settings);
            assert!(
                matches!(answer, TimeOfImpact::Hit(_)),
                "{answer:?} {:?}",
                first_contact(between, 0.0, 1.0, 400)
            );
            let (verdict, n_bilateral) = bilateral(&a, &b);
            n_searches[0] += n;
            n_searches[1] += n_bilateral;
            n_missed += u32::from(verdict == Verdict::Separated);
            n_failed += u32::from(verdict == Verdict::Failed);
        }
        println!(
            "{angle} rad: {n_deep} impacts, {:.2} searches each; bilateral {:.2}, {n_missed} missed, {n_failed} failed",
            f64::from(n_searches[0]) / f64::from(n_deep),
            f64::from(n_searches[1]) / f64::from(n_deep),
        );
        assert!(100 < n_deep);
        assert!(n_searches[0] < n_searches[1], "{n_searches:?}");
        assert!(angle < 1.0 || 0 < n_missed, "bodies that come and go within the step are what it misses");
    }
}
