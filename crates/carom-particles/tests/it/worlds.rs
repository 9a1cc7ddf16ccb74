//! Rigid bodies of a world among particles, both ways: each kind of particle carries, stops or
//! moves a body, and the body it.

use crate::blocks::{add_tank, block};
use carom_geom::{Cuboid, Cylinder, HalfSpace, Sphere};
use carom_math::{Pose, Quat, Vec3};
use carom_particles::{
    BodyBoundary, Cloth, ClothSettings, Gas, Grains, Inflatable, InflatableSettings, Liquid, ParticleBody,
    ParticleSettings, ParticleSolver, Rope, RopeSettings, ShapeMatching, SoftBody, SoftBodySettings, Solid,
    SolidParticles, SolidPass, Surface, Surroundings,
};
use carom_query::Shape;
use carom_scenes::mesh::icosphere;
use carom_world::{BodyDesc, BodyId, World};
use core::ops::Range;

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.81;
const LIFT: f32 = 0.5;

type Distance = Box<dyn Fn(Vec3) -> (f32, Vec3) + Sync>;

/// Bodies of a world that particles meet, with their distance fields.
struct Scene {
    solver: ParticleSolver,
    world: World,
    bodies: Vec<(BodyId, Distance)>,
    /// The impulse that particles gave each body in the last step.
    impulses: Vec<Vec3>,
    /// The gas, which rises.
    gas: Range<u32>,
}

impl Scene {
    fn new(settings: ParticleSettings) -> Scene {
        let solver = ParticleSolver::new(settings).unwrap();
        Scene { solver, world: World::new(), bodies: Vec::new(), impulses: Vec::new(), gas: 0..0 }
    }

    fn add_floor(&mut self) {
        self.solver.add_plane(Vec3::Y, 0.0, &Surface::default()).unwrap();
        self.world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
    }

    fn add_body(&mut self, desc: BodyDesc, distance: Distance) -> BodyId {
        let id = self.world.insert(desc.with_can_sleep(false)).unwrap();
        self.bodies.push((id, distance));
        id
    }

    /// A step of the particles among the bodies, and then of the world with what they gave.
    fn step(&mut self, constraints: &mut dyn FnMut(&mut SolidPass<'_>)) {
        let mut boundaries: Vec<BodyBoundary<'_>> = Vec::new();
        for (id, distance) in &self.bodies {
            let body = self.world.body(*id).unwrap().motion();
            boundaries.push(BodyBoundary {
                center_of_mass: body.center_of_mass,
                inverse_mass: body.inverse_mass,
                inverse_inertia: body.inverse_inertia,
                linear_velocity: body.linear_velocity,
                angular_velocity: body.angular_velocity,
                ..BodyBoundary::fixed(distance, body.pose)
            });
        }
        let mut around =
            Surroundings { bodies: &mut boundaries, constraints: Some(constraints), ..Default::default() };
        self.solver.step_in(DT, &mut around).unwrap();
        self.impulses.clear();
        for ((id, _), boundary) in self.bodies.iter().zip(&boundaries) {
            let body = *self.world.body(*id).unwrap().motion();
            let linear = body.linear_velocity + boundary.impulse * body.inverse_mass;
            let turn = body.world_inverse_inertia() * boundary.angular_impulse;
            self.world
                .body_mut(*id)
                .unwrap()
                .set_linear_velocity(linear)
                .unwrap()
                .set_angular_velocity(body.angular_velocity + turn)
                .unwrap();
            self.impulses.push(boundary.impulse);
        }
        self.world.step(DT).unwrap();
    }

    fn position(&self, id: BodyId) -> Vec3 {
        self.world.body(id).unwrap().position()
    }

    /// Kinetic energy, and that in the field of gravity, of all particles and bodies.
    fn energy(&self) -> f64 {
        let mut sum = 0.0;
        for particle in 0..self.solver.n_particles() as u32 {
            let w = f64::from(self.solver.inverse_mass(particle).unwrap());
            if 0.0 < w {
                let speed_sq = self.solver.velocity(particle).unwrap().length_squared();
                let height = self.solver.position(particle).unwrap().y;
                let scale = if self.gas.contains(&particle) { -LIFT } else { 1.0 };
                sum += f64::from(0.5 * speed_sq + scale * GRAVITY * height) / w;
            }
        }
        for (id, _) in &self.bodies {
            let body = self.world.body(*id).unwrap().motion();
            let weight = GRAVITY / body.inverse_mass;
            sum += f64::from(body.kinetic_energy() + weight * body.world_center().y);
        }
        sum
    }
}

fn none(_: &mut SolidPass<'_>) {}

fn ball(radius: f32) -> Distance {
    Box::new(move |p| (p.length() - radius, p.normalize_or(Vec3::Y)))
}

fn cuboid(half: Vec3) -> Distance {
    Box::new(move |p| {
        let out = p.abs() - half;
        let sign = Vec3::ONE.copysign(p);
        if out.max_element() <= 0.0 {
            let axis = out.max_position();
            return (out[axis], Vec3::AXES[axis] * sign[axis]);
        }
        let out = out.max(Vec3::ZERO);
        (out.length(), out.normalize() * sign)
    })
}

/// About the y axis.
fn cylinder(half_height: f32, radius: f32) -> Distance {
    Box::new(move |p| {
        let aside = Vec3::new(p.x, 0.0, p.z);
        let out = [aside.length() - radius, p.y.abs() - half_height];
        let [round, flat] = [aside.normalize_or(Vec3::X), Vec3::Y * 1.0_f32.copysign(p.y)];
        if out[0].max(out[1]) <= 0.0 {
            return if out[1] < out[0] { (out[0], round) } else { (out[1], flat) };
        }
        let displacement = round * out[0].max(0.0) + flat * out[1].max(0.0);
        (displacement.length(), displacement.normalize())
    })
}

/// A square sheet of so many particles along a side, and its triangles.
fn sheet(n: u32, spacing: f32, corner: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let positions = (0..n * n).map(|i| corner + Vec3::new((i % n) as f32, 0.0, (i / n) as f32) * spacing);
    let quads = (0..n * (n - 1)).filter(|i| i % n < n - 1);
    let triangles = quads.flat_map(|i| [[i, i + n, i + 1], [i + 1, i + n, i + n + 1]]).collect();
    (positions.collect(), triangles)
}

/// A box falls on a cloth that is held at its corners. It comes to rest there, and the cloth bears
/// its weight.
#[test]
fn cloth_carries_a_box() {
    let (n, radius) = (20, 0.03);
    let mut scene = Scene::new(ParticleSettings::new(radius).with_iterations(8));
    scene.add_floor();
    let spacing = 1.4 * radius;
    let side = spacing * (n - 1) as f32;
    let (positions, triangles) = sheet(n, spacing, Vec3::new(-0.5 * side, 0.6, -0.5 * side));
    let mut masses = vec![1.0 / 0.005; positions.len()];
    for corner in [0, n - 1, n * (n - 1), n * n - 1] {
        masses[corner as usize] = 0.0;
    }
    let added = scene.solver.add_solid(&Solid::default(), &positions, &masses).unwrap();
    let settings = ClothSettings::default().with_damping(2.0);
    let mut cloth = Cloth::new(added.indices.start as usize, &positions, &triangles, &settings).unwrap();
    let half = Vec3::new(0.12, 0.06, 0.12);
    let shape = Shape::Cuboid(Cuboid::new(half).unwrap());
    let desc = BodyDesc::dynamic(shape).with_density(400.0).with_position(Vec3::new(0.02, 0.75, 0.01));
    let weight = GRAVITY * 400.0 * 8.0 * half.x * half.y * half.z;
    let id = scene.add_body(desc, cuboid(half));
    let (mut carried, mut n_carried, mut before) = (0.0, 0, Vec3::ZERO);
    for step in 0..480 {
        scene.step(&mut |pass| pass.project(&mut cloth).unwrap());
        if step == 419 {
            before = scene.position(id);
        }
        if 420 <= step {
            carried += scene.impulses[0].y / DT;
            n_carried += 1;
        }
    }
    let (carried, body) = (carried / n_carried as f32, *scene.world.body(id).unwrap().motion());
    let lowest = added.ids.map(|i| scene.solver.position(i).unwrap().y).fold(1.0, f32::min);
    // The velocity itself is that at the end of a step, after gravity and before the cloth.
    let speed = body.world_center().distance(before);
    println!(
        "box at {}, {speed} m in a second; cloth down to {lowest}; {carried} N of {weight}",
        body.world_center()
    );
    assert!(speed < 0.005, "{speed}");
    assert!(0.2 < body.world_center().y - half.y, "the box hangs in the cloth");
    assert!(lowest < body.world_center().y - half.y, "the cloth is below the box");
    assert!((carried / weight - 1.0).abs() < 0.02, "{carried} {weight}");
}

/// A wheel rolls along a floor at 2 m/s and onto a bed of sand, which stops it. The bed is nearly
/// as high as the axle; a third of the wheel's energy takes it up there. Without sand it rolls on.
#[test]
fn sand_stops_a_rolling_wheel() {
    let (radius, width) = (0.15, 0.24);
    let roll = |has_sand: bool| {
        let grain = 0.02;
        let mut scene = Scene::new(ParticleSettings::new(grain));
        scene.add_floor();
        for (normal, offset) in [(Vec3::Z, -0.2), (Vec3::NEG_Z, -0.2), (Vec3::NEG_X, -1.5)] {
            scene.solver.add_plane(normal, offset, &Surface::default()).unwrap();
        }
        if has_sand {
            let positions = block([30, 3, 10], 2.0 * grain, Vec3::new(0.3, 0.0, -0.2));
            scene.solver.add_grains(&Grains::default(), &positions).unwrap();
        }
        let shape = Shape::Cylinder(Cylinder::new(0.5 * width, radius).unwrap());
        let axle = Pose::new(Quat::from_rotation_x(core::f32::consts::FRAC_PI_2), Vec3::Y * radius);
        let desc = BodyDesc::dynamic(shape).with_density(1000.0).with_pose(axle);
        let desc =
            desc.with_linear_velocity(Vec3::X * 2.0).with_angular_velocity(Vec3::NEG_Z * (2.0 / radius));
        let id = scene.add_body(desc, cylinder(0.5 * width, radius));
        for _ in 0..150 {
            scene.step(&mut none);
        }
        let before = scene.position(id);
        (0..30).for_each(|_| scene.step(&mut none));
        (scene.position(id), 2.0 * (scene.position(id) - before).x)
    };
    let [(free, free_speed), (stopped, speed)] = [false, true].map(roll);
    println!("without sand at {free} with {free_speed} m/s, with sand at {stopped} with {speed} m/s");
    assert!(1.9 < free_speed && 5.8 < free.x, "{free}");
    assert!(0.2 < stopped.x && stopped.x < 1.4, "{stopped}");
    assert!(speed.abs() < 0.1, "{speed}");
    assert!(radius - 0.01 < stopped.y && stopped.y < radius + 0.2, "it is on the floor or on sand");
}

/// All kinds of particles and two rigid bodies fall into a tank. For 10 seconds, or a minute with
/// `CAROM_SLOW`, nothing gets out of it, and energy only goes.
#[test]
fn all_kinds_with_bodies_keep_their_energy() {
    let (radius, [length, width]) = (0.05, [1.0, 0.8]);
    let spacing = 2.0 * radius;
    let mut scene = Scene::new(ParticleSettings::new(radius));
    add_tank(&mut scene.solver, length, width, &Surface::default());
    // A lid, or gas would rise for ever.
    scene.solver.add_plane(Vec3::NEG_Y, -1.6, &Surface::default()).unwrap();
    for (normal, point) in [
        (Vec3::Y, Vec3::ZERO),
        (Vec3::X, Vec3::ZERO),
        (Vec3::NEG_X, Vec3::X * length),
        (Vec3::Z, Vec3::ZERO),
        (Vec3::NEG_Z, Vec3::Z * width),
    ] {
        let wall = BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(normal).unwrap()));
        scene.world.insert(wall.with_position(point)).unwrap();
    }
    let solver = &mut scene.solver;
    solver.add_liquid(&Liquid::default(), &block([6, 4, 8], spacing, Vec3::ZERO)).unwrap();
    solver.add_grains(&Grains::default(), &block([3, 3, 8], spacing, Vec3::X * 0.7)).unwrap();
    let gas = Gas::default().with_lift(LIFT);
    scene.gas = solver.add_gas(&gas, &block([2, 2, 2], spacing, Vec3::new(0.7, 0.4, 0.1))).unwrap();
    let mut add = |positions: &[Vec3], mass: f32| -> usize {
        let masses = vec![1.0 / mass; positions.len()];
        let added: SolidParticles = solver.add_solid(&Solid::default(), positions, &masses).unwrap();
        added.indices.start as usize
    };

    let (cloth, triangles) = sheet(7, 0.8 * spacing, Vec3::new(0.1, 0.65, 0.1));
    let cloth = Cloth::new(add(&cloth, 0.3), &cloth, &triangles, &ClothSettings::default()).unwrap();
    let rope = block([8, 1, 1], spacing, Vec3::new(0.1, 0.45, 0.6));
    let rope = Rope::new(add(&rope, 0.6), &rope, &RopeSettings::default()).unwrap();
    let stone = block([2, 2, 2], spacing, Vec3::new(0.7, 0.6, 0.5));
    let stone = ShapeMatching::rigid(add(&stone, 2.0), &stone).unwrap();
    let jelly = block([3, 2, 2], spacing, Vec3::new(0.6, 0.6, 0.2));
    let jelly = ShapeMatching::soft(add(&jelly, 1.0), &jelly, spacing, 60.0).unwrap();
    // Two tetrahedra on a triangle.
    let corners = [[0, 0, 0], [2, 0, 0], [1, 0, 2], [1, 2, 1], [1, -2, 1]];
    let at =
        |[x, y, z]: [i32; 3]| Vec3::new(0.3, 1.1, 0.3) + Vec3::new(x as f32, y as f32, z as f32) * radius;
    let rubber = corners.map(at);
    let settings = SoftBodySettings::default().with_youngs_modulus(1e4).with_poisson_ratio(0.3);
    let tetrahedra = [[0, 1, 2, 3], [0, 1, 2, 4]];
    let rubber = SoftBody::new(add(&rubber, 1.0), &rubber, &tetrahedra, &settings).unwrap();
    let skin = icosphere(80).scaled(0.16);
    let positions: Vec<Vec3> = skin.vertices_f32().iter().map(|p| *p + Vec3::new(0.6, 1.1, 0.4)).collect();
    let settings = InflatableSettings::default();
    let balloon = Inflatable::new(add(&positions, 0.1), &positions, &skin.triangles, &settings).unwrap();
    let mut all: Vec<Box<dyn ParticleBody>> = vec![
        Box::new(cloth),
        Box::new(rope),
        Box::new(stone),
        Box::new(jelly),
        Box::new(rubber),
        Box::new(balloon),
    ];

    let shape = Shape::Sphere(Sphere::new(0.18).unwrap());
    let at = Vec3::new(0.3, 1.35, 0.55);
    scene.add_body(BodyDesc::dynamic(shape).with_density(300.0).with_position(at), ball(0.18));
    let half = Vec3::new(0.15, 0.1, 0.15);
    let shape = Shape::Cuboid(Cuboid::new(half).unwrap());
    let at = Vec3::new(0.75, 1.4, 0.5);
    scene.add_body(BodyDesc::dynamic(shape).with_density(1500.0).with_position(at), cuboid(half));

    let seconds = if std::env::var_os("CAROM_SLOW").is_some() { 60 } else { 10 };
    let n = scene.solver.n_particles();
    let start = scene.energy();
    // Below the last least one by what springs and gravity may give back.
    let (mut least, mut most_gained) = (start, 0.0_f64);
    let mut constraints = |pass: &mut SolidPass<'_>| {
        all.iter_mut().for_each(|body| pass.project(&mut **body).unwrap());
    };
    let mut second_before = start;
    for second in 1..=seconds {
        for _ in 0..60 {
            scene.step(&mut constraints);
            let energy = scene.energy();
            most_gained = most_gained.max(energy - least);
            least = least.min(energy);
        }
        let energy = scene.energy();
        if second < 4 || second % 10 == 0 {
            println!("{second} s: {energy:.0} J, {:.1} J less", second_before - energy);
        }
        second_before = energy;
    }
    let inside = |p: Vec3| (-0.01..=length + 0.01).contains(&p.x) && (-0.01..=width + 0.01).contains(&p.z);
    let is_inside = |p: Vec3, least: f32| inside(p) && least <= p.y && p.y < 1.6;
    for particle in 0..n as u32 {
        let position = scene.solver.position(particle).unwrap();
        assert!(is_inside(position, 0.9 * radius), "{particle} {position}");
    }
    for &(id, _) in &scene.bodies {
        assert!(is_inside(scene.position(id), 0.09), "{}", scene.position(id));
    }
    println!("{n} particles, from {start:.0} to {second_before:.0} J, gained at most {most_gained:.2} J");
    assert!(most_gained < 0.02 * (start - least), "{most_gained}");
    assert!(0.0 < least && least < 0.9 * start);
}
