//! A change wakes the bodies that it acts on, however it was made; others sleep on.

use crate::of_unit_density;
use crate::scenes::{CheckedStep, DT, ball, cuboid, ground, world_on};
use carom_broad_tree::DynamicBvh;
use carom_math::{Pose, Vec3};
use carom_world::{
    BodyDesc, BodyId, Groups, JointDesc, JointId, JointKind, Mobility, Motor, World, WorldSettings,
};

/// A box on the ground, a ball that feels no gravity, and a ball that hangs on a rod.
fn sleepers(world: &mut World) -> [BodyId; 3] {
    world.insert(ground()).unwrap();
    let on_ground = of_unit_density(cuboid(Vec3::splat(0.5))).with_position(Vec3::Y * 0.5);
    let on_ground = world.insert(on_ground).unwrap();
    let at = Vec3::new(5.0, 5.0, 0.0);
    let floating =
        world.insert(of_unit_density(ball(0.5)).with_position(at).with_gravity_scale(0.0)).unwrap();
    let (hanging, _) = pendulum(world, Vec3::new(-5.0, 5.0, 0.0));
    let all = [on_ground, floating, hanging];
    sleep(world, &all);
    all
}

fn pendulum(world: &mut World, at: Vec3) -> (BodyId, JointId) {
    let hook = world.insert(BodyDesc::fixed(ball(0.1)).with_position(at)).unwrap();
    let hanging = world.insert(of_unit_density(ball(0.5)).with_position(at - Vec3::Y * 2.0)).unwrap();
    let rod = JointKind::Distance { min: 2.0, max: 2.0 };
    let joint = world
        .insert_joint(JointDesc::new(hook, hanging, rod).with_frames(Pose::IDENTITY, Pose::IDENTITY))
        .unwrap();
    (hanging, joint)
}

fn sleep(world: &mut World, bodies: &[BodyId]) {
    for _ in 0..600 {
        if bodies.iter().all(|&body| world.body(body).unwrap().is_sleeping()) {
            return;
        }
        world.checked_step(DT).unwrap();
    }
    panic!("not all fell asleep");
}

fn height(world: &World, body: BodyId) -> f32 {
    world.body(body).unwrap().position().y
}

#[test]
fn each_setting_wakes_what_it_acts_on() {
    type Change = fn(&mut WorldSettings);
    const ALL: [bool; 3] = [true; 3];
    const NONE: [bool; 3] = [false; 3];
    const TOUCHING: [bool; 3] = [true, false, false];
    const JOINED: [bool; 3] = [false, false, true];
    let changes: [(&str, Change, [bool; 3]); 20] = [
        ("gravity", |s| s.solver.gravity.y *= 1.01, [true, false, true]),
        ("gravity", |s| s.solver.gravity = Vec3::ZERO, [true, false, true]),
        ("joint_frequency", |s| s.solver.joint_frequency = 5.0, JOINED),
        ("joint_damping", |s| s.solver.joint_damping = 1.0, JOINED),
        ("slop", |s| s.solver.slop *= 0.5, TOUCHING),
        ("push_out_rate", |s| s.solver.push_out_rate *= 2.0, TOUCHING),
        ("push_out_speed", |s| s.solver.push_out_speed *= 2.0, TOUCHING),
        ("smoothing", |s| s.smooths_internal_edges = false, TOUCHING),
        ("length_unit", |s| s.solver.length_unit *= 1.01, ALL),
        ("sleep", |s| s.solver.sleep = false, ALL),
        ("sleep_speed", |s| s.solver.sleep_speed *= 0.5, ALL),
        ("sleep_delay", |s| s.solver.sleep_delay *= 2.0, ALL),
        ("less sleep_delay", |s| s.solver.sleep_delay *= 0.5, NONE),
        ("more sleep_speed", |s| s.solver.sleep_speed *= 2.0, NONE),
        ("restitution_threshold", |s| s.solver.restitution_threshold = 0.1, NONE),
        ("settle_braking", |s| s.solver.settle_braking = 1.0, NONE),
        ("max_speed", |s| s.solver.max_speed = 10.0, NONE),
        ("prediction", |s| s.prediction = 0.05, NONE),
        ("recycling", |s| s.recycling = 0.0, NONE),
        ("nothing", |_| {}, NONE),
    ];
    let mut asleep = world_on::<DynamicBvh>();
    let bodies = sleepers(&mut asleep);
    let snapshot = asleep.snapshot();
    for (name, change, expected) in changes {
        for is_set_at_once in [false, true] {
            let mut world: World = crate::scenes::restored(&snapshot, &asleep).unwrap();
            let mut settings = *world.settings();
            change(&mut settings);
            if is_set_at_once {
                world.set_settings(settings).unwrap();
            } else {
                *world.solver_settings_mut() = settings.solver;
                if *world.settings() != settings {
                    // It is not one of the solver.
                    continue;
                }
            }
            world.checked_step(DT).unwrap();
            let is_awake = bodies.map(|body| !world.body(body).unwrap().is_sleeping());
            assert_eq!(is_awake, expected, "{name}");
            world.validate().unwrap();
        }
    }
}

#[test]
fn sleeping_bodies_follow_a_new_gravity() {
    let mut world = world_on::<DynamicBvh>();
    let [on_ground, floating, hanging] = sleepers(&mut world);
    let before = [on_ground, floating].map(|body| world.body(body).unwrap().position());
    world.solver_settings_mut().gravity = Vec3::Y;
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    let risen = height(&world, on_ground) - before[0].y;
    assert!((risen - 0.5).abs() < 0.005, "{risen}");
    assert_eq!(world.body(floating).unwrap().position(), before[1]);
    assert!((height(&world, hanging) - 3.0).abs() < 0.05, "the rod holds it");
}

/// A body that was about to fall asleep follows a new gravity, although gravity would need longer
/// than a step to make it faster than a sleeping body may be.
#[test]
fn a_body_about_to_sleep_follows_a_slight_gravity() {
    let mut world = world_on::<DynamicBvh>();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let body = world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 9.0)).unwrap();
    for _ in 0..29 {
        world.checked_step(DT).unwrap();
    }
    assert!(
        !world.body(body).unwrap().is_sleeping() && 0.4 < world.body(body).unwrap().motion().rest.slow_time()
    );
    world.solver_settings_mut().gravity = Vec3::Y * -0.1;
    for _ in 0..180 {
        world.checked_step(DT).unwrap();
    }
    let fallen = 9.0 - height(&world, body);
    assert!((fallen - 0.45).abs() < 0.0045, "{fallen}");
}

#[test]
fn wake_all_wakes_all() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = sleepers(&mut world);
    world.wake_all();
    assert!(bodies.iter().all(|&body| !world.body(body).unwrap().is_sleeping()));
    assert!(bodies.iter().all(|&body| world.body(body).unwrap().motion().rest.slow_time() == 0.0));
    world.checked_step(DT).unwrap();
    assert_eq!(world.stats().solver.n_awake, 3);
    sleep(&mut world, &bodies);
    world.validate().unwrap();
}

/// Between the change and the next step: what is restored wakes the same bodies.
#[test]
fn a_snapshot_between_a_change_and_the_step_forgets_no_change() {
    let mut world = world_on::<DynamicBvh>();
    let bodies = sleepers(&mut world);
    world.solver_settings_mut().gravity = Vec3::X;
    let mut again: World = crate::scenes::restored(&world.snapshot(), &world).unwrap();
    for step in 0..60 {
        world.checked_step(DT).unwrap();
        again.checked_step(DT).unwrap();
        assert_eq!(world.state_hash(), again.state_hash(), "step {step}");
    }
    assert!(!world.body(bodies[0]).unwrap().is_sleeping());
}

/// Gravity is so slight that a body takes a second to be too fast to sleep.
#[test]
fn a_body_without_support_falls() {
    type Loss = fn(&mut World, BodyId, JointId);
    let losses: [(&str, bool, Loss); 8] = [
        ("removed", false, |w, support, _| w.remove(support).unwrap()),
        ("put away", false, |w, support, _| {
            w.body_mut(support).unwrap().set_pose(Pose::from_translation(Vec3::X * 50.0)).unwrap();
        }),
        ("smaller", false, |w, support, _| {
            w.body_mut(support).unwrap().set_shape(cuboid(Vec3::new(0.5, 0.1, 0.5))).unwrap();
        }),
        ("meets nothing", false, |w, support, _| {
            w.body_mut(support).unwrap().set_groups(Groups::DEFAULT, Groups::empty()).unwrap();
        }),
        ("moved down", false, |w, support, _| {
            w.body_mut(support)
                .unwrap()
                .set_linear_velocity(Vec3::Y * -5.0)
                .unwrap()
                .set_angular_velocity(Vec3::ZERO)
                .unwrap();
        }),
        ("joint removed", true, |w, _, joint| w.remove_joint(joint).unwrap()),
        ("joint longer", true, |w, _, joint| {
            w.joint_mut(joint).unwrap().set_distance(0.0, 9.0).unwrap();
        }),
        ("hook removed", true, |w, support, _| w.remove(support).unwrap()),
    ];
    for (name, hangs, lose) in losses {
        for (kind, sleeps) in [(0, true), (0, false), (1, true), (1, false)] {
            if hangs && kind == 1 {
                continue;
            }
            let mut world = world_on::<DynamicBvh>();
            world.solver_settings_mut().gravity = Vec3::Y * -0.1;
            let half = cuboid(Vec3::new(0.5, 0.5, 0.5));
            let desc = match kind {
                0 => BodyDesc::kinematic(half),
                _ => BodyDesc::fixed(half),
            };
            let support = world.insert(desc.with_position(Vec3::Y * 10.0)).unwrap();
            let at = if hangs { Vec3::Y * 7.0 } else { Vec3::Y * 11.0 };
            let body = world.insert(of_unit_density(cuboid(Vec3::splat(0.5))).with_position(at)).unwrap();
            let rod = JointKind::Distance { min: 3.0, max: 3.0 };
            let other = world.insert(BodyDesc::fixed(ball(0.1)).with_position(Vec3::Z * 40.0)).unwrap();
            let end = if hangs { body } else { other };
            let joint = world
                .insert_joint(JointDesc::new(support, end, rod).with_frames(Pose::IDENTITY, Pose::IDENTITY))
                .unwrap();
            let mut n = 0;
            while !(world.body(body).unwrap().is_sleeping()
                || !sleeps && 0.45 < world.body(body).unwrap().motion().rest.slow_time())
            {
                world.checked_step(DT).unwrap();
                n += 1;
                assert!(n < 600, "{name}: never at rest");
            }
            if kind == 1 && name == "moved down" {
                continue;
            }
            let from = height(&world, body);
            lose(&mut world, support, joint);
            for _ in 0..120 {
                world.checked_step(DT).unwrap();
            }
            let fallen = from - height(&world, body);
            assert!((fallen - 0.2).abs() < 0.01, "{name} {kind} {sleeps}: {fallen}");
            world.validate().unwrap();
        }
    }
}

#[test]
fn a_driven_or_pushed_body_moves() {
    let push = |act: fn(&mut World, BodyId)| {
        let mut world = world_on::<DynamicBvh>();
        world.solver_settings_mut().gravity = Vec3::ZERO;
        let body = world.insert(of_unit_density(ball(0.5))).unwrap();
        sleep(&mut world, &[body]);
        act(&mut world, body);
        for _ in 0..60 {
            world.checked_step(DT).unwrap();
        }
        world.body(body).unwrap().pose()
    };
    let pushed = push(|world, body| {
        let force = 0.05 / world.body(body).unwrap().motion().inverse_mass;
        world.body_mut(body).unwrap().set_constant_force(Vec3::X * force, Vec3::ZERO).unwrap();
    });
    assert!((pushed.translation.x - 0.025).abs() < 0.00025, "{pushed:?}");
    let struck = push(|world, body| {
        let impulse = 0.02 / world.body(body).unwrap().motion().inverse_mass;
        world.body_mut(body).unwrap().apply_impulse_at(Vec3::X * impulse, Vec3::ZERO).unwrap();
    });
    assert!((struck.translation.x - 0.02).abs() < 0.0002, "{struck:?}");
    let sent = push(|world, body| {
        world
            .body_mut(body)
            .unwrap()
            .set_linear_velocity(Vec3::X * 0.01)
            .unwrap()
            .set_angular_velocity(Vec3::ZERO)
            .unwrap();
    });
    assert!((sent.translation.x - 0.01).abs() < 0.0001, "{sent:?}");

    // A motor that was set while its hinge slept.
    let mut world = world_on::<DynamicBvh>();
    world.solver_settings_mut().gravity = Vec3::ZERO;
    let base = world.insert(BodyDesc::fixed(ball(0.1))).unwrap();
    let wheel = world.insert(of_unit_density(ball(0.5))).unwrap();
    let free = JointKind::FREE_REVOLUTE;
    let hinge = world
        .insert_joint(JointDesc::new(base, wheel, free).with_anchor(Vec3::ZERO).with_axis(Vec3::Y))
        .unwrap();
    sleep(&mut world, &[wheel]);
    let motor = Some(Motor::velocity(0.05).with_max_force(10.0));
    world.joint_mut(hinge).unwrap().set_motor(motor).unwrap();
    for _ in 0..120 {
        world.checked_step(DT).unwrap();
    }
    let turned = 2.0 * world.body(wheel).unwrap().rotation().y.asin();
    assert!((turned - 0.1).abs() < 0.002, "{turned}");
}

/// A sleeping body takes its part of the momentum, wherever the other one is when the step begins.
/// With a contact found before the two touch, the sleeping body was a wall for one step.
#[test]
fn a_body_struck_asleep_moves_as_if_awake() {
    let mut n = 0;
    for restitution in [0.0, 1.0] {
        for speed in [0.12, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 20.0_f32] {
            for index in 0..24 {
                for is_fast in [false, true] {
                    // Slower impacts do not bounce, and at 20 m/s a body passes others if it is not
                    // fast.
                    if restitution == 1.0 && speed < 1.0 || speed == 20.0 && !is_fast {
                        continue;
                    }
                    let name =
                        format!("{speed} m/s, restitution {restitution}, place {index}, fast {is_fast}");
                    let gap = 0.02 + 0.1 * speed + index as f32 * speed * DT / 24.0;
                    let desc = |at: f32, v: f32| {
                        let desc = of_unit_density(ball(0.5)).with_position(Vec3::X * at);
                        let desc = desc.with_restitution(restitution).with_ccd(is_fast);
                        desc.with_linear_velocity(Vec3::X * v)
                    };
                    let [asleep, awake] = [true, false].map(|sleeps| {
                        let mut world = world_on::<DynamicBvh>();
                        world.solver_settings_mut().gravity = Vec3::ZERO;
                        let struck = world.insert(desc(0.0, 0.0)).unwrap();
                        if sleeps {
                            sleep(&mut world, &[struck]);
                        }
                        let striker = world.insert(desc(-1.0 - gap, speed)).unwrap();
                        for _ in 0..30 {
                            world.checked_step(DT).unwrap();
                        }
                        [striker, struck].map(|id| world.body(id).unwrap().linear_velocity().x / speed)
                    });
                    assert_eq!(asleep, awake, "{name}");
                    assert!((asleep[0] + asleep[1] - 1.0).abs() < 1e-4, "{name}: {asleep:?}");
                    let mean = 0.5 - 0.5 * restitution;
                    // Fast bodies nearer than a millimetre may close on each other slowly for a
                    // while.
                    let slack = 1e-3 + if is_fast { 0.03 / speed } else { 0.0 };
                    assert!((asleep[0] - mean).abs() < slack, "{name}: {asleep:?}");
                    n += 1;
                }
            }
        }
    }
    println!("{n} impacts");
}

/// The active bodies are those that a walk over all bodies finds, also between a change and the
/// next step.
#[test]
fn active_bodies_are_those_that_do_not_sleep() {
    let check = |world: &World, what: &str| {
        let is_active = |id: &BodyId| {
            let body = world.body(*id).unwrap();
            body.mobility() != Mobility::Fixed && !body.is_sleeping()
        };
        let expected: Vec<BodyId> = world.body_ids().filter(is_active).collect();
        let found: Vec<BodyId> = world.active_bodies().collect();
        assert_eq!(found, expected, "{what}");
        found.len()
    };
    let mut world = World::new();
    assert_eq!(check(&world, "an empty world"), 0);
    let [on_ground, floating, hanging] = sleepers(&mut world);
    assert_eq!(check(&world, "all sleep"), 0);
    let lift = world.insert(BodyDesc::kinematic(ball(0.5)).with_position(Vec3::Y * 30.0)).unwrap();
    assert_eq!(check(&world, "a kinematic body at rest"), 1);
    world.body_mut(floating).unwrap().wake();
    assert_eq!(check(&world, "a body that woke"), 2);
    world.checked_step(DT).unwrap();
    assert_eq!(check(&world, "after a step"), 2);
    world.body_mut(floating).unwrap().set_mobility(Mobility::Fixed).unwrap();
    assert_eq!(check(&world, "a body that became static"), 1);
    world.body_mut(floating).unwrap().set_mobility(Mobility::Dynamic).unwrap();
    world.remove(lift).unwrap();
    assert_eq!(check(&world, "a body that was removed"), 1);
    // Its number is used again.
    world.insert(BodyDesc::fixed(ball(0.5)).with_position(Vec3::Y * 30.0)).unwrap();
    assert_eq!(check(&world, "a static body of its number"), 1);
    world.insert(of_unit_density(ball(0.5)).with_position(Vec3::Y * 40.0)).unwrap();
    assert_eq!(check(&world, "a new body"), 2);
    world.wake_all();
    assert_eq!(check(&world, "all woke"), 4);
    let shot = world.snapshot();
    world.restore(&shot).unwrap();
    assert_eq!(check(&world, "a restored world"), 4);
    for step in 0..300 {
        world.checked_step(DT).unwrap();
        check(&world, &format!("step {step}"));
    }
    let all: Vec<BodyId> = world.active_bodies().collect();
    assert!(!all.contains(&on_ground) && !all.contains(&hanging));
}

/// A row of sleeping balls with gaps below the prediction. A ball that is hit reaches the next one
/// in the same step, so all wake, and the impact goes through the row as in one of awake balls.
#[test]
fn r_a_row_of_sleepers_with_gaps_is_no_wall() {
    for gap in [0.0, 0.002, 0.01, 0.019, 0.05] {
        for speed in [0.5, 2.19, 20.0] {
            let mut ends = Vec::new();
            for sleeps in [true, false] {
                let mut settings = WorldSettings::default();
                settings.solver.gravity = Vec3::ZERO;
                let mut world = World::with_settings(settings);
                let balls: Vec<BodyId> = (0..5)
                    .map(|k| {
                        let desc = of_unit_density(ball(0.1)).with_restitution(1.0).with_friction(0.0);
                        let desc = desc.with_position(Vec3::X * ((0.2 + gap) * k as f32));
                        world.insert(desc.with_sleeping(sleeps && 0 < k)).unwrap()
                    })
                    .collect();
                world.body_mut(balls[0]).unwrap().set_position(Vec3::X * -0.5).unwrap();
                world.body_mut(balls[0]).unwrap().set_linear_velocity(Vec3::X * speed).unwrap();
                for _ in 0..(0.9 / speed / DT) as usize {
                    world.checked_step(DT).unwrap();
                }
                let speeds = balls.iter().map(|&ball| world.body(ball).unwrap().linear_velocity().x);
                let speeds: Vec<f32> = speeds.collect();
                let momentum: f32 = speeds.iter().sum();
                assert!((momentum / speed - 1.0).abs() < 1e-3, "{gap} m, {speed} m/s: {speeds:?}");
                assert!(-0.01 * speed < speeds[0], "{gap} m, {speed} m/s: {speeds:?}");
                ends.push(speeds[4]);
            }
            assert!((ends[0] - ends[1]).abs() < 0.05 * speed, "{gap} m, {speed} m/s: {ends:?}");
        }
    }
}

/// A world without gravity from the start, so that no change of it wakes anything.
fn weightless() -> World {
    let mut settings = WorldSettings::default();
    settings.solver.gravity = Vec3::ZERO;
    World::with_settings(settings)
}

/// Balls of radius 0.1 in a row along x, with these gaps between them, without gravity. Those from
/// `n_awake` on sleep.
fn row_of_balls(gaps: &[f32], n_awake: usize) -> (World, Vec<BodyId>) {
    let mut world = weightless();
    let mut x = 0.0;
    let balls = (0..=gaps.len()).map(|k| {
        let desc = of_unit_density(ball(0.1)).with_restitution(1.0).with_friction(0.0);
        let desc = desc.with_position(Vec3::X * x).with_sleeping(n_awake <= k);
        x += 0.2 + gaps.get(k).copied().unwrap_or(0.0);
        world.insert(desc).unwrap()
    });
    let balls = balls.collect();
    (world, balls)
}

/// A body that is hit gets no more than the speed of one of its mass. So a slow hit does not wake
/// the whole row, at gaps that it does not cross in a step.
#[test]
fn r_a_slow_hit_wakes_only_what_it_may_reach() {
    // A hit of 0.15 m/s crosses 6.25 mm in a step and its look-ahead, beyond the slop of 5 mm.
    let (mut world, balls) = row_of_balls(&[0.006, 0.012, 0.012, 0.012, 0.012], 1);
    world.body_mut(balls[0]).unwrap().set_linear_velocity(Vec3::X * 0.15).unwrap();
    world.checked_step(DT).unwrap();
    let sleeps: Vec<bool> = balls.iter().map(|&id| world.body(id).unwrap().is_sleeping()).collect();
    assert_eq!(sleeps, [false, false, true, true, true, true]);
}

/// A light body that is hit by a heavy one gets up to twice its speed.
#[test]
fn a_light_body_that_is_hit_wakes_the_next_one() {
    for gap in [0.006, 0.009, 0.012] {
        let (mut world, balls) = row_of_balls(&[0.0, gap], 1);
        world.body_mut(balls[0]).unwrap().set_mass(1000.0).unwrap();
        world.body_mut(balls[0]).unwrap().set_linear_velocity(Vec3::X * 1.0).unwrap();
        world.checked_step(DT).unwrap();
        assert!(!world.body(balls[2]).unwrap().is_sleeping(), "{gap}");
    }
}

/// A body that sways on the floor more slowly than the sleep speed does not wake its neighbour.
#[test]
fn r_a_body_that_sways_slowly_wakes_no_neighbour() {
    for speed in [0.03, 0.06, 0.09] {
        let mut world = weightless();
        world
            .insert(BodyDesc::fixed(cuboid(Vec3::new(0.1, 1.0, 1.0))).with_position(Vec3::X * -0.1))
            .unwrap();
        let swaying = world.insert(of_unit_density(ball(0.1)).with_position(Vec3::X * 0.1)).unwrap();
        // Beyond the slop of 5 mm. Twice the speed would cross 5 mm in a step and its look-ahead.
        let at = Vec3::new(0.1, 0.206, 0.0);
        let asleep = of_unit_density(ball(0.1)).with_position(at).with_sleeping(true);
        let asleep = world.insert(asleep).unwrap();
        world.body_mut(swaying).unwrap().set_linear_velocity(Vec3::X * -speed).unwrap();
        for step in 0..4 {
            world.checked_step(DT).unwrap();
            assert!(world.body(asleep).unwrap().is_sleeping(), "{speed}, step {step}");
        }
    }
}

/// Through a row of awake balls at rest a hit reaches a sleeping one in the same step. It is no
/// wall then: momentum and energy are as if it had been awake.
#[test]
fn r_a_hit_through_awake_bodies_wakes_the_last_one() {
    for n in [3, 4, 7] {
        for gap in [0.006, 0.01, 0.015] {
            let ends = [true, false].map(|sleeps| {
                let mut gaps = vec![0.0; n - 1];
                gaps[n - 2] = gap;
                let (mut world, balls) = row_of_balls(&gaps, if sleeps { n - 1 } else { n });
                world.body_mut(balls[0]).unwrap().set_linear_velocity(Vec3::X * 2.0).unwrap();
                for _ in 0..4 {
                    world.checked_step(DT).unwrap();
                }
                let speeds = balls.iter().map(|&id| world.body(id).unwrap().linear_velocity().x);
                speeds.collect::<Vec<f32>>()
            });
            let momentum: f32 = ends[0].iter().sum();
            assert!((momentum - 2.0).abs() < 1e-3, "{n} balls, {gap} m: {ends:?}");
            assert_eq!(ends[0], ends[1], "{n} balls, {gap} m");
        }
    }
}
