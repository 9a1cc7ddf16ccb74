//! Searches over an endless time, and over one far beyond the impact, against the same over a
//! short one.

use crate::cast::{Points, by_gjk};
use carom_ccd::{
    ImpactSettings, Motion, NearInterval, Polyhedron, Sweep, TimeOfImpact, conservative_advancement,
    half_space_time_of_impact, near_interval_of_balls, polyhedra_time_of_impact, time_of_impact,
};
use carom_testkit::meshes::BOX_TRIANGLES;
use glam::{DQuat, DVec3};

const ENDS: [f64; 5] = [f64::INFINITY, f64::MAX, f32::MAX as f64, 1e20, 1e9];

fn settings() -> ImpactSettings {
    ImpactSettings::default().with_target_distance(1e-3)
}

fn cuboid(half: DVec3) -> Points {
    let corner = |k: u32| half * DVec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }));
    Points { points: (0..8).map(corner).collect(), margin: 0.0 }
}

fn ball() -> Points {
    Points { points: vec![DVec3::ZERO], margin: 0.5 }
}

fn motion(from: DVec3, linear: DVec3, angular: DVec3) -> Motion {
    Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, linear, angular).unwrap()
}

fn still() -> Motion {
    motion(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)
}

fn hit_at(answer: &TimeOfImpact, t: f64, what: &str) {
    let hit = answer.hit().unwrap_or_else(|| panic!("{what}: {answer:?}"));
    assert!(hit.t_lo <= t && t - 2e-3 <= hit.t_hi && hit.t_hi - hit.t_lo < 1e-2, "{what}: {hit:?}");
}

/// A ball that falls on a box was undecided at the time 0.
#[test]
fn an_endless_time_is_searched() {
    let (a, b) = (cuboid(DVec3::ONE), ball());
    for spin in [DVec3::ZERO, DVec3::new(0.1, 0.3, -0.2)] {
        let fall = motion(DVec3::Y * 5.0, DVec3::NEG_Y, spin);
        for end in ENDS {
            let settings = settings().with_max_time(end);
            let what = format!("spin {spin}, end {end:e}");
            let answer = time_of_impact(&a, &still(), &b, &fall, &settings, by_gjk(&a, &b));
            hit_at(&answer, 3.5, &what);
            let answer = conservative_advancement(&a, &still(), &b, &fall, &settings, by_gjk(&a, &b));
            hit_at(&answer, 3.5, &what);
            let answer = half_space_time_of_impact(DVec3::Y, &still(), &b, &fall, &settings);
            hit_at(&answer, 4.5, &what);
        }
    }
}

/// Later than the start of the motions, from a far place, and faster than light.
#[test]
fn r_far_and_late_impacts() {
    let (a, b) = (cuboid(DVec3::ONE), ball());
    for (distance, speed, start) in [(5e4, 1.0, 0.0), (5.0, 1e9, 0.0), (5.0, 1e-6, 0.0), (5e3, 1.0, 4e3)] {
        let fall = motion(DVec3::Y * distance, DVec3::NEG_Y * speed, DVec3::ZERO);
        for end in [f64::INFINITY, 1e30] {
            let settings = settings().with_times(start, end);
            let answer = time_of_impact(&a, &still(), &b, &fall, &settings, by_gjk(&a, &b));
            let hit = answer.hit().unwrap_or_else(|| panic!("{distance} {speed} {start}: {answer:?}"));
            let [low, high] = [hit.t_lo, hit.t_hi].map(|t| distance - 1.5 - speed * t);
            assert!(0.0 <= low && high <= 1e-3 + 1e-9 && low - high < 1e-2, "{distance} {speed}: {hit:?}");
        }
    }
}

/// Bodies that miss, recede or stand still are apart. No later time falls below the distance.
#[test]
fn bodies_that_never_touch_are_clear() {
    let (a, b) = (cuboid(DVec3::ONE), ball());
    let paths = [
        (DVec3::new(2.0, 5.0, 0.0), DVec3::NEG_Y, 0.5),
        (DVec3::Y * 5.0, DVec3::Y, 3.5),
        (DVec3::Y * 5.0, DVec3::ZERO, 3.5),
        (DVec3::new(-1e3, 3.0, 0.0), DVec3::X * 10.0, 1.5),
    ];
    for (from, linear, least) in paths {
        for end in ENDS {
            let path = motion(from, linear, DVec3::ZERO);
            let settings = settings().with_max_time(end).with_distance(true);
            let answer = time_of_impact(&a, &still(), &b, &path, &settings, by_gjk(&a, &b));
            let TimeOfImpact::Clear(clear) = answer else { panic!("{from} {linear} {end:e}: {answer:?}") };
            assert!(0.6 * least < clear.distance && clear.distance <= least + 1e-9, "{from}: {clear:?}");
        }
    }
    for linear in [DVec3::Y, DVec3::X, DVec3::ZERO] {
        let path = motion(DVec3::Y * 5.0, linear, DVec3::ZERO);
        let answer = half_space_time_of_impact(
            DVec3::Y,
            &still(),
            &b,
            &path,
            &settings().with_max_time(f64::INFINITY),
        );
        assert!(
            matches!(answer, TimeOfImpact::Clear(clear) if clear.distance <= 4.5),
            "{linear}: {answer:?}"
        );
    }
}

#[test]
fn balls_meet_and_part() {
    let path = motion(DVec3::Y * 5.0, DVec3::NEG_Y, DVec3::X);
    for end in ENDS {
        let settings = settings().with_max_time(end);
        let NearInterval::Between { start, end, .. } =
            near_interval_of_balls((DVec3::ZERO, 1.0), &still(), (DVec3::ZERO, 0.5), &path, &settings)
        else {
            panic!("they meet")
        };
        assert!((start - 3.499).abs() < 1e-6 && (end - 6.501).abs() < 1e-6, "{start} {end}");
    }
}

/// The square of the speed underflowed, and the balls were never near.
#[test]
fn r_slower_than_all_squares() {
    let (a, b) = (cuboid(DVec3::ONE), ball());
    let path = motion(DVec3::Y * 5.0, DVec3::NEG_Y * 1e-170, DVec3::ZERO);
    for end in [1e171, f64::MAX, f64::INFINITY] {
        let settings = settings().with_max_time(end);
        let answer = time_of_impact(&a, &still(), &b, &path, &settings, by_gjk(&a, &b));
        assert!(!matches!(answer, TimeOfImpact::Clear(_)), "{end:e}: {answer:?}");
    }
}

/// The time of a usual search is kept, so that its answer has the same bits.
#[test]
fn usual_times_are_kept() {
    let path = motion(DVec3::Y * 5.0, DVec3::NEG_Y, DVec3::X);
    for end in [0.0, 1.0, 1e3, 1e5] {
        let settings = settings().with_max_time(end);
        let ball = (DVec3::ZERO, 1.0);
        assert_eq!(settings.until_departure(ball, &still(), ball, &path), settings);
    }
}

/// The safe time was NaN, or 0 for boxes that were metres apart.
#[test]
fn r_polyhedra_over_an_endless_time() {
    let body = Polyhedron::new(&cuboid(DVec3::ONE).points, &BOX_TRIANGLES).unwrap();
    for spin in [DVec3::ZERO, DVec3::Y * 0.1] {
        let fall = motion(DVec3::Y * 5.0, DVec3::NEG_Y, spin);
        let past = motion(DVec3::new(3.0, 5.0, 0.0), DVec3::NEG_Y, spin);
        for end in [f64::INFINITY, f64::MAX, 1e30, 1e9] {
            let settings = settings().with_max_time(end);
            let found = polyhedra_time_of_impact(&body, &still(), &body, &fall, &settings);
            hit_at(&found, 3.0, &format!("{spin} {end:e}"));
            let found = polyhedra_time_of_impact(&body, &still(), &body, &past, &settings);
            assert!(matches!(found, TimeOfImpact::Clear(_)), "{spin} {end:e}: {found:?}");
        }
    }
    let settings = settings().with_max_time(f64::INFINITY);
    let rests = polyhedra_time_of_impact(
        &body,
        &still(),
        &body,
        &motion(DVec3::Y * 5.0, DVec3::ZERO, DVec3::ZERO),
        &settings,
    );
    assert!(matches!(rests, TimeOfImpact::Clear(_)), "{rests:?}");
}

/// The box of a sweep without end was NaN.
#[test]
fn r_a_sweep_without_end_is_everywhere() {
    let (fall, body) = (motion(DVec3::Y * 5.0, DVec3::NEG_Y, DVec3::ZERO), ball());
    let sweep = Sweep::new(&still(), &fall, 0.0, f64::INFINITY);
    let [min, max] = sweep.slab(0.0, f64::INFINITY).bounds(&body);
    assert_eq!((min.y, max.y), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(!min.is_nan() && !max.is_nan(), "{min} {max}");
}
