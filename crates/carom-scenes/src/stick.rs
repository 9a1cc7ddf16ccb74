//! Bodies that stick where they hit: darts in boxes that hang, and balls of mud on a wall and on
//! each other.
//!
//! Reference: H. Goldstein, Classical Mechanics, 3rd ed., 2002, 1.2 (momentum of a system: the
//! ballistic pendulum).

use crate::body::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use crate::rng::Rng;
use carom_math::{Pose, Vec3};
use core::f32::consts::PI;

/// Boxes that hang in a row, each with a dart that flies at it.
const N_BOXES: usize = 6;

/// Returns a row of boxes that hang from hooks, and a sticky dart for each. Beside them, `n_balls`
/// sticky balls fly at a wall, ten abreast.
pub fn stick(n_balls: usize, seed: u64) -> SceneSpec {
    let mut rng = Rng::new(seed);
    let mut scene = SceneSpec::default();
    scene.bodies.push(BodySpec::fixed(ShapeSpec::HalfSpace { normal: Vec3::Y }, Pose::IDENTITY));
    let wall = ShapeSpec::Cuboid { half_extents: Vec3::new(0.2, 2.5, 3.0) };
    scene.bodies.push(BodySpec::fixed(wall, Pose::from_translation(Vec3::new(2.0, 2.5, 6.0))));
    let at = |x: f32, y: f32, z: f32| Pose::from_translation(Vec3::new(x, y, z));
    for k in 0..N_BOXES {
        let z = 1.4 * k as f32 - 7.0;
        let (hook, hung) = (scene.bodies.len(), scene.bodies.len() + 1);
        scene.bodies.push(BodySpec::fixed(ShapeSpec::Sphere { radius: 0.1 }, at(0.0, 4.0, z)));
        let cube = ShapeSpec::Cuboid { half_extents: Vec3::splat(0.4) };
        scene.bodies.push(BodySpec::new(cube, at(0.0, 1.5, z)));
        scene.joints.push(JointSpec::Ball {
            a: hook,
            b: hung,
            anchor_a: Vec3::ZERO,
            anchor_b: Vec3::Y * 2.5,
            axis_a: Vec3::Y,
            axis_b: Vec3::Y,
            cone: PI,
        });
        // The later ones fly farther; those off the middle turn their box.
        let dart = ShapeSpec::Capsule { half_height: 0.05, radius: 0.04 };
        let aside = 0.12 * (k as f32 - 0.5 * (N_BOXES as f32 - 1.0));
        let mut dart = BodySpec::new(dart, at(-4.0 - 3.0 * k as f32, 1.9, z + aside));
        // It is thrown upwards so that it arrives at the height at which it starts.
        let flight = (3.6 + 3.0 * k as f32) / 15.0;
        dart.linear_velocity = Vec3::new(15.0, 0.5 * 9.81 * flight, 0.0);
        (dart.density, dart.uses_ccd, dart.is_sticky) = (200.0, true, true);
        scene.bodies.push(dart);
    }
    for k in 0..n_balls {
        // Ten abreast, so that they meet the wall before they meet each other.
        let (row, column) = (k / 5 % 2, k % 5);
        let mut aside = || rng.range(-0.15, 0.15) as f32;
        let (y, z) = (1.8 + 1.2 * row as f32 + aside(), 4.2 + 0.9 * column as f32 + aside());
        let x = -2.0 - 0.6 * (k / 10) as f32;
        let shape = ShapeSpec::Sphere { radius: rng.range(0.1, 0.25) as f32 };
        let mut ball = BodySpec::new(shape, at(x, y, z));
        ball.linear_velocity = Vec3::new(12.0, 2.0, 0.0);
        ball.is_sticky = true;
        scene.bodies.push(ball);
    }
    scene
}
