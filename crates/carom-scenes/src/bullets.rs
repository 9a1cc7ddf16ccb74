//! Bullets: small fast bodies, most of them turning, that fly at a wall one millimetre thick.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.8 (a fast ball and a wall
//! within one frame); E. Catto, Continuous Collision, Game Developers Conference, 2013 (bullets).

use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use crate::rng::Rng;
use carom_math::{Pose, Vec3};
use glam::DVec3;

/// Bullets side by side.
const ROW: usize = 100;

/// Returns `n_bodies` balls, boxes and capsules of a centimetre or two, at a kilometre per second.
/// Each is marked as fast. They fly along x at a wall one millimetre thick, with nothing behind
/// it. They start on a grid above a floor, so they meet the wall before each other.
pub fn bullets(n_bodies: usize, seed: u64) -> SceneSpec {
    let mut rng = Rng::new(seed);
    let mut scene = SceneSpec::default();
    let wall = ShapeSpec::Cuboid { half_extents: Vec3::new(0.0005, 500.0, 500.0) };
    scene.bodies.push(BodySpec::fixed(wall, Pose::IDENTITY));
    let floor = ShapeSpec::HalfSpace { normal: Vec3::Y };
    scene.bodies.push(BodySpec::fixed(floor, Pose::IDENTITY));
    for i in 0..n_bodies {
        let shape = match i % 3 {
            0 => ShapeSpec::Sphere { radius: 0.005 },
            1 => ShapeSpec::Cuboid { half_extents: Vec3::new(0.02, 0.004, 0.006) },
            _ => ShapeSpec::Capsule { half_height: 0.015, radius: 0.004 },
        };
        let (row, column) = (i / ROW, i % ROW);
        let position = Vec3::new(
            rng.range(-30.0, -1.0) as f32,
            0.5 + row as f32 * 0.2,
            (column as f32 - 0.5 * (ROW as f32 - 1.0)) * 0.2,
        );
        let mut body = BodySpec::new(shape, Pose::from_translation(position));
        let aside = rng.in_box(DVec3::splat(-10.0), DVec3::splat(10.0)).as_vec3();
        body.linear_velocity = Vec3::new(1000.0, aside.y, aside.z);
        if i % 4 != 0 {
            body.angular_velocity = (rng.direction() * rng.range(0.0, 200.0)).as_vec3();
        }
        body.density = 8000.0;
        body.restitution = 0.3;
        body.uses_ccd = true;
        scene.bodies.push(body);
    }
    scene
}
