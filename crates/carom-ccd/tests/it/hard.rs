//! The cases that break searches for times of impact: grazing, fast spin, no motion, flush faces,
//! contact from the start.

use crate::cast::{Body, Points, by_gjk, cast, cast_maps, motion};
use crate::sweeps::random_path;
use carom_ccd::{
    ImpactSettings, Motion, Proof, TimeOfImpact, Why, conservative_advancement, half_space_time_of_impact,
    path_time_of_impact,
};
use carom_geom::SupportMap;
use carom_geom::f64::{Cone, Cuboid, Cylinder, Ellipsoid};
use carom_gjk::{GjkSettings, wide};
use carom_testkit::oracle::impact::{Path, first_contact, gap};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};

fn random_half(random: &mut Random) -> DVec3 {
    DVec3::new(random.range(0.05, 1.05), random.range(0.05, 1.05), random.range(0.05, 1.05))
}

/// A box that passes a corner of another at the time 0.5 and leaves it `g` of room, or cuts it by
/// `-g`: along the diagonal of the corner nothing else is nearer, and that at no other time where
/// nothing turns.
fn passing(random: &mut Random, g: f64, angle: f64) -> (Body, Body) {
    let (half_a, half_b) = (random_half(random), random_half(random));
    let a = Body::cuboid(half_a, Path::fixed(DQuat::IDENTITY, DVec3::ZERO));
    let n = half_a.normalize();
    let mut path = random_path(random, angle, 0.0, 0.0);
    path.linear = n.cross(random.cube_point()).normalize() * random.range(2.0, 6.0);
    let (turn, _) = path.at(0.5);
    let corners = &Body::cuboid(half_b, path).shape.points.clone();
    let lowest = corners.iter().map(|&p| turn * p).min_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).unwrap();
    path.center = half_a + n * g - lowest - path.linear * 0.5;
    (a, Body::cuboid(half_b, path))
}

#[test]
fn grazing_is_distinguished_from_touching() {
    let mut random = Random::new(1);
    let settings = ImpactSettings::default();
    for exponent in 2..=13 {
        let g = 10_f64.powi(-exponent);
        let mut n_undecided = 0;
        for _ in 0..40 {
            let (a, b) = passing(&mut random, g, 0.0);
            let apart = cast(&a, &b, &settings).0;
            let (a, b) = passing(&mut random, -g, 0.0);
            let together = cast(&a, &b, &settings).0;
            for (answer, is_hit) in [(apart, false), (together, true)] {
                match answer {
                    TimeOfImpact::Hit(impact) => {
                        assert!(is_hit && impact.t_lo <= 0.5 + 1e-9, "{g}: {impact:?}");
                        assert!(gap((&a.figure, &a.path), (&b.figure, &b.path), impact.t_hi) <= 1e-14);
                    }
                    TimeOfImpact::Clear(clear) => {
                        assert!(!is_hit && clear.distance <= g + 1e-14, "{g}: {clear:?}")
                    }
                    TimeOfImpact::Undecided(_) => n_undecided += 1,
                }
            }
        }
        // A gap that is as small as its rounding cannot be told.
        assert!(n_undecided == 0 || 12 < exponent, "{n_undecided} of 80 undecided at {g}");
    }
}

/// The same while turning: no answer is wrong, and few are none.
#[test]
fn grazing_while_turning_is_never_wrong() {
    let mut random = Random::new(2);
    let settings = ImpactSettings::default();
    for (exponent, most) in [(2, 0), (4, 0), (6, 2), (8, 6), (10, 8)] {
        let mut counts = [0; 3];
        for case in 0..60 {
            let sign = if case % 2 == 0 { 1.0 } else { -1.0 };
            let (a, b) = passing(&mut random, sign * 10_f64.powi(-exponent), 1.5);
            let between = |t: f64| gap((&a.figure, &a.path), (&b.figure, &b.path), t);
            let sampled = || first_contact(between, 0.0, 1.0, 400);
            match cast(&a, &b, &settings).0 {
                TimeOfImpact::Hit(impact) => {
                    counts[0] += 1;
                    assert!(between(impact.t_hi) <= 1e-14, "{impact:?}");
                    let first = sampled().first.unwrap_or(impact.t_hi);
                    assert!(
                        impact.t_lo <= first || between(impact.t_lo).abs() < 1e-12,
                        "{first}: {impact:?}"
                    );
                }
                TimeOfImpact::Clear(clear) => {
                    counts[1] += 1;
                    assert!(sampled().first.is_none() && 0.0 < clear.distance, "{clear:?}");
                }
                TimeOfImpact::Undecided(undecided) => {
                    counts[2] += 1;
                    assert!(
                        sampled().first.is_none_or(|first| undecided.t_safe <= first + 1e-9),
                        "{undecided:?}"
                    );
                }
            }
        }
        assert!(5 < counts[0] && 5 < counts[1] && counts[2] <= most, "1e-{exponent}: {counts:?}");
    }
}

#[test]
fn fast_spin_is_never_wrong() {
    let mut random = Random::new(3);
    let settings = ImpactSettings::default();
    for (angle, most) in [(10.0, 0), (100.0, 4), (1e3, 25), (1e4, 60)] {
        let mut counts = [0; 3];
        for case in 0..60 {
            let a = Body::cuboid(random_half(&mut random), random_path(&mut random, angle, 1.0, 0.0));
            let mut b = Body::cuboid(random_half(&mut random), random_path(&mut random, angle, 2.0, 2.5));
            if case % 2 == 0 {
                b.path.linear -= b.path.center;
            }
            let between = |t: f64| gap((&a.figure, &a.path), (&b.figure, &b.path), t);
            // Poses of the two computations differ by the rounding of the angle.
            let rounding = 1e-14 * angle.max(10.0);
            let sampled = first_contact(between, 0.0, 1.0, 2000);
            match cast(&a, &b, &settings).0 {
                TimeOfImpact::Hit(impact) => {
                    counts[0] += 1;
                    assert!(between(impact.t_hi) <= rounding, "{angle}: {impact:?}");
                    let first = sampled.first.unwrap_or(impact.t_hi);
                    assert!(impact.t_lo <= first + rounding, "{angle}: {first}: {impact:?}");
                }
                TimeOfImpact::Clear(_) => {
                    counts[1] += 1;
                    assert!(sampled.first.is_none(), "{angle}: {sampled:?}");
                }
                TimeOfImpact::Undecided(undecided) => {
                    counts[2] += 1;
                    assert!(
                        sampled.first.is_none_or(|first| undecided.t_safe <= first + rounding),
                        "{undecided:?}"
                    );
                }
            }
        }
        assert!(counts[2] <= most && 5 < counts[0] + counts[2], "{angle}: {counts:?}");
    }
}

#[test]
fn what_does_not_move_is_decided_at_once() {
    let mut random = Random::new(4);
    let (mut n_hits, mut n_clear) = (0, 0);
    for case in 0..200 {
        let reach = if case % 2 == 0 { 2.5 } else { 0.3 };
        let a = Body::cuboid(random_half(&mut random), random_path(&mut random, 0.0, 0.0, 0.0));
        let b = Body::cuboid(random_half(&mut random), random_path(&mut random, 0.0, 0.0, reach));
        let truth = gap((&a.figure, &a.path), (&b.figure, &b.path), 0.0);
        match cast(&a, &b, &ImpactSettings::default()) {
            (TimeOfImpact::Hit(impact), 1) => {
                n_hits += 1;
                assert!(truth < 0.0 && impact.t_lo == 0.0 && impact.t_hi == 0.0, "{truth}: {impact:?}");
                assert_eq!(impact.proof, Proof::Overlap);
            }
            (TimeOfImpact::Clear(clear), n) => {
                n_clear += 1;
                assert!(0.0 < truth && n <= 1 && 0.0 < clear.distance, "{truth}: {clear:?}");
            }
            other => panic!("{truth}: {other:?}"),
        }
    }
    assert!(50 < n_hits && 50 < n_clear);
}

fn cube(center: DVec3, linear: DVec3) -> Body {
    let mut path = Path::fixed(DQuat::IDENTITY, center);
    path.linear = linear;
    Body::cuboid(DVec3::splat(0.5), path)
}

/// A box that rests on another or slides on it: nobody can say that it touches, and everybody that
/// it is near.
#[test]
fn flush_faces_at_rest_are_near_and_no_more() {
    let ground = cube(DVec3::ZERO, DVec3::ZERO);
    for (x, linear) in
        [(0.0, DVec3::ZERO), (0.3, DVec3::ZERO), (0.3, DVec3::X), (0.0, DVec3::new(0.1, 0.0, 0.2))]
    {
        let on = cube(DVec3::new(x, 1.0, 0.0), linear);
        match cast(&ground, &on, &ImpactSettings::default()).0 {
            TimeOfImpact::Undecided(undecided) => {
                assert_eq!((undecided.t_safe, undecided.why), (0.0, Why::WithinRounding));
                assert!(undecided.distance < 1e-13);
            }
            other => panic!("{other:?}"),
        }
        let near = cast(&ground, &on, &ImpactSettings::default().with_target_distance(1e-3)).0;
        let impact = near.hit().unwrap();
        assert_eq!((impact.t_lo, impact.t_hi), (0.0, 0.0));
        assert!(matches!(impact.proof, Proof::Within(e) if e <= 1e-3));
    }
}

/// A box that falls flush on a face overlaps it soon after, and a polytope proves that where no
/// tetrahedron would.
#[test]
fn a_flush_fall_is_a_hit() {
    let ground = cube(DVec3::ZERO, DVec3::ZERO);
    for (x, z) in [(0.0, 0.0), (0.3, 0.0), (0.3, -0.2), (0.5, 0.5)] {
        for turn in [0.0, 0.4] {
            let mut falling = cube(DVec3::new(x, 3.0, z), DVec3::new(0.0, -4.0, 0.0));
            falling.path.angular = DVec3::Y * turn;
            let (answer, n_proposals) = cast(&ground, &falling, &ImpactSettings::default());
            let impact = answer.hit().unwrap_or_else(|| panic!("{x} {z} {turn}: {answer:?}"));
            assert!(
                impact.t_lo <= 0.5 && 0.5 <= impact.t_hi && impact.t_hi - impact.t_lo < 1e-3,
                "{impact:?}"
            );
            assert!((impact.normal - DVec3::Y).length() < 1e-12 && n_proposals <= 4, "{impact:?}");
            assert!((impact.point_a.y - 0.5).abs() < 1e-12, "{impact:?}");
        }
    }
}

#[test]
fn nearer_than_the_target_at_the_start_is_a_hit_at_once() {
    let (a, b) = (cube(DVec3::ZERO, DVec3::ZERO), cube(DVec3::new(1.25, 0.25, 0.0), DVec3::X));
    let impact = *cast(&a, &b, &ImpactSettings::default().with_target_distance(0.5)).0.hit().unwrap();
    assert_eq!((impact.t_lo, impact.t_hi), (0.0, 0.0));
    assert!(matches!(impact.proof, Proof::Within(e) if (0.25..0.2501).contains(&e)), "{impact:?}");
    // And not where it is farther.
    let clear = cast(&a, &b, &ImpactSettings::default().with_target_distance(0.2)).0;
    assert!(matches!(clear, TimeOfImpact::Clear(clear) if 0.2 < clear.distance && clear.distance <= 0.25));
}

/// All lengths times a power of two: the same bits of time, the same bits of points times it.
#[test]
fn powers_of_two_in_length_change_no_bit() {
    let mut random = Random::new(6);
    let mut n_hits = 0;
    for case in 0..120 {
        let angle = [0.0, 0.78, 3.0][case % 3];
        let (half_a, half_b) = (random_half(&mut random), random_half(&mut random));
        let path_a = random_path(&mut random, angle, 1.0, 0.0);
        let mut path_b = random_path(&mut random, angle, 1.0, 2.5);
        path_b.linear -= path_b.center * random.range(0.5, 1.5);
        path_b.local_center = random.cube_point() * 0.2;
        let at = |scale: f64| {
            let scaled = |path: &Path| Path {
                local_center: path.local_center * scale,
                center: path.center * scale,
                linear: path.linear * scale,
                ..*path
            };
            let a = Body::cuboid(half_a * scale, scaled(&path_a));
            let b = Body::cuboid(half_b * scale, scaled(&path_b));
            cast(&a, &b, &ImpactSettings::default())
        };
        let (plain, n) = at(1.0);
        for exponent in [-60, -20, 3, 40] {
            let scale = 2_f64.powi(exponent);
            let (scaled, n_scaled) = at(scale);
            assert_eq!(n, n_scaled);
            match (plain, scaled) {
                (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => {
                    n_hits += 1;
                    assert_eq!((x.t_lo, x.t_hi, x.normal), (y.t_lo, y.t_hi, y.normal));
                    assert_eq!((x.point_a * scale, x.point_b * scale), (y.point_a, y.point_b));
                }
                (TimeOfImpact::Clear(x), TimeOfImpact::Clear(y)) => {
                    assert_eq!(x.distance * scale, y.distance)
                }
                other => panic!("{exponent}: {other:?}"),
            }
        }
    }
    assert!(100 < n_hits);
}

#[test]
fn swapping_the_bodies_mirrors_the_answer() {
    let mut random = Random::new(7);
    let mut n_hits = 0;
    for _ in 0..200 {
        let a = Body::cuboid(random_half(&mut random), random_path(&mut random, 1.5, 1.0, 0.0));
        let mut b = Body::cuboid(random_half(&mut random), random_path(&mut random, 0.78, 2.0, 2.5));
        b.path.linear -= b.path.center;
        let there = cast(&a, &b, &ImpactSettings::default()).0;
        let back = cast(&b, &a, &ImpactSettings::default()).0;
        match (there, back) {
            (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => {
                n_hits += 1;
                assert!(x.t_lo <= y.t_hi && y.t_lo <= x.t_hi, "{x:?} {y:?}");
                assert!(0.0 == x.t_hi || x.normal.dot(y.normal) < -0.9, "{x:?} {y:?}");
            }
            (TimeOfImpact::Clear(_), TimeOfImpact::Clear(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(100 < n_hits);
}

/// Balls, as points with a radius, against the root of the quadratic; turning about their middle
/// changes nothing.
#[test]
fn balls_meet_when_the_quadratic_says() {
    let mut random = Random::new(8);
    let mut n_hits = 0;
    for _ in 0..300 {
        let ball = |random: &mut Random| Points { points: vec![DVec3::ZERO], margin: random.range(0.1, 1.0) };
        let (a, b) = (ball(&mut random), ball(&mut random));
        let (path_a, mut path_b) =
            (random_path(&mut random, 1.0, 1.0, 0.0), random_path(&mut random, 2.0, 1.0, 3.0));
        path_b.linear -= path_b.center;
        let (d, v) = (path_b.center - path_a.center, path_b.linear - path_a.linear);
        let radius = a.margin + b.margin;
        let (vv, dv) = (v.length_squared(), d.dot(v));
        let discriminant = dv * dv - vv * (d.length_squared() - radius * radius);
        let truth = (0.0 <= discriminant).then(|| (-dv - discriminant.sqrt()) / vv).filter(|&t| t <= 1.0);
        let answer = cast_maps(&a, &motion(&path_a), &b, &motion(&path_b), &ImpactSettings::default()).0;
        match (answer, truth) {
            (TimeOfImpact::Hit(impact), Some(t)) => {
                n_hits += 1;
                let t = t.max(0.0);
                assert!(impact.t_lo <= t + 1e-12 && t - 1e-12 <= impact.t_hi, "{t}: {impact:?}");
                assert_eq!(impact.proof, Proof::Overlap);
            }
            (TimeOfImpact::Clear(_), None) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(100 < n_hits);
}

/// A margin all around is the same as a target distance as large.
#[test]
fn margins_and_target_distances_are_one() {
    let mut random = Random::new(9);
    let mut n_hits = 0;
    for _ in 0..100 {
        let a = Body::cuboid(random_half(&mut random), random_path(&mut random, 1.0, 1.0, 0.0));
        let mut b = Body::cuboid(random_half(&mut random), random_path(&mut random, 2.0, 1.0, 2.5));
        b.path.linear -= b.path.center;
        let margin = random.range(0.0, 0.5);
        let round = Points { points: a.shape.points.clone(), margin };
        let near = cast(&a, &b, &ImpactSettings::default().with_target_distance(margin)).0;
        let touch = cast_maps(&round, &a.motion(), &b.shape, &b.motion(), &ImpactSettings::default()).0;
        match (near, touch) {
            (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => {
                n_hits += 1;
                assert!(x.t_lo <= y.t_hi && y.t_lo <= x.t_hi, "{x:?} {y:?}");
            }
            (TimeOfImpact::Clear(x), TimeOfImpact::Clear(_)) => assert!(margin < x.distance),
            other => panic!("{other:?}"),
        }
    }
    assert!(40 < n_hits);
}

/// The distance that is proved where a good one is asked for is below the least one, and not far.
#[test]
fn clear_distances_are_proved_and_near() {
    let mut random = Random::new(10);
    let settings = ImpactSettings::default().with_distance(true);
    let mut ratios = Vec::new();
    while ratios.len() < 150 {
        let a = Body::cuboid(random_half(&mut random), random_path(&mut random, 1.0, 1.0, 0.0));
        let b = Body::cuboid(random_half(&mut random), random_path(&mut random, 2.0, 3.0, 2.5));
        let TimeOfImpact::Clear(clear) = cast(&a, &b, &settings).0 else { continue };
        let distance = |t: f64| {
            let b_in_a = b.motion().pose_at(t).relative_to(&a.motion().pose_at(t));
            wide::distance(&a.shape, &b.shape, &b_in_a, &GjkSettings::default(), None).distance
        };
        let truth = first_contact(distance, 0.0, 1.0, 200).least;
        assert!(clear.distance <= truth + 1e-12, "{truth}: {clear:?}");
        ratios.push(clear.distance / truth);
    }
    ratios.sort_by(f64::total_cmp);
    assert!(0.55 < ratios[3] && 0.7 < ratios[75], "{} {}", ratios[3], ratios[75]);
}

/// Far from the origin nothing is lost: only the difference of the places counts.
#[test]
fn far_from_the_origin_is_as_near() {
    let far = DVec3::new(2_f64.powi(40), -2_f64.powi(41), 2_f64.powi(39));
    let mut random = Random::new(11);
    for _ in 0..50 {
        let body = |random: &mut Random, reach: f64| {
            let mut path = random_path(random, 1.0, 0.0, 0.0);
            // Numbers that do not lose digits so far out.
            path.center = random.grid_point(8) * (reach / 8.0);
            Body::cuboid(random_half(random), path)
        };
        let (mut a, mut b) = (body(&mut random, 0.0), body(&mut random, 4.0));
        b.path.linear = -b.path.center;
        let near = cast(&a, &b, &ImpactSettings::default()).0;
        a.path.center += far;
        b.path.center += far;
        let away = cast(&a, &b, &ImpactSettings::default()).0;
        let times = |answer: &TimeOfImpact| answer.hit().map(|impact| (impact.t_lo, impact.t_hi));
        assert_eq!(times(&near), times(&away));
        assert!(times(&near).is_some());
    }
}

/// Numbers at the end of all numbers give an answer that claims nothing.
#[test]
fn numbers_without_bounds_end_undecided() {
    let a = cube(DVec3::ZERO, DVec3::ZERO);
    for linear in [DVec3::X * f64::MAX, DVec3::splat(1e300), DVec3::X * 1e200] {
        let moving = Motion::new(DQuat::IDENTITY, DVec3::X * -3.0, DVec3::ZERO, linear, DVec3::ZERO).unwrap();
        let answer = cast_maps(&a.shape, &a.motion(), &a.shape, &moving, &ImpactSettings::default()).0;
        match answer {
            TimeOfImpact::Clear(_) => panic!("{linear}: {answer:?}"),
            TimeOfImpact::Hit(impact) => assert!(impact.t_lo < impact.t_hi),
            TimeOfImpact::Undecided(undecided) => assert!(!undecided.distance.is_nan(), "{undecided:?}"),
        }
    }
    let spin =
        Motion::new(DQuat::IDENTITY, DVec3::X * 1.6, DVec3::ZERO, DVec3::ZERO, DVec3::Y * 1e300).unwrap();
    let answer = cast_maps(&a.shape, &a.motion(), &a.shape, &spin, &ImpactSettings::default()).0;
    assert!(matches!(answer, TimeOfImpact::Undecided(_)), "{answer:?}");
}

/// Curved shapes, whose tetrahedra are thin where they just overlap: every impact is decided.
#[test]
fn curved_shapes_are_decided() {
    let mut random = Random::new(12);
    let shapes: [Box<dyn SupportMap>; 4] = [
        Box::new(Cylinder::new(0.4, 0.3).unwrap()),
        Box::new(Ellipsoid::new(DVec3::new(0.5, 0.3, 0.2)).unwrap()),
        Box::new(Cone::new(0.4, 0.3).unwrap()),
        Box::new(Cuboid::new(DVec3::new(0.5, 0.4, 0.3)).unwrap()),
    ];
    let (mut n_hits, mut n_clear) = (0, 0);
    for case in 0..400 {
        let (a, b) = (&*shapes[case % 4], &*shapes[case / 4 % 4]);
        let angle = [0.0, 1.0, 3.0][case / 16 % 3];
        let path_a = random_path(&mut random, angle, 0.0, 0.0);
        let mut path_b = random_path(&mut random, angle, 1.5, 2.5);
        path_b.linear -= path_b.center * 0.9;
        let (motion_a, motion_b) = (motion(&path_a), motion(&path_b));
        let apart = |t: f64| {
            let b_in_a = motion_b.pose_at(t).relative_to(&motion_a.pose_at(t));
            wide::signed_distance(a, b, &b_in_a, &GjkSettings::default(), None).distance
        };
        match cast_maps(a, &motion_a, b, &motion_b, &ImpactSettings::default()).0 {
            TimeOfImpact::Hit(impact) => {
                n_hits += 1;
                assert!(apart(impact.t_hi) <= 1e-12, "case {case}: {impact:?}");
                assert!(impact.t_lo == 0.0 || -1e-12 < apart(impact.t_lo), "case {case}: {impact:?}");
                let first = first_contact(apart, 0.0, 1.0, 100).first.unwrap_or(1.0);
                assert!(impact.t_lo <= first + 1e-9, "case {case}: {first} {impact:?}");
            }
            TimeOfImpact::Clear(_) => {
                n_clear += 1;
                assert!(first_contact(apart, 0.0, 1.0, 100).first.is_none(), "case {case}");
            }
            TimeOfImpact::Undecided(undecided) => panic!("case {case}: {undecided:?}"),
        }
    }
    assert!(100 < n_hits && 30 < n_clear, "{n_hits} {n_clear}");
}

/// A sweep of the long runs: a corner passes over the side of a box that turns by 3 radians, a
/// ten-thousandth away.
#[test]
fn slow_grazing_while_turning_is_decided() {
    let a = Body::cuboid(
        DVec3::new(0.08217818289995193, 0.7993850708007813, 0.09990134090185165),
        Path::fixed(
            DQuat::from_xyzw(0.170438751578331, -0.5985100269317627, 0.6536761522293091, 0.43063193559646606),
            DVec3::ZERO,
        ),
    );
    let path = Path {
        rotation: DQuat::from_xyzw(
            0.36386385560035706,
            -0.2113042175769806,
            0.18108642101287842,
            0.888910174369812,
        ),
        local_center: DVec3::ZERO,
        center: DVec3::new(1.2813282012939453, 0.15346167981624603, 1.263304591178894),
        linear: DVec3::new(0.5542963743209839, -1.1676974296569824, -2.5827884674072266),
        angular: DVec3::new(-0.2996664345264435, 2.5029964447021484, -1.6264097690582275),
    };
    let b = Body::cuboid(DVec3::new(0.7154483199119568, 0.980074942111969, 0.6226702332496643), path);
    let between = |t: f64| gap((&a.figure, &a.path), (&b.figure, &b.path), t);
    let sampled = first_contact(between, 0.0, 1.0, 400);
    assert!(sampled.first.is_none(), "they come within a ten-thousandth, and do not touch: {sampled:?}");
    let (answer, n_proposals) = cast(&a, &b, &ImpactSettings::default());
    assert!(matches!(answer, TimeOfImpact::Clear(_)), "{answer:?}");
    // It took 65, and was undecided, where the search for a root left no values to certify the way
    // to it.
    assert!(n_proposals <= 6, "{n_proposals}");
}

/// A sweep of the long runs: an edge passes by an edge while both boxes turn by 3 radians. If a
/// root far ahead was found, and not reached, its slope was taken for that of the point reached.
/// The next test was far behind the contact, 64 times.
#[test]
fn the_slope_of_a_root_that_is_not_reached_is_not_followed() {
    let a = Body::cuboid(
        DVec3::new(0.9660835862159729, 0.5579489469528198, 0.3318396210670471),
        Path {
            rotation: DQuat::from_xyzw(
                -0.7592031955718994,
                0.2515399158000946,
                0.3096458315849304,
                -0.5142544507980347,
            ),
            local_center: DVec3::ZERO,
            center: DVec3::ZERO,
            linear: DVec3::new(0.6956658959388733, -0.13551023602485657, 0.9169152975082397),
            angular: DVec3::new(-2.4307644367218018, -0.586152195930481, 1.6576520204544067),
        },
    );
    let path = Path {
        rotation: DQuat::from_xyzw(
            -0.601848840713501,
            0.46574291586875916,
            0.3335871398448944,
            -0.5564001202583313,
        ),
        local_center: DVec3::ZERO,
        center: DVec3::new(1.706839919090271, 1.2979496717453003, 1.9033410549163818),
        linear: DVec3::new(-3.9657680988311768, 0.12721063196659088, -2.209850549697876),
        angular: DVec3::new(2.799487590789795, -0.3647347390651703, -1.014809489250183),
    };
    let b = Body::cuboid(DVec3::new(0.7957178354263306, 0.39150798320770264, 0.07941493391990662), path);
    let between = |t: f64| gap((&a.figure, &a.path), (&b.figure, &b.path), t);
    let sampled = first_contact(between, 0.0, 1.0, 400);
    assert!(sampled.first.is_none(), "they pass: {sampled:?}");
    let (answer, n_proposals) = cast(&a, &b, &ImpactSettings::default());
    assert!(matches!(answer, TimeOfImpact::Clear(_)), "{answer:?}");
    assert!(n_proposals <= 8, "{n_proposals}");
}

/// The distance was that of an earlier time: 1 for bodies that are 49 apart.
#[test]
fn r_the_distance_of_undecided_bodies_is_that_of_its_time() {
    let (a, b) = (Cuboid::new(DVec3::new(0.5, 0.5, 100.0)).unwrap(), Cuboid::new(DVec3::splat(0.5)).unwrap());
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    let velocity = DVec3::new(-0.2, 10.0, 0.0);
    let flies = Motion::new(DQuat::IDENTITY, DVec3::X * 2.0, DVec3::ZERO, velocity, DVec3::ZERO).unwrap();
    let settings = ImpactSettings::default().with_max_time(10.0).with_max_steps(1);
    let answers = [
        conservative_advancement(&a, &still, &b, &flies, &settings, by_gjk(&a, &b)),
        path_time_of_impact(&a, &still, &b, &flies, &settings.with_target_distance(1e-3), by_gjk(&a, &b)),
    ];
    let mut n_undecided = 0;
    for answer in answers {
        let TimeOfImpact::Undecided(undecided) = answer else { continue };
        n_undecided += 1;
        let beside = (velocity * undecided.t_safe + DVec3::X * 2.0).abs() - DVec3::new(1.0, 1.0, 0.0);
        let distance = beside.max(DVec3::ZERO).length();
        assert!((undecided.distance - distance).abs() < 1e-6 * (1.0 + distance), "{undecided:?}, {distance}");
    }
    assert!(0 < n_undecided, "{answers:?}");
}

/// A normal of another length scaled all distances, and the zero vector was a hit.
#[test]
fn r_a_half_space_has_a_normal_of_any_length() {
    let ball = Points { points: vec![DVec3::ZERO], margin: 0.5 };
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    let near = Motion::fixed(DQuat::IDENTITY, DVec3::Y * 0.6).unwrap();
    let settings = ImpactSettings::default().with_target_distance(0.2);
    for normal in [DVec3::Y, DVec3::Y * 2.0, DVec3::Y * 1e-200, DVec3::Y * 1e200] {
        let found = half_space_time_of_impact(normal, &still, &ball, &near, &settings);
        let hit = found.hit().unwrap_or_else(|| panic!("{normal}: {found:?}"));
        assert!(hit.normal == DVec3::Y && (hit.point_b.y - 0.1).abs() < 1e-12, "{normal}: {hit:?}");
    }
    for normal in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
        let found = half_space_time_of_impact(normal, &still, &ball, &near, &settings);
        assert!(matches!(found, TimeOfImpact::Undecided(u) if u.t_safe == 0.0), "{normal}: {found:?}");
    }
}
