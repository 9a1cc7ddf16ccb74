//! No body is lost below a surface without an inside: meshes and height fields, at ordinary sizes
//! and at any speed.

use crate::of_unit_density;
use crate::scenes::CheckedStep;
use carom_geom::{Capsule, ConvexHull, Cuboid, HeightField, Sphere, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{Compound, CompoundPart, HeightFieldShape, MeshShape, Shape, cast_ray};
use carom_scenes::mesh::{MeshData, terrain};
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, World, WorldSettings};
use std::sync::Arc;

/// The surface on which bodies fall.
#[derive(Clone, Copy, Debug)]
enum Ground {
    /// An open mesh; its triangles face upwards.
    Mesh,
    /// The same mesh with the other winding.
    Turned,
    /// A closed mesh of two sheets, so far apart.
    Slab(f32),
    /// A height field.
    Field,
    /// A mesh on a kinematic body that goes up and down at this speed.
    Lifted(f32),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Capsule,
    Box,
    Hull,
    Ball,
    Compound,
    Mixed,
}

/// Bodies thrown down on hills.
#[derive(Clone, Copy, Debug)]
struct Throw {
    kind: Kind,
    n_bodies: usize,
    /// Factor on the sizes of bodies.
    scale: f32,
    speed: f32,
    ground: Ground,
    /// Cells along a side of the ground.
    n_cells: usize,
    dt: f32,
    restitution: f32,
    n_steps: usize,
    seed: u64,
}

/// The settings of the first test, which the others change.
const DROP: Throw = Throw {
    kind: Kind::Capsule,
    n_bodies: 60,
    scale: 1.0,
    speed: 0.0,
    ground: Ground::Mesh,
    n_cells: 32,
    dt: 1.0 / 60.0,
    restitution: 0.0,
    n_steps: 100,
    seed: 1,
};

/// Length of a side of a cell.
const CELL: f64 = 0.45;

fn hull(random: &mut Random, size: f32) -> Shape {
    let mut points: Vec<Vec3> = (0..16).map(|_| random.cube_point().as_vec3() * size).collect();
    for _ in 0..2 {
        let shape = Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()));
        let center = shape.mass_properties(1.0).center;
        points.iter_mut().for_each(|point| *point -= center);
    }
    Shape::Hull(Arc::new(ConvexHull::from_points(&points).unwrap()))
}

fn shape_of(kind: Kind, number: usize, scale: f32, random: &mut Random) -> Shape {
    let radius = random.range(0.14, 0.26) as f32 * scale;
    let other = random.range(0.1, 0.3) as f32 * scale;
    match (kind, number % 5) {
        (Kind::Capsule, _) | (Kind::Mixed, 0) => Shape::Capsule(Capsule::new(other, radius).unwrap()),
        (Kind::Box, _) | (Kind::Mixed, 1) => {
            Shape::Cuboid(Cuboid::new(Vec3::new(radius, other, 0.15 * scale)).unwrap())
        }
        (Kind::Hull, _) | (Kind::Mixed, 2) => hull(random, 1.3 * radius),
        (Kind::Ball, _) | (Kind::Mixed, 3) => Shape::Sphere(Sphere::new(radius).unwrap()),
        _ => {
            let part = |shape, x: f32, y: f32| CompoundPart {
                shape,
                pose: Pose::new(Quat::from_rotation_z(x / scale), Vec3::new(x, y, 0.0)),
            };
            let parts = vec![
                part(
                    Shape::Cuboid(Cuboid::new(Vec3::new(2.0 * radius, 0.1 * scale, other)).unwrap()),
                    0.0,
                    0.0,
                ),
                part(Shape::Sphere(Sphere::new(radius).unwrap()), 2.0 * radius, 0.0),
                part(Shape::Capsule(Capsule::new(other, 0.1 * scale).unwrap()), -2.0 * radius, 0.0),
            ];
            Shape::Compound(Arc::new(Compound::new(parts).unwrap()))
        }
    }
}

/// Hills, and below them a second sheet if there is one.
fn ground_of(ground: Ground, n_cells: usize, seed: u64) -> Shape {
    let size = CELL * n_cells as f64;
    let MeshData { vertices, mut triangles } = terrain(size, 0.12 * size, n_cells, seed);
    let mut points: Vec<Vec3> = vertices.iter().map(|v| v.as_vec3()).collect();
    match ground {
        Ground::Mesh | Ground::Lifted(_) => {}
        Ground::Turned => triangles.iter_mut().for_each(|t| t.swap(0, 1)),
        Ground::Field => {
            let n = n_cells as u32 + 1;
            let heights = points.iter().map(|p| p.y).collect();
            let field = HeightField::new([n; 2], [CELL as f32; 2], heights).unwrap();
            return Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap()));
        }
        Ground::Slab(thickness) => {
            let n = points.len() as u32;
            points.extend_from_within(..);
            points[n as usize..].iter_mut().for_each(|p| p.y -= thickness);
            let below: Vec<_> = triangles.iter().map(|t| [t[1] + n, t[0] + n, t[2] + n]).collect();
            triangles.extend(below);
            let side = n_cells as u32 + 1;
            for k in 0..n_cells as u32 {
                let rims = [
                    [k + 1, k],
                    [side * (side - 1) + k, side * (side - 1) + k + 1],
                    [side * k, side * (k + 1)],
                    [side * (k + 1) + side - 1, side * k + side - 1],
                ];
                for [a, b] in rims {
                    triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
                }
            }
        }
    }
    Shape::Mesh(Arc::new(MeshShape::new(TriMesh::new(points, triangles).unwrap()).unwrap()))
}

struct Thrown {
    world: World,
    ground: (BodyId, Shape),
    bodies: Vec<BodyId>,
    half: f32,
}

impl Throw {
    fn start(&self) -> Thrown {
        let mut random = Random::new(self.seed);
        let mut world = World::with_settings(WorldSettings::default());
        let shape = ground_of(self.ground, self.n_cells, self.seed);
        let speed = if let Ground::Lifted(speed) = self.ground { speed } else { 0.0 };
        let desc = match self.ground {
            Ground::Lifted(_) => BodyDesc::kinematic(shape.clone()),
            _ => BodyDesc::fixed(shape.clone()),
        };
        let desc = desc.with_linear_velocity(Vec3::Y * speed);
        let ground = (world.insert(desc).unwrap(), shape);
        let half = 0.5 * (CELL * self.n_cells as f64) as f32;
        let mut bodies = Vec::new();
        for number in 0..self.n_bodies {
            let shape = shape_of(self.kind, number, self.scale, &mut random);
            let position = random.cube_point().as_vec3() * (0.85 * half);
            let position = Vec3::new(position.x, 0.0, position.z);
            let above = height(&ground.1, &Pose::IDENTITY, position).unwrap();
            let drop = random.range(3.0, 8.0) as f32;
            let aside = random.cube_point().as_vec3() * (0.5 * self.speed);
            let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0);
            let desc = of_unit_density(shape)
                .with_pose(Pose::new(turn, position + Vec3::Y * (above + drop)))
                .with_linear_velocity(Vec3::new(aside.x, -self.speed, aside.z))
                .with_angular_velocity(random.cube_point().as_vec3() * 2.0 * (1.0 + self.speed))
                .with_restitution(self.restitution);
            bodies.push(world.insert(desc).unwrap());
        }
        Thrown { world, ground, bodies, half }
    }

    /// The bodies whose middle is under the ground at the end, and how deep one was in any step.
    fn lost(&self) -> (usize, f32) {
        let mut thrown = self.start();
        let (mut n_below, mut deepest) = (0, 0.0_f32);
        for step in 0..self.n_steps {
            if let Ground::Lifted(speed) = self.ground {
                let speed = if step / 20 % 2 == 0 { speed } else { -speed };
                thrown
                    .world
                    .body_mut(thrown.ground.0)
                    .unwrap()
                    .set_linear_velocity(Vec3::Y * speed)
                    .unwrap()
                    .set_angular_velocity(Vec3::ZERO)
                    .unwrap();
            }
            thrown.world.checked_step(self.dt).unwrap();
            let below = thrown.below();
            n_below = below.len();
            deepest = below.iter().map(|&(_, depth)| depth).fold(deepest, f32::max);
        }
        (n_below, deepest)
    }

    fn assert_none_lost(&self) {
        assert_eq!(self.lost(), (0, 0.0), "{self:?}");
    }
}

/// The upper side of the ground over or under a point.
fn height(ground: &Shape, pose: &Pose, at: Vec3) -> Option<f32> {
    let ray = Ray::new(Vec3::new(at.x, 1000.0, at.z), Vec3::NEG_Y);
    cast_ray(ground, pose, &ray, Interval::FORWARD).map(|hit| ray.origin.y - hit.t)
}

impl Thrown {
    /// The bodies whose middle is below the ground, and by how much; those beyond its rim do not
    /// count.
    fn below(&mut self) -> Vec<(BodyId, f32)> {
        let ground = self.world.body(self.ground.0).unwrap().pose();
        let mut below = Vec::new();
        let Thrown { world, bodies, half, .. } = self;
        bodies.retain(|&id| {
            let at = world.body(id).unwrap().position();
            at.x.abs().max(at.z.abs()) < *half - 0.5
        });
        for &id in &self.bodies {
            let body = self.world.body(id).unwrap().motion();
            let middle = body.pose.transform_point(body.center_of_mass);
            if let Some(height) = height(&self.ground.1, &ground, middle)
                && middle.y < height
            {
                below.push((id, height - middle.y));
            }
        }
        below
    }
}

/// A falling body was deeper in the ground than its radius at the first detection, and the contact
/// was on the wrong side.
#[test]
fn r_a_capsule_that_falls_on_a_mesh_stays_on_it() {
    let floor = |y: f32| {
        let corner = |x: f32, z: f32| Vec3::new(x, y, z);
        let points = vec![corner(-9.0, -9.0), corner(9.0, -9.0), corner(9.0, 9.0), corner(-9.0, 9.0)];
        let mesh = TriMesh::new(points, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
        Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
    };
    for index in 0..40 {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(floor(0.0))).unwrap();
        let capsule = Shape::Capsule(Capsule::new(0.2, 0.143).unwrap());
        let turn = Quat::from_rotation_z(1.5 + 0.01 * index as f32);
        let at = Vec3::new(0.3, 0.32 + 0.005 * index as f32, 0.4);
        let desc = of_unit_density(capsule).with_pose(Pose::new(turn, at));
        let id = world.insert(desc.with_linear_velocity(Vec3::Y * -10.2)).unwrap();
        for step in 0..90 {
            world.checked_step(1.0 / 60.0).unwrap();
            let y = world.body(id).unwrap().position().y;
            assert!(0.05 < y, "{index}, step {step}: {y}");
        }
    }
}

#[test]
fn no_shape_is_lost_at_ordinary_sizes() {
    for kind in [Kind::Capsule, Kind::Box, Kind::Hull, Kind::Ball, Kind::Compound] {
        Throw { kind, n_bodies: 40, ..DROP }.assert_none_lost();
    }
}

#[test]
fn no_small_body_is_lost_at_any_speed() {
    let small = Throw { kind: Kind::Mixed, scale: 0.15, n_steps: 60, ..DROP };
    for (speed, dt) in [(10.0, 1.0 / 30.0), (30.0, 1.0 / 60.0), (60.0, 1.0 / 60.0), (60.0, 1.0 / 240.0)] {
        Throw { speed, dt, ..small }.assert_none_lost();
        Throw { speed, dt, restitution: 1.0, seed: 2, ..small }.assert_none_lost();
    }
}

#[test]
fn no_body_is_lost_in_thin_slabs_or_behind_triangles_that_face_away() {
    let small = Throw { kind: Kind::Mixed, scale: 0.15, speed: 30.0, n_steps: 60, ..DROP };
    for ground in [Ground::Turned, Ground::Slab(0.05), Ground::Slab(0.01), Ground::Slab(0.001)] {
        Throw { ground, ..small }.assert_none_lost();
        Throw { ground, kind: Kind::Capsule, scale: 0.1, speed: 60.0, ..small }.assert_none_lost();
    }
}

#[test]
fn no_body_is_lost_on_height_fields() {
    for (scale, speed) in [(1.0, 0.0), (0.4, 10.0), (0.15, 60.0)] {
        let ground = Ground::Field;
        Throw { kind: Kind::Mixed, scale, speed, ground, n_steps: 60, ..DROP }.assert_none_lost();
    }
}

#[test]
fn no_body_is_lost_on_a_mesh_that_moves() {
    for (scale, speed) in [(1.0, 3.0), (0.3, 12.0), (0.5, 20.0)] {
        let ground = Ground::Lifted(speed);
        Throw { kind: Kind::Mixed, scale, speed: 10.0, ground, n_steps: 80, ..DROP }.assert_none_lost();
    }
}

/// A heavy ball strikes light ones that lie on a thin mesh, so their speed was not foreseen.
#[test]
fn a_body_that_is_struck_is_not_driven_through_a_mesh() {
    for (speed, thickness) in [(10.0, 0.05), (30.0, 0.01), (60.0, 0.002)] {
        let mut world = World::new();
        let shape = ground_of(Ground::Slab(thickness), 16, 3);
        world.insert(BodyDesc::fixed(shape.clone())).unwrap();
        let mut struck = Vec::new();
        for k in 0..25 {
            let at = Vec3::new((k % 5) as f32 - 2.0, 0.0, (k / 5) as f32 - 2.0);
            let at = at + Vec3::Y * (height(&shape, &Pose::IDENTITY, at).unwrap() + 0.08);
            let ball = Shape::Sphere(Sphere::new(0.05).unwrap());
            struck.push(world.insert(of_unit_density(ball).with_position(at)).unwrap());
            let hammer = Shape::Sphere(Sphere::new(0.3).unwrap());
            let desc = of_unit_density(hammer).with_position(at + Vec3::Y * 2.4).with_density(500.0);
            world.insert(desc.with_linear_velocity(Vec3::Y * -speed)).unwrap();
        }
        for step in 0..60 {
            world.checked_step(1.0 / 60.0).unwrap();
            for &id in &struck {
                let at = world.body(id).unwrap().position();
                if let Some(height) = height(&shape, &Pose::IDENTITY, at) {
                    assert!(height < at.y, "{speed} m/s, step {step}: {id:?} at {at}, ground {height}");
                }
            }
        }
    }
}

/// All kinds on the large terrain, and any throws; where the environment says `CAROM_SLOW`.
#[test]
fn none_of_many_is_lost() {
    if std::env::var_os("CAROM_SLOW").is_none() {
        return;
    }
    let large = Throw { n_bodies: 2000, n_cells: 224, n_steps: 200, ..DROP };
    let mut throws = vec![large, Throw { kind: Kind::Mixed, n_steps: 600, ..large }];
    throws.push(Throw { kind: Kind::Mixed, scale: 0.15, speed: 30.0, ground: Ground::Slab(0.05), ..large });
    for seed in 0..150 {
        let mut random = Random::new(1000 + seed);
        let mut number = |low: f64, high: f64| random.range(low, high) as f32;
        let kinds = [Kind::Capsule, Kind::Box, Kind::Hull, Kind::Ball, Kind::Compound, Kind::Mixed];
        let grounds = [
            Ground::Mesh,
            Ground::Turned,
            Ground::Slab(0.05),
            Ground::Slab(0.002),
            Ground::Field,
            Ground::Lifted(number(1.0, 10.0)),
        ];
        throws.push(Throw {
            kind: kinds[number(0.0, 5.99) as usize],
            n_bodies: 200,
            scale: 10.0_f32.powf(number(-1.1, 0.3)),
            speed: 60.0_f32.powf(number(0.0, 1.0)),
            ground: grounds[number(0.0, 5.99) as usize],
            n_cells: 24,
            dt: 1.0 / [30.0, 60.0, 60.0, 120.0, 240.0][number(0.0, 4.99) as usize],
            restitution: number(0.0, 1.0),
            n_steps: 200,
            seed,
        });
    }
    // The middle of a compound that turns fast may dip under the ground and come back: its parts
    // are guarded.
    for throw in throws {
        assert_eq!(throw.lost().0, 0, "{throw:?}");
    }
}
