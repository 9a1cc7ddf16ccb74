//! Forces for one step, and targets of kinematic bodies.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, is_bad};
use carom_broad::Mobility;
use carom_broad_tree::DynamicBvh;
use carom_math::{Pose, Quat, Vec3};
use carom_world::{BodyDesc, BodyId, Budget, World, WorldSettings};

fn weightless() -> World {
    let settings = WorldSettings::default();
    World::with_settings(settings.with_solver(settings.solver.with_gravity(Vec3::ZERO)))
}

/// A force acts in one step, and the sum of several does.
#[test]
fn a_force_acts_in_the_next_step_only() {
    let mut world = weightless();
    let body = world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_density(2.0)).unwrap();
    let far = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::X * 20.0)).unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    assert!(world.body(body).unwrap().is_sleeping());
    world.body_mut(body).unwrap().apply_force(Vec3::new(6.0, 0.0, 0.0)).unwrap();
    world.body_mut(body).unwrap().apply_force_at(Vec3::new(0.0, 3.0, 0.0), Vec3::X * 0.5).unwrap();
    world.body_mut(body).unwrap().apply_torque(Vec3::Z * 0.5).unwrap();
    world.checked_step(DT).unwrap();
    let motion = *world.body(body).unwrap().motion();
    // 2 kg; a cube of side 1 has m / 6.
    let wanted = Vec3::new(6.0, 3.0, 0.0) / 2.0 * DT;
    assert!((motion.linear_velocity - wanted).length() < 1e-6, "{}", motion.linear_velocity);
    let spin = Vec3::Z * (1.5 + 0.5) / (2.0 / 6.0) * DT;
    assert!((motion.angular_velocity - spin).length() < 1e-5, "{}", motion.angular_velocity);
    (0..10).for_each(|_| _ = world.checked_step(DT).unwrap());
    let later = world.body(body).unwrap().motion();
    assert!((later.linear_velocity - motion.linear_velocity).length() < 1e-6);
    assert_eq!(world.body(far).unwrap().linear_velocity(), Vec3::ZERO);
    // One that stays is not used up.
    world.body_mut(body).unwrap().set_constant_force(Vec3::X, Vec3::ZERO).unwrap();
    world.body_mut(body).unwrap().apply_force(Vec3::X).unwrap();
    (0..60).for_each(|_| _ = world.checked_step(DT).unwrap());
    let gained = world.body(body).unwrap().linear_velocity().x - motion.linear_velocity.x;
    assert!((gained - (60.0 + 1.0) / 2.0 * DT).abs() < 1e-4, "{gained}");
    world.body_mut(body).unwrap().apply_angular_impulse(Vec3::Z * -2.0 / 6.0).unwrap();
    let slower = world.body(body).unwrap().angular_velocity().z;
    assert!((slower - (spin.z - 1.0)).abs() < 1e-4, "{slower}");
}

#[test]
fn bad_forces_and_targets_are_refused() {
    let mut world = weightless();
    let body = world.insert(of_unit_density(ball(0.5))).unwrap();
    let lift = world.insert(BodyDesc::kinematic(ball(0.5)).with_position(Vec3::X * 9.0)).unwrap();
    let bad = Vec3::new(0.0, f32::NAN, 0.0);
    assert!(is_bad(world.body_mut(body).unwrap().apply_force(bad), "force", f32::NAN));
    assert!(is_bad(world.body_mut(body).unwrap().apply_torque(bad), "torque", f32::NAN));
    assert!(is_bad(world.body_mut(body).unwrap().apply_force_at(Vec3::X, bad), "torque", f32::NAN));
    assert!(world.body_mut(body).unwrap().apply_angular_impulse(bad).is_err());
    assert!(world.body_mut(lift).unwrap().move_to(Pose::from_translation(bad)).is_err());
    // A dynamic body is not moved, and a kinematic one feels no force.
    world.body_mut(body).unwrap().move_to(Pose::from_translation(Vec3::Y)).unwrap();
    world.body_mut(lift).unwrap().apply_force(Vec3::Y).unwrap();
    world.checked_step(DT).unwrap();
    assert_eq!(world.body(body).unwrap().position(), Vec3::ZERO);
    assert_eq!(world.body(lift).unwrap().position(), Vec3::X * 9.0);
}

/// A lift with targets: bodies on it move along, at any frame rate, and stay when it stops.
#[test]
fn a_lift_carries_what_stands_on_it() {
    for rate in [30.0, 60.0, 144.0_f32] {
        let dt = 1.0 / rate;
        let mut world = World::new();
        let lift = world.insert(BodyDesc::kinematic(cuboid(Vec3::new(2.0, 0.25, 2.0)))).unwrap();
        let rider = of_unit_density(cuboid(Vec3::splat(0.4))).with_position(Vec3::new(0.5, 0.65, 0.0));
        let rider = world.insert(rider.with_friction(1.0)).unwrap();
        (0..rate as usize * 2).for_each(|_| _ = world.checked_step(dt).unwrap());
        assert!(world.body(rider).unwrap().is_sleeping(), "{rate}");
        let start = world.body(rider).unwrap().position();
        // Up and to the side, smoothly from rest to rest in 3 s.
        let pose_at = |t: f32| {
            let s = t * t * (3.0 - 2.0 * t);
            Pose::from_translation(Vec3::new(1.5, 3.0, 0.0) * s)
        };
        let n = (3.0 * rate) as usize;
        for step in 1..=n {
            let target = pose_at(step as f32 / n as f32);
            world.body_mut(lift).unwrap().move_to(target).unwrap();
            world.checked_step(dt).unwrap();
            assert_eq!(world.body(lift).unwrap().pose(), target, "{rate}, {step}");
        }
        let offset = world.body(rider).unwrap().position() - start;
        assert!((offset - Vec3::new(1.5, 3.0, 0.0)).length() < 0.03, "{rate} Hz: {offset}");
        world.checked_step(dt).unwrap();
        assert_eq!(world.body(lift).unwrap().linear_velocity(), Vec3::ZERO);
        (0..rate as usize * 2).for_each(|_| _ = world.checked_step(dt).unwrap());
        assert!(world.body(rider).unwrap().is_sleeping(), "{rate}");
    }
}

/// A paddle that turns to a target hits a ball with the speed of its rim.
#[test]
fn a_paddle_turns_and_strikes() {
    let mut world = weightless();
    let paddle = world.insert(BodyDesc::kinematic(cuboid(Vec3::new(1.0, 0.05, 0.5)))).unwrap();
    let ball = of_unit_density(ball(0.1)).with_position(Vec3::new(0.8, 0.3, 0.0)).with_restitution(1.0);
    let ball = world.insert(ball.with_friction(0.0)).unwrap();
    let rate = 3.0;
    for step in 1..=20 {
        let turn = Quat::from_rotation_z(rate * DT * step as f32);
        world.body_mut(paddle).unwrap().move_to(Pose::new(turn, Vec3::ZERO)).unwrap();
        world.checked_step(DT).unwrap();
        let spin = world.body(paddle).unwrap().angular_velocity();
        assert!((spin - Vec3::Z * rate).length() < 1e-3, "{spin}");
        assert!((world.body(paddle).unwrap().rotation().dot(turn).abs() - 1.0).abs() < 1e-6);
    }
    // Twice the speed of the rim where it was hit: 2 x 3 rad/s x about 0.8 m.
    let speed = world.body(ball).unwrap().linear_velocity().length();
    assert!((4.4..5.2).contains(&speed), "{speed}");
}

/// Targets and forces are part of a snapshot, and of the result on any budget.
#[test]
fn pending_commands_are_in_snapshots() {
    let scene = || {
        let mut world: World<DynamicBvh> = World::new();
        world.insert(ground()).unwrap();
        let lift = BodyDesc::kinematic(cuboid(Vec3::new(1.0, 0.2, 1.0))).with_position(Vec3::Y * 0.2);
        let lift = world.insert(lift).unwrap();
        let boxes: Vec<BodyId> = (0..4)
            .map(|k| {
                let at = Vec3::Y * (0.8 + 0.8 * k as f32);
                world.insert(of_unit_density(cuboid(Vec3::splat(0.4))).with_position(at)).unwrap()
            })
            .collect();
        (world, lift, boxes)
    };
    for budget in [Budget::Unlimited, Budget::Steps(12), Budget::Steps(1)] {
        let mut hashes = Vec::new();
        for is_restored in [false, true] {
            let (mut world, lift, boxes) = scene();
            for step in 0..90 {
                let at = Vec3::new(0.01 * step as f32, 0.2 + 0.005 * step as f32, 0.0);
                world.body_mut(lift).unwrap().move_to(Pose::from_translation(at)).unwrap();
                world.body_mut(boxes[3]).unwrap().apply_force(Vec3::new(0.5, 0.0, 0.0)).unwrap();
                if is_restored && step % 7 == 0 {
                    world = crate::scenes::restored(&world.snapshot(), &world).unwrap();
                }
                world.checked_step_within(DT, budget).unwrap();
                assert_eq!(world.body(lift).unwrap().position(), at);
            }
            // A target goes with its body, and with a change of mobility.
            world.body_mut(lift).unwrap().move_to(Pose::IDENTITY).unwrap();
            world.body_mut(lift).unwrap().set_mobility(Mobility::Dynamic).unwrap();
            world.body_mut(boxes[0]).unwrap().apply_force(Vec3::X).unwrap();
            world.remove(boxes[0]).unwrap();
            world.checked_step_within(DT, budget).unwrap();
            hashes.push(world.state_hash());
        }
        assert_eq!(hashes[0], hashes[1], "{budget:?}");
    }
}

/// A target is used up by the next step, also if the body is there already, so that nothing moves
/// in that step. A pose that is set later stays.
#[test]
fn a_target_that_was_reached_at_once_is_used_up() {
    let start = Vec3::new(1.0, 2.0, 3.0);
    let turned = Quat::from_rotation_y(0.5);
    // The same rotation as a quaternion of the other sign is no rotation to make.
    for target in [Pose::new(turned, start), Pose::new(-turned, start)] {
        let mut world = World::new();
        let lift = BodyDesc::kinematic(cuboid(Vec3::ONE)).with_pose(Pose::new(turned, start));
        let lift = world.insert(lift).unwrap();
        world.checked_step(DT).unwrap();
        world.body_mut(lift).unwrap().move_to(target).unwrap();
        world.checked_step(DT).unwrap();
        world.body_mut(lift).unwrap().set_pose(Pose::from_translation(Vec3::Y * 5.0)).unwrap();
        for _ in 0..3 {
            world.checked_step(DT).unwrap();
            assert_eq!(world.body(lift).unwrap().position(), Vec3::Y * 5.0);
            assert_eq!(world.body(lift).unwrap().linear_velocity(), Vec3::ZERO);
            assert_eq!(world.body(lift).unwrap().angular_velocity(), Vec3::ZERO);
        }
    }
}

/// A target so far away that the velocity to it overflows is reached too, if nothing else moves.
#[test]
fn a_target_beyond_all_velocities_is_reached() {
    for has_company in [false, true] {
        let mut world = weightless();
        let lift = BodyDesc::kinematic(ball(1.0)).with_position(Vec3::X * -3e37);
        let lift = world.insert(lift).unwrap();
        if has_company {
            world.insert(of_unit_density(ball(0.5)).with_linear_velocity(Vec3::Y)).unwrap();
        }
        world.checked_step(DT).unwrap();
        let target = Pose::from_translation(Vec3::X * 3e37);
        world.body_mut(lift).unwrap().move_to(target).unwrap();
        world.checked_step(DT).unwrap();
        assert_eq!(world.body(lift).unwrap().pose(), target, "{has_company}");
    }
}

/// A step of no length moves nothing, so it uses up no target and no force.
#[test]
fn a_step_without_length_keeps_targets_and_forces() {
    let mut world = weightless();
    let lift = world.insert(BodyDesc::kinematic(ball(0.5))).unwrap();
    let body = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::X * 5.0)).unwrap();
    world.checked_step(DT).unwrap();
    world.body_mut(lift).unwrap().move_to(Pose::from_translation(Vec3::Y)).unwrap();
    world.body_mut(body).unwrap().apply_force(Vec3::X).unwrap();
    world.checked_step(0.0).unwrap();
    assert_eq!(world.body(lift).unwrap().position(), Vec3::ZERO);
    assert_eq!(world.body(body).unwrap().linear_velocity(), Vec3::ZERO);
    world.checked_step(DT).unwrap();
    assert_eq!(world.body(lift).unwrap().position(), Vec3::Y);
    assert!(0.0 < world.body(body).unwrap().linear_velocity().x);
}
