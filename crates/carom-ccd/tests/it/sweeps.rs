//! Times of impact of random sweeps against looking often: no impact is missed, and every bracket
//! is right.

use crate::cast::{Body, advanced, cast, contact_of};
use carom_ccd::{ImpactSettings, TimeOfImpact};
use carom_testkit::oracle::impact::{Path, first_contact, gap};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};

/// Differences of the truth's own rounding, for bodies of size one.
const ROUNDING: f64 = 1e-12;

#[derive(Debug, Default)]
struct Counts {
    hits: u32,
    clear: u32,
    proposals: u32,
}

fn check(a: &Body, b: &Body, settings: &ImpactSettings, counts: &mut Counts, what: &str) {
    let (answer, n_proposals) = cast(a, b, settings);
    let between = |t: f64| gap((&a.figure, &a.path), (&b.figure, &b.path), t);
    let sampled = first_contact(between, settings.start_time, settings.max_time, 200);
    match answer {
        TimeOfImpact::Hit(impact) => {
            counts.hits += 1;
            counts.proposals += n_proposals;
            assert!(impact.t_lo <= impact.t_hi, "{what}: {impact:?}");
            assert!(between(impact.t_hi) <= ROUNDING, "{what}: apart at the end of {impact:?}");
            if let Some(first) = sampled.first {
                let before = between(impact.t_lo);
                assert!(impact.t_lo <= first || before.abs() < ROUNDING, "{what}: {first} before {impact:?}");
            }
            contact_of(a, b, &impact, what);
        }
        TimeOfImpact::Clear(clear) => {
            counts.clear += 1;
            assert!(0.0 < clear.distance, "{what}: {clear:?}");
            assert!(sampled.first.is_none() && -ROUNDING < sampled.least, "{what}: missed {sampled:?}");
        }
        TimeOfImpact::Undecided(undecided) => panic!("{what}: {undecided:?}, truth {sampled:?}"),
    }
}

/// The boxes of the peers' table: sizes from 0.1 to 2.1, all kinds of places, up to 4 along each
/// axis in the step.
pub(crate) fn random_box(random: &mut Random, angle: f64, moves: f64, reach: f64) -> Body {
    let half = DVec3::new(random.range(0.05, 1.05), random.range(0.05, 1.05), random.range(0.05, 1.05));
    let path = random_path(random, angle, moves, reach);
    Body::cuboid(half, path)
}

pub(crate) fn random_path(random: &mut Random, angle: f64, moves: f64, reach: f64) -> Path {
    let axis = loop {
        let axis = random.cube_point();
        if (0.01..1.0).contains(&axis.length_squared()) {
            break axis.normalize();
        }
    };
    let q = DQuat::from_xyzw(
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(0.1, 1.0),
    );
    Path {
        rotation: q.normalize(),
        local_center: DVec3::ZERO,
        center: random.cube_point() * reach,
        linear: random.cube_point() * moves,
        angular: axis * angle,
    }
}

/// Boxes that turn by 0.2 to 3 radians, alone and against one that turns as fast.
#[test]
fn boxes_that_turn_are_bracketed() {
    let settings = ImpactSettings::default();
    for (row, (angle, both)) in
        [(0.0, false), (0.2, false), (0.78, false), (1.5, false), (3.0, false), (0.78, true), (3.0, true)]
            .into_iter()
            .enumerate()
    {
        let mut random = Random::new(row as u64);
        let mut counts = Counts::default();
        for case in 0..300 {
            let a =
                random_box(&mut random, if both { angle } else { 0.0 }, if both { 1.0 } else { 0.0 }, 0.0);
            let b = random_box(&mut random, angle, 4.0, 2.5);
            check(&a, &b, &settings, &mut counts, &format!("{angle}, both {both}, case {case}"));
        }
        assert!(20 < counts.hits && 100 < counts.clear, "the mix at {angle}: {counts:?}");
        assert!(counts.proposals < 6 * counts.hits, "{angle}: {counts:?}");
    }
}

/// Hulls of eight to twelve vertices, whose local centre lies off their middle.
#[test]
fn hulls_that_turn_are_bracketed() {
    let settings = ImpactSettings::default();
    let mut random = Random::new(77);
    let mut counts = Counts::default();
    for case in 0..120 {
        let mut body = |moves: f64, reach: f64| {
            let n = 8 + random.below(5);
            let points: Vec<DVec3> =
                (0..n).map(|_| random.cube_point() * DVec3::new(1.0, 0.7, 0.4)).collect();
            let angle = [0.2, 1.0, 3.0][random.below(3)];
            let mut path = random_path(&mut random, angle, moves, reach);
            path.local_center = random.cube_point() * 0.3;
            Body::hull(&points, path)
        };
        let (a, mut b) = (body(1.0, 0.0), body(1.0, 2.5));
        b.path.linear -= b.path.center;
        check(&a, &b, &settings, &mut counts, &format!("case {case}"));
    }
    assert!(20 < counts.hits && 20 < counts.clear, "{counts:?}");
}

/// Finer brackets cost little, and hold.
#[test]
fn brackets_are_as_fine_as_the_tolerance() {
    for (tolerance, most) in [(1e-2, 3.5), (1e-6, 4.5), (1e-9, 5.0)] {
        let settings = ImpactSettings::default().with_tolerance(tolerance);
        let mut random = Random::new(5);
        let mut counts = Counts::default();
        for case in 0..150 {
            let a = random_box(&mut random, 0.0, 0.0, 0.0);
            let b = random_box(&mut random, 1.5, 4.0, 2.5);
            check(&a, &b, &settings, &mut counts, &format!("{tolerance}, case {case}"));
        }
        assert!(f64::from(counts.proposals) < most * f64::from(counts.hits), "{tolerance}: {counts:?}");
    }
}

/// Conservative advancement says the same, with more proposals.
#[test]
fn conservative_advancement_agrees() {
    let settings = ImpactSettings::default().with_max_steps(400);
    let mut random = Random::new(6);
    let (mut n_hits, mut n_clear, mut n_undecided) = (0, 0, 0);
    let mut n_proposals = [0; 2];
    for case in 0..300 {
        let a = random_box(&mut random, 0.0, 0.0, 0.0);
        let b = random_box(&mut random, [0.2, 1.5][case % 2], 4.0, 2.5);
        let (answer, n) = cast(&a, &b, &settings);
        let (slow, n_slow) = advanced(&a, &b, &settings);
        match (answer, slow) {
            (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => {
                n_hits += 1;
                n_proposals[0] += n;
                n_proposals[1] += n_slow;
                assert!(x.t_lo <= y.t_hi && y.t_lo <= x.t_hi, "{case}: {x:?} {y:?}");
            }
            (TimeOfImpact::Clear(_), TimeOfImpact::Clear(clear)) => {
                n_clear += 1;
                assert!(0.0 < clear.distance);
            }
            (TimeOfImpact::Hit(impact), TimeOfImpact::Undecided(undecided)) => {
                n_undecided += 1;
                assert!(undecided.t_safe <= impact.t_hi, "{case}: {impact:?} {undecided:?}");
            }
            other => panic!("{case}: {other:?}"),
        }
    }
    assert!(20 < n_hits && 100 < n_clear && n_undecided < 3, "{n_hits} {n_clear} {n_undecided}");
    assert!(n_proposals[0] < n_proposals[1], "{n_proposals:?}");
}
