//! A playground: most features of a world in one scene.
//!
//! Joints of each kind, hooks, belts, soft things, water, force fields, platforms, characters, a
//! ragdoll and a car, around a heap of loose bodies.

use super::joints::insert_joint_kinds;
use super::roles::Role;
use super::surfaces::insert_belts;
use super::walkers::{Plan, insert_car, solid};
use super::{Actors, Error, Request, Route};
use carom_broad::{BroadPhase, SpatialIndex};
use carom_geom::{Capsule, Cuboid, Cylinder, Sphere};
use carom_math::{Pose, Quat, Vec3, ops};
use carom_query::Shape;
use carom_scenes::{Rng, SceneSpec, push_ragdoll, soft};
use carom_world::{
    BodyDesc, ClothSettings, ForceFieldDesc, ForceKind, ForceRegion, Liquid, ParticlePhase, ParticlesDesc,
    RopeSettings, SoftBodyDesc, SoftBodySettings, World,
};
use glam::DVec3;

/// Half the side of the floor and the radius of the car's circle, in metres.
const HALF_FLOOR: f32 = 28.0;
const CIRCLE: f32 = 22.0;

/// Parcels on the belts, and characters.
const PARCELS: usize = 24;
const WALKERS: usize = 6;

/// Middles of the parts of the scene, in metres.
const JOINTS: Vec3 = Vec3::new(0.0, 0.0, -13.0);
const BELTS: Vec3 = Vec3::new(-13.0, 1.0, -1.0);
const TANK: Vec3 = Vec3::new(11.0, 0.0, -5.0);
const SOFT: Vec3 = Vec3::new(11.0, 0.0, 2.0);
const HOOKS: Vec3 = Vec3::new(0.0, 0.0, 9.0);
const WIND: Vec3 = Vec3::new(0.0, 0.0, 15.0);
const PLANET: Vec3 = Vec3::new(11.0, 4.0, 12.0);
const LIFT: Vec3 = Vec3::new(6.0, 0.0, 1.0);
const DISC: Vec3 = Vec3::new(-5.0, 0.0, 3.0);

/// Half the inner width of the tank, in metres, and the height of its walls.
const TANK_HALF: f32 = 1.2;
const TANK_HEIGHT: f32 = 0.8;

/// Radius of a particle of water, in metres.
const DROP: f32 = 0.07;

fn cuboid(half: Vec3) -> Result<Shape, Error> {
    Ok(Shape::Cuboid(Cuboid::new(half)?))
}

fn ball(radius: f32) -> Result<BodyDesc, Error> {
    Ok(BodyDesc::dynamic(Shape::Sphere(Sphere::new(radius)?)).with_density(300.0))
}

/// Inserts the playground, with `count` loose bodies in its middle.
pub fn playground<B: BroadPhase + SpatialIndex>(
    world: &mut World<B>,
    request: &Request,
) -> Result<Actors, Error> {
    let mut actors = Actors::new(request.seed);
    let floor = BodyDesc::fixed(cuboid(Vec3::new(HALF_FLOOR, 0.5, HALF_FLOOR))?);
    world.insert(floor.with_position(Vec3::Y * -0.5).with_friction(0.8))?;
    insert_car(world, &mut actors, Pose::new(quarter_turn(), Vec3::new(CIRCLE, 1.2, 0.0)))?;
    actors.route = Route::Circle { radius: CIRCLE };
    insert_joint_kinds(world, JOINTS)?;
    insert_belts(world, BELTS, &Request { count: PARCELS, seed: request.seed })?;
    insert_water(world)?;
    insert_soft_things(world)?;
    insert_hooks(world)?;
    insert_fields(world)?;
    insert_platforms(world, &mut actors)?;
    insert_heap(world, request)?;
    let mut doll = SceneSpec::default();
    push_ragdoll(&mut doll, &Pose::from_translation(Vec3::new(2.5, 2.2, 5.0)), 1.0, 1);
    carom_stage::insert(world, &doll)?;
    for k in 0..WALKERS {
        let (sin, cos) = ops::sin_cos(core::f64::consts::TAU * k as f64 / WALKERS as f64);
        actors.insert_walker(
            world,
            DVec3::new(6.5 * cos, 0.0, 5.0 * sin),
            Plan::Roam { left: 0, reach: 9.0 },
        )?;
    }
    Ok(actors)
}

fn quarter_turn() -> Quat {
    Quat::from_rotation_y(core::f32::consts::FRAC_PI_2)
}

/// Inserts loose bodies of all shapes in the middle, and walls of boxes on the way of the car.
fn insert_heap<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<(), Error> {
    let mut rng = Rng::new(request.seed);
    for k in 0..request.count {
        let size = rng.range(0.2, 0.4) as f32;
        let shape = match k % 4 {
            0 => Shape::Sphere(Sphere::new(size)?),
            1 => Shape::Capsule(Capsule::new(size, 0.6 * size)?),
            2 => Shape::Cylinder(Cylinder::new(0.6 * size, size)?),
            _ => cuboid(Vec3::new(size, 0.7 * size, 0.8 * size))?,
        };
        let (layer, index) = (k / 16, k % 16);
        let at = Vec3::new(0.9 * ((index % 4) as f32 - 1.5), 0.6, 0.9 * ((index / 4) as f32 - 1.5));
        let pose = Pose::new(rng.rotation().as_quat(), at + Vec3::Y * (0.9 * layer as f32));
        world.insert(BodyDesc::dynamic(shape).with_density(300.0).with_pose(pose))?;
    }
    for k in 0..18 {
        // Three walls, each three boxes wide and two high.
        let (wall, index) = (k / 6, k % 6);
        let angle = 0.9 + 2.1 * wall as f32;
        let (sin, cos) = ops::sin_cos(angle);
        let radius = CIRCLE + 0.85 * ((index % 3) as f32 - 1.0);
        let at = Vec3::new(radius * cos, 0.36 + 0.72 * (index / 3) as f32, -radius * sin);
        let pose = Pose::new(Quat::from_rotation_y(angle), at);
        world.insert(solid(25.0, Vec3::splat(0.35))?.with_pose(pose))?;
    }
    Ok(())
}

/// Inserts a tank of water, and boxes that float.
fn insert_water<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    const THICKNESS: f32 = 0.1;
    let (out, up) = (TANK_HALF + THICKNESS, 0.5 * TANK_HEIGHT);
    for (axis, other) in [(Vec3::X, Vec3::Z), (Vec3::Z, Vec3::X)] {
        for side in [-1.0, 1.0] {
            let wall = cuboid(axis * THICKNESS + other * (out + THICKNESS) + Vec3::Y * up)?;
            world.insert(BodyDesc::fixed(wall).with_position(TANK + axis * (side * out) + Vec3::Y * up))?;
        }
    }
    let half = Vec3::new(TANK_HALF - 0.01, 3.0 * DROP, TANK_HALF - 0.01);
    let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), DROP);
    let pose = Pose::from_translation(TANK + Vec3::Y * half.y);
    world.insert_particles(water.with_filling(&cuboid(half)?, &pose))?;
    for (x, z) in [(-0.5, -0.4), (0.5, 0.3)] {
        let raft = BodyDesc::dynamic(cuboid(Vec3::new(0.25, 0.15, 0.25))?).with_density(400.0);
        world.insert(raft.with_position(TANK + Vec3::new(x, 0.9, z)))?;
    }
    Ok(())
}

/// Inserts a hammock of cloth with a ball in it, a cube of jelly, and a rope with a ball at its
/// end.
fn insert_soft_things<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    const CELLS: u32 = 16;
    let row = CELLS + 1;
    let corners = [0, CELLS, CELLS * row, row * row - 1];
    let hammock = SoftBodyDesc::grid([2.4; 2], [CELLS; 2], ClothSettings::default().with_damping(2.0));
    let hammock = hammock.with_thickness(0.1).with_density(1.0).with_pinned(&corners);
    world.insert_soft_body(hammock.with_position(SOFT + Vec3::Y * 1.6))?;
    for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        let post = BodyDesc::fixed(cuboid(Vec3::new(0.06, 0.8, 0.06))?);
        world.insert(post.with_position(SOFT + Vec3::new(1.3 * x, 0.8, 1.3 * z)))?;
    }
    let light = ball(0.3)?.with_density(30.0);
    world.insert(light.with_position(SOFT + Vec3::new(0.1, 2.4, 0.2)))?;

    let cube = soft::jelly(3);
    if let soft::SoftMaterial::Jelly { tetrahedra, youngs_modulus } = &cube.material {
        let settings = SoftBodySettings::default().with_youngs_modulus(*youngs_modulus);
        let jelly = SoftBodyDesc::volume(&cube.positions, tetrahedra, settings).with_density(300.0);
        world.insert_soft_body(jelly.with_thickness(0.1).with_position(SOFT + Vec3::new(3.2, 0.5, 0.0)))?;
    }

    let top = SOFT + Vec3::new(-3.0, 3.0, 0.0);
    let post = BodyDesc::fixed(cuboid(Vec3::new(0.06, 1.5, 0.06))?);
    world.insert(post.with_position(top + Vec3::new(0.0, -1.5, -0.8)))?;
    let arm = BodyDesc::fixed(cuboid(Vec3::new(0.06, 0.06, 0.45))?);
    world.insert(arm.with_position(top + Vec3::new(0.0, 0.06, -0.4)))?;
    let points: Vec<Vec3> = (0..=14).map(|k| top + Vec3::new(0.125 * k as f32, 0.0, 0.0)).collect();
    let end = points[points.len() - 1];
    let weight = world.insert(ball(0.2)?.with_density(30.0).with_position(end + Vec3::X * 0.2))?;
    let rope = SoftBodyDesc::rope(&points, RopeSettings::default().with_damping(1.0));
    let rope = world.insert_soft_body(rope.with_thickness(0.08).with_density(0.5).with_pinned(&[0]))?;
    world.soft_body_mut(rope)?.attach(points.len() as u32 - 1, weight)?;
    Ok(())
}

/// Inserts bodies that act by hooks: a platform that holds from above only, soft ground, a gate
/// for balls, and a pad that throws bodies back.
fn insert_hooks<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    let at = |x: f32, y: f32, z: f32| HOOKS + Vec3::new(x, y, z);
    let platform = BodyDesc::fixed(cuboid(Vec3::new(1.5, 0.06, 1.2))?).with_position(at(-6.0, 2.2, 0.0));
    world.insert(Role::OneWay.apply_to(platform))?;
    for k in 0..3 {
        // They rise through the platform, and come to rest on it.
        let thrown = ball(0.22)?.with_position(at(-6.8 + 0.8 * k as f32, 0.3, 0.0));
        world.insert(thrown.with_linear_velocity(Vec3::Y * (8.0 + 0.5 * k as f32)))?;
    }
    let mat = BodyDesc::fixed(cuboid(Vec3::new(1.3, 0.2, 1.2))?).with_position(at(-2.0, 0.2, 0.0));
    world.insert(Role::SoftGround.apply_to(mat))?;
    for k in 0..3 {
        let half = Vec3::splat(0.2 + 0.05 * k as f32);
        let position = at(-2.8 + 0.8 * k as f32, 1.5, 0.0);
        world.insert(BodyDesc::dynamic(cuboid(half)?).with_density(500.0).with_position(position))?;
    }
    let gate = BodyDesc::fixed(cuboid(Vec3::new(1.3, 0.05, 1.2))?).with_position(at(2.0, 1.2, 0.0));
    world.insert(Role::BallGate.apply_to(gate))?;
    for k in 0..4 {
        let position = at(1.2 + 0.55 * k as f32, 2.2 + 0.4 * k as f32, 0.0);
        let block = BodyDesc::dynamic(cuboid(Vec3::splat(0.2))?).with_density(300.0);
        world.insert(if k % 2 == 0 { ball(0.2)? } else { block }.with_position(position))?;
    }
    let pad = BodyDesc::fixed(cuboid(Vec3::new(1.3, 0.1, 1.2))?).with_position(at(6.0, 0.1, 0.0));
    world.insert(Role::Bouncer.apply_to(pad))?;
    for k in 0..3 {
        let position = at(5.2 + 0.8 * k as f32, 2.0 + 0.7 * k as f32, 0.0);
        world.insert(ball(0.2)?.with_position(position))?;
    }
    Ok(())
}

/// Inserts a column of wind that carries balls, and a small planet without other gravity around
/// it.
fn insert_fields<B: BroadPhase>(world: &mut World<B>) -> Result<(), Error> {
    let column = Pose::from_translation(WIND + Vec3::Y * 2.5);
    let half_extents = Vec3::new(1.2, 2.5, 1.2);
    let inside = ForceRegion::Cuboid { pose: column, half_extents };
    let wind = ForceKind::Drag { linear: 2.5, angular: 1.0, flow: Vec3::Y * 5.0 };
    world.insert_force_field(ForceFieldDesc::inside(inside, wind))?;
    for k in 0..5 {
        let (sin, cos) = ops::sin_cos(1.2 * k as f32);
        let at = WIND + Vec3::new(0.6 * cos, 0.5 + 0.5 * k as f32, 0.6 * sin);
        world.insert(ball(0.2)?.with_density(60.0).with_position(at))?;
    }

    let around = ForceRegion::Ball { center: PLANET, radius: 3.2 };
    world.insert_force_field(ForceFieldDesc::inside(around, ForceKind::Gravity(Vec3::ZERO)))?;
    let pull = ForceKind::Radial { center: PLANET, strength: 8.0, exponent: -2 };
    world.insert_force_field(ForceFieldDesc::inside(around, pull))?;
    let planet = Shape::Sphere(Sphere::new(0.8)?);
    world.insert(BodyDesc::fixed(planet).with_position(PLANET))?;
    for (k, radius) in [1.5_f32, 2.0, 2.6].into_iter().enumerate() {
        let (sin, cos) = ops::sin_cos(2.1 * k as f32);
        let out = Vec3::new(cos, 0.0, -sin);
        // On a circle, tilted a little.
        let speed = ops::sqrt(8.0 / radius);
        let along = Vec3::new(-sin, 0.25, -cos).normalize() * speed;
        let moon = ball(0.12 + 0.04 * k as f32)?.with_position(PLANET + out * radius);
        world.insert(moon.with_linear_velocity(along))?;
    }
    Ok(())
}

/// Inserts a lift and a disc that turns, and boxes that ride on them.
fn insert_platforms<B: BroadPhase>(world: &mut World<B>, actors: &mut Actors) -> Result<(), Error> {
    actors.insert_platform(world, cuboid(Vec3::new(1.2, 0.5, 1.2))?, |t| {
        Pose::from_translation(LIFT + Vec3::Y * (0.3 + 0.8 * ops::sin_cos(0.7 * t).0))
    })?;
    actors.insert_platform(world, Shape::Cylinder(Cylinder::new(0.15, 1.8)?), |t| {
        Pose::new(Quat::from_rotation_y(0.8 * t), DISC + Vec3::Y * 0.1)
    })?;
    for position in [LIFT + Vec3::new(0.3, 1.3, 0.0), DISC + Vec3::new(0.9, 0.6, 0.0)] {
        world.insert(solid(15.0, Vec3::splat(0.25))?.with_position(position))?;
    }
    Ok(())
}
