//! Bodies that stick, are knocked away or pass: held to the conservation laws.

use crate::scene::box_inertia;
use carom_math::glam::DVec3;
use carom_math::{Mat3, Pose, Quat, Vec3};
use carom_response::response::{self, CommonMotion};
use carom_response::{Body, Response};
use carom_testkit::random::Random;

/// A box somewhere, turned, in motion, with its centre of mass off its origin.
fn any_body(random: &mut Random) -> Body {
    let mut v = |scale: f32| random.cube_point().as_vec3() * scale;
    let half = v(0.5) + Vec3::splat(0.6);
    let turn = Quat::from_scaled_axis(v(3.0));
    let mass = 0.1 + 20.0 * half.x;
    let mut body = Body::dynamic(Pose::new(turn, v(2.0)), mass, v(0.3), box_inertia(half, mass));
    (body.linear_velocity, body.angular_velocity) = (v(10.0), v(10.0));
    body
}

/// Momentum and angular momentum about the origin.
fn momenta(bodies: &[Body]) -> [DVec3; 2] {
    let mut sums = [DVec3::ZERO; 2];
    for body in bodies {
        let momentum = body.linear_velocity.as_dvec3() / f64::from(body.inverse_mass);
        sums[0] += momentum;
        sums[1] += body.world_center().as_dvec3().cross(momentum) + body.angular_momentum();
    }
    sums
}

fn energy(bodies: &[Body]) -> f64 {
    bodies.iter().map(|body| body.energy(Vec3::ZERO, 0.0).kinetic).sum()
}

#[test]
fn bodies_that_stick_keep_both_momenta_and_move_as_one() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let before = [any_body(&mut random), any_body(&mut random)];
        let [mut a, mut b] = before;
        let exchange = response::stick(&mut a, &mut b);
        let (old, new) = (momenta(&before), momenta(&[a, b]));
        for k in 0..2 {
            assert!((old[k] - new[k]).length() < 1e-4 * (1.0 + old[k].length()), "{} to {}", old[k], new[k]);
        }
        for _ in 0..4 {
            let point = random.cube_point().as_vec3() * 4.0;
            assert!((a.velocity_at(point) - b.velocity_at(point)).length() < 2e-4);
        }
        let lost = energy(&before) - energy(&[a, b]);
        assert!(0.0 <= lost && (exchange.energy_lost - lost).abs() <= 1e-9 * energy(&before));
        let gained = (b.linear_velocity - before[1].linear_velocity) / b.inverse_mass;
        assert!((exchange.impulse - gained).length() <= 1e-6 * gained.length());
    }
}

/// Half the reduced mass times the square of the speed, as every textbook has it.
#[test]
fn a_central_hit_loses_the_energy_of_the_relative_motion() {
    let ball = |x: f32, mass: f32, speed: f32| {
        let mut body =
            Body::dynamic(Pose::from_translation(Vec3::X * x), mass, Vec3::ZERO, Mat3::IDENTITY * 0.1);
        body.linear_velocity.x = speed;
        body
    };
    let (mut a, mut b) = (ball(0.0, 1.0, 4.0), ball(1.0, 3.0, 0.0));
    let exchange = response::stick(&mut a, &mut b);
    assert_eq!((a.linear_velocity, b.linear_velocity), (Vec3::X, Vec3::X));
    assert_eq!(exchange.impulse, Vec3::X * 3.0);
    assert!((exchange.energy_lost - 0.5 * 0.75 * 16.0).abs() < 1e-6);
}

/// Nothing else that keeps both momenta ends with less energy: not the contact formula, and no
/// internal impulse on top of the common motion.
#[test]
fn no_response_loses_more_than_sticking() {
    let mut random = Random::new(2);
    let mut n_hits = 0;
    for _ in 0..1000 {
        let before = [any_body(&mut random), any_body(&mut random)];
        let normal = random.cube_point().as_vec3().normalize();
        let point = random.cube_point().as_vec3();
        let lost_by = |response: Response| {
            let [mut a, mut b] = before;
            response.apply((&mut a, &mut b), point, normal, 0.0, 0.5).energy_lost
        };
        let (stuck, collided) = (lost_by(Response::Stick), lost_by(Response::Collide));
        assert!(collided <= stuck + 1e-5 * energy(&before), "{collided} over {stuck}");
        n_hits += usize::from(0.0 < collided);
        let [mut a, mut b] = before;
        response::stick(&mut a, &mut b);
        let least = energy(&[a, b]);
        response::knock(&mut a, &mut b, point, normal, 1.0);
        assert!(least <= energy(&[a, b]));
    }
    assert!(300 < n_hits, "{n_hits} of 1000 approached");
}

/// A bullet in a bar about its middle: L = m v d about the common centre, and all inertia turns.
#[test]
fn an_off_centre_hit_turns_the_bar_about_the_common_centre() {
    let (bullet_mass, bar_mass, speed, off) = (0.5_f32, 2.0_f32, 30.0_f32, 0.8_f32);
    let half = Vec3::new(0.1, 1.0, 0.1);
    let mut bar = Body::dynamic(Pose::IDENTITY, bar_mass, Vec3::ZERO, box_inertia(half, bar_mass));
    let at = Pose::from_translation(Vec3::new(-0.1, off, 0.0));
    let mut bullet = Body::dynamic(at, bullet_mass, Vec3::ZERO, Mat3::IDENTITY * 1e-6);
    bullet.linear_velocity.x = speed;
    response::stick(&mut bullet, &mut bar);
    let reduced = bullet_mass * bar_mass / (bullet_mass + bar_mass);
    let own = bar_mass / 12.0 * (0.2 * 0.2 + 2.0 * 2.0);
    let expected = -reduced * off * speed / (own + reduced * (off * off + 0.1 * 0.1));
    assert!((bar.angular_velocity.z / expected - 1.0).abs() < 1e-5, "{}", bar.angular_velocity);
    let common = CommonMotion::of([&bar, &bullet]);
    assert!((common.linear_velocity - Vec3::X * 6.0).length() < 1e-5);
    assert!((common.center - Vec3::new(-0.02, 0.16, 0.0)).length() < 1e-6);
}

#[test]
fn an_immovable_body_sets_the_motion() {
    let mut random = Random::new(3);
    let mut ball = any_body(&mut random);
    let energy_before = energy(&[ball]);
    let momentum = ball.linear_velocity / ball.inverse_mass;
    let mut wall = Body::fixed(Pose::IDENTITY);
    wall.linear_velocity = Vec3::ONE; // Does not count.
    let exchange = response::stick(&mut ball, &mut wall);
    assert_eq!((ball.linear_velocity, ball.angular_velocity), (Vec3::ZERO, Vec3::ZERO));
    assert_eq!(exchange.energy_lost, energy_before);
    assert!((exchange.impulse - momentum).length() < 1e-5 * momentum.length());

    let mut disc = Body::kinematic(Pose::IDENTITY, Vec3::X, Vec3::Y * 2.0);
    let mut rider = any_body(&mut random);
    let owner = disc;
    response::stick(&mut disc, &mut rider);
    assert_eq!(disc, owner);
    assert_eq!(rider.angular_velocity, Vec3::Y * 2.0);
    assert!((rider.linear_velocity - disc.velocity_at(rider.world_center())).length() < 1e-5);

    // A body that cannot turn keeps its partner from turning; the momentum is kept all the same.
    let mut upright = any_body(&mut random);
    (upright.inverse_inertia, upright.angular_velocity) = (Mat3::ZERO, Vec3::ZERO);
    let mut other = any_body(&mut random);
    let before = momenta(&[upright, other])[0];
    response::stick(&mut upright, &mut other);
    assert_eq!(other.angular_velocity, Vec3::ZERO);
    assert!((momenta(&[upright, other])[0] - before).length() < 1e-4 * before.length());
}

#[test]
fn three_bodies_move_as_one() {
    let mut random = Random::new(4);
    for _ in 0..500 {
        let mut bodies = [(); 3].map(|()| any_body(&mut random));
        let before = momenta(&bodies);
        let common = CommonMotion::of(&bodies);
        bodies.iter_mut().for_each(|body| common.apply_to(body));
        let after = momenta(&bodies);
        for k in 0..2 {
            assert!((before[k] - after[k]).length() < 1e-4 * (1.0 + before[k].length()));
        }
    }
}

#[test]
fn a_knock_is_its_impulse_and_states_the_energy_it_adds() {
    let mut random = Random::new(5);
    for _ in 0..1000 {
        let before = [any_body(&mut random), any_body(&mut random)];
        let [mut a, mut b] = before;
        let (normal, point) = (random.cube_point().as_vec3().normalize(), random.cube_point().as_vec3());
        let exchange = response::knock(&mut a, &mut b, point, normal, 7.0);
        assert_eq!(exchange.impulse, normal * 7.0);
        let (old, new) = (momenta(&before), momenta(&[a, b]));
        for k in 0..2 {
            assert!((old[k] - new[k]).length() < 1e-4 * (1.0 + old[k].length()));
        }
        let lost = energy(&before) - energy(&[a, b]);
        assert!((exchange.energy_lost - lost).abs() <= 1e-9 * energy(&before));
        // The body in the way flies off.
        let speed = |a: &Body, b: &Body| (b.velocity_at(point) - a.velocity_at(point)).dot(normal);
        assert!(speed(&before[0], &before[1]) < speed(&a, &b));
    }
}

#[test]
fn bodies_that_pass_keep_their_bits() {
    let mut random = Random::new(6);
    let before = [any_body(&mut random), any_body(&mut random)];
    let [mut a, mut b] = before;
    let exchange = Response::Pass.apply((&mut a, &mut b), Vec3::ZERO, Vec3::X, 1.0, 1.0);
    assert_eq!([a, b], before);
    assert_eq!((exchange.impulse, exchange.energy_lost), (Vec3::ZERO, 0.0));
}

#[test]
fn of_two_responses_the_later_one_counts() {
    let knock = |impulse| Response::Knock { impulse };
    let order = [Response::Collide, knock(1.0), Response::Stick, Response::Pass];
    for (i, a) in order.into_iter().enumerate() {
        for (k, b) in order.into_iter().enumerate() {
            assert_eq!(Response::of_pair(a, b), order[i.max(k)]);
        }
    }
    assert_eq!(Response::of_pair(knock(1.0), knock(3.0)), knock(3.0));
    assert_eq!(Response::of_pair(knock(3.0), knock(1.0)), knock(3.0));
    assert!(knock(0.0).is_sound() && !knock(-1.0).is_sound() && !knock(f32::NAN).is_sound());
}
