//! The same bits with any number of threads.

use crate::scene::Scene;
use carom_math::{Pose, Quat, Vec3};
use carom_response::{Body, SolverSettings};

fn run(threads: usize) -> Vec<Body> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut scene = Scene::with_floor(SolverSettings::default());
        for k in 0..600 {
            let place =
                Vec3::new((k % 8) as f32 * 1.05, 0.6 + (k / 64) as f32 * 1.1, (k / 8 % 8) as f32 * 1.05);
            let turn = Quat::from_rotation_y(k as f32 * 0.37) * Quat::from_rotation_x(k as f32 * 0.11);
            scene.dynamic(Vec3::splat(0.5), 1.0, Pose::new(turn, place));
        }
        let mut most = 0;
        for _ in 0..60 {
            most = most.max(scene.step().n_manifolds);
        }
        // Enough of them that threads take part.
        assert!(1000 < most, "{most}");
        scene.bodies
    })
}

#[test]
fn one_two_and_seven_threads() {
    let serial = run(1);
    for threads in [2, 7] {
        assert!(serial == run(threads), "{threads} threads");
    }
}
