//! The caller's own forces, before a step and before each substep.

use crate::of_unit_density;
use crate::scenes::{DT, ball, cuboid, heap, stack};
use carom_math::Vec3;
use carom_world::{BodyDesc, BodyId, StepOptions, Substep, World, WorldSettings};
use core::f32::consts::TAU;

fn floating() -> (World, BodyId) {
    let mut settings = WorldSettings::default();
    settings.solver = settings.solver.with_gravity(Vec3::ZERO);
    let mut world = World::with_settings(settings);
    let desc = of_unit_density(cuboid(Vec3::new(0.1, 0.2, 0.3))).with_density(50.0);
    let id = world.insert(desc.with_position(Vec3::X)).unwrap();
    (world, id)
}

/// A body on a spring swings with the period 2 pi sqrt(m / k), and keeps its amplitude. One force
/// per step would be as a spring of a longer period at this stiffness.
#[test]
fn a_spring_has_its_period() {
    for frequency in [1.0, 4.0] {
        let (mut world, id) = floating();
        let omega = TAU * frequency;
        let mut n_calls = 0;
        let mut worst = 0.0_f32;
        let n = 600;
        for step in 1..=n {
            let mut pull = |substep: &mut Substep<'_>| {
                n_calls += 1;
                assert!(substep.index() < substep.count());
                assert!((substep.dt() * substep.count() as f32 - DT).abs() < 1e-6);
                let mut body = substep.body(id).unwrap();
                let force = body.center() * (-body.mass() * omega * omega);
                body.apply_force(force);
            };
            world.step_with(DT, StepOptions::new().with_on_substep(&mut pull)).unwrap();
            world.validate().unwrap();
            let expected = (omega * step as f32 * DT).cos();
            worst = worst.max((world.body(id).unwrap().position().x - expected).abs());
        }
        assert_eq!(n_calls, 6 * n);
        // Semi-implicit Euler is late by half a substep, and its frequency off by (w h)^2 / 24.
        let h = DT / 6.0;
        let bound = omega * (0.5 * h + (omega * h).powi(2) / 24.0 * n as f32 * DT) * 1.1 + 1e-3;
        println!("{frequency} Hz: {worst} of {bound}");
        assert!(worst < bound, "{frequency} Hz: {worst} of {bound}");
        assert!(!world.body(id).unwrap().is_sleeping());
    }
}

/// A constant force or torque, an impulse, or a velocity, before a substep is the same one before
/// the step.
#[test]
fn forces_of_substeps_are_those_of_the_step() {
    let force = Vec3::new(3.0, -1.0, 2.0);
    let at = Vec3::new(1.1, 0.1, -0.2);
    let (mut world, id) = floating();
    let (mut plain, _) = floating();
    for _ in 0..30 {
        plain.body_mut(id).unwrap().apply_force(force).unwrap();
        plain.step(DT).unwrap();
        let mut push = |substep: &mut Substep<'_>| substep.for_each_active(|body| body.apply_force(force));
        world.step_with(DT, StepOptions::new().with_on_substep(&mut push)).unwrap();
    }
    let [a, b] = [&world, &plain].map(|world| *world.body(id).unwrap().motion());
    assert!((a.linear_velocity - b.linear_velocity).length() < 1e-4);
    assert!((a.pose.translation - b.pose.translation).length() < 1e-4);

    let (mut world, id) = floating();
    let (mut plain, _) = floating();
    plain.body_mut(id).unwrap().apply_impulse_at(force, at).unwrap();
    plain.step(DT).unwrap();
    let mut push = |substep: &mut Substep<'_>| {
        if substep.index() == 0 {
            let mut body = substep.body(id).unwrap();
            let (linear, angular) = (body.linear_velocity(), body.angular_velocity());
            body.set_velocity(linear, angular);
            body.set_velocity(Vec3::NAN, angular);
            body.apply_force(Vec3::INFINITY);
            body.apply_impulse(force, at);
            assert!((body.velocity_at(at) - linear).length() > 0.0);
        }
    };
    world.step_with(DT, StepOptions::new().with_on_substep(&mut push)).unwrap();
    let [a, b] = [&world, &plain].map(|world| *world.body(id).unwrap().motion());
    assert!((a.linear_velocity - b.linear_velocity).length() < 1e-5);
    assert!((a.angular_velocity - b.angular_velocity).length() < 1e-3 * b.angular_velocity.length());
    assert!((a.pose.translation - b.pose.translation).length() < 1e-5);
}

/// A callback that does nothing changes no bit, with bodies that fall asleep, and on any number of
/// threads.
#[test]
fn a_callback_that_does_nothing_changes_nothing() {
    let run = |with_callback: bool| {
        let mut world: World = World::new();
        heap(&mut world, 60, 3);
        for _ in 0..120 {
            let mut nothing = |substep: &mut Substep<'_>| substep.for_each_active(|_| {});
            let options = StepOptions::new();
            let options = if with_callback { options.with_on_substep(&mut nothing) } else { options };
            world.step_with(DT, options).unwrap();
        }
        world.state_hash()
    };
    assert_eq!(run(true), run(false));
}

/// Bodies that sleep, are not dynamic, or were removed, are not visited.
#[test]
fn only_awake_dynamic_bodies_are_visited() {
    let mut world: World = World::new();
    let boxes = stack(&mut world, 2);
    let lift = BodyDesc::kinematic(ball(0.2)).with_position(Vec3::X * 9.0);
    let lift = world.insert(lift.with_linear_velocity(Vec3::Y)).unwrap();
    (0..200).for_each(|_| _ = world.step(DT).unwrap());
    assert!(world.body(boxes[0]).unwrap().is_sleeping());
    let gone = world.insert(of_unit_density(ball(0.2)).with_position(Vec3::X * 20.0)).unwrap();
    world.remove(gone).unwrap();
    let flyer = world.insert(of_unit_density(ball(0.2)).with_position(Vec3::Y * 20.0)).unwrap();
    assert_eq!(gone.index(), flyer.index());
    let seen = std::sync::Mutex::new(Vec::new());
    world.for_each_active(|body| seen.lock().unwrap().push(body.id()));
    assert_eq!(*seen.lock().unwrap(), [flyer]);
    let mut look = |substep: &mut Substep<'_>| {
        assert!([boxes[0], boxes[1], lift, gone].iter().all(|&id| substep.body(id).is_none()));
        assert_eq!(substep.body(flyer).unwrap().id(), flyer);
        substep.for_each_active(|body| assert_eq!(body.id(), flyer));
    };
    world.step_with(DT, StepOptions::new().with_on_substep(&mut look)).unwrap();
}

fn forces_trace(by_visit: bool) -> Vec<u64> {
    let mut world: World = World::new();
    let bodies = heap(&mut world, 700, 9);
    let wind = |id: BodyId| Vec3::new(0.1 * (id.index() % 7) as f32, 0.3, -0.2);
    let mut trace = Vec::new();
    for step in 0..12 {
        // Added up with what was there before.
        world.body_mut(bodies[3]).unwrap().apply_force(Vec3::X).unwrap();
        let awake: Vec<BodyId> =
            bodies.iter().copied().filter(|&id| !world.body(id).unwrap().is_sleeping()).collect();
        if by_visit {
            world.for_each_active(|body| {
                let (id, center) = (body.id(), body.center());
                body.apply_force(wind(id));
                body.apply_torque(Vec3::Y * 0.01);
                body.apply_force_at(wind(id), center + Vec3::X);
                if id.index() % 50 == 7 && step == 5 {
                    body.set_velocity(Vec3::Y * 2.0, Vec3::X);
                }
            });
        } else {
            for id in awake {
                let center = world.body(id).unwrap().motion().world_center();
                world.body_mut(id).unwrap().apply_force(wind(id)).unwrap();
                world.body_mut(id).unwrap().apply_torque(Vec3::Y * 0.01).unwrap();
                world.body_mut(id).unwrap().apply_force_at(wind(id), center + Vec3::X).unwrap();
                if id.index() % 50 == 7 && step == 5 {
                    world
                        .body_mut(id)
                        .unwrap()
                        .set_linear_velocity(Vec3::Y * 2.0)
                        .unwrap()
                        .set_angular_velocity(Vec3::X)
                        .unwrap();
                }
            }
        }
        world.step(DT).unwrap();
        world.validate().unwrap();
        trace.push(world.state_hash());
    }
    trace
}

#[test]
fn for_each_active_is_apply_force_to_the_bit() {
    assert_eq!(forces_trace(true), forces_trace(false));
}

#[cfg(feature = "parallel")]
#[test]
fn for_each_active_has_the_same_bits_on_any_number_of_threads() {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| forces_trace(true))
    };
    let one = with(1);
    assert!([2, 5].iter().all(|&n| one == with(n)));
}
