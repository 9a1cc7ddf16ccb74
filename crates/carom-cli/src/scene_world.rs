//! Inserts a scene of plain data into a world, and makes the shapes that the player draws.

use crate::player::{PlayerMesh, PlayerShape};
use carom_broad::BroadPhase;
use carom_geom::{Capsule, ConvexHull, Cuboid, Cylinder, HalfSpace, Sphere, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{Compound, CompoundPart, MeshShape, Shape};
use carom_scenes::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use carom_world::{BodyDesc, BodyId, JointDesc, Motor, Response, TorsionSpring, World};
use std::sync::Arc;

/// The shapes of a scene. Equal ones that are drawn as meshes are built once.
#[derive(Default)]
struct Cache<'a> {
    /// Shapes that are drawn as meshes, with their index among the player's shapes.
    built: Vec<(&'a ShapeSpec, Shape, u32)>,
    shapes: Vec<PlayerShape>,
}

/// The bodies that were inserted into a world, and their drawn shapes.
pub(crate) struct Inserted {
    /// Handles, in the order of the scene's bodies.
    pub(crate) bodies: Vec<BodyId>,
    /// The shapes that the player draws.
    pub(crate) shapes: Vec<PlayerShape>,
    /// Index of the shape of each body.
    pub(crate) shape_of: Vec<u32>,
}

/// Puts all bodies and joints of a scene into the world.
pub(crate) fn insert<B: BroadPhase>(world: &mut World<B>, scene: &SceneSpec) -> Result<Inserted, String> {
    let mut cache = Cache::default();
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    let mut shape_of = Vec::with_capacity(scene.bodies.len());
    for (i, spec) in scene.bodies.iter().enumerate() {
        let (shape, number) = cache.shape(&spec.shape).map_err(|e| format!("body {i}: {e}"))?;
        shape_of.push(number);
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
    Ok(Inserted { bodies, shapes: cache.shapes, shape_of })
}

/// Returns a frame whose x axis is `axis`.
fn frame(anchor: Vec3, axis: Vec3) -> Pose {
    Pose::new(Quat::from_rotation_arc(Vec3::X, axis), anchor)
}

fn describe(spec: &BodySpec, shape: Shape) -> BodyDesc {
    let desc = if spec.is_fixed() {
        BodyDesc::fixed(shape)
    } else if spec.is_kinematic {
        BodyDesc::kinematic(shape).with_velocity(spec.linear_velocity, spec.angular_velocity)
    } else {
        BodyDesc::dynamic(shape)
            .with_density(spec.density)
            .with_velocity(spec.linear_velocity, spec.angular_velocity)
    };
    desc.with_pose(spec.pose)
        .with_friction(spec.friction)
        .with_restitution(spec.restitution)
        .with_damping(0.0, spec.angular_damping)
        .with_family(spec.family)
        .with_ccd(spec.is_fast)
        .with_response(if spec.sticks { Response::Stick } else { Response::Collide })
}

impl<'a> Cache<'a> {
    /// Returns the shape, and its index among the player's shapes.
    fn shape(&mut self, spec: &'a ShapeSpec) -> Result<(Shape, u32), String> {
        if let Some((_, shape, number)) = self.built.iter().find(|(s, ..)| *s == spec) {
            return Ok((shape.clone(), *number));
        }
        let shape = build(spec)?;
        let drawn = match spec {
            ShapeSpec::Sphere { radius } => PlayerShape::Capsule(0.0, *radius),
            ShapeSpec::Capsule { half_height, radius } => PlayerShape::Capsule(*half_height, *radius),
            ShapeSpec::Cuboid { half_extents } => PlayerShape::Cuboid(*half_extents),
            ShapeSpec::HalfSpace { normal } => PlayerShape::Plane(*normal),
            _ => {
                let mut mesh = PlayerMesh::default();
                push_triangles(&shape, &Pose::IDENTITY, &mut mesh);
                PlayerShape::Mesh(mesh)
            }
        };
        let number = self.shapes.len() as u32;
        if matches!(drawn, PlayerShape::Mesh(_)) {
            self.built.push((spec, shape.clone(), number));
        }
        self.shapes.push(drawn);
        Ok((shape, number))
    }
}

fn build(spec: &ShapeSpec) -> Result<Shape, String> {
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
                .map(|(pose, part)| Ok(CompoundPart { shape: build(part)?, pose: *pose }))
                .collect::<Result<Vec<_>, String>>()?;
            Shape::Compound(Arc::new(Compound::new(parts).map_err(|e| e.to_string())?))
        }
        _ => return Err("an unknown shape".to_owned()),
    })
}

/// Sides of a round shape that is drawn as a mesh.
const SIDES: u32 = 16;

/// Rings of each half of a ball, without its pole.
const RINGS: u32 = 4;

/// Adds the triangles of a ball, or of a capsule along y, to a mesh.
fn push_round(half_height: f32, radius: f32, pose: &Pose, mesh: &mut PlayerMesh) {
    let first = mesh.vertices.len() as u32;
    for (end, rings) in [(-half_height, 0..RINGS), (half_height, RINGS - 1..2 * RINGS - 1)] {
        for ring in rings {
            let latitude = core::f32::consts::PI * ((ring + 1) as f32 / (2 * RINGS) as f32 - 0.5);
            for side in 0..SIDES {
                let angle = core::f32::consts::TAU * side as f32 / SIDES as f32;
                let out = Vec3::new(angle.cos(), 0.0, angle.sin()) * latitude.cos();
                let at = (out + Vec3::Y * latitude.sin()) * radius + Vec3::Y * end;
                mesh.vertices.push(pose.transform_point(at));
            }
        }
    }
    let n = mesh.vertices.len() as u32;
    let poles = [-1.0, 1.0].map(|side: f32| pose.transform_point(Vec3::Y * (side * (half_height + radius))));
    mesh.vertices.extend(poles);
    for side in 0..SIDES {
        let next = (side + 1) % SIDES;
        mesh.triangles.push([n, first + side, first + next]);
        for below in (first..n - SIDES).step_by(SIDES as usize) {
            let [p, q] = [below + side, below + next];
            mesh.triangles.extend([[p, p + SIDES, q + SIDES], [p, q + SIDES, q]]);
        }
        mesh.triangles.push([n + 1, n - SIDES + next, n - SIDES + side]);
    }
}

/// Adds the triangles of a cylinder along y to a mesh.
fn push_cylinder(half_height: f32, radius: f32, pose: &Pose, mesh: &mut PlayerMesh) {
    let first = mesh.vertices.len() as u32;
    let centers = [-half_height, half_height].map(|y| pose.transform_point(Vec3::Y * y));
    mesh.vertices.extend(centers);
    for side in 0..SIDES {
        let angle = core::f32::consts::TAU * side as f32 / SIDES as f32;
        let out = Vec3::new(angle.cos(), 0.0, angle.sin()) * radius;
        mesh.vertices.extend([-half_height, half_height].map(|y| pose.transform_point(out + Vec3::Y * y)));
        let [low, next] = [side, (side + 1) % SIDES].map(|side| first + 2 + 2 * side);
        mesh.triangles.extend([[first, low, next], [first + 1, next + 1, low + 1]]);
        mesh.triangles.extend([[low, low + 1, next + 1], [low, next + 1, next]]);
    }
}

/// Adds the triangles of a box to a mesh, two for each face.
fn push_box(half_extents: Vec3, pose: &Pose, mesh: &mut PlayerMesh) {
    let first = mesh.vertices.len() as u32;
    // Bit k of the index of a corner is its side on axis k.
    for corner in 0..8u32 {
        let side = |axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
        mesh.vertices.push(pose.transform_point(half_extents * Vec3::new(side(0), side(1), side(2))));
    }
    for axis in 0..3 {
        let [u, v] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
        let far = first + (1 << axis);
        mesh.triangles.extend([[first, first + u + v, first + u], [first, first + v, first + u + v]]);
        mesh.triangles.extend([[far, far + u, far + u + v], [far, far + u + v, far + v]]);
    }
}

/// Adds the triangles of a hull, a mesh, a box or a round shape, or of the parts of a compound, to
/// a mesh.
fn push_triangles(shape: &Shape, pose: &Pose, mesh: &mut PlayerMesh) {
    match shape {
        Shape::Hull(hull) => {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(hull.vertices().iter().map(|v| pose.transform_point(*v)));
            for face in 0..hull.n_faces() as u32 {
                let corners = hull.face_vertices(face);
                for pair in corners.windows(2).skip(1) {
                    mesh.triangles.push([corners[0], pair[0], pair[1]].map(|v| v + first));
                }
            }
        }
        Shape::Mesh(shape) => {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(shape.mesh().vertices().iter().map(|v| pose.transform_point(*v)));
            mesh.triangles.extend(shape.mesh().indices().iter().map(|t| t.map(|v| v + first)));
        }
        Shape::Cylinder(cylinder) => push_cylinder(cylinder.half_height(), cylinder.radius(), pose, mesh),
        Shape::Cuboid(cuboid) => push_box(cuboid.half_extents(), pose, mesh),
        Shape::Capsule(capsule) => push_round(capsule.half_height(), capsule.radius(), pose, mesh),
        Shape::Sphere(sphere) => push_round(0.0, sphere.radius(), pose, mesh),
        Shape::Compound(compound) => {
            for part in compound.parts() {
                push_triangles(&part.shape, &(*pose * part.pose), mesh);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_geom::Cuboid;

    /// The faces of a drawn box look outward: it encloses its volume, which is negative if they
    /// look inward.
    #[test]
    fn a_box_in_a_compound_is_drawn_with_its_faces_outward() {
        let half = Vec3::new(0.5, 1.0, 2.0);
        let pose = Pose::new(carom_math::Quat::from_rotation_y(0.7), Vec3::new(3.0, -1.0, 0.5));
        let part = CompoundPart { shape: Shape::Cuboid(Cuboid::new(half).unwrap()), pose };
        let shape = Shape::Compound(Arc::new(Compound::new(vec![part]).unwrap()));
        let mut mesh = PlayerMesh { vertices: Vec::new(), triangles: Vec::new() };
        push_triangles(&shape, &Pose::IDENTITY, &mut mesh);
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12));
        let volumes = mesh.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|v| mesh.vertices[v as usize]);
            a.dot(b.cross(c)) / 6.0
        });
        let volume: f32 = volumes.sum();
        assert!((volume - 8.0).abs() < 1e-4, "{volume}");
    }
}
