//! Fast bodies that bounce without loss: they return to their height, at the right times.

use crate::scenes::{CheckedStep, ball, cuboid, ground};
use carom_geom::HalfSpace;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, World};

const RATES: [f32; 3] = [30.0, 60.0, 144.0];

const G: f32 = 9.81;

/// The rounding of thousands of steps in single precision, as a fraction.
const ROUNDING: f32 = 2e-4;

/// A fast body of this shape, which bounces without loss and does not slip or roll.
fn bouncing(shape: Shape) -> BodyDesc {
    BodyDesc::dynamic(shape).with_ccd(true).with_restitution(1.0).with_friction(0.0).with_can_sleep(false)
}

/// Steps a world until a body has passed the top of its path this many times. Returns the heights
/// of the tops and the time of the last one.
fn tops(world: &mut World, body: BodyId, n: usize, hertz: f32) -> (Vec<f32>, f32) {
    let speed = |world: &World| world.body(body).unwrap().linear_velocity().y;
    let (mut tops, mut steps, mut before) = (Vec::new(), 0, speed(world));
    while tops.len() < n {
        world.checked_step(1.0 / hertz).unwrap();
        steps += 1;
        assert!(steps < 100_000, "{} tops only: {tops:?}", tops.len());
        let now = speed(world);
        if 0.0 < before && now <= 0.0 {
            // Near the top, the height and the speed give the height of the top.
            let lag = 0.5 * G / (6.0 * hertz);
            tops.push(world.body(body).unwrap().position().y + (now - lag) * (now - lag) / (2.0 * G));
        }
        before = now;
    }
    (tops, steps as f32 / hertz)
}

/// A ball and a box that lands flat are at their height again after 30 bounces, and take the time
/// of the closed form.
#[test]
fn r_a_fast_body_returns_to_its_height() {
    for hertz in RATES {
        for (shape, restitution_of_floor) in
            [(ball(0.5), 1.0), (cuboid(Vec3::new(0.6, 0.5, 0.4)), 1.0), (ball(0.5), 0.0), (ball(0.1), 1.0)]
        {
            for height in [1.0_f32, 5.0, 20.0] {
                let mut world = World::new();
                world.insert(ground().with_restitution(restitution_of_floor)).unwrap();
                let half = shape.aabb(&Pose::IDENTITY).max.y;
                let desc = bouncing(shape.clone()).with_position(Vec3::Y * (height + half));
                let body = world.insert(desc).unwrap();
                let (tops, time) = tops(&mut world, body, 30, hertz);
                let last = tops[29] - half;
                let expected = 60.0 * (2.0 * height / G).sqrt();
                println!("{hertz} Hz, {height} m: {last} m after {time} s of {expected} s");
                let highest = tops.iter().fold(0.0_f32, |highest, top| highest.max(top - half));
                assert!(highest < height * (1.0 + ROUNDING), "{hertz} Hz: {highest} m of {height} m");
                assert!(0.99 * height < last, "{hertz} Hz: {last} m of {height} m");
                // A bounce is up to 1.5 substeps early.
                assert!((time - expected).abs() < 0.01 * expected, "{hertz} Hz: {time} s of {expected} s");
            }
        }
    }
}

/// The floor bounces, and the ball does not know it: its box does not contain the way up.
#[test]
fn r_a_fast_body_returns_from_a_floor_that_bounces() {
    for hertz in RATES {
        let mut world = World::new();
        world.insert(ground().with_restitution(1.0)).unwrap();
        let desc = bouncing(ball(0.5)).with_restitution(0.0).with_position(Vec3::Y * 5.5);
        let body = world.insert(desc).unwrap();
        let (tops, _) = tops(&mut world, body, 30, hertz);
        let heights = tops.iter().map(|top| top - 0.5);
        let (lowest, highest) = heights.fold((f32::MAX, 0.0_f32), |(low, high), x| (low.min(x), high.max(x)));
        println!("{hertz} Hz: {lowest} m to {highest} m");
        assert!(4.95 < lowest && highest < 5.0 * (1.0 + ROUNDING), "{hertz} Hz: {lowest} to {highest}");
    }
}

/// In a valley of two slopes a ball flies from side to side, and keeps its energy.
#[test]
fn r_a_fast_ball_keeps_its_energy_between_slopes() {
    for hertz in RATES {
        for degrees in [45.0_f32, 30.0, 60.0] {
            let mut world = World::new();
            for side in [-1.0, 1.0] {
                let plane = Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap());
                let turn = Quat::from_rotation_z(side * degrees.to_radians());
                world.insert(BodyDesc::fixed(plane).with_pose(Pose::new(turn, Vec3::ZERO))).unwrap();
            }
            let desc = bouncing(ball(0.3)).with_position(Vec3::new(0.7, 6.0, 0.0));
            world.insert(desc).unwrap();
            let start = world.energy().total();
            let mut most = start;
            for _ in 0..(30.0 * hertz) as usize {
                world.checked_step(1.0 / hertz).unwrap();
                most = most.max(world.energy().total());
            }
            let end = world.energy().total();
            println!("{hertz} Hz, {degrees} degrees: {end} J of {start} J, at most {most} J");
            assert!(most < start * (1.0 + f64::from(ROUNDING)), "{hertz} Hz, {degrees} degrees: {most}");
            assert!(start * 0.99 < end, "{hertz} Hz, {degrees} degrees: {end} J of {start} J");
        }
    }
}

/// Two balls, one above the other: the energy of both stays, and a ball that hits one at rest
/// without gravity gives it all its speed.
#[test]
fn r_fast_balls_keep_their_energy_among_each_other() {
    for hertz in RATES {
        let mut world = World::new();
        world.insert(ground()).unwrap();
        for (height, radius) in [(3.0, 0.5), (6.0, 0.3), (9.0, 0.4)] {
            world.insert(bouncing(ball(radius)).with_position(Vec3::Y * height)).unwrap();
        }
        let start = world.energy().total();
        let mut most = start;
        for _ in 0..(20.0 * hertz) as usize {
            world.checked_step(1.0 / hertz).unwrap();
            most = most.max(world.energy().total());
        }
        let end = world.energy().total();
        println!("{hertz} Hz: {end} J of {start} J, at most {most} J");
        assert!(most < start * (1.0 + f64::from(ROUNDING)), "{hertz} Hz: {most} J of {start} J");
        assert!(start * 0.99 < end, "{hertz} Hz: {end} J of {start} J");
    }
}
