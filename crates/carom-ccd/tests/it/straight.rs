//! Bodies that do not turn, ugly ones too, against distances at many times: brackets hold, and are
//! as fine as rounding.

use crate::cast::{Body, Points, cast_maps};
use crate::sweeps::random_path;
use carom_ccd::{ImpactSettings, Motion, Proof, TimeOfImpact};
use carom_gjk::{GjkSettings, wide};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};

/// The error of the distances of the truth, for bodies of size one.
const ROUNDING: f64 = 1e-11;

#[derive(Debug, Default)]
struct Counts {
    hits: u32,
    clear: u32,
    undecided: u32,
    /// Brackets no wider than rounding makes them.
    fine: u32,
    without_proposal: u32,
}

fn check(a: (&Points, &Motion), b: (&Points, &Motion), tau: f64, counts: &mut Counts, what: &str) {
    let settings = ImpactSettings::default().with_target_distance(tau);
    let (answer, n_proposals) = cast_maps(a.0, a.1, b.0, b.1, &settings);
    counts.without_proposal += u32::from(n_proposals == 0);
    let apart = |t: f64| {
        let b_in_a = b.1.pose_at(t).relative_to(&a.1.pose_at(t));
        wide::signed_distance(a.0, b.0, &b_in_a, &GjkSettings::default(), None).distance
    };
    let free_until = |end: f64, least: f64| {
        for i in 0..=80 {
            let t = end * f64::from(i) / 80.0;
            assert!(least - ROUNDING < apart(t), "{what}: {} at {t} in {answer:?}", apart(t));
        }
    };
    match answer {
        TimeOfImpact::Hit(impact) => {
            counts.hits += 1;
            counts.fine += u32::from(impact.t_hi - impact.t_lo < 1e-12);
            assert!(impact.t_lo <= impact.t_hi && impact.t_hi <= 1.0, "{what}: {impact:?}");
            if 0.0 < impact.t_lo {
                free_until(impact.t_lo, tau);
            }
            assert!(apart(impact.t_hi) <= tau + ROUNDING, "{what}: {} in {impact:?}", apart(impact.t_hi));
            assert!((impact.normal.length() - 1.0).abs() < 1e-12, "{what}: {impact:?}");
            let along = (impact.point_b - impact.point_a).dot(impact.normal);
            let at_most = if let Proof::Within(distance) = impact.proof { distance } else { 0.0 };
            assert!(along <= at_most + ROUNDING && at_most <= tau, "{what}: {along} in {impact:?}");
            // The points are on their bodies, nearly where those reach farthest.
            for (body, point, n) in [(a, impact.point_a, impact.normal), (b, impact.point_b, -impact.normal)]
            {
                let pose = body.1.pose_at(impact.t_hi);
                let heights = body.0.points.iter().map(|&p| pose.transform_point(p).dot(n));
                let high = heights.fold(f64::NEG_INFINITY, f64::max) + body.0.margin;
                let below = high - point.dot(n);
                assert!(-ROUNDING < below && below < 1e-3, "{what}: {below} in {impact:?}");
            }
        }
        TimeOfImpact::Clear(clear) => {
            counts.clear += 1;
            assert!(tau < clear.distance, "{what}: {clear:?}");
            free_until(1.0, clear.distance);
        }
        TimeOfImpact::Undecided(undecided) => {
            counts.undecided += 1;
            free_until(undecided.t_safe, tau);
            let here = apart(undecided.t_safe);
            assert!(here <= tau + ROUNDING, "{what}: {here} in {undecided:?}");
        }
    }
}

/// From a point to a hull: also segments, flat ones, and several points at one place.
fn ugly(random: &mut Random) -> Vec<DVec3> {
    let n = [1, 2, 3, 4, 6, 8, 12][random.below(7)];
    let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 1e-9, 1.0), DVec3::X][random.below(4)];
    let mut points: Vec<DVec3> = (0..n).map(|_| random.cube_point() * flat).collect();
    if random.below(4) == 0 {
        points.push(points[0]);
    }
    points
}

/// Random places and ways, with margins and target distances.
#[test]
fn ugly_bodies_are_bracketed() {
    let mut random = Random::new(31);
    let mut counts = Counts::default();
    for case in 0..3000 {
        let mut body = |moves: f64, reach: f64| {
            let margin = [0.0, 0.0, 0.01, 0.5][random.below(4)];
            let mut path = random_path(&mut random, 0.0, moves, reach);
            path.local_center = random.cube_point() * 0.3;
            let body = Body::hull(&ugly(&mut random), path);
            (Points { margin, ..body.shape }, crate::cast::motion(&body.path))
        };
        let ((a, motion_a), (b, motion_b)) = (body(1.0, 0.0), body(1.0, 2.5));
        // Aimed: at the middle in a third of the cases, near it in another.
        let to = motion_a.center_at(0.5) + random.cube_point() * [0.0, 0.5, 2.0][case % 3];
        let offset = (to - motion_b.center_at(0.0)) * 2.0;
        let (turn, at) = (motion_b.rotation(), motion_b.pose_at(0.0).translation);
        let motion_b = Motion::new(turn, at, motion_b.local_center(), offset, DVec3::ZERO).unwrap();
        let tau = [0.0, 0.0, 1e-3, 0.2][random.below(4)];
        check((&a, &motion_a), (&b, &motion_b), tau, &mut counts, &format!("case {case}"));
    }
    assert!(1200 < counts.hits && 400 < counts.clear, "{counts:?}");
    assert!(counts.undecided < 60, "{counts:?}");
    assert!(300 < counts.fine, "{counts:?}");
    assert!(2000 < counts.without_proposal, "{counts:?}");
}

/// Boxes of whole sizes at whole places, moving along axes, diagonals and at odd angles: faces meet
/// flush, and the way passes edges and corners of the difference.
#[test]
fn boxes_on_a_grid_are_bracketed() {
    let mut random = Random::new(32);
    let mut counts = Counts::default();
    for case in 0..3000 {
        let mut whole = |low: usize, n: usize| {
            let mut one = || (random.below(n) + low) as f64;
            DVec3::new(one(), one(), one())
        };
        let (half_a, half_b) = (whole(1, 3) * 0.25, whole(1, 3) * 0.25);
        let from = (whole(0, 9) - 4.0) * 0.5;
        let offset = (whole(0, 5) - 2.0) * 2.0;
        let turn = [DQuat::IDENTITY, DQuat::from_rotation_z(core::f64::consts::FRAC_PI_4)][random.below(2)];
        let corners = |half| Body::cuboid(half, random_path(&mut Random::new(1), 0.0, 0.0, 0.0)).shape;
        let (a, b) = (corners(half_a), corners(half_b));
        let motion_a = Motion::fixed(turn, DVec3::ZERO).unwrap();
        let motion_b = Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, offset, DVec3::ZERO).unwrap();
        let tau = [0.0, 0.0, 0.125, 1e-3][random.below(4)];
        check((&a, &motion_a), (&b, &motion_b), tau, &mut counts, &format!("case {case}"));
    }
    assert!(600 < counts.hits && 800 < counts.clear, "{counts:?}");
    // Sweeps that slide along or just touch.
    assert!(counts.undecided < 120, "{counts:?}");
}
