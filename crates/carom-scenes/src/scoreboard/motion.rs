//! Rows of bodies that move freely or about one point, and of gas: energy and closed forms over
//! time.
//!
//! Reference: H. Goldstein, Classical Mechanics, 2nd ed., 1980, 5-6 and 5-7 (free rotation, the
//! heavy top).

use super::contact::azimuth;
use super::film::{Film, larger, rotation};
use super::parts::{GRAVITY, STEP, cuboid, turn};
use super::row::{Figure, Limit, Row};
use crate::body::{BodySpec, JointSpec, SceneSpec, ShapeSpec};
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3};
use core::f64::consts::TAU;
use glam::DVec3;
use libm::{cos, sin, sqrt};

/// The reason of limits that follow from closed forms.
const CLOSED_FORM: &str = "closed form, to 1 %";

/// Returns all rows of this family.
pub fn rows() -> Vec<Row> {
    let ball = ShapeSpec::Sphere { radius: 0.2 };
    vec![
        spin(),
        top(
            "top",
            "A top with a stem of 20 cm is tilted by 60 degrees, spins at 30 rad/s, and precesses steadily.",
            0.2,
            30.0,
        ),
        top(
            "top-fast",
            "A top with a stem of 50 cm is tilted by 60 degrees, spins at 60 rad/s, and precesses steadily.",
            0.5,
            60.0,
        ),
        pendulum(),
        gas("gas-balls", "125 balls fly in a room of 6 m without gravity, restitution 1.", &ball),
        gas(
            "gas-boxes",
            "125 boxes fly in a room of 6 m without gravity, restitution 1.",
            &cuboid(Vec3::new(0.15, 0.2, 0.25)),
        ),
    ]
}

/// Returns the largest change of a number of a film from its start, relative to the start.
fn largest_change(film: &Film, number: impl Fn(usize) -> f64) -> f64 {
    let start = number(0);
    (0..film.frames.len()).map(|frame| (number(frame) / start - 1.0).abs()).fold(0.0, larger)
}

/// Returns the row of a box that spins about its intermediate axis, and turns over repeatedly.
fn spin() -> Row {
    let body = BodySpec::new(cuboid(Vec3::new(0.1, 0.3, 0.6)), Pose::IDENTITY)
        .with_velocity(Vec3::ZERO, Vec3::new(0.01, 5.0, 0.01));
    let mut scene = SceneSpec { is_weightless: true, ..SceneSpec::default() };
    scene.bodies.push(body);
    Row {
        name: "spin".into(),
        about: "A box spins about its intermediate axis without gravity, and turns over repeatedly.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "largest relative change of energy",
                Limit::AtMost(0.01),
                CLOSED_FORM,
                |film: &Film| largest_change(film, |frame| film.kinetic(frame, 0)),
            ),
            Figure::new(
                "largest relative change of angular momentum",
                Limit::AtMost(0.01),
                CLOSED_FORM,
                |film: &Film| {
                    let start = film.angular_momentum(0, 0);
                    let change = |frame| (film.angular_momentum(frame, 0) - start).length() / start.length();
                    (0..film.frames.len()).map(change).fold(0.0, larger)
                },
            ),
        ],
    }
}

/// Radius and half the thickness of the disc of a top, in metres.
const DISC: [f64; 2] = [0.3, 0.05];

/// Returns the steady rate of precession of a top, in radians per second. `angle` is between its
/// axis and the vertical, `stem` is the distance from the fixed point to the disc, and `spin` the
/// angular velocity about the axis.
///
/// Reference: H. Goldstein, Classical Mechanics, 2nd ed., 1980, 5-7 (the heavy symmetrical top):
/// the slow root of I1 cos(angle) x^2 - I3 spin x + m g l = 0.
pub fn precession(angle: f64, stem: f64, spin: f64) -> f64 {
    let [radius, half] = DISC;
    let about = 0.5 * radius * radius;
    let across = 0.25 * radius * radius + half * half / 3.0 + stem * stem;
    let (a, b, c) = (across * cos(angle), about * spin, GRAVITY * stem);
    (b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
}

/// Returns the row of a top on a ball joint.
fn top(name: &str, about: &'static str, stem: f64, speed: f64) -> Row {
    let angle = 60.0_f64.to_radians();
    let rate = precession(angle, stem, speed);
    let [radius, half] = DISC;
    let axis = DVec3::new(sin(angle), cos(angle), 0.0);
    let across = DVec3::new(-cos(angle), sin(angle), 0.0);
    let spin = axis * speed + across * (rate * sin(angle));
    let disc = ShapeSpec::Cylinder { half_height: half as f32, radius: radius as f32 };
    let center = axis * stem;
    let body = BodySpec::new(disc, Pose::new(turn(Vec3::Z, -angle), center.as_vec3()))
        .with_velocity(spin.cross(center).as_vec3(), spin.as_vec3());
    let mut scene =
        SceneSpec::new(vec![BodySpec::fixed(ShapeSpec::Sphere { radius: 0.05 }, Pose::IDENTITY), body]);
    scene.joints = vec![JointSpec::free_ball(0, 1, Vec3::ZERO, Vec3::Y * -stem as f32)];
    let axis_in = |film: &Film, frame: usize| rotation(&film.frames[frame].states[1].pose) * DVec3::Y;
    Row {
        name: name.into(),
        about,
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "rate of precession, relative to the closed form",
                Limit::Within(0.99, 1.01),
                CLOSED_FORM,
                move |film: &Film| azimuth(film, 1) / (rate * film.seconds()),
            ),
            Figure::new(
                "largest change of the tilt, degrees",
                Limit::AtMost(1.0),
                "steady precession has no nutation, to 1 degree",
                move |film: &Film| {
                    let lean = |frame| libm::acos(axis_in(film, frame).y.clamp(-1.0, 1.0));
                    (0..film.frames.len()).map(|f| (lean(f) - angle).abs()).fold(0.0, larger).to_degrees()
                },
            ),
            Figure::new(
                "final spin, relative to the initial spin",
                Limit::Within(0.99, 1.01),
                CLOSED_FORM,
                move |film: &Film| {
                    let last = film.frames.len() - 1;
                    let spin = film.frames[last].states[1].angular_velocity.as_dvec3();
                    spin.dot(axis_in(film, last)) / speed
                },
            ),
        ],
    }
}

/// Returns the row of a ball on a rod of 1 m that swings from 1 radian.
fn pendulum() -> Row {
    const SWING: f64 = 1.0;
    const RADIUS: f64 = 0.1;
    let at = DVec3::new(sin(SWING), -cos(SWING), 0.0);
    let ball = ShapeSpec::Sphere { radius: RADIUS as f32 };
    let body = BodySpec::new(ball.clone(), Pose::new(turn(Vec3::Z, SWING), at.as_vec3()));
    let mut scene = SceneSpec::new(vec![BodySpec::fixed(ball, Pose::IDENTITY), body]);
    scene.joints = vec![JointSpec::free_ball(0, 1, Vec3::ZERO, Vec3::Y)];
    // Times at which it passes the lowest point, interpolated between frames.
    let crossings = |film: &Film| {
        let x = |frame: usize| film.center(frame, 1).x;
        let mut times = Vec::new();
        for frame in 1..film.frames.len() {
            let [before, now] = [x(frame - 1), x(frame)];
            if (before < 0.0) != (now < 0.0) {
                times.push(STEP * (frame as f64 - now / (now - before)));
            }
        }
        times
    };
    Row {
        name: "pendulum".into(),
        about: "A ball on a ball joint 1 m away swings from 1 radian.",
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "period, relative to the closed form",
                Limit::Within(0.99, 1.01),
                "closed form, to 1 %: the elliptic integral of the swing by the arithmetic-geometric mean",
                move |film: &Film| {
                    let times = crossings(film);
                    let n = times.len();
                    if n < 3 {
                        return f64::NAN;
                    }
                    let period = 2.0 * (times[n - 1] - times[0]) / (n - 1) as f64;
                    period / pendulum_period(SWING, RADIUS)
                },
            ),
            Figure::new(
                "energy gained, relative to the energy of the swing",
                Limit::AtMost(0.01),
                "not above the energy put in; 0.01 allows for the half step by which velocities lag positions",
                |film: &Film| film.energy_gained() / swing_energy(film),
            ),
            Figure::new(
                "energy lost in the run, relative to the energy of the swing",
                Limit::AtMost(0.01),
                "closed form, to 1 %: nothing damps it",
                |film: &Film| {
                    // The largest energy of the last three seconds, in which it swings once.
                    // Velocity and position differ by half a step, so the energy oscillates.
                    let from = film.frame_at(film.seconds() - 3.0);
                    let last = (from..film.frames.len()).map(|f| film.energy(f)).fold(f64::NAN, f64::max);
                    (film.energy(0) - last) / swing_energy(film)
                },
            ),
        ],
    }
}

/// Returns the energy of the pendulum above its lowest point, in joules.
fn swing_energy(film: &Film) -> f64 {
    film.inertias[1].mass * GRAVITY * (1.0 + film.center(0, 1).y)
}

/// Returns the period in seconds of a ball on a rod of 1 m that swings from an angle in radians.
fn pendulum_period(swing: f64, radius: f64) -> f64 {
    let (mut a, mut b) = (1.0, cos(0.5 * swing));
    for _ in 0..10 {
        (a, b) = (0.5 * (a + b), sqrt(a * b));
    }
    TAU * sqrt((1.0 + 0.4 * radius * radius) / GRAVITY) / a
}

/// Returns the row of 125 bodies of one shape that fly about in a room.
fn gas(name: &str, about: &'static str, shape: &ShapeSpec) -> Row {
    const SIDE: usize = 5;
    let mut rng = Rng::new(11);
    let mut scene = SceneSpec { is_weightless: true, ..SceneSpec::default() };
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        let wall = BodySpec::fixed(ShapeSpec::HalfSpace { normal }, Pose::from_translation(normal * -3.0));
        scene.bodies.push(wall);
    }
    for cell in 0..SIDE * SIDE * SIDE {
        let coordinate_of = |i: usize| 1.1 * (i as f32 - 0.5 * (SIDE - 1) as f32);
        let at = Vec3::new(
            coordinate_of(cell % SIDE),
            coordinate_of(cell / SIDE % SIDE),
            coordinate_of(cell / (SIDE * SIDE)),
        );
        let velocity = rng.direction().as_vec3() * 3.0;
        let body = BodySpec::new(shape.clone(), Pose::new(rng.rotation().as_quat(), at));
        scene.bodies.push(body.with_velocity(velocity, Vec3::ZERO));
    }
    for body in &mut scene.bodies {
        (body.restitution, body.friction) = (1.0, 0.0);
    }
    Row {
        name: name.into(),
        about,
        scene,
        seconds: f64::INFINITY,
        figures: vec![
            Figure::new(
                "largest relative gain of energy",
                Limit::AtMost(0.01),
                "not above the initial energy",
                |film: &Film| film.energy_gained() / film.energy(0),
            ),
            Figure::new(
                "relative loss of energy at the end",
                Limit::AtMost(0.01),
                "restitution 1 keeps the energy: 1 %, as for bounces",
                |film: &Film| 1.0 - film.energy(film.frames.len() - 1) / film.energy(0),
            ),
        ],
    }
}
