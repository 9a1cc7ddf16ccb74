//! Noticeability: angles agree with sampled balls, each change that makes a ball less visible
//! lowers it, and a timed search decides the most noticeable pairs first.

use crate::scenes::is_bad;
use carom_geom::TriMesh;
use carom_math::glam::{DVec3, EulerRot};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{
    AnytimeGoal, AnytimeMeshes, AnytimeOrder, AnytimeSettings, Certainty, MeshPair, MeshShape, Until,
};
use carom_scenes::mesh::icosphere;
use carom_testkit::random::Random;
use carom_world::{Viewer, WorldError};
use std::f64::consts::PI;

/// A point of a size from 1e-3 to 1e3.
fn random_position(random: &mut Random) -> Vec3 {
    random.cube_point().as_vec3() * 10.0_f32.powf(random.range(-3.0, 3.0) as f32)
}

/// The angle between two directions.
fn angle(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

/// The definition, with angles measured at 20,000 points of the ball and at two moments.
#[test]
fn angles_are_those_of_sampled_balls() {
    const N: usize = 20_000;
    let sphere: Vec<DVec3> = (0..N)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / N as f64;
            let (sin, cos) = (k as f64 * PI * (3.0 - 5.0_f64.sqrt())).sin_cos();
            DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
        })
        .collect();
    let mut random = Random::new(1);
    let (mut n_visible, mut n_hidden, mut n_eccentric) = (0, 0, 0);
    for _ in 0..300 {
        let (eye, forward) = (random.cube_point(), random.cube_point());
        let half_view = random.range(0.2, 2.0);
        let finest = 10.0_f64.powf(random.range(-4.0, -2.0));
        let viewer = Viewer::new(eye.as_vec3(), forward.as_vec3(), half_view as f32, finest as f32).unwrap();
        let to_center = random.cube_point() * 10.0;
        let radius = to_center.length() * random.range(0.0, 0.9);
        let velocity = random.cube_point() * random.range(0.0, 20.0);
        let center = eye + to_center;
        let seen = [
            viewer.noticeability(center.as_vec3(), radius as f32, velocity.as_vec3()),
            viewer.resolved_angle(center.as_vec3(), radius as f32, velocity.as_vec3()),
        ];
        let directions = || sphere.iter().map(|p| to_center + *p * radius);
        let size = 2.0 * directions().map(|d| angle(d, to_center)).fold(0.0, f64::max);
        let nearest = directions().map(|d| angle(d, forward)).fold(f64::INFINITY, f64::min);
        let contains = angle(to_center, forward) < 0.5 * size;
        let eccentricity = if contains { 0.0 } else { nearest };
        // Too near to the border for the samples.
        if (eccentricity - half_view).abs() < 0.02 {
            continue;
        }
        if half_view < eccentricity {
            assert_eq!(seen, [0.0, f32::INFINITY]);
            n_hidden += 1;
            continue;
        }
        let step = 1e-6;
        let speed = angle(to_center, to_center + velocity * step) / step;
        // 2.5 degrees and 0.04 seconds, as the documentation says.
        let resolved = finest * (1.0 + eccentricity.to_degrees() / 2.5) + 0.04 * speed;
        // Samples are 0.025 radii apart at most, so the nearest angle is too large by that.
        let slack = 0.025 * size * finest * 180.0 / PI / 2.5;
        let resolved_off = (f64::from(seen[1]) - resolved).abs();
        assert!(resolved_off <= slack + 1e-4 * resolved, "{} {resolved}", seen[1]);
        let expected = size / resolved;
        let off = (f64::from(seen[0]) - expected).abs() / expected;
        assert!(off < 0.02 + slack / resolved, "{} {expected}", seen[0]);
        n_visible += 1;
        n_eccentric += usize::from(0.05 < eccentricity);
    }
    assert!(60 < n_visible && 60 < n_hidden && 30 < n_eccentric, "{n_visible} {n_hidden} {n_eccentric}");
}

/// One change at a time, over seven powers of ten, with balls around the eye and behind it.
#[test]
fn far_small_fast_and_eccentric_balls_are_noticed_less() {
    let mut random = Random::new(2);
    let mut n_less = [0; 4];
    for k in 0..20_000 {
        let finest = 10.0_f32.powf(random.range(-4.0, -1.0) as f32);
        let viewer = Viewer::new(Vec3::ZERO, Vec3::NEG_Z, random.range(0.1, PI) as f32, finest).unwrap();
        let center = random_position(&mut random);
        let radius = center.length() * random.range(0.0, 1.2) as f32 * (k % 7).min(1) as f32;
        let velocity = random_position(&mut random) * (k % 5).min(1) as f32;
        let more = random.range(1.0, 4.0) as f32;
        let axis = center.cross(Vec3::Z);
        // Away from the axis of the view, with the motion turned alike.
        let out = if axis.length() < 1e-6 * center.length() {
            Quat::IDENTITY
        } else {
            let left = center.angle_between(Vec3::Z);
            Quat::from_axis_angle(axis.normalize(), (left * random.unit() as f32).min(left))
        };
        let now = viewer.noticeability(center, radius, velocity);
        assert!(0.0 <= now && !now.is_nan());
        let others = [
            viewer.noticeability(center * more, radius, velocity),
            viewer.noticeability(center, radius / more, velocity),
            viewer.noticeability(center, radius, velocity * more),
            viewer.noticeability(out * center, radius, out * velocity),
        ];
        for (n, less) in n_less.iter_mut().zip(others) {
            assert!(less <= now * (1.0 + 1e-4), "{k}: {others:?} {now}");
            *n += usize::from(less < now);
        }
    }
    assert!(n_less.iter().all(|n| 2_000 < *n), "{n_less:?}");
}

#[test]
fn arguments_that_are_no_numbers_are_refused_or_not_noticed() {
    let new = |position: Vec3, forward: Vec3, half: f32, finest: f32| {
        Viewer::new(position, forward, half, finest).map(|_| ())
    };
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(
            new(Vec3::X * wrong, Vec3::X, 0.0, 0.0),
            Err(WorldError::BadValue { what: "position of a viewer", .. })
        ));
        assert!(matches!(
            new(Vec3::X, Vec3::Y * wrong, 0.0, 0.0),
            Err(WorldError::BadValue { what: "length of the direction of a viewer", .. })
        ));
        assert!(is_bad(new(Vec3::X, Vec3::Y, wrong, 0.0), "half view of a viewer", wrong));
        assert!(is_bad(new(Vec3::X, Vec3::Y, 1.0, wrong), "finest angle of a viewer", wrong));
    }
    assert!(is_bad(new(Vec3::X, Vec3::ZERO, 1.0, 1.0), "length of the direction of a viewer", 0.0));
    for (half, is_right) in [(0.0, false), (-1.0, false), (3.2, false), (std::f32::consts::PI, true)] {
        assert_eq!(new(Vec3::X, Vec3::Y, half, 1.0).is_ok(), is_right, "{half}");
    }
    assert!(is_bad(new(Vec3::X, Vec3::Y, 1.0, 0.0), "finest angle of a viewer", 0.0));

    let viewer = Viewer::new(Vec3::ZERO, Vec3::X * 1e30, 1.0, 0.001).unwrap();
    for wrong in [f32::NAN, f32::INFINITY] {
        for (center, radius, velocity) in [
            (Vec3::X * wrong, 1.0, Vec3::ZERO),
            (Vec3::X, wrong, Vec3::ZERO),
            (Vec3::X, 1.0, Vec3::ONE * wrong),
        ] {
            assert_eq!(viewer.noticeability(center, radius, velocity), 0.0);
            assert_eq!(viewer.resolved_angle(center, radius, velocity), f32::INFINITY);
        }
    }
    // A point at the eye, an empty ball, and the far ends of the numbers.
    let extremes = [0.0, 1e-45, 1e-30, 1.0, f32::MAX];
    for at in extremes {
        for radius in extremes.into_iter().chain([-1.0]) {
            for speed in extremes {
                let seen = viewer.noticeability(Vec3::X * at, radius, Vec3::Y * speed);
                assert!((0.0..f32::INFINITY).contains(&seen), "{at} {radius} {speed}: {seen}");
            }
        }
    }
}

/// Pairs of meshes around a viewer, in a search that has time for some: each pair that is decided
/// is noticed at least as much as each one that is not started.
#[test]
fn a_timed_search_decides_first_what_is_noticed() {
    let ball = icosphere(320);
    let mesh = TriMesh::new(ball.vertices_f32(), ball.triangles).unwrap();
    let mesh = MeshShape::new(mesh).unwrap();
    let mut random = Random::new(3);
    let viewer = Viewer::new(Vec3::ZERO, Vec3::NEG_Z, 0.6, 0.001).unwrap();
    let (mut pairs, mut noticed) = (Vec::new(), Vec::new());
    for _ in 0..120 {
        let center = random.cube_point().as_vec3() * 40.0;
        let mut turn = || random.range(-3.0, 3.0) as f32;
        let turned = Quat::from_euler(EulerRot::XYZ, turn(), turn(), turn());
        let other = center + random.cube_point().as_vec3().normalize() * 1.9;
        pairs.push(MeshPair::new(0, Pose::from_translation(center), 0, Pose::new(turned, other)));
        let velocity = random.cube_point().as_vec3() * 10.0;
        let of_body = |at: Vec3| viewer.noticeability(at, 1.0, velocity);
        noticed.push(of_body(center).min(of_body(other)));
    }
    let n_seen = noticed.iter().filter(|n| 0.0 < **n).count();
    assert!((5..60).contains(&n_seen), "{n_seen}");
    let settings = AnytimeSettings::touching().with_goal(AnytimeGoal::Any).with_order(AnytimeOrder::Priority);
    let (mut search, mut n_between) = (AnytimeMeshes::default(), 0);
    search.start(pairs.len(), &settings);
    loop {
        let run = search
            .run_by(&[&mesh], &pairs, Until::done().with_steps(40), |undecided| {
                noticed[undecided.pair as usize].into()
            })
            .unwrap();
        let is_decided = |pair: usize| search.answer(pair).certainty != Certainty::Unknown;
        // Pairs are opened once in turn, and then by priority. A pair with a second step was
        // noticed no less than a pair without.
        let n_steps = |pair: usize| search.answer(pair).counters.nodes;
        let least = (0..pairs.len()).filter(|p| 1 < n_steps(*p)).map(|p| noticed[p]).fold(f32::MAX, f32::min);
        let most = (0..pairs.len())
            .filter(|p| n_steps(*p) <= 1 && !is_decided(*p))
            .map(|p| noticed[p])
            .fold(0.0, f32::max);
        assert!(most <= least, "{most} waits, and {least} went on");
        n_between += usize::from(0.0 < most && least < f32::MAX);
        if run.is_done() {
            break;
        }
    }
    assert!(3 < n_between, "{n_between}");
}
