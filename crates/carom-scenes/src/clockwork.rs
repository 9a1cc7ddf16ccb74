//! Clock movements on a plate: each has a mainspring, a train of gears, an escapement and a balance
//! with a hairspring.
//!
//! 1. The mainspring is wound up and drives the barrel. From there each wheel drives the pinion of
//!    the next arbor, by its teeth alone.
//! 2. The last pinion turns the escape wheel. The anchor lets one tooth go in each period of the
//!    balance.
//! 3. An arbor is one body: gears as meshes, a coil spring or a rod beside them. Gears of a pair
//!    lie in a layer of their own.
//! 4. The movements swing at rates of their own, so that they are seen to be driven one by one.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25 (an old clock of springs and
//! gears, wound up); M. Headrick, Origin and Evolution of the Anchor Clock Escapement, IEEE Control
//! Systems 22(2), 2002.

use crate::body::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use crate::escapement::Escapement;
use crate::mesh::{Gear, MeshData, Spring, gear, spring};
use alloc::vec::Vec;
use carom_math::{Pose, Quat, Vec3, rotation};
use core::f64::consts::{PI, TAU};
use glam::DVec2;
use libm::{atan2, cos, sin};

/// Bodies that move in one movement: barrel, two arbors, escape wheel, balance.
pub const MOVEMENT_BODIES: usize = 5;

/// Gears in one movement that are meshes.
pub const MOVEMENT_GEARS: usize = 6;

const WHEEL_TEETH: u32 = 40;
const PINION_TEETH: u32 = 16;

/// Pitch diameter divided by the number of teeth.
const MODULE: f64 = 0.1;

/// Distance between the layers of gears, along z. The escape wheel is in layer 0.
const LAYER: f32 = -0.6;

/// Width and height of the place of a movement.
const CELL: DVec2 = DVec2::new(8.4, 10.0);

/// The arbors from the barrel to the escape wheel.
const ARBORS: [DVec2; 4] =
    [DVec2::new(0.0, -2.8), DVec2::new(-2.8, -2.8), DVec2::new(-2.8, 0.0), DVec2::new(0.0, 0.0)];

/// The angle by which a mainspring is wound in radians, and its torque per radian.
const WOUND: f32 = 38.0;
const MAINSPRING: f32 = 8.0;

/// Torque per radian of the hairspring of a balance with one period in a second.
const HAIRSPRING: f32 = 2600.0;

/// Braking torque per angular speed of the balance at that rate. A swing without drive is halved
/// within five periods.
const BRAKE: f32 = 21.0;

/// The angle of the balance at the start, in radians.
const SWING: f64 = 0.09;

/// Returns movements in rows, before a plate that stands still. Body 0 is the plate. The bodies of
/// each movement follow, in the order of [`MOVEMENT_BODIES`]; joints are in the same order.
pub fn clockwork(n_movements: usize) -> SceneSpec {
    let mut scene = SceneSpec::default();
    let n_columns = (1..).find(|n| n_movements <= n * n).unwrap_or(1);
    let n_rows = n_movements.div_ceil(n_columns).max(1);
    let half = CELL * DVec2::new(n_columns as f64, n_rows as f64) * 0.5;
    let shape = ShapeSpec::Cuboid { half_extents: Vec3::new(half.x as f32, half.y as f32, 0.1) };
    // The plate stands on the plane y = 0.
    let plate = Vec3::new(half.x as f32, half.y as f32, -2.6);
    scene.bodies.push(BodySpec::fixed(shape, Pose::from_translation(plate)));
    let escapement = Escapement::default();
    let arbors = arbors(&escapement);
    for movement in 0..n_movements {
        let cell = DVec2::new((movement % n_columns) as f64, (movement / n_columns) as f64);
        let origin = CELL * (cell + DVec2::new(0.66, 0.52));
        // Movements swing at 4/5 to 5/4 of the rate.
        let rate = 0.8 + 0.45 * ((movement * 7) % 10) as f32 / 10.0;
        for (number, (shape, position, density)) in arbors.iter().enumerate() {
            let at = (origin + *position).extend(0.0).as_vec3();
            let angle = match number {
                3 => escapement.start_angle(),
                4 => SWING,
                _ => 0.0,
            };
            let turn = Quat::from_xyzw(0.0, 0.0, sin(0.5 * angle) as f32, cos(0.5 * angle) as f32);
            let mut body = BodySpec::new(shape.clone(), Pose::new(turn, at));
            (body.density, body.friction) = (*density, 0.0);
            scene.bodies.push(body);
            let (stiffness, rest_angle, damping) = match number {
                // The barrel turns clockwise.
                0 => (MAINSPRING, -WOUND, 0.0),
                4 => (HAIRSPRING * rate * rate, 0.0, BRAKE * rate),
                _ => (0.0, 0.0, 0.0),
            };
            let (a, b) = (0, scene.bodies.len() - 1);
            let (anchor_a, anchor_b) = (at - plate, Vec3::ZERO);
            let (axis_a, axis_b) = (Vec3::Z, Vec3::Z);
            scene.joints.push(if stiffness == 0.0 {
                JointSpec::Axle { a, b, anchor_a, anchor_b, axis_a, axis_b, motor: None }
            } else {
                JointSpec::SpringAxle {
                    a,
                    b,
                    anchor_a,
                    anchor_b,
                    axis_a,
                    axis_b,
                    stiffness,
                    rest_angle,
                    damping,
                }
            });
        }
    }
    scene
}

/// The parts of a body in its frame, each with its shape.
type Parts = Vec<(Pose, ShapeSpec)>;

/// Returns the shape, the place and the density of each body of a movement.
fn arbors(escapement: &Escapement) -> Vec<(ShapeSpec, DVec2, f32)> {
    let mut arbors: Vec<(Parts, DVec2, f32)> =
        ARBORS.iter().map(|position| (Vec::new(), *position, 0.6)).collect();
    let mut angle = 0.0;
    for pair in 0..3 {
        // The wheel of one arbor and the pinion of the next.
        let layer = LAYER * (3 - pair) as f32;
        let offset = ARBORS[pair + 1] - ARBORS[pair];
        let direction = atan2(offset.y, offset.x);
        // The number of teeth from the first one of the wheel to the line between the two arbors.
        // The counts of both gears add up to a half, so that a tooth meets a gap.
        let phase = (direction - angle) * f64::from(WHEEL_TEETH) / TAU;
        let own = direction + PI - (0.5 - phase) * TAU / f64::from(PINION_TEETH);
        // The escape wheel starts at an angle of its own.
        let own = if pair == 2 { own - escapement.start_angle() } else { own };
        arbors[pair].0.push(toothed(WHEEL_TEETH, angle, layer));
        arbors[pair + 1].0.push(toothed(PINION_TEETH, own, layer));
        angle = 0.0;
    }
    // The mainspring, before its wheel.
    arbors[0].0.push(coil(5.0, 0.45, 0.9, 0.05, 0.5 * 3.0 * LAYER));
    for (parts, ..) in &mut arbors {
        let rod = ShapeSpec::Capsule { half_height: 1.0, radius: 0.12 };
        parts.push((Pose::new(rotation::arc(Vec3::Y, Vec3::Z), Vec3::Z * -1.1), rod));
    }
    arbors[3].0.extend(escapement.wheel());
    arbors[3].2 = 0.2;
    // The balance: a bar with weights, and the hairspring between it and the anchor.
    let mut balance = escapement.anchor();
    balance.push(coil(4.0, 0.35, 0.25, 0.04, 0.42));
    let bar = ShapeSpec::Cuboid { half_extents: Vec3::new(2.6, 0.1, 0.1) };
    balance.push((Pose::from_translation(Vec3::Z * 0.8), bar));
    for x in [-2.5, 2.5] {
        let weight = ShapeSpec::Cuboid { half_extents: Vec3::splat(0.35) };
        balance.push((Pose::from_translation(Vec3::new(x, 0.0, 0.8)), weight));
    }
    arbors.push((balance, escapement.pivot(), 10.0));
    arbors
        .into_iter()
        .map(|(parts, position, density)| (ShapeSpec::Compound { parts }, position, density))
        .collect()
}

/// Returns a gear in a layer, turned by an angle in radians.
fn toothed(n_teeth: u32, angle: f64, layer: f32) -> (Pose, ShapeSpec) {
    let mut of = Gear::new(n_teeth, MODULE);
    // Pinions are wider, so that their faces are not level with those of the wheels.
    of.width = if n_teeth == PINION_TEETH { 0.4 } else { 0.3 };
    (of.n_flank, of.backlash) = (3, 0.1);
    let turn = Quat::from_xyzw(0.0, 0.0, sin(0.5 * angle) as f32, cos(0.5 * angle) as f32);
    (Pose::new(turn, Vec3::Z * layer), mesh(&gear(&of)))
}

/// Returns a coil of wire about the arbor.
fn coil(n_turns: f64, radius: f64, length: f64, wire: f64, z: f32) -> (Pose, ShapeSpec) {
    let of = Spring::coil(n_turns, radius, length, wire).with_detail(14, 6);
    (Pose::from_translation(Vec3::Z * z), mesh(&spring(&of)))
}

fn mesh(data: &MeshData) -> ShapeSpec {
    ShapeSpec::Mesh { vertices: data.vertices_f32(), triangles: data.triangles.clone() }
}
