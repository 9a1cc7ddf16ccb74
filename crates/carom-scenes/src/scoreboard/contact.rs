//! Rows of one contact: friction on slopes and on belts, bounces, rolling coins.
//!
//! Reference: L. Landau, E. Lifshitz, Mechanics, 3rd ed., 1976, 38 (rigid bodies in contact,
//! rolling).

use super::film::{Film, larger, rotation};
use super::parts::{GRAVITY, STEP, cuboid, floor, turn};
use super::row::{Figure, Limit, Row};
use crate::body::{BodySpec, SceneSpec, ShapeSpec};
use alloc::vec;
use alloc::vec::Vec;
use carom_math::{Pose, Vec3, rotation};
use core::f64::consts::FRAC_PI_2;
use glam::DVec3;
use libm::{atan, atan2, cos, sin, sqrt};

/// Returns all rows of this family.
pub fn rows() -> Vec<Row> {
    vec![slopes(), conveyor(), bounce_full(), bounce_half(), coin_straight(), coin_circle()]
}

/// Returns the row of boxes on slopes near the angle of friction.
fn slopes() -> Row {
    const FRICTION: f64 = 0.5;
    // Degrees from the angle of friction.
    const OFFSETS: [f64; 10] = [-5.0, -2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0, 5.0];
    let critical = atan(FRICTION);
    let mut scene = SceneSpec::default();
    let slab = Vec3::new(30.0, 0.5, 0.8);
    let half = Vec3::new(0.5, 0.2, 0.5);
    for (lane, offset) in OFFSETS.iter().enumerate() {
        let angle = critical + offset.to_radians();
        let tilt = turn(Vec3::Z, -angle);
        let z = 2.0 * lane as f32;
        // The slab's upper side goes through the origin of its lane.
        let at = rotation::rotate(tilt, Vec3::new(slab.x - 2.0, -slab.y, 0.0)) + Vec3::Z * z;
        scene.bodies.push(BodySpec::fixed(cuboid(slab), Pose::new(tilt, at)));
        let at = rotation::rotate(tilt, Vec3::Y) * half.y + Vec3::Z * z;
        scene.bodies.push(BodySpec::new(cuboid(half), Pose::new(tilt, at)));
    }
    for body in &mut scene.bodies {
        body.friction = FRICTION as f32;
    }
    // The distance that the box of a lane travels in all.
    let travel_of = |film: &Film, lane: usize| {
        let last = film.frames.len() - 1;
        (film.center(last, 2 * lane + 1) - film.center(0, 2 * lane + 1)).length()
    };
    Row {
        name: "slopes".into(),
        about: "Boxes on slopes from 5 degrees below to 5 degrees above the angle of friction, friction 0.5.",
        scene,
        seconds: 10.0,
        figures: vec![
            Figure::new(
                "error of the angle at which boxes begin to slide, degrees",
                Limit::AtMost(1.0),
                "the angle of friction, to 1 degree",
                move |film: &Film| {
                    // A box that slides travels farther than 5 cm: 2.4 m on the flattest of these
                    // slopes.
                    let slides: Vec<bool> =
                        (0..OFFSETS.len()).map(|lane| 0.05 < travel_of(film, lane)).collect();
                    let first = slides.iter().position(|slides| *slides).unwrap_or(OFFSETS.len());
                    if first == 0 || first == OFFSETS.len() || slides[first..].contains(&false) {
                        return f64::NAN;
                    }
                    (0.5 * (OFFSETS[first - 1] + OFFSETS[first])).abs()
                },
            ),
            Figure::new(
                "creep on slopes at least 1 degree below the angle of friction, m in 10 s",
                Limit::AtMost(0.01),
                "static friction holds: 1 mm per second would be visible",
                move |film: &Film| (0..3).map(|lane| travel_of(film, lane)).fold(0.0, larger),
            ),
            Figure::new(
                "displacement on the steepest slope, relative to the closed form",
                Limit::Within(0.99, 1.01),
                "closed form, to 1 %",
                move |film: &Film| {
                    let lane = OFFSETS.len() - 1;
                    let angle = critical + OFFSETS[lane].to_radians();
                    let acceleration = GRAVITY * (sin(angle) - FRICTION * cos(angle));
                    let frame = film.frame_at(5.0);
                    let seconds = STEP * frame as f64;
                    let went = film.center(frame, 2 * lane + 1) - film.center(0, 2 * lane + 1);
                    went.length() / (0.5 * acceleration * seconds * seconds)
                },
            ),
        ],
    }
}

/// Returns the row of boxes that are put on conveyor belts at rest.
fn conveyor() -> Row {
    // The friction and the speed of each belt, in m/s. The boxes slip for 0.6 to 1.1 s.
    const BELTS: [[f64; 2]; 4] = [[0.3, 3.0], [0.5, 3.0], [0.5, -3.0], [0.1, 1.0]];
    let mut scene = SceneSpec::default();
    let slab = Vec3::new(40.0, 0.5, 0.8);
    let half = Vec3::new(0.5, 0.2, 0.5);
    for (lane, [friction, speed]) in BELTS.into_iter().enumerate() {
        let friction = friction as f32;
        let at = |y: f32| Pose::from_translation(Vec3::new(0.0, y, 2.0 * lane as f32));
        let belt = BodySpec::fixed(cuboid(slab), at(-slab.y)).with_friction(friction);
        scene.bodies.push(belt.with_surface_velocity(Vec3::X * speed as f32));
        scene.bodies.push(BodySpec::new(cuboid(half), at(half.y)).with_friction(friction));
    }
    let went = |film: &Film, lane: usize, frame: usize| {
        film.center(frame, 2 * lane + 1) - film.center(0, 2 * lane + 1)
    };
    // The largest relative error of all lanes at a time in slip times: closed forms of friction
    // that accelerates a box to the speed of the belt.
    let error_at = move |film: &Film, share: f64| {
        let error = |(lane, [friction, speed]): (usize, [f64; 2])| {
            let acceleration = friction * GRAVITY;
            let slip = speed.abs() / acceleration;
            let frame = film.frame_at(share * slip);
            let seconds = STEP * frame as f64;
            let slipping = seconds.min(slip);
            let travel = 0.5 * acceleration * slipping * slipping + speed.abs() * (seconds - slipping);
            (went(film, lane, frame).x / (travel * speed.signum()) - 1.0).abs()
        };
        BELTS.into_iter().enumerate().map(error).fold(0.0, larger)
    };
    Row {
        name: "conveyor".into(),
        about: "Boxes at rest are put on belts of 1 m/s and 3 m/s, with friction from 0.1 to 0.5.",
        scene,
        seconds: 10.0,
        figures: vec![
            Figure::new(
                "largest relative error of the displacement while a box slips",
                Limit::AtMost(0.01),
                "closed form, to 1 %: friction alone accelerates the box",
                move |film: &Film| error_at(film, 0.9),
            ),
            Figure::new(
                "the same after eight times the time of slipping",
                Limit::AtMost(0.01),
                "closed form, to 1 %: then it goes with the belt",
                move |film: &Film| error_at(film, 8.0),
            ),
            Figure::new(
                "largest final difference to the speed of the belt, relative to it",
                Limit::AtMost(0.001),
                "static friction holds: 1 mm per second would be visible",
                move |film: &Film| {
                    let last = &film.frames[film.frames.len() - 1];
                    let difference = |(lane, [_, speed]): (usize, [f64; 2])| {
                        let velocity = last.states[2 * lane + 1].linear_velocity.as_dvec3();
                        (velocity - DVec3::X * speed).length() / speed.abs()
                    };
                    BELTS.into_iter().enumerate().map(difference).fold(0.0, larger)
                },
            ),
            Figure::new(
                "largest displacement across a belt, m",
                Limit::AtMost(0.01),
                "nothing pushes it aside",
                move |film: &Film| {
                    let last = film.frames.len() - 1;
                    let aside = |lane: usize| went(film, lane, last).with_x(0.0).length();
                    (0..BELTS.len()).map(aside).fold(0.0, larger)
                },
            ),
        ],
    }
}

/// Returns a scene of balls of radius 0.5 with this restitution. They are 3 m apart and fall from
/// these heights.
fn bouncing(heights: &[f32], restitution: f32) -> SceneSpec {
    let mut scene = SceneSpec::default();
    scene.bodies.push(floor().with_restitution(restitution));
    for (i, height) in heights.iter().enumerate() {
        let at = Vec3::new(3.0 * i as f32, 0.5 + height, 0.0);
        let ball = BodySpec::new(ShapeSpec::Sphere { radius: 0.5 }, Pose::from_translation(at));
        scene.bodies.push(ball.with_restitution(restitution));
    }
    scene
}

/// Returns the highest points of a bouncing ball of radius 0.5 above the floor, one for each
/// bounce. Each is the apex of the parabola through three frames.
fn apexes(film: &Film, body: usize) -> Vec<f64> {
    let height = |frame: usize| film.center(frame, body).y - 0.5;
    let mut found = Vec::new();
    for frame in 1..film.frames.len().saturating_sub(1) {
        let [before, now, after] = [height(frame - 1), height(frame), height(frame + 1)];
        if before < now && after <= now {
            let bend = 2.0 * now - before - after;
            let slope = 0.5 * (after - before);
            found.push(now + 0.5 * slope * slope / bend);
        }
    }
    found
}

/// Returns the row of balls with restitution 1.
fn bounce_full() -> Row {
    let heights = [1.0f32, 5.0];
    let last = move |film: &Film, ball: usize, n: usize| {
        let apexes = apexes(film, ball + 1);
        apexes.get(n - 1).map_or(f64::NAN, |apex| apex / f64::from(heights[ball]))
    };
    Row {
        name: "bounce-1".into(),
        about: "Balls of restitution 1 that fall from 1 m and from 5 m.",
        scene: bouncing(&heights, 1.0),
        seconds: 62.0,
        figures: vec![
            Figure::new(
                "height after 30 bounces from 1 m, relative to the first",
                Limit::Within(0.99, 1.0001),
                "within 1 % after 30 bounces, not above; 0.0001 is the rounding of f32 in 30 bounces",
                move |film: &Film| last(film, 0, 30),
            ),
            Figure::new(
                "height after 29 bounces from 5 m, relative to the first",
                Limit::Within(0.99, 1.0001),
                "within 1 % after 30 bounces, not above; a minute has 29 bounces",
                move |film: &Film| last(film, 1, 29),
            ),
            Figure::new(
                "highest bounce, relative to the height before it",
                Limit::AtMost(1.0001),
                "not above; 0.0001 is the rounding of f32 in 30 bounces",
                move |film: &Film| {
                    let highest = |ball: usize| {
                        let highest = apexes(film, ball + 1).into_iter().fold(f64::NAN, f64::max);
                        highest / f64::from(heights[ball])
                    };
                    larger(highest(0), highest(1))
                },
            ),
        ],
    }
}

/// Returns the row of balls with restitution 0.5.
fn bounce_half() -> Row {
    Row {
        name: "bounce-0.5".into(),
        about: "A ball of restitution 0.5 that falls from 5 m.",
        scene: bouncing(&[5.0], 0.5),
        seconds: 10.0,
        figures: vec![
            Figure::new(
                "largest relative error of the heights of three bounces: 1/4, 1/16, 1/64 of the first",
                Limit::AtMost(0.01),
                "closed form, to 1 %",
                |film: &Film| {
                    let apexes = apexes(film, 1);
                    if apexes.len() < 3 {
                        return f64::NAN;
                    }
                    let (mut expected, mut worst) = (5.0, 0.0);
                    for apex in &apexes[..3] {
                        expected *= 0.25;
                        worst = larger(worst, (apex / expected - 1.0).abs());
                    }
                    worst
                },
            ),
            Figure::stillness(),
        ],
    }
}

/// Radius and half the thickness of a coin, in metres.
const COIN: [f64; 2] = [0.5, 0.05];

fn coin() -> ShapeSpec {
    ShapeSpec::Cylinder { half_height: COIN[1] as f32, radius: COIN[0] as f32 }
}

/// Returns the figure of the energy that a rolling coin gains.
fn no_gain() -> Figure {
    Figure::new(
        "energy gained, relative to the initial kinetic energy",
        Limit::AtMost(0.01),
        "not above the energy put in; 0.01 allows for the half step by which velocities lag positions",
        |film: &Film| film.energy_gained() / film.kinetic(0, 1),
    )
}

/// Returns the row of a coin that rolls straight ahead.
fn coin_straight() -> Row {
    const SPEED: f64 = 3.0;
    let pose = Pose::new(turn(Vec3::X, FRAC_PI_2), Vec3::Y * COIN[0] as f32);
    let spin = Vec3::Z * (-SPEED / COIN[0]) as f32;
    let scene = SceneSpec::new(vec![
        floor(),
        BodySpec::new(coin(), pose).with_velocity(Vec3::X * SPEED as f32, spin),
    ]);
    Row {
        name: "coin-straight".into(),
        about: "A coin of radius 0.5 m and 10 cm thick rolls upright at 3 m/s.",
        scene,
        seconds: 20.0,
        figures: vec![
            Figure::new(
                "displacement, relative to the closed form",
                Limit::Within(0.99, 1.01),
                "closed form, to 1 %: rolling loses nothing",
                |film: &Film| {
                    let last = film.frames.len() - 1;
                    let went = film.center(last, 1) - film.center(0, 1);
                    went.length() / (SPEED * film.seconds())
                },
            ),
            Figure::new(
                "tilt at the end, degrees",
                Limit::AtMost(1.0),
                "it stays upright, to 1 degree",
                |film| axis(film, film.frames.len() - 1, 1).y.abs().to_degrees(),
            ),
        ],
    }
}

/// Returns the axis of a cylinder in a frame of the film.
fn axis(film: &Film, frame: usize, body: usize) -> DVec3 {
    rotation(&film.frames[frame].states[body].pose) * DVec3::Y
}

/// Returns the angle by which the axis of a body has turned around the vertical since the start,
/// in radians, whole turns counted.
pub(super) fn azimuth(film: &Film, body: usize) -> f64 {
    let mut sum = 0.0;
    for frame in 1..film.frames.len() {
        let [from, to] = [frame - 1, frame].map(|frame| axis(film, frame, body));
        sum += atan2(from.z * to.x - from.x * to.z, from.x * to.x + from.z * to.z);
    }
    sum
}

/// Returns the rate at which a leaning coin rolls around a circle, and its spin about its own
/// axis, both in radians per second.
///
/// `lean` is the angle between axis and vertical, `circle` the radius of the centre's path. The
/// torque of the contact about the centre turns the angular momentum about the vertical. Friction
/// provides the centripetal force, and the lower rim does not slip.
pub fn coin_rate(lean: f64, circle: f64) -> [f64; 2] {
    let [radius, half] = COIN;
    // Moments of inertia per mass, about a diameter and about the axis.
    let (across, about) = (0.25 * radius * radius + half * half / 3.0, 0.5 * radius * radius);
    let inward = radius * cos(lean) - half * sin(lean);
    let height = radius * sin(lean) + half * cos(lean);
    let turning = sin(lean) * (about * (circle + inward) / radius + (across - about) * cos(lean));
    let rate = sqrt(GRAVITY * inward / (height * circle + turning));
    [rate, -rate * (circle + inward) / radius]
}

/// Returns the row of a coin that leans and rolls around a circle.
fn coin_circle() -> Row {
    const CIRCLE: f64 = 2.0;
    let lean = 60.0_f64.to_radians();
    let [rate, spin] = coin_rate(lean, CIRCLE);
    let out = DVec3::new(sin(lean), cos(lean), 0.0);
    let height = COIN[0] * sin(lean) + COIN[1] * cos(lean);
    let pose = Pose::new(turn(Vec3::Z, -lean), DVec3::new(CIRCLE, height, 0.0).as_vec3());
    let velocity = DVec3::Z * (-rate * CIRCLE);
    let body = BodySpec::new(coin(), pose)
        .with_velocity(velocity.as_vec3(), (DVec3::Y * rate + out * spin).as_vec3());
    let scene = SceneSpec::new(vec![floor(), body]);
    Row {
        name: "coin-circle".into(),
        about: "The coin is tilted by 30 degrees and rolls around a circle of 2 m.",
        scene,
        seconds: 20.0,
        figures: vec![
            Figure::new(
                "angular rate around the circle, relative to the closed form",
                Limit::Within(0.99, 1.01),
                "closed form, to 1 %: the balance of torque and angular momentum without slip",
                move |film: &Film| azimuth(film, 1) / (rate * film.seconds()),
            ),
            no_gain(),
            Figure::new(
                "largest change of the tilt, degrees",
                Limit::AtMost(1.0),
                "steady motion: the tilt is constant, to 1 degree",
                move |film: &Film| {
                    let lean_of = |frame| libm::acos(axis(film, frame, 1).y.clamp(-1.0, 1.0));
                    let change = (0..film.frames.len()).map(|frame| (lean_of(frame) - lean).abs());
                    change.fold(0.0, larger).to_degrees()
                },
            ),
        ],
    }
}
