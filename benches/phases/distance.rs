//! Convex distance: pairs of hulls near and far from a cold start, and pairs that turn slowly from a warm one.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::scenes::{HullPair, Hulls};
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_geom::ConvexHull;
use carom_gjk::{GjkCache, GjkSettings, distance};
use parry3d::math::{Pose as ParryPose, Vector};
use parry3d::query::details;
use parry3d::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d::shape::ConvexPolyhedron;

/// parry's distances are `f32` throughout; what it is off by at a distance of 2 is no news.
const TOLERANCE: f64 = 2e-3;

fn main() {
    let mut runner = Runner::new("distance");
    for n in [8, 32, 128, 512] {
        let scene = Hulls::new(n, 11);
        let hulls: Vec<ConvexHull> = scene
            .points
            .iter()
            .map(|points| {
                let points: Vec<_> = points.iter().map(|p| p.as_vec3()).collect();
                ConvexHull::from_points(&points).expect("points of an ellipsoid have a hull")
            })
            .collect();
        let peers: Vec<ConvexPolyhedron> =
            scene.points.iter().map(|points| parry::hull(points).expect("parry builds the hull")).collect();
        for (workload, gap) in [("near", 0.01), ("far", 2.0)] {
            if runner.wants(workload) {
                cold(&mut runner, workload, n, &hulls, &peers, &scene.apart(2000, gap, 5));
            }
        }
        if runner.wants("warm") {
            warm(&mut runner, n, &hulls, &peers, &scene.sequences(100, 0.45, 6));
        }
    }
}

fn cold(
    runner: &mut Runner,
    workload: &str,
    n: usize,
    hulls: &[ConvexHull],
    peers: &[ConvexPolyhedron],
    pairs: &[HullPair],
) {
    let settings = GjkSettings::default();
    let poses: Vec<ParryPose> = pairs.iter().map(|pair| parry::pose(&pair.b_in_a)).collect();
    let ours =
        |pair: &HullPair| distance(&hulls[pair.a], &hulls[pair.b], &pair.b_in_a, &settings, None).distance;
    let theirs = |pair: &HullPair, pose: &ParryPose| {
        details::distance_support_map_support_map(pose, &peers[pair.a], &peers[pair.b])
    };
    let mut answers = Answers::new();
    for (i, (pair, pose)) in pairs.iter().zip(&poses).enumerate() {
        answers.number(&format!("pair {i}"), f64::from(ours(pair)), f64::from(theirs(pair, pose)), TOLERANCE);
    }
    let row = Row { workload, size: n as u64, unit: Unit::Ns, per_call: pairs.len() as u64 };
    let contest = Contest::new(answers)
        .entry("carom", || {
            for pair in pairs {
                std::hint::black_box(ours(pair));
            }
        })
        .entry("parry", || {
            for (pair, pose) in pairs.iter().zip(&poses) {
                std::hint::black_box(theirs(pair, pose));
            }
        });
    runner.alike(row, contest);
}

fn warm(
    runner: &mut Runner,
    n: usize,
    hulls: &[ConvexHull],
    peers: &[ConvexPolyhedron],
    sequences: &[Vec<HullPair>],
) {
    let settings = GjkSettings::default();
    let poses: Vec<Vec<ParryPose>> = sequences
        .iter()
        .map(|sequence| sequence.iter().map(|pair| parry::pose(&pair.b_in_a)).collect())
        .collect();
    let ours = |pair: &HullPair, cache: &mut GjkCache| {
        distance(&hulls[pair.a], &hulls[pair.b], &pair.b_in_a, &settings, Some(cache)).distance
    };
    let theirs =
        |pair: &HullPair, pose: &ParryPose, simplex: &mut VoronoiSimplex, last: &mut Option<Vector>| {
            let (a, b) = (&peers[pair.a], &peers[pair.b]);
            match details::closest_points_support_map_support_map_with_params(
                pose,
                a,
                b,
                f32::MAX,
                simplex,
                *last,
            ) {
                GJKResult::ClosestPoints(point_a, point_b, direction) => {
                    *last = Some(direction);
                    (point_b - point_a).length()
                }
                _ => 0.0,
            }
        };
    let mut answers = Answers::new();
    for (sequence, poses) in sequences.iter().zip(&poses) {
        let (mut cache, mut simplex, mut last) = (GjkCache::new(), VoronoiSimplex::new(), None);
        for (pair, pose) in sequence.iter().zip(poses) {
            let theirs = f64::from(theirs(pair, pose, &mut simplex, &mut last));
            answers.number("warm", f64::from(ours(pair, &mut cache)), theirs, TOLERANCE);
        }
    }
    let n_steps: usize = sequences.iter().map(Vec::len).sum();
    let row = Row { workload: "warm", size: n as u64, unit: Unit::Ns, per_call: n_steps as u64 };
    let contest = Contest::new(answers)
        .entry("carom", || {
            for sequence in sequences {
                let mut cache = GjkCache::new();
                for pair in sequence {
                    std::hint::black_box(ours(pair, &mut cache));
                }
            }
        })
        .entry("parry", || {
            for (sequence, poses) in sequences.iter().zip(&poses) {
                let (mut simplex, mut last) = (VoronoiSimplex::new(), None);
                for (pair, pose) in sequence.iter().zip(poses) {
                    std::hint::black_box(theirs(pair, pose, &mut simplex, &mut last));
                }
            }
        });
    runner.alike(row, contest);
}
