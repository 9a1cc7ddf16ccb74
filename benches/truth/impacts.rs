//! Times of impact of rotating boxes and hulls, against dense sampling: missed impacts, wrong
//! brackets, undecided answers.
//!
//! Boxes are those of the published comparison. Half extents are from 0.05 to 1.05, and gaps at the
//! start at least 0.05. Boxes move by up to 4 along each axis in the step. One or both rotate by
//! 0.2 to 3 radians.
//!
//! Hulls have 8 to 32 vertices and fly at each other. An impact is deeper than a hundredth at one
//! of the samples.
//!
//! With the feature `peers`, parry gets the same input. Its sweep moves on another curve. It counts
//! as a miss only if the bodies are as deep on that curve.

use crate::Options;
use crate::work::in_chunks;
use carom_geom::f64::{ConvexHull, Cuboid};
use carom_gjk::{GjkSettings, wide};
use carom_query::f64::{Shape, cast};
use carom_query::{ImpactSettings, Motion, TimeOfImpact};
use carom_testkit::oracle::impact::{Figure, Path, SampledMinimum, first_contact, gap};
use carom_testkit::random::Random;
use glam::{DQuat, DVec3};
use std::sync::Arc;

const ROTATIONS: [f64; 4] = [0.2, 0.78, 1.5, 3.0];
const CHUNK: u64 = 500;
const N_SAMPLES: usize = 200;
/// The depth beyond which an impact must be found.
const DEEP: f64 = 0.01;
/// The rounding of the poses of the truth.
const ROUNDING: f64 = 1e-12;

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sweeps: u64,
    impacts: u64,
    hits: u64,
    missed: u64,
    /// The number of wrong brackets: apart at the end, or together before the start.
    wrong: u64,
    undecided: u64,
    missed_nonlinear: u64,
    missed_sweep: u64,
}

/// Runs all sweeps. Returns whether nothing was missed and no bracket was wrong.
pub(crate) fn run(options: &Options) -> bool {
    let each = options.count.unwrap_or(2_000_000) / 16;
    let mut is_right = true;
    println!("missed of the impacts deeper than {DEEP}; parry where it was built in");
    println!(
        "{:>6} {:>5} {:>5} {:>9} {:>9} {:>9} {:>7} {:>6} {:>9} {:>10} {:>6}",
        "bodies",
        "turn",
        "both",
        "sweeps",
        "impacts",
        "hits",
        "missed",
        "wrong",
        "undecided",
        "nonlinear",
        "sweep"
    );
    for is_box in [true, false] {
        for both in [false, true] {
            for (row, angle) in ROTATIONS.into_iter().enumerate() {
                if options.turn.is_some_and(|turn| turn != angle) {
                    continue;
                }
                let tallies = in_chunks(each.div_ceil(CHUNK), options, |chunk, counts: &mut Counts| {
                    let mut random = Random::new(options.seed << 40 ^ (row as u64) << 32 ^ chunk);
                    for _ in 0..CHUNK {
                        sweep(&mut random, is_box, angle, both, counts);
                    }
                });
                let mut all = Counts::default();
                for one in tallies {
                    all.sweeps += one.sweeps;
                    all.impacts += one.impacts;
                    all.hits += one.hits;
                    all.missed += one.missed;
                    all.wrong += one.wrong;
                    all.undecided += one.undecided;
                    all.missed_nonlinear += one.missed_nonlinear;
                    all.missed_sweep += one.missed_sweep;
                }
                is_right &= all.missed == 0 && all.wrong == 0;
                let peer = |n: u64| if cfg!(feature = "peers") { n.to_string() } else { "-".to_owned() };
                println!(
                    "{:>6} {angle:>5} {:>5} {:>9} {:>9} {:>9} {:>7} {:>6} {:>9} {:>10} {:>6}",
                    if is_box { "boxes" } else { "hulls" },
                    if both { "yes" } else { "no" },
                    all.sweeps,
                    all.impacts,
                    all.hits,
                    all.missed,
                    all.wrong,
                    all.undecided,
                    peer(all.missed_nonlinear),
                    peer(all.missed_sweep)
                );
            }
        }
    }
    is_right
}

struct Body {
    shape: Shape,
    figure: Figure,
    path: Path,
    motion: Motion,
}

fn direction(random: &mut Random) -> DVec3 {
    loop {
        let v = random.cube_point();
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// Rounds to numbers of `f32`, so that all libraries get the same input.
fn single(v: DVec3) -> DVec3 {
    v.as_vec3().as_dvec3()
}

fn body(random: &mut Random, is_box: bool, angle: f64, moves: f64, reach: f64) -> Option<Body> {
    let q = DQuat::from_xyzw(
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
        random.range(-1.0, 1.0),
    );
    let q = if q.length_squared() < 0.01 { DQuat::IDENTITY } else { q.normalize().as_quat().as_dquat() };
    let center = single(random.cube_point() * reach);
    let mut path = Path {
        rotation: q,
        local_center: DVec3::ZERO,
        center,
        linear: single(random.cube_point() * moves),
        angular: single(direction(random) * angle),
    };
    let (shape, figure) = if is_box {
        let half = DVec3::new(random.range(0.05, 1.05), random.range(0.05, 1.05), random.range(0.05, 1.05));
        let half = single(half);
        (Shape::Cuboid(Cuboid::new(half).ok()?), Figure::cuboid(half))
    } else {
        // Aimed, because hulls of size one would miss each other otherwise.
        path.linear = single(path.linear * 0.25 - path.center);
        let points: Vec<DVec3> = (0..8 + random.below(25))
            .map(|_| single(direction(random) * DVec3::new(1.0, 0.8, 0.6)))
            .collect();
        let hull = ConvexHull::from_points(&points).ok()?;
        let corners = points[..4].to_vec();
        // The tests below need its corners alone.
        let mut figure = Figure::hull(&corners);
        figure.points = points;
        (Shape::Hull(Arc::new(hull)), figure)
    };
    let motion = Motion::new(path.rotation, path.center, DVec3::ZERO, path.linear, path.angular).ok()?;
    Some(Body { shape, figure, path, motion })
}

/// Returns the signed depth if they overlap, else their distance or a bound of it.
fn apart(a: &Body, b: &Body, t: f64) -> f64 {
    match (&a.shape, &b.shape) {
        (Shape::Hull(hull_a), Shape::Hull(hull_b)) => {
            let pose_of = |path: &Path| {
                let (turn, at) = path.at(t);
                carom_math::WidePose::from_quat(turn, at)
            };
            let b_in_a = pose_of(&b.path).relative_to(&pose_of(&a.path));
            let between_balls = b_in_a.translation.length() - 2.0;
            if 0.0 < between_balls {
                return between_balls;
            }
            wide::signed_distance(&**hull_a, &**hull_b, &b_in_a, &GjkSettings::default(), None).distance
        }
        _ => gap((&a.figure, &a.path), (&b.figure, &b.path), t),
    }
}

fn sweep(random: &mut Random, is_box: bool, angle: f64, both: bool, counts: &mut Counts) {
    let (spin, moves) = if both { (angle, 1.0) } else { (0.0, 0.0) };
    let Some(a) = body(random, is_box, spin, moves, 0.0) else { return };
    let Some(b) = body(random, is_box, angle, 4.0, 2.5) else { return };
    let between = |t: f64| apart(&a, &b, t);
    if between(0.0) < 0.05 {
        return;
    }
    counts.sweeps += 1;
    let SampledMinimum { first, least } = first_contact(between, 0.0, 1.0, N_SAMPLES);
    // The minimum is searched after the first contact too, until it is deep.
    let is_deep = first.is_some_and(|t| {
        least < -DEEP || (0..=N_SAMPLES).any(|i| between(t + (1.0 - t) * i as f64 / N_SAMPLES as f64) < -DEEP)
    });
    counts.impacts += u64::from(is_deep);
    match cast(&a.shape, &a.motion, &b.shape, &b.motion, &ImpactSettings::default()) {
        TimeOfImpact::Hit(impact) => {
            counts.hits += 1;
            let ends_apart = ROUNDING < between(impact.t_hi);
            let is_late = first.is_some_and(|first| first < impact.t_lo) && between(impact.t_lo) < -ROUNDING;
            let is_empty = !(impact.t_lo <= impact.t_hi);
            if ends_apart || is_late || is_empty {
                counts.wrong += 1;
                eprintln!(
                    "wrong: {first:?} {impact:?} {:?} {:?} {:?} {:?}",
                    a.shape, a.path, b.shape, b.path
                );
            }
        }
        TimeOfImpact::Clear(clear) => {
            if first.is_some() && least < -ROUNDING {
                counts.missed += 1;
                eprintln!("missed: {first:?} {:?} {:?} {:?} {:?}", a.shape, a.path, b.shape, b.path);
            }
            counts.wrong += u64::from(!(0.0 < clear.distance));
        }
        TimeOfImpact::Undecided(undecided) => {
            counts.undecided += 1;
            if first.is_some_and(|first| first + ROUNDING < undecided.t_safe) {
                counts.wrong += 1;
            }
            eprintln!("undecided: {undecided:?} {:?} {:?} {:?} {:?}", a.shape, a.path, b.shape, b.path);
        }
    }
    #[cfg(feature = "peers")]
    if is_deep {
        let (nonlinear, swept) = peer::misses(&a, &b);
        counts.missed_nonlinear += u64::from(nonlinear);
        counts.missed_sweep += u64::from(swept);
    }
}

/// The two queries of parry.
#[cfg(feature = "peers")]
mod peer {
    use super::{Body, DEEP, Shape};
    use carom_benches::peers::parry;
    use carom_gjk::{GjkSettings, wide};
    use carom_math::{Pose, WidePose};
    use glam::{DQuat, DVec3};
    use parry3d::query::{
        NonlinearRigidMotion, Sweep, SweepToiStatus, ToiProxy, cast_shapes_nonlinear, sweep_time_of_impact,
    };
    use parry3d::shape::{Cuboid, Shape as ParryShape};

    fn pose(body: &Body, t: f64) -> parry3d::math::Pose {
        let (turn, at) = body.path.at(t);
        parry::pose(&Pose::new(turn.as_quat(), at.as_vec3()))
    }

    fn shape(body: &Body) -> Option<Box<dyn ParryShape>> {
        Some(match &body.shape {
            Shape::Cuboid(cuboid) => {
                Box::new(Cuboid::new(parry::vector(cuboid.half_extents().as_vec3()))) as Box<dyn ParryShape>
            }
            _ => Box::new(parry::hull(&body.figure.points)?),
        })
    }

    /// Whether the nonlinear cast, and the sweep, report no impact.
    pub(super) fn misses(a: &Body, b: &Body) -> (bool, bool) {
        let (Some(shape_a), Some(shape_b)) = (shape(a), shape(b)) else { return (false, false) };
        let motion = |body: &Body| {
            NonlinearRigidMotion::new(
                pose(body, 0.0),
                parry::vector(glam::Vec3::ZERO),
                parry::vector(body.path.linear.as_vec3()),
                parry::vector(body.path.angular.as_vec3()),
            )
        };
        let nonlinear = cast_shapes_nonlinear(&motion(a), &*shape_a, &motion(b), &*shape_b, 0.0, 1.0, true);
        let sweep = |body: &Body| {
            Sweep::from_poses(&pose(body, 0.0), &pose(body, 1.0), parry::vector(glam::Vec3::ZERO))
        };
        let (sweep_a, sweep_b) = (sweep(a), sweep(b));
        let points = |body: &Body| -> Vec<_> {
            body.figure.points.iter().map(|p| parry::vector(p.as_vec3())).collect()
        };
        let (points_a, points_b) = (points(a), points(b));
        let (proxy_a, proxy_b) =
            (ToiProxy::from_points(&points_a, 0.0), ToiProxy::from_points(&points_b, 0.0));
        let swept = sweep_time_of_impact(&proxy_a, &sweep_a, &proxy_b, &sweep_b, 1.0, 0.005);
        let is_deep_there = || {
            (0..=100).any(|i| {
                let pose_at = |sweep: &Sweep| {
                    let pose = sweep.transform_at(i as f32 / 100.0);
                    let (q, p) = (pose.rotation, pose.translation);
                    let turn = DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into());
                    WidePose::from_quat(turn, DVec3::new(p.x.into(), p.y.into(), p.z.into()))
                };
                let b_in_a = pose_at(&sweep_b).relative_to(&pose_at(&sweep_a));
                let settings = GjkSettings::default().with_max_distance(0.0);
                let distance = match (&a.shape, &b.shape) {
                    (Shape::Hull(a), Shape::Hull(b)) => {
                        wide::signed_distance(&**a, &**b, &b_in_a, &settings, None).distance
                    }
                    (Shape::Cuboid(a), Shape::Cuboid(b)) => {
                        wide::signed_distance(a, b, &b_in_a, &settings, None).distance
                    }
                    _ => 0.0,
                };
                distance < -DEEP
            })
        };
        let swept_misses = swept.status == SweepToiStatus::Separated && is_deep_there();
        (matches!(nonlinear, Ok(None)), swept_misses)
    }
}
