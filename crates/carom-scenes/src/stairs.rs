//! Stairs, and ragdolls that are thrown down them: joints, corners and many contacts at once.
//!
//! Reference: M. Macklin et al., Small Steps in Physics Simulation, Symposium on Computer
//! Animation, 2019 (joints under load in contact make solvers unstable).

use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use crate::ragdoll::{RAGDOLL_BODIES, push_ragdoll};
use crate::rng::Rng;
use carom_math::{Pose, Vec3};
use glam::DVec3;

/// Ragdolls side by side.
const ABREAST: usize = 6;

/// Distance between two ragdolls of one row, and between rows, which start above each other.
const SPACING: f64 = 2.4;

/// Returns `n_dolls` ragdolls of several sizes that are turned and thrown at random towards
/// stairs. The stairs descend along x from a landing to a floor at y = 0; their slope, friction
/// and restitution are random. The ragdolls start in the air and touch nothing. Their limbs are
/// marked as fast, so they do not enter the stairs.
pub fn stairs(n_dolls: usize, seed: u64) -> SceneSpec {
    let mut rng = Rng::new(seed);
    let mut scene = SceneSpec::default();
    let n_steps = 8 + rng.below(9);
    let (rise, run) = (rng.range(0.12, 0.26), rng.range(0.22, 0.4));
    let (friction, restitution) = (rng.range(0.1, 0.9) as f32, rng.range(0.0, 0.4) as f32);
    let n_abreast = n_dolls.clamp(1, ABREAST);
    let half_width = 0.5 * SPACING * n_abreast as f64 + 1.0;
    let landing = SPACING + 0.6;
    let mut fix = |shape, at: DVec3| {
        let mut body = BodySpec::fixed(shape, Pose::from_translation(at.as_vec3()));
        (body.friction, body.restitution) = (friction, restitution);
        scene.bodies.push(body);
    };
    fix(ShapeSpec::HalfSpace { normal: Vec3::Y }, DVec3::ZERO);
    for step in 0..=n_steps {
        // The landing is the first step; each is a block that stands on the floor.
        let top = rise * (n_steps + 1 - step) as f64;
        let (from, to) =
            if step == 0 { (-landing, 0.0) } else { (run * (step - 1) as f64, run * step as f64) };
        let half = DVec3::new(0.5 * (to - from), 0.5 * top, half_width);
        let shape = ShapeSpec::Cuboid { half_extents: half.as_vec3() };
        fix(shape, DVec3::new(0.5 * (from + to), 0.5 * top, 0.0));
    }
    for doll in 0..n_dolls {
        let (row, index) = (doll / ABREAST, doll % ABREAST);
        let scale = rng.range(0.5, 1.1);
        let at = DVec3::new(
            -0.7,
            rise * (n_steps + 1) as f64 + 1.25 + rng.range(0.0, 0.8) + SPACING * row as f64,
            (index as f64 - 0.5 * (n_abreast as f64 - 1.0)) * SPACING,
        );
        let pose = Pose::new(rng.rotation().as_quat(), at.as_vec3());
        let first = scene.bodies.len();
        push_ragdoll(&mut scene, &pose, scale as f32, doll as u32 + 1);
        let thrown = DVec3::new(rng.range(0.5, 5.0), rng.range(-2.0, 2.0), rng.range(-1.0, 1.0)).as_vec3();
        let spin = (rng.direction() * rng.range(0.0, 10.0)).as_vec3();
        let friction = rng.range(0.1, 0.9) as f32;
        for limb in &mut scene.bodies[first..first + RAGDOLL_BODIES] {
            limb.linear_velocity = thrown + spin.cross(limb.pose.translation - pose.translation);
            limb.angular_velocity = spin;
            limb.friction = friction;
            limb.uses_ccd = true;
        }
    }
    scene
}
