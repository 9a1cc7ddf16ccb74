//! Shapes as triangles, for a picture.
//!
//! Boxes and round shapes keep their kind, because a renderer draws thousands of them in one call.
//! Other convex shapes are drawn as the points of their surface that are farthest in each of a few
//! hundred directions.
//!
//! Reference: Ericson, Real-Time Collision Detection, 2005, 9.5 (support maps).

use carom_geom::SupportMap;
use carom_math::{Pose, Vec3, ops};
use carom_query::{Cluster as _, Shape};
use std::collections::HashMap;
use std::sync::Arc;

/// The shape that the player draws for a body.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerShape {
    /// Half the size on each axis.
    Cuboid(Vec3),
    /// Half the length of the straight part along y, and the radius. A ball if the first is 0.
    Capsule(f32, f32),
    /// Triangles.
    Mesh(PlayerMesh),
    /// The plane through the body's origin with this normal: drawn as a grid or an outline.
    Plane(Vec3),
}

/// Triangles of a shape, in its own frame.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PlayerMesh {
    /// Positions.
    pub vertices: Vec<Vec3>,
    /// Three vertex indices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl PlayerShape {
    /// Returns what is drawn for a shape.
    pub fn of(shape: &Shape) -> PlayerShape {
        match shape {
            Shape::Sphere(ball) => PlayerShape::Capsule(0.0, ball.radius()),
            Shape::Capsule(capsule) => PlayerShape::Capsule(capsule.half_height(), capsule.radius()),
            Shape::Cuboid(cuboid) => PlayerShape::Cuboid(cuboid.half_extents()),
            Shape::HalfSpace(half_space) => PlayerShape::Plane(half_space.normal()),
            _ => {
                let (mut mesh, mut planes) = (PlayerMesh::default(), Vec::new());
                push_triangles(shape, &Pose::IDENTITY, &mut mesh, &mut planes);
                push_squares(&planes, &mut mesh);
                PlayerShape::Mesh(mesh)
            }
        }
    }
}

/// The drawn shapes of the bodies of a world, each once.
#[derive(Clone, Debug, Default)]
pub struct Outlines {
    shapes: Vec<PlayerShape>,
    known: HashMap<Key, u32>,
    /// Shapes that are identified by their address. They are kept, so that no other shape gets the
    /// address.
    held: Vec<Shape>,
}

/// The identity of the drawing of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Numbers(u8, [u32; 3]),
    Address(usize),
}

impl Outlines {
    /// Returns the index of the shape in [`Outlines::shapes`]. A new shape is added.
    pub fn number_of(&mut self, shape: &Shape) -> u32 {
        let bits = |v: Vec3| v.to_array().map(f32::to_bits);
        let key = match shape {
            Shape::Sphere(ball) => Some(Key::Numbers(0, bits(Vec3::new(0.0, ball.radius(), 0.0)))),
            Shape::Capsule(s) => Some(Key::Numbers(0, bits(Vec3::new(s.half_height(), s.radius(), 0.0)))),
            Shape::Cuboid(cuboid) => Some(Key::Numbers(1, bits(cuboid.half_extents()))),
            Shape::HalfSpace(half_space) => Some(Key::Numbers(2, bits(half_space.normal()))),
            Shape::Torus(s) => {
                Some(Key::Numbers(4, bits(Vec3::new(s.major_radius(), s.minor_radius(), 0.0))))
            }
            Shape::Cylinder(s) => Some(Key::Numbers(3, bits(Vec3::new(s.half_height(), s.radius(), 0.0)))),
            Shape::Hull(hull) => Some(Key::Address(Arc::as_ptr(hull).addr())),
            Shape::Mesh(mesh) => Some(Key::Address(Arc::as_ptr(mesh).addr())),
            Shape::Compound(compound) => Some(Key::Address(Arc::as_ptr(compound).addr())),
            Shape::PointCloud(cloud) => Some(Key::Address(Arc::as_ptr(cloud).addr())),
            Shape::Voxels(voxels) => Some(Key::Address(Arc::as_ptr(voxels).addr())),
            _ => None,
        };
        if let Some(&number) = key.and_then(|key| self.known.get(&key)) {
            return number;
        }
        let number = self.shapes.len() as u32;
        self.shapes.push(PlayerShape::of(shape));
        if let Some(key) = key {
            self.known.insert(key, number);
            self.held.extend(matches!(key, Key::Address(_)).then(|| shape.clone()));
        }
        number
    }

    /// Returns all shapes, each once.
    pub fn shapes(&self) -> &[PlayerShape] {
        &self.shapes
    }

    /// Returns the shapes alone.
    pub fn into_shapes(self) -> Vec<PlayerShape> {
        self.shapes
    }
}

/// Adds the triangles of a shape, or of the parts of a compound, to a mesh. Fields have none.
/// Planes are added to a list.
fn push_triangles(shape: &Shape, pose: &Pose, mesh: &mut PlayerMesh, planes: &mut Vec<(Pose, Vec3)>) {
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
        Shape::HeightField(field) => {
            push_triangles(&Shape::Mesh(Arc::new(field.mesh().clone())), pose, mesh, planes);
        }
        Shape::TaperedCapsule(convex) => push_convex(convex, pose, mesh),
        Shape::Cone(convex) => push_convex(convex, pose, mesh),
        Shape::Ellipsoid(convex) => push_convex(convex, pose, mesh),
        Shape::Rounded(convex) => push_convex(&**convex, pose, mesh),
        Shape::User(convex) => push_convex(&**convex, pose, mesh),
        Shape::Cylinder(cylinder) => push_cylinder(cylinder.half_height(), cylinder.radius(), pose, mesh),
        Shape::Cuboid(cuboid) => push_box(cuboid.half_extents(), pose, mesh),
        Shape::Capsule(capsule) => push_round(capsule.half_height(), capsule.radius(), pose, mesh),
        Shape::Sphere(sphere) => push_round(0.0, sphere.radius(), pose, mesh),
        Shape::Compound(compound) => {
            for part in compound.parts() {
                push_triangles(&part.shape, &(*pose * part.pose), mesh, planes);
            }
        }
        // A box for each point: balls would have too many triangles.
        Shape::PointCloud(cloud) => {
            for &point in cloud.points() {
                let box_pose = *pose * Pose::from_translation(point);
                push_box(Vec3::splat(cloud.radius()), &box_pose, mesh);
            }
        }
        Shape::Voxels(voxels) => {
            for number in 0..voxels.n_parts() {
                let (part, center) = voxels.part(number);
                push_triangles(
                    &part.into(),
                    &(*pose * Pose::from_translation(center.as_vec3())),
                    mesh,
                    planes,
                );
            }
        }
        Shape::Torus(torus) => push_torus(torus.major_radius(), torus.minor_radius(), pose, mesh),
        Shape::HalfSpace(half_space) => planes.push((*pose, half_space.normal())),
        Shape::Field(_) => {}
    }
}

/// The half side of the square for a plane of a compound without other parts, in metres.
const LONE_PLANE_HALF_SIDE: f32 = 10.0;

/// Adds a square for a plane of a compound, around the foot of the perpendicular from the origin.
/// It reaches twice as far as the other parts.
fn push_squares(planes: &[(Pose, Vec3)], mesh: &mut PlayerMesh) {
    let reach = mesh.vertices.iter().map(|vertex| vertex.length()).fold(0.0, f32::max);
    let half_side = if 0.0 < reach { 2.0 * reach } else { LONE_PLANE_HALF_SIDE };
    for (pose, normal) in planes {
        let normal = pose.transform_vector(*normal);
        let foot = normal * normal.dot(pose.translation);
        let (across, along) = normal.any_orthonormal_pair();
        let first = mesh.vertices.len() as u32;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.vertices.push(foot + (across * x + along * y) * half_side);
        }
        mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
}

/// Adds the triangles of a convex shape to a mesh: those of a ball whose vertices are moved to the
/// farthest point in their direction.
fn push_convex(convex: &dyn SupportMap, pose: &Pose, mesh: &mut PlayerMesh) {
    let mut ball = PlayerMesh::default();
    push_round(0.0, 1.0, &Pose::IDENTITY, &mut ball);
    let first = mesh.vertices.len() as u32;
    let farthest = |direction: &Vec3| {
        let core = convex.support(direction.as_dvec3()).point.as_vec3();
        core + *direction * convex.margin() as f32
    };
    mesh.vertices.extend(ball.vertices.iter().map(|direction| pose.transform_point(farthest(direction))));
    mesh.triangles.extend(ball.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
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
                let ((sin, cos), (up, around)) = (ops::sin_cos(angle), ops::sin_cos(latitude));
                let out = Vec3::new(cos, 0.0, sin) * around;
                let at = (out + Vec3::Y * up) * radius + Vec3::Y * end;
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
        let (sin, cos) = ops::sin_cos(angle);
        let out = Vec3::new(cos, 0.0, sin) * radius;
        mesh.vertices.extend([-half_height, half_height].map(|y| pose.transform_point(out + Vec3::Y * y)));
        let [low, next] = [side, (side + 1) % SIDES].map(|side| first + 2 + 2 * side);
        mesh.triangles.extend([[first, low, next], [first + 1, next + 1, low + 1]]);
        mesh.triangles.extend([[low, low + 1, next + 1], [low, next + 1, next]]);
    }
}

/// Adds the triangles of a torus around y to a mesh.
fn push_torus(major_radius: f32, minor_radius: f32, pose: &Pose, mesh: &mut PlayerMesh) {
    let first = mesh.vertices.len() as u32;
    let (along, across) = (2 * SIDES, SIDES);
    let angle = |k: u32, n: u32| ops::sin_cos(core::f32::consts::TAU * k as f32 / n as f32);
    for side in 0..along {
        let (sin, cos) = angle(side, along);
        let out = Vec3::new(cos, 0.0, sin);
        for ring in 0..across {
            let (up, around) = angle(ring, across);
            let at = out * (major_radius + minor_radius * around) + Vec3::Y * (minor_radius * up);
            mesh.vertices.push(pose.transform_point(at));
            let corner = |side: u32, ring: u32| first + (side % along) * across + ring % across;
            let [a, b] = [corner(side, ring), corner(side, ring + 1)];
            let [c, d] = [corner(side + 1, ring), corner(side + 1, ring + 1)];
            mesh.triangles.extend([[a, b, d], [a, d, c]]);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use carom_geom::{Cone, Cuboid, Ellipsoid, HalfSpace, Sphere};
    use carom_query::{Compound, CompoundPart};

    fn volume(mesh: &PlayerMesh) -> f32 {
        let of = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| mesh.vertices[v as usize]);
            a.dot(b.cross(c)) / 6.0
        };
        mesh.triangles.iter().map(of).sum()
    }

    /// The faces of a drawn box face outwards: the enclosed volume is positive.
    #[test]
    fn a_box_in_a_compound_is_drawn_with_its_faces_outward() {
        let half = Vec3::new(0.5, 1.0, 2.0);
        let pose = Pose::new(carom_math::Quat::from_rotation_y(0.7), Vec3::new(3.0, -1.0, 0.5));
        let part = CompoundPart { shape: Shape::Cuboid(Cuboid::new(half).unwrap()), pose };
        let shape = Shape::Compound(Arc::new(Compound::new(vec![part]).unwrap()));
        let mut mesh = PlayerMesh { vertices: Vec::new(), triangles: Vec::new() };
        push_triangles(&shape, &Pose::IDENTITY, &mut mesh, &mut Vec::new());
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12));
        assert!((volume(&mesh) - 8.0).abs() < 1e-4, "{}", volume(&mesh));
    }

    /// Ellipsoid and cone by their support maps: at least three quarters of the volume, with the
    /// faces outward.
    #[test]
    fn convex_shapes_are_drawn_with_most_of_their_volume() {
        let third = core::f32::consts::PI / 3.0;
        let ellipsoid = Shape::Ellipsoid(Ellipsoid::new(Vec3::new(1.0, 2.0, 0.5)).unwrap());
        let cone = Shape::Cone(Cone::new(1.0, 0.8).unwrap());
        for (shape, full) in [(ellipsoid, 4.0 * third), (cone, third * 0.64 * 2.0)] {
            let PlayerShape::Mesh(mesh) = PlayerShape::of(&shape) else { panic!("{shape:?}") };
            let part = volume(&mesh) / full;
            assert!((0.75..=1.0001).contains(&part), "{shape:?}: {part}");
        }
    }

    /// A box on a tilted floor: the floor is a square in its plane, seen from outside of it.
    #[test]
    fn a_half_space_in_a_compound_is_drawn_as_a_square() {
        let turn = carom_math::Quat::from_rotation_z(0.4);
        let floor = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
        let floor = CompoundPart { shape: floor, pose: Pose::new(turn, Vec3::new(5.0, -2.0, 1.0)) };
        let cube = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5)).unwrap());
        let cube = CompoundPart { shape: cube, pose: Pose::from_translation(Vec3::X * 3.0) };
        let (position, normal) = (floor.pose.translation, floor.pose.transform_vector(Vec3::Y));
        for (parts, half_side) in [(vec![floor.clone()], 10.0), (vec![floor, cube], 2.0 * 12.75_f32.sqrt())] {
            let n_before = 8 * (parts.len() - 1);
            let shape = Shape::Compound(Arc::new(Compound::new(parts).unwrap()));
            let PlayerShape::Mesh(mesh) = PlayerShape::of(&shape) else { panic!("a mesh") };
            assert_eq!(mesh.vertices.len(), n_before + 4);
            let square = &mesh.vertices[n_before..];
            assert!(square.iter().all(|corner| (*corner - position).dot(normal).abs() < 1e-4));
            assert!((square[0].distance(square[1]) - 2.0 * half_side).abs() < 1e-3);
            for [a, b, c] in &mesh.triangles[mesh.triangles.len() - 2..] {
                let [a, b, c] = [a, b, c].map(|corner| mesh.vertices[*corner as usize]);
                assert!(0.0 < (b - a).cross(c - a).dot(normal));
            }
        }
    }

    #[test]
    fn each_shape_is_in_the_outlines_once() {
        let ball = |radius| Shape::Sphere(Sphere::new(radius).unwrap());
        let part = CompoundPart { shape: ball(0.3), pose: Pose::IDENTITY };
        let compound =
            |part: &CompoundPart| Shape::Compound(Arc::new(Compound::new(vec![part.clone()]).unwrap()));
        let (one, other) = (compound(&part), compound(&part));
        let mut outlines = Outlines::default();
        let numbers = [&ball(1.0), &one, &ball(2.0), &ball(1.0), &one.clone(), &other]
            .map(|shape| outlines.number_of(shape));
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!(outlines.shapes().len(), 4);
        assert_eq!(outlines.shapes()[2], PlayerShape::Capsule(0.0, 2.0));
    }
}
