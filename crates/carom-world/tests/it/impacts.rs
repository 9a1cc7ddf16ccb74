//! Impacts of fast bodies add no energy, keep the spin about the normal, and let no body through.

use crate::scenes::CheckedStep;
use carom_geom::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, HeightField, TriMesh};
use carom_math::{Pose, Quat, Vec3};
use carom_query::{ConvexShape, HeightFieldShape, MeshShape, RoundedShape, Shape};
use carom_response::Body;
use carom_testkit::random::Random;
use carom_world::{BodyDesc, BodyId, World, WorldSettings};
use std::sync::Arc;

const DT: f32 = 1.0 / 60.0;

/// Part of the energy that rounding may add.
const ROUNDED: f64 = 1e-4;

fn world(gravity: f32) -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::NEG_Y * gravity;
    World::with_settings(settings)
}

fn hull(points: &[Vec3]) -> Shape {
    Shape::Hull(Arc::new(ConvexHull::from_points(points).unwrap()))
}

fn rod() -> Shape {
    Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 0.005, 0.005)).unwrap())
}

fn capsule() -> Shape {
    Shape::Capsule(Capsule::new(0.05, 0.015).unwrap())
}

/// A capsule, a rod, a plate, a disc, a needle, a hull without symmetry.
fn shapes() -> [Shape; 6] {
    let disc: Vec<Vec3> = (0..32)
        .map(|i| {
            let (sine, cosine) = ((i / 2) as f32 * std::f32::consts::TAU / 16.0).sin_cos();
            Vec3::new(0.04 * cosine, 0.04 * sine, if i % 2 == 0 { 0.004 } else { -0.004 })
        })
        .collect();
    let needle = [
        Vec3::new(0.1, 0.0, 0.0),
        Vec3::new(-0.1, 0.0, 0.0),
        Vec3::new(0.0, 0.004, 0.0),
        Vec3::new(0.0, -0.002, 0.004),
        Vec3::new(0.0, -0.002, -0.004),
    ];
    let mut random = Random::new(5);
    let uneven: Vec<Vec3> =
        (0..16).map(|_| random.cube_point().as_vec3() * Vec3::new(0.05, 0.03, 0.02)).collect();
    let plate = Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 0.04, 0.003)).unwrap());
    [capsule(), rod(), plate, hull(&disc), hull(&needle), hull(&uneven)]
}

/// Returns the energy of the motion.
fn energy(body: &Body) -> f64 {
    body.energy(Vec3::ZERO, 0.0).kinetic
}

/// Returns the energy with that of a height above -1 under gravity, after a step of `dt`.
fn energy_at_height(body: &Body, gravity: f32, dt: f32) -> f64 {
    let above = f64::from(gravity) / f64::from(body.inverse_mass);
    body.energy(Vec3::NEG_Y * gravity, dt / 6.0).total() + above
}

fn direction(random: &mut Random) -> Vec3 {
    random.cube_point().normalize().as_vec3()
}

fn orientation(random: &mut Random) -> Quat {
    Quat::from_scaled_axis(random.cube_point().as_vec3() * 3.0)
}

/// A flight at a wall across x, whose front is at 0.
#[derive(Clone, Debug)]
struct Flight {
    speed: f32,
    spin: f32,
    restitution: f32,
    friction: f32,
    thickness: f32,
    is_fast: bool,
    /// The way is up to 45 degrees off the normal, to each side.
    is_slanted: bool,
    dt: f32,
    n_steps: usize,
}

impl Flight {
    const FAST: Flight = Flight {
        speed: 10.0,
        spin: 0.0,
        restitution: 0.0,
        friction: 0.5,
        thickness: 0.001,
        is_fast: true,
        is_slanted: false,
        dt: DT,
        n_steps: 60,
    };

    /// Flies `n` times. The greatest energy, the greatest change of the spin about the normal, both
    /// as parts of the whole; and how many end behind the wall.
    fn fly(&self, shape: &Shape, n: u64) -> (f64, f64, usize) {
        let (mut most, mut turned, mut n_through) = (1.0f64, 0.0f64, 0);
        for seed in 0..n {
            let mut random = Random::new(seed);
            let mut world = world(0.0);
            let wall = Cuboid::new(Vec3::new(0.5 * self.thickness, 300.0, 300.0)).unwrap();
            let at = Vec3::X * (0.5 * self.thickness);
            world.insert(BodyDesc::fixed(Shape::Cuboid(wall)).with_position(at)).unwrap();
            let x = -0.15 - random.unit() as f32 * self.speed * self.dt;
            let (turn, axis) = (orientation(&mut random), direction(&mut random));
            let aside = if self.is_slanted {
                random.cube_point().as_vec3() * Vec3::new(0.0, 1.0, 1.0)
            } else {
                Vec3::ZERO
            };
            let desc = BodyDesc::dynamic(shape.clone())
                .with_pose(Pose::new(turn, Vec3::X * x))
                .with_linear_velocity((Vec3::X + aside).normalize() * self.speed)
                .with_angular_velocity(axis * self.spin)
                .with_restitution(self.restitution)
                .with_friction(self.friction)
                .with_ccd(self.is_fast)
                .with_can_sleep(false);
            let id = world.insert(desc).unwrap();
            let first = *world.body(id).unwrap().motion();
            // The spin that a tenth of the impact at a lever of a centimetre gives.
            let blow = 1e-3 * f64::from(self.speed / first.inverse_mass);
            let scale = first.angular_momentum().length().max(blow);
            for _ in 0..self.n_steps {
                world.checked_step(self.dt).unwrap();
                let body = world.body(id).unwrap().motion();
                most = most.max(energy(body) / energy(&first));
                // Single precision rounds each component by a part of the whole.
                let scale = scale.max(body.angular_momentum().length());
                turned = turned.max((body.angular_momentum().x - first.angular_momentum().x).abs() / scale);
            }
            n_through +=
                usize::from(0.5 * self.thickness < world.body(id).unwrap().motion().world_center().x);
        }
        (most, turned, n_through)
    }
}

/// A body that spins alone for a minute, at each of these rates.
fn assert_free_flight(spins: &[f32]) {
    let mut world = world(0.0);
    let mut random = Random::new(3);
    let mut bodies: Vec<(BodyId, f64)> = Vec::new();
    for (k, shape) in shapes().into_iter().enumerate() {
        for (j, &spin) in spins.iter().enumerate() {
            let desc = BodyDesc::dynamic(shape.clone())
                .with_position(Vec3::new(10.0 * k as f32, 10.0 * j as f32, 0.0))
                .with_angular_velocity(direction(&mut random) * spin)
                .with_ccd((k + j) % 2 == 0)
                .with_can_sleep(false);
            // The needle's moments of inertia are as 1 to 700, so its rounding errors are larger.
            let tolerance = if k == 4 { 1e-3 } else { 2e-5 };
            bodies.push((world.insert(desc).unwrap(), tolerance));
        }
    }
    let first: Vec<Body> = bodies.iter().map(|&(id, _)| *world.body(id).unwrap().motion()).collect();
    for _ in 0..3600 {
        world.checked_step(DT).unwrap();
    }
    for (first, (id, tolerance)) in first.iter().zip(bodies) {
        let body = world.body(id).unwrap().motion();
        let lost =
            (body.angular_momentum() - first.angular_momentum()).length() / first.angular_momentum().length();
        let grown = (energy(body) / energy(first) - 1.0).abs();
        assert!(lost < tolerance && grown < 2e-5, "{id:?}: momentum {lost}, energy {grown}");
    }
}

#[test]
fn a_free_body_keeps_its_angular_momentum_for_a_minute() {
    assert_free_flight(&[0.5, 20.0, 100.0, 400.0]);
    if std::env::var_os("CAROM_SLOW").is_some() {
        assert_free_flight(&[2000.0]);
    }
}

#[test]
fn a_whirling_body_keeps_its_angular_momentum() {
    let mut world = world(0.0);
    let mut random = Random::new(4);
    let ids: Vec<BodyId> = (0..6)
        .map(|k| {
            let desc = BodyDesc::dynamic(shapes()[k].clone())
                .with_position(Vec3::X * 10.0 * k as f32)
                .with_angular_velocity(direction(&mut random) * 2000.0);
            world.insert(desc).unwrap()
        })
        .collect();
    let first: Vec<Body> = ids.iter().map(|&id| *world.body(id).unwrap().motion()).collect();
    for _ in 0..300 {
        world.checked_step(DT).unwrap();
    }
    for (k, (id, first)) in ids.iter().zip(first).enumerate() {
        let body = world.body(*id).unwrap().motion();
        let lost =
            (body.angular_momentum() - first.angular_momentum()).length() / first.angular_momentum().length();
        assert!(lost < if k == 4 { 1e-3 } else { 1e-5 }, "{k}: {lost}");
        assert!((energy(body) / energy(&first) - 1.0).abs() < 1e-5, "{k}");
    }
}

/// One capsule of 200 orientations ended with five times its energy, a rod with 18 times.
#[test]
fn r_a_fast_body_gains_no_energy_by_an_ordinary_impact() {
    for shape in [capsule(), rod()] {
        for restitution in [0.0, 0.6] {
            for is_slanted in [false, true] {
                let (most, _, n_through) = Flight { restitution, is_slanted, ..Flight::FAST }.fly(&shape, 40);
                assert!(most < 1.0 + ROUNDED && n_through == 0, "{restitution}: {most}, {n_through}");
            }
        }
    }
}

#[test]
fn a_fast_body_of_any_shape_gains_no_energy() {
    let flights = [
        Flight { restitution: 1.0, friction: 0.0, ..Flight::FAST },
        Flight { spin: 400.0, restitution: 0.6, friction: 1.0, dt: 1.0 / 30.0, ..Flight::FAST },
        Flight { speed: 100.0, spin: 100.0, thickness: 1.0, dt: 1.0 / 240.0, ..Flight::FAST },
        Flight { speed: 1000.0, spin: 2000.0, restitution: 0.6, n_steps: 20, ..Flight::FAST },
        Flight { speed: 0.3, spin: 20.0, ..Flight::FAST },
    ];
    for flight in flights {
        for (k, shape) in shapes().iter().enumerate() {
            let (most, _, n_through) = flight.fly(shape, 4);
            assert!(most < 1.0 + ROUNDED && n_through == 0, "{k} {flight:?}: {most}, {n_through}");
        }
    }
}

/// Under gravity, for a minute, on a half-space: bounces, tumbles, and slides.
#[test]
fn a_fast_body_under_gravity_gains_no_energy() {
    for (k, shape) in shapes().iter().enumerate() {
        let mut random = Random::new(40 + k as u64);
        let mut world = world(9.81);
        world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
        let bodies: Vec<BodyId> = (0..4)
            .map(|i| {
                let desc = BodyDesc::dynamic(shape.clone())
                    .with_pose(Pose::new(orientation(&mut random), Vec3::new(5.0 * i as f32, 0.3, 0.0)))
                    .with_linear_velocity(Vec3::new(0.0, -5.0, 1.0))
                    .with_angular_velocity(direction(&mut random) * 30.0 * i as f32)
                    .with_restitution([0.0, 0.6][i % 2])
                    .with_friction([0.0, 0.5][i / 2])
                    .with_ccd(true);
                world.insert(desc).unwrap()
            })
            .collect();
        let first: Vec<f64> =
            bodies.iter().map(|&id| energy_at_height(world.body(id).unwrap().motion(), 9.81, DT)).collect();
        for step in 0..if k == 0 { 3600 } else { 240 } {
            world.checked_step(DT).unwrap();
            for (&id, first) in bodies.iter().zip(&first) {
                let body = world.body(id).unwrap().motion();
                let now = energy_at_height(body, 9.81, DT);
                assert!(now < first * (1.0 + ROUNDED), "shape {k}, step {step}: {}", now / first);
                assert!(0.0 < body.world_center().y, "shape {k}, step {step}");
            }
        }
    }
}

/// A rod that flew or spun into a thick wall came out with 34 to 373 times its energy.
#[test]
fn r_a_deep_impact_gives_no_energy() {
    let deep = Flight { thickness: 1.0, is_fast: false, ..Flight::FAST };
    for (speed, spin) in [(100.0, 0.0), (10.0, 400.0), (100.0, 400.0)] {
        for restitution in [0.0, 0.6] {
            let flight = Flight { speed, spin, restitution, ..deep.clone() };
            let (most, _, _) = flight.fly(&rod(), 40);
            assert!(most < 1.0 + ROUNDED, "{flight:?}: {most}");
        }
    }
}

#[test]
fn a_deep_impact_of_any_shape_gives_no_energy_and_lets_nothing_through() {
    let deep = Flight { thickness: 1.0, is_fast: false, ..Flight::FAST };
    let flights = [
        Flight { speed: 25.0, spin: 400.0, ..deep.clone() },
        Flight { speed: 5.0, spin: 2000.0, restitution: 1.0, friction: 1.0, ..deep.clone() },
        Flight { speed: 90.0, restitution: 0.6, friction: 0.0, dt: 1.0 / 240.0, ..deep.clone() },
        Flight { speed: 10.0, spin: 100.0, dt: 1.0 / 30.0, ..deep },
    ];
    for flight in flights {
        for (k, shape) in shapes().iter().enumerate() {
            let (most, _, n_through) = flight.fly(shape, 6);
            assert!(most < 1.0 + ROUNDED && n_through == 0, "{k} {flight:?}: {most}, {n_through}");
        }
    }
}

/// A wall without friction does not change the spin about its normal.
#[test]
fn the_spin_about_the_normal_stays_without_friction() {
    for is_fast in [true, false] {
        for (speed, spin) in [(5.0, 20.0), (10.0, 100.0), (10.0, 400.0)] {
            for restitution in [0.0, 0.6] {
                let thickness = 1.0;
                let flight =
                    Flight { speed, spin, restitution, thickness, friction: 0.0, is_fast, ..Flight::FAST };
                for (k, shape) in shapes().iter().enumerate().filter(|(k, _)| *k != 4) {
                    let (_, turned, _) = flight.fly(shape, 3);
                    assert!(turned < 1e-3, "{k} {flight:?}: {turned}");
                }
            }
        }
    }
}

/// A capsule that spins at 911 radians a second stood in the wall after a step, and behind it after
/// another.
#[test]
fn r_a_capsule_that_spins_fast_goes_through_no_wall() {
    for half in [0.0005, 0.01] {
        for n_substeps in [6, 1, 12] {
            let mut world = world(0.0);
            world.solver_settings_mut().substeps = n_substeps;
            let wall = Shape::Cuboid(Cuboid::new(Vec3::new(half, 5.0, 5.0)).unwrap());
            world.insert(BodyDesc::fixed(wall).with_position(Vec3::X * -4.274402)).unwrap();
            let rotation = Quat::from_xyzw(0.8084658, 0.11561767, -0.47400692, -0.32913992);
            let desc = BodyDesc::dynamic(Shape::Capsule(Capsule::new(0.027030732, 0.00810922).unwrap()))
                .with_pose(Pose::new(rotation, Vec3::new(-3.8825657, 0.16164678, 2.940961)))
                .with_linear_velocity(Vec3::new(-10.779274, -0.35744143, -3.672985))
                .with_angular_velocity(Vec3::new(-451.55624, -778.4693, -140.57596))
                .with_friction(0.10150206)
                .with_ccd(true);
            let id = world.insert(desc).unwrap();
            let first = energy(world.body(id).unwrap().motion());
            for step in 0..120 {
                world.checked_step(DT).unwrap();
                let body = world.body(id).unwrap().motion();
                for end in [-0.027030732, 0.027030732] {
                    let x = body.pose.transform_point(Vec3::Y * end).x - 0.00810922;
                    assert!(-4.274402 + half < x, "{half} step {step}: {x}");
                }
                assert!(energy(body) < first * (1.0 + ROUNDED), "{half} step {step}");
            }
        }
    }
}

#[test]
fn thin_bodies_that_spin_at_any_rate_go_through_no_wall() {
    for (speed, spin) in [(0.1, 2000.0), (11.0, 911.0), (60.0, 1500.0), (1000.0, 300.0)] {
        for (thickness, dt) in [(0.001, DT), (0.02, 1.0 / 30.0)] {
            let flight = Flight { speed, spin, thickness, dt, n_steps: 40, ..Flight::FAST };
            for (k, shape) in shapes().iter().enumerate() {
                let (most, _, n_through) = flight.fly(shape, 3);
                assert!(n_through == 0 && most < 1.0 + ROUNDED, "{k} {flight:?}: {n_through}, {most}");
            }
        }
    }
}

/// A room of walls of a millimetre, or of triangles, or on a height field under a lid.
fn room(world: &mut World, kind: usize, half: f32) {
    let size = 0.001;
    let wall = |axis: Vec3, side: f32| {
        let cuboid = Cuboid::new((Vec3::ONE - axis) * (half + size) + axis * (0.5 * size)).unwrap();
        BodyDesc::fixed(Shape::Cuboid(cuboid)).with_position(axis * (side * (half + 0.5 * size)))
    };
    if kind == 1 {
        let corner = |i: usize| Vec3::from([0, 1, 2].map(|k| if i >> k & 1 == 0 { -half } else { half }));
        let quads: [[u32; 4]; 6] =
            [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        let mesh = TriMesh::new((0..8).map(corner).collect(), triangles).unwrap();
        world.insert(BodyDesc::fixed(Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())))).unwrap();
        return;
    }
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [-1.0, 1.0] {
            if kind == 0 || axis != Vec3::Y || side == 1.0 {
                world.insert(wall(axis, side)).unwrap();
            }
        }
    }
    if kind == 2 {
        let heights: Vec<f32> = (0..81).map(|i| 0.02 * ((i * 7) % 5) as f32).collect();
        let field = HeightField::new([9, 9], [0.3 * half; 2], heights).unwrap();
        let at = Vec3::NEG_Y * half;
        world
            .insert(
                BodyDesc::fixed(Shape::HeightField(Arc::new(HeightFieldShape::new(field).unwrap())))
                    .with_position(at),
            )
            .unwrap();
    }
}

#[test]
fn no_body_leaves_a_closed_room() {
    let is_slow = std::env::var_os("CAROM_SLOW").is_some();
    let (n_rooms, n_steps) = if is_slow { (200, 600) } else { (12, 90) };
    let all = shapes();
    for number in 0..n_rooms {
        let mut random = Random::new(900 + number as u64);
        let (kind, gravity) = (number % 3, if number % 2 == 0 { 0.0 } else { 9.81 });
        let (half, dt) = ([0.25, 0.5, 1.0][number % 3], [DT, 1.0 / 30.0, 1.0 / 240.0][number / 3 % 3]);
        let mut world = world(gravity);
        room(&mut world, kind, half);
        let bodies: Vec<BodyId> = (0..if number % 4 == 0 { 1 } else { 8 })
            .map(|_| {
                let speed = 10f64.powf(random.range(-1.0, 3.0)) as f32;
                let spin = 10f64.powf(random.range(0.0, 3.3)) as f32;
                let position = random.cube_point().as_vec3() * (half - 0.12);
                let desc = BodyDesc::dynamic(all[random.below(all.len())].clone())
                    .with_pose(Pose::new(orientation(&mut random), position))
                    .with_linear_velocity(direction(&mut random) * speed)
                    .with_angular_velocity(direction(&mut random) * spin)
                    .with_friction([0.0, 0.1, 0.5, 1.0][random.below(4)])
                    .with_restitution([0.0, 0.6, 1.0][random.below(3)])
                    .with_ccd(true);
                world.insert(desc).unwrap()
            })
            .collect();
        let total = |world: &World| -> f64 {
            bodies.iter().map(|&id| energy_at_height(world.body(id).unwrap().motion(), gravity, dt)).sum()
        };
        let first = total(&world);
        for step in 0..n_steps {
            world.checked_step(dt).unwrap();
            let now = total(&world);
            assert!(now < first * (1.0 + ROUNDED), "room {number}, step {step}: {}", now / first);
            for &id in &bodies {
                let at = world.body(id).unwrap().motion().world_center();
                assert!(at.abs().max_element() < half, "room {number}, step {step}: {id:?} at {at}");
            }
        }
    }
}

/// Flat shapes that land tilted and then wobble on a rim or corners, until they lie.
#[test]
fn a_body_wobbling_on_its_rim_does_not_sink() {
    let prism: Vec<Vec3> = (0..24)
        .map(|i| {
            let (sine, cosine) = ((i / 2) as f32 * std::f32::consts::TAU / 12.0).sin_cos();
            Vec3::new(0.1 * cosine, if i % 2 == 0 { 0.02 } else { -0.02 }, 0.1 * sine)
        })
        .collect();
    let disc = Cylinder::new(0.02, 0.1).unwrap();
    let rounded = RoundedShape::new(ConvexShape::new(Shape::Cylinder(disc)).unwrap(), 0.004).unwrap();
    let bodies = [
        Shape::Cylinder(disc),
        Shape::Cone(Cone::new(0.04, 0.1).unwrap()),
        Shape::Cuboid(Cuboid::new(Vec3::new(0.1, 0.02, 0.08)).unwrap()),
        hull(&prism),
        Shape::Rounded(Arc::new(rounded)),
    ];
    let corners = [(-2.0, -2.0), (-2.0, 2.0), (2.0, 2.0), (2.0, -2.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let slab = Shape::Cuboid(Cuboid::new(Vec3::new(2.0, 0.5, 2.0)).unwrap());
    let floors = [
        (Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()), Vec3::ZERO),
        (slab, Vec3::NEG_Y * 0.5),
        (Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())), Vec3::ZERO),
    ];
    let (mut deepest, mut later) = (0.0_f32, 0.0_f32);
    for (seed, (floor, at)) in [8, 1, 10].into_iter().flat_map(|seed| floors.iter().map(move |f| (seed, f))) {
        let mut random = Random::new(seed);
        let mut world = world(9.81);
        let desc = BodyDesc::fixed(floor.clone()).with_pose(Pose::from_translation(*at));
        let floor = world.insert(desc.with_friction(0.6)).unwrap();
        let mut ids = Vec::new();
        for (k, body) in bodies.iter().enumerate() {
            for n in 0..6 {
                let turn = Quat::from_scaled_axis(random.cube_point().as_vec3());
                let position = Vec3::new(-1.5 + 0.5 * n as f32, 0.12, -1.2 + 0.6 * k as f32);
                let spin = random.cube_point().as_vec3();
                let desc = BodyDesc::dynamic(body.clone()).with_pose(Pose::new(turn, position));
                let desc = desc.with_angular_velocity(spin).with_friction(0.6);
                ids.push(world.insert(desc).unwrap());
            }
        }
        for step in 0..240 {
            world.checked_step(DT).unwrap();
            for &id in &ids {
                let depth = world.contacts().filter(|view| view.a == id || view.b == id);
                let contacts =
                    depth.flat_map(|view| view.manifolds.iter().flat_map(|m| m.contacts().to_vec()));
                let least = contacts.map(|c| c.distance).fold(0.0, f32::min);
                deepest = deepest.max(-least);
                later = if step < 60 { later } else { later.max(-least) };
            }
        }
        let lowest = ids.iter().map(|&id| world.body(id).unwrap().pose().translation.y).fold(9.0, f32::min);
        assert!(0.012 < lowest, "{floor:?}: a middle is at {lowest}");
    }
    // A corner that slams down may sink by its travel in a step. After a second none slams down.
    assert!(deepest < 0.025 && later < 0.0055, "{deepest} {later}");
}
