//! Locked axes and largest speeds: closed forms, and exact zeros along what is locked.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad};
use carom_geom::HalfSpace;
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, BodyId, JointDesc, LockedAxes, World, WorldSettings};

fn weightless() -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::ZERO;
    World::with_settings(settings)
}

/// Boxes and balls that fall into a trough, hit by a bullet: all motion stays in the plane, bit for
/// bit, although shapes have a depth and touch at corners.
#[test]
fn a_world_of_two_dimensions_stays_flat() {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    for side in [-1.0, 1.0] {
        let normal = Vec3::new(-side, 1.0, 0.0).normalize();
        let slope = Shape::HalfSpace(HalfSpace::new(normal).unwrap());
        world.insert(BodyDesc::fixed(slope).with_position(Vec3::X * side * 4.0)).unwrap();
    }
    let mut dice = Dice::new(5);
    let mut ids = Vec::new();
    for i in 0..40 {
        let shape = if i % 3 == 0 { ball(0.3) } else { cuboid(Vec3::new(0.3, 0.2, 0.4)) };
        let turn = Quat::from_rotation_z(dice.range(-1.0, 1.0));
        let at = Vec3::new(dice.range(-2.0, 2.0), 1.0 + 0.6 * i as f32, 0.25);
        let desc = of_unit_density(shape).with_pose(Pose::new(turn, at));
        let desc = desc.with_linear_velocity(dice.point(3.0)).with_angular_velocity(dice.point(3.0));
        ids.push(world.insert(desc.with_locked_axes(LockedAxes::OUT_OF_XY)).unwrap());
    }
    let bullet = of_unit_density(ball(0.05)).with_density(50.0).with_position(Vec3::new(-30.0, 0.8, 0.1));
    world.insert(bullet.with_linear_velocity(Vec3::new(300.0, 0.0, 5.0)).with_ccd(true)).unwrap();
    for step in 0..1500 {
        world.checked_step(DT).unwrap();
        for &id in &ids {
            let body = world.body(id).unwrap().motion();
            let (v, w, pose) = (body.linear_velocity, body.angular_velocity, body.pose);
            assert_eq!((pose.translation.z, v.z, w.x, w.y), (0.25, 0.0, 0.0, 0.0), "step {step}");
            assert_eq!((pose.rotation.x, pose.rotation.y), (0.0, 0.0), "step {step}");
        }
    }
    let fastest =
        ids.iter().map(|&id| world.body(id).unwrap().linear_velocity().length()).fold(0.0, f32::max);
    assert!(fastest < 0.01, "the heap comes to rest: {fastest}");
    let heights = ids.iter().map(|&id| world.body(id).unwrap().position().y);
    assert!(heights.clone().all(|y| 0.15 < y) && 1.0 < heights.fold(0.0, f32::max));
}

/// A body that cannot turn slides down a slope as a point: g (sin - mu cos).
#[test]
fn a_body_that_cannot_turn_slides_as_a_point() {
    let (angle, friction) = (0.6_f32, 0.3_f32);
    let mut world = World::new();
    let slope = Shape::HalfSpace(HalfSpace::new(Vec3::new(angle.sin(), angle.cos(), 0.0)).unwrap());
    world.insert(BodyDesc::fixed(slope).with_friction(friction)).unwrap();
    // A ball would roll.
    let at = Vec3::new(angle.sin(), angle.cos(), 0.0) * 0.5;
    let desc = of_unit_density(ball(0.5)).with_position(at).with_friction(friction);
    let id = world.insert(desc.with_locked_axes(LockedAxes::ROTATION)).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    let body = world.body(id).unwrap().motion();
    assert_eq!((body.angular_velocity, body.pose.rotation), (Vec3::ZERO, Quat::IDENTITY));
    let expected = 9.81 * (angle.sin() - friction * angle.cos()) * 2.0;
    let speed = body.linear_velocity.length();
    assert!((speed - expected).abs() < 0.01 * expected, "{speed} {expected}");
}

/// A body on a slope that may only go up and down stands on it, with friction or without.
#[test]
fn a_body_on_a_rail_stands_on_a_slope() {
    for friction in [0.0, 0.5] {
        let mut world = World::new();
        let normal = Vec3::new(0.5, 1.0, 0.0).normalize();
        let slope = Shape::HalfSpace(HalfSpace::new(normal).unwrap());
        world.insert(BodyDesc::fixed(slope).with_friction(friction)).unwrap();
        let height = 0.5 / normal.y;
        let desc = of_unit_density(ball(0.5)).with_position(Vec3::Y * height).with_friction(friction);
        let rail = LockedAxes::TRANSLATION_X | LockedAxes::TRANSLATION_Z;
        let id = world.insert(desc.with_locked_axes(rail)).unwrap();
        for _ in 0..600 {
            world.checked_step(DT).unwrap();
            let at = world.body(id).unwrap().position();
            assert_eq!((at.x, at.z), (0.0, 0.0));
            assert!((at.y - height).abs() < 0.01, "friction {friction}: {at}");
        }
    }
}

/// A body that turns about one axis of the world only, tilted to its principal axes: an impulse
/// gives it the spin of its moment of inertia about that axis.
#[test]
fn a_tilted_body_turns_about_its_free_axis() {
    let turn = Quat::from_scaled_axis(Vec3::new(0.7, -0.4, 1.1));
    let locked = LockedAxes::ROTATION_X | LockedAxes::ROTATION_Y | LockedAxes::TRANSLATION;
    let mut world = weightless();
    let desc = of_unit_density(cuboid(Vec3::new(0.2, 0.5, 1.0))).with_pose(Pose::new(turn, Vec3::ZERO));
    let id = world.insert(desc.with_locked_axes(locked)).unwrap();
    let mass = carom_world::mass_of(world.body(id).unwrap().shape(), 1.0);
    let own = turn.inverse() * Vec3::Z;
    let moment = own.dot(mass.inertia * own);
    world.body_mut(id).unwrap().apply_impulse_at(Vec3::new(0.3, 0.2, 0.9), Vec3::X).unwrap();
    let spin = 0.2 / moment;
    for step in 1..=120 {
        world.checked_step(DT).unwrap();
        let body = world.body(id).unwrap().motion();
        assert_eq!((body.linear_velocity, body.pose.translation), (Vec3::ZERO, Vec3::ZERO));
        let w = body.angular_velocity;
        assert!((w - Vec3::Z * spin).length() < 1e-5 * spin, "{w} {spin}");
        let expected = Quat::from_rotation_z(spin * DT * step as f32) * turn;
        assert!(body.pose.rotation.angle_between(expected) < 2e-3, "step {step}");
    }
}

/// A fall that reaches its largest speed goes on at it; a spin likewise.
#[test]
fn no_speed_is_above_its_bound() {
    let mut world = World::new();
    let desc = of_unit_density(cuboid(Vec3::new(0.3, 0.5, 0.7))).with_position(Vec3::Y * 100.0);
    let desc = desc.with_angular_velocity(Vec3::new(30.0, 5.0, -20.0)).with_max_speeds(8.0, 3.0);
    let id = world.insert(desc).unwrap();
    let mut last = 100.0;
    for step in 0..300 {
        world.checked_step(DT).unwrap();
        let body = world.body(id).unwrap().motion();
        assert!(body.linear_velocity.length() <= 8.0 * 1.000_001);
        assert!(body.angular_velocity.length() <= 3.0 * 1.001, "{}", body.angular_velocity);
        let y = body.pose.translation.y;
        assert!(step < 60 || ((last - y) / DT - 8.0).abs() < 0.01, "step {step}: {}", (last - y) / DT);
        last = y;
    }
    world.body_mut(id).unwrap().set_max_speeds(f32::MAX, f32::MAX).unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    let speed = world.body(id).unwrap().linear_velocity().length();
    assert!((speed - 17.81).abs() < 0.05, "{speed}");
}

/// Contacts, joints and bullets push a locked body: its centre stays where it was.
#[test]
fn nothing_moves_a_locked_body() {
    let mut world = World::new();
    let post = of_unit_density(cuboid(Vec3::new(0.2, 1.0, 0.2))).with_position(Vec3::new(0.1, 1.5, -0.2));
    let post = world.insert(post.with_locked_axes(LockedAxes::all())).unwrap();
    let start = world.body(post).unwrap().pose();
    let weight = of_unit_density(ball(0.3)).with_position(Vec3::new(1.5, 1.5, 0.0)).with_density(100.0);
    let weight = world.insert(weight).unwrap();
    let rope = JointDesc::spherical(post, weight).with_anchor(Vec3::new(0.1, 2.5, -0.2));
    world.insert_joint(rope).unwrap();
    for (k, speed) in [5.0, 50.0, 500.0].into_iter().enumerate() {
        let at = Vec3::new(-3.0 - speed * 0.1, 1.2 + 0.2 * k as f32, -0.2);
        let hit = of_unit_density(ball(0.1)).with_position(at).with_ccd(speed > 100.0);
        world.insert(hit.with_linear_velocity(Vec3::X * speed).with_density(20.0)).unwrap();
    }
    for _ in 0..300 {
        world.checked_step(DT).unwrap();
        let body = world.body(post).unwrap().motion();
        assert_eq!((body.pose, body.linear_velocity, body.angular_velocity), (start, Vec3::ZERO, Vec3::ZERO));
    }
    let hangs = (world.body(weight).unwrap().position() - Vec3::new(0.1, 2.5, -0.2)).length();
    assert!((1.5..1.9).contains(&hangs), "{hangs}");
}

/// A fast kinematic wall goes through bodies with locked axes: they stay where their locks hold
/// them, and do not turn about locked axes.
#[test]
fn r_a_fast_wall_takes_no_locked_body_along() {
    let rail = LockedAxes::TRANSLATION_X | LockedAxes::TRANSLATION_Z | LockedAxes::ROTATION;
    for (locked, spin) in [
        (LockedAxes::all(), Vec3::ZERO),
        (LockedAxes::all(), Vec3::new(1.0, 2.0, 3.0)),
        (rail, Vec3::ZERO),
        (LockedAxes::OUT_OF_XY, Vec3::new(2.0, 1.0, 0.5)),
    ] {
        let mut world = weightless();
        let post = of_unit_density(cuboid(Vec3::new(0.2, 1.0, 0.2))).with_locked_axes(locked);
        let post = world.insert(post).unwrap();
        let wall = BodyDesc::kinematic(cuboid(Vec3::new(0.2, 2.0, 2.0))).with_position(Vec3::X * -3.0);
        world.insert(wall.with_linear_velocity(Vec3::X * 10.0).with_angular_velocity(spin)).unwrap();
        for step in 0..60 {
            world.checked_step(DT).unwrap();
            let pose = world.body(post).unwrap().pose();
            let moved = pose.translation;
            assert_eq!(locked.free_translation(moved), moved, "{locked:?}, step {step}");
            let axis = Vec3::new(pose.rotation.x, pose.rotation.y, pose.rotation.z);
            assert_eq!(locked.free_rotation(axis), axis, "{locked:?}, step {step}");
        }
    }
}

/// Fast uneven bodies that may turn about z alone hit a wall: continuous detection gives them no
/// spin about x and y, and takes none about z where contacts do not.
#[test]
fn r_a_stop_gives_no_spin_about_a_locked_axis() {
    let turn = Quat::from_scaled_axis(Vec3::new(0.7, -0.4, 1.1));
    let locked = LockedAxes::ROTATION_X | LockedAxes::ROTATION_Y;
    let (mut n_stopped, mut dice) = (0, Dice::new(3));
    for is_fast in [true, false] {
        let mut world = weightless();
        let wall = BodyDesc::fixed(cuboid(Vec3::new(0.01, 50.0, 50.0))).with_position(Vec3::X * 2.0);
        world.insert(wall.with_friction(0.0)).unwrap();
        let ids: Vec<BodyId> = (0..20)
            .map(|k| {
                let at = Vec3::new(dice.range(-2.0, 0.0), 3.0 * k as f32 - 30.0, 0.0);
                let desc = of_unit_density(cuboid(Vec3::new(0.2, 0.5, 1.0))).with_pose(Pose::new(turn, at));
                let desc = desc.with_linear_velocity(Vec3::X * 40.0).with_angular_velocity(Vec3::Z * 8.0);
                world.insert(desc.with_locked_axes(locked).with_ccd(is_fast).with_friction(0.0)).unwrap()
            })
            .collect();
        for step in 0..30 {
            n_stopped += world.checked_step(DT).unwrap().n_stopped;
            for &id in &ids {
                let body = world.body(id).unwrap().motion();
                let [w, tilt] = [body.angular_velocity, body.pose.transform_vector(turn.inverse() * Vec3::Z)];
                assert_eq!((w.x, w.y), (0.0, 0.0), "step {step}: {w}");
                assert!((tilt - Vec3::Z).length() < 1e-4, "step {step}: {tilt}");
            }
        }
    }
    assert!(0 < n_stopped);
}

#[test]
fn a_bound_that_is_no_speed_is_refused() {
    let mut world = World::new();
    let id: BodyId = world.insert(of_unit_density(ball(0.5))).unwrap();
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let mut body = world.body_mut(id).unwrap();
        assert!(is_bad(body.set_max_speeds(bad, 1.0), "max linear speed", bad));
        assert!(is_bad(body.set_max_speeds(1.0, bad), "max angular speed", bad));
        let desc = of_unit_density(ball(0.5)).with_max_speeds(bad, 1.0);
        assert!(is_bad(world.insert(desc), "max linear speed", bad));
    }
}
