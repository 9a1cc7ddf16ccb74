//! Rolling friction, against the closed forms of a rolling ball.

use crate::scenes::{CheckedStep, DT, ball, cuboid, is_bad};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_world::{BodyDesc, BodyId, ColliderDesc, Material, World};

const GRAVITY: f32 = 9.81;

fn place(world: &World, body: BodyId) -> Vec3 {
    world.body(body).unwrap().position()
}

/// A ball of radius r that rolls at v slows down by 5/7 g c/r, so it stops after 7/10 v^2 r/(g c).
#[test]
fn a_ball_stops_where_it_should() {
    for (radius, coefficient, speed) in
        [(0.5, 0.02, 2.0), (0.5, 0.05, 3.0), (0.1, 0.004, 1.0), (1.5, 0.1, 5.0)]
    {
        for is_of_ball in [true, false] {
            let mut world = World::new();
            let with = |rolls: bool| {
                Material::new(0.9, 0.0).with_rolling_friction(if rolls { coefficient } else { 0.0 })
            };
            let floor = BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap()).with_material(with(!is_of_ball));
            world.insert(floor).unwrap();
            let desc = BodyDesc::dynamic(ball(radius)).with_position(Vec3::Y * radius);
            let desc = desc.with_linear_velocity(Vec3::X * speed);
            let desc = desc.with_angular_velocity(Vec3::NEG_Z * (speed / radius));
            let body = world.insert(desc.with_material(with(is_of_ball))).unwrap();
            let time = 1.4 * speed * radius / (GRAVITY * coefficient);
            for _ in 0..(1.5 * time / DT) as usize {
                world.checked_step(DT).unwrap();
            }
            let expected = 0.7 * speed * speed * radius / (GRAVITY * coefficient);
            let found = place(&world, body);
            println!("radius {radius}, {coefficient} m: {:.4} m of {expected:.4}", found.x);
            assert!((found.x - expected).abs() < 0.02 * expected, "{found} {expected}");
            assert!(found.z.abs() < 1e-3 && world.body(body).unwrap().linear_velocity().length() < 1e-3);
        }
    }
}

/// On a slope whose tangent is below c/r a ball stays, asleep or not; on a steeper one it rolls.
#[test]
fn a_ball_stays_on_a_slope() {
    let (radius, coefficient) = (0.5_f32, 0.05_f32);
    for (factor, can_sleep) in [(0.5, true), (0.95, true), (0.95, false), (1.1, true), (2.0, true)] {
        let angle = (factor * coefficient / radius).atan();
        let tilt = Quat::from_rotation_z(angle);
        let mut world = World::new();
        let material = Material::new(0.9, 0.0).with_rolling_friction(coefficient);
        let slope = BodyDesc::fixed(cuboid(Vec3::new(50.0, 1.0, 50.0))).with_material(material);
        world.insert(slope.with_pose(Pose::new(tilt, tilt * Vec3::NEG_Y))).unwrap();
        let desc = BodyDesc::dynamic(ball(radius)).with_position(tilt * (Vec3::Y * radius));
        let body = world.insert(desc.with_can_sleep(can_sleep)).unwrap();
        let start = place(&world, body);
        for _ in 0..120 {
            world.checked_step(DT).unwrap();
        }
        let moved = (place(&world, body) - start).length();
        // Down the slope, from rest: a = 5/7 g (sin - c/r cos).
        let pull = GRAVITY * (angle.sin() - coefficient / radius * angle.cos());
        let expected = if factor < 1.0 { 0.0 } else { 5.0 / 7.0 * pull * 2.0 };
        println!("{factor} of the steepest: {moved:.5} m of {expected:.5}");
        assert!((moved - expected).abs() < 0.03 * expected + 2e-3, "{factor}: {moved} {expected}");
    }
}

/// Each collider has its own: a wheel set rolls on, one with a brake shoe under it does not.
#[test]
fn each_collider_has_its_own() {
    let mut lost = Vec::new();
    for coefficients in [[0.0, 0.0], [0.03, 0.0], [0.0, 0.03], [0.03, 0.03]] {
        let mut world = World::new();
        world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y).unwrap())).unwrap();
        let wheel = |x: f32, coefficient: f32| {
            let material = Material::new(0.9, 0.0).with_rolling_friction(coefficient);
            let collider = ColliderDesc::new(ball(0.5)).with_pose(Pose::from_translation(Vec3::Z * x));
            collider.with_material(material)
        };
        let pair = BodyDesc::dynamic(wheel(-1.0, coefficients[0])).with_collider(wheel(1.0, coefficients[1]));
        let pair = pair.with_position(Vec3::Y * 0.5).with_linear_velocity(Vec3::X * 3.0);
        let body = world.insert(pair.with_angular_velocity(Vec3::NEG_Z * 6.0)).unwrap();
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
        }
        lost.push(3.0 - world.body(body).unwrap().linear_velocity().length());
    }
    println!("lost {lost:?}");
    // With both, 5/7 g c/r; with one, half of it.
    let expected = 5.0 / 7.0 * GRAVITY * 0.03 / 0.5;
    assert!(lost[0].abs() < 5e-3 && (lost[3] - expected).abs() < 0.03 * expected, "{lost:?} {expected}");
    assert!((lost[1] - lost[2]).abs() < 0.02 * expected && (lost[1] - 0.5 * expected).abs() < 0.1 * expected);
}

#[test]
fn bad_numbers_are_refused() {
    let mut world = World::new();
    for bad in [-0.1, f32::NAN, f32::INFINITY] {
        let material = Material::default().with_rolling_friction(bad);
        let refused = world.insert(BodyDesc::dynamic(ball(0.5)).with_material(material));
        assert!(is_bad(refused, "rolling friction", bad));
    }
}
