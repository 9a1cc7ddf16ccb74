//! A ragdoll: eleven capsules and boxes of a standing figure, connected by ball joints and hinges.
//!
//! Reference: T. Jakobsen, Advanced Character Physics, Game Developers Conference, 2001 (the
//! parts, and the directions in which joints bend).

use crate::body::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use carom_math::{Pose, Quat, Vec3};

/// Rate per second at which joints and flesh damp the rotation of a limb. Without it, a limb could
/// spin about its own axis without end.
const LIMB_DAMPING: f32 = 3.0;

/// Bodies of one ragdoll.
pub const RAGDOLL_BODIES: usize = 11;

/// A limb along y in the frame of the figure, which faces along z, is 1.8 high, and has its origin
/// at the hips.
struct Limb {
    center: Vec3,
    shape: ShapeSpec,
}

fn capsule(center: Vec3, half_height: f32, radius: f32) -> Limb {
    Limb { center, shape: ShapeSpec::Capsule { half_height, radius } }
}

/// Adds a ragdoll with its hips at `pose`, `scale` times 1.8 high. Its limbs are of this family,
/// so they do not collide with each other.
pub fn push_ragdoll(scene: &mut SceneSpec, pose: &Pose, scale: f32, family: u32) {
    const PELVIS: usize = 0;
    const TORSO: usize = 1;
    const HEAD: usize = 2;
    let s = scale;
    let v = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * s;
    let cuboid = |center: Vec3, half: Vec3| Limb { center, shape: ShapeSpec::Cuboid { half_extents: half } };
    let mut limbs = alloc::vec![
        cuboid(v(0.0, 0.0, 0.0), v(0.17, 0.10, 0.11)),
        cuboid(v(0.0, 0.34, 0.0), v(0.20, 0.22, 0.12)),
        capsule(v(0.0, 0.72, 0.0), 0.05 * s, 0.11 * s),
    ];
    let mut joints = alloc::vec![
        // a, b, anchor in the figure, hinge axis or None for a ball, least angle, largest angle.
        (PELVIS, TORSO, v(0.0, 0.11, 0.0), None, 0.0, 0.5),
        (TORSO, HEAD, v(0.0, 0.57, 0.0), None, 0.0, 0.7),
    ];
    for side in [1.0f32, -1.0] {
        let upper_arm = limbs.len();
        limbs.push(capsule(v(0.28 * side, 0.34, 0.0), 0.11 * s, 0.06 * s));
        limbs.push(capsule(v(0.28 * side, 0.03, 0.0), 0.11 * s, 0.05 * s));
        limbs.push(capsule(v(0.10 * side, -0.31, 0.0), 0.14 * s, 0.08 * s));
        limbs.push(capsule(v(0.10 * side, -0.71, 0.0), 0.15 * s, 0.065 * s));
        joints.push((TORSO, upper_arm, v(0.28 * side, 0.49, 0.0), None, 0.0, 2.2));
        // An elbow bends forwards, a knee backwards.
        joints.push((upper_arm, upper_arm + 1, v(0.28 * side, 0.185, 0.0), Some(Vec3::X), -2.4, 0.05));
        joints.push((PELVIS, upper_arm + 2, v(0.10 * side, -0.12, 0.0), None, 0.0, 1.2));
        joints.push((upper_arm + 2, upper_arm + 3, v(0.10 * side, -0.51, 0.0), Some(Vec3::X), -0.05, 2.4));
    }
    let first = scene.bodies.len();
    for limb in &limbs {
        let at = *pose * Pose::new(Quat::IDENTITY, limb.center);
        scene
            .bodies
            .push(BodySpec::new(limb.shape.clone(), at).in_family(family).with_angular_damping(LIMB_DAMPING));
    }
    for (a, b, anchor, axis, min, max) in joints {
        let (anchor_a, anchor_b) = (anchor - limbs[a].center, anchor - limbs[b].center);
        let (a, b) = (first + a, first + b);
        scene.joints.push(match axis {
            // At the start all limbs have the same rotation, so an axis is the same in both
            // frames.
            None => JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a: Vec3::Y, axis_b: Vec3::Y, cone: max },
            Some(axis) => JointSpec::Hinge { a, b, anchor_a, anchor_b, axis_a: axis, axis_b: axis, min, max },
        });
    }
}
