//! Convex distance: pairs of hulls near and far from a cold start, and pairs that turn slowly from
//! a warm one.
//!
//! The first entry is carom's `distance`, which walks on the features of hulls that are apart. GJK
//! alone, and GJK with momentum, are further entries. Momentum is judged by the number of GJK
//! iterations, which cost the same except for the choice of the direction.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::rivals::momentum::{self, Momentum};
use carom_benches::scenes::{HullPair, Hulls};
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::ConvexHull;
use carom_gjk::{GjkCache, GjkSettings, distance};
use carom_math::Pose;
use carom_query::{ManifoldCache, Shape, Workspace, distance_cached, distance_with};
use carom_testkit::oracle::certificate;
use carom_testkit::oracle::solid::{Core, Difference, Solid};
use parry3d::math::{Pose as ParryPose, Vector};
use parry3d::query::details;
use parry3d::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d::shape::ConvexPolyhedron;
use std::sync::Arc;

/// Tolerance of distances: parry computes in `f32`, and distances are up to 2.
///
/// If two distances differ by more, [`Judge`] finds the right one, and an error of parry does not
/// count as a difference. With 512 vertices parry has such errors in 2 of 2000 pairs that are 2
/// apart (up to 2.8e-3), and in 3 of 1600 steps of a warm start (up to 3.6e-3). carom's distances
/// of these pairs are within 1e-6 of the proof.
const TOLERANCE: f64 = 2e-3;

/// Tolerance between carom's own algorithms: the rounding of a distance to `f32`.
const OWN_TOLERANCE: f64 = 1e-6;

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

/// Finds which of two different distances is right, by a proof that shares no code with either.
struct Judge {
    solids: Vec<Solid>,
    n_wrong: u64,
    worst: f64,
}

impl Judge {
    fn new(hulls: &[ConvexHull]) -> Judge {
        let points = |hull: &ConvexHull| hull.vertices().iter().map(|p| p.as_dvec3()).collect();
        let solids =
            hulls.iter().map(|hull| Solid { core: Core::Points(points(hull)), radius: 0.0 }).collect();
        Judge { solids, n_wrong: 0, worst: 0.0 }
    }

    /// Compares the two. If they differ, compares carom's distance with the truth and counts the
    /// peer's error.
    fn number(&mut self, answers: &mut Answers, what: &str, pair: &HullPair, own: f64, theirs: f64) {
        if (own - theirs).abs() <= TOLERANCE {
            return answers.number(what, own, theirs, TOLERANCE);
        }
        let (a, b) = (&self.solids[pair.a], &self.solids[pair.b]);
        let proof = certificate::signed_distance(&Difference::new(a, b, pair.b_in_a.wide()), &[]);
        answers.number(what, own, own.clamp(proof.lower, proof.upper), OWN_TOLERANCE);
        let error = (theirs - proof.upper).max(proof.lower - theirs);
        if TOLERANCE < error {
            self.n_wrong += 1;
            self.worst = self.worst.max(error);
        }
    }

    fn report(&self) {
        if 0 < self.n_wrong {
            println!("    parry is wrong about {}, by up to {:.2e}", self.n_wrong, self.worst);
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
    let shapes: Vec<Shape> = hulls.iter().map(|hull| Shape::Hull(Arc::new(hull.clone()))).collect();
    let mut memory = Workspace::default();
    let mut ours = |pair: &HullPair| {
        let (a, b) = (&shapes[pair.a], &shapes[pair.b]);
        distance_with(a, &Pose::IDENTITY, b, &pair.b_in_a, &mut memory).distance
    };
    let by_gjk =
        |pair: &HullPair| distance(&hulls[pair.a], &hulls[pair.b], &pair.b_in_a, &settings, None).distance;
    let theirs = |pair: &HullPair, pose: &ParryPose| {
        details::distance_support_map_support_map(pose, &peers[pair.a], &peers[pair.b])
    };
    let mut answers = Answers::new();
    let mut judge = Judge::new(hulls);
    for (i, (pair, pose)) in pairs.iter().zip(&poses).enumerate() {
        let own = f64::from(ours(pair));
        judge.number(&mut answers, &format!("pair {i}"), pair, own, f64::from(theirs(pair, pose)));
        answers.number(&format!("pair {i}, GJK"), own, f64::from(by_gjk(pair)), OWN_TOLERANCE);
    }
    judge.report();
    rounds(hulls, pairs, &mut answers);
    let row = Row { workload, size: n as u64, unit: Unit::Ns, per_call: pairs.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for pair in pairs {
                std::hint::black_box(ours(pair));
            }
        })
        .entry("carom-gjk", || {
            for pair in pairs {
                std::hint::black_box(by_gjk(pair));
            }
        })
        .entry("parry", || {
            for (pair, pose) in pairs.iter().zip(&poses) {
                std::hint::black_box(theirs(pair, pose));
            }
        });
    runner.compare(row, comparison);
}

/// Prints the mean number of GJK iterations, with momentum and without.
fn rounds(hulls: &[ConvexHull], pairs: &[HullPair], answers: &mut Answers) {
    let mut n_rounds = [0; 3];
    for pair in pairs {
        let wide = pair.b_in_a.wide();
        let found = [Momentum::None, Momentum::Nesterov, Momentum::Polyak]
            .map(|momentum| momentum::distance(&hulls[pair.a], &hulls[pair.b], &wide, momentum));
        for (sum, found) in n_rounds.iter_mut().zip(&found) {
            *sum += found.n_rounds;
        }
        for with in &found[1..] {
            answers.number("momentum", found[0].distance, with.distance, OWN_TOLERANCE);
        }
    }
    let [none, nesterov, polyak] = n_rounds.map(|n| f64::from(n) / pairs.len() as f64);
    println!(
        "    rounds of GJK: {none:.2}, with Nesterov's momentum {nesterov:.2}, with Polyak's {polyak:.2}"
    );
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
    let shapes: Vec<Shape> = hulls.iter().map(|hull| Shape::Hull(Arc::new(hull.clone()))).collect();
    let mut memory = Workspace::default();
    let mut ours = |pair: &HullPair, cache: &mut ManifoldCache| {
        let (a, b) = (&shapes[pair.a], &shapes[pair.b]);
        distance_cached(a, &Pose::IDENTITY, b, &pair.b_in_a, cache, &mut memory).distance
    };
    let by_gjk = |pair: &HullPair, cache: &mut GjkCache| {
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
    let mut judge = Judge::new(hulls);
    for (sequence, poses) in sequences.iter().zip(&poses) {
        let (mut cache, mut simplex, mut last) = (ManifoldCache::new(), VoronoiSimplex::new(), None);
        let mut gjk_cache = GjkCache::new();
        for (pair, pose) in sequence.iter().zip(poses) {
            let theirs = f64::from(theirs(pair, pose, &mut simplex, &mut last));
            let own = f64::from(ours(pair, &mut cache));
            judge.number(&mut answers, "warm", pair, own, theirs);
            answers.number("warm GJK", own, f64::from(by_gjk(pair, &mut gjk_cache)), OWN_TOLERANCE);
        }
    }
    judge.report();
    let n_steps: usize = sequences.iter().map(Vec::len).sum();
    let row = Row { workload: "warm", size: n as u64, unit: Unit::Ns, per_call: n_steps as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for sequence in sequences {
                let mut cache = ManifoldCache::new();
                for pair in sequence {
                    std::hint::black_box(ours(pair, &mut cache));
                }
            }
        })
        .entry("carom-gjk", || {
            for sequence in sequences {
                let mut cache = GjkCache::new();
                for pair in sequence {
                    std::hint::black_box(by_gjk(pair, &mut cache));
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
    runner.compare(row, comparison);
}
