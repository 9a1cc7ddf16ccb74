//! Worlds of the scenes of carom-scenes.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., fig. 25.2 (what a world is made
//! of).

use carom_broad::BroadPhase;
use carom_geom::{Capsule, ConvexHull, Cuboid, Cylinder, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_scenes::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use carom_world::{BodyDesc, BodyId, JointDesc, Motor, Response, TorsionSpring, World};
use std::sync::Arc;

/// Returns the shape of a scene's body.
fn shape_of(spec: &ShapeSpec) -> Shape {
    match spec {
        ShapeSpec::Sphere { radius } => Shape::Sphere(Sphere::new(*radius).unwrap()),
        ShapeSpec::Capsule { half_height, radius } => {
            Shape::Capsule(Capsule::new(*half_height, *radius).unwrap())
        }
        ShapeSpec::Cylinder { half_height, radius } => {
            Shape::Cylinder(Cylinder::new(*half_height, *radius).unwrap())
        }
        ShapeSpec::Cuboid { half_extents } => Shape::Cuboid(Cuboid::new(*half_extents).unwrap()),
        ShapeSpec::HalfSpace { normal } => Shape::HalfSpace(HalfSpace::new(*normal).unwrap()),
        ShapeSpec::Hull { points } => Shape::Hull(Arc::new(ConvexHull::from_points(points).unwrap())),
        ShapeSpec::Mesh { vertices, triangles } => {
            let mesh = TriMesh::new(vertices.clone(), triangles.clone()).unwrap();
            Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
        }
        ShapeSpec::Compound { parts } => {
            let part = |(pose, part): &(Pose, ShapeSpec)| CompoundPart { shape: shape_of(part), pose: *pose };
            Shape::Compound(Arc::new(Compound::new(parts.iter().map(part).collect()).unwrap()))
        }
        other => panic!("no shape is made of {other:?} here"),
    }
}

/// Inserts the bodies and joints of a scene into a world. Returns the handles in the order of the
/// scene.
pub fn fill<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Vec<BodyId> {
    let describe = |spec: &BodySpec, shape: Shape| {
        let desc = if spec.is_fixed() {
            BodyDesc::fixed(shape)
        } else if spec.is_kinematic {
            BodyDesc::kinematic(shape).with_velocity(spec.linear_velocity, spec.angular_velocity)
        } else {
            let desc = BodyDesc::dynamic(shape).with_density(spec.density);
            desc.with_velocity(spec.linear_velocity, spec.angular_velocity)
        };
        desc.with_pose(spec.pose)
            .with_friction(spec.friction)
            .with_restitution(spec.restitution)
            .with_damping(0.0, spec.angular_damping)
            .with_family(spec.family)
            .with_ccd(spec.is_fast)
            .with_response(if spec.sticks { Response::Stick } else { Response::Collide })
    };
    // Consecutive bodies with equal shapes share one shape.
    let mut last: Option<(&ShapeSpec, Shape)> = None;
    let mut ids = Vec::with_capacity(scene.bodies.len());
    for spec in &scene.bodies {
        let shape = match &last {
            Some((known, shape)) if *known == &spec.shape => shape.clone(),
            _ => shape_of(&spec.shape),
        };
        last = Some((&spec.shape, shape.clone()));
        ids.push(world.insert(describe(spec, shape)).unwrap());
    }
    let frame = |anchor, axis| Pose::new(Quat::from_rotation_arc(Vec3::X, axis), anchor);
    for joint in &scene.joints {
        let desc = match *joint {
            JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a, axis_b, cone } => {
                let desc = JointDesc::spherical(ids[a], ids[b]).with_cone(cone);
                desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b))
            }
            JointSpec::Hinge { a, b, anchor_a, anchor_b, axis_a, axis_b, min, max } => {
                let desc = JointDesc::revolute(ids[a], ids[b]).with_limits(min, max);
                desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b))
            }
            JointSpec::Axle { a, b, anchor_a, anchor_b, axis_a, axis_b, motor } => {
                let desc = JointDesc::revolute(ids[a], ids[b]);
                let desc = desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b));
                motor.map_or(desc, |[speed, max_torque]| {
                    desc.with_motor(Motor::velocity(speed).with_max_force(max_torque))
                })
            }
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
            } => {
                let spring = TorsionSpring::new(stiffness, rest_angle).with_damping(damping);
                let desc = JointDesc::revolute(ids[a], ids[b]).with_torsion_spring(spring);
                desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b))
            }
            JointSpec::Rope { a, b, anchor_a, anchor_b, length } => JointDesc::rope(ids[a], ids[b], length)
                .with_frames(frame(anchor_a, Vec3::X), frame(anchor_b, Vec3::X)),
            ref other => panic!("no joint is made of {other:?} here"),
        };
        world.insert_joint(desc).unwrap();
    }
    ids
}
