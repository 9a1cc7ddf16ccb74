//! Responses without a contact: what they keep, and how the drawn ones are distributed.

use carom_math::glam::DVec3;
use carom_math::{Mat3, Pose, Vec3};
use carom_response::plausible::{Scatter, stop_approach};
use carom_response::{Body, bounce};
use carom_testkit::random::Random;

fn ball(mass: f32, velocity: Vec3) -> Body {
    let mut body = Body::dynamic(Pose::IDENTITY, mass, Vec3::ZERO, Mat3::IDENTITY * 0.1);
    body.linear_velocity = velocity;
    body
}

fn momentum(bodies: [&Body; 2]) -> DVec3 {
    bodies.iter().map(|body| body.linear_velocity.as_dvec3() / f64::from(body.inverse_mass)).sum()
}

fn energy(bodies: [&Body; 2]) -> f64 {
    bodies.iter().map(|body| body.energy(Vec3::ZERO, 0.0).kinetic).sum()
}

#[test]
fn no_draw_adds_energy_and_all_keep_the_momentum() {
    let mut random = Random::new(1);
    let (mut n_hits, mut n_lost) = (0, 0);
    for draw in 0..20_000 {
        let mut point = || random.cube_point().as_vec3();
        let (normal, v_a, v_b) = (point().normalize(), point() * 10.0, point() * 10.0);
        let masses = [0, 1].map(|_| random.range(0.01, 100.0) as f32);
        let before = [ball(masses[0], v_a), ball(masses[1], v_b)];
        let scatter = Scatter::new(random.unit() as f32, random.range(0.0, 1.57) as f32, 7);
        let [mut a, mut b] = before;
        let speed = (v_b - v_a).dot(normal);
        assert_eq!(scatter.apply(&mut a, &mut b, normal, draw), speed < 0.0);
        if 0.0 <= speed {
            assert_eq!([a, b], before);
            continue;
        }
        n_hits += 1;
        let (old, new) = (energy([&before[0], &before[1]]), energy([&a, &b]));
        assert!(new <= old * (1.0 + 1e-6), "{new} after {old}");
        n_lost += usize::from(new < old * 0.999);
        let (old, new) = (momentum([&before[0], &before[1]]), momentum([&a, &b]));
        assert!((old - new).length() < 1e-5 * (1.0 + old.length()), "{old} to {new}");
        let after = (b.linear_velocity - a.linear_velocity).dot(normal);
        assert!(-1e-5 * speed.abs() - 1e-4 <= after, "they still approach: {speed} to {after}");
        // Equal input, equal bits.
        let [mut c, mut d] = before;
        scatter.apply(&mut c, &mut d, normal, draw);
        assert_eq!([a, b], [c, d]);
    }
    assert!(9_000 < n_hits && n_hits < 11_000 && n_hits / 2 < n_lost, "{n_hits}, {n_lost}");
}

/// Uniform in a cap around the reflection: the cosine of the angle is uniform from that of the
/// spread to 1, and the mean direction is that of the reflection.
#[test]
fn directions_spread_as_given_around_the_right_one() {
    let n = 20_000;
    let velocity = Vec3::new(2.0, -3.0, 0.5);
    let wall = Body::fixed(Pose::IDENTITY);
    for (spread, restitution) in [(0.1_f32, 0.8_f32), (0.5, 1.0), (1.5, 0.9)] {
        let right = bounce::reflect(velocity, Vec3::Y, restitution, 0.0);
        let axis = right.normalize().as_dvec3();
        // Not farther than to the wall.
        let widest = f64::from(spread).min(axis.y.asin());
        let scatter = Scatter::new(restitution, spread, 42);
        let (mut mean, mut deciles) = (DVec3::ZERO, [0; 10]);
        for draw in 0..n {
            let mut ball = ball(2.0, velocity);
            assert!(scatter.apply(&mut wall.clone(), &mut ball, Vec3::Y, draw));
            let after = ball.linear_velocity;
            assert!((after.length() / right.length() - 1.0).abs() < 1e-5);
            let direction = after.normalize().as_dvec3();
            let share = (1.0 - direction.dot(axis)) / (1.0 - widest.cos());
            assert!(share < 1.0 + 1e-3, "{share}");
            deciles[(share * 10.0).clamp(0.0, 9.0) as usize] += 1;
            mean += direction / n as f64;
        }
        // Each tenth has its share to 5 standard deviations of a count.
        let expected = n as f64 / 10.0;
        for count in deciles {
            assert!((f64::from(count) - expected).abs() < 5.0 * (0.9 * expected).sqrt(), "{deciles:?}");
        }
        let (length, off) = (mean.dot(axis), mean.normalize().angle_between(axis));
        println!("spread {spread}: widest {widest:.3}, mean off by {off:.4} rad, length {length:.4}");
        assert!((length - (1.0 + widest.cos()) / 2.0).abs() < 5e-3);
        assert!(off < 5.0 * widest / (n as f64).sqrt(), "{off}");
    }
}

#[test]
fn other_seeds_and_draws_differ_and_no_spread_is_the_reflection() {
    let after = |scatter: Scatter, draw: u64| {
        let [mut a, mut b] = [ball(1.0, Vec3::X), ball(3.0, Vec3::new(-2.0, 0.5, 0.0))];
        assert!(scatter.apply(&mut a, &mut b, Vec3::X, draw));
        b.linear_velocity - a.linear_velocity
    };
    let first = after(Scatter::new(0.5, 0.4, 1), 0);
    assert!(first != after(Scatter::new(0.5, 0.4, 2), 0) && first != after(Scatter::new(0.5, 0.4, 1), 1));
    // -3 along x and 0.5 across become 1.5 and 0.5.
    for draw in 0..100 {
        let right = after(Scatter::new(0.5, 0.0, 1), draw);
        assert!((right - Vec3::new(1.5, 0.5, 0.0)).length() < 1e-5, "{right}");
        // Without restitution they slide along each other.
        let stopped = after(Scatter::new(0.0, 1.0, 1), draw);
        assert!((stopped - Vec3::new(0.0, 0.5, 0.0)).length() < 1e-5, "{stopped}");
    }
    assert!(!Scatter::new(1.5, 0.1, 0).is_sound() && !Scatter::new(0.5, f32::NAN, 0).is_sound());
    assert!(Scatter::new(1.0, 1.5, 0).is_sound());
}

#[test]
fn immovable_bodies_do_not_change() {
    let mut wall = Body::fixed(Pose::IDENTITY);
    let mut lift = Body::kinematic(Pose::IDENTITY, Vec3::Y * 2.0, Vec3::ZERO);
    let scatter = Scatter::new(1.0, 0.3, 3);
    assert!(!scatter.apply(&mut wall, &mut lift, Vec3::NEG_Y, 0));
    assert!(!stop_approach(&mut wall, &mut lift, Vec3::NEG_Y));
    let mut ball = ball(1.0, Vec3::ZERO);
    assert!(scatter.apply(&mut lift, &mut ball, Vec3::Y, 0));
    assert_eq!(lift.linear_velocity, Vec3::Y * 2.0);
    // In the frame of the lift the ball comes with 2 and leaves with 2.
    assert!(((ball.linear_velocity - Vec3::Y * 2.0).length() - 2.0).abs() < 1e-5);
}
