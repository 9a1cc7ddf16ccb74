//! The works of a clock: a train of gears on arbors that drive each other by their teeth alone.
//! Each arbor has a coil spring around it.
//!
//! The train runs back and forth in rows before a plate. Each gear meshes with the one before it,
//! and the first is driven.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25 (an old clock of springs and
//! gears, wound up); F. Litvin, A. Fuentes, Gear Geometry and Applied Theory, 2nd ed., 2004, ch.
//! 10.

use crate::body::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use crate::mesh::{Gear, MeshData, Spring, gear, spring};
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Quat, Vec3, rotation};
use core::f64::consts::{FRAC_PI_2, PI, TAU};
use glam::DVec2;
use libm::{cos, sin};

/// Numbers of teeth along the train, repeated. With these, no gear of a row meets one of the next
/// row.
const TEETH: [u32; 4] = [40, 16, 32, 24];

/// Pitch diameter divided by the number of teeth.
const MODULE: f64 = 0.1;

/// Gears of a row, with the first gear of the way down to the next row.
const ROW: usize = 7;

/// Half the length of an arbor.
const ARBOR: f32 = 0.55;

/// Returns `n_arbors` gears with their springs, before a plate that stands still. The first gear
/// turns once in six seconds.
pub fn works(n_arbors: usize) -> SceneSpec {
    let mut scene = SceneSpec::default();
    let (positions, angles) = layout(n_arbors);
    let low = positions.iter().fold(DVec2::ZERO, |low, p| low.min(*p)) - DVec2::splat(2.4);
    let high = positions.iter().fold(DVec2::ZERO, |high, p| high.max(*p)) + DVec2::splat(2.4);
    // The plate stands on the plane y = 0.
    let lift = DVec2::Y * (0.4 - low.y);
    let (middle, half) = ((low + high) * 0.5 + lift, (high - low) * 0.5);
    let plate = ShapeSpec::Cuboid { half_extents: Vec3::new(half.x as f32, half.y as f32, 0.05) };
    let center = Vec3::new(middle.x as f32, middle.y as f32, -0.45);
    scene.bodies.push(BodySpec::fixed(plate, Pose::from_translation(center)));
    let shapes: Vec<ShapeSpec> = TEETH.iter().map(|teeth| arbor(*teeth)).collect();
    for (i, (position, angle)) in positions.iter().zip(&angles).enumerate() {
        let position = (*position + lift).extend(0.0).as_vec3();
        let half = DVec2::new(sin(0.5 * angle), cos(0.5 * angle)).as_vec2();
        let pose = Pose::new(Quat::from_xyzw(0.0, 0.0, half.x, half.y), position);
        let mut body = BodySpec::new(shapes[i % TEETH.len()].clone(), pose);
        body.friction = 0.0;
        scene.bodies.push(body);
        scene.joints.push(JointSpec::Axle {
            a: 0,
            b: scene.bodies.len() - 1,
            anchor_a: position - center,
            anchor_b: Vec3::ZERO,
            axis_a: Vec3::Z,
            axis_b: Vec3::Z,
            motor: (i == 0).then_some([1.0, 60.0]),
        });
    }
    scene
}

fn pitch_radius(i: usize) -> f64 {
    0.5 * MODULE * f64::from(TEETH[i % TEETH.len()])
}

/// Returns the places of the arbors, and the angles of their gears. Each gear has a gap at the
/// tooth of the one before.
fn layout(n_arbors: usize) -> (Vec<DVec2>, Vec<f64>) {
    let (mut positions, mut angles) = (vec![DVec2::ZERO], vec![0.0]);
    for i in 1..n_arbors {
        // Across, two steps down, and back.
        let (row, step) = ((i - 1) / (ROW + 1), (i - 1) % (ROW + 1));
        let across = if row % 2 == 0 { 0.0 } else { PI };
        let direction = if step < ROW - 1 { across } else { -FRAC_PI_2 };
        let (before, own) = (TEETH[(i - 1) % TEETH.len()], TEETH[i % TEETH.len()]);
        let travel = pitch_radius(i - 1) + pitch_radius(i);
        positions.push(positions[i - 1] + DVec2::new(cos(direction), sin(direction)) * travel);
        // The number of teeth from the first one of the gear before to the line between the two
        // arbors. The counts of both gears add up to a half, so that a tooth meets a gap.
        let phase = (direction - angles[i - 1]) * f64::from(before) / TAU;
        angles.push(direction + PI - (0.5 - phase) * TAU / f64::from(own));
    }
    positions.truncate(n_arbors);
    angles.truncate(n_arbors);
    (positions, angles)
}

/// Returns a gear, a coil spring before it, and the arbor through both.
fn arbor(teeth: u32) -> ShapeSpec {
    let mut of = Gear::new(teeth, MODULE);
    (of.width, of.n_flank, of.backlash) = (0.3, 3, 0.1);
    let coil = Spring::coil(4.0, 0.3, 0.5, 0.04).with_detail(14, 6);
    let rod = ShapeSpec::Capsule { half_height: ARBOR, radius: 0.12 };
    let lying = Pose::new(rotation::arc(Vec3::Y, Vec3::Z), Vec3::Z * 0.25);
    ShapeSpec::Compound {
        parts: vec![
            (Pose::IDENTITY, mesh(&gear(&of))),
            (Pose::from_translation(Vec3::Z * 0.5), mesh(&spring(&coil))),
            (lying, rod),
        ],
    }
}

fn mesh(data: &MeshData) -> ShapeSpec {
    ShapeSpec::Mesh { vertices: data.vertices_f32(), triangles: data.triangles.clone() }
}
