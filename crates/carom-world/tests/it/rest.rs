//! Bodies that fall asleep, and bodies that must not: slow is not at rest.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground};
use carom_geom::{Capsule, Cylinder, HalfSpace};
use carom_math::{Pose, Quat, Vec3};
use carom_query::Shape;
use carom_testkit::conform::dice::Dice;
use carom_world::{BodyDesc, BodyId, JointDesc, JointKind, World, WorldSettings};

fn world(gravity: Vec3) -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = gravity;
    World::with_settings(settings)
}

fn position(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().position()
}

/// Steps for this many seconds; panics if the body ever sleeps.
fn run_awake(world: &mut World, id: BodyId, seconds: f32, dt: f32) {
    for step in 0..(seconds / dt).round() as usize {
        world.checked_step(dt).unwrap();
        assert!(!world.body(id).unwrap().is_sleeping(), "asleep after {step} steps");
    }
}

fn assert_near(found: f32, expected: f32, what: &str) {
    assert!((found / expected - 1.0).abs() < 0.01, "{what}: {found}, expected {expected}");
}

#[test]
fn a_slow_fall_is_a_fall() {
    for (g, dt) in [(0.1, DT), (0.02, DT), (1e-3, DT), (0.1, 1.0 / 240.0), (0.1, 1.0 / 30.0)] {
        let mut world = world(Vec3::NEG_Y * g);
        let id = world.insert(of_unit_density(ball(0.5))).unwrap();
        run_awake(&mut world, id, 10.0, dt);
        assert_near(-position(&world, id).y, 0.5 * g * 100.0, &format!("g {g}, dt {dt}"));
    }
}

#[test]
fn a_throw_turns_back_at_its_top() {
    for (g, v) in [(0.39, 1.0), (0.05, 0.3), (1.6, 1.0), (9.81, 5.0)] {
        let mut world = world(Vec3::NEG_Y * g);
        let thrown = of_unit_density(ball(0.1)).with_linear_velocity(Vec3::Y * v);
        let id = world.insert(thrown).unwrap();
        run_awake(&mut world, id, 2.0 * v / g, DT);
        let expected = v * v / (2.0 * g);
        assert!(position(&world, id).y.abs() < 0.01 * expected, "g {g}: {}", position(&world, id).y);
    }
}

#[test]
fn a_small_force_or_torque_moves() {
    for (acceleration, free) in [(0.05, true), (0.05, false), (0.004, true)] {
        let mut world = world(if free { Vec3::ZERO } else { Vec3::NEG_Y * 9.81 });
        if !free {
            world.insert(ground().with_friction(0.0)).unwrap();
        }
        let body = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
        let id = world.insert(body.with_friction(0.0)).unwrap();
        // It has come to rest, or nearly, when the force begins.
        (0..28).for_each(|_| {
            world.checked_step(DT).unwrap();
        });
        world.body_mut(id).unwrap().set_constant_force(Vec3::X * acceleration, Vec3::ZERO).unwrap();
        run_awake(&mut world, id, 8.0, DT);
        assert_near(position(&world, id).x, 32.0 * acceleration, "way");
    }
    let mut world = world(Vec3::ZERO);
    let id = world.insert(of_unit_density(cuboid(Vec3::splat(0.5)))).unwrap();
    // The inertia of the unit cube is 1/6.
    world.body_mut(id).unwrap().set_constant_force(Vec3::ZERO, Vec3::Y * 0.01).unwrap();
    run_awake(&mut world, id, 8.0, DT);
    assert_near(world.body(id).unwrap().angular_velocity().y, 8.0 * 0.06, "turn");
}

#[test]
fn ice_lets_a_box_slide_however_gentle_the_slope() {
    for (degrees, dt) in [(0.5_f32, DT), (0.25, DT), (1.0, 1.0 / 30.0), (0.5, 1.0 / 240.0)] {
        let g = 9.81;
        let angle = degrees.to_radians();
        let mut world = world(Vec3::new(g * angle.sin(), -g * angle.cos(), 0.0));
        world.insert(ground().with_friction(0.0)).unwrap();
        let body = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
        let id = world.insert(body.with_friction(0.0)).unwrap();
        run_awake(&mut world, id, 10.0, dt);
        assert_near(position(&world, id).x, 50.0 * g * angle.sin(), &format!("{degrees} degrees"));
    }
}

/// Each box of a stack slides as one box alone: on an icy floor, and also if the lowest box is icy
/// and holds no other. Such a box is squeezed out from under eight others, whose load need only
/// lean by 1e-4, so for nine only the common centre follows the closed form.
#[test]
fn a_stack_slides_on_ice_as_one_box_does() {
    for (n, friction_of_lowest) in [(2, 0.0), (4, 0.0), (9, 0.0), (2, 1.0), (4, 1.0), (9, 1.0)] {
        let (g, angle) = (9.81, 0.5_f32.to_radians());
        let mut world = world(Vec3::new(g * angle.sin(), -g * angle.cos(), 0.0));
        world.insert(ground().with_friction(0.0)).unwrap();
        let boxes: Vec<BodyId> = (0..n)
            .map(|i| {
                let at = Vec3::Y * (0.5 + i as f32);
                let body = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at);
                world.insert(body.with_friction(if i == 0 { friction_of_lowest } else { 1.0 })).unwrap()
            })
            .collect();
        run_awake(&mut world, boxes[0], 8.0, DT);
        let expected = 32.0 * g * angle.sin();
        let what = format!("{n} boxes, the lowest of friction {friction_of_lowest}");
        let ways: Vec<f32> = boxes.iter().map(|&id| position(&world, id).x).collect();
        println!("{what}: {ways:.3?} of {expected}");
        assert_near(ways.iter().sum::<f32>() / n as f32, expected, &what);
        if n < 9 || friction_of_lowest == 1.0 {
            ways.iter().for_each(|way| assert_near(*way, expected, &what));
        }
    }
}

#[test]
fn a_ball_rolls_up_a_slope_and_down_again() {
    for degrees in [2.0_f32, 1.0, 5.0] {
        let angle = degrees.to_radians();
        let mut world = world(Vec3::NEG_Y * 9.81);
        let normal = Vec3::new(-angle.sin(), angle.cos(), 0.0);
        let along = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let slope = Shape::HalfSpace(HalfSpace::new(normal).unwrap());
        world.insert(BodyDesc::fixed(slope).with_friction(1.0)).unwrap();
        let radius = 0.2;
        let body = of_unit_density(ball(radius)).with_position(normal * radius).with_friction(1.0);
        let id = world
            .insert(body.with_linear_velocity(along).with_angular_velocity(Vec3::NEG_Z / radius))
            .unwrap();
        let a = 5.0 / 7.0 * 9.81 * angle.sin();
        run_awake(&mut world, id, 2.0 / a, DT);
        let back = position(&world, id).dot(along);
        assert!(back.abs() < 0.01 * (0.5 / a), "{degrees}: {back}");
    }
}

#[test]
fn a_box_over_an_edge_tips() {
    for degrees in [0.3_f32, 0.6, -0.3] {
        let angle = core::f32::consts::FRAC_PI_4 + degrees.to_radians();
        let mut world = world(Vec3::NEG_Y * 9.81);
        world.insert(ground()).unwrap();
        let turn = Quat::from_rotation_z(angle);
        let at = Vec3::Y * core::f32::consts::FRAC_1_SQRT_2;
        let body = of_unit_density(cuboid(Vec3::splat(0.5))).with_pose(Pose::new(turn, at));
        let id = world.insert(body.with_friction(1.0)).unwrap();
        (0..600).for_each(|_| {
            world.checked_step(DT).unwrap();
        });
        assert!((position(&world, id).y - 0.5).abs() < 0.01, "{degrees}: {}", position(&world, id).y);
    }
}

#[test]
fn a_slow_pendulum_swings() {
    for (length, amplitude, dt) in [(40.0_f32, 0.01_f32, DT), (10.0, 0.02, DT), (40.0, 0.02, 1.0 / 120.0)] {
        let mut world = world(Vec3::NEG_Y * 9.81);
        let post = world.insert(BodyDesc::fixed(ball(0.1))).unwrap();
        let at = Vec3::new(length * amplitude.sin(), -length * amplitude.cos(), 0.0);
        let bob = world.insert(of_unit_density(ball(0.2)).with_position(at)).unwrap();
        let rope = JointKind::Spherical { cone: core::f32::consts::PI, twist: None };
        world
            .insert_joint(JointDesc::new(post, bob, rope).with_anchor(Vec3::ZERO).with_axis(Vec3::Z))
            .unwrap();
        let period = core::f32::consts::TAU * (length / 9.81).sqrt();
        run_awake(&mut world, bob, period, dt);
        assert_near(position(&world, bob).x, at.x, "a period later");
    }
}

#[test]
fn a_drifting_body_does_not_stop() {
    let mut world = world(Vec3::ZERO);
    let id = world
        .insert(
            of_unit_density(ball(0.5))
                .with_linear_velocity(Vec3::X * 0.05)
                .with_angular_velocity(Vec3::Y * 0.05),
        )
        .unwrap();
    run_awake(&mut world, id, 10.0, DT);
    assert_near(position(&world, id).x, 0.5, "way");
    let still = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 5.0)).unwrap();
    (0..60).for_each(|_| {
        world.checked_step(DT).unwrap();
    });
    assert!(world.body(still).unwrap().is_sleeping());
}

#[test]
fn units_of_length_change_no_rest() {
    for unit in [0.01_f32, 100.0] {
        let mut settings = WorldSettings::default();
        settings.solver = settings.solver.with_length_unit(unit);
        settings.solver.gravity = Vec3::NEG_Y * (0.1 * unit);
        let mut world = World::with_settings(settings);
        let id = world.insert(of_unit_density(ball(0.5 * unit))).unwrap();
        run_awake(&mut world, id, 10.0, DT);
        assert_near(-position(&world, id).y, 5.0 * unit, "fall");
    }
}

#[test]
fn boxes_at_rest_sleep_soon() {
    for (n, latest) in [(1, 60), (10, 130)] {
        let mut world = World::new();
        let ids = crate::scenes::stack(&mut world, n);
        let asleep = (1..=latest).find(|_| {
            world.checked_step(DT).unwrap();
            ids.iter().all(|&id| world.body(id).unwrap().is_sleeping())
        });
        println!("{n} boxes asleep at step {asleep:?}");
        assert!(asleep.is_some(), "{n} boxes are awake after {latest} steps");
    }
}

/// Steps until all sleep, at most for this many seconds; returns the largest speed.
fn settle(world: &mut World, ids: &[BodyId], seconds: usize) -> f32 {
    let mut fastest = 0.0_f32;
    for _ in 0..60 * seconds {
        world.checked_step(DT).unwrap();
        for &id in ids {
            fastest = fastest.max(world.body(id).unwrap().linear_velocity().length());
        }
        if ids.iter().all(|&id| world.body(id).unwrap().is_sleeping()) {
            break;
        }
    }
    fastest
}

fn deepest(world: &mut World) -> f32 {
    world.detect();
    let contacts = world.contacts();
    contacts
        .flat_map(|view| view.manifolds)
        .flat_map(|m| m.contacts())
        .fold(0.0, |most: f32, c| most.max(-c.distance))
}

/// The largest speed of a body that one contact pushes: the push-out speed.
const ONE_PUSH: f32 = 1.0;
/// The same for two contacts in a row, whose speeds add up to at most 2.
const TWO_PUSHES: f32 = 1.6;

/// Settles, and checks that the bodies overlap by no more than the slop, and that none was faster
/// than the limit. The slop is 5 mm, and twice that for islands of four bodies or more.
fn assert_apart(world: &mut World, ids: &[BodyId], max_speed: f32, what: &str) {
    let fastest = settle(world, ids, 20);
    let (deep, slop) = (deepest(world), if ids.len() < 4 { 0.005 } else { 0.01 });
    println!("{what}: fastest {fastest}, deepest {deep}");
    assert!(deep <= slop + 2e-4, "{what}: {deep} deep");
    assert!(fastest <= max_speed, "{what}: {fastest} fast");
}

#[test]
fn nothing_falls_asleep_inside_another_body() {
    let gravity = Vec3::NEG_Y * 9.81;
    for (half, offset) in [(0.5, 0.2), (0.5, 0.0), (2.0, 0.2), (0.5, 0.7)] {
        let mut world = world(gravity);
        world.insert(ground()).unwrap();
        let at = |x: f32| of_unit_density(cuboid(Vec3::splat(half))).with_position(Vec3::new(x, half, 0.0));
        let ids = [world.insert(at(0.0)).unwrap(), world.insert(at(offset)).unwrap()];
        assert_apart(&mut world, &ids, ONE_PUSH, &format!("boxes of {half}, {offset} apart"));
    }
    for offset in [0.2, 0.0] {
        let mut world = world(Vec3::ZERO);
        let at = |x: f32| of_unit_density(ball(0.5)).with_position(Vec3::X * x);
        let ids = [world.insert(at(0.0)).unwrap(), world.insert(at(offset)).unwrap()];
        assert_apart(&mut world, &ids, ONE_PUSH, &format!("balls {offset} apart"));
    }
}

#[test]
fn many_bodies_at_one_position_separate() {
    let mut world = world(Vec3::NEG_Y * 9.81);
    world.insert(ground()).unwrap();
    let ids: Vec<BodyId> = (0..8)
        .map(|i| {
            let shape = match i % 3 {
                0 => ball(0.3),
                1 => cuboid(Vec3::new(0.3, 0.2, 0.25)),
                _ => Shape::Capsule(Capsule::new(0.2, 0.2).unwrap()),
            };
            world.insert(of_unit_density(shape).with_position(Vec3::Y * 0.5)).unwrap()
        })
        .collect();
    // Some are lifted onto others, and fall off them: their speed is that of a fall.
    settle(&mut world, &ids, 30);
    let deep = deepest(&mut world);
    assert!(deep <= 0.0102, "{deep}");
}

#[test]
fn a_body_that_grows_and_a_door_that_closes_push_out() {
    let mut world = world(Vec3::NEG_Y * 9.81);
    world.insert(ground()).unwrap();
    let at = |x: f32| of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::new(x, 0.5, 0.0));
    let ids = [world.insert(at(0.0)).unwrap(), world.insert(at(1.1)).unwrap()];
    settle(&mut world, &ids, 3);
    // 0.8 deep.
    world.body_mut(ids[1]).unwrap().set_shape(cuboid(Vec3::new(1.4, 0.5, 0.5))).unwrap();
    assert_apart(&mut world, &ids, ONE_PUSH, "grown");
    let door = BodyDesc::kinematic(cuboid(Vec3::new(0.1, 1.0, 1.0))).with_position(Vec3::new(-3.0, 1.0, 0.0));
    let door = world.insert(door).unwrap();
    let pose = world.body(ids[0]).unwrap().position();
    world.body_mut(door).unwrap().set_pose(Pose::from_translation(pose - Vec3::X * 0.3)).unwrap();
    assert_apart(&mut world, &ids, TWO_PUSHES, "a door");
}

#[test]
fn a_body_freed_from_a_wall_stops() {
    let unit_box = || cuboid(Vec3::splat(0.5));
    let given =
        [(ball(0.5), 0.05), (ball(0.5), 0.2), (ball(0.5), 0.7), (unit_box(), 0.4), (unit_box(), 0.95)];
    for (shape, depth) in given {
        let mut world = world(Vec3::ZERO);
        world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.5, 5.0, 5.0)))).unwrap();
        let at = Vec3::X * (1.0 - depth);
        let id = world.insert(of_unit_density(shape).with_position(at)).unwrap();
        (0..300).for_each(|_| {
            world.checked_step(DT).unwrap();
        });
        let speed = world.body(id).unwrap().linear_velocity().length();
        println!("{depth} deep: {speed} after 5 s, at {}", position(&world, id).x);
        assert!(speed < 1e-3, "{depth} deep: {speed}");
        assert!(0.99 < position(&world, id).x, "{depth} deep: {}", position(&world, id).x);
    }
}

/// In an oblique wall each contact pushes in a different direction, and friction turns the body.
#[test]
fn a_body_freed_aslant_from_a_wall_stops() {
    let cylinder = Shape::Cylinder(Cylinder::new(0.5, 0.5).unwrap());
    let capsule = Shape::Capsule(Capsule::new(0.5, 0.4).unwrap());
    let plank = cuboid(Vec3::new(0.9, 0.1, 0.3));
    for shape in [cuboid(Vec3::splat(0.5)), cylinder, capsule, plank] {
        for (angle, x) in [(0.1, 0.8), (0.3, 0.6), (0.3, 0.8), (0.3, 0.95), (0.7, 0.6), (0.7, 0.8)] {
            for axis in [Vec3::Z, Vec3::new(0.0, 0.6, 0.8)] {
                let mut world = world(Vec3::ZERO);
                world.insert(BodyDesc::fixed(cuboid(Vec3::new(0.5, 5.0, 5.0)))).unwrap();
                let pose = Pose::new(Quat::from_axis_angle(axis, angle), Vec3::X * x);
                let id = world.insert(of_unit_density(shape.clone()).with_pose(pose)).unwrap();
                let fastest = settle(&mut world, &[id], 5);
                let motion = world.body(id).unwrap().motion();
                let (speed, spin) = (motion.linear_velocity.length(), motion.angular_velocity.length());
                let what = format!("{shape:?}, turned by {angle} about {axis}, at {x}");
                assert!(speed < 1e-3 && spin < 1e-3, "{what}: {speed} {spin}");
                assert!(fastest < 0.1, "{what}: {fastest}");
            }
        }
    }
}

/// The bodies above are moved out of the way at the push-out speed of each contact below them. They
/// are not thrown.
#[test]
fn a_body_that_grows_under_others_throws_none_up() {
    for (n, grown) in [(2, 0), (3, 1), (5, 3)] {
        for ball_above in [false, true] {
            let mut world = world(Vec3::NEG_Y * 9.81);
            world.insert(ground()).unwrap();
            let mut ids: Vec<BodyId> = Vec::new();
            for k in 0..n {
                let is_ball = ball_above && k + 1 == n;
                let shape = if is_ball { ball(0.5) } else { cuboid(Vec3::splat(0.5)) };
                let at = Vec3::Y * (0.5 + k as f32);
                ids.push(world.insert(of_unit_density(shape).with_position(at)).unwrap());
            }
            settle(&mut world, &ids, 3);
            world.body_mut(ids[grown]).unwrap().set_shape(cuboid(Vec3::splat(0.6))).unwrap();
            assert_apart(
                &mut world,
                &ids,
                TWO_PUSHES,
                &format!("box {grown} of {n} grown, ball above: {ball_above}"),
            );
        }
    }
}

#[test]
fn heaps_sleep() {
    for seed in 0..2 {
        let mut world = World::new();
        let mut dice = Dice::new(seed);
        world.insert(ground()).unwrap();
        let ids: Vec<BodyId> = (0..60)
            .map(|i| {
                let at = Vec3::new(dice.range(-2.0, 2.0), 1.0 + 0.4 * i as f32, dice.range(-2.0, 2.0));
                world.insert(of_unit_density(cuboid(Vec3::splat(0.4))).with_position(at)).unwrap()
            })
            .collect();
        settle(&mut world, &ids, 30);
        assert!(ids.iter().all(|&id| world.body(id).unwrap().is_sleeping()), "seed {seed}");
    }
}
