//! Inserts a scene of plain data into a world.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., fig. 25.2 (the parts of a
//! world).

use carom_broad::BroadPhase;
use carom_geom::{Capsule, ConvexHull, Cuboid, Cylinder, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Vec3, rotation};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_scenes::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use carom_world::{BodyDesc, BodyId, JointDesc, Motor, Response, TorsionSpring, World};
use std::sync::Arc;

/// Inserts all bodies and joints of a scene into the world. Returns the handles of the bodies, in
/// the order of the scene. Equal hulls, meshes and compounds share one shape.
///
/// Errors: the first body or joint that the world refuses, with its index.
pub fn insert<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Result<Vec<BodyId>, String> {
    let mut shared: Vec<(&ShapeSpec, Shape)> = Vec::new();
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for (i, spec) in scene.bodies.iter().enumerate() {
        let known = shared.iter().find(|(known, _)| *known == &spec.shape);
        let shape = match known {
            Some((_, shape)) => shape.clone(),
            None => shape_of(&spec.shape).map_err(|e| format!("body {i}: {e}"))?,
        };
        let is_large = matches!(shape, Shape::Hull(_) | Shape::Mesh(_) | Shape::Compound(_));
        if known.is_none() && is_large {
            shared.push((&spec.shape, shape.clone()));
        }
        bodies.push(world.insert(describe(spec, shape)).map_err(|e| format!("body {i}: {e}"))?);
    }
    for (i, joint) in scene.joints.iter().enumerate() {
        let body = |index: usize| {
            let id = bodies.get(index).copied();
            id.ok_or_else(|| format!("joint {i} names a body that is not there"))
        };
        let desc = match *joint {
            JointSpec::Ball { a, b, anchor_a, anchor_b, axis_a, axis_b, cone } => {
                let desc = JointDesc::spherical(body(a)?, body(b)?).with_cone(cone);
                desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b))
            }
            JointSpec::Hinge { a, b, anchor_a, anchor_b, axis_a, axis_b, min, max } => {
                let desc = JointDesc::revolute(body(a)?, body(b)?).with_limits(min, max);
                desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b))
            }
            JointSpec::Axle { a, b, anchor_a, anchor_b, axis_a, axis_b, motor } => {
                let desc = JointDesc::revolute(body(a)?, body(b)?);
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
                let desc = JointDesc::revolute(body(a)?, body(b)?).with_torsion_spring(spring);
                desc.with_frames(frame(anchor_a, axis_a), frame(anchor_b, axis_b))
            }
            JointSpec::Rope { a, b, anchor_a, anchor_b, length } => {
                let desc = JointDesc::rope(body(a)?, body(b)?, length);
                desc.with_frames(frame(anchor_a, Vec3::X), frame(anchor_b, Vec3::X))
            }
            _ => return Err(format!("joint {i} is of an unknown kind")),
        };
        world.insert_joint(desc).map_err(|e| format!("joint {i}: {e}"))?;
    }
    Ok(bodies)
}

/// Returns the shape of a scene's body.
///
/// Errors: numbers that are not valid for the shape.
pub fn shape_of(spec: &ShapeSpec) -> Result<Shape, String> {
    let said = |e: carom_geom::ShapeError| e.to_string();
    Ok(match spec {
        ShapeSpec::Sphere { radius } => Shape::Sphere(Sphere::new(*radius).map_err(said)?),
        ShapeSpec::Capsule { half_height, radius } => {
            Shape::Capsule(Capsule::new(*half_height, *radius).map_err(said)?)
        }
        ShapeSpec::Cylinder { half_height, radius } => {
            Shape::Cylinder(Cylinder::new(*half_height, *radius).map_err(said)?)
        }
        ShapeSpec::Cuboid { half_extents } => Shape::Cuboid(Cuboid::new(*half_extents).map_err(said)?),
        ShapeSpec::HalfSpace { normal } => Shape::HalfSpace(HalfSpace::new(*normal).map_err(said)?),
        ShapeSpec::Hull { points } => {
            Shape::Hull(Arc::new(ConvexHull::from_points(points).map_err(|e| e.to_string())?))
        }
        ShapeSpec::Mesh { vertices, triangles } => {
            let mesh = TriMesh::new(vertices.clone(), triangles.clone()).map_err(|e| e.to_string())?;
            Shape::Mesh(Arc::new(MeshShape::new(mesh).map_err(|e| e.to_string())?))
        }
        ShapeSpec::Compound { parts } => {
            let parts = parts
                .iter()
                .map(|(pose, part)| Ok(CompoundPart { shape: shape_of(part)?, pose: *pose }))
                .collect::<Result<Vec<_>, String>>()?;
            Shape::Compound(Arc::new(Compound::new(parts).map_err(|e| e.to_string())?))
        }
        _ => return Err("an unknown shape".to_owned()),
    })
}

/// Returns a frame whose x axis is `axis`.
fn frame(anchor: Vec3, axis: Vec3) -> Pose {
    Pose::new(rotation::arc(Vec3::X, axis), anchor)
}

fn describe(spec: &BodySpec, shape: Shape) -> BodyDesc {
    let desc = if spec.is_fixed() {
        BodyDesc::fixed(shape)
    } else if spec.is_kinematic {
        BodyDesc::kinematic(shape)
            .with_linear_velocity(spec.linear_velocity)
            .with_angular_velocity(spec.angular_velocity)
    } else {
        BodyDesc::dynamic(shape)
            .with_density(spec.density)
            .with_linear_velocity(spec.linear_velocity)
            .with_angular_velocity(spec.angular_velocity)
    };
    desc.with_pose(spec.pose)
        .with_friction(spec.friction)
        .with_restitution(spec.restitution)
        .with_damping(0.0, spec.angular_damping)
        .with_family(spec.family)
        .with_surface_velocity(spec.surface_velocity, Vec3::ZERO)
        .with_ccd(spec.uses_ccd)
        .with_response(if spec.is_sticky { Response::Stick } else { Response::Collide })
}
