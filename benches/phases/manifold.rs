//! Contact manifolds of primitives near each other: each pose without a cache, and sixteen poses
//! with the cache of the previous one.
//!
//! carom takes two poses in the world and answers there; parry takes their difference and answers
//! in the shapes' own frames.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::scenes::primitive_runs;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_geom::{Capsule, Cuboid, Sphere};
use carom_math::{Pose, Vec3};
use carom_query::{ManifoldCache, Shape, manifolds};
use parry3d::math::Pose as ParryPose;
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher as _, details};
use parry3d::shape::{Ball, Capsule as ParryCapsule, Cuboid as ParryCuboid};

/// Largest distance of shapes with contacts.
const PREDICTION: f32 = 0.02;
/// Tolerance of the deepest contact: the rounding of `f32`, and edges that are nearly faces.
const TOLERANCE: f64 = 1e-3;

type Manifold = ContactManifold<(), ()>;

fn main() {
    let mut runner = Runner::new("manifold");
    let half = Vec3::new(0.5, 0.4, 0.3);
    let cuboid = Shape::Cuboid(Cuboid::new(half).expect("half extents are positive"));
    let capsule = Shape::Capsule(Capsule::new(0.5, 0.25).expect("measures are positive"));
    let sphere = Shape::Sphere(Sphere::new(0.4).expect("a radius is positive"));
    let their_cuboid = ParryCuboid::new(parry::vector(half));
    let their_capsule = ParryCapsule::new_y(0.5, 0.25);
    let their_ball = Ball::new(0.4);

    compare(&mut runner, "box-box", &cuboid, &cuboid, |pose, manifold| {
        details::contact_manifold_cuboid_cuboid(pose, &their_cuboid, &their_cuboid, PREDICTION, manifold);
    });
    compare(&mut runner, "capsule-capsule", &capsule, &capsule, |pose, manifold| {
        details::contact_manifold_capsule_capsule(pose, &their_capsule, &their_capsule, PREDICTION, manifold);
    });
    compare(&mut runner, "box-sphere", &cuboid, &sphere, |pose, manifold| {
        details::contact_manifold_convex_ball(
            pose,
            &their_cuboid,
            &their_ball,
            None,
            None,
            PREDICTION,
            manifold,
            false,
        );
    });
    // parry has no algorithm for this pair: its dispatcher is called, as by its users.
    compare(&mut runner, "box-capsule", &cuboid, &capsule, |pose, manifold| {
        let result = DefaultQueryDispatcher.contact_manifold_convex_convex(
            pose,
            &their_cuboid,
            &their_capsule,
            None,
            None,
            PREDICTION,
            manifold,
        );
        debug_assert!(result.is_ok(), "parry has no answer for this pair");
    });
}

fn compare(
    runner: &mut Runner,
    workload: &str,
    a: &Shape,
    b: &Shape,
    mut theirs: impl FnMut(&ParryPose, &mut Manifold),
) {
    let runs = primitive_runs(256, 9);
    let their_runs: Vec<Vec<ParryPose>> =
        runs.iter().map(|run| run.iter().map(parry::pose).collect()).collect();
    let mut out = Vec::new();
    let ours = |pose: &Pose, cache: &mut ManifoldCache, out: &mut Vec<_>| {
        out.clear();
        manifolds(a, &Pose::IDENTITY, b, pose, PREDICTION, cache, out);
    };

    let mut answers = Answers::new();
    for (i, (pose, their_pose)) in runs.iter().zip(&their_runs).flat_map(|(a, b)| a.iter().zip(b)).enumerate()
    {
        let mut manifold = Manifold::new();
        theirs(their_pose, &mut manifold);
        let deepest = manifold.find_deepest_contact().map_or(f32::INFINITY, |contact| contact.dist);
        ours(pose, &mut ManifoldCache::new(), &mut out);
        let own = out.first().and_then(|manifold| manifold.deepest()).map_or(f32::INFINITY, |c| c.distance);
        // Whether shapes just at the limit have contacts is a matter of rounding.
        let is_near = |distance: f32| distance <= PREDICTION - TOLERANCE as f32;
        if is_near(own) || is_near(deepest) {
            answers.number(&format!("pose {i}: deepest"), own.into(), deepest.into(), TOLERANCE);
        }
    }

    let n_poses: usize = runs.iter().map(Vec::len).sum();
    for (suffix, is_warm) in [("cold", false), ("warm", true)] {
        let name = format!("{workload} {suffix}");
        if !runner.wants(&name) {
            continue;
        }
        let row = Row { workload: &name, size: 2, unit: Unit::Ns, per_call: n_poses as u64 };
        let comparison = Comparison::new(answers.clone())
            .entry("carom", || {
                for run in &runs {
                    let mut cache = ManifoldCache::new();
                    for pose in run {
                        if !is_warm {
                            cache = ManifoldCache::new();
                        }
                        ours(pose, &mut cache, &mut out);
                        std::hint::black_box(&out);
                    }
                }
            })
            .entry("parry", || {
                for run in &their_runs {
                    let mut manifold = Manifold::new();
                    for pose in run {
                        if !is_warm {
                            manifold.clear();
                        }
                        theirs(pose, &mut manifold);
                        std::hint::black_box(&manifold);
                    }
                }
            });
        runner.compare(row, comparison);
    }
}
