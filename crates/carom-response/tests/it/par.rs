//! The same bits with any number of threads; a step also ends if other work occupies the threads.

use crate::scene::Scene;
use carom_math::{Pose, Quat, Vec3};
use carom_response::{Body, Joint, JointKind, SolverSettings};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn run(n_steps: usize) -> Vec<Body> {
    let mut scene = Scene::with_floor(SolverSettings::default());
    for k in 0..600 {
        let position =
            Vec3::new((k % 8) as f32 * 1.05, 0.6 + (k / 64) as f32 * 1.1, (k / 8 % 8) as f32 * 1.05);
        let turn = Quat::from_rotation_y(k as f32 * 0.37) * Quat::from_rotation_x(k as f32 * 0.11);
        scene.dynamic(Vec3::splat(0.5), 1.0, Pose::new(turn, position));
    }
    let mut most = 0;
    for _ in 0..n_steps {
        most = most.max(scene.step().n_manifolds);
    }
    // Enough of them that threads take part.
    assert!(1000 < most, "{most}");
    scene.bodies
}

#[test]
fn one_two_and_seven_threads() {
    let serial = pool(1).install(|| run(60));
    for threads in [2, 7] {
        assert!(serial == pool(threads).install(|| run(60)), "{threads} threads");
    }
}

#[test]
fn more_worlds_than_threads() {
    let serial = pool(1).install(|| run(20));
    let pool = pool(2);
    let (a, b) = pool.install(|| rayon::join(|| run(20), || run(20)));
    assert!(a == serial && b == serial);
    let all: Vec<_> = pool.install(|| (0..5).into_par_iter().map(|_| run(20)).collect());
    assert!(all.iter().all(|bodies| *bodies == serial));
}

#[test]
fn a_pool_whose_other_threads_are_busy_until_it_is_done() {
    let serial = pool(1).install(|| run(20));
    let pool = pool(3);
    let (n_busy, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let bodies = pool.in_place_scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|_| {
                n_busy.fetch_add(1, Ordering::Relaxed);
                while !is_done.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
            });
        }
        while n_busy.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        let bodies = catch_unwind(AssertUnwindSafe(|| pool.install(|| run(20))));
        is_done.store(true, Ordering::Relaxed);
        bodies
    });
    assert!(bodies.unwrap() == serial);
}

/// 5,000 boxes that fall on one floor, and five more in a chain elsewhere, if so asked; all after
/// some steps.
fn many(has_chain: bool) -> Vec<Body> {
    let mut scene = Scene::with_floor(SolverSettings::default());
    let lower = Vec3::new(0.0, -30.0, 0.0);
    for k in 0..5000 {
        let position = Vec3::new((k % 70) as f32 * 1.05, 0.52, (k / 70) as f32 * 1.05);
        let turn = Quat::from_rotation_y(k as f32 * 0.37);
        let half = Vec3::new(0.5, 0.4 + 0.1 * (k % 3) as f32, 0.3);
        scene.dynamic(half, 1.0, Pose::new(turn, position));
    }
    for k in 0..5 {
        scene.dynamic(Vec3::splat(0.4), 1.0, Pose::new(Quat::IDENTITY, lower + k as f32 * Vec3::X));
    }
    if has_chain {
        for k in 5001..5005 {
            let middle = 0.5 * (scene.bodies[k].pose.translation + scene.bodies[k + 1].pose.translation);
            let kind = JointKind::Spherical { cone: std::f32::consts::PI, twist: None };
            let joint = Joint::at(kind, &scene.bodies, k as u32, k as u32 + 1, middle, Vec3::X);
            scene.joints.push(joint.unwrap());
        }
    }
    for _ in 0..4 {
        scene.step();
    }
    scene.bodies
}

#[test]
fn many_bodies_move_alike_on_all_threads_and_where_others_are_joined() {
    let plain = pool(1).install(|| many(false));
    let jointed = pool(1).install(|| many(true));
    assert!(plain[..5001] == jointed[..5001]);
    for threads in [2, 7] {
        assert!(plain == pool(threads).install(|| many(false)), "{threads} threads");
        assert!(jointed == pool(threads).install(|| many(true)), "{threads} threads");
    }
}
