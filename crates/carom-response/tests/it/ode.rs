//! The equation of motion and its solvers, against closed forms and against impulses.

use crate::scene::box_inertia;
use carom_math::glam::{DQuat, DVec3};
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_response::ode::{Integrator, Loads, Method, Ode, OdeError, RigidOde, State};
use carom_response::{Body, Penalty, bounce};

const GRAVITY: f64 = 9.81;

fn equal_steps(step: f64) -> Integrator {
    Integrator::new(Method::RungeKutta4 { step })
}

fn adaptive(tolerance: f64) -> Integrator {
    Integrator::new(Method::DormandPrince { tolerance })
}

fn ball(at: Vec3, mass: f32) -> Body {
    Body::dynamic(Pose::from_translation(at), mass, Vec3::ZERO, Mat3::IDENTITY * (0.1 * mass))
}

/// y'' = -y from (1, 0), and a term that depends on the time: y = cos t + sin(2 t) in all.
fn swing(t: f64, y: &[f64], slope: &mut [f64]) {
    (slope[0], slope[1]) = (y[1], -y[0] - 3.0 * (2.0 * t).sin());
}

fn swing_error(integrator: &mut Integrator, to: f64) -> f64 {
    let mut y = [1.0, 2.0];
    integrator.advance(&swing, &mut y, 0.0, to).unwrap();
    let expected = [to.cos() + (2.0 * to).sin(), -to.sin() + 2.0 * (2.0 * to).cos()];
    (y[0] - expected[0]).hypot(y[1] - expected[1])
}

#[test]
fn half_the_step_has_a_sixteenth_of_the_error() {
    let errors: Vec<f64> =
        (0..6).map(|k| swing_error(&mut equal_steps(0.2 * 0.5_f64.powi(k)), 3.0)).collect();
    let ratios: Vec<f64> = errors.windows(2).map(|pair| pair[0] / pair[1]).collect();
    println!("errors {errors:?}, ratios {ratios:.2?}");
    for ratio in &ratios[1..] {
        assert!((14.0..18.5).contains(ratio), "{ratios:?}");
    }
}

#[test]
fn the_adaptive_solver_keeps_its_tolerance_and_is_of_fifth_order() {
    let mut counts = Vec::new();
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        let error = swing_error(&mut adaptive(tolerance), 3.0);
        let mut y = [1.0, 2.0];
        let stats = adaptive(tolerance).advance(&swing, &mut y, 0.0, 3.0).unwrap();
        println!("tolerance {tolerance:.0e}: error {error:.1e}, {stats:?}");
        assert!(error < 10.0 * tolerance, "{error} for {tolerance}");
        assert!(stats.n_rejected <= 3 && stats.n_derivatives == 1 + 6 * (stats.n_steps + stats.n_rejected));
        counts.push(stats.n_steps as f64);
    }
    // A hundredth of the error takes 100^(1/5) = 2.5 times as many steps.
    let ratio = counts[4] / counts[2];
    assert!((4.5..8.5).contains(&ratio), "{counts:?}");
}

/// A step that is long next to what happens is made again with a shorter one; calls go on as one.
#[test]
fn the_adaptive_solver_sees_a_sudden_change() {
    // A bump of width 0.01 at t = 2, whose integral is 0.01 sqrt(pi).
    let bump = |t: f64, _: &[f64], slope: &mut [f64]| slope[0] = (-((t - 2.0) / 0.01).powi(2)).exp();
    let mut integrator = adaptive(1e-9);
    let (mut y, mut n_rejected) = ([0.0], 0);
    for frame in 0..240 {
        let t = f64::from(frame) / 60.0;
        n_rejected += integrator.advance(&bump, &mut y, t, t + 1.0 / 60.0).unwrap().n_rejected;
    }
    assert!((y[0] - 0.01 * std::f64::consts::PI.sqrt()).abs() < 1e-8, "{}", y[0]);
    assert!(0 < n_rejected);
}

#[test]
fn an_unsolvable_problem_is_an_error() {
    let blow_up = |_: f64, y: &[f64], slope: &mut [f64]| slope[0] = y[0] * y[0];
    let mut y = [1.0];
    match adaptive(1e-8).advance(&blow_up, &mut y, 0.0, 2.0) {
        Err(OdeError::Diverged { t }) => assert!((t - 1.0).abs() < 1e-3, "{t}"),
        other => panic!("{other:?} at {y:?}"),
    }
    assert!(matches!(
        equal_steps(0.1).advance(&blow_up, &mut [1.0], 0.0, 2.0),
        Err(OdeError::Diverged { .. })
    ));
    let refused = |integrator: &mut Integrator, to: f64| integrator.advance(&blow_up, &mut [1.0], 0.0, to);
    for step in [0.0, -1.0, f64::NAN] {
        assert_eq!(refused(&mut equal_steps(step), 0.5), Err(OdeError::BadStep));
    }
    for to in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(&mut adaptive(1e-8), to), Err(OdeError::BadStep));
    }
    assert_eq!(refused(&mut equal_steps(1e-9), 0.5), Err(OdeError::TooManySteps { t: 0.0 }));
    assert_eq!(refused(&mut equal_steps(0.1), 0.0).unwrap().n_steps, 0);
    assert_eq!(refused(&mut equal_steps(0.1), 0.5).unwrap().n_steps, 5);
    assert_eq!(refused(&mut equal_steps(0.1), 0.51).unwrap().n_steps, 6);
}

#[test]
fn a_projectile_flies_its_parabola() {
    let mut bodies = [ball(Vec3::new(1.0, 2.0, 3.0), 2.0)];
    bodies[0].center_of_mass = Vec3::X * 0.25;
    bodies[0].linear_velocity = Vec3::new(3.0, 4.0, 0.0);
    bodies[0].angular_velocity = Vec3::Y * 2.0;
    for integrator in [&mut equal_steps(0.1), &mut adaptive(1e-10)] {
        let ode = RigidOde::new(&bodies, |_, loads| loads.accelerate(DVec3::NEG_Y * GRAVITY));
        let mut state = State::of(&bodies);
        integrator.advance(&ode, state.numbers_mut(), 0.0, 1.5).unwrap();
        let own = state.body(0);
        let expected = DVec3::new(1.25 + 4.5, 2.0 + 6.0 - 0.5 * GRAVITY * 2.25, 3.0);
        assert!((own.center - expected).length() < 1e-12, "{}", own.center);
        assert!((own.momentum - 2.0 * DVec3::new(3.0, 4.0 - GRAVITY * 1.5, 0.0)).length() < 1e-12);
        // A ball turns at its own rate: by 3 radians. The origin is a quarter off the centre.
        let turned = own.rotation.angle_between(DQuat::from_rotation_y(3.0));
        assert!(turned < 1e-5, "{turned}");
        let mut after = bodies;
        ode.store(&state, &mut after);
        assert!((after[0].world_center().as_dvec3() - expected).length() < 1e-5);
        assert!((after[0].angular_velocity - Vec3::Y * 2.0).length() < 1e-5);
        assert!((after[0].pose.rotation.dot(Quat::from_rotation_y(3.0)).abs() - 1.0).abs() < 1e-5);
    }
}

/// Two masses on a spring: they swing with the reduced mass, and their centre stands.
#[test]
fn two_bodies_on_a_spring_swing_as_in_closed_form() {
    let bodies = [ball(Vec3::ZERO, 1.0), ball(Vec3::X * 2.5, 4.0)];
    let (stiffness, rest) = (40.0, 2.0);
    let spring = |_: f64, loads: &mut Loads<'_>| {
        let [a, b] = [loads.body(0).center, loads.body(1).center];
        let pull = (b - a).normalize() * (((b - a).length() - rest) * stiffness);
        loads.push(0, pull, a);
        loads.push(1, -pull, b);
    };
    let ode = RigidOde::new(&bodies, spring);
    let omega = (stiffness / 0.8_f64).sqrt();
    for (integrator, allowed) in [(&mut equal_steps(0.005), 1e-6), (&mut adaptive(1e-11), 1e-8)] {
        let mut state = State::of(&bodies);
        integrator.advance(&ode, state.numbers_mut(), 0.0, 2.0).unwrap();
        let [a, b] = [state.body(0), state.body(1)];
        let expected = rest + 0.5 * (omega * 2.0).cos();
        assert!(
            ((b.center - a.center).x - expected).abs() < allowed,
            "{}",
            (b.center - a.center).x - expected
        );
        assert!((a.momentum + b.momentum).length() < 1e-12);
        assert!(((a.center + b.center * 4.0) / 5.0 - DVec3::X * 2.0).length() < 1e-12);
    }
}

/// A plate that spins about its middle axis tumbles; L is constant to the bit, and the energy is as
/// good as the order says.
#[test]
fn a_free_asymmetric_top_keeps_momentum_and_energy() {
    let half = Vec3::new(0.5, 0.3, 0.05);
    let mut body = Body::dynamic(Pose::IDENTITY, 1.0, Vec3::ZERO, box_inertia(half, 1.0));
    body.angular_velocity = Vec3::new(0.01, 6.0, 0.02);
    let bodies = [body];
    let ode = RigidOde::new(&bodies, |_, _: &mut Loads<'_>| {});
    let run = |integrator: &mut Integrator, to: f64| {
        let start = State::of(&bodies);
        let mut state = start.clone();
        integrator.advance(&ode, state.numbers_mut(), 0.0, to).unwrap();
        assert_eq!(state.body(0).angular_momentum, start.body(0).angular_momentum);
        (ode.kinetic_energy(&state) / ode.kinetic_energy(&start) - 1.0, state.body(0).rotation)
    };
    let (error, _) = run(&mut adaptive(1e-12), 10.0);
    assert!(error.abs() < 1e-9, "{error}");
    // The axis turns over: the sign of the middle component of w in the body changes.
    let flips = (0..100).filter(|&k| {
        let (_, rotation) = run(&mut adaptive(1e-8), 0.1 * f64::from(k));
        (rotation.inverse() * State::of(&bodies).body(0).angular_momentum).y < 0.0
    });
    let n = flips.count();
    assert!((10..90).contains(&n), "{n} of 100");
    let exact = run(&mut adaptive(1e-13), 3.0).1;
    let errors: Vec<f64> = (0..5)
        .map(|k| {
            let (_, rotation) = run(&mut equal_steps(0.02 * 0.5_f64.powi(k)), 3.0);
            (rotation - exact).length().min((rotation + exact).length())
        })
        .collect();
    println!("errors of a tumbling plate: {errors:?}");
    // The ratios come down to 16: at long steps the terms of higher order are the larger ones.
    let ratios: Vec<f64> = errors.windows(2).map(|pair| pair[0] / pair[1]).collect();
    assert!(ratios.iter().all(|ratio| 14.0 < *ratio) && ratios[3] < 20.0, "{ratios:?}");
}

/// A ball of radius 0.5 and a floor at y = 0.
fn drop_on_floor(spring: Penalty) -> ([Body; 2], impl Ode + Clone) {
    let bodies = [Body::fixed(Pose::IDENTITY), ball(Vec3::Y * 1.5, 2.0)];
    let ode = RigidOde::new(&bodies, move |_, loads: &mut Loads<'_>| {
        loads.accelerate(DVec3::NEG_Y * GRAVITY);
        let center = loads.body(1).center;
        let depth = DVec3::Y * (0.5 - center.y).max(0.0);
        loads.push_apart(&spring, [0, 1], center - DVec3::Y * 0.5, depth);
    });
    (bodies, ode)
}

/// As the spring becomes stiffer, the ball follows the path of ideal impulses: the time it is in
/// contact, and with it the error, falls with the root of the stiffness.
#[test]
fn stiff_springs_bounce_as_impulses_do() {
    let (fall, to) = (1.0_f64, 1.2_f64);
    let hit = (2.0 * fall / GRAVITY).sqrt();
    // The impulse answer: v' = v_p - k v_n with k = 1, at the time of the hit.
    let landing = Vec3::NEG_Y * (GRAVITY * hit) as f32;
    let up = f64::from(bounce::reflect(landing, Vec3::Y, 1.0, 0.0).y);
    let expected = 0.5 + up * (to - hit) - 0.5 * GRAVITY * (to - hit).powi(2);
    let errors: Vec<f64> = [1e4, 1e6, 1e8]
        .map(|stiffness| {
            let (bodies, ode) = drop_on_floor(Penalty::new(stiffness, 0.0));
            let mut state = State::of(&bodies);
            adaptive(1e-10).advance(&ode, state.numbers_mut(), 0.0, to).unwrap();
            (state.body(1).center.y - expected).abs()
        })
        .into();
    println!("errors against the impulse: {errors:?}");
    for pair in errors.windows(2) {
        assert!((9.0..11.0).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
    assert!(errors[2] < 2e-3);
}

/// A damped spring that never pulls gives back the part of the speed that its damping says, however
/// stiff it is. Reference: T. Schwager, T. Poeschel, Granular Matter 9, 2007, eq. 22.
#[test]
fn a_damped_spring_has_the_restitution_of_its_damping() {
    for ratio in [0.05_f64, 0.2, 0.5] {
        let root = (1.0 - ratio * ratio).sqrt();
        let turn = std::f64::consts::PI - (2.0 * ratio * root).atan2(1.0 - 2.0 * ratio * ratio);
        let expected = (-ratio / root * turn).exp();
        let stiffness = 1e8_f32;
        let damping = 2.0 * ratio as f32 * (stiffness * 2.0).sqrt();
        let (bodies, ode) = drop_on_floor(Penalty::new(stiffness, damping));
        let mut state = State::of(&bodies);
        let hit = (2.0 / GRAVITY).sqrt();
        adaptive(1e-10).advance(&ode, state.numbers_mut(), 0.0, hit + 0.01).unwrap();
        let speed = state.body(1).momentum.y / 2.0 + GRAVITY * 0.01;
        let measured = speed / (GRAVITY * hit);
        println!("damping {ratio}: restitution {measured:.4}, {expected:.4} in closed form");
        assert!((measured - expected).abs() < 3e-3, "{measured} for {expected}");
    }
}

#[test]
fn friction_brakes_as_coulomb_says_and_a_belt_carries() {
    let mut slider = ball(Vec3::Y * 0.5, 2.0);
    (slider.inverse_inertia, slider.linear_velocity) = (Mat3::ZERO, Vec3::X * 3.0);
    for belt in [0.0_f32, 1.0] {
        let ground = Body::kinematic(Pose::IDENTITY, Vec3::X * belt, Vec3::ZERO);
        let bodies = [ground, slider];
        let spring = Penalty::critical(1e5, 2.0).with_friction(0.4);
        let ode = RigidOde::new(&bodies, move |_, loads: &mut Loads<'_>| {
            loads.accelerate(DVec3::NEG_Y * GRAVITY);
            let center = loads.body(1).center;
            loads.push_apart(&spring, [0, 1], center - DVec3::Y * 0.5, DVec3::Y * (0.5 - center.y).max(0.0));
        });
        let mut state = State::of(&bodies);
        adaptive(1e-8).advance(&ode, state.numbers_mut(), 0.0, 1.5).unwrap();
        let own = state.body(1);
        let (speed, belt) = (own.momentum.x / 2.0, f64::from(belt));
        let travel = 3.0_f64 * 1.5 - (3.0 - belt) * 1.5 + (3.0 - belt).powi(2) / (2.0 * 0.4 * GRAVITY);
        assert!((speed - belt).abs() < 1e-3, "{speed}");
        assert!((own.center.x - travel).abs() < 0.01, "{} for {travel}", own.center.x);
        // The belt itself went on.
        assert!((state.body(0).center.x - 1.5 * belt).abs() < 1e-9);
        assert!((own.center.y - (0.5 - 2.0 * GRAVITY / 1e5)).abs() < 1e-5);
    }
}
