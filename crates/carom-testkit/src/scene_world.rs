//! Worlds of the scenes of carom-scenes: piles, stairs, and whatever else is made of balls, capsules, boxes and planes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., fig. 25.2 (what a world is made of).

use carom_broad::BroadPhase;
use carom_geom::{Capsule, Cuboid, HalfSpace, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_scenes::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use carom_world::{BodyDesc, BodyId, JointKind, World};

/// The shape of a scene's body.
fn shape_of(spec: &ShapeSpec) -> Shape {
    match spec {
        ShapeSpec::Sphere { radius } => Shape::Sphere(Sphere::new(*radius).unwrap()),
        ShapeSpec::Capsule { half_height, radius } => {
            Shape::Capsule(Capsule::new(*half_height, *radius).unwrap())
        }
        ShapeSpec::Cuboid { half_extents } => Shape::Cuboid(Cuboid::new(*half_extents).unwrap()),
        ShapeSpec::HalfSpace { normal } => Shape::HalfSpace(HalfSpace::new(*normal).unwrap()),
        other => panic!("no shape is made of {other:?} here"),
    }
}

/// Puts the bodies and joints of a scene into a world; their handles are in the order of the scene.
pub fn fill<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Vec<BodyId> {
    let describe = |spec: &BodySpec| {
        let shape = shape_of(&spec.shape);
        let desc = if spec.is_fixed() { BodyDesc::fixed(shape) } else { BodyDesc::new(shape) };
        let desc = if spec.is_fixed() {
            desc
        } else {
            desc.with_velocity(spec.linear_velocity, spec.angular_velocity)
        };
        desc.with_pose(spec.pose)
            .with_friction(spec.friction)
            .with_restitution(spec.restitution)
            .with_damping(0.0, spec.angular_damping)
            .with_family(spec.family)
            .with_fast(spec.is_fast)
    };
    let ids: Vec<BodyId> = scene.bodies.iter().map(|spec| world.insert(describe(spec)).unwrap()).collect();
    let frame = |anchor, axis| Pose::new(Quat::from_rotation_arc(Vec3::X, axis), anchor);
    for joint in &scene.joints {
        let (a, b, kind, frames) = match *joint {
            JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a, axis_b, cone } => {
                (a, b, JointKind::Ball { cone }, [frame(anchor_a, axis_a), frame(anchor_b, axis_b)])
            }
            JointSpec::Hinge { a, b, anchor_a, anchor_b, axis_a, axis_b, min, max } => {
                let kind = JointKind::Hinge { limits: Some([min, max]), motor: None };
                (a, b, kind, [frame(anchor_a, axis_a), frame(anchor_b, axis_b)])
            }
            ref other => panic!("no joint is made of {other:?} here"),
        };
        world.insert_joint(ids[a], ids[b], kind, frames[0], frames[1]).unwrap();
    }
    ids
}
