//! Times of impact of any two shapes, against looking often: no impact is missed, every bracket and
//! bound holds.

use crate::support::bumpy_sheet;
use crate::zoo::shapes;
use carom_geom::{Capsule, ConvexHull, Cuboid, HalfSpace, Sphere};
use carom_math::{Pose, Vec3, tol};
use carom_query::{
    Compound, CompoundPart, ImpactCounters, ImpactSettings, MeshShape, Motion, Proof, Shape, TimeOfImpact,
    Workspace, cast, cast_counted, cast_with, distance, motion_of,
};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// The rounding of poses in `f32`, for bodies of size one.
const ROUNDING: f64 = 2e-5;

fn pose_at(motion: &Motion, t: f64) -> Pose {
    let pose = motion.pose_at(t);
    let rotation = DQuat::from_mat3(&pose.rotation).normalize();
    Pose::new(rotation.as_quat(), pose.translation.as_vec3())
}

fn random_motion(random: &mut Random, from: DVec3, linear: DVec3, angle: f64) -> Motion {
    let q = DQuat::from_xyzw(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.7);
    let spin = random.cube_point().normalize_or_zero() * angle;
    let center = random.cube_point() * 0.1;
    Motion::new(q.normalize(), from, center, linear, spin).unwrap()
}

#[derive(Debug, Default)]
struct Counts {
    hits: u32,
    clear: u32,
    undecided: u32,
}

/// Compares an answer with distances at many times.
fn check(
    a: (&Shape, &Motion),
    b: (&Shape, &Motion),
    settings: &ImpactSettings,
    n_samples: u32,
    counts: &mut Counts,
    what: &str,
) {
    let answer = cast(a.0, a.1, b.0, b.1, settings);
    let tau = settings.target_distance;
    // The largest gap that a search in a field leaves open.
    let open = |shape: &Shape| match shape {
        Shape::Field(field) => tol::FIELD_SEARCH * field.resolution(),
        _ => 0.0,
    };
    let rounding = ROUNDING + open(a.0) + open(b.0);
    let apart = |t: f64| f64::from(distance(a.0, &pose_at(a.1, t), b.0, &pose_at(b.1, t)).distance);
    let span = settings.max_time - settings.start_time;
    let time = |i: u32| settings.start_time + span * f64::from(i) / f64::from(n_samples);
    let free_until = |end: f64| {
        for i in 0..=n_samples {
            if time(i) < end {
                assert!(tau - rounding < apart(time(i)), "{what}: touching at {} before {answer:?}", time(i));
            }
        }
    };
    match &answer {
        TimeOfImpact::Hit(impact) => {
            counts.hits += 1;
            assert!(impact.t_lo <= impact.t_hi, "{what}: {answer:?}");
            // Two fields count as touching when their samples say no more.
            let unknown = match (a.0, b.0) {
                (Shape::Field(x), Shape::Field(y)) => x.error_bound() + y.error_bound(),
                _ => 0.0,
            };
            let most = tau + rounding + unknown;
            assert!(apart(impact.t_hi) <= most, "{what}: {} at {answer:?}", apart(impact.t_hi));
            free_until(impact.t_lo);
            assert!((impact.normal.length() - 1.0).abs() < 1e-6, "{what}: {answer:?}");
            assert!(impact.point_a.is_finite() && impact.point_b.is_finite(), "{what}: {answer:?}");
            let along = (impact.point_b - impact.point_a).dot(impact.normal);
            assert!(along <= most, "{what}: {along}: {answer:?}");
        }
        TimeOfImpact::Clear(clear) => {
            counts.clear += 1;
            assert!(tau <= clear.distance, "{what}: {answer:?}");
            for i in 0..=n_samples {
                assert!(
                    clear.distance - rounding < apart(time(i)),
                    "{what}: {} at {answer:?}",
                    apart(time(i))
                );
            }
        }
        TimeOfImpact::Undecided(undecided) => {
            counts.undecided += 1;
            free_until(undecided.t_safe);
        }
    }
    // Swapped: the brackets have a time in common.
    let back = cast(b.0, b.1, a.0, a.1, settings);
    let is_of_fields = matches!((a.0, b.0), (Shape::Field(_), Shape::Field(_)));
    if let (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y), false) = (&answer, &back, is_of_fields) {
        assert!(x.t_lo <= y.t_hi && y.t_lo <= x.t_hi, "{what}: {x:?} {y:?}");
        assert!(x.t_hi == 0.0 || x.part_a == y.part_b || x.t_hi != y.t_hi, "{what}: {x:?} {y:?}");
    } else if !is_of_fields {
        assert_eq!(
            matches!(answer, TimeOfImpact::Clear(_)),
            matches!(back, TimeOfImpact::Clear(_)),
            "{what}"
        );
    }
}

/// Every pair of kinds of shape, moving straight and turning.
#[test]
fn every_pair_of_shapes_is_cast() {
    let shapes = shapes();
    let mut random = Random::new(17);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            let mut counts = Counts::default();
            for round in 0..14 {
                let angle = [0.0, 1.0, 3.0][round % 3];
                let from = random.cube_point().normalize_or(DVec3::X) * random.range(0.9, 3.0) + DVec3::Y;
                // Half of them are aimed.
                let aim =
                    if round % 2 == 0 { -from * random.range(0.5, 1.5) } else { random.cube_point() * 2.0 };
                let still = random_motion(
                    &mut random,
                    DVec3::ZERO,
                    DVec3::ZERO,
                    if round % 4 < 2 { 0.0 } else { angle },
                );
                let moving = random_motion(&mut random, from, aim, angle);
                let settings = ImpactSettings::default().with_target_distance([0.0, 1e-2][round / 7]);
                let what = format!("{} against {}, round {round}", a.0, b.0);
                check((&a.1, &still), (&b.1, &moving), &settings, 10, &mut counts, &what);
            }
            // The searches of two fields are short: from far away the gap may not be known well
            // enough.
            if a.0 == "field" && b.0 == "field" {
                assert!(5 <= counts.hits + counts.clear, "{counts:?}");
                continue;
            }
            let flat = a.0 == "half-space" && b.0 == "half-space";
            assert!(
                3 <= counts.hits && (flat || a.0 == "half-space" || b.0 == "half-space" || 2 <= counts.clear),
                "{} {}: {counts:?}",
                a.0,
                b.0
            );
            assert_eq!(counts.undecided, 0, "{} {}: {counts:?}", a.0, b.0);
        }
    }
}

fn hull(random: &mut Random, n: usize, size: f64) -> Shape {
    let points: Vec<Vec3> =
        (0..n).map(|_| (random.cube_point().normalize_or(DVec3::X) * size).as_vec3()).collect();
    Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()))
}

/// Small and large bodies over a hilly sheet, straight and turning, the sheet turning too.
#[test]
fn bodies_meet_a_sheet() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(40, 0.1)).unwrap()));
    let mut random = Random::new(18);
    let mut counts = Counts::default();
    for case in 0..60 {
        let size = [0.03, 0.2][case % 2];
        let body = if case % 3 == 0 {
            Shape::Sphere(Sphere::new(size as f32).unwrap())
        } else {
            hull(&mut random, 16, size)
        };
        let from = DVec3::new(random.range(-1.0, 1.0), random.range(0.3, 1.0), random.range(-1.0, 1.0));
        let to = DVec3::new(random.range(-1.0, 1.0), random.range(-0.5, 0.3), random.range(-1.0, 1.0));
        let moving = random_motion(&mut random, from, to - from, [0.0, 0.5, 3.0][case / 2 % 3]);
        let spin = DVec3::Y * [0.0, 1.0][case / 6 % 2];
        let still = Motion::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, spin).unwrap();
        let settings = ImpactSettings::default();
        check((&sheet, &still), (&body, &moving), &settings, 100, &mut counts, &format!("case {case}"));
    }
    assert!(15 < counts.hits && 8 < counts.clear && counts.undecided == 0, "{counts:?}");
}

/// Bodies of all sizes and kinds straight over sheets of fine and coarse triangles, with and
/// without a target distance, and from where they touch already.
#[test]
fn bodies_go_straight_over_a_sheet() {
    let sheets = [6, 40].map(|n| Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(n, 0.1)).unwrap())));
    let mut random = Random::new(28);
    let mut counts = Counts::default();
    for case in 0..240 {
        let size = [0.01, 0.05, 0.3][case % 3];
        let body = match case / 3 % 4 {
            0 => Shape::Sphere(Sphere::new(size as f32).unwrap()),
            1 => Shape::Capsule(Capsule::new(size as f32, 0.5 * size as f32).unwrap()),
            2 => hull(&mut random, 40, size),
            _ => hull(&mut random, 8, size),
        };
        let from = DVec3::new(random.range(-1.0, 1.0), random.range(-0.1, 1.0), random.range(-1.0, 1.0));
        let to = DVec3::new(random.range(-1.0, 1.0), random.range(-0.5, 0.3), random.range(-1.0, 1.0));
        let moving = random_motion(&mut random, from, to - from, 0.0);
        let drift = random.cube_point() * 0.1;
        let still = random_motion(&mut random, DVec3::ZERO, drift, 0.0);
        let settings = ImpactSettings::default().with_target_distance([0.0, 1e-3, 0.05][case / 12 % 3]);
        let what = format!("case {case}");
        check((&sheets[case / 36 % 2], &still), (&body, &moving), &settings, 100, &mut counts, &what);
    }
    assert!(60 < counts.hits && 40 < counts.clear && counts.undecided < 3, "{counts:?}");
}

/// A ball that turns about its middle is answered as one that does not, and at the same cost; about
/// another point it is not.
#[test]
fn the_rotation_of_a_ball_changes_nothing() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(40, 0.1)).unwrap()));
    let mut random = Random::new(53);
    let body = hull(&mut random, 20, 0.3);
    let ball = Shape::Sphere(Sphere::new(0.1).unwrap());
    let (mut n_hits, mut n_other) = (0, 0);
    for case in 0..60 {
        let from = DVec3::new(random.range(-1.0, 1.0), random.range(0.3, 1.0), random.range(-1.0, 1.0));
        let displacement =
            DVec3::new(random.range(-0.5, 0.5), random.range(-1.5, -0.3), random.range(-0.5, 0.5));
        let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
        let motion = |center: DVec3, spin: DVec3| {
            Motion::new(DQuat::IDENTITY, from, center, displacement, spin).unwrap()
        };
        let spin = random.cube_point() * 40.0;
        let settings = ImpactSettings::default().with_target_distance(1e-3);
        let other = if case % 3 == 0 { &body } else { &sheet };
        let cast_ball = |motion: &Motion| {
            let (mut memory, mut counters) = (Workspace::default(), ImpactCounters::default());
            let answer = cast_counted(other, &still, &ball, motion, &settings, &mut memory, &mut counters);
            let swapped = cast_with(&ball, motion, other, &still, &settings, &mut memory);
            assert!((swapped.safe_until(1.0) - answer.safe_until(1.0)).abs() < 1e-12, "case {case}");
            (answer, counters)
        };
        let straight = cast_ball(&motion(DVec3::ZERO, DVec3::ZERO));
        assert_eq!(straight, cast_ball(&motion(DVec3::ZERO, spin)), "case {case}");
        assert_eq!(straight.1.proposals, 0, "case {case}");
        n_hits += usize::from(straight.0.hit().is_some());
        n_other += usize::from(straight.0 != cast_ball(&motion(DVec3::X * 0.3, spin)).0);
    }
    assert!(15 < n_hits && 30 < n_other, "{n_hits} {n_other}");
}

#[test]
fn sheets_meet_each_other() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(12, 0.1)).unwrap()));
    let mut random = Random::new(19);
    let mut counts = Counts::default();
    for case in 0..24 {
        let from = random.cube_point() * 0.5 + DVec3::Y * random.range(1.0, 3.0);
        let linear = -from * random.range(0.0, 1.2);
        let moving = random_motion(&mut random, from, linear, [0.0, 0.5, 3.0][case % 3]);
        let still = random_motion(&mut random, DVec3::ZERO, DVec3::ZERO, [0.0, 1.0][case / 3 % 2]);
        let settings = ImpactSettings::default();
        check((&sheet, &still), (&sheet, &moving), &settings, 60, &mut counts, &format!("case {case}"));
    }
    assert!(6 < counts.hits && 3 < counts.clear && counts.undecided == 0, "{counts:?}");
}

/// A good distance is asked for, and is not far below the least one, of meshes and half-spaces too.
#[test]
fn the_part_of_a_compound_that_is_met_first() {
    let mut random = Random::new(29);
    let parts: Vec<CompoundPart> = (0..120)
        .map(|i| {
            let position = (random.cube_point() * DVec3::new(4.0, 4.0, 1.0)).as_vec3();
            let turn = DQuat::from_axis_angle(DVec3::Y, random.range(0.0, 3.0)).as_quat();
            let shape = match i % 3 {
                0 => hull(&mut random, 8, 0.3),
                1 => Shape::Sphere(Sphere::new(0.2).unwrap()),
                _ => Shape::Cuboid(Cuboid::new(Vec3::new(0.1, 0.3, 0.2)).unwrap()),
            };
            CompoundPart { shape, pose: Pose::new(turn, position) }
        })
        .collect();
    let alone = parts.clone();
    let compound = Shape::Compound(Arc::new(Compound::new(parts).unwrap()));
    let settings = ImpactSettings::default();
    let mut memory = Workspace::default();
    let (mut n_hits, mut n_clear) = (0, 0);
    for round in 0..400 {
        let body = hull(&mut random, 12, 0.2);
        let from = random.cube_point() * DVec3::new(4.0, 4.0, 3.0);
        let displacement = random.cube_point() * 5.0;
        let angle = if round % 2 == 0 { 0.0 } else { 1.0 };
        let motions = [
            random_motion(&mut random, DVec3::ZERO, DVec3::X * 0.3, if round % 4 == 3 { 0.4 } else { 0.0 }),
            random_motion(&mut random, from, displacement, angle),
        ];
        let settings = settings.with_target_distance(if round % 5 == 0 { 0.05 } else { 0.0 });
        let found = cast_with(&compound, &motions[0], &body, &motions[1], &settings, &mut memory);
        let swapped = cast_with(&body, &motions[1], &compound, &motions[0], &settings, &mut memory);
        assert_eq!(found.hit().map(|hit| hit.t_hi), swapped.hit().map(|hit| hit.t_hi));
        // Each part by itself, from the start to the end.
        let mut first: Option<(f64, f64)> = None;
        for part in &alone {
            let part_pose = (part.pose.rotation.as_dquat(), part.pose.translation.as_dvec3());
            match cast(&part.shape, &motions[0].of_part(part_pose), &body, &motions[1], &settings) {
                TimeOfImpact::Hit(hit) => {
                    let (low, high) = first.unwrap_or((f64::INFINITY, f64::INFINITY));
                    first = Some((low.min(hit.t_lo), high.min(hit.t_hi)));
                }
                TimeOfImpact::Clear(_) => {}
                other => panic!("{other:?}"),
            }
        }
        match (&found, first) {
            (TimeOfImpact::Hit(hit), Some((low, high))) => {
                n_hits += 1;
                assert!(hit.t_lo <= high && low <= hit.t_hi, "{found:?}, {low} {high}");
                let part = hit.part_a as usize;
                assert!(part < alone.len());
            }
            (TimeOfImpact::Clear(_), None) => n_clear += 1,
            _ => panic!("round {round}: {found:?}, alone {first:?}"),
        }
    }
    println!("{n_hits} hits, {n_clear} clear");
    assert!(n_hits > 100 && n_clear > 20, "{n_hits} hits, {n_clear} clear");
}

#[test]
fn clear_distances_of_all_kinds_are_near() {
    let shapes = shapes();
    let mut random = Random::new(20);
    let settings = ImpactSettings::default().with_distance(true);
    let mut ratios = Vec::new();
    for a in &shapes {
        for b in &shapes {
            let from = DVec3::new(0.3, 3.0, 0.2);
            let moving = random_motion(&mut random, from, DVec3::new(1.0, -1.0, 0.5), 2.0);
            let still = random_motion(&mut random, DVec3::ZERO, DVec3::ZERO, 0.0);
            let TimeOfImpact::Clear(clear) = cast(&a.1, &still, &b.1, &moving, &settings) else { continue };
            let apart =
                |t: f64| f64::from(distance(&a.1, &pose_at(&still, t), &b.1, &pose_at(&moving, t)).distance);
            let truth = (0..=50).map(|i| apart(f64::from(i) / 50.0)).fold(f64::INFINITY, f64::min);
            assert!(clear.distance <= truth + ROUNDING, "{} {}: {truth} {clear:?}", a.0, b.0);
            // The searches of two fields are short: their bound holds, but may be far below.
            if a.0 != "field" || b.0 != "field" {
                ratios.push(clear.distance / truth);
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(100 < ratios.len() && 0.5 < ratios[0] && 0.65 < ratios[ratios.len() / 2], "{ratios:?}");
}

/// Small bodies at a kilometre a second through walls as thin as paper, solid ones and sheets: none
/// gets through.
#[test]
fn bullets_do_not_tunnel() {
    let paper = Shape::Cuboid(Cuboid::new(Vec3::new(2.0, 2.0, 1e-4)).unwrap());
    let sheet =
        Shape::Mesh(Arc::new(MeshShape::new(crate::zoo::box_mesh(Vec3::new(2.0, 2.0, 1e-4))).unwrap()));
    let bullets = [
        Shape::Sphere(Sphere::new(0.004).unwrap()),
        Shape::Cuboid(Cuboid::new(Vec3::new(0.002, 0.003, 0.01)).unwrap()),
    ];
    let mut random = Random::new(21);
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    for case in 0..400 {
        let from = DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(2.0, 14.0));
        let to = DVec3::new(random.range(-1.5, 1.5), random.range(-1.5, 1.5), 0.0);
        let moving =
            random_motion(&mut random, from, (to - from).normalize() * 1000.0, [0.0, 60.0][case % 2]);
        let settings = ImpactSettings::default().with_max_time(1.0 / 60.0);
        for wall in [&paper, &sheet] {
            let answer = cast(wall, &still, &bullets[case / 2 % 2], &moving, &settings);
            let impact = answer.hit().unwrap_or_else(|| panic!("case {case}: {answer:?}"));
            let at = moving.pose_at(impact.t_hi).translation;
            assert!(at.z.abs() < 0.02 && at.z > -0.02, "{at}: {impact:?}");
        }
    }
}

/// From the start in contact: the contact is that of the deepest place, as a question about one
/// moment gives it.
#[test]
fn in_contact_from_the_start() {
    let (ball, ground) =
        (Shape::Sphere(Sphere::new(0.5).unwrap()), Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()));
    let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
    let pose = Pose::from_translation(Vec3::new(1.0, 0.25, 0.0));
    let rolling = motion_of(&pose, Vec3::ZERO, Vec3::X, Vec3::NEG_Z * 2.0).unwrap();
    let impact = *cast(&ground, &still, &ball, &rolling, &ImpactSettings::default()).hit().unwrap();
    assert_eq!((impact.t_lo, impact.t_hi, impact.proof), (0.0, 0.0, Proof::Overlap));
    assert!((impact.normal - DVec3::Y).length() < 1e-7, "{impact:?}");
    assert!((impact.point_b - DVec3::new(1.0, -0.25, 0.0)).length() < 1e-7, "{impact:?}");
    let back = *cast(&ball, &rolling, &ground, &still, &ImpactSettings::default()).hit().unwrap();
    assert!((back.normal + DVec3::Y).length() < 1e-7, "{back:?}");
}

/// Half-spaces that face each other meet when their planes do; any other two overlap at once.
#[test]
fn half_spaces_meet_when_their_planes_do() {
    let up = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
    let down = Shape::HalfSpace(HalfSpace::new(Vec3::NEG_Y).unwrap());
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    let fall = |linear: DVec3, spin: DVec3| {
        Motion::new(DQuat::IDENTITY, DVec3::Y * 2.0, DVec3::ZERO, linear, spin).unwrap()
    };
    let impact = *cast(&up, &still, &down, &fall(DVec3::Y * -4.0, DVec3::ZERO), &ImpactSettings::default())
        .hit()
        .unwrap();
    assert!(impact.t_lo <= 0.5 && 0.5 <= impact.t_hi && impact.t_hi - impact.t_lo < 1e-9, "{impact:?}");
    let away = cast(&up, &still, &down, &fall(DVec3::X, DVec3::ZERO), &ImpactSettings::default());
    assert!(matches!(away, TimeOfImpact::Clear(clear) if (1.99..=2.0).contains(&clear.distance)), "{away:?}");
    let same = cast(&up, &still, &up, &fall(DVec3::X, DVec3::ZERO), &ImpactSettings::default());
    assert_eq!(same.hit().map(|impact| impact.t_hi), Some(0.0));
    let tips =
        *cast(&up, &still, &down, &fall(DVec3::ZERO, DVec3::X), &ImpactSettings::default()).hit().unwrap();
    assert!(tips.t_lo == 0.0 && tips.t_hi < 1e-10, "{tips:?}");
}

/// In memory that is kept nothing is allocated.
#[test]
fn warm_casts_do_not_allocate() {
    let sheet = Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(20, 0.1)).unwrap()));
    let cuboid = Shape::Cuboid(Cuboid::new(Vec3::splat(0.1)).unwrap());
    let mut memory = Workspace::default();
    let mut random = Random::new(22);
    let motions: Vec<Motion> =
        (0..30).map(|_| random_motion(&mut random, DVec3::Y, DVec3::new(0.3, -1.2, 0.2), 1.0)).collect();
    let still = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO).unwrap();
    let mut query_all = || {
        for motion in &motions {
            for body in [&cuboid, &sheet] {
                let answer = cast_with(&sheet, &still, body, motion, &ImpactSettings::default(), &mut memory);
                assert!(answer.hit().is_some());
            }
        }
    };
    query_all();
    assert_eq!(allocation_counter::measure(query_all).count_total, 0);
}

/// Counters count the work of the same search: answers do not change, counts are the same each
/// time, add up, and grow with the work.
#[test]
fn costs_are_counted() {
    let mut random = Random::new(44);
    let sheets = [6, 40].map(|n| Shape::Mesh(Arc::new(MeshShape::new(bumpy_sheet(n, 0.1)).unwrap())));
    let parts = (0..40).map(|i| CompoundPart {
        shape: Shape::Sphere(Sphere::new(0.05).unwrap()),
        pose: Pose::from_translation(Vec3::new(0.1 * i as f32 - 2.0, 0.0, 0.0)),
    });
    let row = Shape::Compound(Arc::new(Compound::new(parts.collect()).unwrap()));
    let ground = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
    let body = hull(&mut random, 16, 0.2);
    let mut memory = Workspace::default();
    let mut of_sheets = [ImpactCounters::default(); 2];
    for case in 0..60 {
        let from = DVec3::new(random.range(-1.0, 1.0), random.range(0.3, 1.0), random.range(-1.0, 1.0));
        let to = DVec3::new(random.range(-1.0, 1.0), random.range(-0.5, 0.3), random.range(-1.0, 1.0));
        let angle = [0.0, 1.0][case % 2];
        let moving = random_motion(&mut random, from, to - from, angle);
        let still = random_motion(&mut random, DVec3::ZERO, DVec3::ZERO, 0.0);
        let mut all = ImpactCounters::default();
        for (k, other) in [&sheets[0], &sheets[1], &row, &ground, &body].into_iter().enumerate() {
            let settings = ImpactSettings::default().with_target_distance(1e-3);
            let mut query = |counters: &mut ImpactCounters| {
                cast_counted(other, &still, &body, &moving, &settings, &mut memory, counters)
            };
            let mut counters = ImpactCounters::default();
            let answer = query(&mut counters);
            assert_eq!(answer, cast(other, &still, &body, &moving, &settings), "case {case}, {k}");
            let mut twice = counters;
            assert_eq!(answer, query(&mut twice));
            let mut doubled = counters;
            doubled += counters;
            assert_eq!(twice, doubled, "case {case}, {k}");
            all += counters;
            assert!(counters.searches <= counters.primitives.max(1), "case {case}, {k}: {counters:?}");
            assert!(counters.iterations <= counters.supports, "case {case}, {k}: {counters:?}");
            assert!(k < 3 || counters.volume_tests == 0, "case {case}, {k}: {counters:?}");
            assert_eq!(0 < counters.volume_updates, k < 3, "case {case}, {k}: {counters:?}");
            if let Some(of_sheet) = of_sheets.get_mut(k) {
                *of_sheet += counters;
            }
        }
        assert!(0 < all.separations + all.iterations, "case {case}: {all:?}");
    }
    let [coarse, fine] = of_sheets;
    assert!(coarse.nodes < fine.nodes && coarse.primitives < fine.primitives, "{coarse:?} {fine:?}");
    assert!(0 < coarse.searches && 0 < coarse.proposals && 0 < coarse.separations, "{coarse:?}");
}
