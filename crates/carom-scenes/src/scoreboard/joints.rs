//! Rows of bodies that joints hold: chains with a heavy end, a bridge under a car, ragdolls, a net
//! that catches a ball.
//!
//! Reference: E. Catto, Solver2D, box2d.org, 2024 (a bridge, a ball on a chain).

use super::film::Film;
use super::parts::{GRAVITY, block, cuboid, floor, turn};
use super::row::{Figure, Limit, Row};
use crate::body::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use crate::ragdoll::push_ragdoll;
use crate::rng::Rng;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use core::f64::consts::FRAC_PI_2;
use glam::DVec3;
use libm::{cos, sin};

/// Returns all rows of this family.
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = [10.0, 100.0, 1000.0].map(hung).into();
    rows.extend([bridge(), ragdolls(), trampoline()]);
    rows
}

/// Returns the figure of the largest gap of a joint, relative to a length.
fn gap(name: &'static str, length: f64, most: f64, reason: &'static str) -> Figure {
    Figure::new(name, Limit::AtMost(most), reason, move |film: &Film| film.largest_gap(0.0) / length)
}

/// Returns the figure of the energy that appears, relative to the energy that was put in.
fn gain(input: f64) -> Figure {
    Figure::new(
        "energy gained, relative to the energy put in",
        Limit::AtMost(0.01),
        "not above the energy put in; 0.01 allows for the half step by which velocities lag positions",
        move |film: &Film| film.energy_gained() / input,
    )
}

/// Returns the row of a chain of ten links of 1 kg that swings, with a cube of `mass` in kg at its
/// end.
fn hung(mass: f64) -> Row {
    const LINKS: usize = 10;
    const LENGTH: f64 = 0.5;
    const SWING: f64 = 1.0;
    let down = DVec3::new(sin(SWING), -cos(SWING), 0.0);
    let along = turn(Vec3::Z, SWING);
    let mut scene = SceneSpec::default();
    scene.bodies.push(BodySpec::fixed(ShapeSpec::Sphere { radius: 0.1 }, Pose::IDENTITY));
    let capsule = ShapeSpec::Capsule { half_height: 0.2, radius: 0.05 };
    // 1 kg over the volume of the capsule.
    let density = 1.0 / (core::f32::consts::PI * 0.0025 * (0.4 + 4.0 / 3.0 * 0.05));
    for link in 0..LINKS {
        let at = (down * (LENGTH * (link as f64 + 0.5))).as_vec3();
        scene
            .bodies
            .push(BodySpec::new(capsule.clone(), Pose::new(along, at)).with_density(density).in_family(1));
    }
    let half = 0.25;
    let at = (down * (LENGTH * LINKS as f64 + half)).as_vec3();
    let cube = BodySpec::new(cuboid(Vec3::splat(half as f32)), Pose::new(along, at));
    scene.bodies.push(cube.with_density((mass / 0.125) as f32).in_family(1));
    let tip = Vec3::Y * (0.5 * LENGTH as f32);
    for joint in 0..=LINKS {
        let anchor_a = if joint == 0 { Vec3::ZERO } else { -tip };
        let anchor_b = if joint == LINKS { Vec3::Y * half as f32 } else { tip };
        scene.joints.push(JointSpec::free_ball(joint, joint + 1, anchor_a, anchor_b));
    }
    let total = LINKS as f64 * LENGTH;
    let drop = (mass * (total + half) + 0.5 * LINKS as f64 * total) * (1.0 - cos(SWING));
    let (most, reason) = if mass < 1000.0 {
        (0.1, "the chain looks connected: 1/10 of a link")
    } else {
        (1.0, "below the length of a link at 1000:1")
    };
    Row {
        name: format!("hung-{mass}"),
        about: "A chain of ten links with a cube at its end, of a multiple of the mass of a link (the number of the row), swings from 1 radian.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            gap("largest gap of a joint, relative to the length of a link", LENGTH, most, reason),
            gain(drop * GRAVITY),
        ],
    }
}

/// Returns the row of a bridge of 50 planks between two banks, and a car that drives over it.
fn bridge() -> Row {
    const PLANKS: usize = 50;
    const PITCH: f64 = 0.4;
    // The planks start on an arc with this half angle and radius.
    const ARC: f64 = 0.25;
    let step = 2.0 * ARC / PLANKS as f64;
    let radius = 0.5 * PITCH / sin(0.5 * step);
    let edge = |i: usize| {
        let angle = step * i as f64 - ARC;
        DVec3::new(radius * sin(angle), radius * (cos(ARC) - cos(angle)), 0.0)
    };
    let end = radius * sin(ARC);
    let mut scene = SceneSpec::default();
    let bank = Vec3::new(20.0, 0.5, 3.0);
    for side in [-1.0, 1.0] {
        let at = Vec3::new(side * (end as f32 + bank.x), -bank.y + 0.05, 0.0);
        scene.bodies.push(BodySpec::fixed(cuboid(bank), Pose::from_translation(at)));
    }
    let half = Vec3::new(0.19, 0.05, 1.5);
    for plank in 0..PLANKS {
        let angle = step * (plank as f64 + 0.5) - ARC;
        let pose = Pose::new(turn(Vec3::Z, angle), ((edge(plank) + edge(plank + 1)) * 0.5).as_vec3());
        // A plank has a mass of 29 kg.
        scene.bodies.push(BodySpec::new(cuboid(half), pose).with_density(250.0).in_family(1));
    }
    for joint in 0..=PLANKS {
        // The left bank, the planks, the right bank.
        let a = if joint == 0 { 0 } else { joint + 1 };
        let b = if joint == PLANKS { 1 } else { joint + 2 };
        for z in [-1.2, 1.2] {
            let tip = Vec3::X * (0.5 * PITCH as f32);
            let of_bank = Vec3::new(bank.x, bank.y - 0.05, 0.0);
            let anchor_a = if joint == 0 { of_bank } else { tip };
            let anchor_b = if joint == PLANKS { of_bank * Vec3::new(-1.0, 1.0, 1.0) } else { -tip };
            scene.joints.push(JointSpec::free_ball(a, b, anchor_a + Vec3::Z * z, anchor_b + Vec3::Z * z));
        }
    }
    let first = scene.bodies.len();
    push_car(&mut scene, Vec3::new(-end as f32 - 4.0, 0.05, 0.0), 4.0);
    // The friction of tyres on wood.
    scene.bodies.iter_mut().for_each(|body| body.friction = 1.0);
    Row {
        name: "bridge".into(),
        about: "A car of 1000 kg with driven wheels crosses a bridge of 50 planks of 29 kg at 4 m/s.",
        scene,
        seconds: 10.0,
        figures: vec![
            gap(
                "largest gap of a joint, relative to the width of a plank",
                PITCH,
                0.1,
                "the bridge looks connected: 1/10 of a plank",
            ),
            Figure::new(
                "final position of the car, from the middle of the bridge, relative to its length",
                Limit::Within(0.5, 2.5),
                "it crosses the bridge to the other bank",
                move |film: &Film| {
                    let car = film.center(film.frames.len() - 1, first);
                    if car.y < 0.0 { f64::NAN } else { car.x / (2.0 * end) }
                },
            ),
        ],
    }
}

/// Adds a car of a ton at `at` that drives along x: a chassis and four driven wheels.
fn push_car(scene: &mut SceneSpec, at: Vec3, speed: f32) {
    let (radius, chassis) = (0.4, Vec3::new(1.2, 0.25, 0.6));
    let center = at + Vec3::Y * (radius + 0.3);
    let a = scene.bodies.len();
    let rolling = Vec3::X * speed;
    let body = block(chassis, center).with_density(600.0).with_velocity(rolling, Vec3::ZERO).in_family(2);
    scene.bodies.push(body);
    for (x, z) in [(-0.8, -0.8), (-0.8, 0.8), (0.8, -0.8), (0.8, 0.8)] {
        let position = Vec3::new(at.x + x, at.y + radius, at.z + z);
        let wheel = ShapeSpec::Cylinder { half_height: 0.12, radius };
        let spin = Vec3::Z * (-speed / radius);
        let wheel = BodySpec::new(wheel, Pose::new(turn(Vec3::X, FRAC_PI_2), position));
        scene.bodies.push(wheel.with_density(280.0).with_velocity(rolling, spin).in_family(2));
        scene.joints.push(JointSpec::Axle {
            a,
            b: scene.bodies.len() - 1,
            anchor_a: position - center,
            anchor_b: Vec3::ZERO,
            axis_a: Vec3::Z,
            // The cylinder's own axis.
            axis_b: Vec3::Y,
            // A torque of 1000 Nm: four wheels lift half the car.
            motor: Some([-speed / radius, 1000.0]),
        });
    }
}

/// Returns the row of twenty ragdolls that fall onto the ground.
fn ragdolls() -> Row {
    let mut rng = Rng::new(3);
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor());
    for doll in 0..20u32 {
        let (column, row) = (doll % 5, doll / 5);
        let at = Vec3::new(1.5 * column as f32 - 3.0, 2.0 + 0.5 * (doll % 4) as f32, 1.5 * row as f32 - 2.25);
        push_ragdoll(&mut scene, &Pose::new(rng.rotation().as_quat(), at), 1.0, doll + 1);
    }
    Row {
        name: "ragdolls".into(),
        about: "Twenty ragdolls of 1.8 m fall from 2 to 3.5 m, at random orientations.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            gap(
                "largest gap of a joint, relative to the height of a ragdoll",
                1.8,
                0.02,
                "2 % of the size: 36 mm",
            ),
            Figure::new(
                "energy gained, relative to the initial energy",
                Limit::AtMost(0.01),
                "not above the energy put in; 0.01 allows for the half step by which velocities lag positions",
                |film: &Film| film.energy_gained() / film.energy(0),
            ),
            Figure::stillness(),
        ],
    }
}

/// Returns the row of a net of ropes in a fixed frame. A ball with a thousand times the mass of a
/// knot falls onto it.
fn trampoline() -> Row {
    const KNOTS: usize = 13;
    const PITCH: f32 = 0.25;
    const LENGTH: f32 = 1.05 * PITCH;
    let mut scene = SceneSpec::default();
    let number = |i: usize, j: usize| i * KNOTS + j;
    let shape = ShapeSpec::Sphere { radius: 0.05 };
    let volume = 4.0 / 3.0 * core::f32::consts::PI * 0.05 * 0.05 * 0.05;
    for (i, j) in (0..KNOTS).flat_map(|i| (0..KNOTS).map(move |j| (i, j))) {
        let coordinate_of = |k: usize| PITCH * (k as f32 - 0.5 * (KNOTS - 1) as f32);
        let pose = Pose::from_translation(Vec3::new(coordinate_of(i), 0.0, coordinate_of(j)));
        let is_edge = [i, j].iter().any(|k| matches!(*k, 0) || *k == KNOTS - 1);
        scene.bodies.push(if is_edge {
            BodySpec::fixed(shape.clone(), pose).in_family(1)
        } else {
            BodySpec::new(shape.clone(), pose).with_density(0.1 / volume).in_family(1)
        });
        let (anchor_a, anchor_b, length) = (Vec3::ZERO, Vec3::ZERO, LENGTH);
        // Two knots of the frame need no rope.
        if 0 < i && 0 < j && j < KNOTS - 1 {
            scene.joints.push(JointSpec::Rope {
                a: number(i - 1, j),
                b: number(i, j),
                anchor_a,
                anchor_b,
                length,
            });
        }
        if 0 < j && 0 < i && i < KNOTS - 1 {
            scene.joints.push(JointSpec::Rope {
                a: number(i, j - 1),
                b: number(i, j),
                anchor_a,
                anchor_b,
                length,
            });
        }
    }
    let radius = 0.4f32;
    let ball = scene.bodies.len();
    let density = 100.0 / (4.0 / 3.0 * core::f32::consts::PI * radius * radius * radius);
    let pose = Pose::from_translation(Vec3::new(0.0, 1.0 + radius + 0.05, 0.0));
    scene.bodies.push(BodySpec::new(ShapeSpec::Sphere { radius }, pose).with_density(density));
    let length = f64::from(LENGTH);
    Row {
        name: "trampoline".into(),
        about: "A ball of 100 kg falls from 1 m onto a net of ropes with 121 knots of 0.1 kg.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            gap(
                "largest stretch of a rope, relative to its length",
                length,
                1.0,
                "below the length of a link at 1000:1",
            ),
            Figure::new(
                "largest stretch of a rope after 30 s, relative to its length",
                Limit::AtMost(0.1),
                "a net at rest looks connected: 1/10 of a rope",
                move |film: &Film| film.largest_gap(0.5 * film.seconds()) / length,
            ),
            Figure::new(
                "lowest height of the ball, m",
                Limit::Within(-1.5, 0.0),
                "the net holds it: the slack of the ropes allows 0.5 m, and stretch 1 m",
                move |film: &Film| {
                    (0..film.frames.len()).map(|frame| film.center(frame, ball).y).fold(
                        f64::INFINITY,
                        |a, b| {
                            if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
                        },
                    )
                },
            ),
            // From 1 m above the net down to half a metre below it.
            gain(100.0 * GRAVITY * 1.5),
        ],
    }
}
