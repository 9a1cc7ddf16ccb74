//! Chains of rigid links under heavy loads: their length and their energy, at steps of any length.

use crate::scene::{Scene, box_inertia};
use carom_math::{Pose, Vec3};
use carom_response::{Body, Joint, JointKind, SolverSettings};

/// Length of a link.
const LINK: f32 = 0.3;

/// Nine links of 1 kg along a direction, with a load as a tenth one. Together they are 3 m long.
fn chain(load: f32, along: Vec3) -> Scene {
    let mut scene = Scene::new(SolverSettings::default());
    scene.fixed(Vec3::splat(0.1), Pose::IDENTITY);
    for k in 0..10 {
        let (half, mass) = if k == 9 { (Vec3::splat(0.15), load) } else { (Vec3::splat(0.03), 1.0) };
        let half = half.max(along.abs() * (0.5 * LINK));
        let at = Pose::from_translation(along * (LINK * (k as f32 + 0.5)));
        scene.bodies.push(Body::dynamic(at, mass, Vec3::ZERO, box_inertia(half, mass)));
        scene.half.push(half);
        let kind = JointKind::Spherical { cone: 4.0, twist: None };
        let at = along * (LINK * k as f32);
        scene.joints.push(Joint::at(kind, &scene.bodies, k, k + 1, at, Vec3::X).unwrap());
    }
    scene
}

/// With 300 times the mass of a link and more, a chain has more substeps in a longer step. So its
/// joints are as stiff at 30 steps a second as at 120.
#[test]
fn a_heavy_load_stretches_a_chain_little_at_any_rate() {
    for load in [1e3, 1e4] {
        for along in [Vec3::NEG_Y, Vec3::X] {
            for rate in [20.0, 30.0, 60.0, 120.0_f32] {
                let mut scene = chain(load, along);
                let (start, scale) = (scene.energy(), load * 9.81 * 3.0);
                let (mut longest, mut gained) = (0.0f32, 0.0f32);
                for _ in 0..(8.0 * rate) as usize {
                    // Links do not touch each other.
                    let Scene { solver, bodies, joints, .. } = &mut scene;
                    solver.step(bodies, &[], joints, 1.0 / rate).unwrap();
                    longest = longest.max(scene.bodies[10].pose.translation.length() + 0.5 * LINK);
                    gained = gained.max((scene.energy() - start) / scale);
                }
                println!("{load} kg, {along}, 1/{rate} s: {longest} m at most, gained {gained:.1e}");
                assert!(longest < 3.4, "{load} kg, {along}, 1/{rate} s: {longest}");
                assert!(gained < 2e-3, "{load} kg, {along}, 1/{rate} s: {gained}");
            }
        }
    }
}
